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
#include "harness/refdut/control.h"
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
	bool controls; /* a control device answers on it */
	bool gone;
	unsigned nstreams;
	struct ddp_stream *stream[STREAMS];
};

static struct assoc *assocs;

static struct stack_options options(bool listening)
{
	struct stack_options o = {
		.adaptation =
			!mutant(listening ? MUTANT_init_ack_without_indication
					  : MUTANT_init_without_indication),
		.indication = INDICATION_DDP,
		.outbound = STREAMS,
		.inbound = STREAMS,
		.bundled = mutant(MUTANT_untagged_wait_for_others),
	};

	if (mutant(MUTANT_indication_byte_swapped))
		o.indication = __builtin_bswap32(INDICATION_DDP);
	if (mutant(listening ? MUTANT_init_ack_of_unequal_streams
			     : MUTANT_init_of_unequal_streams))
		o.inbound /= 2;
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

	if (!mutant(MUTANT_segments_fill_their_packets))
		most = most > SACK_ROOM ? most - SACK_ROOM : 0;
	most &= ~3u;
	if (mutant(MUTANT_segments_in_fragments))
		most = 4096;
	if (most < CONTROL_MAX)
		most = CONTROL_MAX;
	return most - SSN_SIZE;
}

void assoc_peer_text(const struct ddp_stream *s, char text[ADDRESS_TEXT])
{
	stack_peer_text(&s->assoc->wire, text);
}

/* A chunk; returns its length. */
static size_t put_chunk(uint8_t *chunk, uint16_t ssn, bool control,
			const uint8_t *octets, size_t n)
{
	size_t at = SSN_SIZE;

	if (mutant(MUTANT_ssn_starts_at_one))
		ssn++;
	be16_put(chunk, mutant(MUTANT_ssn_little_endian)
				? __builtin_bswap16(ssn)
				: ssn);
	if (!control && mutant(MUTANT_segment_behind_its_length)) {
		be16_put(chunk + at, (uint16_t)n);
		at += 2;
	}
	memcpy(chunk + at, octets, n);
	at += n;
	while (!control && at % 4 && mutant(MUTANT_segment_padded))
		chunk[at++] = 0;
	return at;
}

int stream_put(struct ddp_stream *s, uint32_t ppid, const uint8_t *octets,
	       size_t n)
{
	static uint8_t chunk[SSN_SIZE + UINT16_MAX + 8];
	bool control = ppid == PPID_CONTROL;
	struct stack_message m = {
		.stream = mutant(MUTANT_all_on_stream_zero) ? 0 : s->number,
		.ppid = ppid,
		.ordered = mutant(control ? MUTANT_control_ordered
					  : MUTANT_segments_ordered),
		.octets = chunk,
	};
	int taken;

	if (s->assoc->gone)
		return -1;
	if (s->submitted - s->acknowledged >= UNACKNOWLEDGED_MAX &&
	    !mutant(MUTANT_unacknowledged_without_limit))
		return 0;
	m.n = put_chunk(chunk, s->ssn, control, octets, n);
	if (mutant(control ? MUTANT_control_of_ppid_segment
			   : MUTANT_segments_of_ppid_control))
		m.ppid = control ? PPID_SEGMENT : PPID_CONTROL;
	m.cut = control && m.n == CONTROL_MAX && octets[1] <= CODE_REJECT &&
		mutant(MUTANT_control_in_fragments);
	taken = stack_send(&s->assoc->wire, &m);
	if (taken <= 0)
		return taken;
	if (!control || !mutant(MUTANT_control_not_numbered))
		s->ssn++;
	if (!s->ssn && mutant(MUTANT_ssn_wraps_to_one))
		s->ssn = 1;
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
	if (!mutant(MUTANT_ssn_goes_on))
		s->ssn = 0;
	/* What still comes of it has its place in the old order. */
	if (!lingers)
		order_reset(&s->in);
}

void stream_put_stray(struct ddp_stream *s)
{
	const struct stack_message m = {
		.stream = s->number,
		.octets = (const uint8_t *)"stray",
		.n = 5,
	};

	if (!s->assoc->gone && stack_send(&s->assoc->wire, &m) > 0)
		s->submitted++;
}

static const uint8_t empty_write[TAGGED_HEADER] = {0xc1, 0x40};

/* RFC 5043 s6.6: not before what it might overtake was acknowledged. */
bool stream_end(struct ddp_stream *s)
{
	uint8_t code[CODE_SIZE + 4] = {0, CODE_TERMINATE};
	size_t n = CODE_SIZE;

	if (s->ended || s->phase == SESSION_NONE)
		return true;
	if (!stream_is_settled(s) && !mutant(MUTANT_terminate_overtakes) &&
	    !(s->acknowledged >= s->control &&
	      variant(VARIANT_session_terminate_behind_data)))
		return false;
	if (s->phase == SESSION_LEFT &&
	    variant(VARIANT_session_terminate_unanswered)) {
		s->ended = true;
		return true;
	}
	if (mutant(MUTANT_terminate_code_eight))
		code[1] = 8;
	if (s->enhanced && mutant(MUTANT_enhanced_session_ends_by_reject))
		code[1] = CODE_ENHANCED_REJECT;
	if (mutant(MUTANT_terminate_has_private_data))
		n += 4;
	s->ended = mutant(MUTANT_no_session_terminate) ||
		   stream_put(s, PPID_CONTROL, code, n) == 1;
	if (s->ended && mutant(MUTANT_segment_behind_session_terminate))
		stream_put(s, PPID_SEGMENT, empty_write, sizeof(empty_write));
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
	if (!mutant(MUTANT_ssn_goes_on))
		s->ssn = 0;
}

/* Ours, where there is one to begin and nothing in its way. */
void stream_begin(struct ddp_stream *s)
{
	if (!s->conn || s->phase != SESSION_NONE || !s->assoc->ddp ||
	    (!stream_is_settled(s) &&
	     !mutant(MUTANT_stream_used_again_at_once)))
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

static void terminate_all(struct assoc *a)
{
	static const uint8_t message[] = {
		0x41, 0x47, [9] = 2, [13] = 1, [18] = 0, 0, 0, 0};

	for (unsigned i = 0; i < a->nstreams; i++)
		if (a->stream[i] && a->stream[i]->phase == SESSION_OPEN)
			stream_put(a->stream[i], PPID_SEGMENT, message,
				   sizeof(message));
}

void stream_leave(struct ddp_stream *s, bool cut)
{
	detach(s);
	if (s->assoc->gone)
		return;
	if (cut && s->phase != SESSION_NONE) {
		struct assoc *a = s->assoc;

		if (mutant(MUTANT_terminates_before_an_abort))
			terminate_all(a);
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
	static const uint8_t reject[CODE_SIZE] = {0, CODE_REJECT};

	if (mutant(MUTANT_excess_initiate_unanswered)) {
		begin_session(s, SESSION_ASKED);
		return;
	}
	if (mutant(MUTANT_excess_initiate_rejected)) {
		stream_put(s, PPID_CONTROL, reject, sizeof(reject));
		free_stream(s, false);
		return;
	}
	begin_session(s, SESSION_CLOSING);
	begin_terminate(s);
}

static void asked(struct ddp_stream *s, const struct control_message *m)
{
	struct assoc *a = s->assoc;
	struct conn *c;

	/* At most one for each listen may be pending. */
	c = a->port ? a->port->take(a->port) : NULL;
	if (m->private_len > CONTROL_MAX - CONTROL_HEADER && c &&
	    variant(VARIANT_long_private_data_ends_the_association)) {
		begin_session(s, SESSION_CLOSING);
		conn_stream_refused(c);
		stream_leave(s, true);
		return;
	}
	if (!c || (m->private_len > CONTROL_MAX - CONTROL_HEADER &&
		   !variant(VARIANT_long_private_data_cut))) {
		if (c)
			conn_stream_refused(c);
		refuse_session(s);
		return;
	}
	begin_session(s, SESSION_ASKED);
	s->conn = c;
	conn_stream_asked(c, s, m);
}

static void stray(struct ddp_stream *s, const struct control_message *m)
{
	struct conn *c = s->conn;
	bool known =
		m->code >= CODE_INITIATE && m->code <= CODE_ENHANCED_REJECT;

	if ((m->private_data && !known &&
	     mutant(MUTANT_unknown_code_ignored)) ||
	    (m->private_data && known && mutant(MUTANT_stray_control_ignored)))
		return;
	if (!m->private_data && s->phase == SESSION_NONE &&
	    mutant(MUTANT_early_segment_passed_over))
		return;

	if (c) {
		conn_stream_stray(c);
	} else if (s->phase == SESSION_NONE &&
		   variant(VARIANT_stray_chunk_unanswered)) {
		free_stream(s, true);
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
		if (!m.private_data) /* by a mutant */
			m.private_data = octets;
		s->phase = SESSION_OPEN;
		conn_stream_answered(s->conn, false, &m);
		break;
	case NEWS_REJECT:
		free_stream(s, false);
		conn_stream_answered(s->conn, true, &m);
		break;
	case NEWS_REFUSED:
		if (mutant(MUTANT_refusal_taken_for_accept)) {
			s->phase = SESSION_OPEN;
			m.code = s->enhanced ? CODE_ENHANCED_ACCEPT
					     : CODE_ACCEPT;
			conn_stream_answered(s->conn, false, &m);
			break;
		}
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
		stray(s, &m);
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

static void answer_as_control(struct assoc *a, const struct stack_message *m)
{
	uint8_t *octets = alloc_zeroed(m->n ? m->n : 1);
	struct stack_message answer = *m;

	if (m->n)
		memcpy(octets, m->octets, m->n);
	control_message(octets, m->n);
	answer.octets = octets;
	stack_send(&a->wire, &answer);
	free(octets);
}

/* A Write that those behind it have waited for. */
static bool is_late_write(const struct ddp_stream *s,
			  const struct stack_message *m)
{
	return s->in.held && m->ppid == PPID_SEGMENT && m->n > SSN_SIZE + 1 &&
	       be16(m->octets) == s->in.next && m->octets[SSN_SIZE] & 0x80 &&
	       !(m->octets[SSN_SIZE + 1] & 0x0f);
}

static void message(struct stack_wire *wire, const struct stack_message *m)
{
	static const struct control_message none;
	struct assoc *a = (struct assoc *)wire;
	struct ddp_stream *s;

	if (a->controls) {
		answer_as_control(a, m);
		return;
	}
	/* Without the indication there are no procedures of DDP. */
	if (!a->ddp || m->stream >= wire->streams)
		return;
	s = stream_of(a, m->stream);
	if (is_of_the_past(s, m))
		return;
	if (m->ppid != PPID_SEGMENT && m->ppid != PPID_CONTROL) {
		if (s->conn)
			stray(s, &none);
		return;
	}
	if (is_late_write(s, m) && mutant(MUTANT_late_write_lost)) {
		s->in.next++;
		take_in_turn(s);
		return;
	}
	if (mutant(MUTANT_judged_as_they_come) && m->n >= SSN_SIZE)
		s->in.next = be16(m->octets);
	switch (order_put(&s->in, m->ppid, m->octets, m->n)) {
	case SSN_TAKEN:
		take_in_turn(s);
		break;
	case SSN_PAST:
		if (s->conn && variant(VARIANT_invalid_ssn_ends_the_session))
			stray(s, &none);
		break;
	case SSN_TOO_MANY:
	case SSN_NOT_THERE:
		if (s->conn)
			stray(s, &none);
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

static bool is_of_ddp(bool indicated, uint32_t indication)
{
	if (!indicated)
		return mutant(MUTANT_missing_indication_taken);
	return indication == INDICATION_DDP ||
	       mutant(MUTANT_other_indication_taken);
}

/* True: the association is a control device's now, or no more. */
static bool is_a_controls(struct assoc *a)
{
	enum control_association what = control_association();
	struct conn *c;

	if (what == ASSOCIATION_SERVED)
		return false;
	a->controls = true;
	if (what == ASSOCIATION_ANSWERED)
		return true;
	/* Whoever waits at the port for a session learns that it is lost. */
	c = a->port ? a->port->take(a->port) : NULL;
	if (what == ASSOCIATION_ABORTED)
		stack_abort(&a->wire);
	else
		stack_shut_down(&a->wire);
	forget(a);
	if (c)
		conn_stream_refused(c);
	return true;
}

static void up(struct stack_wire *wire)
{
	struct assoc *a = (struct assoc *)wire;

	if (is_a_controls(a))
		return;
	a->ddp = is_of_ddp(wire->indicated, wire->indication);
	if (!a->ddp &&
	    (wire->indicated ? mutant(MUTANT_other_indication_left_up)
			     : variant(VARIANT_missing_indication_left_up)))
		return;
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

/* It has had a session, and there is nothing left of any. */
static bool is_idle(const struct assoc *a)
{
	bool had = false;

	for (unsigned i = 0; i < a->nstreams; i++) {
		const struct ddp_stream *s = a->stream[i];

		if (!s)
			continue;
		if (s->conn || s->phase != SESSION_NONE || s->lingers ||
		    s->in.held || !stream_is_settled(s))
			return false;
		had |= s->submitted;
	}
	return had;
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
	if (!a->gone && is_idle(a) &&
	    variant(VARIANT_association_ends_with_its_last_session)) {
		stack_shut_down(wire);
		forget(a);
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
	return is_of_ddp(indicated, indication) ||
	       (indicated ? mutant(MUTANT_other_indication_left_up)
			  : variant(VARIANT_missing_indication_left_up));
}

int assoc_listen(struct sctp_port *port)
{
	const struct stack_options o = options(true);

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
			bool last = a->wire.up &&
				    variant(VARIANT_streams_from_the_last);
			struct ddp_stream *s = stream_of(
				a, (uint16_t)(last ? most - 1 - i : i));

			if (!s->conn && s->phase == SESSION_NONE &&
			    (any || (!s->lingers && !s->in.held) ||
			     mutant(MUTANT_stream_used_again_at_once)))
				return s;
		}
	errno = EBUSY;
	return NULL;
}

struct ddp_stream *assoc_open(const void *owner, const struct address *udp,
			      uint16_t port, int stream, struct conn *conn)
{
	const struct stack_options o = options(false);
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
