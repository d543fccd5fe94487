/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device's startup frames, learned by observation.
 */
#ifndef HARNESS_RNIC_STARTUP_PROBE_H
#define HARNESS_RNIC_STARTUP_PROBE_H

#include "harness/rnic/device.h"

/*
 * fd leads to a session on the device, without a token, whose facts are not
 * complete (facts.probed is false), so that it accepts every parameter; it is
 * closed. The observations are added to f, which has the device's address. why
 * stays unchanged unless something could not be observed.
 */
void verbs_probe_startup(int fd, struct verbs_facts *f, char *why, size_t cap);

#endif
