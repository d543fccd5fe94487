/* SPDX-License-Identifier: BSD-2-Clause */
/* The common parts of all pages, and how text is put into them. */
#ifndef REPORTS_HTML_PAGE_H
#define REPORTS_HTML_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "suite/judge/result.h"

/* One step of the way to a page. */
struct page_step {
	const char *text, *href; /* href: a reference of ours */
};

struct page {
	const char *kind;  /* of its tree (reports/tree.h): "report" */
	const char *title; /* any text */
	const struct page_step *way; /* from the overview on */
	size_t steps;
	const char *script; /* of ours, or NULL; no tag can end in it */
	const char *suite;  /* who made it: any text */
};

/* Up to and with <main>; and from there on. Errors are left to ferror(). */
void page_begin(const struct page *p, FILE *out);
void page_end(const struct page *p, FILE *out);

/*
 * Any text, as text of the page or of an attribute in quotes: markup is
 * escaped; octets that are not characters, and characters that would change the
 * direction of writing, are shown by their number.
 */
void page_text(FILE *out, const char *s);

/*
 * Our markup with values in it. %s is any text, and is made safe; %m is markup
 * or a reference of ours, unchanged; %z a size_t, %d an int, %% a per cent
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

/* A box that shows what is folded where the page is narrow: the table behind a
 * heading, or the cases of a file. `of` is its name, a literal. */
#define FOLD(of)                                                               \
	"<label class=fold><input type=checkbox aria-label=\"" of              \
	"\"> all</label>"

#endif
