/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The links of a run: one for every process that needs one. Links that need
 * privileges are opened before the process gives these up, with some spare ones
 * for workers that have to be replaced.
 */
#ifndef SUITE_DEVICE_LINKS_H
#define SUITE_DEVICE_LINKS_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/link/link.h"
#include "suite/device/device.h"

/* Open the links for this many workers. False: one line in why. */
bool links_open(const char *kind, const struct device *d, unsigned workers,
		char *why, size_t cap);
/* Check that their addresses are free on the network segment. False: one line
 * in why. */
bool links_claim(char *why, size_t cap);
/* The next link; the caller closes it. NULL: no memory, or none is left. */
struct link *links_take(void);
/* True if each link has an address of its own, so that their number is
 * limited. */
bool links_have_addresses(void);
/* Remarkable events on the links, in one line, or "". Includes those of other
 * processes. */
const char *links_note(void);
/* Close the unused ones: a process that has its own needs no others. */
void links_forget(void);

#endif
