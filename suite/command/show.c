/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/command/command.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/link/sctp/sctp.h"
#include "suite/catalogue/catalogue.h"
#include "suite/catalogue/registry.h"
#include "suite/cli/complain.h"
#include "suite/language/evidence/transcript.h"
#include "suite/language/execution/testbed.h"
#include "suite/run/probe/habit_probe.h"
#include "suite/run/probe/reading_probe.h"

/* The octets that a case sends to the built-in device. */
static void show_conversation(struct testbed *bed, const struct instance *in)
{
	struct result result;
	enum error_cause cause;
	/* All events, and much of each. */
	const struct evidence_bounds bounds = {.event = 1024, .all = SIZE_MAX};

	if (in->needs & ~(bed->claims | NEED_MPA)) {
		puts("\nthe built-in device does not claim every feature that "
		     "the case needs");
		return;
	}
	habit_probe(bed, in->needs);
	reading_probe(bed, in->needs);
	testbed_trace(bed);
	testbed_run(bed, in, &result, &cause);
	testbed_evidence(bed, &bounds, &result);
	printf("\nwith the built-in device: %s%s%s\n",
	       verdict_name(result.verdict),
	       *result.reading ? ", under reading " : "", result.reading);
	transcript_print(&result, stdout);
}

/* A built-in device that has what the case needs. */
static struct link *link_for(const struct instance *in, const struct device *d)
{
	char why[LINK_WHY];

	return in->needs & NEED_SCTP
		       ? link_sctp_open(
				 &(struct link_sctp){.address = d->agent}, why)
		       : link_socket_open();
}

static int show_selected(struct cli *c, const bool *selected)
{
	static struct device device;
	const struct registry *r = registry();
	struct testbed bed;
	char why[512];
	const char *apart = "";
	bool ok = true, written = true;

	device_init(&device);
	int status = start_builtin(c, &device);

	if (status)
		return status;
	for (size_t i = 0; ok && written && i < r->count; i++) {
		if (!selected[i])
			continue;
		fputs(apart, stdout);
		apart = "\n----\n\n";
		written = catalogue_show(&r->instances[i], stdout);
		ok = testbed_open(&bed, &device,
				  link_for(&r->instances[i], &device),
				  c->run.profile, 1, why, sizeof(why)) &&
		     testbed_reach_agent(&bed, why, sizeof(why));
		bed.peer = c->run.peer;
		if (ok)
			show_conversation(&bed, &r->instances[i]);
		testbed_close(&bed);
	}
	builtin_stop();
	if (!ok)
		return complain(EXIT_DEVICE, why);
	return flushed(0);
}

int command_show(struct cli *c)
{
	char why[512];
	bool *selected = select_cases(c, why, sizeof(why));
	int status = selected ? show_selected(c, selected)
			      : complain(EXIT_USAGE, why);

	free(selected);
	return status;
}
