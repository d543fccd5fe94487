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
	bool unseen; /* it failed only because something did not arrive */
	char detail[CREW_DETAIL]; /* its beginning */
};

/* The device, as the test bed of the run itself has found it. */
struct crew_options {
	const struct run_options *run;
	struct readings readings;
	struct habits habits;
	uint64_t wait_ns;
};

/* The signal that ends the exploration, or 0. SIGALRM: its time is over. */
extern volatile sig_atomic_t explore_ended;

/* False: no process, or no memory. */
bool crew_open(const struct crew_options *o, unsigned hands);
void crew_close(void);
/* The device was down: the sessions and links of the crew are invalid. */
void crew_renew(void);
/* Add the values that occurred in all programs of the crew so far. */
void crew_met(struct dimensions_met *into);

/*
 * Perform the programs [from, from + n) and fill out[], up to the first that
 * does not pass. False: interrupted, or a process of the suite has died. *done
 * is the number of programs, from the first one on without a gap, that have an
 * outcome; *given is the number of programs that were begun.
 */
bool crew_perform(const struct generate_options *o, uint64_t from, unsigned n,
		  struct outcome *out, unsigned *done, unsigned *given);

/* Perform one program on this test bed. Strings in *result live until the next
 * call. */
struct performance;
struct outcome crew_perform_one(struct testbed *bed, struct performance *p,
				struct result *result);

#endif
