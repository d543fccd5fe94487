/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * conn->out and conn->in hold records here: four octets, what it is and how
 * long, and then a chunk from behind its DDP-SSN on.
 *
 * Where the texts leave a choice: a responder sends when it has accepted, but
 * for the peer-to-peer model, where it waits as over TCP; an Enhanced Reject
 * has enhanced data, and where one comes its first four octets are.
 */
#include "harness/refdut/conn_sctp.h"
#include "harness/refdut/mutants.h"
#include "harness/refdut/variants.h"

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

/* --- out ---------------------------------------------------------------- */

void conn_put_segment(struct conn *c, const uint8_t *header, size_t header_len,
		      const uint8_t *payload, size_t len)
{
	put_record(&c->out, RECORD_SEGMENT, header_len + len);
	buf_put(&c->out, header, header_len);
	buf_put(&c->out, payload, len);
	c->generated += RECORD + header_len + len;
}

static uint16_t spoilt_code(unsigned code)
{
	switch (code) {
	case CODE_INITIATE:
		return mutant(MUTANT_initiate_code_byte_swapped) ? code << 8
								 : code;
	case CODE_ACCEPT:
		return mutant(MUTANT_accept_code_eight) ? 8 : code;
	case CODE_REJECT:
		return mutant(MUTANT_reject_sent_as_terminate) ? CODE_TERMINATE
							       : code;
	case CODE_ENHANCED_INITIATE:
		return mutant(MUTANT_enhanced_initiate_of_code_one)
			       ? CODE_INITIATE
			       : code;
	case CODE_ENHANCED_ACCEPT:
		return mutant(MUTANT_enhanced_accept_of_code_two) ? CODE_ACCEPT
								  : code;
	default:
		return code;
	}
}

static bool private_data_is_left_out(unsigned code)
{
	return (code == CODE_INITIATE &&
		mutant(MUTANT_initiate_private_data_left_out)) ||
	       (code == CODE_ACCEPT &&
		mutant(MUTANT_accept_private_data_left_out)) ||
	       (code == CODE_REJECT &&
		mutant(MUTANT_reject_private_data_left_out)) ||
	       (code >= CODE_ENHANCED_INITIATE &&
		mutant(MUTANT_enhanced_private_data_left_out));
}

static void put_control(struct conn *c, unsigned code, const uint8_t *enhanced)
{
	uint8_t octets[CODE_SIZE + ENHANCED_SIZE + STARTUP_PRIVATE_ROOM];
	static const uint8_t own[] = {0, 9};
	size_t len = private_data_is_left_out(code) ? 0 : c->params.private_len;
	size_t enhanced_len = enhanced ? ENHANCED_SIZE : 0;
	size_t n = CODE_SIZE + enhanced_len + len;
	bool first = mutant(MUTANT_private_data_before_enhanced);

	if (code == CODE_ACCEPT && !len && !c->their_frame.private_len &&
	    mutant(MUTANT_accept_sent_as_reject))
		be16_put(octets, CODE_REJECT);
	else
		be16_put(octets, spoilt_code(code));
	if (enhanced)
		memcpy(octets + CODE_SIZE + (first ? len : 0), enhanced,
		       ENHANCED_SIZE);
	memcpy(octets + CODE_SIZE + (first ? 0 : enhanced_len),
	       c->params.private_data, len);
	put_record(&c->out, RECORD_CONTROL, n);
	buf_put(&c->out, octets, n);
	c->generated += RECORD + n;
	if (mutant(code == CODE_REJECT || code == CODE_ENHANCED_REJECT
			   ? MUTANT_control_behind_its_reject
			   : MUTANT_control_of_its_own)) {
		put_record(&c->out, RECORD_CONTROL, sizeof(own));
		buf_put(&c->out, own, sizeof(own));
		c->generated += RECORD + sizeof(own);
	}
}

void conn_put_initiate(struct conn *c)
{
	uint8_t enhanced[ENHANCED_SIZE];

	startup_enhanced_request(enhanced, &c->params);
	put_control(c,
		    c->params.enhanced ? CODE_ENHANCED_INITIATE : CODE_INITIATE,
		    c->params.enhanced ? enhanced : NULL);
}

void conn_put_answer(struct conn *c)
{
	const struct agreement *a = &c->agreed;
	uint8_t enhanced[ENHANCED_SIZE];
	bool has = a->enhanced;
	unsigned code;

	if (mutant(MUTANT_enhanced_reply_plain) ||
	    (mutant(MUTANT_enhanced_reject_plain) && a->rejected))
		has = false;
	if (mutant(MUTANT_plain_request_answered_enhanced))
		has = true;
	startup_enhanced_reply(enhanced, a);
	if (has)
		code = a->rejected ? CODE_ENHANCED_REJECT
				   : CODE_ENHANCED_ACCEPT;
	else
		code = a->rejected ? CODE_REJECT : CODE_ACCEPT;
	if (code == CODE_ENHANCED_REJECT &&
	    variant(VARIANT_enhanced_reject_without_enhanced_data))
		has = false;
	put_control(c, code, has ? enhanced : NULL);
	c->answered = true;
}

/* The answer to an Initiate has gone out. */
static void answered(struct conn *c)
{
	c->answered = false;
	if (!c->stream)
		return;
	stream_is_answered(c->stream,
			   !c->agreed.rejected ||
				   mutant(MUTANT_rejected_stream_served));
}

static void bundle_is_due(struct timer *timer)
{
	struct conn *c =
		(struct conn *)((char *)timer - offsetof(struct conn, bundle));

	c->bundled = true;
	conn_kick(c);
}

/* A lone segment is held back for another to go with it. */
static bool is_held_back(struct conn *c, enum record what, size_t n)
{
	unsigned ms = 0;

	if (what != RECORD_SEGMENT || c->bundled ||
	    buf_len(&c->out) > RECORD + n || c->phase != PHASE_FULL)
		return false;
	if (buf_head(&c->out)[RECORD] & 0x80 && n < c->mulpdu &&
	    variant(VARIANT_short_tagged_segments_wait))
		ms = 5;
	if (ms && !c->bundle.prev) {
		c->bundle.fire = bundle_is_due;
		timer_arm(&c->bundle, ms);
	}
	return ms;
}

bool conn_hand_over(struct conn *c)
{
	enum record what;
	size_t n;

	while (c->stream && get_record(&c->out, &what, &n)) {
		int taken;

		if (is_held_back(c, what, n))
			return false;
		c->bundled = false;
		timer_cancel(&c->bundle);
		taken = stream_put(c->stream,
				   what == RECORD_CONTROL ? PPID_CONTROL
							  : PPID_SEGMENT,
				   buf_head(&c->out) + RECORD, n);

		if (taken < 0)
			return false;
		c->out_blocked = !taken;
		if (!taken)
			return false;
		buf_take(&c->out, RECORD + n);
		c->handed += RECORD + n;
		if (what == RECORD_CONTROL && c->answered &&
		    !(mutant(MUTANT_control_behind_its_reject) &&
		      buf_len(&c->out)))
			answered(c);
		if (what == RECORD_CONTROL && mutant(MUTANT_chunk_of_no_ppid))
			stream_put_stray(c->stream);
	}
	return true;
}

/* --- in ----------------------------------------------------------------- */

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
	/* What may be sent from now on. */
	if (c->phase != PHASE_GONE)
		conn_kick(c);
}

static void their_end_is_due(struct timer *timer)
{
	conn_peer_finished((struct conn *)((char *)timer -
					   offsetof(struct conn, their_end)));
}

void conn_stream_terminated(struct conn *c)
{
	if (mutant(MUTANT_session_terminate_untold))
		return;
	if (c->phase == PHASE_FULL && !c->rx_over &&
	    mutant(MUTANT_segments_behind_terminate_taken)) {
		c->their_end.fire = their_end_is_due;
		timer_arm(&c->their_end, 100);
		return;
	}
	if (mutant(MUTANT_session_end_told_as_error))
		conn_final(c, CONN_ERROR);
	if (c->phase == PHASE_FULL && !c->rx_over && buf_len(&c->in)) {
		put_record(&c->in, RECORD_END, 0);
		return;
	}
	conn_peer_finished(c);
}

/* --- the life of its session -------------------------------------------- */

static void read_message(struct conn *c, const struct control_message *m,
			 bool enhanced, bool rejected)
{
	struct startup_frame *f = &c->their_frame;
	const uint8_t *octets = m->private_data;
	size_t n = m->private_len;

	*f = (struct startup_frame){.enhanced = enhanced,
				    .rejected = rejected,
				    .rev = enhanced ? 2 : 1};
	if (enhanced && n >= ENHANCED_SIZE)
		startup_read_enhanced(f, octets);
	if (enhanced && n >= ENHANCED_SIZE &&
	    !mutant(MUTANT_enhanced_data_shown_as_private)) {
		octets += ENHANCED_SIZE;
		n -= ENHANCED_SIZE;
	}
	if (n > STARTUP_PRIVATE_MAX)
		n = STARTUP_PRIVATE_MAX;
	if (n > 256 && mutant(MUTANT_control_private_data_cut))
		n = 256;
	c->untold = n > 256 && mutant(MUTANT_long_private_data_untold);
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
