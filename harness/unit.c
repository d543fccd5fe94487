/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/unit.h"

#include <stdio.h>

#include <CUnit/Automated.h>

static void print_failures(const char *suite)
{
	for (CU_pFailureRecord f = CU_get_failure_list(); f; f = f->pNext)
		fprintf(stderr, "%s: %s:%u: %s: %s\n", suite, f->strFileName,
			f->uiLineNumber, f->pTest ? f->pTest->pName : "?",
			f->strCondition);
}

int unit_run(const char *suite, const struct unit_test *tests, size_t n)
{
	if (CU_initialize_registry() != CUE_SUCCESS) {
		fprintf(stderr, "%s: CUnit: %s\n", suite, CU_get_error_msg());
		return 1;
	}
	CU_pSuite s = CU_add_suite(suite, NULL, NULL);
	for (size_t i = 0; s && i < n; i++)
		CU_add_test(s, tests[i].name, tests[i].run);
	CU_run_all_tests();
	print_failures(suite);
	unsigned run = CU_get_number_of_tests_run();
	unsigned failed = CU_get_number_of_tests_failed();
	int bad = failed != 0 || run != n || n == 0 ||
		  CU_get_number_of_asserts() == 0;
	CU_cleanup_registry();
	printf("%s: %u passed, %u failed\n", suite, run - failed, failed);
	return bad;
}
