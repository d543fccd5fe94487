/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each requirement that the run found broken, once: how many cases show it,
 * and one of them with what was due and what was seen. What other cases rest
 * on stands first, that which explains most before all: it is what to mend
 * first, and the rest may follow from it. Behind it a MUST stands before a
 * SHOULD, and what more cases are about before what fewer are. What a case
 * came to without breaking a requirement (a crash, an error) is a line of its
 * own.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "reports/plain.h"
#include "reports/report.h"

#define INDENT "    "

struct group {
	const struct result_broken *example;
	const struct result *in; /* the case of the example */
	size_t cases, known;
	size_t own;    /* cases whose own lines broke it, not only the model */
	size_t blocks; /* cases that rest on what breaks it */
	const struct result *last; /* counted */
	const struct result *last_own;
};

/* RFC 5044 s10 stands behind s4.4. */
static int by_number(const char *a, const char *b)
{
	while (*a && *b) {
		char *a_end, *b_end;
		unsigned long x = strtoul(a, &a_end, 10),
			      y = strtoul(b, &b_end, 10);

		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			if (x != y)
				return x < y ? -1 : 1;
			a = a_end;
			b = b_end;
			continue;
		}
		if (*a != *b)
			break;
		a++;
		b++;
	}
	return (unsigned char)*a - (unsigned char)*b;
}

static bool is_must(const struct result_broken *b)
{
	return strncmp(b->level, "MUST", 4) == 0;
}

static int by_weight(const void *a, const void *b)
{
	const struct group *g = a, *h = b;
	const struct result_broken *x = g->example, *y = h->example;
	int order = by_number(x->section, y->section);

	if (g->blocks != h->blocks)
		return g->blocks > h->blocks ? -1 : 1;
	if (is_must(x) != is_must(y))
		return is_must(x) ? -1 : 1;
	if (g->own != h->own)
		return g->own > h->own ? -1 : 1;
	if (g->cases != h->cases)
		return g->cases > h->cases ? -1 : 1;
	return order ? order : by_number(x->requirement, y->requirement);
}

static size_t blocked_by(const struct run_result *run, const char *id)
{
	size_t n = 0;

	for (size_t i = 0; i < run->count; i++)
		n += run->results[i].blocked_by &&
		     strcmp(run->results[i].blocked_by, id) == 0;
	return n;
}

static void count(struct group *g, const struct result *r,
		  const struct result_broken *b, size_t blocks)
{
	/* A case's own sentence tells more than what came beside it, and one
	 * that others rest on more than these. */
	if (!g->example || blocks > g->blocks ||
	    (blocks == g->blocks && g->example->by_model && !b->by_model)) {
		g->example = b;
		g->in = r;
	}
	g->own += !b->by_model && g->last_own != r;
	if (!b->by_model)
		g->last_own = r;
	if (g->last == r)
		return;
	g->last = r;
	g->blocks += blocks;
	g->cases++;
	g->known += r->verdict == VERDICT_XFAIL;
}

/* The groups, sorted; NULL: no memory. */
static struct group *group(const struct run_result *run, size_t *n)
{
	size_t all = 0;

	for (size_t i = 0; i < run->count; i++)
		all += run->results[i].broken_count;
	struct group *groups = calloc(all + 1, sizeof(*groups));

	*n = 0;
	for (size_t i = 0; groups && i < run->count; i++) {
		const struct result *r = &run->results[i];
		size_t blocks = r->broken_count ? blocked_by(run, r->id) : 0;

		for (size_t k = 0; k < r->broken_count; k++) {
			const struct result_broken *b = &r->broken[k];
			size_t g = 0;

			while (g < *n && strcmp(groups[g].example->requirement,
						b->requirement) != 0)
				g++;
			*n += g == *n;
			count(&groups[g], r, b, b->by_model ? 0 : blocks);
		}
	}
	if (groups)
		qsort(groups, *n, sizeof(*groups), by_weight);
	return groups;
}

static void put_group(const struct group *g, FILE *out)
{
	const struct result_broken *b = g->example;

	struct plain_line line = plain_go_on(out, 0, 2);

	fputc('\n', out);
	plain_add(&line, b->section);
	plain_add(&line, ": ");
	plain_add(&line, b->requirement);
	plain_add(&line, " ");
	plain_add(&line, b->level);
	plain_add(&line, ": ");
	plain_add(&line, b->statement);
	plain_end(&line);
	plain_lines(out, b->text, strlen(INDENT));
	fprintf(out, INDENT "%zu case%s", g->cases, g->cases == 1 ? "" : "s");
	if (g->known)
		fprintf(out, ", %zu known", g->known);
	fputs(g->cases == 1 ? ": " : ", among them ", out);
	plain_put(out, g->in->id);
	fputc('\n', out);
	if (g->blocks)
		fprintf(out,
			INDENT "%zu case%s on it and %s BLOCKED: mend this "
			       "first\n",
			g->blocks, g->blocks == 1 ? " rests" : "s rest",
			g->blocks == 1 ? "is" : "are");
	if (*b->known) {
		fputs(INDENT "known: ", out);
		plain_put(out, b->known);
		fputc('\n', out);
	}
}

static void put_other(const struct result *r, FILE *out)
{
	fputc('\n', out);
	struct plain_line line = plain_go_on(out, 0, strlen(INDENT));

	plain_add(&line, plain_looks[r->verdict].word);
	plain_add(&line, ": ");
	plain_add(&line, r->id);
	plain_add(&line, ": ");
	plain_add(&line, r->reason);
	plain_end(&line);
	plain_lines(out, r->detail, strlen(INDENT));
}

static bool is_reported(const struct run_result *run, const char *id)
{
	for (size_t i = 0; i < run->count; i++)
		if (strcmp(run->results[i].id, id) == 0)
			return true;
	return false;
}

/* By a result before it. */
static bool is_told(const struct run_result *run, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (run->results[i].blocked_by &&
		    strcmp(run->results[i].blocked_by,
			   run->results[at].blocked_by) == 0)
			return true;
	return false;
}

/* What tells why cases are BLOCKED, where it is none of those selected. */
static void put_unselected(const struct run_result *run, FILE *out)
{
	for (size_t i = 0; i < run->count; i++) {
		const char *by = run->results[i].blocked_by;

		if (!by || is_reported(run, by) || is_told(run, i))
			continue;
		char count[64];
		struct plain_line line = plain_go_on(out, 0, strlen(INDENT));

		snprintf(count, sizeof(count), ": %zu", blocked_by(run, by));
		fputc('\n', out);
		plain_add(&line, "BLOCKED by ");
		plain_add(&line, by);
		plain_add(&line, ", which is not among the cases selected");
		plain_add(&line, count);
		plain_end(&line);
	}
}

int report_summary(const struct run_result *run,
		   const struct report_options *options, FILE *out)
{
	size_t n;
	struct group *groups = group(run, &n);

	(void)options;
	if (!groups)
		return -1;
	plain_head(run, out);
	plain_readings(run, out);
	plain_not_run(run, out);
	put_unselected(run, out);
	for (size_t i = 0; i < n; i++) {
		if (i && groups[i - 1].blocks && !groups[i].blocks)
			fputs("\nWhat follows here may come of it.\n", out);
		put_group(&groups[i], out);
	}
	for (size_t i = 0; i < run->count; i++) {
		const struct result *r = &run->results[i];

		if (!r->broken_count && !r->not_run &&
		    (r->verdict == VERDICT_FAIL ||
		     r->verdict == VERDICT_XFAIL ||
		     r->verdict == VERDICT_ERROR))
			put_other(r, out);
	}
	fprintf(out, "\n%zu requirement%s broken\n", n, n == 1 ? "" : "s");
	plain_totals(run, out);
	plain_counts(run, out);
	free(groups);
	return ferror(out) ? -1 : 0;
}
