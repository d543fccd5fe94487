/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device without an agent: the address and port of any RDMA endpoint, the
 * private data that the ULP behind it wants in each Request, and the memory
 * that it lets its peers use (buffer.c).
 */
#ifndef SUITE_DEVICE_TARGET_H
#define SUITE_DEVICE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "suite/device/device.h"

/* "HOST:PORT", "ADDRESS:PORT", "[v6]:PORT". False: none of these forms, or
 * *unknown: the name has no address; one line in why. */
bool device_set_target(struct device *d, const char *text, bool *unknown,
		       char *why, size_t cap);

/* Octets in hex, or "@FILE" with the raw octets. False: one line in why. */
bool device_set_private_data(struct device *d, const char *text, char *why,
			     size_t cap);

/* "STAG:TO:LENGTH" in hex or decimal, "private-data:OFFSET[:ORDER]",
 * "send:OFFSET[:ORDER]". False: one line in why. */
bool device_set_buffer(struct device *d, const char *text, char *why,
		       size_t cap);
/* The buffer that these octets advertise; false: they are too few, or its
 * length is 0. */
bool device_buffer_of(const struct device_buffer *b, const uint8_t *octets,
		      size_t n, struct device_buffer *out);

#endif
