/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What becomes of a case that a worker was given: its answer, which is a result
 * or a reason to run the case again, or its loss: a crash, a hang, an answer
 * that cannot be read.
 */
#include "suite/run/pool/pool.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <zlib.h>

#include "harness/link/clock.h"
#include "suite/device/builtin.h"

/* A case hangs if it has run for HANG_NS without waiting, or has had time for
 * WAITS_MOST waits and has not ended. */
#define HANG_NS    30000000000ull
#define WAITS_MOST 256u

static const char *format_reason(const char *fmt, int value)
{
	char *s;

	return asprintf(&s, fmt, value) < 0 ? fmt : s;
}

struct pending *answer_pending(struct run *run, size_t index)
{
	assert(run->pending_count < RUN_WORKERS);
	struct pending *p = &run->pending[run->pending_count++];

	*p = (struct pending){.index = index};
	run->running_alone = false;
	return p;
}

uint64_t answer_hangs_at(const struct run *run, const struct pool_worker *w)
{
	double scale = run->o->timeout_scale;
	uint64_t hang = (uint64_t)(HANG_NS * (scale > 1 ? scale : 1));
	uint64_t last = w->started + hang + WAITS_MOST * run->wo.wait_ns;
	uint64_t waits =
		process_waiting(run, w) ? process_waiting(run, w)->until : 0;
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

void answer_is_lost(struct run *run, struct pool_worker *w, bool hung)
{
	size_t index = (size_t)w->index;
	const char *late = hung ? format_hung(run, w) : NULL;
	int status = process_end(w, hung);
	const char *why = hung ? late
			  : WIFSIGNALED(status)
				  ? format_reason("the case crashed: signal %d",
						  WTERMSIG(status))
				  : format_reason("the worker ended: status %d",
						  WEXITSTATUS(status));

	w->index = -1;
	answer_pending(run, index)->record = record_unjudged(
		&registry()->instances[index], VERDICT_ERROR, CAUSE_SUITE, why);
}

/*
 * The agent opened no session for this worker. If other workers have sessions,
 * the agent's limit is reached, and one of them runs the case.
 */
static bool one_too_many(struct run *run, struct pool_worker *w)
{
	unsigned others = process_count_others(run, w);

	if (!others)
		return false;
	if (run->running_alone)
		pool_queue_again(run, (size_t)w->index);
	else
		queue_add(run, &run->again, (size_t)w->index);
	run->running_alone = false;
	process_end(w, false);
	w->index = -1;
	limits_lower(run, others);
	return true;
}

/* It was refused resources while others ran: it runs alone later. */
static bool is_crowded_out(struct run *run, struct pool_worker *w)
{
	unsigned busy = process_count_busy(run, false) - 1;

	if (!w->beside)
		return false;
	queue_add(run, &run->later, (size_t)w->index);
	w->index = -1;
	if (busy >= run->jobs)
		limits_lower(run, busy);
	return true;
}

/* Its result does not count. */
static bool is_postponed(struct run *run, struct pool_worker *w,
			 struct record *r)
{
	size_t index = (size_t)w->index;

	if (!retry_postpones(run, w, process_count_busy(run, true), r))
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
	answer_pending(run, index)->record = record_unjudged(
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

void answer_take(struct run *run, struct pool_worker *w)
{
	static char octets[WORKER_ANSWER_MAX + 1];
	struct record r;
	ssize_t n;

	do
		n = recv(w->fd, octets, sizeof(octets), 0);
	while (n < 0 && errno == EINTR);
	if (n <= 0) {
		answer_is_lost(run, w, false);
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
	answer_pending(run, (size_t)w->index)->record = r;
	w->index = -1;
	run->overtaker = w->started;
}

void answer_lose_all(struct run *run, struct pool_worker *const *of, nfds_t n)
{
	char *why;

	if (asprintf(&why, "poll: %s", strerror(errno)) < 0)
		why = "poll: out of memory";
	for (nfds_t i = 0; i < n; i++) {
		process_end(of[i], true);
		lost_answer(run, of[i], why);
	}
}
