/* SPDX-License-Identifier: BSD-2-Clause */
/* The exit statuses and the error messages of the program. */
#ifndef SUITE_COMPLAIN_H
#define SUITE_COMPLAIN_H

#include <stdbool.h>

enum { EXIT_FAILED = 1, EXIT_USAGE, EXIT_DEVICE, EXIT_SUITE, EXIT_PARTIAL };

/* Print one line on standard error; it may have any octets. Returns the
 * status. */
int complain(int status, const char *why);

/* Report that standard output could not be written, or, if errno says so, that
 * there was no memory for it. Returns EXIT_SUITE. */
int output_failed(void);

/* Returns the status if standard output was written completely. */
int flushed(int status);

/* After something was printed on standard output, or was not: 0, if all of it
 * was really written. */
int printed(bool ok);

#endif
