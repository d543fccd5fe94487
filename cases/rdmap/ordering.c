/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5040 s5.5, s6.1 and appendix B: the order of messages. */
#include "case.h"

#define MIB    (1u << 20)
#define ROUNDS 32

/* --- Sends and Writes ----------------------------------------------------- */

struct pair {
	CASE_ROW;
	uint8_t first, second;
};

#define PAIR(id_, first_, second_)                                             \
	{                                                                      \
		.id = (id_), .first = (first_), .second = (second_)            \
	}
static const struct pair pairs[] = {
	PAIR("send_send", RDMAP_SEND, RDMAP_SEND),
	PAIR("send_inv", RDMAP_SEND, RDMAP_SEND_INV),
	PAIR("send_se", RDMAP_SEND, RDMAP_SEND_SE),
	PAIR("send_se_inv", RDMAP_SEND, RDMAP_SEND_SE_INV),
	PAIR("inv_send", RDMAP_SEND_INV, RDMAP_SEND),
	PAIR("inv_inv", RDMAP_SEND_INV, RDMAP_SEND_INV),
	PAIR("inv_se", RDMAP_SEND_INV, RDMAP_SEND_SE),
	PAIR("inv_se_inv", RDMAP_SEND_INV, RDMAP_SEND_SE_INV),
	PAIR("se_send", RDMAP_SEND_SE, RDMAP_SEND),
	PAIR("se_inv", RDMAP_SEND_SE, RDMAP_SEND_INV),
	PAIR("se_se", RDMAP_SEND_SE, RDMAP_SEND_SE),
	PAIR("se_se_inv", RDMAP_SEND_SE, RDMAP_SEND_SE_INV),
	PAIR("se_inv_send", RDMAP_SEND_SE_INV, RDMAP_SEND),
	PAIR("se_inv_inv", RDMAP_SEND_SE_INV, RDMAP_SEND_INV),
	PAIR("se_inv_se", RDMAP_SEND_SE_INV, RDMAP_SEND_SE),
	PAIR("se_inv_se_inv", RDMAP_SEND_SE_INV, RDMAP_SEND_SE_INV),
};

/* The last n octets of a message; NULL if it has fewer. */
static const uint8_t *end_of(struct message m, size_t n)
{
	return m.n < n ? NULL : m.octets + (m.n - n);
}

static uint32_t named_by(uint8_t opcode, struct region r)
{
	return opcode == RDMAP_SEND_INV || opcode == RDMAP_SEND_SE_INV ? r.stag
								       : 0;
}

CASE_EACH(sends_complete_in_the_order_sent, struct pair, pairs,
	  .title = "two Sends of any kinds complete in the order sent",
	  .needs = NEED_SEND | NEED_SEND_INV | NEED_SEND_SE | NEED_SEND_SE_INV,
	  .role = EITHER)
{
	/* Given two buffers, and two STags to give up, */
	struct sink sinks = dut_posts_recvs(t, 2, 16);
	struct region a = dut_registers(t, .len = 8, .access = FOR_READS);
	struct region b = dut_registers(t, .len = 8, .access = FOR_READS);
	connects(t, .crc = true);

	/* when the peer sends twice in one burst, */
	peer_sends(t,
		   SEND_KIND(row->first, "first", 5,
			     .inval = named_by(row->first, a)),
		   .hold = true);
	peer_sends(t, SEND_KIND(row->second, "second", 6,
				.inval = named_by(row->second, b)));

	/* then the first completes the first buffer, and earlier. */
	must(t, RDMAP_B_01, delivered_text(sink_at(sinks, 0), "first"));
	must(t, RDMAP_B_01, delivered_text(sink_at(sinks, 1), "second"));
	must(t, RDMAP_B_01,
	     is("receives from the first to the second",
		dut_receives(t, sink_at(sinks, 1)).place -
			dut_receives(t, sink_at(sinks, 0)).place,
		1));
}

CASE(a_send_shows_the_writes_before_it,
     .title = "when a Send completes, the Write before it is placed",
     .needs = NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given a buffer to write, and as many receives as rounds, */
	struct region region =
		dut_registers(t, .len = 4096, .access = FOR_WRITES);
	struct sink sinks = dut_posts_recvs(t, ROUNDS, 16);
	connects(t, .crc = true);

	/* when Write and Send go out in one burst, again and again, */
	for (unsigned i = 0; i < ROUNDS; i++) {
		const uint8_t *octets = pattern(t, 4096, i);

		peer_sends(t, WRITE(region, 0, octets, 4096), .hold = true);
		peer_sends(t, SEND("written"));

		/* then the consumer never sees the round before. */
		insists(t, RDMAP_5_3_02,
			delivered_text(sink_at(sinks, i), "written"));
		must(t, RDMAP_5_5_03,
		     octets_are(t, "the octets written",
				dut_memory(t, region, 0, 4096), 4096, octets,
				4096));
	}
}

struct kind {
	CASE_ROW;
	uint8_t opcode;
};

static const struct kind kinds[] = {
	{.id = "send_with_invalidate", .opcode = RDMAP_SEND_INV},
	{.id = "send_with_se", .opcode = RDMAP_SEND_SE},
	{.id = "send_with_se_and_invalidate", .opcode = RDMAP_SEND_SE_INV},
};

CASE_EACH(every_send_shows_the_writes_before_it, struct kind, kinds,
	  .title = "when a Send of another kind completes, the Write before it "
		   "is placed",
	  .needs = NEED_WRITE | NEED_SEND_INV | NEED_SEND_SE | NEED_SEND_SE_INV,
	  .role = EITHER)
{
	/* Given a buffer to write, and a receive, */
	struct region region =
		dut_registers(t, .len = 4096, .access = FOR_WRITES);
	struct sink sink = dut_posts_recv(t, 16);
	connects(t, .crc = true);

	/* when Write and Send go out in one burst, the Send giving up the
	 * STag if it can, */
	const uint8_t *octets = pattern(t, 4096, 1);
	peer_sends(t, WRITE(region, 0, octets, 4096), .hold = true);
	peer_sends(t, SEND_KIND(row->opcode, "written", 7,
				.inval = named_by(row->opcode, region)));

	/* then the completion of the Send covers the Write as well. */
	insists(t, RDMAP_5_3_02, delivered_text(sink, "written"));
	const uint8_t *now = dut_memory(t, region, 0, 4096);
	may(t, RDMAP_5_1_07,
	    octets_are(t, "the octets written", now, 4096, octets, 4096));
	must(t, RDMAP_5_5_03,
	     octets_are(t, "the octets written", now, 4096, octets, 4096));
}

CASE(a_write_into_a_receive_buffer_may_come_first,
     .title = "if a Send and a later Write overlap, the data of either may "
	      "remain",
     .needs = NEED_SEND | NEED_WRITE | NEED_RECV_LOCAL, .role = EITHER)
{
	/* Given a receive buffer that the peer may write, too, */
	struct region region = dut_registers(t, .len = 4, .access = FOR_WRITES);
	struct sink sink = dut_posts_recv_in(t, region, 0, 4);
	connects(t, .crc = true);

	/* when the peer sends into it and writes over it, */
	peer_sends(t, SEND("SENT"), .hold = true);
	peer_sends(t, WRITE(region, 0, "WRIT", 4));

	/* then it holds the one or the other, and the Send is complete. */
	must(t, RDMAP_5_3_02,
	     holds("the Send is delivered", dut_receives(t, sink).ok));
	may(t, RDMAP_5_5_01,
	    any_of(t, memory_is(region, 0, "SENT", 4),
		   memory_is(region, 0, "WRIT", 4)));
}

/* --- Reads after Sends and Writes ----------------------------------------- */

CASE(a_read_returns_what_was_written_before,
     .title = "a Read after a Write to the same place returns the written data",
     .needs = NEED_READ | NEED_WRITE, .role = EITHER)
{
	/* Given a buffer, */
	struct region region =
		dut_registers(t, .len = 1024, .access = FOR_READS | FOR_WRITES);
	connects(t, .crc = true);

	/* when Write and Read go out in one burst, again and again, */
	for (unsigned i = 0; i < ROUNDS; i++) {
		const uint8_t *octets = pattern(t, 1024, i);

		peer_sends(t, WRITE(region, 0, octets, 1024), .hold = true);
		peer_sends(t, READ(region, 0, 1024));

		/* then the Response never has the round before. */
		struct message m =
			awaits_message(t, RDMAP_5_2_1_02, RDMAP_READ_RESPONSE);
		must(t, RDMAP_5_5_07,
		     octets_are(t, "the octets read", m.octets, m.n, octets,
				m.n < 1024 ? m.n : 1024));
	}
}

CASE(a_read_returns_the_last_octet_written,
     .title = "a Read of the last octet of a 64 KiB Write right before it "
	      "returns that octet",
     .needs = NEED_READ | NEED_WRITE, .role = EITHER)
{
	/* Given a buffer of 64 KiB, */
	struct region region = dut_registers(t, .len = 65536,
					     .access = FOR_READS | FOR_WRITES);
	connects(t, .crc = true);

	/* when all of it is written, and its end read, in one burst, */
	for (unsigned i = 1; i <= 4; i++) {
		const uint8_t *octets = octets_of(t, 65536, i);

		peer_sends(t, WRITE(region, 0, octets, 65536), .hold = true);
		peer_sends(t, READ(region, 65535, 1));

		/* then the new octet comes. */
		struct message m =
			awaits_message(t, RDMAP_B_03, RDMAP_READ_RESPONSE);
		must(t, RDMAP_B_03,
		     octets_are(t, "the last octet", m.octets, m.n,
				octets + 65535, 1));
	}
}

CASE(a_read_waits_for_a_write_that_is_late,
     .title = "a Read after a Write whose last octets arrive late returns the "
	      "written data",
     .needs = NEED_READ | NEED_WRITE, .role = EITHER)
{
	/* Given a buffer, */
	const uint8_t *octets = pattern(t, 1000, 1);
	struct region region =
		dut_registers(t, .len = 1000, .access = FOR_READS | FOR_WRITES);
	connects(t, .crc = true);

	/* when the last octets of a Write come later, and the Read with them, */
	peer_sends(t, WRITE(region, 0, octets, 1000), .hold = true);
	peer_sends(t, READ(region, 0, 1000), .keep_last = 600);
	peer_goes_on(t);

	/* then the Response has the written octets. */
	struct message m = awaits_message(t, RDMAP_5_5_13, RDMAP_READ_RESPONSE);
	must(t, RDMAP_5_5_13,
	     octets_are(t, "the octets read", m.octets, m.n, octets, 1000));
}

CASE(a_read_returns_what_was_sent_before,
     .title = "a Read of a receive buffer that a Send has just filled returns "
	      "the sent data",
     .needs = NEED_READ | NEED_SEND | NEED_RECV_LOCAL, .role = EITHER)
{
	/* Given a receive buffer that the peer may read, */
	struct region region = dut_registers(t, .len = 1000,
					     .access = FOR_READS | FOR_RESULTS);
	dut_posts_recv_in(t, region, 0, 1000);
	connects(t, .crc = true);

	/* when the peer sends into it and reads it at once, */
	const uint8_t *octets = pattern(t, 1000, 1);
	peer_sends(t, SEND_N(octets, 1000), .hold = true);
	peer_sends(t, READ(region, 0, 1000));

	/* then the Response has the sent octets. */
	struct message m = awaits_message(t, RDMAP_5_5_08, RDMAP_READ_RESPONSE);
	must(t, RDMAP_5_5_08,
	     octets_are(t, "the octets read", m.octets, m.n, octets, 1000));
}

struct sent {
	CASE_ROW;
	uint8_t opcode;
	uint64_t needs;
	bool invalidates;
};

static const struct sent other_sends[] = {
	{.id = "send_with_se",
	 .opcode = RDMAP_SEND_SE,
	 .needs = 1ull << NEED_BIT_SEND_SE},
	{.id = "send_with_invalidate",
	 .opcode = RDMAP_SEND_INV,
	 .needs = 1ull << NEED_BIT_SEND_INV,
	 .invalidates = true},
	{.id = "send_with_se_and_invalidate",
	 .opcode = RDMAP_SEND_SE_INV,
	 .needs = 1ull << NEED_BIT_SEND_SE_INV,
	 .invalidates = true},
};

CASE_EACH(
	a_read_returns_what_each_kind_sent_before, struct sent, other_sends,
	.title = "a Read of a receive buffer that a Send of this kind has just "
		 "filled returns the sent data",
	.needs = NEED_READ | NEED_RECV_LOCAL, .role = EITHER)
{
	/* Given a receive buffer that the peer may read, */
	if (!(dut_claims(t) & row->needs))
		not_applicable(
			t, "the device does not claim the feature of this row");
	struct region region = dut_registers(t, .len = 1000,
					     .access = FOR_READS | FOR_RESULTS);
	struct region other =
		row->invalidates
			? dut_registers(t, .len = 8, .access = FOR_WRITES)
			: region;
	dut_posts_recv_in(t, region, 0, 1000);
	connects(t, .crc = true);

	/* when the peer sends into it and reads it at once, */
	const uint8_t *octets = pattern(t, 1000, 1);
	peer_sends(t,
		   SEND_KIND(row->opcode, octets, 1000,
			     .inval = row->invalidates ? other.stag : 0),
		   .hold = true);
	peer_sends(t, READ(region, 0, 1000));

	/* then the Response has the sent octets. */
	struct message m = awaits_message(t, RDMAP_5_5_08, RDMAP_READ_RESPONSE);
	must(t, RDMAP_5_5_08,
	     octets_are(t, "the octets read", m.octets, m.n, octets, 1000));
}

CASE(a_response_waits_for_the_send_before_it,
     .title = "when the Response to a Read arrives, the Send before the "
	      "Request has completed",
     .needs = NEED_READ | NEED_SEND, .role = EITHER)
{
	/* Given a buffer to read, and a receive, */
	struct region region = dut_registers(t, .len = 16, .access = FOR_READS);
	struct sink sink = dut_posts_recv(t, 16);
	connects(t, .crc = true);

	/* when the peer sends and reads in one burst, */
	peer_sends(t, SEND("hello"), .hold = true);
	peer_sends(t, READ(region, 0, 16));
	awaits(t, RDMAP_B_02, RDMAP_READ_RESPONSE);

	/* then the consumer need not wait for the Send any more. */
	must(t, RDMAP_B_02,
	     holds("the completion of the Send is already there",
		   dut_has_received(t, sink).ok));
}

/* --- Writes and Sends after Reads ----------------------------------------- */

CASE(a_write_may_overtake_a_response,
     .title = "a Read returns the data before or after a later Write",
     .needs = NEED_READ | NEED_WRITE, .role = EITHER)
{
	/* Given a buffer whose octets are known, */
	struct region region =
		dut_registers(t, .len = 4, .access = FOR_READS | FOR_WRITES);
	dut_fills(t, region, 0, "OLD.", 4);
	connects(t, .crc = true);

	/* when the peer reads it and writes over it in one burst, */
	peer_sends(t, READ(region, 0, 4), .hold = true);
	peer_sends(t, WRITE(region, 0, "NEW.", 4));

	/* then each octet of the Response is the one or the other, in segments of
	 * any length; the Write is placed. */
	struct message m =
		awaits_message(t, RDMAP_5_2_1_09, RDMAP_READ_RESPONSE);
	must(t, RDMAP_5_2_1_09, is("octets read", m.n, 4));
	bool known = true;
	for (size_t i = 0; i < m.n && i < 4; i++)
		known &= m.octets[i] == (uint8_t) "OLD."[i] ||
			 m.octets[i] == (uint8_t) "NEW."[i];
	may(t, RDMAP_5_5_09, holds("old octets or new ones", known));
	must(t, DDP_4_1_01, memory_is(region, 0, "NEW.", 4));
}

/* Octets that are one of the two. */
static size_t either_of(const uint8_t *octets, size_t n, uint8_t a, uint8_t b)
{
	size_t count = 0;

	for (size_t i = 0; octets && i < n; i++)
		count += octets[i] == a || octets[i] == b;
	return count;
}

CASE(a_write_may_overtake_a_response_held_back,
     .title = "a Write to the last page of a large Read may be visible in a "
	      "Response that the peer's window holds back",
     .needs = NEED_READ | NEED_WRITE, .role = EITHER)
{
	/* Given a peer with little room to receive, and a buffer, */
	struct region region = dut_registers(t, .len = MIB / 4,
					     .access = FOR_READS | FOR_WRITES);
	connects(t, .rcvbuf = 4096);

	/* when it reads all, overwrites the last page, and receives then, */
	peer_sends(t, READ(region, 0, MIB / 4));
	peer_sends(t, WRITE(region, MIB / 4 - 4096, octets_of(t, 4096, 0xff),
			    4096));
	struct message m =
		awaits_message(t, RDMAP_5_2_1_09, RDMAP_READ_RESPONSE);

	/* then each octet of that page is old or new, since a buffer may be
	 * read in any order, and the rest is old. */
	size_t rest = m.n < 4096 ? 0 : m.n - 4096;
	must(t, RDMAP_5_2_1_09,
	     octets_are(t, "the rest", m.octets, rest,
			octets_of(t, MIB / 4 - 4096, 0), MIB / 4 - 4096));
	may(t, RDMAP_B_09,
	    any_of(t, is("octets of the page that are old or new",
			 either_of(end_of(m, 4096), 4096, 0, 0xff), 4096)));
}

/* Each bit set and clear: that its octets are right is judged as well. */
#define OVERTAKING "overtaking Send\xd3"

CASE(a_send_may_overtake_a_response,
     .title = "a Send may complete, and be visible, while the Response to a "
	      "Read before it is held back",
     .needs = NEED_READ | NEED_SEND | NEED_RECV_LOCAL, .role = EITHER)
{
	/* Given a peer with little room to receive, and a buffer whose end is
	 * a receive buffer, */
	struct region region = dut_registers(t, .len = MIB / 4,
					     .access = FOR_READS | FOR_RESULTS);
	struct sink sink = dut_posts_recv_in(t, region, MIB / 4 - 16, 16);
	connects(t, .rcvbuf = 4096);

	/* when it reads all, sends, and receives only then, */
	peer_sends(t, READ(region, 0, MIB / 4));
	peer_sends(t, SEND_N(OVERTAKING, 16));
	bool early = dut_has_received(t, sink).ok;
	struct message m =
		awaits_message(t, RDMAP_5_2_1_09, RDMAP_READ_RESPONSE);

	/* then the Send is delivered sooner or later, and shows or not: until
	 * then its buffer may have any octets. */
	must(t, DDP_4_1_02, delivered(sink, OVERTAKING, 16));
	must(t, RDMAP_5_2_1_09, is("octets read", m.n, MIB / 4));
	may(t, RDMAP_5_5_14,
	    holds("the Send completed before the Response", early));
	may(t, RDMAP_B_08,
	    octets_are(t, "behind the Send", end_of(m, 16), 16, OVERTAKING,
		       16));
}

CASE(snapshots_may_be_taken_in_any_order,
     .title = "two Reads of a changing buffer may each return old or new data",
     .needs = NEED_READ | NEED_WRITE, .role = EITHER)
{
	/* Given a buffer whose octets are known, */
	struct region region =
		dut_registers(t, .len = 4, .access = FOR_READS | FOR_WRITES);
	dut_fills(t, region, 0, "oooo", 4);
	dut_has_depths(t, 2, 0);
	connects(t, .crc = true);

	/* when it is read twice and then written, in one burst, */
	peer_sends(t, READ(region, 0, 4), .hold = true);
	peer_sends(t, READ(region, 0, 4), .hold = true);
	peer_sends(t, WRITE(region, 0, "nnnn", 4));

	/* then each octet of a Response is the one or the other. */
	for (unsigned i = 0; i < 2; i++) {
		struct message m =
			awaits_message(t, RDMAP_5_2_1_09, RDMAP_READ_RESPONSE);

		must(t, RDMAP_5_2_1_09, is("octets read", m.n, 4));
		may(t, RDMAP_5_5_17,
		    is("old or new octets", either_of(m.octets, m.n, 'o', 'n'),
		       4));
	}
}

CASE(empty_responses_keep_their_place,
     .title = "Reads of no octets between others are answered in their turn",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer, */
	struct region region =
		dut_registers(t, .len = 2000, .access = FOR_READS);
	dut_has_depths(t, 8, 0);
	connects(t, .crc = true);

	/* when eight Reads arrive in one burst, every second of no octets, the
	 * others shorter and shorter, */
	for (unsigned i = 0; i < 8; i++) {
		struct msg read = READ(region, 0, i % 2 ? 0 : 2000 - 200 * i);

		read.read.sink_stag = 0x11111100 * (i + 1);
		peer_sends(t, read, .hold = i < 7);
	}

	/* then the Responses have the order of the Requests, and the empty ones
	 * contain no octets of the others. */
	for (unsigned i = 0; i < 8; i++) {
		struct message m =
			awaits_message(t, RDMAP_5_5_16, RDMAP_READ_RESPONSE);

		if (i % 2) {
			insists(t, RDMAP_5_5_16,
				at_most("octets of an empty one", m.n, 500));
			must(t, RDMAP_5_2_1_16, is("octets", m.n, 0));
			continue;
		}
		insists(t, RDMAP_5_5_16,
			is("octets in hundreds, rounded to even",
			   (m.n + 100) / 200 * 2, 20 - 2 * i));
	}
}

CASE(an_empty_response_waits_for_those_before_it,
     .title = "a Read of no octets is answered after the Reads before it, "
	      "although the peer's window holds their Responses back",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a peer with little room to receive, and a buffer, */
	struct region region =
		dut_registers(t, .len = MIB / 4, .access = FOR_READS);
	dut_has_depths(t, 3, 0);
	connects(t, .rcvbuf = 4096);

	/* when it reads all, then a few octets, and then none, */
	for (unsigned i = 0; i < 3; i++) {
		struct msg read = READ(region, 0,
				       i == 0   ? MIB / 4
				       : i == 1 ? 200
						: 0);

		read.read.sink_stag = 0x11111100 * (i + 1);
		peer_sends(t, read, .hold = i < 2);
	}

	/* then the Responses have the order of the Requests. */
	struct message m =
		awaits_message(t, RDMAP_5_2_2_05, RDMAP_READ_RESPONSE);
	insists(t, RDMAP_5_2_2_05, at_least("octets of the first", m.n, 1000));
	m = awaits_message(t, RDMAP_5_2_2_05, RDMAP_READ_RESPONSE);
	must(t, RDMAP_5_2_2_05, at_least("octets of the second", m.n, 1));
	m = awaits_message(t, RDMAP_5_2_2_05, RDMAP_READ_RESPONSE);
	must(t, RDMAP_5_2_2_05, at_most("octets of the third", m.n, 100));
}

/* --- the device's own work ------------------------------------------------------- */

CASE(messages_go_out_in_posting_order,
     .title = "messages of all kinds are sent in the order they were posted",
     .needs = NEED_SEND | NEED_SEND_INV | NEED_WRITE | NEED_READ,
     .role = EITHER)
{
	/* Given a buffer to read into, */
	static const uint8_t order[] = {RDMAP_WRITE,        RDMAP_READ_REQUEST,
					RDMAP_SEND,         RDMAP_SEND_INV,
					RDMAP_READ_REQUEST, RDMAP_WRITE};
	struct region sink =
		dut_registers(t, .len = 16, .access = FOR_RESPONSES);
	connects(t, .crc = true);

	/* when the consumer posts Write, Read, empty Send, Send with
	 * Invalidate, empty Read and Write, */
	dut_posts(t, POST_WRITE_N("one", 3, PEER_SINK_STAG, PEER_SINK_TO));
	dut_posts(t, POST_READ(sink, 0, 8, PEER_SINK_STAG, 0));
	dut_posts(t, POST_SEND(""));
	dut_posts(t, POST_SEND("four", .invalidate = true, .inv = 0x01020304));
	dut_posts(t, POST_READ(sink, 0, 0, PEER_SINK_STAG, 0));
	dut_posts(t, POST_WRITE_N("six", 3, PEER_SINK_STAG, PEER_SINK_TO));

	/* then they come like that, the Reads being answered. */
	for (unsigned i = 0; i < sizeof(order); i++) {
		const struct frame *f = awaits(t, RDMAP_5_5_10, order[i]);

		if (order[i] == RDMAP_READ_REQUEST)
			peer_sends(t, READ_RESPONSE(f, "octets 8",
						    case_read_of(f).size));
	}
	must(t, RDMAP_5_5_10, nothing_more());
}

CASE(work_completes_in_posting_order,
     .title = "a Send completes for the ULP only after the Read posted before "
	      "it",
     .needs = NEED_SEND | NEED_WRITE | NEED_READ, .role = EITHER)
{
	/* Given a Write, a Read and a Send, all seen by the peer, unless the
	 * device holds the Send back until the Read is answered (item 13 gives
	 * an order, no time), */
	struct region sink =
		dut_registers(t, .len = 16, .access = FOR_RESPONSES);
	connects(t, .crc = true);
	dut_posts(t, POST_WRITE_N("one", 3, PEER_SINK_STAG, PEER_SINK_TO));
	unsigned read = dut_posts(t, POST_READ(sink, 0, 8, PEER_SINK_STAG, 0));
	unsigned send = dut_posts(t, POST_SEND("three"));
	awaits_given_message(t, RDMAP_WRITE);
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);
	bool held_back = !frames_waiting(t);
	if (!held_back)
		awaits_given_message(t, RDMAP_SEND);

	/* when the Read is not answered yet, the Send is not complete; */
	must(t, RDMAP_5_2_1_16, stream_works());
	must(t, RDMAP_5_5_11,
	     holds("the Send is not complete",
		   !dut_has_completed(t, send).came));

	/* when it is, then both are, in that order. */
	peer_sends(t, READ_RESPONSE(f, "ABCDEFGH", 8));
	if (held_back)
		awaits_given_message(t, RDMAP_SEND);
	must(t, RDMAP_5_5_11, completed(read));
	must(t, RDMAP_5_5_11, completed(send));
	must(t, RDMAP_5_5_11,
	     at_least("place of the Send", dut_completes(t, send).order,
		      dut_completes(t, read).order + 1));
}

CASE(reads_complete_in_posting_order,
     .title = "Reads complete for the ULP in the order posted",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given four Reads, each into a buffer of its own, */
	struct region sink[4];
	unsigned id[4];
	for (unsigned i = 0; i < 4; i++)
		sink[i] = dut_registers(t, .len = 8, .access = FOR_RESPONSES);
	connects(t, .crc = true);
	for (unsigned i = 0; i < 4; i++)
		id[i] = dut_posts(
			t, POST_READ(sink[i], 0, 8, PEER_SINK_STAG, 8 * i));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);
	must(t, RDMAP_5_2_1_16, stream_works());

	/* when the peer answers them, as many together as are under way, */
	for (unsigned i = 1; i < 4; i++) {
		peer_sends(t, READ_RESPONSE(f, "ABCDEFGH", 8),
			   .hold = frame_is_here(t));
		f = awaits_given(t, RDMAP_READ_REQUEST);
	}
	peer_sends(t, READ_RESPONSE(f, "ABCDEFGH", 8));

	/* then each completes, after the previous one. */
	must(t, RDMAP_5_5_04, completed(id[0]));
	for (unsigned i = 1; i < 4; i++) {
		must(t, RDMAP_5_5_04, completed(id[i]));
		must(t, RDMAP_5_5_04,
		     is("place after the one before it",
			dut_completes(t, id[i]).place -
				dut_completes(t, id[i - 1]).place,
			1));
	}
}

CASE(a_response_waits_for_the_message_under_way,
     .title =
	     "a Read that arrives while a long Write is being sent is answered "
	     "between two messages, not inside one",
     .needs = NEED_WRITE | NEED_READ, .role = EITHER)
{
	/* Given a peer with little room, and a Write larger than all buffers
	 * on the way, */
	struct region region =
		dut_registers(t, .len = 5 * MIB, .access = FOR_READS);
	connects(t, .mss = 1460, .rcvbuf = 4096);
	dut_posts(t, POST_WRITE_FROM(region, 0, 5 * MIB, PEER_SINK_STAG,
				     PEER_SINK_TO));
	const struct frame *f = awaits_given(t, RDMAP_WRITE);

	/* when a Read arrives in the middle of it, and then there is room, */
	peer_sends(t, READ(region, 0, 8));
	dut_has_its_turn(t);
	peer_makes_room(t);

	/* then no segment of another message comes before its last one. */
	while (f && f->seg.ddp.opcode == RDMAP_WRITE && !f->seg.ddp.last)
		f = next_frame(t);
	must(t, DDP_5_3_01,
	     holds_of(f, "segments of the Write up to its last one",
		      f && f->seg.ddp.opcode == RDMAP_WRITE, NULL));
	if (!f || f->seg.ddp.opcode != RDMAP_WRITE)
		return;
	awaits(t, RDMAP_5_2_1_09, RDMAP_READ_RESPONSE);
}

CASE(a_send_waits_for_the_response_under_way,
     .title = "a Send that is posted while a long Read Response is being sent "
	      "leaves behind its last segment, not between two of them",
     .needs = NEED_SEND | NEED_READ, .role = EITHER)
{
	/* Given a peer with little room, and a Response larger than all buffers
	 * on the way, */
	struct region region =
		dut_registers(t, .len = 5 * MIB, .access = FOR_READS);
	connects(t, .mss = 1460, .rcvbuf = 4096);
	peer_sends(t, READ(region, 0, 5 * MIB));
	const struct frame *f = awaits_given(t, RDMAP_READ_RESPONSE);

	/* when the device's ULP sends in the middle of it, and then there is
	 * room, */
	dut_posts(t, POST_SEND("behind"));
	dut_has_its_turn(t);
	peer_makes_room(t);

	/* then no segment of another message comes before its last one. */
	while (f && f->seg.ddp.opcode == RDMAP_READ_RESPONSE &&
	       !f->seg.ddp.last)
		f = next_frame(t);
	must(t, DDP_5_3_01,
	     holds_of(f, "segments of the Response up to its last one",
		      f && f->seg.ddp.opcode == RDMAP_READ_RESPONSE, NULL));
	if (!f || f->seg.ddp.opcode != RDMAP_READ_RESPONSE)
		return;
	awaits(t, RDMAP_5_3_10, RDMAP_SEND);
}

CASE(a_write_amid_a_write_is_placed,
     .title =
	     "a Write that arrives while the device sends a long one is placed",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a device that sends a Write larger than all buffers on the
	 * way, to a peer with little room, */
	struct region source = dut_registers(t, .len = 5 * MIB);
	struct region region =
		dut_registers(t, .len = 1000, .access = FOR_WRITES);
	const uint8_t *p = pattern(t, 1000, 1);
	connects(t, .mss = 1460, .rcvbuf = 4096);
	dut_posts(t, POST_WRITE_FROM(source, 0, 5 * MIB, PEER_SINK_STAG,
				     PEER_SINK_TO));
	awaits_given(t, RDMAP_WRITE);

	/* when the peer writes in the middle of it, and then there is room, */
	peer_sends(t, WRITE(region, 0, p, 1000));
	dut_has_its_turn(t);
	peer_makes_room(t);
	message_begun(t);

	/* then all its octets are there. */
	must(t, DDP_5_2_04, memory_is(region, 0, p, 1000));
}

CASE(a_response_amid_a_response_is_placed,
     .title = "the Response to the device's Read that arrives while the device "
	      "sends a long one of its own is placed",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a Read of the device, which then answers a Read larger than all
	 * buffers on the way, to a peer with little room, */
	struct region source =
		dut_registers(t, .len = 5 * MIB, .access = FOR_READS);
	struct region sink =
		dut_registers(t, .len = 1000, .access = FOR_RESPONSES);
	const uint8_t *p = pattern(t, 1000, 1);
	connects(t, .mss = 1460, .rcvbuf = 4096);
	unsigned id = dut_posts(t, POST_READ(sink, 0, 1000, 0x1234, 0x1000));
	const struct frame *request = awaits_given(t, RDMAP_READ_REQUEST);
	peer_sends(t, READ(source, 0, 5 * MIB));
	awaits_given(t, RDMAP_READ_RESPONSE);

	/* when the peer answers in the middle of it, and then there is room, */
	peer_sends(t, READ_RESPONSE(request, p, 1000));
	dut_has_its_turn(t);
	peer_makes_room(t);
	message_begun(t);

	/* then the Read completes, and all its octets are there. */
	must(t, RDMAP_5_2_2_03, completed(id));
	must(t, DDP_5_2_04, memory_is(sink, 0, p, 1000));
}

/* Sooner or later: a device may give TCP one part after the other. */
static bool is_taken_by_tcp(struct test *t, unsigned id)
{
	for (unsigned turn = 0; turn < 32; turn++) {
		dut_has_its_turn(t);
		if (dut_has_completed(t, id).ok)
			return true;
	}
	return false;
}

CASE(a_write_cut_off_does_not_complete,
     .title = "a Write that the peer's window holds back does not complete "
	      "with success when TCP is reset",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a peer with little room, and a Write larger than all buffers
	 * on the way, */
	struct region region = dut_registers(t, .len = 8 * MIB);
	connects(t, .rcvbuf = 65536);
	unsigned id =
		dut_posts(t, POST_WRITE_FROM(region, 0, 8 * MIB, PEER_SINK_STAG,
					     PEER_SINK_TO));
	awaits_given(t, RDMAP_WRITE);

	/* when the peer resets TCP, */
	if (is_taken_by_tcp(t, id))
		not_applicable(t, "TCP of the device takes the whole Write");
	peer_resets(t);

	/* then the Write ends in error. */
	must(t, DDP_6_2_2_01, agent_sees_fatal_end());
	must(t, RDMAP_5_5_18, not_completed(id));
}

static const struct sent every_send[] = {
	{.id = "send", .opcode = RDMAP_SEND, .needs = 1ull << NEED_BIT_SEND},
	{.id = "send_with_se",
	 .opcode = RDMAP_SEND_SE,
	 .needs = 1ull << NEED_BIT_SEND_SE},
	{.id = "send_with_invalidate",
	 .opcode = RDMAP_SEND_INV,
	 .needs = 1ull << NEED_BIT_SEND_INV,
	 .invalidates = true},
	{.id = "send_with_se_and_invalidate",
	 .opcode = RDMAP_SEND_SE_INV,
	 .needs = 1ull << NEED_BIT_SEND_SE_INV,
	 .invalidates = true},
};

CASE_EACH(a_send_cut_off_does_not_complete, struct sent, every_send,
	  .title = "a Send that the peer's window holds back does not complete "
		   "with success when TCP is reset",
	  .role = EITHER)
{
	/* Given a peer with little room, and a Send larger than all buffers on
	 * the way, */
	if (!(dut_claims(t) & row->needs))
		not_applicable(
			t, "the device does not claim the feature of this row");
	struct region region = dut_registers(t, .len = 8 * MIB);
	connects(t, .rcvbuf = 65536);
	unsigned id = dut_posts(
		t, POST_SEND_FROM(region, 0, 8 * MIB,
				  .se = row->opcode == RDMAP_SEND_SE ||
					row->opcode == RDMAP_SEND_SE_INV,
				  .invalidate = row->invalidates,
				  .inv = PEER_SINK_STAG));
	awaits_given(t, row->opcode);

	/* when the peer resets TCP, */
	if (is_taken_by_tcp(t, id))
		not_applicable(t, "TCP of the device takes the whole Send");
	peer_resets(t);

	/* then the Send ends in error. */
	must(t, DDP_6_2_2_01, agent_sees_fatal_end());
	must(t, RDMAP_5_5_18, not_completed(id));
}

CASE(only_rdma_messages_are_sent,
     .title = "the device sends nothing but FPDUs that hold RDMA Messages",
     .needs = NEED_SEND | NEED_WRITE | NEED_READ, .role = EITHER)
{
	/* Given a stream with work of both ends, */
	struct region region =
		dut_registers(t, .len = 5000, .access = FOR_READS);
	struct region sink =
		dut_registers(t, .len = 64, .access = FOR_RESPONSES);
	connects(t, .crc = true);
	dut_posts(t, POST_WRITE_FROM(region, 0, 5000, PEER_SINK_STAG, 0));
	dut_posts(t, POST_READ(sink, 0, 64, PEER_SINK_STAG, 0));
	dut_posts(t, POST_SEND_FROM(region, 0, 5000));
	peer_sends(t, READ(region, 0, 5000));

	/* when everything due has arrived, */
	unsigned whole = 0;
	const struct frame *f;
	while (whole < 4 && (f = next_frame(t))) {
		/* then each FPDU is right, and holds an RDMA Message. */
		must(t, MPA_4_4_04,
		     holds_of(f, "an FPDU with a right CRC", f->crc_ok, NULL));
		must(t, RDMAP_6_1_01,
		     at_most("its opcode", f->seg.ddp.opcode, RDMAP_TERMINATE));
		whole += f->seg.ddp.last;
		if (!f->seg.ddp.tagged &&
		    f->seg.ddp.opcode == RDMAP_READ_REQUEST)
			peer_sends(t, READ_RESPONSE(f, pattern(t, 64, 1), 64));
	}
	insists(t, RDMAP_1_2_01, is("messages that came whole", whole, 4));
	must(t, RDMAP_1_2_01, nothing_more());
}
