/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a device was seen to choose where it may: of a case that passed, or was
 * but observed, the lines of what was seen. What differs from run to run and is
 * no choice is left out: addresses, keys, octets of frames, and the name of
 * the reading that a field was taken by.
 */
#ifndef REPORTS_CHOICE_H
#define REPORTS_CHOICE_H

#include "suite/judge/result.h"

/* In lines, for free(); "" where there is none. NULL: no memory. */
char *choice_of(const struct result *r);

/* Lines without the octets of frames in them; for free(), NULL: no memory. */
char *choice_without_octets(const char *lines);

#endif
