/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The journal of a run: one line per finished case, out of the process
 * before the next one starts, so that a kill loses nothing that was known.
 */
#ifndef SUITE_RUN_JOURNAL_H
#define SUITE_RUN_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/run/record.h"

struct journal;

/* Create or truncate; append: go on with what is there. NULL: why. */
struct journal *journal_open(const char *path, bool append, char *why,
			     size_t cap);
/* False once a line could not be written whole (a full disk): why. */
bool journal_write(struct journal *j, const char *line, size_t n, char *why,
		   size_t cap);
void journal_close(struct journal *j);

/*
 * Give every whole record of a journal to `take`, which keeps what it wants
 * (true) or leaves it to be released. A torn last line is passed over; any
 * other line that is no record is an error.
 */
bool journal_read(const char *path, bool (*take)(void *user, struct record *r),
		  void *user, char *why, size_t cap);

#endif
