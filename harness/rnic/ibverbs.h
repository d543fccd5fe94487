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

/* An address that an iWARP device listens at. */
struct rnic_place {
	union {
		struct sockaddr sa;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} at;
	char device[64]; /* its name */
};

/* The address of a device: --device and --bind may be NULL. False: there is
 * none; the reason in why. */
bool rnic_find(struct rnic_place *place, const char *device, const char *bind,
	       char *why, size_t cap);
/* NULL: why says it. facts has to outlive it. */
struct verbs_device *rnic_open(const struct rnic_place *place,
			       const struct verbs_facts *facts, char *why,
			       size_t cap);

/* Limits and operations, as the device is asked; impl and addr. */
bool rnic_facts(struct verbs_device *d, struct verbs_facts *facts);

#endif
