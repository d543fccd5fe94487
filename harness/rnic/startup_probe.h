/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Determines the form of the device's startup frames by observation.
 */
#ifndef HARNESS_RNIC_STARTUP_PROBE_H
#define HARNESS_RNIC_STARTUP_PROBE_H

#include "harness/rnic/device.h"

/*
 * fd is connected to a session of the device, without a token. The facts of
 * this session are incomplete (facts.probed is false), so that it accepts every
 * parameter. The function adds its observations to f, which contains the
 * device's address, and closes fd. It changes why only if an observation has
 * failed.
 */
void verbs_probe_startup(int fd, struct verbs_facts *f, char *why, size_t cap);

#endif
