/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/link/raw/assembly.h"

#include <stdlib.h>
#include <string.h>

#include "harness/link/raw/packet.h"

enum {
	BUCKETS = 8192,
	REMEMBERED = 64, /* segments delivered, against retransmissions */
	/* So much waits for octets that have not arrived; if they are
	 * acknowledged, so many packets more. */
	WAITING_PACKETS = 4096,
	WAITING_OCTETS = 8 << 20,
	WAITING_ACKED = 128,
};
#define WAITING_ALL (128u << 20) /* of all connections */
#define FAR         (1 << 30)    /* from the next octet: another stream */

/* A segment that waits. */
struct waiting {
	struct waiting *next;
	unsigned from;
	int64_t at, ack; /* positions; ack < 0: none */
	uint8_t flags;
	struct assembly_at where;
	size_t n, cut;
	uint8_t octets[];
};

struct remembered {
	int64_t at;
	size_t n;
	uint64_t digest;
};

struct direction {
	bool known;   /* the number of its first octet, */
	uint32_t isn; /* which has the position 0 */
	int64_t next; /* all before it is delivered */
	bool fin, finished;
	int64_t fin_at;
	int64_t acked; /* by the other end */
	struct remembered old[REMEMBERED];
	unsigned old_count;
};

struct flow {
	struct assembly_flow seen;
	struct flow *in_bucket;
	struct flow *newer, *older; /* by their last packets */
	struct direction from[2];
	bool over;
	struct waiting *first, **last;
	size_t waiting, waiting_octets;
};

struct assembly {
	struct assembly_events events;
	void *user;
	struct flow *bucket[BUCKETS];
	struct flow *newest, *oldest;
	size_t flows;
	uint64_t waiting_octets;
	struct assembly_counts counts;
};

struct assembly *assembly_new(const struct assembly_events *events, void *user)
{
	struct assembly *a = calloc(1, sizeof(*a));

	if (a) {
		a->events = *events;
		a->user = user;
	}
	return a;
}

const struct assembly_counts *assembly_counts(const struct assembly *a)
{
	return &a->counts;
}

void assembly_other(struct assembly *a)
{
	a->counts.packets++;
	a->counts.other++;
}

/* --- the table ------------------------------------------------------------- */

static bool same_end(const struct link_end *a, const struct link_end *b)
{
	return a->family == b->family && a->port == b->port &&
	       memcmp(a->addr, b->addr, a->family == 6 ? 16 : 4) == 0;
}

static uint32_t hash_end(const struct link_end *e)
{
	uint32_t h = e->port * 2654435761u;

	for (size_t i = 0; i < (e->family == 6 ? 16u : 4u); i++)
		h = (h ^ e->addr[i]) * 16777619u;
	return h;
}

/* The same in both directions. */
static unsigned bucket_of(const struct link_end *a, const struct link_end *b)
{
	uint32_t h = hash_end(a) + hash_end(b);

	return (h ^ h >> 16) % BUCKETS;
}

static struct flow *find(struct assembly *a, const struct packet *p,
			 unsigned *from)
{
	struct flow *f = a->bucket[bucket_of(&p->from, &p->to)];

	for (; f; f = f->in_bucket)
		for (*from = 0; *from < 2; ++*from)
			if (same_end(&f->seen.end[*from], &p->from) &&
			    same_end(&f->seen.end[!*from], &p->to))
				return f;
	return NULL;
}

static void unlink_by_age(struct assembly *a, struct flow *f)
{
	*(f->newer ? &f->newer->older : &a->newest) = f->older;
	*(f->older ? &f->older->newer : &a->oldest) = f->newer;
}

static void link_newest(struct assembly *a, struct flow *f)
{
	f->newer = NULL;
	f->older = a->newest;
	*(a->newest ? &a->newest->newer : &a->oldest) = f;
	a->newest = f;
}

static void drop_waiting(struct assembly *a, struct flow *f)
{
	while (f->first) {
		struct waiting *w = f->first;

		f->first = w->next;
		a->waiting_octets -= w->n;
		free(w);
	}
	f->last = &f->first;
	f->waiting = f->waiting_octets = 0;
}

static void is_over(struct assembly *a, struct flow *f, bool evicted)
{
	if (!f->over)
		a->events.over(a->user, &f->seen, evicted);
	f->over = true;
	drop_waiting(a, f);
}

static void settle(struct assembly *a, struct flow *f);

static void forget(struct assembly *a, struct flow *f, bool evicted)
{
	struct flow **at =
		&a->bucket[bucket_of(&f->seen.end[0], &f->seen.end[1])];

	settle(a, f);
	a->counts.evicted += evicted && !f->over;
	is_over(a, f, evicted);
	while (*at != f)
		at = &(*at)->in_bucket;
	*at = f->in_bucket;
	unlink_by_age(a, f);
	a->flows--;
	free(f);
}

static struct flow *begin(struct assembly *a, const struct packet *p,
			  unsigned *from)
{
	bool syn = p->tcp.flags & SEGMENT_SYN;
	bool answers = syn && (p->tcp.flags & SEGMENT_ACK);
	struct flow **at = &a->bucket[bucket_of(&p->from, &p->to)], *f;

	if (a->flows == ASSEMBLY_FLOWS)
		forget(a, a->oldest, true);
	f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	*from = answers;
	f->seen.opened = syn;
	f->seen.end[answers] = p->from;
	f->seen.end[!answers] = p->to;
	f->last = &f->first;
	f->in_bucket = *at;
	*at = f;
	link_newest(a, f);
	a->flows++;
	a->counts.flows++;
	a->events.begins(a->user, &f->seen);
	return f;
}

/* --- repeated octets ------------------------------------------------------ */

static uint64_t mix(uint64_t d, const uint8_t *octets)
{
	uint64_t word;

	memcpy(&word, octets, 8);
	d = (d ^ word) * 0xff51afd7ed558ccdu;
	return d ^ d >> 29;
}

/* Four at a time, none of which waits for another. */
static uint64_t digest(const uint8_t *octets, size_t n)
{
	uint64_t d[4] = {n * 0x9e3779b97f4a7c15u, ~(uint64_t)n, n + 1,
			 0xc4ceb9fe1a85ec53u};

	for (; n >= 32; n -= 32, octets += 32) {
		d[0] = mix(d[0], octets);
		d[1] = mix(d[1], octets + 8);
		d[2] = mix(d[2], octets + 16);
		d[3] = mix(d[3], octets + 24);
	}
	for (; n >= 8; n -= 8, octets += 8)
		d[0] = mix(d[0], octets);
	for (unsigned i = 1; i < 4; i++)
		d[0] = (d[0] ^ d[i]) * 0x9e3779b97f4a7c15u;
	for (; n; n--)
		d[0] = (d[0] ^ *octets++) * 0x100000001b3u;
	return d[0];
}

static void remember(struct direction *d, int64_t at, const uint8_t *octets,
		     size_t n)
{
	d->old[d->old_count++ % REMEMBERED] =
		(struct remembered){at, n, digest(octets, n)};
}

/* Segments that lie in these octets as a whole. */
static bool differs(const struct direction *d, int64_t at,
		    const uint8_t *octets, size_t n)
{
	unsigned count = d->old_count < REMEMBERED ? d->old_count : REMEMBERED;

	/* A probe of a connection that is idle has an octet of its own. */
	if (n == 1 && at == d->next - 1)
		return false;
	for (unsigned i = 0; i < count; i++) {
		const struct remembered *r = &d->old[i];

		if (r->at >= at && r->at - at <= (int64_t)n &&
		    r->n <= n - (size_t)(r->at - at) &&
		    digest(octets + (r->at - at), r->n) != r->digest)
			return true;
	}
	return false;
}

/* --- delivery --------------------------------------------------------------- */

/* A segment, as it came or as it waited. */
struct part {
	unsigned from;
	int64_t at, ack;
	uint8_t flags;
	const uint8_t *octets;
	size_t n, cut;
	struct assembly_at where;
};

static bool is_due(const struct flow *f, const struct part *p)
{
	const struct direction *d = &f->from[p->from];
	const struct direction *other = &f->from[!p->from];

	return p->at <= d->next && (p->ack < 0 || !other->known ||
				    p->ack <= other->next + other->finished);
}

static void gap(struct assembly *a, struct flow *f, unsigned from, int64_t to,
		const struct assembly_at *at)
{
	struct direction *d = &f->from[from];

	if (!f->seen.ignored)
		a->events.gap(a->user, &f->seen, from, (uint64_t)(to - d->next),
			      at);
	d->next = to;
	d->old_count = 0;
}

static void finish(struct assembly *a, struct flow *f, unsigned from,
		   bool reset, const struct part *p)
{
	const struct direction *other = &f->from[!from];
	bool acked = p->ack >= 0 && other->known && p->ack >= other->next;

	f->from[from].finished = true;
	if (!f->seen.ignored)
		a->events.ends(a->user, &f->seen, from, reset, acked,
			       &p->where);
	if (reset || other->finished)
		is_over(a, f, false);
}

static void deliver(struct assembly *a, struct flow *f, const struct part *p)
{
	struct direction *d = &f->from[p->from];
	int64_t old = d->next - p->at;
	size_t skip = old > 0 ? (size_t)old : 0;

	if (skip && p->n && !f->seen.ignored &&
	    differs(d, p->at, p->octets, skip < p->n ? skip : p->n))
		a->events.changed(a->user, &f->seen, p->from, &p->where);
	if (skip < p->n && !d->finished) {
		if (!f->seen.ignored) {
			remember(d, d->next, p->octets + skip, p->n - skip);
			a->events.octets(a->user, &f->seen, p->from,
					 p->octets + skip, p->n - skip,
					 &p->where);
		}
		d->next = p->at + (int64_t)p->n;
	}
	if (p->cut && p->at + (int64_t)(p->n + p->cut) > d->next)
		gap(a, f, p->from, p->at + (int64_t)(p->n + p->cut), &p->where);
	if (p->flags & SEGMENT_RST)
		finish(a, f, p->from, true, p);
	else if (p->flags & SEGMENT_FIN && !d->finished &&
		 p->at + (int64_t)(p->n + p->cut) >= d->next)
		finish(a, f, p->from, false, p);
}

static struct part part_of(const struct waiting *w)
{
	return (struct part){w->from,   w->at, w->ack, w->flags,
			     w->octets, w->n,  w->cut, w->where};
}

/* Deliver the octets that are due among those that wait. */
static void drain(struct assembly *a, struct flow *f)
{
	bool any = true;

	while (any && !f->over) {
		any = false;
		for (struct waiting **at = &f->first; *at && !f->over;) {
			struct waiting *w = *at;
			struct part p = part_of(w);

			if (!is_due(f, &p)) {
				at = &w->next;
				continue;
			}
			*at = w->next;
			if (f->last == &w->next)
				f->last = at;
			f->waiting--;
			f->waiting_octets -= w->n;
			a->waiting_octets -= w->n;
			deliver(a, f, &p);
			free(w);
			any = true;
			if (f->over)
				break;
		}
	}
}

/* The octets that the first of them waits for are not in the capture: the end
 * of the gap. */
static void give_up_waiting(struct assembly *a, struct flow *f)
{
	const struct waiting *w = f->first;
	unsigned from = w->at > f->from[w->from].next ? w->from : !w->from;
	int64_t to = from == w->from ? w->at : w->ack;

	for (const struct waiting *x = f->first; x; x = x->next)
		if (x->from == from && x->at < to && x->at > f->from[from].next)
			to = x->at;
	gap(a, f, from, to, &w->where);
	drain(a, f);
}

static void settle(struct assembly *a, struct flow *f)
{
	while (f->first && !f->over)
		give_up_waiting(a, f);
}

/* The octets that it waits for have been received: they have passed. */
static bool waits_in_vain(const struct flow *f)
{
	const struct waiting *w = f->first;
	const struct direction *d = &f->from[w->from];

	return w->at <= d->next || d->acked > d->next;
}

static bool keep_waiting(struct assembly *a, struct flow *f,
			 const struct part *p)
{
	struct waiting *w = malloc(sizeof(*w) + p->n);

	if (!w)
		return false;
	*w = (struct waiting){NULL,     p->from,  p->at, p->ack,
			      p->flags, p->where, p->n,  p->cut};
	if (p->n)
		memcpy(w->octets, p->octets, p->n);
	*f->last = w;
	f->last = &w->next;
	f->waiting++;
	f->waiting_octets += p->n;
	a->waiting_octets += p->n;
	drain(a, f);
	while (f->first && !f->over &&
	       (f->waiting > WAITING_PACKETS ||
		f->waiting_octets > WAITING_OCTETS ||
		a->waiting_octets > WAITING_ALL ||
		(f->waiting > WAITING_ACKED && waits_in_vain(f))))
		give_up_waiting(a, f);
	return true;
}

/* --- packets ------------------------------------------------------------------ */

/* Counted on from the next octet: streams are longer than its numbers. */
static int64_t position(const struct direction *d, uint32_t number,
			int64_t near)
{
	uint32_t here = d->isn + (uint32_t)near;

	return near + (int32_t)(number - here);
}

static void begin_direction(struct direction *d, uint32_t first)
{
	d->known = true;
	d->isn = first;
}

static bool is_anew(const struct flow *f, unsigned from,
		    const struct segment *s)
{
	const struct direction *d = &f->from[from];

	if (!(s->flags & SEGMENT_SYN))
		return false;
	if (f->over)
		return !(s->flags & SEGMENT_ACK);
	return !(s->flags & SEGMENT_ACK) && d->known && d->isn != s->seq + 1;
}

static bool take_segment(struct assembly *a, struct flow *f, unsigned from,
			 const struct packet *p,
			 const struct assembly_at *where)
{
	const struct segment *s = &p->tcp;
	struct direction *d = &f->from[from], *other = &f->from[!from];
	bool syn = s->flags & SEGMENT_SYN, ack = s->flags & SEGMENT_ACK;
	uint32_t seq = s->seq + syn;

	if (syn)
		f->seen.mss[from] = s->mss;
	if (!d->known && !(s->flags & SEGMENT_RST))
		begin_direction(d, seq);
	if (syn && d->isn == seq)
		f->seen.anchored[from] = true;
	/* If the other end has not been seen, its stream begins there. */
	if (ack && !other->known && !(s->flags & SEGMENT_RST))
		begin_direction(other, s->ack);
	struct part part = {.from = from,
			    .at = d->known ? position(d, seq, d->next) : 0,
			    .ack = ack && other->known ? position(other, s->ack,
								  other->next)
						       : -1,
			    .flags = s->flags,
			    .octets = s->octets,
			    .n = s->n,
			    .cut = p->cut,
			    .where = *where};

	if (s->flags & SEGMENT_RST) {
		/* The contents of a RST are not octets of the stream, and its
		 * number need not be the next one. */
		part.n = part.cut = 0;
		if (part.at < d->next)
			part.at = d->next;
	}
	if (part.at - d->next > FAR || d->next - part.at > FAR)
		return true;
	if (part.ack - other->next > FAR)
		part.ack = -1;
	if (part.ack > other->acked)
		other->acked = part.ack;
	if (!part.n && !part.cut && !(s->flags & (SEGMENT_FIN | SEGMENT_RST)))
		return true;
	if (!f->first && is_due(f, &part)) {
		deliver(a, f, &part);
		return true;
	}
	return keep_waiting(a, f, &part);
}

bool assembly_packet(struct assembly *a, const uint8_t *octets, size_t n,
		     size_t length, const struct assembly_at *at)
{
	struct packet p;
	unsigned from;

	a->counts.packets++;
	packet_decode_ip(&p, octets, n, length);
	if (p.kind != PACKET_TCP) {
		bool other = p.flaw == PACKET_FINE || p.flaw == PACKET_FOREIGN;

		a->counts.other += other;
		a->counts.damaged += !other;
		return true;
	}
	a->counts.cut += p.cut > 0;
	struct flow *f = find(a, &p, &from);

	if (f && is_anew(f, from, &p.tcp)) {
		forget(a, f, false);
		f = NULL;
	}
	if (!f && !(f = begin(a, &p, &from)))
		return false;
	unlink_by_age(a, f);
	link_newest(a, f);
	return f->over || take_segment(a, f, from, &p, at);
}

void assembly_end(struct assembly *a)
{
	while (a->oldest)
		forget(a, a->oldest, false);
}

void assembly_free(struct assembly *a)
{
	if (!a)
		return;
	assembly_end(a);
	free(a);
}
