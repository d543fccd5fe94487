/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ini.h>

#include "harness/text/text_file.h"
#include "suite/device/keys.h"

void device_init(struct device *d)
{
	*d = (struct device){.name = "unnamed device",
			     .link_kind = "auto",
			     .hook_health_ms = DEVICE_HEALTH_MS,
			     .hook_reset_ms = DEVICE_RESET_MS,
			     .folder = "."};
}

#define KEYS_MOST 128 /* of a file: no more are known, all together */

/* A key that was read, and where. */
struct seen_key {
	char section[32], key[64];
	unsigned line;
};

struct loading {
	struct device *device;
	const char *path;
	struct text_lines text;
	unsigned line;        /* that was read last */
	unsigned token_line;  /* where the token file is named */
	char token_told[256]; /* as it is named there */
	struct seen_key seen[KEYS_MOST];
	size_t seen_count;
	char wrong[512]; /* about the first bad key, "" = none */
};

/* Where the key was read before, or 0: from now on it was. */
static unsigned seen_before(struct loading *l, const char *section,
			    const char *key)
{
	struct seen_key *s = l->seen;

	for (size_t i = 0; i < l->seen_count; i++, s++)
		if (strcmp(s->section, section) == 0 &&
		    strcmp(s->key, key) == 0)
			return s->line;
	/* What is too long for its name, or one too many, is not known. */
	if (l->seen_count < KEYS_MOST && strlen(section) < sizeof(s->section) &&
	    strlen(key) < sizeof(s->key)) {
		strcpy(s->section, section);
		strcpy(s->key, key);
		s->line = l->line;
		l->seen_count++;
	}
	return 0;
}

static int on_key(void *user, const char *section, const char *key,
		  const char *value)
{
	struct loading *l = user;
	char why[sizeof(l->wrong)];
	unsigned before = seen_before(l, section, key);

	if (strcmp(section, "device") == 0 && strcmp(key, "token-file") == 0) {
		l->token_line = l->line;
		snprintf(l->token_told, sizeof(l->token_told), "%s", value);
	}
	if (before)
		snprintf(why, sizeof(why),
			 "[%s] %s = %s: line %u has a value for it already",
			 section, key, value, before);
	else if (device_key_set(l->device, l->path, section, key, value, why,
				sizeof(why)))
		return 1;
	if (!l->wrong[0])
		memcpy(l->wrong, why, sizeof(why));
	return 0;
}

static char *read_line(char *line, int size, void *user)
{
	struct loading *l = user;

	l->line++;
	return text_lines_next(&l->text, line, size);
}

bool device_parse(struct device *d, const char *path, const char *text,
		  size_t n, char *why, size_t cap)
{
	struct loading l = {
		.device = d, .path = path, .text = {text, text + n}};

	device_init(d);
	if (!text_check(path, 1, text, n, TEXT_INI_LINE, why, cap))
		return false;
	const char *slash = strrchr(path, '/');

	if (slash &&
	    !device_path_beside(path, "", d->folder, sizeof(d->folder))) {
		snprintf(why, cap, "%.60s...: the path is too long", path);
		return false;
	}
	int line = ini_parse_stream(read_line, &l, on_key, &l);

	if (line < 0) {
		snprintf(why, cap, "%s: out of memory", path);
		return false;
	}
	if (line > 0) {
		snprintf(why, cap, "%s:%d: %s", path, line,
			 l.wrong[0] ? l.wrong
				    : "neither a [section] nor 'key = value'");
		return false;
	}
	if (!d->agent[0]) {
		snprintf(why, cap,
			 "%s: [device] agent is missing: say "
			 "agent = ADDRESS:PORT",
			 path);
		return false;
	}
	char token[DEVICE_TOKEN], said[256];
	bool missing = false;

	if (l.token_line &&
	    !text_file_first_line(d->token_file, token, sizeof(token), &missing,
				  said, sizeof(said))) {
		size_t octets = strlen(d->token_file);
		bool twice = strncmp(said, d->token_file, octets) == 0 &&
			     strncmp(said + octets, ": ", 2) == 0;

		snprintf(why, cap, "%s:%u: [device] token-file = %s: %s", path,
			 l.token_line, l.token_told,
			 missing ? "it is not there; is the device up?"
			 : twice ? said + octets + 2
				 : said);
		return false;
	}
	return true;
}

bool device_load(struct device *d, const char *path, char *why, size_t cap)
{
	const struct text_bounds bounds = {TEXT_INI_FILE, TEXT_INI_LINE};
	size_t n;
	char *text = text_file_read(path, &bounds, &n, NULL, why, cap);
	bool ok = text && device_parse(d, path, text, n, why, cap);

	free(text);
	return ok;
}
