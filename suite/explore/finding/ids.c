/* SPDX-License-Identifier: BSD-2-Clause */
/* The ids of findings: those that are possible, and that of a program. */
#include "suite/explore/finding/finding.h"

#include <stdlib.h>
#include <string.h>

const char *id_by_essence(const char *what, const struct program *p)
{
	struct avoided a = {.stream = true};
	bool has_fault;

	avoid_essence_of(p, &a);
	has_fault = a.numbers & 1u << (a.stream ? STREAM_FAULT : STEP_FAULT);
	return conclude_text(
		"explore/%s/%s%s%s", what,
		a.stream ? "stream" : step_op_name(a.op), has_fault ? "/" : "",
		!has_fault ? ""
		: a.stream ? stream_fault_name(a.fault)
			   : step_fault_name((enum step_fault)a.fault));
}

const char *const *explore_ids(const char *const *cases, size_t count,
			       size_t *n)
{
	const size_t most = count + REQ_COUNT + STEP_OPS * (size_t)STEP_FAULTS +
			    STEP_OPS + STARTUP_FAULTS;
	static const char **ids;
	static size_t made;

	*n = made;
	if (ids)
		return ids;
	ids = calloc(most, sizeof(*ids));
	*n = count;
	if (!ids)
		return NULL;
	memcpy(ids, cases, count * sizeof(*ids));
	for (unsigned i = 0; i < REQ_COUNT; i++)
		ids[(*n)++] = conclude_text("explore/%s", req_table[i].id);
	for (unsigned op = 0; op < STEP_OPS; op++)
		for (unsigned f = 0; f < STEP_FAULTS; f++)
			if (!f ||
			    step_can_have((enum step_op)op, (enum step_fault)f))
				ids[(*n)++] = conclude_text(
					"explore/" RESULT_CRASHED "/%s%s%s",
					step_op_name((enum step_op)op),
					f ? "/" : "",
					f ? step_fault_name((enum step_fault)f)
					  : "");
	for (unsigned f = 0; f < STARTUP_FAULTS; f++)
		ids[(*n)++] = conclude_text(
			"explore/" RESULT_CRASHED "/stream%s%s", f ? "/" : "",
			f ? stream_fault_name(f) : "");
	made = *n;
	return ids;
}
