/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sessions of DDP over SCTP, step by step: messages of session control, chunks
 * as they are, and the order that they go out in.
 */
#include <string.h>

#include "harness/peer/session.h"
#include "suite/language/chunks.h"
#include "suite/language/meets.h"

#define READ_BLOCK 16u

static long fault_of(struct over o)
{
	return o.set ? (long)o.v : -1;
}

void peer_sends_control(struct test *t, struct control c)
{
	struct stream *s = live_stream(t);
	const struct peer_chunk_faults faults = {
		.ddp_ssn = fault_of(c.ddp_ssn),
		.ppid = fault_of(c.ppid),
		.stream = fault_of(c.sid),
		.ordered = c.ordered,
		.at_once = true,
		.hold = c.hold,
	};

	if (!t->chunks)
		not_applicable(t, "the stream is one of TCP");
	s->starved = false;
	s->dirty = true;
	test_acts(t);
	stream_link_failed(t, s,
			   peer_control(&s->peer, (uint16_t)c.function,
					c.private_data, c.private_octets,
					&faults, test_deadline(t)));
}

struct control enhanced_control(struct test *t, unsigned function,
				const struct mpa_enhanced *e,
				const void *ulp_data, size_t n)
{
	uint8_t *octets = test_alloc(t, MPA_ENHANCED_OCTETS + n);

	mpa_enhanced_encode(e, octets);
	if (n)
		memcpy(octets + MPA_ENHANCED_OCTETS, ulp_data, n);
	return CONTROL(function, .private_data = octets,
		       .private_octets = MPA_ENHANCED_OCTETS + n);
}

void peer_sends_chunk(struct test *t, unsigned ppid, uint16_t ddp_ssn,
		      const void *octets, size_t n)
{
	struct stream *s = live_stream(t);
	const struct link_message m = {.stream = (uint16_t)stream_sid(s),
				       .ppid = ppid};
	uint8_t *user = test_alloc(t, SESSION_SSN_OCTETS + n);

	if (!t->chunks)
		not_applicable(t, "the stream is one of TCP");
	user[0] = (uint8_t)(ddp_ssn >> 8);
	user[1] = (uint8_t)ddp_ssn;
	if (n)
		memcpy(user + SESSION_SSN_OCTETS, octets, n);
	s->starved = false;
	s->dirty = true;
	test_acts(t);
	observe_event(t->bed->log, OBSERVE_OCTETS_SENT,
		      (unsigned)(s - t->stream), user, SESSION_SSN_OCTETS + n);
	int status =
		link_send_message(s->peer.conn, &m, user,
				  SESSION_SSN_OCTETS + n, test_deadline(t));

	if (status == LINK_ERROR)
		test_error(t, CAUSE_SUITE, "the link failed: %s",
			   s->peer.conn->why);
}

const uint8_t *empty_write_segment(struct test *t, size_t *n)
{
	const struct ddp_segment seg = {
		.ddp = {.tagged = true,
			.last = true,
			.dv = DDP_VERSION,
			.rv = RDMAP_VERSION,
			.opcode = RDMAP_WRITE,
			.stag = PEER_SINK_STAG,
			.to = PEER_SINK_TO},
	};
	uint8_t *out = test_alloc(t, 32);

	*n = ddp_encode(&seg, out, 32);
	return out;
}

void peer_goes_backwards(struct test *t, bool on)
{
	struct stream *s = live_stream(t);

	if (!t->chunks)
		not_applicable(t, "the stream is one of TCP");
	peer_reverses(&s->peer, on);
}

/* --- many of them ---------------------------------------------------------- */

struct reads {
	struct test *t;
	struct stream *s;
	struct link_message m;
	uint16_t ssn;
	uint32_t msn;
	uint8_t user[SESSION_SSN_OCTETS + 64];
};

static bool send_one(struct reads *r, uint64_t deadline)
{
	const struct rdmap_read_request read = {.sink_stag = PEER_SINK_STAG,
						.sink_to = PEER_SINK_TO};
	uint8_t body[32];
	struct ddp_segment seg = {
		.ddp = {.last = true,
			.dv = DDP_VERSION,
			.rv = RDMAP_VERSION,
			.opcode = RDMAP_READ_REQUEST,
			.qn = DDP_QN_READ_REQUEST,
			.msn = r->msn++},
		.payload = body,
	};

	seg.payload_octets =
		rdmap_read_request_encode(&read, body, sizeof(body));
	r->user[0] = (uint8_t)(r->ssn >> 8);
	r->user[1] = (uint8_t)r->ssn++;
	size_t n = ddp_encode(&seg, r->user + SESSION_SSN_OCTETS,
			      sizeof(r->user) - SESSION_SSN_OCTETS);

	return link_send_message(r->s->peer.conn, &r->m, r->user,
				 SESSION_SSN_OCTETS + n, deadline) == LINK_OK;
}

static bool is_response(const struct link_message *m)
{
	struct ddp_segment seg;

	if (m->ppid != SESSION_PPID_SEGMENT || m->n < SESSION_SSN_OCTETS)
		return false;
	ddp_decode(&seg, m->octets + SESSION_SSN_OCTETS,
		   m->n - SESSION_SSN_OCTETS);
	return !seg.short_header && seg.ddp.tagged &&
	       seg.ddp.opcode == RDMAP_READ_RESPONSE;
}

unsigned reads_of_nothing(struct test *t, unsigned n)
{
	struct stream *s = live_stream(t);
	struct reads r = {.t = t,
			  .s = s,
			  .m = {.stream = (uint16_t)stream_sid(s),
				.ppid = SESSION_PPID_SEGMENT},
			  .ssn = peer_next_ssn(&s->peer),
			  .msn = s->peer.msn[DDP_QN_READ_REQUEST]};
	unsigned sent = 0, answered = 0;
	unsigned most = s->peer_ord < READ_BLOCK ? s->peer_ord : READ_BLOCK;
	struct link_message m;

	stream_needs_reads(t);
	if (!most)
		not_applicable(t, "the device takes no Read at once");
	test_acts(t);
	/* What it holds from now on is nobody's. */
	s->withheld = true;
	while (answered < n) {
		uint64_t deadline = test_deadline(t);

		while (sent < n && sent - answered < most) {
			if (!send_one(&r, deadline))
				return answered;
			sent++;
		}
		if (link_recv_message(s->peer.conn, &m, deadline) != 1)
			return answered;
		answered += is_response(&m);
	}
	return answered;
}

unsigned peer_ddp_ssn(struct test *t)
{
	return peer_next_ssn(&live_stream(t)->peer);
}

enum { POSTS_AT_ONCE = 128 };

/* How many of them have completed, by events that are told from now on. */
static unsigned completed_by_now(struct test *t, struct stream *s)
{
	struct agent_event event[POSTS_AT_ONCE];
	unsigned n = 0;

	for (;;) {
		struct agent_events e = {.event = event, .cap = POSTS_AT_ONCE};

		agent_begin_events(t->bed->agent, s->conn, 0, 0, &e);
		dut_finishes(t, "events");
		for (size_t i = 0; i < e.n; i++)
			n += event[i].status == AGENT_DONE;
		if (!e.n)
			return n;
	}
}

unsigned writes_of_nothing(struct test *t, unsigned n)
{
	struct stream *s = live_stream(t);
	unsigned done = 0;

	test_within(t, n, t->bed->hello.max_posts, "posts outstanding");
	test_acts(t);
	s->withheld = true;
	for (unsigned at = 0; at < n; at += POSTS_AT_ONCE) {
		for (unsigned i = at; i < n && i < at + POSTS_AT_ONCE; i++)
			agent_begin_post(
				t->bed->agent,
				&(struct agent_post){
					.conn = s->conn,
					.id = t->next_post++,
					.op = AGENT_WRITE,
					.inline_octets = true,
					.rstag = agent_number(PEER_SINK_STAG),
					.rto = agent_number(PEER_SINK_TO)});
		dut_finishes(t, "post");
		done += completed_by_now(t, s);
	}
	all_has_arrived(t);
	return done + completed_by_now(t, s);
}
