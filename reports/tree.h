/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A report that is a folder of pages: index.html, and folders of pages below
 * it, one deep. It reaches its place completely or not at all: it is written
 * next to that place, flushed to the disk, and replaces the earlier tree. It
 * may replace nothing, an empty folder, or an earlier tree of the same kind. It
 * never replaces anything else, nor an earlier tree to which somebody has added
 * files.
 *
 * The kind is one word, "report". REPORT_TREE_MARK with this word is the
 * beginning of the index, and identifies a tree.
 */
#ifndef REPORTS_TREE_H
#define REPORTS_TREE_H

#include <stddef.h>
#include <stdio.h>

#define REPORT_TREE_MARK "<!doctype html>\n<!-- warpspec %s -->\n"

struct report_tree;

/*
 * Check whether a tree can be published at `path`, before anything runs: 0, or
 * -1 with one line in `why`. Creates nothing.
 */
int report_tree_check(const char *path, const char *kind, char *why,
		      size_t why_size);

/* NULL with one line in `why`. Ends with report_tree_publish(). */
struct report_tree *report_tree_begin(const char *path, const char *kind,
				      char *why, size_t why_size);

/*
 * Open a page for writing, "index.html" or "cases/a.html"; each once. NULL with
 * errno. report_tree_close() returns 0 if the page is complete, or -1 with
 * errno.
 */
FILE *report_tree_open(struct report_tree *t, const char *name);
int report_tree_close(FILE *page);

/*
 * A relative reference from a page one folder deep to an existing file of this
 * host, escaped for an attribute; NULL: the file is missing, or there is no
 * memory. To be freed by the caller.
 */
char *report_tree_link(const struct report_tree *t, const char *path);

/*
 * Copy a capture, a pcapng file of this host, into the tree under this name,
 * "captures/case.mpa.crc.a_case.pcapng". Returns 1 if it is copied; 0 if the
 * file is missing, or is not a pcapng file of at most 64 MiB; -1 with errno if
 * the copy could not be written.
 */
int report_tree_copy_capture(struct report_tree *t, const char *name,
			     const char *path);

/*
 * Returns 0 once the tree is in its place; or -1 with one line in `why`, and
 * then only the old tree is there. `failed` is the errno of a writer that gave
 * up, or 0 if the tree is complete. Frees the tree in any case.
 */
int report_tree_publish(struct report_tree *t, int failed, char *why,
			size_t why_size);

#endif
