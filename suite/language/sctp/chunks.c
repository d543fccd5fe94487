/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The packets of the SCTP link as they pass: how associations were set up, and
 * each DATA chunk of the device at its first arrival.
 */
#include "suite/language/execution/chunks.h"

#include <string.h>

#include "harness/wire/sctp.h"

enum { UDP_OCTETS = 8, IP4_OCTETS = 20, IP6_OCTETS = 40 };

/* --- associations -------------------------------------------------------- */

static struct seen_association *find(const struct chunk_log *l, uint16_t local,
				     uint16_t remote)
{
	struct seen_association *a = l->latest;

	while (a && (a->local != local || a->remote != remote))
		a = a->next;
	return a;
}

static struct seen_association *begin(struct chunk_log *l, uint16_t local,
				      uint16_t remote)
{
	struct seen_association *a = observe_alloc(l->log, sizeof(*a));

	if (a)
		a->tsns = observe_alloc(l->log, CHUNK_TSNS / 8);
	if (!a || !a->tsns) {
		l->full = true;
		return NULL;
	}
	a->local = local;
	a->remote = remote;
	a->next = l->latest;
	return l->latest = a;
}

/* The length field of the adaptation indication, right or wrong. */
static unsigned adaptation_octets(const struct sctp_init *i)
{
	const uint8_t *at = i->parameters;
	size_t left = i->parameter_octets, used;
	struct sctp_tlv p;

	while (sctp_parameter_decode(&p, at, left, &used) == SCTP_NEXT) {
		if (p.type == SESSION_ADAPTATION_TYPE)
			return p.length;
		at += used;
		left -= used;
	}
	return 0;
}

static void take_init(struct chunk_log *l, const struct sctp_packet *p,
		      const struct sctp_tlv *chunk, bool sent)
{
	uint16_t local = sent ? p->source : p->destination;
	uint16_t remote = sent ? p->destination : p->source;
	struct seen_association *a = find(l, local, remote);
	struct sctp_init i;

	if (!sctp_init_decode(&i, chunk->value, chunk->value_octets))
		return;
	if (chunk->type == SCTP_CHUNK_INIT) {
		const struct init_said *had =
			a ? (sent ? &a->peer : &a->dut) : NULL;

		if (!had || !had->came || had->tag != i.tag)
			a = begin(l, local, remote);
	}
	if (!a)
		return;
	struct init_said *said = sent ? &a->peer : &a->dut;

	*said = (struct init_said){
		.came = true,
		.adaptation_octets = adaptation_octets(&i),
		.outbound = i.outbound,
		.inbound = i.inbound,
		.tag = i.tag,
		.tsn = i.tsn,
	};
	said->adaptation = session_adaptation(i.parameters, i.parameter_octets,
					      &said->indication);
}

/* --- DATA ----------------------------------------------------------------- */

/* Whether it arrives for the first time. */
static bool is_new(struct seen_association *a, uint32_t tsn)
{
	uint32_t at = tsn - a->dut.tsn;
	uint8_t bit;

	if (at >= CHUNK_TSNS)
		return true;
	bit = (uint8_t)(1u << (at & 7));
	if (a->tsns[at / 8] & bit)
		return false;
	a->tsns[at / 8] |= bit;
	return true;
}

static bool room_for_one(struct chunk_log *l, struct seen_association *a)
{
	if (a->count < a->cap)
		return true;
	size_t cap = a->cap ? 2 * a->cap : 32;
	struct dut_chunk *more = observe_alloc(l->log, cap * sizeof(*more));

	if (!more) {
		l->full = true;
		return false;
	}
	if (a->count)
		memcpy(more, a->chunk, a->count * sizeof(*more));
	a->chunk = more;
	a->cap = cap;
	return true;
}

/* How many received chunks no SACK has covered, this one included. */
static unsigned uncovered(const struct seen_association *a)
{
	uint32_t covered = a->sacked ? a->through - a->dut.tsn + 1 : 0;

	return (unsigned)(a->count + 1 - covered);
}

static void take_data(struct chunk_log *l, struct seen_association *a,
		      const struct sctp_tlv *chunk, size_t packet, bool sack)
{
	struct sctp_data d;
	struct session_chunk c;

	if (!sctp_data_decode(&d, chunk->value, chunk->value_octets) ||
	    !is_new(a, d.tsn) || !room_for_one(l, a))
		return;
	size_t kept = d.user_octets < CHUNK_OCTETS_KEPT ? d.user_octets
							: CHUNK_OCTETS_KEPT;
	const uint8_t *octets = observe_copy(l->log, d.user, kept);

	if (!octets) {
		l->full = true;
		return;
	}
	session_decode(&c, d.ppid == SESSION_PPID_CONTROL, d.user,
		       d.user_octets);
	a->chunk[a->count] = (struct dut_chunk){
		.ppid = d.ppid,
		.tsn = d.tsn,
		.stream = d.stream,
		.unordered = (chunk->flags & SCTP_DATA_U) != 0,
		.first = (chunk->flags & SCTP_DATA_B) != 0,
		.last = (chunk->flags & SCTP_DATA_E) != 0,
		.ddp_ssn = c.ddp_ssn,
		.function = c.function,
		.octets = octets,
		.n = d.user_octets,
		.packet = packet + l->around,
		.with_sack = sack,
		.unacknowledged = uncovered(a),
		.of_packet = l->packets,
		.order = (unsigned)a->count,
	};
	a->count++;
}

static void take_sack(struct seen_association *a, const struct sctp_tlv *chunk)
{
	struct sctp_sack s;

	if (!sctp_sack_decode(&s, chunk->value, chunk->value_octets))
		return;
	a->sacked = true;
	a->through = s.cumulative;
}

/* --- packets --------------------------------------------------------------- */

static bool has_sack(const struct sctp_packet *p)
{
	const uint8_t *at = p->chunks;
	size_t left = p->chunk_octets, used;
	struct sctp_tlv chunk;

	while (sctp_chunk_decode(&chunk, at, left, &used) == SCTP_NEXT) {
		if (chunk.type == SCTP_CHUNK_SACK)
			return true;
		at += used;
		left -= used;
	}
	return false;
}

static void take_chunk(struct chunk_log *l, const struct sctp_packet *p,
		       const struct sctp_tlv *chunk, bool sent, size_t octets)
{
	struct seen_association *a = find(l, sent ? p->source : p->destination,
					  sent ? p->destination : p->source);

	switch (chunk->type) {
	case SCTP_CHUNK_INIT:
	case SCTP_CHUNK_INIT_ACK:
		take_init(l, p, chunk, sent);
		return;
	default:
		break;
	}
	if (!a)
		return;
	switch (chunk->type) {
	case SCTP_CHUNK_COOKIE_ACK:
		a->up = true;
		break;
	case SCTP_CHUNK_DATA:
		if (!sent)
			take_data(l, a, chunk, octets, has_sack(p));
		break;
	case SCTP_CHUNK_SACK:
		if (sent)
			take_sack(a, chunk);
		break;
	case SCTP_CHUNK_ABORT:
		a->dut_aborted |= !sent;
		a->peer_aborted |= sent;
		break;
	case SCTP_CHUNK_SHUTDOWN:
		a->dut_shut |= !sent;
		break;
	default:
		break;
	}
}

static void take_packet(void *arg, const struct link_sctp_packet *packet)
{
	struct chunk_log *l = arg;
	struct sctp_packet p;
	struct sctp_tlv chunk;
	size_t used;

	if (!sctp_packet_decode(&p, packet->octets, packet->n))
		return;
	l->packets += !packet->sent;
	const uint8_t *at = p.chunks;
	size_t left = p.chunk_octets;

	while (sctp_chunk_decode(&chunk, at, left, &used) == SCTP_NEXT) {
		take_chunk(l, &p, &chunk, packet->sent, packet->n);
		at += used;
		left -= used;
	}
}

void chunks_watch(struct test *t)
{
	struct link *link = t->bed->link;
	struct link_end dut;

	if (!(link->caps & LINK_CAP_MESSAGES))
		return;
	t->chunks = test_alloc(t, sizeof(*t->chunks));
	*t->chunks = (struct chunk_log){.log = t->bed->log};
	t->chunks->around =
		(unsigned)(link_end_parse(&dut, t->bed->hello.addr, 0) &&
					   dut.family == 6
				   ? IP6_OCTETS
				   : IP4_OCTETS) +
		(t->bed->hello.sctp_udp ? UDP_OCTETS : 0);
	link_sctp_watch(link, take_packet, t->chunks);
}

void chunks_unwatch(struct test *t)
{
	if (t->chunks)
		link_sctp_watch(t->bed->link, NULL, NULL);
}

/* --- looking ---------------------------------------------------------------- */

unsigned stream_sid(const struct stream *s)
{
	return s->live ? s->sid : s->opts.sid;
}

struct seen_association *chunks_of(struct test *t, const struct stream *s)
{
	const struct chunk_log *l = t->chunks;

	if (!l)
		not_applicable(t, "the stream is one of TCP");
	if (l->full)
		test_error(t, CAUSE_SUITE, "the event log is full");
	if (s->live)
		return find(l, s->peer.conn->local.port,
			    s->peer.conn->remote.port);
	if (s->opts.beside)
		return chunks_of(t, session_beside(t, s));
	struct seen_association *a = l->latest;

	while (a && (s->peer_listener ? a->local != s->peer_listener->local.port
				      : a->remote != s->dut_port))
		a = a->next;
	return a;
}

bool chunks_wait(struct test *t, uint64_t deadline)
{
	struct link *link = t->bed->link;
	struct link_wait w = {.fd = link_fd(link), .want = LINK_READ};
	int status = link_wait(link, &w, 1, deadline);

	if (status == LINK_ERROR)
		test_error(t, CAUSE_SUITE, "the link failed: %s", link->why);
	return status > 0;
}

bool chunk_is_rdmap_terminate(const struct dut_chunk *c)
{
	struct ddp_segment seg;

	if (c->ppid != SESSION_PPID_SEGMENT || c->n < SESSION_SSN_OCTETS)
		return false;
	size_t n = c->n < CHUNK_OCTETS_KEPT ? c->n : CHUNK_OCTETS_KEPT;

	ddp_decode(&seg, c->octets + SESSION_SSN_OCTETS,
		   n - SESSION_SSN_OCTETS);
	return !seg.short_header && !seg.ddp.tagged &&
	       seg.ddp.opcode == RDMAP_TERMINATE;
}

const char *chunk_text(struct test *t, const struct dut_chunk *c)
{
	const char *name =
		c->ppid == SESSION_PPID_CONTROL
			? session_function_name((uint16_t)c->function)
		: c->ppid == SESSION_PPID_SEGMENT ? "DDP segment"
						  : NULL;

	if (c->ppid == SESSION_PPID_CONTROL && !name)
		name = test_format(t, "session control with code 0x%04x",
				   c->function);
	if (!name)
		name = test_format(t, "chunk with PPID %u", c->ppid);
	return test_format(
		t, "%s, DDP-SSN %u, stream %u, TSN %u [%s]", name, c->ddp_ssn,
		c->stream, c->tsn,
		test_hex(t, c->octets,
			 c->n < CHUNK_OCTETS_KEPT ? c->n : CHUNK_OCTETS_KEPT,
			 32));
}

/* It is the last of its session. */
static bool is_last(const struct dut_chunk *c)
{
	if (c->ppid != SESSION_PPID_CONTROL)
		return false;
	return c->function == SESSION_TERMINATE ||
	       c->function == SESSION_REJECT ||
	       c->function == SESSION_ENHANCED_REJECT;
}

const struct dut_chunk *const *chunks_in_order(struct test *t,
					       const struct seen_association *a,
					       unsigned sid, size_t *n,
					       bool *whole)
{
	const struct dut_chunk **out =
		test_alloc(t, (a->count + 1) * sizeof(const void *));
	const struct dut_chunk **early =
		test_alloc(t, (a->count + 1) * sizeof(const void *));
	size_t waiting = 0, done = 0;
	uint16_t next = 0;

	for (size_t i = 0; i < a->count; i++) {
		const struct dut_chunk *c = &a->chunk[i];

		if (c->stream != sid)
			continue;
		if (done && is_last(out[done - 1]) && !c->ddp_ssn)
			next = 0;
		early[waiting++] = c;
		for (size_t k = 0; k < waiting; k++) {
			if (early[k]->ddp_ssn != next)
				continue;
			out[done++] = early[k];
			memmove(&early[k], &early[k + 1],
				(--waiting - k) * sizeof(const void *));
			next++;
			k = (size_t)-1;
		}
	}
	*whole = !waiting;
	/* Chunks without a position come last, in the order received. */
	for (size_t k = 0; k < waiting; k++)
		out[done++] = early[k];
	*n = done;
	return out;
}
