/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text that is written into memory like into a file, and is either complete or
 * not there at all. With open_memstream(3) neither fclose() nor ferror()
 * reports that memory ran out: glibc drops octets silently.
 */
#ifndef HARNESS_TEXT_MEMSTREAM_H
#define HARNESS_TEXT_MEMSTREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct memstream {
	FILE *file; /* NULL: closed, or never opened */
	char *text;
	size_t n, room;
	bool failed;
	char buffer[1024];
};

/*
 * Begin a text. It stays at this address until memstream_finish. NULL: errno
 * is ENOMEM; memstream_finish may follow all the same.
 */
FILE *memstream_open(struct memstream *m);

/*
 * End it: the text, followed by a NUL, to be freed by the caller, and its
 * octets in *n, unless n is NULL. NULL: a part of it is missing, errno is
 * ENOMEM, and text_lost() has counted it.
 */
char *memstream_finish(struct memstream *m, size_t *n);

/*
 * Texts of this process that memory did not suffice for, so far. Who writes a
 * report compares two counts: a text that is left out must not go unnoticed.
 */
unsigned long text_lost(void);
/* For texts that were allocated by other means: count one more; one more if
 * this pointer is NULL, which it returns; after asprintf with this result, and
 * whether it has made its text. */
void text_is_lost(void);
void *text_held(void *allocated);
bool text_made(int octets);

#endif
