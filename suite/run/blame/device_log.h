/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device's own log beside a case that failed: what the log hook of the
 * device file prints when the case has ended. It is evidence for a reader, and
 * no verdict depends on it. What it costs is bounded: the hook's time limit for
 * each, a number of them in a run, and a few in a row that came to nothing.
 */
#ifndef SUITE_RUN_DEVICE_LOG_H
#define SUITE_RUN_DEVICE_LOG_H

#include "suite/run/run.h"

/* Keep it with the record of a case that has just ended, if that failed, or
 * could not be judged for the device's fault. */
void device_log_of_failure(struct run *run, struct record *r);
/* The same whatever its record says: it brought the device down. */
void device_log_of_crash(struct run *run, struct record *r);

#endif
