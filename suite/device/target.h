/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device without an agent: the address and port of any RDMA endpoint, and the
 * private data that the ULP behind it wants in each Request.
 */
#ifndef SUITE_DEVICE_TARGET_H
#define SUITE_DEVICE_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/device/device.h"

/* "HOST:PORT", "ADDRESS:PORT", "[v6]:PORT". False: it is none of them, or
 * *unknown: the name has no address; one line in why. */
bool device_set_target(struct device *d, const char *text, bool *unknown,
		       char *why, size_t cap);

/* Octets in hex, or "@FILE" that has them as they are. False: one line in why. */
bool device_set_private_data(struct device *d, const char *text, char *why,
			     size_t cap);

#endif
