/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/plan/runner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "harness/link/clock.h"
#include "harness/text/memstream.h"
#include "suite/catalogue/catalogue.h"
#include "suite/device/confined.h"
#include "suite/device/links.h"
#include "suite/run/probe/habit_probe.h"
#include "suite/run/runner/provenance.h"
#include "suite/run/plan/rerun.h"
#include "suite/run/probe/preflight.h"
#include "suite/run/probe/reading_probe.h"
#include "suite/run/probe/target_probe.h"
#include "suite/run/run.h"

/* for an exchange that takes other devices one ms */
#define SLOW_NS     250000000u
#define TOO_SLOW_NS 1000000000u /* for probes, one by one */

static void on_signal(int sig)
{
	run_signalled = sig;
}

bool runner_profile(const char *name, enum model_profile *p)
{
	static const char *const names[] = {
		[MODEL_RFC7306] = "rfc7306",
		[MODEL_DRAFT_10] = "draft-10",
		[MODEL_DRAFT_03] = "draft-03",
		[MODEL_DRAFT_01] = "draft-01",
	};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0) {
			*p = (enum model_profile)i;
			return true;
		}
	return false;
}

/* --- before and after ------------------------------------------------------- */

/* A signal that was ignored at the start, by nohup, stays ignored. */
static void catch_signals(void)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction on = {.sa_handler = on_signal}, was;
	sigset_t awaited;

	/* A mask is inherited: blocking SIGALRM would disable --max-time. */
	sigemptyset(&awaited);
	sigaddset(&awaited, SIGALRM);
	sigaddset(&awaited, SIGCHLD);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		sigaddset(&awaited, ends[i]);
	sigprocmask(SIG_UNBLOCK, &awaited, NULL);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (ends[i] != SIGHUP || (sigaction(SIGHUP, NULL, &was) == 0 &&
					  was.sa_handler != SIG_IGN))
			sigaction(ends[i], &on, NULL);
	signal(SIGPIPE, SIG_IGN);
	/* Report a file that may not grow like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
}

static bool make_folder(const char *path, char *why, size_t cap)
{
	char part[1024];
	struct stat st;
	size_t n = strlen(path);

	if (n >= sizeof(part)) {
		snprintf(why, cap, "%.40s...: the path is too long", path);
		return false;
	}
	for (size_t i = 1; i <= n; i++) {
		if (path[i] != '/' && path[i] != '\0')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		if (mkdir(part, 0777) < 0 && errno != EEXIST) {
			snprintf(why, cap, "captures %s: %s", part,
				 strerror(errno));
			return false;
		}
	}
	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode) ||
	    access(path, W_OK) < 0) {
		snprintf(why, cap, "captures %s: not a folder one can write to",
			 path);
		return false;
	}
	return true;
}

static bool prepare(struct run *run, char *why, size_t cap)
{
	const struct run_options *o = run->o;
	const struct registry *reg = registry();

	char untold[512] = "";

	if (o->rerun && !rerun_fits(o, untold, sizeof(untold), why, cap))
		return false;
	if (*untold)
		run_says(run, "%s", untold);
	if (!plan_select(&run->plan, o, why, cap))
		return false;
	if (o->captures && !make_folder(o->captures, why, cap))
		return false;
	run->records = calloc(reg->count, sizeof(*run->records));
	run->done = calloc(reg->count, sizeof(*run->done));
	run->attribution.tries = calloc(reg->count, 1);
	run->captured = calloc(reg->count, sizeof(*run->captured));
	if (!run->captured || !run->records || !run->done ||
	    !run->attribution.tries || !trial_open(run) || !retry_open(run)) {
		snprintf(why, cap, "out of memory");
		return false;
	}
	host_open(run);
	run->progress = !o->quiet && isatty(STDERR_FILENO);
	return true;
}

/* Settle the cases that will not run; the run's note says why. */
static void leave_out_the_rest(struct run *run)
{
	const char *late = host_gave_up(run);

	for (size_t i = 0; i < registry()->count; i++) {
		if (!run->plan.selected[i] || run->done[i])
			continue;
		run_settle(run, i, VERDICT_ERROR,
			   late ? CAUSE_SUITE : CAUSE_DEVICE,
			   late ? late : "not run: the run ended early");
		run->records[i].result.not_run = true;
	}
}

static void give_up(struct run *run, const char *why)
{
	run_note(run, why);
	run->device_died = !host_gave_up(run);
	leave_out_the_rest(run);
}

/* True: the run ends here. */
static bool is_ended(struct run *run)
{
	if (run_signalled)
		run_note(run, run_signalled == SIGALRM
				      ? "ended: --max-time has passed"
				      : "interrupted");
	return run_signalled != 0;
}

/* The end of --max-time is a signal like any other. */
static void set_alarm(uint64_t ns)
{
	struct sigaction on = {.sa_handler = on_signal};
	struct itimerval in = {
		.it_value = {
			.tv_sec = (time_t)(ns / CLOCK_NS_PER_S),
			.tv_usec = (suseconds_t)(ns % CLOCK_NS_PER_S / 1000)}};

	sigaction(SIGALRM, &on, NULL);
	setitimer(ITIMER_REAL, &in, NULL);
}

/* Queue what has to run after all others. False: nothing. */
static bool queue_last(struct run *run)
{
	bool any = false;

	for (size_t index; retry_finds_early(run, &index); any = true)
		pool_queue_calm(run, index);
	return any || crash_queue_last(run);
}

/* Run until every case has run. */
static void work(struct run *run)
{
	while (!run_signalled && !run->ended_early) {
		pool_dispatch(run);
		if (!pool_is_busy(run) && !run->pending_count) {
			if (!run->trying && queue_last(run))
				continue;
			break;
		}
		if (!run->pending_count)
			pool_wait(run);
		crash_review(run);
		run_progress(run, false);
	}
}

/* Run the foundations first. */
static void try_foundations(struct run *run)
{
	for (unsigned f = 0; f < FOUNDATION_FLOORS; f++) {
		if (f == FLOORS_APART) {
			trial_queue_all(run);
			work(run);
		}
		trial_queue_floor(run, f);
		work(run);
		trial_queue_again(run, f);
		work(run);
		trial_settle(run, f);
	}
	trial_close(run);
}

static void execute(struct run *run)
{
	run->began = clock_now_ns();
	pool_open(run);
	try_foundations(run);
	work(run);
	trial_show_blockers(run);
	run_progress(run, true);
	pool_close(run);
	host_close(run);
	if (run->ended_early)
		leave_out_the_rest(run);
}

/*
 * Find the readings of this device. All cases of a run are judged under the
 * same readings: a resumed case that was judged under others runs again.
 */
static void find_readings(struct run *run)
{
	const struct readings *r = &run->bed->readings;
	uint64_t needs = 0;

	for (size_t i = 0; i < run->plan.count; i++)
		needs |= registry()->instances[run->plan.order[i]].needs;
	if (!run->plan.count)
		return;
	host_probes(run, habit_probe, needs);
	if (run->bed->exchange_ns < TOO_SLOW_NS)
		host_probes(run, reading_probe, needs);
	else
		run_says(run, "the device is too slow to probe how it encodes "
			      "its fields; they are read as in the RFCs");
	crash_after_probes(run);
	if (run->bed->habits.opens_plain || run->bed->habits.opens_enhanced)
		run_says(run, "the device opens streams with a zero-length "
			      "message without posted work");
	if (run->bed->habits.short_ulpdus)
		run_says(run, "the device cuts messages into ULPDUs of fewer "
			      "than 128 octets");
	readings_names(r, run->in_force, sizeof(run->in_force));
	for (unsigned g = 0; g < READING_GROUPS; g++)
		if (r->of[g])
			run_says(run, "the device %s; reading %s",
				 r->of[g]->note, r->of[g]->name);
	for (size_t i = 0; i < registry()->count; i++)
		if (run->done[i] &&
		    strcmp(run->records[i].in_force, run->in_force) != 0)
			run_forget(run, i);
}

static bool see_agent(struct run *run, char *why, size_t cap)
{
	if (testbed_reach_agent(run->bed, why, cap))
		return device_is_alone(run->o->device) ||
		       preflight_check_agent(run->bed, why, cap);
	size_t n = strlen(why);

	if (!run->bed->hello.impl[0])
		snprintf(why + n, cap - n,
			 "; start the agent, then try 'warpspec check-agent'");
	return false;
}

/* A production service may be behind the port: what the run will do to it. */
static void warn_target(const struct run *run)
{
	const struct device *d = run->o->device;

	if (!device_is_alone(d))
		return;
	if (d->connect[0])
		run_says(run,
			 "without an agent, as initiator: for each case this "
			 "is run by /bin/sh, and ended with it: %s",
			 d->connect);
	if (!d->target[0])
		return;
	run_says(
		run,
		"%s, without an agent: connections are opened to %s port %u%s, "
		"and right and wrong frames sent; nothing destructive is run, "
		"and %s",
		d->name, d->target, d->target_port,
		d->connections ? ", no more at once than --max-connections"
			       : "",
		d->buffer.where
			? "no memory is written to but the buffer that "
			  "--buffer names"
			: "no memory that its ULP has offered is written to");
}

static bool see_target(struct run *run, char *why, size_t cap)
{
	static struct target_seen seen;

	if (!device_is_alone(run->o->device))
		return true;
	if (!target_probe(run->bed, run->o->timeout_scale, &seen, why, cap))
		return false;
	for (size_t i = 0; i < seen.lines; i++)
		run_says(run, "%s", seen.line[i]);
	return true;
}

static bool meet(struct run *run, char *why, size_t cap)
{
	return see_agent(run, why, cap) && see_target(run, why, cap) &&
	       (preflight_calibrate(run->bed, run->o->timeout_scale, why,
				    cap) ||
		run->o->force);
}

/* A slow device is waited for, and reported as slow. */
static void tell_pace(struct run *run)
{
	const char *link = links_note();
	double ms = (double)run->bed->exchange_ns / CLOCK_NS_PER_MS;

	run->slow = run->bed->exchange_ns >= SLOW_NS;
	if (!run->slow)
		return;
	snprintf(run->link_note, sizeof(run->link_note),
		 "%.300s%sthe device is slow: a plain exchange takes %.0f ms",
		 link, *link ? "; " : "", ms);
	run_says(run, "the device is slow: a plain exchange takes %.0f ms", ms);
}

/* Shared with the workers; NULL: no captures, or no limit. */
static struct capture_room *make_room(const struct run_options *o)
{
	struct capture_room *room;

	if (!o->captures || !o->captures_max)
		return NULL;
	room = mmap(NULL, sizeof(*room), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (room == MAP_FAILED)
		return NULL;
	room->octets = o->captures_max;
	return room;
}

static void tell_left_out(struct run *run)
{
	unsigned n = run->room ? run->room->left_out : 0;
	char why[128];

	if (!n)
		return;
	snprintf(why, sizeof(why),
		 "captures: the limit of %llu MiB is reached, %u were left out "
		 "(--captures-max)",
		 (unsigned long long)(run->o->captures_max >> 20), n);
	run_note(run, why);
}

/* False: a usage error, one line in refused; nothing has run. */
static bool on_device(struct run *run, struct journals *j, char *refused,
		      size_t cap)
{
	struct testbed *bed = run->bed;
	char why[512];

	warn_target(run);
	run_awaits(run, "the device and its agent");
	if (!host_tries(run, meet, why, sizeof(why))) {
		run_progress(run, true);
		if (!is_ended(run))
			give_up(run, why);
		return true;
	}
	if (!rerun_fits_device(run->o, bed->claims, refused, cap) ||
	    !journals_begin(run, j, refused, cap))
		return false;
	statement_and_device(run);
	tell_pace(run);
	if (bed->contradictions[0])
		run_says(run, "%s", bed->contradictions);
	plan_order(&run->plan, run->o, bed->claims, bed->link->caps);
	run_awaits(run, "probes of how the device encodes its fields");
	find_readings(run);
	run_progress(run, true);
	if (!is_ended(run) && !target_goes_on(bed, why, sizeof(why))) {
		give_up(run, why);
		return true;
	}
	if (is_ended(run))
		return true;
	for (size_t i = 0; i < registry()->count; i++)
		if (run->plan.selected[i] && run->plan.skip[i] && !run->done[i])
			run_settle(run, i, VERDICT_SKIP, CAUSE_NONE,
				   run->plan.skip[i]);
	if (!run->o->quiet) {
		plan_print(&run->plan, run->o, bed->link->name);
		if (!confined_here(run->o->device, bed->link->name, why, cap))
			fprintf(stderr,
				"warpspec: workers are not confined: %s\n",
				why);
	}
	run->room = make_room(run->o);
	run->wo = (struct worker_options){
		.device = run->o->device,
		.profile = run->o->profile,
		.timeout_scale = run->o->timeout_scale,
		.segmentation = run->o->segmentation,
		.second = run->o->second,
		.peer = run->o->peer,
		.readings = bed->readings,
		.habits = bed->habits,
		.ulp = bed->ulp,
		.hello = bed->hello,
		.ground = run->ground,
		.wait_ns = bed->wait_ns,
		.exchange_ns = bed->exchange_ns,
		.captures = run->o->captures,
		.captures_of_failures = run->o->captures_of_failures,
		.asked = run->plan.selected,
		.evidence = run->o->evidence,
		.room = run->room,
		.known = run->o->deviations,
	};
	testbed_leave_agent(bed);
	execute(run);
	if (is_ended(run))
		return true;
	if (run->stopped)
		run_note(run, "ended at the first failure");
	if (run->ended_early)
		return true;
	crash_last_look(run);
	if (!host_tries(run, see_agent, why, sizeof(why))) {
		run->device_died = !host_gave_up(run);
		run->suite_failed |= !run->device_died;
		run_note(run, why);
	}
	return true;
}

/* The list lives as long as the process. */
static const char *names_of(const char *const *paths, size_t n)
{
	struct memstream m;
	FILE *out = memstream_open(&m);

	for (size_t i = 0; out && i < n; i++)
		fprintf(out, "%s%s", i ? ", " : "", paths[i]);
	const char *all = memstream_finish(&m, NULL);

	return all ? all : "";
}

/* The results of a run live as long as the process, and so does the run. */
static struct run *new_run(const struct run_options *o)
{
	static struct run *last;
	struct run *run = calloc(1, sizeof(*run));

	if (run) {
		run->o = o;
		run->before = last;
		last = run;
	}
	return run;
}

bool runner_run(const struct run_options *o, struct run_result *out, char *why,
		size_t cap)
{
	struct run *run = new_run(o);
	static struct testbed bed;
	static char agent[192], impl[192];
	uint64_t start = clock_now_ns();
	struct journals journals;
	bool well;

	if (!run) {
		snprintf(why, cap, "out of memory");
		return false;
	}
	run->bed = &bed;
	if (!prepare(run, why, cap) ||
	    !testbed_open(&bed, o->device, links_take(), o->profile,
			  o->timeout_scale, why, cap))
		return false;
	if (segmentation_is_scripted(&o->segmentation) &&
	    !(bed.link->caps & LINK_CAP_SEGMENTS)) {
		snprintf(why, cap,
			 "--segmentation reordered and duplicated: the %s link "
			 "does not place segments; use --link raw",
			 bed.link->name);
		return false;
	}
	catch_signals();
	if (o->max_time_ns)
		set_alarm(o->max_time_ns);
	if (!journals_open(run, &journals, why, cap))
		return false;
	if (!crash_first_look(run, &well, why, cap)) {
		journals_close(&journals);
		return false;
	}
	*out = (struct run_result){
		.suite_name = "warpspec",
		.mutants = catalogue_mutants(),
		.variants = catalogue_variants(),
		.suite_version = WARPSPEC_VERSION,
		.device_name = o->device->name,
		.device_agent = agent,
		.device_impl = impl,
		.link = bed.link->name,
		.journal = names_of(o->resume, o->resumes),
		.spec = o->spec,
		.seed = o->seed,
		.shard = o->shard,
		.shards = o->shards,
		.jobs = o->jobs,
		.selectors = o->selectors,
		.selector_count = o->selector_count,
		.rerun = o->rerun ? o->rerun_path : NULL,
		.again = o->again,
		.strict = o->strict,
		.host_name = "",
		.host_release = "",
		.host_machine = "",
	};
	provenance_tell(o->device, out);
	clock_gettime(CLOCK_REALTIME, &out->started);
	statement_by_itself(run);
	if (!well) {
		give_up(run, run->note);
	} else if (!on_device(run, &journals, why, cap)) {
		journals_close(&journals);
		return false;
	}
	snprintf(agent, sizeof(agent), "%s", bed.hello.agent);
	snprintf(impl, sizeof(impl), "%s", bed.hello.impl);
	provenance_claims(&bed, out);
	clock_gettime(CLOCK_REALTIME, &out->finished);
	out->duration_ns = clock_now_ns() - start;
	out->link_note = run->slow ? run->link_note : links_note();
	journals_close(&journals);
	tell_left_out(run);
	run_comes_to(run, out);
	testbed_close(&bed);
	return true;
}
