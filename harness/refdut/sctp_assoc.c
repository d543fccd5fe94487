/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the texts leave a choice: an association stays when its last session
 * is over; one without the indication of DDP is refused in answer to its INIT,
 * or aborted where we opened it; a session ends by a Terminate when all before
 * it was acknowledged; a chunk of no legal sequence on a stream without a
 * session is answered by a Terminate once.
 */
#include "harness/refdut/sctp_assoc.h"
#include "harness/refdut/conn_sctp.h"
#include "harness/refdut/framing.h"
#include "harness/refdut/mutants.h"
#include "harness/refdut/variants.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	SACK_ROOM = 16, /* for one of it in the packet of a segment */
};

struct assoc {
	struct stack_wire wire;
	struct assoc *next;
	const void *owner;
	struct sctp_port *port; /* NULL: we opened it */
	bool ddp;
	bool gone;
	unsigned nstreams;
	struct ddp_stream *stream[STREAMS];
};

static struct assoc *assocs;

static struct stack_options options(void)
{
	struct stack_options o = {
		.adaptation = true,
		.indication = INDICATION_DDP,
		.outbound = STREAMS,
		.inbound = STREAMS,
	};

	return o;
}

/* --- a stream ----------------------------------------------------------- */

static struct ddp_stream *stream_of(struct assoc *a, uint16_t number)
{
	struct ddp_stream *s = a->stream[number];

	if (s)
		return s;
	s = alloc_zeroed(sizeof(*s));
	s->assoc = a;
	s->number = number;
	a->stream[number] = s;
	if (number >= a->nstreams)
		a->nstreams = number + 1u;
	return s;
}

bool stream_is_settled(const struct ddp_stream *s)
{
	return s->acknowledged == s->submitted;
}

uint32_t stream_mulpdu(const struct ddp_stream *s)
{
	uint32_t most = s->assoc->wire.largest;

	most = most > SACK_ROOM ? (most - SACK_ROOM) & ~3u : 0;
	if (most < CONTROL_MAX)
		most = CONTROL_MAX;
	return most - SSN_SIZE;
}

void assoc_peer_text(const struct ddp_stream *s, char text[ADDRESS_TEXT])
{
	stack_peer_text(&s->assoc->wire, text);
}

int stream_put(struct ddp_stream *s, uint32_t ppid, const uint8_t *octets,
	       size_t n)
{
	static uint8_t chunk[SSN_SIZE + UINT16_MAX];
	struct stack_message m = {
		.stream = s->number,
		.ppid = ppid,
		.octets = chunk,
		.n = SSN_SIZE + n,
	};
	int taken;

	if (s->assoc->gone)
		return -1;
	if (s->submitted - s->acknowledged >= UNACKNOWLEDGED_MAX)
		return 0;
	be16_put(chunk, s->ssn);
	memcpy(chunk + SSN_SIZE, octets, n);
	taken = stack_send(&s->assoc->wire, &m);
	if (taken <= 0)
		return taken;
	s->ssn++;
	s->submitted++;
	if (ppid == PPID_CONTROL)
		s->control = s->submitted;
	return 1;
}

/* Its session is over, on our side at least. */
static void free_stream(struct ddp_stream *s, bool lingers)
{
	s->phase = SESSION_NONE;
	s->terminate_due = s->ended = false;
	s->lingers = lingers;
	s->ssn = 0;
	/* What still comes of it has its place in the old order. */
	if (!lingers)
		order_reset(&s->in);
}

/* RFC 5043 s6.6: not before what it might overtake was acknowledged. */
bool stream_end(struct ddp_stream *s)
{
	static const uint8_t code[CODE_SIZE] = {0, CODE_TERMINATE};

	if (s->ended || s->phase == SESSION_NONE)
		return true;
	if (!stream_is_settled(s))
		return false;
	s->ended = stream_put(s, PPID_CONTROL, code, sizeof(code)) == 1;
	return s->ended;
}

static void terminate(struct ddp_stream *s)
{
	if (s->terminate_due && stream_end(s))
		free_stream(s, s->phase != SESSION_LEFT);
}

static void begin_terminate(struct ddp_stream *s)
{
	bool left = s->phase == SESSION_LEFT;

	if (!left)
		s->phase = SESSION_CLOSING;
	s->terminate_due = true;
	terminate(s);
}

static void begin_session(struct ddp_stream *s, enum session_phase phase)
{
	s->phase = phase;
	s->ssn = 0;
}

/* Ours, where there is one to begin and nothing in its way. */
void stream_begin(struct ddp_stream *s)
{
	if (!s->conn || s->phase != SESSION_NONE || !s->assoc->ddp ||
	    !stream_is_settled(s))
		return;
	free_stream(s, false);
	begin_session(s, SESSION_ASKING);
	conn_stream_up(s->conn, &s->enhanced);
}

void stream_is_answered(struct ddp_stream *s, bool accepted)
{
	if (accepted)
		s->phase = SESSION_OPEN;
	else
		free_stream(s, false);
}

static void detach(struct ddp_stream *s)
{
	s->conn = NULL;
}

static void forget(struct assoc *a);

void stream_leave(struct ddp_stream *s, bool cut)
{
	detach(s);
	if (s->assoc->gone)
		return;
	if (cut && s->phase != SESSION_NONE) {
		struct assoc *a = s->assoc;

		stack_abort(&a->wire);
		forget(a);
		return;
	}
	if (s->phase == SESSION_ASKING && !s->ssn)
		free_stream(s, false);
	if (s->phase != SESSION_NONE)
		begin_terminate(s);
}

/* --- chunks in ---------------------------------------------------------- */

static void refuse_session(struct ddp_stream *s)
{
	begin_session(s, SESSION_CLOSING);
	begin_terminate(s);
}

static void asked(struct ddp_stream *s, const struct control_message *m)
{
	struct assoc *a = s->assoc;
	struct conn *c;

	/* At most one for each listen may be pending. */
	c = a->port ? a->port->take(a->port) : NULL;
	if (!c || m->private_len > CONTROL_MAX - CONTROL_HEADER) {
		if (c)
			conn_stream_refused(c);
		refuse_session(s);
		return;
	}
	begin_session(s, SESSION_ASKED);
	s->conn = c;
	conn_stream_asked(c, s, m);
}

static void stray(struct ddp_stream *s)
{
	struct conn *c = s->conn;

	if (c) {
		conn_stream_stray(c);
	} else if (s->phase == SESSION_NONE) {
		begin_session(s, SESSION_CLOSING);
		begin_terminate(s);
	}
}

static void act(struct ddp_stream *s, const struct chunk *chunk)
{
	const uint8_t *octets = chunk->octets + SSN_SIZE;
	size_t n = chunk->n - SSN_SIZE;
	struct control_message m = {0};

	if (chunk->ppid == PPID_CONTROL)
		control_message_read(&m, octets, n);
	switch (session_judge(s->phase, s->enhanced, chunk->ppid, octets, n)) {
	case NEWS_INITIATE:
		asked(s, &m);
		break;
	case NEWS_ACCEPT:
		s->phase = SESSION_OPEN;
		conn_stream_answered(s->conn, false, &m);
		break;
	case NEWS_REJECT:
		free_stream(s, false);
		conn_stream_answered(s->conn, true, &m);
		break;
	case NEWS_REFUSED:
		free_stream(s, false);
		conn_stream_refused(s->conn);
		break;
	case NEWS_SEGMENT:
		conn_stream_segment(s->conn, octets, n);
		break;
	case NEWS_TERMINATE:
		s->phase = SESSION_LEFT;
		if (s->conn)
			conn_stream_terminated(s->conn);
		break;
	case NEWS_STRAY:
		stray(s);
		break;
	case NEWS_NOTHING:
		break;
	}
}

/* RFC 5043 s6.6 holds for who answers, too: nothing of a session is sent while
 * a chunk of the one before is on its way. */
static void take_in_turn(struct ddp_stream *s)
{
	struct chunk *chunk;

	while (!s->assoc->gone &&
	       (s->phase != SESSION_NONE || stream_is_settled(s)) &&
	       (chunk = order_take(&s->in))) {
		act(s, chunk);
		free(chunk);
	}
}

static bool begins_a_session(const struct stack_message *m)
{
	struct control_message c;

	return m->ppid == PPID_CONTROL && m->n >= CONTROL_HEADER &&
	       be16(m->octets) == 0 &&
	       control_message_read(&c, m->octets + SSN_SIZE,
				    m->n - SSN_SIZE) &&
	       (c.code == CODE_INITIATE || c.code == CODE_ENHANCED_INITIATE);
}

/* What comes of a session that is over on our side, up to their Terminate. */
static void take_last(struct ddp_stream *s, const struct stack_message *m)
{
	struct chunk *chunk;

	order_put(&s->in, m->ppid, m->octets, m->n);
	while (s->lingers && (chunk = order_take(&s->in))) {
		s->lingers = chunk->ppid != PPID_CONTROL ||
			     chunk->n < CONTROL_HEADER ||
			     be16(chunk->octets + SSN_SIZE) != CODE_TERMINATE;
		free(chunk);
	}
	if (!s->lingers)
		order_reset(&s->in);
}

/* We have ended the session: their half may still come, or they begin anew. */
static bool is_of_the_past(struct ddp_stream *s, const struct stack_message *m)
{
	bool anew = begins_a_session(m);

	if (s->lingers) {
		if (anew)
			free_stream(s, false);
		else
			take_last(s, m);
		return !anew;
	}
	if (!anew || !s->in.next || (s->phase != SESSION_CLOSING && !s->ended))
		return false;
	if (s->conn) {
		struct conn *c = s->conn;

		s->phase = SESSION_LEFT;
		conn_stream_terminated(c);
	}
	free_stream(s, false);
	return false;
}

static void message(struct stack_wire *wire, const struct stack_message *m)
{
	struct assoc *a = (struct assoc *)wire;
	struct ddp_stream *s;

	/* Without the indication there are no procedures of DDP. */
	if (!a->ddp || m->stream >= wire->streams)
		return;
	s = stream_of(a, m->stream);
	if (is_of_the_past(s, m))
		return;
	if (m->ppid != PPID_SEGMENT && m->ppid != PPID_CONTROL) {
		if (s->conn)
			stray(s);
		return;
	}
	switch (order_put(&s->in, m->ppid, m->octets, m->n)) {
	case SSN_TAKEN:
		take_in_turn(s);
		break;
	case SSN_PAST:
		break;
	case SSN_TOO_MANY:
	case SSN_NOT_THERE:
		if (s->conn)
			stray(s);
		break;
	}
}

/* --- an association ----------------------------------------------------- */

static struct assoc *new_assoc(const void *owner, struct sctp_port *port);

/* All its sessions are lost, and it is freed. */
static void forget(struct assoc *a)
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
			conn_stream_lost(c);
		loop_free(s);
	}
	loop_free(a);
}

static void up(struct stack_wire *wire)
{
	struct assoc *a = (struct assoc *)wire;

	a->ddp = wire->indicated && wire->indication == INDICATION_DDP;
	if (!a->ddp) {
		stack_abort(wire);
		forget(a);
		return;
	}
	for (unsigned i = 0; i < a->nstreams && !a->gone; i++) {
		struct ddp_stream *s = a->stream[i];

		if (s && s->conn && i >= wire->streams) {
			struct conn *c = s->conn;

			detach(s);
			conn_stream_lost(c);
		} else if (s)
			stream_begin(s);
	}
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
		terminate(s);
		take_in_turn(s);
		if (!a->gone)
			stream_begin(s);
		if (!a->gone && s->conn)
			conn_stream_moves(s->conn);
	}
}

static void over(struct stack_wire *wire, bool in_order)
{
	(void)in_order;
	forget((struct assoc *)wire);
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
	return indicated && indication == INDICATION_DDP;
}

int assoc_listen(struct sctp_port *port)
{
	const struct stack_options o = options();

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
		forget(a);
	}
}

/* What is free now, rather than what may still be sent to. */
static struct ddp_stream *choose_stream(struct assoc *a, unsigned most)
{
	for (int any = 0; any < 2; any++)
		for (unsigned i = 0; i < most; i++) {
			struct ddp_stream *s = stream_of(a, (uint16_t)i);

			if (!s->conn && s->phase == SESSION_NONE &&
			    (any || (!s->lingers && !s->in.held)))
				return s;
		}
	errno = EBUSY;
	return NULL;
}

struct ddp_stream *assoc_open(const void *owner, const struct address *udp,
			      uint16_t port, int stream, struct conn *conn)
{
	const struct stack_options o = options();
	struct assoc *a = assocs;
	struct ddp_stream *s;
	unsigned most;

	while (a && (a->owner != owner || !stack_is_with(&a->wire, udp, port)))
		a = a->next;
	if (!a) {
		a = new_assoc(owner, NULL);
		if (stack_connect(&a->wire, udp, port, &o) < 0) {
			int error = errno;

			forget(a);
			errno = error;
			return NULL;
		}
	}
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
