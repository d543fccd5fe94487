/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From what was judged to a verdict: ERROR where the suite could not tell,
 * FAIL where a MUST is broken, WARN where only a SHOULD (or the closed set
 * of a MAY) is, PASS where a MUST or SHOULD was judged and held, INFO where
 * nothing but permissions and open points were looked at.
 */
#ifndef SUITE_VERDICT_H
#define SUITE_VERDICT_H

#include "suite/result.h"

struct test;

/* Fill out all but its duration and capture. */
void verdict_of(struct test *t, struct result *out);

/* The verdict of one name, or VERDICT_COUNT. */
enum verdict verdict_named(const char *name);
enum teardown teardown_named(const char *name);

#endif
