/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/ranking.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"

/* RFC 5044 s10 comes after s4.4. */
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

bool report_is_must(const struct result_broken *b)
{
	return strncmp(b->level, "MUST", 4) == 0;
}

void report_levels(char text[RANKING_LEVELS], const struct ranked *of, size_t n)
{
	static const char *const levels[] = {"MUST", "SHOULD", "MAY"};
	size_t at = 0, left = n;

	snprintf(text, RANKING_LEVELS, "none");
	for (size_t k = 0; k < sizeof(levels) / sizeof(levels[0]); k++) {
		size_t count = 0;

		for (size_t i = 0; i < n; i++)
			count += strncmp(of[i].example->level, levels[k],
					 strlen(levels[k])) == 0;
		left -= count;
		if (count)
			at += (size_t)snprintf(text + at, RANKING_LEVELS - at,
					       "%s%zu %s", at ? ", " : "",
					       count, levels[k]);
	}
	if (left)
		snprintf(text + at, RANKING_LEVELS - at,
			 "%s%zu without a level", at ? ", " : "", left);
}

static int by_weight(const void *a, const void *b)
{
	const struct ranked *g = a, *h = b;
	const struct result_broken *x = g->example, *y = h->example;
	int order = by_number(x->section, y->section);

	if (g->blocks != h->blocks)
		return g->blocks > h->blocks ? -1 : 1;
	if (report_is_must(x) != report_is_must(y))
		return report_is_must(x) ? -1 : 1;
	if (g->cases != h->cases)
		return g->cases > h->cases ? -1 : 1;
	if (g->own != h->own)
		return g->own > h->own ? -1 : 1;
	return order ? order : by_number(x->requirement, y->requirement);
}

size_t report_blocked_by(const struct run_result *run, const char *id)
{
	size_t n = 0;

	for (size_t i = 0; i < run->count; i++)
		n += run->results[i].blocked_by &&
		     strcmp(run->results[i].blocked_by, id) == 0;
	return n;
}

static void count(struct ranked *g, const struct result *r,
		  const struct result_broken *b, size_t blocks)
{
	/* A case's own sentence is clearer than a consequence, and a
	 * foundation's is clearer than that of a case that depends on it. */
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

struct ranked *report_ranking(const struct run_result *run, size_t *n)
{
	size_t all = 0;

	for (size_t i = 0; i < run->count; i++)
		all += run->results[i].broken_count;
	struct ranked *groups = text_held(calloc(all + 1, sizeof(*groups)));

	*n = 0;
	for (size_t i = 0; groups && i < run->count; i++) {
		const struct result *r = &run->results[i];
		size_t blocks =
			r->broken_count ? report_blocked_by(run, r->id) : 0;

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
