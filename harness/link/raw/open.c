/* SPDX-License-Identifier: BSD-2-Clause */
/* The addresses of a raw link: made, asked about, claimed. */
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/link/raw/raw_internal.h"

enum { CLAIM_ROUNDS = 3, CLAIM_ROUND_MS = 60 };

bool link_raw_check(const struct link_raw *c, char why[LINK_WHY])
{
	struct address a;

	if (!c->interface[0]) {
		link_fail(why, 0,
			  "raw link: no interface: say which in [link] "
			  "interface");
		return false;
	}
	if (if_nametoindex(c->interface) == 0) {
		link_fail(why, 0, "raw link: there is no interface %.32s",
			  c->interface);
		return false;
	}
	return address_make(&a, c->address, c->index, c->gateway, why);
}

struct link *link_raw_open(const struct link_raw *c, bool *privilege,
			   char why[LINK_WHY])
{
	struct raw_link *r = calloc(1, sizeof(*r));

	*privilege = false;
	if (!r) {
		link_fail(why, 0, "out of memory");
		return NULL;
	}
	r->seen = c->seen ? c->seen : &r->counted;
	r->link.ops = &raw_ops;
	r->link.name = "raw";
	r->link.caps = LINK_CAP_CUTS | LINK_CAP_SEGMENTS | LINK_CAP_HALF_CLOSE |
		       LINK_CAP_RESET | LINK_CAP_LISTEN | LINK_CAP_RCVBUF |
		       LINK_CAP_MSS;
	r->now = clock_now_ns();
	/* Not those of the run before: a device may remember them. */
	r->next_port = (uint16_t)(r->now / 50000000u);
	r->neighbours.frames = &r->frames;
	r->neighbours.own = &r->address;
	if (address_make(&r->address, c->address, c->index, c->gateway, why)) {
		address_text(&r->address, r->link.address);
		if (frames_open(&r->frames, &r->link, &r->address, c->interface,
				privilege, why))
			return &r->link;
	}
	free(r);
	return NULL;
}

/* --- claiming ---------------------------------------- */

static struct raw_link *of(struct link *link)
{
	return (struct raw_link *)link;
}

static bool is_of_host(const struct raw_link *r)
{
	struct ifaddrs *all, *i;
	bool found = false;

	if (getifaddrs(&all) != 0)
		return false;
	for (i = all; i && !found; i = i->ifa_next) {
		if (!i->ifa_addr)
			continue;
		if (r->address.ip.family == 4 &&
		    i->ifa_addr->sa_family == AF_INET)
			found = memcmp(&((struct sockaddr_in *)(void *)
						 i->ifa_addr)
						->sin_addr,
				       r->address.ip.addr, 4) == 0;
		if (r->address.ip.family == 6 &&
		    i->ifa_addr->sa_family == AF_INET6)
			found = memcmp(&((struct sockaddr_in6 *)(void *)
						 i->ifa_addr)
						->sin6_addr,
				       r->address.ip.addr, 16) == 0;
	}
	freeifaddrs(all);
	return found;
}

static void listen_for(struct link *const *links, size_t n, uint64_t deadline)
{
	struct pollfd p[LINK_WAIT_MAX];

	for (size_t i = 0; i < n; i++)
		p[i] = (struct pollfd){
			.fd = ethernet_fd(of(links[i])->frames.ethernet),
			.events = POLLIN};
	while (poll(p, n, clock_poll_ms(deadline)) > 0)
		for (size_t i = 0; i < n; i++)
			if (p[i].revents)
				raw_service(of(links[i]));
}

int link_raw_claim(struct link *const *links, size_t n, char why[LINK_WHY])
{
	if (n > LINK_WAIT_MAX)
		n = LINK_WAIT_MAX;
	for (unsigned round = 0; round < CLAIM_ROUNDS; round++) {
		for (size_t i = 0; i < n; i++)
			neighbours_ask(&of(links[i])->neighbours,
				       &of(links[i])->address.ip, true);
		listen_for(links, n, clock_after_ms(CLAIM_ROUND_MS));
	}
	for (size_t i = 0; i < n; i++) {
		const uint8_t *m = of(links[i])->neighbours.conflict_mac;

		if (links[i]->down)
			return link_fail(why, LINK_ERROR, "%.150s",
					 links[i]->why);
		if (of(links[i])->neighbours.conflict)
			return link_fail(why, LINK_ERROR,
					 "raw link: %s is taken: "
					 "%02x:%02x:%02x:%02x:%02x:%02x has it",
					 links[i]->address, m[0], m[1], m[2],
					 m[3], m[4], m[5]);
		/* The host does not hear what is sent from it. */
		if (is_of_host(of(links[i])))
			return link_fail(why, LINK_ERROR,
					 "raw link: %s is an address of this "
					 "host: the link needs one of its own",
					 links[i]->address);
	}
	return LINK_OK;
}

struct link_raw_seen link_raw_seen(const struct link *link)
{
	const struct raw_link *r = (const struct raw_link *)link;
	struct link_raw_seen seen = *r->seen;

	seen.dropped = frames_dropped(&r->frames);
	return seen;
}
