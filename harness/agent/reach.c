/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/agent/reach.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/link/clock.h"

static bool is_this_host(const struct sockaddr *at)
{
	if (at->sa_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(
			&((const struct sockaddr_in6 *)at)->sin6_addr);
	return ntohl(((const struct sockaddr_in *)at)->sin_addr.s_addr) >> 24 ==
	       IN_LOOPBACKNET;
}

/* Requests and answers take little of a path: segments of the size that every
 * path takes cost nothing, and arrive where large ones are lost and no router
 * reports it (RFC 2923 s2.1). It limits both directions. */
static void keep_small(int fd, const struct sockaddr *at)
{
	int mss = 536;

	if (!is_this_host(at))
		setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof(mss));
}

/* A connected socket, or -1 with errno. */
static int connect_to(const struct addrinfo *at, uint64_t deadline)
{
	int one = 1, error = 0;
	socklen_t len = sizeof(error);
	int fd = socket(at->ai_family,
			SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	keep_small(fd, at->ai_addr);
	if (connect(fd, at->ai_addr, at->ai_addrlen) == 0)
		return fd;
	error = errno;
	if (error == EINPROGRESS || error == EINTR) {
		struct pollfd p = {.fd = fd, .events = POLLOUT};
		int n;
		do
			n = poll(&p, 1, clock_poll_ms(deadline));
		while (n < 0 && errno == EINTR);
		error = n == 0 ? ETIME : errno;
		if (n > 0 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len))
			error = errno;
		if (error == 0)
			return fd;
	}
	close(fd);
	errno = error;
	return -1;
}

int agent_reach(const char *host, uint16_t port, uint64_t deadline, char *why,
		size_t cap)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
				 .ai_flags = AI_NUMERICSERV};
	struct addrinfo *found = NULL;
	char service[8];
	int fd = -1;

	snprintf(service, sizeof(service), "%u", port);
	int bad = getaddrinfo(host, service, &hints, &found);
	if (bad) {
		snprintf(why, cap, "agent %.100s: %s", host, gai_strerror(bad));
		errno = EHOSTUNREACH;
		return -1;
	}
	errno = 0;
	for (struct addrinfo *at = found; at && fd < 0; at = at->ai_next)
		fd = connect_to(at, deadline);
	int error = errno;
	freeaddrinfo(found);
	if (fd < 0)
		snprintf(why, cap, "agent %.100s port %u: %s", host, port,
			 error == ETIME ? "no answer" : strerror(error));
	errno = error;
	return fd;
}
