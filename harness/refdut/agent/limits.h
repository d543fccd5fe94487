/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The limits of all resources that can run out: the device's maximum, or less
 * in a variant. The agent's hello announces them.
 */
#ifndef HARNESS_REFDUT_LIMITS_H
#define HARNESS_REFDUT_LIMITS_H

#include <stdint.h>

uint32_t limit_ird(void);     /* concurrent inbound Read and Atomic Requests */
uint32_t limit_ord(void);     /* concurrent outbound ones */
uint32_t limit_private(void); /* octets of private data for the ULP */
unsigned limit_regions(void);
uint64_t limit_region_len(void);
uint32_t limit_message(void);
unsigned limit_receives(void); /* per connection */

#endif
