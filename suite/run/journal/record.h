/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One finished case on its way from a worker to the run and into the
 * journal: a line of JSON, the same in both places.
 */
#ifndef SUITE_RUN_RECORD_H
#define SUITE_RUN_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/judge/verdict.h"
#include "suite/language/execution/instance.h"
#include "suite/language/execution/testbed.h"

#define RECORD_IN_FORCE 512 /* octets for the names of readings */
/* Octets of a line: a longer detail is cut, and so is evidence; and what of
 * that there may be, in characters. One message of a socket takes it. */
#define RECORD_MAX      (200u << 10)
#define RECORD_EVIDENCE (64u << 10)

struct record {
	struct result result;
	enum error_cause cause; /* of an ERROR */
	bool unstarted;         /* the agent could not be reached for it */
	bool agent_lost;        /* its session ended in the case */
	bool limited;           /* the device or its agent had no room left */
	bool unanswered;        /* nor did it answer a plain exchange then */
	bool link_down;         /* so that no other case can run here */
	bool unseen;            /* it accuses only of what has not come, */
	bool unconnected;       /* and not even a connection has */
	uint64_t lost;          /* packets that the link lost meanwhile */
	bool from_journal;      /* of an earlier run */
	const char *in_force;   /* readings of the run that made it, or "" */
	const char *note;       /* a capture that could not be written, or "" */
	const char *met;        /* which values (dimension.h), as a line; or
				 * NULL: that is not known */
	void *json;             /* keeps the strings of a parsed record */
	/* Of a parsed record: its own lists, and what evidence is made of. */
	void *requirements, *broken, *evidence;
};

/* Of a case that was not judged; `why` lives as long as the record. */
struct record record_unjudged(const struct instance *in, enum verdict v,
			      enum error_cause cause, const char *why);

/* How much evidence this case has room for in its line. */
struct evidence_bounds record_room(const struct result *c);

/* A line without its '\n', to be freed by the caller; NULL: no memory. */
char *record_line(const struct record *r);

/*
 * Read a line back. Strings live until record_release(). False when it is
 * no whole record (a journal's last line may be torn); errno is ENOMEM where
 * memory did not suffice, and otherwise 0.
 */
bool record_parse(struct record *r, const char *line, size_t n);
void record_release(struct record *r);

/*
 * Of a case that tries what others stand on: it does not work. What the golden
 * model saw beside its own lines is of no matter there: the thing works, in a
 * wrong way.
 */
bool record_fell(const struct result *c);

#endif
