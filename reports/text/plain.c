/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/text/plain.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"
#include "reports/text/escape.h"
#include "reports/report.h"

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

/* --- lines of a width --------------------------------------------------------- */

struct plain_line plain_go_on(FILE *out, size_t column, size_t indent)
{
	return (struct plain_line){
		.out = out, .column = column, .indent = indent};
}

struct plain_line plain_begin(FILE *out, size_t indent)
{
	fprintf(out, "%*s", (int)indent, "");
	return plain_go_on(out, indent, indent);
}

/* Its width on a terminal: an octet that continues a character has none. */
static size_t columns(const char *s, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += ((unsigned char)s[i] & 0xc0) != 0x80;
	return count;
}

/* The word that was put together, in this line or the next. */
static void put_word(struct plain_line *l)
{
	size_t n = columns(l->word, l->octets);

	if (!l->octets)
		return;
	if (l->column > l->indent && l->column + l->blanks + n > PLAIN_WIDTH) {
		fprintf(l->out, "\n%*s", (int)l->indent, "");
		l->column = l->indent;
	} else {
		fprintf(l->out, "%*s", (int)l->blanks, "");
		l->column += l->blanks;
	}
	fwrite(l->word, 1, l->octets, l->out);
	l->column += n;
	l->blanks = l->octets = 0;
}

static void add_to_word(struct plain_line *l, const char *s, size_t n)
{
	if (l->octets + n > l->room) {
		char *more = realloc(l->word, l->octets + n + 64);

		if (!more) {
			text_is_lost();
			return;
		}
		l->word = more;
		l->room = l->octets + n + 64;
	}
	memcpy(l->word + l->octets, s, n);
	l->octets += n;
}

static void add(struct plain_line *l, const char *text, enum escape_keep keep)
{
	char *clean = escape_dup(text, keep);

	for (const char *p = clean ? clean : ""; *p;) {
		size_t n = strcspn(p, " ");

		add_to_word(l, p, n);
		p += n;
		if (*p)
			put_word(l);
		n = strspn(p, " ");
		l->blanks += n;
		p += n;
	}
	free(clean);
}

void plain_add(struct plain_line *l, const char *text)
{
	add(l, text, ESCAPE_KEEP_NONE);
}

void plain_end(struct plain_line *l)
{
	put_word(l);
	free(l->word);
	fputc('\n', l->out);
}

/* The additional indentation of continued lines: below due and seen. */
static size_t deeper(const char *line)
{
	return strncmp(line, "due:  ", 6) == 0 ||
			       strncmp(line, "seen: ", 6) == 0
		       ? 6
		       : 2;
}

void plain_lines(FILE *out, const char *text, size_t indent)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		size_t own = strspn(text, " ");
		char *line = n ? text_held(strndup(text + own, n - own)) : NULL;

		if (line) {
			struct plain_line l = plain_begin(out, indent + own);

			l.indent += deeper(line);
			add(&l, line, ESCAPE_KEEP_LINES);
			plain_end(&l);
		} else {
			fputc('\n', out);
		}
		free(line);
		text += n + (text[n] == '\n');
	}
}

/* --- head -------------------------------------------------------------------- */

/* Which device that is, as its file says. */
static void put_identity(const struct run_result *run, FILE *out)
{
	struct plain_line line;

	if (!run->identity_count)
		return;
	line = plain_go_on(out, 0, 2);
	for (size_t i = 0; i < run->identity_count; i++) {
		plain_add(&line, i ? "; " : "");
		plain_add(&line, run->identity[i].name);
		plain_add(&line, " ");
		plain_add(&line, run->identity[i].value);
	}
	plain_end(&line);
}

/* Which cases, if not all. */
static void put_part(const struct run_result *run, FILE *out)
{
	struct plain_line line = plain_go_on(out, 0, 2);
	char shard[64];

	if (!run->shards && !run->selector_count && !run->rerun)
		return;
	snprintf(shard, sizeof(shard), "shard %u of %u%s", run->shard,
		 run->shards, run->selector_count ? "; " : "");
	if (run->shards)
		plain_add(&line, shard);
	for (size_t i = 0; i < run->selector_count; i++) {
		plain_add(&line, i ? " " : "selected: ");
		plain_add(&line, run->selectors[i]);
	}
	if (run->rerun) {
		plain_add(&line,
			  run->shards || run->selector_count ? "; " : "");
		plain_add(&line, "rerun of the failures in ");
		plain_add(&line, run->rerun);
	}
	plain_end(&line);
}

void plain_head(const struct run_result *run, FILE *out)
{
	struct plain_line line = plain_go_on(out, 0, 2);
	char seed[48];

	plain_add(&line, run->suite_name);
	plain_add(&line, " ");
	plain_add(&line, run->suite_version);
	plain_add(&line, ": ");
	plain_add(&line, run->device_name);
	if (*run->device_impl) {
		plain_add(&line, " (");
		plain_add(&line, run->device_impl);
		plain_add(&line, ")");
	}
	plain_add(&line, "; link ");
	plain_add(&line, run->link);
	plain_add(&line, "; ");
	plain_add(&line, run->spec);
	snprintf(seed, sizeof(seed), "; seed %llu",
		 (unsigned long long)run->seed);
	plain_add(&line, seed);
	plain_end(&line);
	put_identity(run, out);
	put_part(run, out);
	if (*run->link_note) {
		line = plain_go_on(out, 0, 2);
		plain_add(&line, "on the link: ");
		plain_add(&line, run->link_note);
		plain_end(&line);
	}
}

/* The device's encoding of its fields, and how many cases were judged
 * accordingly. */
void plain_readings(const struct run_result *run, FILE *out)
{
	size_t judged = 0;

	for (size_t i = 0; i < run->count; i++)
		judged += run->results[i].reading && *run->results[i].reading;
	for (size_t i = 0; i < run->reading_count; i++) {
		const struct result_reading *r = &run->readings[i];
		struct plain_line line = plain_go_on(out, 0, 2);

		plain_add(&line, "reading ");
		plain_add(&line, r->name);
		plain_add(&line, ": the device ");
		plain_add(&line, r->note);
		plain_add(&line, " (");
		plain_add(&line, r->section);
		plain_add(&line, ")");
		plain_end(&line);
	}
	if (run->reading_count)
		fprintf(out,
			"%zu case%s judged by the meaning of these fields\n",
			judged, judged == 1 ? "" : "s");
}

const char *plain_teardown(enum teardown t)
{
	static const char *const texts[TEARDOWN_COUNT] = {
		[TEARDOWN_NONE] = "no stream",
		[TEARDOWN_OPEN] = "left open",
		[TEARDOWN_TERMINATE_FIN] = "Terminate and FIN",
		[TEARDOWN_TERMINATE_RST] = "Terminate and RST",
		[TEARDOWN_TERMINATE_OPEN] = "Terminate, left open",
		[TEARDOWN_FIN] = "FIN",
		[TEARDOWN_RST] = "RST",
	};

	return texts[t];
}

/* --- totals ------------------------------------------------------------------ */

static void put_teardowns(const struct run_result *run, FILE *out)
{
	size_t n[TEARDOWN_COUNT] = {0};
	const char *join = " ";
	char one[64];

	for (size_t i = 0; i < run->count; i++)
		n[run->results[i].teardown]++;
	if (!report_ran(run) || n[TEARDOWN_NONE] == run->count)
		return;
	struct plain_line line = plain_go_on(out, 0, 2);

	plain_add(&line, "How streams ended:");
	for (int t = 0; t < TEARDOWN_COUNT; t++) {
		if (!n[t] || t == TEARDOWN_NONE)
			continue;
		snprintf(one, sizeof(one), "%s%zu %s", join, n[t],
			 plain_teardown((enum teardown)t));
		plain_add(&line, one);
		join = ", ";
	}
	plain_end(&line);
}

/* The rest of a line that has `column` columns. */
static void put_text(FILE *out, size_t column, size_t indent, const char *a,
		     const char *b, const char *c)
{
	struct plain_line line = plain_go_on(out, column, indent);

	plain_add(&line, a);
	plain_add(&line, b);
	plain_add(&line, c);
	plain_end(&line);
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
		put_text(out, 8, 8, r->text, "", "");
	}
	if (left)
		fprintf(out, "%6zu  for %zu other reason%s\n", left,
			run->reason_count - REASONS_TOLD,
			run->reason_count - REASONS_TOLD == 1 ? "" : "s");
}

void plain_not_run(const struct run_result *run, FILE *out)
{
	size_t n = report_not_run(run);

	if (!n)
		return;
	fprintf(out, "\nERROR: %zu case%s not run: ", n,
		n == 1 ? " was" : "s were");
	plain_put(out, *run->note ? run->note : "the run was abandoned");
	fputc('\n', out);
}

/* Most of them passed then, and nothing else reports them. */
static void put_retried(const struct run_result *run, FILE *out)
{
	size_t n = 0;
	char text[200];

	for (size_t i = 0; i < run->count; i++)
		n += run->results[i].retried != NULL;
	if (!n)
		return;
	snprintf(text, sizeof(text),
		 "%zu case%s run again, alone, because the host was late, the "
		 "link lost packets, or the agent was gone (the JSON report "
		 "says which and why)",
		 n, n == 1 ? " was" : "s were");
	put_text(out, 0, 2, text, "", "");
}

/* They pass the gate until somebody looks at them. */
static void put_unexplained(const struct run_result *run, FILE *out)
{
	size_t n = 0;
	const char *first = "";
	char text[160];

	for (size_t i = 0; i < run->count; i++) {
		const struct result *r = &run->results[i];

		if (r->verdict != VERDICT_XFAIL ||
		    !strstr(r->reason, RESULT_UNEXPLAINED))
			continue;
		first = n++ ? first : r->id;
	}
	if (!n)
		return;
	snprintf(text, sizeof(text),
		 "%zu known deviation%s not yet explained: write a reason into "
		 "the deviations file; the first is ",
		 n, n == 1 ? " is" : "s are");
	put_text(out, 0, 2, text, first, "");
}

/* How much ran: cases, or what exploration has tried. */
static void put_extent(const struct run_result *run, FILE *out)
{
	const struct result *programs = result_find(run, "explore/programs");
	size_t due = report_applicable(run);

	fputc('\n', out);
	if (programs)
		plain_put(out, programs->title);
	else
		fprintf(out, "%zu of %zu applicable case%s ran",
			report_ran(run), due, due == 1 ? "" : "s");
	fprintf(out, ", in %.3f s\n", (double)run->duration_ns / 1e9);
}

static void put_stale(const struct result_stale *s, FILE *out)
{
	struct plain_line line = plain_go_on(out, 0, 2);

	plain_add(&line, "stale deviation of ");
	plain_add(&line, s->entry);
	plain_add(&line, ": ");
	plain_add(&line, s->text);
	plain_end(&line);
}

void plain_brief(const struct run_result *run, FILE *out)
{
	put_extent(run, out);
	if (*run->journal) {
		fprintf(out, "%zu of them are from the journal ",
			run->from_journal);
		plain_put(out, run->journal);
		fputc('\n', out);
	}
	if (*run->note && !report_not_run(run))
		put_text(out, 0, 2, run->note, "", "");
	put_retried(run, out);
	for (size_t i = 0; i < run->stale_count; i++)
		put_stale(&run->stale[i], out);
	char *anew = report_anew(run);

	if (anew) {
		fputs("To write the deviations file anew:\n\n  ", out);
		plain_put(out, anew);
		fputs("\n\n", out);
	}
	free(anew);
	put_unexplained(run, out);
	for (size_t i = 0; i < run->finding_count; i++)
		plain_lines(out, run->findings[i], 0);
	for (size_t i = 0; i < run->known_count; i++)
		plain_lines(out, run->known[i], 0);
}

void plain_totals(const struct run_result *run, FILE *out)
{
	plain_brief(run, out);
	put_reasons(run, out);
	put_teardowns(run, out);
}

/* Those that speak of the statement, in their first line (suite/ics/against.c);
 * the others are of the device. */
size_t plain_contradictions(const struct run_result *run)
{
	static const char of[] = ": the statement ";
	size_t n = 0;

	for (size_t i = 0; i < run->finding_count; i++) {
		const char *f = run->findings[i];

		n += memmem(f, strcspn(f, "\n"), of, strlen(of)) != NULL;
	}
	return n;
}

static void add_count(FILE *out, size_t n, const char *one, const char *many)
{
	if (n)
		fprintf(out, ", %zu %s", n, n == 1 ? one : many);
}

/* Unimportant counts that are 0 are left out. */
char *plain_counts_text(const struct run_result *run)
{
	size_t against = plain_contradictions(run);
	struct memstream m;
	FILE *out = memstream_open(&m);

	for (int v = 0; out && v < VERDICT_COUNT; v++) {
		bool always = v == VERDICT_PASS || v == VERDICT_FAIL ||
			      v == VERDICT_ERROR;

		if (run->totals[v] || always)
			fprintf(out, "%s%zu %s", v ? ", " : "", run->totals[v],
				plain_looks[v].counted);
	}
	if (out) {
		add_count(out, run->stale_count, "stale deviation",
			  "stale deviations");
		add_count(out, against, "contradiction of the statement",
			  "contradictions of the statement");
		add_count(out, run->finding_count - against,
			  "finding without a case", "findings without a case");
	}
	return text_held(memstream_finish(&m, NULL));
}

void plain_counts(const struct run_result *run, FILE *out)
{
	struct plain_line line = plain_go_on(out, 0, 0);
	char *text = plain_counts_text(run);

	plain_add(&line, text ? text : "");
	plain_end(&line);
	free(text);
}
