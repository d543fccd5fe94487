/* SPDX-License-Identifier: BSD-2-Clause */
/* The arithmetic of RFC 7306 s5.1, on values in host order. */
#ifndef HARNESS_REFDUT_ATOMICS_H
#define HARNESS_REFDUT_ATOMICS_H

#include <stdint.h>

/* A 1 in the mask stops the carry from that bit to the next higher one. */
uint64_t atomic_fetch_add(uint64_t original, uint64_t add, uint64_t mask);

uint64_t atomic_cmp_swap(uint64_t original, uint64_t compare,
			 uint64_t compare_mask, uint64_t swap,
			 uint64_t swap_mask);

#endif
