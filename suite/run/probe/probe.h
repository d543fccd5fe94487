/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An exchange with the device that is no case: it is judged by nobody.
 */
#ifndef SUITE_RUN_PROBE_H
#define SUITE_RUN_PROBE_H

#include "suite/language/case.h"
#include "suite/language/execution/testbed.h"

/* Run d->run with `row` in that role; what came of it, as of a case. */
void probe_run(struct testbed *bed, const struct case_desc *d,
	       enum case_role role, const void *row, struct result *out);
/*
 * The same where preflight has found how long answers take: it waits a part of
 * what a case does. True: for all that time, in vain.
 */
bool probe_briefly(struct testbed *bed, const struct case_desc *d,
		   enum case_role role, const void *row);

#endif
