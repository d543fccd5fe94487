/* SPDX-License-Identifier: BSD-2-Clause */
/* The Internet checksum (RFC 1071). */
#include <string.h>

#include "harness/link/raw/packet_internal.h"

/* The sum does not depend on the order of octets in a word (RFC 1071 s2): as the
 * machine has them, two words at a time. */
static uint16_t sum_of_words(const uint8_t *at, size_t n)
{
	uint64_t sum = 0, more = 0, words;
	uint8_t octets[2];
	uint16_t half;

	for (size_t i = 0; i + 8 <= n; i += 8) {
		memcpy(&words, at + i, 8);
		sum += words & 0xffffffff;
		more += words >> 32;
	}
	sum += more;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	half = (uint16_t)sum;
	memcpy(octets, &half, 2);
	return (uint16_t)(octets[0] << 8 | octets[1]);
}

uint64_t packet_sum(uint64_t sum, const uint8_t *at, size_t n)
{
	size_t whole = n & ~(size_t)7;

	sum += sum_of_words(at, whole);
	at += whole;
	n -= whole;
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
