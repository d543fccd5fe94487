/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5040 s4.4, s5.2, s6.1, s7.2: RDMA Read, asked for and answered. */
#include "case.h"

#define MIB (1u << 20)

/* A region that holds a pattern all over. */
static struct region filled(struct test *t, size_t len, const uint8_t **octets)
{
	struct region r = dut_registers(t, .len = len);

	*octets = pattern(t, len, 7);
	for (size_t at = 0; at < len; at += MIB / 4)
		dut_fills(t, r, at, *octets + at,
			  len - at < MIB / 4 ? len - at : MIB / 4);
	return r;
}

/* Payload of Read Responses until a Terminate or the stream's end. */
static size_t octets_answered(struct test *t)
{
	const struct frame *f;
	size_t n = 0;

	while ((f = next_frame(t)) && f->seg.ddp.opcode != RDMAP_TERMINATE)
		n += f->seg.payload_octets;
	return n;
}

/* --- the Request as the device sends it ------------------------------- */

CASE(a_read_request_is_laid_out_so,
     .title = "a Read Request holds sink STag, sink TO, size, source STag, "
	      "source TO, in that order",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer to read into, */
	struct region sink = dut_registers(t, .len = 64);
	connects(t, .crc = true);

	/* when the consumer reads 40 octets into it from its octet 8 on, */
	dut_posts(t, POST_READ(sink, 8, 40, 0x11223344, 0x55667788aabbccdd));

	/* then the header names the buffer first and the source last. */
	const struct frame *f = awaits(t, RDMAP_4_4_01, RDMAP_READ_REQUEST);
	must(t, RDMAP_4_4_01, is("its octets", f->seg.payload_octets, 28));
	must(t, RDMAP_4_4_01, is("sink STag", case_read_of(f).sink_stag,
				 sink.stag));
	must(t, RDMAP_4_4_01, is("sink TO", case_read_of(f).sink_to,
				 sink.to + 8));
	must(t, RDMAP_4_4_01,
	     octets_are(t, "size and source", f->seg.payload + 12, 16,
			"\x00\x00\x00\x28\x11\x22\x33\x44"
			"\x55\x66\x77\x88\xaa\xbb\xcc\xdd", 16));
}

CASE(reads_go_out_in_posting_order,
     .title = "Read Requests leave in the order they were posted, their MSN "
	      "rising",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer to read into, */
	struct region sink = dut_registers(t, .len = 64);
	connects(t, .crc = true);

	/* when the consumer posts four Reads, */
	for (unsigned i = 0; i < 4; i++)
		dut_posts(t, POST_READ(sink, 8 * i, 8, PEER_SINK_STAG, i));

	/* then they are seen in that order. */
	for (unsigned i = 0; i < 4; i++) {
		const struct frame *f =
			awaits(t, RDMAP_5_2_1_05, RDMAP_READ_REQUEST);

		must(t, RDMAP_5_2_1_05, is("MSN", f->seg.ddp.msn, i + 1));
		must(t, RDMAP_5_2_1_05,
		     is("source TO", case_read_of(f).source_to, i));
	}
}

CASE(each_read_has_one_source,
     .title = "Reads of two STags are two Read Requests",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer to read into, */
	struct region sink = dut_registers(t, .len = 16);
	connects(t, .crc = true);

	/* when the consumer reads two buffers of the peer, end to end, */
	dut_posts(t, POST_READ(sink, 0, 8, 0x11111100, 0x1000));
	dut_posts(t, POST_READ(sink, 8, 8, 0x22222200, 0x1008));

	/* then there are two Requests, each with one source. */
	const struct frame *f = awaits(t, RDMAP_5_2_1_07, RDMAP_READ_REQUEST);
	must(t, RDMAP_5_2_1_07,
	     is("source STag", case_read_of(f).source_stag, 0x11111100));
	must(t, RDMAP_5_2_1_07, is("size", case_read_of(f).size, 8));
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
	struct region sink = dut_registers(t, .len = 16);
	connects(t, .crc = true);

	/* when the consumer posts a Read of no octets, */
	unsigned id = dut_posts(t, POST_READ(sink, 0, 0, PEER_SINK_STAG, 0));
	const struct frame *f = awaits(t, RDMAP_5_2_1_05, RDMAP_READ_REQUEST);
	peer_sends(t, READ_RESPONSE(f, "", 0));

	/* then its size is 0, and an empty Response completes it. */
	may(t, RDMAP_5_2_1_10, is("size", case_read_of(f).size, 0));
	must(t, RDMAP_5_2_2_03, completed(id));
}

/* --- the Response as the device sends it ------------------------------ */

struct sink_row {
	CASE_ROW;
	uint32_t stag;
	uint64_t to;
};

static const struct sink_row sinks[] = {
	{.id = "stag_deadbeef", .must = &RDMAP_4_4_02, .stag = 0xdeadbeef,
	 .to = 0x1000},
	{.id = "stag_zero", .must = &RDMAP_4_4_03, .stag = 0, .to = 0x1000},
	{.id = "stag_all_ones", .must = &RDMAP_4_4_03, .stag = 0xffffffff,
	 .to = 0x1000},
	{.id = "to_of_64_bits", .must = &RDMAP_4_4_04, .stag = PEER_SINK_STAG,
	 .to = 0x0123456789abcdef},
	{.id = "to_zero", .must = &RDMAP_4_4_04, .stag = PEER_SINK_STAG,
	 .to = 0},
};

CASE_EACH(the_sink_is_copied_into_the_response, struct sink_row, sinks,
	  .title = "sink STag and TO are copied into the Read Response, "
		   "whatever they are",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer to read, */
	struct region region = dut_registers(t, .len = 16);
	connects(t, .crc = true);

	/* when the peer names this sink for its octets, */
	struct msg read = READ(region, 0, 16);
	read.read.sink_stag = row->stag;
	read.read.sink_to = row->to;
	peer_sends(t, read);

	/* then the Response is for that. */
	const struct frame *f = awaits(t, RDMAP_4_4_02, RDMAP_READ_RESPONSE);
	must_row(t, row, is("STag", f->seg.ddp.stag, row->stag));
	must_row(t, row, is("TO", f->seg.ddp.to, row->to));
	must_row(t, row, is("octets", f->seg.payload_octets, 16));
}

CASE(the_sink_may_wrap,
     .title = "what becomes of a Read whose sink would wrap past 2^64",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer to read, */
	struct region region = dut_registers(t, .len = 64);
	connects(t, .crc = true);

	/* when the peer's sink begins 16 octets before the end of all TOs, */
	struct msg read = READ(region, 0, 64);
	read.read.sink_to = 0xfffffffffffffff0;
	peer_sends(t, read);

	/* then the Response names that TO, or the stream ends: neither is
	 * ruled out. */
	const struct frame *f = next_frame(t);
	observe(t, RDMAP_4_4_08, "%s",
		!f ? how_it_ended(t)
		: f->seg.ddp.opcode == RDMAP_READ_RESPONSE
			? "it is answered"
			: how_it_ended(t));
}

struct size_row {
	CASE_ROW;
	size_t size;
};

static const struct size_row sizes[] = {
	{.id = "0", .size = 0},
	{.id = "1", .size = 1},
	{.id = "1500", .size = 1500},
	{.id = "1_MiB", .size = MIB},
};

CASE_EACH(a_read_returns_as_much_as_was_asked_for, struct size_row, sizes,
	  .title = "a Read Response holds exactly the octets asked for",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer whose octets are known, */
	const uint8_t *octets;
	struct region region = filled(t, row->size + 8, &octets);
	connects(t, .crc = true);

	/* when the peer reads so many of them, */
	peer_sends(t, READ(region, 4, (uint32_t)row->size));

	/* then it gets them, in one message. */
	struct message m =
		awaits_message(t, RDMAP_4_4_05, RDMAP_READ_RESPONSE);
	must(t, RDMAP_4_4_05, octets_are(t, "the octets read", m.octets, m.n,
					 octets + 4, row->size));
}

CASE(a_source_may_begin_anywhere,
     .title = "a Read may begin at an odd TO, and take one octet",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer whose octets are known, */
	struct region region = dut_registers(t, .len = 8);
	dut_fills(t, region, 0, "abcdefgh", 8);
	connects(t, .crc = true);

	/* when the peer reads three octets from its octet 3, and then one, */
	peer_sends(t, READ(region, 3, 3));
	peer_sends(t, READ(region, 5, 1));

	/* then it gets those. */
	struct message m =
		awaits_message(t, RDMAP_5_2_1_09, RDMAP_READ_RESPONSE);
	may(t, RDMAP_4_4_07,
	    octets_are(t, "from octet 3", m.octets, m.n, "def", 3));
	must(t, RDMAP_5_2_1_09,
	     octets_are(t, "from octet 3", m.octets, m.n, "def", 3));
	m = awaits_message(t, RDMAP_5_2_1_09, RDMAP_READ_RESPONSE);
	may(t, RDMAP_5_2_1_08,
	    octets_are(t, "octet 5", m.octets, m.n, "f", 1));
	must(t, RDMAP_5_2_1_09,
	     octets_are(t, "octet 5", m.octets, m.n, "f", 1));
}

CASE(a_read_is_answered,
     .title = "a valid Read Request is answered by a Read Response with the "
	      "data",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer whose octets are known, */
	const uint8_t *octets;
	struct region region = filled(t, 1500, &octets);
	connects(t, .crc = true);

	/* when the peer reads all of it, */
	peer_sends(t, READ(region, 0, 1500));

	/* then a tagged message with opcode 2 brings it. */
	struct message m =
		awaits_message(t, RDMAP_5_2_1_09, RDMAP_READ_RESPONSE);
	must(t, RDMAP_5_2_1_09, is("T", m.frames[0]->seg.ddp.tagged, 1));
	must(t, RDMAP_5_2_1_09, octets_are(t, "the octets read", m.octets, m.n,
					   octets, 1500));
}

CASE(a_response_is_one_message,
     .title = "a Read of 64 KiB is answered by one message, with one last "
	      "segment",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer of 64 KiB, */
	const uint8_t *octets;
	struct region region = filled(t, 65536, &octets);
	connects(t, .crc = true);

	/* when the peer reads all of it, */
	peer_sends(t, READ(region, 0, 65536));

	/* then all of it has come when the first L=1 comes, and no more. */
	struct message m =
		awaits_message(t, RDMAP_5_2_01, RDMAP_READ_RESPONSE);
	must(t, RDMAP_5_2_01, is("octets up to L=1", m.n, 65536));
	must(t, RDMAP_5_2_01, nothing_more());
}

CASE(a_zero_size_read_gets_an_empty_response,
     .title = "a Read of no octets is answered by one segment without a "
	      "payload",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the peer reads no octets, */
	struct msg read = READ_FROM(0, 0, 0);
	read.read.sink_stag = 0xdeadbeef;
	read.read.sink_to = 0x0123456789abcdef;
	peer_sends(t, read);

	/* then there is an empty message for the sink it named. */
	const struct frame *f =
		awaits(t, RDMAP_5_2_1_16, RDMAP_READ_RESPONSE);
	must(t, RDMAP_5_2_1_16,
	     is("payload octets", f->seg.payload_octets, 0));
	must(t, RDMAP_5_2_1_16, is("L", f->seg.ddp.last, 1));
	must(t, RDMAP_5_2_1_16, is("STag", f->seg.ddp.stag, 0xdeadbeef));
	must(t, RDMAP_5_2_1_16,
	     is("TO", f->seg.ddp.to, 0x0123456789abcdef));
}

static const struct sink_row sources[] = {
	{.id = "stag_zero", .stag = 0, .to = 0},
	{.id = "stag_all_ones", .stag = 0xffffffff, .to = 0},
	{.id = "any_stag_and_to", .stag = 0x13579bdf, .to = 0xfedcba9876543210},
	{.id = "last_to", .stag = 0, .to = 0xffffffffffffffff},
};

CASE_EACH(the_source_of_no_octets_is_not_validated, struct sink_row, sources,
	  .title = "a Read of no octets is answered whatever source it names",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the peer reads no octets from nowhere, */
	peer_sends(t, READ_FROM(row->stag, row->to, 0));

	/* then it is answered, and the stream goes on. */
	const struct frame *f =
		awaits(t, RDMAP_5_2_1_12, RDMAP_READ_RESPONSE);
	must(t, RDMAP_5_2_1_12,
	     is("payload octets", f->seg.payload_octets, 0));
	must(t, RDMAP_5_2_1_12, stream_works());
}

CASE(a_read_is_not_told_to_the_consumer,
     .title = "a Read Request completes no receive and uses no buffer of the "
	      "Sends",
     .needs = NEED_READ | NEED_SEND, .role = EITHER)
{
	/* Given two buffers waiting for Sends, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	struct region region = dut_registers(t, .len = 16);
	connects(t, .crc = true);

	/* when the peer reads, and then sends, */
	peer_sends(t, READ(region, 0, 16));
	awaits(t, RDMAP_5_2_1_09, RDMAP_READ_RESPONSE);
	peer_sends(t, SEND("after"));

	/* then the Send alone completes, with the first buffer. */
	must(t, RDMAP_5_2_1_03, delivered_text(sink_at(sinks, 0), "after"));
	must(t, RDMAP_5_2_1_03, not_delivered(sink_at(sinks, 1)));
}

CASE(each_response_is_for_its_own_sink,
     .title = "the Responses to two Reads name each the sink of its own "
	      "Request",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer of some segments, */
	const uint8_t *octets;
	struct region region = filled(t, 4096, &octets);
	connects(t, .mss = 1000);

	/* when the peer reads it into two of its own, in one burst, */
	struct msg read = READ(region, 0, 4096);
	read.read.sink_stag = 0x11111100;
	peer_sends(t, read, .hold = true);
	read.read.sink_stag = 0x22222200;
	peer_sends(t, read);

	/* then all of the first Response is for the first, */
	struct message m =
		awaits_message(t, RDMAP_5_2_2_07, RDMAP_READ_RESPONSE);
	for (size_t i = 0; i < m.count; i++)
		must(t, RDMAP_5_2_2_07,
		     is("STag", m.frames[i]->seg.ddp.stag, 0x11111100));

	/* and all of the second for the second. */
	m = awaits_message(t, RDMAP_5_2_2_07, RDMAP_READ_RESPONSE);
	for (size_t i = 0; i < m.count; i++)
		must(t, RDMAP_5_2_2_07,
		     is("STag", m.frames[i]->seg.ddp.stag, 0x22222200));
}

/* --- several Requests -------------------------------------------------- */

CASE(responses_keep_the_order_of_requests,
     .title = "Reads of different sizes are answered in the order asked",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer, */
	static const uint32_t size[] = {3000, 1, 700, 40};
	struct region region = dut_registers(t, .len = 4096);
	connects(t, .crc = true);

	/* when four Reads of it come in one burst, */
	for (unsigned i = 0; i < 4; i++) {
		struct msg read = READ(region, 0, size[i]);

		read.read.sink_stag = 0x11111100 * (i + 1);
		peer_sends(t, read, .hold = i < 3);
	}

	/* then the Responses have the order of the Requests. */
	for (unsigned i = 0; i < 4; i++) {
		struct message m = awaits_message(t, RDMAP_5_2_1_06,
						  RDMAP_READ_RESPONSE);

		must(t, RDMAP_5_2_1_06, is("STag", m.frames[0]->seg.ddp.stag,
					   0x11111100 * (i + 1)));
		must(t, RDMAP_5_2_1_06, is("octets", m.n, size[i]));
	}
}

CASE(small_responses_do_not_overtake_a_large_one,
     .title = "a large Response is neither overtaken nor cut up by those "
	      "after it",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer of many segments, */
	struct region region = dut_registers(t, .len = 65536);
	connects(t, .crc = true);

	/* when a Read of all of it is followed by seven of 8 octets, */
	for (unsigned i = 0; i < 8; i++) {
		struct msg read = READ(region, 0, i ? 8 : 65536);

		read.read.sink_stag = 0x11111100 * (i + 1);
		peer_sends(t, read, .hold = i < 7);
	}

	/* then each Response is whole before the next begins. */
	for (unsigned i = 0; i < 8; i++) {
		struct message m = awaits_message(t, RDMAP_5_2_2_05,
						  RDMAP_READ_RESPONSE);

		for (size_t k = 0; k < m.count; k++)
			must(t, RDMAP_5_2_2_05,
			     is("STag", m.frames[k]->seg.ddp.stag,
				0x11111100 * (i + 1)));
		must(t, RDMAP_5_2_2_05, is("octets", m.n, i ? 8 : 65536));
	}
}

CASE(the_whole_ird_is_available,
     .title = "as many Reads as the IRD in one burst are all answered",
     .needs = NEED_READ | NEED_ENHANCED, .role = EITHER)
{
	/* Given a device that has agreed to four inbound Reads, */
	struct region region = dut_registers(t, .len = 64);
	connects(t, .enhanced = true, .dut_ird = 4, .ord = 4);

	/* when four come in one TCP segment, */
	for (unsigned i = 0; i < 4; i++)
		peer_sends(t, READ(region, 8 * i, 8), .hold = i < 3);

	/* then all are answered. */
	for (unsigned i = 0; i < 4; i++)
		awaits(t, RDMAP_5_2_2_02, RDMAP_READ_RESPONSE);
	must(t, RDMAP_5_2_2_02, nothing_more());
}

CASE(an_answered_read_gives_its_buffer_back,
     .title = "three batches of as many Reads as the IRD are answered, one "
	      "after the other",
     .needs = NEED_READ | NEED_ENHANCED, .role = EITHER)
{
	/* Given a device that has agreed to four inbound Reads, */
	struct region region = dut_registers(t, .len = 64);
	connects(t, .enhanced = true, .dut_ird = 4, .ord = 4);

	/* when three batches of four follow each other's answers, */
	for (unsigned batch = 0; batch < 3; batch++) {
		for (unsigned i = 0; i < 4; i++)
			peer_sends(t, READ(region, 8 * i, 8), .hold = i < 3);

		/* then each is answered. */
		for (unsigned i = 0; i < 4; i++)
			awaits(t, RDMAP_5_2_1_02, RDMAP_READ_RESPONSE);
	}
	must(t, RDMAP_5_2_1_02, nothing_more());
}

CASE(the_ird_holds_while_responses_wait,
     .title = "as many large Reads as the IRD are answered in order after the "
	      "peer's window was closed",
     .needs = NEED_READ | NEED_ENHANCED, .role = EITHER)
{
	/* Given a peer with little room to receive, and an IRD of four, */
	struct region region = dut_registers(t, .len = MIB);
	connects(t, .enhanced = true, .dut_ird = 4, .ord = 4, .rcvbuf = 4096);

	/* when it reads 1 MiB four times, and receives only then, */
	for (unsigned i = 0; i < 4; i++) {
		struct msg read = READ(region, 0, MIB);

		read.read.sink_stag = 0x11111100 * (i + 1);
		peer_sends(t, read);
	}

	/* then there are four Responses, in order. */
	for (unsigned i = 0; i < 4; i++) {
		struct message m = awaits_message(t, RDMAP_6_1_05,
						  RDMAP_READ_RESPONSE);

		must(t, RDMAP_6_1_05, is("STag", m.frames[0]->seg.ddp.stag,
					 0x11111100 * (i + 1)));
		must(t, RDMAP_6_1_05, is("octets", m.n, MIB));
	}
}

CASE(what_exceeds_the_ird,
     .title = "what becomes of more Reads than the IRD allows",
     .needs = NEED_READ | NEED_ENHANCED, .role = EITHER)
{
	/* Given a peer with little room to receive, and an IRD of one, */
	struct region region = dut_registers(t, .len = MIB);
	connects(t, .enhanced = true, .dut_ird = 1, .ord = 1, .rcvbuf = 4096);

	/* when it sends four large Reads at once, */
	for (unsigned i = 0; i < 4; i++)
		peer_sends(t, READ(region, 0, MIB), .hold = i < 3);

	/* then the excess waits or ends the stream: no text says which. */
	size_t octets = octets_answered(t);
	observe(t, RDMAP_6_1_04, "%zu octets answered, %s", octets,
		how_it_ended(t));
}

/* --- the device as requester ---------------------------------------------- */

CASE(the_ord_is_kept,
     .title = "no more Read Requests are outstanding than the ORD, and an "
	      "answer makes room for the next",
     .needs = NEED_READ | NEED_ENHANCED, .role = EITHER)
{
	/* Given a device that has agreed to four outstanding Reads, */
	struct region sink = dut_registers(t, .len = 256);
	connects(t, .enhanced = true, .dut_ord = 4, .ird = 4);

	/* when the consumer posts fourteen, */
	for (unsigned i = 0; i < 14; i++)
		dut_posts(t, POST_READ(sink, 8 * i, 8, PEER_SINK_STAG, i));

	/* then four Requests come and no more, */
	const struct frame *f = awaits(t, RDMAP_6_1_02, RDMAP_READ_REQUEST);
	for (unsigned i = 1; i < 4; i++)
		awaits(t, RDMAP_6_1_02, RDMAP_READ_REQUEST);
	must(t, RDMAP_6_1_02, nothing_more());

	/* and one more when one of them was answered. */
	peer_sends(t, READ_RESPONSE(f, "octets 8", 8));
	awaits(t, RDMAP_6_1_03, RDMAP_READ_REQUEST);
	must(t, RDMAP_6_1_02, nothing_more());
}

CASE(a_response_completes_its_read,
     .title = "a Read completes with the last segment of its Response, and "
	      "the data is in place",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a Read under way, to octet 3 of a buffer, */
	struct region sink = dut_registers(t, .len = 16);
	connects(t, .crc = true);
	unsigned id = dut_posts(t, POST_READ(sink, 3, 8, PEER_SINK_STAG, 0));
	const struct frame *f = awaits(t, RDMAP_5_2_2_03, RDMAP_READ_REQUEST);

	/* when the peer answers it in two segments, */
	peer_sends(t, READ_RESPONSE(f, "ABCDEFGH", 8, .segment = 4));

	/* then it completes; the data is there, and nothing beside it. */
	must(t, RDMAP_5_2_2_03, completed(id));
	may(t, RDMAP_4_4_06,
	    is("sink TO", case_read_of(f).sink_to, sink.to + 3));
	must(t, RDMAP_5_2_2_03,
	     memory_is(sink, 0, "\0\0\0ABCDEFGH\0\0\0\0\0", 16));
}

CASE(half_a_response_completes_nothing,
     .title = "a Read whose Response lacks its last segment does not complete "
	      "with success",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a Read under way, */
	struct region sink = dut_registers(t, .len = 16);
	connects(t, .crc = true);
	unsigned id = dut_posts(t, POST_READ(sink, 0, 8, PEER_SINK_STAG, 0));
	const struct frame *f = awaits(t, RDMAP_5_2_2_03, RDMAP_READ_REQUEST);

	/* when the peer sends half the Response and closes, */
	peer_sends(t, READ_RESPONSE(f, "ABCD", 4, .l = IS(0)));
	peer_closes(t);

	/* then the Read is not told as complete. */
	must(t, RDMAP_5_5_15, not_completed(id));
	must(t, RDMAP_5_5_15, agent_sees_end());
}

CASE(a_response_for_no_buffer_surfaces_an_error,
     .title = "a Read Response to an STag never issued ends the stream, and "
	      "the Read does not complete",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a Read under way, */
	struct region sink = dut_registers(t, .len = 16);
	connects(t, .crc = true);
	unsigned id = dut_posts(t, POST_READ(sink, 0, 8, PEER_SINK_STAG, 0));
	const struct frame *f = awaits(t, RDMAP_5_2_2_03, RDMAP_READ_REQUEST);

	/* when the Response is for an STag that no buffer ever had, */
	peer_sends(t, READ_RESPONSE(f, "ABCDEFGH", 8,
				    .stag_field = IS(stag_never_issued(t))));

	/* then the consumer learns of an error, and the buffer is as it was. */
	must(t, RDMAP_5_2_2_04, not_completed(id));
	must(t, RDMAP_5_2_2_04, agent_sees_end());
	must(t, RDMAP_5_2_2_04, memory_unchanged(sink));
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
	struct region sink = dut_registers(t, .len = 64);
	struct region other = dut_registers(t, .len = 64);
	connects(t, .crc = true);
	dut_posts(t, POST_READ(sink, 0, 8, PEER_SINK_STAG, 0));
	const struct frame *f = awaits(t, RDMAP_5_2_2_03, RDMAP_READ_REQUEST);

	/* when the Response is for somewhere else, or of another length, */
	struct region at = row->other_stag ? other : sink;
	peer_sends(t, READ_RESPONSE(f, "ABCDEFGHIJKL", row->octets,
				    .stag_field = IS(at.stag),
				    .to_field = IS(at.to + row->shift)));

	/* then one of the two happens. */
	may(t, RDMAP_5_2_2_06, any_of(t, stream_works(), terminate_any()));
}

CASE(a_zero_length_response_need_not_name_the_sink,
     .title = "a zero-length Read completes, or ends the stream, where its "
	      "Response names another sink",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a Read of no octets under way, */
	struct region sink = dut_registers(t, .len = 16);
	connects(t, .crc = true);
	unsigned id = dut_posts(t, POST_READ(sink, 0, 0, PEER_SINK_STAG, 0));
	const struct frame *f = awaits(t, RDMAP_5_2_1_05, RDMAP_READ_REQUEST);

	/* when its Response names an STag and a TO of nowhere, */
	peer_sends(t, READ_RESPONSE(f, "", 0, .stag_field = IS(0x13579bdf),
				    .to_field = IS(0xfedcba9876543210)));

	/* then the Read completes, unless RDMAP compares the two. */
	may(t, RDMAP_5_2_2_09, any_of(t, completed(id), terminate_any()));
}

CASE(a_response_without_a_request_is_invalid,
     .title = "a Read Response that nobody asked for ends the stream",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer, and no Read under way, */
	struct region region = dut_registers(t, .len = 16);
	connects(t, .crc = true);

	/* when a Read Response for that buffer comes, */
	peer_sends(t, OPCODE(RDMAP_READ_RESPONSE, "ABCDEFGH", 8,
			     .stag = region.stag, .to = region.to));

	/* then a Terminate answers it; a placement is not judged. */
	must(t, RDMAP_5_2_2_08, terminate_any());
	must(t, RDMAP_5_2_2_08, agent_sees_end());
}

/* --- Requests that are not whole -------------------------------------------- */

CASE(a_segmented_request,
     .title = "what becomes of a Read Request cut into two DDP segments",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer, */
	struct region region = dut_registers(t, .len = 16);
	connects(t, .crc = true);

	/* when a Read Request comes in two halves, */
	peer_sends(t, READ(region, 0, 16, .segment = 14));

	/* then it is one message, or it ends the stream: texts disagree. */
	const struct frame *f = next_frame(t);
	observe(t, RDMAP_5_2_1_13, "%s",
		f && f->seg.ddp.opcode == RDMAP_READ_RESPONSE
			? "it is answered"
			: how_it_ended(t));
}

CASE(a_request_that_begins_late_is_not_answered,
     .title = "a Read Request whose only segment has MO 28 is not answered, "
	      "and ends the stream",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer, */
	struct region region = dut_registers(t, .len = 16);
	connects(t, .crc = true);

	/* when the header stands behind the end of where it belongs, */
	peer_sends(t, READ(region, 0, 16, .mo = IS(28)));

	/* then there is no Response. */
	must(t, RDMAP_5_2_1_14,
	     is("octets of Read Responses", octets_answered(t), 0));
	must(t, RDMAP_5_2_1_14, stream_ends());
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(a_request_waits_for_its_last_segment,
     .title = "a Read Request with L=0 is answered only when a segment with "
	      "L=1 has come",
     .needs = NEED_READ | NEED_SEND, .role = EITHER)
{
	/* Given a buffer to read and one to send to, */
	struct region region = dut_registers(t, .len = 16);
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when a whole Read Request says that more of it follows, */
	peer_sends(t, READ(region, 0, 16, .l = IS(0)));
	peer_sends(t, SEND("behind it"));
	must(t, RDMAP_5_2_1_15, delivered_text(sink, "behind it"));

	/* then nothing answers it: what comes next is a Send posted since. */
	dut_posts(t, POST_SEND("no answer so far"));
	awaits(t, RDMAP_5_2_1_15, RDMAP_SEND);
}

/* --- Requests that are refused ------------------------------------------------ */

struct source_row {
	CASE_ROW;
	long off;		/* from the region's first octet */
	uint32_t size;
	size_t inside;		/* octets of it that are inside the region */
};

static const struct source_row outside[] = {
	{.id = "one_octet_before", .must = &RDMAP_7_2_10, .off = -1, .size = 1},
	{.id = "one_octet_behind", .must = &RDMAP_7_2_10, .off = 64, .size = 1},
	{.id = "one_octet_behind_of_any_size", .must = &RDMAP_5_2_1_11,
	 .off = 64, .size = 1},
	{.id = "one_octet_too_long", .must = &RDMAP_7_2_11, .off = 0,
	 .size = 65, .inside = 64},
	{.id = "begins_before", .must = &RDMAP_7_2_10, .off = -1, .size = 8},
	{.id = "size_2_to_the_31", .must = &RDMAP_7_2_17, .off = 0,
	 .size = 0x80000000, .inside = 64},
	{.id = "size_2_to_the_32_less_1", .must = &RDMAP_7_2_17, .off = 0,
	 .size = 0xffffffff, .inside = 64},
};

CASE_EACH(a_read_outside_its_buffer_is_refused, struct source_row, outside,
	  .title = "a Read that reaches outside its buffer gets no octet from "
		   "there",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer of 64 octets, */
	struct region region = dut_registers(t, .len = 64);
	connects(t, .crc = true);

	/* when the peer reads what is not all inside, */
	peer_sends(t, READ_FROM(region.stag, region.to + (uint64_t)row->off,
				row->size));

	/* then nothing from outside comes, and the Terminate says: bounds. */
	must_row(t, row,
		 at_most("octets of Read Responses", octets_answered(t),
			 row->inside));
	must_row(t, row, terminate(TERM_RDMA, 1, 0x01));
}

CASE(a_read_up_to_the_last_octet_is_answered,
     .title = "a Read that ends with the last octet of its buffer is answered",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer whose octets are known, */
	const uint8_t *octets;
	struct region region = filled(t, 2000, &octets);
	connects(t, .crc = true);

	/* when the peer reads all of it, and then its last octet, */
	peer_sends(t, READ(region, 0, 2000));
	peer_sends(t, READ(region, 1999, 1));

	/* then it gets them. */
	struct message m =
		awaits_message(t, RDMAP_7_2_14, RDMAP_READ_RESPONSE);
	must(t, RDMAP_7_2_14, octets_are(t, "the octets read", m.octets, m.n,
					 octets, 2000));
	m = awaits_message(t, RDMAP_7_2_14, RDMAP_READ_RESPONSE);
	must(t, RDMAP_7_2_14, octets_are(t, "the last octet", m.octets, m.n,
					 octets + 1999, 1));
}

CASE(a_read_that_wraps_is_refused,
     .title = "a Read whose source wraps past 2^64 is not answered",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer, */
	struct region region = dut_registers(t, .len = 64);
	connects(t, .crc = true);

	/* when the peer reads 64 octets, 16 before the end of all TOs, */
	peer_sends(t, READ_FROM(region.stag, 0xfffffffffffffff0, 64));

	/* then there is no Response; it is out of bounds, and wraps. */
	awaits(t, RDMAP_7_2_12, RDMAP_TERMINATE);
	must(t, RDMAP_7_2_12, any_of(t, terminate(TERM_RDMA, 1, 0x04),
				     terminate(TERM_RDMA, 1, 0x01)));
}

static const struct size_row lengths[] = {
	{.id = "1_octet", .must = &RDMAP_5_2_1_11, .size = 1},
	{.id = "1500_octets", .must = &RDMAP_7_2_06, .size = 1500},
};

CASE_EACH(a_read_of_an_stag_never_issued_is_refused, struct size_row, lengths,
	  .title = "a Read of an STag never issued is not answered",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the peer reads by an STag that no buffer ever had, */
	peer_sends(t, READ_FROM(stag_never_issued(t), 0,
				(uint32_t)row->size));

	/* then the answer is a Terminate that says: invalid STag. */
	awaits(t, RDMAP_7_2_06, RDMAP_TERMINATE);
	must_row(t, row, terminate(TERM_RDMA, 1, 0x00));
}

CASE(an_invalid_read_surfaces_an_error,
     .title = "a Read of an STag never issued ends the stream at the consumer "
	      "too",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the peer reads by an STag that no buffer ever had, */
	peer_sends(t, READ_FROM(stag_never_issued(t), 0, 1));

	/* then the consumer learns of it. */
	must(t, RDMAP_5_2_1_04, agent_sees_end());
	must(t, RDMAP_5_2_1_04, terminate(TERM_RDMA, 1, 0x00));
}

CASE(a_read_of_an_stag_given_up_is_refused,
     .title = "a Read of an STag that the consumer has invalidated is not "
	      "answered",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given an STag that was good, */
	struct region region = dut_registers(t, .len = 16);
	connects(t, .crc = true);
	peer_sends(t, READ(region, 0, 16));
	awaits(t, RDMAP_5_2_1_09, RDMAP_READ_RESPONSE);

	/* when it is invalidated, and read, */
	dut_invalidates(t, region);
	peer_sends(t, READ(region, 0, 16));

	/* then the answer is a Terminate that says: invalid STag. */
	awaits(t, RDMAP_7_2_07, RDMAP_TERMINATE);
	must(t, RDMAP_7_2_07, terminate(TERM_RDMA, 1, 0x00));
}

CASE(a_read_of_another_domain_is_refused,
     .title = "a Read of an STag of another Protection Domain is not answered",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given an STag of domain 1 and a stream of domain 2, */
	struct region region = dut_registers(t, .len = 16, .pd = 1);
	connects(t, .pd = 2);

	/* when the peer reads by it, */
	peer_sends(t, READ(region, 0, 16));

	/* then the answer is a Terminate that says: not associated. */
	awaits(t, RDMAP_7_2_08, RDMAP_TERMINATE);
	must(t, RDMAP_7_2_08, terminate(TERM_RDMA, 1, 0x03));
}

CASE(a_read_of_another_stream_is_refused,
     .title = "a Read of an STag that is limited to another stream is not "
	      "answered",
     .needs = NEED_READ | NEED_MULTI_STREAM | NEED_STREAM_STAG,
     .role = EITHER)
{
	/* Given two streams of one domain, and an STag limited to the first, */
	unsigned owner = connects(t, .crc = true);
	struct region region = dut_registers(t, .len = 16, .bound = true);
	connects(t, .crc = true);

	/* when the peer reads by it on the second, */
	peer_sends(t, READ(region, 0, 16));

	/* then the answer is a Terminate that says: not associated; */
	awaits(t, RDMAP_7_2_09, RDMAP_TERMINATE);
	must(t, RDMAP_7_2_09, terminate(TERM_RDMA, 1, 0x03));

	/* and on the first it works. */
	on_stream(t, owner);
	peer_sends(t, READ(region, 0, 16));
	awaits(t, RDMAP_7_2_09, RDMAP_READ_RESPONSE);
}

CASE(a_read_without_the_right_is_refused,
     .title = "a Read of a buffer without the right of remote read is not "
	      "answered",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer that the peer may write and not read, */
	struct region region = dut_registers(
		t, .len = 16, .access = LOCAL_WRITE | REMOTE_WRITE);
	connects(t, .crc = true);

	/* when the peer reads it, */
	peer_sends(t, READ(region, 0, 16));

	/* then the answer is a Terminate that says: access rights. */
	awaits(t, RDMAP_7_2_13, RDMAP_TERMINATE);
	must(t, RDMAP_7_2_13, terminate(TERM_RDMA, 1, 0x02));
}

CASE(what_a_refused_read_sends_first,
     .title = "what is sent of a large Read that is refused for its last "
	      "octet",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer of 1 MiB, */
	struct region region = dut_registers(t, .len = MIB);
	connects(t, .crc = true);

	/* when the peer reads one octet more, */
	peer_sends(t, READ(region, 0, MIB + 1));

	/* then it may find out at once or on the way. */
	size_t octets = octets_answered(t);
	observe(t, RDMAP_7_2_15, "%zu octets answered, %s", octets,
		how_it_ended(t));
}
