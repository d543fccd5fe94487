/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work requests and receive buffers, and how they complete: in the order
 * they were posted, each when it and all before it are done (RFC 5040 s5.5).
 */
#include "harness/refdut/conn.h"
#include "harness/refdut/control.h"
#include "harness/refdut/verbs/work_decisions.h"

#include <stdlib.h>
#include <string.h>

const char *op_name(enum op op)
{
	static const char *const names[OPS] = {
		"recv",     "recv-imm", "send", "write", "read",
		"fetchadd", "cmpswap",  "swap", "imm",
	};

	return names[op];
}

bool work_needs_answer(const struct work *work)
{
	switch (work->op) {
	case OP_READ:
	case OP_FETCHADD:
	case OP_CMPSWAP:
	case OP_SWAP:
		return true;
	default:
		return false;
	}
}

bool work_is_atomic(const struct work *work)
{
	return work_needs_answer(work) && work->op != OP_READ;
}

/* Completions */

RULE(event_queued)
{
	*c->events_end = event;
	c->events_end = &event->next;
}

struct event *event_add(struct conn *c, uint64_t id, enum op op,
			enum status status)
{
	struct event *event = alloc_zeroed(sizeof(*event));

	event->id = id;
	event->op = op;
	event->status = status;
	event_queued(c, event);
	c->nevents++;
	loop_post(c->notify);
	return event;
}

struct event *event_take(struct conn *c)
{
	struct event *event = c->events;

	c->events = event->next;
	if (!c->events)
		c->events_end = &c->events;
	c->nevents--;
	return event;
}

void event_free(struct event *event)
{
	free(event->octets);
	free(event);
}

void work_free(struct work *work)
{
	region_put(work->local);
	free(work->octets);
	free(work);
}

RULE(completion_is_reported)
{
	return !work->silent;
}

static void report(struct conn *c, const struct work *work)
{
	struct event *event;

	if (work->paired && work->status != STATUS_OK && work->next &&
	    work->next->status == STATUS_NONE)
		work->next->status = work->status;
	if (!completion_is_reported(c, work))
		return;
	event = event_add(c, work->id, work->op, work->status);
	if (work->status != STATUS_OK)
		return;
	event->len = work->len;
	if (work->op == OP_IMM)
		event->len = IMMEDIATE_SIZE;
	if (work_is_atomic(work)) {
		event->len = 8;
		event->has_value = true;
		event->value = work->value;
	}
}

struct work *work_awaited(const struct conn *c)
{
	struct work *work = c->work;

	while (work && work != c->unsent &&
	       (!work_needs_answer(work) || work->answered ||
		work->status != STATUS_NONE))
		work = work->next;
	return work && work->begun && work_needs_answer(work) ? work : NULL;
}

RULE(work_is_done)
{
	if (work->status != STATUS_NONE)
		return true;
	if (!work->issued)
		return false;
	if (work_needs_answer(work))
		return work->answered;
	return c->handed >= work->end;
}

void work_finish(struct conn *c, struct work **at, enum status status)
{
	struct work *work = *at;

	if (work->status == STATUS_NONE)
		work->status = status;
	if (c->unsent == work)
		c->unsent = work->next;
	*at = work->next;
	if (!c->work)
		c->work_end = &c->work;
	else if (c->work_end == &work->next)
		c->work_end = at;
	report(c, work);
	work_free(work);
}

RULE(complete_done)
{
	while (c->work && work_is_done(c, c->work))
		work_finish(c, &c->work, STATUS_OK);
}

void work_complete_done(struct conn *c)
{
	complete_done(c);
}

/* Work requests */

RULE(status_when_posted)
{
	return conn_is_final(c) || c->closing || c->fin_due ? STATUS_FLUSHED
							    : STATUS_NONE;
}

RULE(work_queued)
{
	*c->work_end = work;
	c->work_end = &work->next;
	if (!c->unsent && work->status == STATUS_NONE)
		c->unsent = work;
}

RULE(work_enters)
{
	work->status = status_when_posted(c);
	if (work->status == STATUS_NONE && control_post(work))
		return;
	work_queued(c, work);
	if (work->status == STATUS_NONE)
		conn_kick(c);
	else
		work_complete_done(c);
}

void work_post(struct conn *c, struct work *work)
{
	work_enters(c, work);
}

RULE(flushed_status)
{
	return STATUS_FLUSHED;
}

RULE(work_flushed)
{
	work_complete_done(c);
	while (c->work) {
		struct work *work = c->work;

		work_finish(c, &c->work,
			    work_is_done(c, work)
				    ? STATUS_OK
				    : flushed_status(c, work->op));
	}
	c->unsent = NULL;
	c->outstanding = 0;
}

void work_flush(struct conn *c)
{
	work_flushed(c);
}

/* Receive buffers */

static void receive_free(struct receive *receive)
{
	region_put(receive->local);
	free(receive->octets);
	free(receive);
}

RULE(receive_queued)
{
	*c->receives_end = receive;
	c->receives_end = &receive->next;
}

void receive_post(struct conn *c, struct receive *receive)
{
	receive_queued(c, receive);
	c->nreceives++;
	if (c->held_back)
		conn_kick(c);
	if (conn_is_final(c) || (c->closing && !c->half))
		receive_flush(c);
}

RULE(placed_in)
{
	return receive->local;
}

uint8_t *receive_octets(struct conn *c, struct receive *receive)
{
	struct region *region = placed_in(c, receive);

	if (!region) {
		if (!receive->octets)
			receive->octets = alloc_zeroed(receive->len);
		return receive->octets;
	}
	if (!region->valid || !(region->access & ACCESS_LOCAL_WRITE) ||
	    region->domain.number != c->domain.number ||
	    (region->stream && region->stream != c))
		return NULL;
	return region->octets + receive->off;
}

struct event *receive_complete(struct conn *c, enum op op, enum status status,
			       uint32_t len)
{
	struct receive *receive = c->receives;
	struct event *event = event_add(c, receive->id, op, status);

	c->receives = receive->next;
	if (!c->receives)
		c->receives_end = &c->receives;
	c->nreceives--;
	event->len = len;
	if (status == STATUS_OK && op == OP_RECV) {
		if (receive->local && !receive->octets && len) {
			event->octets = alloc_zeroed(len);
			memcpy(event->octets,
			       receive->local->octets + receive->off, len);
		} else if (len) {
			event->octets = receive_octets(c, receive);
			receive->octets = NULL;
		}
	}
	receive_free(receive);
	return event;
}

void receive_lose(struct conn *c)
{
	struct receive *receive = c->receives;

	c->receives = receive->next;
	if (!c->receives)
		c->receives_end = &c->receives;
	c->nreceives--;
	receive_free(receive);
}

RULE(receives_come_back)
{
	return true;
}

void receive_flush(struct conn *c)
{
	bool back = receives_come_back(c);

	while (c->receives)
		if (back)
			receive_complete(c, OP_RECV, flushed_status(c, OP_RECV),
					 0);
		else
			receive_lose(c);
}

/* Requests of the peer */

unsigned requests_inbound;

void request_free(struct request *request)
{
	region_put(request->found);
	free(request->snapshot);
	free(request);
}

void request_free_all(struct conn *c)
{
	while (c->requests) {
		struct request *request = c->requests;

		c->requests = request->next;
		request_free(request);
	}
	c->requests_end = &c->requests;
	c->answering = NULL;
	requests_inbound -= c->inbound;
	c->inbound = 0;
	c->in_response = false;
}
