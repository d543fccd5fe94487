/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The search for an order: depth first over the operations that could come
 * next, with a memory of dead ends. A place is the set of performed operations
 * together with the values of the words.
 *
 * If the originals of a word differ, as with additions to one counter, each
 * value leads to one operation, and there is no choice. An operation that may
 * come next and has changed nothing is taken at once: in any order it could
 * come here.
 */
#include "suite/model/linear/linear_internal.h"

#include <assert.h>
#include <string.h>

#include "suite/model/atomic/atomic.h"

uint64_t linear_result(const struct linear_op *op, uint64_t found)
{
	switch (op->kind) {
	case LINEAR_FETCHADD:
		return model_fetchadd(found, op->data, op->mask);
	case LINEAR_CMPSWAP:
		return model_cmpswap(found, op->compare, op->compare_mask,
				     op->data, op->mask);
	case LINEAR_SWAP:
		break;
	}
	return model_swap(found, op->data);
}

/* --- the operations under consideration ----------------------------------- */

static bool is_there(const struct linear_search *s, unsigned i)
{
	return s->h->op[i].sent_at <= s->horizon;
}

/* Answered, within the range of this search. */
static bool is_told(const struct linear_search *s, unsigned i)
{
	const struct linear_op *op = &s->h->op[i];

	return op->answered && op->answered_at <= s->horizon;
}

static uint64_t sent_at(const struct linear_search *s, unsigned i)
{
	return i == s->early ? s->early_at : s->h->op[i].sent_at;
}

static bool is_done(const struct linear_search *s, unsigned i)
{
	return s->done[i / 64] >> i % 64 & 1;
}

/* --- dead ends ------------------------------------------------------------ */

static uint64_t mixed(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

/* True: the search was here before. False: the place is recorded, if there is
 * room. */
static bool seen_before(struct linear_search *s)
{
	size_t sets = (s->h->ops + 63) / 64;
	uint64_t hash = 1;
	size_t slot;

	if (!s->slots)
		return false;
	for (size_t i = 0; i < sets; i++)
		hash = mixed(hash, s->done[i]);
	for (size_t i = 0; i < s->h->words; i++)
		hash = mixed(hash, s->value[i]);
	slot = hash % s->slots;
	for (size_t probe = 0; probe < LINEAR_PROBES; probe++) {
		uint64_t *e = s->memo + slot * s->entry;

		if (e[0] != s->round) {
			e[0] = s->round;
			memcpy(e + 1, s->done, sets * sizeof(*e));
			memcpy(e + 1 + sets, s->value,
			       s->h->words * sizeof(*e));
			return false;
		}
		if (!memcmp(e + 1, s->done, sets * sizeof(*e)) &&
		    !memcmp(e + 1 + sets, s->value, s->h->words * sizeof(*e)))
			return true;
		slot = slot + 1 == s->slots ? 0 : slot + 1;
	}
	return false;
}

/* --- one place ------------------------------------------------------------- */

/* The operation that was answered first of those reported and not performed. */
static uint64_t first_answer_due(const struct linear_search *s)
{
	for (unsigned k = 0; k < s->h->ops; k++) {
		unsigned i = (unsigned)s->by_answer[k];

		if (!s->h->op[i].answered)
			break;
		if (is_told(s, i) && !is_done(s, i))
			return s->h->op[i].answered_at;
	}
	return UINT64_MAX;
}

/* Whether the operation may come next. */
static bool may_follow(const struct linear_search *s, unsigned i,
		       uint64_t answer_due)
{
	const struct linear_op *op = &s->h->op[i];

	if (is_done(s, i) || !is_there(s, i))
		return false;
	/* An operation that is answered later is not due, and will get that
	 * answer. */
	if (op->answered && op->original != s->value[op->word])
		return false;
	if (s->orders & LINEAR_STREAMS && s->before[i] &&
	    !is_done(s, (unsigned)s->before[i] - 1))
		return false;
	return !(s->orders & LINEAR_TIME) || sent_at(s, i) <= answer_due;
}

static bool changes(const struct linear_search *s, unsigned i)
{
	uint64_t value = s->value[s->h->op[i].word];

	return linear_result(&s->h->op[i], value) != value;
}

/*
 * Whether it would permanently remove a value that other operations have yet to
 * find. The value may return through an operation that leaves it, or through
 * one without an answer.
 */
static bool strands(const struct linear_search *s, unsigned i)
{
	const struct linear_op *op = &s->h->op[i];
	uint64_t value = s->value[op->word];
	bool waited_for = false;

	if (!changes(s, i))
		return false;
	for (unsigned k = 0; k < s->h->ops; k++) {
		const struct linear_op *other = &s->h->op[k];

		if (other->word != op->word || k == i || is_done(s, k) ||
		    !is_there(s, k))
			continue;
		if (!other->answered ||
		    (s->result[k] == value && other->original != value))
			return false;
		waited_for |= is_told(s, k) && other->original == value;
	}
	return waited_for;
}

/*
 * If streams have no order of their own: of two operations that may come next
 * and do the same, the one answered first can be taken first, because they are
 * exchangeable.
 */
static bool is_second_to(const struct linear_search *s, unsigned place,
			 uint64_t answer_due)
{
	unsigned i = (unsigned)s->by_answer[place];
	const struct linear_op *op = &s->h->op[i];

	if (s->orders & LINEAR_STREAMS || !op->answered)
		return false;
	for (unsigned k = 0; k < place; k++) {
		unsigned other = (unsigned)s->by_answer[k];

		if (s->h->op[other].word == op->word &&
		    s->result[other] == s->result[i] &&
		    may_follow(s, other, answer_due))
			return true;
	}
	return false;
}

/* The place in by_answer of the next operation to try, from `from` on, or
 * ops. */
static unsigned next_to_try(const struct linear_search *s, unsigned from,
			    uint64_t answer_due)
{
	unsigned k;

	for (k = from; k < s->h->ops; k++) {
		unsigned i = (unsigned)s->by_answer[k];

		if (may_follow(s, i, answer_due) && !strands(s, i) &&
		    !is_second_to(s, k, answer_due))
			break;
	}
	return k;
}

/* An operation that may come next and, as reported, has changed nothing: its
 * place, or ops. The effect of an operation without an answer is unknown, here
 * and later. */
static unsigned idle_one(const struct linear_search *s, uint64_t answer_due)
{
	for (unsigned k = 0; k < s->h->ops; k++) {
		unsigned i = (unsigned)s->by_answer[k];

		if (s->h->op[i].answered && may_follow(s, i, answer_due) &&
		    !changes(s, i))
			return k;
	}
	return s->h->ops;
}

static bool arrived(const struct linear_search *s)
{
	if (s->due)
		return false;
	for (unsigned w = 0; w < s->h->words; w++)
		if (s->ends >> w & 1 && s->h->word[w].last_known &&
		    s->value[w] != s->h->word[w].last)
			return false;
	return true;
}

static void perform(struct linear_search *s, unsigned depth, unsigned k)
{
	unsigned i = (unsigned)s->by_answer[k];
	const struct linear_op *op = &s->h->op[i];

	s->path[depth] = k;
	s->saved[depth] = s->value[op->word];
	s->value[op->word] = linear_result(op, s->value[op->word]);
	s->done[i / 64] |= 1ull << i % 64;
	s->due -= is_told(s, i);
}

/* The place in by_answer of the operation that was undone. */
static unsigned undo(struct linear_search *s, unsigned depth)
{
	unsigned k = (unsigned)s->path[depth];
	unsigned i = (unsigned)s->by_answer[k];

	s->value[s->h->op[i].word] = s->saved[depth];
	s->done[i / 64] &= ~(1ull << i % 64);
	s->due += is_told(s, i);
	return k;
}

/* --- the search ------------------------------------------------------------ */

static void start(struct linear_search *s)
{
	s->round++;
	s->due = 0;
	memset(s->done, 0, (s->h->ops + 63) / 64 * sizeof(*s->done));
	for (unsigned w = 0; w < s->h->words; w++)
		s->value[w] = s->h->word[w].first;
	for (unsigned i = 0; i < s->h->ops; i++)
		s->due += is_told(s, i);
}

enum linear_answer linear_look(struct linear_search *s)
{
	const unsigned none = s->h->ops;
	unsigned depth = 0;

	start(s);
	for (uint64_t left = s->steps; left; left--) {
		uint64_t answer_due;
		unsigned k = none;

		s->taken++;
		if (arrived(s))
			return LINEAR_EXPLAINED;
		answer_due = first_answer_due(s);
		if (!seen_before(s)) {
			k = idle_one(s, answer_due);
			s->only[depth] = k != none;
			if (k == none)
				k = next_to_try(s, 0, answer_due);
		}
		/* Back to the last place with something left to try. */
		while (k == none) {
			if (!depth)
				return LINEAR_IMPOSSIBLE;
			k = undo(s, --depth);
			k = s->only[depth] ? none
					   : next_to_try(s, k + 1,
							 first_answer_due(s));
		}
		perform(s, depth++, k);
	}
	return LINEAR_UNDECIDED;
}

/* --- room ------------------------------------------------------------------ */

static bool answered_before(const struct linear_op *a,
			    const struct linear_op *b)
{
	if (a->answered != b->answered)
		return a->answered;
	return a->answered && a->answered_at < b->answered_at;
}

static void sort_by_answer(struct linear_search *s)
{
	for (unsigned i = 0; i < s->h->ops; i++) {
		unsigned k = i;

		while (k && answered_before(&s->h->op[i],
					    &s->h->op[s->by_answer[k - 1]])) {
			s->by_answer[k] = s->by_answer[k - 1];
			k--;
		}
		s->by_answer[k] = i;
	}
}

static void find_those_before(struct linear_search *s)
{
	for (unsigned i = 0; i < s->h->ops; i++) {
		unsigned k = i;

		while (k && s->h->op[k - 1].stream != s->h->op[i].stream)
			k--;
		s->before[i] = k;
	}
}

bool linear_furnish(struct linear_search *s, const struct linear_history *h,
		    uint64_t steps, uint64_t *room, size_t numbers)
{
	size_t needed = LINEAR_ROOM(h->ops, h->words, 0);
	uint64_t *at = room;

	*s = (struct linear_search){
		.h = h,
		.orders = h->orders,
		.horizon = UINT64_MAX,
		.ends = UINT64_MAX,
		.early = UINT32_MAX,
		.steps = steps,
	};
	if (h->ops > LINEAR_OPS || h->words > LINEAR_WORDS || numbers < needed)
		return false;
	for (unsigned i = 0; i < h->ops; i++)
		assert(h->op[i].word < h->words);
	s->by_answer = at, at += h->ops;
	s->before = at, at += h->ops;
	s->result = at, at += h->ops;
	s->path = at, at += h->ops + 1;
	s->saved = at, at += h->ops + 1;
	s->only = at, at += h->ops + 1;
	s->done = at, at += (h->ops + 63) / 64;
	s->value = at, at += h->words;
	s->entry = LINEAR_ENTRY(h->ops, h->words);
	s->slots = (numbers - (size_t)(at - room)) / s->entry;
	s->memo = at;
	for (size_t i = 0; i < s->slots; i++)
		s->memo[i * s->entry] = 0;
	for (unsigned i = 0; i < h->ops; i++)
		s->result[i] = linear_result(&h->op[i], h->op[i].original);
	sort_by_answer(s);
	find_those_before(s);
	return true;
}
