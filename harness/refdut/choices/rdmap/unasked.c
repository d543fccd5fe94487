/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages that no ULP has posted: a device may send zero-length Writes (RFC 5040
 * s5.1) and zero-length Reads (s5.2.1), and no sentence requires a ULP behind
 * them. */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/ddp/message.h"
#include "harness/refdut/ddp/tx_segment_decisions.h"
#include "harness/refdut/rdmap/terminate_decisions.h"
#include "harness/refdut/rdmap/tx.h"
#include "harness/refdut/rdmap/tx_decisions.h"
#include "harness/refdut/rdmap/tx_request_decisions.h"
#include "harness/refdut/rdmap/tx_response_decisions.h"

/* Whether a message may begin here: none has begun and not ended. */
static bool is_between(const struct conn *c)
{
	return !c->in_response && !(c->unsent && c->unsent->begun);
}

/* What was inserted last stands before this work, or this Request. */
struct inserted {
	const void *before;
	uint64_t at;
};

/* Not again before the same message. */
static bool is_new(struct conn *c, struct override *self, const void *before)
{
	struct inserted *last = remember(&c->remembered, self, sizeof(*last));

	if (last->before == before && last->at == c->generated)
		return false;
	last->before = before;
	return chosen(self);
}

static void is_inserted(struct conn *c, struct override *self)
{
	struct inserted *last = remember(&c->remembered, self, sizeof(*last));

	last->at = c->generated;
}

VARIANT(unasked, empty_writes_before_work, "RDMAP-5.1-06 MPA-5.1-01",
	"sends an empty Write before each message of its ULP", put_next)
{
	if (is_between(c) && !c->answering && c->unsent &&
	    is_new(c, self, c->unsent)) {
		tx_rtr(c, RTR_WRITE);
		is_inserted(c, self);
	}
	return OTHERWISE(put_next);
}

VARIANT(unasked, empty_writes_behind_work, "RDMAP-5.1-06",
	"sends an empty Write behind each message of its ULP", work_is_issued)
{
	OTHERWISE(work_is_issued);
	chosen(self);
	tx_rtr(c, RTR_WRITE);
}

VARIANT(unasked, empty_writes_before_responses, "RDMAP-5.1-06",
	"sends an empty Write before each Response", put_next)
{
	if (is_between(c) && c->answering && is_new(c, self, c->answering)) {
		tx_rtr(c, RTR_WRITE);
		is_inserted(c, self);
	}
	return OTHERWISE(put_next);
}

VARIANT(unasked, empty_writes_behind_responses, "RDMAP-5.1-06",
	"sends an empty Write behind each Response", response_is_issued)
{
	OTHERWISE(response_is_issued);
	chosen(self);
	tx_rtr(c, RTR_WRITE);
}

VARIANT(unasked, empty_write_before_a_terminate, "RDMAP-5.1-06",
	"sends an empty Write before its Terminate", send_terminate)
{
	/* Before the RTR nothing is sent (RFC 6581 s5). */
	if (is_between(c) && c->first_seen && chosen(self))
		tx_rtr(c, RTR_WRITE);
	OTHERWISE(send_terminate);
}

/* In the order of the Requests. */
static void read_nothing(struct conn *c)
{
	struct work *work = alloc_zeroed(sizeof(*work));
	struct work **at = &c->work;
	struct message m = rtr_message(c, RTR_READ);
	uint32_t offset = 0;

	tx_look_at_path(c);
	put_segment(c, &m, &offset);
	work->op = OP_READ;
	work->silent = work->begun = work->issued = true;
	work->msn = m.msn;
	while (*at != c->unsent)
		at = &(*at)->next;
	work->next = *at;
	if (!*at)
		c->work_end = &work->next;
	*at = work;
	c->outstanding++;
}

VARIANT(unasked, empty_reads_before_work, "RDMAP-5.2.1-10 MPA-5.1-01",
	"sends a Read of no octets before each message of its ULP", put_next)
{
	if (is_between(c) && !c->answering && c->unsent && !c->peer_fin &&
	    c->outstanding < c->agreed.ord && is_new(c, self, c->unsent)) {
		read_nothing(c);
		is_inserted(c, self);
	}
	return OTHERWISE(put_next);
}

/* Whether the stream has work neither way, and may carry some. */
static bool is_idle(const struct conn *c)
{
	return c->phase == PHASE_FULL && c->released && c->first_seen &&
	       is_between(c) && !c->answering && !c->rx_over && !c->closing &&
	       !c->fin_due && !c->peer_fin && !buf_len(&c->out);
}

enum { IDLE_MS = 15 };

/* It finds its connection by the first member. */
struct keepalive {
	struct timer timer;
	struct conn *c;
};

static void keepalive_forget(void *octets)
{
	timer_cancel(octets);
}

static void keepalive_fires(struct timer *timer)
{
	struct keepalive *k = (struct keepalive *)timer;

	if (is_idle(k->c)) {
		tx_rtr(k->c, RTR_WRITE);
		conn_kick(k->c);
	}
	if (k->c->phase == PHASE_FULL)
		timer_arm(&k->timer, IDLE_MS);
}

VARIANT(unasked, empty_writes_when_idle, "RDMAP-5.1-06",
	"sends an empty Write every 15 ms while a stream is idle", put_next)
{
	struct keepalive *k = remember_until(&c->remembered, self, sizeof(*k),
					     keepalive_forget);

	if (!k->c) {
		k->c = c;
		k->timer.fire = keepalive_fires;
		timer_arm(&k->timer, IDLE_MS);
		chosen(self);
	}
	return OTHERWISE(put_next);
}
