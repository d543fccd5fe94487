/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The links of a run: one for every process that needs one. Those that take
 * privileges are opened before these are given up, some more than are needed,
 * for workers that have to be replaced.
 */
#ifndef SUITE_DEVICE_LINKS_H
#define SUITE_DEVICE_LINKS_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/link/link.h"
#include "suite/device/device.h"

/* For this many workers. False: one line in why. */
bool links_open(const char *kind, const struct device *d, unsigned workers,
		char *why, size_t cap);
/* Whether their addresses are free on the segment. False: one line in why. */
bool links_claim(char *why, size_t cap);
/* The next one; the caller closes it. NULL: no memory, or none is left. */
struct link *links_take(void);
/* Whether each has an address of its own, so that there are only so many. */
bool links_have_addresses(void);
/* Remarkable events on the links, in one line, or "". Includes those of other
 * processes. */
const char *links_note(void);
/* Close the unused ones: a process that has its own needs no others. */
void links_forget(void);

#endif
