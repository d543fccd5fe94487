/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Some faults consistently use another layout of a group of fields than the
 * RFCs, as code with structs and bit-fields does on the wrong machine. These
 * functions rearrange the octets.
 */
#ifndef HARNESS_REFDUT_FAULTS_LAYOUT_OCTETS_H
#define HARNESS_REFDUT_FAULTS_LAYOUT_OCTETS_H

#include "harness/refdut/memory/layout.h"

/* Least significant octet first. */
static inline void reverse(uint8_t *octets, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint8_t was = octets[i];

		octets[i] = octets[n - 1 - i];
		octets[n - 1 - i] = was;
	}
}

static inline void exchange(uint8_t *a, uint8_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t was = a[i];

		a[i] = b[i];
		b[i] = was;
	}
}

#endif
