/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether the path to a device was interrupted at this host: a cable pulled, a
 * port that went down. TCP may see nothing of that, and SCTP and packets of our
 * own see it only if they are sent again.
 */
#ifndef HARNESS_LINK_CARRIER_H
#define HARNESS_LINK_CARRIER_H

#include <stdbool.h>
#include <stdint.h>

/* As it was at the last look. Zero: never. */
struct carrier {
	bool seen;
	bool ran;         /* at any look */
	uint64_t changes; /* of the carrier, so far */
};

/*
 * Whether the path to this host (numeric, without a port) was interrupted since
 * the last look, or is now: by the interface of its route, or by the one with
 * this name. Each may be "". The first look sees no interruption, and an
 * interface that never ran is none. Where the kernel does not answer, there is
 * no interruption.
 */
bool carrier_was_lost(struct carrier *last, const char *host,
		      const char *interface);

/* The largest packet that the interface of the route to this host (as above)
 * takes, in octets, whatever routers beyond it have reported; 0: unknown. */
unsigned carrier_mtu(const char *host);

#endif
