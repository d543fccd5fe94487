/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/link/raw/captured.h"

#include <stdlib.h>
#include <string.h>

#include "harness/link/raw/capture_file.h"
#include "harness/link/raw/packet.h"
#include "harness/link/raw/packet_internal.h"

#define PACKET_MOST 262144u

/* As it came; `at` counts from the direction's first octet. */
struct captured_segment {
	struct captured_segment *next;
	int64_t at;
	size_t n;
	unsigned packet;
	uint64_t at_ns;
	uint8_t octets[];
};

/* --- packets --------------------------------------------------------------- */

static bool same_end(const struct link_end *a, const struct link_end *b)
{
	return a->family == b->family && a->port == b->port &&
	       memcmp(a->addr, b->addr, a->family == 6 ? 16 : 4) == 0;
}

/* The latest connection between these; *from: which of its ends sends. */
static struct captured_flow *find(struct captured *c, const struct packet *p,
				  unsigned *from)
{
	for (size_t i = c->flow_count; i-- > 0;) {
		struct captured_flow *f = &c->flows[i];

		for (*from = 0; *from < 2; ++*from)
			if (same_end(&f->end[*from], &p->from) &&
			    same_end(&f->end[!*from], &p->to))
				return f;
	}
	return NULL;
}

static struct captured_flow *begin(struct captured *c, const struct packet *p,
				   unsigned *from)
{
	bool answers =
		(p->tcp.flags & SEGMENT_SYN) && (p->tcp.flags & SEGMENT_ACK);

	if (c->flow_count == CAPTURED_FLOWS) {
		c->full = true;
		return NULL;
	}
	struct captured_flow *f = &c->flows[c->flow_count++];

	*f = (struct captured_flow){.opened = p->tcp.flags & SEGMENT_SYN};
	*from = answers;
	f->end[answers] = p->from;
	f->end[!answers] = p->to;
	return f;
}

/* A SYN with another number is of another connection. */
static bool is_anew(const struct captured_flow *f, unsigned from,
		    const struct segment *s)
{
	const struct captured_direction *d = &f->from[from];

	return (s->flags & SEGMENT_SYN) && !(s->flags & SEGMENT_ACK) &&
	       d->known && d->first != s->seq + 1;
}

static bool add_segment(struct captured *c, struct captured_direction *d,
			const struct segment *s, uint64_t at_ns)
{
	uint32_t seq = s->seq + !!(s->flags & SEGMENT_SYN);

	if (!d->known) {
		d->known = true;
		d->first = seq;
	}
	d->fin |= !!(s->flags & SEGMENT_FIN);
	d->reset |= !!(s->flags & SEGMENT_RST);
	/* The contents of a RST are not octets of the stream. */
	if (!s->n || (s->flags & SEGMENT_RST))
		return true;
	if (s->n > CAPTURED_MOST - c->octets) {
		c->full = true;
		return true;
	}
	struct captured_segment *one = malloc(sizeof(*one) + s->n);

	if (!one)
		return false;
	/* Counted on from the segment before it: streams may be longer than
	 * the numbers of TCP are. */
	int64_t near = d->last ? d->last->at : 0;

	*one = (struct captured_segment){
		.at = near + (int32_t)(seq - d->first - (uint32_t)near),
		.n = s->n,
		.packet = c->packets,
		.at_ns = at_ns,
	};
	memcpy(one->octets, s->octets, s->n);
	c->octets += s->n;
	if (d->last)
		d->last->next = one;
	else
		d->segments = one;
	d->last = one;
	return true;
}

bool captured_packet(struct captured *c, enum captured_link link,
		     const uint8_t *octets, size_t n, size_t length,
		     uint64_t at_ns)
{
	static uint8_t frame[PACKET_ETHER_OCTETS + PACKET_MOST];
	struct packet p;
	unsigned from;

	if (!c->flows)
		c->flows = calloc(CAPTURED_FLOWS, sizeof(*c->flows));
	if (!c->flows)
		return false;
	c->packets++;
	if (link == CAPTURED_IP) {
		bool six = n && octets[0] >> 4 == 6;

		if (n > PACKET_MOST)
			n = PACKET_MOST;
		frame[12] = (six ? ETHER_IP6 : ETHER_IP4) >> 8;
		frame[13] = (six ? ETHER_IP6 : ETHER_IP4) & 0xff;
		memcpy(frame + PACKET_ETHER_OCTETS, octets, n);
		octets = frame;
		n += PACKET_ETHER_OCTETS;
		length += PACKET_ETHER_OCTETS;
	}
	packet_decode(&p, octets, n, length);
	if (p.kind != PACKET_TCP) {
		bool foreign =
			p.flaw == PACKET_FINE || p.flaw == PACKET_FOREIGN;

		c->other += foreign;
		c->damaged += !foreign;
		return true;
	}
	struct captured_flow *f = find(c, &p, &from);

	if (!f || is_anew(f, from, &p.tcp))
		f = begin(c, &p, &from);
	return !f || add_segment(c, &f->from[from], &p.tcp, at_ns);
}

/* --- files ------------------------------------------------------------------ */

/* Headers before IP may be skipped; other packets are kept unchanged. */
static bool read_packet(struct captured *c, struct capture_packet *p,
			bool *known)
{
	*known = capture_link_known(p->link);
	if (!*known)
		return true;
	bool ip = capture_packet_to_ip(p);

	return captured_packet(c, ip ? CAPTURED_IP : CAPTURED_ETHERNET,
			       p->octets, p->n, p->length, p->at_ns);
}

bool captured_read(struct captured *c, FILE *file, char why[CAPTURED_WHY])
{
	char said[CAPTURE_FILE_WHY] = "";
	struct capture_file *f = capture_file_open(file, said);
	enum capture_status status = CAPTURE_END;
	struct capture_packet p;
	bool ok = true, known = true;

	if (!f) {
		snprintf(why, CAPTURED_WHY, "%s", said);
		return false;
	}
	while (ok && known &&
	       (status = capture_file_next(f, &p, said)) == CAPTURE_PACKET)
		ok = read_packet(c, &p, &known);
	if (!ok)
		snprintf(why, CAPTURED_WHY, "out of memory");
	else if (!known)
		snprintf(why, CAPTURED_WHY,
			 "a capture of link type %u, which is neither Ethernet "
			 "nor IP",
			 p.link);
	else if (status == CAPTURE_BROKEN)
		snprintf(why, CAPTURED_WHY, "%s", said);
	capture_file_close(f);
	return ok && known && status == CAPTURE_END;
}

/* --- in their order ----------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
	const struct captured_segment *x =
		*(const struct captured_segment *const *)a;
	const struct captured_segment *y =
		*(const struct captured_segment *const *)b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->packet < y->packet ? -1 : x->packet > y->packet;
}

/* If octets arrived twice, the first ones stay. */
static void put_together(struct captured_direction *d,
			 struct captured_segment *const *s, size_t count,
			 struct captured_piece *pieces)
{
	/* If a capture starts in the middle of a direction, its beginning is
	 * unknown: use the lowest number that was seen. */
	int64_t first = s[0]->at < 0 ? s[0]->at : 0;

	for (size_t i = 0; i < count; i++) {
		int64_t from = s[i]->at - first;
		int64_t end = from + (int64_t)s[i]->n;
		size_t skip;

		if (end <= (int64_t)d->n)
			continue;
		if (from > (int64_t)d->n) {
			d->lost += s[i]->n;
			continue;
		}
		skip = d->n - (size_t)from;
		pieces[d->piece_count++] = (struct captured_piece){
			d->n, s[i]->packet, s[i]->at_ns};
		memcpy(d->octets + d->n, s[i]->octets + skip, s[i]->n - skip);
		d->n = (size_t)end;
	}
}

static bool end_direction(struct captured_direction *d)
{
	size_t count = 0, octets = 0, i = 0;

	for (const struct captured_segment *s = d->segments; s; s = s->next) {
		count++;
		octets += s->n;
	}
	if (!count)
		return true;
	struct captured_segment **all = malloc(count * sizeof(*all));
	struct captured_piece *pieces = malloc(count * sizeof(*pieces));

	d->octets = malloc(octets);
	d->pieces = pieces;
	if (all && pieces && d->octets) {
		for (struct captured_segment *s = d->segments; s; s = s->next)
			all[i++] = s;
		qsort(all, count, sizeof(*all), by_place);
		put_together(d, all, count, pieces);
	}
	free(all);
	return all && pieces && d->octets;
}

static void free_segments(struct captured_direction *d)
{
	struct captured_segment *next;

	for (struct captured_segment *s = d->segments; s; s = next) {
		next = s->next;
		free(s);
	}
	d->segments = d->last = NULL;
}

bool captured_end(struct captured *c)
{
	bool ok = true;

	for (size_t i = 0; ok && i < 2 * c->flow_count; i++) {
		struct captured_direction *d = &c->flows[i / 2].from[i % 2];

		ok = end_direction(d);
		free_segments(d);
	}
	return ok;
}

void captured_free(struct captured *c)
{
	for (size_t i = 0; i < 2 * c->flow_count; i++) {
		struct captured_direction *d = &c->flows[i / 2].from[i % 2];

		free_segments(d);
		free(d->octets);
		free((void *)d->pieces);
	}
	free(c->flows);
	*c = (struct captured){0};
}

const struct captured_piece *captured_at(const struct captured_direction *d,
					 size_t at)
{
	size_t low = 0, high = d->piece_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (d->pieces[middle].at <= at)
			low = middle;
		else
			high = middle;
	}
	return &d->pieces[low];
}
