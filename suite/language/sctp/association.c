/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Associations of SCTP, for cases about them: the parameters of the peer's, the
 * behaviour of the device's, and the delivery of their packets.
 */
#include <string.h>

#include "harness/link/sctp/sctp.h"
#include "harness/peer/session.h"
#include "suite/language/execution/chunks.h"
#include "suite/language/execution/meets.h"

#define OTHER_INDICATION 2u
#define PEER_STREAMS     16u

static void needs_sctp(struct test *t)
{
	if (!t->chunks)
		not_applicable(t, "the stream is one of TCP");
}

bool over_sctp(struct test *t)
{
	return t->chunks != NULL;
}

void case_associations_have(struct test *t, const struct association_opts *o)
{
	needs_sctp(t);
	t->association = *o;
}

struct link_sctp_options association_options(const struct test *t)
{
	const struct association_opts *o = &t->association;
	uint16_t streams = (uint16_t)(o->streams ? o->streams : PEER_STREAMS);

	return (struct link_sctp_options){
		.adaptation = o->adaptation != ADAPTATION_NONE,
		.indication = o->adaptation == ADAPTATION_OTHER
				      ? OTHER_INDICATION
				      : SESSION_ADAPTATION_DDP,
		.outbound = streams,
		.inbound = streams,
		.udp_port = t->bed->hello.sctp_udp,
		.mtu = (uint16_t)o->mtu,
	};
}

bool peer_associates(struct test *t)
{
	needs_sctp(t);
	return stream_tries(t, the_stream(t)) == LINK_OK;
}

static bool nobody_asked(struct test *t, const struct expect *e)
{
	(void)e;
	struct accept_seen seen = dut_accepts_within(t, 0);

	test_seen(t, "accept: %s", seen.ok ? seen.state : seen.error);
	t->contradicted = seen.ok;
	return !seen.ok;
}

struct expect ulp_not_asked(void)
{
	return (struct expect){.holds = nobody_asked,
			       .due = "no session is reported to the ULP"};
}

static unsigned lesser(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned streams_both_ways(struct test *t, unsigned most)
{
	struct association_seen a = dut_association(t);

	return lesser(most, lesser(lesser(a.outbound, a.peer_inbound),
				   lesser(a.inbound, a.peer_outbound)));
}

/* --- how it was established ----------------------------------------------- */

struct association_seen dut_association(struct test *t)
{
	struct stream *s = the_stream(t);
	uint64_t deadline = wait_begins(t);
	const struct seen_association *a;

	while (!((a = chunks_of(t, s)) && a->dut.came))
		if (!chunks_wait(t, deadline)) {
			wait_in_vain(t, deadline);
			return (struct association_seen){0};
		}
	return (struct association_seen){
		.came = true,
		.adaptation = a->dut.adaptation,
		.indication = a->dut.indication,
		.adaptation_octets = a->dut.adaptation_octets,
		.outbound = a->dut.outbound,
		.inbound = a->dut.inbound,
		.peer_outbound = a->peer.outbound,
		.peer_inbound = a->peer.inbound,
		.up = a->up,
	};
}

static bool is_over(const struct seen_association *a)
{
	return a && (a->dut_aborted || a->dut_shut);
}

bool association_is_over(struct test *t)
{
	return is_over(chunks_of(t, the_stream(t)));
}

bool association_is_not_alone(struct test *t)
{
	const struct seen_association *a = chunks_of(t, the_stream(t));
	const struct seen_association *latest = t->chunks->latest;

	return a && latest != a && latest->local == a->local &&
	       latest->dut.came;
}

static bool comes_to_an_end(struct test *t, const struct expect *e)
{
	(void)e;
	struct stream *s = the_stream(t);
	uint64_t deadline = wait_begins(t);
	const struct seen_association *a;

	while (!is_over(a = chunks_of(t, s)))
		if (!chunks_wait(t, deadline))
			break;
	if (!is_over(a))
		wait_in_vain(t, deadline);
	bool used = a && a->count;

	test_seen(t, "%s%s",
		  !is_over(a)
			  ? a && a->up ? "the association is up" : "no answer"
		  : a->dut_aborted ? "ABORT"
				   : "SHUTDOWN",
		  used ? test_format(t, ", and %s", chunk_text(t, &a->chunk[0]))
		       : "");
	t->contradicted = is_over(a);
	return is_over(a) && !used;
}

struct expect association_refused(void)
{
	return (struct expect){
		.holds = comes_to_an_end,
		.due = "the device refuses the association, or ends it before "
		       "any chunk"};
}

/* --- packets on their way ------------------------------------------------ */

void packets_wait(struct test *t)
{
	needs_sctp(t);
	link_sctp_hold(live_stream(t)->peer.conn);
}

void packets_overtake(struct test *t)
{
	test_acts(t);
	link_sctp_release(live_stream(t)->peer.conn, true);
}

void peer_acknowledges_chunks(struct test *t, bool on)
{
	needs_sctp(t);
	test_acts(t);
	link_set_acks(live_stream(t)->peer.conn,
		      on ? LINK_ACKS_AT_ONCE : LINK_ACKS_WITHHELD);
}

/* The number of tries: messages sent after an agent's reply may still be on
 * their way. */
enum { ROUND_TRIPS = 3, LOOK_MS = 2 };

void all_has_arrived(struct test *t)
{
	struct stream *s = the_stream(t);
	uint64_t deadline = test_deadline(t);

	needs_sctp(t);
	while (s->live && !is_over(chunks_of(t, s)) &&
	       link_sctp_state(s->peer.conn).unacknowledged) {
		uint64_t look = clock_after_ms(LOOK_MS);

		if (clock_now_ns() >= deadline)
			break;
		chunks_wait(t, look);
	}
	for (unsigned i = 0; i < ROUND_TRIPS; i++) {
		dut_is_there(t);
		while (chunks_wait(t, CLOCK_NOW))
			continue;
	}
}

unsigned path_octets(struct test *t)
{
	needs_sctp(t);
	return link_sctp_path_mtu(live_stream(t)->peer.conn);
}
