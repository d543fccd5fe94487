/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sessions of DDP over SCTP, step by step: messages of session control, single
 * chunks, and the order in which they are sent.
 */
#include <string.h>

#include "harness/peer/session.h"
#include "suite/language/execution/chunks.h"
#include "suite/language/execution/meets.h"

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
	/* This ends the peer's side, if it is read correctly. */
	s->peer.fin_sent |= c.function == SESSION_TERMINATE && !c.ddp_ssn.set &&
			    !c.ppid.set && !c.sid.set;
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

unsigned peer_ddp_ssn(struct test *t)
{
	return peer_next_ssn(&live_stream(t)->peer);
}

/* --- many of them ---------------------------------------------------------- */

/* Requests to the agent that are sent together: each row of them takes a round
 * trip, and the device's SCTP gives up on a peer that acknowledges nothing for
 * a few of its own. */
enum { POSTS_AT_ONCE = 1024, WRITES_AT_ONCE = 16384 };

/* RFC 9260 s16: RTO.Min. An association bears a few timeouts, not many. */
#define WITHHELD_NS CLOCK_NS_PER_S

static unsigned count_done(const struct agent_events *e)
{
	unsigned n = 0;

	for (size_t i = 0; i < e->n; i++)
		n += e->event[i].status == AGENT_DONE;
	return n;
}

/* The number of completed ones, from events that are reported from now on. */
static unsigned completed_by_now(struct test *t, struct stream *s)
{
	static struct agent_event event[POSTS_AT_ONCE];
	unsigned n = 0;

	for (;;) {
		struct agent_events e = {.event = event, .cap = POSTS_AT_ONCE};

		agent_begin_events(t->bed->agent, s->conn, 0, 0, &e);
		dut_finishes(t, "events");
		n += count_done(&e);
		if (!e.n)
			return n;
	}
}

/* One row of them. The completions that are reported with it. */
static unsigned post_row(struct test *t, struct stream *s, unsigned n)
{
	static struct agent_event event[POSTS_AT_ONCE];
	struct agent_events e = {.event = event, .cap = POSTS_AT_ONCE};

	for (unsigned i = 0; i < n; i++)
		agent_begin_post(t->bed->agent,
				 &(struct agent_post){
					 .conn = s->conn,
					 .id = t->next_post++,
					 .op = AGENT_WRITE,
					 .inline_octets = true,
					 .rstag = agent_number(PEER_SINK_STAG),
					 .rto = agent_number(PEER_SINK_TO)});
	agent_begin_events(t->bed->agent, s->conn, 0, 0, &e);
	dut_finishes(t, "post");
	return count_done(&e);
}

/* How many were posted until then; *done: completed ones of them. */
static unsigned post_writes(struct test *t, struct stream *s, unsigned n,
			    uint64_t until, unsigned *done)
{
	unsigned at = 0, part;

	do {
		part = n - at < POSTS_AT_ONCE ? n - at : POSTS_AT_ONCE;
		*done += post_row(t, s, part);
		at += part;
	} while (at < n && clock_now_ns() < until);
	return at;
}

unsigned writes_of_nothing(struct test *t, unsigned n)
{
	struct stream *s = live_stream(t);
	unsigned done = 0;

	test_within(t, n, t->bed->hello.max_posts, "posts outstanding");
	test_acts(t);
	s->withheld = true;
	post_writes(t, s, n, UINT64_MAX, &done);
	all_has_arrived(t);
	return done + completed_by_now(t, s);
}

/* Take and drop received chunks of the stream, until so many have arrived. */
static bool take_until(struct test *t, struct stream *s, size_t chunks)
{
	const struct seen_association *a = chunks_of(t, s);
	struct link_message m;

	while (a->count < chunks)
		if (link_recv_message(s->peer.conn, &m, test_deadline(t)) != 1)
			return false;
	while (link_recv_message(s->peer.conn, &m, CLOCK_NOW) == 1)
		continue;
	return true;
}

unsigned writes_that_come(struct test *t, unsigned n)
{
	struct stream *s = live_stream(t);
	size_t before = dut_chunks(t).n;
	unsigned most = t->bed->hello.max_posts;
	bool all = true;
	unsigned done = 0;

	test_acts(t);
	s->withheld = true;
	if (!most || most > WRITES_AT_ONCE)
		most = WRITES_AT_ONCE;
	/* Messages that wait for an acknowledgment are sent in few packets. */
	for (unsigned at = 0; all && at < n;) {
		unsigned part = n - at < most ? n - at : most;

		peer_acknowledges_chunks(t, false);
		at += post_writes(t, s, part, clock_now_ns() + WITHHELD_NS,
				  &done);
		peer_acknowledges_chunks(t, true);
		all = take_until(t, s, before + at);
		completed_by_now(t, s);
	}
	return (unsigned)(dut_chunks(t).n - before);
}

void dut_sends_plainly(struct test *t, const void *octets, size_t n)
{
	struct stream *s = the_stream(t);

	test_acts(t);
	agent_begin_post(t->bed->agent,
			 &(struct agent_post){.conn = s->conn,
					      .id = t->next_post++,
					      .op = AGENT_SEND,
					      .inline_octets = true,
					      .octets = octets,
					      .n = n});
	dut_finishes(t, "post");
}
