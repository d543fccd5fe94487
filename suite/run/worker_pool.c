/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/run.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/link/clock.h"
#include "suite/device/links.h"

#define HANG_NS 30000000000ull /* a case that takes longer, hangs */

static const char *format_reason(const char *fmt, int value)
{
	char *s;

	return asprintf(&s, fmt, value) < 0 ? fmt : s;
}

/* --- one worker ------------------------------------------------------------ */

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

static struct pending *add_pending(struct run *run, size_t index)
{
	assert(run->pending_count < RUN_WORKERS);
	struct pending *p = &run->pending[run->pending_count++];

	*p = (struct pending){.index = index};
	run->running_alone = false;
	return p;
}

static void give(struct run *run, struct pool_worker *w, size_t index)
{
	uint32_t octets = (uint32_t)index;
	double scale = run->o->timeout_scale;

	if (!w->pid && !start_worker(run, w)) {
		add_pending(run, index)->record = record_unjudged(
			&registry()->instances[index], VERDICT_ERROR,
			CAUSE_SUITE, "no worker could be started");
		return;
	}
	w->index = (long)index;
	w->deadline =
		clock_now_ns() + (uint64_t)(HANG_NS * (scale > 1 ? scale : 1));
	/* A worker that died meanwhile is seen when its answer is awaited. */
	(void)!send(w->fd, &octets, sizeof(octets), MSG_NOSIGNAL);
}

static void lost_worker(struct run *run, struct pool_worker *w, bool hung)
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
	add_pending(run, index)->record = record_unjudged(
		&registry()->instances[index], VERDICT_ERROR, CAUSE_SUITE, why);
}

static void take_answer(struct run *run, struct pool_worker *w)
{
	static char line[RECORD_MAX + 1];
	ssize_t n = recv(w->fd, line, sizeof(line), 0);
	struct record r;

	if (n <= 0 || !record_parse(&r, line, (size_t)n)) {
		lost_worker(run, w, n > 0);
		return;
	}
	add_pending(run, (size_t)w->index)->record = r;
	w->index = -1;
}

/* --- all of them ----------------------------------------------------------- */

static const struct instance *case_at(const struct run *run, size_t at)
{
	return &registry()->instances[run->plan.order[at]];
}

static bool waits(const struct run *run, size_t at)
{
	return case_at(run, at)->desc->waits;
}

void pool_open(struct run *run)
{
	unsigned waiting = 0, jobs = run->o->jobs;

	for (size_t i = 0; i < run->plan.count; i++)
		waiting += waits(run, i);
	run->workers =
		jobs +
		(waiting < RUNNER_WAITERS_MAX ? waiting : RUNNER_WAITERS_MAX);
	for (unsigned i = 0; i < run->workers; i++)
		run->worker[i] =
			(struct pool_worker){.index = -1, .waiter = i >= jobs};
}

void pool_close(struct run *run)
{
	/* Told to end all at once, so that their ends overlap. */
	for (unsigned i = 0; i < run->workers; i++)
		if (run->worker[i].pid)
			shutdown(run->worker[i].fd, SHUT_RDWR);
	for (unsigned i = 0; i < run->workers; i++)
		end_worker(&run->worker[i], run->worker[i].index >= 0);
}

bool pool_is_busy(const struct run *run)
{
	for (unsigned i = 0; i < run->workers; i++)
		if (run->worker[i].pid && run->worker[i].index >= 0)
			return true;
	return false;
}

/* The next case for this worker, or -1. Cases that wait stand first, those
 * that run alone last. */
static long next_case(struct run *run, const struct pool_worker *w)
{
	size_t *at = w->waiter ? &run->next_waiting : &run->next;

	while (*at < run->plan.count &&
	       !plan_is_alone(run->o, case_at(run, *at))) {
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

void pool_queue_alone(struct run *run, size_t index)
{
	uint32_t *grown =
		realloc(run->alone, (run->alone_to + 1) * sizeof(*run->alone));

	if (!grown) {
		run_settle(run, index, VERDICT_ERROR, CAUSE_SUITE,
			   "out of memory");
		return;
	}
	run->alone = grown;
	run->alone[run->alone_to++] = (uint32_t)index;
}

void pool_queue_again(struct run *run, size_t index)
{
	assert(run->alone_from > 0);
	run->alone[--run->alone_from] = (uint32_t)index;
}

bool pool_has_more(const struct run *run)
{
	return run->alone_from < run->alone_to;
}

void pool_dispatch(struct run *run)
{
	if (run->stopped || run->running_alone)
		return;
	for (unsigned i = 0;
	     run->alone_from == run->alone_to && i < run->workers; i++) {
		struct pool_worker *w = &run->worker[i];
		long next = w->index < 0 ? next_case(run, w) : -1;

		if (next >= 0)
			give(run, w, (size_t)next);
	}
	if (!pool_is_busy(run) && !run->pending_count && pool_has_more(run)) {
		run->running_alone = true;
		give(run, &run->worker[0], run->alone[run->alone_from++]);
	}
}

void pool_wait(struct run *run)
{
	struct pollfd fds[RUN_WORKERS];
	struct pool_worker *of[RUN_WORKERS];
	uint64_t now = clock_now_ns(), first = UINT64_MAX;
	nfds_t n = 0;

	for (unsigned i = 0; i < run->workers; i++) {
		struct pool_worker *w = &run->worker[i];

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

size_t pool_recall(struct run *run, size_t *index)
{
	size_t n = 0, kept = run->pending_count;

	while (pool_is_busy(run) && !run_signalled) {
		pool_wait(run);
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

	for (unsigned i = 0; i < run->workers; i++)
		if (run->worker[i].pid && run->worker[i].index < 0)
			(void)!send(run->worker[i].fd, &anew, sizeof(anew),
				    MSG_NOSIGNAL);
}
