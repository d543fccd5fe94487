/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many cases may run at once: a limit of the options, of the device, of its
 * ULP or of its agent.
 */
#include "suite/run/pool/pool.h"

#include "suite/device/links.h"

void limits_lower(struct run *run, unsigned most)
{
	if (most < run->most)
		run->most = most;
	if (run->jobs > run->most)
		run->jobs = run->most;
}

unsigned runner_workers(const struct device *d, unsigned jobs, bool addresses)
{
	unsigned most = RUNNER_WORKERS_MAX;

	if (jobs == 1)
		return 1;
	if (d->streams)
		return d->streams < most ? d->streams : most;
	if (addresses && jobs + RUNNER_ADDRESSES < most)
		most = jobs + RUNNER_ADDRESSES;
	return most;
}

/*
 * The service behind a port may be in use: the number of connections at once,
 * over all cases, is limited. A case may have several.
 */
static void share_connections(struct run *run)
{
	enum { CASES_MOST = 8, OF_A_CASE = 4 };
	unsigned all = run->bed->ulp.connections, cases = CASES_MOST;

	if (all && all / OF_A_CASE < cases)
		cases = all < OF_A_CASE ? 1 : all / OF_A_CASE;
	/* Its octets belong to one case at a time. */
	if (run->o->device->buffer.where == BUFFER_GIVEN)
		cases = 1;
	if (cases < run->most)
		run->most = cases;
	run->wo.ulp.connections = all / run->most;
}

void limits_set(struct run *run)
{
	run->most = runner_workers(run->o->device, run->o->jobs,
				   links_have_addresses());
	if (device_is_alone(run->o->device))
		share_connections(run);
	run->jobs = run->o->jobs < run->most ? run->o->jobs : run->most;
}
