/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TAP version 13, which every current reader knows: a plan, a test point for
 * each case, and below each that does not simply pass a YAML block with the
 * details. A finding without a case is a failing test point, after those of the
 * cases.
 */
#include <stdlib.h>
#include <string.h>

#include "reports/text/escape.h"
#include "reports/format/formats.h"

/* One line, in which a '#' starts no directive. */
static void put(FILE *out, const char *s)
{
	for (const char *p = s; *p;) {
		size_t n = strcspn(p, "#\\");

		escape_put(out, p, n, ESCAPE_KEEP_NONE);
		p += n;
		if (*p)
			fprintf(out, "\\%c", *p++);
	}
}

/* A double-quoted YAML scalar. */
static void put_quoted(FILE *out, const char *s)
{
	fputc('"', out);
	for (const char *p = s; *p;) {
		size_t n = strcspn(p, "\"\\");

		escape_put(out, p, n, ESCAPE_KEEP_NONE);
		p += n;
		if (*p)
			fprintf(out, "\\%c", *p++);
	}
	fputc('"', out);
}

static void put_field(FILE *out, const char *key, const char *s)
{
	if (!*s)
		return;
	fprintf(out, "  %s: ", key);
	put_quoted(out, s);
	fputc('\n', out);
}

static void put_diagnostics(const struct result *r, FILE *out)
{
	fputs("  ---\n", out);
	fprintf(out, "  verdict: %s\n", verdict_name(r->verdict));
	put_field(out, "title", r->title);
	put_field(out, "level", r->level);
	if (r->requirement_count) {
		fputs("  requirements:\n", out);
		for (size_t i = 0; i < r->requirement_count; i++) {
			fputs("    - ", out);
			put_quoted(out, r->requirements[i]);
			fputc('\n', out);
		}
	}
	put_field(out, "role", r->role);
	fprintf(out, "  teardown: %s\n", teardown_name(r->teardown));
	fprintf(out, "  duration_ms: %.3f\n", (double)r->duration_ns / 1e6);
	put_field(out, "reason", r->reason);
	if (r->blocked_by)
		put_field(out, "blocked_by", r->blocked_by);
	if (r->reading)
		put_field(out, "reading", r->reading);
	if (*r->detail) {
		/*
		 * If the first line is itself indented, YAML has to know the
		 * depth of the block; some readers of TAP only know '|'.
		 */
		bool indented = r->detail[strspn(r->detail, "\n")] == ' ';

		fprintf(out, "  detail: |%s\n", indented ? "2" : "");
		escape_put_lines(out, r->detail, "    ");
	}
	if (r->capture)
		put_field(out, "capture", r->capture);
	fputs("  ...\n", out);
}

static void put_case(const struct run_result *run, size_t index, FILE *out)
{
	const struct result *r = &run->results[index];
	bool todo = r->verdict == VERDICT_XFAIL ||
		    (r->verdict == VERDICT_BLOCKED && r->block_known);
	bool ok = r->not_run || (!report_fails(run, r) && !todo &&
				 r->verdict != VERDICT_BLOCKED &&
				 r->verdict != VERDICT_ERROR);

	fprintf(out, "%s %zu - ", ok ? "ok" : "not ok", index + 1);
	put(out, r->id);
	if (r->verdict == VERDICT_SKIP || r->not_run || todo) {
		fputs(todo ? " # TODO" : " # SKIP", out);
		if (*r->reason)
			fputc(' ', out);
		put(out, r->reason);
	}
	fputc('\n', out);
	if (r->not_run)
		return;
	if (r->verdict != VERDICT_PASS || (r->reading && *r->reading))
		put_diagnostics(r, out);
}

static void put_finding(const char *text, size_t number, FILE *out)
{
	fprintf(out, "not ok %zu - the run itself\n  ---\n  detail: |\n",
		number);
	escape_put_lines(out, text, "    ");
	fputs("  ...\n", out);
}

static void put_stale(const struct result_stale *s, size_t number, FILE *out)
{
	fprintf(out, "not ok %zu - deviations: ", number);
	put(out, s->entry);
	fputs("\n  ---\n", out);
	put_field(out, "case", s->id);
	put_field(out, "reason", s->text);
	fputs("  ...\n", out);
}

int report_tap(const struct run_result *run,
	       const struct report_options *options, FILE *out)
{
	size_t planned = run->planned > run->count ? run->planned : run->count;
	bool untold = report_is_untold(run);
	size_t whole = planned + run->finding_count + run->stale_count + untold;
	size_t n = run->count;

	(void)options;
	fputs("TAP version 13\n", out);
	if (*run->link_note) {
		fputs("# on the link: ", out);
		put(out, run->link_note);
		fputc('\n', out);
	}
	fprintf(out, "1..%zu", whole);
	if (whole == 0) {
		fputs(" # SKIP ", out);
		put(out, *run->note ? run->note : "nothing ran");
	}
	fputc('\n', out);
	for (size_t i = 0; i < run->count; i++)
		put_case(run, i, out);
	for (size_t i = 0; i < run->finding_count; i++)
		put_finding(run->findings[i], ++n, out);
	for (size_t i = 0; i < run->stale_count; i++)
		put_stale(&run->stale[i], ++n, out);
	if (untold) {
		char why[512];

		report_untold(run, why, sizeof(why));
		put_finding(why, ++n, out);
	}
	/* Cases that were planned and are missing: the reader must know. */
	if (run->count < planned || report_not_run(run)) {
		fputs("Bail out! ", out);
		put(out, *run->note ? run->note : "the run ended early");
		fputc('\n', out);
	}
	return ferror(out) ? -1 : 0;
}
