/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/link/raw/datagram.h"

#include "harness/link/raw/packet_internal.h"

/* A cheap test, for captures that are full of TCP. */
static bool has_protocol(const uint8_t *octets, size_t n)
{
	unsigned version = n > 9 ? octets[0] >> 4 : 0;
	unsigned proto = version == 4   ? octets[9]
			 : version == 6 ? octets[6]
					: 0;

	return proto == PROTO_SCTP || proto == PROTO_UDP;
}

bool datagram_decode(struct datagram *d, const uint8_t *octets, size_t n,
		     size_t length)
{
	struct packet p;

	if (!has_protocol(octets, n))
		return false;
	packet_decode_ip(&p, octets, n, length);
	if (p.kind != PACKET_SCTP && p.kind != PACKET_UDP)
		return false;
	*d = (struct datagram){.udp = p.kind == PACKET_UDP,
			       .from = p.from,
			       .to = p.to,
			       .octets = p.octets,
			       .n = p.n,
			       .cut = p.cut};
	return true;
}
