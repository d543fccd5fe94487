/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/report.h"

#include <stdio.h>
#include <string.h>

#include "harness/text/memstream.h"

size_t report_file_length(const char *id)
{
	const char *slash = strchr(id, '/');

	if (!slash)
		return 0;
	const char *second = strchr(slash + 1, '/');

	return (size_t)((second ? second : slash) - id);
}

const char *report_case_name(const char *id)
{
	size_t n = report_file_length(id);

	return n ? id + n + 1 : id;
}

size_t report_file_end(const struct run_result *run, size_t first)
{
	const char *id = run->results[first].id;
	size_t n = report_file_length(id), i = first + 1;

	while (i < run->count && report_file_length(run->results[i].id) == n &&
	       memcmp(run->results[i].id, id, n) == 0)
		i++;
	return i;
}

bool report_fails(const struct run_result *run, const struct result *r)
{
	return r->verdict == VERDICT_FAIL ||
	       (run->strict && r->verdict == VERDICT_WARN);
}

/* The common cause of cases that are reported together: the case that blocks
 * them; or why they could not be judged, if there is nothing else to report.
 * NULL: none. */
static const char *cause_of(const struct result *r)
{
	if (r->verdict == VERDICT_BLOCKED)
		return r->blocked_by ? r->blocked_by : r->reason;
	return r->verdict == VERDICT_ERROR && !*r->detail ? r->reason : NULL;
}

bool report_is_like(const struct result *a, const struct result *b)
{
	const char *x = cause_of(a), *y = cause_of(b);

	return a->verdict == b->verdict && x && y && strcmp(x, y) == 0;
}

size_t report_alike(const struct run_result *run, size_t at)
{
	const struct result *r = &run->results[at];
	size_t n = 0;

	if (!cause_of(r))
		return 1;
	for (size_t i = 0; i < run->count; i++) {
		if (!report_is_like(r, &run->results[i]))
			continue;
		if (i < at)
			return 0;
		n++;
	}
	return n;
}

bool report_is_again(const struct run_result *run, const struct result *r)
{
	return report_fails(run, r) ||
	       (r->verdict == VERDICT_ERROR && !r->not_run);
}

/* As a shell takes it. */
static void put_quoted(FILE *out, const char *s)
{
	fputc('\'', out);
	for (; *s; s++)
		if (*s == '\'')
			fputs("'\\''", out);
		else
			fputc(*s, out);
	fputc('\'', out);
}

char *report_rerun(const struct run_result *run, size_t cases)
{
	struct memstream m;

	if (cases <= REPORT_NAMED || !run->again || !*run->again ||
	    !run->written)
		return NULL;
	FILE *out = memstream_open(&m);

	if (out) {
		fprintf(out, "%s --rerun=", run->again);
		put_quoted(out, run->written);
	}
	return memstream_finish(&m, NULL);
}

bool report_is_untold(const struct run_result *run)
{
	if (!run->exit_status || run->finding_count || run->stale_count ||
	    run->count < run->planned)
		return false;
	for (size_t i = 0; i < run->count; i++) {
		const struct result *r = &run->results[i];

		if (report_fails(run, r) || r->verdict == VERDICT_ERROR ||
		    (r->verdict == VERDICT_BLOCKED && !r->block_known))
			return false;
	}
	return true;
}

void report_untold(const struct run_result *run, char *line, size_t cap)
{
	snprintf(line, cap, "exit status %d: %s", run->exit_status,
		 *run->note ? run->note : "nothing could be judged");
}

size_t report_applicable(const struct run_result *run)
{
	size_t all = run->planned > run->count ? run->planned : run->count;

	return all - run->totals[VERDICT_SKIP];
}

size_t report_ran(const struct run_result *run)
{
	return run->count - run->totals[VERDICT_SKIP] -
	       run->totals[VERDICT_BLOCKED] - report_not_run(run);
}

char *report_anew(const struct run_result *run)
{
	struct memstream m;

	if (!run->stale_count || !run->again || !*run->again)
		return NULL;
	FILE *out = memstream_open(&m);

	if (out) {
		fputs(run->again, out);
		for (size_t i = 0; i < run->selector_count; i++)
			fprintf(out, " %s", run->selectors[i]);
		fputs(" --update-deviations", out);
	}
	return memstream_finish(&m, NULL);
}

size_t report_not_run(const struct run_result *run)
{
	size_t n = 0;

	for (size_t i = 0; i < run->count; i++)
		n += run->results[i].not_run;
	return n;
}

void report_time(char text[REPORT_TIME_SIZE], const struct timespec *t)
{
	struct tm tm;
	char seconds[24];

	if (!gmtime_r(&t->tv_sec, &tm) ||
	    !strftime(seconds, sizeof(seconds), "%Y-%m-%dT%H:%M:%S", &tm))
		strcpy(seconds, "1970-01-01T00:00:00");
	snprintf(text, REPORT_TIME_SIZE, "%s.%03ldZ", seconds,
		 t->tv_nsec / 1000000 % 1000);
}

bool report_section_uri(char uri[REPORT_URI_SIZE], const char *section)
{
	unsigned rfc;
	char part[32];
	int n = 0;

	if (sscanf(section, "RFC %5u s%31[0-9A-Z.]%n", &rfc, part, &n) != 2 ||
	    !n || section[n])
		return false;
	snprintf(uri, REPORT_URI_SIZE,
		 "https://www.rfc-editor.org/rfc/rfc%u#%s-%s", rfc,
		 part[0] >= 'A' ? "appendix" : "section", part);
	return true;
}
