/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arithmetic of the atomic operations (RFC 7306 s5.1) on a 64-bit word
 * as the target host stores it. Each function returns the new value of the
 * word; the Response always carries `old`. Alignment, rights and octet order
 * are not arithmetic and are judged elsewhere.
 */
#ifndef SUITE_MODEL_ATOMIC_H
#define SUITE_MODEL_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

/*
 * FetchAdd as in RFC 7306 s5.1.1: a ripple adder, bit by bit, in which a one in
 * `mask` marks the top bit of a field, so that the carry out of that bit is
 * dropped. It is slow, and serves as the definition.
 */
uint64_t model_fetchadd_serial(uint64_t old, uint64_t add, uint64_t mask);

/* The same function without a loop: atomic_test.c compares the two. */
uint64_t model_fetchadd(uint64_t old, uint64_t add, uint64_t mask);

/* Whether the bits that compare_mask selects are equal (RFC 7306 s5.1.2). */
bool model_cmpswap_matches(uint64_t old, uint64_t compare,
			   uint64_t compare_mask);

/* CmpSwap (RFC 7306 s5.1.2): on a match the bits of swap_mask are replaced. */
uint64_t model_cmpswap(uint64_t old, uint64_t compare, uint64_t compare_mask,
		       uint64_t swap, uint64_t swap_mask);

/* Swap of draft-ietf-storm-rdmap-ext-01 and -03: unconditional, no masks. */
uint64_t model_swap(uint64_t old, uint64_t swap);

/* The word in eight octets of memory, in the host's octet order. */
uint64_t model_word_load(const uint8_t octets[8], bool big_endian);
void model_word_store(uint8_t octets[8], uint64_t word, bool big_endian);

#endif
