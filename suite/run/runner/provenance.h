/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run was made with: which build of the suite, on which host, on which
 * device, as far as its file says. */
#ifndef SUITE_RUN_PROVENANCE_H
#define SUITE_RUN_PROVENANCE_H

#include "suite/device/device.h"
#include "suite/judge/result.h"
#include "suite/language/execution/testbed.h"

/* The linker's id of this program, in hex; "": it has none. */
const char *provenance_build(void);

/* Of the build, host and device; all of it lives as long as the process. */
void provenance_tell(const struct device *d, struct run_result *out);

/* Of what the device claims, as far as it was relied on; lives as long. */
void provenance_claims(const struct testbed *bed, struct run_result *out);

#endif
