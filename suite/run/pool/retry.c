/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cases that run again. If this host was late (host.c), the link lost packets,
 * or its interface lost its carrier while a case failed or could not be judged,
 * the case runs once more at the end, together only with cases that wait for
 * something; and alone, if the host was late again. A foundation runs again
 * before the cases that depend on it, several times if need be. The last verdict
 * counts. If the same happens in the last run as well, the cause cannot be
 * decided: the case is an ERROR that says so. A case that found nothing to judge,
 * or a choice, while packets were lost runs again as well, and keeps its last
 * verdict.
 *
 * The suite's own TCP reports lost packets, and the raw link reports the frames
 * that this host dropped. Neither knows of every loss. Once the link has lost a
 * packet, a case that fails only because something did not come runs again as
 * well: a path that is dead for two seconds leaves no trace at the end that
 * waits. If it fails in this way up to TRIES_UNSEEN times more, without a
 * reported loss, that counts as a FAIL or WARN. A connection of the device that does
 * not come is tried as often: none of the suite's TCP connections sees it
 * before, and a device that gives up within a second never sends its SYN again.
 * The first lost packet of a run may be such a SYN: a case that
 * failed in this way before any loss was known runs again as soon as all others
 * have ended, if one is known by then. An agent that falls silent on such a link
 * and is there again afterwards may have lacked packets, too.
 *
 * A case during which the agent went away runs again if the agent comes back:
 * something else may have ended it. If it goes away again in this case, the
 * result stands.
 *
 * Packets that waited in this host for as long as a timer of the device may run
 * put a failure in doubt up to TRIES_PACKETS times; if it is still there, it
 * counts. A case that passes is not asked.
 */
#include "suite/run/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/link/clock.h"

/* Three times in a row one of 100 packets is lost in one of 1,000,000 cases; a
 * path that is dead a tenth of the time, in one of 1,000 of those that met it
 * once. */
#define TRIES_UNSEEN 3u
/* Where the agent was gone, and came back. */
#define TRIES_GONE 1u
/* Where packets were lost each time. */
#define TRIES_LOST 2u
/* Where packets waited for a processor each time (packets.h): that is often so
 * on a busy host, and seldom changes a verdict. */
#define TRIES_PACKETS 2u
/* In company; then alone. */
#define TRIES_LATE 2u
/* A foundation has to be known: a case whose foundation could not be judged
 * proves little. */
#define TRIES_FOUNDATION 4u

bool retry_open(struct run *run)
{
	run->retry.of = calloc(registry()->count, sizeof(*run->retry.of));
	return run->retry.of;
}

static bool accuses_or_cannot_tell(const struct record *r)
{
	switch (r->result.verdict) {
	case VERDICT_SKIP:
	case VERDICT_INFO:
		/* Something did not come, and the case did not mind. */
		return r->interrupted || r->lost;
	case VERDICT_FAIL:
	case VERDICT_WARN:
	case VERDICT_BLOCKED:
	case VERDICT_ERROR:
		return true;
	default:
		return false;
	}
}

static bool accuses(const struct record *r)
{
	return r->result.verdict == VERDICT_FAIL ||
	       r->result.verdict == VERDICT_WARN;
}

/* Whether the network loses packets, as far as any case knows: not packets lost
 * by a case whose own buffers are small. */
static bool link_loses_packets(const struct run *run)
{
	return run->wo.patience ? run->wo.patience->lost : run->retry.lost;
}

/* A packet may have been lost without a report. */
static bool may_have_been_lost(const struct run *run,
			       const struct retried *before,
			       const struct record *r)
{
	if (!link_loses_packets(run))
		return false;
	if (r->unconnected || r->unseen)
		return before->tries < TRIES_UNSEEN;
	return !before->tries && !accuses(r);
}

static bool packets_were_late(const struct run *run,
			      const struct pool_worker *w,
			      const struct retried *before,
			      const struct record *r)
{
	return !r->link_down && w->packets_late >= host_most(run) &&
	       before->tries < TRIES_PACKETS;
}

/* Why the verdict is in doubt, to be freed; NULL: it is not. *explains: the
 * reason would make the verdict of the last try an ERROR. */
static char *doubt(const struct run *run, const struct pool_worker *w,
		   const struct retried *before, const struct record *r,
		   uint64_t late, bool *explains)
{
	char *why = NULL;
	int n = 0;

	*explains = late || r->interrupted || r->lost;
	if (late && !r->unstarted)
		return host_says(late);
	if (r->interrupted)
		return strdup("the network interface towards the device lost "
			      "its carrier meanwhile, which may be the cause");
	/* The device may have crashed, which loses packets, too: its health
	 * decides (crash_attribution.c). */
	if (r->unstarted || r->agent_lost)
		return NULL;
	if (r->lost)
		n = asprintf(&why,
			     "the link or this host lost %" PRIu64
			     " packet%s meanwhile, which may be the cause of "
			     "the failure",
			     r->lost, r->lost == 1 ? "" : "s");
	else if (packets_were_late(run, w, before, r))
		n = asprintf(&why,
			     "packets waited up to %u ms for a processor of "
			     "this host, which may be the cause of the failure",
			     (unsigned)(w->packets_late / CLOCK_NS_PER_MS));
	else if (may_have_been_lost(run, before, r))
		n = asprintf(&why, "the link loses packets, and may have lost "
				   "the missing answer");
	return n < 0 ? NULL : why;
}

/* The link may explain that the agent was silent; nothing explains that it was
 * gone, but what ended it need not be this case. */
static unsigned most_tries_without_agent(const struct run *run,
					 const struct record *r)
{
	bool loses = r->lost || r->interrupted || link_loses_packets(run);

	return r->agent_silent && loses ? TRIES_LOST : TRIES_GONE;
}

bool retry_without_agent(struct run *run, size_t index, const struct record *r)
{
	struct retried *of = &run->retry.of[index];

	if (!r->agent_lost || !accuses_or_cannot_tell(r) ||
	    of->tries >= most_tries_without_agent(run, r))
		return false;
	of->tries++;
	free(of->why);
	of->why = strdup(
		!r->agent_silent ? "the agent was gone meanwhile, and came back"
		: r->lost || r->interrupted || link_loses_packets(run)
			? "the agent did not answer in time on a link "
			  "that loses packets"
			: "the agent did not answer in time, and later "
			  "answered again");
	return true;
}

static bool has_only_missed(const struct record *r)
{
	return accuses(r) && (r->unconnected || r->unseen);
}

bool retry_finds_early(struct run *run, size_t *index)
{
	for (size_t i = 0; link_loses_packets(run) && i < registry()->count;
	     i++) {
		struct retried *of = &run->retry.of[i];

		if (!of->early || !run->done[i] ||
		    !has_only_missed(&run->records[i]))
			continue;
		of->early = false;
		of->tries++;
		of->why = strdup("it failed before the first packet was known "
				 "to be lost, and may have lacked one");
		*index = i;
		return true;
	}
	return false;
}

/* Its last verdict stands, whatever was lost: it accuses no device. */
static bool is_content(const struct record *r)
{
	return (r->result.verdict == VERDICT_SKIP ||
		r->result.verdict == VERDICT_INFO) &&
	       !r->interrupted;
}

/* For as long as the process. */
static const char *kept(const char *text)
{
	return text ? strdup(text) : NULL;
}

/* Its capture remains: packets can be judged on any host. */
static void is_an_error(struct record *r, size_t index, const char *why)
{
	/* Without a path to it, the device cannot be reached. */
	enum error_cause cause = r->interrupted ? CAUSE_DEVICE : CAUSE_SUITE;
	const char *capture = kept(r->result.capture);
	const char *sum = kept(r->result.capture_sha256);

	record_release(r);
	*r = record_unjudged(&registry()->instances[index], VERDICT_ERROR,
			     cause, why);
	r->result.capture = capture;
	r->result.capture_sha256 = sum;
}

bool retry_postpones(struct run *run, const struct pool_worker *w,
		     unsigned busy, struct record *r)
{
	struct retried *of = &run->retry.of[w->index];
	uint64_t late = host_was_late(run, w, busy);
	bool explains, was_alone = !w->beside;
	unsigned most = run->trying          ? TRIES_FOUNDATION
			: late && !was_alone ? TRIES_LATE
			: r->lost            ? TRIES_LOST
					     : 1;
	char *why;

	run->retry.lost += r->lost;
	why = accuses_or_cannot_tell(r) ? doubt(run, w, of, r, late, &explains)
					: NULL;
	/* No other try is better on a link that is down for good. */
	if (why && !r->link_down && (of->tries < most || !explains)) {
		of->tries++;
		free(of->why);
		of->why = why; /* it lives as long as the process */
		return true;
	}
	if (why && is_content(r)) {
		free(why);
	} else if (why) {
		is_an_error(r, (size_t)w->index, why);
		if (late)
			host_was_late_again(run);
	}
	of->early =
		!of->tries && !link_loses_packets(run) && has_only_missed(r);
	r->result.retried = of->why;
	return false;
}
