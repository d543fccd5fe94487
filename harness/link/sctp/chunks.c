/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The chunks of a packet (RFC 9260 s3.2), as far as the link looks at them:
 * SCTP itself reads and writes them.
 */
#include <string.h>

#include "harness/link/sctp/sctp_internal.h"

uint16_t sctp_get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

uint32_t sctp_get32(const uint8_t *at)
{
	return (uint32_t)sctp_get16(at) << 16 | sctp_get16(at + 2);
}

size_t sctp_chunk_octets(const uint8_t *packet, size_t n, size_t at)
{
	if (at > n || n - at < SCTP_CHUNK_HEAD)
		return 0;
	size_t length = sctp_get16(packet + at + 2);
	size_t padded = (length + 3) & ~(size_t)3;

	if (length < SCTP_CHUNK_HEAD || length > n - at)
		return 0;
	return padded < n - at ? padded : n - at;
}

bool sctp_has_chunk(const uint8_t *packet, size_t n, enum sctp_link_chunk type)
{
	size_t at = SCTP_COMMON_OCTETS, k;

	for (; at < n && (k = sctp_chunk_octets(packet, n, at)) > 0; at += k)
		if (packet[at] == type)
			return true;
	return false;
}

size_t sctp_strip(uint8_t *packet, size_t n, enum sctp_link_chunk type)
{
	size_t at = SCTP_COMMON_OCTETS, k;

	while (at < n && (k = sctp_chunk_octets(packet, n, at)) > 0) {
		if (packet[at] != type) {
			at += k;
			continue;
		}
		memmove(packet + at, packet + at + k, n - at - k);
		n -= k;
	}
	stack_seal(packet, n);
	return n;
}
