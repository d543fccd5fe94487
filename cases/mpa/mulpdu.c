/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5044 s3, s4.5: how long the device makes its ULPDUs on a path, and how
 * long it takes them. */
#include "case.h"

#define WRITE_OCTETS (64u * 1024)

/* How many segments but the last are shorter than so many octets. */
static size_t shorter_than(const struct message *m, size_t octets)
{
	size_t n = 0;

	/* The first one may share its TCP segment with an FPDU before it. */
	for (size_t i = 1; i + 1 < m->count; i++)
		n += m->frames[i]->fpdu->ulpdu_length < octets;
	return n;
}

/*
 * Whether MULPDU was too small for one more unit at which the device cuts. DDP
 * may make ULPDUs shorter than MULPDU (RFC 5044 s3): of odd lengths, or with
 * payload in multiples of what its hardware reads at a time.
 */
static bool is_of_less_than(const struct frame *f, size_t mulpdu)
{
	size_t payload = f->seg.payload_octets;
	size_t step = payload & -payload; /* a power of two */

	if (step < 16)
		step = 16;
	return f->fpdu->ulpdu_length + step <= mulpdu;
}

/*
 * Whether no segment is as long as that, and two consecutive ones would have had
 * room for more; the last one is left out. A single segment, or the first ones of
 * a message, may be short because DDP made them so (RFC 5044 s3).
 */
static bool stays_below(const struct message *m, size_t mulpdu)
{
	if (largest_ulpdu(m) >= mulpdu)
		return false;
	for (size_t i = 0; i + 2 < m->count; i++)
		if (is_of_less_than(m->frames[i], mulpdu) &&
		    is_of_less_than(m->frames[i + 1], mulpdu))
			return true;
	return false;
}

/* --- how long the device makes them ---------------------------------------- */

struct path {
	CASE_ROW;
	unsigned mss; /* that the peer announces; 0: the default */
	bool markers;
};

/* EMSS modulo 4 is different in each, with options of TCP or without. */
static const struct path paths[] = {
	{.id = "mss_1457", .must = &MPA_4_5_02, .mss = 1457},
	{.id = "mss_1458", .must = &MPA_4_5_02, .mss = 1458},
	{.id = "mss_1459", .must = &MPA_4_5_02, .mss = 1459},
	{.id = "mss_1460", .must = &MPA_4_5_02, .mss = 1460},
};
static const struct path paths_with_markers[] = {
	{.id = "mss_1457", .must = &MPA_4_5_01, .mss = 1457},
	{.id = "mss_1458", .must = &MPA_4_5_01, .mss = 1458},
	{.id = "mss_1459", .must = &MPA_4_5_01, .mss = 1459},
	{.id = "mss_1460", .must = &MPA_4_5_01, .mss = 1460},
	/* More markers than time stamps might take. */
	{.id = "mss_8960", .must = &MPA_4_5_01, .mss = 8960},
};

CASE_EACH(mulpdu_of_the_path, struct path, paths,
	  .title = "no ULPDU is larger than EMSS - (6 + EMSS mod 4)",
	  .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a path of this MSS, */
	struct region r = dut_registers(t, .len = WRITE_OCTETS);
	connects(t, .mss = row->mss, .no_timestamps = true);

	/* when the device sends a tagged message of many segments, */
	unsigned opcode =
		dut_sends_tagged(t, r, 0, WRITE_OCTETS, 0x1234, 0x1000);
	struct message m = awaits_message(t, MPA_4_5_02, opcode);

	/* then each of them fits. */
	must_row(t, row,
		 at_most("largest ULPDU_Length", largest_ulpdu(&m),
			 path_mulpdu_most(t)));
}

CASE_EACH(mulpdu_with_markers, struct path, paths_with_markers,
	  .title = "with markers no ULPDU is larger than EMSS - (6 + 4 * "
		   "ceil(EMSS / 512) + EMSS mod 4)",
	  .needs = NEED_WRITE | NEED_MARKERS_TX, .role = EITHER)
{
	/* Given a path of this MSS, and a peer that wants markers, */
	struct region r = dut_registers(t, .len = WRITE_OCTETS);
	connects(t, .mss = row->mss, .no_timestamps = true, .markers = true);

	/* when the device sends a tagged message of many segments, */
	unsigned opcode =
		dut_sends_tagged(t, r, 0, WRITE_OCTETS, 0x1234, 0x1000);
	struct message m = awaits_message(t, MPA_4_5_01, opcode);

	/* then each of them fits. */
	must_row(t, row,
		 at_most("largest ULPDU_Length", largest_ulpdu(&m),
			 path_mulpdu_most(t)));
}

static const struct path paths_with_options[] = {
	{.id = "no_markers", .mss = 1460},
	/* EMSS is no multiple of four, and the pad counts. */
	{.id = "not_aligned", .mss = 1459},
	{.id = "markers", .mss = 1460, .markers = true},
};

CASE_EACH(tcp_options_shrink_mulpdu, struct path, paths_with_options,
	  .title = "options in every TCP segment leave less room for a ULPDU",
	  .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a path whose segments carry time stamps, */
	if (row->markers && !(dut_claims(t) & NEED_MARKERS_TX))
		not_applicable(t, "the device does not claim markers-tx");
	struct region r = dut_registers(t, .len = WRITE_OCTETS);
	connects(t, .mss = row->mss, .markers = row->markers);
	if (path_emss(t) >= row->mss)
		not_applicable(t, "TCP uses no options on this path");

	/* when the device sends a tagged message of many segments, */
	unsigned opcode =
		dut_sends_tagged(t, r, 0, WRITE_OCTETS, 0x1234, 0x1000);
	struct message m = awaits_given_message(t, opcode);

	/* then MULPDU counts the room they take. */
	should(t, MPA_4_5_03,
	       at_most("largest ULPDU_Length", largest_ulpdu(&m),
		       path_mulpdu(t)));
}

static const struct path records[] = {
	{.id = "mss_536", .mss = 536},
	{.id = "mss_8960", .mss = 8960},
};

CASE_EACH(ddp_keeps_records_within_mulpdu, struct path, records,
	  .title = "DDP's segments are no larger than the current MULPDU",
	  .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a path of this MSS, */
	struct region r = dut_registers(t, .len = WRITE_OCTETS);
	connects(t, .mss = row->mss);

	/* when the device sends a tagged message of many segments, */
	unsigned opcode =
		dut_sends_tagged(t, r, 0, WRITE_OCTETS, 0x1234, 0x1000);
	struct message m = awaits_given_message(t, opcode);

	/* then each of them fits. */
	should(t, MPA_3_04,
	       at_most("largest ULPDU_Length", largest_ulpdu(&m),
		       path_mulpdu_most(t)));
}

CASE(segments_are_as_large_as_mulpdu,
     .title = "all segments between the first and the last are as large as "
	      "MULPDU allows",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a path whose segments an FPDU of MULPDU octets just fills, */
	if (dut_makes_short_ulpdus(t))
		told_once(t);
	struct region r = dut_registers(t, .len = WRITE_OCTETS);
	connects(t, .mss = 1460);

	/* when the device sends a tagged message of many segments, */
	unsigned opcode =
		dut_sends_tagged(t, r, 0, WRITE_OCTETS, 0x1234, 0x1000);
	struct message m = awaits_given_message(t, opcode);

	/* then it wastes none of them. */
	should(t, MPA_4_5_05,
	       is("FPDUs shorter than they could be",
		  shorter_than(&m, peer_mulpdu(t)), 0));
}

static const struct path narrow[] = {
	{.id = "mss_88", .mss = 88},
	{.id = "mss_100", .mss = 100},
};

/*
 * The floor is one of MULPDU, which MPA provides: DDP may make all its ULPDUs
 * shorter than that (RFC 5044 s3). Not applicable to such a device.
 */
static void makes_longer_ones(struct test *t, struct region r)
{
	peer_closes(t);
	connects(t);
	unsigned opcode = dut_sends_tagged(t, r, 0, r.len, 0x1234, 0x1000);
	struct message m = awaits_given_message(t, opcode);

	if (largest_ulpdu(&m) < 128)
		not_applicable(t, "the device makes no ULPDU of 128 octets on "
				  "any path");
}

CASE_EACH(mulpdu_has_a_floor, struct path, narrow,
	  .title = "on a path of very small segments MULPDU stays at 128",
	  .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a path whose segments are smaller than that, */
	struct region r = dut_registers(t, .len = 1024);
	connects(t, .mss = row->mss);

	/* when the device sends a tagged message, */
	unsigned opcode = dut_sends_tagged(t, r, 0, 1024, 0x1234, 0x1000);
	struct message m = awaits_message(t, MPA_4_5_04, opcode);

	/* then its FPDUs span segments, unless it makes them as short where
	 * MULPDU is large. */
	if (stays_below(&m, 128))
		makes_longer_ones(t, r);
	must(t, MPA_4_5_04,
	     holds_else(t, "a ULPDU of 128 octets, or none with room for more",
			!stays_below(&m, 128),
			"several in a row below 128, and none of 128"));
}

static const struct path wide[] = {
	{.id = "all_that_tcp_offers", .must = &MPA_3_02, .mss = 0},
	{.id = "mss_1460", .must = &MPA_3_03, .mss = 1460},
};

CASE_EACH(no_ulpdu_above_64768, struct path, wide,
	  .title = "no ULPDU_Length is above 64768, whatever the path is",
	  .needs = NEED_WRITE | NEED_SEND, .role = EITHER)
{
	/* Given a device with large messages to send, */
	struct region r = dut_registers(t, .len = 1024 * 1024);
	connects(t, .mss = row->mss, .rcvbuf = 2 * 1024 * 1024);

	/* when they come, */
	dut_posts(t, POST_WRITE_FROM(r, 0, r.len, 0x1234, 0x1000));
	dut_posts(t, POST_SEND_FROM(r, 0, r.len));
	struct message a = awaits_message(t, MPA_3_02, RDMAP_WRITE);
	struct message b = awaits_message(t, MPA_3_02, RDMAP_SEND);

	/* then no length is one that FPDUPTR could not point back over. */
	must_row(t, row,
		 at_most("largest ULPDU_Length of the Write", largest_ulpdu(&a),
			 64768));
	must_row(t, row,
		 at_most("largest ULPDU_Length of the Send", largest_ulpdu(&b),
			 64768));
}

CASE(the_rest_of_a_segment,
     .title = "an FPDU after another in a TCP segment may be shortened to fit, "
	      "but not below 128 octets",
     .needs = NEED_WRITE | NEED_SEND)
{
	/* Given a Send that leaves 100 octets of a TCP segment, and a Write,
	 * both waiting for the stream to be opened, */
	struct region r = dut_registers(t, .len = 16 * 1024);
	connects(t, .mss = 1460, .unproven = true);
	size_t n = path_emss(t) - 100 - 2 - 18 - 4;
	dut_posts(t, POST_SEND_FROM(r, 0, n));
	dut_posts(t, POST_WRITE_FROM(r, 0, r.len, 0x1234, 0x1000));

	/* when they are sent one after the other, */
	initiator_speaks(t);
	awaits_message(t, MPA_4_5_07, RDMAP_SEND);
	struct message m = awaits_message(t, MPA_4_5_07, RDMAP_WRITE);

	/* then the Write is not cut to the little that is left. */
	if (stays_below(&m, 128))
		makes_longer_ones(t, r);
	must(t, MPA_4_5_07,
	     holds_else(t, "a ULPDU of 128 octets, or none with room for more",
			!stays_below(&m, 128),
			"several in a row below 128, and none of 128"));
	must(t, MPA_4_5_07, stream_works());
}

CASE(mulpdu_may_follow_the_segment,
     .title = "an FPDU after a short one may be shortened to end with its TCP "
	      "segment",
     .needs = NEED_WRITE | NEED_SEND)
{
	/* Given a short Send and a Write, waiting for the stream to open, */
	struct region r = dut_registers(t, .len = 16 * 1024);
	connects(t, .mss = 1460, .unproven = true);
	dut_posts(t, POST_SEND("hello"));
	dut_posts(t, POST_WRITE_FROM(r, 0, r.len, 0x1234, 0x1000));

	/* when they are sent one after the other, */
	initiator_speaks(t);
	awaits(t, DDP_5_3_01, RDMAP_SEND);
	struct message m = awaits_message(t, DDP_5_3_01, RDMAP_WRITE);

	/* then the Write's first segment may be shorter than the others. */
	may(t, MPA_4_5_06,
	    holds("a first segment below MULPDU",
		  m.frames[0]->fpdu->ulpdu_length < path_mulpdu(t)));
}

/* --- how long they may come ------------------------------------------------- */

CASE(writes_of_every_size_are_placed,
     .title = "Writes from the header alone up to MULPDU are placed",
     .needs = NEED_WRITE | NEED_SEND, .role = EITHER)
{
	/* Given a buffer, */
	struct region r = dut_registers(t, .len = 2048, .access = FOR_WRITES);
	connects(t, .mss = 1460);
	size_t most = peer_mulpdu(t) - 14;
	const uint8_t *payload = pattern(t, most, 1);

	/* when Writes with ULPDUs of 14, of 15 and of MULPDU octets come, */
	peer_sends(t, WRITE(r, 0, "", 0));
	peer_sends(t, WRITE(r, 2044, "z", 1));
	peer_sends(t, WRITE(r, 0, payload, most, .segment = most));

	/* then all are placed. */
	must(t, MPA_3_05, stream_works());
	must(t, MPA_3_05, memory_is(r, 0, payload, most));
	must(t, MPA_3_05, memory_is(r, 2044, "z", 1));
}

CASE(sends_of_every_size_are_delivered,
     .title = "Sends from the header alone up to MULPDU are delivered",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given buffers for two Sends, */
	struct sink sinks = dut_posts_recvs(t, 2, 2048);
	connects(t, .mss = 1460);
	size_t most = peer_mulpdu(t) - 18;
	const uint8_t *payload = pattern(t, most, 1);

	/* when Sends with ULPDUs of 18 and of MULPDU octets come, */
	peer_sends(t, SEND(""));
	peer_sends(t, SEND_N(payload, most, .segment = most));

	/* then both are delivered. */
	insists(t, MPA_3_05, stream_works());
	insists(t, RDMAP_5_3_12, delivered_text(sink_at(sinks, 0), ""));
	must(t, MPA_3_05, delivered(sink_at(sinks, 1), payload, most));
}

struct oversize {
	CASE_ROW;
	size_t ulpdu;
};

static const struct oversize oversizes[] = {
	{.id = "4096", .ulpdu = 4096},
	{.id = "16384", .ulpdu = 16384},
	{.id = "64768", .ulpdu = 64768},
};
static const struct oversize illegal_sizes[] = {
	{.id = "64769", .ulpdu = 64769},
	{.id = "65535", .ulpdu = 65535},
};

static const char *what_came(struct test *t, struct sink sink,
			     const uint8_t *due, size_t n)
{
	struct completion c = {0};

	if (known_answer(t))
		c = dut_receives(t, sink);
	else
		c = dut_has_received(t, sink);
	if (!c.ok)
		return how_it_ended(t);
	return dut_received(t, c, due, n) ? "delivered"
					  : "delivered with other octets";
}

CASE_EACH(a_ulpdu_above_mulpdu, struct oversize, oversizes,
	  .title = "the reaction to a ULPDU that is larger than the path's "
		   "MULPDU is recorded",
	  .needs = NEED_SEND, .role = EITHER)
{
	/* Given a path of small TCP segments, and a large buffer, */
	struct sink sink = dut_posts_recv(t, 65536);
	connects(t, .mss = 1460);
	size_t n = row->ulpdu - 18;
	const uint8_t *payload = pattern(t, n, 1);

	/* when one FPDU spans many of them, */
	peer_sends(t, SEND_N(payload, n, .segment = n));

	/* then it may be delivered, or be too much. */
	observe(t, MPA_3_06, "a ULPDU of %zu octets: %s", row->ulpdu,
		what_came(t, sink, payload, n));
}

CASE_EACH(a_ulpdu_above_64768, struct oversize, illegal_sizes,
	  .title = "the reaction to a ULPDU_Length that no sender may use is "
		   "recorded",
	  .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer that would take it, */
	struct sink sink = dut_posts_recv(t, 65536);
	connects(t);
	size_t n = row->ulpdu - 18;
	const uint8_t *payload = pattern(t, n, 1);

	/* when an FPDU is too long, but otherwise right, */
	peer_breaks(t, MPA_3_03);
	peer_sends(t, SEND_N(payload, n, .segment = n));

	/* then it may be delivered, or be too much. */
	observe(t, MPA_3_07, "a ULPDU of %zu octets: %s", row->ulpdu,
		what_came(t, sink, payload, n));
}
