/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a device claims, held against itself: a claim that cannot stand without
 * another is not used where that one is missing.
 */
#ifndef SUITE_DEVICE_CLAIMS_H
#define SUITE_DEVICE_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "suite/device/device.h"

#define CLAIMS_TOLD 512 /* room for all that can be said */

/* What an agent claims, as the device file overrides it. */
uint64_t claims_of(const struct device *d, uint64_t told);

/*
 * The claims (a bit for each AGENT_FEATURE, in their order) without those that
 * contradict the others. `told` gets one line that says which, or "".
 */
uint64_t claims_in_force(uint64_t claims, char *told, size_t cap);

/* A claim that does not stand without any of others. */
struct claim_rule {
	uint64_t claim, wants;
	const char *text; /* "p2p without mpa-v2" */
	const char *rows; /* the requirements that say so, or "" */
	/* It is a rule that a device can break: what it has claimed is used,
	 * but a statement must not say so. */
	bool broken;
};

/* In the order in which they are applied; false: no more. */
bool claim_rule_at(size_t i, struct claim_rule *rule);

#endif
