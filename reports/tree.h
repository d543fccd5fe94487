/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A report that is a folder of pages: index.html, and folders of pages below
 * it, one deep. It reaches its place completely or not at all: it is written
 * next to it, flushed to the disk, and replaces the earlier one. It may replace
 * nothing, an empty folder, or an earlier tree of the same kind; anything else
 * is left alone, and so is an earlier tree to which somebody has added files.
 *
 * The kind is one word, "report"; its index begins with REPORT_TREE_MARK of
 * it, which identifies it.
 */
#ifndef REPORTS_TREE_H
#define REPORTS_TREE_H

#include <stddef.h>
#include <stdio.h>

#define REPORT_TREE_MARK "<!doctype html>\n<!-- warpspec %s -->\n"

struct report_tree;

/*
 * Whether a tree could be published at `path`, for use before anything runs: 0,
 * or -1 with one line of `why`. Creates nothing.
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
 * A relative reference from a page one folder deep to an existing file of the
 * machine, fit for an attribute; NULL: the file is missing, or there is no
 * memory. To be freed by the caller.
 */
char *report_tree_link(const struct report_tree *t, const char *path);

/*
 * Copy a capture, a pcapng file of the machine, into the tree under this name,
 * "captures/case.mpa.crc.a_case.pcapng": 1. 0: the file is missing, or is none of at
 * most 64 MiB. -1 with errno: the copy could not be written.
 */
int report_tree_copy_capture(struct report_tree *t, const char *name,
			     const char *path);

/*
 * 0 once it is in its place. -1 with one line of `why`: the old tree is still
 * there, and nothing else. `failed`: errno of a writer that gave up, 0: it is
 * complete. Frees the tree in any case.
 */
int report_tree_publish(struct report_tree *t, int failed, char *why,
			size_t why_size);

#endif
