/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/address.h"
#include "harness/agent/line.h"
#include "harness/link/ports.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

static struct sockaddr *generic(struct address *address)
{
	return (struct sockaddr *)&address->at;
}

bool address_parse(const char *host, uint16_t port, struct address *address)
{
	struct sockaddr_in *in = (struct sockaddr_in *)&address->at;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&address->at;

	memset(address, 0, sizeof(*address));
	if (inet_pton(AF_INET, host, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		address->len = sizeof(*in);
	} else if (inet_pton(AF_INET6, host, &in6->sin6_addr) == 1) {
		in6->sin6_family = AF_INET6;
		address->len = sizeof(*in6);
	} else {
		return false;
	}
	address_set_port(address, port);
	return true;
}

bool address_parse_pair(const char *text, struct address *address)
{
	const char *colon = strrchr(text, ':');
	bool bracketed = text[0] == '[';
	char host[ADDRESS_TEXT];
	uint64_t port;
	size_t n;

	if (!colon || !line_number(colon + 1, &port) || port == 0 ||
	    port > UINT16_MAX)
		return false;
	n = (size_t)(colon - text);
	if (bracketed) {
		if (n < 2 || text[n - 1] != ']')
			return false;
		text++;
		n -= 2;
	}
	if (n >= sizeof(host))
		return false;
	memcpy(host, text, n);
	host[n] = '\0';
	/* Without brackets the last group would pass for a port. */
	return bracketed == (strchr(host, ':') != NULL) &&
	       address_parse(host, (uint16_t)port, address);
}

bool address_is_loopback(const struct address *address)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)&address->at;
	const struct sockaddr_in6 *in6 =
		(const struct sockaddr_in6 *)&address->at;

	if (address->at.ss_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
	return ntohl(in->sin_addr.s_addr) >> 24 == 127;
}

uint16_t address_port(const struct address *address)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)&address->at;
	const struct sockaddr_in6 *in6 =
		(const struct sockaddr_in6 *)&address->at;

	return ntohs(address->at.ss_family == AF_INET6 ? in6->sin6_port
						       : in->sin_port);
}

void address_set_port(struct address *address, uint16_t port)
{
	struct sockaddr_in *in = (struct sockaddr_in *)&address->at;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&address->at;

	if (address->at.ss_family == AF_INET6)
		in6->sin6_port = htons(port);
	else
		in->sin_port = htons(port);
}

void address_host(const struct address *address, char text[ADDRESS_TEXT])
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)&address->at;
	const struct sockaddr_in6 *in6 =
		(const struct sockaddr_in6 *)&address->at;

	if (address->at.ss_family == AF_INET6)
		inet_ntop(AF_INET6, &in6->sin6_addr, text, ADDRESS_TEXT);
	else
		inet_ntop(AF_INET, &in->sin_addr, text, ADDRESS_TEXT);
}

void address_text(const struct address *address, char text[ADDRESS_TEXT])
{
	bool six = address->at.ss_family == AF_INET6;
	char host[ADDRESS_TEXT];

	address_host(address, host);
	snprintf(text, ADDRESS_TEXT, six ? "[%.*s]:%u" : "%.*s:%u",
		 INET6_ADDRSTRLEN, host, address_port(address));
}

bool address_own(int fd, struct address *address)
{
	address->len = sizeof(address->at);
	return getsockname(fd, generic(address), &address->len) == 0;
}

bool address_peer(int fd, struct address *address)
{
	address->len = sizeof(address->at);
	return getpeername(fd, generic(address), &address->len) == 0;
}

/* 0, or -1 with errno. */
static int listen_at(struct address *address, int backlog, struct watch *watch)
{
	int fd = socket(address->at.ss_family,
			SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int one = 1;
	int error;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, generic(address), address->len) == 0 &&
	    listen(fd, backlog) == 0 && address_own(fd, address) &&
	    loop_watch(watch, fd, EPOLLIN) == 0)
		return 0;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

int address_listen(struct address *address, int backlog, struct watch *watch)
{
	static struct ports ports;
	struct address guess = *address;

	if (address_port(address))
		return listen_at(address, backlog, watch);
	for (unsigned i = 0; i < PORTS_AT_ONCE; i++) {
		address_set_port(&guess, ports_guess(&ports));
		if (address_port(&guess) &&
		    listen_at(&guess, backlog, watch) == 0) {
			*address = guess;
			return 0;
		}
	}
	if (listen_at(address, backlog, watch) < 0)
		return -1;
	ports_begin(&ports, address_port(address));
	return 0;
}
