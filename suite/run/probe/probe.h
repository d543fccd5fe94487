/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A probe: an exchange with the device that is not a case and judges nothing.
 */
#ifndef SUITE_RUN_PROBE_H
#define SUITE_RUN_PROBE_H

#include "suite/language/case.h"
#include "suite/language/execution/testbed.h"

/* Run d->run with `row` in this role; the result is like that of a case. */
void probe_run(struct testbed *bed, const struct case_desc *d,
	       enum case_role role, const void *row, struct result *out);
/*
 * The same, once preflight has measured answers: its waits are only a part of
 * those of a case. True: the probe took all of that time, so an answer did not
 * arrive.
 */
bool probe_briefly(struct testbed *bed, const struct case_desc *d,
		   enum case_role role, const void *row);

#endif
