/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/command/command.h"

#include <stdio.h>
#include <stdlib.h>

#include "reports/load/load.h"
#include "suite/catalogue/catalogue.h"
#include "suite/catalogue/registry.h"
#include "suite/cli/complain.h"
#include "suite/device/target.h"
#include "suite/language/execution/testbed.h"
#include "suite/run/probe/target_probe.h"

bool *select_cases(const struct cli *c, char *why, size_t cap)
{
	bool *selected = calloc(registry()->count + 1, sizeof(*selected));

	snprintf(why, cap, "out of memory");
	if (!selected ||
	    registry_select(c->run.selectors, c->run.selector_count, selected,
			    why, cap))
		return selected;
	free(selected);
	return NULL;
}

bool select_asked(const struct cli *c, bool *selected,
		  const struct run_result **run, char *why, size_t cap)
{
	*run = NULL;
	if (c->link)
		catalogue_on_link(selected, c->link);
	if (c->verdict && !c->result_count) {
		snprintf(why, cap,
			 "--verdict: --results is missing: the "
			 "report that has the verdicts");
		return false;
	}
	if (c->result_count && !(*run = report_load(c->results[0], why, cap)))
		return false;
	return !c->verdict ||
	       catalogue_with_verdict(selected, *run, c->verdict, why, cap);
}

int select_alone(struct cli *c, bool *selected)
{
	static struct device device;
	struct testbed bed = {0};
	char why[512];
	int status;
	bool ok;

	device_init(&device);
	c->builtin.alone = true;
	if (c->buffer &&
	    (!device_set_buffer(&device, c->buffer, why, sizeof(why)) ||
	     device.buffer.where == BUFFER_GIVEN))
		return complain(EXIT_USAGE, "--buffer: of the built-in device: "
					    "private-data:0 or send:0");
	c->builtin.offers = c->buffer != NULL;
	c->builtin.offers_in_send = device.buffer.where == BUFFER_SEND;
	status = start_builtin(c, &device);
	if (status)
		return status;
	ok = testbed_open(&bed, &device, link_socket_open(), c->run.profile, 1,
			  why, sizeof(why)) &&
	     target_reach(&bed, &c->run, selected, why, sizeof(why));
	testbed_close(&bed);
	builtin_stop();
	return ok ? 0 : complain(EXIT_DEVICE, why);
}
