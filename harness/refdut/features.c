/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/features.h"
#include "harness/refdut/limits.h"
#include "harness/refdut/mutants.h"
#include "harness/refdut/sctp_stack.h"
#include "harness/refdut/variants.h"

#include <string.h>

static const char *const names[FEATURES] = {
#define AGENT_FEATURE(ident, name) [FEATURE_##ident] = (name),
#include "harness/agent/features.def"
#undef AGENT_FEATURE
};

static bool missing[FEATURES] = {
	[FEATURE_SWAP] = true,
};

bool feature(enum feature f)
{
	return !missing[f];
}

bool feature_atomics(void)
{
	return feature(FEATURE_FETCHADD) || feature(FEATURE_CMPSWAP) ||
	       feature(FEATURE_SWAP);
}

void feature_add_swap(void)
{
	missing[FEATURE_SWAP] = false;
}

static bool claimed(int f)
{
	switch (f) {
	case FEATURE_CRC_OFF:
		if (variant(VARIANT_crc_always))
			return false;
		break;
	case FEATURE_SCTP:
		if (!stack_udp_port())
			return false;
		break;
	case FEATURE_PRIVATE_DATA:
		if (!limit_private())
			return false;
		break;
	case FEATURE_FETCHADD:
	case FEATURE_CMPSWAP:
	case FEATURE_MASKED_ATOMICS:
	case FEATURE_IMM:
	case FEATURE_IMM_SE:
		if (mutant(MUTANT_unclaimed_operations_taken))
			return false;
		break;
	default:
		break;
	}
	return !missing[f];
}

static bool remove_one(const char *name, size_t n)
{
	for (int f = 0; f < FEATURES; f++) {
		if (strlen(names[f]) != n || memcmp(names[f], name, n) != 0)
			continue;
		missing[f] = true;
		return true;
	}
	return false;
}

bool feature_remove(const char *list, const char **bad, size_t *n)
{
	for (;;) {
		*bad = list;
		*n = strcspn(list, ",");
		if (!remove_one(list, *n))
			return false;
		list += *n;
		if (!*list++)
			return true;
	}
}

const char *feature_names(void)
{
	static char text[512];
	size_t at = 0;

	for (int f = 0; f < FEATURES; f++) {
		size_t n = strlen(names[f]);

		if (!claimed(f) || at + n + 2 > sizeof(text))
			continue;
		if (at)
			text[at++] = ',';
		memcpy(text + at, names[f], n);
		at += n;
	}
	text[at] = '\0';
	return text;
}
