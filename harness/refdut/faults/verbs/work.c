/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of work requests, receive buffers and completions (RFC 5040 s5.5,
 * s6.2.1). */
#include "harness/refdut/verbs/work_decisions.h"
#include "harness/refdut/decision/override.h"

/* The order of work (RFC 5041 s5.3) */

/* Work that is held back until the next was posted. */
struct held {
	struct override *by;
	struct work *work;
};

static void post_held(struct conn *c, struct held *held)
{
	struct work *work = held->work;

	held->work = NULL;
	if (work)
		work_enters_otherwise(held->by, c, work);
}

/*
 * Hold this request back if it is due; otherwise it goes before the held one.
 */
static void post_or_hold(struct override *self, struct conn *c,
			 struct held *held, struct work *work, bool due)
{
	held->by = self;
	if (due && !held->work && !work->paired && !conn_is_final(c)) {
		held->work = work;
		return;
	}
	work_enters_otherwise(self, c, work);
	post_held(c, held);
}

MUTANT(every_other_work_held,
       "RDMAP-5.1-06 RDMAP-5.2.1-05 RDMAP-5.3-10 RDMAP-5.5-10 "
       "RDMAPX-5.2-01 RDMAPX-5.2.1-23 RDMAPX-6.3-07 DDP-5.3-01",
       "sends work requests in pairs, the later one first", work_enters)
{
	struct held *held = remember(&c->remembered, self, sizeof(*held));

	post_or_hold(self, c, held, work, work->len || work->op == OP_IMM);
}

ALSO(every_other_work_held, work_flushed)
{
	post_held(c, remember(&c->remembered, self, sizeof(struct held)));
	OTHERWISE(work_flushed);
}

struct row {
	struct held held;
	enum op op; /* of what was posted last, */
	unsigned n; /* and how many of it in a row */
};

MUTANT(third_in_a_row_held, "RDMAP-5.2.1-05 RDMAPX-5.2.1-23 RDMAPX-6.3-07",
       "sends the third of several Reads, atomics or Immediate Data in a row "
       "after the work that is posted next",
       work_enters)
{
	struct row *row = remember(&c->remembered, self, sizeof(*row));

	row->n = work->op == row->op ? row->n + 1 : 1;
	row->op = work->op;
	post_or_hold(self, c, &row->held, work,
		     row->n == 3 &&
			     (work_needs_answer(work) || work->op == OP_IMM));
}

ALSO(third_in_a_row_held, work_flushed)
{
	struct row *row = remember(&c->remembered, self, sizeof(*row));

	post_held(c, &row->held);
	OTHERWISE(work_flushed);
}

MUTANT(queued_work_waits, "MPA-7.1.2-15",
       "delays queued work until something else happens if the Reply has "
       "private data",
       work_enters)
{
	if (c->initiator && c->phase == PHASE_FULL)
		c->released = true;
	OTHERWISE(work_enters);
}

/* Only a Send of up to 16 octets waits. */
static bool short_send_waits(const struct conn *c)
{
	return !c->released && c->unsent && c->unsent == c->work &&
	       c->unsent->op == OP_SEND && c->unsent->len <= 16 &&
	       !c->unsent->next;
}

MUTANT(write_overtakes_a_waiting_send, "DDP-5.3-01",
       "sends a Write ahead of a Send of up to 16 octets that waits for the "
       "stream to open",
       work_queued)
{
	if (work->op == OP_WRITE && work->status == STATUS_NONE &&
	    short_send_waits(c)) {
		work->next = c->unsent;
		c->work = c->unsent = work;
		return;
	}
	OTHERWISE(work_queued);
}

MUTANT(post_after_close_succeeds, "DDP-6.2.1-04",
       "completes work that is posted after a close with success",
       status_when_posted)
{
	enum status status = OTHERWISE(status_when_posted);

	return status == STATUS_FLUSHED && c->closing ? STATUS_OK : status;
}

/* Completions (RFC 5040 s5.5) */

MUTANT(read_completes_when_sent, "RDMAP-5.5-15 RDMAPX-5.4-07",
       "completes a Read when its Request is sent", work_is_done)
{
	return OTHERWISE(work_is_done) ||
	       (work->issued && work_needs_answer(work));
}

MUTANT(completions_overtake, "RDMAP-5.5-11 RDMAPX-6.4-02",
       "completes Sends and Writes ahead of a Read posted before them",
       complete_done)
{
	struct work **at = &c->work;

	OTHERWISE(complete_done);
	while (*at && (*at)->next) {
		at = &(*at)->next;
		if (!work_needs_answer(*at) && work_is_done(c, *at)) {
			work_finish(c, at, STATUS_OK);
			return;
		}
	}
}

static bool is_empty_read(const struct work *work)
{
	return work && work->op == OP_READ && !work->len;
}

MUTANT(empty_reads_complete_together, "RDMAP-5.5-15",
       "completes two zero-length Reads in a row with the first Response",
       complete_done)
{
	bool due = is_empty_read(c->work) && work_is_done(c, c->work);
	struct work *next = due ? c->work->next : NULL;

	if (next != c->unsent && is_empty_read(next) && !next->answered) {
		next->answered = true;
		c->outstanding--;
	}
	OTHERWISE(complete_done);
}

MUTANT(each_100th_completion_lost, "RDMAP-5.5-11 RDMAP-5.5-15",
       "reports no completion of each 100th work of a stream",
       completion_is_reported)
{
	unsigned *n = remember(&c->remembered, self, sizeof(*n));

	return ++*n % 100 && OTHERWISE(completion_is_reported);
}

MUTANT(read_completion_untold, "RDMAP-5.2.2-03",
       "does not report the completion of a Read to its ULP",
       completion_is_reported)
{
	return !(work->op == OP_READ && work->status == STATUS_OK) &&
	       OTHERWISE(completion_is_reported);
}

MUTANT(read_events_newest_first, "RDMAP-5.5-04",
       "reports completions of Reads in reverse order", event_queued)
{
	if (event->op != OP_READ || !c->events) {
		OTHERWISE(event_queued);
		return;
	}
	event->next = c->events;
	c->events = event;
}

/* Receive buffers (RFC 5040 s5.3) */

MUTANT(receives_newest_first,
       "RDMAP-5.3-02 RDMAP-5.3-05 RDMAP-B-01 RDMAP-5.5-02",
       "uses the newest receive buffer first", receive_queued)
{
	if (!c->receives) {
		OTHERWISE(receive_queued);
		return;
	}
	receive->next = c->receives;
	c->receives = receive;
}

MUTANT(receives_in_regions_first, "RDMAP-5.3-02",
       "uses receive buffers in regions ahead of others posted before them",
       receive_queued)
{
	struct receive **at = &c->receives;

	while (*at && (*at)->local)
		at = &(*at)->next;
	if (!receive->local || !*at) {
		OTHERWISE(receive_queued);
		return;
	}
	receive->next = *at;
	*at = receive;
}

MUTANT(send_left_in_bounce_buffer, "DDP-4.1-02",
       "reports a Send to its ULP but does not copy it to the region posted "
       "for it",
       placed_in)
{
	return NULL;
}

/* The end of a stream (RFC 5040 s5.4, s6.2.1) */

MUTANT(receive_behind_a_half_close_flushed, "DDP-6.2.1-06",
       "flushes a receive that is posted behind its ULP's half-close",
       receive_queued)
{
	OTHERWISE(receive_queued);
	if (c->closing && c->half && c->receives == receive)
		receive_complete(c, OP_RECV, STATUS_FLUSHED, 0);
}

MUTANT(flushed_work_succeeds, "RDMAP-6.2.1-05 RDMAP-5.4-06",
       "completes outstanding Reads with success when a Terminate arrives",
       flushed_status)
{
	bool theirs = c->terminate.known && !c->terminate.local;

	return op != OP_RECV && theirs ? STATUS_OK : OTHERWISE(flushed_status);
}

MUTANT(lost_work_succeeds, "RDMAP-5.5-18 RDMAP-5.5-15",
       "completes outstanding work with success when TCP is lost",
       flushed_status)
{
	return op != OP_RECV && !c->terminate.known ? STATUS_OK
						    : OTHERWISE(flushed_status);
}

MUTANT(failed_receives_lost, "DDP-6.2.2-05",
       "does not return the receive buffers of a stream that failed",
       receives_come_back)
{
	return c->state != CONN_ERROR && c->state != CONN_TERMINATED;
}

MUTANT(flushed_receive_succeeds, "DDP-6.2.2-05 RDMAP-5.4-02",
       "completes flushed receives with success", flushed_status)
{
	return op == OP_RECV ? STATUS_OK : OTHERWISE(flushed_status);
}

/* Coincidence */

COINCIDENCE(empty_message_completes_ahead, "RDMAP-5.5-11",
	    "completes an empty message ahead of a Read of an odd length right "
	    "before it",
	    complete_done)
{
	struct work *next;

	OTHERWISE(complete_done);
	next = c->work ? c->work->next : NULL;
	if (next && c->work->op == OP_READ && c->work->len % 2 && !next->len &&
	    !work_needs_answer(next) && next->op != OP_IMM &&
	    work_is_done(c, next))
		work_finish(c, &c->work->next, STATUS_OK);
}

MUTANT(work_kept_in_a_ring_of_64, "RDMAP-6.1-03",
       "loses work that is posted while 64 requests are unfinished",
       work_queued)
{
	unsigned n = 0;

	for (const struct work *w = c->work; w; w = w->next)
		n++;
	if (n < 64)
		OTHERWISE(work_queued);
}

/* It is taken for the buffer in use. */
MUTANT(receive_amid_a_send_takes_the_rest, "DDP-4.1-02",
       "places the rest of a Send in a receive buffer that is posted amid it",
       receive_queued)
{
	if (!c->queue[0].open || !c->receives) {
		OTHERWISE(receive_queued);
		return;
	}
	receive->next = c->receives;
	c->receives = receive;
}

/* The regions of the last receives, found by offset and length. */
struct regions_kept {
	const struct receive *of;
	struct region *region[3];
	uint64_t off;
	uint32_t len;
};

MUTANT(region_of_an_earlier_receive, "DDP-4.1-02",
       "places a Send in the region of the receive two before, if offset and "
       "length are the same",
       placed_in)
{
	struct regions_kept *k = remember(&c->remembered, self, sizeof(*k));
	struct region *region = OTHERWISE(placed_in);
	bool is_same = k->off == receive->off && k->len == receive->len;

	if (region && k->of != receive) {
		k->of = receive;
		k->region[2] = is_same ? k->region[1] : NULL;
		k->region[1] = is_same ? k->region[0] : NULL;
		k->region[0] = region;
		k->off = receive->off;
		k->len = receive->len;
	}
	return region && k->region[2] ? k->region[2] : region;
}
