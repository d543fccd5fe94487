/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The judgement of a run: the result of a case (result.h), how its judgements
 * make a verdict, and which failures are known (deviations.h). Nothing here
 * runs anything.
 *
 * One fault, one sentence: a failure that follows from a reported fault is
 * reported as its consequence, and blames no requirement. This applies to
 *
 *   - something that was due and never arrived, if another line of the case has
 *     failed; but not if only the golden model has objected, because an
 *     objection to every frame would hide everything else;
 *   - a Terminate for no error (RFC 5040 s4.8), found by the golden model, if a
 *     line of the case names the refused message;
 *   - a dependency of a case that failed because of such a Terminate;
 *   - a case whose preparatory steps depend on a failed foundation;
 *   - all objections of the golden model in a foundation case, if a line of its
 *     own names the cause;
 *   - everything that arrived, or did not, on a stream whose framing is lost
 *     according to the golden model: only the framing is blamed.
 *
 * A verdict is ERROR if the suite could not judge, FAIL if a MUST is broken,
 * WARN if only a SHOULD (or the closed set of a MAY) is, BLOCKED if a case that
 * it depends on failed, PASS if a MUST or SHOULD was judged and held, INFO if
 * only permissions and open points were examined.
 */
#ifndef SUITE_JUDGE_VERDICT_H
#define SUITE_JUDGE_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/observe/arena.h"
#include "suite/dimension/axes.h"
#include "suite/judge/result.h"
#include "suite/req/req.h"

struct looked_at;

/* The result of one expectation, or of one objection of the model. */
struct judgement {
	unsigned short req;
	enum req_kind kind;
	bool ok;
	bool by_model;
	bool missing;     /* it never arrived; false: something else was seen */
	bool ground;      /* about a dependency of the case, not about its
		       * subject */
	bool adrift;      /* about what arrived after the framing was lost */
	bool given;       /* what the case presupposes of the device */
	const char *text; /* expected and observed */
	struct axes axes; /* points that the case had met by then */
	const struct looked_at *on; /* for its evidence: its type is known to
				     * the part that has judged; or NULL */
	struct judgement *next;
};

/* What prevented the suite from judging. */
enum error_cause { CAUSE_NONE, CAUSE_DEVICE, CAUSE_SUITE };

/* A case that has ended. */
struct ended_case {
	const char *id, *title, *level, *role; /* as in struct result */
	const unsigned short *reqs;            /* the rows that its body
					        * judges */
	size_t req_count;
	const struct judgement *judged; /* in their order */
	enum teardown teardown;
	bool skipped;
	bool founds; /* a line of its own explains why others are BLOCKED: it
		      * founds that, or depends on it and is about it */
	enum error_cause cause;
	const char *reason;     /* why SKIP, ERROR or BLOCKED, else "" */
	const char *blocked_by; /* the case that reports it, or NULL */
	bool outweighed; /* set with it: failures here are its consequences */
	const char *unjudged; /* a fact that the agent cannot report, or NULL:
			       * lines that need it are left out */
	bool presumed;        /* one of them is what the case presupposes */
	bool alone;           /* there is no agent */
	bool excused;         /* a line failed because of the ULP, perhaps */
	const char *reading, *reading_lines; /* names, and lines of detail */
};

/* Leave out of a result what was seen on the way to no verdict: it is no
 * evidence. */
void verdict_unsay(struct result *out);

/* Fill in everything except its duration and capture; the data that it refers
 * to lives in the arena. */
void verdict_of(const struct ended_case *c, const struct arena *a,
		struct result *out);

/* One of its judgements failed because of something reported elsewhere. */
bool verdict_is_consequence(const struct ended_case *c,
			    const struct judgement *j);

/* The verdict of one name, or VERDICT_COUNT. */
enum verdict verdict_named(const char *name);
enum teardown teardown_named(const char *name);

#endif
