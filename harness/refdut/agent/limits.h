/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the device has of everything that can run out: as much as it is built
 * for, or less where a variant has less. What it has, its hello says.
 */
#ifndef HARNESS_REFDUT_LIMITS_H
#define HARNESS_REFDUT_LIMITS_H

#include <stdint.h>

uint32_t limit_ird(void);     /* Read and Atomic Requests at once, inbound */
uint32_t limit_ord(void);     /* the same, outbound */
uint32_t limit_private(void); /* octets of private data of the ULP */
unsigned limit_regions(void);
uint64_t limit_region_len(void);
uint32_t limit_message(void);
unsigned limit_receives(void); /* of a connection */

#endif
