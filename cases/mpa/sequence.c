/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5044 s4.3: markers keep their places when the sequence numbers of TCP
 * start again from 0, and when nothing was sent for a while. */
#include "case.h"

#define WRAP_WITHIN (1024u * 1024)

/* Places without a marker: neither half of the octets there is like one. */
static uint64_t wrong_markers(const struct message *m)
{
	uint64_t wrong = 0;

	for (size_t i = 0; i < m->count; i++) {
		const struct frame *f = m->frames[i];
		uint32_t start = frame_offset(f),
			 at = (start + 511) / 512 * 512;
		uint32_t header = at == start ? start + 4 : start;
		unsigned due = 0;

		for (; at < start + f->n; at += 512, due++)
			if (due < f->fpdu->marker_count)
				wrong +=
					f->fpdu->marker[due].reserved &&
					f->fpdu->marker[due].fpduptr !=
						(at < header ? 0 : at - header);
		wrong += f->fpdu->marker_count != due;
	}
	return wrong;
}

CASE(what_a_device_sends_across_the_wrap,
     .title = "a sender's markers stay 512 octets apart when its TCP sequence "
	      "numbers wrap",
     .needs = NEED_WRITE | NEED_MARKERS_TX, .segments = true)
{
	/* Given a connection on which the device's numbers wrap within a MiB
	 * (others are reset before its MPA learns of them), */
	struct region r = dut_registers(t, .len = WRAP_WITHIN);
	const uint8_t *data = pattern(t, WRAP_WITHIN, 1);
	dut_fills(t, r, 0, data, WRAP_WITHIN);
	connects(t, .markers = true, .dut_isn_least = 0u - WRAP_WITHIN);

	/* when it sends more than that, */
	dut_posts(t, POST_WRITE_FROM(r, 0, WRAP_WITHIN, 0x1234, 0x1000));
	struct message m = awaits_message(t, MPA_4_3_06, RDMAP_WRITE);

	/* then all markers are where they are due, and nowhere else. */
	must(t, MPA_4_3_06, is("wrong markers", wrong_markers(&m), 0));
	insists(t, DDP_5_2_03, is("octets", m.n, WRAP_WITHIN));
	must(t, MPA_4_3_06,
	     octets_are(t, "payload between them", m.octets, m.n, data,
			WRAP_WITHIN));
	must(t, MPA_4_3_06, stream_works());
}

struct wrap {
	CASE_ROW;
	struct order order;
};

static const unsigned char in_order[] = {1, 2}, header_last[] = {2, 1};

static const struct wrap wraps[] = {
	{.id = "in_order", .order = {in_order, 2}},
	{.id = "header_last", .order = {header_last, 2}},
};

#define STARTUP_OCTETS 20u
#define HEADER_AT      440u
#define WRAP_AT        500u

CASE_EACH(what_a_device_receives_across_the_wrap, struct wrap, wraps,
	  .title = "markers point back across the wrap of TCP sequence numbers",
	  .needs = NEED_SEND | NEED_MARKERS_RX, .segments = true,
	  .role = EITHER)
{
	/* Given a device that strips a marker inside an FPDU, */
	struct sink first = dut_posts_recv(t, 1024);
	connects(t, .dut_markers = true);
	peer_sends(t, SEND_N(pattern(t, 600, 3), 600));
	insists(t, MPA_4_3_17, delivered(first, pattern(t, 600, 3), 600));
	peer_closes(t);

	/* and that wants them of a peer whose sequence numbers
	 * wrap 12 octets before the second one, */
	const uint8_t *data = pattern(t, 500, 1);
	connects(t, .dut_markers = true,
		 .isn = IS((uint32_t)(0u - 1 - STARTUP_OCTETS - WRAP_AT)));
	struct sink sinks = dut_posts_recvs(t, 2, 1024);
	size_t n = send_payload_up_to(t, HEADER_AT);
	peer_sends(t, SEND_N(data, n));

	/* when an FPDU begins before that place, and has a marker after it, */
	peer_sends(t, SEND_N(data, 500), .cuts = CUT_AFTER(40),
		   .order = row->order);

	/* then it is delivered, and the next one taken. */
	must(t, MPA_4_3_07, delivered(sink_at(sinks, 0), data, n));
	must(t, MPA_4_3_07, delivered(sink_at(sinks, 1), data, 500));
	must(t, MPA_4_3_07, stream_works());
}

/* Longer than a retransmission timeout has to be (RFC 6298 s2.4): from then on
 * TCP counts as idle (RFC 5681 s4.1). */
#define IDLE_MS 1050

CASE(what_a_device_sends_after_a_pause,
     .title = "a sender's markers continue in phase after a pause",
     .needs = NEED_SEND | NEED_MARKERS_TX, .role = EITHER, .waits = true)
{
	/* Given a device that has sent octets with markers, */
	const uint8_t *data = pattern(t, 1200, 1);
	connects(t, .markers = true);
	dut_posts(t, POST_SEND_N(data, 700));
	struct message before = awaits_message(t, MPA_4_3_24, RDMAP_SEND);

	/* when it sends more after a pause (only time makes one), */
	all_is_quiet(t, IDLE_MS);
	dut_posts(t, POST_SEND_N(data, 1200));
	struct message after = awaits_message(t, MPA_4_3_24, RDMAP_SEND);

	/* then markers are counted from the original place. */
	must(t, MPA_4_3_24, is("wrong markers", wrong_markers(&before), 0));
	must(t, MPA_4_3_24,
	     is("wrong markers after the pause", wrong_markers(&after), 0));
	must(t, MPA_4_3_24,
	     octets_are(t, "payload between them", after.octets, after.n, data,
			1200));
	must(t, MPA_4_3_24, stream_works());
}
