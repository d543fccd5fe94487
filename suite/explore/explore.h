/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exploration: programs at random, performed on a device in step with the
 * golden model; what one shows is judged by requirement, as in a case, shrunk
 * to the shortest program that shows it, and steered around from then on.
 *
 *   explore.c     rounds of programs, what it came to
 *   finding.c     what a program has shown, and that it is not shown again
 *   survival.c       whether the device survives it
 *   resume.c      how far it is, as a file
 *   crew.c        the processes that perform programs
 *   generate.c    a program from a seed
 *   perform.c     a program as a case
 *   shrink.c      the shortest that still shows it
 *   script.c      a program as text
 *   as_case.c     a program as a case
 *   fault.c       what is wrong with a message
 *   startup.c     what is wrong with a startup frame
 *   program.c     what its numbers mean
 *
 *   generate ──▶ crew: perform ──▶ failures, by number ──▶ shrink ──▶ finding
 *      ▲                                                     │
 *      └────────────────── what to avoid ◀───────────────────┘
 *
 * Rounds are of programs, not of time: the same seed, options and device find
 * the same, whatever the number of jobs.
 *
 * A finding is named by the first requirement that its program breaks, or by
 * what takes the device down: explore/MPA-4.4-14, explore/device-crashed/
 * peer-reads/wrap. A known deviation names requirements, too: one that any case
 * is known to break is XFAIL here, and steered around from the first program
 * on that shows it; with `avoid` in its entry, from the start. Entries are not
 * stale for what no program came upon; but those that have expired, or name no
 * case, are, as in a run.
 */
#ifndef SUITE_EXPLORE_EXPLORE_H
#define SUITE_EXPLORE_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "suite/explore/generate.h"
#include "suite/run/plan/runner.h"

/* If nobody says otherwise. */
#define EXPLORE_OPERATIONS 200000u
#define EXPLORE_FINDINGS   16u

struct explore_options {
	const struct run_options *run; /* device, jobs, seed, time, ... */
	unsigned steps;                /* of a program; 0: the default */
	unsigned streams;              /* likewise */
	uint64_t operations;           /* to be done; 0: no bound */
	unsigned findings;             /* after so many it ends; 0: no bound */
	char *const *dimensions;       /* "NAME=LOW..HIGH" */
	size_t dimension_count;
	const char *weights;  /* "OPERATION=N,...", or NULL */
	const char *programs; /* folder for those of findings */
	const char *replay;   /* a script to perform instead, or NULL */
	const char *as_case;  /* one to be written as a case instead, or NULL */
};

/*
 * Explore. False: a usage error, one line in why, before anything was done.
 * Otherwise *out is complete, as after a run; it lives until the process
 * ends. A finding is a case in it, whose detail begins with its program.
 */
bool explore(const struct explore_options *o, struct run_result *out, char *why,
	     size_t cap);

/*
 * These ids, and behind them those of all that programs can find: what a file
 * of known deviations may name. They are of the first call, and live as long as
 * the process. NULL: no memory.
 */
const char *const *explore_ids(const char *const *cases, size_t count,
			       size_t *n);

#endif
