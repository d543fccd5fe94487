/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files written by users: device files, deviations, vectors, tokens, journals.
 * All of them are regular files of UTF-8 lines with a size limit. Other files
 * are refused, with a one-line error that names file and line. A FIFO, a device
 * or a folder is not opened at all, so that there is no wait.
 */
#ifndef HARNESS_TEXT_TEXT_FILE_H
#define HARNESS_TEXT_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The octets of a line that libinih reads, as Debian builds it. */
#define TEXT_INI_LINE 198u
#define TEXT_INI_FILE (1u << 20)

struct text_bounds {
	size_t file; /* octets */
	size_t line; /* octets of a line, without its end */
};

/*
 * Open a regular file of at most `most` octets, with these flags of open(2).
 * -1: one line in why.
 */
int text_file_open(const char *path, int flags, uint64_t most, char *why,
		   size_t cap);

/*
 * The whole file, followed by a NUL, to be freed by the caller. NULL: one line
 * in why. If `missing` is not NULL, it is set to whether the file is missing.
 */
char *text_file_read(const char *path, const struct text_bounds *bounds,
		     size_t *n, bool *missing, char *why, size_t cap);

/* The same for a file with any octets, at most `most`. */
char *text_file_octets(const char *path, size_t most, size_t *n, char *why,
		       size_t cap);

/*
 * Whether this is text: UTF-8, in lines that end with LF or CR LF, without
 * other control characters except tab. `number` is the number of its first
 * line. False: one line in why that begins with "NAME:LINE: ".
 */
bool text_check(const char *name, unsigned long number, const char *text,
		size_t n, size_t line_most, char *why, size_t cap);

/*
 * The next line of a text, as fgets() returns it: at most size - 1 octets,
 * including its '\n'. NULL: there are no more lines.
 */
struct text_lines {
	const char *at, *end;
};
char *text_lines_next(struct text_lines *t, char *line, int size);

/*
 * Write the first line of a file to out, without its end: a password, a token.
 * False: one line in why; also if the line is empty. If `missing` is not NULL,
 * it is set to whether the file is missing.
 */
bool text_file_first_line(const char *path, char *out, size_t out_cap,
			  bool *missing, char *why, size_t cap);

#endif
