/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stream over SCTP: its association, its session, and the input of the golden
 * model of sessions.
 */
#include "suite/language/execution/execution.h"

#include <limits.h>
#include <string.h>

#include "harness/link/sctp/sctp.h"
#include "harness/peer/session.h"
#include "suite/language/execution/chunks.h"
#include "suite/language/text/session_text.h"

bool test_on_sctp(const struct test *t)
{
	return t->bed->link && t->bed->link->caps & LINK_CAP_MESSAGES;
}

/* --- associations ------------------------------------------------------- */

struct stream *session_beside(struct test *t, const struct stream *s)
{
	unsigned n = s->opts.beside;

	if (!n)
		return NULL;
	n += t->beside;
	if (n > t->streams || !t->stream[n - 1].association)
		test_error(t, CAUSE_SUITE,
			   "there is no association of a stream %u", n - 1);
	return &t->stream[n - 1];
}

void session_set_link(struct test *t, const struct stream *s)
{
	const struct stream_opts *o = &s->opts;

	/* The path determines the size of segments, as `mss` asks for. */
	if (o->isn.set || o->dut_isn_least || o->no_timestamps)
		not_applicable(t, "the stream is one of SCTP, and not of TCP");
	const struct link_sctp_options of = association_options(t);

	t->bed->link->options = (struct link_options){
		.rcvbuf = o->rcvbuf,
		.acks = o->unacknowledged ? LINK_ACKS_WITHHELD
					  : LINK_ACKS_AT_ONCE,
	};
	link_sctp_set(t->bed->link, &of);
}

/* RFC 5043 s11.1: without it, no DDP may be used on it. */
static void check_indication(struct test *t, const struct stream *s)
{
	struct link_conn *conn = association_conn(s->association);
	const struct link_sctp_state is = link_sctp_state(conn);

	if (is.adaptation && is.indication == SESSION_ADAPTATION_DDP)
		return;
	test_fail(t,
		  s->role == INITIATOR ? SCTPX_5_1_01.index
				       : SCTPX_5_1_02.index,
		  "due:  the adaptation indication of DDP, 0x00000001, in the "
		  "device's %s\nseen: %s",
		  s->role == INITIATOR ? "INIT" : "INIT ACK",
		  is.adaptation ? test_format(t, "0x%08x", is.indication)
				: "none");
}

/* A session is about to begin. */
static void begin(struct test *t, struct stream *s)
{
	model_session_init(&s->session, t->bed->claims & NEED_MPA_V2);
	model_session_init(&s->peer_session, true);
	s->peer_session.rejects_agreed = UINT_MAX;
	/* A ULP that needs more than is offered rejects. */
	s->session.rejects_agreed = s->opts.reject || s->opts.need_ord;
}

/* The peer takes this stream of the association. */
static void take_stream(struct test *t, struct stream *s, uint16_t sid)
{
	if (!peer_init_session(&s->peer, s->association, sid, t->bed->log,
			       (unsigned)(s - t->stream)))
		test_error(t, CAUSE_SUITE, "out of memory");
	s->sid = sid;
	s->live = true;
	begin(t, s);
}

/* The stream that the device chose. */
static void find_stream(struct test *t, struct stream *s)
{
	uint16_t known[TESTBED_STREAMS], sid = 0;
	size_t n = 0;
	uint64_t deadline = wait_begins(t);

	for (unsigned i = 0; i < t->streams; i++)
		if (t->stream[i].live &&
		    t->stream[i].association == s->association)
			known[n++] = t->stream[i].sid;
	/* If no message comes, the statement that waits for one reports that. */
	switch (association_other(s->association, known, n, t->bed->log,
				  deadline, &sid)) {
	case ASSOCIATION_TIMEOUT:
		wait_in_vain(t, deadline);
		break;
	case ASSOCIATION_BROKEN:
		test_error(t, CAUSE_SUITE, "the link failed: %s",
			   association_conn(s->association)->why);
	default:
		break;
	}
	take_stream(t, s, sid);
}

void session_adopt(struct test *t, struct stream *s, struct link_conn *conn)
{
	const struct stream *other = conn ? NULL : session_beside(t, s);

	s->association = conn    ? association_new(conn)
			 : other ? other->association
				 : NULL;
	s->shares = !conn;
	if (!s->association) {
		link_close(conn);
		test_error(t, CAUSE_SUITE, "out of memory");
	}
	if (conn) {
		observe_text(t->bed->log, OBSERVE_NOTE,
			     (unsigned)(s - t->stream),
			     "the association is up");
		check_indication(t, s);
	}
	/* In a session that the device opens, the device chooses it. */
	if (s->role == INITIATOR && !s->opts.sid)
		find_stream(t, s);
	else
		take_stream(t, s, (uint16_t)s->opts.sid);
}

void session_drop(struct stream *s)
{
	if (!s->shares)
		association_free(s->association, true);
	s->association = NULL;
}

/* --- startup ---------------------------------------------------------------- */

uint16_t session_function(const struct startup *f)
{
	uint16_t plain = !f->reply ? SESSION_INITIATE
			 : f->r    ? SESSION_REJECT
				   : SESSION_ACCEPT;

	return f->enhanced
		       ? plain + SESSION_ENHANCED_INITIATE - SESSION_INITIATE
		       : plain;
}

void session_only(struct test *t, const struct startup *f)
{
	if (f->key || f->no_crc || f->m || f->s.set || f->reserved ||
	    f->rev.set || f->pd_length.set || f->octets.set)
		not_applicable(t, "the stream is one of SCTP: a message of "
				  "session control has no field of MPA's");
}

/* RFC 6581 s8, s9: an initiator may report what is wrong with an Accept. */
static bool is_setup_terminate(const struct stream *s, const struct frame *f)
{
	return s->role == INITIATOR && !f->seg.short_header &&
	       !f->seg.ddp.tagged && f->seg.ddp.opcode == RDMAP_TERMINATE;
}

static bool is_session_terminate(const uint8_t *octets, size_t n)
{
	struct session_chunk c;

	session_decode(&c, true, octets, n);
	return !c.cut && c.function == SESSION_TERMINATE;
}

enum peer_status session_ends_first(struct test *t, struct stream *s,
				    uint64_t deadline, const uint8_t **octets,
				    size_t *n)
{
	enum peer_status status;
	const struct frame *f;

	*n = 0;
	for (;;) {
		status = peer_receive_startup(&s->peer, deadline, octets, n);
		if (status != PEER_OUT_OF_TURN)
			break;
		status = peer_receive(&s->peer, deadline, &f);
		if (status != PEER_OK)
			break;
		*octets = f->octets;
		*n = f->n;
		if (!is_setup_terminate(s, f))
			break;
	}
	if (status == PEER_OK && is_session_terminate(*octets, *n)) {
		s->peer.fin_seen = true;
		status = PEER_FIN;
	}
	if (status != PEER_OK)
		*n = 0;
	session_looks(t, s);
	return status;
}

/* --- the golden model of sessions ------------------------------------------ */

static void device_sent(struct test *t, struct stream *s, const struct event *e,
			const struct model_chunk *c)
{
	struct model_session_verdict v = model_session_dut(&s->session, c);
	const struct looked_at before = t->look;

	if (v.fault == MODEL_SESSION_RIGHT)
		return;
	t->look = (struct looked_at){.event = e,
				     .field = session_fault_field(v.fault)};
	test_judge(t, v.req, false, true, session_fault_text(t, &v, c));
	t->look = before;
	s->astray |= model_session_leads_astray(v.fault);
}

static bool is_sent(const struct event *e)
{
	return e->kind == OBSERVE_STARTUP_SENT ||
	       e->kind == OBSERVE_FRAME_SENT || e->kind == OBSERVE_OCTETS_SENT;
}

void session_looks(struct test *t, struct stream *s)
{
	unsigned n = (unsigned)(s - t->stream);

	if (!s->association)
		return;
	for (const struct event *e = s->looked ? s->looked->next
					       : observe_first(t->bed->log);
	     e; e = e->next) {
		struct model_chunk c;

		s->looked = e;
		if (!e->chunk || e->stream != n || e->chunk->stream != s->sid)
			continue;
		c = (struct model_chunk){.ppid = e->chunk->ppid,
					 .ordered = e->chunk->ordered};
		session_decode(&c.session, c.ppid == SESSION_PPID_CONTROL,
			       e->octets, e->n);
		if (is_sent(e)) {
			model_session_peer(&s->session, &c);
			excuse_chunk(t, s, e->chunk, &c);
		} else {
			device_sent(t, s, e, &c);
			model_session_peer(&s->peer_session, &c);
		}
	}
}

void session_waits_no_longer(struct test *t, struct stream *s)
{
	if (s->association && peer_passes_over(&s->peer))
		session_looks(t, s);
}
