/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/ics/due.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "harness/text/json_memory.h"
#include "suite/catalogue/registry.h"
#include "suite/req/req.h"

#define CASES_MOST 100000u
#define DEPTH_MOST 6

/* In the order of the SPEC_ bits of a case. */
static const char *const due_specs[] = {"rfc7306", "draft-10", "draft-03",
					"draft-01"};
#define SPECS (sizeof(due_specs) / sizeof(due_specs[0]))

/* --- writing ---------------------------------------------------------------- */

static json_t *features(uint64_t set)
{
	json_t *list = json_array();

	for (unsigned f = 0; f < AGENT_FEATURES; f++)
		if (set >> f & 1)
			json_array_append_new(list,
					      json_string(agent_feature_name(
						      (enum agent_feature)f)));
	return list;
}

static json_t *specs(unsigned set)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < SPECS; i++)
		if (set >> i & 1)
			json_array_append_new(list, json_string(due_specs[i]));
	return list;
}

static json_t *judges(const struct instance *in)
{
	json_t *list = json_array();

	for (size_t i = 0; i < in->req_count; i++)
		json_array_append_new(list, json_string(in->req_ids[i]));
	return list;
}

/* One object on a line. */
static bool put(FILE *out, json_t *object, bool last)
{
	bool ok = object && json_dumpf(object, out, JSON_COMPACT) == 0 &&
		  fputs(last ? "\n" : ",\n", out) != EOF;

	json_decref(object);
	return ok;
}

static json_t *requirement(const struct req *r)
{
	return json_pack("{s:s,s:s,s:s,s:s,s:b,s:s}", "id", r->id, "spec",
			 r->spec, "section", r->section, "level",
			 req_level_name(r->level), "open",
			 r->kind == REQ_KIND_open, "requirement",
			 r->requirement);
}

static json_t *one_case(const struct instance *in)
{
	return json_pack(
		"{s:s,s:s,s:s,s:o,s:o,s:o,s:o,s:b,s:b,s:b}", "id", in->id,
		"title", in->title, "level", in->level, "requirements",
		judges(in), "needs", features(in->needs), "lacks",
		features(in->desc->lacks), "specs", specs(in->desc->spec),
		"segments", in->desc->segments, "destructive",
		in->desc->destructive, "mpa", (in->needs & NEED_MPA) != 0);
}

bool due_write(FILE *out)
{
	const struct registry *reg = registry();
	unsigned long failures = json_memory_failures();
	bool ok = fprintf(out, "{\"catalogue\":%d,\"requirements\":[\n",
			  DUE_FORM) > 0;

	for (size_t i = 0; ok && i < REQ_COUNT; i++)
		ok = put(out, requirement(&req_table[i]), i + 1 == REQ_COUNT);
	ok = ok && fputs("],\"cases\":[\n", out) != EOF;
	for (size_t i = 0; ok && i < reg->count; i++)
		ok = put(out, one_case(&reg->instances[i]),
			 i + 1 == reg->count);
	/* An object without a part of it looks whole. */
	return ok && fputs("]}\n", out) != EOF && fflush(out) == 0 &&
	       !ferror(out) && json_memory_failures() == failures;
}

/* --- reading ---------------------------------------------------------------- */

/* Before a parser of somebody else's goes down into it. */
static bool is_shallow(const char *octets, size_t n)
{
	unsigned depth = 0;
	bool quoted = false;

	for (size_t i = 0; i < n; i++) {
		char c = octets[i];

		if (c == '"')
			quoted = !quoted;
		else if (quoted)
			i += c == '\\';
		else if (c == '[' || c == '{')
			depth++;
		else if (c == ']' || c == '}')
			depth -= depth > 0;
		if (depth > DEPTH_MOST)
			return false;
	}
	return true;
}

/* A list of names, as bits; names that do not exist here count in *unknown. */
static bool bits(const json_t *list, bool feature, uint64_t *set,
		 uint64_t *unknown)
{
	size_t i;
	json_t *value;

	*set = 0;
	json_array_foreach((json_t *)list, i, value)
	{
		const char *name = json_string_value(value);
		unsigned at = 0;

		if (!name)
			return false;
		if (feature)
			at = agent_feature_of(name, strlen(name));
		else
			while (at < SPECS && strcmp(due_specs[at], name) != 0)
				at++;
		if (at >=
		    (feature ? (unsigned)AGENT_FEATURES : (unsigned)SPECS))
			++*unknown;
		else
			*set |= UINT64_C(1) << at;
	}
	return json_is_array(list);
}

static bool is_id(const char *id)
{
	return id && *id && strlen(id) < 256 &&
	       !id[strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789_-/@.+:"
			      "ABCDEFGHIJKLMNOPQRSTUVWXYZ")];
}

static bool read_case(struct due_case *c, const json_t *o)
{
	const json_t *segments = json_object_get(o, "segments");
	const json_t *destructive = json_object_get(o, "destructive");
	uint64_t of, unknown = 0;

	c->id = json_string_value(json_object_get(o, "id"));
	c->level = json_string_value(json_object_get(o, "level"));
	c->segments = json_is_true(segments);
	c->destructive = json_is_true(destructive);
	/* Of an earlier catalogue, which had no SCTP: left out. */
	c->mpa = json_is_true(json_object_get(o, "mpa"));
	if (!is_id(c->id) || !c->level || !json_is_boolean(segments) ||
	    !json_is_boolean(destructive) ||
	    !bits(json_object_get(o, "needs"), true, &c->needs, &c->unknown) ||
	    !bits(json_object_get(o, "lacks"), true, &c->lacks, &unknown) ||
	    !bits(json_object_get(o, "specs"), false, &of, &unknown))
		return false;
	c->specs = (unsigned)of;
	return true;
}

static bool read_cases(struct due_list *l, const json_t *list, const char *name,
		       char *why, size_t cap)
{
	l->count = json_array_size(list);
	l->cases = calloc(l->count ? l->count : 1, sizeof(*l->cases));
	if (!l->cases || l->count > CASES_MOST) {
		snprintf(why, cap, "%s: %s", name,
			 l->cases ? "more cases than a catalogue can have"
				  : "out of memory");
		return false;
	}
	for (size_t i = 0; i < l->count; i++) {
		if (!read_case(&l->cases[i], json_array_get(list, i))) {
			snprintf(why, cap, "%s: case %zu is not valid", name,
				 i + 1);
			return false;
		}
		if (i && strcmp(l->cases[i - 1].id, l->cases[i].id) >= 0) {
			snprintf(why, cap,
				 "%s: case %.100s appears twice, or not in "
				 "the order of ids",
				 name, l->cases[i].id);
			return false;
		}
	}
	return true;
}

bool due_read(struct due_list *l, const char *name, const char *octets,
	      size_t n, char *why, size_t cap)
{
	json_error_t error;

	*l = (struct due_list){0};
	if (!is_shallow(octets, n)) {
		snprintf(why, cap, "%s: nested deeper than a catalogue can be",
			 name);
		return false;
	}
	l->json = json_memory_load(octets, n, JSON_REJECT_DUPLICATES, &error);
	if (!l->json) {
		if (errno == ENOMEM)
			snprintf(why, cap, "%s: out of memory", name);
		else
			snprintf(why, cap, "%s: line %d: not JSON", name,
				 error.line);
		return false;
	}
	const json_t *cases = json_object_get(l->json, "cases");
	const json_t *rows = json_object_get(l->json, "requirements");
	const json_t *form = json_object_get(l->json, "catalogue");

	if (!json_is_array(cases) || !json_is_array(rows) ||
	    json_integer_value(form) != DUE_FORM) {
		snprintf(why, cap, "%s: not a catalogue of form %d", name,
			 DUE_FORM);
		return false;
	}
	l->requirements = json_array_size(rows);
	return read_cases(l, cases, name, why, cap);
}

void due_free(struct due_list *l)
{
	free(l->cases);
	json_decref(l->json);
	*l = (struct due_list){0};
}

/* --- required cases ------------------------------------------------------- */

static const char *first_of(uint64_t set)
{
	return agent_feature_name((enum agent_feature)__builtin_ctzll(set));
}

static enum due not_due(enum due kind, char why[DUE_WHY], const char *fmt,
			const char *what)
{
	snprintf(why, DUE_WHY, fmt, what);
	return kind;
}

enum due due_of(const struct ics *s, const struct due_case *c,
		char why[DUE_WHY])
{
	uint64_t missing = c->needs & ~s->yes, there = c->lacks & s->yes;
	const char *link = s->choice[ICS_CHOICE_LINK];
	bool sctp = strcmp(link, "sctp") == 0;
	unsigned spec = 0;

	while (spec < SPECS && strcmp(due_specs[spec], s->spec) != 0)
		spec++;
	if (c->specs && !(c->specs >> spec & 1))
		return not_due(DUE_UNSTATED, why, "not a requirement of %s",
			       s->spec);
	if (c->unknown)
		return not_due(DUE_UNSTATED, why, "%s",
			       "needs a feature that is not part of a "
			       "statement");
	if (missing)
		return not_due(DUE_UNSTATED, why, "not stated: %s",
			       first_of(missing));
	if (there)
		return not_due(DUE_UNSTATED, why, "for those without %s",
			       first_of(there));
	if (sctp && c->mpa)
		return not_due(DUE_OF_TCP, why, "%s",
			       "the case is about MPA or TCP; the stated link "
			       "is SCTP");
	if (!sctp && c->needs & NEED_SCTP)
		return not_due(DUE_OF_SCTP, why, "%s",
			       "the case is about SCTP; the stated link is "
			       "TCP");
	if (c->segments && strcmp(link, "raw") != 0)
		return not_due(DUE_SEGMENTS, why, "%s",
			       "the stated link cannot choose TCP segments");
	if (c->destructive &&
	    strcmp(s->choice[ICS_CHOICE_DESTRUCTIVE], "yes") != 0)
		return not_due(DUE_UNSTATED, why, "%s",
			       "destructive, but destructive = yes is not "
			       "stated");
	*why = '\0';
	return DUE_REQUIRED;
}
