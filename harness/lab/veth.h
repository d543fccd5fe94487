/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A network for one run: a namespace without a name, with a pair of Ethernet
 * interfaces that are connected to each other. One interface has an IPv4 and an
 * IPv6 address, for the device's kernel. The other has no address: the raw link
 * uses it. The host's network is not changed. The network disappears with the
 * last process in the namespace, however that process ends.
 */
#ifndef HARNESS_LAB_VETH_H
#define HARNESS_LAB_VETH_H

#include <stdbool.h>
#include <stddef.h>

struct lab {
	const char *peer_interface;
	/* Addresses of the requested family. */
	const char *device_address; /* "10.77.0.2" */
	const char *peer_address;   /* the peer's first one: "10.77.0.3/24" */
};

enum lab_family { LAB_IPV4 = 4, LAB_IPV6 = 6 };

/*
 * Moves this process, and the processes that it starts from now on, into such a
 * network: with CAP_SYS_ADMIN, or through a user namespace without it. Only for
 * a process with one thread. False: one line in why.
 */
bool lab_enter(struct lab *lab, enum lab_family family, char *why, size_t cap);

#endif
