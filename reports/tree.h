/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A report that is a folder of pages: index.html, and folders of pages below
 * it, one deep. It reaches its place whole or not at all: it is written beside
 * it, flushed to the disk, and takes the place of what was there. That is
 * nothing, an empty folder, or an earlier one of the same kind; anything else
 * is left alone, and so is an earlier one that somebody has put more into.
 *
 * The kind is one word, "report"; its index begins with REPORT_TREE_MARK of
 * it, by which it is known again.
 */
#ifndef REPORTS_TREE_H
#define REPORTS_TREE_H

#include <stddef.h>
#include <stdio.h>

#define REPORT_TREE_MARK "<!doctype html>\n<!-- warpspec %s -->\n"

struct report_tree;

/*
 * Whether a tree could be published at `path`, for use before anything runs:
 * 0, or -1 with one line of `why`. Leaves nothing behind.
 */
int report_tree_check(const char *path, const char *kind, char *why,
		      size_t why_size);

/* NULL with one line of `why`. Ends with report_tree_publish(). */
struct report_tree *report_tree_begin(const char *path, const char *kind,
				      char *why, size_t why_size);

/*
 * A page to be written, "index.html" or "cases/a.html"; each once. NULL with
 * errno. report_tree_close() is 0 once it is whole, or -1 with errno.
 */
FILE *report_tree_open(struct report_tree *t, const char *name);
int report_tree_close(FILE *page);

/*
 * What a page one folder deep calls a file of the machine that is there, as a
 * relative reference fit for an attribute; NULL: it is not there, or there is
 * no memory. For the caller to free().
 */
char *report_tree_link(const struct report_tree *t, const char *path);

/*
 * 0 once it stands at its place. -1 with one line of `why`: what was there
 * before is still there, and nothing else. `failed`: errno of a writer that
 * gave up, 0: it is whole. Frees the tree in any case.
 */
int report_tree_publish(struct report_tree *t, int failed, char *why,
			size_t why_size);

#endif
