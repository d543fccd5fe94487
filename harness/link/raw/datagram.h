/* SPDX-License-Identifier: BSD-2-Clause */
/* A packet of a capture that is not TCP: SCTP directly in IP, or a datagram of
 * UDP, which may have SCTP in it (RFC 6951). */
#ifndef HARNESS_LINK_RAW_DATAGRAM_H
#define HARNESS_LINK_RAW_DATAGRAM_H

#include "harness/link/link.h"

struct datagram {
	bool udp;
	struct link_end from, to; /* their ports are those of UDP, or 0 */
	/* The octets behind the header of IP, or of UDP. Their checksum is not
	 * checked. */
	const uint8_t *octets;
	size_t n, cut; /* cut: the number of last octets that are missing */
};

/* A packet that begins with IP: n of its `length` octets. False: it is something
 * else, or its headers are wrong. */
bool datagram_decode(struct datagram *d, const uint8_t *octets, size_t n,
		     size_t length);

#endif
