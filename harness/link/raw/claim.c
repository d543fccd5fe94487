/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether somebody has the address of a link already. */
#include "harness/link/raw/raw.h"

#include <ifaddrs.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>

#include "harness/link/raw/connections.h"
#include "harness/link/raw/input.h"

enum { CLAIM_ROUNDS = 3, CLAIM_ROUND_MS = 60 };

static struct link_end end_of(const struct sockaddr *sa)
{
	struct link_end end = {0};

	if (sa && sa->sa_family == AF_INET) {
		end.family = 4;
		memcpy(end.addr,
		       &((const struct sockaddr_in *)(const void *)sa)
				->sin_addr,
		       4);
	} else if (sa && sa->sa_family == AF_INET6) {
		end.family = 6;
		memcpy(end.addr,
		       &((const struct sockaddr_in6 *)(const void *)sa)
				->sin6_addr,
		       16);
	}
	return end;
}

static bool is_of_host(const struct link_end *ip)
{
	struct ifaddrs *all;
	bool found = false;

	if (getifaddrs(&all) != 0)
		return false;
	for (struct ifaddrs *i = all; i && !found; i = i->ifa_next) {
		struct link_end end = end_of(i->ifa_addr);

		found = address_equal(&end, ip);
	}
	freeifaddrs(all);
	return found;
}

static void process_until(struct link *const *links, size_t n,
			  uint64_t deadline)
{
	struct pollfd p[LINK_WAIT_MAX];

	for (size_t i = 0; i < n; i++)
		p[i] = (struct pollfd){
			.fd = ethernet_fd(
				raw_link_of(links[i])->frames.ethernet),
			.events = POLLIN};
	while (poll(p, n, clock_poll_ms(deadline)) > 0)
		for (size_t i = 0; i < n; i++)
			if (p[i].revents)
				raw_process(raw_link_of(links[i]));
}

int link_raw_claim(struct link *const *links, size_t n, char why[LINK_WHY])
{
	if (n > LINK_WAIT_MAX)
		n = LINK_WAIT_MAX;
	for (unsigned round = 0; round < CLAIM_ROUNDS; round++) {
		for (size_t i = 0; i < n; i++) {
			struct raw_link *r = raw_link_of(links[i]);

			neighbours_ask(&r->neighbours, &r->address.ip, true);
		}
		process_until(links, n, clock_after_ms(CLAIM_ROUND_MS));
	}
	for (size_t i = 0; i < n; i++) {
		const struct raw_link *r = raw_link_of(links[i]);
		const uint8_t *m = r->neighbours.conflict_mac;

		if (links[i]->down)
			return link_fail(why, LINK_ERROR, "%.150s",
					 links[i]->why);
		if (r->neighbours.conflict)
			return link_fail(why, LINK_ERROR,
					 "raw link: %s is taken: "
					 "%02x:%02x:%02x:%02x:%02x:%02x has it",
					 links[i]->address, m[0], m[1], m[2],
					 m[3], m[4], m[5]);
		/* The host does not receive packets sent from it. */
		if (is_of_host(&r->address.ip))
			return link_fail(why, LINK_ERROR,
					 "raw link: %s is an address of this "
					 "host: the link needs one of its own",
					 links[i]->address);
	}
	return LINK_OK;
}
