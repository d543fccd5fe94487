/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A text that is written into memory like into a file. The result is either
 * complete or NULL. With open_memstream(3), neither fclose() nor ferror()
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
 * Begin a text. *m must not move until memstream_finish(). NULL: errno is
 * ENOMEM; the caller may still call memstream_finish().
 */
FILE *memstream_open(struct memstream *m);

/*
 * End a text. Returns the text, followed by a NUL; the caller frees it. *n is
 * its length, unless n is NULL. NULL: a part of the text is missing, errno is
 * ENOMEM, and text_lost() has counted it.
 */
char *memstream_finish(struct memstream *m, size_t *n);

/*
 * The number of texts of this process for which memory was not sufficient, so
 * far. A function that writes a report compares two counts, to detect that a
 * text is missing.
 */
unsigned long text_lost(void);
/* For texts that were allocated by other means. text_is_lost() counts one more
 * lost text. text_held() counts one more if the pointer is NULL, and returns
 * the pointer. text_made() gets the result of asprintf(), counts one more if it
 * has failed, and returns whether there is a text. */
void text_is_lost(void);
void *text_held(void *allocated);
bool text_made(int octets);

#endif
