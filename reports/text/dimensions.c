/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/text/dimensions.h"

#include <inttypes.h>

#include "reports/text/plain.h"

#define INDENT 7

static bool is_one(const struct result_values *v)
{
	return v->low == v->high;
}

/* Adjacent values are reported together. For a class that occurred it is
 * unknown which value did, so it is listed by itself. */
static bool goes_on(const struct result_values *v,
		    const struct result_values *next)
{
	return v->met == next->met && v->high + 1 == next->low &&
	       (!v->met || (is_one(v) && is_one(next)));
}

static void say(uint64_t low, uint64_t high, const char *join,
		char text[DIMENSIONS_RANGE])
{
	if (low == high)
		snprintf(text, DIMENSIONS_RANGE, "%" PRIu64, low);
	else
		snprintf(text, DIMENSIONS_RANGE, "%" PRIu64 "%s%" PRIu64, low,
			 join, high);
}

void dimensions_say(const struct result_values *v, char text[DIMENSIONS_RANGE])
{
	say(v->low, v->high, "..", text);
}

bool dimensions_next(const struct result_dimension *d, bool met, size_t *at,
		     char text[DIMENSIONS_RANGE])
{
	size_t first = *at, last;

	while (first < d->count && d->values[first].met != met)
		first++;
	if (first == d->count)
		return false;
	last = first;
	while (last + 1 < d->count &&
	       goes_on(&d->values[last], &d->values[last + 1]))
		last++;
	*at = last + 1;

	say(d->values[first].low, d->values[last].high,
	    met && first == last ? ".." : "-", text);
	return true;
}

size_t dimensions_met_of(const struct result_dimension *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->count; i++)
		n += d->values[i].met;
	return n;
}

static void put_ranges(const struct result_dimension *d, bool met,
		       const char *what, FILE *out)
{
	struct plain_line line = plain_begin(out, INDENT);
	char text[DIMENSIONS_RANGE];
	const char *join = what;
	size_t at = 0;

	while (dimensions_next(d, met, &at, text)) {
		plain_add(&line, join);
		plain_add(&line, text);
		join = ", ";
	}
	plain_end(&line);
}

void dimensions_put(const struct run_result *run, FILE *out)
{
	char text[128];

	if (!run->dimension_count)
		return;
	fputs("\nValues that occurred, of the quantities that a peer or a ULP "
	      "can choose: the edges, and the values between\n",
	      out);
	if (run->unknown_met)
		fprintf(out,
			"(without the values of %zu cases from the journal, "
			"which does not record them)\n",
			run->unknown_met);
	for (size_t i = 0; i < run->dimension_count; i++) {
		const struct result_dimension *d = &run->dimensions[i];
		size_t met = dimensions_met_of(d);
		struct plain_line line = plain_begin(out, 2);

		snprintf(text, sizeof(text), "%s: %zu of %zu; ", d->name, met,
			 d->count);
		plain_add(&line, text);
		plain_add(&line, d->unit);
		plain_add(&line, ", ");
		plain_add(&line, d->what);
		if (d->device_chooses)
			plain_add(&line, "; as the device chose");
		plain_end(&line);
		if (met)
			put_ranges(d, true, "met ", out);
		if (met < d->count)
			put_ranges(d, false, "never ", out);
	}
}
