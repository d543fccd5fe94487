/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processes that perform programs: each has a session and a link of its
 * own, and briefly reports how a program ended. Their waits are short: a
 * message that has not arrived is only a suspicion.
 */
#ifndef SUITE_EXPLORE_CREW_H
#define SUITE_EXPLORE_CREW_H

#include <signal.h>
#include <sys/types.h>

#include "suite/explore/generate.h"
#include "suite/judge/result.h"
#include "suite/language/execution/testbed.h"
#include "suite/run/plan/runner.h"

#define CREW_SIGNATURE 256
#define CREW_DETAIL    4096

/* The result of a program. */
struct outcome {
	uint64_t number;
	unsigned operations; /* done, and compared */
	enum verdict verdict;
	bool device_gone;
	bool refused; /* the agent runs, but does not do what is requested */
	uint64_t late_ns; /* how late this host was meanwhile */
	char signature[CREW_SIGNATURE];
	char reason[CREW_SIGNATURE];
	bool unseen; /* all that is broken is that something has not come */
	char detail[CREW_DETAIL]; /* the beginning of it */
};

/* As the run's own bed has found the device. */
struct crew_options {
	const struct run_options *run;
	struct readings readings;
	struct habits habits;
	uint64_t wait_ns;
};

/* The signal that ends the exploration, or 0; time that is over is SIGALRM. */
extern volatile sig_atomic_t explore_ended;

/* False: no process, or no memory. */
bool crew_open(const struct crew_options *o, unsigned hands);
void crew_close(void);
/* The device was down: their sessions and links are invalid. */
void crew_renew(void);
/* Add what all of their programs have met so far. */
void crew_met(struct dimensions_met *into);

/*
 * Perform the programs [from, from + n) and fill out[], up to the first that
 * does not pass. False: interrupted, or a process of the suite has died; *done
 * are the first of them, in order, that have an outcome; *given is how many
 * there were that anybody has begun.
 */
bool crew_perform(const struct generate_options *o, uint64_t from, unsigned n,
		  struct outcome *out, unsigned *done, unsigned *given);

/* One on a bed of one's own; strings in *result live until the next. */
struct performance;
struct outcome crew_perform_one(struct testbed *bed, struct performance *p,
				struct result *result);

#endif
