/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A text about several runs, written once and printed as lines for a terminal
 * of 80 columns, as Markdown, or as a self-contained page of HTML. A caller may
 * pass any text: it is shown unchanged, and never acts as markup.
 */
#ifndef REPORTS_DOCUMENT_H
#define REPORTS_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "reports/html/page.h"
#include "suite/judge/result.h"

enum document_format { DOCUMENT_TEXT, DOCUMENT_MARKDOWN, DOCUMENT_HTML };

/* False: no format has that name. */
bool document_format_named(const char *name, enum document_format *format);

struct document {
	enum document_format format;
	FILE *out;
	bool colour; /* text: mark verdicts with terminal colours */
	/* The element that is open. */
	bool points, point;
	struct page page;
	bool fold;
	size_t columns; /* of the table; 0: in none */
	/* For pages: the names of the columns of tables, whole and as they fit
	 * above a narrow column; NULL: as their heads. */
	const char *const *names, *const *brief;
	bool figures; /* the cells of the next table are several numbers */
	const size_t *widths;
};

/* `kind` describes the document in one word; `suite` names the suite that has
 * created it. The caller checks for errors with ferror(). */
void document_begin(struct document *d, const char *kind, const char *title,
		    const char *suite);
void document_end(struct document *d);

void document_heading(struct document *d, const char *text);
/* One paragraph. */
void document_say(struct document *d, const char *text);

/* A point of a list. A list begins with its first point and ends with the next
 * element of another kind. */
void document_point(struct document *d, const char *text);
/* The same, as the target of a link in a table. The caller chooses `anchor`,
 * which is not escaped. */
void document_point_at(struct document *d, const char *anchor,
		       const char *text);
/* The same, as a link to such a target. On a page, these points stand side by
 * side. */
void document_point_to(struct document *d, const char *anchor,
		       const char *text);
/* The same for a case: its verdict, its id, its title. */
void document_case(struct document *d, enum verdict v, const char *id,
		   const char *title);
/* Lines that belong to the point above. */
void document_under(struct document *d, const char *text);

/* From here to the next heading, a page can be folded. Printed, it is as on
 * the screen: without what is folded. */
void document_fold(struct document *d, const char *summary, bool open);

/* A cell of a table. With a verdict, its text belongs to the verdict. */
struct document_cell {
	const char *text;
	const char *under[2];     /* goes on; on a page, lines below; or NULL */
	bool has_verdict, marked; /* marked: to draw attention */
	bool open;                /* something was not judged */
	enum verdict verdict;
	const char *href;   /* a safe reference, on a page; or NULL */
	const char *anchor; /* of a title: the target of a link; or NULL */
};

/*
 * A table with n columns. As lines, each column has its given width, the last
 * one takes the rest, and a cell that is too long is cut. So important facts
 * are also stated outside of tables. The first cell of a row is its title: it
 * is never cut, but goes on in the next line, or stands above the row.
 */
void document_table(struct document *d, const char *caption,
		    const char *const *heads, const size_t *widths, size_t n);
void document_row(struct document *d, const struct document_cell *cells);

#endif
