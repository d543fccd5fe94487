/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An exploration under way: what explore.c and the files that it is made of
 * share. Each calls only those below it.
 *
 *   explore.c      from the options to the exit status
 *   review.c       which program of a round took the device down
 *   resume.c       how far it is, as a file
 *   finding.c      what a program has shown
 *   survival.c     whether the device survives what is done to it
 *   exploration.c  notes, progress, one performance
 */
#ifndef SUITE_EXPLORE_EXPLORATION_H
#define SUITE_EXPLORE_EXPLORATION_H

#include <signal.h>

#include "suite/explore/crew.h"
#include "suite/explore/explore.h"
#include "suite/explore/program.h"
#include "suite/language/execution/testbed.h"
#include "suite/run/blame/health.h"
#include "suite/run/journal/identity.h"
#include "suite/run/journal/journal.h"

enum {
	FINDINGS_MOST = 128, /* known ones among them */
	CONFIRM = 3,         /* performances that may show it again */
	ROUND_MOST = 512,    /* programs */
};

/* A thing that a program has shown. */
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
	unsigned idle; /* programs in a row in which nothing was done */
	uint64_t began, told;
	uint64_t before_ns; /* what an exploration that goes on has taken */
	char first_skip[CREW_SIGNATURE];
	bool device_gone, suite_failed, at_an_end;
	bool refused;            /* something that the device was to do */
	struct program *culprit; /* one that took the device down, on the way */
	unsigned unexplained;    /* times that the device went down */
	char unexplained_text[256];
	char note[512];
	bool progress;
	struct dimensions_met met; /* by what it goes on from */
	struct identity *identity;
	struct journal *journal; /* or NULL */
	bool goes_on;            /* in what is there */
	unsigned taken;          /* findings of what it goes on from */
	uint64_t saved;          /* when it was written last */
};

/* The signal that ends it, or 0; time that is over is SIGALRM. */
extern volatile sig_atomic_t explore_ended;

/* --- exploration.c -------------------------------------------------------------- */

/* The first note stays. */
void explore_note(struct exploration *e, const char *text);
void explore_says(const struct exploration *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void explore_progress(struct exploration *e, bool last);
struct outcome explore_perform(struct exploration *e, const struct program *p,
			       struct result *result);

/* --- finding.c ---------------------------------------------------------------- */

/* The first of the requirements that are broken: its octets. */
size_t finding_first(const char *signature);
/* A program has failed: what is the shortest that does? False: it was ended
 * before anything is known. */
bool finding_look_at(struct exploration *e, const struct outcome *seen);
/* Its agent refuses what a program takes, as no device file or claim has said:
 * what is that? */
void finding_refused(struct exploration *e, const struct outcome *seen);
/* The suite could not judge it: that ends the exploration, and the program is
 * there for who mends that. */
void finding_unjudged(struct exploration *e, const struct outcome *seen);
/* This one takes the device down, which is up again where it can be. */
void finding_crash(struct exploration *e, struct program *p,
		   const struct hook_result *seen);
/* The same, as it is. */
void finding_replayed_crash(struct exploration *e, struct program *p,
			    const struct hook_result *seen);
/* What this one has shown, as it is. */
void finding_replayed(struct exploration *e, struct program *p,
		      const struct result *r);
/* From a journal: what the record refers to stays. */
bool finding_taken(struct exploration *e, const struct result *r);

/* --- survival.c ------------------------------------------------------------------- */

/* Whether the device is well before anything was done. False: why. */
bool survival_at_first(struct exploration *e, char *why, size_t cap);
/* Whether it is so after a round. */
bool survival_so_far(struct exploration *e, struct hook_result *seen);
/*
 * Perform it so often in a row, and see whether the device survives that; if
 * not it is brought back, if it can be. A device may go down a moment after
 * what brought it down: it is there still then.
 */
#define SURVIVAL_TRIES 3u
bool survival_fails(struct exploration *e, const struct program *p,
		    unsigned times, struct result *result, struct outcome *out,
		    struct hook_result *seen);
/* What it is brought back with, and awaited. */
struct patient survival_patient(struct exploration *e);
/* After it went down. False: the exploration is over. */
bool survival_bring_back(struct exploration *e);

/* --- review.c --------------------------------------------------------------------- */

/*
 * In a round of which n programs were begun the device went down, behind the
 * first `sound`, or was only seen to be ill, `seen`, or NULL: which did it?
 */
void review_round(struct exploration *e, const struct outcome *out,
		  unsigned sound, unsigned n, const struct hook_result *seen);

/* --- resume.c -------------------------------------------------------------------- */

/* Open what the options name, and see that it is of this exploration. False:
 * one line in why. */
bool resume_open(struct exploration *e, char *why, size_t cap);
/* The agent was asked: go on from what is there. */
bool resume_begin(struct exploration *e, char *why, size_t cap);
/* Write how far it is: now, or when a second has passed. */
void resume_save(struct exploration *e, bool now);
void resume_close(struct exploration *e);

#endif
