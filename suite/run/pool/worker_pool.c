/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/run.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <zlib.h>

#include "harness/link/clock.h"
#include "suite/device/builtin.h"
#include "suite/device/links.h"

/* A case hangs if it has run for HANG_NS without waiting, or has had time for
 * WAITS_MOST waits and has not ended. */
#define HANG_NS    30000000000ull
#define WAITS_MOST 256u

#define SHOW_NS 500000000u /* on a terminal: between two looks */

/*
 * A case waits if it has slept for one QUIET_PART-th of the time for an answer
 * (longer than a known-answer exchange at calibration) while another case
 * started and ended: then the device is not the reason. If no other case did,
 * it has to sleep for one DEAF_PART-th.
 */
#define QUIET_PART 100
#define DEAF_PART  40

/* A waiting case does not want the processor: for each running case, this many
 * may wait at the same time. */
#define WAITING_BESIDE 8u

static const char *format_reason(const char *fmt, int value)
{
	char *s;

	return asprintf(&s, fmt, value) < 0 ? fmt : s;
}

/* --- queues ---------------------------------------------------------------- */

static bool queue_is_empty(const struct case_queue *q)
{
	return q->from == q->to;
}

static void queue_add(struct run *run, struct case_queue *q, size_t index)
{
	if (q->to == q->cap) {
		size_t cap = q->cap ? 2 * q->cap : RUN_WORKERS;
		uint32_t *grown = realloc(q->index, cap * sizeof(*grown));

		if (!grown) {
			run_settle(run, index, VERDICT_ERROR, CAUSE_SUITE,
				   "out of memory");
			return;
		}
		q->index = grown;
		q->cap = cap;
	}
	q->index[q->to++] = (uint32_t)index;
}

static size_t queue_take(struct case_queue *q)
{
	return q->index[q->from++];
}

/* --- one worker ------------------------------------------------------------ */

static struct waiting *waiting(const struct run *run,
			       const struct pool_worker *w)
{
	return run->waiting ? &run->waiting[w - run->worker] : NULL;
}

static void worker_main(struct run *run, int fd)
{
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned i = 0; i < RUN_WORKERS; i++)
		if (run->worker[i].pid)
			close(run->worker[i].fd);
	links_forget();
	worker_serve(&run->wo, fd);
	_exit(0);
}

/* False: errno says why. */
static bool start_worker(struct run *run, struct pool_worker *w)
{
	int pair[2];
	pid_t parent = getpid();

	w->pid = 0;
	w->index = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return false;
	fflush(NULL);
	run->wo.link = links_take();
	run->wo.waiting = waiting(run, w);
	pid_t pid = fork();

	if (pid == 0) {
		close(pair[0]);
		if (getppid() == parent)
			worker_main(run, pair[1]);
		_exit(0);
	}
	int error = errno;

	close(pair[1]);
	link_close_provider(run->wo.link);
	if (pid < 0) {
		close(pair[0]);
		errno = error;
		return false;
	}
	w->pid = pid;
	w->fd = pair[0];
	return true;
}

/* The reason, from its exit status of waitpid. */
static int end_worker(struct pool_worker *w, bool force)
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

static bool is_busy(const struct pool_worker *w)
{
	return w->pid && w->index >= 0;
}

static unsigned count_busy(const struct run *run, bool at_work)
{
	unsigned n = 0;

	for (unsigned i = 0; i < RUN_WORKERS; i++)
		n += is_busy(&run->worker[i]) &&
		     !(at_work && run->worker[i].waits);
	return n;
}

static struct pending *add_pending(struct run *run, size_t index)
{
	assert(run->pending_count < RUN_WORKERS);
	struct pending *p = &run->pending[run->pending_count++];

	*p = (struct pending){.index = index};
	run->running_alone = false;
	return p;
}

static void fewer(struct run *run, unsigned most)
{
	if (most < run->most)
		run->most = most;
	if (run->jobs > run->most)
		run->jobs = run->most;
}

static unsigned count_others(const struct run *run, const struct pool_worker *w)
{
	unsigned others = 0;

	for (unsigned i = 0; i < RUN_WORKERS; i++)
		others += run->worker[i].pid && &run->worker[i] != w;
	return others;
}

/*
 * The host cannot start another process. An existing worker runs the case
 * later; without any worker it cannot be judged.
 */
static void cannot_start(struct run *run, struct pool_worker *w, size_t index)
{
	int error = errno;
	unsigned others = count_others(run, w);
	char *why;

	if (others) {
		queue_add(run, &run->again, index);
		fewer(run, others);
		return;
	}
	if (asprintf(&why, "no worker could be started: %s", strerror(error)) <
	    0)
		why = "no worker could be started: out of memory";
	add_pending(run, index)->record = record_unjudged(
		&registry()->instances[index], VERDICT_ERROR, CAUSE_SUITE, why);
}

/* Its worker does not learn of the case. */
static void cannot_ask(struct run *run, struct pool_worker *w)
{
	size_t index = (size_t)w->index;
	char *why;

	if (asprintf(&why, "no worker could be given the case: %s",
		     strerror(errno)) < 0)
		why = "no worker could be given the case: out of memory";
	end_worker(w, true);
	w->index = -1;
	add_pending(run, index)->record = record_unjudged(
		&registry()->instances[index], VERDICT_ERROR, CAUSE_SUITE, why);
}

/* False: the case has no worker. */
static bool give(struct run *run, struct pool_worker *w, size_t index)
{
	uint32_t octets = (uint32_t)index;

	if (!w->pid && !start_worker(run, w)) {
		cannot_start(run, w, index);
		return false;
	}
	w->index = (long)index;
	w->started = clock_now_ns();
	w->waits = registry()->instances[index].desc->waits;
	w->sleeper.seen = false;
	w->beside = false;
	host_sees_begin(run, w);
	for (unsigned i = 0; i < RUN_WORKERS; i++)
		if (&run->worker[i] != w && is_busy(&run->worker[i]))
			w->beside = run->worker[i].beside = true;
	if (waiting(run, w))
		*waiting(run, w) = (struct waiting){0};
	ssize_t sent;

	do
		sent = send(w->fd, &octets, sizeof(octets), MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	/* If a worker died meanwhile, reading its answer shows that. */
	if (sent < 0 && errno != EPIPE && errno != ECONNRESET) {
		cannot_ask(run, w);
		return false;
	}
	return true;
}

/* The time at which it counts as hung, as known so far. */
static uint64_t hangs_at(const struct run *run, const struct pool_worker *w)
{
	double scale = run->o->timeout_scale;
	uint64_t hang = (uint64_t)(HANG_NS * (scale > 1 ? scale : 1));
	uint64_t last = w->started + hang + WAITS_MOST * run->wo.wait_ns;
	uint64_t waits = waiting(run, w) ? waiting(run, w)->until : 0;
	uint64_t at = (waits > w->started ? waits : w->started) + hang;

	last = at < last ? at : last;
	at = w->started + run->o->case_timeout_ns;
	return run->o->case_timeout_ns && at < last ? at : last;
}

/* Why a case that is ended for its time is an ERROR. */
static const char *format_hung(const struct run *run,
			       const struct pool_worker *w)
{
	uint64_t most = run->o->case_timeout_ns;

	if (!most || clock_now_ns() - w->started < most)
		return "the case hung, and was ended";
	return format_reason("the case took longer than --case-timeout allows, "
			     "%d s, and was ended",
			     (int)(most / CLOCK_NS_PER_S));
}

static void lost_worker(struct run *run, struct pool_worker *w, bool hung)
{
	size_t index = (size_t)w->index;
	const char *late = hung ? format_hung(run, w) : NULL;
	int status = end_worker(w, hung);
	const char *why = hung ? late
			  : WIFSIGNALED(status)
				  ? format_reason("the case crashed: signal %d",
						  WTERMSIG(status))
				  : format_reason("the worker ended: status %d",
						  WEXITSTATUS(status));

	w->index = -1;
	add_pending(run, index)->record = record_unjudged(
		&registry()->instances[index], VERDICT_ERROR, CAUSE_SUITE, why);
}

/*
 * The agent opened no session for this worker. If other workers have sessions,
 * the agent's limit is reached, and one of them runs the case.
 */
static bool one_too_many(struct run *run, struct pool_worker *w)
{
	unsigned others = count_others(run, w);

	if (!others)
		return false;
	if (run->running_alone)
		pool_queue_again(run, (size_t)w->index);
	else
		queue_add(run, &run->again, (size_t)w->index);
	run->running_alone = false;
	end_worker(w, false);
	w->index = -1;
	fewer(run, others);
	return true;
}

/* It was refused resources while others ran: it runs alone later. */
static bool is_crowded_out(struct run *run, struct pool_worker *w)
{
	unsigned busy = count_busy(run, false) - 1;

	if (!w->beside)
		return false;
	queue_add(run, &run->later, (size_t)w->index);
	w->index = -1;
	if (busy >= run->jobs)
		fewer(run, busy);
	return true;
}

/* Its result does not count. */
static bool is_postponed(struct run *run, struct pool_worker *w,
			 struct record *r)
{
	size_t index = (size_t)w->index;

	if (!retry_postpones(run, w, count_busy(run, true), r))
		return false;
	w->index = -1;
	if (run->running_alone)
		pool_queue_again(run, index);
	else
		queue_add(run,
			  run->trying                       ? &run->alone
			  : run->retry.of[index].tries == 1 ? &run->calm
							    : &run->later,
			  index);
	run->running_alone = false;
	return true;
}

static void see_end(struct run *run, const struct result *r)
{
	if (!run->ground)
		return;
	run->ground->left_open += r->teardown == TEARDOWN_TERMINATE_OPEN;
	run->ground->left_unread +=
		r->teardown == TEARDOWN_OPEN &&
		strstr(r->signature, req_table[REQ_INDEX_RDMAP_7_01].id);
}

/*
 * The message of a worker, as the record of its case. The registry, not the
 * message, names the case. NULL: valid; otherwise the reason why it is not.
 */
static const char *read_answer(struct record *r, const char *octets, size_t n,
			       size_t index)
{
	const struct instance *in = &registry()->instances[index];
	struct worker_answer head;

	if (n < sizeof(head))
		return "the worker's answer is cut short";
	memcpy(&head, octets, sizeof(head));
	const char *line = octets + sizeof(head);
	size_t length = n - sizeof(head);

	if (head.index != index)
		return "the worker's answer is about another case";
	if (!head.octets)
		return "the worker: out of memory";
	if (head.octets != length ||
	    head.crc != crc32(0, (const Bytef *)line, (uInt)length))
		return "the worker's answer is not as it was sent";
	if (!record_parse(r, line, length))
		return errno == ENOMEM ? "out of memory"
				       : "the worker's answer is no record";
	if (strcmp(r->result.id, in->id) != 0) {
		record_release(r);
		return "the worker's answer is about another case";
	}
	r->result.id = in->id;
	r->result.title = in->title;
	r->result.level = in->level;
	r->result.role = instance_role(in);
	/* A link may leave out some of its requirements. */
	return NULL;
}

/* The result of the case is unknown; its worker is well and continues. */
static void lost_answer(struct run *run, struct pool_worker *w, const char *why)
{
	size_t index = (size_t)w->index;

	w->index = -1;
	add_pending(run, index)->record = record_unjudged(
		&registry()->instances[index], VERDICT_ERROR, CAUSE_SUITE, why);
}

static bool was_stopped(pid_t pid)
{
	siginfo_t is = {0}, was = {0};

	return pid &&
	       ((waitid(P_PID, (id_t)pid, &is, WSTOPPED | WNOHANG | WNOWAIT) ==
			 0 &&
		 is.si_pid) ||
		(waitid(P_PID, (id_t)pid, &was, WCONTINUED | WNOHANG) == 0 &&
		 was.si_pid));
}

/* A worker or a device that somebody stopped for a time was late: at most by
 * the time of this case. */
static void see_stops(const struct pool_worker *w)
{
	bool worker = was_stopped(w->pid), device = was_stopped(builtin_pid());

	if (worker || device)
		lateness_overslept(clock_now_ns() - w->started);
}

static void take_answer(struct run *run, struct pool_worker *w)
{
	static char octets[WORKER_ANSWER_MAX + 1];
	struct record r;
	ssize_t n;

	do
		n = recv(w->fd, octets, sizeof(octets), 0);
	while (n < 0 && errno == EINTR);
	if (n <= 0) {
		lost_worker(run, w, false);
		return;
	}
	const char *why = read_answer(&r, octets, (size_t)n, (size_t)w->index);

	if (why) {
		lost_answer(run, w, why);
		return;
	}
	see_end(run, &r.result);
	see_stops(w);
	if (r.result.capture) {
		free(run->captured[w->index]);
		run->captured[w->index] = strdup(r.result.capture);
	}
	if ((r.unstarted && one_too_many(run, w)) ||
	    (r.limited && is_crowded_out(run, w)) || is_postponed(run, w, &r)) {
		record_release(&r);
		return;
	}
	add_pending(run, (size_t)w->index)->record = r;
	w->index = -1;
	run->overtaker = w->started;
}

/* --- all of them ----------------------------------------------------------- */

static const struct instance *case_at(const struct run *run, size_t at)
{
	return &registry()->instances[run->plan.order[at]];
}

unsigned runner_workers(const struct device *d, unsigned jobs, bool addresses)
{
	unsigned most = RUNNER_WORKERS_MAX;

	if (jobs == 1)
		return 1;
	if (d->streams)
		return d->streams < most ? d->streams : most;
	if (addresses && jobs + RUNNER_ADDRESSES < most)
		most = jobs + RUNNER_ADDRESSES;
	return most;
}

/*
 * The service behind a port may be in use: the number of connections at once,
 * over all cases, is limited. A case may have several.
 */
static void share_connections(struct run *run)
{
	enum { CASES_MOST = 8, OF_A_CASE = 4 };
	unsigned all = run->bed->ulp.connections, cases = CASES_MOST;

	if (all && all / OF_A_CASE < cases)
		cases = all < OF_A_CASE ? 1 : all / OF_A_CASE;
	/* Its octets belong to one case at a time. */
	if (run->o->device->buffer.where == BUFFER_GIVEN)
		cases = 1;
	if (cases < run->most)
		run->most = cases;
	run->wo.ulp.connections = all / run->most;
}

static void set_bounds(struct run *run)
{
	run->most = runner_workers(run->o->device, run->o->jobs,
				   links_have_addresses());
	if (device_is_alone(run->o->device))
		share_connections(run);
	run->jobs = run->o->jobs < run->most ? run->o->jobs : run->most;
}

void pool_open(struct run *run)
{
	void *told =
		mmap(NULL, RUN_WORKERS * sizeof(*run->waiting),
		     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	run->waiting = told == MAP_FAILED ? NULL : told;
	told = mmap(NULL, sizeof(*run->wo.patience), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	run->wo.patience = told == MAP_FAILED ? NULL : told;
	/* A stack of SCTP wants the processor while it waits, too: there cases
	 * are added one by one, as look_around() finds room. */
	run->wo.bell = run->bed->link->caps & LINK_CAP_MESSAGES
			       ? -1
			       : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	for (unsigned i = 0; i < RUN_WORKERS; i++)
		run->worker[i] = (struct pool_worker){.index = -1};
	set_bounds(run);
}

void pool_close(struct run *run)
{
	/* All workers are told at once, so that they end in parallel. */
	for (unsigned i = 0; i < RUN_WORKERS; i++)
		if (run->worker[i].pid)
			shutdown(run->worker[i].fd, SHUT_RDWR);
	for (unsigned i = 0; i < RUN_WORKERS; i++)
		end_worker(&run->worker[i], run->worker[i].index >= 0);
	if (run->wo.bell >= 0)
		close(run->wo.bell);
	run->wo.bell = -1;
}

bool pool_is_busy(const struct run *run)
{
	return count_busy(run, false) > 0;
}

/* The next of the plan that is not done; the cases that run alone come last,
 * and are not included. */
static bool plan_has_next(struct run *run)
{
	while (run->next < run->plan.count &&
	       run->done[run->plan.order[run->next]])
		run->next++;
	return !run->trying && run->next < run->plan.count &&
	       !plan_is_alone(run->o, case_at(run, run->next));
}

/* The remaining cases run again, perhaps because of the cases that ran at the
 * same time. */
static bool only_calm_ones_are_left(struct run *run)
{
	return queue_is_empty(&run->again) && !plan_has_next(run);
}

/* So many cases may want the processor at once before this host is late. */
static unsigned most_at_work(struct run *run)
{
	if (only_calm_ones_are_left(run))
		return 1;
	return run->jobs < run->host.room ? run->jobs : run->host.room;
}

/* Whether another case may start, if the running ones wait. */
static bool may_start(struct run *run)
{
	unsigned busy = count_busy(run, false), room = run->host.room;
	bool calm = only_calm_ones_are_left(run);

	return !run->stopped && !run->running_alone &&
	       queue_is_empty(&run->alone) && busy < run->most &&
	       busy < (calm ? room : room * WAITING_BESIDE) &&
	       busy < (calm ? WAITING_BESIDE : RUN_WORKERS) &&
	       !(calm && queue_is_empty(&run->calm));
}

static size_t next_case(struct run *run)
{
	if (!queue_is_empty(&run->again))
		return queue_take(&run->again);
	return plan_has_next(run) ? run->plan.order[run->next++]
				  : queue_take(&run->calm);
}

static struct pool_worker *free_worker(struct run *run)
{
	struct pool_worker *none = NULL;

	for (unsigned i = 0; i < RUN_WORKERS; i++) {
		struct pool_worker *w = &run->worker[i];

		if (w->pid && w->index < 0)
			return w;
		if (!w->pid && !none)
			none = w;
	}
	return none;
}

void pool_queue(struct run *run, size_t index)
{
	queue_add(run, &run->again, index);
}

void pool_queue_calm(struct run *run, size_t index)
{
	queue_add(run, &run->calm, index);
}

void pool_forget_queued(struct run *run)
{
	run->again.from = run->again.to;
}

void pool_queue_alone(struct run *run, size_t index)
{
	queue_add(run, &run->alone, index);
}

void pool_queue_again(struct run *run, size_t index)
{
	assert(run->alone.from > 0);
	run->alone.index[--run->alone.from] = (uint32_t)index;
}

bool pool_has_more(const struct run *run)
{
	return !queue_is_empty(&run->alone);
}

void pool_dispatch(struct run *run)
{
	if (run->stopped || run->running_alone)
		return;
	while (may_start(run) && count_busy(run, true) < most_at_work(run))
		if (!give(run, free_worker(run), next_case(run)))
			break;
	if (pool_is_busy(run) || run->pending_count)
		return;
	if (!pool_has_more(run) && !queue_is_empty(&run->later))
		pool_queue_alone(run, queue_take(&run->later));
	if (pool_has_more(run)) {
		run->running_alone = true;
		give(run, free_worker(run), queue_take(&run->alone));
	}
}

static bool is_waiting(const struct run *run, struct pool_worker *w,
		       uint64_t now)
{
	if (waiting(run, w) && waiting(run, w)->at_ease)
		return true;
	uint64_t slept = sleep_look(&w->sleeper, w->pid, now);
	/* Single octets that arrive wake it again and again. */
	if (run->slow)
		return w->sleeper.seen;
	bool overtaken = run->overtaker >= w->sleeper.since;

	return slept >= run->wo.wait_ns / (overtaken ? QUIET_PART : DEAF_PART);
}

/* Find out which cases wait. Returns when to look again. */
static uint64_t look_around(struct run *run, uint64_t now)
{
	uint64_t every = run->wo.wait_ns / QUIET_PART / 2;

	if (now < run->looked + every)
		return run->looked + every;
	/* If this process was kept from running, the others were, too. */
	bool late = now > run->looked + run->wo.wait_ns / DEAF_PART;

	run->looked = now;
	for (unsigned i = 0; i < RUN_WORKERS; i++) {
		struct pool_worker *w = &run->worker[i];

		if (!is_busy(w) || registry()->instances[w->index].desc->waits)
			continue;
		w->sleeper.seen &= !late;
		w->waits = is_waiting(run, w, now);
	}
	return now + every;
}

/* Cases have begun to wait at ease: others may start at once. */
static void hear_bell(struct run *run)
{
	eventfd_t rung;

	if (run->wo.bell < 0 || eventfd_read(run->wo.bell, &rung) < 0)
		return;
	for (unsigned i = 0; i < RUN_WORKERS; i++) {
		struct pool_worker *w = &run->worker[i];

		if (is_busy(w) && waiting(run, w) && waiting(run, w)->at_ease)
			w->waits = true;
	}
}

/* This process cannot wait for its workers. */
static void lose_all(struct run *run, struct pool_worker *const *of, nfds_t n)
{
	char *why;

	if (asprintf(&why, "poll: %s", strerror(errno)) < 0)
		why = "poll: out of memory";
	for (nfds_t i = 0; i < n; i++) {
		end_worker(of[i], true);
		lost_answer(run, of[i], why);
	}
}

static void wait_until(struct run *run, uint64_t first)
{
	struct pollfd fds[RUN_WORKERS + 1];
	struct pool_worker *of[RUN_WORKERS];
	uint64_t now = clock_now_ns();
	nfds_t n = 0;

	for (unsigned i = 0; i < RUN_WORKERS; i++) {
		struct pool_worker *w = &run->worker[i];

		if (!is_busy(w))
			continue;
		fds[n] = (struct pollfd){.fd = w->fd, .events = POLLIN};
		of[n++] = w;
		uint64_t at = hangs_at(run, w);

		late_spans_look(&w->late, now);
		uint64_t look = w->late.since + w->late.span;

		first = at < first ? at : first;
		first = look < first ? look : first;
	}
	int ms = first > now ? (int)((first - now) / 1000000) + 1 : 0;

	/* poll() ignores one that is -1. */
	fds[n] = (struct pollfd){.fd = run->wo.bell, .events = POLLIN};
	int ready = poll(fds, n + 1, ms);

	if (ready < 0 && errno == EINTR)
		return; /* a signal: the caller looks */
	if (ready < 0) {
		lose_all(run, of, n);
		return;
	}
	uint64_t due = now + (uint64_t)ms * CLOCK_NS_PER_MS;

	host_looks_at_packets(run);
	now = clock_now_ns();
	/* Also if something came meanwhile. */
	if (now > due)
		lateness_overslept(now - due);
	if (fds[n].revents)
		hear_bell(run);
	for (nfds_t i = 0; i < n; i++) {
		if (fds[i].revents)
			take_answer(run, of[i]);
		else if (now >= hangs_at(run, of[i]))
			lost_worker(run, of[i], true);
	}
}

void pool_wait(struct run *run)
{
	uint64_t look = UINT64_MAX;

	if (may_start(run)) {
		look = look_around(run, clock_now_ns());
		if (count_busy(run, true) < most_at_work(run))
			return; /* for others to be started */
	}
	/* The progress on the terminal becomes outdated meanwhile. */
	uint64_t show = clock_now_ns() + SHOW_NS;

	wait_until(run, run->progress && show < look ? show : look);
}

size_t pool_recall(struct run *run, size_t *index)
{
	size_t n = 0, kept = run->pending_count;

	while (pool_is_busy(run) && !run_signalled) {
		wait_until(run, UINT64_MAX);
		while (run->pending_count > kept) {
			struct pending *p = &run->pending[--run->pending_count];

			index[n++] = p->index;
			record_release(&p->record);
		}
	}
	return n;
}

void pool_renew(struct run *run)
{
	uint32_t anew = WORKER_ANEW;

	set_bounds(run); /* the agent may accept more sessions now */
	for (unsigned i = 0; i < RUN_WORKERS; i++)
		if (run->worker[i].pid && run->worker[i].index < 0)
			(void)!send(run->worker[i].fd, &anew, sizeof(anew),
				    MSG_NOSIGNAL);
}
