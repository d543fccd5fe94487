/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices of what the ULP is offered, and when it learns of completions. */
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/verbs/memory_decisions.h"
#include "harness/refdut/verbs/post_decisions.h"
#include "harness/refdut/verbs/work_decisions.h"
#include "harness/refdut/decision/override.h"

VARIANT(rights, reads_or_writes, "SEC-6.3.5-01",
	"gives no region both remote read and remote write access",
	rights_go_together)
{
	unsigned both = ACCESS_REMOTE_READ | ACCESS_REMOTE_WRITE;

	return !((access & both) == both && chosen(self)) &&
	       OTHERWISE(rights_go_together);
}

static bool is_sink_on(const struct conn *c, const struct region *region)
{
	for (const struct work *work = c->work; work; work = work->next)
		if (work->begun && work->local == region)
			return true;
	return false;
}

/* A Read of the device, or one of its peer. */
static bool is_read_from(const struct conn *c, const struct region *region)
{
	if (is_sink_on(c, region))
		return true;
	for (const struct request *r = c->requests; r; r = r->next)
		if (!r->atomic && read_source_stag(r->header) == region->stag)
			return true;
	return false;
}

VARIANT(memory_in_use, memory_in_use_stays_valid, "RDMAP-8.1.1-04",
	"refuses to invalidate a region while a Read uses it",
	may_be_invalidated)
{
	for (const struct conn *c = s->conns; c; c = c->next)
		if (is_read_from(c, region) && chosen(self))
			return false;
	return OTHERWISE(may_be_invalidated);
}

VARIANT(memory_in_use, memory_in_use_waits, "RDMAP-8.1.1-04",
	"invalidates the sink of a Read only when the Read has ended",
	invalidation_waits)
{
	for (const struct conn *c = s->conns; c; c = c->next)
		if (is_sink_on(c, region) && chosen(self))
			return true;
	return OTHERWISE(invalidation_waits);
}

VARIANT(unaligned, unaligned_atomics_not_sent, "RDMAPX-5.1.1-14",
	"refuses to post an atomic whose target is not aligned",
	atomic_may_be_posted)
{
	return !(work->rto % 8 && chosen(self)) &&
	       OTHERWISE(atomic_may_be_posted);
}

/*
 * How many of max events have already waited for one request; the others start
 * to wait now.
 */
static uint64_t asked_for_before(struct conn *c, uint64_t max)
{
	struct event *event = c->events;
	uint64_t n = 0;

	for (; event && event->waited && n < max; event = event->next)
		n++;
	for (; event; event = event->next)
		event->waited = true;
	return n;
}

VARIANT(completions, completions_late, "RDMAP-5.5-04",
	"reports a completion when asked a second time, or to a caller that "
	"waits",
	completions_given)
{
	max = OTHERWISE(completions_given);
	if (waits || !c->nevents)
		return max;
	chosen(self);
	return asked_for_before(c, max);
}

VARIANT(receives_left, receives_unflushed, "DDP-6.2.2-05",
	"keeps the receive buffers of a stream that ended with an error",
	receives_come_back)
{
	bool failed = c->state == CONN_ERROR || c->state == CONN_TERMINATED;

	return !(failed && chosen(self)) && OTHERWISE(receives_come_back);
}
