/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/probe/probe.h"

#include "suite/run/run.h"

void probe_run(struct testbed *bed, const struct case_desc *d,
	       enum case_role role, const void *row, struct result *out)
{
	const struct instance in = {
		.id = d->name,
		.title = d->title,
		.desc = d,
		.row = row,
		.role = role,
		.level = "",
	};
	enum error_cause cause;

	if (run_signalled) {
		*out = record_unjudged(&in, VERDICT_ERROR, CAUSE_NONE,
				       "interrupted")
			       .result;
		return;
	}
	testbed_run(bed, &in, out, &cause);
}

bool probe_briefly(struct testbed *bed, const struct case_desc *d,
		   enum case_role role, const void *row)
{
	struct result result;

	bed->brief = true;
	probe_run(bed, d, role, row, &result);
	bed->brief = false;
	return result.duration_ns >= bed->wait_ns / WAIT_BRIEF_PART;
}
