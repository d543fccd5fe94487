/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run: from a list of cases and a device to results. The files of the run
 * share this header. Each folder calls only those below it:
 *
 *   runner/    runner.c: from the options to the exit status; outcome.c: the
 *              results of the run; statement.c: the check of a conformance
 *              statement; journals.c: the journals to resume and to write;
 *              met.c: values that occurred; provenance.c: build, host, device
 *   blame/     crash_attribution.c: which case crashed the device;
 *              foundation_trial.c: which foundations hold; health.c: whether
 *              the device is well, and its reset; device_log.c: the
 *              device's own log of a failed case
 *   probe/     exchanges before the cases: whether device and agent can be
 *              reached, the device's habits, how it encodes fields
 *   pool/      worker_pool.c: which worker runs which case; pool.h names its
 *              parts; retry.c: which cases run again; host.c: whether this
 *              host keeps up
 *   totals.c   the results so far
 *   worker/    worker.c: runs the cases it is given; sleep.c: whether a worker
 *              waits; lateness.c: how late a process is; packets.c: how long
 *              packets waited for a processor of this host
 *   journal/   a finished case as a line in a file; the identity of a run
 *   plan/      runner.h: the options; plan.c: which cases run, in which order;
 *              rerun.c: only the failed cases of another report
 *
 * A case that has ended is *pending* until the device was seen to be well
 * after it; only then its result is kept. A case runs *alone*, with no other
 * case at the same time, if it is destructive or a suspect, or if it met a
 * limit of the device while others ran.
 *
 * Waiting uses no processor. As many cases as jobs may use one; any number of
 * further cases may wait for messages that never come. sleep.h detects which
 * cases wait. The device file limits the total, and so does the agent when it
 * opens no more sessions.
 */
#ifndef SUITE_RUN_RUN_H
#define SUITE_RUN_RUN_H

#include <signal.h>
#include <sys/types.h>

#include "suite/device/hooks.h"
#include "suite/language/execution/testbed.h"
#include "suite/run/journal/identity.h"
#include "suite/run/journal/journal.h"
#include "suite/run/worker/lateness.h"
#include "suite/run/plan/plan.h"
#include "suite/run/journal/record.h"
#include "suite/run/plan/runner.h"
#include "suite/run/worker/packets.h"
#include "suite/run/worker/sleep.h"
#include "suite/run/worker/worker.h"

#define RUN_WORKERS    RUNNER_WORKERS_MAX
#define RUN_FINDINGS   16 /* more would not help */
#define RUN_STATEMENTS 3  /* in addition: contradictions to a statement */

struct pool_worker {
	pid_t pid; /* 0: none */
	int fd;
	long index; /* index of the running instance, -1: none */
	uint64_t started;
	bool waits;  /* its case declares that, or was found waiting */
	bool beside; /* other cases have run at the same time */
	struct sleeper sleeper;
	struct lateness lateness; /* since its case began */
	struct late_spans late;   /* likewise */
	uint64_t packets_late;    /* the longest delay of packets, in ns */
};

/* Instances that run at another time than planned. */
struct case_queue {
	uint32_t *index;
	size_t from, to, cap;
};

/* A case that has ended, and the record of its worker. */
struct pending {
	size_t index;
	struct record record;
};

/* Something that no case explains, and the cases that may have caused it. */
struct run_finding {
	const char *text;
	size_t suspects[3 * RUN_WORKERS]; /* instances */
	size_t suspect_count;
};

/* To find the case that crashed the device, each case that ran then runs again,
 * alone. */
struct crash_attribution {
	uint8_t *tries; /* by instance: how often a suspect still has to run */
	size_t left;    /* suspects */
	bool crashed;   /* because of a crash, not of a mere suspicion */
	bool solved;    /* one of them caused it */
	size_t suspects[3 * RUN_WORKERS]; /* of this crash */
	size_t suspect_count;
	struct hook_result seen; /* when the device crashed */
};

/* The state of this host (host.c). */
struct host {
	unsigned room;     /* cases that may be at work before it is late */
	unsigned in_time;  /* cases in a row that were on time */
	unsigned given_up; /* cases that were late every time */
	struct packets packets;
};

/* Cases that are run again (retry.c). */
struct retried {
	uint8_t tries; /* before this one */
	bool early;    /* something was missing, and no loss was known yet */
	char *why;     /* the reason to doubt the last try; or NULL */
};
struct retry {
	struct retried *of; /* by instance */
	uint64_t lost;      /* packets, in all cases so far */
};

/* The number of cases that had ended, second by second. */
#define PACE_LOOKS 16u
struct pace {
	uint64_t at[PACE_LOOKS];
	size_t finished[PACE_LOOKS];
	unsigned looks;
};

struct trial; /* foundation_trial.c */

struct run {
	struct run *before; /* an earlier run of this process */
	const struct run_options *o;
	struct testbed *bed; /* the run's own, not a worker's */
	struct plan plan;
	struct worker_options wo;

	struct pool_worker worker[RUN_WORKERS];
	unsigned jobs, most; /* cases that use the processor; cases in all */
	struct waiting *waiting; /* shared with workers, or NULL */
	uint64_t looked;    /* when it was last checked which workers sleep */
	uint64_t overtaker; /* start of the case that ended last */
	size_t next;        /* into plan.order */
	struct case_queue again; /* the agent had no session for them */
	struct case_queue alone; /* to be run one at a time */
	struct case_queue later; /* one at a time, too, at the end */
	struct case_queue calm;  /* before these: beside cases that only wait */
	bool running_alone, last_queued;

	struct pending pending[RUN_WORKERS];
	size_t pending_count;
	size_t latest[RUN_WORKERS]; /* the cases kept at the last check */
	size_t latest_count;
	unsigned in_vain; /* cases in a row that could not be judged */
	struct crash_attribution attribution;
	struct {
		unsigned count, vain; /* calls of the hook; failed in a row */
	} logs;
	unsigned unstarted_in_a_row;

	struct host host;
	struct retry retry;
	struct ground *ground; /* state of the foundations; workers share it */
	enum { NO_TRIAL, FIRST_ROUND, BY_FLOORS } trying; /* foundations */
	struct trial *trial;                              /* by instance */
	unsigned vain; /* fruitless waits of the first round */

	struct record *records; /* by instance */
	bool *done;
	size_t finished, failures;
	bool device_died, suite_failed, stopped, ended_early;
	struct run_finding findings[RUN_FINDINGS + RUN_STATEMENTS];
	size_t finding_count;
	struct capture_room *room;
	char **captured; /* by instance: the capture of its last attempt */
	struct journal *journal; /* to be written, once the run is identified */
	struct identity *identity;
	char in_force[RECORD_IN_FORCE]; /* the readings, by name */
	char note[512];
	bool slow; /* the device is slow: all its cases wait */
	char link_note[512];
	uint64_t began; /* when the cases began */
	struct pace pace;
	uint64_t progress_ns;
	bool progress;
};

/* Journals, while they are read and begun (journals.c). */
struct journals {
	struct run *run;
	struct journal *from[RUNNER_RESUMES]; /* to resume, without `to` */
	size_t count;
	struct journal *to;  /* or NULL */
	bool goes_on;        /* continues the contents of `to` */
	bool copies;         /* resumed records are written, too */
	char otherwise[512]; /* a different selection of cases */
	char why[512];       /* why `to` could not be written */
};

/* The signal that ends the run, or 0. */
extern volatile sig_atomic_t run_signalled;

/* --- totals.c ------------------------------------------------------------- */

/* Note why the run ended as it did. Only the first note is kept. */
void run_note(struct run *run, const char *text);
/* Print a line on progress, unless the run is quiet. */
void run_says(const struct run *run, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A case is done. `line` is its line for the journal, or NULL. The texts of the
 * record have to live as long as the process. */
void run_keep(struct run *run, size_t index, const struct record *r,
	      const char *line, size_t octets);
/* Keep a pending case. */
void run_accept(struct run *run, const struct pending *p);
/* Undo run_keep(). */
void run_forget(struct run *run, size_t index);
/* Keep a case that was not judged; `why` has to live as long as the process. */
void run_settle(struct run *run, size_t index, enum verdict v,
		enum error_cause cause, const char *why);
/* The device was seen to crash while this case ran. Takes ownership of the
 * record's memory. */
void run_crashed(struct run *run, struct pending *p,
		 const struct hook_result *seen);
/* Report something that no case explains, in lines, and its suspects. */
void run_finds(struct run *run, const char *what, const size_t *suspects,
	       size_t n, const struct hook_result *seen);
/* Report a complete text that lives as long as the process; NULL: nothing. */
void run_states(struct run *run, char *text);
/* Show the progress of the cases on a terminal, at most once per second. */
void run_progress(struct run *run, bool last);
/* Show what the run waits for before the first case. */
void run_awaits(const struct run *run, const char *what);

/* --- outcome.c -------------------------------------------------------- */

/* Every case has run: fill in the results and totals. */
void run_comes_to(struct run *run, struct run_result *out);

/* --- statement.c ------------------------------------------------------ */

/* Check the statement alone. */
void statement_by_itself(struct run *run);
/* Check it against the claims of the agent. */
void statement_and_device(struct run *run);
/* Check it against the results of the cases; before findings are reported. */
void statement_and_wire(struct run *run, struct run_result *out);

/* --- journals.c ------------------------------------------------------- */

/* Open the journals of the options, and check that they may be continued.
 * False: one line in why. */
bool journals_open(struct run *run, struct journals *j, char *why, size_t cap);
/* After the agent has answered: take over their records, and start writing. */
bool journals_begin(struct run *run, struct journals *j, char *why, size_t cap);
void journals_close(struct journals *j);

/* --- worker_pool.c -------------------------------------------------------- */

void pool_open(struct run *run);
void pool_close(struct run *run);
/* Start cases while fewer than `jobs` of the running ones use the processor. */
void pool_dispatch(struct run *run);
bool pool_is_busy(const struct run *run);
/* Wait until a worker has answered or is late (more pending cases), or until it
 * is time to look for waiting cases again. */
void pool_wait(struct run *run);
/* Abort all running cases, and put them into `index`, at most RUN_WORKERS.
 * Returns their number. */
size_t pool_recall(struct run *run, size_t *index);
/* Idle workers start again with a restored device. */
void pool_renew(struct run *run);

/* --- queue.c ---------------------------------------------------------- */

/* Run a case before the next one of the plan. */
void pool_queue(struct run *run, size_t index);
/* Run a case at the end, beside others that only wait. */
void pool_queue_calm(struct run *run, size_t index);
/* Drop everything queued by pool_queue(). */
void pool_forget_queued(struct run *run);
/* Run a case alone, once the running ones have ended. */
void pool_queue_alone(struct run *run, size_t index);
/* Run a case alone again, immediately: it has just run alone. */
void pool_queue_again(struct run *run, size_t index);
/* True if a case is queued to run alone. */
bool pool_has_more(const struct run *run);

/* --- retry.c ---------------------------------------------------------- */

/* False: out of memory. */
bool retry_open(struct run *run);
/* A worker's case has ended while `busy` others ran. True: it runs again at the
 * end. False: its result stands, but *r may have become an ERROR. */
bool retry_postpones(struct run *run, const struct pool_worker *w,
		     unsigned busy, struct record *r);
/* The agent was silent or gone during this case, and the device is well again.
 * True: that need not be due to the case, which runs again. */
bool retry_without_agent(struct run *run, size_t index, const struct record *r);
/* All cases have ended: *index is a case that has to run again, because
 * something was missing before the first loss was known. False: no more. */
bool retry_finds_early(struct run *run, size_t *index);

/* --- host.c ----------------------------------------------------------- */

void host_open(struct run *run);
void host_close(struct run *run);
/* Start to measure how late a process of the suite, or the built-in device,
 * is. */
struct lateness host_from_now(pid_t suite);
/* The same for the case of a worker; look again after host_span(). */
void host_sees_begin(const struct run *run, struct pool_worker *w);
uint64_t host_span(const struct run *run);
/* Measure how long packets have waited in this host meanwhile. */
void host_looks_at_packets(struct run *run);
/* The delay, in ns, from which on it may have changed a verdict. */
uint64_t host_most(const struct run *run);
/* The message about such a delay, to be freed; NULL: out of memory. */
char *host_says(uint64_t late);
/* Do a step of the run itself; repeat it if it fails while this host is late.
 * False: one line in why. */
bool host_tries(struct run *run, bool (*step)(struct run *, char *, size_t),
		char *why, size_t cap);
/* The same for a probe. */
void host_probes(struct run *run, void (*probe)(struct testbed *, uint64_t),
		 uint64_t needs);
/* A worker's case has ended while `busy` others ran. Returns the number of ns
 * by which it was late, if that may have changed the verdict; else 0. */
uint64_t host_was_late(struct run *run, const struct pool_worker *w,
		       unsigned busy);
/* The case was late before, too. */
void host_was_late_again(struct run *run);
/* The message that this host is too busy to go on; NULL: it is not. */
const char *host_gave_up(const struct run *run);

/* --- foundation_trial.c ----------------------------------------------- */

#define FLOORS_APART 5u /* nearly all others depend on these */

/* Before workers exist. False: out of memory. */
bool trial_open(struct run *run);
/* Queue the cases of the upper floors for a first round. */
void trial_queue_all(struct run *run);
/* Queue the cases of this floor: the untried ones; the failed ones. */
void trial_queue_floor(struct run *run, unsigned floor);
void trial_queue_again(struct run *run, unsigned floor);
/* These cases have ended: decide about the foundations of this floor. */
void trial_settle(struct run *run, unsigned floor);
/* A report shows why a case is BLOCKED: select the foundations that block cases
 * and were not selected, with the results of the trial. A shard leaves them to
 * the others. */
void trial_show_blockers(struct run *run);
/* All floors are settled. */
void trial_close(struct run *run);
/* A case has ended. True: it is not, or not yet, a result of the run, and the
 * trial owns its record. */
bool trial_takes(struct run *run, struct pending *p);

/* --- crash_attribution.c -------------------------------------------------- */

/* Check the device before anything runs. False: its health hook cannot be run,
 * one line in why. If the device is not well, the run gets a note. */
bool crash_first_look(struct run *run, bool *well, char *why, size_t cap);
/* The same after the probes: the device is restored if necessary and
 * possible. */
void crash_after_probes(struct run *run);
/* Decide about the pending cases. */
void crash_review(struct run *run);
/* After all others: queue the cases that run alone, once each; a case that is
 * known to bring the device down is a suspect from the start. False: none. */
bool crash_queue_last(struct run *run);
/* A last check, when everything has run. */
void crash_last_look(struct run *run);

#endif
