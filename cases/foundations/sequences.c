/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Steps of cases about other things: one message after another, buffers used to
 * their last octet, Terminates with readable contents, receives left over by a
 * stream (RFC 5041 s5 and s7.1; RFC 5040 s4.8, s5.4 and s5.5; segments.c has
 * messages of several segments). A case that fails on a device that cannot do
 * this proves nothing: it is BLOCKED, by one of these.
 */
#include "case.h"

static const uint8_t EIGHT[8] = {8, 7, 6, 5, 4, 3, 2, 1};

static bool is_of(const struct frame *f, unsigned opcode)
{
	return f && !f->seg.short_header && f->seg.ddp.opcode == opcode;
}

/* --- one after another -------------------------------------------------- */

CASE(sends_come_in_their_order, .founds = FOUNDATION_SENDS_TAKEN,
     .title = "several Sends each complete a receive, in the order sent",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given receives, when the peer sends once, it completes one; */
	struct sink two = dut_posts_recvs(t, 2, 16);
	connects(t);
	peer_sends(t, SEND("once"));
	dut_receives(t, sink_at(two, 0));
	insists(t, DDP_5_3_06, not_delivered(sink_at(two, 1)));

	/* when it sends again once that is delivered, then the next; */
	connects(t);
	struct sink sinks = dut_posts_recvs(t, 4, 16);
	peer_sends(t, SEND("one"));
	dut_receives(t, sink_at(sinks, 0));
	peer_sends(t, SEND("two"));
	insists(t, RDMAP_5_3_02,
		holds("the second Send completes its receive with success",
		      dut_receives(t, sink_at(sinks, 1)).ok));

	/* when two go out in one burst, then both are delivered, in order. */
	peer_sends(t, SEND("three"), .hold = true);
	peer_sends(t, SEND("four"));
	struct completion third = dut_receives(t, sink_at(sinks, 2));
	struct completion fourth = dut_receives(t, sink_at(sinks, 3));
	insists(t, MPA_5_1_09,
		holds_else(
			t, "the second Send is delivered if the first one is",
			!third.ok || fourth.ok,
			"the first Send is delivered, and the second is not"));
	insists(t, DDP_5_3_07,
		holds_else(t, "both Sends complete their receives",
			   third.ok && fourth.ok, "%s",
			   fourth.ok ? "only the second does"
				     : "neither does"));
	insists(t, DDP_5_3_07,
		is("receives from the first to the second",
		   fourth.place - third.place, 1));
	must(t, DDP_5_3_07, delivered_text(sink_at(sinks, 3), "four"));
}

/* The Send after a Write: without its completion nothing shows that the Write
 * has to be in place. */
static void awaits_completion(struct test *t, struct sink sink)
{
	if (!dut_receives(t, sink).ok)
		not_applicable(t, "the Send after the Write is not delivered");
}

CASE(a_write_comes_before_the_send_behind_it,
     .founds = FOUNDATION_WRITES_PLACED,
     .title = "an RDMA Write is placed, once, when the Send after it is "
	      "delivered",
     .needs = NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given a buffer, when the peer writes and sends, */
	struct sink sinks = dut_posts_recvs(t, 2, 16);
	struct region r = dut_registers(t, .len = 64, .access = FOR_WRITES);
	connects(t);
	peer_sends(t, WRITE(r, 8, "first", 5), .hold = true);
	peer_sends(t, SEND("written"));

	/* then the octets are there; */
	awaits_completion(t, sink_at(sinks, 0));
	insists(t, RDMAP_5_5_03,
		octets_are(t, "the octets written", dut_memory(t, r, 8, 5), 5,
			   "first", 5));

	/* and others, when it writes elsewhere once more. */
	dut_fills(t, r, 8, "-----", 5);
	peer_sends(t, WRITE(r, 24, "again", 5), .hold = true);
	peer_sends(t, SEND("written"));
	awaits_completion(t, sink_at(sinks, 1));
	insists(t, DDP_3_02,
		holds("the first Write is not placed a second time",
		      memcmp(dut_memory(t, r, 8, 5), "first", 5) != 0));
	must(t, RDMAP_5_5_03,
	     octets_are(t, "the octets written", dut_memory(t, r, 24, 5), 5,
			"again", 5));
}

CASE(a_read_is_answered_behind_a_send, .founds = FOUNDATION_QUEUES_APART,
     .title = "a Read is answered after a Send: each queue has its own MSNs",
     .needs = NEED_SEND | NEED_READ, .role = EITHER)
{
	/* Given a receive, when a Send is delivered, */
	struct sink sink = dut_posts_recv(t, 16);
	connects(t);
	peer_sends(t, SEND("hello"));
	dut_receives(t, sink);

	/* then a Read Request is the next of its own queue. */
	must(t, DDP_4_3_07, stream_works());
}

CASE(a_request_is_answered_behind_an_atomic,
     .founds = FOUNDATION_ATOMICS_COUNTED,
     .title = "a Read is answered after an atomic, and an atomic after both",
     .needs = NEED_FETCHADD | NEED_READ, .role = EITHER)
{
	/* Given a word, when the peer adds to it, reads, and adds again, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_ATOMICS);
	connects(t);
	peer_sends(t, FETCHADD(r, 0, 1, 0));
	awaits(t, RDMAPX_5_2_1_25, RDMAP_ATOMIC_RESPONSE);

	/* then all three are the next of their queue. */
	insists(t, RDMAPX_5_2_02, stream_works());
	peer_sends(t, FETCHADD(r, 0, 1, 0));
	must(t, RDMAPX_5_2_02,
	     holds("an Atomic Response after a Read",
		   is_of(next_frame(t), RDMAP_ATOMIC_RESPONSE)));
}

CASE(what_follows_a_pad_is_told_from_it, .founds = FOUNDATION_PADS_SENT,
     .title = "messages of the device that follow a Send can be separated from "
	      "it, whatever pad the Send needs",
     .needs = NEED_SEND | NEED_READ, .role = EITHER)
{
	/* Given a stream, when the ULP sends one octet more each time, */
	connects(t);
	for (unsigned n = 1; n <= 4; n++) {
		dut_posts(t, POST_SEND_N("abcd", n));

		/* then the next FPDU begins where it ends. */
		insists(t, MPA_4_1_04, stream_works());
	}
}

/* --- to the last octet --------------------------------------------------- */

CASE(a_write_may_end_where_its_buffer_ends, .founds = FOUNDATION_WRITE_TO_END,
     .title = "an RDMA Write that ends at the end of its buffer is placed",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer, when its last octets are written, they are there. */
	struct region r = dut_registers(t, .len = 16, .access = FOR_WRITES);
	connects(t);
	peer_sends(t, WRITE(r, 8, EIGHT, 8));
	known_answer(t);
	known_answer(t);
	must(t, DDP_7_1_29, memory_is(r, 8, EIGHT, 8));
}

CASE(a_read_may_end_where_its_source_ends, .founds = FOUNDATION_READ_TO_END,
     .title = "an RDMA Read that ends at the end of its source is answered",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a source, when its last octets are read, they come. */
	struct region r = dut_registers(t, .len = 16, .access = FOR_READS);
	dut_fills(t, r, 11, "hello", 5);
	connects(t);
	peer_sends(t, READ(r, 11, 5));
	struct message m = awaits_message(t, RDMAP_7_2_14, RDMAP_READ_RESPONSE);
	must(t, RDMAP_7_2_14,
	     octets_are(t, "payload", m.octets, m.n, "hello", 5));
}

CASE(an_atomic_may_be_at_the_end_of_its_buffer,
     .founds = FOUNDATION_ATOMIC_TO_END,
     .title = "an atomic on the last eight octets of a buffer is answered",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given two words, when the peer adds to the last, it is answered. */
	struct region r = dut_registers(t, .len = 16, .access = FOR_ATOMICS);
	connects(t);
	peer_sends(t, FETCHADD(r, 8, 1, 0));
	must(t, RDMAPX_5_2_1_14,
	     holds("an Atomic Response",
		   is_of(next_frame(t), RDMAP_ATOMIC_RESPONSE)));
}

CASE(a_send_may_fill_its_buffer, .founds = FOUNDATION_SEND_FILLS,
     .title = "a Send as long as its receive buffer is delivered",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a receive of eight octets, when eight come, it has them. */
	struct sink sink = dut_posts_recv(t, 8);
	connects(t);
	peer_sends(t, SEND_N(EIGHT, 8));
	must(t, DDP_7_1_12, delivered(sink, EIGHT, 8));
}

/* --- the end of a stream --------------------------------------------------- */

/* Requests that every device refuses: to read and to write nonexistent memory,
 * and a Send for which no receive waits. */
static struct msg refused(struct test *t, unsigned i)
{
	return i == 0   ? READ_FROM(stag_never_issued(t), 0, 1)
	       : i == 1 ? WRITE_TO(stag_never_issued(t), 0, "hello", 5)
			: SEND("hello");
}

/* It has an effect: an answer, the end of the stream, or, if the device has taken
 * no notice of it, a Send behind it is delivered. */
static bool has_an_effect(struct test *t, struct msg m)
{
	connects(t, .unproven = true);
	if (case_role(t) == INITIATOR)
		initiator_speaks(t);
	struct sink sink = dut_posts_recv(t, 64);

	peer_sends(t, m);
	if (next_frame(t) || *how_tcp_stands(t) != 'o')
		return true;
	peer_sends(t, SEND("behind it"));
	return dut_receives(t, sink).ok;
}

CASE(an_error_ends_its_stream, .founds = FOUNDATION_ERRORS_END,
     .title = "after a message that has to be refused a stream ends, or goes "
	      "on",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a device that takes Sends, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .unproven = true);
	if (case_role(t) == INITIATOR)
		initiator_speaks(t);
	peer_sends(t, SEND("hello"));
	if (!dut_receives(t, sink).ok)
		not_applicable(t, "no Send is delivered");

	/* when a Send has another version, queue or opcode, */
	bool effect = has_an_effect(t, SEND("hello", .dv = IS(2))) ||
		      has_an_effect(t, SEND("hello", .qn = IS(5))) ||
		      has_an_effect(t, OPCODE(12, "hello", 5));

	/* then the device does not just stop reading. */
	must(t, RDMAP_7_01,
	     holds_else(t,
			"after one of three errors the stream ends, or goes on",
			effect,
			"behind none of the three does the device send, close "
			"or deliver anything"));
}

CASE(a_terminate_can_be_read, .founds = FOUNDATION_TERMINATE_SENT,
     .title = "a Terminate has its control field, and registered numbers",
     .needs = NEED_SEND | NEED_WRITE | NEED_READ, .role = EITHER)
{
	enum { CONTROL = 4, LENGTH = 6, RDMA_HEADER = 28 };
	unsigned seen = 0;

	/* Given a stream for each, when the peer sends such a request, */
	for (unsigned i = 0; i < 3; i++) {
		connects(t);
		peer_sends(t, refused(t, i));
		const struct frame *f = the_terminate(t);

		/* then a Terminate can be read; other cases judge whether one
		 * is sent. */
		if (!f)
			continue;
		seen++;
		struct rdmap_terminate term = case_terminate_of(f);
		size_t octets = f->seg.payload_octets;
		bool tagged = i == 1;
		size_t header =
			tagged ? DDP_TAGGED_OCTETS : DDP_UNTAGGED_OCTETS;
		insists(t, RDMAP_4_8_23, is("its L flag", f->seg.ddp.last, 1));
		insists(t, RDMAP_4_8_01,
			at_least("octets of its payload", octets, CONTROL));
		/* It has the length that M announces, and the headers of D and
		 * R. */
		if (term.m)
			insists(t, RDMAP_4_8_13,
				at_least("octets with a length", octets,
					 LENGTH));
		if (term.m && term.d && tagged)
			insists(t, RDMAP_4_8_14,
				at_least("octets with a DDP header", octets,
					 LENGTH + header));
		if (term.m && term.d && !tagged)
			insists(t, RDMAP_4_8_15,
				at_least("octets with a DDP header", octets,
					 LENGTH + header));
		if (term.m && term.d && term.r)
			insists(t, RDMAP_4_8_17,
				at_least("octets with an RDMA header", octets,
					 LENGTH + header + RDMA_HEADER));
		/* Each layer has a registry of its own; that of MPA is left to
		 * other cases. */
		if (term.layer == TERM_RDMA)
			insists(t, IANA_3_1_01, terminate_registered());
		if (term.layer == TERM_DDP)
			insists(t, IANA_3_2_01, terminate_registered());
	}
	if (!seen)
		not_applicable(t, "the device sent no Terminate");
}

/* The peer's Terminate has ended it, as reported to its ULP. */
static bool is_terminated(struct test *t)
{
	struct dut_state s = dut_ends(t);

	return strcmp(s.state, "terminated") == 0 &&
	       (!s.has_terminate || (s.etype == 2 && s.code == 0xff));
}

CASE(a_terminate_uses_no_receive, .founds = FOUNDATION_RECEIVES_LEFT,
     .title = "receives left over at the end of a stream do not succeed",
     .needs = NEED_SEND | NEED_TERMINATE, .role = EITHER)
{
	/* Given receives, of which a Send uses the first, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	struct sink left = sink_at(sinks, 1);
	connects(t);
	insists(t, RDMAP_5_2_1_03,
		holds("no receive was completed by a Read",
		      !dut_has_received(t, sink_at(sinks, 0)).came));
	peer_sends(t, SEND("hello"));
	bool used = dut_receives(t, sink_at(sinks, 0)).ok;

	/* when the peer terminates the stream, */
	peer_sends(t, TERMINATE(TERM_RDMA, 2, 0xff));
	peer_closes(t);

	/* then the other has not received anything: this proves nothing for a
	 * device that accepts neither Sends nor Terminates. */
	if (!dut_receives(t, left).ok && !(used && is_terminated(t)))
		not_applicable(t, "no Send is delivered, or no Terminate is");
	must(t, RDMAP_5_4_02, not_delivered(left));
}
