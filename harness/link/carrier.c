/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/link/carrier.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* What the kernel is asked, and what it answers. */
struct inquiry {
	int fd;
	bool unanswered;                              /* at least once */
	_Alignas(struct nlmsghdr) char answer[32768]; /* an interface: 2 KiB */
};

/* The kernel has answered when send() returns. NULL: with an error, or not. */
static const struct nlmsghdr *ask(struct inquiry *q, const struct nlmsghdr *r)
{
	const struct nlmsghdr *head = (const struct nlmsghdr *)q->answer;
	ssize_t n;

	do
		n = send(q->fd, r, r->nlmsg_len, 0);
	while (n < 0 && errno == EINTR);
	if (n >= 0)
		do
			n = recv(q->fd, q->answer, sizeof(q->answer),
				 MSG_DONTWAIT);
		while (n < 0 && errno == EINTR);
	if (n <= 0 || !NLMSG_OK(head, (size_t)n)) {
		q->unanswered = true;
		return NULL;
	}
	return head->nlmsg_type == NLMSG_ERROR ? NULL : head;
}

/* A number among the attributes behind a header of that many octets. */
static bool number_in(const struct nlmsghdr *head, size_t header,
		      unsigned short type, uint32_t *out)
{
	size_t left = NLMSG_PAYLOAD(head, header);
	const struct rtattr *a =
		(const struct rtattr *)((const char *)NLMSG_DATA(head) +
					NLMSG_ALIGN(header));

	for (; RTA_OK(a, left); a = RTA_NEXT(a, left))
		if (a->rta_type == type && RTA_PAYLOAD(a) >= sizeof(*out)) {
			memcpy(out, RTA_DATA(a), sizeof(*out));
			return true;
		}
	return false;
}

/* The interface of the route to a host; 0: there is none. */
static uint32_t interface_towards(struct inquiry *q, const char *host)
{
	struct addrinfo *at, hints = {.ai_flags = AI_NUMERICHOST};
	struct {
		struct nlmsghdr head;
		struct rtmsg route;
		struct rtattr to;
		uint8_t address[sizeof(struct in6_addr)];
	} r = {.head = {.nlmsg_type = RTM_GETROUTE,
			.nlmsg_flags = NLM_F_REQUEST}};
	uint32_t out = 0;

	if (!*host || getaddrinfo(host, NULL, &hints, &at) != 0)
		return 0;
	bool six = at->ai_family == AF_INET6;
	const struct sockaddr_in6 *in6 = (const void *)at->ai_addr;
	const struct sockaddr_in *in = (const void *)at->ai_addr;
	size_t n = six ? sizeof(in6->sin6_addr) : sizeof(in->sin_addr);

	r.route = (struct rtmsg){.rtm_family = (unsigned char)at->ai_family,
				 .rtm_dst_len = (unsigned char)(8 * n)};
	r.to = (struct rtattr){.rta_type = RTA_DST,
			       .rta_len = (unsigned short)RTA_LENGTH(n)};
	memcpy(r.address, six ? (const void *)&in6->sin6_addr : &in->sin_addr,
	       n);
	r.head.nlmsg_len = (uint32_t)(sizeof(r) - sizeof(r.address) + n);
	if (six && in6->sin6_scope_id) {
		out = in6->sin6_scope_id;
	} else {
		const struct nlmsghdr *head = ask(q, &r.head);

		if (head)
			number_in(head, sizeof(r.route), RTA_OIF, &out);
	}
	freeaddrinfo(at);
	return out;
}

/* A number about an interface, with its flags. False: it is not there, or has
 * none. */
static bool interface_says(struct inquiry *q, uint32_t interface,
			   unsigned short type, uint32_t *out, unsigned *flags)
{
	struct {
		struct nlmsghdr head;
		struct ifinfomsg link;
	} r = {
		.head = {.nlmsg_len = NLMSG_LENGTH(sizeof(r.link)),
			 .nlmsg_type = RTM_GETLINK,
			 .nlmsg_flags = NLM_F_REQUEST},
		.link = {.ifi_family = AF_UNSPEC, .ifi_index = (int)interface},
	};
	const struct nlmsghdr *head = interface ? ask(q, &r.head) : NULL;

	if (!head || !number_in(head, sizeof(r.link), type, out))
		return false;
	*flags = ((const struct ifinfomsg *)NLMSG_DATA(head))->ifi_flags;
	return true;
}

/* Add its changes, one more than it has counted, so that an interface is not
 * like none. False: it does not run. */
static bool add(struct carrier *now, struct inquiry *q, uint32_t interface)
{
	uint32_t n;
	unsigned flags;

	if (!interface_says(q, interface, IFLA_CARRIER_CHANGES, &n, &flags))
		return false;
	now->changes += n + UINT64_C(1);
	return flags & IFF_RUNNING;
}

/* NULL: the kernel cannot be asked. */
static struct inquiry *begin(void)
{
	static struct inquiry q;

	q.fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	q.unanswered = false;
	return q.fd >= 0 ? &q : NULL;
}

bool carrier_was_lost(struct carrier *last, const char *host,
		      const char *interface)
{
	struct inquiry *q = begin();
	struct carrier now = {.seen = true};

	if (!q)
		return false;
	bool runs = !*host || add(&now, q, interface_towards(q, host));

	if (*interface) {
		uint32_t index = if_nametoindex(interface);

		q->unanswered |= !index && errno != ENODEV;
		runs &= add(&now, q, index);
	}
	close(q->fd);
	if (q->unanswered)
		return false;
	bool lost = last->seen &&
		    (now.changes != last->changes || (last->ran && !runs));

	now.ran = last->ran || runs;
	*last = now;
	return lost;
}

unsigned carrier_mtu(const char *host)
{
	struct inquiry *q = begin();
	uint32_t mtu = 0;
	unsigned flags;

	if (!q)
		return 0;
	interface_says(q, interface_towards(q, host), IFLA_MTU, &mtu, &flags);
	close(q->fd);
	return mtu;
}
