/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests: a table of functions, run by CUnit, one closing line
 * ("N passed, N failed") on stdout. Inside a test use CUnit's CU_ASSERT_*.
 */
#ifndef HARNESS_UNIT_H
#define HARNESS_UNIT_H

#include <CUnit/CUnit.h>

struct unit_test {
	const char *name;
	void (*run)(void);
};

/* Returns an exit status: 0 when all passed and there was at least one. */
int unit_run(const char *suite, const struct unit_test *tests, size_t n);

#define UNIT_COUNT(a) (sizeof(a) / sizeof((a)[0]))

#endif
