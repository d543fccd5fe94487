/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a device does in its startup frames, learned by watching it.
 */
#ifndef HARNESS_RNIC_PROBE_H
#define HARNESS_RNIC_PROBE_H

#include "harness/agent/client.h"
#include "harness/rnic/device.h"

/*
 * a is a client of a session on the device whose facts are not complete
 * (facts.probed is false), so that it takes every parameter. What is learned
 * is added to f. False: nothing could be seen of the device; why says it.
 */
bool verbs_probe(struct agent *a, struct verbs_facts *f, char *why, size_t cap);

#endif
