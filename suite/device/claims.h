/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a device claims, held against itself: a claim that cannot stand without
 * another is not used where that one is missing.
 */
#ifndef SUITE_DEVICE_CLAIMS_H
#define SUITE_DEVICE_CLAIMS_H

#include <stddef.h>
#include <stdint.h>

#define CLAIMS_TOLD 512 /* room for all there can be to tell */

/*
 * The claims (a bit for each AGENT_FEATURE, in their order) without those that
 * contradict the others. `told` gets one line that says which, or "".
 */
uint64_t claims_in_force(uint64_t claims, char *told, size_t cap);

#endif
