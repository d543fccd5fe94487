/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/judge/verdict.h"

#include <stdio.h>
#include <string.h>

enum verdict verdict_named(const char *name)
{
	enum verdict v = 0;

	while (v < VERDICT_COUNT && strcmp(name, verdict_name(v)) != 0)
		v++;
	return v;
}

enum teardown teardown_named(const char *name)
{
	enum teardown v = 0;

	while (v < TEARDOWN_COUNT && strcmp(name, teardown_name(v)) != 0)
		v++;
	return v;
}

static const char *spec_words(const struct arena *a, const struct req *r)
{
	/* "RFC5044" is written as the RFCs write it. */
	if (strncmp(r->spec, "RFC", 3) == 0)
		return arena_format(a, "RFC %s s%s", r->spec + 3, r->section);
	return arena_format(a, "%s s%s", r->spec, r->section);
}

/* Every line of text indented by two blanks. */
static const char *indented(const struct arena *a, const char *text)
{
	const char *out = "";

	while (*text) {
		size_t n = strcspn(text, "\n");

		out = arena_format(a, "%s  %.*s\n", out, (int)n, text);
		text += n + (text[n] == '\n');
	}
	return out;
}

/* A Terminate that nothing called for. */
static bool is_uncalled(const struct judgement *j)
{
	return j->by_model && j->req == REQ_INDEX_RDMAP_4_8_31;
}

/* A MUST is broken by a line of the case itself. */
static bool names_its_cause(const struct ended_case *c)
{
	for (const struct judgement *k = c->judged; k; k = k->next)
		if (!k->ok && !k->by_model && !k->adrift &&
		    k->kind == REQ_KIND_must)
			return true;
	return false;
}

/* It is accounted for by another judgement that has failed. */
static bool is_explained(const struct ended_case *c, const struct judgement *j)
{
	bool uncalled = is_uncalled(j), later = false;

	if (!j->ok &&
	    (j->adrift || (c->founds && j->by_model && names_its_cause(c))))
		return true;
	if (j->ok || !(uncalled || j->missing))
		return false;
	for (const struct judgement *k = c->judged; k; k = k->next) {
		later |= k == j;
		if (k->ok || k->kind != REQ_KIND_must || k->req == j->req)
			continue;
		if (uncalled ? !k->by_model && !k->ground
			     : !later && (!k->by_model ||
					  (j->ground && is_uncalled(k))))
			return true;
	}
	return false;
}

/*
 * A Terminate that nothing called for may account for the ground that fell
 * with it, and a line behind that for the Terminate. Where each MUST that is
 * broken is accounted for in this way, the first is the cause; NULL: there is
 * another. A FAIL without a cause would say nothing.
 */
static const struct judgement *first_of_a_circle(const struct ended_case *c)
{
	const struct judgement *first = NULL;

	for (const struct judgement *j = c->judged; j; j = j->next) {
		if (j->ok || j->kind != REQ_KIND_must)
			continue;
		if (!is_explained(c, j))
			return NULL;
		if (!first && !j->adrift)
			first = j;
	}
	return first;
}

bool verdict_is_consequence(const struct ended_case *c,
			    const struct judgement *j)
{
	if (!j->ok && c->outweighed)
		return true;
	return is_explained(c, j) && j != first_of_a_circle(c);
}

/* The same of the same requirement says no more than once. */
static bool is_said_before(const struct ended_case *c,
			   const struct judgement *j)
{
	for (const struct judgement *k = c->judged; k != j; k = k->next)
		if (k->req == j->req && k->ok == j->ok &&
		    k->by_model == j->by_model &&
		    strcmp(k->text, j->text) == 0 &&
		    verdict_is_consequence(c, k) ==
			    verdict_is_consequence(c, j))
			return true;
	return false;
}

/* A broken requirement is quoted with what was due and what was seen; of the
 * others only what a device chose is worth a line. */
static const char *detail_of(const struct ended_case *c, const struct arena *a,
			     const struct judgement *j)
{
	const struct req *r = &req_table[j->req];

	if (j->ok && (j->kind == REQ_KIND_must || j->kind == REQ_KIND_should))
		return "";
	if (is_said_before(c, j))
		return "";
	return arena_format(a, "%s%s %s (%s)%s: %s\n%s",
			    verdict_is_consequence(c, j) ? "a consequence: "
							 : "",
			    r->id, req_level_name(r->level), spec_words(a, r),
			    j->by_model ? ", found by the golden model" : "",
			    r->requirement, indented(a, j->text));
}

static bool listed(const struct result *out, const char *id)
{
	for (size_t i = 0; i < out->requirement_count; i++)
		if (strcmp(out->requirements[i], id) == 0)
			return true;
	return false;
}

/* Some lines could not be judged; others were, and held. Where the device could
 * not be asked for what the case presupposes, the others may hold for nothing. */
static bool is_judged_in_part(const struct ended_case *c)
{
	bool bound = false;

	/* What is skipped for another reason has no such line. */
	if (!c->unjudged || c->excused || (c->presumed && !c->alone))
		return false;
	for (const struct judgement *j = c->judged; j; j = j->next)
		bound |= j->ok && (c->alone || !j->given) &&
			 (j->kind == REQ_KIND_must ||
			  j->kind == REQ_KIND_should);
	return bound;
}

static const char *why_unjudged(const struct ended_case *c,
				const struct arena *a)
{
	if (c->excused)
		return c->unjudged;
	return arena_format(a, "%s%s",
			    c->alone ? "needs an agent: "
				     : "the agent cannot report ",
			    c->unjudged);
}

static void list_requirements(const struct ended_case *c, const struct arena *a,
			      struct result *out)
{
	size_t n = c->req_count;

	for (const struct judgement *j = c->judged; j; j = j->next)
		n++;
	const char **ids = arena_alloc(a, (n + 1) * sizeof(*ids));

	out->requirements = ids;
	for (const struct judgement *j = c->judged; j; j = j->next)
		if (!listed(out, req_table[j->req].id))
			ids[out->requirement_count++] = req_table[j->req].id;
	for (size_t i = 0; !is_judged_in_part(c) && i < c->req_count; i++)
		if (!listed(out, req_table[c->reqs[i]].id))
			ids[out->requirement_count++] =
				req_table[c->reqs[i]].id;
}

/* The requirements found broken, each once, in the order of the catalogue; or
 * those whose lines failed as a consequence only. */
static const char *signature_of(const struct ended_case *c,
				const struct arena *a, bool consequences)
{
	bool *broken = arena_alloc(a, REQ_COUNT * sizeof(*broken));
	const char *text = "";

	for (const struct judgement *j = c->judged; j; j = j->next)
		if (!j->ok && verdict_is_consequence(c, j) == consequences &&
		    !(consequences && j->by_model))
			broken[j->req] = true;
	for (unsigned r = 0; r < REQ_COUNT; r++)
		if (broken[r])
			text = arena_format(a, "%s%s%s", text, *text ? " " : "",
					    req_table[r].id);
	return text;
}

/* Told already, on the same ground. */
static bool is_told(const struct result *out, const struct judgement *j)
{
	for (size_t i = 0; i < out->broken_count; i++)
		if (out->broken[i].requirement == req_table[j->req].id &&
		    out->broken[i].by_model == j->by_model)
			return true;
	return false;
}

static void list_broken(const struct ended_case *c, const struct arena *a,
			struct result *out)
{
	size_t n = 0;

	for (const struct judgement *j = c->judged; j; j = j->next)
		n += !j->ok;
	out->broken = n ? arena_alloc(a, n * sizeof(*out->broken)) : NULL;
	for (const struct judgement *j = c->judged; j; j = j->next) {
		const struct req *r = &req_table[j->req];

		if (j->ok || is_told(out, j) || verdict_is_consequence(c, j))
			continue;
		out->broken[out->broken_count++] = (struct result_broken){
			.requirement = r->id,
			.level = req_level_name(r->level),
			.section = spec_words(a, r),
			.statement = r->requirement,
			.text = j->text,
			.known = "",
			.by_model = j->by_model,
		};
	}
}

/* By requirement, what its lines have met; not those of the model, which has
 * one only if it objects. */
static void list_axes(const struct ended_case *c, const struct arena *a,
		      struct result *out)
{
	size_t n = 0;
	char line[AXES_TEXT];

	for (const struct judgement *j = c->judged; j; j = j->next)
		n++;
	struct result_axes *list = arena_alloc(a, (n + 1) * sizeof(*list));
	const struct judgement **of = arena_alloc(a, (n + 1) * sizeof(*of));

	n = 0;
	for (const struct judgement *j = c->judged; j; j = j->next) {
		size_t i = 0;

		if (j->by_model || j->ground)
			continue;
		while (i < n && of[i]->req != j->req)
			i++;
		/* What the case has met only grows: the last line counts. */
		of[i] = j;
		n += i == n;
	}
	for (size_t i = 0; i < n; i++) {
		axes_format(&of[i]->axes, line, sizeof(line));
		list[i] = (struct result_axes){req_table[of[i]->req].id,
					       arena_format(a, "%s", line)};
	}
	out->axes = list;
	out->axes_count = n;
}

void verdict_unsay(struct result *out)
{
	out->axes_count = 0;
	out->signature = out->consequences = "";
	out->broken_count = 0;
	out->detail = "";
}

/* Not all of it was judged: nothing, or a part. */
static void leave_unjudged(const struct ended_case *c, const struct arena *a,
			   struct result *out, bool warn)
{
	if (is_judged_in_part(c) && !warn) {
		/* The rows of the other lines were not. */
		out->verdict = VERDICT_PASS;
		out->reason = arena_format(
			a, "in part; %s%s",
			c->alone ? "the rest needs an agent: "
				 : "the rest is unknown: the agent cannot "
				   "report ",
			c->unjudged);
		return;
	}
	if (!c->skipped)
		out->reason = why_unjudged(c, a);
	out->verdict = VERDICT_SKIP;
	verdict_unsay(out);
}

void verdict_of(const struct ended_case *c, const struct arena *a,
		struct result *out)
{
	bool fail = false, warn = false, bound = false;
	bool seen = false, seen_should = false; /* what is wrong came */
	const char *detail = "";

	*out = (struct result){
		.id = c->id,
		.title = c->title,
		.level = c->level,
		.role = c->role,
		.teardown = c->teardown,
		.reason = c->reason,
		.reading = c->reading,
	};
	list_requirements(c, a, out);
	list_axes(c, a, out);
	for (const struct judgement *j = c->judged; j; j = j->next) {
		fail |= !j->ok && j->kind == REQ_KIND_must;
		seen |= !j->ok && !j->missing && j->kind == REQ_KIND_must;
		warn |= !j->ok && j->kind != REQ_KIND_must;
		seen_should |=
			!j->ok && !j->missing && j->kind != REQ_KIND_must;
		bound |= j->kind == REQ_KIND_must || j->kind == REQ_KIND_should;
		detail = arena_format(a, "%s%s", detail, detail_of(c, a, j));
	}
	out->unseen = fail ? !seen : warn && !seen_should;
	out->signature = signature_of(c, a, false);
	out->consequences = signature_of(c, a, true);
	list_broken(c, a, out);
	out->detail =
		fail || warn ? arena_format(a, "%s%s", detail, c->reading_lines)
			     : detail;
	if (c->cause != CAUSE_NONE) {
		/* It accuses nobody: what it saw may be an effect of the cause. */
		out->verdict = VERDICT_ERROR;
		verdict_unsay(out);
	} else if (c->outweighed) {
		const char *after = out->consequences;

		out->verdict = VERDICT_BLOCKED;
		out->blocked_by = c->blocked_by;
		out->unseen = false;
		verdict_unsay(out);
		out->consequences = after;
	} else if (fail) {
		out->verdict = VERDICT_FAIL;
	} else if (c->blocked_by && !warn) {
		out->verdict = VERDICT_BLOCKED;
		out->blocked_by = c->blocked_by;
		verdict_unsay(out);
	} else if (c->skipped || (c->unjudged && !warn)) {
		leave_unjudged(c, a, out, warn);
	} else if (!c->judged) {
		out->verdict = VERDICT_ERROR;
		out->reason = "the case reached no expectation";
	} else {
		out->verdict = warn    ? VERDICT_WARN
			       : bound ? VERDICT_PASS
				       : VERDICT_INFO;
	}
}
