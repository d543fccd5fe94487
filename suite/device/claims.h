/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The consistency of a device's claims: a claim that requires another one is
 * not used if the other one is missing.
 */
#ifndef SUITE_DEVICE_CLAIMS_H
#define SUITE_DEVICE_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "suite/device/device.h"

#define CLAIMS_TOLD 512 /* room for the longest text */

/* The claims of an agent, with the overrides of the device file. */
uint64_t claims_of(const struct device *d, uint64_t told);

/*
 * The claims (a bit for each AGENT_FEATURE, in their order) without those that
 * contradict others. `told` gets one line that lists them, or "".
 */
uint64_t claims_in_force(uint64_t claims, char *told, size_t cap);

/* A claim that counts only with at least one of the claims in `wants`. */
struct claim_rule {
	uint64_t claim, wants;
	const char *text; /* "p2p without mpa-v2" */
	const char *rows; /* the requirements behind the rule, or "" */
	/* A rule that a device can break: its claim is used, but a statement
	 * must not contain it. */
	bool broken;
};

/* In the order in which they are applied; false: no more. */
bool claim_rule_at(size_t i, struct claim_rule *rule);

#endif
