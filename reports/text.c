/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "reports/escape.h"
#include "reports/plain.h"
#include "reports/report.h"

#define INDENT "         "

/* Which requirements were judged, and how the stream ended. */
static void put_grounds(const struct result *r, FILE *out)
{
	const char *join = "";

	fputs(INDENT, out);
	if (*r->level) {
		plain_put(out, r->level);
		join = " ";
	}
	for (size_t i = 0; i < r->requirement_count; i++) {
		fputs(join, out);
		plain_put(out, r->requirements[i]);
		join = ", ";
	}
	fprintf(out, "%steardown %s", *join ? "; " : "",
		teardown_name(r->teardown));
	if (*r->role) {
		fputs("; device is ", out);
		plain_put(out, r->role);
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
	const struct plain_look *look = &plain_looks[r->verdict];

	fprintf(out, "  %s%-5s%s  ", options->colour ? look->colour : "",
		look->word, options->colour ? "\033[0m" : "");
	plain_put(out, report_case_name(r->id));
	fputs(": ", out);
	/* A skip did nothing that its title could tell. */
	bool skip = r->verdict == VERDICT_SKIP && *r->reason;

	plain_put(out, skip ? r->reason : r->title);
	fputc('\n', out);
	if (is_worth_evidence(r->verdict))
		put_grounds(r, out);
	if (r->reading && *r->reading) {
		fputs(INDENT "judged under reading ", out);
		plain_put(out, r->reading);
		fputc('\n', out);
	}
	if (*r->reason && !skip) {
		fputs(INDENT, out);
		plain_put(out, r->reason);
		fputc('\n', out);
	}
	escape_put_lines(out, r->detail, INDENT);
	if (r->capture && is_worth_evidence(r->verdict)) {
		fputs(INDENT "capture ", out);
		plain_put(out, r->capture);
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

int report_text(const struct run_result *run,
		const struct report_options *options, FILE *out)
{
	plain_head(run, out);
	plain_readings(run, out);
	for (size_t i = 0, end; i < run->count; i = end) {
		end = report_file_end(run, i);
		put_file(run, i, end, options, out);
	}
	plain_totals(run, out);
	return ferror(out) ? -1 : 0;
}
