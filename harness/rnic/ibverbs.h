/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device that is an RNIC: libibverbs for memory and work, librdmacm for
 * connections.
 */
#ifndef HARNESS_RNIC_IBVERBS_H
#define HARNESS_RNIC_IBVERBS_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "harness/rnic/device.h"

/* An address at which an iWARP device can listen. */
struct rnic_place {
	union {
		struct sockaddr sa;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} at;
	char device[64]; /* its name */
};

/* Find the address of a device, given the options --device and --bind, which
 * may be NULL. False: there is no such address; the reason is in why. */
bool rnic_find(struct rnic_place *place, const char *device, const char *bind,
	       char *why, size_t cap);
/* facts has to stay valid as long as the device. NULL: the reason is in why. */
struct verbs_device *rnic_open(const struct rnic_place *place,
			       const struct verbs_facts *facts, char *why,
			       size_t cap);

/* Set impl, addr, and the limits and features that the device reports. */
bool rnic_facts(struct verbs_device *d, struct verbs_facts *facts);

#endif
