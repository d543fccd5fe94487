/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run: from a list of cases and a device to results. What the files that
 * it is made of share; each calls only those below it.
 *
 *   runner/    runner.c: from the options to the exit status; outcome.c: what
 *              it came to; statement.c: what a statement about the device comes
 *              to; journals.c: what is taken from a journal; met.c: what was
 *              met of each dimension; provenance.c: build, host and device, as
 *              reports name them
 *   blame/     crash_attribution.c: whether the device has survived a case, and
 *              if not, which case did it; foundation_trial.c: whether it does
 *              what all cases need; health.c: whether it is well, and how it is
 *              brought back
 *   probe/     exchanges that are no case: whether device and agent are there
 *              at all, what the device does by itself, how it encodes fields
 *   pool/      worker_pool.c: who runs which case; retry.c: which of them run
 *              once more; host.c: whether this host keeps up with them
 *   totals.c   results, once they are certain
 *   worker/    worker.c: runs the cases it is given; sleep.c: whether a worker
 *              is at work, or waits; lateness.c: how late a process is
 *   journal/   a finished case as a line, in a file, and which run that is of
 *   plan/      runner.h: what is asked for; plan.c: which cases run, in which
 *              order; rerun.c: only those of another report
 *
 * A case that has ended is *pending* until the device was seen to be well
 * after it; only then it is kept. A case runs *alone* when nothing else may
 * run beside it: a destructive one, a suspect, and one that met a limit of
 * the device while others ran.
 *
 * Waiting costs no processor: as many cases as there are jobs want one, and
 * beside them any number waits for what a device may never send. Who waits is
 * seen (sleep.h). How many there may be in all the device says: its file, or
 * its agent where it opens no further session.
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
#include "suite/run/worker/sleep.h"
#include "suite/run/worker/worker.h"

#define RUN_WORKERS    RUNNER_WORKERS_MAX
#define RUN_FINDINGS   16 /* more say nothing new */
#define RUN_STATEMENTS 3  /* beside these: what contradicts a statement */

struct pool_worker {
	pid_t pid; /* 0: none */
	int fd;
	long index; /* of the instance it runs, -1: none */
	uint64_t started;
	bool waits;  /* its case says so, or was seen to */
	bool beside; /* other cases have run beside it */
	struct sleeper sleeper;
	struct lateness lateness; /* since its case began */
	struct late_spans late;   /* likewise */
};

/* Instances that are to be run at another time than the plan's. */
struct case_queue {
	uint32_t *index;
	size_t from, to, cap;
};

/* A case that has ended, and what its worker says of it. */
struct pending {
	size_t index;
	struct record record;
};

/* What no case accounts for, and those that may have done it. */
struct run_finding {
	const char *text;
	size_t suspects[3 * RUN_WORKERS]; /* instances */
	size_t suspect_count;
};

/* Which of the cases that ran while the device crashed did it: each is run
 * again, alone. */
struct crash_attribution {
	uint8_t *tries; /* by instance: how often a suspect still runs */
	size_t left;    /* suspects */
	bool crashed;   /* it is about a crash, not a mere suspicion */
	bool solved;    /* one of them did it */
	size_t suspects[3 * RUN_WORKERS]; /* of this crash */
	size_t suspect_count;
	struct hook_result seen; /* when it was opened */
};

/* What is known of this host (host.c). */
struct host {
	unsigned room;     /* for cases at work, before it is late */
	unsigned in_time;  /* cases in a row that it kept up with */
	unsigned given_up; /* those that it was late for each time */
};

/* Cases that are run again (retry.c). */
struct retried {
	uint8_t tries; /* before this one */
	char *why;     /* the last of them was not believed; or NULL */
};
struct retry {
	struct retried *of; /* by instance */
	uint64_t lost;      /* packets, in all cases so far */
};

/* How many cases had ended at the last looks, a second apart. */
#define PACE_LOOKS 16u
struct pace {
	uint64_t at[PACE_LOOKS];
	size_t finished[PACE_LOOKS];
	unsigned looks;
};

struct trial; /* foundation_trial.c */

struct run {
	struct run *before; /* of the same process */
	const struct run_options *o;
	struct testbed *bed; /* the run's own, not a worker's */
	struct plan plan;
	struct worker_options wo;

	struct pool_worker worker[RUN_WORKERS];
	unsigned jobs, most;     /* that want the processor; and that run */
	struct waiting *waiting; /* what workers tell, or NULL */
	uint64_t looked;         /* when it was seen who sleeps */
	uint64_t overtaker;      /* when the case began that has ended last */
	size_t next;             /* into plan.order */
	struct case_queue again; /* no session was to be had for them */
	struct case_queue alone; /* to be run one at a time */
	struct case_queue later; /* likewise, at the end */
	struct case_queue calm;  /* before that: beside what only waits */
	bool running_alone, last_queued;

	struct pending pending[RUN_WORKERS];
	size_t pending_count;
	size_t latest[RUN_WORKERS]; /* what was kept at the last look */
	size_t latest_count;
	unsigned in_vain; /* cases in a row that could not be judged */
	struct crash_attribution attribution;
	unsigned unstarted_in_a_row;

	struct host host;
	struct retry retry;
	struct ground *ground; /* what stands; the workers see it, too */
	enum { NO_TRIAL, FIRST_ROUND, BY_FLOORS } trying; /* to find that out */
	struct trial *trial;                              /* by instance */
	unsigned vain; /* waits of the first round */

	struct record *records; /* by instance */
	bool *done;
	size_t finished, failures;
	bool device_died, suite_failed, stopped, ended_early;
	struct run_finding findings[RUN_FINDINGS + RUN_STATEMENTS];
	size_t finding_count;
	struct capture_room *room;
	char **captured; /* by instance: a capture of its last attempt */
	struct journal *journal; /* that is written, once it is known of what */
	struct identity *identity;
	char in_force[RECORD_IN_FORCE]; /* the readings, by name */
	char note[512];
	bool slow; /* the device: all its cases wait */
	char link_note[512];
	uint64_t began; /* with the cases */
	struct pace pace;
	uint64_t progress_ns;
	bool progress;
};

/* Journals, while they are read and begun (journals.c). */
struct journals {
	struct run *run;
	struct journal *from[RUNNER_RESUMES]; /* without that one: */
	size_t count;
	struct journal *to;  /* or NULL */
	bool goes_on;        /* in what is in that one */
	bool copies;         /* what is taken is written, too */
	char otherwise[512]; /* chosen in another way */
	char why[512];       /* it could not be written */
};

/* The signal that ends the run, or 0. */
extern volatile sig_atomic_t run_signalled;

/* --- totals.c ------------------------------------------------------------- */

/* The first note stays: it says why the run ended as it did. */
void run_note(struct run *run, const char *text);
/* A line on what is going on, unless the run is quiet. */
void run_says(const struct run *run, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A case is done; line: for the journal, or NULL. What the record refers to
 * lives as long as the process. */
void run_keep(struct run *run, size_t index, const struct record *r,
	      const char *line, size_t octets);
/* The same for a pending one. */
void run_accept(struct run *run, const struct pending *p);
/* As if it had not been kept. */
void run_forget(struct run *run, size_t index);
/* Keep one that was not judged; `why` lives as long as the process. */
void run_settle(struct run *run, size_t index, enum verdict v,
		enum error_cause cause, const char *why);
/* The device crashed while this case ran, as was seen. Takes what its record
 * owns. */
void run_crashed(struct run *run, struct pending *p,
		 const struct hook_result *seen);
/* Something that no case accounts for, in lines; what may have done it. */
void run_finds(struct run *run, const char *what, const size_t *suspects,
	       size_t n, const struct hook_result *seen);
/* The same of a text that is whole, and that lives as long as the process;
 * NULL: there is nothing to tell. */
void run_states(struct run *run, char *text);
/* On a terminal: how far the cases are, when a second has passed. */
void run_progress(struct run *run, bool last);
/* The same before there are any. */
void run_awaits(const struct run *run, const char *what);

/* --- outcome.c ------------------------------------------------------------- */

/* All that can run has run: fill in the results, and what they come to. */
void run_comes_to(struct run *run, struct run_result *out);

/* --- statement.c ----------------------------------------------------------- */

/* What the run was told that the device claims, by itself. */
void statement_by_itself(struct run *run);
/* The agent has been asked. */
void statement_and_device(struct run *run);
/* What came of the cases; before findings are told. */
void statement_and_wire(struct run *run, struct run_result *out);

/* --- journals.c ------------------------------------------------------------ */

/* Open what the options name, and see that it may be gone on with. False: one
 * line in why. */
bool journals_open(struct run *run, struct journals *j, char *why, size_t cap);
/* The agent has been asked: take what is there, and begin to write. */
bool journals_begin(struct run *run, struct journals *j, char *why, size_t cap);
void journals_close(struct journals *j);

/* --- worker_pool.c -------------------------------------------------------- */

void pool_open(struct run *run);
void pool_close(struct run *run);
/* Start cases, as long as few of those that run are at work. */
void pool_dispatch(struct run *run);
/* To be run before what the plan has next. */
void pool_queue(struct run *run, size_t index);
/* What was queued so is not to be run after all. */
void pool_forget_queued(struct run *run);
/* To be run with nothing beside it, once those that run have ended. */
void pool_queue_alone(struct run *run, size_t index);
/* The same, before all others. Of a case that has just run alone. */
void pool_queue_again(struct run *run, size_t index);
/* Something is queued to run alone. */
bool pool_has_more(const struct run *run);
bool pool_is_busy(const struct run *run);
/* Wait until a worker has answered, or is late: more pending cases; or until
 * it may be that more of them wait. */
void pool_wait(struct run *run);
/* Wait for all of them, for nothing: what they were at goes to `index`,
 * RUN_WORKERS at most. Returns how many. */
size_t pool_recall(struct run *run, size_t *index);
/* Idle workers begin anew with a device that has come back. */
void pool_renew(struct run *run);

/* --- retry.c --------------------------------------------------------------- */

/* False: no memory. */
bool retry_open(struct run *run);
/* A worker's case has ended, beside so many others: true if it is to be run
 * again, at the end; or *r may have become an ERROR. */
bool retry_postpones(struct run *run, const struct pool_worker *w,
		     unsigned busy, struct record *r);

/* --- host.c ---------------------------------------------------------------- */

void host_open(struct run *run);
/* How late a process of the suite, or the built-in device, will be. */
struct lateness host_from_now(pid_t suite);
/* The same of a worker's case. It is to be looked at so often. */
void host_sees_begin(const struct run *run, struct pool_worker *w);
uint64_t host_span(const struct run *run);
/* In ns: what is later may have changed what came of a case. */
uint64_t host_most(const struct run *run);
/* In words, to be freed; NULL: no memory. */
char *host_says(uint64_t late);
/* Take a step of the run's own, and again where it fails while this host was
 * late. False: why. */
bool host_tries(struct run *run, bool (*step)(struct run *, char *, size_t),
		char *why, size_t cap);
/* The same of a probe. */
void host_probes(struct run *run, void (*probe)(struct testbed *, uint64_t),
		 uint64_t needs);
/* A worker's case has ended, beside so many others: for how many ns it was
 * late, where that may have changed what came of it; else 0. */
uint64_t host_was_late(struct run *run, const struct pool_worker *w,
		       unsigned busy);
/* For a case that was late before, too. */
void host_was_late_again(struct run *run);
/* Why the run has ended, if it has; or NULL. */
const char *host_gave_up(const struct run *run);

/* --- foundation_trial.c ---------------------------------------------------- */

#define FLOORS_APART 5u /* on these nearly everything stands */

/* Before workers are there. False: no memory. */
bool trial_open(struct run *run);
/* Queue the cases of the upper floors, for a first round. */
void trial_queue_all(struct run *run);
/* Those of this floor: what has not been tried; what has not held. */
void trial_queue_floor(struct run *run, unsigned floor);
void trial_queue_again(struct run *run, unsigned floor);
/* They have ended: see what stands. */
void trial_settle(struct run *run, unsigned floor);
/* All have. */
void trial_close(struct run *run);
/* One of them has ended: true if it is no result of the run, or not yet; what
 * its record owns is taken. */
bool trial_takes(struct run *run, struct pending *p);

/* --- crash_attribution.c -------------------------------------------------- */

/* One look at the device before anything runs. False: its health hook cannot
 * be run, one line in why. Where it is not well that is the run's note. */
bool crash_first_look(struct run *run, bool *well, char *why, size_t cap);
/* The same after the device was probed: it is brought back where it has to
 * be, and can. */
void crash_after_probes(struct run *run);
/* Decide on what is pending. */
void crash_review(struct run *run);
/* When all others have run: queue those that run alone, once; what is known to
 * bring the device down is a suspect from the start. False: nothing to run. */
bool crash_queue_last(struct run *run);
/* A last look, when everything has run. */
void crash_last_look(struct run *run);

#endif
