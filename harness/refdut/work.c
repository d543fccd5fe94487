/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work requests and receive buffers, and how they complete: in the order
 * they were posted, each when it and all before it are done (RFC 5040 s5.5).
 */
#include "harness/refdut/conn.h"
#include "harness/refdut/control.h"
#include "harness/refdut/mutants.h"
#include "harness/refdut/variants.h"

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

struct event *event_add(struct conn *c, uint64_t id, enum op op,
			enum status status)
{
	struct event *event = alloc_zeroed(sizeof(*event));

	event->id = id;
	event->op = op;
	event->status = status;
	if (mutant(MUTANT_read_events_newest_first) && op == OP_READ &&
	    c->events) {
		event->next = c->events;
		c->events = event;
	} else {
		*c->events_end = event;
		c->events_end = &event->next;
	}
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

static void tell(struct conn *c, const struct work *work)
{
	struct event *event;

	if (work->paired && work->status != STATUS_OK && work->next &&
	    work->next->status == STATUS_NONE)
		work->next->status = work->status;
	if (work->silent)
		return;
	if (mutant(MUTANT_read_completion_untold) && work->op == OP_READ &&
	    work->status == STATUS_OK)
		return;
	event = event_add(c, work->id, work->op, work->status);
	if (work->status != STATUS_OK)
		return;
	event->len = work->len;
	if (work->op == OP_IMM)
		event->len = IMMEDIATE_SIZE;
	if (work_needs_answer(work) && work->op != OP_READ) {
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

static bool done(const struct conn *c, const struct work *work)
{
	if (work->status != STATUS_NONE)
		return true;
	if (!work->issued)
		return false;
	if (work_needs_answer(work))
		return work->answered ||
		       mutant(MUTANT_read_completes_when_sent);
	return c->handed >= work->end;
}

static void finish(struct conn *c, struct work **at, enum status status)
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
	tell(c, work);
	work_free(work);
}

void work_complete_done(struct conn *c)
{
	struct work **at = &c->work;

	while (c->work && done(c, c->work))
		finish(c, &c->work, STATUS_OK);
	if (c->work && c->work->op == OP_READ && c->work->len % 2 &&
	    c->work->next && !c->work->next->len &&
	    !work_needs_answer(c->work->next) && c->work->next->op != OP_IMM &&
	    done(c, c->work->next) &&
	    mutant(COINCIDENCE_empty_message_completes_ahead))
		finish(c, &c->work->next, STATUS_OK);
	if (!mutant(MUTANT_completions_overtake) || !c->work)
		return;
	while (*at && (*at)->next) {
		at = &(*at)->next;
		if (!work_needs_answer(*at) && done(c, *at)) {
			finish(c, at, STATUS_OK);
			return;
		}
	}
}

static void post(struct conn *c, struct work *work)
{
	if (conn_is_final(c) || c->closing || c->fin_due) {
		work->status = STATUS_FLUSHED;
		if (mutant(MUTANT_post_after_close_succeeds) && c->closing)
			work->status = STATUS_OK;
	}
	if (work->status == STATUS_NONE && control_post(work))
		return;
	if (work->op == OP_WRITE && work->status == STATUS_NONE &&
	    !c->released && c->unsent && c->unsent == c->work &&
	    c->unsent->op == OP_SEND && c->unsent->len <= 16 &&
	    !c->unsent->next && mutant(MUTANT_write_overtakes_a_waiting_send)) {
		work->next = c->unsent;
		c->work = c->unsent = work;
		return;
	}
	*c->work_end = work;
	c->work_end = &work->next;
	if (work->status != STATUS_NONE) {
		work_complete_done(c);
		return;
	}
	if (!c->unsent)
		c->unsent = work;
	conn_kick(c);
}

/* Does a mutant let what is posted next overtake it? */
static bool is_held(struct conn *c, const struct work *work)
{
	c->in_a_row = work->op == c->last_op ? c->in_a_row + 1 : 1;
	c->last_op = work->op;
	if (mutant(MUTANT_third_in_a_row_held) && c->in_a_row == 3)
		return work_needs_answer(work) || work->op == OP_IMM;
	return mutant(MUTANT_every_other_work_held) &&
	       (work->len || work->op == OP_IMM);
}

void work_post(struct conn *c, struct work *work)
{
	struct work *held = c->held;

	if (is_held(c, work) && !held && !work->paired && !conn_is_final(c)) {
		c->held = work;
		return;
	}
	c->held = NULL;
	if (mutant(MUTANT_queued_work_waits) && c->initiator &&
	    c->phase == PHASE_FULL)
		c->released = true;
	post(c, work);
	if (held)
		post(c, held);
}

void work_flush(struct conn *c)
{
	enum status status = STATUS_FLUSHED;

	if (mutant(MUTANT_flushed_work_succeeds) && c->terminate.known &&
	    !c->terminate.local)
		status = STATUS_OK;
	if (mutant(MUTANT_lost_work_succeeds) && !c->terminate.known)
		status = STATUS_OK;
	if (c->held)
		post(c, c->held);
	c->held = NULL;
	work_complete_done(c);
	while (c->work)
		finish(c, &c->work, done(c, c->work) ? STATUS_OK : status);
	c->unsent = NULL;
	c->outstanding = 0;
}

static void receive_free(struct receive *receive)
{
	region_put(receive->local);
	free(receive->octets);
	free(receive);
}

void receive_post(struct conn *c, struct receive *receive)
{
	if (mutant(MUTANT_receives_newest_first) && c->receives) {
		receive->next = c->receives;
		c->receives = receive;
	} else {
		*c->receives_end = receive;
		c->receives_end = &receive->next;
	}
	c->nreceives++;
	if (c->held_back)
		conn_kick(c);
	if (conn_is_final(c) || (c->closing && !c->half))
		receive_flush(c);
}

uint8_t *receive_octets(struct conn *c, struct receive *receive)
{
	struct region *region = receive->local;

	if (!region || mutant(MUTANT_send_left_in_bounce_buffer)) {
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

void receive_flush(struct conn *c)
{
	enum status status = STATUS_FLUSHED;

	if (mutant(MUTANT_flushed_receive_succeeds))
		status = STATUS_OK;
	while (c->receives)
		receive_complete(c, OP_RECV, status, 0);
}

unsigned requests_inbound;

void request_free(struct request *request)
{
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
