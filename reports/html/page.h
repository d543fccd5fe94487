/* SPDX-License-Identifier: BSD-2-Clause */
/* The common parts of all pages, and functions that put text into them. */
#ifndef REPORTS_HTML_PAGE_H
#define REPORTS_HTML_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "suite/judge/result.h"

/* One step of the way to a page. */
struct page_step {
	const char *text, *href; /* href: a safe reference */
};

struct page {
	const char *kind;  /* of its tree (reports/tree.h): "report" */
	const char *title; /* any text */
	const struct page_step *way; /* from the overview on */
	size_t steps;
	const char *script; /* safe, or NULL: it contains no end tag */
	const char *suite;  /* the suite that made the page: any text */
};

/* Write the page up to and including <main>; and its end. The caller checks for
 * errors with ferror(). */
void page_begin(const struct page *p, FILE *out);
void page_end(const struct page *p, FILE *out);

/*
 * Write any text, as text of the page or of an attribute in quotes. Markup is
 * escaped. Octets that are not characters, and characters that would change the
 * direction of writing, are shown by their number.
 */
void page_text(FILE *out, const char *s);

/* The same of an id, which a narrow column may break behind each of its words,
 * and nowhere else. */
void page_id(FILE *out, const char *id);

/*
 * Write markup with values in it. %s is any text, and is escaped; %m is safe
 * markup or a safe reference, unchanged; %z a size_t, %d an int, %% a per cent
 * sign. There are no others.
 */
void page_put(FILE *out, const char *markup, ...);

/* "1 case", "2 cases". */
void page_count(FILE *out, size_t n, const char *what);

/* A verdict: its word in its colour. */
void page_verdict(FILE *out, enum verdict v);

/* The part of a class that colours a verdict: "fail". */
const char *page_class(enum verdict v);

/* A section of an RFC, with a link to its text: the only external link of the
 * pages, and nothing is loaded through it. Other texts are unchanged. */
void page_section(FILE *out, const char *section);

/* Lines of a case or a device, unchanged. */
void page_lines(FILE *out, const char *text);

/* A check box that unfolds a part that is folded on a narrow page: the table
 * after a heading, or the cases of a file. `of` is its name, a literal. */
#define FOLD(of)                                                               \
	"<label class=fold><input type=checkbox aria-label=\"" of              \
	"\"> all</label>"

#endif
