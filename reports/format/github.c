/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/format/github.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reports/text/escape.h"
#include "reports/text/plain.h"

/* GitHub shows ten of a kind in a step, and so much of each. */
enum { SHOWN = 10, MESSAGE_MAX = 1200, TITLE_MAX = 200 };

/* --- new failures --------------------------------------------------------- */

static const struct result_broken *breaks(const struct result *r,
					  const char *requirement)
{
	for (size_t i = 0; i < r->broken_count; i++)
		if (strcmp(r->broken[i].requirement, requirement) == 0)
			return &r->broken[i];
	return NULL;
}

static bool is_accused(const struct result *r)
{
	return r->verdict == VERDICT_FAIL || r->verdict == VERDICT_WARN;
}

static void look(const struct run_result *run, const struct ranked *g,
		 struct broken_anew *found)
{
	bool example = is_accused(g->in);

	*found = (struct broken_anew){.ranked = g};
	if (example) {
		found->in = g->in;
		found->as = g->example;
	}
	for (size_t i = 0; i < run->count; i++) {
		const struct result *r = &run->results[i];
		const struct result_broken *b =
			is_accused(r) ? breaks(r, g->example->requirement)
				      : NULL;

		if (!b)
			continue;
		found->cases++;
		found->fails |= report_is_must(b) || run->strict;
		if (!found->in) {
			found->in = r;
			found->as = b;
		}
	}
}

struct broken_anew *github_broken(const struct run_result *run,
				  const struct ranked *ranking, size_t ranked,
				  size_t *n)
{
	struct broken_anew *list = calloc(ranked + 1, sizeof(*list));

	*n = 0;
	for (size_t i = 0; list && i < ranked; i++) {
		look(run, &ranking[i], &list[*n]);
		*n += list[*n].cases > 0;
	}
	return list;
}

bool github_is_other(const struct result *r)
{
	return !r->broken_count && !r->not_run &&
	       (r->verdict == VERDICT_FAIL || r->verdict == VERDICT_ERROR);
}

/* --- annotations ------------------------------------------------------------- */

struct annotations {
	FILE *out;
	bool failed;
	size_t errors, warnings; /* written so far */
	size_t left_errors, left_warnings;
};

/* A value: only what ends it or its line is escaped. */
static void put_value(struct annotations *a, const char *text, size_t cap,
		      const char *marks)
{
	char *clean = escape_dup(text, ESCAPE_KEEP_LINES);
	size_t n = clean ? strlen(clean) : 0;
	size_t kept = n < cap ? n : cap;

	a->failed |= !clean;
	while (kept < n && ((unsigned char)clean[kept] & 0xc0) == 0x80)
		kept--;
	for (size_t i = 0; i < kept; i++)
		if (strchr(marks, clean[i]))
			fprintf(a->out, "%%%02X", (unsigned char)clean[i]);
		else
			fputc(clean[i], a->out);
	if (kept < n)
		fputs("...", a->out);
	free(clean);
}

#define OF_PROPERTY "%\r\n:,"
#define OF_MESSAGE  "%\r\n"

/* The file of a case in the suite's sources; nothing if it has none. */
static void put_file(struct annotations *a, const char *id)
{
	char file[256];
	size_t n = report_file_length(id);

	if (!n || !memchr(id, '/', n))
		return;
	snprintf(file, sizeof(file), "cases/%.*s.c", (int)n, id);
	fputs("file=", a->out);
	put_value(a, file, sizeof(file), OF_PROPERTY);
	fputs(",line=1,", a->out);
}

static void annotate(struct annotations *a, const char *kind, const char *id,
		     const char *title, const char *message)
{
	fprintf(a->out, "::%s ", kind);
	if (id)
		put_file(a, id);
	fputs("title=", a->out);
	put_value(a, title, TITLE_MAX, OF_PROPERTY);
	fputs("::", a->out);
	put_value(a, message, MESSAGE_MAX, OF_MESSAGE);
	fputc('\n', a->out);
}

/* For each kind one place is reserved for the number of the others. */
static void tell(struct annotations *a, bool error, const char *id,
		 const char *title, const char *message)
{
	size_t *told = error ? &a->errors : &a->warnings;

	if (*told >= SHOWN - 1) {
		*(error ? &a->left_errors : &a->left_warnings) += 1;
		return;
	}
	annotate(a, error ? "error" : "warning", id, title, message);
	(*told)++;
}

static void tell_left(struct annotations *a, const char *kind, size_t left)
{
	char title[64];

	if (!left)
		return;
	snprintf(title, sizeof(title), "warpspec: %zu more", left);
	annotate(a, kind, NULL, title,
		 "The summary of this step, and the reports, have them all.");
}

static void tell_broken(struct annotations *a, const struct broken_anew *b)
{
	const struct result_broken *as = b->as;
	char *title = NULL, *message = NULL, more[48] = "";

	if (b->cases > 1)
		snprintf(more, sizeof(more), " (and %zu more)", b->cases - 1);
	if (asprintf(&title, "%s %s (%s)", as->requirement, as->level,
		     as->section) < 0)
		title = NULL;
	if (asprintf(&message, "%s%s%s%s\n%s\n%s", as->statement,
		     *as->statement ? "\n" : "", b->in->id, more, b->in->title,
		     as->text) < 0)
		message = NULL;
	a->failed |= !title || !message;
	if (title && message)
		tell(a, b->fails, b->in->id, title, message);
	free(title);
	free(message);
}

/* One of `n` that are alike. */
static void tell_other(struct annotations *a, const struct result *r, size_t n)
{
	char *title = NULL;

	if (!n)
		return;
	if (asprintf(&title, n > 1 ? "%s and %zu more" : "%s", r->id, n - 1) <
	    0) {
		a->failed = true;
		return;
	}
	tell(a, true, r->id, title, *r->reason ? r->reason : r->title);
	free(title);
}

static void tell_run(struct annotations *a, const struct run_result *run)
{
	char line[512];
	size_t missing =
		(run->planned > run->count ? run->planned - run->count : 0) +
		report_not_run(run);

	if (missing) {
		snprintf(line, sizeof(line), "%zu case%s not run: %s", missing,
			 missing == 1 ? " was" : "s were",
			 *run->note ? run->note : "the run ended early");
		tell(a, true, NULL, "warpspec: the run ended early", line);
	}
	if (report_is_untold(run)) {
		report_untold(run, line, sizeof(line));
		tell(a, true, NULL, "warpspec", line);
	}
	for (size_t i = 0; i < run->finding_count; i++)
		tell(a, true, NULL, "warpspec: a finding without a case",
		     run->findings[i]);
}

/* After the broken requirements: many of them fail in a new way, which is
 * reported. */
static void tell_stale(struct annotations *a, const struct run_result *run)
{
	char line[512];
	char *anew = report_anew(run);

	for (size_t i = 0; i < run->stale_count; i++) {
		char *text = NULL;

		snprintf(line, sizeof(line), "stale deviation of %s",
			 run->stale[i].entry);
		if (anew && asprintf(&text, "%s\nTo write the file anew: %s",
				     run->stale[i].text, anew) < 0)
			text = NULL;
		tell(a, true, NULL, line, text ? text : run->stale[i].text);
		free(text);
	}
	free(anew);
}

static void tell_counts(struct annotations *a, const struct run_result *run)
{
	char *counts = plain_counts_text(run), *line = NULL;

	if (counts &&
	    asprintf(&line, "%s; exit status %d", counts, run->exit_status) < 0)
		line = NULL;
	a->failed |= !line;
	if (line)
		annotate(a, "notice", NULL, run->device_name, line);
	free(line);
	free(counts);
}

int report_github(const struct run_result *run,
		  const struct report_options *options, FILE *out)
{
	struct annotations a = {.out = out};
	size_t ranked, n = 0;
	struct ranked *ranking = report_ranking(run, &ranked);
	struct broken_anew *broken =
		ranking ? github_broken(run, ranking, ranked, &n) : NULL;

	(void)options;
	a.failed = !broken;
	tell_run(&a, run);
	for (size_t i = 0; i < n; i++)
		tell_broken(&a, &broken[i]);
	for (size_t i = 0; i < run->count; i++) {
		const struct result *r = &run->results[i];

		tell_other(&a, r,
			   github_is_other(r) ? report_alike(run, i) : 0);
	}
	tell_stale(&a, run);
	tell_left(&a, "error", a.left_errors);
	tell_left(&a, "warning", a.left_warnings);
	tell_counts(&a, run);
	free(broken);
	free(ranking);
	if (a.failed && !errno)
		errno = ENOMEM;
	return a.failed || ferror(out) ? -1 : 0;
}
