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
 * belongs to. Its columns are narrow: twenty devices fit side by side. A number
 * is never broken, and a head that is too long ends in an ellipsis.
 */
static const char style[] =
	".side table{width:100%;table-layout:fixed}"
	".side th:not(:first-child),.side td{width:5.5rem;text-align:center;"
	"padding:.2rem .1rem;white-space:nowrap}"
	".side.many th:not(:first-child),.side.many td{width:2rem}"
	".side.many.figures th:not(:first-child),.side.many.figures td"
	"{width:2.75rem}"
	".side.most.figures th:not(:first-child),.side.most.figures td"
	"{width:2.2rem}"
	".side td small{display:block;font-size:.75rem;line-height:1.2}"
	".side.many td small{font-size:.65rem}"
	".side.most td small{font-size:.55rem}"
	".side .open{outline:1px dashed var(--dim);outline-offset:-3px;"
	"background:var(--panel)}"
	".side thead th{position:sticky;top:0;background:var(--bg);z-index:1;"
	"vertical-align:bottom;border-bottom:1px solid var(--dim)}"
	".side thead th:not(:first-child) span{writing-mode:vertical-rl;"
	"transform:rotate(180deg);max-height:13.5rem;overflow:hidden;"
	"text-overflow:ellipsis;white-space:nowrap;font-size:.75rem;"
	"text-align:left;line-height:1.25}"
	".side th[scope=row]{font-weight:400;overflow-wrap:anywhere}"
	".side .v{padding:.1rem .25rem}"
	"summary{cursor:pointer}.toc li{break-inside:avoid}"
	"@media(max-width:40rem){.side{overflow-x:auto}.side "
	"table{width:max-content}.side th:first-child{width:9rem;"
	"min-width:9rem;max-width:9rem;position:sticky;left:0;z-index:2;"
	"background:var(--bg);padding-right:.4rem}.side th:not(:first-child),"
	".side td{width:3.6rem;min-width:2rem}}"
	"@media print{@page{size:A4 landscape;margin:10mm}.side "
	"thead th{position:static}.side table{font-size:7pt;line-height:1.2}"
	".side :is(th,td){padding-top:1pt!important;"
	"padding-bottom:1pt!important}"
	/* A head that takes more of a page is not repeated on the next ones. */
	".side thead th:not(:first-child) span{max-height:9.5rem;"
	"font-size:6.5pt}"
	".side td small,.side.many td small{font-size:6pt}"
	".side .v{padding:0;border:0;font-size:inherit}"
	/* Most titles then need one line. */
	".side.many:not(.figures) :is(th:not(:first-child),td){width:1.5rem}"
	/* The heading says the same, and stays with its table. */
	".side caption{display:none}"
	".figures{break-inside:avoid}p:has(+.side){break-after:avoid}}";

/* Columns: from here on they are as narrow as can be. */
enum { MANY = 7, MOST = 22 };

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

static void end_fold(struct document *d)
{
	end_parts(d);
	if (d->fold)
		fputs("</details>\n", d->out);
	d->fold = false;
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
	end_fold(d);
	if (d->format == DOCUMENT_HTML)
		page_end(&d->page, d->out);
}

void document_heading(struct document *d, const char *text)
{
	end_fold(d);
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

void document_fold(struct document *d, const char *summary, bool open)
{
	end_fold(d);
	if (d->format != DOCUMENT_HTML)
		return;
	d->fold = true;
	page_put(d->out, "<details%m><summary>%s</summary>\n",
		 open ? " open" : "", summary);
}

/* --- lists ------------------------------------------------------------------- */

static void begin_point_of(struct document *d, const char *list)
{
	end_point(d);
	if (!d->points) {
		end_parts(d);
		if (d->format == DOCUMENT_HTML)
			fputs(list, d->out);
	}
	d->points = d->point = true;
	if (d->format == DOCUMENT_HTML)
		fputs("<li>", d->out);
	else if (d->format == DOCUMENT_MARKDOWN)
		fputs("- ", d->out);
}

static void begin_point(struct document *d)
{
	begin_point_of(d, "<ul>\n");
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

void document_point_to(struct document *d, const char *anchor, const char *text)
{
	if (d->format != DOCUMENT_HTML) {
		document_point(d, text);
		return;
	}
	begin_point_of(d, "<ul class=toc>\n");
	page_put(d->out, "<a href=\"#%m\">%s</a>", anchor, text);
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

/* Its width on a terminal: an octet that continues a character has none. */
static size_t columns_of(const char *s, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += ((unsigned char)s[i] & 0xc0) != 0x80;
	return count;
}

/* The octets of the words that fit into the first line; 0: not even one. */
static size_t line_of(const char *text, size_t width)
{
	size_t fits = 0;

	for (size_t n = 0; text[n];) {
		n += strspn(text + n, " ");
		n += strcspn(text + n, " ");
		if (columns_of(text, n) > width)
			break;
		fits = n;
	}
	return fits;
}

enum { DEEPER = 2 }; /* the further lines of a title */

static bool wraps(const char *text, size_t width)
{
	size_t n = line_of(text, width);

	for (text += n; n && *text; text += n) {
		text += strspn(text, " ");
		n = line_of(text, width - DEEPER);
	}
	return !*text;
}

/* The first line of a row's title, in its column; the rest of it. */
static const char *begin_title(struct document *d, const char *text)
{
	size_t n = line_of(text, d->widths[0]);
	char *line = text_held(strndup(text, n));

	put_column(d->out, line ? line : "", d->widths[0], false);
	free(line);
	return text + n + strspn(text + n, " ");
}

static void end_title(struct document *d, const char *rest)
{
	while (*rest) {
		size_t n = line_of(rest, d->widths[0] - DEEPER);

		fprintf(d->out, "%*s%.*s\n", DEEPER, "", (int)n, rest);
		rest += n + strspn(rest + n, " ");
	}
}

static void put_cell(struct document *d, size_t i,
		     const struct document_cell *c)
{
	bool colour = d->colour && c->has_verdict, last = i + 1 == d->columns;
	const struct plain_look *look = &plain_looks[c->verdict];
	char *whole;

	if (!text_made(asprintf(&whole, "%s%s%s", c->text,
				c->under[0] ? c->under[0] : "",
				c->under[1] ? c->under[1] : "")))
		return;
	fputs(colour ? look->colour : "", d->out);
	put_column(d->out, whole, d->widths[i], last);
	fputs(colour ? "\033[0m" : "", d->out);
	free(whole);
}

static void put_widths(struct document *d, const struct document_cell *cells)
{
	char *clean = escape_dup(cells[0].text, ESCAPE_KEEP_NONE);
	const char *title = clean ? clean : "";

	if (!wraps(title, d->widths[0])) {
		put_lines_of(d, cells[0].text, 0);
		title = "";
	}
	title = begin_title(d, title);
	for (size_t i = 1; i < d->columns; i++)
		put_cell(d, i, &cells[i]);
	fputc('\n', d->out);
	end_title(d, title);
	free(clean);
}

static void put_pipes(struct document *d, const struct document_cell *cells)
{
	fputc('|', d->out);
	for (size_t i = 0; i < d->columns; i++) {
		fputs(cells[i].marked ? " **" : " ", d->out);
		markdown_lines(d->out, cells[i].text, "<br>");
		for (size_t k = 0; k < 2; k++)
			if (cells[i].under[k])
				markdown_lines(d->out, cells[i].under[k], " ");
		fputs(cells[i].marked ? "** |" : " |", d->out);
	}
	fputc('\n', d->out);
}

static void begin_cell(struct document *d, size_t i,
		       const struct document_cell *c)
{
	if (i)
		fputs(c->open ? "<td class=open>" : "<td>", d->out);
	else if (c->anchor)
		page_put(d->out, "<th scope=row id=\"%m\">", c->anchor);
	else
		fputs("<th scope=row>", d->out);
}

static void put_cells(struct document *d, const struct document_cell *cells)
{
	fputs("<tr>", d->out);
	for (size_t i = 0; i < d->columns; i++) {
		const struct document_cell *c = &cells[i];

		begin_cell(d, i, c);
		if (c->href)
			page_put(d->out, "<a href=\"%m\">", c->href);
		if (c->has_verdict)
			page_put(d->out, "<b class=\"v %m\">%s</b>",
				 page_class(c->verdict), c->text);
		else
			page_put(d->out, c->marked ? "<mark>%s</mark>" : "%s",
				 c->text);
		for (size_t k = 0; k < 2; k++)
			if (c->under[k] && *c->under[k])
				page_put(d->out, "<small>%s</small>",
					 c->under[k]);
		fputs(c->href ? "</a>" : "", d->out);
	}
	fputs("</tr>\n", d->out);
}

static void put_heads(struct document *d, const char *caption,
		      const char *const *heads, size_t n)
{
	const char *of = n > MOST   ? "side many most"
			 : n > MANY ? "side many"
				    : "side";

	page_put(d->out,
		 "<div class=\"%m%m\" tabindex=0 role=region "
		 "aria-label=\"%s\"><table><caption>%s</caption>"
		 "<thead><tr>",
		 d->names ? of : "wide", d->figures ? " figures" : "", caption,
		 caption);
	for (size_t i = 0; i < n; i++)
		if (d->names && i)
			page_put(d->out,
				 "<th scope=col title=\"%s\" "
				 "aria-label=\"%s\"><span>%s</span>",
				 d->names[i], d->names[i], d->brief[i]);
		else
			page_put(d->out, "<th scope=col><span>%s</span>",
				 heads[i]);
	fputs("</thead><tbody>\n", d->out);
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
		put_heads(d, caption, heads, n);
	}
	d->figures = false;
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
