/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * If there is no order: finds the shortest beginning of the history without an
 * order, and the requirement that would have to be dropped for one. It reports
 * only results of a search; an undecided search reports nothing.
 */
#include "suite/model/linear/linear_internal.h"

static unsigned answers(const struct linear_history *h)
{
	unsigned n = 0;

	for (unsigned i = 0; i < h->ops; i++)
		n += h->op[i].answered;
	return n;
}

/*
 * Every beginning (in time) of a history with an order has an order, too. So
 * bisection finds the first answer without an order: op[0].
 */
static void find_first(struct linear_search *s, struct linear_verdict *v)
{
	const struct linear_history *h = s->h;
	unsigned fine = 0, wrong = answers(h);

	while (fine + 1 < wrong) {
		unsigned half = fine + (wrong - fine) / 2;

		s->horizon = h->op[s->by_answer[half - 1]].answered_at;
		if (linear_look(s) == LINEAR_IMPOSSIBLE)
			wrong = half;
		else
			fine = half;
	}
	v->op[0] = (unsigned)s->by_answer[wrong - 1];
	v->ops = 1;
	v->word = h->op[v->op[0]].word;
	v->value = h->op[v->op[0]].original;
	s->horizon = h->op[v->op[0]].answered_at;
}

/* --- the reason ----------------------------------------------------------- */

/* Only operations that were sent later have left the value that op[0] has
 * found. */
static bool is_too_early(const struct linear_search *s,
			 struct linear_verdict *v)
{
	const struct linear_history *h = s->h;
	const struct linear_op *found = &h->op[v->op[0]];
	bool later = false;

	if (h->word[v->word].first == v->value)
		return false;
	for (unsigned i = 0; i < h->ops; i++) {
		const struct linear_op *op = &h->op[i];

		if (op->word != v->word || i == v->op[0])
			continue;
		if (!op->answered && op->sent_at <= found->answered_at)
			return false;
		if (!op->answered ||
		    linear_result(op, op->original) != v->value)
			continue;
		if (op->sent_at <= found->answered_at)
			return false;
		if (!later)
			v->op[1] = i;
		later = true;
	}
	return later;
}

/* With the operation at `moved` no longer after `ahead` and those between. */
static bool fits_ahead_of(struct linear_search *s, unsigned moved,
			  unsigned ahead)
{
	uint64_t was = s->before[moved];
	bool fits;

	s->before[moved] = s->before[ahead];
	fits = linear_look(s) == LINEAR_EXPLAINED;
	s->before[moved] = was;
	return fits;
}

/* The operation of its stream that has to change places with op[0] for an
 * order. */
static void find_who_passes(struct linear_search *s, struct linear_verdict *v)
{
	const struct linear_history *h = s->h;
	const unsigned at = v->op[0];

	for (unsigned i = at; i-- && v->ops == 1;)
		if (h->op[i].stream == h->op[at].stream &&
		    fits_ahead_of(s, at, i)) {
			v->op[1] = i;
			v->ops = 2;
		}
	for (unsigned i = at + 1; i < h->ops && v->ops == 1; i++)
		if (h->op[i].stream == h->op[at].stream &&
		    h->op[i].sent_at <= s->horizon && fits_ahead_of(s, i, at)) {
			v->op[1] = i;
			v->ops = 2;
		}
}

static bool is_against_stream(struct linear_search *s, struct linear_verdict *v)
{
	unsigned orders = s->orders;
	bool fits;

	if (!(orders & LINEAR_STREAMS))
		return false;
	s->orders &= ~(unsigned)LINEAR_STREAMS;
	fits = linear_look(s) == LINEAR_EXPLAINED;
	s->orders = orders;
	if (fits)
		find_who_passes(s, v);
	return fits;
}

static bool fits_sent_at(struct linear_search *s, uint64_t at)
{
	s->early_at = at;
	return linear_look(s) == LINEAR_EXPLAINED;
}

/*
 * If op[0] had been sent earlier: of the operations answered before, in their
 * order, the last one that has to give way for an order.
 */
static bool is_against_time(struct linear_search *s, struct linear_verdict *v)
{
	const struct linear_history *h = s->h;
	unsigned bad = 0, fits = 0;

	while (bad < answers(h) &&
	       h->op[s->by_answer[bad]].answered_at < h->op[v->op[0]].sent_at)
		bad++;
	s->early = v->op[0];
	if (!fits_sent_at(s, 0)) {
		s->early = UINT32_MAX;
		return false;
	}
	/* Before the one at `fits` there is an order, before the one at `bad`
	 * there is none. */
	while (fits + 1 < bad) {
		unsigned half = fits + (bad - fits) / 2;

		if (fits_sent_at(s, h->op[s->by_answer[half]].answered_at))
			fits = half;
		else
			bad = half;
	}
	s->early = UINT32_MAX;
	v->op[1] = (unsigned)s->by_answer[fits];
	v->ops = 2;
	return true;
}

static void classify(struct linear_search *s, struct linear_verdict *v)
{
	v->why = LINEAR_NO_ORDER;
	if (is_too_early(s, v)) {
		v->why = LINEAR_TOO_EARLY;
		v->ops = 2;
	} else if (is_against_stream(s, v)) {
		v->why = LINEAR_AGAINST_STREAM;
	} else if (is_against_time(s, v)) {
		v->why = LINEAR_AGAINST_TIME;
	}
}

/* The word whose last value alone leaves no order, or the first that counts. */
static void find_last(struct linear_search *s, struct linear_verdict *v)
{
	const struct linear_history *h = s->h;
	bool named = false;

	v->why = LINEAR_LAST;
	for (unsigned w = 0; w < h->words && !named; w++) {
		s->ends = 1ull << w;
		named = h->word[w].last_known &&
			linear_look(s) == LINEAR_IMPOSSIBLE;
		if (named)
			v->word = w;
	}
}

void linear_explain(struct linear_search *s, struct linear_verdict *v)
{
	v->why = LINEAR_NO_ORDER;
	s->ends = 0;
	s->steps /= 8; /* there are several such operations */
	switch (linear_look(s)) {
	case LINEAR_EXPLAINED:
		find_last(s, v);
		return;
	case LINEAR_IMPOSSIBLE:
		/* Later operations might otherwise explain earlier values. */
		if (!(s->orders & LINEAR_TIME))
			return;
		find_first(s, v);
		classify(s, v);
		return;
	case LINEAR_UNDECIDED:
		return;
	}
}

struct linear_verdict linear_judge(const struct linear_history *h,
				   uint64_t steps, uint64_t *room,
				   size_t numbers)
{
	struct linear_verdict v = {.answer = LINEAR_UNDECIDED};
	struct linear_search s;

	if (!linear_furnish(&s, h, steps, room, numbers))
		return v;
	if (linear_miscounts(h, &v))
		return v;
	/* Fewer paths; if one of them leads to an order, that is sufficient. */
	s.orders |= LINEAR_STREAMS;
	v.answer = linear_look(&s);
	s.orders = h->orders;
	if (v.answer != LINEAR_EXPLAINED && !(h->orders & LINEAR_STREAMS))
		v.answer = linear_look(&s);
	v.steps = s.taken;
	if (v.answer == LINEAR_IMPOSSIBLE)
		linear_explain(&s, &v);
	return v;
}
