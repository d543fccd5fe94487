/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/agent/features.h"
#include "harness/refdut/agent/limits.h"
#include "harness/refdut/agent/limits_decisions.h"
#include "harness/refdut/sctp/sctp_stack.h"

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

RULE(feature_claimed)
{
	if (f == FEATURE_SCTP && !stack_udp_port())
		return false;
	if (f == FEATURE_PRIVATE_DATA && !limit_private())
		return false;
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

		if (!feature_claimed((enum feature)f) ||
		    at + n + 2 > sizeof(text))
			continue;
		if (at)
			text[at++] = ',';
		memcpy(text + at, names[f], n);
		at += n;
	}
	text[at] = '\0';
	return text;
}
