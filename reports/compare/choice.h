/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device's observed choices where it has one: the observation lines of a case
 * that passed, or was only observed. Parts that differ from run to run without
 * being a choice are left out: addresses, keys, octets of frames, and the name
 * of the reading of a field.
 */
#ifndef REPORTS_CHOICE_H
#define REPORTS_CHOICE_H

#include "suite/judge/result.h"

/* As lines, for free(); "" if there is none. NULL: no memory. */
char *choice_of(const struct result *r);

/* Lines without the octets of frames in them; for free(), NULL: no memory. */
char *choice_without_octets(const char *lines);

#endif
