/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/link/raw/neighbours.h"

#include <stdio.h>
#include <string.h>

void neighbours_ask(struct neighbours *n, const struct link_end *ip, bool probe)
{
	struct packet_path path = {.from = n->own->ip, .to = *ip};
	uint8_t frame[PACKET_HEADERS];

	memcpy(path.mac_from, n->own->mac, PACKET_MAC);
	if (!address_equal(ip, &n->own->ip))
		n->asked = *ip;
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

void neighbours_forget(struct neighbours *n, const struct link_end *ip)
{
	unsigned i = find(n, ip);

	if (i < NEIGHBOURS)
		n->cache[i] = (struct neighbour){0};
}

/* Packets may have gone to the wrong one of them. */
static void two_have(struct neighbours *n, const struct link_end *ip,
		     const uint8_t a[PACKET_MAC], const uint8_t b[PACKET_MAC])
{
	char *trouble = n->frames->link->trouble;
	struct link_end host = *ip;
	char text[LINK_END_TEXT];

	if (trouble[0])
		return;
	host.port = 0;
	link_end_text(&host, text);
	text[strlen(text) - 2] = '\0'; /* the port */
	snprintf(trouble, LINK_WHY,
		 "two hosts have the address %s: "
		 "%02x:%02x:%02x:%02x:%02x:%02x and "
		 "%02x:%02x:%02x:%02x:%02x:%02x",
		 text, a[0], a[1], a[2], a[3], a[4], a[5], b[0], b[1], b[2],
		 b[3], b[4], b[5]);
}

static void learn(struct neighbours *n, const struct link_end *ip,
		  const uint8_t mac[PACKET_MAC])
{
	unsigned i = find(n, ip);

	if (i < NEIGHBOURS) {
		if (memcmp(n->cache[i].mac, mac, PACKET_MAC) != 0)
			two_have(n, ip, n->cache[i].mac, mac);
		return;
	}
	i = n->next;
	n->next = (n->next + 1) % NEIGHBOURS;
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

	if (address_equal(ip, &n->asked) || find(n, ip) < NEIGHBOURS)
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
		two_have(n, &n->own->ip, n->own->mac, p->mac_from);
	}
	if (p->kind == PACKET_ARP_REQUEST || p->kind == PACKET_ND_SOLICITATION)
		on_question(n, p);
	else
		on_answer(n, p);
}
