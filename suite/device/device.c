/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/text/ini_file.h"
#include "harness/text/text_file.h"
#include "suite/device/keys.h"

void device_init(struct device *d)
{
	*d = (struct device){.name = "unnamed device",
			     .link_kind = "auto",
			     .hook_health_ms = DEVICE_HEALTH_MS,
			     .hook_reset_ms = DEVICE_RESET_MS,
			     .hook_log_ms = DEVICE_LOG_MS,
			     .folder = "."};
}

struct loading {
	struct device *device;
	const char *path;
	unsigned token_line;  /* where the token file is named */
	char token_told[256]; /* its path, as written there */
};

static bool on_key(void *user, const struct ini_key *k, char *why, size_t cap)
{
	struct loading *l = user;

	if (strcmp(k->section, "device") == 0 &&
	    strcmp(k->name, "token-file") == 0) {
		l->token_line = k->line;
		snprintf(l->token_told, sizeof(l->token_told), "%s", k->value);
	}
	return device_key_set(l->device, l->path, k->section, k->name, k->value,
			      why, cap);
}

bool device_parse(struct device *d, const char *path, const char *text,
		  size_t n, char *why, size_t cap)
{
	struct loading l = {.device = d, .path = path};

	device_init(d);
	const char *slash = strrchr(path, '/');

	if (slash &&
	    !device_path_beside(path, "", d->folder, sizeof(d->folder))) {
		snprintf(why, cap, "%.60s...: the path is too long", path);
		return false;
	}
	if (!ini_keys(path, text, n, on_key, &l, why, cap))
		return false;
	if (!d->agent[0] && !device_is_alone(d)) {
		snprintf(why, cap,
			 "%s: [device] agent is missing: add "
			 "agent = ADDRESS:PORT, or target = HOST:PORT or "
			 "connect = COMMAND",
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
			 missing ? "it does not exist; is the device up?"
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
