/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the failed cases of an earlier run again: FAIL, ERROR, BLOCKED unless by
 * a known deviation, and WARN if the run is strict. Both runs need the same
 * specification, and devices with the same features.
 */
#ifndef SUITE_RUN_RERUN_H
#define SUITE_RUN_RERUN_H

#include "suite/run/plan/runner.h"

/* True if this case has to run again. */
bool rerun_wants(const struct run_options *o, const char *id);

/* True if a case failed in the earlier run, and everything but the device is
 * the same. False: one line in why. `untold` gets a line about failed cases
 * that cannot run again, or "". */
bool rerun_fits(const struct run_options *o, char *untold, size_t untold_cap,
		char *why, size_t cap);

/* True if the device has the same features; claims as in struct testbed. */
bool rerun_fits_device(const struct run_options *o, uint64_t claims, char *why,
		       size_t cap);

#endif
