/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exploration: random programs, performed on a device in step with the golden
 * model. A fault is judged by requirement, as in a case, reduced to the
 * shortest program that shows it, and avoided from then on.
 *
 *   explore.c     rounds of programs, and the result
 *   finding/      the fault that a program has shown; avoiding it later
 *   survival.c    whether the device survives the programs
 *   resume.c      its progress, as a file
 *   crew.c        the processes that perform programs
 *   generate.c    a program from a seed
 *   perform/      a program, performed as a case
 *   shrink.c      the shortest program that still shows a fault
 *   script.c      a program as text
 *   as_case.c     a program as a case
 *   program.c     the meaning of a program's numbers
 *
 *   generate ──▶ crew: perform ──▶ failures, by number ──▶ shrink ──▶ finding
 *      ▲                                                     │
 *      └────────────────── what to avoid ◀───────────────────┘
 *
 * A round is a number of programs, not a time: the same seed, options and
 * device give the same findings with any number of jobs.
 *
 * A finding is named by the first requirement that its program breaks, or by
 * the operation that takes the device down: explore/MPA-4.4-14,
 * explore/device-crashed/peer-reads/wrap. A known deviation names
 * requirements, too: a requirement that any case is known to break is XFAIL
 * here, and avoided after the first program that shows it; with `avoid` in its
 * entry, from the start. An entry is not stale because no program met it; it is
 * stale if it has expired or names no case, as in a run.
 */
#ifndef SUITE_EXPLORE_EXPLORE_H
#define SUITE_EXPLORE_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "suite/explore/generate.h"
#include "suite/run/plan/runner.h"

/* The defaults. */
#define EXPLORE_OPERATIONS 200000u
#define EXPLORE_FINDINGS   16u

struct explore_options {
	const struct run_options *run; /* device, jobs, seed, time, ... */
	unsigned steps;                /* of a program; 0: the default */
	unsigned streams;              /* likewise */
	uint64_t operations;           /* at most; 0: no limit */
	unsigned findings;             /* it ends after them; 0: no limit */
	char *const *dimensions;       /* "NAME=LOW..HIGH" */
	size_t dimension_count;
	const char *weights;  /* "OPERATION=N,...", or NULL */
	const char *programs; /* folder for the programs of findings */
	const char *replay;   /* a script to perform instead, or NULL */
	const char *as_case;  /* a script to write as a case instead, or NULL */
};

/*
 * Explore. False: a usage error, one line in why, before anything was done.
 * Otherwise *out is complete, as after a run; it lives until the process
 * ends. A finding is a case in it, whose detail begins with its program.
 */
bool explore(const struct explore_options *o, struct run_result *out, char *why,
	     size_t cap);

/*
 * These ids, followed by those of all possible findings of programs: the ids
 * that a file of known deviations may name. They are those of the first call,
 * and live as long as the process. NULL: no memory.
 */
const char *const *explore_ids(const char *const *cases, size_t count,
			       size_t *n);

#endif
