/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Confines the processes that read octets of a device to the resources that
 * cases on it need (harness/lab/confinement.h). The exception is a device whose
 * connections a command opens: the process that runs the case starts that
 * command, which may need any resource.
 */
#ifndef SUITE_DEVICE_CONFINED_H
#define SUITE_DEVICE_CONFINED_H

#include <stdbool.h>
#include <stdio.h>

#include "suite/device/device.h"

/* Confine this process. It has a link of this kind ("socket") and its token,
 * and later opens only captures in this folder (NULL: none). */
void confined_to(const struct device *d, const char *link,
		 const char *captures);

/* True if processes can be confined on this host: a process that is started for
 * this purpose tries it. False: one line in why. */
bool confined_here(const struct device *d, const char *link, char *why,
		   size_t cap);

/* Print the confinement in force on this host, for each kind of link. False: it
 * could not be written. */
bool confined_print(FILE *out);

#endif
