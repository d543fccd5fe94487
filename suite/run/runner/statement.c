/* SPDX-License-Identifier: BSD-2-Clause */
/* The check of the conformance statement: before the agent was asked, after
 * that, and at the end of the cases. No verdict depends on it. */
#include "suite/device/claims.h"
#include "suite/ics/against.h"
#include "suite/run/run.h"

void statement_by_itself(struct run *run)
{
	if (run->o->statement)
		run_states(run, ics_against_itself(run->o->statement));
}

void statement_and_device(struct run *run)
{
	const struct testbed *bed = run->bed;
	const struct ics_run about = {
		.device = run->o->device,
		.hello = &bed->hello,
		.claims = claims_of(run->o->device, bed->hello.features),
		.spec = run->o->spec,
		.link = bed->link->name,
		.destructive = run->o->destructive,
	};

	if (run->o->statement)
		run_states(run, ics_against_device(run->o->statement, &about));
}

void statement_and_wire(struct run *run, struct run_result *out)
{
	static struct result_statement told;
	const struct ics *s = run->o->statement;
	char *notes = NULL;

	if (!s)
		return;
	run_states(run, ics_against_wire(s, run->bed->claims, out->results,
					 out->count, &notes));
	told = (struct result_statement){s->path, s->sha256,
					 notes ? notes : ""};
	out->statement = &told;
}
