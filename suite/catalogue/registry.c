/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/catalogue/registry.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/agent/client.h"
#include "suite/device/spelling.h"
#include "suite/language/words/case_expect.h"

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

/* "mpa/crc" for "cases/mpa/crc.c", wherever the tree is. */
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

/* --- which expectations a case has -------------------------------------- */

/* In the order of their cases: there are thousands of both. */
static const struct case_use **uses;
static size_t use_count;

static int compare_case(const char *file, const char *function,
			const struct case_use *u)
{
	int c = strcmp(file, u->file);

	return c ? c : strcmp(function, u->function);
}

static int by_case(const void *a, const void *b)
{
	const struct case_use *x = *(const struct case_use *const *)a;

	return compare_case(x->file, x->function,
			    *(const struct case_use *const *)b);
}

static void sort_uses(void)
{
	use_count = (size_t)(__stop_warpspec_uses - __start_warpspec_uses);
	uses = must_have(calloc(use_count + 1, sizeof(const void *)));
	for (size_t i = 0; i < use_count; i++)
		uses[i] = __start_warpspec_uses[i];
	qsort(uses, use_count, sizeof(const void *), by_case);
}

/* The uses of one case: they start at uses[*first], and their number is
 * returned. */
static size_t uses_of(const struct case_desc *d, size_t *first)
{
	size_t low = 0, end = use_count;

	while (low < end) {
		size_t middle = low + (end - low) / 2;

		if (compare_case(d->file, d->name, uses[middle]) > 0)
			low = middle + 1;
		else
			end = middle;
	}
	*first = low;
	while (end < use_count &&
	       compare_case(d->file, d->name, uses[end]) == 0)
		end++;
	return end - low;
}

/* The requirement that is judged there; that of the row if the body uses it. */
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

/* The requirements that the body of this case judges. */
static void collect_uses(struct instance *in)
{
	size_t first, n = uses_of(in->desc, &first);
	unsigned short *reqs = must_have(calloc(n + 1, sizeof(*reqs)));

	for (size_t i = 0; i < n; i++)
		reqs[i] = judged_by(uses[first + i], in);
	qsort(reqs, n, sizeof(*reqs), by_number);
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (i == 0 || reqs[i] != reqs[i - 1])
			reqs[kept++] = reqs[i];
	const char **ids = must_have(calloc(n + 1, sizeof(*ids)));

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

/* RFC 5044, and what RFC 6581 says of its frames: the position of MPA's flags
 * and revision (s6), its errors (s8), one kind of frame in answer to another
 * (s10). The negotiated values, and how streams open, hold over SCTP as well
 * (s7). */
static bool is_of_mpa(const struct req *r)
{
	static const char *const sections[] = {"6", "8", "10"};

	if (strcmp(r->spec, "RFC5044") == 0)
		return true;
	if (strcmp(r->spec, "RFC6581") != 0 || strcmp(r->layer, "MPA") != 0)
		return false;
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		if (strcmp(r->section, sections[i]) == 0)
			return true;
	return false;
}

static bool is_about_mpa(const struct instance *in)
{
	for (size_t i = 0; i < in->req_count; i++)
		if (!is_of_mpa(&req_table[in->reqs[i]]))
			return false;
	return in->req_count > 0;
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
	if (is_about_mpa(in))
		in->needs |= NEED_MPA;
}

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct instance *)a)->id,
		      ((const struct instance *)b)->id);
}

static void check_uses(void)
{
	bool *within = must_have(calloc(use_count + 1, sizeof(*within)));

	for (const struct case_desc *const *d = __start_warpspec_cases;
	     d < __stop_warpspec_cases; d++) {
		size_t first, n = uses_of(*d, &first);

		for (size_t i = 0; i < n; i++)
			within[first + i] = true;
	}
	for (size_t i = 0; i < use_count; i++)
		if (!within[i])
			bug("an expectation outside the body of a case",
			    uses[i]->file, uses[i]->function);
	free(within);
}

/* --- rows drawn from a dimension ------------------------------------- */

static uint64_t member_of(const void *row, const struct case_range *r)
{
	const char *at = (const char *)row + r->at;

	return r->octets == 8   ? *(const uint64_t *)(const void *)at
	       : r->octets == 4 ? *(const uint32_t *)(const void *)at
	       : r->octets == 2 ? *(const uint16_t *)(const void *)at
				: *(const uint8_t *)at;
}

/* A value is written and read back unchanged. */
static bool set_member(void *row, const struct case_range *r, uint64_t value)
{
	char *at = (char *)row + r->at;

	if (r->octets == 8)
		*(uint64_t *)(void *)at = value;
	else if (r->octets == 4)
		*(uint32_t *)(void *)at = (uint32_t)value;
	else if (r->octets == 2)
		*(uint16_t *)(void *)at = (uint16_t)value;
	else
		*(uint8_t *)at = (uint8_t)value;
	return member_of(row, r) == value;
}

/* A row of that table, or one drawn for the range, has this value. */
static bool has_row(const struct case_desc *d, const struct case_range *r,
		    uint64_t value)
{
	const char *row = d->rows;

	for (size_t i = 0; i < d->row_count; i++, row += d->row_octets)
		if (member_of(row, r) == value)
			return true;
	for (const struct case_range *e = d->along; e < r; e++)
		if (e->at == r->at && value >= e->low && value <= e->high)
			return true;
	return false;
}

/* Long numbers are read in hexadecimal. */
static char *value_id(uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), value < 1u << 24 ? "%llu" : "0x%llx",
		 (unsigned long long)value);
	return format(text, "", "", "");
}

static void *drawn_row(const struct case_desc *d, const struct case_range *r,
		       uint64_t value)
{
	struct case_row *row = must_have(malloc(d->row_octets));

	memcpy(row, d->rows, d->row_octets);
	row->id = value_id(value);
	if (!set_member(row, r, value))
		bug("a row's member has no room for a value", d->file, d->name);
	return row;
}

/* Each value once, with one role. Returns the number; all: NULL to count
 * them. */
static size_t draw_rows(const struct case_desc *d, const char *id,
			struct instance *all)
{
	uint64_t values[DIMENSION_VALUES];
	size_t n = 0;

	for (unsigned k = 0; k < CASE_RANGES && d->along[k].octets; k++) {
		const struct case_range *r = &d->along[k];
		size_t count = dimension_values(r->dimension, r->low, r->high,
						values, DIMENSION_VALUES);

		for (size_t i = 0; i < count; i++) {
			if (has_row(d, r, values[i]))
				continue;
			if (all) {
				struct case_row *row =
					drawn_row(d, r, values[i]);
				char *rid = format(id, "/", row->id, "");
				bool second = d->role == EITHER && n % 2;

				add(&all[n], d, rid, row, second);
				if (second)
					free(rid);
			}
			n++;
		}
	}
	return n;
}

static struct registry build(void)
{
	size_t n = 0, cap = 0;

	sort_uses();
	for (const struct case_desc *const *d = __start_warpspec_cases;
	     d < __stop_warpspec_cases; d++)
		cap += roles_of(*d) * ((*d)->rows ? (*d)->row_count : 1) +
		       draw_rows(*d, "", NULL);
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
		n += draw_rows(d, id, all + n);
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

/* All cases below it: "mpa", "mpa/crc", a case that has rows. */
static bool is_folder_of(const char *folder, const char *id)
{
	size_t n = strlen(folder);

	while (n && folder[n - 1] == '/')
		n--;
	return n && strncmp(id, folder, n) == 0 && id[n] == '/';
}

/* By a glob, or by its section: "MPA-4.4". */
static bool is_requirement(const struct req *r, const char *what)
{
	size_t n = strlen(what);

	return fnmatch(what, r->id, 0) == 0 ||
	       (n && strncmp(r->id, what, n) == 0 &&
		(r->id[n] == '-' || r->id[n] == '.'));
}

static bool is_of_rfc(const struct req *r, const char *number)
{
	return strcmp(r->spec, number) == 0 ||
	       (strncmp(r->spec, "RFC", 3) == 0 &&
		strcmp(r->spec + 3, number) == 0);
}

static bool judges(const struct instance *in, const char *what,
		   bool (*fits)(const struct req *r, const char *what))
{
	for (size_t i = 0; i < in->req_count; i++)
		if (fits(&req_table[in->reqs[i]], what))
			return true;
	return false;
}

static bool needs(const struct instance *in, const char *feature)
{
	enum agent_feature bit = agent_feature_of(feature, strlen(feature));

	return bit != AGENT_FEATURES && (in->needs >> bit & 1);
}

enum kind { BY_ID, BY_REQ, BY_RFC, BY_LEVEL, BY_ROLE, BY_FEATURE, KINDS };

static const char *const kinds[KINDS] = {"",      "req",  "rfc",
					 "level", "role", "feature"};

/* For a selector without its '!'; KINDS: none. Its argument is stored in
 * *value. */
static enum kind kind_of(const char *s, const char **value)
{
	const char *colon = strchr(s, ':');
	enum kind k = BY_REQ;

	*value = colon ? colon + 1 : s;
	if (!colon)
		return BY_ID;
	while (k < KINDS && (strlen(kinds[k]) != (size_t)(colon - s) ||
			     strncmp(s, kinds[k], (size_t)(colon - s)) != 0))
		k++;
	return k;
}

static bool matches(const struct instance *in, enum kind k, const char *value)
{
	switch (k) {
	case BY_ID:
		return fnmatch(value, in->id, 0) == 0 ||
		       is_folder_of(value, in->id);
	case BY_REQ:
		return judges(in, value, is_requirement);
	case BY_RFC:
		return judges(in, value, is_of_rfc);
	case BY_LEVEL:
		return strcasecmp(in->level, value) == 0;
	case BY_ROLE:
		return strcmp(instance_role(in), value) == 0;
	case BY_FEATURE:
		return needs(in, value);
	case KINDS:
		break;
	}
	return false;
}

/* --- suggestions ----------------------------------------------------- */

/* Every folder of an id that the id before it is not in. */
static void offer_folders(struct spelling *s, const char *id,
			  const char *before)
{
	for (const char *slash = strchr(id, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		char *folder = must_have(strndup(id, (size_t)(slash - id)));
		const char *best = s->nearest;

		if (!is_folder_of(folder, before))
			spelling_offer(s, folder);
		if (s->nearest == best)
			free(folder);
	}
}

/* Parts of ids, which are suggested at least. */
enum { PART = 3 };

/* A part of ids, a word close to an id, a folder, or only the name of a
 * case. */
static void meant_id(const char *value, char *line, size_t cap)
{
	const struct registry *r = registry();
	struct spelling s = spelling_of(value);
	size_t parts = 0, n = strlen(line);
	const char *part = NULL, *before = "", *whole = NULL;

	for (size_t i = 0; strlen(value) >= PART && i < r->count; i++)
		if (strstr(r->instances[i].id, value))
			part = parts++ ? part : r->instances[i].id;
	if (parts) {
		if (parts == 1)
			snprintf(line + n, cap - n, "; did you mean %s?", part);
		else
			snprintf(line + n, cap - n,
				 "; did you mean '*%.80s*', as in %s?", value,
				 part);
		return;
	}
	for (size_t i = 0; i < r->count; i++) {
		const char *id = r->instances[i].id;
		const char *name = id + registry_file_part(id);

		offer_folders(&s, id, before);
		spelling_offer(&s, before = id);
		spelling_offer(&s, name += *name == '/');
		if (s.nearest == name)
			whole = id;
	}
	if (whole && s.nearest == whole + registry_file_part(whole) + 1)
		s.nearest = whole;
	spelling_say(&s, line, cap);
}

static bool names_requirement(const char *value)
{
	for (unsigned i = 0; i < REQ_COUNT; i++)
		if (is_requirement(&req_table[i], value))
			return true;
	return false;
}

/* A mutant of the built-in device, of which an '=' was forgotten. */
static bool names_fault(const char *value)
{
	static const char *const names[] = {
#define MUTANT(name, reqs, text) name,
#include "refdut/mutants.def"
#undef MUTANT
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], value) == 0)
			return true;
	return false;
}

static void meant(enum kind k, const char *value, char *line, size_t cap)
{
	static const char *const levels[] = {"must", "should", "may", "open"};
	struct spelling s = spelling_of(value);
	size_t n = strlen(line);

	if (k == BY_ID && names_requirement(value)) {
		snprintf(line + n, cap - n, "; did you mean req:%.80s?", value);
		return;
	}
	if (k == BY_ID && names_fault(value)) {
		snprintf(line + n, cap - n, "; did you mean --refdut=%.80s?",
			 value);
		return;
	}
	if (k == BY_ID) {
		meant_id(value, line, cap);
		return;
	}
	for (unsigned i = 0; k == BY_REQ && i < REQ_COUNT; i++) {
		if (is_requirement(&req_table[i], value)) {
			snprintf(line + n, cap - n, "; no case judges it");
			return;
		}
		spelling_offer(&s, req_table[i].id);
	}
	for (unsigned i = 0; k == BY_FEATURE && i < AGENT_FEATURES; i++)
		spelling_offer(&s, agent_feature_name((enum agent_feature)i));
	for (unsigned i = 0; k == BY_LEVEL && i < 4; i++)
		spelling_offer(&s, levels[i]);
	if (k == BY_ROLE) {
		spelling_offer(&s, "responder");
		spelling_offer(&s, "initiator");
	}
	if (s.nearest)
		snprintf(line + n, cap - n, "; did you mean %s:%s?", kinds[k],
			 s.nearest);
	else if (k == BY_ROLE)
		snprintf(line + n, cap - n,
			 "; a role is responder or initiator");
	else if (k == BY_LEVEL)
		snprintf(line + n, cap - n,
			 "; a level is must, should, may or open");
	else if (k == BY_FEATURE)
		snprintf(line + n, cap - n,
			 "; a feature is a name from 'warpspec device --keys', "
			 "as fetchadd");
}

static void unknown_kind(const char *selector, char *why, size_t cap)
{
	const char *s = selector + (selector[0] == '!');
	char *word = must_have(strndup(s, strcspn(s, ":")));
	struct spelling near = spelling_of(word);

	for (enum kind k = BY_REQ; k < KINDS; k++)
		spelling_offer(&near, kinds[k]);
	snprintf(why, cap,
		 "selector '%.200s': unknown kind; use a glob, req:, rfc:, "
		 "level:, role: or feature:",
		 selector);
	spelling_say(&near, why, cap);
	free(word);
}

/* --- which ----------------------------------------------------------- */

/* Sets or clears the cases that one selector names, and returns their
 * number. */
static size_t mark(enum kind k, const char *value, bool to, bool *selected)
{
	const struct registry *r = registry();
	size_t hits = 0;

	for (size_t i = 0; i < r->count; i++) {
		if (!matches(&r->instances[i], k, value))
			continue;
		hits++;
		selected[i] = to;
	}
	return hits;
}

/* Do the excluding selectors leave none of the chosen cases? */
static bool is_empty(const bool *selected, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (selected[i])
			return false;
	return n != 0;
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
			const char *value;
			enum kind k = kind_of(selectors[s] + exclude, &value);

			if (k == KINDS) {
				unknown_kind(selectors[s], why, cap);
				return false;
			}
			if (exclude != (pass == 1) ||
			    mark(k, value, !exclude, selected))
				continue;
			snprintf(why, cap,
				 "selector '%.200s' matches no case; "
				 "'warpspec list' shows them all",
				 selectors[s]);
			meant(k, value, why, cap);
			return false;
		}
	if (n && is_empty(selected, r->count)) {
		snprintf(why, cap,
			 "the selectors exclude every case that they select");
		return false;
	}
	return true;
}

bool registry_select_requirements(char *const *selectors, size_t n,
				  bool *selected, char *why, size_t cap)
{
	for (unsigned i = 0; i < REQ_COUNT; i++)
		selected[i] = !n;
	for (size_t s = 0; s < n; s++) {
		const char *value;
		enum kind k = kind_of(selectors[s], &value);
		size_t hits = 0;

		if (k != BY_REQ && k != BY_RFC) {
			snprintf(why, cap,
				 "selector '%.200s': coverage takes req:GLOB "
				 "and rfc:NUMBER only",
				 selectors[s]);
			return false;
		}
		for (unsigned i = 0; i < REQ_COUNT; i++)
			if (k == BY_REQ ? is_requirement(&req_table[i], value)
					: is_of_rfc(&req_table[i], value)) {
				selected[i] = true;
				hits++;
			}
		if (hits)
			continue;
		snprintf(why, cap, "selector '%.200s' matches no requirement",
			 selectors[s]);
		meant(k, value, why, cap);
		return false;
	}
	return true;
}
