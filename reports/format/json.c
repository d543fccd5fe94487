/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shape is reports/schema/schema.json; a change of it is a new schema
 * number.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include <jansson.h>

#include "reports/format/builder.h"
#include "reports/text/dimensions.h"
#include "reports/load/load.h"
#include "reports/format/formats.h"
#include "suite/judge/evidence.h"

static json_t *milliseconds(uint64_t ns)
{
	return json_real((double)ns / 1e6);
}

static json_t *totals(struct builder *b, const struct run_result *run)
{
	json_t *object = json_object();

	for (int v = 0; v < VERDICT_COUNT; v++)
		set(b, object, verdict_name((enum verdict)v),
		    json_integer((json_int_t)run->totals[v]));
	return object;
}

static json_t *broken(struct builder *b, const struct result *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->broken_count; i++) {
		const struct result_broken *one = &r->broken[i];
		json_t *object = json_object();

		set_string(b, object, "requirement", one->requirement);
		set_string(b, object, "level", one->level);
		set_string(b, object, "section", one->section);
		if (*one->statement)
			set_string(b, object, "statement", one->statement);
		set(b, object, "by_model", json_boolean(one->by_model));
		set_string(b, object, "text", one->text);
		if (*one->known)
			set_string(b, object, "known", one->known);
		b->failed |= json_array_append_new(list, object) != 0;
	}
	return list;
}

static json_t *axes(struct builder *b, const struct result *r)
{
	json_t *object = json_object();

	for (size_t i = 0; i < r->axes_count; i++)
		set_string(b, object, r->axes[i].requirement,
			   r->axes[i].points);
	return object;
}

static json_t *one_case(struct builder *b, const struct result *r)
{
	json_t *object = json_object();
	json_t *requirements = json_array();

	for (size_t i = 0; i < r->requirement_count; i++)
		b->failed |= json_array_append_new(
				     requirements,
				     string(b, r->requirements[i])) != 0;
	set_string(b, object, "id", r->id);
	set_string(b, object, "title", r->title);
	set_string(b, object, "verdict", verdict_name(r->verdict));
	set_string(b, object, "teardown", teardown_name(r->teardown));
	set_string(b, object, "level", r->level);
	set(b, object, "requirements", requirements);
	set_string(b, object, "role", r->role);
	set(b, object, "duration_ms", milliseconds(r->duration_ns));
	set_string(b, object, "detail", r->detail);
	set_string(b, object, "reason", r->reason);
	if (r->not_run)
		set(b, object, "not_run", json_true());
	if (r->retried)
		set_string(b, object, "retried", r->retried);
	if (r->device_log)
		set_string(b, object, "device_log", r->device_log);
	if (r->blocked_by)
		set_string(b, object, "blocked_by", r->blocked_by);
	if (r->block_known)
		set(b, object, "block_known", json_true());
	if (r->unseen)
		set(b, object, "unseen", json_true());
	if (r->signature && *r->signature)
		set_string(b, object, "signature", r->signature);
	if (r->broken_count)
		set(b, object, "broken", broken(b, r));
	if (r->consequences && *r->consequences)
		set_string(b, object, "consequences", r->consequences);
	if (r->reading && *r->reading)
		set_string(b, object, "reading", r->reading);
	if (r->axes_count)
		set(b, object, "axes", axes(b, r));
	set(b, object, "capture",
	    r->capture ? string(b, r->capture) : json_null());
	if (r->capture_sha256)
		set_string(b, object, "capture_sha256", r->capture_sha256);
	if (evidence_is_there(r))
		set(b, object, "evidence", evidence_json(r));
	return object;
}

static json_t *texts(struct builder *b, const char *const *list, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		b->failed |=
			json_array_append_new(array, string(b, list[i])) != 0;
	return array;
}

static json_t *stale(struct builder *b, const struct run_result *run)
{
	json_t *list = json_array();

	for (size_t i = 0; i < run->stale_count; i++) {
		const struct result_stale *one = &run->stale[i];
		json_t *object = json_object();

		set_string(b, object, "entry", one->entry);
		set_string(b, object, "case", one->id);
		set_string(b, object, "text", one->text);
		b->failed |= json_array_append_new(list, object) != 0;
	}
	return list;
}

static json_t *readings(struct builder *b, const struct run_result *run)
{
	json_t *list = json_array();

	for (size_t i = 0; i < run->reading_count; i++) {
		const struct result_reading *r = &run->readings[i];
		json_t *object = json_object();

		set_string(b, object, "name", r->name);
		set_string(b, object, "fields", r->fields);
		set_string(b, object, "section", r->section);
		set_string(b, object, "note", r->note);
		b->failed |= json_array_append_new(list, object) != 0;
	}
	return list;
}

static json_t *reasons(struct builder *b, const struct run_result *run)
{
	json_t *list = json_array();

	for (size_t i = 0; i < run->reason_count; i++) {
		json_t *object = json_object();

		set_string(b, object, "reason", run->reasons[i].text);
		set(b, object, "cases",
		    json_integer((json_int_t)run->reasons[i].cases));
		b->failed |= json_array_append_new(list, object) != 0;
	}
	return list;
}

static json_t *ranges(struct builder *b, const struct result_dimension *d,
		      bool met)
{
	json_t *list = json_array();
	char text[DIMENSIONS_RANGE];
	size_t at = 0;

	while (dimensions_next(d, met, &at, text))
		b->failed |= json_array_append_new(list, string(b, text)) != 0;
	return list;
}

/* Each edge and each class between two. */
static json_t *values(struct builder *b, const struct result_dimension *d)
{
	json_t *list = json_array();
	char text[DIMENSIONS_RANGE];

	for (size_t i = 0; i < d->count; i++) {
		dimensions_say(&d->values[i], text);
		b->failed |= json_array_append_new(list, string(b, text)) != 0;
	}
	return list;
}

/* A bound may be more than a number that every reader can hold. */
static json_t *dimensions(struct builder *b, const struct run_result *run)
{
	json_t *list = json_array();

	for (size_t i = 0; i < run->dimension_count; i++) {
		const struct result_dimension *d = &run->dimensions[i];
		json_t *object = json_object();

		set_string(b, object, "name", d->name);
		set_string(b, object, "unit", d->unit);
		set_string(b, object, "what", d->what);
		set(b, object, "low", number(b, d->low));
		set(b, object, "high", number(b, d->high));
		if (d->device_chooses)
			set(b, object, "device_chooses", json_true());
		set(b, object, "values", values(b, d));
		set(b, object, "met", ranges(b, d, true));
		set(b, object, "never", ranges(b, d, false));
		b->failed |= json_array_append_new(list, object) != 0;
	}
	return list;
}

static json_t *claims(struct builder *b, const struct run_result *run)
{
	json_t *object = json_object();

	for (size_t i = 0; i < run->claim_count; i++) {
		const struct result_claim *c = &run->claims[i];

		set(b, object, c->name,
		    *c->value ? string(b, c->value) : json_true());
	}
	return object;
}

static json_t *statement(struct builder *b, const struct result_statement *s)
{
	json_t *object = json_object();

	set_string(b, object, "path", s->path);
	set_string(b, object, "sha256", s->sha256);
	if (*s->notes)
		set_string(b, object, "notes", s->notes);
	return object;
}

/* That the suite ran on. */
static json_t *host(struct builder *b, const struct run_result *run)
{
	json_t *object = json_object();

	set_string(b, object, "name", run->host_name);
	set_string(b, object, "release", run->host_release);
	set_string(b, object, "machine", run->host_machine);
	return object;
}

/* A run that is not a part of another has no shard. */
static json_t *shard(struct builder *b, const struct run_result *run)
{
	json_t *object = json_object();

	set(b, object, "index", json_integer(run->shards ? run->shard : 1));
	set(b, object, "count", json_integer(run->shards ? run->shards : 1));
	return object;
}

static json_t *whole_run(struct builder *b, const struct run_result *run)
{
	json_t *root = json_object();
	json_t *suite = json_object();
	json_t *held_to = json_object();
	json_t *device = json_object();
	json_t *cases = json_array();

	set_string(b, suite, "name", run->suite_name);
	set_string(b, suite, "version", run->suite_version);
	if (*run->suite_build)
		set_string(b, suite, "build", run->suite_build);
	set(b, held_to, "mutants", json_integer((json_int_t)run->mutants));
	set(b, held_to, "variants", json_integer((json_int_t)run->variants));
	set(b, suite, "held_to", held_to);
	set_string(b, device, "name", run->device_name);
	set_string(b, device, "agent", run->device_agent);
	set_string(b, device, "impl", run->device_impl);
	for (size_t i = 0; i < run->identity_count; i++)
		set_string(b, device, run->identity[i].name,
			   run->identity[i].value);
	for (size_t i = 0; i < run->count; i++)
		b->failed |= json_array_append_new(
				     cases, one_case(b, &run->results[i])) != 0;
	set(b, root, "schema", json_integer(REPORT_SCHEMA));
	set(b, root, "suite", suite);
	set(b, root, "device", device);
	if (run->claim_count)
		set(b, root, "claims", claims(b, run));
	set(b, root, "host", host(b, run));
	set(b, root, "shard", shard(b, run));
	set(b, root, "jobs", json_integer((json_int_t)run->jobs));
	set(b, root, "selectors",
	    texts(b, (const char *const *)run->selectors, run->selector_count));
	if (run->rerun)
		set_string(b, root, "rerun", run->rerun);
	if (run->again)
		set_string(b, root, "again", run->again);
	set(b, root, "strict", json_boolean(run->strict));
	set(b, root, "exit_status", json_integer(run->exit_status));
	set_string(b, root, "link", run->link);
	if (*run->note)
		set_string(b, root, "note", run->note);
	if (*run->link_note)
		set_string(b, root, "link_note", run->link_note);
	set_string(b, root, "spec", run->spec);
	set(b, root, "seed", number(b, run->seed));
	set_time(b, root, "started", &run->started);
	set_time(b, root, "finished", &run->finished);
	set(b, root, "duration_ms", milliseconds(run->duration_ns));
	if (*run->journal) {
		json_t *journal = json_object();

		set_string(b, journal, "path", run->journal);
		set(b, journal, "verdicts",
		    json_integer((json_int_t)run->from_journal));
		set(b, root, "from_journal", journal);
	}
	if (run->planned != run->count)
		set(b, root, "planned", json_integer((json_int_t)run->planned));
	set(b, root, "totals", totals(b, run));
	if (run->reason_count)
		set(b, root, "not_applicable", reasons(b, run));
	if (run->reading_count)
		set(b, root, "readings", readings(b, run));
	set(b, root, "cases", cases);
	if (run->dimension_count)
		set(b, root, "dimensions", dimensions(b, run));
	if (run->unknown_met)
		set(b, root, "cases_without_dimensions",
		    json_integer((json_int_t)run->unknown_met));
	if (run->finding_count)
		set(b, root, "findings",
		    texts(b, run->findings, run->finding_count));
	if (run->statement)
		set(b, root, "statement", statement(b, run->statement));
	if (run->stale_count)
		set(b, root, "stale", stale(b, run));
	if (run->known_count)
		set(b, root, "known_findings",
		    texts(b, run->known, run->known_count));
	return root;
}

int report_json(const struct run_result *run,
		const struct report_options *options, FILE *out)
{
	struct builder b = {false};
	json_t *root = whole_run(&b, run);

	(void)options;
	return builder_write(&b, root, out);
}
