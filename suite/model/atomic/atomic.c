/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/model/atomic/atomic.h"

uint64_t model_fetchadd_serial(uint64_t old, uint64_t add, uint64_t mask)
{
	uint64_t result = 0;
	unsigned carry = 0;
	unsigned bit;

	for (bit = 0; bit < 64; bit++) {
		unsigned sum = carry + (unsigned)(old >> bit & 1) +
			       (unsigned)(add >> bit & 1);

		result |= (uint64_t)(sum & 1) << bit;
		/* A one in the mask ends a field: its carry is dropped. */
		carry = mask >> bit & 1 ? 0 : sum >> 1;
	}
	return result;
}

/*
 * With the top bit of every field cleared in both operands, a plain addition
 * carries at most into those bits and never past them. There the incoming carry
 * remains, to which the two top bits are added without carry.
 */
uint64_t model_fetchadd(uint64_t old, uint64_t add, uint64_t mask)
{
	return ((old & ~mask) + (add & ~mask)) ^ ((old ^ add) & mask);
}

bool model_cmpswap_matches(uint64_t old, uint64_t compare,
			   uint64_t compare_mask)
{
	return ((old ^ compare) & compare_mask) == 0;
}

uint64_t model_cmpswap(uint64_t old, uint64_t compare, uint64_t compare_mask,
		       uint64_t swap, uint64_t swap_mask)
{
	if (!model_cmpswap_matches(old, compare, compare_mask))
		return old;
	return (old & ~swap_mask) | (swap & swap_mask);
}

uint64_t model_swap(uint64_t old, uint64_t swap)
{
	(void)old;
	return swap;
}

uint64_t model_word_load(const uint8_t octets[8], bool big_endian)
{
	uint64_t word = 0;
	unsigned i;

	for (i = 0; i < 8; i++)
		word = word << 8 | octets[big_endian ? i : 7 - i];
	return word;
}

void model_word_store(uint8_t octets[8], uint64_t word, bool big_endian)
{
	unsigned i;

	for (i = 0; i < 8; i++, word >>= 8)
		octets[big_endian ? 7 - i : i] = (uint8_t)word;
}
