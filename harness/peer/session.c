/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/peer/session.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/peer/messages.h"

enum {
	EARLY_MAX = 1024,     /* chunks ahead of their turn */
	TERMINATE_MS = 10000, /* for chunks not acknowledged before it */
};

struct chunk_out {
	struct link_message m;
	const uint8_t *octets;
	size_t n;
};

struct peer_session {
	struct association *association;
	uint16_t sid;
	uint16_t tx_ssn, rx_ssn; /* of the next chunk */
	bool control_sent, reversed;
	struct association_message early[EARLY_MAX];
	size_t early_count;
	struct chunk_out *held;
	size_t held_count, held_cap;
};

const struct peer_chunk_faults peer_no_chunk_faults = {
	.ddp_ssn = -1, .ppid = -1, .stream = -1};

bool peer_init_session(struct peer *p, struct association *a, uint16_t sid,
		       struct observe *log, unsigned stream)
{
	struct peer_session *s = calloc(1, sizeof(*s));

	if (!s)
		return false;
	s->association = a;
	s->sid = sid;
	*p = (struct peer){.conn = association_conn(a),
			   .log = log,
			   .stream = stream,
			   .session = s};
	for (unsigned q = 0; q < PEER_QUEUES; q++)
		p->msn[q] = 1;
	return true;
}

void messages_end(struct peer *p)
{
	free(p->session->held);
	free(p->session);
	*p = (struct peer){0};
}

/* --- sending ------------------------------------------------------------- */

static bool is_faulty(const struct peer_chunk_faults *f)
{
	return f->ddp_ssn >= 0 || f->ppid >= 0 || f->stream >= 0 ||
	       f->ordered || f->at_once;
}

/* The head of a chunk, as a correct peer would send it except for the
 * faults. */
static struct link_message chunk_head(const struct peer_session *s,
				      uint32_t ppid,
				      const struct peer_chunk_faults *f)
{
	return (struct link_message){
		.stream = f->stream >= 0 ? (uint16_t)f->stream : s->sid,
		.ppid = f->ppid >= 0 ? (uint32_t)f->ppid : ppid,
		.ordered = f->ordered,
	};
}

/* User data in the log's memory; NULL: it is full. */
static const uint8_t *user_data(struct peer *p, struct session_chunk *c,
				const struct peer_chunk_faults *f, size_t *n)
{
	struct peer_session *s = p->session;
	size_t cap = SESSION_CONTROL_OCTETS + c->body_octets;
	uint8_t *out = observe_alloc(p->log, cap);

	c->ddp_ssn = f->ddp_ssn >= 0 ? (uint16_t)f->ddp_ssn : s->tx_ssn;
	/* A chunk on another stream does not belong to this one. */
	if (f->stream < 0 || f->stream == s->sid)
		s->tx_ssn++;
	*n = out ? session_encode(c, out, cap) : 0;
	return out;
}

/* What SCTP says of the chunk with these octets of user data; NULL: the log is
 * full. */
static const struct frame_chunk *chunk_of(struct peer *p,
					  const struct link_message *m,
					  const uint8_t *octets, size_t n,
					  unsigned arrival, bool faulty)
{
	struct frame_chunk *chunk = observe_alloc(p->log, sizeof(*chunk));
	struct session_chunk c;

	if (!chunk)
		return NULL;
	session_decode(&c, false, octets, n);
	*chunk = (struct frame_chunk){
		.ppid = m->ppid,
		.tsn = m->tsn,
		.stream = m->stream,
		.ddp_ssn = c.ddp_ssn,
		.ordered = m->ordered,
		.faulty = faulty,
		.arrival = arrival,
	};
	return chunk;
}

/* Its event in the log, or NULL: it is full. */
static struct event *log_chunk(struct peer *p, enum observe_kind kind,
			       const struct link_message *m,
			       const uint8_t *octets, size_t n,
			       unsigned arrival, bool faulty)
{
	const struct frame_chunk *chunk =
		chunk_of(p, m, octets, n, arrival, faulty);
	struct event *e =
		chunk ? observe_event(p->log, kind, p->stream, octets, n)
		      : NULL;

	if (e)
		e->chunk = chunk;
	return e;
}

/* A frame of the chunk that this event reports. */
static bool frame_chunk(struct peer *p, struct frame *f, const struct event *e)
{
	struct fpdu *fpdu =
		observe_alloc(p->log, offsetof(struct fpdu, marker));
	struct session_chunk c;

	if (!fpdu)
		return false;
	session_decode(&c, false, f->octets, f->n);
	/* A segment of more octets than a ULPDU can have is cut there. */
	fpdu->ulpdu = c.body;
	fpdu->ulpdu_length =
		(uint16_t)(c.body_octets < 65535 ? c.body_octets : 65535);
	f->chunk = e->chunk;
	f->fpdu = fpdu;
	f->crc_ok = true; /* SCTP's has been checked */
	ddp_decode(&f->seg, fpdu->ulpdu, fpdu->ulpdu_length);
	return true;
}

static bool hold(struct peer *p, const struct link_message *m,
		 const uint8_t *octets, size_t n)
{
	struct peer_session *s = p->session;

	if (s->held_count == s->held_cap) {
		size_t cap = s->held_cap ? 2 * s->held_cap : 16;
		struct chunk_out *more =
			realloc(s->held, cap * sizeof(*s->held));

		if (!more) {
			snprintf(p->conn->why, sizeof(p->conn->why),
				 "out of memory");
			return false;
		}
		s->held = more;
		s->held_cap = cap;
	}
	s->held[s->held_count++] = (struct chunk_out){*m, octets, n};
	return true;
}

/* A fault of MPA has no octets here to be in. */
static bool of_mpa(const struct peer_faults *f)
{
	return f->crc != PEER_CRC_RIGHT || f->pad >= 0 || f->pad_after >= 0 ||
	       f->ulpdu_length >= 0 || f->flip >= 0 ||
	       f->marker_reserved >= 0 || f->marker_pointer >= 0 ||
	       f->marker_reserved_after >= 0 || f->marker_pointer_after >= 0 ||
	       f->no_markers || f->extra_marker;
}

enum peer_status messages_frame(struct peer *p, const uint8_t *ulpdu, size_t n,
				const struct peer_faults *f,
				const struct frame **frame)
{
	struct peer_session *s = p->session;
	struct session_chunk c = {.body = ulpdu, .body_octets = n};
	struct link_message m = chunk_head(s, SESSION_PPID_SEGMENT, &f->chunk);
	struct frame *sent = observe_alloc(p->log, sizeof(*sent));

	if (of_mpa(f))
		return PEER_BROKEN;
	if (!sent || !(sent->octets = user_data(p, &c, &f->chunk, &sent->n)))
		return PEER_FLOOD;
	struct event *e = log_chunk(p, OBSERVE_FRAME_SENT, &m, sent->octets,
				    sent->n, 0, is_faulty(&f->chunk));

	if (!e || !frame_chunk(p, sent, e))
		return PEER_FLOOD;
	e->frame = sent;
	if (frame)
		*frame = sent;
	return hold(p, &m, sent->octets, sent->n) ? PEER_OK : PEER_BROKEN;
}

enum peer_status messages_hold(struct peer *p, enum observe_kind kind,
			       const uint8_t *octets, size_t n)
{
	const struct link_message m = chunk_head(
		p->session, SESSION_PPID_SEGMENT, &peer_no_chunk_faults);
	const uint8_t *copy = observe_copy(p->log, octets, n);

	if (!copy || !log_chunk(p, kind, &m, copy, n, 0, true))
		return PEER_FLOOD;
	return hold(p, &m, copy, n) ? PEER_OK : PEER_BROKEN;
}

static void turn_round(struct peer_session *s)
{
	for (size_t i = 0; i < s->held_count / 2; i++) {
		struct chunk_out *a = &s->held[i];
		struct chunk_out *b = &s->held[s->held_count - 1 - i];
		struct chunk_out was = *a;

		*a = *b;
		*b = was;
	}
}

void peer_reverses(struct peer *p, bool on)
{
	p->session->reversed = on;
}

uint16_t peer_next_ssn(const struct peer *p)
{
	return p->session->tx_ssn;
}

enum peer_status messages_flush(struct peer *p, size_t keep, uint64_t deadline)
{
	struct peer_session *s = p->session;
	size_t all = 0, at = 0, i;
	int status = LINK_OK;

	if (s->reversed)
		turn_round(s);
	for (i = 0; i < s->held_count; i++)
		all += s->held[i].n;
	for (i = 0; i < s->held_count && status == LINK_OK; i++) {
		const struct chunk_out *o = &s->held[i];

		at += o->n;
		if (at + keep > all)
			break;
		status = link_send_message(p->conn, &o->m, o->octets, o->n,
					   deadline);
	}
	s->held_count -= i;
	memmove(s->held, s->held + i, s->held_count * sizeof(*s->held));
	return peer_from_link(status);
}

/* RFC 5043 s6.6: not if it might overtake the previous session. */
static enum peer_status await_acknowledgment(struct peer *p, uint64_t deadline)
{
	switch (association_acknowledged(p->session->association, p->log,
					 deadline)) {
	case ASSOCIATION_TIMEOUT:
		return PEER_TIMEOUT;
	case ASSOCIATION_FLOOD:
		return PEER_FLOOD;
	case ASSOCIATION_BROKEN:
		return PEER_BROKEN;
	default:
		/* A send or receive notices an end. */
		return PEER_OK;
	}
}

enum peer_status peer_control(struct peer *p, uint16_t function,
			      const uint8_t *private_data, size_t n,
			      const struct peer_chunk_faults *faults,
			      uint64_t deadline)
{
	struct peer_session *s = p->session;
	const struct peer_chunk_faults *f =
		faults ? faults : &peer_no_chunk_faults;
	struct session_chunk c = {.control = true,
				  .function = function,
				  .body = private_data,
				  .body_octets = n};
	const struct link_message m = chunk_head(s, SESSION_PPID_CONTROL, f);
	enum peer_status status = PEER_OK;
	size_t octets;

	if (s->control_sent && !f->at_once)
		status = await_acknowledgment(p, deadline);
	if (status != PEER_OK)
		return status;
	const uint8_t *user = user_data(p, &c, f, &octets);

	if (!user || !log_chunk(p, OBSERVE_STARTUP_SENT, &m, user, octets, 0,
				is_faulty(f)))
		return PEER_FLOOD;
	s->control_sent = true;
	if (f->hold)
		return hold(p, &m, user, octets) ? PEER_OK : PEER_BROKEN;
	return peer_from_link(
		link_send_message(p->conn, &m, user, octets, deadline));
}

enum peer_status messages_terminate(struct peer *p)
{
	enum peer_status status =
		peer_control(p, SESSION_TERMINATE, NULL, 0, NULL,
			     clock_after_ms(TERMINATE_MS));

	if (status == PEER_OK)
		observe_event(p->log, OBSERVE_FIN_SENT, p->stream, NULL, 0);
	return status;
}

/* --- receiving ----------------------------------------------------------- */

static bool of_ddp(const struct link_message *m)
{
	return m->ppid == SESSION_PPID_SEGMENT ||
	       m->ppid == SESSION_PPID_CONTROL;
}

static uint16_t ssn_of(const struct link_message *m)
{
	return (uint16_t)(m->octets[0] << 8 | m->octets[1]);
}

/* Is its turn still to come? */
static bool has_turn(const struct peer_session *s, const struct link_message *m)
{
	return of_ddp(m) && !m->cut && m->n >= SESSION_SSN_OCTETS &&
	       (uint16_t)(ssn_of(m) - s->rx_ssn) < 0x8000;
}

static void pass_over(struct peer *p, const struct association_message *came)
{
	log_chunk(p, OBSERVE_OCTETS_SEEN, &came->m, came->m.octets, came->m.n,
		  came->arrival, false);
}

/* The one whose turn it is, or NULL. */
static struct association_message *in_turn(struct peer_session *s)
{
	for (size_t i = 0; i < s->early_count; i++)
		if (ssn_of(&s->early[i].m) == s->rx_ssn)
			return &s->early[i];
	return NULL;
}

static bool came_before(const struct peer_session *s,
			const struct link_message *m)
{
	for (size_t i = 0; i < s->early_count; i++)
		if (ssn_of(&s->early[i].m) == ssn_of(m))
			return true;
	return false;
}

static void drop(struct peer_session *s, struct association_message *which)
{
	size_t i = (size_t)(which - s->early);

	s->early_count--;
	memmove(&s->early[i], &s->early[i + 1],
		(s->early_count - i) * sizeof(*s->early));
	s->rx_ssn++;
}

/* In the order of their numbers. */
bool peer_passes_over(struct peer *p)
{
	struct peer_session *s = p->session;
	bool any = s && s->early_count;

	while (s && s->early_count) {
		size_t first = 0;

		for (size_t i = 1; i < s->early_count; i++)
			if ((uint16_t)(ssn_of(&s->early[i].m) - s->rx_ssn) <
			    (uint16_t)(ssn_of(&s->early[first].m) - s->rx_ssn))
				first = i;
		pass_over(p, &s->early[first]);
		s->early[first] = s->early[--s->early_count];
	}
	return any;
}

/* The association is over; what never had its turn is reported. */
static enum peer_status over(struct peer *p, bool aborted)
{
	/* What an abort keeps from arriving leaves gaps, and blames nobody: SCTP
	 * may send unordered chunks in any order (RFC 5043 s10). */
	if (!aborted)
		peer_passes_over(p);
	if (aborted && !p->reset_seen)
		observe_event(p->log, OBSERVE_RESET_SEEN, p->stream, NULL, 0);
	if (!aborted && !p->fin_seen)
		observe_event(p->log, OBSERVE_FIN_SEEN, p->stream, NULL, 0);
	p->reset_seen |= aborted;
	p->fin_seen |= !aborted;
	return aborted ? PEER_RESET : PEER_FIN;
}

/* One chunk more of this stream. */
static enum peer_status receive_one(struct peer *p, uint64_t deadline)
{
	struct peer_session *s = p->session;
	struct association_message came;

	switch (association_next(s->association, s->sid, p->log, deadline,
				 &came)) {
	case ASSOCIATION_MESSAGE:
		break;
	case ASSOCIATION_TIMEOUT:
		return PEER_TIMEOUT;
	case ASSOCIATION_SHUTDOWN:
		return over(p, false);
	case ASSOCIATION_ABORTED:
		return over(p, true);
	case ASSOCIATION_FLOOD:
		return PEER_FLOOD;
	case ASSOCIATION_BROKEN:
		return PEER_BROKEN;
	}
	if (!has_turn(s, &came.m) || came_before(s, &came.m)) {
		pass_over(p, &came);
		return PEER_OK;
	}
	if (s->early_count == EARLY_MAX)
		return PEER_FLOOD;
	s->early[s->early_count++] = came;
	return PEER_OK;
}

static enum peer_status next(struct peer *p, uint64_t deadline,
			     struct association_message **out)
{
	while (!(*out = in_turn(p->session))) {
		enum peer_status status = p->reset_seen ? PEER_RESET
					  : p->fin_seen
						  ? PEER_FIN
						  : receive_one(p, deadline);

		if (status != PEER_OK)
			return status;
	}
	return PEER_OK;
}

enum peer_status messages_receive_control(struct peer *p, uint64_t deadline,
					  const uint8_t **octets, size_t *n)
{
	struct association_message *came;
	enum peer_status status = next(p, deadline, &came);

	*octets = NULL;
	*n = 0;
	if (status != PEER_OK)
		return status;
	if (came->m.ppid != SESSION_PPID_CONTROL)
		return PEER_OUT_OF_TURN;
	*octets = came->m.octets;
	*n = came->m.n;
	log_chunk(p, OBSERVE_STARTUP_SEEN, &came->m, *octets, *n, came->arrival,
		  false);
	drop(p->session, came);
	return PEER_OK;
}

/* A Session Terminate is the end of the device's chunks. */
static bool is_terminate(const struct link_message *m)
{
	struct session_chunk c;

	session_decode(&c, true, m->octets, m->n);
	return m->ppid == SESSION_PPID_CONTROL && !c.cut &&
	       c.function == SESSION_TERMINATE;
}

enum peer_status messages_receive(struct peer *p, uint64_t deadline,
				  const struct frame **frame)
{
	struct association_message *came;
	enum peer_status status = next(p, deadline, &came);

	if (status != PEER_OK)
		return status;
	const struct link_message m = came->m;
	unsigned arrival = came->arrival;

	if (is_terminate(&m)) {
		drop(p->session, came);
		log_chunk(p, OBSERVE_STARTUP_SEEN, &m, m.octets, m.n, arrival,
			  false);
		return over(p, false);
	}
	if (m.ppid == SESSION_PPID_CONTROL)
		return PEER_OUT_OF_TURN;
	drop(p->session, came);

	struct frame *f = observe_alloc(p->log, sizeof(*f));
	struct event *e = f ? log_chunk(p, OBSERVE_FRAME_SEEN, &m, m.octets,
					m.n, arrival, false)
			    : NULL;

	if (!e)
		return PEER_FLOOD;
	f->octets = m.octets;
	f->n = m.n;
	if (!frame_chunk(p, f, e))
		return PEER_FLOOD;
	e->frame = *frame = f;
	return PEER_OK;
}

bool messages_waiting(struct peer *p)
{
	struct association_message *came;

	return next(p, CLOCK_NOW, &came) == PEER_OK;
}
