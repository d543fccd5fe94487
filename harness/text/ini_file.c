/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/text/ini_file.h"

#include <stdio.h>
#include <string.h>

#include <ini.h>

#include "harness/text/text_file.h"

#define KEYS_MOST 256 /* of a file: no more are known, all together */

/* A key that was read, and where. */
struct seen_key {
	char section[32], key[64];
	unsigned line;
};

struct reading {
	ini_key_fn *take;
	void *user;
	struct text_lines text;
	unsigned line; /* that was read last */
	struct seen_key seen[KEYS_MOST];
	size_t seen_count;
	char wrong[512]; /* about the first bad key, "" = none */
};

/* The line where the key was read before, or 0: from now on this one. */
static unsigned seen_before(struct reading *r, const char *section,
			    const char *key)
{
	struct seen_key *s = r->seen;

	for (size_t i = 0; i < r->seen_count; i++, s++)
		if (strcmp(s->section, section) == 0 &&
		    strcmp(s->key, key) == 0)
			return s->line;
	/* A name that is too long, or one too many, is not tracked. */
	if (r->seen_count < KEYS_MOST && strlen(section) < sizeof(s->section) &&
	    strlen(key) < sizeof(s->key)) {
		strcpy(s->section, section);
		strcpy(s->key, key);
		s->line = r->line;
		r->seen_count++;
	}
	return 0;
}

static int on_key(void *user, const char *section, const char *name,
		  const char *value)
{
	struct reading *r = user;
	const struct ini_key key = {section, name, value, r->line};
	char why[sizeof(r->wrong)];
	unsigned before = seen_before(r, section, name);

	if (before)
		snprintf(why, sizeof(why),
			 "[%s] %s = %s: line %u already has a value for it",
			 section, name, value, before);
	else if (r->take(r->user, &key, why, sizeof(why)))
		return 1;
	if (!r->wrong[0])
		memcpy(r->wrong, why, sizeof(why));
	return 0;
}

static char *read_line(char *line, int size, void *user)
{
	struct reading *r = user;

	r->line++;
	return text_lines_next(&r->text, line, size);
}

bool ini_keys(const char *path, const char *text, size_t n, ini_key_fn *take,
	      void *user, char *why, size_t cap)
{
	struct reading r = {
		.take = take, .user = user, .text = {text, text + n}};

	if (!text_check(path, 1, text, n, TEXT_INI_LINE, why, cap))
		return false;
	int line = ini_parse_stream(read_line, &r, on_key, &r);

	if (line < 0) {
		snprintf(why, cap, "%s: out of memory", path);
		return false;
	}
	if (line > 0)
		snprintf(why, cap, "%s:%d: %s", path, line,
			 r.wrong[0] ? r.wrong
				    : "neither a [section] nor 'key = value'");
	return line == 0;
}
