/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "harness/link/clock.h"
#include "harness/text/memstream.h"

#define PROGRESS_NS 200000000u /* between two lines */

volatile sig_atomic_t run_signalled;

void run_note(struct run *run, const char *text)
{
	if (!run->note[0])
		snprintf(run->note, sizeof(run->note), "%s", text);
}

static int columns(void)
{
	struct winsize w;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 20
		       ? w.ws_col
		       : 80;
}

/* Broken at blanks, unless it goes to a file or another program. */
static void put_line(const char *text)
{
	enum { INDENT = 2 };
	size_t width = (size_t)columns(), at = 0;

	while (*text) {
		size_t blanks = strspn(text, " ");
		size_t n = strcspn(text + blanks, " ");

		if (isatty(STDERR_FILENO) && at > INDENT &&
		    at + blanks + n > width) {
			fprintf(stderr, "\n%*s", INDENT, "");
			at = INDENT;
			text += blanks;
			blanks = 0;
		}
		fprintf(stderr, "%.*s", (int)(blanks + n), text);
		at += blanks + n;
		text += blanks + n;
	}
	fputc('\n', stderr);
}

void run_says(const struct run *run, const char *fmt, ...)
{
	char *text;
	va_list ap;

	if (run->o->quiet)
		return;
	va_start(ap, fmt);
	int n = vasprintf(&text, fmt, ap);

	va_end(ap);
	if (!text_made(n))
		return;
	char *line;

	fputs(run->progress ? "\r\033[K" : "", stderr);
	if (text_made(asprintf(&line, "warpspec: %s", text))) {
		put_line(line);
		free(line);
	}
	free(text);
}

static void keep_pace(struct pace *p, uint64_t now, size_t finished)
{
	unsigned last = (p->looks + PACE_LOOKS - 1) % PACE_LOOKS;

	if (p->looks && now - p->at[last] < CLOCK_NS_PER_S)
		return;
	p->at[p->looks % PACE_LOOKS] = now;
	p->finished[p->looks % PACE_LOOKS] = finished;
	p->looks++;
}

/* Seconds until all cases have ended, at the latest rate; below 0: unknown. */
static double pace_left(const struct pace *p, uint64_t now, size_t finished,
			size_t all)
{
	unsigned first = p->looks < PACE_LOOKS ? 0 : p->looks % PACE_LOOKS;
	size_t ended = finished > p->finished[first]
			       ? finished - p->finished[first]
			       : 0;

	if (!p->looks || !ended)
		return -1;
	return (double)(all - finished) * (double)(now - p->at[first]) /
	       (double)ended / CLOCK_NS_PER_S;
}

static int format_left(char *text, size_t cap, double left)
{
	if (left < 120)
		return snprintf(text, cap, ", %.0f s left", left);
	if (left < 7200)
		return snprintf(text, cap, ", %.0f min left", left / 60);
	return snprintf(text, cap, ", %.0f h left", left / 3600);
}

/* The instance that has run longest, and its start; -1: none. */
static long oldest_of(const struct run *run, uint64_t *since)
{
	long oldest = -1;

	*since = UINT64_MAX;
	for (unsigned i = 0; i < RUN_WORKERS; i++) {
		const struct pool_worker *w = &run->worker[i];

		if (w->pid && w->index >= 0 && w->started < *since) {
			*since = w->started;
			oldest = w->index;
		}
	}
	return oldest;
}

void run_progress(struct run *run, bool last)
{
	uint64_t now = clock_now_ns();

	if (!run->progress)
		return;
	if (last) {
		fputs("\r\033[K", stderr);
		return;
	}
	keep_pace(&run->pace, now, run->finished);
	if (now - run->began < CLOCK_NS_PER_S ||
	    now - run->progress_ns < PROGRESS_NS)
		return;
	run->progress_ns = now;
	char line[256];
	int n = snprintf(line, sizeof(line), "%zu of %zu, %zu failed",
			 run->finished, run->plan.selected_count,
			 run->failures);
	double left = pace_left(&run->pace, now, run->finished,
				run->plan.selected_count);

	if (left >= 0)
		n += format_left(line + n, sizeof(line) - (size_t)n, left);
	uint64_t since;
	long oldest = oldest_of(run, &since);

	if (oldest >= 0 && now - since >= CLOCK_NS_PER_S)
		snprintf(line + n, sizeof(line) - (size_t)n, "; %llu s at %s",
			 (unsigned long long)((now - since) / CLOCK_NS_PER_S),
			 registry()->instances[oldest].id);
	fprintf(stderr, "\r%.*s\033[K", columns() - 1, line);
}

void run_awaits(const struct run *run, const char *what)
{
	if (run->progress)
		fprintf(stderr, "\rwaiting for %.*s\033[K", columns() - 13,
			what);
}

static bool is_failure(const struct record *r)
{
	return r->result.verdict == VERDICT_FAIL ||
	       r->result.verdict == VERDICT_ERROR;
}

void run_forget(struct run *run, size_t index)
{
	struct record *r = &run->records[index];

	if (!run->done[index])
		return;
	run->done[index] = false;
	run->finished--;
	run->failures -= is_failure(r);
	record_release(r);
}

void run_keep(struct run *run, size_t index, const struct record *r,
	      const char *line, size_t octets)
{
	char why[256];

	/* A foundation may already have a record: the last one counts. */
	run_forget(run, index);
	run->records[index] = *r;
	run->done[index] = true;
	run->finished++;
	run->failures += is_failure(r);
	if (r->note && r->note[0]) {
		run->suite_failed = true;
		run_note(run, r->note);
	}
	if (run->o->fail_fast && is_failure(r) && line)
		run->stopped = true;
	if (run->journal && line &&
	    !journal_write(run->journal, line, octets, why, sizeof(why))) {
		run->suite_failed = true;
		run_note(run, why);
		run->journal = NULL;
	}
}

/* If only failures have a capture, and for foundations that were not selected:
 * drop a capture that does not belong to the final result. */
static void drop_stale_capture(struct run *run, size_t index,
			       const struct record *r)
{
	char *path = run->captured[index];

	bool of_failures =
		run->o->captures_of_failures || !run->plan.selected[index];

	/* One that is kept may be dropped yet: a case may run again. */
	if (!path || !of_failures || r->result.capture)
		return;
	unlink(path);
	free(path);
	run->captured[index] = NULL;
}

static void keep_with_line(struct run *run, size_t index,
			   const struct record *record)
{
	struct record r = *record;

	drop_stale_capture(run, index, record);
	r.in_force = run->in_force;
	bool is_told = r.result.verdict != VERDICT_SKIP || r.json;
	char *line = is_told ? record_line(&r) : NULL;

	if (is_told && !line && run->journal) {
		run->suite_failed = true;
		run_note(run,
			 "journal: out of memory: a case is missing in it");
	}
	run_keep(run, index, &r, line, line ? strlen(line) : 0);
	free(line);
}

void run_accept(struct run *run, const struct pending *p)
{
	keep_with_line(run, p->index, &p->record);
}

void run_settle(struct run *run, size_t index, enum verdict v,
		enum error_cause cause, const char *why)
{
	struct record r =
		record_unjudged(&registry()->instances[index], v, cause, why);

	keep_with_line(run, index, &r);
}

static void put_indented(FILE *out, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		fprintf(out, "  %.*s\n", (int)n, text);
		text += n + (text[n] == '\n');
	}
}

/*
 * The case's own result comes last, because the device was going down. The end
 * of the stream is left out: it depends on chance.
 */
static char *crash_detail(const struct result *c,
			  const struct hook_result *seen)
{
	struct memstream m;
	FILE *out = memstream_open(&m);

	if (out) {
		fprintf(out, "%s, and says:\n", seen->line);
		put_indented(out, seen->output[0] ? seen->output : "(nothing)");
		fprintf(out, "verdict of the case itself: %s%s%s\n",
			verdict_name(c->verdict), c->reason[0] ? ": " : "",
			c->reason);
		put_indented(out, c->detail);
	}
	return memstream_finish(&m, NULL);
}

void run_crashed(struct run *run, struct pending *p,
		 const struct hook_result *seen)
{
	const struct result *own = &p->record.result;
	struct record r =
		record_unjudged(&registry()->instances[p->index], VERDICT_FAIL,
				CAUSE_NONE, "the device crashed");
	char *detail = crash_detail(own, seen);

	r.result.signature = RESULT_CRASHED;
	r.result.detail = detail ? detail : "";
	r.result.duration_ns = own->duration_ns;
	r.result.capture = own->capture;
	r.result.capture_sha256 = own->capture_sha256;
	r.result.device_log = own->device_log;
	r.json = p->record.json; /* its strings */
	keep_with_line(run, p->index, &r);
	p->record.json = NULL;
	record_release(&p->record);
}

void run_finds(struct run *run, const char *what, const size_t *suspects,
	       size_t n, const struct hook_result *seen)
{
	struct run_finding *f = &run->findings[run->finding_count];
	struct memstream m;

	if (run->finding_count >= RUN_FINDINGS)
		return;
	FILE *out = memstream_open(&m);

	if (out) {
		fputs(what, out);
		for (size_t i = 0; i < n; i++)
			fprintf(out, "  ran: %s\n",
				registry()->instances[suspects[i]].id);
		put_indented(out, seen->output[0] ? seen->output : seen->line);
	}
	/* Even without its text it counts as a finding. */
	const char *text = memstream_finish(&m, NULL);

	f->text = text ? text : what;
	for (size_t i = 0; i < n; i++)
		f->suspects[i] = suspects[i];
	f->suspect_count = n;
	run->finding_count++;
}

void run_states(struct run *run, char *text)
{
	if (text)
		run->findings[run->finding_count++] =
			(struct run_finding){.text = text};
}
