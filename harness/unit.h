/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests: a table of functions that CUnit runs, and one closing line
 * ("N passed, N failed") on stdout. A test uses CUnit's CU_ASSERT_*.
 */
#ifndef HARNESS_UNIT_H
#define HARNESS_UNIT_H

#include <CUnit/CUnit.h>

struct unit_test {
	const char *name;
	void (*run)(void);
};

/* Returns an exit status: 0 if there was at least one test, and all passed. */
int unit_run(const char *suite, const struct unit_test *tests, size_t n);

#define UNIT_COUNT(a) (sizeof(a) / sizeof((a)[0]))

#endif
