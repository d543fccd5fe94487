/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "harness/unit.h"
#include "suite/model/linear/linear.h"

#define OPS   512
#define WORDS 3
#define STEPS 20000u

static uint64_t room[LINEAR_ROOM(OPS, WORDS, 4096)];

static struct linear_verdict judged(const struct linear_op *op, unsigned ops,
				    const struct linear_word *word,
				    unsigned words, unsigned orders)
{
	struct linear_history h = {
		.word = word,
		.words = words,
		.op = op,
		.ops = ops,
		.orders = orders,
	};

	return linear_judge(&h, STEPS, room, UNIT_COUNT(room));
}

#define BOTH (LINEAR_STREAMS | LINEAR_TIME)

/* Answered operations on word 0. */
#define ADD(stream_, add, was, sent, at)                                       \
	{                                                                      \
		.stream = (stream_), .data = (add), .original = (was),         \
		.sent_at = (sent), .answered_at = (at), .answered = true       \
	}
#define CAS(stream_, compare_, swap, was, sent, at)                            \
	{                                                                      \
		.stream = (stream_), .kind = LINEAR_CMPSWAP, .data = (swap),   \
		.mask = UINT64_MAX, .compare = (compare_),                     \
		.compare_mask = UINT64_MAX, .original = (was),                 \
		.sent_at = (sent), .answered_at = (at), .answered = true       \
	}

/* --- by hand ---------------------------------------------------------------- */

static void what_fits_is_explained(void)
{
	static const struct linear_op op[] = {
		ADD(1, 1, 0, 1, 10),    ADD(2, 1, 2, 1, 11),
		ADD(1, 1, 1, 2, 12),    CAS(2, 9, 4, 3, 2, 13),
		CAS(3, 3, 9, 3, 1, 14),
	};
	const struct linear_word word = {.last_known = true, .last = 9};
	struct linear_verdict v = judged(op, UNIT_COUNT(op), &word, 1, BOTH);

	CU_ASSERT_EQUAL(v.answer, LINEAR_EXPLAINED);
	CU_ASSERT_EQUAL(v.why, LINEAR_FITS);
	v = judged(NULL, 0, &word, 1, BOTH);
	CU_ASSERT_EQUAL(v.why, LINEAR_LAST);
}

static void an_original_of_two(void)
{
	static const struct linear_op op[] = {
		ADD(2, 1, 7, 1, 10),
		ADD(5, 1, 7, 2, 11),
		ADD(2, 1, 8, 3, 12),
	};
	const struct linear_word word = {.first = 7};
	struct linear_verdict v = judged(op, UNIT_COUNT(op), &word, 1, BOTH);

	CU_ASSERT_EQUAL(v.answer, LINEAR_IMPOSSIBLE);
	CU_ASSERT_EQUAL(v.why, LINEAR_TWICE);
	CU_ASSERT_EQUAL(v.ops, 2);
	CU_ASSERT(v.op[0] == 0 && v.op[1] == 1);
	CU_ASSERT(v.value == 7 && v.found == 2 && v.left == 1);
}

static void an_original_from_nowhere(void)
{
	static const struct linear_op op[] = {
		ADD(1, 1, 0, 1, 10),
		CAS(2, 9, 4, 3, 1, 13),
	};
	const struct linear_word word = {0};
	struct linear_verdict v = judged(op, UNIT_COUNT(op), &word, 1, 0);

	CU_ASSERT_EQUAL(v.answer, LINEAR_IMPOSSIBLE);
	CU_ASSERT_EQUAL(v.why, LINEAR_NOWHERE);
	CU_ASSERT(v.ops == 1 && v.op[0] == 1 && v.value == 3);
}

static void another_end(void)
{
	static const struct linear_op op[] = {
		ADD(1, 1, 0, 1, 10),
		ADD(2, 1, 1, 1, 13),
	};
	const struct linear_word word = {.last_known = true, .last = 1};
	struct linear_verdict v = judged(op, UNIT_COUNT(op), &word, 1, BOTH);

	CU_ASSERT_EQUAL(v.answer, LINEAR_IMPOSSIBLE);
	CU_ASSERT_EQUAL(v.why, LINEAR_LAST);
	CU_ASSERT(v.left == 1 && v.value == 2);
}

static void against_the_stream(void)
{
	static const struct linear_op op[] = {
		ADD(1, 1, 1, 1, 10),
		ADD(1, 1, 0, 2, 11),
		ADD(2, 1, 2, 3, 12),
	};
	const struct linear_word word = {.last_known = true, .last = 3};
	struct linear_verdict v = judged(op, UNIT_COUNT(op), &word, 1, BOTH);

	CU_ASSERT_EQUAL(v.answer, LINEAR_IMPOSSIBLE);
	CU_ASSERT_EQUAL(v.why, LINEAR_AGAINST_STREAM);
	CU_ASSERT(v.ops == 2 && v.op[0] + v.op[1] == 1);
	v = judged(op, UNIT_COUNT(op), &word, 1, LINEAR_TIME);
	CU_ASSERT_EQUAL(v.answer, LINEAR_EXPLAINED);
}

static void against_time(void)
{
	/* Stream 2 finds the value from before stream 1 was answered. */
	static const struct linear_op op[] = {
		ADD(1, 1, 0, 1, 10),
		CAS(3, 8, 8, 1, 1, 11),
		CAS(2, 9, 4, 0, 12, 13),
	};
	const struct linear_word word = {.last_known = true, .last = 1};
	struct linear_verdict v = judged(op, UNIT_COUNT(op), &word, 1, BOTH);

	CU_ASSERT_EQUAL(v.answer, LINEAR_IMPOSSIBLE);
	CU_ASSERT_EQUAL(v.why, LINEAR_AGAINST_TIME);
	CU_ASSERT(v.ops == 2 && v.op[0] == 2 && v.op[1] == 0);
	v = judged(op, UNIT_COUNT(op), &word, 1, LINEAR_STREAMS);
	CU_ASSERT_EQUAL(v.answer, LINEAR_EXPLAINED);
}

static void before_it_was_sent(void)
{
	static const struct linear_op op[] = {
		ADD(1, 1, 0, 1, 10),
		ADD(2, 1, 2, 1, 11),
		ADD(1, 1, 1, 12, 13),
	};
	const struct linear_word word = {.last_known = true, .last = 3};
	struct linear_verdict v = judged(op, UNIT_COUNT(op), &word, 1, BOTH);

	CU_ASSERT_EQUAL(v.answer, LINEAR_IMPOSSIBLE);
	CU_ASSERT_EQUAL(v.why, LINEAR_TOO_EARLY);
	CU_ASSERT(v.ops == 2 && v.op[0] == 1 && v.op[1] == 2);
}

/* Each word by itself is fine; RFC 7306 s5.2.1 requires the order of each
 * stream. */
static void words_that_fit_only_alone(void)
{
	struct linear_op op[] = {
		ADD(1, 1, 1, 1, 10),
		ADD(1, 1, 0, 2, 11),
		ADD(2, 1, 1, 3, 12),
		ADD(2, 1, 0, 4, 13),
	};
	const struct linear_word word[2] = {{.last_known = false}};
	struct linear_verdict v;

	op[1].word = op[2].word = 1;
	v = judged(op, UNIT_COUNT(op), word, 2, BOTH);
	CU_ASSERT_EQUAL(v.answer, LINEAR_IMPOSSIBLE);
	CU_ASSERT_EQUAL(v.why, LINEAR_AGAINST_STREAM);
	v = judged(op, UNIT_COUNT(op), word, 2, LINEAR_TIME);
	CU_ASSERT_EQUAL(v.answer, LINEAR_EXPLAINED);
}

/* An operation without an answer may have taken place, or not. */
static void what_was_not_answered(void)
{
	struct linear_op op[] = {
		ADD(1, 5, 0, 1, 10),
		ADD(2, 1, 0, 2, 0),
		CAS(3, 5, 7, 6, 3, 12),
	};
	struct linear_word word = {.last_known = true, .last = 6};

	op[1].answered = false;
	CU_ASSERT_EQUAL(judged(op, 3, &word, 1, BOTH).answer, LINEAR_EXPLAINED);
	word.last = 5;
	CU_ASSERT_EQUAL(judged(op, 3, &word, 1, BOTH).answer,
			LINEAR_IMPOSSIBLE);
	CU_ASSERT_EQUAL(judged(op, 2, &word, 1, BOTH).answer, LINEAR_EXPLAINED);
	op[2].original = 5;
	word.last = 7;
	CU_ASSERT_EQUAL(judged(op, 3, &word, 1, BOTH).answer, LINEAR_EXPLAINED);
	/* It would change the value that it finds later, but not the one that
	 * it finds first. */
	op[1].kind = LINEAR_CMPSWAP;
	op[1].mask = op[1].compare_mask = UINT64_MAX;
	op[1].compare = 7;
	op[1].data = 30;
	word.last = 30;
	CU_ASSERT_EQUAL(judged(op, 3, &word, 1, BOTH).answer, LINEAR_EXPLAINED);
}

static void no_room_and_no_steps(void)
{
	static const struct linear_op op[] = {
		ADD(1, 1, 0, 1, 10),
		ADD(1, 1, 1, 2, 11),
	};
	const struct linear_word word = {0};
	struct linear_history h = {
		.word = &word, .words = 1, .op = op, .ops = 2, .orders = BOTH};

	CU_ASSERT_EQUAL(linear_judge(&h, STEPS, room, 10).answer,
			LINEAR_UNDECIDED);
	CU_ASSERT_EQUAL(linear_judge(&h, 2, room, UNIT_COUNT(room)).answer,
			LINEAR_UNDECIDED);
	CU_ASSERT_EQUAL(linear_judge(&h, 3, room, LINEAR_ROOM(2, 1, 0)).answer,
			LINEAR_EXPLAINED);
}

/* --- at random --------------------------------------------------------------- */

static uint64_t state;

static unsigned below(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)((state >> 11) % n);
}

struct made {
	struct linear_op op[OPS];
	struct linear_word word[WORDS];
	unsigned n, words;
};

static struct linear_op any_op(unsigned words, unsigned values)
{
	static const uint64_t masks[] = {0, 1, 2, 0x8000000000000000};
	struct linear_op op = {
		.word = below(words),
		.kind = (enum linear_kind)below(3),
		.data = below(values),
	};

	if (op.kind == LINEAR_FETCHADD && !below(4))
		op.data = -op.data;
	op.mask = op.kind == LINEAR_FETCHADD ? masks[below(4)] : UINT64_MAX;
	op.compare = below(values);
	op.compare_mask = below(4) ? UINT64_MAX : 3;
	return op;
}

/*
 * A correct device: each stream has up to `depth` outstanding operations, which
 * it performs one by one from any of them. Some streams end without the last
 * answers.
 */
static void run_right(struct made *m, unsigned n, unsigned streams,
		      unsigned depth, unsigned values)
{
	unsigned queue[16][OPS], sent[16] = {0}, taken[16] = {0},
				 told[16] = {0};
	uint64_t value[WORDS], now = 0;

	memset(m, 0, sizeof(*m));
	m->words = 1 + below(WORDS);
	for (unsigned w = 0; w < m->words; w++)
		value[w] = m->word[w].first = below(values);
	for (unsigned done = 0; done < n;) {
		unsigned s = below(streams);
		struct linear_op *op;

		now++;
		switch (below(3)) {
		case 0:
			if (sent[s] - told[s] >= depth || m->n == n)
				break;
			op = &m->op[m->n];
			*op = any_op(m->words, values);
			op->stream = s;
			op->sent_at = now;
			queue[s][sent[s]++] = m->n++;
			break;
		case 1:
			if (taken[s] == sent[s])
				break;
			op = &m->op[queue[s][taken[s]++]];
			op->original = value[op->word];
			value[op->word] = linear_result(op, value[op->word]);
			done++;
			break;
		default:
			if (told[s] == taken[s] || (done + 5 > n && below(2)))
				break;
			op = &m->op[queue[s][told[s]++]];
			op->answered = true;
			op->answered_at = now;
		}
	}
	for (unsigned w = 0; w < m->words; w++) {
		m->word[w].last_known = below(2);
		m->word[w].last = value[w];
	}
}

/* Every order of every set of operations that could have been performed. */
static bool any_order(const struct linear_history *h, unsigned done,
		      const uint64_t *value)
{
	bool whole = true;

	for (unsigned i = 0; i < h->ops; i++)
		whole &= !h->op[i].answered || done >> i & 1;
	for (unsigned w = 0; w < h->words; w++)
		whole &= !h->word[w].last_known || value[w] == h->word[w].last;
	for (unsigned i = 0; i < h->ops && !whole; i++) {
		const struct linear_op *op = &h->op[i];
		uint64_t next[WORDS];
		bool fits = !(done >> i & 1) &&
			    (!op->answered || op->original == value[op->word]);

		for (unsigned k = 0; k < h->ops; k++) {
			if (done >> k & 1 || k == i)
				continue;
			if (h->orders & LINEAR_STREAMS && k < i &&
			    h->op[k].stream == op->stream)
				fits = false;
			if (h->orders & LINEAR_TIME && h->op[k].answered &&
			    h->op[k].answered_at < op->sent_at)
				fits = false;
		}
		if (!fits)
			continue;
		memcpy(next, value, sizeof(next));
		next[op->word] = linear_result(op, next[op->word]);
		whole = any_order(h, done | 1u << i, next);
	}
	return whole;
}

static void spoil(struct made *m)
{
	struct linear_op *op = &m->op[below(m->n)];

	switch (below(4)) {
	case 0:
		op->original = below(4);
		break;
	case 1: {
		struct linear_op *other = &m->op[below(m->n)];
		uint64_t original = op->original;

		op->original = other->original;
		other->original = original;
		break;
	}
	case 2:
		m->word[0].last = below(4);
		break;
	default:
		op->data++;
	}
}

static void small_ones_as_all_orders_say(void)
{
	static struct made m;
	unsigned wrong = 0, impossible = 0, why[LINEAR_NO_ORDER + 1] = {0};

	state = 12345;
	for (unsigned round = 0; round < 30000; round++) {
		struct linear_history h;
		struct linear_verdict v;
		uint64_t value[WORDS] = {0};

		run_right(&m, 1 + below(7), 1 + below(4), 1 + below(3), 3);
		for (unsigned k = below(4); k; k--)
			spoil(&m);
		h = (struct linear_history){.word = m.word,
					    .words = m.words,
					    .op = m.op,
					    .ops = m.n,
					    .orders = below(4)};
		for (unsigned w = 0; w < m.words; w++)
			value[w] = m.word[w].first;
		/* Sometimes there is no memory for dead ends. */
		v = linear_judge(&h, STEPS, room,
				 LINEAR_ROOM(m.n, m.words, round % 3 * 16));
		wrong += (v.answer == LINEAR_EXPLAINED) !=
			 any_order(&h, 0, value);
		wrong += v.answer == LINEAR_UNDECIDED;
		wrong += (v.answer == LINEAR_EXPLAINED) !=
			 (v.why == LINEAR_FITS);
		impossible += v.answer == LINEAR_IMPOSSIBLE;
		why[v.why]++;
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT(impossible > 3000 && impossible < 27000);
	for (unsigned i = 0; i <= LINEAR_NO_ORDER; i++)
		CU_ASSERT(why[i] > 0);
}

static void large_ones_of_a_right_device(void)
{
	static struct made m;
	unsigned accused = 0, undecided = 0;

	state = 99;
	for (unsigned round = 0; round < 60; round++) {
		struct linear_verdict v;

		run_right(&m, OPS - 1, 2 + below(8), 1 + below(8),
			  round % 2 ? 4 : 1000);
		v = judged(m.op, m.n, m.word, m.words, BOTH);
		accused += v.answer == LINEAR_IMPOSSIBLE;
		undecided += v.answer == LINEAR_UNDECIDED;
	}
	CU_ASSERT_EQUAL(accused, 0);
	/* Some have twenty without an answer, on words of four values. */
	CU_ASSERT(undecided < 6);
}

/* Two originals of one counter are exchanged: the sum is still correct. */
static void an_exchange_is_found(void)
{
	static struct made m;

	for (unsigned round = 0; round < 40; round++) {
		struct linear_verdict v;
		uint64_t was;

		m = (struct made){.n = OPS, .words = 1};
		for (unsigned i = 0; i < OPS; i++)
			m.op[i] = (struct linear_op)ADD(
				i / 8 % 4, 1, i, i / 32 * 100 + i % 32,
				i / 32 * 100 + 32 + i % 32);
		was = m.op[round].original;
		m.op[round].original = m.op[round + 100].original;
		m.op[round + 100].original = was;
		v = judged(m.op, m.n, m.word, 1, BOTH);
		CU_ASSERT_EQUAL(v.answer, LINEAR_IMPOSSIBLE);
		CU_ASSERT_EQUAL(v.why, LINEAR_TOO_EARLY);
		CU_ASSERT_EQUAL(v.op[0], round);
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"what fits is explained", what_fits_is_explained},
		{"an original of two", an_original_of_two},
		{"an original from nowhere", an_original_from_nowhere},
		{"another end", another_end},
		{"against the stream", against_the_stream},
		{"against time", against_time},
		{"before it was sent", before_it_was_sent},
		{"words that fit only alone", words_that_fit_only_alone},
		{"what was not answered", what_was_not_answered},
		{"no room and no steps", no_room_and_no_steps},
		{"small ones as all orders say", small_ones_as_all_orders_say},
		{"large ones of a right device", large_ones_of_a_right_device},
		{"an exchange is found", an_exchange_is_found},
	};

	return unit_run("linear", tests, UNIT_COUNT(tests));
}
