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
/* The most octets of a line, and characters of evidence in it; a longer detail,
 * and more evidence, is cut. A line fits into one message of a socket. */
#define RECORD_MAX      (200u << 10)
#define RECORD_EVIDENCE (64u << 10)

struct record {
	struct result result;
	enum error_cause cause; /* of an ERROR */
	bool unstarted;         /* the agent could not be reached */
	bool agent_lost;        /* its session ended in the case */
	bool agent_silent;      /* ... because it did not reply */
	bool limited;      /* the device or its agent ran out of resources */
	bool unanswered;   /* a plain exchange was not answered either */
	bool link_down;    /* no other case can run on this link */
	bool unseen;       /* it failed only because something did not arrive */
	bool unconnected;  /* ... which is a connection of the device */
	uint64_t lost;     /* packets lost by the link meanwhile */
	bool interrupted;  /* its interface lost its carrier */
	bool from_journal; /* of an earlier run */
	const char *in_force; /* readings of the run that made it, or "" */
	const char *note;     /* a capture that could not be written, or "" */
	const char *met; /* values that occurred (dimension.h); NULL: unknown */
	void *json;      /* keeps the strings of a parsed record */
	/* Of a parsed record: its own lists, and its evidence. */
	void *requirements, *broken, *axes, *evidence;
};

/* The record of a case that was not judged; `why` has to live as long. */
struct record record_unjudged(const struct instance *in, enum verdict v,
			      enum error_cause cause, const char *why);

/* The room for the evidence of this case in its line. */
struct evidence_bounds record_room(const struct result *c);

/* Keep this text as the device's log of the case; without memory, do not. */
void record_keep_log(struct record *r, const char *text);

/* A line without its '\n', to be freed by the caller; NULL: out of memory. */
char *record_line(const struct record *r);

/*
 * Parse a line. Strings live until record_release(). False: not a complete
 * record (the last line of a journal may be torn); errno is ENOMEM if out of
 * memory, and otherwise 0.
 */
bool record_parse(struct record *r, const char *line, size_t n);
void record_release(struct record *r);

/*
 * True if a case that tests a foundation shows that the foundation has failed.
 * Objections of the golden model beyond the case's own lines do not count: with
 * them, the foundation works, although not correctly.
 */
bool record_fell(const struct result *c);

#endif
