/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run as a folder of pages: index.html, the overview; cases/, a page for each
 * case; requirements/, one for each requirement, and an index of them.
 *
 * Each page is a self-contained file: the style is in it, nothing is loaded
 * from a network, and a policy in its head forbids that (hostile text is
 * escaped, and would not be interpreted either). Only the overview has a
 * script, for the words of its filter; everything else works without.
 *
 *   page      common parts: head, style, escaping of text
 *   site      the pages that exist, their names, and their relations
 *   overview  the first page, with cases_table
 *   case_page, requirement_page
 *   ladder, frames, hex   pictures and tables of the events
 */
#ifndef REPORTS_HTML_HTML_H
#define REPORTS_HTML_HTML_H

#include "reports/report.h"
#include "reports/tree.h"

/* 0, or -1 with errno; then the caller gives up the tree. */
int report_html(const struct run_result *run,
		const struct report_options *options, struct report_tree *tree);

#endif
