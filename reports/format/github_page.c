/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The summary of a step, in Markdown: first the broken requirements, in the
 * order of the text summary, then the cases that could not be judged, the
 * failed cases, and the command that reruns them. GitHub accepts a mebibyte;
 * everything that can grow is bounded, and reports how much is left out.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"
#include "reports/format/github.h"
#include "reports/text/markdown.h"
#include "reports/text/plain.h"

enum {
	ROWS = 200,      /* of a table */
	DETAILED = 20,   /* requirements with expected and observed */
	IDS = 300,       /* of cases */
	CELL = 300,      /* octets of a cell */
	EVIDENCE = 3000, /* octets of expected and observed */
	FINDINGS = 20,
};

static void put_head(const struct run_result *run, FILE *out)
{
	static const char *const means[] = {
		"every MUST that was judged is met",
		"failed",
		"usage",
		"the device or its agent is unreachable or died",
		"the suite failed",
		"fewer cases ran than requested"};
	int status = run->exit_status;

	fputs("## ", out);
	markdown_put(out, run->device_name, CELL);
	fprintf(out, ": %s\n\n",
		status >= 0 && status <= 5 ? means[status] : "ended");
	markdown_put(out, run->suite_name, CELL);
	fputc(' ', out);
	markdown_put(out, run->suite_version, CELL);
	if (*run->device_impl) {
		fputs(" on ", out);
		markdown_put(out, run->device_impl, CELL);
	}
	fputs("; link ", out);
	markdown_put(out, run->link, CELL);
	fputs("; ", out);
	markdown_put(out, run->spec, CELL);
	fprintf(out, "; seed %llu; exit status %d",
		(unsigned long long)run->seed, status);
	if (run->shards)
		fprintf(out, "; part %u of %u", run->shard, run->shards);
	fputs("\n\n", out);
	if (*run->note) {
		markdown_put(out, run->note, CELL);
		fputs("\n\n", out);
	}
}

static void put_counts(const struct run_result *run, FILE *out)
{
	fputc('|', out);
	for (int v = 0; v < VERDICT_COUNT; v++)
		fprintf(out, " %s |", plain_looks[v].word);
	fputs("\n|", out);
	for (int v = 0; v < VERDICT_COUNT; v++)
		fputs(" ---: |", out);
	fputs("\n|", out);
	for (int v = 0; v < VERDICT_COUNT; v++)
		fprintf(out, " %zu |", run->totals[v]);
	fputs("\n\n", out);
}

static void put_more(size_t n, size_t shown, const char *what, FILE *out)
{
	if (n > shown)
		fprintf(out, "\n... and %zu more %s\n", n - shown, what);
}

static void put_row(const struct broken_anew *b, FILE *out)
{
	const struct result_broken *as = b->as;

	fputs("| ", out);
	markdown_put(out, as->requirement, CELL);
	fputs(" | ", out);
	markdown_put(out, as->level, CELL);
	fputs(" | ", out);
	markdown_put(out, as->section, CELL);
	fputs(" | ", out);
	markdown_put(out, as->statement, CELL);
	fprintf(out, " | %zu | ", b->cases);
	markdown_put(out, b->in->id, CELL);
	if (b->ranked->blocks)
		fprintf(out, "; %zu more depend on it: fix this first",
			b->ranked->blocks);
	fputs(" |\n", out);
}

static void put_evidence(const struct broken_anew *b, FILE *out)
{
	fputs("\n<details><summary>", out);
	markdown_put(out, b->as->requirement, CELL);
	fputs(": ", out);
	markdown_put(out, b->in->id, CELL);
	fputs("</summary>\n\n", out);
	markdown_put(out, b->in->title, CELL);
	fputs("\n\n", out);
	markdown_block(out, b->as->text, EVIDENCE);
	fputs("\n</details>\n", out);
}

static void put_broken(const struct broken_anew *broken, size_t n, FILE *out)
{
	char levels[RANKING_LEVELS];
	struct ranked *anew = n ? text_held(calloc(n, sizeof(*anew))) : NULL;

	if (!anew)
		return;
	for (size_t i = 0; i < n; i++)
		anew[i].example = broken[i].as;
	report_levels(levels, anew, n);
	free(anew);
	fprintf(out,
		"### Requirements broken: %s\n\n"
		"| requirement | level | section | what has to hold | cases | "
		"for example |\n"
		"| --- | --- | --- | --- | ---: | --- |\n",
		levels);
	for (size_t i = 0; i < n && i < ROWS; i++)
		put_row(&broken[i], out);
	put_more(n, ROWS, "requirements", out);
	for (size_t i = 0; i < n && i < DETAILED; i++)
		put_evidence(&broken[i], out);
	fputc('\n', out);
}

/* Crashes, errors of the suite: a line each. */
static void put_others(const struct run_result *run, FILE *out)
{
	size_t n = 0;

	for (size_t i = 0; i < run->count; i++) {
		const struct result *r = &run->results[i];

		size_t alike = github_is_other(r) ? report_alike(run, i) : 0;

		if (!alike || n++ >= ROWS)
			continue;
		if (n == 1)
			fputs("### Other results\n\n", out);
		fprintf(out, "- %s ", plain_looks[r->verdict].word);
		markdown_put(out, r->id, CELL);
		if (alike > 1)
			fprintf(out, " and %zu more", alike - 1);
		fputs(": ", out);
		markdown_put(out, *r->reason ? r->reason : r->title, CELL);
		fputc('\n', out);
	}
	put_more(n, ROWS, "reasons", out);
	if (n)
		fputc('\n', out);
}

static void put_findings(const struct run_result *run, FILE *out)
{
	for (size_t i = 0; i < run->finding_count && i < FINDINGS; i++) {
		fputs(i ? "" : "### Findings without a case\n\n", out);
		markdown_block(out, run->findings[i], EVIDENCE);
		fputc('\n', out);
	}
	for (size_t i = 0; i < run->stale_count && i < ROWS; i++) {
		fputs(i ? "" : "### Stale known deviations\n\n", out);
		fputs("- ", out);
		markdown_put(out, run->stale[i].entry, CELL);
		fputs(": ", out);
		markdown_put(out, run->stale[i].text, CELL);
		fputc('\n', out);
	}
	put_more(run->stale_count, ROWS, "entries", out);
	if (run->stale_count)
		fputc('\n', out);
}

/* The cases to run again, and the command, if it is known. */
static void put_again(const struct run_result *run, FILE *out)
{
	size_t n = 0, shown = 0;
	struct memstream m;

	for (size_t i = 0; i < run->count; i++)
		n += report_is_again(run, &run->results[i]);
	if (!n)
		return;
	bool command = run->again && *run->again;
	char *by_report = report_rerun(run, n);

	if (by_report) {
		fputs("### To rerun what failed, is blocked or has no "
		      "verdict\n\n",
		      out);
		markdown_block(out, by_report, (size_t)IDS * CELL);
		free(by_report);
		return;
	}
	FILE *to = memstream_open(&m);

	if (to)
		fputs(command ? run->again : "", to);
	for (size_t i = 0; to && i < run->count && shown < IDS; i++) {
		if (!report_is_again(run, &run->results[i]))
			continue;
		fputs(command ? " \\\n  " : shown ? "\n" : "", to);
		fputs(run->results[i].id, to);
		shown++;
	}
	char *text = memstream_finish(&m, NULL);

	if (text) {
		fprintf(out, "### To rerun %zu case%s\n\n", n,
			n == 1 ? "" : "s");
		markdown_block(out, text, (size_t)IDS * CELL);
		put_more(n, shown, "cases", out);
	}
	free(text);
}

int github_page(const struct run_result *run,
		const struct report_options *options, FILE *out)
{
	size_t ranked, n = 0;
	struct ranked *ranking = report_ranking(run, &ranked);
	struct broken_anew *broken =
		ranking ? github_broken(run, ranking, ranked, &n) : NULL;

	(void)options;
	if (!broken) {
		free(ranking);
		return -1;
	}
	put_head(run, out);
	put_counts(run, out);
	put_broken(broken, n, out);
	put_others(run, out);
	put_findings(run, out);
	put_again(run, out);
	free(broken);
	free(ranking);
	return ferror(out) ? -1 : 0;
}
