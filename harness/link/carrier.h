/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether the path to a device was interrupted at this host: a cable was
 * pulled, or a port went down. TCP may not notice an interruption. SCTP and the
 * raw link notice it only if they retransmit.
 */
#ifndef HARNESS_LINK_CARRIER_H
#define HARNESS_LINK_CARRIER_H

#include <stdbool.h>
#include <stdint.h>

/* The result of the last check. Zeros: there was no check yet. */
struct carrier {
	bool seen;
	bool ran;         /* at any check */
	uint64_t changes; /* of the carrier, so far */
};

/*
 * Whether the path to this host (numeric, without a port) was interrupted since
 * the last check, or is interrupted now. It checks the interface of the route
 * to the host, and the interface of this name; each of the two may be "". The
 * first check reports no interruption. Nor is it an interruption if an
 * interface has never run, or if the kernel does not answer.
 */
bool carrier_was_lost(struct carrier *last, const char *host,
		      const char *interface);

/* The MTU of the interface of the route to this host (as above), in octets;
 * 0: unknown. Reports of routers about the path are ignored. */
unsigned carrier_mtu(const char *host);

#endif
