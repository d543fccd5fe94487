/* SPDX-License-Identifier: BSD-2-Clause */
/* Known deviations are read from their file, with its comments. */
#include "suite/judge/deviations/entries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ini.h>

/* That of older versions. */
#define OLDER_HEAD "; Known deviations; see --deviations."

static bool is_date(const char *s)
{
	struct tm tm = {0};
	const char *end = strptime(s, "%Y-%m-%d", &tm);

	return strlen(s) == 10 && end && !*end;
}

static struct entry *new_entry(struct deviations *d)
{
	struct entry *e = calloc(1, sizeof(*e));

	d->no_memory |= !e;
	if (!e)
		return NULL;
	if (d->last)
		d->last->next = e;
	else
		d->first = e;
	d->last = e;
	return e;
}

static void *lengthen(struct deviations *d, void *list, size_t octets)
{
	void *longer = realloc(list, octets);

	d->no_memory |= !longer;
	return longer;
}

/* Append to a text, which is NULL as long as it is empty. */
static void add_text(struct deviations *d, char **to, const char *text,
		     size_t n)
{
	size_t had = *to ? strlen(*to) : 0;
	char *longer = lengthen(d, *to, had + n + 1);

	if (!longer)
		return;
	memcpy(longer + had, text, n);
	longer[had + n] = '\0';
	*to = longer;
}

static bool is_head(const char *line, size_t n, const char *head)
{
	return n == strlen(head) && strncmp(line, head, n) == 0;
}

/* The text that libinih ignores: a line, or a comment after a blank. */
static void remember_comment(struct deviations *d, const char *line)
{
	const char *at = line + strspn(line, " \t");
	size_t n = strcspn(at, "\r\n");

	if (n == 0) {
		if (d->comments)
			add_text(d, &d->comments, "\n", 1);
		return;
	}
	if (*at != ';' && *at != '#') {
		for (at++, n = strcspn(at, "\r\n"); n; at++, n--)
			if (*at == ';' && (at[-1] == ' ' || at[-1] == '\t'))
				break;
	}
	if (!n || is_head(at, n, DEVIATIONS_HEAD) || is_head(at, n, OLDER_HEAD))
		return;
	add_text(d, &d->comments, at, n);
	add_text(d, &d->comments, "\n", 1);
}

/* The comments read so far belong to the entry; those before its first line,
 * only if no empty line separates them. */
static void take_comments(struct deviations *d, struct entry *e, bool first)
{
	char *all = d->comments, *own = all;

	if (!all)
		return;
	for (char *p = all; first && (p = strstr(p, "\n\n")); p++)
		own = p + 2;
	if (own != all)
		add_text(d, &e->apart, all, (size_t)(own - all));
	add_text(d, &e->comments, own, strlen(own));
	free(all);
	d->comments = NULL;
}

/* libinih does not report the beginning of a section: its reader detects it. */
static char *read_line(char *line, int size, void *user)
{
	struct deviations *d = user;

	if (!text_lines_next(&d->text, line, size))
		return NULL;
	if (line[strspn(line, " \t")] == '[')
		d->section_begins = true;
	remember_comment(d, line);
	return line;
}

static bool add_globs(struct deviations *d, struct entry *e, const char *value)
{
	for (size_t n; *value; value += n + strspn(value + n, " \t")) {
		void *more = lengthen(d, e->globs,
				      (e->glob_count + 1) * sizeof(*e->globs));

		n = strcspn(value, " \t");
		if (!more)
			return false;
		e->globs = more;
		if (n >= GLOB_MAX)
			return false;
		memcpy(e->globs[e->glob_count], value, n);
		e->globs[e->glob_count++][n] = '\0';
	}
	return true;
}

static bool add_avoid(struct deviations *d, struct entry *e, const char *value)
{
	void *more = lengthen(d, e->avoid, (e->avoids + 1) * sizeof(*e->avoid));

	if (!more)
		return false;
	e->avoid = more;
	return (size_t)snprintf(e->avoid[e->avoids++], AVOID_MAX, "%s", value) <
	       AVOID_MAX;
}

/* A value with further, indented lines arrives in parts. */
static bool append(char *to, size_t cap, const char *value)
{
	size_t had = strlen(to), n = strlen(value);

	if (had + n + 2 > cap)
		return false;
	if (had)
		to[had++] = ' ';
	memcpy(to + had, value, n + 1);
	return true;
}

static int on_key(void *user, const char *section, const char *key,
		  const char *value)
{
	struct deviations *d = user;
	struct entry *e = d->section_begins ? new_entry(d) : d->last;
	bool ok = false;

	if (e)
		take_comments(d, e, d->section_begins);
	d->section_begins = false;
	if (strcmp(section, "deviation") != 0 || !e)
		ok = false;
	else if (strcmp(key, "case") == 0)
		ok = add_globs(d, e, value);
	else if (strcmp(key, "signature") == 0)
		ok = append(e->signature, sizeof(e->signature), value);
	else if (strcmp(key, "reason") == 0)
		ok = append(e->reason, sizeof(e->reason), value);
	else if (strcmp(key, "reference") == 0)
		ok = append(e->reference, sizeof(e->reference), value);
	else if (strcmp(key, "expires") == 0)
		ok = is_date(value) && !e->expires[0] &&
		     append(e->expires, sizeof(e->expires), value);
	else if (strcmp(key, "sometimes") == 0)
		ok = e->sometimes = strcmp(value, "yes") == 0;
	else if (strcmp(key, "avoid") == 0)
		ok = *value && add_avoid(d, e, value);
	if (!ok && !d->wrong[0])
		snprintf(d->wrong, sizeof(d->wrong),
			 "[%s] %s = %s: expected in [deviation]: case, "
			 "signature, reason, reference, sometimes = yes, avoid "
			 "= STEP, or expires = YYYY-MM-DD",
			 section, key, value);
	return ok;
}

/* NULL: every entry has what it needs. */
static const struct entry *incomplete(const struct deviations *d)
{
	for (const struct entry *e = d->first; e; e = e->next)
		if (!e->glob_count || !e->signature[0] || !e->reason[0])
			return e;
	return NULL;
}

struct deviations *deviations_parse(const char *path, const char *text,
				    size_t n, const char *const *ids,
				    size_t id_count, char *why, size_t cap)
{
	struct deviations *d = calloc(1, sizeof(*d));
	int line;

	if (!d) {
		snprintf(why, cap, "out of memory");
		return NULL;
	}
	d->path = path;
	d->ids = ids;
	d->id_count = id_count;
	d->text = (struct text_lines){text, text + n};
	if (!text_check(path, 1, text, n, TEXT_INI_LINE, why, cap)) {
		deviations_free(d);
		return NULL;
	}
	line = ini_parse_stream(read_line, d, on_key, d);
	if (d->no_memory)
		line = -1;
	d->text = (struct text_lines){0};
	const struct entry *bad = line == 0 ? incomplete(d) : NULL;

	if (bad) {
		snprintf(why, cap,
			 "%s: case = %s: case, signature and reason are all "
			 "required",
			 path, entry_name(bad));
		deviations_free(d);
		return NULL;
	}
	if (line == 0)
		return d;
	if (line < 0)
		snprintf(why, cap, "%s: out of memory", path);
	else
		snprintf(why, cap, "%s:%d: %s", path, line,
			 d->wrong[0] ? d->wrong
				     : "neither a [section] nor 'key = value'");
	deviations_free(d);
	return NULL;
}

struct deviations *deviations_load(const char *path, bool may_be_missing,
				   const char *const *ids, size_t id_count,
				   char *why, size_t cap)
{
	const struct text_bounds bounds = {TEXT_INI_FILE, TEXT_INI_LINE};
	bool missing;
	size_t n;
	char *text = text_file_read(path, &bounds, &n, &missing, why, cap);
	struct deviations *d = NULL;

	if (text)
		d = deviations_parse(path, text, n, ids, id_count, why, cap);
	else if (may_be_missing && missing)
		d = deviations_parse(path, "", 0, ids, id_count, why, cap);
	free(text);
	return d;
}

void deviations_free(struct deviations *d)
{
	while (d && d->first) {
		struct entry *e = d->first;

		d->first = e->next;
		free(e->globs);
		free(e->avoid);
		free(e->apart);
		free(e->comments);
		free(e);
	}
	if (d) {
		deviations_forget_stale(d);
		free(d->comments);
	}
	while (d && d->kept) {
		struct kept *k = d->kept;

		d->kept = k->next;
		free(k->text);
		free(k);
	}
	free(d);
}
