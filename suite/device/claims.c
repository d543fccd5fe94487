/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/device/claims.h"

#include <stdio.h>

enum {
#define AGENT_FEATURE(ident, name) CLAIM_##ident,
#include "harness/agent/features.def"
#undef AGENT_FEATURE
	CLAIMS
};
#define CLAIM(ident) (1ull << CLAIM_##ident)
#define RTRS         (CLAIM(RTR_SEND) | CLAIM(RTR_WRITE) | CLAIM(RTR_READ))

#define ATOMICS (CLAIM(FETCHADD) | CLAIM(CMPSWAP))

/* In this order: one that is left out leaves out what rests on it. */
static const struct claim_rule rests_on[] = {
	/* RFC 6581 s9.2: the flags are in the enhanced data. */
	{CLAIM(P2P), CLAIM(MPA_V2), "p2p without mpa-v2", "EMPA-9.2-01", false},
	/* At least one of the three has to be there. */
	{CLAIM(P2P), RTRS, "p2p without any of rtr-send, rtr-write, rtr-read",
	 "EMPA-9.2-03", false},
	{CLAIM(RTR_SEND), CLAIM(P2P), "rtr-send without p2p", "EMPA-9.2-02",
	 false},
	{CLAIM(RTR_WRITE), CLAIM(P2P), "rtr-write without p2p", "EMPA-9.2-02",
	 false},
	{CLAIM(RTR_READ), CLAIM(P2P), "rtr-read without p2p", "EMPA-9.2-02",
	 false},
	/* RFC 7306 s5: masks are of these operations. */
	{CLAIM(MASKED_ATOMICS), ATOMICS,
	 "masked-atomics without fetchadd and cmpswap", "RDMAPX-5.1.1-03",
	 false},
	/* One is claimed with the other, and is there without it all the same. */
	{CLAIM(FETCHADD), CLAIM(CMPSWAP), "fetchadd without cmpswap",
	 "RDMAPX-5-01", true},
	{CLAIM(CMPSWAP), CLAIM(FETCHADD), "cmpswap without fetchadd",
	 "RDMAPX-5-01", true},
};
#define RULES (sizeof(rests_on) / sizeof(rests_on[0]))

bool claim_rule_at(size_t i, struct claim_rule *rule)
{
	if (i >= RULES)
		return false;
	*rule = rests_on[i];
	return true;
}

uint64_t claims_of(const struct device *d, uint64_t told)
{
	return (told | d->features_yes) & ~d->features_no;
}

uint64_t claims_in_force(uint64_t claims, char *told, size_t cap)
{
	size_t at = 0;

	told[0] = '\0';
	for (size_t i = 0; i < RULES; i++) {
		if (rests_on[i].broken || !(claims & rests_on[i].claim) ||
		    claims & rests_on[i].wants)
			continue;
		claims &= ~rests_on[i].claim;
		if (at < cap)
			at += (size_t)snprintf(
				told + at, cap - at, "%s%s",
				at ? ", "
				   : "claims that contradict each other: ",
				rests_on[i].text);
	}
	if (at && at < cap)
		snprintf(told + at, cap - at,
			 "; the suite ignores the first of each");
	return claims;
}
