/* SPDX-License-Identifier: BSD-2-Clause */
/* The limits and features that the device has and announces. */
#ifndef HARNESS_REFDUT_AGENT_LIMITS_DECISIONS_H
#define HARNESS_REFDUT_AGENT_LIMITS_DECISIONS_H

#include "harness/refdut/agent/features.h"
#include "harness/refdut/decision/decision.h"

enum limit {
	LIMIT_IRD,
	LIMIT_ORD,
	LIMIT_PRIVATE_DATA,
	LIMIT_REGIONS,
	LIMIT_REGION_LEN,
	LIMIT_MESSAGE,
	LIMIT_RECEIVES,
};

/* The amount of each limited resource (RFC 5040 s6.1 and s8.1.1, RFC 5041 s5.2,
 * RFC 5044 s7.1.2). */
#define DECISION_limit_of uint64_t, (enum limit what), (what)
DECISION(limit_of)

/* Does the device claim a feature? */
#define DECISION_feature_claimed bool, (enum feature f), (f)
DECISION(feature_claimed)

#endif
