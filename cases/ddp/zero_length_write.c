/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5041 s5.2: a Write without payload, as the device takes it: its versions
 * are checked, its buffer is not. */
#include "case.h"

CASE(dv_counts_in_an_empty_write,
     .title = "a zero-length Write with a wrong DDP version is "
	      "refused",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a stream that works, */
	connects(t);

	/* when a zero-length Write has DV=2, */
	peer_sends(t, WRITE_TO(0x1234, 0x1000, "", 0, .dv = IS(2)));

	/* then that is an error, with the number for tagged buffers. */
	must(t, DDP_5_2_10, terminate_if_any(TERM_DDP, 1, 0x04));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(rv_counts_in_an_empty_write,
     .title = "a zero-length Write with a wrong RDMAP version is "
	      "refused",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer to write, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_WRITES);
	connects(t);

	/* when a zero-length Write to it has RV=10b, */
	peer_sends(t, WRITE(r, 0, "", 0, .rv = IS(2)));

	/* then that is an error of RDMAP. */
	must(t, DDP_5_2_10, terminate(TERM_RDMA, 2, 0x05));
	must(t, DDP_5_2_10, stream_ends());
}

struct anywhere {
	CASE_ROW;
	uint32_t stag;
	uint64_t to;
};

static const struct anywhere anywhere[] = {
	{.id = "random", .stag = 0x7a11f00d, .to = 0x123456789abcdef0},
	{.id = "stag_ffffffff", .stag = 0xffffffff, .to = 0},
	{.id = "stag_0", .stag = 0, .to = 0},
	{.id = "to_ffffffffffffffff", .stag = 0x1234, .to = UINT64_MAX},
};

CASE_EACH(an_empty_write_goes_anywhere, struct anywhere, anywhere,
	  .title = "STag and TO of a zero-length Write are not checked",
	  .needs = NEED_WRITE, .role = EITHER,
	  .along = {ALONG(struct anywhere, to, PEER_WRITE_TO, 0xfffffffe,
			  0x100000001),
		    ALONG(struct anywhere, to, PEER_WRITE_TO,
			  0xfffffffffffffff8, UINT64_MAX)})
{
	/* Given a stream that works, */
	connects(t);

	/* when a zero-length Write names a buffer that does not exist, */
	peer_sends(t, WRITE_TO(row->stag, row->to, "", 0));

	/* then the stream still works. */
	must(t, DDP_5_2_11, stream_works());
	must(t, DDP_5_2_11, no_terminate());
}

CASE(an_empty_write_to_an_invalidated_stag,
     .title = "a zero-length Write to an STag that was invalidated is accepted",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer that is one no longer, */
	struct region r = dut_registers(t, .len = 64, .access = FOR_WRITES);
	connects(t);
	dut_invalidates(t, r);

	/* when a zero-length Write names it, */
	peer_sends(t, WRITE(r, 0, "", 0));

	/* then the stream still works. */
	must(t, DDP_5_2_11, stream_works());
	must(t, DDP_5_2_11, no_terminate());
}

CASE(an_empty_write_may_open_the_stream,
     .title = "a zero-length Write to STag 0 and TO 0 is accepted as the first "
	      "FPDU",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a stream on which the peer has sent nothing yet, */
	connects(t, .unproven = true);
	if (case_role(t) == INITIATOR)
		initiator_speaks(t);

	/* when it begins with a zero-length Write to nowhere, */
	peer_sends(t, WRITE_TO(0, 0, "", 0));

	/* then the stream still works. */
	must(t, DDP_5_2_12, stream_works());
	must(t, DDP_5_2_12, no_terminate());
}

CASE(behind_an_empty_segment_stags_count,
     .title = "an empty first segment of a Write does not exempt the next one "
	      "from the checks",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer, */
	struct region r = dut_registers(t, .len = 64, .access = FOR_WRITES);
	connects(t);

	/* when a Write begins with an empty segment and continues at an STag
	 * that was never issued, */
	uint32_t stag = stag_never_issued(t);
	peer_sends(t, WRITE_TO(stag, r.to, "", 0, .l = IS(0)), .hold = true);
	peer_sends(t, WRITE_TO(stag, r.to, "data", 4));

	/* then nothing is placed, and the stream is over. */
	must(t, DDP_5_2_17, stream_ends());
	must(t, DDP_5_2_17, memory_unchanged(r));
	should(t, RDMAP_6_2_1_01, terminate_any());
}
