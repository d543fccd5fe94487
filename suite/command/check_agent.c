/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/command/command.h"

#include <stdio.h>

#include "suite/agent_check/agent_check.h"
#include "suite/cli/complain.h"

int command_check_agent(struct cli *c)
{
	static struct device device;
	const struct agent_check_options options = {
		.timeout_scale = c->run.timeout_scale, .quiet = c->run.quiet};
	struct agent_check_counts n;
	char why[512];
	int status = find_agent(c, &device);

	if (!status)
		status = start_agent(c, &device);
	if (status)
		return status;
	bool there =
		agent_check(&device, &options, stdout, &n, why, sizeof(why));

	builtin_stop();
	if (!there)
		return complain(EXIT_DEVICE, why);
	printf("%zu not applicable\n", n.skipped);
	if (n.not_reached)
		printf("%zu not reached: the agent took too long before; give "
		       "it more time with --timeout-scale\n",
		       n.not_reached);
	printf("check-agent: %zu passed, %zu failed\n", n.passed, n.failed);
	return flushed(n.failed        ? EXIT_FAILED
		       : n.not_reached ? EXIT_PARTIAL
				       : 0);
}
