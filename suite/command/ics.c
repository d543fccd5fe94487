/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/command/command.h"

#include <stdio.h>
#include <sys/stat.h>

#include "reports/publish/publish.h"
#include "suite/cli/complain.h"
#include "suite/device/claims.h"
#include "suite/ics/ics.h"
#include "suite/language/execution/testbed.h"

struct form {
	struct ics ics;
	const char *impl;
};

static int write_form(const void *what, const struct report_options *options,
		      FILE *out)
{
	const struct form *f = what;

	(void)options;

	return ics_write(&f->ics, f->impl, out) ? 0 : -1;
}

int command_ics(struct cli *c)
{
	static struct device device;
	static struct form form;
	struct testbed bed = {0};
	struct stat st;
	char why[512];
	int status = find_agent(c, &device);

	if (status)
		return status;
	if (report_check_path(c->output, why, sizeof(why)) < 0)
		return complain(EXIT_USAGE, why);
	if (c->output && stat(c->output, &st) == 0 && S_ISREG(st.st_mode)) {
		snprintf(why, sizeof(why),
			 "%s: this statement exists, and 'ics' does not "
			 "overwrite it: name another file, or remove it",
			 c->output);
		return complain(EXIT_USAGE, why);
	}
	status = start_agent(c, &device);
	if (status)
		return status;
	bool there =
		testbed_open(&bed, &device, link_socket_open(), c->run.profile,
			     c->run.timeout_scale, why, sizeof(why)) &&
		testbed_reach_agent(&bed, why, sizeof(why));

	if (there) {
		ics_of(&form.ics, &device, &bed.hello,
		       claims_of(&device, bed.hello.features), c->run.spec,
		       link_kind(c, &device));
		form.impl = bed.hello.impl;
	}
	const struct report_content content = {write_form, &form, false};
	status = !there ? complain(EXIT_DEVICE, why)
		 : report_publish_content(&content, c->output, why,
					  sizeof(why)) == 0
			 ? 0
			 : complain(EXIT_SUITE, why);

	testbed_close(&bed);
	builtin_stop();
	return status;
}
