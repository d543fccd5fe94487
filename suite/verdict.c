/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/verdict.h"

#include <stdio.h>
#include <string.h>

#include "suite/test.h"

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

static const char *spec_words(struct test *t, const struct req *r)
{
	/* "RFC5044" is written as the RFCs write it. */
	if (strncmp(r->spec, "RFC", 3) == 0)
		return test_format(t, "RFC %s s%s", r->spec + 3, r->section);
	return test_format(t, "%s s%s", r->spec, r->section);
}

/* Every line of text indented by two blanks. */
static const char *indented(struct test *t, const char *text)
{
	const char *out = "";

	while (*text) {
		size_t n = strcspn(text, "\n");

		out = test_format(t, "%s  %.*s\n", out, (int)n, text);
		text += n + (text[n] == '\n');
	}
	return out;
}

/* A broken requirement is quoted with what was due and what was seen; of the
 * others only what a device chose is worth a line. */
static const char *detail_of(struct test *t, const struct judgement *j)
{
	const struct req *r = &req_table[j->req];

	if (j->ok && (j->kind == REQ_KIND_must || j->kind == REQ_KIND_should))
		return "";
	return test_format(t, "%s %s (%s)%s: %s\n%s", r->id,
			   req_level_name(r->level), spec_words(t, r),
			   j->by_model ? ", found by the golden model" : "",
			   r->requirement, indented(t, j->text));
}

static bool listed(const struct result *out, const char *id)
{
	for (size_t i = 0; i < out->requirement_count; i++)
		if (strcmp(out->requirements[i], id) == 0)
			return true;
	return false;
}

static void list_requirements(struct test *t, struct result *out)
{
	size_t n = t->in->req_count;

	for (const struct judgement *j = t->judged; j; j = j->next)
		n++;
	const char **ids = test_alloc(t, (n + 1) * sizeof(*ids));

	out->requirements = ids;
	for (const struct judgement *j = t->judged; j; j = j->next)
		if (!listed(out, req_table[j->req].id))
			ids[out->requirement_count++] = req_table[j->req].id;
	for (size_t i = 0; i < t->in->req_count; i++)
		if (!listed(out, req_table[t->in->reqs[i]].id))
			ids[out->requirement_count++] =
				req_table[t->in->reqs[i]].id;
}

/* The requirements found broken, each once, in the order of the catalogue. */
static const char *signature_of(struct test *t)
{
	bool *broken = test_alloc(t, REQ_COUNT * sizeof(*broken));
	const char *text = "";

	for (const struct judgement *j = t->judged; j; j = j->next)
		broken[j->req] |= !j->ok;
	for (unsigned r = 0; r < REQ_COUNT; r++)
		if (broken[r])
			text = test_format(t, "%s%s%s", text, *text ? " " : "",
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

static void list_broken(struct test *t, struct result *out)
{
	size_t n = 0;

	for (const struct judgement *j = t->judged; j; j = j->next)
		n += !j->ok;
	out->broken = n ? test_alloc(t, n * sizeof(*out->broken)) : NULL;
	for (const struct judgement *j = t->judged; j; j = j->next) {
		const struct req *r = &req_table[j->req];

		if (j->ok || is_told(out, j))
			continue;
		out->broken[out->broken_count++] = (struct result_broken){
			.requirement = r->id,
			.level = req_level_name(r->level),
			.section = spec_words(t, r),
			.statement = r->requirement,
			.text = j->text,
			.known = "",
			.by_model = j->by_model,
		};
	}
}

void verdict_of(struct test *t, struct result *out)
{
	bool fail = false, warn = false, bound = false;
	const char *detail = "";

	*out = (struct result){
		.id = t->in->id,
		.title = t->in->title,
		.level = t->in->level,
		.role = t->in->role == INITIATOR ? "initiator" : "responder",
		.teardown = test_teardown(t),
		.reason = t->reason,
		.reading = reread_names(t),
	};
	list_requirements(t, out);
	for (const struct judgement *j = t->judged; j; j = j->next) {
		fail |= !j->ok && j->kind == REQ_KIND_must;
		warn |= !j->ok && j->kind != REQ_KIND_must;
		bound |= j->kind == REQ_KIND_must || j->kind == REQ_KIND_should;
		detail = test_format(t, "%s%s", detail, detail_of(t, j));
	}
	out->signature = signature_of(t);
	list_broken(t, out);
	out->detail = fail || warn
			      ? test_format(t, "%s%s", detail, reread_lines(t))
			      : detail;
	if (t->cause != CAUSE_NONE) {
		out->verdict = VERDICT_ERROR;
	} else if (fail) {
		out->verdict = VERDICT_FAIL;
	} else if (t->skipped || (t->unjudged && !warn)) {
		if (!t->skipped)
			snprintf(t->reason, sizeof(t->reason),
				 "the agent cannot tell %s", t->unjudged);
		out->verdict = VERDICT_SKIP;
		out->signature = "";
		out->broken_count = 0;
		out->detail = "";
	} else if (!t->judged) {
		out->verdict = VERDICT_ERROR;
		t->cause = CAUSE_SUITE;
		out->reason = "the case reached no expectation";
	} else {
		out->verdict = warn    ? VERDICT_WARN
			       : bound ? VERDICT_PASS
				       : VERDICT_INFO;
	}
}
