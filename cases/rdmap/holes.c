/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5040 s5.5 and appendix B, RFC 7306 s5.4, s6.4 and s7: messages with a
 * missing TCP segment, or with reordered ones. */
#include "case.h"

/* A stack may learn of octets after a hole, and place them; but a message that
 * has to be delivered waits until the hole is filled. */

/* --- Sends ------------------------------------------------------------------ */

#define TEN 10u

CASE(sends_are_delivered_in_the_order_sent,
     .title = "ten Sends of all kinds complete in the order sent, in whatever "
	      "order their TCP segments arrive",
     .needs = NEED_SEND | NEED_SEND_INV | NEED_SEND_SE | NEED_SEND_SE_INV,
     .segments = true, .role = EITHER)
{
	/* Given ten receives, and STags for those that invalidate one, */
	static const uint8_t kinds[] = {RDMAP_SEND, RDMAP_SEND_INV,
					RDMAP_SEND_SE, RDMAP_SEND_SE_INV};
	struct sink sinks = dut_posts_recvs(t, TEN, 16);
	uint32_t stag[TEN] = {0};
	for (unsigned i = 1; i < TEN; i += 2)
		stag[i] = dut_registers(t, .len = 8, .access = FOR_READS).stag;
	connects(t);

	/* when ten Sends arrive in ten TCP segments, reordered, */
	const uint8_t *octets = pattern(t, TEN, 1);
	for (unsigned i = 0; i < TEN - 1; i++)
		peer_sends(t,
			   SEND_KIND(kinds[i % 4], octets + i, 1,
				     .inval = stag[i]),
			   .hold = true);
	peer_sends(t,
		   SEND_KIND(RDMAP_SEND_INV, octets + 9, 1, .inval = stag[9]),
		   .order = ORDER(10, 8, 6, 4, 2, 9, 7, 5, 3, 1));

	/* then each is in the receive of its turn, and completes in turn. */
	for (unsigned i = 0; i < TEN; i++)
		must(t, RDMAP_5_5_02,
		     delivered(sink_at(sinks, i), octets + i, 1));
	for (unsigned i = 1; i < TEN; i++)
		must(t, RDMAP_5_5_02,
		     is("place after the one before it",
			dut_receives(t, sink_at(sinks, i)).place -
				dut_receives(t, sink_at(sinks, i - 1)).place,
			1));
}

struct gap {
	CASE_ROW;
	size_t segment; /* payload octets of a DDP segment */
	struct cuts cuts;
	unsigned nth; /* TCP segment that is missing */
};

#define LONG     600u
#define LONG_CRC (2u + 18 + LONG) /* the CRC begins there */

static const struct gap gaps[] = {
	{.id = "within_an_fpdu",
	 .segment = LONG,
	 .cuts = CUT_EVERY(200),
	 .nth = 2},
	{.id = "an_fpdu", .segment = LONG / 3, .nth = 2},
	{.id = "a_crc", .segment = LONG, .cuts = CUT_AFTER(LONG_CRC), .nth = 2},
};

CASE_EACH(a_send_with_a_hole_is_not_delivered, struct gap, gaps,
	  .title = "a Send with a missing TCP segment completes only when that "
		   "has arrived, and before the next Send",
	  .needs = NEED_SEND, .segments = true, .role = EITHER)
{
	/* Given two receives, */
	struct sink sinks = dut_posts_recvs(t, 2, LONG);
	const uint8_t *octets = pattern(t, LONG, 1);
	connects(t);

	/* when a part of a Send is missing, and the rest and another come, */
	peer_withholds(t, row->nth);
	peer_sends(t, SEND_N(octets, LONG, .segment = row->segment),
		   .cuts = row->cuts);
	peer_sends(t, SEND("behind"));

	/* then neither completes; once it has arrived, both do. */
	must(t, RDMAP_5_5_12, nothing_more());
	bool first = dut_has_received(t, sink_at(sinks, 0)).came;
	bool second = dut_has_received(t, sink_at(sinks, 1)).came;
	must(t, RDMAP_5_5_12,
	     holds_else(t, "no completion before the hole is filled",
			!first && !second, "%s completed",
			first && second ? "both receives have"
			: first         ? "the first receive has"
					: "the second receive has"));
	peer_releases(t);
	must(t, RDMAP_5_5_12, delivered(sink_at(sinks, 0), octets, LONG));
	must(t, RDMAP_5_5_12, delivered_text(sink_at(sinks, 1), "behind"));
}

/* --- Reads and atomics -------------------------------------------------------- */

struct hole {
	CASE_ROW;
	bool inside;     /* the request itself has it, not the messages before
			  * it */
	unsigned octets; /* that are asked for */
};

static const struct hole before_a_read[] = {
	{.id = "in_front_of_it", .must = &RDMAP_5_5_05, .octets = 16},
	{.id = "in_it", .must = &RDMAP_5_5_05, .inside = true, .octets = 16},
	{.id = "in_front_of_an_empty_one", .must = &RDMAP_5_5_06},
	{.id = "in_an_empty_one", .must = &RDMAP_5_5_06, .inside = true},
};

#define READ_CRC   (2u + 18 + 28) /* the CRC of the Request begins there */
#define ATOMIC_CRC (2u + 18 + 52)

CASE_EACH(a_read_waits_for_a_hole, struct hole, before_a_read,
	  .title = "a Read Request is not answered before all TCP segments up "
		   "to its end have arrived",
	  .needs = NEED_READ | NEED_WRITE, .segments = true, .role = EITHER)
{
	/* Given a buffer, */
	struct region r =
		dut_registers(t, .len = 16, .access = FOR_READS | FOR_WRITES);
	connects(t);

	/* when the Write in front of a Read Request is missing, or the end of
	 * the Request, */
	if (!row->inside)
		peer_withholds(t, 1);
	peer_sends(t, WRITE(r, 0, "ABCDEFGHIJKLMNOP", 16));
	if (row->inside)
		peer_withholds(t, 2);
	peer_sends(t, READ(r, 0, row->octets), .cuts = CUT_AFTER(READ_CRC));

	/* then there is no Response; once it has arrived there is one, with the
	 * octets written before, which are then in place. */
	must_row(t, row, nothing_more());
	peer_releases(t);
	struct message m =
		awaits_message(t, RDMAP_5_2_1_09, RDMAP_READ_RESPONSE);
	must(t, RDMAP_5_5_07,
	     octets_are(t, "the octets read", m.octets, m.n, "ABCDEFGHIJKLMNOP",
			m.n < row->octets ? m.n : row->octets));
	/* A Read of no octets proves nothing about a buffer (RFC 5040 s5.5). */
	if (row->octets)
		must(t, RDMAP_B_03,
		     octets_are(t, "the written data", dut_memory(t, r, 0, 16),
				16, "ABCDEFGHIJKLMNOP", 16));
}

static const struct hole before_an_atomic[] = {
	{.id = "in_front_of_it"},
	{.id = "in_it", .inside = true},
};

CASE_EACH(an_atomic_waits_for_a_hole, struct hole, before_an_atomic,
	  .title = "an Atomic Request changes nothing before all TCP segments "
		   "up to its end have arrived",
	  .needs = NEED_FETCHADD | NEED_SEND, .segments = true, .role = EITHER)
{
	/* Given a word, and a receive, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	struct sink sink = dut_posts_recv(t, 16);
	connects(t);

	/* when the Send in front of a FetchAdd is missing, or the end of the
	 * Request, */
	if (!row->inside)
		peer_withholds(t, 1);
	peer_sends(t, SEND("in front"));
	if (row->inside)
		peer_withholds(t, 2);
	peer_sends(t, FETCHADD(r, 0, 0x0500000000000005, 0),
		   .cuts = CUT_AFTER(ATOMIC_CRC));

	/* then the word is unchanged; once it has arrived 5 is added, after the
	 * Send. */
	must(t, RDMAPX_5_4_03, nothing_more());
	must(t, RDMAPX_5_4_03,
	     octets_are(t, "the word", dut_memory(t, r, 0, 8), 8,
			octets_of(t, 8, 0), 8));
	peer_releases(t);
	awaits(t, RDMAPX_5_2_1_25, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX_7_12,
	     holds("the completion of the Send is already there",
		   dut_has_received(t, sink).ok));
	must(t, RDMAPX_5_4_03, word_is(r, 0, 0x0500000000000005));
}

CASE(a_read_sees_a_write_whose_segment_is_late,
     .title = "a Read Request whose TCP segment overtakes that of a Write "
	      "returns the written data",
     .needs = NEED_READ | NEED_WRITE, .segments = true, .role = EITHER)
{
	/* Given a buffer, */
	struct region r =
		dut_registers(t, .len = 16, .access = FOR_READS | FOR_WRITES);
	connects(t);

	/* when the segment of the Write arrives after that of the Read, */
	peer_sends(t, WRITE(r, 0, "ABCDEFGHIJKLMNOP", 16), .hold = true);
	peer_sends(t, READ(r, 0, 16), .order = ORDER(2, 1));

	/* then the Response has the written octets. */
	struct message m = awaits_message(t, RDMAP_5_5_13, RDMAP_READ_RESPONSE);
	must(t, RDMAP_5_5_13,
	     octets_are(t, "the octets read", m.octets, m.n, "ABCDEFGHIJKLMNOP",
			16));
}

CASE(an_atomic_sees_a_write_whose_segment_is_late,
     .title = "a FetchAdd whose TCP segment overtakes that of a Write returns "
	      "the word written",
     .needs = NEED_FETCHADD | NEED_WRITE, .segments = true, .role = EITHER)
{
	/* Given a word, */
	struct region r =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS | FOR_WRITES);
	connects(t);

	/* when the segment of the Write arrives after that of the FetchAdd, */
	peer_sends(t, WRITE(r, 0, octets_of(t, 8, 0x11), 8), .hold = true);
	peer_sends(t, FETCHADD(r, 0, 1, 0), .order = ORDER(2, 1));

	/* then the original value is the one written. */
	const struct frame *f = awaits(t, RDMAPX_5_4_05, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX_5_4_05,
	     is("the original value", case_atomic_response_of(f).value,
		0x1111111111111111));
	must(t, RDMAPX_5_4_05, word_is(r, 0, 0x1111111111111112));
}

CASE(reads_are_answered_in_the_order_sent,
     .title = "of two Read Requests whose TCP segments change places, the "
	      "first is answered first",
     .needs = NEED_READ, .segments = true, .role = EITHER)
{
	/* Given a buffer, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_READS);
	dut_has_depths(t, 2, 0);
	connects(t);

	/* when the second Request's segment arrives before the first's, */
	struct msg first = READ(r, 0, 16), second = READ(r, 0, 8);
	first.read.sink_stag = 0x11111111;
	second.read.sink_stag = 0x22222222;
	peer_sends(t, first, .hold = true);
	peer_sends(t, second, .order = ORDER(2, 1));

	/* then the Responses arrive in the order of the Requests. */
	struct message one = awaits_message(t, RDMAP_B_04, RDMAP_READ_RESPONSE);
	struct message two = awaits_message(t, RDMAP_B_04, RDMAP_READ_RESPONSE);
	must(t, RDMAP_B_04,
	     holds("the first Response is the longer one, as requested",
		   one.n > two.n));
}

/* --- early placement ------------------------------------------------------ */

/* These octets are in the region now, whatever was dealt with. */
static bool is_there(struct test *t, struct region r, const char *octets,
		     size_t n)
{
	return memcmp(dut_memory(t, r, 0, n), octets, n) == 0;
}

static struct expect not_completed_yet(struct test *t, struct sink sink)
{
	return holds("no completion before the hole is filled",
		     !dut_has_received(t, sink).came);
}

CASE(a_write_behind_a_hole_in_a_send,
     .title = "a Write may be placed while the Send before it is missing; the "
	      "Send completes only when it has arrived",
     .needs = NEED_SEND | NEED_WRITE, .segments = true, .role = EITHER)
{
	/* Given a receive and a buffer, */
	struct sink sink = dut_posts_recv(t, 16);
	struct region r = dut_registers(t, .len = 7, .access = FOR_WRITES);
	connects(t);

	/* when the end of a Send is missing, and a Write comes, */
	peer_withholds(t, 2);
	peer_sends(t, SEND("sent"), .cuts = CUT_AFTER(24));
	peer_sends(t, WRITE(r, 0, "written", 7));

	/* then the Write may be there, the Send is not; later both are. */
	may(t, RDMAP_B_05,
	    holds("the Write is placed at once", is_there(t, r, "written", 7)));
	must(t, RDMAP_5_5_12, not_completed_yet(t, sink));
	peer_releases(t);
	must(t, RDMAP_5_5_12, delivered_text(sink, "sent"));
	must(t, DDP_4_1_01, memory_is(r, 0, "written", 7));
}

CASE(a_send_behind_a_hole_in_a_write,
     .title = "a Send may be placed while a part of the Write before it is "
	      "missing, and completes only when that part has arrived",
     .needs = NEED_SEND | NEED_WRITE | NEED_RECV_LOCAL, .segments = true,
     .role = EITHER)
{
	/* Given a buffer to write, and one to receive, */
	struct region r = dut_registers(t, .len = LONG, .access = FOR_WRITES);
	struct region box = dut_registers(t, .len = 4, .access = FOR_RESULTS);
	struct sink sink = dut_posts_recv_in(t, box, 0, 4);
	const uint8_t *octets = pattern(t, LONG, 1);
	connects(t);

	/* when the last of three FPDUs of a Write is missing, and a Send
	 * comes, */
	peer_withholds(t, 3);
	peer_sends(t, WRITE(r, 0, octets, LONG, .segment = LONG / 3));
	peer_sends(t, SEND("sent"));

	/* then its payload may be there, but no completion, which would report
	 * the whole Write. */
	may(t, RDMAP_B_06,
	    holds("the Send is placed at once", is_there(t, box, "sent", 4)));
	must(t, RDMAP_5_5_03, not_completed_yet(t, sink));
	peer_releases(t);
	must(t, RDMAP_5_5_03, delivered_text(sink, "sent"));
	must(t, RDMAP_5_5_03,
	     octets_are(t, "the octets written", dut_memory(t, r, 0, LONG),
			LONG, octets, LONG));
}

CASE(a_write_behind_a_missing_write,
     .title = "of two Writes the second may be placed while the first is "
	      "missing; when a later Send completes, both are there",
     .needs = NEED_SEND | NEED_WRITE, .segments = true, .role = EITHER)
{
	/* Given two buffers, and a receive, */
	struct region a = dut_registers(t, .len = 5, .access = FOR_WRITES);
	struct region b = dut_registers(t, .len = 6, .access = FOR_WRITES);
	struct awaited send = {.opcode = RDMAP_SEND,
			       .sinks = dut_posts_recv(t, 16)};
	connects(t);

	/* when the first of two Writes arrives last, and then a Send, */
	peer_withholds(t, 1);
	peer_sends(t, WRITE(a, 0, "first", 5));
	peer_sends(t, WRITE(b, 0, "second", 6));
	may(t, RDMAP_B_07,
	    holds("the second Write is placed before the first",
		  is_there(t, b, "second", 6)));
	peer_releases(t);
	peer_sends(t, message_awaited(t, &send, 4));
	awaits_effect(t, &send, 4);

	/* then both are in place when the Send completes. */
	must(t, RDMAP_5_5_03,
	     octets_are(t, "the first", dut_memory(t, a, 0, 5), 5, "first", 5));
	must(t, RDMAP_5_5_03,
	     octets_are(t, "the second", dut_memory(t, b, 0, 6), 6, "second",
			6));
}

/* --- Immediate Data --------------------------------------------------------------- */

CASE(immediate_data_waits_for_a_hole_in_a_write,
     .title = "Immediate Data after a Write with a missing TCP segment "
	      "completes when that segment has arrived",
     .needs = NEED_WRITE | NEED_IMM, .segments = true, .role = EITHER)
{
	/* Given a buffer, and a receive, */
	struct region r = dut_registers(t, .len = LONG, .access = FOR_WRITES);
	struct sink sink = dut_posts_recv(t, 16);
	const uint8_t *octets = pattern(t, LONG, 1);
	connects(t);

	/* when the last of three FPDUs of a Write is missing, and Immediate
	 * Data comes, */
	peer_withholds(t, 3);
	peer_sends(t, WRITE(r, 0, octets, LONG, .segment = LONG / 3));
	peer_sends(t, IMM("ABCDEFGH"));

	/* then it does not complete; when it does, the Write is whole. */
	must(t, RDMAPX_6_4_01, not_completed_yet(t, sink));
	peer_releases(t);
	must(t, RDMAPX_6_4_01, delivered_imm(sink, "ABCDEFGH"));
	must(t, RDMAPX_6_4_01,
	     octets_are(t, "the octets written", dut_memory(t, r, 0, LONG),
			LONG, octets, LONG));
}

#define IMM_CRC (2u + 18 + 8)

CASE(a_write_behind_immediate_data_with_a_hole,
     .title = "a Write may be placed while the end of the Immediate Data "
	      "before it is missing; the Immediate Data completes when its end "
	      "has arrived",
     .needs = NEED_WRITE | NEED_IMM, .segments = true, .role = EITHER)
{
	/* Given a receive and a buffer, */
	struct sink sink = dut_posts_recv(t, 16);
	struct region r = dut_registers(t, .len = 7, .access = FOR_WRITES);
	connects(t);

	/* when the end of Immediate Data is missing, and a Write comes, */
	peer_withholds(t, 2);
	peer_sends(t, IMM("ABCDEFGH"), .cuts = CUT_AFTER(IMM_CRC));
	peer_sends(t, WRITE(r, 0, "written", 7));

	/* then the Write may be there, no completion is; later both are. */
	may(t, RDMAPX_7_15,
	    holds("the Write is placed at once", is_there(t, r, "written", 7)));
	must(t, RDMAPX_6_4_01, not_completed_yet(t, sink));
	peer_releases(t);
	must(t, RDMAPX_6_4_01, delivered_imm(sink, "ABCDEFGH"));
	must(t, DDP_4_1_01, memory_is(r, 0, "written", 7));
}
