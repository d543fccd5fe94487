/* SPDX-License-Identifier: BSD-2-Clause */
/* The Internet checksum (RFC 1071). */
#include <string.h>

#include "harness/link/raw/packet_internal.h"

/* With the carry out of it, which is as good as 1 (RFC 1071 s2). */
static uint64_t add(uint64_t sum, const uint8_t *at)
{
	uint64_t words;

	memcpy(&words, at, 8);
	return sum + words + (sum + words < words);
}

/* The sum does not depend on the order of octets in a word (RFC 1071 s2): as the
 * machine has them, four words at a time, twice. */
static uint16_t sum_of_words(const uint8_t *at, size_t n)
{
	uint64_t sum = 0, more = 0;
	uint8_t octets[2];
	uint16_t half;
	size_t i = 0;

	for (; i + 16 <= n; i += 16) {
		sum = add(sum, at + i);
		more = add(more, at + i + 8);
	}
	for (; i + 8 <= n; i += 8)
		sum = add(sum, at + i);
	sum = (sum & 0xffffffff) + (sum >> 32) + (more & 0xffffffff) +
	      (more >> 32);
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
