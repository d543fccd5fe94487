/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5041 s4.3: the untagged header, its queue and sequence numbers and its
 * offset. */
#include "case.h"

#define LONG 10240u
#define MSS  1460u

/* --- what the device sends ----------------------------------------------- */

CASE(an_untagged_header_has_18_octets,
     .title = "a Send has an 18-octet DDP header, and its payload "
	      "right after it",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .counts_sends = true);

	/* when the device sends its first Send, */
	dut_posts(t, POST_SEND("hello"));
	const struct frame *f = awaits(t, DDP_4_3_01, RDMAP_SEND);

	/* then QN, MSN and MO are in their places, and so is "hello". */
	must(t, DDP_4_3_01, is("T", f->seg.ddp.tagged, 0));
	must(t, DDP_4_3_01, is("QN", f->seg.ddp.qn, 0));
	must(t, DDP_4_3_01, is("MSN", f->seg.ddp.msn, 1));
	must(t, DDP_4_3_01, is("MO", f->seg.ddp.mo, 0));
	/* A Send may have several segments (s5.2). */
	size_t n = f->seg.payload_octets;
	if (f->seg.ddp.last || n > 5)
		n = 5;
	must(t, DDP_4_3_01, holds("payload in the segment", n > 0));
	must(t, DDP_4_3_01,
	     octets_are(t, "the payload", f->seg.payload, f->seg.payload_octets,
			"hello", n));
}

/* Segments whose octets 1 to 5 are those of the first one. */
static size_t of_the_first_rsvdulp(const struct message *m)
{
	const struct ddp *a = &m->frames[0]->seg.ddp;
	size_t n = 0;

	for (size_t i = 0; i < m->count; i++) {
		const struct ddp *b = &m->frames[i]->seg.ddp;

		n += a->rv == b->rv && a->rdmap_rsvd == b->rdmap_rsvd &&
		     a->opcode == b->opcode && a->inval_stag == b->inval_stag;
	}
	return n;
}

CASE(rsvdulp_is_the_same_in_all_segments_of_a_send,
     .title = "every segment of a Send with Invalidate has the same "
	      "opcode and Invalidate STag",
     .needs = NEED_SEND_INV, .role = EITHER)
{
	/* Given a device with a long message to send, */
	struct region r = dut_registers(t, .len = LONG);
	connects(t, .mss = MSS);

	/* when it sends it as a Send with Invalidate, */
	dut_posts(t, POST_SEND_FROM(r, 0, LONG, .invalidate = true,
				    .inv = 0xabcd1234));
	struct message m = awaits_message(t, DDP_4_3_02, RDMAP_SEND_INV);

	/* then octets 1 to 5 of its headers do not change. */
	must(t, DDP_4_3_02,
	     is("segments with the RsvdULP of the first one",
		of_the_first_rsvdulp(&m), m.count));
	must(t, RDMAP_4_1_20,
	     is("Invalidate STag", m.frames[0]->seg.ddp.inval_stag,
		0xabcd1234));
}

static size_t with_qn(const struct message *m, uint32_t qn)
{
	size_t n = 0;

	for (size_t i = 0; i < m->count; i++)
		n += m->frames[i]->seg.ddp.qn == qn;
	return n;
}

static size_t with_msn(const struct message *m, uint32_t msn)
{
	size_t n = 0;

	for (size_t i = 0; i < m->count; i++)
		n += m->frames[i]->seg.ddp.msn == msn;
	return n;
}

static uint32_t lowest_mo(const struct message *m)
{
	uint32_t mo = UINT32_MAX;

	for (size_t i = 0; i < m->count; i++)
		if (m->frames[i]->seg.ddp.mo < mo)
			mo = m->frames[i]->seg.ddp.mo;
	return mo;
}

CASE(the_segments_of_a_send_share_qn_and_msn,
     .title = "all segments of a message have the same queue and sequence "
	      "number, and the next message has the next number",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a device with a long message and a short one to send, */
	struct region r = dut_registers(t, .len = LONG);
	connects(t, .mss = MSS, .counts_sends = true);

	/* when it sends them, */
	dut_posts(t, POST_SEND_FROM(r, 0, LONG));
	dut_posts(t, POST_SEND("short"));
	struct message m = awaits_message(t, DDP_4_3_04, RDMAP_SEND);
	struct message next = awaits_message(t, DDP_4_3_08, RDMAP_SEND);

	/* then the sequence number counts messages, and not segments; offsets
	 * start from zero. */
	must(t, DDP_4_3_04, is("segments with QN 0", with_qn(&m, 0), m.count));
	must(t, DDP_4_3_08,
	     is("segments with MSN 1", with_msn(&m, 1), m.count));
	must(t, DDP_4_3_08,
	     is("segments of the next message with MSN 2", with_msn(&next, 2),
		next.count));
	must(t, DDP_4_3_12, is("the lowest MO", lowest_mo(&m), 0));
}

CASE(each_queue_starts_with_msn_one,
     .title = "the first Send, Read Request and Terminate have MSN 1, "
	      "each on its own queue",
     .needs = NEED_SEND | NEED_READ, .role = EITHER)
{
	/* Given a stream, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_RESPONSES);
	connects(t, .counts_reads = true, .counts_sends = true);

	/* when the device uses each queue for the first time, */
	dut_posts(t, POST_SEND("hello"));
	const struct frame *send = awaits(t, DDP_4_3_05, RDMAP_SEND);
	dut_posts(t, POST_READ(r, 0, 8, 0x1234, 0x1000));
	const struct frame *read = awaits(t, DDP_4_3_05, RDMAP_READ_REQUEST);
	peer_sends(t, READ_FROM(stag_never_issued(t), 0, 8));
	const struct frame *end = awaits_given(t, RDMAP_TERMINATE);

	/* then it counts from one on each of them. */
	must(t, DDP_4_3_05, is("MSN on queue 0", send->seg.ddp.msn, 1));
	must(t, DDP_4_3_05, is("MSN on queue 1", read->seg.ddp.msn, 1));
	must(t, DDP_4_3_05, is("MSN on queue 2", end->seg.ddp.msn, 1));
}

CASE(msns_count_messages_of_their_queue,
     .title = "MSN grows by one with each message of its queue, whatever is "
	      "sent on other queues",
     .needs = NEED_SEND | NEED_READ, .role = EITHER)
{
	/* Given a stream, and five Sends with three Reads between them, */
	static const char order[8] = "SRSRSRSS";
	static const uint8_t due[8] = {1, 1, 2, 2, 3, 3, 4, 5};
	struct region r = dut_registers(t, .len = 8, .access = FOR_RESPONSES);
	uint8_t seen[8];
	connects(t, .counts_reads = true, .counts_sends = true);

	/* when the device sends them, */
	for (unsigned i = 0; i < 8; i++)
		dut_posts(t, order[i] == 'S'
				     ? POST_SEND("hello")
				     : POST_READ(r, 0, 8, 0x1234, 0x1000));
	for (unsigned i = 0; i < 8; i++) {
		const struct frame *f = awaits(
			t, DDP_4_3_06,
			order[i] == 'S' ? RDMAP_SEND : RDMAP_READ_REQUEST);

		seen[i] = (uint8_t)f->seg.ddp.msn;
		if (order[i] == 'R')
			peer_sends(t, READ_RESPONSE(f, "octets 8", 8));
	}

	/* then those on queue 0 are 1 to 5, those on queue 1 are 1 to 3. */
	must(t, DDP_4_3_06, octets_are(t, "the MSNs", seen, 8, due, 8));
}

CASE(a_sent_msn_wraps_to_zero,
     .title = "the message after MSN ffffffff has MSN 0",
     .needs = NEED_SEND | NEED_MSN_PRESET, .role = EITHER)
{
	/* Given a stream whose next sequence number is the highest, */
	connects(t, .dut_msn = 0xffffffff, .counts_sends = true);

	/* when the device sends two Sends, */
	dut_posts(t, POST_SEND("last"));
	dut_posts(t, POST_SEND("first"));
	const struct frame *last = awaits(t, DDP_4_3_09, RDMAP_SEND);
	const struct frame *first = awaits(t, DDP_4_3_09, RDMAP_SEND);

	/* then the sequence number wraps to zero. */
	must(t, DDP_4_3_09, is("MSN", last->seg.ddp.msn, 0xffffffff));
	must(t, DDP_4_3_09, is("the next MSN", first->seg.ddp.msn, 0));
}

/* --- messages to the device ---------------------------------------------- */

CASE(a_received_msn_wraps_to_zero,
     .title = "a Send with MSN 0 is accepted after one with MSN ffffffff",
     .needs = NEED_SEND | NEED_MSN_PRESET, .role = EITHER)
{
	/* Given a stream whose next sequence number is the highest, */
	struct sink sinks = dut_posts_recvs(t, 2, 16);
	connects(t, .dut_msn = 0xffffffff);

	/* when the peer sends two Sends, */
	peer_sends(t, SEND("last", .msn = IS(0xffffffff)));
	peer_sends(t, SEND("first", .msn = IS(0)));

	/* then both are delivered. */
	must(t, DDP_4_3_10, delivered_text(sink_at(sinks, 0), "last"));
	must(t, DDP_4_3_10, delivered_text(sink_at(sinks, 1), "first"));
}

CASE(msns_of_one_queue_do_not_move_another,
     .title = "the first Read Request has MSN 1, however many Sends "
	      "came before",
     .needs = NEED_SEND | NEED_READ)
{
	/* Given a stream on which nothing was sent yet, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_READS);
	struct sink sinks = dut_posts_recvs(t, 5, 16);
	dut_fills(t, r, 0, "12345678", 8);
	peer_connects(t, .unproven = true);

	/* when five Sends use queue 0, and then a Read Request queue 1, */
	peer_sends(t, SEND("first", .msn = IS(1)));
	for (unsigned i = 1; i < 5; i++)
		peer_sends(t, SEND("hello", .msn = IS(1 + i)));
	peer_sends(t, READ(r, 0, 8, .msn = IS(1)));
	struct message m = awaits_message(t, DDP_4_3_07, RDMAP_READ_RESPONSE);

	/* then all of them are in sequence. */
	must(t, DDP_4_3_11, delivered_text(sink_at(sinks, 0), "first"));
	must(t, DDP_4_3_07, delivered_text(sink_at(sinks, 4), "hello"));
	must(t, DDP_4_3_07,
	     octets_are(t, "the Read Response", m.octets, m.n, "12345678", 8));
}

CASE(a_segment_is_placed_at_its_mo,
     .title = "the segments of a Send are placed at their MO",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer for a Send, */
	struct sink sink = dut_posts_recv(t, 2000);
	const uint8_t *p = pattern(t, 1600, 1);
	connects(t);

	/* when one arrives in two segments, MO 0 and MO 1000, */
	peer_sends(t, SEND_N(p, 1600, .segment = 1000));

	/* then its octets follow each other. */
	must(t, DDP_4_3_13, delivered(sink, p, 1600));
}

CASE(rsvdulp_of_any_segment_will_do,
     .title = "a Send whose segments disagree about its opcode is "
	      "delivered as either, or refused",
     .needs = NEED_SEND | NEED_SEND_SE, .role = EITHER)
{
	/* Given a buffer for a Send, */
	struct sink sink = dut_posts_recv(t, 16);
	connects(t);

	/* when its first segment says Send, and its last Send with SE, */
	peer_breaks(t, DDP_4_3_02);
	peer_sends(t, SEND("hell", .l = IS(0), .keeps_msn = true));
	peer_sends(t, SEND_KIND(RDMAP_SEND_SE, "o", 1, .mo = IS(4)));

	/* then a device may take either for the truth, or neither. */
	may(t, DDP_4_3_03,
	    any_of(t, delivered_text(sink, "hello"), stream_ends()));
}
