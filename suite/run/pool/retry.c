/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is run again. A case that accuses the device, or could not tell, while
 * this host was late (host.c) or the link lost packets, is run once more, at
 * the end, beside none but such that wait for something; and alone, where the
 * host was late beside these as well. A foundation is run again before those
 * that stand on it, and several times. Its verdict is that of the last time;
 * only where the same has happened to it again nobody can say whose doing it
 * was: an ERROR that says so.
 *
 * That packets were lost the TCP of the connections tells, as far as it is the
 * suite's. What it cannot know, it is not held to know once the link has lost
 * any: a case that accuses only of what has not come is run again as well. That
 * it was lost twice, and nothing told of it, is not believed: then it fails. A
 * connection of the device that does not come is the exception, for no TCP of
 * the suite's hears of it before: a device that gives up before a second has
 * passed never sends its SYN again. It is tried until there is no doubt.
 */
#include "suite/run/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Three times in a row one of 100 packets is lost in one of 1,000,000 cases. */
#define TRIES_UNCONNECTED 3u
/* In company; then alone. */
#define TRIES_LATE 2u
/* What others stand on has to be known: whoever stands on what nobody could
 * judge says little. */
#define TRIES_FOUNDATION 4u

bool retry_open(struct run *run)
{
	run->retry.of = calloc(registry()->count, sizeof(*run->retry.of));
	return run->retry.of;
}

static bool accuses_or_cannot_tell(const struct record *r)
{
	switch (r->result.verdict) {
	case VERDICT_FAIL:
	case VERDICT_WARN:
	case VERDICT_BLOCKED:
	case VERDICT_ERROR:
		return true;
	default:
		return false;
	}
}

/* Whether the network does, as far as any case knows: not what a case with
 * little room for it may have lost by itself. */
static bool link_loses_packets(const struct run *run)
{
	return run->wo.patience ? run->wo.patience->lost : run->retry.lost;
}

/* It may be that something was lost of which nobody knows. */
static bool may_have_been_lost(const struct run *run,
			       const struct retried *before,
			       const struct record *r)
{
	if (!link_loses_packets(run) || r->result.verdict == VERDICT_WARN)
		return false;
	if (r->unconnected)
		return before->tries < TRIES_UNCONNECTED;
	return !before->tries &&
	       (r->unseen || r->result.verdict != VERDICT_FAIL);
}

/* In words, to be freed; NULL: there is no reason to doubt what it came to.
 * *again: it is one that leaves no verdict after the last try. */
static char *doubt(const struct run *run, const struct retried *before,
		   const struct record *r, uint64_t late, bool *explains)
{
	char *why = NULL;
	int n = 0;

	*explains = late || r->lost;
	if (late)
		return host_says(late);
	if (r->lost)
		n = asprintf(&why,
			     "the link lost %" PRIu64 " packet%s meanwhile, as "
			     "its TCP tells, and what came of it may be the "
			     "link's doing",
			     r->lost, r->lost == 1 ? "" : "s");
	else if (may_have_been_lost(run, before, r))
		n = asprintf(&why, "the link loses packets, and what has not "
				   "come may have been lost");
	return n < 0 ? NULL : why;
}

static void is_an_error(struct record *r, size_t index, const char *why)
{
	record_release(r);
	*r = record_unjudged(&registry()->instances[index], VERDICT_ERROR,
			     CAUSE_SUITE, why);
}

bool retry_postpones(struct run *run, const struct pool_worker *w,
		     unsigned busy, struct record *r)
{
	struct retried *of = &run->retry.of[w->index];
	uint64_t late = host_was_late(run, w, busy);
	bool explains, was_alone = !w->beside;
	unsigned most = run->trying          ? TRIES_FOUNDATION
			: late && !was_alone ? TRIES_LATE
					     : 1;
	char *why;

	run->retry.lost += r->lost;
	why = accuses_or_cannot_tell(r) ? doubt(run, of, r, late, &explains)
					: NULL;
	if (why && (of->tries < most || !explains)) {
		of->tries++;
		free(of->why);
		of->why = why; /* it lives as long as the process */
		return true;
	}
	if (why) {
		is_an_error(r, (size_t)w->index, why);
		if (late)
			host_was_late_again(run);
	}
	r->result.retried = of->why;
	return false;
}
