/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/html/detail.h"

#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"
#include "reports/html/page.h"

#define CONSEQUENCE "a consequence: "
#define DOTS        "..."

struct part {
	const char *at; /* all of it, with its last line's end */
	size_t n;
	const char *id; /* of its requirement; id_n 0: it has none */
	size_t id_n;
	const char *body; /* behind its first line */
};

static size_t line_length(const char *s)
{
	size_t n = strcspn(s, "\n");

	return n + (s[n] == '\n');
}

static bool is_judged(const struct result *r, const char *id, size_t n)
{
	for (size_t i = 0; i < r->requirement_count; i++)
		if (strlen(r->requirements[i]) == n &&
		    memcmp(r->requirements[i], id, n) == 0)
			return true;
	return false;
}

/* The part at s, which is not empty. */
static struct part part_at(const struct result *r, const char *s)
{
	struct part p = {.at = s, .id = s, .n = line_length(s)};

	p.body = s + p.n;
	if (strncmp(s, CONSEQUENCE, strlen(CONSEQUENCE)) == 0)
		p.id += strlen(CONSEQUENCE);
	p.id_n = strcspn(p.id, " \n");
	if (!is_judged(r, p.id, p.id_n))
		p.id_n = 0;
	while (p.id_n && s[p.n] == ' ')
		p.n += line_length(s + p.n);
	return p;
}

/* The evidence cuts a long text, and says so by dots. */
static bool is_cut_of(const char *text, const char *whole, size_t n)
{
	size_t length = strlen(text), dots = strlen(DOTS);

	return length > dots && strcmp(text + length - dots, DOTS) == 0 &&
	       n >= length - dots && memcmp(text, whole, length - dots) == 0;
}

/* The lines of the part are those of the text, indented. */
static bool has_text(const struct part *p, const char *text, bool perhaps_cut)
{
	const char *s = p->body, *end = p->at + p->n;

	while (*text) {
		size_t n = strcspn(text, "\n"), room;

		s += strncmp(s, "  ", 2) == 0 ? 2 : 0;
		room = (size_t)(end - s);
		if (perhaps_cut && is_cut_of(text, s, room))
			return true;
		if (room < n || memcmp(s, text, n) != 0 ||
		    (room > n && s[n] != '\n'))
			return false;
		s += n + (room > n);
		text += n + (text[n] == '\n');
	}
	return s == end;
}

static bool is_of(const struct part *p, const char *requirement)
{
	return p->id_n && strlen(requirement) == p->id_n &&
	       memcmp(p->id, requirement, p->id_n) == 0;
}

/* A card has it, or a line that failed: the table of lines shows that. */
static bool is_elsewhere(const struct result *r, const struct part *p)
{
	for (size_t i = 0; i < r->broken_count; i++)
		if (is_of(p, r->broken[i].requirement) &&
		    has_text(p, r->broken[i].text, false))
			return true;
	for (size_t i = 0; i < r->line_count; i++)
		if (!r->lines[i].ok && is_of(p, r->lines[i].requirement) &&
		    has_text(p, r->lines[i].text, false))
			return true;
	return false;
}

static bool is_twin(const struct result *r, const struct part *p)
{
	for (const char *s = r->detail; s < p->at;) {
		struct part before = part_at(r, s);

		if (before.n == p->n && memcmp(before.at, p->at, p->n) == 0)
			return true;
		s += before.n;
	}
	return false;
}

/* Other lines may be the same and mean something: a program sends twice. */
static bool is_shown(const struct result *r, const struct part *p)
{
	return !p->id_n || (!is_elsewhere(r, p) && !is_twin(r, p));
}

size_t detail_card(const struct result *r, const char *requirement,
		   const char *text)
{
	size_t i = 0;

	while (i < r->broken_count &&
	       (strcmp(r->broken[i].requirement, requirement) != 0 ||
		(strcmp(r->broken[i].text, text) != 0 &&
		 !is_cut_of(text, r->broken[i].text,
			    strlen(r->broken[i].text)))))
		i++;
	return i;
}

bool detail_shows(const struct result *r, const char *requirement,
		  const char *text)
{
	for (const char *s = r->detail; *s;) {
		struct part p = part_at(r, s);

		if (is_of(&p, requirement) && has_text(&p, text, true) &&
		    !is_elsewhere(r, &p))
			return true;
		s += p.n;
	}
	return false;
}

void detail_put(const struct result *r, const char *heading, FILE *out)
{
	struct memstream m;
	FILE *parts = memstream_open(&m);

	for (const char *s = r->detail; parts && *s;) {
		struct part p = part_at(r, s);

		if (is_shown(r, &p))
			fwrite(p.at, 1, p.n, parts);
		s += p.n;
	}
	char *text = memstream_finish(&m, NULL);

	if (text && text[strspn(text, " \n")]) {
		fputs(heading, out);
		page_lines(out, text);
	}
	free(text);
}
