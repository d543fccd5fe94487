/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes any text safe to print: octets that are not UTF-8, and characters that
 * would move a terminal's cursor or break a format's lines, are written as \xNN
 * (an octet) or \uNNNN (a character).
 */
#ifndef REPORTS_ESCAPE_H
#define REPORTS_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

enum escape_keep {
	ESCAPE_KEEP_CONTROLS, /* any character, as long as it is UTF-8 */
	ESCAPE_KEEP_LINES,    /* no control characters but tab and newline */
	ESCAPE_KEEP_NONE, /* no control characters: the result is one line */
};

/* Writes n octets of s to `out`. The caller checks for errors with
 * ferror(out). */
void escape_put(FILE *out, const char *s, size_t n, enum escape_keep keep);

/*
 * Writes s line by line. Each line begins with `indent` and ends with a
 * newline; a final newline in s starts no further line. Writes nothing for "".
 */
void escape_put_lines(FILE *out, const char *s, const char *indent);

/* A copy, to be freed, or NULL with errno. */
char *escape_dup(const char *s, enum escape_keep keep);

#endif
