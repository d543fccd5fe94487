/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/link/raw/neighbours.h"

#include <string.h>

void neighbours_ask(struct neighbours *n, const struct link_end *ip, bool probe)
{
	struct packet_path path = {.from = n->own->ip, .to = *ip};
	uint8_t frame[PACKET_HEADERS];

	memcpy(path.mac_from, n->own->mac, PACKET_MAC);
	frames_send(n->frames, frame,
		    packet_who_has(frame, sizeof(frame), &path, probe));
}

void neighbours_announce(struct neighbours *n)
{
	static const uint8_t all_nodes[PACKET_MAC] = {0x33, 0x33, [5] = 1};
	struct packet_path path = {.from = n->own->ip};
	uint8_t frame[PACKET_HEADERS];

	/* With IPv4, the question has the answer in it. */
	if (n->own->ip.family == 4) {
		neighbours_ask(n, &n->own->ip, false);
		return;
	}
	path.to.family = 6;
	memcpy(path.mac_from, n->own->mac, PACKET_MAC);
	memcpy(path.mac_to, all_nodes, PACKET_MAC);
	frames_send(n->frames, frame,
		    packet_is_at(frame, sizeof(frame), &path));
}

/* NEIGHBOURS: nowhere. */
static unsigned find(const struct neighbours *n, const struct link_end *ip)
{
	unsigned i = 0;

	while (i < NEIGHBOURS && !address_equal(&n->cache[i].ip, ip))
		i++;
	return i;
}

const uint8_t *neighbours_mac(const struct neighbours *n,
			      const struct link_end *ip)
{
	unsigned i = find(n, ip);

	return i < NEIGHBOURS ? n->cache[i].mac : NULL;
}

static void learn(struct neighbours *n, const struct link_end *ip,
		  const uint8_t mac[PACKET_MAC])
{
	unsigned i = find(n, ip);

	if (i == NEIGHBOURS) {
		i = n->next;
		n->next = (n->next + 1) % NEIGHBOURS;
	}
	n->cache[i].ip = *ip;
	memcpy(n->cache[i].mac, mac, PACKET_MAC);
}

static void on_question(struct neighbours *n, const struct packet *p)
{
	struct packet_path path = {.from = n->own->ip, .to = p->from};
	uint8_t frame[PACKET_HEADERS];

	if (!address_equal(&p->to, &n->own->ip))
		return;
	if (!address_is_unspecified(&p->from))
		learn(n, &p->from, p->lladdr);
	memcpy(path.mac_from, n->own->mac, PACKET_MAC);
	memcpy(path.mac_to, p->mac_from, PACKET_MAC);
	frames_send(n->frames, frame,
		    packet_is_at(frame, sizeof(frame), &path));
}

static void on_answer(struct neighbours *n, const struct packet *p)
{
	const struct link_end *ip =
		p->kind == PACKET_ARP_REPLY ? &p->from : &p->to;

	learn(n, ip, p->lladdr);
}

/* Whoever speaks of our address as of its own, or asks for it to be. */
static bool is_conflict(const struct link_end *own, const struct packet *p)
{
	bool probe = address_is_unspecified(&p->from);

	switch (p->kind) {
	case PACKET_ARP_REQUEST:
		return address_equal(&p->from, own) ||
		       (probe && address_equal(&p->to, own));
	case PACKET_ARP_REPLY:
		return address_equal(&p->from, own);
	case PACKET_ND_SOLICITATION:
		return probe && address_equal(&p->to, own);
	case PACKET_ND_ADVERTISEMENT:
		return address_equal(&p->to, own);
	default:
		return false;
	}
}

void neighbours_input(struct neighbours *n, const struct packet *p)
{
	if (is_conflict(&n->own->ip, p)) {
		n->conflict = true;
		memcpy(n->conflict_mac, p->mac_from, PACKET_MAC);
	}
	if (p->kind == PACKET_ARP_REQUEST || p->kind == PACKET_ND_SOLICITATION)
		on_question(n, p);
	else
		on_answer(n, p);
}
