/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any text, in Markdown with HTML (GitHub's): it is shown unchanged, and
 * nothing of it is a link, a mention, an image or markup. At most `cap` octets
 * of it are written; a cut text ends in "..." in addition. Without a `cap` all
 * of it is written.
 */
#ifndef REPORTS_MARKDOWN_H
#define REPORTS_MARKDOWN_H

#include <stddef.h>
#include <stdio.h>

/* One line, or a table's cell. */
void markdown_put(FILE *out, const char *text, size_t cap);

/* If a line may begin with it; `newline` is written for each newline. */
void markdown_lines(FILE *out, const char *text, const char *newline);

/* As in a terminal, line by line. */
void markdown_block(FILE *out, const char *text, size_t cap);

#endif
