/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/audit/sctp/associations.h"

#include <stdlib.h>
#include <string.h>

#include "harness/crc/crc.h"
#include "harness/link/raw/datagram.h"
#include "harness/wire/sctp.h"

enum {
	BUCKETS = 1024,
	OFFERS = 4, /* INIT ACKs, until a COOKIE ECHO chooses one */
	/* So many chunks wait for one that has not arrived. */
	WAITING_MOST = 1024,
	WAITING_OCTETS = 4 << 20,
	WAITING_ACKED = 64,       /* if it is acknowledged, and so has passed */
	WAITING_ALL = 128 << 20,  /* octets, of all associations */
	MESSAGE_MOST = 128 << 10, /* octets of one, in all its fragments */
	FAR = 1 << 16,            /* from the next TSN: another association */
	FLAG_T = 1, /* the tag is that of the receiver's packets */
};

/* A chunk of DATA, or an ABORT. */
struct part {
	struct part *next;
	unsigned from;
	bool aborts;
	uint32_t ack; /* its end had acknowledged TSNs up to this one */
	uint32_t tsn;
	uint8_t flags; /* enum sctp_data_flag */
	uint16_t stream;
	uint32_t ppid;
	struct assembly_at where;
	size_t n;
	uint8_t octets[];
};

struct direction {
	bool known;
	uint32_t next;  /* the TSN that is due */
	uint32_t acked; /* by the other end, cumulatively */
	/* A message of which only the first fragments are delivered. */
	bool open;
	uint8_t *message;
	size_t n, cap;
	unsigned chunks; /* in it */
	size_t most;     /* octets of the largest message in one chunk */
};

/* What an INIT ACK offers. */
struct offer {
	uint32_t tag, tsn;
	struct association_setup setup;
};

struct association {
	struct association_flow seen;
	struct association *in_bucket;
	struct association *newer;
	/* By end: the tag in the packets that it receives. */
	bool tag_known[2];
	uint32_t tag[2];
	bool answered; /* tag[0] is that of its INIT, or INIT ACK */
	bool late;     /* packets of the same ends came before it */
	struct offer offer[OFFERS];
	unsigned offers;
	struct direction from[2];
	bool over;
	struct part *first, **last;
	size_t waiting, waiting_octets;
};

struct associations {
	struct associations_events events;
	void *user;
	struct association *bucket[BUCKETS];
	struct association *newest, *oldest;
	size_t count;
	size_t waiting_octets; /* of all */
	uint64_t evicted;
};

struct associations *associations_new(const struct associations_events *events,
				      void *user)
{
	struct associations *a = calloc(1, sizeof(*a));

	if (a) {
		a->events = *events;
		a->user = user;
	}
	return a;
}

uint64_t associations_evicted(const struct associations *a)
{
	return a->evicted;
}

/* --- the table ------------------------------------------------------------- */

/* The same in both directions, whatever the addresses. */
static struct association **bucket_of(struct associations *a, uint16_t port,
				      uint16_t other)
{
	return &a->bucket[(port ^ other ^ (port + other) * 31u) % BUCKETS];
}

static bool same_address(const struct link_end *a, const struct link_end *b)
{
	return a->family == b->family &&
	       memcmp(a->addr, b->addr, a->family == 6 ? 16 : 4) == 0;
}

static bool same_end(const struct link_end *a, const struct link_end *b)
{
	return a->port == b->port && same_address(a, b);
}

static void is_over(struct associations *a, struct association *x);
static void settle(struct associations *a, struct association *x);

static void forget_oldest(struct associations *a)
{
	struct association *x = a->oldest;
	struct association **at =
		bucket_of(a, x->seen.end[0].port, x->seen.end[1].port);

	settle(a, x);
	is_over(a, x);
	while (*at != x)
		at = &(*at)->in_bucket;
	*at = x->in_bucket;
	a->oldest = x->newer;
	a->count--;
	free(x);
}

static struct association *begin(struct associations *a,
				 const struct link_end *from,
				 const struct link_end *to)
{
	struct association **at, *x;

	if (a->count == ASSOCIATIONS_MOST) {
		a->evicted += !a->oldest->over;
		forget_oldest(a);
	}
	x = calloc(1, sizeof(*x));
	if (!x)
		return NULL;
	x->seen.end[0] = *from;
	x->seen.end[1] = *to;
	x->last = &x->first;
	at = bucket_of(a, from->port, to->port);
	x->in_bucket = *at;
	*at = x;
	*(a->oldest ? &a->newest->newer : &a->oldest) = x;
	a->newest = x;
	a->count++;
	return x;
}

/* --- delivery --------------------------------------------------------------- */

/* a is not after b. */
static bool upto(uint32_t a, uint32_t b)
{
	return (int32_t)(b - a) >= 0;
}

/* This TSN was sent, but is not delivered. */
static bool lacks(const struct direction *d, uint32_t tsn)
{
	return d->known && !upto(tsn + 1, d->next);
}

/* What its end had received is delivered, and what came before it. */
static bool is_due(const struct association *x, const struct part *p)
{
	if (lacks(&x->from[!p->from], p->ack))
		return false;
	return p->aborts ? !lacks(&x->from[p->from], x->from[p->from].acked)
			 : upto(p->tsn, x->from[p->from].next);
}

static bool has_received(const struct association *x, const struct part *p)
{
	const struct direction *other = &x->from[!p->from];

	return !other->known || upto(other->next, p->ack + 1);
}

static void gap(struct associations *a, struct association *x, unsigned from,
		uint32_t to, const struct assembly_at *at)
{
	struct direction *d = &x->from[from];

	d->next = to;
	d->open = false;
	d->n = 0;
	if (!x->seen.ignored)
		a->events.gap(a->user, &x->seen, from, at);
}

static void is_over(struct associations *a, struct association *x)
{
	const struct assembly_at end = {0};

	/* What has passed and was never captured. */
	for (unsigned i = 0; !x->over && i < 2; i++)
		if (lacks(&x->from[i], x->from[i].acked))
			gap(a, x, i, x->from[i].acked + 1, &end);
	if (!x->over)
		a->events.over(a->user, &x->seen);
	x->over = true;
	while (x->first) {
		struct part *p = x->first;

		x->first = p->next;
		free(p);
	}
	x->last = &x->first;
	a->waiting_octets -= x->waiting_octets;
	x->waiting = x->waiting_octets = 0;
	for (unsigned i = 0; i < 2; i++) {
		free(x->from[i].message);
		x->from[i] = (struct direction){0};
	}
}

/* Add a fragment to the message. False: no memory, or too much of it. */
static bool grows(struct direction *d, const struct part *p)
{
	if (d->n + p->n > MESSAGE_MOST)
		return false;
	if (d->n + p->n > d->cap) {
		size_t cap = 2 * (d->n + p->n);
		uint8_t *more = realloc(d->message, cap);

		if (!more)
			return false;
		d->message = more;
		d->cap = cap;
	}
	if (p->n)
		memcpy(d->message + d->n, p->octets, p->n);
	d->n += p->n;
	return true;
}

static void deliver_data(struct associations *a, struct association *x,
			 const struct part *p)
{
	struct direction *d = &x->from[p->from];
	bool first = p->flags & SCTP_DATA_B, last = p->flags & SCTP_DATA_E;
	struct association_data m = {.stream = p->stream,
				     .ppid = p->ppid,
				     .ordered = !(p->flags & SCTP_DATA_U),
				     .octets = p->octets,
				     .n = p->n};

	if (p->tsn != d->next)
		return; /* delivered before */
	d->next++;
	if (x->seen.ignored)
		return;
	if (first)
		d->n = d->chunks = 0;
	m.chunks = ++d->chunks;
	m.most = d->most;
	if (first && last && p->n > d->most)
		d->most = p->n;
	/* The first fragments of it are missing, or it is no message. */
	if ((!first && !d->open) || (!(first && last) && !grows(d, p))) {
		d->open = false;
		a->events.gap(a->user, &x->seen, p->from, &p->where);
		return;
	}
	d->open = !last;
	if (!last)
		return;
	if (!first) {
		m.octets = d->message;
		m.n = d->n;
	}
	a->events.message(a->user, &x->seen, p->from, has_received(x, p), &m,
			  &p->where);
}

static void deliver(struct associations *a, struct association *x,
		    const struct part *p)
{
	if (!p->aborts) {
		deliver_data(a, x, p);
		return;
	}
	if (!x->seen.ignored)
		a->events.aborts(a->user, &x->seen, p->from, has_received(x, p),
				 &p->where);
}

static void drop(struct associations *a, struct association *x,
		 struct part **at)
{
	struct part *p = *at;

	*at = p->next;
	if (x->last == &p->next)
		x->last = at;
	x->waiting--;
	x->waiting_octets -= p->n;
	a->waiting_octets -= p->n;
	free(p);
}

/* Deliver what is due among the parts that wait. */
static void drain(struct associations *a, struct association *x)
{
	for (struct part **at = &x->first; *at && !x->over;) {
		bool aborts = (*at)->aborts;

		if (!is_due(x, *at)) {
			at = &(*at)->next;
			continue;
		}
		deliver(a, x, *at);
		drop(a, x, at);
		if (aborts)
			is_over(a, x);
		at = &x->first;
	}
}

/* What the first part waits for is not in the capture: the end of the gap. */
static void give_up_waiting(struct associations *a, struct association *x)
{
	const struct part *p = x->first;
	bool own = !lacks(&x->from[!p->from], p->ack);
	unsigned from = own ? p->from : !p->from;
	uint32_t to = !own        ? p->ack + 1
		      : p->aborts ? x->from[from].acked + 1
				  : p->tsn;

	for (const struct part *q = p; q; q = q->next)
		if (!q->aborts && q->from == from && upto(q->tsn, to) &&
		    !upto(q->tsn, x->from[from].next))
			to = q->tsn;
	gap(a, x, from, to, &p->where);
	drain(a, x);
}

static void settle(struct associations *a, struct association *x)
{
	while (x->first && !x->over)
		give_up_waiting(a, x);
}

/* What the first part waits for has been received: it has passed. */
static bool waits_in_vain(const struct association *x)
{
	const struct part *p = x->first;
	const struct direction *d = &x->from[p->from];

	return p->aborts || upto(p->tsn, d->next) || lacks(d, d->acked);
}

/* False: no memory. */
static bool take_part(struct associations *a, struct association *x,
		      const struct part *head, const uint8_t *octets, size_t n)
{
	struct part *p = malloc(sizeof(*p) + n);

	if (!p)
		return false;
	*p = *head;
	p->n = n;
	if (n)
		memcpy(p->octets, octets, n);
	*x->last = p;
	x->last = &p->next;
	x->waiting++;
	x->waiting_octets += n;
	a->waiting_octets += n;
	drain(a, x);
	while (x->first && !x->over &&
	       (x->waiting > WAITING_MOST ||
		x->waiting_octets > WAITING_OCTETS ||
		a->waiting_octets > WAITING_ALL ||
		(x->waiting > WAITING_ACKED && waits_in_vain(x))))
		give_up_waiting(a, x);
	return true;
}

/* --- which association ------------------------------------------------------ */

static struct association_setup setup_of(const struct sctp_init *i)
{
	struct association_setup s = {
		.seen = true, .outbound = i->outbound, .inbound = i->inbound};

	s.adaptation = session_adaptation(i->parameters, i->parameter_octets,
					  &s.indication);
	return s;
}

static struct offer offer_of(const struct sctp_init *i)
{
	return (struct offer){i->tag, i->tsn, setup_of(i)};
}

static void begin_direction(struct direction *d, uint32_t tsn)
{
	if (!d->known)
		*d = (struct direction){
			.known = true, .next = tsn, .acked = tsn - 1};
}

static void take_offer(struct association *x, const struct offer *o)
{
	x->seen.anchored[1] = !x->from[1].known && !x->late;
	x->tag_known[1] = true;
	x->tag[1] = o->tag;
	x->seen.setup[1] = o->setup;
	begin_direction(&x->from[1], o->tsn);
}

/* A packet to end 1 shows which of the INIT ACKs counts. */
static bool is_chosen(struct association *x, uint32_t tag)
{
	for (unsigned i = 0; i < x->offers && i < OFFERS; i++)
		if (x->offer[i].tag == tag) {
			take_offer(x, &x->offer[i]);
			return true;
		}
	return false;
}

/* Whether a packet with this tag is from end `from`. */
static bool is_of(struct association *x, unsigned from,
		  const struct link_end *source, const struct link_end *target,
		  uint32_t tag)
{
	if (x->seen.end[from].port != source->port ||
	    x->seen.end[!from].port != target->port)
		return false;
	if (x->tag_known[!from])
		return x->tag[!from] == tag;
	if (x->offers)
		return from == 0 && is_chosen(x, tag);
	if (x->answered || !same_address(&x->seen.end[from], source) ||
	    !same_address(&x->seen.end[!from], target))
		return false;
	/* Its start was not seen: this is the first packet in that direction. */
	x->tag_known[!from] = true;
	x->tag[!from] = tag;
	return true;
}

static struct association *find(struct associations *a,
				const struct link_end *source,
				const struct link_end *target, uint32_t tag,
				unsigned *from)
{
	struct association *x = *bucket_of(a, source->port, target->port);

	for (; x; x = x->in_bucket)
		for (*from = 0; *from < 2; ++*from)
			if (is_of(x, *from, source, target, tag))
				return x;
	return NULL;
}

static bool is_between(const struct association *x, const struct link_end *one,
		       const struct link_end *other)
{
	for (unsigned i = 0; i < 2; i++)
		if (same_end(&x->seen.end[i], one) &&
		    same_end(&x->seen.end[!i], other))
			return true;
	return false;
}

/* There is one between these ends whose start was not captured: its INIT may
 * come late. */
static bool is_midway(struct associations *a, const struct link_end *source,
		      const struct link_end *target)
{
	struct association *x = *bucket_of(a, source->port, target->port);

	while (x && (x->answered || !is_between(x, source, target)))
		x = x->in_bucket;
	return x;
}

/* Messages between these ends came before the INIT ACK that shows their
 * association. */
static void unanchor(struct associations *a, const struct link_end *source,
		     const struct link_end *target)
{
	struct association *x = *bucket_of(a, source->port, target->port);

	for (; x; x = x->in_bucket)
		if (!x->tag_known[1] && is_between(x, source, target)) {
			x->late = true;
			x->seen.anchored[0] = false;
		}
}

/* One whose INIT has this tag; the INIT ACK may have been captured first. */
static struct association *begin_asked(struct associations *a,
				       const struct link_end *source,
				       const struct link_end *target,
				       uint32_t tag)
{
	bool late = is_midway(a, source, target);
	struct association *x = begin(a, source, target);

	if (!x)
		return NULL;
	x->answered = true;
	x->late = late;
	x->tag_known[0] = true;
	x->tag[0] = tag;
	a->events.begins(a->user, &x->seen);
	return x;
}

/* One whose start was not captured. */
static struct association *begin_midway(struct associations *a,
					const struct link_end *source,
					const struct link_end *target,
					uint32_t tag)
{
	struct association *x;

	unanchor(a, source, target);
	x = begin(a, source, target);
	if (!x)
		return NULL;
	x->tag_known[1] = true;
	x->tag[1] = tag;
	a->events.begins(a->user, &x->seen);
	return x;
}

/* An INIT: a new association, unless it is repeated. */
static bool take_init(struct associations *a, const struct link_end *source,
		      const struct link_end *target, const struct sctp_init *i)
{
	struct association *x = *bucket_of(a, source->port, target->port);

	while (x && !(x->answered && x->tag[0] == i->tag &&
		      x->seen.end[0].port == source->port))
		x = x->in_bucket;
	if (!x && !(x = begin_asked(a, source, target, i->tag)))
		return false;
	if (x->seen.opened)
		return true;
	x->seen.opened = true;
	x->seen.setup[0] = setup_of(i);
	x->seen.anchored[0] = !x->from[0].known && !x->late;
	begin_direction(&x->from[0], i->tsn);
	return true;
}

static void take_init_ack(struct association *x, unsigned from,
			  const struct sctp_init *i)
{
	if (from == 1 && x->answered && !x->tag_known[1])
		x->offer[x->offers++ % OFFERS] = offer_of(i);
}

/* --- packets ------------------------------------------------------------------ */

/* A packet. */
struct arrived {
	struct association *x;
	unsigned from;
	struct assembly_at where;
};

static void take_sack(const struct arrived *p, const struct sctp_tlv *t)
{
	struct direction *other = &p->x->from[!p->from];
	struct sctp_sack s;

	if (!sctp_sack_decode(&s, t->value, t->value_octets))
		return;
	begin_direction(other, s.cumulative + 1);
	if (s.cumulative + 1 - other->next > FAR &&
	    other->next - s.cumulative - 1 > FAR)
		return;
	if (upto(other->acked, s.cumulative))
		other->acked = s.cumulative;
}

/* The TSN of the other end that it had certainly received before it sent this
 * one. A chunk that is already acknowledged was captured late: what its end had
 * received then is not known. */
static uint32_t cause_of(const struct arrived *p, uint32_t tsn)
{
	const struct direction *d = &p->x->from[p->from];
	const struct direction *other = &p->x->from[!p->from];

	return upto(tsn, d->acked) ? other->next - 1 : other->acked;
}

static bool take_data(struct associations *a, const struct arrived *p,
		      const struct sctp_tlv *t)
{
	struct direction *d = &p->x->from[p->from];
	struct sctp_data data;

	if (!sctp_data_decode(&data, t->value, t->value_octets))
		return true;
	begin_direction(d, data.tsn);
	if (data.tsn - d->next > FAR)
		return true; /* repeated, or of another association */
	return take_part(a, p->x,
			 &(struct part){.from = p->from,
					.ack = cause_of(p, data.tsn),
					.tsn = data.tsn,
					.flags = t->flags,
					.stream = data.stream,
					.ppid = data.ppid,
					.where = p->where},
			 data.user, data.user_octets);
}

static bool take_abort(struct associations *a, const struct arrived *p)
{
	return take_part(a, p->x,
			 &(struct part){.from = p->from,
					.aborts = true,
					.ack = p->x->from[!p->from].acked,
					.where = p->where},
			 NULL, 0);
}

/* False: no memory. */
static bool take_chunk(struct associations *a, const struct arrived *p,
		       const struct sctp_tlv *t)
{
	struct sctp_init i;

	switch (t->type) {
	case SCTP_CHUNK_INIT_ACK:
		if (sctp_init_decode(&i, t->value, t->value_octets))
			take_init_ack(p->x, p->from, &i);
		return true;
	case SCTP_CHUNK_SACK:
		take_sack(p, t);
		return true;
	case SCTP_CHUNK_DATA:
		return take_data(a, p, t);
	case SCTP_CHUNK_ABORT:
		return take_abort(a, p);
	case SCTP_CHUNK_SHUTDOWN_COMPLETE:
		settle(a, p->x);
		is_over(a, p->x);
		return true;
	default:
		return true;
	}
}

/* The chunks of a packet of an association that is known. */
static enum associations_took take_chunks(struct associations *a,
					  const struct arrived *p,
					  const struct sctp_packet *packet)
{
	const uint8_t *at = packet->chunks;
	size_t left = packet->chunk_octets, used;
	struct sctp_tlv t;
	enum sctp_next next;

	while ((next = sctp_chunk_decode(&t, at, left, &used)) == SCTP_NEXT &&
	       !p->x->over) {
		if (!take_chunk(a, p, &t))
			return ASSOCIATIONS_FULL;
		at += used;
		left -= used;
	}
	return next == SCTP_CUT ? ASSOCIATIONS_DAMAGED : ASSOCIATIONS_TAKEN;
}

/* The first chunk decides to which association a packet belongs. */
static enum associations_took take_packet(struct associations *a,
					  struct link_end source,
					  struct link_end target,
					  const struct sctp_packet *packet,
					  const struct assembly_at *at)
{
	struct arrived p = {.where = *at};
	uint32_t tag = packet->tag;
	struct sctp_tlv t;
	struct sctp_init i;
	size_t used;

	source.port = packet->source;
	target.port = packet->destination;
	if (sctp_chunk_decode(&t, packet->chunks, packet->chunk_octets,
			      &used) != SCTP_NEXT)
		return ASSOCIATIONS_DAMAGED;
	if (t.type == SCTP_CHUNK_INIT) {
		if (!sctp_init_decode(&i, t.value, t.value_octets))
			return ASSOCIATIONS_DAMAGED;
		return take_init(a, &source, &target, &i) ? ASSOCIATIONS_TAKEN
							  : ASSOCIATIONS_FULL;
	}
	bool reflected = (t.type == SCTP_CHUNK_ABORT ||
			  t.type == SCTP_CHUNK_SHUTDOWN_COMPLETE) &&
			 t.flags & FLAG_T;

	p.x = reflected ? find(a, &target, &source, tag, &p.from)
			: find(a, &source, &target, tag, &p.from);
	if (p.x && reflected)
		p.from = !p.from;
	if (!p.x && reflected)
		return ASSOCIATIONS_TAKEN;
	if (!p.x && t.type == SCTP_CHUNK_INIT_ACK) {
		p.x = begin_asked(a, &target, &source, tag);
		p.from = 1;
	} else if (!p.x) {
		p.x = begin_midway(a, &source, &target, tag);
		p.from = 0;
	}
	if (!p.x)
		return ASSOCIATIONS_FULL;
	return p.x->over ? ASSOCIATIONS_TAKEN : take_chunks(a, &p, packet);
}

/* RFC 9260 s6.8: the CRC32c over the packet with a checksum of zeros. */
static bool checksum_matches(const uint8_t *octets, size_t n)
{
	static uint8_t copy[65536];
	uint8_t due[4];

	if (n < SCTP_HEADER_OCTETS || n > sizeof(copy))
		return false;
	memcpy(copy, octets, n);
	memset(copy + 8, 0, 4);
	crc_put(due, crc32c(copy, n));
	return memcmp(octets + 8, due, sizeof(due)) == 0;
}

enum associations_took associations_packet(struct associations *a,
					   const uint8_t *octets, size_t n,
					   size_t length,
					   const struct assembly_at *at)
{
	struct sctp_packet packet;
	struct datagram d;

	if (!datagram_decode(&d, octets, n, length))
		return ASSOCIATIONS_FOREIGN;
	/* In a datagram, only the checksum shows that it is SCTP. */
	if (d.cut || !checksum_matches(d.octets, d.n) ||
	    !sctp_packet_decode(&packet, d.octets, d.n))
		return d.udp ? ASSOCIATIONS_FOREIGN : ASSOCIATIONS_DAMAGED;
	return take_packet(a, d.from, d.to, &packet, at);
}

void associations_end(struct associations *a)
{
	while (a->oldest)
		forget_oldest(a);
}

void associations_free(struct associations *a)
{
	if (!a)
		return;
	associations_end(a);
	free(a);
}
