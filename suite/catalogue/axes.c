/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/catalogue/axes.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include <jansson.h>

#include "harness/text/json_memory.h"

static const struct {
	const char *requirements, *points, *reason;
} gaps[] = {
#define GAP(requirements, points, reason) {requirements, points, reason},
#include "suite/catalogue/axes_gaps.def"
#undef GAP
	{"", "", ""},
};

#define GAPS (sizeof(gaps) / sizeof(gaps[0]) - 1)

/* NULL: none is known. It counts how often each was the reason. */
static const char *reason_of(const struct req *r, enum axis a, size_t point,
			     size_t *used)
{
	char name[64];

	snprintf(name, sizeof(name), "%s:%s", axis_name(a),
		 axis_point(a, point));
	for (size_t i = 0; i < GAPS; i++) {
		if (fnmatch(gaps[i].requirements, r->id, FNM_EXTMATCH) != 0 ||
		    fnmatch(gaps[i].points, name, FNM_EXTMATCH) != 0)
			continue;
		used[i]++;
		return gaps[i].reason;
	}
	return NULL;
}

struct covered {
	bool judged;
	struct axes met;
};

/* By requirement. */
static void collect(const struct run_result *run, struct covered *of)
{
	for (size_t i = 0; i < run->count; i++)
		for (size_t k = 0; k < run->results[i].axes_count; k++) {
			const struct result_axes *one =
				&run->results[i].axes[k];
			const struct req *r = req_find(one->requirement);
			struct axes met = {{0}};

			if (!r || !axes_parse(&met, one->points))
				continue;
			of[r - req_table].judged = true;
			axes_merge(&of[r - req_table].met, &met);
		}
}

/* A rule has its own cases for each message; the edges of a quantity, and of
 * what names something, are those of all rules of a section. */
static bool is_shared(enum axis a)
{
	return a >= AXIS_PEER_LENGTH;
}

/* What the requirements of the same section, about the same side, have met. */
static struct axes met_nearby(const struct req *r, const struct covered *of)
{
	struct axes met = {{0}};

	for (unsigned i = 0; i < REQ_COUNT; i++)
		if (strcmp(req_table[i].spec, r->spec) == 0 &&
		    strcmp(req_table[i].section, r->section) == 0)
			axes_merge(&met, &of[i].met);
	return met;
}

/* One axis of one requirement. */
struct line {
	const struct req *req;
	enum axis axis;
	const struct axes *due, *met, *nearby;
	size_t all, covered, gaps, unexplained;
	size_t *used; /* of each reason */
};

static json_t *axis_json(struct line *l)
{
	json_t *covered = json_array(), *nearby = json_array();
	json_t *missing = json_object();

	for (size_t p = 0; p < axis_points(l->axis); p++) {
		const char *name = axis_point(l->axis, p), *why;

		if (!axes_has(l->due, l->axis, p))
			continue;
		l->all++;
		if (axes_has(l->met, l->axis, p)) {
			l->covered++;
			json_array_append_new(covered, json_string(name));
			continue;
		}
		if (is_shared(l->axis) && axes_has(l->nearby, l->axis, p)) {
			json_array_append_new(nearby, json_string(name));
			continue;
		}
		why = reason_of(l->req, l->axis, p, l->used);
		l->gaps++;
		l->unexplained += !why;
		json_object_set_new(missing, name, json_string(why ? why : ""));
	}
	return json_pack("{s:o, s:o, s:o}", "covered", covered, "nearby",
			 nearby, "missing", missing);
}

struct totals {
	json_int_t requirements, points, covered, gaps, unexplained;
	size_t used[GAPS + 1];
};

static json_t *requirement_json(const struct req *r, const struct covered *of,
				struct totals *n)
{
	const struct axes due = axes_of_requirement(r);
	const struct axes nearby = met_nearby(r, of);
	json_t *axes = json_object();

	for (unsigned a = 0; a < AXIS_COUNT; a++) {
		struct line l = {.req = r,
				 .axis = (enum axis)a,
				 .due = &due,
				 .met = &of[r - req_table].met,
				 .nearby = &nearby,
				 .used = n->used};
		json_t *one = axis_json(&l);

		n->points += (json_int_t)l.all;
		n->covered += (json_int_t)l.covered;
		n->gaps += (json_int_t)l.gaps;
		n->unexplained += (json_int_t)l.unexplained;
		if (l.all)
			json_object_set_new(axes, axis_name((enum axis)a), one);
		else
			json_decref(one);
	}
	n->requirements++;
	return json_pack("{s:s, s:o}", "id", r->id, "axes", axes);
}

/* "DDP-4.1-04  role 2/2, dut-segment 3/4" */
static void print_table(const json_t *rows, FILE *out)
{
	size_t i;
	json_t *row, *axis;
	const char *name;

	json_array_foreach(rows, i, row)
	{
		const char *join = " ";

		fprintf(out, "%-20s",
			json_string_value(json_object_get(row, "id")));
		json_object_foreach(json_object_get(row, "axes"), name, axis)
		{
			size_t met = json_array_size(
				json_object_get(axis, "covered"));
			size_t nearby = json_array_size(
				json_object_get(axis, "nearby"));

			fprintf(out, "%s%s %zu/%zu", join, name, met,
				met + nearby +
					json_object_size(json_object_get(
						axis, "missing")));
			join = ", ";
		}
		fputc('\n', out);
	}
}

/* A line for the neighbouring points with one reason. */
static void print_gaps_of(const char *id, const char *name, json_t *missing,
			  FILE *out)
{
	const char *point, *last = NULL;
	json_t *why;

	json_object_foreach(missing, point, why)
	{
		const char *reason = json_string_value(why);

		if (last && strcmp(last, reason) == 0) {
			fprintf(out, ",%s", point);
			continue;
		}
		if (last)
			fprintf(out, "%s%s\n", *last ? ": " : "", last);
		fprintf(out, "%-20s %s:%s", id, name, point);
		last = reason;
	}
	if (last)
		fprintf(out, "%s%s\n", *last ? ": " : "", last);
}

static void print_gaps(const json_t *rows, FILE *out)
{
	size_t i;
	json_t *row, *axis;
	const char *name;

	fputs("\nGaps, and why they are left\n", out);
	json_array_foreach(rows, i, row) json_object_foreach(
		json_object_get(row, "axes"), name, axis)
		print_gaps_of(json_string_value(json_object_get(row, "id")),
			      name, json_object_get(axis, "missing"), out);
}

static json_t *reasons_json(const struct totals *n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < GAPS; i++)
		json_array_append_new(
			list,
			json_pack("{s:s, s:s, s:s, s:I}", "requirements",
				  gaps[i].requirements, "points",
				  gaps[i].points, "reason", gaps[i].reason,
				  "gaps", (json_int_t)n->used[i]));
	return list;
}

static bool print_json(json_t *rows, const struct totals *n,
		       unsigned long failures, FILE *out)
{
	json_t *o = json_pack("{s:o, s:o, s:{s:I, s:I, s:I, s:I, s:I}}",
			      "requirements", rows, "reasons", reasons_json(n),
			      "totals", "requirements", n->requirements,
			      "points", n->points, "covered", n->covered,
			      "gaps", n->gaps, "unexplained", n->unexplained);
	bool whole = o && json_memory_failures() == failures;

	if (!whole)
		errno = ENOMEM;

	bool ok = whole && json_dumpf(o, out, JSON_INDENT(1)) == 0 &&
		  fputc('\n', out) != EOF;

	json_decref(o);
	return ok;
}

bool catalogue_axes(const bool *requirements,
		    const struct run_result *const *runs, size_t count,
		    bool json, FILE *out)
{
	static struct covered of[REQ_COUNT];
	unsigned long failures = json_memory_failures();
	json_t *rows = json_array();
	struct totals n = {0};

	memset(of, 0, sizeof(of));
	for (size_t i = 0; i < count; i++)
		collect(runs[i], of);
	for (unsigned r = 0; r < REQ_COUNT; r++)
		if (requirements[r] && of[r].judged)
			json_array_append_new(
				rows, requirement_json(&req_table[r], of, &n));
	if (json)
		return print_json(rows, &n, failures, out);
	print_table(rows, out);
	if (n.gaps)
		print_gaps(rows, out);
	json_decref(rows);
	return fprintf(out,
		       "\n%d requirements have %d points: %d covered, %d gaps, "
		       "%d of these without a reason\n",
		       (int)n.requirements, (int)n.points, (int)n.covered,
		       (int)n.gaps, (int)n.unexplained) > 0;
}
