/* SPDX-License-Identifier: BSD-2-Clause */
/* The packets of both sides, as harness/wire reads them. */
#include "harness/lab/sctp/interop/interop.h"

#include <string.h>

#include "harness/wire/sctp.h"

struct seen_packets saw;

static void saw_chunk(const struct sctp_tlv *t, bool sent)
{
	struct sctp_init i;
	struct sctp_data d;

	switch (t->type) {
	case SCTP_CHUNK_INIT:
	case SCTP_CHUNK_INIT_ACK:
		if (sent || !sctp_init_decode(&i, t->value, t->value_octets))
			break;
		saw.outbound = i.outbound;
		saw.inbound = i.inbound;
		saw.adaptation = session_adaptation(
			i.parameters, i.parameter_octets, &saw.indication);
		break;
	case SCTP_CHUNK_DATA:
		if (!sctp_data_decode(&d, t->value, t->value_octets))
			break;
		saw.fragments[sent] +=
			(t->flags & (SCTP_DATA_B | SCTP_DATA_E)) !=
			(SCTP_DATA_B | SCTP_DATA_E);
		saw.ordered[sent] += !(t->flags & SCTP_DATA_U);
		if (!sent)
			saw.tsn[saw.data[0] % UNIT_COUNT(saw.tsn)] = d.tsn;
		saw.data[sent]++;
		break;
	case SCTP_CHUNK_ABORT:
		saw.aborts[sent]++;
		break;
	case SCTP_CHUNK_SHUTDOWN:
		saw.shutdowns[sent]++;
		break;
	}
}

void watch(void *arg, const struct link_sctp_packet *packet)
{
	struct sctp_packet p;
	struct sctp_tlv t;
	size_t at = 0, used;

	(void)arg;
	if (packet->n > saw.largest[packet->sent])
		saw.largest[packet->sent] = packet->n;
	if (!sctp_packet_decode(&p, packet->octets, packet->n))
		return;
	while (sctp_chunk_decode(&t, p.chunks + at, p.chunk_octets - at,
				 &used) == SCTP_NEXT) {
		saw_chunk(&t, packet->sent);
		at += used;
	}
}

size_t around(void)
{
	return (strchr(guest, ':') ? 40 : 20) + (guest_udp ? UDP_OCTETS : 0);
}
