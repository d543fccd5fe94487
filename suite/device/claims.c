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

/* In this order: one that is left out leaves out what rests on it. */
static const struct {
	uint64_t claim, wants; /* any of these */
	const char *text;
} rests_on[] = {
	/* RFC 6581 s9.2: the flags are in the enhanced data. */
	{CLAIM(P2P), CLAIM(MPA_V2), "p2p without mpa-v2"},
	/* "MUST support at least one" of the three. */
	{CLAIM(P2P), RTRS, "p2p without any of rtr-send, rtr-write, rtr-read"},
	{CLAIM(RTR_SEND), CLAIM(P2P), "rtr-send without p2p"},
	{CLAIM(RTR_WRITE), CLAIM(P2P), "rtr-write without p2p"},
	{CLAIM(RTR_READ), CLAIM(P2P), "rtr-read without p2p"},
	/* RFC 7306 s5: masks are of these operations. */
	{CLAIM(MASKED_ATOMICS), CLAIM(FETCHADD) | CLAIM(CMPSWAP),
	 "masked-atomics without fetchadd and cmpswap"},
};

uint64_t claims_in_force(uint64_t claims, char *told, size_t cap)
{
	size_t at = 0;

	told[0] = '\0';
	for (size_t i = 0; i < sizeof(rests_on) / sizeof(rests_on[0]); i++) {
		if (!(claims & rests_on[i].claim) || claims & rests_on[i].wants)
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
			 "; the first of each is not used");
	return claims;
}
