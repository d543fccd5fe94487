/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5041 s4.3, RFC 5040 s5.2.1, s5.3: the counters of a stream continue past
 * the size of any ring in which a device may keep them.
 */
#include "case.h"

#define BURST 32u

struct number {
	CASE_ROW;
	unsigned n;
};

#define MOST 1025u /* of one kind */

static const struct number numbers[] = {
	{.id = "129", .n = 129},
	{.id = "257", .n = 257},
	{.id = "513", .n = 513},
	{.id = "1025", .n = 1025},
};

/* The eight octets of message i, no two alike. */
static const uint8_t *numbered(struct test *t, unsigned i)
{
	uint8_t *octets = (uint8_t *)(uintptr_t)octets_of(t, 8, 0x5a);

	octets[6] = (uint8_t)(i >> 8);
	octets[7] = (uint8_t)i;
	return octets;
}

CASE_EACH(so_many_receives_take_their_sends, struct number, numbers,
	  .title = "this many waiting receives are each completed by the Send "
		   "whose turn it is",
	  .needs = NEED_SEND, .role = EITHER)
{
	/* Given so many receive buffers, */
	struct sink sinks = dut_posts_recvs(t, row->n, 8);
	connects(t);

	/* when as many Sends come, */
	for (unsigned i = 0; i < row->n; i++)
		peer_sends(t, SEND_N(numbered(t, i), 8),
			   .hold = i % BURST + 1 < BURST && i + 1 < row->n);

	/* then each has its own. */
	for (unsigned i = 0; i < row->n; i++) {
		struct sink sink = sink_at(sinks, i);

		must(t, RDMAP_5_3_02, delivered(sink, numbered(t, i), 8));
		if (!dut_receives(t, sink).ok)
			break;
	}
	must(t, RDMAP_5_3_02, stream_works());
}

CASE_EACH(so_many_reads_are_answered, struct number, numbers,
	  .title = "this many Reads, one after another, are each answered with "
		   "their own octets",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer of known octets, */
	struct region r = dut_registers(t, .len = 2048, .access = FOR_READS);
	const uint8_t *p = pattern(t, 2048, 1);
	dut_fills(t, r, 0, p, 2048);
	connects(t);

	/* when the peer reads so often, then each time the right octets come. */
	for (unsigned i = 0; i < row->n; i++) {
		peer_sends(t, READ(r, i, 8));
		struct message m =
			awaits_message(t, RDMAP_5_2_1_02, RDMAP_READ_RESPONSE);
		must(t, RDMAP_5_2_1_09,
		     octets_are(t, "the Response", m.octets, m.n, p + i, 8));
	}
}

static const struct number fewer[] = {
	{.id = "129", .n = 129},
	{.id = "257", .n = 257},
};

CASE_EACH(so_many_empty_reads_are_answered, struct number, fewer,
	  .title = "this many Reads of no octets, one after another, are each "
		   "answered",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given a stream, when the peer reads no octets so often, */
	connects(t);
	for (unsigned i = 0; i < row->n; i++) {
		peer_sends(t, READ_FROM(0, 0, 0));

		/* then each time a Response without octets comes. */
		struct message m =
			awaits_message(t, RDMAP_5_2_1_16, RDMAP_READ_RESPONSE);
		must(t, RDMAP_5_2_1_16, is("octets of the Response", m.n, 0));
	}
}

CASE_EACH(so_many_atomics_are_performed, struct number, fewer,
	  .title =
		  "this many FetchAdds, one after another, each return the sum "
		  "of those before it",
	  .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a word, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_sets_word(t, r, 0, 0);
	connects(t);

	/* when the peer adds 3 to it so often, */
	unsigned others = 0;
	for (unsigned i = 0; i < row->n; i++) {
		peer_sends(t, FETCHADD(r, 0, 3, 0));
		const struct frame *f =
			awaits(t, RDMAPX_5_2_1_20, RDMAP_ATOMIC_RESPONSE);
		others += case_atomic_response_of(f).value != 3 * (uint64_t)i;
	}

	/* then the word has the sum, and if so, each original value is due. */
	insists(t, RDMAPX_5_1_1_01, word_is(r, 0, 3 * (uint64_t)row->n));
	must(t, RDMAPX_5_1_1_09,
	     is("original values other than the sum of those before", others,
		0));
}

CASE_EACH(so_many_sends_leave, struct number, numbers,
	  .title = "this many Sends of the device, one after another, have "
		   "their own octets and complete",
	  .needs = NEED_SEND, .role = EITHER)
{
	/* Given a stream, */
	unsigned id[MOST];
	connects(t);

	/* when the device sends so many, then each is the one that is due. */
	for (unsigned i = 0; i < row->n; i++) {
		id[i] = dut_posts(t, POST_SEND_N(numbered(t, i), 8));
		struct message m = awaits_message(t, RDMAP_5_3_10, RDMAP_SEND);
		must(t, RDMAP_5_3_10,
		     octets_are(t, "the Send", m.octets, m.n, numbered(t, i),
				8));
	}
	unsigned place = 0, early = 0;
	for (unsigned i = 0; i < row->n; i++) {
		must(t, RDMAP_5_5_11, completed(id[i]));
		struct completion c = dut_completes(t, id[i]);
		early += c.place < place;
		place = c.place;
	}

	/* and they complete in the order in which they were posted. */
	must(t, RDMAP_5_5_11,
	     is("completions before an earlier one", early, 0));
}

/* Each waits in the device's queue until those before it were answered. */
static const struct number waiting[] = {
	{.id = "33", .n = 33},
	{.id = "65", .n = 65},
};

CASE_EACH(
	so_many_reads_wait_for_their_turn, struct number, waiting,
	.title = "this many Reads of the device, posted while the peer answers "
		 "none, are all sent and complete",
	.needs = NEED_READ, .role = EITHER)
{
	/* Given so many Reads, more than the device may have outstanding, */
	struct region r =
		dut_registers(t, .len = 8 * row->n, .access = FOR_RESPONSES);
	unsigned id[MOST];
	connects(t);
	for (unsigned i = 0; i < row->n; i++)
		id[i] = dut_posts(t,
				  POST_READ(r, 8 * i, 8, PEER_SINK_STAG, 8 * i,
					    .ahead = true, .may_refuse = true));

	/* when the peer answers them, then each is the one that is due. */
	for (unsigned i = 0; i < row->n; i++) {
		const struct frame *f =
			awaits(t, RDMAP_6_1_03, RDMAP_READ_REQUEST);

		must(t, RDMAP_5_2_1_05,
		     is("the source TO", case_read_of(f).source_to, 8 * i));
		peer_sends(t, READ_RESPONSE(f, numbered(t, i), 8));
	}
	for (unsigned i = 0; i < row->n; i++)
		must(t, RDMAP_5_2_2_03, completed(id[i]));
}
