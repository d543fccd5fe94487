/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Running the failures of an earlier run again: FAIL, ERROR, BLOCKED unless by
 * a known deviation, and WARN if the run is strict. Both runs have to be of the
 * same specification, on devices with the same features.
 */
#ifndef SUITE_RUN_RERUN_H
#define SUITE_RUN_RERUN_H

#include "suite/run/plan/runner.h"

/* Whether this case is to run again. */
bool rerun_wants(const struct run_options *o, const char *id);

/* Whether a case failed in it, and everything but the device is the same.
 * False: one line in why. `untold` gets a line on failed cases that cannot run
 * again, or "". */
bool rerun_fits(const struct run_options *o, char *untold, size_t untold_cap,
		char *why, size_t cap);

/* Whether the device has the same features; claims as in struct testbed. */
bool rerun_fits_device(const struct run_options *o, uint64_t claims, char *why,
		       size_t cap);

#endif
