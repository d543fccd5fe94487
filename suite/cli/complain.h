/* SPDX-License-Identifier: BSD-2-Clause */
/* How the program ends, and its messages. */
#ifndef SUITE_COMPLAIN_H
#define SUITE_COMPLAIN_H

#include <stdbool.h>

enum { EXIT_FAILED = 1, EXIT_USAGE, EXIT_DEVICE, EXIT_SUITE, EXIT_PARTIAL };

/* One line on standard error, whatever it holds; returns the status. */
int complain(int status, const char *why);

/* Reports that standard output could not be written, or, by errno, that memory
 * did not suffice for it; returns EXIT_SUITE. */
int output_failed(void);

/* The status, if everything written to standard output was really written. */
int flushed(int status);

/* After something was printed on standard output, or was not: 0, if all of it
 * was really written. */
int printed(bool ok);

#endif
