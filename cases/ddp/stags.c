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

/* Sixteenths of the 32-bit range that hold an STag. */
static unsigned sixteenths_used(const struct stags *s)
{
	bool used[16] = {false};
	unsigned n = 0;

	for (unsigned i = 0; i < s->n; i++) {
		n += !used[s->stag[i] >> 28];
		used[s->stag[i] >> 28] = true;
	}
	return n;
}

CASE(stags_are_sparse,
     .title = "STags are spread over the whole of their range", .role = EITHER)
{
	/* Given a device that works, */
	connects(t);

	/* when it registers many regions, */
	struct stags s = draws_many(t);

	/* then they are not one dense block, which could be searched. */
	should(t, RDMAP_8_1_1_11,
	       at_least("sixteenths of the range in use", sixteenths_used(&s),
			8));
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
