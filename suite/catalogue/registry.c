/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/catalogue/registry.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/agent/client.h"
#include "suite/language/case_expect.h"

/* Weak: a program without cases has no such sections. */
#define LINKED __attribute__((weak))
extern LINKED const struct case_desc *const __start_warpspec_cases[];
extern LINKED const struct case_desc *const __stop_warpspec_cases[];
extern LINKED const struct case_use *const __start_warpspec_uses[];
extern LINKED const struct case_use *const __stop_warpspec_uses[];

static void bug(const char *what, const char *where, const char *name)
{
	fprintf(stderr, "warpspec: %s: %s (%s)\n", what, name, where);
	exit(4);
}

static void *must_have(void *p)
{
	if (!p) {
		fputs("warpspec: out of memory\n", stderr);
		exit(4);
	}
	return p;
}

/* "mpa/crc" of "cases/mpa/crc.c", wherever the tree stands. */
static char *file_id(const char *file)
{
	const char *at = strstr(file, "cases/");
	char *id = must_have(strdup(at ? at + 6 : file));
	char *dot = strrchr(id, '.');

	if (dot)
		*dot = '\0';
	return id;
}

static char *format(const char *a, const char *sep, const char *b,
		    const char *tail)
{
	char *s;

	if (asprintf(&s, "%s%s%s%s", a, sep, b, tail) < 0)
		s = NULL;
	return must_have(s);
}

static int by_number(const void *a, const void *b)
{
	return *(const unsigned short *)a - *(const unsigned short *)b;
}

static bool is_use_of(const struct case_use *u, const struct case_desc *d)
{
	return strcmp(u->function, d->name) == 0 &&
	       strcmp(u->file, d->file) == 0;
}

/* The requirement that is judged there: of the row where the body says so. */
static unsigned short judged_by(const struct case_use *u,
				const struct instance *in)
{
	const struct case_row *row = in->row;
	bool must = u->req == CASE_USE_ROW_MUST;

	if (!must && u->req != CASE_USE_ROW_SHOULD)
		return u->req;
	if (!row || !(must ? (const void *)row->must : row->should))
		bug("a row without the requirement that the case judges",
		    in->desc->file, in->id);
	return must ? row->must->index : row->should->index;
}

/* What the body of this case judges. */
static void collect_uses(struct instance *in)
{
	size_t n = 0, cap = 0;

	for (const struct case_use *const *u = __start_warpspec_uses;
	     u < __stop_warpspec_uses; u++)
		cap += is_use_of(*u, in->desc);
	unsigned short *reqs = must_have(calloc(cap + 1, sizeof(*reqs)));

	for (const struct case_use *const *u = __start_warpspec_uses;
	     u < __stop_warpspec_uses; u++)
		if (is_use_of(*u, in->desc))
			reqs[n++] = judged_by(*u, in);
	qsort(reqs, n, sizeof(*reqs), by_number);
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (i == 0 || reqs[i] != reqs[i - 1])
			reqs[kept++] = reqs[i];
	const char **ids = must_have(calloc(cap + 1, sizeof(*ids)));

	for (size_t i = 0; i < kept; i++)
		ids[i] = req_table[reqs[i]].id;
	in->reqs = reqs;
	in->req_ids = ids;
	in->req_count = kept;

	static const char *const names[] = {"MUST", "SHOULD", "MAY", "OPEN"};
	unsigned strongest = REQ_KIND_open;

	for (size_t i = 0; i < kept; i++)
		if (req_table[reqs[i]].kind < strongest)
			strongest = req_table[reqs[i]].kind;
	in->level = kept ? names[strongest] : "";
}

static size_t roles_of(const struct case_desc *d)
{
	return d->role == EITHER ? 2 : 1;
}

static void add(struct instance *in, const struct case_desc *d, const char *id,
		const void *row, bool second)
{
	enum case_role role = d->role == EITHER
				      ? (second ? INITIATOR : RESPONDER)
			      : d->role ? d->role
					: RESPONDER;
	const struct case_row *r = row;

	in->desc = d;
	in->row = row;
	in->role = role;
	in->id = second ? format(id, "", "", "@initiator") : id;
	in->title = r ? format(d->title, " (", r->id, ")") : d->title;
	in->needs = d->needs |
		    (role == INITIATOR ? NEED_INITIATOR : NEED_RESPONDER);
	collect_uses(in);
}

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct instance *)a)->id,
		      ((const struct instance *)b)->id);
}

static void check_uses(void)
{
	for (const struct case_use *const *u = __start_warpspec_uses;
	     u < __stop_warpspec_uses; u++) {
		bool found = false;

		for (const struct case_desc *const *d = __start_warpspec_cases;
		     d < __stop_warpspec_cases && !found; d++)
			found = is_use_of(*u, *d);
		if (!found)
			bug("an expectation outside the body of a case",
			    (*u)->file, (*u)->function);
	}
}

static struct registry build(void)
{
	size_t n = 0, cap = 0;

	for (const struct case_desc *const *d = __start_warpspec_cases;
	     d < __stop_warpspec_cases; d++)
		cap += roles_of(*d) * ((*d)->rows ? (*d)->row_count : 1);
	struct instance *all = must_have(calloc(cap ? cap : 1, sizeof(*all)));

	for (const struct case_desc *const *p = __start_warpspec_cases;
	     p < __stop_warpspec_cases; p++) {
		const struct case_desc *d = *p;
		char *file = file_id(d->file);
		char *id = format(file, "/", d->name, "");

		if (!d->title)
			bug("a case without a title", d->file, d->name);
		for (size_t r = 0; r < (d->rows ? d->row_count : 1); r++) {
			const struct case_row *row =
				d->rows ? (const void *)((const char *)d->rows +
							 r * d->row_octets)
					: NULL;
			const char *rid =
				row ? format(id, "/", row->id, "") : id;

			for (size_t role = 0; role < roles_of(d); role++)
				add(&all[n++], d, rid, row, role == 1);
		}
		if (d->rows)
			free(id);
		free(file);
	}
	qsort(all, n, sizeof(*all), by_id);
	for (size_t i = 1; i < n; i++)
		if (strcmp(all[i].id, all[i - 1].id) == 0)
			bug("two cases of one name", all[i].desc->file,
			    all[i].id);
	for (size_t i = 0; i < n; i++)
		if (all[i].req_count == 0)
			bug("a case that judges no requirement",
			    all[i].desc->file, all[i].id);
	check_uses();
	return (struct registry){all, n};
}

const struct registry *registry(void)
{
	static struct registry r;

	if (!r.instances)
		r = build();
	return &r;
}

const char *const *registry_ids(void)
{
	static const char **ids;
	const struct registry *r = registry();

	if (ids)
		return ids;
	ids = must_have(calloc(r->count + 1, sizeof(*ids)));
	for (size_t i = 0; i < r->count; i++)
		ids[i] = r->instances[i].id;
	return ids;
}

size_t registry_file_part(const char *id)
{
	const char *slash = strchr(id, '/');

	slash = slash ? strchr(slash + 1, '/') : NULL;
	return slash ? (size_t)(slash - id) : strlen(id);
}

/* --- selection ------------------------------------------------------- */

static bool judges(const struct instance *in, const char *req)
{
	for (size_t i = 0; i < in->req_count; i++)
		if (fnmatch(req, req_table[in->reqs[i]].id, 0) == 0)
			return true;
	return false;
}

static bool of_rfc(const struct instance *in, const char *number)
{
	for (size_t i = 0; i < in->req_count; i++) {
		const char *spec = req_table[in->reqs[i]].spec;

		if (strcmp(spec, number) == 0 ||
		    (strncmp(spec, "RFC", 3) == 0 &&
		     strcmp(spec + 3, number) == 0))
			return true;
	}
	return false;
}

static bool needs(const struct instance *in, const char *feature)
{
	enum agent_feature bit = agent_feature_of(feature, strlen(feature));

	return bit != AGENT_FEATURES && (in->needs >> bit & 1);
}

/* 1 matches, 0 does not, -1 malformed. */
static int matches(const struct instance *in, const char *s)
{
	const char *colon = strchr(s, ':');

	if (!colon)
		return fnmatch(s, in->id, 0) == 0;
	const char *value = colon + 1;
	size_t n = (size_t)(colon - s);

	if (n == 3 && strncmp(s, "req", n) == 0)
		return judges(in, value);
	if (n == 3 && strncmp(s, "rfc", n) == 0)
		return of_rfc(in, value);
	if (n == 5 && strncmp(s, "level", n) == 0)
		return strcasecmp(in->level, value) == 0;
	if (n == 4 && strncmp(s, "role", n) == 0)
		return strcmp(instance_role(in), value) == 0;
	if (n == 7 && strncmp(s, "feature", n) == 0)
		return needs(in, value);
	return -1;
}

bool registry_select(char *const *selectors, size_t n, bool *selected,
		     char *why, size_t cap)
{
	const struct registry *r = registry();
	bool any_positive = false;

	for (size_t s = 0; s < n; s++)
		any_positive |= selectors[s][0] != '!';
	memset(selected, 0, r->count * sizeof(*selected));
	for (size_t i = 0; !any_positive && i < r->count; i++)
		selected[i] = true;
	for (unsigned pass = 0; pass < 2; pass++)
		for (size_t s = 0; s < n; s++) {
			bool exclude = selectors[s][0] == '!';
			const char *text = selectors[s] + exclude;
			size_t hits = 0;

			if (exclude != (pass == 1))
				continue;
			for (size_t i = 0; i < r->count; i++) {
				int m = matches(&r->instances[i], text);

				if (m < 0) {
					snprintf(why, cap,
						 "selector '%s': unknown kind; "
						 "use a glob, req:, rfc:, "
						 "level:, role: or feature:",
						 selectors[s]);
					return false;
				}
				if (!m)
					continue;
				hits++;
				selected[i] = !exclude;
			}
			if (!hits) {
				snprintf(why, cap,
					 "selector '%s' matches no case; "
					 "'warpspec list' shows them all",
					 selectors[s]);
				return false;
			}
		}
	return true;
}
