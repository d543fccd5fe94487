/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The language of a case, part of case.h: fields that a device may encode in
 * another way than the RFCs say, always the same (suite/reading/reading.h).
 * What a case sees of such a device is what it meant; only placed() looks at
 * the octets as they were sent, so that the fault is reported once.
 */
#ifndef SUITE_LANGUAGE_CASE_READING_H
#define SUITE_LANGUAGE_CASE_READING_H

#include "suite/language/words/case_expect.h"
#include "suite/reading/groups.h"

/* The octets of every such group that came, as they were sent, hold these
 * fields where they belong: letters of the group's picture in
 * suite/reading/reading.c. Where none came, those that told of the reading are
 * judged. */
struct expect placed(enum reading_group group, const char *fields);

/* Only those that came in this case. */
struct expect placed_here(enum reading_group group, const char *fields);

/* What holds in either role is told once: of a device that has both, as the
 * responder. */
void told_once(struct test *t);

#endif
