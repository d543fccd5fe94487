/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A report names the values of a dimension three times: all of them, each
 * edge and each class between two, and in ranges those that were met and those
 * that never were. The three have to agree. Older ones have the ranges only.
 */
#include "reports/load/load_dimensions.h"

#include <string.h>

/* "3", "0-9", "10..14". */
static bool load_range(struct reader *r, const json_t *list, size_t i,
		       struct result_values *out)
{
	const char *text = reader_item(r, list, i), *rest;
	size_t n = strspn(text, "0123456789");
	bool ok = reader_digits(text, n, &out->low);

	out->high = out->low;
	rest = text + n;
	if (*rest) {
		rest += *rest == '-' ? 1 : strncmp(rest, "..", 2) == 0 ? 2 : 0;
		ok &= rest > text + n &&
		      reader_digits(rest, strlen(rest), &out->high);
	}
	if (!ok || out->high < out->low)
		reader_objects(r, "expected values, as 3, 0-9 or 10..14");
	return !r->failed;
}

/* In order, none twice. */
static struct result_values *load_ranges(struct reader *r, const json_t *object,
					 const char *key, bool met, size_t *n)
{
	const json_t *list = reader_list(r, object, key, true, n);
	struct result_values *all = reader_alloc(r, *n, sizeof(*all));

	for (size_t i = 0; all && !r->failed && i < *n; i++) {
		size_t mark = reader_enter(r, key, i);

		if (load_range(r, list, i, &all[i]) && i &&
		    all[i - 1].high >= all[i].low)
			reader_objects(r, "not in their order");
		all[i].met = met;
		reader_leave(r, mark);
	}
	if (r->failed)
		*n = 0;
	return all;
}

static bool is_within(const struct result_values *v,
		      const struct result_values *range)
{
	return v->low >= range->low && v->high <= range->high;
}

/* The first of them that does not end before this. */
static size_t reach(const struct result_values *ranges, size_t n, size_t at,
		    uint64_t low)
{
	while (at < n && ranges[at].high < low)
		at++;
	return at;
}

/* Where all values are listed, each was met or was not. */
static void tell_met(struct reader *r, struct result_dimension *d,
		     struct result_values *values,
		     const struct result_values *met, size_t met_count,
		     const struct result_values *never, size_t never_count)
{
	size_t m = 0, k = 0;

	for (size_t i = 0; i < d->count; i++) {
		struct result_values *v = &values[i];

		m = reach(met, met_count, m, v->low);
		k = reach(never, never_count, k, v->low);
		v->met = m < met_count && is_within(v, &met[m]);
		if (v->met == (k < never_count && is_within(v, &never[k]))) {
			reader_objects(r,
				       "%s: value %llu has to be in one list, "
				       "of values met or of those never met",
				       d->name, (unsigned long long)v->low);
			return;
		}
	}
}

/* For a report that does not list all values: those that it lists, in order. In
 * a range of which every value occurred, each one is listed. */
#define EACH_MOST 65536

static size_t pieces_of(const struct result_values *v, bool each)
{
	if (!each)
		return 1;
	return v->high - v->low < EACH_MOST ? v->high - v->low + 1 : EACH_MOST;
}

static void put_pieces(struct result_values *out, size_t *n,
		       const struct result_values *v, bool each)
{
	size_t pieces = pieces_of(v, each);

	for (size_t i = 0; i < pieces; i++)
		out[(*n)++] = each ? (struct result_values){v->low + i,
							    v->low + i, true}
				   : *v;
}

static bool is_each(const json_t *list, size_t i)
{
	const char *text = json_string_value(json_array_get(list, i));

	return text && strchr(text, '-');
}

static void make_values(struct reader *r, const json_t *object,
			struct result_dimension *d,
			const struct result_values *met, size_t met_count,
			const struct result_values *never, size_t never_count)
{
	const json_t *list = json_object_get(object, "met");
	size_t pieces = never_count, n = 0;
	struct result_values *values;

	for (size_t i = 0; i < met_count && pieces <= EACH_MOST; i++)
		pieces += pieces_of(&met[i], is_each(list, i));
	if (pieces > EACH_MOST)
		reader_objects(r, "%s: more values than a report lists",
			       d->name);
	values = reader_alloc(r, pieces, sizeof(*values));
	for (size_t m = 0, k = 0; values && (m < met_count || k < never_count);)
		if (k == never_count ||
		    (m < met_count && met[m].low < never[k].low)) {
			put_pieces(values, &n, &met[m], is_each(list, m));
			m++;
		} else {
			put_pieces(values, &n, &never[k++], false);
		}
	for (size_t i = 1; i < n; i++)
		if (values[i - 1].high >= values[i].low)
			reader_objects(r,
				       "%s: value %llu is listed as met and as "
				       "never met",
				       d->name,
				       (unsigned long long)values[i].low);
	d->values = values;
	d->count = n;
}

#define KEYS "name unit what low high device_chooses values met never"

static void load_dimension(struct reader *r, const json_t *object,
			   struct result_dimension *out)
{
	size_t met_count, never_count;

	if (!reader_is_object(r, object, KEYS))
		return;
	out->name = reader_line(r, object, "name", true);
	out->unit = reader_line(r, object, "unit", true);
	out->what = reader_line(r, object, "what", true);
	out->low = reader_number(r, object, "low", UINT64_MAX, true);
	out->high = reader_number(r, object, "high", UINT64_MAX, true);
	out->device_chooses = reader_flag(r, object, "device_chooses");

	struct result_values *met =
		load_ranges(r, object, "met", true, &met_count);
	struct result_values *never =
		load_ranges(r, object, "never", false, &never_count);
	if (!reader_member(r, object, "values", false)) {
		make_values(r, object, out, met, met_count, never, never_count);
		return;
	}
	struct result_values *values =
		load_ranges(r, object, "values", false, &out->count);

	out->values = values;
	if (!r->failed)
		tell_met(r, out, values, met, met_count, never, never_count);
}

void load_dimensions(struct reader *r, const json_t *root,
		     struct run_result *run)
{
	const json_t *list = reader_list(r, root, "dimensions", false,
					 &run->dimension_count);
	struct result_dimension *all =
		reader_alloc(r, run->dimension_count, sizeof(*all));

	run->dimensions = all;
	run->unknown_met = reader_number(r, root, "cases_without_dimensions",
					 SIZE_MAX, false);
	for (size_t i = 0; !r->failed && i < run->dimension_count; i++) {
		size_t mark = reader_enter(r, "dimensions", i);

		load_dimension(r, json_array_get(list, i), &all[i]);
		reader_leave(r, mark);
	}
}
