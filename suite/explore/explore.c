/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/explore/exploration.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "harness/link/clock.h"
#include "harness/text/memstream.h"
#include "harness/text/text_file.h"
#include "suite/device/links.h"
#include "suite/explore/as_case.h"
#include "suite/explore/perform/perform.h"
#include "suite/run/probe/habit_probe.h"
#include "suite/run/runner/met.h"
#include "suite/run/probe/preflight.h"
#include "suite/run/runner/provenance.h"
#include "suite/run/probe/reading_probe.h"

enum {
	ROUND_FIRST = 16, /* programs; each round has twice as many */
	ROUND_LOOK = 32,  /* the device is checked after each */
	IDLE_MOST = 256,  /* programs in which nothing can be done */
	SCRIPT_MOST = 1 << 20,
};

static void on_signal(int sig)
{
	explore_ended = sig;
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

/* --- rounds ------------------------------------------------------------------------------ */

/* Nothing more can be learned, whatever is left to do. */
static bool has_ended(const struct exploration *e)
{
	const struct explore_options *o = e->o;

	return explore_ended || e->device_gone || e->suite_failed ||
	       e->at_an_end || e->findings == FINDINGS_MOST ||
	       (o->findings && e->news >= o->findings) ||
	       (o->run->fail_fast && e->news);
}

static bool is_over(const struct exploration *e)
{
	return has_ended(e) ||
	       (e->o->operations && e->operations >= e->o->operations);
}

static void take_in(struct exploration *e, const struct outcome *out,
		    unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		/* A program that was interrupted is performed again on
		 * resume. */
		if (out[i].verdict == VERDICT_FAIL &&
		    !finding_look_at(e, &out[i]))
			return;
		e->programs++;
		e->operations += out[i].operations;
		e->idle = out[i].operations ? 0 : e->idle + 1;
		if (out[i].verdict == VERDICT_SKIP && !e->skipped++)
			memcpy(e->first_skip, out[i].reason,
			       sizeof(e->first_skip));
		if (out[i].refused) {
			finding_refused(e, &out[i]);
		} else if (out[i].verdict == VERDICT_ERROR) {
			e->suite_failed = true;
			finding_unjudged(e, &out[i]);
		}
		/* The program is counted: on resume it would otherwise be made
		 * differently. */
		if (out[i].verdict == VERDICT_FAIL || out[i].refused)
			resume_save(e, true);
	}
}

/* As many programs as are left of so many operations; and if a crash of the
 * device is not reported, no more than can be distinguished. */
static unsigned round_of(const struct exploration *e, unsigned programs)
{
	const struct run_options *run = e->o->run;
	uint64_t left = e->o->operations > e->operations
				? e->o->operations - e->operations
				: 0;
	uint64_t due = left / e->how.steps + 1;
	unsigned look = health_can_reset(run->hooks) ? ROUND_LOOK : run->jobs;

	if (run->hooks && run->hooks->health && !run->builtin &&
	    programs > look)
		programs = look;
	return e->o->operations && due < programs ? (unsigned)due : programs;
}

/* Those before the first that the device was not there for. */
static unsigned seen_through(const struct outcome *out, unsigned done)
{
	unsigned n = 0;

	while (n < done && !out[n].device_gone)
		n++;
	return n;
}

static void walk(struct exploration *e)
{
	static struct outcome out[ROUND_MOST];
	static struct hook_result seen;
	unsigned programs = ROUND_FIRST, done, begun;

	e->began = clock_now_ns();
	while (!is_over(e)) {
		unsigned n = round_of(e, programs);
		uint64_t from = e->programs;

		if (!crew_perform(&e->how, from, n, out, &done, &begun) &&
		    !explore_ended) {
			e->suite_failed = true;
			char note[128];

			snprintf(note, sizeof(note),
				 "a process of the suite has died%s%s",
				 errno ? ": " : "",
				 errno ? strerror(errno) : "");
			explore_note(e, note);
		}
		bool well = survival_so_far(e, &seen);
		unsigned sound = seen_through(out, done);

		if (well && sound == done)
			take_in(e, out, done);
		else if (!explore_ended)
			review_round(e, out, sound, begun, well ? NULL : &seen);
		resume_save(e, false);
		/* No program can be performed, now or later. */
		e->at_an_end |= e->idle >= IDLE_MOST;
		explore_progress(e, false);
		if (programs < ROUND_MOST)
			programs *= 2;
	}
	resume_save(e, true);
	explore_progress(e, true);
}

static void replay(struct exploration *e, struct program *p)
{
	static struct hook_result seen;
	struct result result;
	struct outcome out;

	e->programs = e->operations = 1;
	/* A device that goes down may do so a moment later. */
	for (unsigned i = 0; i < SURVIVAL_TRIES; i++) {
		if (survival_fails(e, p, 1, &result, &out, &seen)) {
			finding_replayed_crash(e, p, &seen);
			return;
		}
		if (out.verdict == VERDICT_FAIL || explore_ended)
			break;
	}
	if (out.operations)
		e->operations = out.operations;
	e->device_gone = out.device_gone;
	if (out.verdict == VERDICT_FAIL || out.verdict == VERDICT_WARN) {
		result.id = "";
		finding_replayed(e, p, &result);
	} else if (out.verdict != VERDICT_PASS && out.verdict != VERDICT_INFO) {
		e->suite_failed = !out.device_gone;
		e->device_gone |= out.refused;
		explore_note(e, out.reason);
	}
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

/* The model determines what is due, as the program runs on this device. */
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
		explore_note(e, out.reason);
		return;
	}
	if (out.signature[0])
		due.broken = requirement_named(out.signature,
					       finding_first(out.signature));
	if (!as_case_write(p, &due, stdout) || fflush(stdout) != 0) {
		e->suite_failed = true;
		char why[128];

		snprintf(why, sizeof(why), "standard output failed: %s",
			 strerror(errno));
		explore_note(e, why);
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

/* The steps that programs have to avoid because of known deviations. */
static bool avoid_known(struct exploration *e, char *why, size_t cap)
{
	const struct run_options *o = e->o->run;
	const char *text;
	char said[256];

	for (size_t i = 0;
	     o->deviations &&
	     (text = deviations_avoid(o->deviations, i, time(NULL)));
	     i++) {
		if (e->how.avoids == AVOIDED_MOST)
			snprintf(said, sizeof(said), "at most %u of them",
				 AVOIDED_MOST);
		else if (avoided_read(text, &e->how.avoided[e->how.avoids],
				      said, sizeof(said))) {
			e->how.avoids++;
			continue;
		}
		snprintf(why, cap, "%.200s: avoid = %s: %s", o->deviations_path,
			 text, said);
		return false;
	}
	return true;
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
	return (!o->weights || parse_weights(&e->how, o->weights, why, cap)) &&
	       avoid_known(e, why, cap);
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

	if (!survival_at_first(e, why, cap) ||
	    !testbed_reach_agent(bed, why, cap) ||
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
	if (e->device_gone || e->refused)
		return 3;
	if (e->suite_failed)
		return 4;
	if (out->totals[VERDICT_FAIL] || out->stale_count || out->finding_count)
		return 1;
	/* Time that is over is an end as good as any. */
	if ((explore_ended && explore_ended != SIGALRM) || !e->operations)
		return 5;
	return 0;
}

/* Report only the errors in the file of known deviations that do not depend on
 * the device: it is unknown which programs would have met an entry. */
static void know_file(struct exploration *e, struct run_result *out)
{
	const struct run_options *o = e->o->run;
	char why[512];

	if (!o->deviations)
		return;
	out->stale_count = deviations_apply(o->deviations, NULL, 0, time(NULL),
					    &out->stale);
	if (!out->stale_count)
		return;
	snprintf(why, sizeof(why), "%s: stale deviation of %s: %s",
		 o->deviations_path, out->stale[0].entry, out->stale[0].text);
	explore_note(e, why);
}

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct result *)a)->id,
		      ((const struct result *)b)->id);
}

/* The passed programs are one result, whatever the result of the others. */
static void comes_to(struct exploration *e, struct run_result *out)
{
	static struct result results[FINDINGS_MOST + 1];
	static const char *unexplained[1];
	static char title[128], reason[512];
	size_t n = 0;

	snprintf(title, sizeof(title),
		 "%" PRIu64 " program%s of %" PRIu64 " operation%s",
		 e->programs, e->programs == 1 ? "" : "s", e->operations,
		 e->operations == 1 ? "" : "s");
	if (!e->operations)
		snprintf(reason, sizeof(reason), "%s", e->first_skip);
	results[n++] = (struct result){
		.id = "explore/programs",
		.title = title,
		.verdict = e->suite_failed || e->device_gone ? VERDICT_ERROR
			   : !e->operations && e->skipped    ? VERDICT_SKIP
							     : VERDICT_PASS,
		.level = "",
		.role = "",
		.signature = "",
		.detail = "",
		.reason = e->suite_failed || e->device_gone ? e->note : reason,
		.duration_ns = e->before_ns + clock_now_ns() - e->began,
	};
	for (unsigned i = 0; i < e->findings; i++)
		results[n++] = e->finding[i].result;
	qsort(results, n, sizeof(*results), by_id);
	for (size_t i = 0; i < n; i++)
		out->totals[results[i].verdict]++;
	out->results = results;
	out->count = n;
	out->planned = n;
	out->from_journal = e->taken;
	if (e->taken)
		out->journal = e->o->run->resume[0];
	unexplained[0] = e->unexplained_text;
	out->findings = unexplained;
	out->finding_count = e->unexplained > 0;
	know_file(e, out);
	if (explore_ended)
		explore_note(e, explore_ended == SIGALRM ? "" : "interrupted");
	/* A missing part may be a finding. */
	if (text_lost()) {
		e->suite_failed = true;
		explore_note(
			e, "out of memory: a part of the findings is missing");
	}
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

/* The bed, and how far it is. False: one line in why. */
static bool begin(struct exploration *e, char *why, size_t cap)
{
	const struct run_options *run = e->o->run;

	if (!testbed_open(&e->bed, run->device, links_take(), run->profile,
			  run->timeout_scale, why, cap))
		return false;
	if (e->bed.link->caps & LINK_CAP_MESSAGES) {
		snprintf(why, cap,
			 "explore works over TCP only: use --link socket or "
			 "raw");
		return false;
	}
	e->bed.segmentation = run->segmentation;
	e->bed.peer = run->peer;
	e->bed.exploring = true;
	if (run->evidence != EVIDENCE_OF_NONE)
		testbed_trace(&e->bed);
	e->progress = !run->quiet && isatty(STDERR_FILENO);
	return resume_open(e, why, cap);
}

/* Before anything was done. */
static bool gives_up(struct exploration *e)
{
	resume_close(e);
	testbed_close(&e->bed);
	return false;
}

static void no_crew(struct exploration *e)
{
	char note[128];

	e->suite_failed = true;
	snprintf(note, sizeof(note), "no worker could be started: %s",
		 strerror(errno));
	explore_note(e, note);
}

/* With a crew. */
static void go_through(struct exploration *e, struct dimensions_met *met)
{
	const struct crew_options crew = {.run = e->o->run,
					  .readings = e->bed.readings,
					  .habits = e->bed.habits,
					  .wait_ns = e->bed.wait_ns};

	if (crew_open(&crew, e->o->run->jobs))
		walk(e);
	else
		no_crew(e);
	*met = e->met;
	crew_met(met);
	crew_close();
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
	    (o->as_case && !(script = read_script(o->as_case, why, cap))))
		return false;
	if (!begin(&e, why, cap))
		return gives_up(&e);
	e.began = start;
	catch_signals(run->max_time_ns);
	clock_gettime(CLOCK_REALTIME, &started);
	bool there = meet(&e, e.note, sizeof(e.note));

	e.device_gone = !there;
	if (there && !resume_begin(&e, why, cap))
		return gives_up(&e);
	if (there && o->as_case)
		write_case(&e, script);
	else if (there && script)
		replay(&e, script);
	else if (there)
		go_through(&e, &met);
	tell_of(&e, out);
	if (there && !script) {
		const struct dimension_limits limits = testbed_limits(&e.bed);

		met_tell(&met, &limits, out);
	}
	out->started = started;
	clock_gettime(CLOCK_REALTIME, &out->finished);
	out->duration_ns = clock_now_ns() - start;
	comes_to(&e, out);
	resume_close(&e);
	testbed_close(&e.bed);
	return true;
}
