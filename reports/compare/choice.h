/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The observed choices of a device: the observation lines of a case that
 * passed, or was only observed. Parts that differ from run to run without being
 * a choice are left out: addresses, keys, octets of frames, and the name of the
 * reading of a field.
 */
#ifndef REPORTS_CHOICE_H
#define REPORTS_CHOICE_H

#include "suite/judge/result.h"

/* Lines, to be freed; "" if there is no choice. NULL: out of memory. */
char *choice_of(const struct result *r);

/* These lines without octets of frames, to be freed; NULL: out of memory. */
char *choice_without_octets(const char *lines);

#endif
