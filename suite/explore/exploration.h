/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An exploration in progress: shared by explore.c and its parts. Each file
 * calls only those below it.
 *
 *   explore.c      from the options to the exit status
 *   review.c       finds the program of a round that took the device down
 *   resume.c       its progress, as a file
 *   finding/       the fault that a program has shown
 *   survival.c     whether the device survives the programs
 *   exploration.c  notes, progress, one performance
 */
#ifndef SUITE_EXPLORE_EXPLORATION_H
#define SUITE_EXPLORE_EXPLORATION_H

#include "suite/explore/crew.h"
#include "suite/explore/explore.h"
#include "suite/explore/program.h"
#include "suite/language/execution/testbed.h"
#include "suite/run/blame/health.h"
#include "suite/run/journal/identity.h"
#include "suite/run/journal/journal.h"

enum {
	FINDINGS_MOST = 128, /* known ones among them */
	CONFIRM = 3,         /* performances that may show a fault again */
	ROUND_MOST = 512,    /* programs */
};

/* A fault that a program has shown. */
struct finding {
	uint64_t number; /* the program that showed it first */
	char signature[CREW_SIGNATURE];
	struct result result; /* of the shortest one; a copy */
	struct program *program;
	unsigned seen_again; /* by other programs, which were shrunk, too */
	char path[1024];
};

struct exploration {
	const struct explore_options *o;
	struct testbed bed;
	struct generate_options how;
	struct finding finding[FINDINGS_MOST];
	unsigned findings, news; /* all, and those that are not known */
	uint64_t programs, operations, skipped, again;
	unsigned idle; /* programs in a row without an operation */
	uint64_t began, told;
	uint64_t before_ns; /* the programs of the exploration that it
			     * continues */
	char first_skip[CREW_SIGNATURE];
	bool device_gone, suite_failed, at_an_end;
	bool refused;            /* the agent has refused a step */
	struct program *culprit; /* a program that took the device down while
				  * another fault was examined */
	unsigned unexplained;    /* times that the device went down */
	char unexplained_text[256];
	char note[512];
	bool progress;
	struct dimensions_met met; /* by the exploration that it continues */
	struct identity *identity;
	struct journal *journal; /* or NULL */
	bool goes_on;            /* it continues an earlier exploration */
	unsigned taken;          /* findings of that exploration */
	uint64_t saved;          /* when the progress was written last */
};

/* --- exploration.c ---------------------------------------------------- */

/* Only the first note is kept. */
void explore_note(struct exploration *e, const char *text);
void explore_says(const struct exploration *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void explore_progress(struct exploration *e, bool last);
struct outcome explore_perform(struct exploration *e, const struct program *p,
			       struct result *result);

/* --- finding/ --------------------------------------------------------- */

/* The length of the first requirement in a signature. */
size_t finding_first(const char *signature);
/* A program has failed: find the shortest program that fails. False: the search
 * was ended before a result was known. */
bool finding_look_at(struct exploration *e, const struct outcome *seen);
/* The agent refuses a step of a program, although neither the device file nor
 * the claims exclude it: find out which. */
void finding_refused(struct exploration *e, const struct outcome *seen);
/* The suite could not judge a program: that ends the exploration. The program
 * is saved, so that the error of the suite can be examined. */
void finding_unjudged(struct exploration *e, const struct outcome *seen);
/* This program takes the device down; the device was restored if possible. */
void finding_crash(struct exploration *e, struct program *p,
		   const struct hook_result *seen);
/* The same, without shrinking. */
void finding_replayed_crash(struct exploration *e, struct program *p,
			    const struct hook_result *seen);
/* The fault that this program has shown, without shrinking. */
void finding_replayed(struct exploration *e, struct program *p,
		      const struct result *r);
/* Add a finding from a journal. The memory that it refers to has to stay.
 * False: there is no room. */
bool finding_taken(struct exploration *e, const struct result *r);

/* --- survival.c ------------------------------------------------------- */

/* True if the device is well before the first program. False: one line in
 * why. */
bool survival_at_first(struct exploration *e, char *why, size_t cap);
/* True if it is well after a round. */
bool survival_so_far(struct exploration *e, struct hook_result *seen);
/*
 * Perform a program up to this many times in a row. True: the device went down;
 * it is restored if possible. Several times are needed, because a device may go
 * down a moment after the program that is the cause, and still answer until
 * then.
 */
#define SURVIVAL_TRIES 3u
bool survival_fails(struct exploration *e, const struct program *p,
		    unsigned times, struct result *result, struct outcome *out,
		    struct hook_result *seen);
/* Restore the device, and wait for it. */
struct patient survival_patient(struct exploration *e);
/* Restore the device after it went down. False: the exploration is over. */
bool survival_bring_back(struct exploration *e);

/* --- review.c --------------------------------------------------------- */

/*
 * In a round in which n programs began, the device went down after the first
 * `sound` ones, or was only found ill (`seen`, or NULL): find the program that
 * caused it.
 */
void review_round(struct exploration *e, const struct outcome *out,
		  unsigned sound, unsigned n, const struct hook_result *seen);

/* --- resume.c --------------------------------------------------------- */

/* Open the files that the options name, and check that they belong to this
 * exploration. False: one line in why. */
bool resume_open(struct exploration *e, char *why, size_t cap);
/* The agent has answered: continue from the stored progress. */
bool resume_begin(struct exploration *e, char *why, size_t cap);
/* Write the progress: now, or if a second has passed since the last time. */
void resume_save(struct exploration *e, bool now);
void resume_close(struct exploration *e);

#endif
