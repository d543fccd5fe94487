/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5040 s4.8, s5.4, s6.2.1: the device receives a Terminate Message. It MAY
 * tear TCP down at once then, or leave that to the peer: the peer closes after
 * its own Terminate.
 */
#include "case.h"

#define MIB (1u << 20)

static const char *not_in_error(const struct completion *c)
{
	return c->came ? "it completes with success" : "no completion";
}

CASE(a_terminate_is_told_to_the_consumer,
     .title = "a Terminate from the peer reaches the ULP, with its layer, type "
	      "and code",
     .needs = NEED_TERMINATE, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the peer terminates it, */
	peer_sends(t, TERMINATE(TERM_RDMA, 1, 0x00));
	peer_closes(t);

	/* then it is reported to the consumer. */
	must(t, RDMAP_5_4_04, agent_sees_terminate(TERM_RDMA, 1, 0x00));
}

CASE(a_terminate_after_a_half_close_is_told,
     .title = "a Terminate that arrives after the ULP's half-close is reported "
	      "to it",
     .needs = NEED_TERMINATE | NEED_SEND | NEED_HALF_CLOSE, .role = EITHER)
{
	/* Given a device that goes on receiving after its half-close, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = true);
	dut_half_closes(t);
	peer_sends(t, SEND("before"));
	if (!dut_receives(t, sink).ok)
		not_applicable(t, "the device receives nothing after its ULP's "
				  "half-close");

	/* when the peer terminates the stream, */
	peer_sends(t, TERMINATE(TERM_RDMA, 1, 0x00));
	peer_closes(t);

	/* then it is reported to the consumer. */
	must(t, RDMAP_5_4_04, agent_sees_terminate(TERM_RDMA, 1, 0x00));
}

CASE(a_send_before_a_terminate_is_delivered,
     .title = "a Send that arrives directly before a Terminate is delivered",
     .needs = NEED_TERMINATE | NEED_SEND, .role = EITHER)
{
	/* Given a receive, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when a Send and a Terminate come in one burst, */
	peer_sends(t, SEND("before"), .hold = true);
	peer_sends(t, TERMINATE(TERM_RDMA, 1, 0x00));
	peer_closes(t);
	dut_has_its_turn(t);

	/* then the consumer gets both. */
	must(t, DDP_5_4_01, delivered_text(sink, "before"));
	must(t, RDMAP_5_4_04, agent_sees_terminate(TERM_RDMA, 1, 0x00));
}

CASE(reserved_bits_of_a_terminate_are_ignored,
     .title = "a Terminate whose 13 reserved bits are set is accepted like any "
	      "other",
     .needs = NEED_TERMINATE, .role = EITHER)
{
	/* Given a device that reports a right Terminate, */
	struct msg m = TERMINATE(TERM_DDP, 2, 0x05);
	connects(t, .crc = true);
	peer_sends(t, m);
	peer_closes(t);
	insists(t, RDMAP_5_4_04, agent_sees_terminate(TERM_DDP, 2, 0x05));

	/* when the peer terminates another stream, all reserved bits set, */
	connects(t, .crc = true);
	m.terminate.reserved = 0x1fff;
	peer_sends(t, m);
	peer_closes(t);

	/* then its numbers are reported to the consumer. */
	must(t, RDMAP_4_8_08, agent_sees_terminate(TERM_DDP, 2, 0x05));
}

struct form {
	CASE_ROW;
	unsigned layer, etype, code;
	bool m, d, r;
	const char *header; /* the DDP header, where D is set */
	size_t octets;
};

#define WRITE_HEADER "\xc1\x40\x11\x22\x33\x44\0\0\0\0\0\0\x10\0"
#define SEND_HEADER  "\x41\x43\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0"
#define READ_HEADER  "\x41\x41\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0\0"

static const struct form forms[] = {
	{.id = "no_header", .layer = TERM_LLP, .etype = 0, .code = 0x02},
	{.id = "length",
	 .layer = TERM_RDMA,
	 .etype = 2,
	 .code = 0x06,
	 .m = true},
	{.id = "tagged_header",
	 .layer = TERM_DDP,
	 .etype = 1,
	 .code = 0x00,
	 .m = true,
	 .d = true,
	 .header = WRITE_HEADER,
	 .octets = 14},
	{.id = "untagged_header",
	 .layer = TERM_DDP,
	 .etype = 2,
	 .code = 0x05,
	 .m = true,
	 .d = true,
	 .header = SEND_HEADER,
	 .octets = 18},
	{.id = "read_request",
	 .layer = TERM_RDMA,
	 .etype = 1,
	 .code = 0x01,
	 .m = true,
	 .d = true,
	 .r = true,
	 .header = READ_HEADER,
	 .octets = 18},
};

CASE_EACH(every_form_of_a_terminate_is_understood, struct form, forms,
	  .title = "a Terminate is understood whatever headers it returns",
	  .needs = NEED_TERMINATE, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the peer terminates it, and returns so much, */
	struct msg m = TERMINATE(row->layer, row->etype, row->code);
	m.terminate.m = row->m;
	m.terminate.d = row->d;
	m.terminate.r = row->r;
	m.terminate.has_segment_length = row->m;
	m.terminate.segment_length = 40;
	m.terminate.ddp_header = (const uint8_t *)row->header;
	m.terminate.ddp_header_octets = row->octets;
	m.terminate.rdma_header = row->r ? octets_of(t, 28, 0x11) : NULL;
	peer_sends(t, m);
	peer_closes(t);

	/* then its numbers are reported to the consumer, and the stream ends. */
	must(t, RDMAP_4_8_29,
	     agent_sees_terminate(row->layer, row->etype, row->code));
	must(t, RDMAP_7_01, stream_ends());
}

CASE(a_terminate_uses_no_receive,
     .title = "a Terminate is reported to the ULP and completes no receive",
     .needs = NEED_TERMINATE | NEED_SEND, .role = EITHER)
{
	/* Given five buffers waiting for Sends, */
	struct sink sinks = dut_posts_recvs(t, 5, 64);
	connects(t, .crc = true);

	/* when the peer terminates the stream, */
	peer_sends(t, TERMINATE(TERM_RDMA, 1, 0x00));
	peer_closes(t);

	/* then none of them completes with success. */
	must(t, RDMAP_5_4_04, agent_sees_terminate(TERM_RDMA, 1, 0x00));
	must(t, RDMAP_5_4_02, not_delivered(sinks));
}

static uint64_t numbers_of(const struct frame *f)
{
	struct rdmap_terminate h = case_terminate_of(f);

	return (uint64_t)h.layer << 12 | h.etype << 8 | h.code;
}

CASE(there_is_always_room_for_a_terminate,
     .title = "a Terminate is delivered even if no receive is posted and a "
	      "Read waits for the peer's window",
     .needs = NEED_TERMINATE | NEED_READ | NEED_ENHANCED, .role = EITHER)
{
	/* Given an IRD of one, used by a Response that is held back, */
	struct region region =
		dut_registers(t, .len = 6 * MIB, .access = FOR_READS);
	connects(t, .enhanced = true, .dut_ird = 1, .ord = 1, .rcvbuf = 65536);
	peer_sends(t, READ(region, 0, 6 * MIB));
	const struct frame *f = next_frame(t);
	insists(t, RDMAP_4_8_31,
		holds_of(f, "no Terminate",
			 !f || f->seg.ddp.opcode != RDMAP_TERMINATE, NULL));

	/* when the peer terminates the stream, */
	peer_sends(t, TERMINATE(TERM_RDMA, 1, 0x00));
	peer_closes(t);

	/* then the consumer learns of it, perhaps only when the device can send
	 * again, and a missing buffer is not reported. */
	if (dut_has_an_agent(t)) {
		dut_has_its_turn(t);
		while (!dut_state(t).has_terminate && next_frame(t))
			continue;
	}
	must(t, RDMAP_5_4_04, agent_sees_terminate(TERM_RDMA, 1, 0x00));
	must(t, RDMAP_5_4_03,
	     any_of(t, no_terminate(),
		    is_not("layer, type and code", numbers_of(the_terminate(t)),
			   0x1202)));
}

struct malformed {
	CASE_ROW;
	bool d;
	size_t octets; /* of the message, from its control word on */
};

static const struct malformed malformed[] = {
	{.id = "empty", .octets = 0},
	{.id = "1_octet", .octets = 1},
	{.id = "2_octets", .octets = 2},
	{.id = "3_octets", .octets = 3},
	{.id = "d_without_a_header", .d = true, .octets = 4},
	{.id = "d_with_a_length_only", .d = true, .octets = 6},
	{.id = "d_with_half_a_header", .d = true, .octets = 15},
};

CASE_EACH(a_malformed_terminate_surfaces_an_error, struct malformed, malformed,
	  .title = "a Terminate that is too short ends the stream, for the "
		   "ULP, too",
	  .needs = NEED_TERMINATE, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the peer's Terminate lacks octets that it announces, */
	peer_sends(t, OPCODE(RDMAP_TERMINATE,
			     row->d ? "\x11\x00\xc0\x00\x00\x12" WRITE_HEADER
				    : "\x01\x00\x00\x00",
			     row->octets, .qn = IS(DDP_QN_TERMINATE)));

	/* then the consumer learns of it, and the stream ends, when the peer has
	 * closed at the latest. A close in order says nothing of the Terminate
	 * where the peer closed first. */
	bool first = the_terminate(t) || strcmp(how_tcp_stands(t), "open") != 0;
	peer_closes(t);
	must(t, RDMAP_5_4_05,
	     first ? agent_sees_end() : agent_sees_fatal_end());
	must(t, RDMAP_5_4_05, stream_ends());
}

static const struct malformed invalid[] = {
	{.id = "mo_4", .octets = 4},
	{.id = "ddp_version_2", .d = true, .octets = 4},
};

CASE_EACH(a_terminate_is_validated, struct malformed, invalid,
	  .title = "a Terminate with a wrong MO or DDP version ends the "
		   "stream, for the ULP, too",
	  .needs = NEED_TERMINATE, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when one field of the peer's Terminate is wrong, */
	peer_sends(t, TERMINATE(TERM_RDMA, 1, 0x00, .mo = IS(row->d ? 0 : 4),
				.dv = IS(row->d ? 2 : 1)));

	/* then the consumer learns of it, and the stream ends, when the peer has
	 * closed at the latest. A close in order says nothing of the Terminate
	 * where the peer closed first. */
	bool first = the_terminate(t) || strcmp(how_tcp_stands(t), "open") != 0;
	peer_closes(t);
	must(t, RDMAP_7_2_16,
	     first ? agent_sees_end() : agent_sees_fatal_end());
	must(t, RDMAP_7_2_16, stream_ends());
}

CASE(half_a_terminate,
     .title =
	     "the reaction to a Terminate without its last segment is recorded",
     .needs = NEED_TERMINATE | NEED_SEND, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the peer sends a Terminate with L=0 and no more of it, */
	peer_sends(t, TERMINATE(TERM_RDMA, 1, 0x00, .l = IS(0)));

	/* then the device waits for the rest and continues meanwhile, or ends:
	 * it was there for the second Send when the first had arrived. */
	bool waits = true;
	for (unsigned i = 0; i < 2 && waits; i++) {
		dut_posts(t, POST_SEND("so far", .may_refuse = true));
		const struct frame *f = next_frame(t);
		waits = f && f->seg.ddp.opcode == RDMAP_SEND;
	}
	observe(t, RDMAP_5_4_08, "%s",
		waits ? "the device waits for the rest" : how_it_ended(t));
}

CASE(work_not_sent_completes_in_error,
     .title = "work that was not yet sent when a Terminate arrives completes "
	      "in error",
     .needs = NEED_TERMINATE | NEED_READ | NEED_SEND | NEED_ENHANCED,
     .role = EITHER)
{
	/* Given one Read under way, and one that has to wait for it, */
	struct region sink =
		dut_registers(t, .len = 16, .access = FOR_RESPONSES);
	connects(t, .enhanced = true, .dut_ord = 1, .ird = 1);
	dut_posts(t, POST_READ(sink, 0, 8, PEER_SINK_STAG, 0));
	unsigned unsent =
		dut_posts(t, POST_READ(sink, 8, 8, PEER_SINK_STAG, 8));
	unsigned behind = dut_posts(t, POST_SEND("behind it"));
	awaits_given(t, RDMAP_READ_REQUEST);
	bool overtaken = frames_waiting(t) &&
			 frame_ahead(t)->seg.ddp.opcode == RDMAP_SEND;
	insists(t, RDMAP_5_5_10, holds("no Send ahead of a Read", !overtaken));
	insists(t, RDMAP_6_1_02, nothing_more());

	/* when the peer terminates the stream, */
	peer_sends(t, TERMINATE(TERM_RDMA, 1, 0x00));
	peer_closes(t);

	/* then both pending ones are reported as not done. */
	struct completion c = dut_completes(t, unsent);
	must(t, RDMAP_5_4_06,
	     holds_else(t, "the Read completes in error", c.came && !c.ok, "%s",
			not_in_error(&c)));
	c = dut_completes(t, behind);
	must(t, RDMAP_5_4_06,
	     holds_else(t, "the Send completes in error", c.came && !c.ok, "%s",
			not_in_error(&c)));
}

CASE(a_send_cut_off_does_not_complete,
     .title = "a Send that ends before its last segment when a Terminate "
	      "arrives does not complete with success",
     .needs = NEED_TERMINATE | NEED_SEND | NEED_MPA, .role = INITIATOR)
{
	/* Given a peer with little room, and a Send larger than all buffers on
	 * the way, */
	struct region region = dut_registers(t, .len = 8 * MIB);
	connects(t, .rcvbuf = 65536);
	unsigned id = dut_posts(t, POST_SEND_FROM(region, 0, 8 * MIB));
	bool whole = awaits_given(t, RDMAP_SEND)->seg.ddp.last;

	/* when the peer terminates the stream, and then takes what comes, */
	peer_sends(t, TERMINATE(TERM_RDMA, 1, 0x00));
	peer_closes(t);
	dut_has_its_turn(t);
	peer_makes_room(t);
	for (const struct frame *f; (f = next_frame(t));)
		whole |= f->seg.ddp.opcode == RDMAP_SEND && f->seg.ddp.last;
	if (whole)
		not_applicable(t, "the device sends all of the Send");
	if (strcmp(how_tcp_stands(t), "FIN") != 0)
		not_applicable(t, "the last segment may be lost: %s",
			       how_it_ended(t));

	/* then a Send whose last segment was not sent is not complete. */
	must(t, RDMAP_5_5_18, not_completed(id));
}

CASE(an_atomic_outstanding_does_not_succeed,
     .title = "an atomic that is not answered does not complete with success "
	      "when a Terminate arrives",
     .needs = NEED_TERMINATE | NEED_FETCHADD, .role = INITIATOR)
{
	/* Given an atomic whose Request the peer has, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_RESULTS);
	connects(t, .crc = true);
	unsigned id =
		dut_posts(t, POST_FETCHADD(region, 0, PEER_SINK_STAG, 0, 1));
	awaits_given(t, RDMAP_ATOMIC_REQUEST);

	/* when the peer terminates the stream, */
	peer_sends(t, TERMINATE(TERM_RDMA, 1, 0x00));
	peer_closes(t);

	/* then it is reported as not done. */
	must(t, RDMAP_5_4_04, agent_sees_terminate(TERM_RDMA, 1, 0x00));
	must(t, RDMAPX_5_4_07, not_completed(id));
	struct completion c = dut_completes(t, id);
	should(t, RDMAP_6_2_1_05,
	       holds_else(t, "the atomic completes in error", c.came && !c.ok,
			  "%s", not_in_error(&c)));
}

CASE(what_is_outstanding_counts_as_failed,
     .title = "an outstanding Read completes in error when a Terminate "
	      "arrives",
     .needs = NEED_TERMINATE | NEED_READ, .role = EITHER)
{
	/* Given a Read under way, */
	struct region sink =
		dut_registers(t, .len = 16, .access = FOR_RESPONSES);
	connects(t, .crc = true);
	unsigned id = dut_posts(t, POST_READ(sink, 0, 8, PEER_SINK_STAG, 0));
	awaits_given(t, RDMAP_READ_REQUEST);

	/* when the peer terminates the stream, */
	peer_sends(t, TERMINATE(TERM_RDMA, 1, 0x00));
	peer_closes(t);

	/* then it is reported as not done. RFC 5040 s6.2.1 speaks of RDMA
	 * Messages: a receive without one need not complete. */
	struct completion c = dut_completes(t, id);
	should(t, RDMAP_6_2_1_05,
	       holds_else(t, "the Read completes in error", c.came && !c.ok,
			  "%s", not_in_error(&c)));
	must(t, RDMAP_5_4_04, agent_sees_terminate(TERM_RDMA, 1, 0x00));
}

CASE(sending_may_stop_when_a_terminate_has_come,
     .title = "a sending device may stop when a Terminate arrives, and closes",
     .needs = NEED_TERMINATE | NEED_WRITE, .role = EITHER)
{
	/* Given a device with a large Write under way, */
	struct region region = dut_registers(t, .len = MIB / 4);
	connects(t, .rcvbuf = 4096);
	dut_posts(t, POST_WRITE_FROM(region, 0, MIB / 4, PEER_SINK_STAG, 0));
	awaits_given(t, RDMAP_WRITE);

	/* when the peer terminates the stream, */
	peer_sends(t, TERMINATE(TERM_RDMA, 1, 0x00));
	peer_closes(t);

	/* then the device stops or finishes, and closes. */
	must(t, RDMAP_5_4_04, agent_sees_terminate(TERM_RDMA, 1, 0x00));
	may(t, RDMAP_5_4_09, any_of(t, tcp_closed()));
}

CASE(a_terminate_may_be_answered_by_none,
     .title = "it is recorded whether a Terminate is answered by a Terminate",
     .needs = NEED_TERMINATE, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the peer terminates it, */
	peer_sends(t, TERMINATE(TERM_RDMA, 1, 0x00));
	peer_closes(t);

	/* then one in return is neither due nor ruled out. */
	must(t, RDMAP_5_4_04, agent_sees_terminate(TERM_RDMA, 1, 0x00));
	observe(t, RDMAP_5_4_10, "%s", how_it_ended(t));
}

CASE(tcp_closes_in_order_behind_a_terminate,
     .title = "a device that has received a Terminate closes TCP with a FIN, "
	      "at the latest when the peer has",
     .needs = NEED_TERMINATE, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the peer terminates it, and closes its own side, */
	peer_sends(t, TERMINATE(TERM_RDMA, 1, 0x00));
	peer_closes(t);

	/* then the device closes, and not by a reset. */
	must(t, RDMAP_7_01, tcp_closed());
	should(t, RDMAP_6_2_1_06, tcp_closed_by_fin());
}
