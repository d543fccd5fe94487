/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Associations for DDP: how they begin and end (RFC 5043 s5.1, s7, s8, s11).
 *
 * Where the RFCs leave a choice: an association stays when its last session is
 * over; one without the DDP indication is refused in answer to its INIT, or
 * aborted if we opened it.
 */
#include "harness/refdut/control.h"
#include "harness/refdut/sctp/assoc_decisions.h"
#include "harness/refdut/sctp/assoc_internal.h"
#include "harness/refdut/sctp/conn_sctp.h"

#include <errno.h>

static struct assoc *assocs;

/* RFC 5043 s5.1: the indication is 1; s8: the same number of streams in both
 * directions. */
RULE(init_says)
{
	return (struct stack_options){
		.adaptation = true,
		.indication = INDICATION_DDP,
		.outbound = STREAMS,
		.inbound = STREAMS,
	};
}

RULE(is_of_ddp)
{
	return indicated && indication == INDICATION_DDP;
}

RULE(other_is_refused)
{
	return true;
}

RULE(association_stays)
{
	return true;
}

RULE(stream_in_line)
{
	return i;
}

RULE(stream_is_unused)
{
	return !s->lingers && !s->in.held;
}

RULE(stream_lost)
{
	conn_stream_lost(c);
}

static void detach(struct ddp_stream *s)
{
	s->conn = NULL;
}

void assoc_forget(struct assoc *a)
{
	struct assoc **at = &assocs;

	a->gone = true;
	while (*at != a)
		at = &(*at)->next;
	*at = a->next;
	for (unsigned i = 0; i < a->nstreams; i++) {
		struct ddp_stream *s = a->stream[i];
		struct conn *c = s ? s->conn : NULL;

		if (!s)
			continue;
		detach(s);
		order_reset(&s->in);
		if (c)
			stream_lost(i, c);
		loop_free(s);
	}
	loop_free(a);
}

/* True: the association now belongs to a control device, or is gone. */
static bool is_a_controls(struct assoc *a)
{
	enum control_association what = control_association();
	struct conn *c;

	if (what == ASSOCIATION_SERVED)
		return false;
	a->controls = true;
	if (what == ASSOCIATION_ANSWERED)
		return true;
	/* A listen that waits for a session at the port learns that it is
	 * lost. */
	c = a->port ? a->port->take(a->port) : NULL;
	if (what == ASSOCIATION_ABORTED)
		stack_abort(&a->wire);
	else
		stack_shut_down(&a->wire);
	assoc_forget(a);
	if (c)
		conn_stream_refused(c);
	return true;
}

/* Streams that exist in both directions are free to be used; others are
 * lost. */
static void open_streams(struct assoc *a)
{
	for (unsigned i = 0; i < a->nstreams && !a->gone; i++) {
		struct ddp_stream *s = a->stream[i];

		if (s && s->conn && i >= a->wire.streams) {
			struct conn *c = s->conn;

			detach(s);
			conn_stream_lost(c);
		} else if (s)
			stream_begin(s);
	}
}

static void up(struct stack_wire *wire)
{
	struct assoc *a = (struct assoc *)wire;

	if (is_a_controls(a))
		return;
	a->ddp = is_of_ddp(wire->indicated, wire->indication);
	if (a->ddp) {
		open_streams(a);
	} else if (other_is_refused(wire->indicated)) {
		stack_abort(wire);
		assoc_forget(a);
	}
}

static void message(struct stack_wire *wire, const struct stack_message *m)
{
	chunk_came((struct assoc *)wire, m);
}

static void acknowledged(struct stack_wire *wire, uint16_t stream)
{
	struct assoc *a = (struct assoc *)wire;

	if (a->stream[stream])
		a->stream[stream]->acknowledged++;
}

static void progress(struct stack_wire *wire)
{
	struct assoc *a = (struct assoc *)wire;

	for (unsigned i = 0; i < a->nstreams && !a->gone; i++) {
		struct ddp_stream *s = a->stream[i];

		if (!s)
			continue;
		stream_terminate(s);
		chunks_take_in_turn(s);
		if (!a->gone)
			stream_begin(s);
		if (!a->gone && s->conn)
			conn_stream_moves(s->conn);
	}
	if (!a->gone && !association_stays(a)) {
		stack_shut_down(wire);
		assoc_forget(a);
	}
}

static void over(struct stack_wire *wire, bool in_order)
{
	(void)in_order;
	assoc_forget((struct assoc *)wire);
}

static const struct stack_user user = {
	.up = up,
	.message = message,
	.acknowledged = acknowledged,
	.progress = progress,
	.over = over,
};

static struct assoc *new_assoc(const void *owner, struct sctp_port *port)
{
	struct assoc *a = alloc_zeroed(sizeof(*a));

	a->wire.user = &user;
	a->owner = owner;
	a->port = port;
	a->next = assocs;
	assocs = a;
	return a;
}

static struct stack_wire *came(struct stack_door *door)
{
	struct sctp_port *port = (struct sctp_port *)door;

	return &new_assoc(port->owner, port)->wire;
}

static bool admits(const struct stack_door *door, bool indicated,
		   uint32_t indication)
{
	(void)door;
	return is_of_ddp(indicated, indication) || !other_is_refused(indicated);
}

int assoc_listen(struct sctp_port *port)
{
	const struct stack_options o = init_says(true);

	port->door.admits = admits;
	port->door.came = came;
	return stack_listen(&port->door, &o);
}

void assoc_close_port(struct sctp_port *port)
{
	stack_close_door(&port->door);
	for (struct assoc *a = assocs; a; a = a->next)
		if (a->port == port)
			a->port = NULL;
}

void assoc_release(const void *owner)
{
	struct assoc *next;

	for (struct assoc *a = assocs; a; a = next) {
		next = a->next;
		if (a->owner != owner)
			continue;
		stack_abort(&a->wire);
		assoc_forget(a);
	}
}

/* Unused streams go before those on which the peer may still send. */
static struct ddp_stream *choose_stream(struct assoc *a, unsigned most)
{
	for (int any = 0; any < 2; any++)
		for (unsigned i = 0; i < most; i++) {
			struct ddp_stream *s = stream_of(
				a, (uint16_t)stream_in_line(a, most, i));

			if (!s->conn && s->phase == SESSION_NONE &&
			    (any || stream_is_unused(s)))
				return s;
		}
	errno = EBUSY;
	return NULL;
}

RULE(association_is_used_again)
{
	return true;
}

/* The existing association, or a new one; NULL with errno. */
static struct assoc *assoc_with(const void *owner, const struct address *udp,
				uint16_t port)
{
	const struct stack_options o = init_says(false);
	struct assoc *a = assocs;
	int error;

	while (a && (a->owner != owner || !stack_is_with(&a->wire, udp, port) ||
		     !association_is_used_again(a)))
		a = a->next;
	if (a)
		return a;
	a = new_assoc(owner, NULL);
	if (stack_connect(&a->wire, udp, port, &o) == 0)
		return a;
	error = errno;
	assoc_forget(a);
	errno = error;
	return NULL;
}

struct ddp_stream *assoc_open(const void *owner, const struct address *udp,
			      uint16_t port, int stream, struct conn *conn)
{
	struct assoc *a = assoc_with(owner, udp, port);
	struct ddp_stream *s;
	unsigned most;

	if (!a)
		return NULL;
	most = a->wire.up ? a->wire.streams : STREAMS;
	if (stream >= (int)most) {
		errno = ECHRNG;
		return NULL;
	}
	s = stream < 0 ? choose_stream(a, most)
		       : stream_of(a, (uint16_t)stream);
	if (!s)
		return NULL;
	if (s->conn || s->phase != SESSION_NONE) {
		errno = EBUSY;
		return NULL;
	}
	s->conn = conn;
	return s;
}
