/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/device/device.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <ini.h>

#include "suite/device/keys.h"

void device_init(struct device *d)
{
	*d = (struct device){.name = "unnamed device",
			     .link_kind = "auto",
			     .hook_health_ms = DEVICE_HEALTH_MS,
			     .hook_reset_ms = DEVICE_RESET_MS,
			     .folder = "."};
}

struct loading {
	struct device *device;
	const char *path;
	char wrong[512]; /* about the first bad key, "" = none */
};

static int on_key(void *user, const char *section, const char *key,
		  const char *value)
{
	struct loading *l = user;
	char why[sizeof(l->wrong)];

	if (device_key_set(l->device, l->path, section, key, value, why,
			   sizeof(why)))
		return 1;
	if (!l->wrong[0])
		memcpy(l->wrong, why, sizeof(why));
	return 0;
}

bool device_load(struct device *d, const char *path, char *why, size_t cap)
{
	struct loading l = {.device = d, .path = path};
	struct stat st;

	device_init(d);
	if (stat(path, &st) < 0) {
		snprintf(why, cap, "%s: %s", path, strerror(errno));
		return false;
	}
	if (!S_ISREG(st.st_mode)) {
		snprintf(why, cap, "%s: not a file", path);
		return false;
	}
	const char *slash = strrchr(path, '/');

	if (slash &&
	    !device_path_beside(path, "", d->folder, sizeof(d->folder))) {
		snprintf(why, cap, "%.60s...: the path is too long", path);
		return false;
	}
	int line = ini_parse(path, on_key, &l);

	if (line < 0) {
		snprintf(why, cap, "%s: %s", path,
			 line == -1 ? strerror(errno) : "out of memory");
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
	return true;
}
