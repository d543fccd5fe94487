/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 7306 s5.3, s5.4, s7: atomics of several streams, and the order among
 * atomics and other operations of one. */
#include "case.h"

#define MIB 0x100000u

static uint64_t value_of(const struct frame *f)
{
	return case_atomic_response_of(f).value;
}

/* --- several streams ----------------------------------------------------- */

#define BURST  8
#define BURSTS 14

/* A one at either end of the word: sums of it are the same in whatever order of
 * octets. Other cases are about that. */
#define ONE 0x0100000000000001u

CASE(adds_of_two_streams_are_all_kept,
     .title = "two streams that add to one word lose no addition, and one "
	      "order explains all original values",
     .needs = NEED_FETCHADD | NEED_MULTI_STREAM, .role = EITHER)
{
	/* Given two streams, over two TCP ports, and a word, */
	struct region region = dut_registers(t, .len = 16, .raced = true,
					     .access = FOR_ATOMICS);
	dut_has_depths(t, BURST, 0);
	unsigned stream[2] = {connects(t, .crc = true),
			      connects(t, .crc = true)};
	struct history *h = history_of(t, region, 1);

	/* when both add to it again and again, at the same time, */
	for (unsigned i = 0; i < BURSTS; i++) {
		for (unsigned k = 0; k < 2 * BURST; k++) {
			on_stream(t, stream[k / BURST]);
			peer_asks(t, h, FETCHADD(region, 0, ONE, 0),
				  .hold = k % BURST < BURST - 1);
		}
		for (unsigned k = 0; k < 2 * BURST; k++) {
			on_stream(t, stream[k / BURST]);
			awaits_original(t, RDMAPX_5_2_1_25, h);
		}
	}

	/* then each addition was performed, and found the result of the earlier
	 * ones, those of its own stream in the order sent. */
	must(t, RDMAPX_5_02, word_is(region, 0, 2 * BURST * BURSTS * ONE));
	must(t, RDMAPX_5_4_02, word_is(region, 0, 2 * BURST * BURSTS * ONE));
	insists(t, RDMAPX_5_02, has_one_order(h));
	must(t, RDMAPX_5_2_1_24, has_one_order_by_stream(h));
}

#define STREAMS 8
#define ROUNDS  16

CASE(a_lock_has_one_winner,
     .title = "of eight streams that try to take a lock by CmpSwap exactly one "
	      "wins, every time, and the others learn which one",
     .needs = NEED_CMPSWAP | NEED_MULTI_STREAM, .role = EITHER)
{
	/* Given eight streams, and a lock, */
	struct region region = dut_registers(t, .len = 16, .raced = true,
					     .access = FOR_ATOMICS);
	struct history *h = history_of(t, region, 1);
	unsigned stream[STREAMS];
	for (unsigned i = 0; i < STREAMS; i++)
		stream[i] = connects(t, .crc = true);

	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned winners = 0, owner = 0;

		/* when all try to take it at once, */
		for (unsigned i = 0; i < STREAMS; i++) {
			on_stream(t, stream[(round + i) % STREAMS]);
			peer_asks(t, h,
				  CMPSWAP(region, 0, 0,
					  1 + (round + i) % STREAMS));
		}
		for (unsigned i = 0; i < STREAMS; i++) {
			on_stream(t, stream[i]);
			if (awaits_original(t, RDMAPX_5_2_1_25, h) == 0) {
				winners++;
				owner = i;
			}
		}

		/* then one has found it free, and gives it back. */
		must(t, RDMAPX_5_3_01, is("winners", winners, 1));
		on_stream(t, stream[owner]);
		peer_asks(t, h, CMPSWAP(region, 0, owner + 1, 0));
		must(t, RDMAPX_5_3_01,
		     is("the owner", awaits_original(t, RDMAPX_5_2_1_25, h),
			owner + 1));
	}

	/* And a later CmpSwap found the value of the one before. */
	must(t, RDMAPX_5_3_01, has_one_order(h));
}

CASE(what_the_cpu_writes_meanwhile,
     .title = "an addition may be lost to a store of the device's CPU",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a word, */
	struct region region = dut_registers(t, .len = 8, .raced = true,
					     .access = FOR_ATOMICS);
	dut_sets_word(t, region, 0, 100);
	connects(t, .crc = true);

	/* when the peer adds to it and the CPU stores a number there, which
	 * differs in one octet: a device may read and write the others at
	 * another time, */
	peer_sends(t, FETCHADD(region, 0, 1, 0));
	dut_sets_word(t, region, 0, 200);
	const struct frame *f =
		awaits(t, RDMAPX_5_2_1_25, RDMAP_ATOMIC_RESPONSE);

	/* then either came first, or the store was lost. */
	must(t, RDMAPX_5_1_1_09,
	     any_of(t, is("the original value", value_of(f), 100),
		    is("the original value", value_of(f), 200)));
	may(t, RDMAPX_5_05,
	    any_of(t, word_is(region, 0, 200), word_is(region, 0, 201),
		   word_is(region, 0, 101)));
}

/* --- atomics among themselves -------------------------------------------- */

CASE(ten_additions_follow_each_other,
     .title = "ten FetchAdds in one burst are processed in the order sent",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_has_depths(t, 10, 0);
	const uint64_t one = 0x0100000000000001;
	const struct frame *f[10];
	bool echoed = true;
	unsigned untold = 0;
	connects(t, .crc = true);

	/* when ten additions come at once, */
	for (unsigned i = 0; i < 10; i++) {
		struct msg add = FETCHADD(region, 0, one, 0);

		add.atomic.id = 0xa0000000 + i;
		peer_sends(t, add, .hold = i < 9);
	}

	/* then each sees what those before it have left. */
	for (unsigned i = 0; i < 10; i++) {
		f[i] = awaits(t, RDMAPX_5_2_1_24, RDMAP_ATOMIC_RESPONSE);
		echoed &= case_atomic_response_of(f[i]).id - 0xa0000000 < 10;
		untold +=
			value_of(f[i]) % one != 0 || value_of(f[i]) >= 10 * one;
	}
	insists(t, RDMAPX_5_1_1_01, word_is(region, 0, 10 * one));
	insists(t, RDMAPX_5_1_1_09,
		is("values that are not an intermediate sum", untold, 0));
	insists(t, RDMAPX_5_2_1_10,
		holds("each Response has the identifier of a Request", echoed));
	for (unsigned i = 0; i < 10; i++) {
		uint64_t before = case_atomic_response_of(f[i]).id - 0xa0000000;

		must(t, RDMAPX_5_2_1_24,
		     is("the original value", value_of(f[i]), before * one));
		must(t, RDMAPX_5_2_2_09, is("the Request answered", before, i));
	}
}

CASE(a_swap_sees_the_swap_before_it,
     .title = "of two CmpSwaps in one burst the second finds the value that "
	      "the first has stored",
     .needs = NEED_CMPSWAP, .role = EITHER)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 0, 0x11);
	dut_has_depths(t, 2, 0);
	connects(t, .crc = true);

	/* when it is swapped to one value and from there to another, */
	peer_sends(t, CMPSWAP(region, 0, 0x11, 0x22), .hold = true);
	peer_sends(t, CMPSWAP(region, 0, 0x22, 0x33));

	/* then both match. */
	const struct frame *f = awaits(t, RDMAPX_7_11, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX_7_11, is("the first original", value_of(f), 0x11));
	f = awaits(t, RDMAPX_7_11, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX_7_11, is("the second original", value_of(f), 0x22));
	must(t, RDMAPX_7_11, word_is(region, 0, 0x33));
}

/* The i-th of eight atomics, additions and swaps in turn: from i to i + 1. */
static struct msg atomic_number(struct region region, unsigned i)
{
	struct msg m = i % 2 ? CMPSWAP(region, 0, i, i + 1)
			     : FETCHADD(region, 0, 1, 0);

	m.atomic.id = 0xa0000000 + i;
	return m;
}

CASE(responses_keep_the_order_of_requests,
     .title = "eight atomics of both kinds are answered in the order asked",
     .needs = NEED_ATOMICS, .role = EITHER)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_has_depths(t, 8, 0);
	connects(t, .crc = true);

	/* when eight atomics arrive in one burst, */
	for (unsigned i = 0; i < 8; i++)
		peer_sends(t, atomic_number(region, i), .hold = i < 7);

	/* then their identifiers come back in that order. */
	for (unsigned i = 0; i < 8; i++) {
		const struct frame *f =
			awaits(t, RDMAPX_5_2_2_09, RDMAP_ATOMIC_RESPONSE);

		uint32_t id = case_atomic_response_of(f).id;

		/* A value that no operation left shows no order. */
		if (id - 0xa0000000 < 8)
			must(t, RDMAPX_5_2_2_09,
			     is("the identifier", id, 0xa0000000 + i));
		must(t, RDMAPX_5_2_03, is("MSN", f->seg.ddp.msn, i + 1));
	}
}

CASE(responses_held_back_keep_their_order,
     .title = "eight atomics on one word, answered only when the peer's window "
	      "opens, have the results of a run one by one",
     .needs = NEED_ATOMICS | NEED_READ, .role = EITHER)
{
	/* Given a peer with little room to receive, and a word, */
	struct region region = dut_registers(t, .len = MIB / 4,
					     .access = FOR_ATOMICS | FOR_READS);
	dut_has_depths(t, 9, 0);
	connects(t, .rcvbuf = 4096);

	/* when a large Read fills its window and eight atomics follow, */
	peer_sends(t, READ(region, 8, MIB / 4 - 8));
	for (unsigned i = 0; i < 8; i++)
		peer_sends(t, atomic_number(region, i));
	awaits_message(t, RDMAPX_5_4_08, RDMAP_READ_RESPONSE);

	/* then they are answered in order, with the values of that order. */
	for (unsigned i = 0; i < 8; i++) {
		const struct frame *f =
			awaits(t, RDMAPX_5_4_08, RDMAP_ATOMIC_RESPONSE);

		uint32_t id = case_atomic_response_of(f).id;

		/* A value that no operation left shows no order. */
		if (id - 0xa0000000 < 8)
			must(t, RDMAPX_5_4_08,
			     is("the identifier", id, 0xa0000000 + i));
		must(t, RDMAPX_5_4_08,
		     is("the original value", value_of(f), i));
	}
	must(t, RDMAPX_5_4_08, word_is(region, 0, 8));
}

/* --- atomics and Reads --------------------------------------------------- */

CASE(a_read_behind_an_atomic_is_answered_behind_it,
     .title = "the Response to a Read does not overtake that to the atomic "
	      "before it",
     .needs = NEED_FETCHADD | NEED_READ, .role = EITHER)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS | FOR_READS);
	dut_has_depths(t, 2, 0);
	connects(t, .crc = true);

	/* when an addition and a Read arrive in one burst, */
	peer_sends(t, FETCHADD(region, 0, 1, 0), .hold = true);
	peer_sends(t, READ(region, 0, 8));

	/* then the answers have the same order. */
	awaits(t, RDMAPX_7_10, RDMAP_ATOMIC_RESPONSE);
	awaits(t, RDMAPX_7_10, RDMAP_READ_RESPONSE);
	must(t, RDMAPX_7_10, nothing_more());
}

CASE(an_atomic_behind_a_read_is_answered_behind_it,
     .title = "an Atomic Response does not overtake the large Read Response "
	      "before it",
     .needs = NEED_FETCHADD | NEED_READ, .role = EITHER)
{
	/* Given a buffer of 1 MiB, */
	struct region region =
		dut_registers(t, .len = MIB, .access = FOR_ATOMICS | FOR_READS);
	dut_has_depths(t, 2, 0);
	connects(t, .crc = true);

	/* when a Read of most of it and an addition arrive in one burst, */
	peer_sends(t, READ(region, 8, MIB - 8), .hold = true);
	peer_sends(t, FETCHADD(region, 0, 1, 0));

	/* then all of the Read's Response arrives first. */
	struct message m = awaits_message(t, RDMAPX_7_14, RDMAP_READ_RESPONSE);
	must(t, RDMAPX_7_14, is("octets of it", m.n, MIB - 8));
	awaits(t, RDMAPX_7_14, RDMAP_ATOMIC_RESPONSE);
}

/* --- atomics after Writes and Sends -------------------------------------- */

CASE(an_atomic_sees_the_write_before_it,
     .title = "an atomic after a Write to its word works on the written value",
     .needs = NEED_FETCHADD | NEED_WRITE, .role = EITHER)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS | FOR_WRITES);
	connects(t, .crc = true);

	for (unsigned i = 1; i <= 16; i++) {
		const uint8_t *octets = octets_of(t, 8, i);

		/* when it is written and added to in one burst, */
		peer_sends(t, WRITE(region, 0, octets, 8), .hold = true);
		peer_sends(t, FETCHADD(region, 0, 1, 0));

		/* then the original value is the written one. */
		const struct frame *f =
			awaits(t, RDMAPX_5_2_1_25, RDMAP_ATOMIC_RESPONSE);
		must(t, RDMAPX_7_13,
		     is("the original value", value_of(f),
			i * 0x0101010101010101));
	}
	must(t, RDMAPX_7_13, word_is(region, 0, 16 * 0x0101010101010101 + 1));
}

CASE(an_atomic_waits_for_a_write_that_is_late,
     .title = "an atomic after a Write whose last octets arrive late works on "
	      "the written value",
     .needs = NEED_FETCHADD | NEED_WRITE, .role = EITHER)
{
	/* Given a buffer of 125 words, */
	const uint8_t *octets = octets_of(t, 1000, 7);
	struct region region = dut_registers(
		t, .len = 1000, .access = FOR_ATOMICS | FOR_WRITES);
	connects(t, .crc = true);

	/* when the end of a Write is followed by the FetchAdd, */
	peer_sends(t, WRITE(region, 0, octets, 1000), .hold = true);
	peer_sends(t, FETCHADD(region, 992, 1, 0), .keep_last = 300);
	peer_goes_on(t);

	/* then the original value is the written one. */
	const struct frame *f = awaits(t, RDMAPX_5_4_05, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX_5_4_05,
	     is("the original value", value_of(f), 0x0707070707070707));
}

CASE(a_response_waits_for_the_send_before_it,
     .title = "when an Atomic Response arrives, the Send before the Request "
	      "has completed",
     .needs = NEED_FETCHADD | NEED_SEND, .role = EITHER)
{
	/* Given a word, and a receive, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	struct sink sink = dut_posts_recv(t, 16);
	connects(t, .crc = true);

	/* when a Send and an addition arrive in one burst, */
	peer_sends(t, SEND("hello"), .hold = true);
	peer_sends(t, FETCHADD(region, 0, 1, 0));
	awaits(t, RDMAPX_7_12, RDMAP_ATOMIC_RESPONSE);

	/* then the consumer need not wait for the Send any more. */
	must(t, RDMAPX_7_12,
	     holds("the completion of the Send is already there",
		   dut_has_received(t, sink).ok));
}

/* --- Writes and Sends after atomics --------------------------------------- */

CASE(a_write_may_come_before_the_response,
     .title = "if an atomic and a later Write change one word, either may be "
	      "first, or the sum may be lost",
     .needs = NEED_FETCHADD | NEED_WRITE, .role = EITHER)
{
	/* Given a word that differs in one octet from what is written: Write and
	 * atomic need not be atomic to each other, */
	const uint8_t *octets = octets_of(t, 8, 5);
	const uint64_t written = 0x0505050505050505, old = written + 4;
	struct region region = dut_registers(
		t, .len = 8, .raced = true, .access = FOR_ATOMICS | FOR_WRITES);
	dut_sets_word(t, region, 0, old);
	connects(t, .crc = true);

	/* when it is added to and written in one burst, */
	peer_sends(t, FETCHADD(region, 0, 1, 0), .hold = true);
	peer_sends(t, WRITE(region, 0, octets, 8));

	/* then the Response has one value or the other, and the word is a
	 * result of one of three orders. */
	const struct frame *f =
		awaits(t, RDMAPX_5_2_1_25, RDMAP_ATOMIC_RESPONSE);
	may(t, RDMAPX_7_09,
	    any_of(t, is("the original value", value_of(f), old),
		   is("the original value", value_of(f), written)));
	may(t, RDMAPX_7_09,
	    any_of(t, word_is(region, 0, written),
		   word_is(region, 0, written + 1),
		   word_is(region, 0, old + 1)));
}

CASE(what_follows_may_be_seen_before_the_response,
     .title = "a Write and a Send after atomics may take effect while the "
	      "peer's window holds the Responses back",
     .needs = NEED_FETCHADD | NEED_READ | NEED_WRITE | NEED_SEND,
     .role = EITHER)
{
	/* Given a peer with little room to receive, and a receive, */
	struct region region = dut_registers(t, .len = MIB / 4,
					     .access = FOR_ATOMICS | FOR_READS);
	struct region other = dut_registers(t, .len = 8, .access = FOR_WRITES);
	struct sink sink = dut_posts_recv(t, 16);
	dut_has_depths(t, 5, 0);
	connects(t, .rcvbuf = 4096);

	/* when a Read fills its window, followed by four atomics, a Write and a
	 * Send, */
	peer_sends(t, READ(region, 8, MIB / 4 - 8));
	for (unsigned i = 0; i < 4; i++)
		peer_sends(t, FETCHADD(region, 0, 1, 0));
	peer_sends(t, WRITE(other, 0, "WRITTEN.", 8));
	peer_sends(t, SEND("overtaking"));
	bool sent = dut_has_received(t, sink).ok;
	bool written = !memcmp(dut_memory(t, other, 0, 8), "WRITTEN.", 8);

	/* then these may be seen at once; in the end all is there. */
	may(t, RDMAPX_5_4_04,
	    holds("the Write is visible before the Responses", written));
	may(t, RDMAPX_5_4_06,
	    holds("the Send completes before the Responses", sent));
	may(t, RDMAPX_7_08,
	    holds("the Send is placed before the Responses", sent));
	awaits_message(t, RDMAPX_7_14, RDMAP_READ_RESPONSE);
	for (unsigned i = 0; i < 4; i++)
		awaits(t, RDMAPX_5_2_1_25, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAP_5_3_02, delivered_text(sink, "overtaking"));
	must(t, DDP_4_1_01, memory_is(other, 0, "WRITTEN.", 8));
}
