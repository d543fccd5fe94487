/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5044 s7.1.1: what the startup of one stream has agreed on is no concern
 * of another stream of the same device, nor is what one stream has left
 * unfinished. */
#include "case.h"

struct beside {
	CASE_ROW;
	bool first; /* the first of the two streams has it, or the second */
};

static const struct beside which[] = {
	{.id = "the_first", .first = true},
	{.id = "the_second"},
};

CASE_EACH(crcs_of_one_stream_only, struct beside, which,
	  .title = "CRCs are sent and checked on the one of two streams whose "
		   "peer requires them, and not checked on the other",
	  .needs = NEED_CRC_OFF | NEED_SEND | NEED_MULTI_STREAM, .role = EITHER)
{
	/* Given one stream with CRCs, and one where both sides want none, */
	unsigned stream[2];
	for (unsigned i = 0; i < 2; i++)
		stream[i] = connects(t, .dut_crc = OFF,
				     .crc = row->first == !i ? ON : OFF);
	unsigned with = stream[!row->first], without = stream[row->first];

	/* when a Send with a wrong CRC comes on each, and the device sends on
	 * the first, */
	on_stream(t, without);
	insists(t, MPA_4_1_13, stream_works());
	struct sink taken = dut_posts_recv(t, 64);
	peer_sends(t, SEND("not checked", .crc = CRC_WRONG));
	must(t, MPA_4_4_06, delivered_text(taken, "not checked"));
	on_stream(t, with);
	struct sink sink = dut_posts_recv(t, 64);
	dut_posts(t, POST_SEND("hello"));
	const struct frame *f = awaits(t, MPA_4_4_04, RDMAP_SEND);
	peer_sends(t, SEND("checked", .crc = CRC_WRONG));

	/* then its CRC is right, and the wrong one is found. */
	must(t, MPA_4_4_04,
	     holds_of(f, "the CRC of the device's Send is right", f->crc_ok,
		      NULL));
	must(t, MPA_4_4_05, stream_ends_or_stalls());
	must(t, MPA_4_4_05, not_delivered(sink));
	should(t, MPA_8_02, crc_error_reported(t));
}

/* Several markers. */
#define MUCH 3000u

CASE_EACH(markers_of_one_stream_only, struct beside, which,
	  .title = "markers are sent on the one of two streams whose peer asks "
		   "for them, and not on the other",
	  .needs = NEED_MARKERS_TX | NEED_WRITE | NEED_MULTI_STREAM,
	  .role = EITHER)
{
	/* Given one stream with markers, and one without, */
	struct region r = dut_registers(t, .len = MUCH);
	const uint8_t *p = pattern(t, MUCH, 1);
	unsigned stream[2];
	dut_fills(t, r, 0, p, MUCH);
	for (unsigned i = 0; i < 2; i++)
		stream[i] = connects(t, .markers = row->first == !i);

	/* when the device sends the same on each, then the peer, which expects
	 * them on one, reads it on both. */
	for (unsigned i = 0; i < 2; i++) {
		on_stream(t, stream[i]);
		dut_posts(t, POST_WRITE_FROM(r, 0, MUCH, 0x1234, 0x1000));
		if (row->first == !i) {
			struct message m =
				awaits_message(t, MPA_4_3_01, RDMAP_WRITE);
			must(t, MPA_4_3_01,
			     octets_are(t, "the Write with markers", m.octets,
					m.n, p, MUCH));
		} else {
			struct message m =
				awaits_message(t, MPA_7_1_1_07, RDMAP_WRITE);
			must(t, MPA_7_1_1_07,
			     octets_are(t, "the Write without markers",
					m.octets, m.n, p, MUCH));
		}
	}
}

CASE_EACH(markers_expected_of_one_stream_only, struct beside, which,
	  .title = "markers are expected on the one of two streams for which "
		   "the device has asked, and not on the other",
	  .needs = NEED_MARKERS_RX | NEED_WRITE | NEED_MULTI_STREAM,
	  .role = EITHER)
{
	/* Given one stream for which the device asks for markers, and one for
	 * which it does not, */
	struct region r =
		dut_registers(t, .len = 2 * MUCH, .access = FOR_WRITES);
	const uint8_t *p = pattern(t, 2 * MUCH, 2);
	unsigned stream[2];
	for (unsigned i = 0; i < 2; i++) {
		stream[i] = connects(t, .dut_markers = row->first == !i,
				     .unproven = true);
		if (case_role(t) == INITIATOR)
			initiator_speaks(t);
	}

	/* when the peer writes on each, then all octets are placed. */
	for (unsigned i = 0; i < 2; i++) {
		on_stream(t, stream[i]);
		peer_sends(t, WRITE(r, i * MUCH, p + i * MUCH, MUCH));
		if (row->first == !i)
			must(t, MPA_4_3_20,
			     memory_is(r, i * MUCH, p + i * MUCH, MUCH));
		else
			must(t, MPA_4_3_23,
			     memory_is(r, i * MUCH, p + i * MUCH, MUCH));
	}
}

CASE(half_an_fpdu_ends_with_its_stream,
     .title = "the first FPDU of a stream is taken behind a stream that ended "
	      "inside an FPDU",
     .needs = NEED_SEND | NEED_MPA, .role = EITHER)
{
	/* Given a stream that has ended in the middle of a Send, */
	connects(t);
	dut_posts_recv(t, 64);
	peer_sends(t, SEND("partial"), .keep_last = 6);
	peer_closes(t);
	dut_ends(t);

	/* when the next is up, and its first FPDU has a Send, */
	connects(t, .unproven = true);
	struct sink sink = dut_posts_recv(t, 64);
	if (case_role(t) == INITIATOR) {
		dut_posts_opening(t);
		awaits_given(t, RDMAP_WRITE);
	}
	peer_sends(t, SEND("whole"));

	/* then it is delivered as it is. */
	must(t, RDMAP_5_3_02, delivered_text(sink, "whole"));
	must(t, RDMAP_5_3_02, stream_works());
}

CASE(each_responder_waits_for_an_fpdu,
     .title =
	     "a responder sends no FPDU on a stream before it has received one "
	     "there, although another stream is in use",
     .needs = NEED_SEND | NEED_MULTI_STREAM)
{
	/* Given a stream that works, and one on which nothing followed the
	 * startup frames, */
	unsigned first = peer_connects(t);
	unsigned second = peer_connects(t, .unproven = true);

	/* when a Send is queued on the second, and the first goes on, */
	on_stream(t, second);
	dut_posts(t, POST_SEND("second"));
	on_stream(t, first);
	dut_posts(t, POST_SEND("first"));
	awaits_given(t, RDMAP_SEND);

	/* then no octet comes on the second until it has a valid FPDU. */
	on_stream(t, second);
	must(t, MPA_7_1_2_16, nothing_more());
	peer_sends(t, WRITE_TO(0, 0, "", 0));
	awaits(t, MPA_7_1_2_19, RDMAP_SEND);
	must(t, MPA_7_1_2_16, stream_works());
}
