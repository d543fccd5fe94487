/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5040 s8.1.1, RFC 5042 s6.1.1: how STags are drawn. */
#include "case.h"

#define MANY 1000u
#define FEW  100u /* fewer prove nothing */

static struct stags draws_many(struct test *t)
{
	struct stags s = dut_draws_stags(t, MANY, false);

	if (s.n < FEW)
		not_applicable(t, "the device has no more than %u regions",
			       s.n);
	return s;
}

/* How many pairs of neighbours are apart by the step that occurs most. */
static unsigned most_common_step(const struct stags *s)
{
	unsigned most = 0;

	for (unsigned i = 1; i < s->n; i++) {
		uint32_t step = s->stag[i] - s->stag[i - 1];
		unsigned n = 0;

		for (unsigned j = 1; j < s->n; j++)
			n += s->stag[j] - s->stag[j - 1] == step;
		if (n > most)
			most = n;
	}
	return most;
}

CASE(stags_are_not_counted_up,
     .title = "the STags of regions registered in a row have no "
	      "constant step",
     .role = EITHER)
{
	/* Given a device that works, */
	connects(t);

	/* when it registers many regions, */
	struct stags s = draws_many(t);

	/* then the last two STags do not predict the next one. */
	must(t, RDMAP_8_1_1_06,
	     at_most("pairs of STags the same step apart", most_common_step(&s),
		     s.n / 2));
}

/* The values from the lowest STag to the highest: a device may have fewer than
 * 2^32 of them to give, and the RFC means those that are available. */
struct range {
	uint32_t lowest, highest;
};

static struct range range_of(const struct stags *s)
{
	struct range r = {UINT32_MAX, 0};

	for (unsigned i = 0; i < s->n; i++) {
		if (s->stag[i] < r.lowest)
			r.lowest = s->stag[i];
		if (s->stag[i] > r.highest)
			r.highest = s->stag[i];
	}
	return r;
}

static uint64_t values_in(struct range r)
{
	return (uint64_t)r.highest - r.lowest + 1;
}

/* Sixteenths of the range that hold an STag. */
static unsigned sixteenths_used(const struct stags *s, struct range r)
{
	bool used[16] = {false};
	unsigned n = 0;

	for (unsigned i = 0; i < s->n; i++) {
		uint64_t at = (uint64_t)s->stag[i] - r.lowest;
		unsigned sixteenth = (unsigned)(at * 16 / values_in(r));

		n += !used[sixteenth];
		used[sixteenth] = true;
	}
	return n;
}

/* Fewer values for each STag are a dense block. 24 bits are more than enough
 * for all STags that are drawn here. */
#define SPARSE 1024u

CASE(stags_are_sparse,
     .title = "STags are far apart on average, and spread over the whole of "
	      "their range",
     .role = EITHER)
{
	/* Given a device that works, */
	connects(t);

	/* when it registers many regions, */
	struct stags s = draws_many(t);

	/* then they are not one dense block, which could be searched. */
	struct range r = range_of(&s);
	should(t, RDMAP_8_1_1_11,
	       at_least("values for each STag, from the lowest to the highest",
			values_in(r) / s.n, SPARSE));
	should(t, RDMAP_8_1_1_11,
	       at_least("sixteenths of these values with an STag",
			sixteenths_used(&s, r), 8));
}

static unsigned returned_at_once(const struct stags *s)
{
	unsigned n = 0;

	for (unsigned i = 1; i < s->n; i++)
		n += s->stag[i] == s->stag[i - 1];
	return n;
}

CASE(a_freed_stag_does_not_return_at_once,
     .title = "an STag that was freed is not the next to be issued",
     .role = EITHER)
{
	/* Given a device that works, */
	connects(t);

	/* when it registers and frees a region many times, */
	struct stags s = dut_draws_stags(t, MANY, true);

	/* then a peer that still has the old STag cannot use the new one. */
	should(t, SEC_6_1_1_03,
	       is("STags that returned at once", returned_at_once(&s), 0));
}
