/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * To run again what failed in a run of the past: FAIL, ERROR, BLOCKED but for
 * what a known deviation blocks, and WARN where a SHOULD not followed fails the
 * run. That says something of a run of the same specification on a device with
 * the same features, and of no other.
 */
#ifndef SUITE_RUN_RERUN_H
#define SUITE_RUN_RERUN_H

#include "suite/run/plan/runner.h"

/* Whether this case is to run again. */
bool rerun_wants(const struct run_options *o, const char *id);

/* Whether anything failed in it, and all it rests on but the device is the
 * same. False: one line of why. `untold` gets a line on what failed and cannot
 * run again, or "". */
bool rerun_fits(const struct run_options *o, char *untold, size_t untold_cap,
		char *why, size_t cap);

/* Whether the device has the same features; claims as in struct testbed. */
bool rerun_fits_device(const struct run_options *o, uint64_t claims, char *why,
		       size_t cap);

#endif
