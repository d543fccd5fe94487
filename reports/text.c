/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "reports/escape.h"
#include "reports/report.h"

/* What a verdict is called in a list, in the closing line, and its colour. */
struct verdict_look {
	const char *word, *counted, *colour;
};

static const struct verdict_look looks[VERDICT_COUNT] = {
	[VERDICT_PASS] = {"PASS", "passed", "\033[32m"},
	[VERDICT_FAIL] = {"FAIL", "failed", "\033[1;31m"},
	[VERDICT_WARN] = {"WARN", "warned", "\033[33m"},
	[VERDICT_INFO] = {"INFO", "info", "\033[36m"},
	[VERDICT_SKIP] = {"SKIP", "skipped", "\033[2m"},
	[VERDICT_XFAIL] = {"XFAIL", "xfail", "\033[35m"},
	[VERDICT_ERROR] = {"ERROR", "error", "\033[1;35m"},
};

#define INDENT "         "

static void put(FILE *out, const char *s)
{
	escape_put(out, s, strlen(s), ESCAPE_KEEP_NONE);
}

static void put_head(const struct run_result *run, FILE *out)
{
	put(out, run->suite_name);
	fputc(' ', out);
	put(out, run->suite_version);
	fputs(": ", out);
	put(out, run->device_name);
	if (*run->device_impl) {
		fputs(" (", out);
		put(out, run->device_impl);
		fputc(')', out);
	}
	fputs("; link ", out);
	put(out, run->link);
	fputs("; ", out);
	put(out, run->spec);
	fprintf(out, "; seed %llu\n", (unsigned long long)run->seed);
}

/* What the device does to its fields, and how many cases were judged so. */
static void put_readings(const struct run_result *run, FILE *out)
{
	size_t judged = 0;

	for (size_t i = 0; i < run->count; i++)
		judged += run->results[i].reading && *run->results[i].reading;
	for (size_t i = 0; i < run->reading_count; i++) {
		const struct result_reading *r = &run->readings[i];

		fputs("reading ", out);
		put(out, r->name);
		fputs(": the device ", out);
		put(out, r->note);
		fputs(" (", out);
		put(out, r->section);
		fputs(")\n", out);
	}
	if (run->reading_count)
		fprintf(out, "%zu case%s judged by what it means\n", judged,
			judged == 1 ? "" : "s");
}

/* Which requirements were judged, and how the stream ended. */
static void put_grounds(const struct result *r, FILE *out)
{
	const char *join = "";

	fputs(INDENT, out);
	if (*r->level) {
		put(out, r->level);
		join = " ";
	}
	for (size_t i = 0; i < r->requirement_count; i++) {
		fputs(join, out);
		put(out, r->requirements[i]);
		join = ", ";
	}
	fprintf(out, "%steardown %s", *join ? "; " : "",
		teardown_name(r->teardown));
	if (*r->role) {
		fputs("; device is ", out);
		put(out, r->role);
	}
	fputc('\n', out);
}

static bool is_worth_evidence(enum verdict v)
{
	return v == VERDICT_FAIL || v == VERDICT_WARN || v == VERDICT_XFAIL ||
	       v == VERDICT_ERROR;
}

static void put_case(const struct result *r,
		     const struct report_options *options, FILE *out)
{
	const struct verdict_look *look = &looks[r->verdict];

	fprintf(out, "  %s%-5s%s  ", options->colour ? look->colour : "",
		look->word, options->colour ? "\033[0m" : "");
	put(out, report_case_name(r->id));
	fputs(": ", out);
	/* A skip did nothing that its title could tell. */
	bool skip = r->verdict == VERDICT_SKIP && *r->reason;

	put(out, skip ? r->reason : r->title);
	fputc('\n', out);
	if (is_worth_evidence(r->verdict))
		put_grounds(r, out);
	if (r->reading && *r->reading) {
		fputs(INDENT "judged under reading ", out);
		put(out, r->reading);
		fputc('\n', out);
	}
	if (*r->reason && !skip) {
		fputs(INDENT, out);
		put(out, r->reason);
		fputc('\n', out);
	}
	escape_put_lines(out, r->detail, INDENT);
	if (r->capture && is_worth_evidence(r->verdict)) {
		fputs(INDENT "capture ", out);
		put(out, r->capture);
		fputc('\n', out);
	}
}

static void put_file(const struct run_result *run, size_t first, size_t end,
		     const struct report_options *options, FILE *out)
{
	const char *id = run->results[first].id;
	size_t passed = 0;

	for (size_t i = first; i < end; i++)
		passed += run->results[i].verdict == VERDICT_PASS;
	fputc('\n', out);
	escape_put(out, id, report_file_length(id), ESCAPE_KEEP_NONE);
	fprintf(out, "%s%zu of %zu passed\n",
		report_file_length(id) ? ": " : "", passed, end - first);
	for (size_t i = first; i < end; i++)
		if (options->verbose || run->results[i].verdict != VERDICT_PASS)
			put_case(&run->results[i], options, out);
}

static void put_teardowns(const struct run_result *run, FILE *out)
{
	size_t n[TEARDOWN_COUNT] = {0};
	const char *join = " ";

	for (size_t i = 0; i < run->count; i++)
		n[run->results[i].teardown]++;
	fputs("Teardown:", out);
	for (int t = 0; t < TEARDOWN_COUNT; t++) {
		if (!n[t])
			continue;
		fprintf(out, "%s%zu %s", join, n[t],
			teardown_name((enum teardown)t));
		join = ", ";
	}
	fputs(run->count ? "\n" : " nothing ran\n", out);
}

static void put_totals(const struct run_result *run, FILE *out)
{
	fprintf(out, "\n%zu of %zu cases in %.3f s\n", run->count,
		run->planned > run->count ? run->planned : run->count,
		(double)run->duration_ns / 1e9);
	if (*run->note) {
		put(out, run->note);
		fputc('\n', out);
	}
	for (size_t i = 0; i < run->finding_count; i++)
		escape_put_lines(out, run->findings[i], "");
	put_teardowns(run, out);
	for (int v = 0; v < VERDICT_COUNT; v++)
		fprintf(out, "%s%zu %s", v ? ", " : "", run->totals[v],
			looks[v].counted);
	fputc('\n', out);
}

int report_text(const struct run_result *run,
		const struct report_options *options, FILE *out)
{
	put_head(run, out);
	put_readings(run, out);
	for (size_t i = 0, end; i < run->count; i = end) {
		end = report_file_end(run, i);
		put_file(run, i, end, options, out);
	}
	put_totals(run, out);
	return ferror(out) ? -1 : 0;
}
