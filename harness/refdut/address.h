/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numeric addresses with a port, as the device reads, prints and listens at
 * them: "192.0.2.1:80" and "[2001:db8::1]:80".
 */
#ifndef HARNESS_REFDUT_ADDRESS_H
#define HARNESS_REFDUT_ADDRESS_H

#include "harness/refdut/loop.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

enum { ADDRESS_TEXT = 64 };

struct address {
	struct sockaddr_storage at;
	socklen_t len;
};

/* Read an IPv4 or IPv6 address without a port. False: it is not an address. */
bool address_parse(const char *host, uint16_t port, struct address *address);

/* Read an address with a port. False: it is not one, or the port is 0. */
bool address_parse_pair(const char *text, struct address *address);

bool address_is_loopback(const struct address *address);
uint16_t address_port(const struct address *address);
void address_set_port(struct address *address, uint16_t port);

/* Write the address, or the address with its port. */
void address_host(const struct address *address, char text[ADDRESS_TEXT]);
void address_text(const struct address *address, char text[ADDRESS_TEXT]);

/* The local address of a socket, and its peer's. False with errno. */
bool address_own(int fd, struct address *address);
bool address_peer(int fd, struct address *address);

/*
 * Listen at an address and watch for connections. The port may be 0; *address
 * is then the bound address. Returns 0, or -1 with errno.
 */
int address_listen(struct address *address, int backlog, struct watch *watch);

#endif
