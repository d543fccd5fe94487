/* SPDX-License-Identifier: BSD-2-Clause */
/* The Internet checksum (RFC 1071). */
#include "harness/link/raw/packet_internal.h"

uint64_t packet_sum(uint64_t sum, const uint8_t *at, size_t n)
{
	for (; n > 1; n -= 2, at += 2)
		sum += (uint32_t)at[0] << 8 | at[1];
	return n ? sum + ((uint32_t)at[0] << 8) : sum;
}

uint16_t packet_checksum(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

uint64_t packet_sum_pseudo(const struct link_end *from,
			   const struct link_end *to, unsigned proto, size_t n)
{
	size_t addr = from->family == 6 ? 16 : 4;
	uint64_t sum = proto + n;

	sum = packet_sum(sum, from->addr, addr);
	return packet_sum(sum, to->addr, addr);
}
