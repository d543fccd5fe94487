/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/explore/shrink.h"

#include <string.h>

struct shrinking {
	struct program *best;
	struct program trial;
	shows_fn *shows;
	void *user;
	unsigned asked, most;
};

static void copy(struct program *to, const struct program *from)
{
	memcpy(to, from,
	       offsetof(struct program, step) +
		       from->steps * sizeof(from->step[0]));
}

static bool is_same(const struct program *a, const struct program *b)
{
	return a->streams == b->streams && a->regions == b->regions &&
	       a->steps == b->steps &&
	       memcmp(a->stream, b->stream, sizeof(a->stream)) == 0 &&
	       memcmp(a->region, b->region, sizeof(a->region)) == 0 &&
	       memcmp(a->step, b->step, a->steps * sizeof(a->step[0])) == 0;
}

/* The trial replaces the best program, if it shows the fault. */
static bool accept(struct shrinking *s)
{
	program_fit(&s->trial);
	if (s->asked == s->most || is_same(&s->trial, s->best))
		return false;
	s->asked++;
	if (!s->shows(s->user, &s->trial))
		return false;
	copy(s->best, &s->trial);
	return true;
}

/* --- steps ---------------------------------------------------------------------- */

static bool without(struct shrinking *s, unsigned from, unsigned n)
{
	struct program *p = &s->trial;

	copy(p, s->best);
	memmove(&p->step[from], &p->step[from + n],
		(p->steps - from - n) * sizeof(p->step[0]));
	p->steps -= n;
	return accept(s);
}

/* Pieces of half its length, of a quarter, ...: the last ones first, because
 * steps after the fault are never needed. */
static bool fewer_steps(struct shrinking *s)
{
	bool any = false;

	for (unsigned piece = s->best->steps; piece; piece /= 2) {
		unsigned from = s->best->steps;

		while (from) {
			unsigned n = from < piece ? from : piece;

			from -= n;
			if (from + n <= s->best->steps)
				any |= without(s, from, n);
		}
	}
	return any;
}

/* --- streams and regions ----------------------------------------------------------- */

static bool drop_stream(struct shrinking *s, unsigned i)
{
	struct program *p = &s->trial;

	copy(p, s->best);
	p->streams--;
	memmove(&p->stream[i], &p->stream[i + 1],
		(p->streams - i) * sizeof(p->stream[0]));
	memset(&p->stream[p->streams], 0, sizeof(p->stream[0]));
	for (unsigned k = 0; k < p->steps; k++)
		p->step[k].n[STEP_STREAM] -= p->step[k].n[STEP_STREAM] > i;
	for (unsigned k = 0; k < p->regions; k++)
		p->region[k][REGION_STREAM] -= p->region[k][REGION_STREAM] > i;
	return accept(s);
}

/* All that is on this stream on the first, with its regions. */
static bool join_stream(struct shrinking *s, unsigned i)
{
	struct program *p = &s->trial;

	copy(p, s->best);
	for (unsigned k = 0; k < p->steps; k++)
		if (p->step[k].n[STEP_STREAM] == i)
			p->step[k].n[STEP_STREAM] = 0;
	for (unsigned k = 0; k < p->regions; k++)
		if (p->region[k][REGION_STREAM] == i)
			p->region[k][REGION_STREAM] = 0;
	return accept(s);
}

static bool drop_region(struct shrinking *s, unsigned i)
{
	struct program *p = &s->trial;

	copy(p, s->best);
	p->regions--;
	memmove(&p->region[i], &p->region[i + 1],
		(p->regions - i) * sizeof(p->region[0]));
	memset(&p->region[p->regions], 0, sizeof(p->region[0]));
	for (unsigned k = 0; k < p->steps; k++) {
		uint64_t *n = p->step[k].n;

		n[STEP_REGION] -= n[STEP_REGION] > i;
		n[STEP_INV] -= n[STEP_INV] > i + 1;
		n[STEP_INTO] -= n[STEP_INTO] > i + 1;
	}
	return accept(s);
}

static bool fewer_places(struct shrinking *s)
{
	bool any = false;

	for (unsigned i = 1; i < s->best->streams; i++)
		any |= join_stream(s, i);
	for (unsigned i = s->best->streams; i-- > 0 && s->best->streams > 1;)
		if (!(program_streams_used(s->best) & 1u << i))
			any |= drop_stream(s, i);
	for (unsigned i = s->best->regions; i-- > 0;)
		if (!(program_regions_used(s->best) & 1u << i))
			any |= drop_region(s, i);
	return any;
}

/* --- numbers ------------------------------------------------------------------------ */

/* Try another value of one number of the trial; *v is in it. */
static bool try_value(struct shrinking *s, uint64_t *v, uint64_t value)
{
	copy(&s->trial, s->best);
	if (*v == value)
		return false;
	*v = value;
	return accept(s);
}

/* Nothing, one, or as little as can be. `where` is that of the number in a
 * program. */
static bool smaller(struct shrinking *s, size_t where, bool word)
{
	uint64_t *v = (uint64_t *)((char *)&s->trial + where);
	const uint64_t *best = (const uint64_t *)((char *)s->best + where);
	bool any = false;

	if (!*best)
		return false;
	if (try_value(s, v, 0))
		return true;
	if (*best == 1 || try_value(s, v, 1))
		return *best == 1 && any;
	if (word && try_value(s, v, UINT64_MAX))
		return true;
	if (word) {
		/* One bit less after the other. */
		for (unsigned bit = 0; bit < 64 && *best != UINT64_MAX; bit++)
			if (*best & 1ull << bit)
				any |= try_value(s, v, *best & ~(1ull << bit));
		return any;
	}
	/* The least that still does, were all above it to do so, too. */
	uint64_t low = 1, high = *best;

	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (try_value(s, v, middle))
			high = middle, any = true;
		else
			low = middle;
	}
	return any;
}

static bool is_word(unsigned n)
{
	return n == STEP_A || n == STEP_A_MASK || n == STEP_B ||
	       n == STEP_B_MASK;
}

static bool smaller_numbers(struct shrinking *s)
{
	bool any = false;

	for (unsigned i = 0; i < s->best->steps; i++)
		for (unsigned n = 0; n < STEP_NUMBERS; n++)
			if (n != STEP_STREAM && n != STEP_FAULT &&
			    i < s->best->steps)
				any |= smaller(
					s,
					offsetof(struct program, step[i].n[n]),
					is_word(n));
	for (unsigned i = 0; i < s->best->streams; i++)
		for (unsigned n = 0; n < STREAM_NUMBERS; n++)
			if (n != STREAM_FAULT)
				any |= smaller(
					s,
					offsetof(struct program, stream[i][n]),
					false);
	for (unsigned i = 0; i < s->best->regions; i++)
		for (unsigned n = 0; n < REGION_NUMBERS; n++)
			if (n != REGION_ACCESS && n != REGION_STREAM)
				any |= smaller(
					s,
					offsetof(struct program, region[i][n]),
					false);
	return any;
}

unsigned shrink(struct program *p, shows_fn *shows, void *user, unsigned most)
{
	static struct shrinking s;
	bool any;

	s.best = p;
	s.shows = shows;
	s.user = user;
	s.asked = 0;
	s.most = most;
	do {
		any = fewer_steps(&s);
		any |= fewer_places(&s);
		any |= smaller_numbers(&s);
	} while (any && s.asked < s.most);
	return s.asked;
}
