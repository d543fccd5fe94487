/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Choices of when work is complete, and how the completion is reported (RFC
 * 5040 s5.5, RFC 5041 s5.4).
 */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/tx_decisions.h"
#include "harness/refdut/verbs/work_decisions.h"

#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>

/* When a Send or Write is complete: "the LLP has indicated that the transfer
 * will occur reliably", wherever its octets are by then (RFC 5041 s5.4). */

VARIANT(source_completion, complete_when_buffered, "RDMAP-5.5-18",
	"completes Sends and Writes once they are cut into segments",
	work_is_done)
{
	if (work->status != STATUS_NONE || work_needs_answer(work) ||
	    !work->issued || c->sctp)
		return OTHERWISE(work_is_done);
	return chosen(self);
}

VARIANT(source_completion, complete_when_taken, "RDMAP-5.5-18",
	"has an LLP with room for whole messages, and completes Sends and "
	"Writes once it has taken them",
	more_may_be_put)
{
	return OTHERWISE(more_may_be_put) ||
	       (c->unsent && !c->sctp && chosen(self));
}

ALSO(complete_when_taken, work_is_done)
{
	return OTHERWISE(work_is_done) ||
	       (work->status == STATUS_NONE && work->issued &&
		!work_needs_answer(work) && !c->sctp);
}

/* The timer that checks again whether TCP has acknowledged. */
struct acknowledged {
	struct timer timer;
	struct conn *c;
};

static void acknowledged_looks(struct timer *timer)
{
	conn_kick(((struct acknowledged *)timer)->c);
}

static void acknowledged_forget(void *octets)
{
	timer_cancel(octets);
}

VARIANT(source_completion, complete_when_acknowledged, "RDMAP-5.5-18",
	"completes Sends and Writes once the peer's TCP has acknowledged them",
	work_is_done)
{
	struct conn *conn = (struct conn *)c;
	struct acknowledged *a = remember_until(
		&conn->remembered, self, sizeof(*a), acknowledged_forget);
	int left = 0;

	if (!OTHERWISE(work_is_done))
		return false;
	if (work->status != STATUS_NONE || work_needs_answer(work) || c->sctp ||
	    c->watch.fd < 0 || ioctl(c->watch.fd, SIOCOUTQ, &left) < 0 ||
	    c->handed - (uint64_t)left >= work->end)
		return true;
	a->c = conn;
	a->timer.fire = acknowledged_looks;
	timer_arm(&a->timer, 2);
	return !chosen(self);
}

/*
 * RFC 5040 s5.5 defines no order between completions of receives and of work:
 * each kind has its own queue.
 */

static bool is_receive(const struct event *event)
{
	return event->op == OP_RECV || event->op == OP_RECV_IMM;
}

/* Ahead of completions of the other kind that are not taken yet. */
static bool event_goes_ahead(struct conn *c, struct event *event)
{
	struct event **at = &c->events;

	while (*at && is_receive(*at) == is_receive(event))
		at = &(*at)->next;
	if (!*at)
		return false;
	event->next = *at;
	*at = event;
	return true;
}

VARIANT(queues, receives_reported_first, "RDMAP-5.5-14",
	"reports the completions of receives before those of work",
	event_queued)
{
	if (is_receive(event) && event_goes_ahead(c, event))
		chosen(self);
	else
		OTHERWISE(event_queued);
}

VARIANT(queues, work_reported_first, "RDMAP-5.5-14",
	"reports the completions of work before those of receives",
	event_queued)
{
	if (!is_receive(event) && event_goes_ahead(c, event))
		chosen(self);
	else
		OTHERWISE(event_queued);
}

/* As a ULP sees them that polls both queues in turn. */
VARIANT(queues, first_receive_reported_first, "RDMAP-5.5-14",
	"reports the completion of a receive before one of work that waits, "
	"and those of later receives after it",
	event_queued)
{
	struct event *head = c->events;

	if (!is_receive(event) || !head || is_receive(head) || !chosen(self)) {
		OTHERWISE(event_queued);
		return;
	}
	event->next = head;
	c->events = event;
}

/* How unfinished work completes (RFC 5040 s6.2.1: "in error"). */

VARIANT(flush, flushed_in_error, "RDMAP-6.2.1-05",
	"completes unfinished work at the end of a stream with an error of its "
	"own",
	flushed_status)
{
	chosen(self);
	return STATUS_LOCAL_ERROR;
}

VARIANT(flush, flushed_by_the_peer, "RDMAP-6.2.1-05",
	"reports unfinished work at the end of a stream as an error of the "
	"peer's, except receives",
	flushed_status)
{
	if (op == OP_RECV)
		return OTHERWISE(flushed_status);
	chosen(self);
	return STATUS_REMOTE_ERROR;
}

/* What is in the buffer of an operation that was aborted is indeterminate (RFC
 * 5040 s3.1, s5.5 items 4 and 6): a bounce buffer is copied back as it is. */

VARIANT(failed_buffers, buffers_of_failed_operations_change, "RDMAP-5.5-06",
	"writes other octets into the buffers of Reads and receives that the "
	"end of a stream leaves unfinished",
	work_flushed)
{
	for (struct work *w = c->work; w; w = w->next)
		if (w->op == OP_READ && w->begun && !w->answered && w->local &&
		    w->local->valid && chosen(self))
			memset(w->local->octets + w->off, 0xcc, w->len);
	OTHERWISE(work_flushed);
}

ALSO(buffers_of_failed_operations_change, receives_come_back)
{
	for (struct receive *r = c->receives; r; r = r->next)
		if (r->local && r->local->valid && chosen(self))
			memset(r->local->octets + r->off, 0xcc, r->len);
	return OTHERWISE(receives_come_back);
}
