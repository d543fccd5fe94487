/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SARIF 2.1.0, for code-scanning pages. A rule is a requirement that was found
 * broken, in the order of ranking.h; a result is a case that breaks one. A case
 * that the suite could not judge is not a result of the device, but a
 * notification of the run. A known deviation is a suppressed result, with its
 * reason.
 *
 * Such pages require a place in a file: it is the case's file in the suite's
 * own sources; the case's id is the logical location. A result is identified
 * from run to run by case and requirement, and by nothing that changes.
 */
#include <string.h>

#include <openssl/evp.h>

#include "harness/text/memstream.h"
#include "reports/format/builder.h"
#include "reports/ranking.h"
#include "reports/report.h"

#define BASE   "WARPSPEC"
#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

/* The limit of the pages for a text. */
enum { TEXT_MAX = 4000 };

/* Rules that do not belong to a requirement. */
static const struct other_rule {
	const char *id, *text;
} other_rules[] = {
	{RESULT_CRASHED, "The device goes down."},
	{"case-failed", "The case fails."},
	{"run-finding", "The device shows a fault that no single case causes."},
};
enum { RULE_CRASHED, RULE_FAILED, RULE_FINDING, RULE_OTHERS };

static const struct notification {
	const char *id, *text;
} notifications[] = {
	{"case-error", "The suite could not judge a case."},
	{"case-blocked",
	 "A case was not run because a case it depends on failed."},
	{"stale-deviation", "A listed deviation no longer applies."},
	{"run-incomplete", "The run did not execute all requested cases."},
};
enum { NOTE_ERROR, NOTE_BLOCKED, NOTE_STALE, NOTE_RUN, NOTE_COUNT };

struct sarif {
	struct builder b;
	const struct run_result *run;
	struct ranked *ranking;
	size_t ranked;
	json_t *results;
};

static void append(struct builder *b, json_t *list, json_t *value)
{
	b->failed |= json_array_append_new(list, value) != 0;
}

/*
 * Text of a message: bounded, and nothing in it is a link or a placeholder
 * (s3.11.5, s3.11.6), whatever a device has sent.
 */
static json_t *message(struct builder *b, const char *text)
{
	char *clean = escape_dup(text, ESCAPE_KEEP_LINES);
	struct memstream m;
	FILE *to = clean ? memstream_open(&m) : NULL;
	json_t *object = json_object();

	if (!to) {
		free(clean);
		b->failed = true;
		return object;
	}
	size_t n = strlen(clean);
	size_t kept = n <= TEXT_MAX ? n : TEXT_MAX;

	while (kept < n && ((unsigned char)clean[kept] & 0xc0) == 0x80)
		kept--;
	for (size_t i = 0; i < kept; i++) {
		if (clean[i] == ']' && clean[i + 1] == '(')
			fputc('\\', to);
		if (clean[i] == '{' || clean[i] == '}')
			fputc(clean[i], to);
		fputc(clean[i], to);
	}
	if (kept < n)
		fputs("...", to);
	char *out = memstream_finish(&m, NULL);

	b->failed |= !out;
	set_string(b, object, "text", out ? out : "");
	free(clean);
	free(out);
	return object;
}

__attribute__((format(printf, 2, 3))) static json_t *message_format(
	struct builder *b, const char *format, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, format);
	int n = vasprintf(&text, format, ap);

	va_end(ap);
	b->failed |= n < 0;
	json_t *object = message(b, n < 0 ? "" : text);

	if (n >= 0)
		free(text);
	return object;
}

/* --- where ------------------------------------------------------------------- */

/* The case's file in the sources, or its substitute, as a URI. */
static void put_uri(FILE *out, const char *id)
{
	size_t n = report_file_length(id);
	bool has_file = n && memchr(id, '/', n);

	fputs(has_file ? "cases/" : "", out);
	for (const char *p = id; *p && (!has_file || p < id + n); p++)
		if (strchr("abcdefghijklmnopqrstuvwxyz"
			   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/",
			   *p))
			fputc(*p, out);
		else
			fprintf(out, "%%%02X", (unsigned char)*p);
	fputs(has_file ? ".c" : "", out);
}

static json_t *location(struct sarif *s, const char *id)
{
	struct builder *b = &s->b;
	json_t *place = json_object(), *physical = json_object(),
	       *artifact = json_object(), *region = json_object(),
	       *logical = json_object(), *list = json_array();
	struct memstream m;
	FILE *out = memstream_open(&m);

	if (out)
		put_uri(out, id);
	char *uri = memstream_finish(&m, NULL);

	b->failed |= !uri;
	set_string(b, artifact, "uri", uri ? uri : "");
	free(uri);
	set_string(b, artifact, "uriBaseId", BASE);
	set(b, region, "startLine", json_integer(1));
	set(b, physical, "artifactLocation", artifact);
	set(b, physical, "region", region);
	set_string(b, logical, "name", report_case_name(id));
	set_string(b, logical, "fullyQualifiedName", id);
	set_string(b, logical, "kind", "function");
	append(b, list, logical);
	set(b, place, "physicalLocation", physical);
	set(b, place, "logicalLocations", list);
	list = json_array();
	append(b, list, place);
	return list;
}

/*
 * The identity of a result. The pages use the first; without it they would
 * derive it from the source line, which all cases of a file share.
 */
static json_t *fingerprints(struct sarif *s, const char *id, const char *rule)
{
	struct builder *b = &s->b;
	json_t *object = json_object();
	unsigned char sum[EVP_MAX_MD_SIZE] = {0};
	char *both = NULL, hash[16 + sizeof(":1")];
	int n = asprintf(&both, "%s %s", id, rule);

	if (n < 0 ||
	    EVP_Digest(both, (size_t)n, sum, NULL, EVP_sha256(), NULL) != 1) {
		b->failed = true;
	} else {
		for (size_t i = 0; i < 8; i++)
			snprintf(hash + 2 * i, 3, "%02x", sum[i]);
		strcpy(hash + 16, ":1");
		set_string(b, object, "primaryLocationLineHash", hash);
		set_string(b, object, "caseAndRequirement/v1", both);
	}
	if (n >= 0)
		free(both);
	return object;
}

/* --- rules ------------------------------------------------------------------- */

static const char *level_of(const struct sarif *s, bool must)
{
	return must || s->run->strict ? "error" : "warning";
}

/* For a rule or a notification; the pages require all three texts. */
static json_t *descriptor(struct builder *b, const char *id, const char *text,
			  const char *long_text)
{
	json_t *object = json_object();

	set_string(b, object, "id", id);
	set(b, object, "shortDescription", message(b, text));
	set(b, object, "fullDescription", message(b, long_text));
	set(b, object, "help", message(b, long_text));
	return object;
}

static json_t *rule(struct sarif *s, const char *id, const char *text,
		    const char *long_text, bool must)
{
	struct builder *b = &s->b;
	json_t *object = descriptor(b, id, text, long_text),
	       *configuration = json_object();

	set_string(b, configuration, "level", level_of(s, must));
	set(b, object, "defaultConfiguration", configuration);
	return object;
}

/* "RFC 5044 s4.4": where it can be read. */
static void set_help(struct builder *b, json_t *object, const char *section)
{
	char uri[REPORT_URI_SIZE];

	if (report_section_uri(uri, section))
		set_string(b, object, "helpUri", uri);
}

static json_t *requirement_rule(struct sarif *s, const struct result_broken *r)
{
	struct builder *b = &s->b;
	bool must = report_is_must(r);
	char *whole = NULL;
	int n = asprintf(&whole, "%s (%s)%s%s", r->level, r->section,
			 *r->statement ? ": " : "", r->statement);

	b->failed |= n < 0;
	/* Old reports lack the text, and pages require one. */
	json_t *object = rule(s, r->requirement,
			      *r->statement ? r->statement : r->requirement,
			      n < 0 ? "" : whole, must),
	       *properties = json_object(), *tags = json_array();

	if (n >= 0)
		free(whole);
	set_help(b, object, r->section);
	append(b, tags, string(b, r->level));
	append(b, tags, string(b, r->section));
	set(b, properties, "tags", tags);
	set_string(b, properties, "precision", "very-high");
	set_string(b, properties, "problem.severity", level_of(s, must));
	set(b, object, "properties", properties);
	return object;
}

static json_t *rules(struct sarif *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->ranked; i++)
		append(&s->b, list, requirement_rule(s, s->ranking[i].example));
	for (size_t i = 0; i < RULE_OTHERS; i++)
		append(&s->b, list,
		       rule(s, other_rules[i].id, other_rules[i].text,
			    other_rules[i].text, true));
	return list;
}

/* --- results ----------------------------------------------------------------- */

/* An entry for one rule, without its locations. */
static json_t *entry(struct sarif *s, size_t rule_at, const char *rule_id,
		     bool must, json_t *text)
{
	struct builder *b = &s->b;
	json_t *object = json_object();

	set_string(b, object, "ruleId", rule_id);
	set(b, object, "ruleIndex", json_integer((json_int_t)rule_at));
	set_string(b, object, "kind", "fail");
	set_string(b, object, "level", level_of(s, must));
	set(b, object, "message", text);
	return object;
}

/* All have the list, or none (s3.27.23). */
static json_t *suppressions(struct sarif *s, const char *why)
{
	struct builder *b = &s->b;
	json_t *list = json_array(), *object;

	if (!why)
		return list;
	object = json_object();
	set_string(b, object, "kind", "external");
	set_string(b, object, "status", "accepted");
	if (*why)
		set_string(b, object, "justification", why);
	append(b, list, object);
	return list;
}

static void add_case(struct sarif *s, const struct result *r, json_t *object,
		     const char *rule_id, const char *known)
{
	struct builder *b = &s->b;
	json_t *properties = json_object();

	set(b, object, "locations", location(s, r->id));
	set(b, object, "partialFingerprints", fingerprints(s, r->id, rule_id));
	set(b, object, "suppressions",
	    suppressions(s, r->verdict == VERDICT_XFAIL ? known : NULL));
	set_string(b, properties, "verdict", verdict_name(r->verdict));
	set_string(b, properties, "teardown", teardown_name(r->teardown));
	if (*r->role)
		set_string(b, properties, "role", r->role);
	if (r->reading && *r->reading)
		set_string(b, properties, "reading", r->reading);
	if (r->capture)
		set_string(b, properties, "capture", r->capture);
	set(b, object, "properties", properties);
	append(b, s->results, object);
}

static bool is_result(const struct result *r)
{
	return r->verdict == VERDICT_FAIL || r->verdict == VERDICT_WARN ||
	       r->verdict == VERDICT_XFAIL;
}

/* A case that breaks it, by its own lines or by the golden model or both. */
static void add_broken(struct sarif *s, size_t at, const struct result *r)
{
	const char *id = s->ranking[at].example->requirement;
	const struct result_broken *first = NULL, *second = NULL;

	for (size_t i = 0; i < r->broken_count; i++) {
		if (strcmp(r->broken[i].requirement, id) != 0)
			continue;
		second = first ? &r->broken[i] : NULL;
		first = first ? first : &r->broken[i];
	}
	if (!first || !is_result(r))
		return;
	add_case(s, r,
		 entry(s, at, id, report_is_must(first),
		       message_format(&s->b, "%s breaks %s%s%s\n%s%s%s%s",
				      r->id, id, *first->statement ? ": " : "",
				      first->statement, r->title,
				      *first->text ? "\n" : "", first->text,
				      second ? second->text : "")),
		 id, *first->known ? first->known : r->reason);
}

/* What failed without a requirement that is broken. */
static void add_other(struct sarif *s, const struct result *r)
{
	bool crashed =
		strcmp(r->signature ? r->signature : "", RESULT_CRASHED) == 0;
	size_t rule_at = crashed ? RULE_CRASHED : RULE_FAILED;
	const char *id = other_rules[rule_at].id;

	if (r->broken_count || !is_result(r))
		return;
	add_case(s, r,
		 entry(s, s->ranked + rule_at, id, true,
		       message_format(&s->b, "%s: %s\n%s\n%s", r->id, r->title,
				      r->reason, r->detail)),
		 id, r->reason);
}

static void add_finding(struct sarif *s, const char *text)
{
	const char *id = other_rules[RULE_FINDING].id;
	char *first = strndup(text, strcspn(text, "\n"));
	json_t *object = entry(s, s->ranked + RULE_FINDING, id, true,
			       message(&s->b, text));

	s->b.failed |= !first;
	set(&s->b, object, "locations", location(s, "run"));
	set(&s->b, object, "partialFingerprints",
	    fingerprints(s, first ? first : "", id));
	set(&s->b, object, "suppressions", suppressions(s, NULL));
	append(&s->b, s->results, object);
	free(first);
}

/* The worst first: pages show the first of many. */
static void add_results(struct sarif *s)
{
	const struct run_result *run = s->run;

	for (size_t at = 0; at < s->ranked; at++)
		for (size_t i = 0; i < run->count; i++)
			add_broken(s, at, &run->results[i]);
	for (size_t i = 0; i < run->count; i++)
		add_other(s, &run->results[i]);
	for (size_t i = 0; i < run->finding_count; i++)
		add_finding(s, run->findings[i]);
}

/* --- the run ----------------------------------------------------------------- */

static json_t *notification(struct sarif *s, size_t kind, const char *level,
			    const char *id, json_t *text)
{
	struct builder *b = &s->b;
	json_t *object = json_object(), *of = json_object();

	set_string(b, of, "id", notifications[kind].id);
	set(b, of, "index", json_integer((json_int_t)kind));
	set(b, object, "descriptor", of);
	set_string(b, object, "level", level);
	set(b, object, "message", text);
	if (id)
		set(b, object, "locations", location(s, id));
	return object;
}

static void notify_of_case(struct sarif *s, json_t *list,
			   const struct result *r)
{
	struct builder *b = &s->b;

	if (r->verdict == VERDICT_ERROR && !r->not_run)
		append(b, list,
		       notification(
			       s, NOTE_ERROR, "error", r->id,
			       message_format(b, "%s: %s", r->id, r->reason)));
	if (r->verdict == VERDICT_BLOCKED)
		append(b, list,
		       notification(s, NOTE_BLOCKED,
				    r->block_known ? "note" : "error", r->id,
				    message_format(b, "%s: %s (%s)", r->id,
						   r->reason,
						   r->blocked_by ? r->blocked_by
								 : "")));
}

static json_t *all_notifications(struct sarif *s)
{
	const struct run_result *run = s->run;
	struct builder *b = &s->b;
	json_t *list = json_array();
	size_t missing =
		(run->planned > run->count ? run->planned - run->count : 0) +
		report_not_run(run);
	char why[512];

	if (missing)
		append(b, list,
		       notification(
			       s, NOTE_RUN, "error", NULL,
			       message_format(b, "%zu case%s not run: %s",
					      missing,
					      missing == 1 ? " was" : "s were",
					      *run->note ? run->note
							 : "the run ended "
							   "early")));
	if (report_is_untold(run)) {
		report_untold(run, why, sizeof(why));
		append(b, list,
		       notification(s, NOTE_RUN, "error", NULL,
				    message(b, why)));
	}
	for (size_t i = 0; i < run->stale_count; i++) {
		const struct result_stale *stale = &run->stale[i];

		append(b, list,
		       notification(s, NOTE_STALE, "error",
				    *stale->id ? stale->id : NULL,
				    message_format(b, "%s: %s", stale->entry,
						   stale->text)));
	}
	for (size_t i = 0; i < run->count; i++)
		notify_of_case(s, list, &run->results[i]);
	return list;
}

static json_t *invocation(struct sarif *s)
{
	const struct run_result *run = s->run;
	struct builder *b = &s->b;
	json_t *object = json_object(), *list = json_array();

	/* Status 1 depends on the device, and means that the suite could judge
	 * it. */
	set(b, object, "executionSuccessful",
	    json_boolean(run->exit_status == 0 || run->exit_status == 1));
	set(b, object, "exitCode", json_integer(run->exit_status));
	if (*run->note)
		set_string(b, object, "exitCodeDescription", run->note);
	if (run->again && *run->again)
		set_string(b, object, "commandLine", run->again);
	set_time(b, object, "startTimeUtc", &run->started);
	set_time(b, object, "endTimeUtc", &run->finished);
	set(b, object, "toolExecutionNotifications", all_notifications(s));
	append(b, list, object);
	return list;
}

/* Runs on several devices are shown together: a category belongs to a
 * device. */
static json_t *automation(struct sarif *s)
{
	struct builder *b = &s->b;
	json_t *object = json_object();
	char id[160], *p = id + snprintf(id, sizeof(id), "warpspec/");

	for (const char *c = s->run->device_name; *c && p < id + sizeof(id) - 2;
	     c++)
		*p++ = strchr("abcdefghijklmnopqrstuvwxyz"
			      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._",
			      *c)
			       ? *c
			       : '-';
	strcpy(p, "/");
	set_string(b, object, "id", id);
	return object;
}

static json_t *run_properties(struct sarif *s)
{
	const struct run_result *run = s->run;
	struct builder *b = &s->b;
	json_t *object = json_object(), *totals = json_object();

	set_string(b, object, "device", run->device_name);
	set_string(b, object, "impl", run->device_impl);
	set_string(b, object, "link", run->link);
	set_string(b, object, "spec", run->spec);
	set(b, object, "seed", number(b, run->seed));
	for (int v = 0; v < VERDICT_COUNT; v++)
		set(b, totals, verdict_name((enum verdict)v),
		    json_integer((json_int_t)run->totals[v]));
	set(b, object, "totals", totals);
	return object;
}

static json_t *driver(struct sarif *s)
{
	struct builder *b = &s->b;
	json_t *object = json_object(), *list = json_array();

	set_string(b, object, "name", s->run->suite_name);
	set_string(b, object, "version", s->run->suite_version);
	for (size_t i = 0; i < NOTE_COUNT; i++)
		append(b, list,
		       descriptor(b, notifications[i].id, notifications[i].text,
				  notifications[i].text));
	set(b, object, "rules", rules(s));
	set(b, object, "notifications", list);
	return object;
}

static json_t *document(struct sarif *s)
{
	struct builder *b = &s->b;
	json_t *root = json_object(), *run = json_object(),
	       *tool = json_object(), *runs = json_array(),
	       *base = json_object(), *bases = json_object();

	set_string(b, root, "$schema", SCHEMA);
	set_string(b, root, "version", "2.1.0");
	set(b, tool, "driver", driver(s));
	set(b, run, "tool", tool);
	set(b, run, "automationDetails", automation(s));
	set(b, run, "invocations", invocation(s));
	set(b, base, "description",
	    message(b, "the sources of warpspec, with its cases"));
	set(b, bases, BASE, base);
	set(b, run, "originalUriBaseIds", bases);
	s->results = json_array();
	add_results(s);
	set(b, run, "results", s->results);
	set_string(b, run, "columnKind", "utf16CodeUnits");
	set(b, run, "properties", run_properties(s));
	append(b, runs, run);
	set(b, root, "runs", runs);
	return root;
}

int report_sarif(const struct run_result *run,
		 const struct report_options *options, FILE *out)
{
	struct sarif s = {.run = run};

	(void)options;
	s.ranking = report_ranking(run, &s.ranked);
	if (!s.ranking)
		return -1;
	json_t *root = document(&s);

	free(s.ranking);
	return builder_write(&s.b, root, out);
}
