/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes any text in GitHub's Markdown, which allows HTML. The reader sees the
 * text unchanged: nothing in it acts as a link, a mention, an image or markup.
 * At most `cap` octets of it are written, and "..." if it is cut. Functions
 * without a `cap` write all of it.
 */
#ifndef REPORTS_MARKDOWN_H
#define REPORTS_MARKDOWN_H

#include <stddef.h>
#include <stdio.h>

/* One line, or a table's cell. */
void markdown_put(FILE *out, const char *text, size_t cap);

/* Text that may be at the beginning of a line; `newline` is written for each
 * newline. */
void markdown_lines(FILE *out, const char *text, const char *newline);

/* Lines as on a terminal. */
void markdown_block(FILE *out, const char *text, size_t cap);

#endif
