/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/compare/document.h"

#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"
#include "reports/text/escape.h"
#include "reports/text/markdown.h"
#include "reports/text/plain.h"

#define INDENT 7 /* below a case, as in the report of a run */

bool document_format_named(const char *name, enum document_format *format)
{
	static const char *const names[] = {"text", "markdown", "html"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0) {
			*format = (enum document_format)i;
			return true;
		}
	return false;
}

/* --- text in each ------------------------------------------------------------ */

/* A name, in a code span if that is possible. */
static void put_code(FILE *out, const char *text)
{
	bool plain = !strpbrk(text, "`|");

	fputs(plain ? "`" : "", out);
	if (plain)
		plain_put(out, text);
	else
		markdown_lines(out, text, " ");
	fputs(plain ? "`" : "", out);
}

/*
 * The heads of a table stay visible, so that readers see which device a column
 * belongs to. Its columns are narrow: twenty devices fit side by side.
 */
static const char style[] =
	".side table{width:100%;table-layout:fixed}"
	".side th:not(:first-child),.side td{width:5.5rem;text-align:center;"
	"padding:.2rem .1rem;overflow-wrap:anywhere}"
	".side.many th:not(:first-child),.side.many td{width:2rem}"
	".side thead th{position:sticky;top:0;background:var(--bg);z-index:1;"
	"vertical-align:bottom;border-bottom:1px solid var(--dim)}"
	".side thead th:not(:first-child) span{writing-mode:vertical-rl;"
	"transform:rotate(180deg);max-height:11rem;overflow:hidden;"
	"text-align:left;line-height:1.15}"
	".side th[scope=row]{font-weight:400;overflow-wrap:anywhere}"
	".side .v{padding:.1rem .25rem}"
	"@media(max-width:40rem){.side{overflow-x:auto}.side "
	"table{width:max-content}.side th:first-child{width:9rem;"
	"min-width:9rem;max-width:9rem;position:sticky;left:0;z-index:2;"
	"background:var(--bg);padding-right:.4rem}.side th:not(:first-child),"
	".side td{width:3.6rem;min-width:2rem;overflow-wrap:normal}}"
	"@media print{@page{size:A4 landscape;margin:10mm}.side "
	"thead th{position:static}.side table{font-size:7pt}"
	/* A head that takes more of a page is not repeated on the next ones. */
	".side thead th:not(:first-child) span{max-height:6.5rem}"
	".side .v{padding:0;border:0}}";

enum { MANY = 7 }; /* columns: from here on they are as narrow as can be */

/* --- open elements -------------------------------------------------------- */

static void end_point(struct document *d)
{
	if (d->point && d->format == DOCUMENT_HTML)
		fputs("</li>\n", d->out);
	d->point = false;
}

/* Lists and tables end where something else begins. */
static void end_parts(struct document *d)
{
	end_point(d);
	if (d->points && d->format == DOCUMENT_HTML)
		fputs("</ul>\n", d->out);
	if (d->columns && d->format == DOCUMENT_HTML)
		fputs("</tbody></table></div>\n", d->out);
	if ((d->points || d->columns) && d->format != DOCUMENT_HTML)
		fputc('\n', d->out);
	d->points = false;
	d->columns = 0;
}

void document_begin(struct document *d, const char *kind, const char *title,
		    const char *suite)
{
	d->page = (struct page){.kind = kind, .title = title, .suite = suite};
	switch (d->format) {
	case DOCUMENT_TEXT:
		plain_put(d->out, title);
		fputs("\n\n", d->out);
		break;
	case DOCUMENT_MARKDOWN:
		fputs("# ", d->out);
		markdown_lines(d->out, title, " ");
		fputs("\n\n", d->out);
		break;
	case DOCUMENT_HTML:
		page_begin(&d->page, d->out);
		page_put(d->out, "<style>%m</style>\n<h1>%s</h1>\n", style,
			 title);
	}
}

void document_end(struct document *d)
{
	end_parts(d);
	if (d->format == DOCUMENT_HTML)
		page_end(&d->page, d->out);
}

void document_heading(struct document *d, const char *text)
{
	end_parts(d);
	switch (d->format) {
	case DOCUMENT_TEXT:
		plain_put(d->out, text);
		fputc('\n', d->out);
		break;
	case DOCUMENT_MARKDOWN:
		fputs("## ", d->out);
		markdown_lines(d->out, text, " ");
		fputs("\n\n", d->out);
		break;
	case DOCUMENT_HTML:
		page_put(d->out, "<h2>%s</h2>\n", text);
	}
}

static void put_lines_of(struct document *d, const char *text, size_t indent)
{
	struct plain_line line = plain_begin(d->out, indent);

	line.indent += 2;
	plain_add(&line, text);
	plain_end(&line);
}

void document_say(struct document *d, const char *text)
{
	end_parts(d);
	switch (d->format) {
	case DOCUMENT_TEXT: {
		struct plain_line line = plain_begin(d->out, 0);

		plain_add(&line, text);
		plain_end(&line);
		fputc('\n', d->out);
		break;
	}
	case DOCUMENT_MARKDOWN:
		markdown_lines(d->out, text, " ");
		fputs("\n\n", d->out);
		break;
	case DOCUMENT_HTML:
		page_put(d->out, "<p>%s</p>\n", text);
	}
}

/* --- lists ------------------------------------------------------------------- */

static void begin_point(struct document *d)
{
	end_point(d);
	if (!d->points) {
		end_parts(d);
		if (d->format == DOCUMENT_HTML)
			fputs("<ul>\n", d->out);
	}
	d->points = d->point = true;
	if (d->format == DOCUMENT_HTML)
		fputs("<li>", d->out);
	else if (d->format == DOCUMENT_MARKDOWN)
		fputs("- ", d->out);
}

void document_point(struct document *d, const char *text)
{
	begin_point(d);
	switch (d->format) {
	case DOCUMENT_TEXT:
		put_lines_of(d, text, 2);
		break;
	case DOCUMENT_MARKDOWN:
		markdown_lines(d->out, text, " ");
		fputc('\n', d->out);
		break;
	case DOCUMENT_HTML:
		page_text(d->out, text);
	}
}

void document_point_at(struct document *d, const char *anchor, const char *text)
{
	if (d->format != DOCUMENT_HTML) {
		document_point(d, text);
		return;
	}
	begin_point(d);
	page_put(d->out, "<span id=\"%m\">%s</span>", anchor, text);
}

void document_case(struct document *d, enum verdict v, const char *id,
		   const char *title)
{
	const struct plain_look *look = &plain_looks[v];

	begin_point(d);
	switch (d->format) {
	case DOCUMENT_TEXT: {
		fprintf(d->out, "%s%-5s%s  ", d->colour ? look->colour : "",
			look->word, d->colour ? "\033[0m" : "");

		struct plain_line line = plain_go_on(d->out, INDENT, INDENT);

		plain_add(&line, id);
		if (*title)
			plain_add(&line, ": ");
		plain_add(&line, title);
		plain_end(&line);
		break;
	}
	case DOCUMENT_MARKDOWN:
		fprintf(d->out, "**%s** ", look->word);
		put_code(d->out, id);
		fputs(*title ? ": " : "", d->out);
		markdown_lines(d->out, title, " ");
		fputc('\n', d->out);
		break;
	case DOCUMENT_HTML:
		page_verdict(d->out, v);
		page_put(d->out,
			 *title ? " <code>%s</code>: %s" : " <code>%s</code>%s",
			 id, title);
	}
}

void document_under(struct document *d, const char *text)
{
	if (!*text)
		return;
	switch (d->format) {
	case DOCUMENT_TEXT:
		plain_lines(d->out, text, INDENT);
		break;
	case DOCUMENT_MARKDOWN: {
		size_t n = strlen(text);
		char *copy =
			text_held(strndup(text, n - (text[n - 1] == '\n')));

		fputs("  <br>", d->out);
		markdown_lines(d->out, copy ? copy : "", "\n  <br>");
		fputc('\n', d->out);
		free(copy);
		break;
	}
	case DOCUMENT_HTML:
		page_lines(d->out, text);
	}
}

/* --- tables ------------------------------------------------------------------ */

/* Exactly this many columns; 0: unchanged. */
static void put_column(FILE *out, const char *text, size_t width, bool last)
{
	char *clean = escape_dup(text, ESCAPE_KEEP_NONE);
	const char *p = clean ? clean : "";
	size_t n = 0;

	for (; *p; p++) {
		bool more = ((unsigned char)*p & 0xc0) == 0x80;

		if (!more && n == width)
			break;
		n += !more;
		fputc(*p, out);
	}
	free(clean);
	if (!last)
		fprintf(out, "%*s", (int)(width - n + 1), "");
}

static void put_widths(struct document *d, const struct document_cell *cells)
{
	for (size_t i = 0; i < d->columns; i++) {
		const struct document_cell *c = &cells[i];
		const struct plain_look *look = &plain_looks[c->verdict];
		bool colour = d->colour && c->has_verdict;

		fputs(colour ? look->colour : "", d->out);
		put_column(d->out, c->text, d->widths[i], i + 1 == d->columns);
		fputs(colour ? "\033[0m" : "", d->out);
	}
	fputc('\n', d->out);
}

static void put_pipes(struct document *d, const struct document_cell *cells)
{
	fputc('|', d->out);
	for (size_t i = 0; i < d->columns; i++) {
		fputs(cells[i].marked ? " **" : " ", d->out);
		markdown_lines(d->out, cells[i].text, "<br>");
		fputs(cells[i].marked ? "** |" : " |", d->out);
	}
	fputc('\n', d->out);
}

static void put_cells(struct document *d, const struct document_cell *cells)
{
	fputs("<tr>", d->out);
	for (size_t i = 0; i < d->columns; i++) {
		const struct document_cell *c = &cells[i];

		fputs(i ? "<td>" : "<th scope=row>", d->out);
		if (c->href)
			page_put(d->out, "<a href=\"%m\">", c->href);
		if (c->has_verdict)
			page_put(d->out, "<b class=\"v %m\">%s</b>",
				 page_class(c->verdict), c->text);
		else
			page_put(d->out, c->marked ? "<mark>%s</mark>" : "%s",
				 c->text);
		fputs(c->href ? "</a>" : "", d->out);
	}
	fputs("</tr>\n", d->out);
}

void document_table(struct document *d, const char *caption,
		    const char *const *heads, const size_t *widths, size_t n)
{
	struct document_cell *cells = text_held(calloc(n, sizeof(*cells)));

	end_parts(d);
	d->columns = n;
	d->widths = widths;
	for (size_t i = 0; cells && i < n; i++)
		cells[i].text = heads[i];
	switch (d->format) {
	case DOCUMENT_TEXT:
		if (*caption)
			put_lines_of(d, caption, 0);
		if (cells)
			put_widths(d, cells);
		break;
	case DOCUMENT_MARKDOWN:
		markdown_lines(d->out, caption, " ");
		fputs("\n\n", d->out);
		if (cells)
			put_pipes(d, cells);
		fputc('|', d->out);
		for (size_t i = 0; i < n; i++)
			fputs(" --- |", d->out);
		fputc('\n', d->out);
		break;
	case DOCUMENT_HTML:
		page_put(d->out,
			 "<div class=\"%m\" tabindex=0 role=region "
			 "aria-label=\"%s\"><table><caption>%s</caption>"
			 "<thead><tr>",
			 !d->names  ? "wide"
			 : n > MANY ? "side many"
				    : "side",
			 caption, caption);
		for (size_t i = 0; i < n; i++)
			page_put(d->out, "<th scope=col><span>%s</span>",
				 d->names && i ? d->names[i] : heads[i]);
		fputs("</thead><tbody>\n", d->out);
	}
	free(cells);
}

void document_row(struct document *d, const struct document_cell *cells)
{
	switch (d->format) {
	case DOCUMENT_TEXT:
		put_widths(d, cells);
		break;
	case DOCUMENT_MARKDOWN:
		put_pipes(d, cells);
		break;
	case DOCUMENT_HTML:
		put_cells(d, cells);
	}
}
