/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5040 s4.4, s5.2, s6.1: RDMA Reads, as the device answers them. */
#include "case.h"

#define MIB    (1u << 20)
#define BEHIND 65536u /* octets: a Response of many segments */

/* A region that holds a pattern all over. */
static struct region filled(struct test *t, size_t len, const uint8_t **octets)
{
	struct region r = dut_registers(t, .len = len, .access = FOR_READS);

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

struct sink_row {
	CASE_ROW;
	uint32_t stag;
	uint64_t to;
};

#define SINK_STAG(n)                                                           \
	{                                                                      \
		.id = "stag_" #n, .must = &RDMAP_4_4_03, .stag = (n),          \
		.to = 0x1000                                                   \
	}
#define SINK_TO(n)                                                             \
	{                                                                      \
		.id = "to_" #n, .must = &RDMAP_4_4_02, .stag = PEER_SINK_STAG, \
		.to = (n)                                                      \
	}

static const struct sink_row copied[] = {
	{.id = "stag_deadbeef",
	 .must = &RDMAP_4_4_02,
	 .stag = 0xdeadbeef,
	 .to = 0x1000},
	{.id = "stag_zero", .must = &RDMAP_4_4_03, .stag = 0, .to = 0x1000},
	{.id = "stag_all_ones",
	 .must = &RDMAP_4_4_03,
	 .stag = 0xffffffff,
	 .to = 0x1000},
	{.id = "to_of_64_bits",
	 .must = &RDMAP_4_4_02,
	 .stag = PEER_SINK_STAG,
	 .to = 0x0123456789abcdef},
	{.id = "to_zero",
	 .must = &RDMAP_4_4_02,
	 .stag = PEER_SINK_STAG,
	 .to = 0},
	/* around the octets of each */
	SINK_STAG(0x00000001),
	SINK_STAG(0x000000ff),
	SINK_STAG(0x00000100),
	SINK_STAG(0x0000ffff),
	SINK_STAG(0x00010000),
	SINK_STAG(0x00ffffff),
	SINK_STAG(0x01000000),
	SINK_STAG(0x7fffffff),
	SINK_STAG(0x80000000),
	SINK_STAG(0xfffffffe),
	SINK_STAG(0xffffff00),
	SINK_STAG(0x55555555),
	SINK_TO(0xffffffffff),
	SINK_TO(0x10000000000),
	SINK_TO(0x10000000001),
	SINK_TO(0xffffffffffff),
	SINK_TO(0x1000000000000),
	SINK_TO(0x1000000000001),
	SINK_TO(0xffffffffffffff),
	SINK_TO(0x100000000000000),
	SINK_TO(0x100000000000001),
	SINK_TO(0x7fffffffffffffff),
	SINK_TO(0x8000000000000000),
	SINK_TO(0x8000000000000001),
};

CASE_EACH(the_sink_is_copied_into_the_response, struct sink_row, copied,
	  .title = "sink STag and TO are copied into the Read Response, "
		   "whatever they are",
	  .needs = NEED_READ, .role = EITHER,
	  .along = {
		  ALONG(struct sink_row, to, PEER_SINK_TO, 1, 8),
		  ALONG(struct sink_row, to, PEER_SINK_TO, 0xffff, 0x10001),
		  ALONG(struct sink_row, to, PEER_SINK_TO, 0xffffff, 0x1000001),
		  ALONG(struct sink_row, to, PEER_SINK_TO, 0x7fffffff,
			0x80000002),
		  ALONG(struct sink_row, to, PEER_SINK_TO, 0xfffffffe,
			0x100000001),
		  ALONG(struct sink_row, to, PEER_SINK_TO, 0xfffffffffffff000,
			0xffffffffffffffef)})
{
	/* Given a buffer to read, */
	struct region region = dut_registers(t, .len = 16, .access = FOR_READS);
	connects(t, .crc = true);

	/* when the peer names this sink for its octets, */
	struct msg read = READ(region, 0, 16);
	read.read.sink_stag = row->stag;
	read.read.sink_to = row->to;
	peer_sends(t, read);

	/* then the Response is for that. */
	struct message m = awaits_message(t, RDMAP_4_4_02, RDMAP_READ_RESPONSE);
	const struct frame *f = m.frames[0];
	must_row(t, row, is("STag", f->seg.ddp.stag, row->stag));
	must(t, RDMAP_4_4_04, is("TO", f->seg.ddp.to, row->to));
	must(t, RDMAP_4_4_05, is("octets", m.n, 16));
}

CASE(the_sink_may_wrap,
     .title = "the reaction to a Read whose sink would wrap past 2^64 is "
	      "recorded",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer to read, */
	struct region region = dut_registers(t, .len = 64, .access = FOR_READS);
	connects(t, .crc = true);

	/* when the peer's sink begins 16 octets before the end of all TOs, */
	struct msg read = READ(region, 0, 64);
	read.read.sink_to = 0xfffffffffffffff0;
	peer_sends(t, read);

	/* then the Response names that TO, or the stream ends: neither is
	 * ruled out. */
	const struct frame *f = next_frame(t);
	observe(t, RDMAP_4_4_08, "%s",
		!f                                         ? how_it_ended(t)
		: f->seg.ddp.opcode == RDMAP_READ_RESPONSE ? "it is answered"
							   : how_it_ended(t));
}

struct size_row {
	CASE_ROW;
	size_t size;
};

static const struct size_row sizes[] = {
	{.id = "1", .size = 1},
	{.id = "1500", .size = 1500},
	{.id = "1_MiB", .size = MIB},
};

CASE_EACH(a_read_returns_as_much_as_was_asked_for, struct size_row, sizes,
	  .title = "a Read Response holds exactly the requested octets",
	  .needs = NEED_READ, .role = EITHER,
	  .along = {ALONG(struct size_row, size, PEER_READ, 0, 4285),
		    ALONG(struct size_row, size, PEER_READ, 65535, 65537)})
{
	/* Given a buffer whose octets are known, */
	const uint8_t *octets;
	struct region region = filled(t, row->size + 8, &octets);
	connects(t, .crc = true);

	/* when the peer reads so many of them, */
	peer_sends(t, READ(region, 4, (uint32_t)row->size));

	/* then it gets them, in one message. */
	struct message m = awaits_message(t, RDMAP_4_4_05, RDMAP_READ_RESPONSE);
	must(t, RDMAP_4_4_05, is("octets", m.n, row->size));
	must(t, RDMAP_5_2_1_09,
	     octets_are(t, "the octets read", m.octets, m.n, octets + 4,
			row->size));
}

struct place_row {
	CASE_ROW;
	size_t off;
};

static const struct place_row places[] = {{.id = "1", .off = 1}};

CASE_EACH(a_read_begins_anywhere_in_a_page, struct place_row, places,
	  .title = "a Read may begin at any octet of a page",
	  .needs = NEED_READ, .role = EITHER,
	  .along = {ALONG(struct place_row, off, PEER_READ_START, 0, 4095)})
{
	/* Given a buffer of three pages whose octets are known, */
	const uint8_t *octets;
	struct region region = filled(t, 3 * 4096, &octets);
	connects(t);

	/* when the peer reads more than a page, from there on, */
	peer_sends(t, READ(region, row->off, 4101));

	/* then it gets just these. */
	struct message m = awaits_message(t, RDMAP_4_4_05, RDMAP_READ_RESPONSE);
	must(t, RDMAP_4_4_05,
	     octets_are(t, "the octets read", m.octets, m.n, octets + row->off,
			4101));
}

CASE(a_source_may_begin_anywhere,
     .title = "a Read may begin at an odd TO, and read one octet",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer whose octets are known, */
	struct region region = dut_registers(t, .len = 8, .access = FOR_READS);
	dut_fills(t, region, 0, "abcdefgh", 8);
	connects(t, .crc = true);

	/* when the peer reads three octets from its octet 3, */
	peer_sends(t, READ(region, 3, 3));

	/* then it gets those; and it gets one, too. */
	struct message m =
		awaits_message(t, RDMAP_5_2_1_09, RDMAP_READ_RESPONSE);
	may(t, RDMAP_4_4_07,
	    octets_are(t, "from octet 3", m.octets, m.n, "def", 3));
	must(t, RDMAP_5_2_1_09,
	     octets_are(t, "from octet 3", m.octets, m.n, "def", 3));
	peer_sends(t, READ(region, 5, 1));
	m = awaits_message(t, RDMAP_5_2_1_09, RDMAP_READ_RESPONSE);
	may(t, RDMAP_5_2_1_08, octets_are(t, "octet 5", m.octets, m.n, "f", 1));
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
	must(t, RDMAP_5_2_1_09,
	     octets_are(t, "the octets read", m.octets, m.n, octets, 1500));
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

	/* then everything has arrived when the first L=1 arrives, and no
	 * more. */
	struct message m = awaits_message(t, RDMAP_5_2_01, RDMAP_READ_RESPONSE);
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
	const struct frame *f = awaits(t, RDMAP_5_2_1_16, RDMAP_READ_RESPONSE);
	must(t, RDMAP_5_2_1_16, is("payload octets", f->seg.payload_octets, 0));
	must(t, RDMAP_5_2_1_16, is("L", f->seg.ddp.last, 1));
	should(t, RDMAP_4_4_09, is("STag", f->seg.ddp.stag, 0xdeadbeef));
	should(t, RDMAP_4_4_09, is("TO", f->seg.ddp.to, 0x0123456789abcdef));
}

CASE(a_zero_size_read_behind_another_gets_an_empty_response,
     .title = "a Read of no octets, requested while a Response is on its way, "
	      "is answered by one segment without a payload",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer that the peer may read, */
	struct region r = dut_registers(t, .len = BEHIND, .access = FOR_READS);
	dut_fills(t, r, 0, pattern(t, BEHIND, 1), BEHIND);
	dut_has_depths(t, 2, 0);
	connects(t);

	/* when it reads the buffer, and directly after that nothing, */
	struct msg read = READ(r, 0, BEHIND);
	read.read.sink_stag = 0x11111100;
	peer_sends(t, read, .hold = true);
	peer_sends(t, READ_FROM(0, 0, 0));
	struct message m =
		awaits_message(t, RDMAP_5_2_1_16, RDMAP_READ_RESPONSE);
	insists(t, RDMAP_5_2_1_06, at_least("octets of the first", m.n, 1));

	/* then the second Response has no octet of anything. */
	const struct frame *f = awaits(t, RDMAP_5_2_1_16, RDMAP_READ_RESPONSE);
	must(t, RDMAP_5_2_1_16, is("payload octets", f->seg.payload_octets, 0));
	must(t, RDMAP_5_2_1_16, is("L", f->seg.ddp.last, 1));
}

static const struct sink_row nowhere[] = {
	{.id = "stag_zero", .stag = 0, .to = 0x1000},
	{.id = "stag_all_ones", .stag = 0xffffffff, .to = 0},
	{.id = "any_stag_and_to", .stag = 0x13579bdf, .to = 0xfedcba9876543210},
	{.id = "last_to", .stag = 0, .to = 0xffffffffffffffff},
};

CASE_EACH(the_source_of_no_octets_is_not_validated, struct sink_row, nowhere,
	  .title = "a Read of no octets is answered whatever source it names",
	  .needs = NEED_READ, .role = EITHER,
	  .along = {ALONG(struct sink_row, to, PEER_READ_TO, 0xfffffffe,
			  0x100000001),
		    ALONG(struct sink_row, to, PEER_READ_TO, 0xfffffffffffffff8,
			  UINT64_MAX)})
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the peer reads no octets from nowhere, */
	peer_sends(t, READ_FROM(row->stag, row->to, 0));

	/* then it is answered, and the stream continues. */
	const struct frame *f = awaits(t, RDMAP_5_2_1_12, RDMAP_READ_RESPONSE);
	must(t, RDMAP_5_2_1_12, is("payload octets", f->seg.payload_octets, 0));
	must(t, RDMAP_5_2_1_12, stream_works());
}

CASE(a_read_is_not_told_to_the_consumer,
     .title = "a Read Request completes no receive and uses no buffer of the "
	      "Sends",
     .needs = NEED_READ | NEED_SEND, .role = EITHER)
{
	/* Given two buffers waiting for Sends, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	struct region region = dut_registers(t, .len = 16, .access = FOR_READS);
	connects(t, .crc = true);

	/* when the peer reads, and then sends, */
	peer_sends(t, READ(region, 0, 16));
	awaits(t, RDMAP_5_2_1_09, RDMAP_READ_RESPONSE);
	peer_sends(t, SEND("after"));

	/* then only the Send completes, with the first buffer. */
	must(t, RDMAP_5_2_1_03, delivered_text(sink_at(sinks, 0), "after"));
	must(t, RDMAP_5_2_1_03, not_delivered(sink_at(sinks, 1)));
}

/* The Request with about this size: the size identifies the answered Request,
 * not the sink, which the device may have copied incorrectly. */
static unsigned next_in_size(const uint32_t *size, unsigned n, size_t seen)
{
	unsigned next = 0;
	size_t least = SIZE_MAX;

	for (unsigned i = 0; i < n; i++) {
		size_t by = size[i] > seen ? size[i] - seen : seen - size[i];

		if (by < least) {
			least = by;
			next = i;
		}
	}
	return next;
}

CASE(each_response_is_for_its_own_sink,
     .title = "the Responses to two Reads each name the sink of their own "
	      "Request",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer of some segments, */
	const uint8_t *octets;
	struct region region = filled(t, 4096, &octets);
	dut_has_depths(t, 2, 0);
	connects(t, .mss = 1000);

	/* when the peer reads it into two of its own, in one burst, the first
	 * time whole, */
	static const uint32_t size[] = {4096, 3000};
	struct msg read = READ(region, 0, size[0]);
	read.read.sink_stag = 0x11111100;
	peer_sends(t, read, .hold = true);
	read.read.sink_stag = 0x22222200;
	read.read.size = size[1];
	peer_sends(t, read);

	/* then all of the first Response is for the first, */
	struct message m =
		awaits_message(t, RDMAP_5_2_2_07, RDMAP_READ_RESPONSE);
	insists(t, RDMAP_5_2_1_06,
		is("the Request whose size is next to its",
		   next_in_size(size, 2, m.n), 0));
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
	struct region region =
		dut_registers(t, .len = 4096, .access = FOR_READS);
	dut_has_depths(t, 4, 0);
	connects(t, .crc = true);

	/* when four Reads of it arrive in one burst, */
	for (unsigned i = 0; i < 4; i++) {
		struct msg read = READ(region, 0, size[i]);

		read.read.sink_stag = 0x11111100 * (i + 1);
		peer_sends(t, read, .hold = i < 3);
	}

	/* then the Responses have the order of the Requests. */
	for (unsigned i = 0; i < 4; i++) {
		struct message m =
			awaits_message(t, RDMAP_5_2_1_06, RDMAP_READ_RESPONSE);

		must(t, RDMAP_5_2_1_06,
		     is("the Request whose size is next to its",
			next_in_size(size, 4, m.n), i));
	}
}

CASE(small_responses_do_not_overtake_a_large_one,
     .title = "a large Response is neither overtaken nor cut up by those "
	      "after it",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer of many segments, */
	struct region region =
		dut_registers(t, .len = 65536, .access = FOR_READS);
	const uint8_t *octets = pattern(t, 65536, 1);
	dut_fills(t, region, 0, octets, 65536);
	dut_has_depths(t, 8, 0);
	connects(t, .crc = true);

	/* when a Read of all of it is followed by seven of 8 octets, */
	for (unsigned i = 0; i < 8; i++) {
		struct msg read = READ(region, 8 * i, i ? 8 : 65536);

		read.read.sink_stag = 0x11111100 * (i + 1);
		peer_sends(t, read, .hold = i < 7);
	}

	/* then each Response is whole before the next begins. */
	for (unsigned i = 0; i < 8; i++) {
		struct message m =
			awaits_message(t, RDMAP_5_2_2_05, RDMAP_READ_RESPONSE);

		must(t, RDMAP_5_2_2_05,
		     octets_are(t, "octets", m.octets, m.n, octets + 8 * i,
				i ? 8 : 65536));
	}
}

CASE(the_whole_ird_is_available,
     .title = "as many Reads as the IRD in one burst are all answered",
     .needs = NEED_READ | NEED_ENHANCED, .role = EITHER)
{
	/* Given a device that has agreed to four inbound Reads, */
	struct region region = dut_registers(t, .len = 64, .access = FOR_READS);
	dut_has_depths(t, 4, 0);
	connects(t, .enhanced = true, .dut_ird = 4, .ord = 4);

	/* when four arrive in one TCP segment, */
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
	struct region region = dut_registers(t, .len = 64, .access = FOR_READS);
	dut_has_depths(t, 4, 0);
	connects(t, .enhanced = true, .dut_ird = 4, .ord = 4, .unproven = true);
	if (case_role(t) == INITIATOR)
		initiator_speaks(t);

	/* when three batches of four follow each other's answers, */
	for (unsigned batch = 0; batch < 3; batch++) {
		for (unsigned i = 0; i < 4; i++)
			peer_sends(t, READ(region, 8 * i, 8), .hold = i < 3);

		/* then each is answered. */
		for (unsigned i = 0; i < 4; i++)
			if (batch == 0)
				awaits(t, RDMAP_6_1_05, RDMAP_READ_RESPONSE);
			else
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
	struct region region =
		dut_registers(t, .len = MIB, .access = FOR_READS);
	dut_has_depths(t, 4, 0);
	connects(t, .enhanced = true, .dut_ird = 4, .ord = 4, .rcvbuf = 16384);

	/* when it reads about 128 KiB four times, and receives only then, */
	static const uint32_t size[] = {MIB / 8, MIB / 9, MIB / 10, MIB / 11};
	for (unsigned i = 0; i < 4; i++) {
		struct msg read = READ(region, 0, size[i]);

		read.read.sink_stag = 0x11111100 * (i + 1);
		peer_sends(t, read, .hold = i < 3);
	}

	/* then there are four Responses, in order. */
	for (unsigned i = 0; i < 4; i++) {
		struct message m =
			awaits_message(t, RDMAP_6_1_05, RDMAP_READ_RESPONSE);

		must(t, RDMAP_5_2_1_06,
		     is("the Request whose size is next to its",
			next_in_size(size, 4, m.n), i));
	}
}

CASE(what_exceeds_the_ird,
     .title = "the reaction to more Reads than the IRD allows is recorded",
     .needs = NEED_READ | NEED_ENHANCED, .role = EITHER)
{
	/* Given a peer with little room to receive, and an IRD of one, */
	struct region region =
		dut_registers(t, .len = MIB, .access = FOR_READS);
	connects(t, .enhanced = true, .dut_ird = 1, .ord = 1, .rcvbuf = 4096);

	/* when it sends four large Reads at once, */
	peer_breaks(t, RDMAP_6_1_02);
	for (unsigned i = 0; i < 4; i++)
		peer_sends(t, READ(region, 0, MIB), .hold = i < 3);

	/* then the excess waits or ends the stream: no text says which. */
	size_t octets = octets_answered(t);
	observe(t, RDMAP_6_1_04, "%zu octets answered, %s", octets,
		how_it_ended(t));
}
