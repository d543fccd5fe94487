/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/runner.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/link/clock.h"
#include "suite/env.h"
#include "suite/journal.h"
#include "suite/links.h"
#include "suite/plan.h"
#include "suite/record.h"
#include "suite/worker.h"

#define WORKERS_MAX RUNNER_WORKERS_MAX
#define WAITERS_MAX RUNNER_WAITERS_MAX
#define HANG_NS     30000000000ull /* a case that takes longer, hangs */
#define GONE_LIMIT  4              /* refusals in a row: the device is gone */

struct worker {
	pid_t pid; /* 0: none */
	int fd;
	long index; /* of the instance it runs, -1: idle */
	uint64_t deadline;
	bool waiter; /* takes only cases that wait */
};

struct run {
	const struct run_options *o;
	struct plan plan;
	struct worker_options wo;
	struct worker worker[WORKERS_MAX + WAITERS_MAX];
	unsigned workers;
	size_t next, next_waiting; /* into plan.order */
	struct record *records;    /* by instance */
	bool *done;
	size_t finished, failures;
	unsigned gone_in_a_row;
	size_t stale;
	bool device_died, suite_failed, stopped, ended_early;
	struct journal *journal;
	char note[512];
	uint64_t progress_ns;
	bool progress;
};

static volatile sig_atomic_t signalled;

static void on_signal(int sig)
{
	signalled = sig;
}

unsigned runner_workers(unsigned jobs)
{
	const struct registry *r = registry();
	unsigned waiting = 0;

	for (size_t i = 0; i < r->count; i++)
		waiting += r->instances[i].desc->waits;
	return jobs + (waiting < WAITERS_MAX ? waiting : WAITERS_MAX);
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

/* --- results ------------------------------------------------------------- */

static void set_note(struct run *run, const char *text)
{
	if (!run->note[0])
		snprintf(run->note, sizeof(run->note), "%s", text);
}

static void keep(struct run *run, size_t index, const struct record *r,
		 const char *line, size_t n)
{
	char why[256];

	run->records[index] = *r;
	run->done[index] = true;
	run->finished++;
	run->failures += r->result.verdict == VERDICT_FAIL ||
			 r->result.verdict == VERDICT_ERROR;
	if (r->cause == RECORD_DEVICE)
		run->device_died = true;
	if (r->cause == RECORD_SUITE)
		run->suite_failed = true;
	if (r->note && r->note[0]) {
		run->suite_failed = true;
		set_note(run, r->note);
	}
	if (run->journal && line &&
	    !journal_write(run->journal, line, n, why, sizeof(why))) {
		run->suite_failed = true;
		set_note(run, why);
		journal_close(run->journal);
		run->journal = NULL;
	}
}

/* A result that no worker made. */
static void settle(struct run *run, size_t index, enum verdict v,
		   enum record_cause cause, const char *why)
{
	static const char *const none[1];
	const struct instance *in = &registry()->instances[index];
	const char **ids = calloc(in->req_count + 1, sizeof(*ids));
	struct record r = {
		.result =
			{
				.id = in->id,
				.title = in->title,
				.verdict = v,
				.level = in->level,
				.requirements = ids ? ids : none,
				.role = in->role == INITIATOR ? "initiator"
							      : "responder",
				.signature = "",
				.detail = "",
				.reason = why,
			},
		.cause = cause,
		.note = "",
	};

	for (size_t i = 0; ids && i < in->req_count; i++)
		ids[r.result.requirement_count++] = req_table[in->reqs[i]].id;
	char *line = v == VERDICT_SKIP ? NULL : record_line(&r);

	keep(run, index, &r, line, line ? strlen(line) : 0);
	free(line);
}

static const char *format_reason(const char *fmt, int value)
{
	char *s;

	return asprintf(&s, fmt, value) < 0 ? fmt : s;
}

/* --- workers --------------------------------------------------------------- */

static void worker_main(struct run *run, int fd)
{
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned i = 0; i < run->workers; i++)
		if (run->worker[i].pid)
			close(run->worker[i].fd);
	links_forget();
	worker_serve(&run->wo, fd);
	_exit(0);
}

static bool start_worker(struct run *run, struct worker *w)
{
	int pair[2];
	pid_t parent = getpid();

	w->pid = 0;
	w->index = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return false;
	fflush(NULL);
	run->wo.link = links_take();
	pid_t pid = fork();

	if (pid == 0) {
		close(pair[0]);
		if (getppid() == parent)
			worker_main(run, pair[1]);
		_exit(0);
	}
	close(pair[1]);
	link_close_provider(run->wo.link);
	if (pid < 0) {
		close(pair[0]);
		return false;
	}
	w->pid = pid;
	w->fd = pair[0];
	return true;
}

/* Its exit status, as waitpid tells it. */
static int end_worker(struct worker *w, bool force)
{
	int status = 0;

	if (!w->pid)
		return 0;
	if (force)
		kill(w->pid, SIGKILL);
	close(w->fd);
	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	w->pid = 0;
	return status;
}

static bool waits(const struct run *run, size_t at)
{
	return registry()->instances[run->plan.order[at]].desc->waits;
}

/* The next case for this worker, or -1. Cases that wait stand first. */
static long next_case(struct run *run, const struct worker *w)
{
	size_t *at = w->waiter ? &run->next_waiting : &run->next;

	if (run->stopped)
		return -1;
	while (*at < run->plan.count) {
		size_t i = *at;

		if (w->waiter && !waits(run, i))
			return -1;
		(*at)++;
		if (!w->waiter && waits(run, i))
			continue;
		if (!run->done[run->plan.order[i]])
			return run->plan.order[i];
	}
	return -1;
}

/* False: there is nothing for it to do. */
static bool dispatch(struct run *run, struct worker *w)
{
	uint32_t index;
	long next = next_case(run, w);

	if (next < 0)
		return false;
	if (!w->pid && !start_worker(run, w)) {
		settle(run, (size_t)next, VERDICT_ERROR, RECORD_SUITE,
		       "no worker could be started");
		return true;
	}
	index = (uint32_t)next;
	w->index = next;
	w->deadline = clock_now_ns() +
		      (uint64_t)(HANG_NS * (run->o->timeout_scale > 1
						    ? run->o->timeout_scale
						    : 1));
	/* A worker that died meanwhile is seen when its answer is awaited. */
	(void)!send(w->fd, &index, sizeof(index), MSG_NOSIGNAL);
	return true;
}

static void lost_worker(struct run *run, struct worker *w, bool hung)
{
	size_t index = (size_t)w->index;
	int status = end_worker(w, hung);
	const char *why = hung ? "the case hung, and was ended"
			  : WIFSIGNALED(status)
				  ? format_reason("the case crashed: signal %d",
						  WTERMSIG(status))
				  : format_reason("the worker ended: status %d",
						  WEXITSTATUS(status));

	w->index = -1;
	settle(run, index, VERDICT_ERROR, RECORD_SUITE, why);
}

static void take_answer(struct run *run, struct worker *w)
{
	static char line[RECORD_MAX + 1];
	ssize_t n = recv(w->fd, line, sizeof(line), 0);
	struct record r;

	if (n <= 0 || !record_parse(&r, line, (size_t)n)) {
		lost_worker(run, w, n > 0);
		return;
	}
	size_t index = (size_t)w->index;

	w->index = -1;
	keep(run, index, &r, line, (size_t)n);
	run->gone_in_a_row = r.device_gone ? run->gone_in_a_row + 1 : 0;
	if (run->gone_in_a_row >= GONE_LIMIT)
		run->ended_early = true;
	if (run->o->fail_fast && (r.result.verdict == VERDICT_FAIL ||
				  r.result.verdict == VERDICT_ERROR))
		run->stopped = true;
}

static void show_progress(struct run *run, bool last)
{
	uint64_t now = clock_now_ns();

	if (!run->progress || (!last && now - run->progress_ns < 50000000u))
		return;
	run->progress_ns = now;
	if (last)
		fprintf(stderr, "\r\033[K");
	else
		fprintf(stderr, "\r%zu of %zu, %zu failed ", run->finished,
			run->plan.selected_count, run->failures);
}

static bool any_busy(const struct run *run)
{
	for (unsigned i = 0; i < run->workers; i++)
		if (run->worker[i].pid && run->worker[i].index >= 0)
			return true;
	return false;
}

static void wait_for_answers(struct run *run)
{
	struct pollfd fds[WORKERS_MAX + WAITERS_MAX];
	struct worker *of[WORKERS_MAX + WAITERS_MAX];
	uint64_t now = clock_now_ns(), first = UINT64_MAX;
	nfds_t n = 0;

	for (unsigned i = 0; i < run->workers; i++) {
		struct worker *w = &run->worker[i];

		if (!w->pid || w->index < 0)
			continue;
		fds[n] = (struct pollfd){.fd = w->fd, .events = POLLIN};
		of[n++] = w;
		if (w->deadline < first)
			first = w->deadline;
	}
	int ms = first > now ? (int)((first - now) / 1000000) + 1 : 0;

	if (poll(fds, n, ms) < 0)
		return; /* a signal: the caller looks */
	now = clock_now_ns();
	for (nfds_t i = 0; i < n; i++) {
		if (fds[i].revents)
			take_answer(run, of[i]);
		else if (now >= of[i]->deadline)
			lost_worker(run, of[i], true);
	}
}

static void execute(struct run *run)
{
	unsigned waiting = 0;

	for (size_t i = 0; i < run->plan.count; i++)
		waiting += waits(run, i);
	run->workers =
		run->o->jobs + (waiting < WAITERS_MAX ? waiting : WAITERS_MAX);
	for (unsigned i = 0; i < run->workers; i++)
		run->worker[i] = (struct worker){.index = -1,
						 .waiter = i >= run->o->jobs};
	bool more = true;

	while (more && !signalled && !run->ended_early) {
		more = false;
		for (unsigned i = 0; i < run->workers; i++)
			if (run->worker[i].index < 0)
				more |= dispatch(run, &run->worker[i]);
		if (any_busy(run)) {
			wait_for_answers(run);
			more = true;
		}
		show_progress(run, false);
	}
	show_progress(run, true);
	/* Told to end all at once, so that their ends overlap. */
	for (unsigned i = 0; i < run->workers; i++)
		if (run->worker[i].pid)
			shutdown(run->worker[i].fd, SHUT_RDWR);
	for (unsigned i = 0; i < run->workers; i++)
		end_worker(&run->worker[i], run->worker[i].index >= 0);
	for (size_t i = 0; run->ended_early && i < run->plan.count; i++)
		if (!run->done[run->plan.order[i]])
			settle(run, run->plan.order[i], VERDICT_ERROR,
			       RECORD_DEVICE, "the device is gone");
}

/* --- before and after ------------------------------------------------------- */

static bool take_resumed(void *user, struct record *r)
{
	struct run *run = user;
	const struct registry *reg = registry();

	for (size_t i = 0; i < reg->count; i++)
		if (strcmp(reg->instances[i].id, r->result.id) == 0) {
			/* What could not be told is tried again. */
			if (!run->plan.selected[i] || run->done[i] ||
			    r->result.verdict == VERDICT_ERROR)
				return false;
			keep(run, i, r, NULL, 0);
			return true;
		}
	return false;
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

	if (!plan_select(&run->plan, o, why, cap))
		return false;
	if (o->captures && !make_folder(o->captures, why, cap))
		return false;
	run->records = calloc(reg->count, sizeof(*run->records));
	run->done = calloc(reg->count, sizeof(*run->done));
	if (!run->records || !run->done) {
		snprintf(why, cap, "out of memory");
		return false;
	}
	if (o->resume && !journal_read(o->resume, take_resumed, run, why, cap))
		return false;
	if (o->journal) {
		bool same = o->resume && strcmp(o->resume, o->journal) == 0;

		run->journal = journal_open(o->journal, same, why, cap);
		if (!run->journal)
			return false;
	}
	run->progress = !o->quiet && isatty(STDERR_FILENO);
	return true;
}

static void give_up(struct run *run, const char *why)
{
	set_note(run, why);
	run->device_died = true;
	for (size_t i = 0; i < registry()->count; i++)
		if (run->plan.selected[i] && !run->done[i])
			settle(run, i, VERDICT_ERROR, RECORD_DEVICE,
			       "the device was not reachable");
}

/* Known deviations: before the totals, after everything ran. */
static void apply_deviations(struct run *run, struct result *results, size_t n)
{
	const struct run_options *o = run->o;
	char why[512];

	if (!o->deviations)
		return;
	if (o->update_deviations &&
	    !deviations_update(o->deviations, o->deviations_path, results, n,
			       why, sizeof(why))) {
		run->suite_failed = true;
		set_note(run, why);
	}
	run->stale = deviations_apply(o->deviations, results, n, time(NULL),
				      why, sizeof(why));
	if (o->update_deviations)
		run->stale = 0;
	if (run->stale)
		set_note(run, why);
}

static void collect(struct run *run, struct run_result *out)
{
	size_t n = registry()->count, kept = 0;
	struct result *results = calloc(n ? n : 1, sizeof(*results));

	for (size_t i = 0; results && i < n; i++)
		if (run->done[i])
			results[kept++] = run->records[i].result;
	apply_deviations(run, results, kept);
	for (size_t i = 0; i < kept; i++)
		out->totals[results[i].verdict]++;
	out->results = results;
	out->count = kept;
	out->planned = run->plan.selected_count;
	out->note = run->note;
}

static int status_of(const struct run *run, const struct run_result *out)
{
	size_t executed = out->count - out->totals[VERDICT_SKIP] -
			  out->totals[VERDICT_ERROR];

	if (run->device_died)
		return 3;
	if (run->suite_failed || out->totals[VERDICT_ERROR])
		return 4;
	if (signalled || (out->count < out->planned && !run->stopped))
		return 5;
	if (out->totals[VERDICT_FAIL] || run->stale ||
	    (run->o->strict && out->totals[VERDICT_WARN]))
		return 1;
	return executed ? 0 : 5;
}

static void on_device(struct run *run, struct env *env)
{
	char why[512];

	if (!env_reach_agent(env, why, sizeof(why)) ||
	    !env_check_agent(env, why, sizeof(why)) ||
	    (!env_calibrate(env, run->o->timeout_scale, why, sizeof(why)) &&
	     !run->o->force)) {
		give_up(run, why);
		return;
	}
	plan_order(&run->plan, run->o, env->claims, env->link->caps);
	for (size_t i = 0; i < registry()->count; i++)
		if (run->plan.selected[i] && run->plan.skip[i] && !run->done[i])
			settle(run, i, VERDICT_SKIP, RECORD_FINE,
			       run->plan.skip[i]);
	if (!run->o->quiet)
		plan_print(&run->plan, run->o, run->o->device->name);
	run->wo = (struct worker_options){
		.device = run->o->device,
		.profile = run->o->profile,
		.timeout_scale = run->o->timeout_scale,
		.segmentation = run->o->segmentation,
		.wait_ns = env->wait_ns,
		.captures = run->o->captures,
	};
	agent_close(env->agent);
	env->agent = NULL;
	execute(run);
	if (signalled) {
		set_note(run, "interrupted");
		return;
	}
	if (run->stopped)
		set_note(run, "ended at the first failure");
	if (!env_reach_agent(env, why, sizeof(why)) ||
	    !env_check_agent(env, why, sizeof(why))) {
		run->device_died = true;
		set_note(run, why);
	}
}

bool runner_run(const struct run_options *o, struct run_result *out, char *why,
		size_t cap)
{
	static struct run run;
	static struct env env;
	static char agent[192], impl[192];
	uint64_t start = clock_now_ns();
	struct sigaction on = {.sa_handler = on_signal};

	run = (struct run){.o = o};
	if (!prepare(&run, why, cap) ||
	    !env_open(&env, o->device, links_take(), o->profile,
		      o->timeout_scale, why, cap))
		return false;
	if (segmentation_is_scripted(&o->segmentation) &&
	    !(env.link->caps & LINK_CAP_SEGMENTS)) {
		snprintf(why, cap,
			 "--segmentation reordered and duplicated: the %s link "
			 "does not place segments; use --link raw",
			 env.link->name);
		return false;
	}
	sigaction(SIGINT, &on, NULL);
	sigaction(SIGTERM, &on, NULL);
	signal(SIGPIPE, SIG_IGN);
	*out = (struct run_result){
		.suite_name = "warpspec",
		.suite_version = WARPSPEC_VERSION,
		.device_name = o->device->name,
		.device_agent = agent,
		.device_impl = impl,
		.link = env.link->name,
		.spec = o->spec,
		.seed = o->seed,
	};
	clock_gettime(CLOCK_REALTIME, &out->started);
	on_device(&run, &env);
	snprintf(agent, sizeof(agent), "%s", env.hello.agent);
	snprintf(impl, sizeof(impl), "%s", env.hello.impl);
	clock_gettime(CLOCK_REALTIME, &out->finished);
	out->duration_ns = clock_now_ns() - start;
	journal_close(run.journal);
	collect(&run, out);
	out->exit_status = status_of(&run, out);
	env_close(&env);
	return true;
}
