/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/link/raw/input.h"

#include <string.h>

/* So long a pause between two calls is one between two cases. */
#define ABSENCE_NS (10 * CLOCK_NS_PER_MS)

/* --- segments ---------------------------------------- */

/* RFC 9293 s3.10.7.1 */
static void refuse(struct raw_link *r, const struct packet *p)
{
	const struct segment *s = &p->tcp;
	struct packet_path path = {.from = p->to, .to = p->from};
	struct segment rst = {.flags = SEGMENT_RST};

	if (s->flags & SEGMENT_RST)
		return;
	memcpy(path.mac_from, r->address.mac, PACKET_MAC);
	memcpy(path.mac_to, p->mac_from, PACKET_MAC);
	if (s->flags & SEGMENT_ACK) {
		rst.seq = s->ack;
	} else {
		rst.flags |= SEGMENT_ACK;
		rst.ack = s->seq + (uint32_t)s->n + !!(s->flags & SEGMENT_SYN) +
			  !!(s->flags & SEGMENT_FIN);
	}
	frames_send_segment(&r->frames, &path, &rst);
}

static void on_segment(struct raw_link *r, const struct packet *p)
{
	struct raw_conn *c = raw_conn_find(r, p->to.port, &p->from);
	unsigned kind =
		p->tcp.flags & (SEGMENT_SYN | SEGMENT_ACK | SEGMENT_RST);

	r->stats->checksum_offloaded += p->checksum_offloaded;
	if (c && tcp_state(c->tcp) != TCP_CLOSED) {
		tcp_input(c->tcp, &p->tcp, r->now);
		return;
	}
	struct raw_listener *l = raw_listener_find(r, p->to.port);

	if (!c && l && kind == SEGMENT_SYN)
		raw_conn_answer(r, l, p);
	else
		refuse(r, p);
}

static void on_too_big(struct raw_link *r, const struct packet *p)
{
	struct raw_conn *c = raw_conn_find(r, p->from.port, &p->to);
	uint32_t headers = packet_tcp_headers(p->from.family);

	if (c && address_equal(&p->from, &r->address.ip) &&
	    p->mtu > headers + 28 && tcp_has_in_flight(c->tcp, p->tcp.seq))
		tcp_lower_path_mss(c->tcp, p->mtu - headers, r->now);
}

/* RFC 9293 has no segment larger than its path takes; an interface has. */
static void measure(struct raw_link *r, size_t octets)
{
	if (octets <= ethernet_mtu(r->frames.ethernet))
		return;
	r->stats->large++;
	if (octets > r->stats->largest)
		r->stats->largest = octets;
}

static void on_frame(struct raw_link *r, const struct frame *f)
{
	struct packet p;

	r->stats->frames++;
	packet_decode(&p, f->octets, f->n, f->length);
	switch (p.kind) {
	case PACKET_ARP_REQUEST:
	case PACKET_ARP_REPLY:
	case PACKET_ND_SOLICITATION:
	case PACKET_ND_ADVERTISEMENT:
		neighbours_input(&r->neighbours, &p);
		break;
	case PACKET_TCP:
		if (address_equal(&p.to, &r->address.ip) &&
		    memcmp(p.mac_to, r->address.mac, PACKET_MAC) == 0) {
			measure(r, f->length - PACKET_ETHER_OCTETS);
			on_segment(r, &p);
		}
		break;
	case PACKET_TOO_BIG:
		on_too_big(r, &p);
		break;
	case PACKET_OTHER:
		r->stats->foreign += p.flaw == PACKET_FOREIGN;
		r->stats->bad += p.flaw != PACKET_FOREIGN;
		break;
	case PACKET_SCTP:
	case PACKET_UDP:
		break; /* only packets of captures are these */
	}
}

/* --- time ---------------------------------------- */

static bool is_over(const struct raw_conn *c, uint64_t now)
{
	struct tcp_ends e = tcp_ends(c->tcp);

	return tcp_state(c->tcp) == TCP_CLOSED || now >= c->orphan_until ||
	       (e.fin_in && e.fin_acked);
}

/*
 * While nobody calls the link, the kernel's buffer fills up, and a question for
 * our address is lost. A host that has asked in vain has stopped asking for a
 * second, or has given up: what it sends us is late, or never comes. The buffer
 * has to be empty again before we say where we are: what was held back comes at
 * once.
 */
static void make_up_for_absence(struct raw_link *r)
{
	uint64_t dropped = frames_dropped(&r->frames);

	if (dropped != r->dropped)
		neighbours_announce(&r->neighbours);
	r->dropped = dropped;
}

void raw_process(struct raw_link *r)
{
	struct frame frame;
	uint64_t before = r->now;

	r->now = clock_now_ns();
	frames_receive(&r->frames);
	if (r->now - before >= ABSENCE_NS)
		make_up_for_absence(r);
	while (frames_next(&r->frames, &frame))
		on_frame(r, &frame);
	for (struct raw_conn *c = r->conns, *next; c; c = next) {
		next = c->next;
		if (tcp_deadline(c->tcp) <= r->now)
			tcp_tick(c->tcp, r->now);
		if (c->orphan_until && is_over(c, r->now)) {
			tcp_flush_ack(c->tcp, r->now);
			raw_conn_drop(c);
		}
	}
}

uint64_t raw_flush(struct raw_link *r)
{
	uint64_t first = UINT64_MAX;

	for (struct raw_conn *c = r->conns; c; c = c->next) {
		uint64_t at;

		tcp_flush_ack(c->tcp, r->now);
		at = tcp_deadline(c->tcp);
		if (c->orphan_until && c->orphan_until < at)
			at = c->orphan_until;
		if (at < first)
			first = at;
	}
	return first;
}
