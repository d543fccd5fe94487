/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/journal/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "harness/text/json_memory.h"
#include "suite/judge/evidence.h"

#define DETAIL_MAX   (96u << 10)
#define BROKEN_MAX   1024u /* octets of one text; the detail has it whole */
#define BROKEN_LIMIT 32u   /* of a case */
#define MET_MAX      (24u << 10)
#define EVENT_OCTETS 2048u

static const char *const causes[] = {"", "device", "suite"};

struct record record_unjudged(const struct instance *in, enum verdict v,
			      enum error_cause cause, const char *why)
{
	return (struct record){
		.result =
			{
				.id = in->id,
				.title = in->title,
				.verdict = v,
				.level = in->level,
				.requirements = in->req_ids,
				.requirement_count = in->req_count,
				.role = instance_role(in),
				.signature = "",
				.detail = "",
				.reason = why,
			},
		.cause = cause,
		.note = "",
	};
}

static json_t *broken_list(const struct result *c)
{
	json_t *list = json_array();

	for (size_t i = 0; i < c->broken_count && i < BROKEN_LIMIT; i++) {
		const struct result_broken *b = &c->broken[i];

		json_array_append_new(
			list, json_pack("{s:s, s:s, s:s, s:s, s:s%, s:b}",
					"requirement", b->requirement, "level",
					b->level, "section", b->section,
					"statement", b->statement, "text",
					b->text, strnlen(b->text, BROKEN_MAX),
					"by_model", b->by_model));
	}
	return list;
}

/* The size of the other texts, with a reserve for escapes of JSON. */
struct evidence_bounds record_room(const struct result *c)
{
	size_t rest = MET_MAX + strnlen(c->detail, DETAIL_MAX);

	for (size_t i = 0; i < c->broken_count && i < BROKEN_LIMIT; i++)
		rest += 512 + strnlen(c->broken[i].text, BROKEN_MAX);
	rest += rest / 8;
	size_t left = rest < RECORD_MAX ? RECORD_MAX - rest : 0;

	return (struct evidence_bounds){
		.event = EVENT_OCTETS,
		.all = left / 2 < RECORD_EVIDENCE ? left / 2 : RECORD_EVIDENCE,
	};
}

/* {"MPA-4.4-14": "role:responder peer-opcode:send", ...} */
static json_t *axes_of(const struct result *c)
{
	json_t *all = c->axes_count ? json_object() : NULL;

	for (size_t i = 0; i < c->axes_count; i++)
		json_object_set_new(all, c->axes[i].requirement,
				    json_string(c->axes[i].points));
	return all;
}

static char *line_with(const struct record *r, bool evidence)
{
	const struct result *c = &r->result;
	size_t detail = strnlen(c->detail, DETAIL_MAX);
	unsigned long failures = json_memory_failures();
	json_t *reqs = json_array();

	for (size_t i = 0; i < c->requirement_count; i++)
		json_array_append_new(reqs, json_string(c->requirements[i]));
	json_t *o = json_pack(
		"{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:I, s:s%, s:s, s:s*, "
		"s:s, s:b, s:b, s:b, s:b, s:b, s:s, s:s, s:s, s:s, s:s, s:s*, "
		"s:o, s:s*, s:b, s:o*, s:b, s:I, s:o*, s:s*, s:s*, s:s*, s:o*}",
		"id", c->id, "title", c->title, "verdict",
		verdict_name(c->verdict), "teardown",
		teardown_name(c->teardown), "level", c->level, "role", c->role,
		"requirements", reqs, "duration_ns", (json_int_t)c->duration_ns,
		"detail", c->detail, detail, "reason", c->reason, "capture",
		c->capture, "cause", causes[r->cause], "unstarted",
		r->unstarted, "agent_lost", r->agent_lost, "limited",
		r->limited, "unanswered", r->unanswered, "link_down",
		r->link_down, "note", r->note ? r->note : "", "signature",
		c->signature, "consequences",
		c->consequences ? c->consequences : "", "reading",
		c->reading ? c->reading : "", "in_force",
		r->in_force ? r->in_force : "", "blocked_by", c->blocked_by,
		"broken", broken_list(c), "met", r->met, "unseen", r->unseen,
		"agent_silent", r->agent_silent ? json_true() : NULL,
		"unconnected", r->unconnected, "lost", (json_int_t)r->lost,
		"interrupted", r->interrupted ? json_true() : NULL, "retried",
		c->retried, "capture_sha256", c->capture_sha256, "device_log",
		c->device_log, "axes", axes_of(c));

	if (o && evidence && evidence_is_there(c) &&
	    json_object_set_new(o, "evidence", evidence_json(c)) != 0) {
		json_decref(o);
		return NULL;
	}
	char *line = o ? json_dumps(o, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;

	json_decref(o);
	/* A list is incomplete if there was no memory for it. */
	if (json_memory_failures() != failures) {
		free(line);
		return NULL;
	}
	return line;
}

void record_keep_log(struct record *r, const char *lines)
{
	json_t *o = r->json ? r->json : json_object();

	r->json = o;
	if (json_object_set_new(o, "device_log", json_string(lines)) == 0)
		r->result.device_log =
			json_string_value(json_object_get(o, "device_log"));
}

/* The verdict is kept even if the other texts do not fit. */
char *record_line(const struct record *r)
{
	char *line = line_with(r, true);

	if (line && strlen(line) <= RECORD_MAX)
		return line;
	free(line);
	return line_with(r, false);
}

static const char *text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static void parse_broken(struct result *c, const json_t *list)
{
	size_t i;
	json_t *o;

	c->broken = calloc(json_array_size(list) + 1, sizeof(*c->broken));
	json_array_foreach(list, i, o)
	{
		if (!c->broken)
			break;
		c->broken[c->broken_count++] = (struct result_broken){
			.requirement = text(o, "requirement"),
			.level = text(o, "level"),
			.section = text(o, "section"),
			.statement = text(o, "statement"),
			.text = text(o, "text"),
			.known = "",
			.by_model =
				json_is_true(json_object_get(o, "by_model")),
		};
	}
}

static void parse_axes(struct record *r, json_t *all)
{
	struct result_axes *list =
		calloc(json_object_size(all) + 1, sizeof(*list));
	const char *requirement;
	json_t *points;

	r->axes = list;
	r->result.axes = list;
	json_object_foreach(all, requirement, points)
	{
		if (list && json_is_string(points))
			list[r->result.axes_count++] = (struct result_axes){
				requirement, json_string_value(points)};
	}
}

bool record_parse(struct record *r, const char *line, size_t n)
{
	json_t *o = json_memory_load(line, n, JSON_REJECT_DUPLICATES, NULL);
	bool is_short = !o && errno == ENOMEM;
	const json_t *reqs = json_object_get(o, "requirements");
	size_t count = json_array_size(reqs);
	const char **ids = calloc(count + 1, sizeof(*ids));

	*r = (struct record){.json = o, .requirements = ids};
	r->result = (struct result){
		.id = text(o, "id"),
		.title = text(o, "title"),
		.verdict = verdict_named(text(o, "verdict")),
		.teardown = teardown_named(text(o, "teardown")),
		.level = text(o, "level"),
		.role = text(o, "role"),
		.requirements = ids,
		.duration_ns = (uint64_t)json_integer_value(
			json_object_get(o, "duration_ns")),
		.signature = text(o, "signature"),
		.consequences = text(o, "consequences"),
		.reading = text(o, "reading"),
		.detail = text(o, "detail"),
		.reason = text(o, "reason"),
		.capture = json_string_value(json_object_get(o, "capture")),
		.capture_sha256 =
			json_string_value(json_object_get(o, "capture_sha256")),
		.blocked_by =
			json_string_value(json_object_get(o, "blocked_by")),
		.retried = json_string_value(json_object_get(o, "retried")),
		.device_log =
			json_string_value(json_object_get(o, "device_log")),
	};
	const json_t *evidence = json_object_get(o, "evidence");
	const char *why;
	bool fine = !evidence ||
		    evidence_parse(&r->result, evidence, &r->evidence, &why);

	/* Parsed evidence takes several times as much memory. */
	json_object_del(o, "evidence");
	parse_broken(&r->result, json_object_get(o, "broken"));
	r->broken = r->result.broken;
	parse_axes(r, json_object_get(o, "axes"));
	for (size_t i = 0; ids && i < count; i++) {
		const char *id = json_string_value(json_array_get(reqs, i));

		if (id)
			ids[r->result.requirement_count++] = id;
	}
	r->unstarted = json_is_true(json_object_get(o, "unstarted"));
	r->agent_lost = json_is_true(json_object_get(o, "agent_lost"));
	r->agent_silent = json_is_true(json_object_get(o, "agent_silent"));
	r->limited = json_is_true(json_object_get(o, "limited"));
	r->unanswered = json_is_true(json_object_get(o, "unanswered"));
	r->link_down = json_is_true(json_object_get(o, "link_down"));
	r->unseen = json_is_true(json_object_get(o, "unseen"));
	r->unconnected = json_is_true(json_object_get(o, "unconnected"));
	r->lost = (uint64_t)json_integer_value(json_object_get(o, "lost"));
	r->interrupted = json_is_true(json_object_get(o, "interrupted"));
	r->note = text(o, "note");
	r->in_force = text(o, "in_force");
	r->met = json_string_value(json_object_get(o, "met"));
	for (unsigned i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
		if (strcmp(text(o, "cause"), causes[i]) == 0)
			r->cause = (enum error_cause)i;
	if (o && ids && fine && r->result.broken && r->axes &&
	    r->result.id[0] &&
	    json_integer_value(json_object_get(o, "duration_ns")) >= 0 &&
	    r->result.verdict < VERDICT_COUNT &&
	    r->result.teardown < TEARDOWN_COUNT)
		return true;
	is_short |= !ids || !r->result.broken || !r->axes;
	record_release(r);
	errno = is_short ? ENOMEM : 0;
	return false;
}

bool record_fell(const struct result *c)
{
	for (size_t i = 0; i < c->broken_count; i++)
		if (!c->broken[i].by_model)
			return true;
	return c->verdict == VERDICT_BLOCKED ||
	       (c->consequences && *c->consequences);
}

void record_release(struct record *r)
{
	free(r->requirements);
	free(r->broken);
	free(r->axes);
	evidence_release(r->evidence);
	json_decref(r->json);
	*r = (struct record){0};
}
