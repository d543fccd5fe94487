/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/load/load_case.h"

#include <string.h>

#include "suite/judge/evidence.h"

#define CASE_KEYS                                                              \
	"id title verdict teardown level requirements role duration_ms "       \
	"detail reason not_run retried device_log blocked_by block_known "     \
	"unseen "                                                              \
	"signature broken consequences reading axes capture capture_sha256 "   \
	"evidence"
#define BROKEN_KEYS "requirement level section statement by_model text known"

/* A path of at least two parts, of characters that a terminal can show. */
static bool is_id(const char *id)
{
	bool slash = false;

	for (const char *p = id; *p; p++) {
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			return false;
		if (*p == '/' && (p == id || p[-1] == '/' || !p[1]))
			return false;
		slash |= *p == '/';
	}
	return slash;
}

static enum verdict verdict_of_name(struct reader *r, const json_t *object)
{
	const char *name = reader_text(r, object, "verdict", true);

	for (int v = 0; v < VERDICT_COUNT; v++)
		if (strcmp(name, verdict_name((enum verdict)v)) == 0)
			return (enum verdict)v;
	reader_objects(r, "verdict: unknown value: %.40s", name);
	return VERDICT_ERROR;
}

static enum teardown teardown_of_name(struct reader *r, const json_t *object)
{
	const char *name = reader_text(r, object, "teardown", true);

	for (int t = 0; t < TEARDOWN_COUNT; t++)
		if (strcmp(name, teardown_name((enum teardown)t)) == 0)
			return (enum teardown)t;
	reader_objects(r, "teardown: unknown value: %.40s", name);
	return TEARDOWN_NONE;
}

/* One of these words, or nothing. */
static const char *word(struct reader *r, const json_t *object, const char *key,
			const char *const *words)
{
	const char *text = reader_text(r, object, key, true);

	for (; *words; words++)
		if (strcmp(text, *words) == 0)
			return text;
	if (*text)
		reader_objects(r, "%s: unknown value: %.40s", key, text);
	return "";
}

static void load_broken(struct reader *r, const json_t *object,
			struct result *out)
{
	const json_t *list =
		reader_list(r, object, "broken", false, &out->broken_count);

	out->broken = reader_alloc(r, out->broken_count, sizeof(*out->broken));
	for (size_t i = 0; !r->failed && i < out->broken_count; i++) {
		const json_t *one = json_array_get(list, i);
		size_t mark = reader_enter(r, "broken", i);

		if (reader_is_object(r, one, BROKEN_KEYS))
			out->broken[i] = (struct result_broken){
				reader_line(r, one, "requirement", true),
				reader_line(r, one, "level", true),
				reader_line(r, one, "section", true),
				reader_text(r, one, "statement", false),
				reader_text(r, one, "text", true),
				reader_text(r, one, "known", false),
				reader_flag(r, one, "by_model")};
		reader_leave(r, mark);
	}
}

static void load_axes(struct reader *r, const json_t *object,
		      struct result *out)
{
	json_t *all = (json_t *)reader_member(r, object, "axes", false);
	struct result_axes *list;
	const char *requirement;
	json_t *points;

	if (all && !json_is_object(all))
		reader_objects(r, "axes: not an object");
	list = reader_alloc(r, json_object_size(all), sizeof(*list));
	out->axes = list;
	json_object_foreach(all, requirement, points)
	{
		if (r->failed)
			return;
		list[out->axes_count++] = (struct result_axes){
			requirement, reader_line(r, all, requirement, true)};
	}
}

static const char *load_sum(struct reader *r, const json_t *object)
{
	const char *sum = reader_line(r, object, "capture_sha256", true);

	if (sum && strspn(sum, "0123456789abcdef") != strlen(sum))
		reader_objects(r, "capture_sha256: not in lower-case hex");
	if (sum && strlen(sum) != RESULT_SHA256)
		reader_objects(r, "capture_sha256: not a SHA-256");
	return sum;
}

static void load_optional(struct reader *r, const json_t *object,
			  struct result *out)
{
	const json_t *capture = reader_member(r, object, "capture", true);

	out->signature = reader_line(r, object, "signature", false);
	out->consequences = reader_line(r, object, "consequences", false);
	out->reading = reader_line(r, object, "reading", false);
	if (reader_member(r, object, "blocked_by", false))
		out->blocked_by = reader_line(r, object, "blocked_by", true);
	if (reader_member(r, object, "retried", false))
		out->retried = reader_line(r, object, "retried", true);
	if (reader_member(r, object, "device_log", false))
		out->device_log = reader_text(r, object, "device_log", true);
	out->block_known = reader_flag(r, object, "block_known");
	out->not_run = reader_flag(r, object, "not_run");
	out->unseen = reader_flag(r, object, "unseen");
	if (capture && !json_is_null(capture))
		out->capture = reader_text(r, object, "capture", true);
	if (reader_member(r, object, "capture_sha256", false))
		out->capture_sha256 = load_sum(r, object);
}

/* What its verdict says has to be there. */
static void check(struct reader *r, const struct result *c)
{
	switch (c->verdict) {
	case VERDICT_SKIP:
	case VERDICT_XFAIL:
	case VERDICT_ERROR:
	case VERDICT_BLOCKED:
		if (!*c->reason)
			reader_objects(r, "%s without a reason",
				       verdict_name(c->verdict));
		break;
	default:
		if (c->verdict == VERDICT_FAIL && !*c->detail)
			reader_objects(r, "fail without a detail");
		/* Programs judge any requirement. */
		if (!c->requirement_count && strncmp(c->id, "explore/", 8) != 0)
			reader_objects(r, "%s without a requirement",
				       verdict_name(c->verdict));
	}
}

static void load_evidence(struct reader *r, const json_t *object,
			  struct result *out, void **owned)
{
	const json_t *evidence = reader_member(r, object, "evidence", false);
	const char *why;

	if (evidence && !evidence_parse(out, evidence, owned, &why))
		reader_objects(r, "%s", why);
}

void load_case(struct reader *r, const json_t *object, struct result *out,
	       void **evidence)
{
	static const char *const levels[] = {"MUST", "SHOULD", "MAY", "OPEN",
					     NULL};
	static const char *const roles[] = {"responder", "initiator", NULL};

	if (!reader_is_object(r, object, CASE_KEYS))
		return;
	out->id = reader_text(r, object, "id", true);
	if (!is_id(out->id))
		reader_objects(r, "id: not the path of a case: '%.80s'",
			       out->id);
	out->title = reader_text(r, object, "title", true);
	out->verdict = verdict_of_name(r, object);
	out->teardown = teardown_of_name(r, object);
	out->level = word(r, object, "level", levels);
	out->role = word(r, object, "role", roles);
	out->requirements = reader_texts(r, object, "requirements", true,
					 &out->requirement_count);
	out->duration_ns = reader_ms(r, object, "duration_ms", true);
	out->detail = reader_text(r, object, "detail", true);
	out->reason = reader_line(r, object, "reason", true);
	load_broken(r, object, out);
	load_axes(r, object, out);
	load_optional(r, object, out);
	load_evidence(r, object, out, evidence);
	check(r, out);
}
