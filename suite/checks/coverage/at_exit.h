/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SUITE_CHECKS_COVERAGE_AT_EXIT_H
#define SUITE_CHECKS_COVERAGE_AT_EXIT_H
/*
 * With COV=1 this is included before the file that starts the workers: they end
 * by _exit(), which would lose what they have counted.
 */
#include <unistd.h>

void __gcov_dump(void);

#define _exit(status) (__gcov_dump(), _exit(status))

#endif
