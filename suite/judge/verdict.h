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
	bool adrift;      /* about octets after the framing was lost */
	bool given;       /* the case presupposes it of the device */
	const char *text; /* expected and observed */
	struct axes axes; /* points that the case had met by then */
	const struct looked_at *on; /* its subject, for the evidence, or NULL;
				     * only the language knows the type */
	struct judgement *next;
};

/* The cause that prevented the suite from judging. */
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
	bool founds; /* the case tests a foundation, or depends on one and is
		      * about it: its lines explain why others are BLOCKED */
	enum error_cause cause;
	const char *reason;     /* why SKIP, ERROR or BLOCKED, else "" */
	const char *blocked_by; /* the case that reports the cause, or NULL */
	bool outweighed;      /* failures here are consequences of that cause */
	const char *unjudged; /* a fact that the agent cannot report, or NULL:
			       * lines that need it are left out */
	bool presumed;        /* the case presupposes one of these lines */
	bool alone;           /* there is no agent */
	bool excused;         /* a line failed, perhaps because of the ULP */
	const char *reading, *reading_lines; /* names, and lines of detail */
};

/* Remove the observations from a result without a judgement (SKIP, BLOCKED,
 * ERROR): they prove nothing. */
void verdict_unsay(struct result *out);

/* Fill in everything except its duration and capture; the data that it refers
 * to lives in the arena. */
void verdict_of(const struct ended_case *c, const struct arena *a,
		struct result *out);

/* True if this judgement of the case failed as a consequence of a fault that is
 * reported elsewhere. */
bool verdict_is_consequence(const struct ended_case *c,
			    const struct judgement *j);

/* The verdict of one name, or VERDICT_COUNT. */
enum verdict verdict_named(const char *name);
enum teardown teardown_named(const char *name);

#endif
