/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The judgement of a run: what a case came to (result.h), how its judgements
 * make a verdict, and which failures are known (deviations.h). Nothing here
 * runs anything.
 *
 * One fault, one sentence: what a fault that is told brings with it is told as
 * its consequence, and accused of nothing. That is so
 *
 *   - of what was due and never came, once another line of the case has
 *     failed; not where the golden model alone has objected: what it sees in
 *     every frame would hide all else;
 *   - of a Terminate where nothing was wrong (RFC 5040 s4.8), found by the
 *     golden model, where a line of the case says what was refused by it;
 *   - of the ground under a case, where such a Terminate took it away;
 *   - of a case whose way to what it is about rests on what has fallen;
 *   - of all that the golden model objects to in a case that founds others,
 *     where a line of its own names the cause;
 *   - of what came, or did not, on a stream whose framing the golden model has
 *     seen lost: it accuses the framing.
 *
 * A verdict is ERROR where the suite could not judge, FAIL where a MUST is
 * broken, WARN where only a SHOULD (or the closed set of a MAY) is, BLOCKED
 * where what the case stands on does not stand, PASS where a MUST or SHOULD was
 * judged and held, INFO where nothing but permissions and open points were
 * looked at.
 */
#ifndef SUITE_JUDGE_VERDICT_H
#define SUITE_JUDGE_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/observe/arena.h"
#include "suite/judge/result.h"
#include "suite/req/req.h"

struct looked_at;

/* What one expectation, or one objection of the model, came to. */
struct judgement {
	unsigned short req;
	enum req_kind kind;
	bool ok;
	bool by_model;
	bool missing; /* it never came; false: something else was seen */
	bool ground;  /* of what the case stands on, not of what it is about */
	bool adrift;  /* of what came after the framing was lost */
	const char *text;           /* what was due and what was seen */
	const struct looked_at *on; /* for its evidence: whoever has judged
				     * knows what that is; or NULL */
	struct judgement *next;
};

/* Who is to blame where the suite could not judge. */
enum error_cause { CAUSE_NONE, CAUSE_DEVICE, CAUSE_SUITE };

/* A case that has ended. */
struct ended_case {
	const char *id, *title, *level, *role; /* as in struct result */
	const unsigned short *reqs;            /* what its body judges */
	size_t req_count;
	const struct judgement *judged; /* in their order */
	enum teardown teardown;
	bool skipped;
	bool founds; /* it says why others are BLOCKED, by a line of its own:
		      * it founds that, or rests on it and is about it */
	enum error_cause cause;
	const char *reason;     /* why SKIP, ERROR or BLOCKED, else "" */
	const char *blocked_by; /* the case that reports it, or NULL */
	bool outweighed; /* by that: what failed here is a consequence of it */
	const char *unjudged; /* what the agent cannot report, or NULL */
	bool alone;   /* there is no agent: what needs one is left out, */
	bool excused; /* and a line did not hold that may be the ULP's */
	const char *reading, *reading_lines; /* names, and lines of detail */
};

/* Fill out all but its duration and capture; what it refers to lives in the
 * arena. */
void verdict_of(const struct ended_case *c, const struct arena *a,
		struct result *out);

/* One of its judgements has failed, by what is reported elsewhere. */
bool verdict_is_consequence(const struct ended_case *c,
			    const struct judgement *j);

/* The verdict of one name, or VERDICT_COUNT. */
enum verdict verdict_named(const char *name);
enum teardown teardown_named(const char *name);

#endif
