/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5041 s5.2, s5.3: the device's messages cut into segments, and the order
 * in which these leave. */
#include "case.h"

#define LONG (64u * 1024)
/* More than 1 MiB, in parts of PART. */
#define PART  65536u
#define LARGE (17 * PART)
#define MSS   1460u

struct origin {
	CASE_ROW;
	uint8_t opcode; /* of the message that the device sends */
	uint64_t to;    /* its first octet goes there */
};

/* n octets of the region r leave the device in a message of this kind. */
static void device_sends(struct test *t, const struct origin *o,
			 struct region r, size_t n)
{
	if (o->opcode == RDMAP_READ_RESPONSE)
		peer_sends(t, READ(r, 0, (uint32_t)n,
				   .read = {.sink_stag = 0x1234,
					    .sink_to = o->to,
					    .size = (uint32_t)n,
					    .source_stag = r.stag,
					    .source_to = r.to}));
	else if (o->opcode == RDMAP_WRITE)
		dut_posts(t, POST_WRITE_FROM(r, 0, n, 0x1234, o->to));
	else
		dut_posts(t, POST_SEND_FROM(r, 0, n));
}

/* Where a segment's first octet lies in a message that begins at `to`. */
static uint64_t place_of(const struct frame *f, uint64_t to)
{
	return f->seg.ddp.tagged ? f->seg.ddp.to - to : f->seg.ddp.mo;
}

/* Segments that do not lie where those of lower places end, whatever the order
 * in which they came. */
static size_t misplaced(const struct message *m, uint64_t to)
{
	size_t wrong = 0;

	for (size_t i = 0; i < m->count; i++) {
		uint64_t at = place_of(m->frames[i], to), sum = 0;

		for (size_t k = 0; k < m->count; k++)
			if (place_of(m->frames[k], to) < at)
				sum += m->frames[k]->seg.payload_octets;
		wrong += at != sum;
	}
	return wrong;
}

/* Segments that lie no higher than the one before them. */
static size_t falling(const struct message *m, uint64_t to)
{
	size_t n = 0;

	for (size_t i = 1; i < m->count; i++)
		n += place_of(m->frames[i], to) <=
		     place_of(m->frames[i - 1], to);
	return n;
}

static const struct origin messages[] = {
	{.id = "write", .opcode = RDMAP_WRITE, .to = 0x1000},
	{.id = "send", .opcode = RDMAP_SEND},
	{.id = "read_response", .opcode = RDMAP_READ_RESPONSE, .to = 0x1000},
};

CASE_EACH(segments_fit_mulpdu, struct origin, messages,
	  .title = "a message is cut into segments no larger than MULPDU",
	  .needs = NEED_SEND | NEED_WRITE | NEED_READ, .role = EITHER)
{
	/* Given a device with a long message to send, */
	struct region r = dut_registers(t, .len = LONG, .access = FOR_READS);
	connects(t, .mss = MSS);

	/* when it sends it, */
	device_sends(t, row, r, LONG);
	struct message m = awaits_message(t, DDP_5_2_01, row->opcode);

	/* then each segment fits. */
	must(t, DDP_5_2_01,
	     at_most("largest ULPDU_Length", largest_ulpdu(&m),
		     path_mulpdu_most(t)));
}

CASE_EACH(all_octets_are_sent, struct origin, messages,
	  .title = "all octets of a message of more than 1 MiB are sent",
	  .needs = NEED_SEND | NEED_WRITE | NEED_READ, .role = EITHER)
{
	/* Given a device with a large message to send, */
	struct region r = dut_registers(t, .len = LARGE, .access = FOR_READS);
	const uint8_t *data = pattern(t, LARGE, 1);
	for (size_t at = 0; at < LARGE; at += PART)
		dut_fills(t, r, at, data + at, PART);
	connects(t);

	/* when it sends it, */
	device_sends(t, row, r, LARGE);
	struct message m = awaits_message(t, DDP_5_2_03, row->opcode);

	/* then it can be put together again. */
	must(t, DDP_5_2_03, is("octets", m.n, LARGE));
	must(t, DDP_5_2_03,
	     octets_are(t, "the message", m.octets, m.n, data, LARGE));
}

CASE(mo_is_the_offset_in_the_message,
     .title = "MO of each segment of a Send is the payload sent "
	      "before it",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a device with a Send of several segments, */
	struct region r = dut_registers(t, .len = LONG);
	connects(t, .mss = MSS);

	/* when it sends it, */
	dut_posts(t, POST_SEND_FROM(r, 0, 10240));
	struct message m = awaits_message(t, DDP_5_2_05, RDMAP_SEND);

	/* then each MO is the sum of the preceding lengths. */
	if (m.count < 2)
		not_applicable(t,
			       "the device sends the message in one segment");
	must(t, DDP_5_2_05,
	     is("segments with another MO", misplaced(&m, 0), 0));
}

static const struct origin tagged[] = {
	{.id = "write", .opcode = RDMAP_WRITE, .to = 16384},
	{.id = "write_across_32_bits",
	 .opcode = RDMAP_WRITE,
	 .to = 0x1fffff000},
	{.id = "read_response", .opcode = RDMAP_READ_RESPONSE, .to = 16384},
	{.id = "read_response_across_32_bits",
	 .opcode = RDMAP_READ_RESPONSE,
	 .to = 0x1fffff000},
};

CASE_EACH(to_is_the_offset_from_the_first, struct origin, tagged,
	  .title = "TO of each tagged segment is the first TO plus the "
		   "payload sent before it",
	  .needs = NEED_WRITE | NEED_READ, .role = EITHER,
	  .along = {ALONG(struct origin, to, DUT_WRITE_TO, 0xffff, 0x10001),
		    ALONG(struct origin, to, DUT_WRITE_TO, 0xffffff, 0x1000001),
		    ALONG(struct origin, to, DUT_WRITE_TO, 0x7fffffff,
			  0x80000002),
		    ALONG(struct origin, to, DUT_WRITE_TO, 0xfffff000,
			  0x100000001)})
{
	/* Given a device with a tagged message of several segments, */
	struct region r = dut_registers(t, .len = LONG, .access = FOR_READS);
	connects(t, .mss = MSS);

	/* when it sends it, */
	device_sends(t, row, r, 10240);
	struct message m = awaits_message(t, DDP_5_2_07, row->opcode);

	/* then each TO is the first one plus the preceding lengths. */
	if (m.count < 2)
		not_applicable(t,
			       "the device sends the message in one segment");
	must(t, DDP_5_2_07,
	     is("segments with another TO", misplaced(&m, row->to), 0));
}

CASE(a_send_of_2048_octets,
     .title = "a Send of 2048 octets is cut at MULPDU less 18 octets, or "
	      "earlier",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given the path of an Ethernet, */
	struct region r = dut_registers(t, .len = 2048);
	connects(t, .mss = MSS);
	size_t room = path_mulpdu_most(t) - 18;

	/* when the device sends 2048 octets, */
	dut_posts(t, POST_SEND_FROM(r, 0, 2048));
	struct message m = awaits_message(t, DDP_5_2_06, RDMAP_SEND);

	/* then they take two segments or more, each MO following on. */
	must(t, DDP_5_2_06,
	     at_most("octets in the first segment",
		     m.frames[0]->seg.payload_octets, room));
	must(t, DDP_5_2_05,
	     is("segments with another MO", misplaced(&m, 0), 0));
	must(t, DDP_5_2_03, is("octets", m.n, 2048));
}

CASE(a_write_of_2048_octets,
     .title = "a Write of 2048 octets is cut at MULPDU less 14 octets, or "
	      "earlier",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given the path of an Ethernet, */
	struct region r = dut_registers(t, .len = 2048);
	connects(t, .mss = MSS);
	size_t room = path_mulpdu_most(t) - 14;

	/* when the device sends 2048 octets to TO 16384, */
	dut_posts(t, POST_WRITE_FROM(r, 0, 2048, 0x1234, 16384));
	struct message m = awaits_message(t, DDP_5_2_08, RDMAP_WRITE);

	/* then they take two segments or more. */
	must(t, DDP_5_2_08,
	     at_most("octets in the first segment",
		     m.frames[0]->seg.payload_octets, room));
	must(t, DDP_5_2_03, is("octets", m.n, 2048));
}

static const struct origin empty[] = {
	{.id = "write", .opcode = RDMAP_WRITE, .to = 0x1000},
	{.id = "send", .opcode = RDMAP_SEND},
};

CASE_EACH(an_empty_message_is_one_segment, struct origin, empty,
	  .title = "a zero-length message is one segment, a header with "
		   "L=1",
	  .needs = NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given a device with nothing to say, */
	struct region r = dut_registers(t, .len = 64);
	connects(t);

	/* when it says so, */
	device_sends(t, row, r, 0);
	const struct frame *f = awaits(t, DDP_5_2_09, row->opcode);

	/* then a single header arrives, and nothing else. */
	must(t, DDP_5_2_09,
	     is("ULPDU_Length", f->fpdu->ulpdu_length,
		row->opcode == RDMAP_WRITE ? 14 : 18));
	must(t, DDP_5_2_09, is("L", f->seg.ddp.last, 1));
	must(t, DDP_5_2_09, nothing_more());
}

CASE(messages_leave_in_the_order_submitted,
     .title = "Writes and Sends are sent in the order they were "
	      "submitted",
     .needs = NEED_SEND | NEED_WRITE)
{
	/* Given a device that holds messages back until its stream opens, */
	struct region r = dut_registers(t, .len = 4096);
	connects(t, .unproven = true, .mss = MSS);
	dut_posts(t, POST_WRITE_FROM(r, 0, 4096, 0x1234, 0x1000));
	dut_posts(t, POST_SEND("B"));
	dut_posts(t, POST_WRITE_FROM(r, 0, 8, 0x1234, 0x3000));
	dut_posts(t, POST_SEND("D"));

	/* when it may send them, */
	initiator_speaks(t);
	struct message a = awaits_message(t, DDP_5_3_01, RDMAP_WRITE);
	const struct frame *b = awaits(t, DDP_5_3_01, RDMAP_SEND);
	const struct frame *c = awaits(t, DDP_5_3_01, RDMAP_WRITE);
	const struct frame *d = awaits(t, DDP_5_3_01, RDMAP_SEND);

	/* then they arrive in the order in which they were posted. */
	must(t, DDP_5_3_01,
	     is("segments of the first Write with another TO",
		misplaced(&a, 0x1000), 0));
	must(t, DDP_5_3_01,
	     octets_are(t, "first Send", b->seg.payload, b->seg.payload_octets,
			"B", 1));
	must(t, DDP_5_3_01,
	     is("TO of the second Write", c->seg.ddp.to, 0x3000));
	must(t, DDP_5_3_01,
	     octets_are(t, "second Send", d->seg.payload, d->seg.payload_octets,
			"D", 1));
	must(t, DDP_5_3_01, stream_works());
}

static const struct origin rising[] = {
	{.id = "mo_of_a_send", .should = &DDP_5_3_02, .opcode = RDMAP_SEND},
	{.id = "to_of_a_write",
	 .should = &DDP_5_3_03,
	 .opcode = RDMAP_WRITE,
	 .to = 0x1000},
};

CASE_EACH(segments_leave_in_rising_order, struct origin, rising,
	  .title = "the segments of a message are sent in rising order",
	  .needs = NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given a device with a long message to send, */
	struct region r = dut_registers(t, .len = LONG);
	connects(t, .mss = MSS);

	/* when it sends it, */
	device_sends(t, row, r, LONG);
	struct message m = awaits_message(t, DDP_5_2_03, row->opcode);

	/* then every segment lies after the previous one. */
	should_row(t, row,
		   is("segments no higher than the one before",
		      falling(&m, row->to), 0));
}
