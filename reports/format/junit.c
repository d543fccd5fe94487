/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JUnit XML: a testsuite per file of cases. JUnit knows pass, failure, error
 * and skipped; the verdict itself is a property of each test case. A known
 * deviation is skipped with its reason, and so are the cases that it blocks;
 * other blocked cases are errors. A SHOULD not followed passes, and the
 * observation is its output; if it fails the run it is a failure. A stale
 * deviation is a failure of the testsuite "deviations".
 * reports/schema/junit.xsd has the form.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/xmlwriter.h>

#include "reports/text/escape.h"
#include "reports/format/formats.h"

/* The writer and whether anything failed yet: only memory can. */
struct xml {
	xmlTextWriter *writer;
	bool failed;
};

static void start(struct xml *x, const char *name)
{
	x->failed |= xmlTextWriterStartElement(x->writer, BAD_CAST name) < 0;
}

static void end(struct xml *x)
{
	x->failed |= xmlTextWriterEndElement(x->writer) < 0;
}

static void attribute(struct xml *x, const char *name, const char *s)
{
	char *clean = escape_dup(s, ESCAPE_KEEP_NONE);

	x->failed |=
		!clean || xmlTextWriterWriteAttribute(x->writer, BAD_CAST name,
						      BAD_CAST clean) < 0;
	free(clean);
}

__attribute__((format(printf, 3, 4))) static void attribute_format(
	struct xml *x, const char *name, const char *format, ...)
{
	char text[64];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	attribute(x, name, text);
}

static void text(struct xml *x, const char *s)
{
	char *clean = escape_dup(s, ESCAPE_KEEP_LINES);

	x->failed |= !clean ||
		     xmlTextWriterWriteString(x->writer, BAD_CAST clean) < 0;
	free(clean);
}

static void property(struct xml *x, const char *name, const char *value)
{
	start(x, "property");
	attribute(x, "name", name);
	attribute(x, "value", value);
	end(x);
}

static void start_time(struct xml *x, const struct run_result *run)
{
	char started[REPORT_TIME_SIZE];

	report_time(started, &run->started);
	attribute(x, "timestamp", started);
}

static void run_properties(struct xml *x, const struct run_result *run)
{
	char number[24];

	start(x, "properties");
	property(x, "suite.version", run->suite_version);
	if (*run->suite_build)
		property(x, "suite.build", run->suite_build);
	property(x, "device.name", run->device_name);
	property(x, "device.agent", run->device_agent);
	property(x, "device.impl", run->device_impl);
	for (size_t i = 0; i < run->identity_count; i++) {
		char name[64];

		snprintf(name, sizeof(name), "device.%s",
			 run->identity[i].name);
		property(x, name, run->identity[i].value);
	}
	property(x, "host.name", run->host_name);
	property(x, "link", run->link);
	if (*run->link_note)
		property(x, "link.note", run->link_note);
	property(x, "spec", run->spec);
	snprintf(number, sizeof(number), "%llu", (unsigned long long)run->seed);
	property(x, "seed", number);
	if (run->shards) {
		snprintf(number, sizeof(number), "%u/%u", run->shard,
			 run->shards);
		property(x, "shard", number);
	}
	for (size_t i = 0; i < run->selector_count; i++)
		property(x, "selector", run->selectors[i]);
	snprintf(number, sizeof(number), "%d", run->exit_status);
	property(x, "exit_status", number);
	if (*run->journal) {
		snprintf(number, sizeof(number), "%zu", run->from_journal);
		property(x, "from_journal", number);
		property(x, "journal", run->journal);
	}
	if (*run->note)
		property(x, "note", run->note);
	for (size_t i = 0; i < run->reading_count; i++)
		property(x, "reading", run->readings[i].name);
	end(x);
}

static void case_properties(struct xml *x, const struct result *r)
{
	start(x, "properties");
	property(x, "verdict", verdict_name(r->verdict));
	property(x, "teardown", teardown_name(r->teardown));
	if (*r->level)
		property(x, "level", r->level);
	for (size_t i = 0; i < r->requirement_count; i++)
		property(x, "requirement", r->requirements[i]);
	if (*r->role)
		property(x, "role", r->role);
	if (r->reading && *r->reading)
		property(x, "reading", r->reading);
	if (r->blocked_by)
		property(x, "blocked_by", r->blocked_by);
	if (r->retried)
		property(x, "retried", r->retried);
	end(x);
}

/* The limit of readers for one case; the JSON report has everything. */
enum { OUTPUT_MAX = 65536 };

static void bounded(struct xml *x, const char *s)
{
	size_t n = strlen(s);

	if (n <= OUTPUT_MAX) {
		text(x, s);
		return;
	}
	n = OUTPUT_MAX;
	while (n && ((unsigned char)s[n] & 0xc0) == 0x80)
		n--;
	char *first = strndup(s, n);

	x->failed |= !first;
	text(x, first ? first : "");
	text(x, "\n... cut here\n");
	free(first);
}

/* The fault, in one line: readers show it next to the name. */
static void message(struct xml *x, const struct result *r)
{
	const struct result_broken *b = r->broken;
	char *line = NULL;
	size_t others = 0;

	if (*r->reason || !r->broken_count) {
		attribute(x, "message", *r->reason ? r->reason : r->title);
		return;
	}
	for (size_t i = 1; i < r->broken_count; i++)
		others += strcmp(r->broken[i].requirement, b->requirement) != 0;
	char more[48] = "";

	if (others)
		snprintf(more, sizeof(more), " (and %zu more)", others);
	if (asprintf(&line, "breaks %s (%s)%s%s%s", b->requirement, b->section,
		     *b->statement ? ": " : "", b->statement, more) < 0)
		line = NULL;
	x->failed |= !line;
	attribute(x, "message", line ? line : "");
	free(line);
}

/*
 * <failure> and <error>. Some readers show the message, some the text, some
 * both: each says what happened without the other.
 */
static void broken(struct xml *x, const struct result *r, const char *element,
		   const char *type)
{
	start(x, element);
	message(x, r);
	attribute(x, "type", type);
	text(x, r->title);
	text(x, "\n");
	bounded(x, *r->detail ? r->detail : r->reason);
	end(x);
}

static void skipped(struct xml *x, const struct result *r)
{
	start(x, "skipped");
	attribute(x, "message", r->reason);
	end(x);
}

static void output(struct xml *x, const struct run_result *run,
		   const struct result *r)
{
	/* A failure's detail is in its own element. */
	bool detail = *r->detail && !report_fails(run, r) &&
		      r->verdict != VERDICT_ERROR;

	if (!detail && !r->capture)
		return;
	start(x, "system-out");
	if (detail) {
		bounded(x, r->detail);
		if (r->detail[strlen(r->detail) - 1] != '\n')
			text(x, "\n");
	}
	/* The form by which CI servers attach a file to a test case. */
	if (r->capture) {
		text(x, "[[ATTACHMENT|");
		text(x, r->capture);
		text(x, "]]\n");
	}
	end(x);
}

static void testcase(struct xml *x, const struct run_result *run,
		     const struct result *r)
{
	char classname[256];
	size_t n = report_file_length(r->id);

	/* Readers group by class, and expect dots: "mpa.crc". */
	snprintf(classname, sizeof(classname), "%.*s", (int)n, r->id);
	for (char *p = classname; *p; p++)
		if (*p == '/')
			*p = '.';
	start(x, "testcase");
	attribute(x, "name", report_case_name(r->id));
	attribute(x, "classname", classname);
	attribute_format(x, "time", "%.6f", (double)r->duration_ns / 1e9);
	case_properties(x, r);
	switch (r->verdict) {
	case VERDICT_FAIL:
		broken(x, r, "failure", *r->level ? r->level : "MUST");
		break;
	case VERDICT_ERROR:
		/* An error of the run only, and reported there. */
		if (r->not_run)
			skipped(x, r);
		else
			broken(x, r, "error", "error");
		break;
	case VERDICT_BLOCKED:
		if (r->block_known)
			skipped(x, r);
		else
			broken(x, r, "error", "blocked");
		break;
	case VERDICT_SKIP:
	case VERDICT_XFAIL:
		skipped(x, r);
		break;
	case VERDICT_WARN:
		if (report_fails(run, r))
			broken(x, r, "failure", r->level);
		break;
	default:
		break;
	}
	output(x, run, r);
	end(x);
}

/*
 * Cases that were planned and did not run would look like cases that do not
 * exist, so that a run that ended early carries an error of its own.
 */
static bool ended_early(const struct run_result *run)
{
	return run->count < run->planned || report_not_run(run);
}

static size_t errors_of_the_run(const struct run_result *run)
{
	return (size_t)ended_early(run) + report_is_untold(run);
}

/* A test case that is not one of the suite's: about the run as a whole. */
static void of_the_run(struct xml *x, const char *class, const char *name,
		       const char *element, const char *message,
		       const char *lines)
{
	start(x, "testcase");
	attribute(x, "name", name);
	attribute(x, "classname", class);
	attribute(x, "time", "0.000000");
	start(x, element);
	attribute(x, "message", message);
	attribute(x, "type", element);
	text(x, lines);
	end(x);
	end(x);
}

/* Names differ, or readers take the second for the first again. */
static void finding(struct xml *x, const struct run_result *run, size_t i)
{
	const char *lines = run->findings[i];
	char *first = strndup(lines, strcspn(lines, "\n")),
	     name[32] = "finding";

	if (i)
		snprintf(name, sizeof(name), "finding %zu", i + 1);
	x->failed |= !first;
	of_the_run(x, run->suite_name, name, "failure", first ? first : "",
		   lines);
	free(first);
}

static void start_suite(struct xml *x, const struct run_result *run,
			const char *name, size_t failures, size_t errors)
{
	start(x, "testsuite");
	attribute(x, "name", name);
	attribute_format(x, "tests", "%zu", errors + failures);
	attribute_format(x, "failures", "%zu", failures);
	attribute_format(x, "errors", "%zu", errors);
	attribute(x, "skipped", "0");
	attribute(x, "time", "0.000000");
	start_time(x, run);
	run_properties(x, run);
}

/* Facts about the run that belong to no case. */
static void whole_run(struct xml *x, const struct run_result *run)
{
	size_t errors = errors_of_the_run(run);

	if (errors + run->finding_count == 0)
		return;
	start_suite(x, run, run->suite_name, run->finding_count, errors);
	for (size_t i = 0; i < run->finding_count; i++)
		finding(x, run, i);
	if (ended_early(run))
		of_the_run(x, run->suite_name, "ended_early", "error",
			   *run->note ? run->note : "the run ended early", "");
	if (report_is_untold(run)) {
		char why[512];

		report_untold(run, why, sizeof(why));
		of_the_run(x, run->suite_name, "exit_status", "error", why, "");
	}
	end(x);
}

#define DEVIATIONS "deviations"

static void deviations(struct xml *x, const struct run_result *run)
{
	if (!run->stale_count)
		return;
	char *anew = report_anew(run);
	char *text = NULL;

	if (anew && asprintf(&text, "To write the file anew: %s", anew) < 0)
		text = NULL;
	start_suite(x, run, DEVIATIONS, run->stale_count, 0);
	for (size_t i = 0; i < run->stale_count; i++) {
		const struct result_stale *s = &run->stale[i];
		char name[512];
		bool of_case = *s->id && strcmp(s->id, s->entry) != 0;

		snprintf(name, sizeof(name), "%s%s%s%s", s->entry,
			 of_case ? " (" : "", of_case ? s->id : "",
			 of_case ? ")" : "");
		of_the_run(x, DEVIATIONS, name, "failure", s->text,
			   text ? text : "");
	}
	end(x);
	free(text);
	free(anew);
}

/* What <testsuites> and <testsuite> count; `errors` and `failures` are those
 * besides cases. */
static void counts(struct xml *x, const struct run_result *run, size_t first,
		   size_t last, size_t errors, size_t failures,
		   uint64_t duration_ns)
{
	size_t n[VERDICT_COUNT] = {0};

	for (size_t i = first; i < last; i++) {
		const struct result *r = &run->results[i];
		bool known = r->verdict == VERDICT_BLOCKED && r->block_known;

		n[known || r->not_run    ? VERDICT_SKIP
		  : report_fails(run, r) ? VERDICT_FAIL
					 : r->verdict]++;
	}
	attribute_format(x, "tests", "%zu", last - first + errors + failures);
	attribute_format(x, "failures", "%zu", n[VERDICT_FAIL] + failures);
	attribute_format(x, "errors", "%zu",
			 n[VERDICT_ERROR] + n[VERDICT_BLOCKED] + errors);
	attribute_format(x, "skipped", "%zu",
			 n[VERDICT_SKIP] + n[VERDICT_XFAIL]);
	attribute_format(x, "time", "%.6f", (double)duration_ns / 1e9);
}

static void testsuite(struct xml *x, const struct run_result *run, size_t first,
		      size_t last)
{
	const char *id = run->results[first].id;
	size_t n = report_file_length(id);
	char name[256];
	uint64_t duration_ns = 0;

	for (size_t i = first; i < last; i++)
		duration_ns += run->results[i].duration_ns;
	snprintf(name, sizeof(name), "%.*s", (int)n, id);
	start(x, "testsuite");
	attribute(x, "name", name);
	counts(x, run, first, last, 0, 0, duration_ns);
	start_time(x, run);
	run_properties(x, run);
	for (size_t i = first; i < last; i++)
		testcase(x, run, &run->results[i]);
	end(x);
}

static void document(struct xml *x, const struct run_result *run)
{
	x->failed |= xmlTextWriterSetIndent(x->writer, 1) < 0;
	x->failed |=
		xmlTextWriterStartDocument(x->writer, NULL, "UTF-8", NULL) < 0;
	start(x, "testsuites");
	attribute(x, "name", run->suite_name);
	counts(x, run, 0, run->count, errors_of_the_run(run),
	       run->finding_count + run->stale_count, run->duration_ns);
	for (size_t i = 0, last; i < run->count; i = last) {
		last = report_file_end(run, i);
		testsuite(x, run, i, last);
	}
	deviations(x, run);
	whole_run(x, run);
	end(x);
	x->failed |= xmlTextWriterEndDocument(x->writer) < 0;
}

int report_junit(const struct run_result *run,
		 const struct report_options *options, FILE *out)
{
	/* In memory first: what libxml2 says of a failed write is lost. */
	xmlBuffer *buffer = xmlBufferCreate();
	struct xml x = {buffer ? xmlNewTextWriterMemory(buffer, 0) : NULL,
			false};
	int rc = -1;

	(void)options;
	if (x.writer) {
		document(&x, run);
		/* Freed before the buffer is read: freeing flushes. */
		xmlFreeTextWriter(x.writer);
	}
	if (!x.writer || x.failed) {
		errno = ENOMEM;
	} else {
		size_t n = (size_t)xmlBufferLength(buffer);

		if (fwrite(xmlBufferContent(buffer), 1, n, out) == n)
			rc = 0;
	}
	xmlBufferFree(buffer);
	return rc;
}
