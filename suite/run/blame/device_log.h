/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device's own log for a failed case: the output of the log hook of the
 * device file when the case has ended. It is evidence for a reader, and no
 * verdict depends on it. Its cost is bounded: by the hook's time limit for each
 * call, by a number of calls in a run, and by a number of failed calls in a
 * row.
 */
#ifndef SUITE_RUN_DEVICE_LOG_H
#define SUITE_RUN_DEVICE_LOG_H

#include "suite/run/run.h"

/* Store it in the record of a case that has just ended, if the case failed, or
 * could not be judged because of the device. */
void device_log_of_failure(struct run *run, struct record *r);
/* The same for any record: the case brought the device down. */
void device_log_of_crash(struct run *run, struct record *r);

#endif
