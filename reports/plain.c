/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/plain.h"

#include <string.h>

#include "reports/escape.h"

const struct plain_look plain_looks[VERDICT_COUNT] = {
	[VERDICT_PASS] = {"PASS", "passed", "\033[32m"},
	[VERDICT_FAIL] = {"FAIL", "failed", "\033[1;31m"},
	[VERDICT_WARN] = {"WARN", "warned", "\033[33m"},
	[VERDICT_INFO] = {"INFO", "info", "\033[36m"},
	[VERDICT_SKIP] = {"SKIP", "skipped", "\033[2m"},
	[VERDICT_XFAIL] = {"XFAIL", "xfail", "\033[35m"},
	[VERDICT_ERROR] = {"ERROR", "error", "\033[1;35m"},
	[VERDICT_BLOCKED] = {"BLOCK", "blocked", "\033[2;35m"},
};

void plain_put(FILE *out, const char *s)
{
	escape_put(out, s, strlen(s), ESCAPE_KEEP_NONE);
}

void plain_head(const struct run_result *run, FILE *out)
{
	plain_put(out, run->suite_name);
	fputc(' ', out);
	plain_put(out, run->suite_version);
	fputs(": ", out);
	plain_put(out, run->device_name);
	if (*run->device_impl) {
		fputs(" (", out);
		plain_put(out, run->device_impl);
		fputc(')', out);
	}
	fputs("; link ", out);
	plain_put(out, run->link);
	fputs("; ", out);
	plain_put(out, run->spec);
	fprintf(out, "; seed %llu\n", (unsigned long long)run->seed);
	if (*run->link_note) {
		fputs("on the link: ", out);
		plain_put(out, run->link_note);
		fputc('\n', out);
	}
}

/* What the device does to its fields, and how many cases were judged so. */
void plain_readings(const struct run_result *run, FILE *out)
{
	size_t judged = 0;

	for (size_t i = 0; i < run->count; i++)
		judged += run->results[i].reading && *run->results[i].reading;
	for (size_t i = 0; i < run->reading_count; i++) {
		const struct result_reading *r = &run->readings[i];

		fputs("reading ", out);
		plain_put(out, r->name);
		fputs(": the device ", out);
		plain_put(out, r->note);
		fputs(" (", out);
		plain_put(out, r->section);
		fputs(")\n", out);
	}
	if (run->reading_count)
		fprintf(out, "%zu case%s judged by what it means\n", judged,
			judged == 1 ? "" : "s");
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

enum { REASONS_TOLD = 10 };

/* Why cases were not applicable; the last of many reasons in one line. */
static void put_reasons(const struct run_result *run, FILE *out)
{
	size_t left = 0;

	if (!run->reason_count)
		return;
	fprintf(out, "%zu case%s not applicable:\n", run->totals[VERDICT_SKIP],
		run->totals[VERDICT_SKIP] == 1 ? "" : "s");
	for (size_t i = 0; i < run->reason_count; i++) {
		const struct result_reason *r = &run->reasons[i];

		if (i >= REASONS_TOLD) {
			left += r->cases;
			continue;
		}
		fprintf(out, "%6zu  ", r->cases);
		plain_put(out, r->text);
		fputc('\n', out);
	}
	if (left)
		fprintf(out, "%6zu  for %zu other reason%s\n", left,
			run->reason_count - REASONS_TOLD,
			run->reason_count - REASONS_TOLD == 1 ? "" : "s");
}

void plain_totals(const struct run_result *run, FILE *out)
{
	fprintf(out, "\n%zu of %zu cases in %.3f s\n", run->count,
		run->planned > run->count ? run->planned : run->count,
		(double)run->duration_ns / 1e9);
	if (*run->note) {
		plain_put(out, run->note);
		fputc('\n', out);
	}
	/* The note tells the first. */
	for (size_t i = 1; i < run->stale_count; i++) {
		fputs("stale deviation of ", out);
		plain_put(out, run->stale[i].entry);
		fputs(": ", out);
		plain_put(out, run->stale[i].text);
		fputc('\n', out);
	}
	for (size_t i = 0; i < run->finding_count; i++)
		escape_put_lines(out, run->findings[i], "");
	for (size_t i = 0; i < run->known_count; i++)
		escape_put_lines(out, run->known[i], "");
	put_reasons(run, out);
	put_teardowns(run, out);
	fprintf(out,
		"The suite is held to %zu mutants and %zu variants of the "
		"built-in device\n",
		run->mutants, run->variants);
	for (int v = 0; v < VERDICT_COUNT; v++)
		fprintf(out, "%s%zu %s", v ? ", " : "", run->totals[v],
			plain_looks[v].counted);
	fputc('\n', out);
}
