/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processes that read what a device sends: confined to what cases on it need
 * (harness/lab/confinement.h). The exception is a device whose connections a
 * command opens: the process that runs the case starts that command, which may
 * need anything.
 */
#ifndef SUITE_DEVICE_CONFINED_H
#define SUITE_DEVICE_CONFINED_H

#include <stdbool.h>
#include <stdio.h>

#include "suite/device/device.h"

/* Confine this process, which has a link of that kind ("socket"), its token,
 * and nothing more to open than captures in a folder, or NULL. */
void confined_to(const struct device *d, const char *link,
		 const char *captures);

/* Whether processes can be confined here, as one of them has found out that was
 * started for it. False: one line in why. */
bool confined_here(const struct device *d, const char *link, char *why,
		   size_t cap);

/* Print what is in force on this host, for each kind of link. False: it could
 * not be written. */
bool confined_print(FILE *out);

#endif
