/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The catalogue - requirements, and cases with the features that they need - as
 * a file of its own, and the cases in it that a statement requires. The file is
 * stored with a certificate, so that another version of warpspec than the one
 * that ran the cases can read the requirements.
 */
#ifndef SUITE_ICS_DUE_H
#define SUITE_ICS_DUE_H

#include "suite/ics/ics.h"

#define DUE_FORM 1 /* of the file */

struct due_case {
	const char *id, *level;
	uint64_t needs, lacks; /* 1 << enum agent_feature */
	uint64_t unknown;      /* features that this warpspec has no name for */
	unsigned specs;        /* 1 << place in due_specs; 0: all of them */
	bool segments, destructive;
	bool mpa; /* about MPA or TCP: not applicable over SCTP */
};

struct due_list {
	struct due_case *cases; /* in the order of their ids */
	size_t count;
	size_t requirements;
	void *json; /* keeps the strings */
};

/* Write the catalogue of this program. False: no memory, or `out` failed. */
bool due_write(FILE *out);

/* Read a catalogue. False: one line in why. Call due_free() in any case. */
bool due_read(struct due_list *l, const char *name, const char *octets,
	      size_t n, char *why, size_t cap);
void due_free(struct due_list *l);

/* What a statement requires: a case, or why it does not. */
enum due {
	DUE_REQUIRED,
	DUE_UNSTATED, /* the statement does not claim what it needs */
	DUE_OF_SCTP,  /* the stated link is TCP */
	DUE_OF_TCP,   /* the stated link is SCTP */
	DUE_SEGMENTS, /* the stated link cannot choose TCP segments */
	DUE_ON_LINK,  /* the run found that the link cannot carry it */
	DUE_KINDS
};

/* The reason in few words in why; "" if it is required. */
#define DUE_WHY 96
enum due due_of(const struct ics *s, const struct due_case *c,
		char why[DUE_WHY]);

#endif
