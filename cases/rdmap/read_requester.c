/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5040 s4.4, s5.2, s6.1: RDMA Reads, as the device asks for them. */
#include "case.h"

CASE(a_read_request_is_laid_out_so,
     .title = "a Read Request holds sink STag, sink TO, size, source STag, "
	      "source TO, in that order",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer to read into, */
	struct region sink =
		dut_registers(t, .len = 64, .access = FOR_RESPONSES);
	connects(t, .crc = true);

	/* when the consumer reads 40 octets into it, */
	dut_posts(t, POST_READ(sink, 0, 40, 0x11223344, 0x55667788aabbccdd));

	/* then the header names the buffer first and the source last. */
	const struct frame *f = awaits(t, RDMAP_4_4_01, RDMAP_READ_REQUEST);
	must(t, RDMAP_4_4_01,
	     at_least("its octets", f->seg.payload_octets, 28));
	must(t, RDMAP_4_4_01, names_sink(f, sink, 0));
	must(t, RDMAP_4_4_01,
	     octets_are(t, "size and source",
			f->seg.payload_octets < 28 ? NULL : f->seg.payload + 12,
			16,
			"\x00\x00\x00\x28\x11\x22\x33\x44"
			"\x55\x66\x77\x88\xaa\xbb\xcc\xdd",
			16));
}

struct source {
	CASE_ROW;
	uint64_t to;
};

static const struct source sources[] = {{.id = "0", .to = 0}};

CASE_EACH(a_read_request_names_its_source, struct source, sources,
	  .title = "a Read Request has the source TO that the ULP gave",
	  .needs = NEED_READ, .role = EITHER,
	  .along = {
		  ALONG(struct source, to, DUT_READ_TO, 0xffff, 0x10001),
		  ALONG(struct source, to, DUT_READ_TO, 0xffffff, 0x1000001),
		  ALONG(struct source, to, DUT_READ_TO, 0x7fffffff, 0x80000002),
		  ALONG(struct source, to, DUT_READ_TO, 0xfffffffe,
			0x100000001),
		  ALONG(struct source, to, DUT_READ_TO, 0x7fffffffffffffff,
			0xfffffffffffffff0)})
{
	/* Given a buffer to read into, */
	struct region sink =
		dut_registers(t, .len = 8, .access = FOR_RESPONSES);
	connects(t);

	/* when the consumer reads from there, then the Request has these
	 * values. */
	dut_posts(t, POST_READ(sink, 0, 8, 0x11223344, row->to));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);
	must(t, RDMAP_4_4_01,
	     is("source TO", case_read_of(f).source_to, row->to));
}

CASE(reads_go_out_in_posting_order,
     .title = "Read Requests are sent in the order they were posted, with "
	      "rising MSNs",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer to read into, */
	struct region sink =
		dut_registers(t, .len = 64, .access = FOR_RESPONSES);
	connects(t, .crc = true, .counts_reads = true);

	/* when the consumer posts four Reads, */
	for (unsigned i = 0; i < 4; i++)
		dut_posts(t, POST_READ(sink, 8 * i, 8, PEER_SINK_STAG, i));

	/* then they arrive in that order, as they are answered. */
	for (unsigned i = 0; i < 4; i++) {
		const struct frame *f =
			awaits(t, RDMAP_5_2_1_05, RDMAP_READ_REQUEST);

		must(t, RDMAP_5_2_1_05, is("MSN", f->seg.ddp.msn, i + 1));
		must(t, RDMAP_5_2_1_05,
		     is("source TO", case_read_of(f).source_to, i));
		peer_sends(t, READ_RESPONSE(f, "octets 8", 8));
	}
}

CASE(each_read_has_one_source,
     .title = "Reads of two STags are two Read Requests", .needs = NEED_READ,
     .role = EITHER)
{
	/* Given a buffer to read into, */
	struct region sink =
		dut_registers(t, .len = 16, .access = FOR_RESPONSES);
	connects(t, .crc = true);

	/* when the consumer reads two buffers of the peer, end to end, */
	dut_posts(t, POST_READ(sink, 0, 8, 0x11111100, 0x1000));
	dut_posts(t, POST_READ(sink, 8, 8, 0x22222200, 0x1008));

	/* then there are two Requests, each with one source. */
	const struct frame *f = awaits(t, RDMAP_5_2_1_07, RDMAP_READ_REQUEST);
	must(t, RDMAP_5_2_1_07,
	     is("source STag", case_read_of(f).source_stag, 0x11111100));
	must(t, RDMAP_5_2_1_07, is("size", case_read_of(f).size, 8));
	peer_sends(t, READ_RESPONSE(f, "octets 8", 8));
	f = awaits(t, RDMAP_5_2_1_07, RDMAP_READ_REQUEST);
	must(t, RDMAP_5_2_1_07,
	     is("source STag", case_read_of(f).source_stag, 0x22222200));
	must(t, RDMAP_5_2_1_07, is("size", case_read_of(f).size, 8));
}

CASE(a_zero_length_read_may_be_posted,
     .title = "a zero-length RDMA Read asks for no octets, and completes",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer, none of which will be used, */
	struct region sink =
		dut_registers(t, .len = 16, .access = FOR_RESPONSES);
	connects(t, .crc = true);

	/* when the consumer posts a Read of no octets, */
	unsigned id = dut_posts(t, POST_READ(sink, 0, 0, PEER_SINK_STAG, 0));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);
	peer_sends(t, READ_RESPONSE(f, "", 0));

	/* then its size is 0, and an empty Response completes it. Another Read
	 * of no octets, which the device may send by itself, is answered, too. */
	known_answer(t);
	may(t, RDMAP_5_2_1_10, is("size", case_read_of(f).size, 0));
	must(t, RDMAP_5_2_2_03, completed(id));
}

/* The Request of this Read, or one before it that the device sends by itself:
 * both are of no octets, and are answered until the Read completes. */
static void empty_read_is_answered(struct test *t, unsigned id)
{
	for (unsigned i = 0; i < 2 && !dut_has_completed(t, id).came; i++) {
		const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);

		peer_sends(t, READ_RESPONSE(f, "", 0));
		known_answer(t);
	}
}

CASE(an_empty_response_completes_one_read,
     .title = "the Response to a zero-length Read does not complete the "
	      "zero-length Read posted next",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given two Reads of no octets, */
	struct region sink =
		dut_registers(t, .len = 16, .access = FOR_RESPONSES);
	connects(t, .crc = true);
	unsigned first = dut_posts(t, POST_READ(sink, 0, 0, PEER_SINK_STAG, 0));
	unsigned second =
		dut_posts(t, POST_READ(sink, 0, 0, PEER_SINK_STAG, 0));
	insists(t, RDMAP_5_2_1_16, stream_works());

	/* when the peer answers the first, */
	empty_read_is_answered(t, first);

	/* then it completes, and the second does not until it is answered. */
	must(t, RDMAP_5_2_2_03, completed(first));
	must(t, RDMAP_5_5_15,
	     holds("the second Read is not complete",
		   !dut_has_completed(t, second).came));
	empty_read_is_answered(t, second);
	must(t, RDMAP_5_2_2_03, completed(second));
}

CASE(the_ord_is_kept,
     .title = "no more Read Requests are outstanding than the ORD, and an "
	      "answer makes room for the next",
     .needs = NEED_READ | NEED_ENHANCED, .role = EITHER)
{
	/* Given a device that has agreed to four outstanding Reads, */
	struct region sink =
		dut_registers(t, .len = 256, .access = FOR_RESPONSES);
	dut_has_depths(t, 0, 4);
	connects(t, .enhanced = true, .dut_ord = 4, .ird = 4);

	/* when the consumer posts fourteen, */
	for (unsigned i = 0; i < 14; i++)
		dut_posts(t, POST_READ(sink, 8 * i, 8, PEER_SINK_STAG, i));

	/* then four Requests come at most, and the peer's own are answered
	 * meanwhile, */
	const struct frame *asked[14] = {
		awaits(t, RDMAP_6_1_02, RDMAP_READ_REQUEST)};
	must(t, RDMAP_5_2_1_16, stream_works());
	unsigned n = 1;
	while (n < 14 && frame_is_here(t))
		asked[n++] = awaits(t, RDMAP_6_1_02, RDMAP_READ_REQUEST);
	must(t, RDMAP_6_1_02, at_most("Read Requests outstanding", n, 4));
	observe(t, RDMAP_6_1_06, "%u Reads outstanding with an ORD of 4", n);

	/* and another when one of them was answered, or all: no rule is about
	 * the time at which an answer makes room. */
	peer_sends(t, READ_RESPONSE(asked[0], "octets 8", 8));
	must(t, RDMAP_5_2_1_16, stream_works());
	unsigned answered = 1;
	if (!frame_is_here(t))
		for (; answered < n; answered++)
			peer_sends(t, READ_RESPONSE(asked[answered], "octets 8",
						    8));
	awaits(t, RDMAP_6_1_03, RDMAP_READ_REQUEST);
	must(t, RDMAP_6_1_02,
	     at_most("Read Requests outstanding behind an answer",
		     n + 1 + frames_waiting(t) - answered, 4));
	must(t, RDMAP_6_1_03, stream_works());
}

CASE(reads_of_no_octets_count,
     .title = "no more zero-length Reads are outstanding than the ORD",
     .needs = NEED_READ | NEED_ENHANCED, .role = EITHER)
{
	/* Given a device that has agreed to one outstanding Read, */
	struct region sink =
		dut_registers(t, .len = 16, .access = FOR_RESPONSES);
	dut_has_depths(t, 0, 1);
	connects(t, .enhanced = true, .dut_ord = 1, .ird = 1,
		 .counts_reads = true);

	/* when the consumer posts two Reads of no octets, */
	dut_posts(t, POST_READ(sink, 0, 0, PEER_SINK_STAG, 0));
	dut_posts(t, POST_READ(sink, 0, 0, PEER_SINK_STAG, 0));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);

	/* then the second Request does not come before the first is answered. */
	must(t, RDMAP_6_1_02, nothing_more());
	peer_sends(t, READ_RESPONSE(f, "", 0));
	awaits(t, RDMAP_6_1_03, RDMAP_READ_REQUEST);
}

CASE(a_response_makes_room_when_it_is_whole,
     .title = "no more Read Requests are outstanding than the ORD while the "
	      "last segment of a Response is missing",
     .needs = NEED_READ | NEED_ENHANCED, .role = EITHER)
{
	/* Given a device that has agreed to two outstanding Reads, and wants
	 * four of 100 octets, */
	struct region sink =
		dut_registers(t, .len = 400, .access = FOR_RESPONSES);
	const uint8_t *p = pattern(t, 100, 1);
	dut_has_depths(t, 0, 2);
	connects(t, .enhanced = true, .dut_ord = 2, .ird = 2,
		 .counts_reads = true);
	for (unsigned i = 0; i < 4; i++)
		dut_posts(t, POST_READ(sink, 100 * i, 100, PEER_SINK_STAG,
				       100 * i));
	const struct frame *f = awaits(t, RDMAP_6_1_02, RDMAP_READ_REQUEST);
	if (case_read_of(f).size != 100)
		not_applicable(t, "the device reads in other sizes");
	must(t, RDMAP_5_2_1_16, stream_works());
	const struct frame *other = NULL;
	unsigned n = 1;
	for (; n < 4 && frame_is_here(t); n++)
		other = awaits(t, RDMAP_6_1_02, RDMAP_READ_REQUEST);
	insists(t, RDMAP_6_1_02, at_most("Read Requests outstanding", n, 2));
	if (!other)
		not_applicable(t, "the device has room for another Read");

	/* when all segments of the first Response but the last come, then no
	 * other Request does: there is time for one behind each of them, */
	struct msg part = READ_RESPONSE(f, p, 10, .l = IS(0));
	for (unsigned i = 0; i < 9; i++) {
		peer_sends(t, part);
		dut_has_its_turn(t);
		part.octets = p + 10 * (i + 1);
		part.to += 10;
	}
	must(t, RDMAP_6_1_02, nothing_more());

	/* until the last segment is there, too, or else the other Response. */
	part.l = IS(1);
	peer_sends(t, part);
	must(t, RDMAP_5_2_1_16, stream_works());
	if (!frame_is_here(t))
		peer_sends(t, READ_RESPONSE(other, p, 100));
	awaits(t, RDMAP_6_1_03, RDMAP_READ_REQUEST);
}

struct many {
	CASE_ROW;
	unsigned n;
};

static const struct many manys[] = {{.id = "2", .n = 2}};

CASE_EACH(so_many_reads_get_their_own, struct many, manys,
	  .title = "each of this many Reads at once gets the octets of its own "
		   "Response",
	  .needs = NEED_READ | NEED_ENHANCED, .role = EITHER,
	  .along = {ALONG(struct many, n, DUT_OUTSTANDING, 1, 33)})
{
	/* Given a device that may have as many outstanding, */
	struct region sink =
		dut_registers(t, .len = 8 * row->n, .access = FOR_RESPONSES);
	const uint8_t *p = pattern(t, 8 * row->n, 1);
	dut_has_depths(t, 0, row->n);
	unsigned last = 0;
	connects(t, .enhanced = true, .dut_ord = row->n, .ird = row->n);

	/* when the consumer posts them all, and the peer answers, */
	for (unsigned i = 0; i < row->n; i++)
		last = dut_posts(
			t, POST_READ(sink, 8 * i, 8, PEER_SINK_STAG, 8 * i));
	for (unsigned i = 0; i < row->n; i++) {
		const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);
		uint64_t from = case_read_of(f).source_to;

		peer_sends(t,
			   READ_RESPONSE(f, p + (from < 8 * row->n ? from : 0),
					 8));
	}

	/* then each has the octets that were sent for it. */
	must(t, RDMAP_5_2_2_03, completed(last));
	must(t, DDP_4_1_01, memory_is(sink, 0, p, 8 * row->n));
}

CASE(a_response_completes_its_read,
     .title = "a Read completes with the last segment of its Response, when "
	      "the data is placed",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a Read under way, to octet 3 of a buffer, */
	struct region sink =
		dut_registers(t, .len = 16, .access = FOR_RESPONSES);
	connects(t, .crc = true);
	unsigned id = dut_posts(t, POST_READ(sink, 3, 8, PEER_SINK_STAG, 0));
	const struct frame *f = awaits(t, RDMAP_5_2_2_03, RDMAP_READ_REQUEST);

	/* when the peer answers it in two segments, */
	peer_sends(t, READ_RESPONSE(f, "ABCDEFGH", 8, .segment = 4));

	/* then it completes; the data is there, and nothing next to it. */
	must(t, RDMAP_5_2_2_03, completed(id));
	may(t, RDMAP_4_4_06,
	    is("sink TO", case_read_of(f).sink_to, sink.to + 3));
	must(t, DDP_4_1_01, memory_is(sink, 0, "\0\0\0ABCDEFGH\0\0\0\0\0", 16));
}

CASE(half_a_response_completes_nothing,
     .title = "a Read whose Response lacks its last segment does not complete "
	      "with success",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a Read under way, */
	struct region sink =
		dut_registers(t, .len = 16, .access = FOR_RESPONSES);
	connects(t, .crc = true);
	unsigned id = dut_posts(t, POST_READ(sink, 0, 8, PEER_SINK_STAG, 0));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);

	/* when the peer sends half the Response and closes, */
	peer_sends(t, READ_RESPONSE(f, "ABCD", 4, .l = IS(0)));
	peer_closes(t);

	/* then the Read is not reported as complete. */
	should(t, MPA_7_2_01, agent_sees_end());
	must(t, RDMAP_5_5_15, not_completed(id));
}

CASE(a_response_for_no_buffer_surfaces_an_error,
     .title = "a Read Response to an STag never issued ends the stream, and "
	      "the Read does not complete",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a Read under way, */
	struct region sink =
		dut_registers(t, .len = 16, .access = FOR_RESPONSES);
	connects(t, .crc = true);
	unsigned id = dut_posts(t, POST_READ(sink, 0, 8, PEER_SINK_STAG, 0));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);

	/* when the Response is for an STag that no buffer ever had, */
	peer_sends(t, READ_RESPONSE(f, "ABCDEFGH", 8,
				    .stag_field = IS(stag_never_issued(t))));

	/* then the consumer learns of an error, and the buffer is unchanged. */
	must(t, RDMAP_5_2_2_04, not_completed(id));
	must(t, RDMAP_5_2_2_04, agent_sees_end());
	must(t, RDMAP_5_2_2_04, memory_lacks(sink, 0, 16, "ABCDEFGH", 8));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

struct response_row {
	CASE_ROW;
	bool other_stag;
	unsigned shift;
	size_t octets;
};

static const struct response_row responses[] = {
	{.id = "another_stag", .other_stag = true, .octets = 8},
	{.id = "another_to", .shift = 4, .octets = 8},
	{.id = "too_short", .octets = 4},
	{.id = "too_long", .octets = 12},
};

CASE_EACH(a_response_may_be_held_against_its_request, struct response_row,
	  responses,
	  .title = "a Read Response that differs from its Request is placed, "
		   "or ends the stream",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given a Read of 8 octets under way, and two buffers, */
	struct region sink =
		dut_registers(t, .len = 64, .access = FOR_RESPONSES);
	struct region other =
		dut_registers(t, .len = 64, .access = FOR_RESPONSES);
	connects(t, .crc = true);
	dut_posts(t, POST_READ(sink, 0, 8, PEER_SINK_STAG, 0));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);

	/* when the Response is for somewhere else, or of another length, */
	struct msg m = READ_RESPONSE(f, "ABCDEFGHIJKL", row->octets);
	m.to_field = IS(case_read_of(f).sink_to + row->shift);
	if (row->other_stag) {
		m.stag_field = IS(other.stag);
		m.to_field = IS(other.to);
	}
	if (row->octets != 8)
		peer_breaks(t, RDMAP_4_4_05);
	peer_sends(t, m);

	/* then one of the two happens. */
	may(t, RDMAP_5_2_2_06, any_of(t, stream_works(), terminate_any()));
}

CASE(a_zero_length_response_need_not_name_the_sink,
     .title = "a zero-length Read completes, or ends the stream, if its "
	      "Response names another sink",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a Read of no octets under way, */
	struct region sink =
		dut_registers(t, .len = 16, .access = FOR_RESPONSES);
	connects(t, .crc = true);
	unsigned id = dut_posts(t, POST_READ(sink, 0, 0, PEER_SINK_STAG, 0));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);

	/* when its Response names an STag and a TO of nowhere, */
	peer_sends(t, READ_RESPONSE(f, "", 0, .stag_field = IS(0x13579bdf),
				    .to_field = IS(0xfedcba9876543210)));
	known_answer(t);

	/* then the Read completes, unless RDMAP compares the two. */
	may(t, RDMAP_5_2_2_09, any_of(t, completed(id), terminate_any()));
}

CASE(a_response_without_a_request_is_invalid,
     .title = "an unsolicited Read Response ends the stream",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer, and no Read under way, */
	struct region region =
		dut_registers(t, .len = 16, .access = FOR_RESPONSES);
	connects(t, .crc = true);

	/* when a Read Response for that buffer comes, */
	peer_breaks(t, RDMAP_5_2_01);
	peer_sends(t, OPCODE(RDMAP_READ_RESPONSE, "ABCDEFGH", 8,
			     .stag = region.stag, .to = region.to));

	/* then the stream ends, and a placement is not judged. DDP may find the
	 * error, if the buffer has an STag only while a Read uses it. */
	must(t, RDMAP_5_2_2_08, ends_unanswered());
	must(t, RDMAP_5_2_2_08, agent_sees_end());
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(a_read_has_one_response,
     .title = "a second Response to a Read that is complete ends the stream",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a Read that is complete, */
	struct region sink =
		dut_registers(t, .len = 16, .access = FOR_RESPONSES);
	connects(t, .crc = true);
	unsigned id = dut_posts(t, POST_READ(sink, 0, 8, PEER_SINK_STAG, 0));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);
	peer_sends(t, READ_RESPONSE(f, "ABCDEFGH", 8));
	dut_completes(t, id);

	/* when its Response comes again, with other octets, */
	peer_breaks(t, RDMAP_5_2_01);
	peer_sends(t, READ_RESPONSE(f, "abcdefgh", 8));

	/* then the stream ends, and a placement is not judged. */
	must(t, RDMAP_5_2_2_08, ends_unanswered());
	must(t, RDMAP_5_2_2_08, agent_sees_end());
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(an_atomic_asks_for_no_read_response,
     .title = "a Read Response while only an atomic is under way ends the "
	      "stream, and does not complete it",
     .needs = NEED_READ | NEED_FETCHADD, .role = EITHER)
{
	/* Given a buffer, and a FetchAdd under way, */
	struct region region =
		dut_registers(t, .len = 16, .access = FOR_RESPONSES);
	connects(t, .crc = true);
	unsigned id = dut_posts(
		t, POST_FETCHADD(region, 0, PEER_SINK_STAG, PEER_SINK_TO, 1));
	awaits_given(t, RDMAP_ATOMIC_REQUEST);

	/* when a Read Response for that buffer comes, */
	peer_breaks(t, RDMAPX_7_10);
	peer_sends(t, OPCODE(RDMAP_READ_RESPONSE, "ABCDEFGH", 8,
			     .stag = region.stag, .to = region.to));

	/* then the stream ends, and a placement is not judged. */
	must(t, RDMAP_5_2_2_08, ends_unanswered());
	must(t, RDMAP_5_2_2_08, not_completed(id));
	must(t, RDMAP_5_2_2_08, agent_sees_end());
	should(t, RDMAP_6_2_1_01, terminate_any());
}
