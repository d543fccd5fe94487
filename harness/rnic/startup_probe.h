/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a device does in its startup frames, learned by watching it.
 */
#ifndef HARNESS_RNIC_STARTUP_PROBE_H
#define HARNESS_RNIC_STARTUP_PROBE_H

#include "harness/rnic/device.h"

/*
 * fd leads to a session on the device, without a token, whose facts are not
 * complete (facts.probed is false), so that it takes every parameter; it is
 * closed. What is learned is added to f, which has the device's address. why
 * stays as it is unless something could not be seen.
 */
void verbs_probe_startup(int fd, struct verbs_facts *f, char *why, size_t cap);

#endif
