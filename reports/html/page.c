/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/html/page.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "harness/text/memstream.h"
#include "reports/text/escape.h"
#include "reports/html/style.h"
#include "reports/text/plain.h"
#include "reports/report.h"
#include "reports/tree.h"

/* --- text --------------------------------------------------------------- */

/*
 * U+202A to U+202E, U+2066 to U+2069 and U+200E, U+200F change the direction of
 * the text that follows. Returns the last two octets of one at s, or 0.
 */
static unsigned turns_direction(const unsigned char *s)
{
	if (s[0] != 0xe2 || (s[1] != 0x80 && s[1] != 0x81))
		return 0;
	unsigned c = 0x2000u | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu);

	return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
			       c == 0x200e || c == 0x200f
		       ? c
		       : 0;
}

static void put_clean(FILE *out, const char *s)
{
	for (const unsigned char *p = (const unsigned char *)s; *p; p++) {
		unsigned turn = turns_direction(p);

		if (turn) {
			fprintf(out, "\\u%04x", turn);
			p += 2;
			continue;
		}
		switch (*p) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			fputc(*p, out);
		}
	}
}

/* Most of it needs nothing done. */
static bool is_plain(const char *s)
{
	for (const unsigned char *p = (const unsigned char *)s; *p; p++)
		if (*p < 0x20 || *p >= 0x7f || strchr("&<>\"'", *p))
			return false;
	return true;
}

static void put_safely(FILE *out, const char *s, enum escape_keep keep)
{
	if (is_plain(s)) {
		fputs(s, out);
		return;
	}
	char *clean = escape_dup(s, keep);

	put_clean(out, clean ? clean : "(out of memory)");
	free(clean);
}

void page_text(FILE *out, const char *s)
{
	put_safely(out, s, ESCAPE_KEEP_NONE);
}

void page_id(FILE *out, const char *id)
{
	while (*id) {
		size_t n = strcspn(id, "/_");
		char *word;

		n += id[n] != '\0';
		word = text_held(strndup(id, n));
		page_text(out, word ? word : "");
		free(word);
		id += n;
		if (*id)
			fputs("<wbr>", out);
	}
}

void page_lines(FILE *out, const char *text)
{
	size_t n = strlen(text);
	char *copy = text_held(strdup(text));

	while (copy && n && copy[n - 1] == '\n')
		copy[--n] = '\0';
	fputs("<pre class=said>", out);
	put_safely(out, copy ? copy : "", ESCAPE_KEEP_LINES);
	fputs("</pre>\n", out);
	free(copy);
}

void page_put(FILE *out, const char *markup, ...)
{
	va_list args;

	va_start(args, markup);
	for (const char *p = markup; *p; p++) {
		size_t n = strcspn(p, "%");

		fwrite(p, 1, n, out);
		p += n;
		if (!*p)
			break;
		switch (*++p) {
		case 's':
			page_text(out, va_arg(args, const char *));
			break;
		case 'm':
			fputs(va_arg(args, const char *), out);
			break;
		case 'z':
			fprintf(out, "%zu", va_arg(args, size_t));
			break;
		case 'd':
			fprintf(out, "%d", va_arg(args, int));
			break;
		case '%':
			fputc('%', out);
			break;
		default:
			abort();
		}
	}
	va_end(args);
}

void page_count(FILE *out, size_t n, const char *what)
{
	fprintf(out, "%zu %s%s", n, what, n == 1 ? "" : "s");
}

void page_section(FILE *out, const char *section)
{
	char uri[REPORT_URI_SIZE];

	if (report_section_uri(uri, section))
		page_put(out, "<a href=\"%m\">%s</a>", uri, section);
	else
		page_text(out, section);
}

const char *page_class(enum verdict v)
{
	return verdict_name(v);
}

void page_verdict(FILE *out, enum verdict v)
{
	page_put(out, "<b class=\"v %m\">%m</b>", page_class(v),
		 v == VERDICT_BLOCKED ? "BLOCKED" : plain_looks[v].word);
}

/* --- head and foot -------------------------------------------------------- */

/* The script's hash for the policy, so that no other one is run. */
static void put_hash(const char *script, FILE *out)
{
	unsigned char digest[EVP_MAX_MD_SIZE], text[2 * EVP_MAX_MD_SIZE];
	unsigned n = 0;

	if (EVP_Digest(script, strlen(script), digest, &n, EVP_sha256(),
		       NULL) != 1)
		return;
	EVP_EncodeBlock(text, digest, (int)n);
	fprintf(out, "; script-src 'sha256-%s'", text);
}

static void put_way(const struct page *p, FILE *out)
{
	if (!p->steps)
		return;
	fputs("<nav aria-label=\"You are here\"><ol class=way>", out);
	for (size_t i = 0; i < p->steps; i++)
		page_put(out, "<li><a href=\"%m\">%s</a>", p->way[i].href,
			 p->way[i].text);
	fputs("</ol></nav>", out);
}

void page_begin(const struct page *p, FILE *out)
{
	fprintf(out, REPORT_TREE_MARK, p->kind);
	fputs("<html lang=en>\n<meta charset=utf-8>\n"
	      "<meta http-equiv=\"Content-Security-Policy\" "
	      "content=\"default-src 'none'; style-src 'unsafe-inline'",
	      out);
	if (p->script)
		put_hash(p->script, out);
	fputs("\">\n"
	      "<meta name=viewport content=\"width=device-width,"
	      "initial-scale=1\">\n"
	      "<meta name=referrer content=no-referrer>\n",
	      out);
	page_put(out, "<title>%s</title>\n<style>%m</style>\n", p->title,
		 page_style);
	fputs("<a class=jump href=\"#main\">To the content</a>\n<header>", out);
	put_way(p, out);
	fputs("</header>\n<main id=main tabindex=-1>\n", out);
}

void page_end(const struct page *p, FILE *out)
{
	page_put(out, "</main>\n<footer>%s</footer>\n", p->suite);
	if (p->script)
		fprintf(out, "<script>%s</script>\n", p->script);
	fputs("</html>\n", out);
}
