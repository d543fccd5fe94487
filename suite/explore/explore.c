/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/explore/explore.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "harness/link/clock.h"
#include "harness/text/text_file.h"
#include "suite/device/links.h"
#include "suite/explore/as_case.h"
#include "suite/explore/crew.h"
#include "suite/explore/perform.h"
#include "suite/explore/shrink.h"
#include "suite/language/testbed.h"
#include "suite/run/habit_probe.h"
#include "suite/run/met.h"
#include "suite/run/preflight.h"
#include "suite/run/provenance.h"
#include "suite/run/reading_probe.h"

enum {
	FINDINGS_MOST = 64,
	ROUND_FIRST = 16, /* programs; each round has twice as many, */
	ROUND_MOST = 512, /* up to this */
	CONFIRM = 3,      /* performances that may show it again */
	SHRINK_MOST = 600,
	LATE_PART = 4, /* of a wait decides nothing (run/host.c) */
	SCRIPT_MOST = 1 << 20,
};

/* A thing that a program has shown. */
struct finding {
	uint64_t number; /* the program that showed it first */
	char signature[CREW_SIGNATURE];
	struct result result; /* of the shortest one; a copy */
	struct program *program;
	char path[1024];
};

struct exploration {
	const struct explore_options *o;
	struct testbed bed;
	struct generate_options how;
	struct finding finding[FINDINGS_MOST];
	unsigned findings;
	uint64_t programs, operations, skipped, again;
	uint64_t began, told;
	char first_skip[CREW_SIGNATURE];
	bool device_gone, suite_failed, at_an_end;
	char note[512];
	bool progress;
};

static volatile sig_atomic_t ended_by;

static void on_signal(int sig)
{
	ended_by = sig;
}

static void catch_signals(uint64_t most_ns)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
	struct sigaction on = {.sa_handler = on_signal}, was;
	struct itimerval in = {
		.it_value = {.tv_sec = (time_t)(most_ns / CLOCK_NS_PER_S)}};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (ends[i] != SIGHUP || (sigaction(SIGHUP, NULL, &was) == 0 &&
					  was.sa_handler != SIG_IGN))
			sigaction(ends[i], &on, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (most_ns)
		setitimer(ITIMER_REAL, &in, NULL);
}

static void note(struct exploration *e, const char *text)
{
	if (!e->note[0])
		snprintf(e->note, sizeof(e->note), "%s", text);
}

/* --- progress ------------------------------------------------------------------------ */

static void tell_progress(struct exploration *e, bool last)
{
	uint64_t now = clock_now_ns();
	double s = (double)(now - e->began) / CLOCK_NS_PER_S;

	if (!e->progress || (!last && now - e->told < CLOCK_NS_PER_S))
		return;
	e->told = now;
	fprintf(stderr,
		"\r%" PRIu64 " programs, %" PRIu64 " operations, %.0f/s, "
		"%u finding%s  %s",
		e->programs, e->operations,
		s > 0 ? (double)e->operations / s : 0, e->findings,
		e->findings == 1 ? "" : "s", last ? "\n" : "");
}

static void says(const struct exploration *e, const char *text)
{
	if (!e->o->run->quiet)
		fprintf(stderr, "%s%s\n", e->progress ? "\r\033[K" : "", text);
}

/* --- one finding ---------------------------------------------------------------------- */

static struct outcome perform(struct exploration *e, const struct program *p,
			      struct result *result)
{
	struct performance performance = {.program = p};

	return crew_perform_one(&e->bed, &performance, result);
}

struct showing {
	struct exploration *e;
	const char *signature; /* of which the first requirement counts */
	struct outcome last;
};

/* The first of the requirements that are broken. */
static size_t first_of(const char *signature)
{
	return strcspn(signature, " ,");
}

static bool has_requirement(const char *signature, const char *first)
{
	size_t n = first_of(first);

	for (const char *at = signature; *at;) {
		size_t len = first_of(at);

		if (len == n && strncmp(at, first, n) == 0)
			return true;
		at += len + strspn(at + len, " ,");
	}
	return false;
}

static bool shows(void *user, const struct program *p)
{
	struct showing *s = user;
	struct result result;

	if (ended_by || s->e->device_gone)
		return false;
	s->last = perform(s->e, p, &result);
	s->e->device_gone = s->last.device_gone;
	tell_progress(s->e, false);
	return s->last.verdict == VERDICT_FAIL &&
	       has_requirement(s->last.signature, s->signature);
}

/* Shown again, by a bed that waits as long as any. */
static bool is_confirmed(struct showing *s, const struct program *p)
{
	s->e->bed.brief = false;
	for (unsigned i = 0; i < CONFIRM; i++)
		if (shows(s, p))
			return true;
	return false;
}

/* What the shortest program could not do without, of its last step. */
static void avoid(struct exploration *e, const struct program *p)
{
	const struct step *s = NULL;
	struct avoided a;

	/* Of those the one that says most. */
	for (unsigned i = 0, most = 0; i < p->steps; i++) {
		unsigned says_so = 1;

		for (unsigned n = 0; n < STEP_NUMBERS; n++)
			says_so += p->step[i].n[n] != 0;
		if (p->step[i].op != SETTLE && says_so >= most) {
			most = says_so;
			s = &p->step[i];
		}
	}
	if (!s || e->how.avoids == AVOIDED_MOST) {
		e->at_an_end = true;
		return;
	}
	a = (struct avoided){.op = s->op, .fault = s->n[STEP_FAULT]};
	for (unsigned n = 0; n < STEP_NUMBERS; n++)
		/* Which stream and region it is does not matter, nor do numbers
		 * that every step may have. */
		if (s->n[n] && n != STEP_STREAM && n != STEP_REGION &&
		    n != STEP_OFF && n != STEP_LEN)
			a.numbers |= 1u << n;
	e->how.avoided[e->how.avoids++] = a;
}

static char *script_of(const struct program *p)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		return NULL;
	program_write(p, out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

static void save_program(struct exploration *e, struct finding *f,
			 const char *script)
{
	const char *dir = e->o->programs ? e->o->programs : ".";
	FILE *out;

	snprintf(f->path, sizeof(f->path),
		 "%s/explore-%" PRIu64 "-%" PRIu64 ".program", dir,
		 f->program->seed, f->number);
	out = fopen(f->path, "w");
	if (out && fputs(script, out) >= 0 && fclose(out) == 0)
		return;
	snprintf(e->note, sizeof(e->note), "%.400s: cannot be written",
		 f->path);
	f->path[0] = '\0';
}

/* For the rest of the process; "" where there is no memory. */
static const char *kept(const char *text)
{
	char *copy = strdup(text ? text : "");

	return copy ? copy : "";
}

static const char *kept_f(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));
static const char *kept_f(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	int n = vasprintf(&text, fmt, ap);
	va_end(ap);
	return n < 0 ? "" : text;
}

static void keep_broken(struct result *to, const struct result *from)
{
	size_t n = from->broken_count;
	struct result_broken *b = calloc(n ? n : 1, sizeof(*b));
	const char **ids = calloc(n ? n : 1, sizeof(*ids));

	to->broken_count = to->requirement_count = b && ids ? n : 0;
	to->broken = b;
	to->requirements = ids;
	for (size_t i = 0; i < to->broken_count; i++) {
		b[i] = from->broken[i];
		b[i].requirement = kept(b[i].requirement);
		b[i].level = kept(b[i].level);
		b[i].section = kept(b[i].section);
		b[i].statement = kept(b[i].statement);
		b[i].text = kept(b[i].text);
		b[i].known = "";
		ids[i] = b[i].requirement;
	}
}

/* A copy of the result, with the program in front of what was seen. */
static void keep(struct finding *f, const struct result *r, const char *script,
		 const char *how)
{
	unsigned n = program_operations(f->program);

	f->result = *r;
	f->result.id = kept_f("explore/%.*s", (int)first_of(f->signature),
			      f->signature);
	f->result.title =
		kept_f("a program of %u operation%s", n, n == 1 ? "" : "s");
	f->result.detail = kept_f(
		"%s%s%s%s%s%s", how, script,
		f->path[0] ? "# again: warpspec explore --replay " : "",
		f->path, f->path[0] && r->detail[0] ? "\n" : "", r->detail);
	f->result.level = kept(r->level);
	f->result.role = kept(r->role);
	f->result.signature = kept(r->signature);
	f->result.consequences = kept(r->consequences);
	f->result.reading = kept(r->reading);
	f->result.reason = kept(r->reason);
	f->result.capture = NULL;
	keep_broken(&f->result, r);
}

static bool is_known(const struct exploration *e, const char *signature)
{
	for (unsigned i = 0; i < e->findings; i++)
		if (has_requirement(signature, e->finding[i].signature))
			return true;
	return false;
}

static void conclude(struct exploration *e, struct finding *f,
		     const struct result *r, const char *how)
{
	char *script = script_of(f->program), line[256];

	if (!script)
		return;
	save_program(e, f, script);
	keep(f, r, script, how);
	snprintf(line, sizeof(line), "found: %.*s, by %s%s%.120s",
		 (int)first_of(f->signature), f->signature, f->result.title,
		 f->path[0] ? ": " : "", f->path);
	says(e, line);
	e->findings++;
	free(script);
}

/*
 * Its shortest form in its place, and what came of that with a bed that waits
 * as long as any: shrunk with waits that are but short, and where that has led
 * astray, with longer ones. False: it is as it was.
 */
static bool shrinks(struct exploration *e, struct showing *s, struct program *p,
		    struct result *result, struct outcome *last)
{
	static struct program was;

	memcpy(&was, p, sizeof(was));
	for (unsigned patient = 0; patient < 2; patient++) {
		memcpy(p, &was, sizeof(*p));
		e->bed.brief = !patient;
		shrink(p, shows, s, SHRINK_MOST);
		e->bed.brief = false;
		for (unsigned k = 0; k < CONFIRM; k++) {
			*last = perform(e, p, result);
			if (last->verdict == VERDICT_FAIL)
				return true;
		}
	}
	memcpy(p, &was, sizeof(*p));
	return false;
}

/* All that is known of it. */
static struct result seen_by_hand(const struct outcome *o)
{
	return (struct result){.title = "",
			       .verdict = VERDICT_FAIL,
			       .level = "MUST",
			       .role = "",
			       .signature = o->signature,
			       .consequences = "",
			       .detail = o->detail,
			       .reason = ""};
}

/* A program has failed: what is the shortest that does? */
static void look_at(struct exploration *e, const struct outcome *seen)
{
	struct finding *f = &e->finding[e->findings];
	struct showing s = {.e = e};
	struct result result;
	struct outcome last;

	if (e->findings == FINDINGS_MOST || is_known(e, seen->signature))
		return;
	*f = (struct finding){.number = seen->number};
	memcpy(f->signature, seen->signature, sizeof(f->signature));
	f->program = malloc(sizeof(*f->program));
	if (!f->program) {
		note(e, "out of memory");
		return;
	}
	s.signature = f->signature;
	generate(&e->how, seen->number, f->program);
	if (!is_confirmed(&s, f->program)) {
		/* What has not come once, for so short a wait, says nothing. */
		if (seen->unseen || ended_by || e->device_gone ||
		    seen->late_ns >= e->bed.wait_ns / LATE_PART) {
			e->again++;
			free(f->program);
			return;
		}
		result = seen_by_hand(seen);
		conclude(e, f, &result,
			 "# seen once, and not when it was performed again: "
			 "by chance, or by what other streams did\n");
		return;
	}
	if (!shrinks(e, &s, f->program, &result, &last)) {
		result = seen_by_hand(&s.last);
		conclude(e, f, &result,
			 "# it fails as it stands, and none that is shorter "
			 "does so each time\n");
		return;
	}
	if (last.verdict == VERDICT_FAIL && last.signature[0])
		memcpy(f->signature, last.signature, sizeof(f->signature));
	result.verdict = VERDICT_FAIL;
	avoid(e, f->program);
	conclude(e, f, &result, "");
}

/* --- rounds ------------------------------------------------------------------------------ */

static bool is_over(const struct exploration *e)
{
	const struct explore_options *o = e->o;

	return ended_by || e->device_gone || e->suite_failed || e->at_an_end ||
	       (o->operations && e->operations >= o->operations) ||
	       (o->findings && e->findings >= o->findings) ||
	       (o->run->fail_fast && e->findings);
}

static void take_in(struct exploration *e, const struct outcome *out,
		    unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		e->programs++;
		e->operations += out[i].operations;
		if (out[i].verdict == VERDICT_SKIP && !e->skipped++)
			memcpy(e->first_skip, out[i].reason,
			       sizeof(e->first_skip));
	}
	for (unsigned i = 0; i < n && !is_over(e); i++) {
		if (out[i].verdict == VERDICT_FAIL)
			look_at(e, &out[i]);
		if (out[i].device_gone) {
			e->device_gone = true;
			note(e, out[i].reason);
		} else if (out[i].verdict == VERDICT_ERROR) {
			e->suite_failed = true;
			note(e, out[i].reason);
		}
	}
}

/* As many programs as are left to be done of so many operations. */
static unsigned round_of(const struct exploration *e, unsigned programs)
{
	uint64_t left = e->o->operations > e->operations
				? e->o->operations - e->operations
				: 0;
	uint64_t due = left / e->how.steps + 1;

	return e->o->operations && due < programs ? (unsigned)due : programs;
}

static void walk(struct exploration *e)
{
	static struct outcome out[ROUND_MOST];
	unsigned programs = ROUND_FIRST, done;

	e->began = clock_now_ns();
	while (!is_over(e)) {
		unsigned n = round_of(e, programs);

		if (!crew_perform(&e->how, e->programs, n, out, &done) &&
		    !ended_by) {
			e->suite_failed = true;
			note(e, "a process of the suite has died");
		}
		take_in(e, out, done);
		/* None can be performed, nor will any other be. */
		e->at_an_end |=
			e->programs == e->skipped && e->programs >= ROUND_FIRST;
		tell_progress(e, false);
		if (programs < ROUND_MOST)
			programs *= 2;
	}
	tell_progress(e, true);
}

static void replay(struct exploration *e, struct program *p)
{
	struct finding *f = &e->finding[0];
	struct result result;
	struct outcome out = perform(e, p, &result);

	e->programs = 1;
	e->operations = out.operations;
	e->device_gone = out.device_gone;
	if (out.verdict == VERDICT_PASS || out.verdict == VERDICT_INFO)
		return;
	if (out.verdict == VERDICT_ERROR || out.verdict == VERDICT_SKIP) {
		e->suite_failed = !out.device_gone;
		note(e, out.reason);
		return;
	}
	*f = (struct finding){.program = p};
	memcpy(f->signature, out.signature, sizeof(f->signature));
	char *script = script_of(p);

	if (script) {
		keep(f, &result, script, "");
		e->findings = 1;
	}
	free(script);
}

/* --- as a case ------------------------------------------------------------ */

static void take_due(void *user, unsigned region, const uint8_t *octets,
		     size_t n, unsigned short req)
{
	struct as_case_due *due = user;

	due->req[region] = req;
	due->octets[region] = octets ? malloc(n) : NULL;
	if (due->octets[region])
		memcpy(due->octets[region], octets, n);
}

static unsigned short requirement_named(const char *id, size_t n)
{
	for (unsigned short i = 0; i < REQ_COUNT; i++)
		if (strlen(req_table[i].id) == n &&
		    strncmp(req_table[i].id, id, n) == 0)
			return i;
	return RDMAP_7_01.index;
}

/* What is due the model knows, as the program goes on this device. */
static void write_case(struct exploration *e, const struct program *p)
{
	struct as_case_due due = {.broken = RDMAP_7_01.index};
	struct performance performance = {
		.program = p, .due = take_due, .user = &due};
	struct result result;
	struct outcome out = crew_perform_one(&e->bed, &performance, &result);

	e->programs = 1;
	e->operations = out.operations;
	e->device_gone = out.device_gone;
	e->suite_failed =
		out.verdict == VERDICT_ERROR || out.verdict == VERDICT_SKIP;
	if (e->suite_failed) {
		note(e, out.reason);
		return;
	}
	if (out.signature[0])
		due.broken = requirement_named(out.signature,
					       first_of(out.signature));
	if (!as_case_write(p, &due, stdout) || fflush(stdout) != 0) {
		e->suite_failed = true;
		note(e, "standard output failed");
	}
	for (unsigned i = 0; i < PROGRAM_REGIONS; i++)
		free(due.octets[i]);
}

/* --- before and after ----------------------------------------------------------------------- */

static bool parse_weights(struct generate_options *how, const char *text,
			  char *why, size_t cap)
{
	char copy[512], *rest = copy, *pair;

	snprintf(copy, sizeof(copy), "%s", text);
	while ((pair = strtok_r(rest, ",", &rest))) {
		char *value = strchr(pair, '='), *end;
		unsigned op = 0;

		if (value)
			*value++ = '\0';
		while (op < STEP_OPS &&
		       strcmp(step_op_name((enum step_op)op), pair) != 0)
			op++;
		unsigned long n = value ? strtoul(value, &end, 10) : 0;

		if (op == STEP_OPS || !value || !*value || *end || n > 1000) {
			snprintf(why, cap,
				 "--weights %.60s: expected OPERATION=N with N "
				 "up to 1000; operations are the words of a "
				 "program, as peer-sends or device-reads",
				 pair);
			return false;
		}
		how->weight[op] = (unsigned)n;
	}
	return true;
}

/* NAME=LOW..HIGH, or NAME=VALUE. */
static bool parse_dimension(struct generate_options *how, const char *text,
			    char *why, size_t cap)
{
	char name[64], *end = NULL;
	const char *value = strchr(text, '=');
	enum dimension d;

	snprintf(name, sizeof(name), "%.*s",
		 (int)(value ? value - text : (long)strlen(text)), text);
	if (!dimension_named(name, &d)) {
		snprintf(why, cap,
			 "--dimension %.60s: no such dimension; 'warpspec run "
			 "--verbose' lists them",
			 name);
		return false;
	}
	if (value && value[1] >= '0' && value[1] <= '9') {
		how->low[d] = how->high[d] = strtoull(value + 1, &end, 0);
		if (strncmp(end, "..", 2) == 0 && end[2] >= '0' &&
		    end[2] <= '9')
			how->high[d] = strtoull(end + 2, &end, 0);
	}
	if (end && !*end && how->low[d] <= how->high[d])
		return true;
	snprintf(why, cap, "--dimension %.60s: expected NAME=LOW..HIGH", text);
	return false;
}

static bool parse_how(struct exploration *e, char *why, size_t cap)
{
	const struct explore_options *o = e->o;

	generate_defaults(&e->how);
	e->how.seed = o->run->seed;
	if (o->steps)
		e->how.steps = o->steps;
	if (o->streams)
		e->how.streams = o->streams;
	for (size_t i = 0; i < o->dimension_count; i++)
		if (!parse_dimension(&e->how, o->dimensions[i], why, cap))
			return false;
	return !o->weights || parse_weights(&e->how, o->weights, why, cap);
}

static void see_device(struct exploration *e)
{
	const struct agent_hello *h = &e->bed.hello;

	e->how.device = (struct explore_device){
		.claims = e->bed.claims,
		.max_ird = h->max_ird,
		.max_ord = h->max_ord,
		.max_private = h->max_private,
		.max_regions = h->max_regions,
		.max_recvs = h->max_recvs,
		.max_posts = h->max_posts,
		.max_region_len = h->max_region_len,
		.max_message = h->max_message,
		.spec = e->bed.spec,
	};
}

static bool meet(struct exploration *e, char *why, size_t cap)
{
	struct testbed *bed = &e->bed;

	if (!testbed_reach_agent(bed, why, cap) ||
	    !preflight_check_agent(bed, why, cap) ||
	    !preflight_calibrate(bed, e->o->run->timeout_scale, why, cap))
		return false;
	habit_probe(bed, ~0ull);
	reading_probe(bed, ~0ull);
	see_device(e);
	return true;
}

static int status_of(const struct exploration *e, const struct run_result *out)
{
	if (e->device_gone)
		return 3;
	if (e->suite_failed)
		return 4;
	if (out->totals[VERDICT_FAIL])
		return 1;
	/* Time that is over is an end as good as any. */
	if ((ended_by && ended_by != SIGALRM) || !e->operations)
		return 5;
	return 0;
}

/* What passed is one result, whatever came of the rest. */
static void comes_to(struct exploration *e, struct run_result *out)
{
	static struct result results[FINDINGS_MOST + 1];
	static char title[128], reason[512];
	size_t n = 0;

	snprintf(title, sizeof(title),
		 "%" PRIu64 " programs of %" PRIu64 " operations", e->programs,
		 e->operations);
	if (e->programs == e->skipped)
		snprintf(reason, sizeof(reason), "%s", e->first_skip);
	results[n++] = (struct result){
		.id = "explore/programs",
		.title = title,
		.verdict = e->suite_failed || e->device_gone ? VERDICT_ERROR
			   : e->programs == e->skipped       ? VERDICT_SKIP
							     : VERDICT_PASS,
		.level = "",
		.role = "",
		.signature = "",
		.detail = "",
		.reason = e->suite_failed || e->device_gone ? e->note : reason,
		.duration_ns = clock_now_ns() - e->began,
	};
	for (unsigned i = 0; i < e->findings; i++)
		results[n++] = e->finding[i].result;
	for (size_t i = 0; i < n; i++)
		out->totals[results[i].verdict]++;
	out->results = results;
	out->count = n;
	out->planned = n;
	if (ended_by)
		note(e, ended_by == SIGALRM ? "" : "interrupted");
	out->note = e->note;
	out->exit_status = status_of(e, out);
}

static void tell_of(struct exploration *e, struct run_result *out)
{
	const struct run_options *o = e->o->run;
	static char agent[192], impl[192];

	snprintf(agent, sizeof(agent), "%s", e->bed.hello.agent);
	snprintf(impl, sizeof(impl), "%s", e->bed.hello.impl);
	*out = (struct run_result){
		.suite_name = "warpspec",
		.suite_version = WARPSPEC_VERSION,
		.device_name = o->device->name,
		.device_agent = agent,
		.device_impl = impl,
		.link = e->bed.link->name,
		.link_note = "",
		.journal = "",
		.spec = o->spec,
		.seed = o->seed,
		.jobs = o->jobs,
		.again = "", /* a finding's program says how */
		.host_name = "",
		.host_release = "",
		.host_machine = "",
	};
	provenance_tell(o->device, out);
}

static struct program *read_script(const char *path, char *why, size_t cap)
{
	const struct text_bounds bounds = {SCRIPT_MOST, 1024};
	size_t n;
	char *text = text_file_read(path, &bounds, &n, NULL, why, cap);
	struct program *p = text ? malloc(sizeof(*p)) : NULL;

	if (p && !program_read(p, path, text, n, why, cap)) {
		free(p);
		p = NULL;
	}
	free(text);
	return p;
}

bool explore(const struct explore_options *o, struct run_result *out, char *why,
	     size_t cap)
{
	static struct exploration e;
	static struct dimensions_met met;
	const struct run_options *run = o->run;
	struct program *script = NULL;
	struct timespec started;
	uint64_t start = clock_now_ns();

	e = (struct exploration){.o = o};
	if (!parse_how(&e, why, cap) ||
	    (o->replay && !(script = read_script(o->replay, why, cap))) ||
	    (o->as_case && !(script = read_script(o->as_case, why, cap))) ||
	    !testbed_open(&e.bed, run->device, links_take(), run->profile,
			  run->timeout_scale, why, cap))
		return false;
	e.bed.segmentation = run->segmentation;
	e.bed.peer = run->peer;
	e.bed.exploring = true;
	e.progress = !run->quiet && isatty(STDERR_FILENO);
	e.began = start;
	catch_signals(run->max_time_ns);
	clock_gettime(CLOCK_REALTIME, &started);
	bool there = meet(&e, e.note, sizeof(e.note));

	e.device_gone = !there;
	if (there && o->as_case) {
		write_case(&e, script);
	} else if (there && script) {
		replay(&e, script);
	} else if (there) {
		const struct crew_options crew = {.run = run,
						  .readings = e.bed.readings,
						  .habits = e.bed.habits,
						  .wait_ns = e.bed.wait_ns};

		if (crew_open(&crew, run->jobs))
			walk(&e);
		else
			e.suite_failed = true;
		crew_met(&met);
		crew_close();
	}
	tell_of(&e, out);
	if (there && !script) {
		const struct dimension_limits limits = testbed_limits(&e.bed);

		met_tell(&met, &limits, out);
	}
	out->started = started;
	clock_gettime(CLOCK_REALTIME, &out->finished);
	out->duration_ns = clock_now_ns() - start;
	comes_to(&e, out);
	testbed_close(&e.bed);
	return true;
}
