/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The language of a case, part of case.h: fields that a device consistently
 * encodes in another way than the RFCs say (suite/reading/reading.h). A case
 * sees the intended values of such a device. Only placed() examines the octets
 * as they were sent, so that the fault is reported once.
 */
#ifndef SUITE_LANGUAGE_CASE_READING_H
#define SUITE_LANGUAGE_CASE_READING_H

#include "suite/language/words/case_expect.h"
#include "suite/reading/groups.h"

/* In every such group that arrived, the octets as sent hold these fields in
 * their places: letters of the group's picture in suite/reading/reading.c. If
 * no group arrived, those that revealed the reading are judged. */
struct expect placed(enum reading_group group, const char *fields);

/* Only the groups that arrived in this case. */
struct expect placed_here(enum reading_group group, const char *fields);

/* A fault that shows in either role is reported once: for a device with both
 * roles, as the responder. */
void told_once(struct test *t);

#endif
