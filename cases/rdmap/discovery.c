/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5040 s4.2, RFC 7306 s1.1, s5: which of the extensions a device has, and
 * what one that has not makes of them. */
#include "case.h"

static const uint8_t EIGHT[8] = {1, 2, 3, 4, 5, 6, 7, 8};

CASE(who_has_one_atomic_has_both,
     .title = "a device that has any atomic operation has FetchAdd and "
	      "CmpSwap",
     .needs = 0, .role = EITHER)
{
	/* Given a device that claims one of the two, and a word, */
	if (!(dut_claims(t) & NEED_ATOMICS))
		not_applicable(t,
			       "the device does not claim an atomic operation");
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	connects(t, .crc = true);

	/* when the peer asks for both, */
	peer_sends(t, FETCHADD(region, 0, 3, 0));
	awaits(t, RDMAPX_5_01, RDMAP_ATOMIC_RESPONSE);
	peer_sends(t, CMPSWAP(region, 0, 3, 9));

	/* then both are performed. */
	awaits(t, RDMAPX_5_01, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX_5_1_2_01, word_is(region, 0, 9));
}

/* --- devices without them -------------------------------------------------- */

CASE(immediate_data_is_refused_where_unknown,
     .title = "a device without Immediate Data does not deliver it, and "
	      "reports an unexpected opcode",
     .lacks = NEED_IMM, .role = EITHER)
{
	/* Given a buffer waiting, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when Immediate Data comes, */
	peer_sends(t, IMM(EIGHT));

	/* then it is not delivered, and the Terminate says why. */
	must(t, RDMAP_4_2_01, terminate(TERM_RDMA, 2, 0x06));
	must(t, RDMAP_4_2_01, not_delivered(sink));
}

CASE(immediate_data_with_se_is_refused_where_unknown,
     .title = "a device without Immediate Data with SE does not deliver it, "
	      "and reports an unexpected opcode",
     .lacks = NEED_IMM_SE, .role = EITHER)
{
	/* Given a buffer waiting, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when Immediate Data with SE comes, */
	peer_sends(t, IMM_SE(EIGHT));

	/* then it is not delivered, and the Terminate says why. */
	must(t, RDMAP_4_2_02, terminate(TERM_RDMA, 2, 0x06));
	must(t, RDMAP_4_2_02, not_delivered(sink));
}

CASE(an_atomic_request_is_refused_where_unknown,
     .title = "a device without atomics does not perform one, and reports an "
	      "unexpected opcode or a message too long for a Read Request",
     .lacks = NEED_ATOMICS, .role = EITHER)
{
	/* Given a buffer that may be written to, */
	struct region region = dut_registers(t, .len = 8, .access = FOR_WRITES);
	connects(t, .crc = true);

	/* when the peer adds one to it, */
	peer_sends(t, FETCHADD(region, 0, 1, 0));

	/* then it is not performed, and a Terminate says why. */
	must(t, RDMAP_4_2_03, ends_unanswered());
	must(t, RDMAP_4_2_03,
	     any_of(t, terminate_if_any(TERM_RDMA, 2, 0x06),
		    terminate_if_any(TERM_DDP, 2, 0x05)));
	must(t, RDMAP_4_2_03, memory_unchanged(region));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(a_probe_by_zero_shows_that_there_is_none,
     .title = "FetchAdd of zero, sent to a device without atomics, is answered "
	      "by an error",
     .lacks = NEED_ATOMICS, .role = EITHER)
{
	/* Given a buffer, */
	struct region region = dut_registers(t, .len = 8, .access = FOR_WRITES);
	connects(t, .crc = true);

	/* when the peer looks whether there are atomics, */
	peer_sends(t, FETCHADD(region, 0, 0, 0));

	/* then the end of the stream shows it. */
	may(t, RDMAPX_1_1_01,
	    any_of(t, terminate_if_any(TERM_RDMA, 2, 0x06),
		   terminate_if_any(TERM_DDP, 2, 0x05)));
	must(t, RDMAP_4_2_03, ends_unanswered());
}

CASE(an_atomic_response_is_refused_where_unknown,
     .title = "a device without atomics accepts no Atomic Response, and "
	      "reports an unexpected opcode or an invalid queue",
     .lacks = NEED_ATOMICS, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when an Atomic Response comes, */
	peer_breaks(t, RDMAPX_5_2_1_25);
	peer_sends(t, ATOMIC_RESPONSE(NULL, 7));

	/* then the stream ends, and a Terminate says why. */
	must(t, RDMAP_4_2_04, ends_unanswered());
	must(t, RDMAP_4_2_04,
	     any_of(t, terminate_if_any(TERM_RDMA, 2, 0x06), refuses_queue(t)));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

struct opcode {
	CASE_ROW;
	uint8_t opcode;
};

static const struct opcode extensions[] = {
	{.id = "8", .opcode = RDMAP_IMM},
	{.id = "9", .opcode = RDMAP_IMM_SE},
	{.id = "10", .opcode = RDMAP_ATOMIC_REQUEST},
	{.id = "11", .opcode = RDMAP_ATOMIC_RESPONSE},
};

CASE_EACH(tagged_extensions_are_refused_where_unknown, struct opcode,
	  extensions,
	  .title = "a device without the extensions refuses their opcodes in "
		   "tagged messages, too, as unexpected opcodes",
	  .lacks = NEED_ATOMICS | NEED_IMM | NEED_IMM_SE, .role = EITHER)
{
	/* Given a buffer that may be written, */
	struct region region =
		dut_registers(t, .len = 64, .access = FOR_WRITES);
	connects(t, .crc = true);

	/* when a tagged message for it has such an opcode, */
	peer_sends(t, OPCODE(row->opcode, octets_of(t, 52, 0), 52, .t = IS(1),
			     .stag = region.stag, .to = region.to));

	/* then the Terminate says why. */
	must(t, RDMAP_4_2_09, terminate(TERM_RDMA, 2, 0x06));
}
