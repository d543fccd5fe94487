/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Here conn->out and conn->in contain records: four octets with type and
 * length, followed by a chunk without its DDP-SSN.
 *
 * Where the RFCs leave a choice: a responder sends when it has accepted, except
 * in the peer-to-peer model, where it waits as over TCP; an Enhanced Reject has
 * enhanced data, and the first four octets of one that arrives are read as
 * such.
 */
#include "harness/refdut/sctp/conn_sctp.h"
#include "harness/refdut/sctp/conn_sctp_decisions.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

enum { RECORD = 4 };

enum record { RECORD_SEGMENT = 1, RECORD_CONTROL = 2, RECORD_END = 3 };

static void put_record(struct buf *b, enum record what, size_t n)
{
	uint8_t header[RECORD];

	be32_put(header, (uint32_t)what << 24 | (uint32_t)n);
	buf_put(b, header, RECORD);
}

/* False: there is none. */
static bool get_record(const struct buf *b, enum record *what, size_t *n)
{
	uint32_t header;

	if (buf_len(b) < RECORD)
		return false;
	header = be32(buf_head(b));
	*what = header >> 24;
	*n = header & 0xffffff;
	return true;
}

/* --- outgoing ----------------------------------------------------------- */

void conn_put_segment(struct conn *c, const uint8_t *header, size_t header_len,
		      const uint8_t *payload, size_t len)
{
	put_record(&c->out, RECORD_SEGMENT, header_len + len);
	buf_put(&c->out, header, header_len);
	buf_put(&c->out, payload, len);
	c->generated += RECORD + header_len + len;
}

RULE(private_data_sent)
{
	return c->params.private_len;
}

RULE(function_code)
{
	return code;
}

/* It comes first; private data follows. */
RULE(enhanced_data_at)
{
	return 0;
}

/* RFC 5043 s6.5: and no other control message, until it is answered. */
RULE(queue_control)
{
	put_record(&c->out, RECORD_CONTROL, n);
	buf_put(&c->out, octets, n);
	c->generated += RECORD + n;
}

static void put_control(struct conn *c, unsigned code, const uint8_t *enhanced)
{
	uint8_t octets[CODE_SIZE + ENHANCED_SIZE + STARTUP_PRIVATE_ROOM];
	uint8_t *behind_code = octets + CODE_SIZE;
	size_t len = private_data_sent(c, code);
	size_t n = CODE_SIZE + len + (enhanced ? ENHANCED_SIZE : 0);

	be16_put(octets, (uint16_t)function_code(c, code, len));
	if (enhanced) {
		size_t at = enhanced_data_at(len);

		memcpy(behind_code + at, enhanced, ENHANCED_SIZE);
		behind_code += at ? 0 : ENHANCED_SIZE;
	}
	memcpy(behind_code, c->params.private_data, len);
	queue_control(c, code, octets, n);
}

void conn_put_initiate(struct conn *c)
{
	uint8_t enhanced[ENHANCED_SIZE];

	startup_enhanced_request(enhanced, &c->params);
	put_control(c,
		    c->params.enhanced ? CODE_ENHANCED_INITIATE : CODE_INITIATE,
		    c->params.enhanced ? enhanced : NULL);
}

/* RFC 6581 s7: in the form of the Initiate. */
RULE(session_answer_is_enhanced)
{
	return c->agreed.enhanced;
}

RULE(reject_has_enhanced_data)
{
	return true;
}

void conn_put_answer(struct conn *c)
{
	const struct agreement *a = &c->agreed;
	uint8_t octets[ENHANCED_SIZE];
	const uint8_t *enhanced = NULL;
	unsigned code;

	startup_enhanced_reply(octets, a);
	if (session_answer_is_enhanced(c)) {
		code = a->rejected ? CODE_ENHANCED_REJECT
				   : CODE_ENHANCED_ACCEPT;
		if (!a->rejected || reject_has_enhanced_data(c))
			enhanced = octets;
	} else {
		code = a->rejected ? CODE_REJECT : CODE_ACCEPT;
	}
	put_control(c, code, enhanced);
	c->answered = true;
}

RULE(hand_over_chunk)
{
	return stream_put(c->stream, ppid, octets, n);
}

/* RFC 5043 s11.2: untagged segments are not held back, and there is nothing
 * else to send. */
RULE(waits_for_others)
{
	return false;
}

RULE(initiate_is_answered)
{
	return c->answered;
}

RULE(answer_opens_session)
{
	return !c->agreed.rejected;
}

/* The answer to an Initiate has been sent. */
static void answered(struct conn *c)
{
	c->answered = false;
	if (c->stream)
		stream_is_answered(c->stream, answer_opens_session(c));
}

/* False: it stays in conn->out for now. */
static bool hand_over_record(struct conn *c, enum record what, size_t n)
{
	bool control = what == RECORD_CONTROL;
	uint8_t *octets = buf_head(&c->out) + RECORD;
	int taken;

	if (waits_for_others(c, control ? NULL : octets, n,
			     buf_len(&c->out) <= RECORD + n))
		return false;
	taken = hand_over_chunk(c, control ? PPID_CONTROL : PPID_SEGMENT,
				octets, n);
	if (taken < 0)
		return false;
	c->out_blocked = !taken;
	if (!taken)
		return false;
	buf_take(&c->out, RECORD + n);
	c->handed += RECORD + n;
	if (control && initiate_is_answered(c))
		answered(c);
	return true;
}

bool conn_hand_over(struct conn *c)
{
	enum record what;
	size_t n;

	while (c->stream && get_record(&c->out, &what, &n))
		if (!hand_over_record(c, what, n))
			return false;
	return true;
}

/* --- incoming ----------------------------------------------------------- */

bool conn_next_segment(struct conn *c, struct ulpdu *ulpdu, bool *ended)
{
	enum record what;
	size_t n;

	if (!get_record(&c->in, &what, &n))
		return false;
	ulpdu->octets = buf_head(&c->in) + RECORD;
	ulpdu->len = (uint32_t)n;
	ulpdu->raw = RECORD + n;
	*ended = what == RECORD_END;
	return true;
}

void conn_stream_segment(struct conn *c, const uint8_t *octets, size_t n)
{
	if (!c || c->rx_over || c->phase != PHASE_FULL)
		return;
	put_record(&c->in, RECORD_SEGMENT, n);
	buf_put(&c->in, octets, n);
	conn_input(c);
	/* Allow what may be sent from now on. */
	if (c->phase != PHASE_GONE)
		conn_kick(c);
}

/* After the segments that arrived before it. */
RULE(session_terminated)
{
	if (c->phase == PHASE_FULL && !c->rx_over && buf_len(&c->in))
		put_record(&c->in, RECORD_END, 0);
	else
		conn_peer_finished(c);
}

void conn_stream_terminated(struct conn *c)
{
	session_terminated(c);
}

/* --- the life of its session -------------------------------------------- */

RULE(session_private_data_at)
{
	return enhanced && n >= ENHANCED_SIZE ? ENHANCED_SIZE : 0;
}

RULE(private_data_given)
{
	return n < STARTUP_PRIVATE_MAX ? n : STARTUP_PRIVATE_MAX;
}

static void read_message(struct conn *c, const struct control_message *m,
			 bool enhanced, bool rejected)
{
	struct startup_frame *f = &c->their_frame;
	const uint8_t *octets = m->private_data;
	size_t at, n = m->private_len;

	*f = (struct startup_frame){.is_session = true,
				    .enhanced = enhanced,
				    .rejected = rejected,
				    .rev = enhanced ? 2 : 1};
	if (enhanced && n >= ENHANCED_SIZE)
		startup_read_enhanced(f, octets);
	at = session_private_data_at(enhanced, n);
	octets += at;
	n = private_data_given(c, n - at);
	if (n)
		memcpy(f->private_data, octets, n);
	f->private_len = (uint32_t)n;
}

struct conn *conn_invite(const struct params *params, const void *owner,
			 struct job *notify)
{
	struct conn *c = conn_new(params, owner, notify);

	c->sctp = true;
	c->phase = PHASE_REQUEST;
	timer_arm(&c->timer, startup_timeout_ms);
	return c;
}

struct conn *conn_connect_sctp(const struct address *udp, uint16_t port,
			       int stream, const struct params *params,
			       const void *owner, struct job *notify)
{
	struct conn *c = conn_new(params, owner, notify);

	c->sctp = true;
	c->initiator = true;
	c->phase = PHASE_TCP;
	timer_arm(&c->timer, startup_timeout_ms);
	c->stream = assoc_open(owner, udp, port, stream, c);
	if (!c->stream) {
		int error = errno;

		conn_destroy(c);
		errno = error;
		return NULL;
	}
	stream_begin(c->stream);
	return c;
}

void conn_stream_up(struct conn *c, bool *enhanced)
{
	*enhanced = c->params.enhanced;
	conn_send_request(c);
}

void conn_stream_asked(struct conn *c, struct ddp_stream *s,
		       const struct control_message *m)
{
	bool enhanced = m->code == CODE_ENHANCED_INITIATE;

	c->stream = s;
	c->stream_number = s->number;
	s->enhanced = enhanced;
	assoc_peer_text(s, c->peer);
	if (enhanced && m->private_len < ENHANCED_SIZE) {
		conn_startup_failed(c, "private-data");
		return;
	}
	read_message(c, m, enhanced, false);
	conn_startup_input(c);
	if (c->phase != PHASE_GONE)
		conn_flush(c);
}

void conn_stream_answered(struct conn *c, bool rejected,
			  const struct control_message *m)
{
	bool enhanced = m->code == CODE_ENHANCED_ACCEPT ||
			m->code == CODE_ENHANCED_REJECT;

	if (c->phase != PHASE_REPLY)
		return;
	if (enhanced && !rejected && m->private_len < ENHANCED_SIZE) {
		conn_startup_failed(c, "private-data");
		return;
	}
	read_message(c, m, enhanced, rejected);
	conn_startup_input(c);
}

void conn_stream_refused(struct conn *c)
{
	conn_startup_failed(c, "refused");
}

void conn_stream_stray(struct conn *c)
{
	c->failure = "bad-frame";
	conn_final(c, CONN_ERROR);
	conn_drop(c, false);
	conn_flush_all(c);
}

void conn_stream_lost(struct conn *c)
{
	c->stream = NULL;
	if (c->phase == PHASE_TCP)
		conn_startup_failed(c, "refused");
	else
		conn_lost(c);
}

void conn_stream_moves(struct conn *c)
{
	c->out_blocked = false;
	if (buf_len(&c->out) || c->fin_due || c->closing)
		conn_kick(c);
}
