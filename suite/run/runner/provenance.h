/* SPDX-License-Identifier: BSD-2-Clause */
/* The provenance of a run: the build of the suite, the host, and the device, as
 * far as its file describes it. */
#ifndef SUITE_RUN_PROVENANCE_H
#define SUITE_RUN_PROVENANCE_H

#include "suite/device/device.h"
#include "suite/judge/result.h"
#include "suite/language/execution/testbed.h"

/* The linker's id of this program, in hex; "": none. */
const char *provenance_build(void);

/* Put the build, the host and the device into *out. The data lives as long as
 * the process. */
void provenance_tell(const struct device *d, struct run_result *out);

/* The same for the device's claims that the run used. */
void provenance_claims(const struct testbed *bed, struct run_result *out);

#endif
