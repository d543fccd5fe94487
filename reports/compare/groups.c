/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/compare/groups.h"

#include <stdlib.h>
#include <string.h>

/* For each device: the others with the same reasons have the same number, which
 * is one of them, plus 1; 0: no reason, or in a group. */
struct grouping {
	const struct matrix *m;
	size_t alike[MATRIX_RUNS][MATRIX_RUNS];
};

/* First those where the device insists, so that an order of devices plays no
 * part. */
static size_t reasons_of(const struct matrix *m, size_t device, size_t with,
			 const struct pair *list[GROUP_REASONS])
{
	size_t n = 0;

	for (int refuses = 0; refuses < 2; refuses++) {
		size_t one = refuses ? with : device;
		size_t other = refuses ? device : with;

		for (size_t i = 0; i < m->pair_count; i++)
			if (m->pairs[i].one == one &&
			    m->pairs[i].other == other && n < GROUP_REASONS)
				list[n++] = &m->pairs[i];
	}
	return n;
}

static bool same_result(const struct result *a, const struct result *b)
{
	return strcmp(a->id, b->id) == 0 && a->verdict == b->verdict &&
	       strcmp(a->reason, b->reason) == 0;
}

static bool same_reason(const struct pair *a, const struct pair *b,
			size_t device)
{
	return (a->one == device) == (b->one == device) &&
	       a->one_initiates == b->one_initiates &&
	       strcmp(a->about, b->about) == 0 &&
	       strcmp(a->insists, b->insists) == 0 &&
	       strcmp(a->refuses, b->refuses) == 0 &&
	       same_result(a->shows, b->shows) &&
	       same_result(a->other_shows, b->other_shows);
}

static bool same_reasons(const struct matrix *m, size_t device, size_t a,
			 size_t b)
{
	const struct pair *of_a[GROUP_REASONS], *of_b[GROUP_REASONS];
	size_t n = reasons_of(m, device, a, of_a);

	if (reasons_of(m, device, b, of_b) != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!same_reason(of_a[i], of_b[i], device))
			return false;
	return true;
}

static size_t first_alike(const struct grouping *g, size_t device, size_t with)
{
	const struct pair *list[GROUP_REASONS];

	if (with == device || !reasons_of(g->m, device, with, list))
		return 0;
	for (size_t i = 0; i < with; i++)
		if (g->alike[device][i] == i + 1 &&
		    same_reasons(g->m, device, i, with))
			return i + 1;
	return with + 1;
}

static size_t number_alike(const struct grouping *g, size_t device,
			   size_t alike)
{
	size_t n = 0;

	for (size_t i = 0; alike && i < g->m->count; i++)
		n += g->alike[device][i] == alike;
	return n;
}

/* The device and the number that most pairs have; 0: no pair is left. */
static size_t largest(const struct grouping *g, size_t *device)
{
	size_t most = 0, found = 0;

	for (size_t i = 0; i < g->m->count; i++)
		for (size_t k = 0; k < g->m->count; k++) {
			size_t n = number_alike(g, i, g->alike[i][k]);

			if (n <= most)
				continue;
			most = n;
			*device = i;
			found = g->alike[i][k];
		}
	return found;
}

/* Put these pairs into a group, and no other one. */
static struct group take(struct grouping *g, size_t device, size_t alike)
{
	struct group group = {.device = device};

	for (size_t i = g->m->count; i-- > 0;) {
		if (g->alike[device][i] != alike)
			continue;
		group.with[i] = true;
		group.others++;
		group.first = i;
		g->alike[device][i] = g->alike[i][device] = 0;
	}
	group.reason_count =
		reasons_of(g->m, device, group.first, group.reasons);
	return group;
}

bool groups_of(const struct matrix *m, struct group **out, size_t *n)
{
	struct grouping g = {.m = m};
	size_t device = 0, alike;

	*n = 0;
	*out = NULL;
	for (size_t i = 0; i < m->count; i++)
		for (size_t k = 0; k < m->count; k++)
			g.alike[i][k] = first_alike(&g, i, k);
	while ((alike = largest(&g, &device))) {
		struct group *more = realloc(*out, (*n + 1) * sizeof(*more));

		if (!more) {
			free(*out);
			*out = NULL;
			*n = 0;
			return false;
		}
		*out = more;
		more[(*n)++] = take(&g, device, alike);
	}
	return true;
}

const struct group *group_find(const struct group *groups, size_t n, size_t a,
			       size_t b)
{
	for (size_t i = 0; i < n; i++)
		if ((groups[i].device == a && groups[i].with[b]) ||
		    (groups[i].device == b && groups[i].with[a]))
			return &groups[i];
	return NULL;
}
