/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/agent/protocol.h"

#include <string.h>

static const char *const feature_names[AGENT_FEATURES] = {
#define AGENT_FEATURE(ident, name) [AGENT_FEATURE_BIT_##ident] = (name),
#include "harness/agent/features.def"
#undef AGENT_FEATURE
};

const char *const agent_access_names[AGENT_ACCESS_BITS] = {"lw", "rr", "rw",
							   "ra"};

const char *const agent_rtr_names[AGENT_RTR_BITS] = {"send", "write", "read"};

const char *const agent_stream_names[AGENT_STREAMS] = {
	"connecting", "established", "rejected",
	"terminated", "closed",      "error"};

const char *const agent_op_names[AGENT_OPS] = {
	"recv",     "recv-imm", "send", "write", "read",
	"fetchadd", "cmpswap",  "swap", "imm",   "write-imm"};

const char *const agent_status_names[AGENT_STATUSES] = {
	"ok", "flushed", "local-error", "remote-error"};

/* The place of the n octets at name. */
static size_t place_of(const char *const *names, size_t count, const char *name,
		       size_t n)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strlen(names[i]) == n && memcmp(names[i], name, n) == 0)
			break;
	return i;
}

const char *agent_feature_name(enum agent_feature f)
{
	return feature_names[f];
}

enum agent_feature agent_feature_of(const char *name, size_t n)
{
	return (enum agent_feature)place_of(feature_names, AGENT_FEATURES, name,
					    n);
}

const char *agent_stream_name(enum agent_stream s)
{
	return agent_stream_names[s];
}

const char *agent_op_name(enum agent_op op)
{
	return agent_op_names[op];
}

const char *agent_status_name(enum agent_status s)
{
	return agent_status_names[s];
}

size_t agent_place_of(const char *const *names, size_t n, const char *name)
{
	return place_of(names, n, name, strlen(name));
}

bool agent_bits_of(const char *const *names, size_t n, const char *list,
		   unsigned *bits)
{
	*bits = 0;
	for (;;) {
		size_t len = strcspn(list, ",");
		size_t i = place_of(names, n, list, len);

		if (i == n || *bits >> i & 1)
			return false;
		*bits |= 1u << i;
		if (!list[len])
			return true;
		list += len + 1;
	}
}
