/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/device/device.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <ini.h>

#include "harness/agent/client.h"

void device_init(struct device *d)
{
	*d = (struct device){.name = "unnamed device",
			     .link_kind = "auto",
			     .hook_health_ms = DEVICE_HEALTH_MS,
			     .hook_reset_ms = DEVICE_RESET_MS,
			     .folder = "."};
}

static bool is_address(const char *text)
{
	unsigned char octets[16];

	return inet_pton(AF_INET, text, octets) == 1 ||
	       inet_pton(AF_INET6, text, octets) == 1;
}

static bool number(const char *text, unsigned long max, unsigned long *out)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*out = strtoul(text, &end, 10);
	return !errno && !*end && *out <= max;
}

bool device_set_agent(struct device *d, const char *text)
{
	const char *colon = strrchr(text, ':');
	unsigned long port;
	char host[sizeof(d->agent)];

	if (!colon || !number(colon + 1, 65535, &port) || port == 0)
		return false;
	size_t n = (size_t)(colon - text);

	if (n >= 2 && text[0] == '[' && text[n - 1] == ']') {
		text++;
		n -= 2;
	}
	if (n == 0 || n >= sizeof(host))
		return false;
	memcpy(host, text, n);
	host[n] = '\0';
	if (!is_address(host))
		return false;
	strcpy(d->agent, host);
	d->agent_port = (uint16_t)port;
	return true;
}

struct loading {
	struct device *device;
	const char *path;
	char wrong[256]; /* about the first bad key, "" = none */
};

static bool copy(char *to, size_t cap, const char *value)
{
	size_t n = strlen(value);

	if (n >= cap)
		return false;
	memcpy(to, value, n + 1);
	return true;
}

/* A relative path in the file is relative to the file. */
static bool copy_path(const struct loading *l, char *to, size_t cap,
		      const char *value)
{
	const char *slash = strrchr(l->path, '/');

	if (value[0] == '/' || !slash)
		return copy(to, cap, value);
	int n = snprintf(to, cap, "%.*s%s", (int)(slash - l->path + 1), l->path,
			 value);

	return n > 0 && (size_t)n < cap;
}

static bool set_feature(struct device *d, const char *name, const char *value)
{
	enum agent_feature bit = agent_feature_of(name, strlen(name));

	if (bit == AGENT_FEATURES)
		return false;
	if (strcmp(value, "yes") == 0)
		d->features_yes |= 1ull << bit;
	else if (strcmp(value, "no") == 0)
		d->features_no |= 1ull << bit;
	else
		return false;
	return true;
}

static bool set_link_kind(struct device *d, const char *value)
{
	static const char *const kinds[] = {"socket", "raw", "sctp", "auto"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(value, kinds[i]) == 0)
			return copy(d->link_kind, sizeof(d->link_kind), value);
	return false;
}

static bool set_request(struct device *d, const char *value)
{
	struct request_form *f = &d->request;

	f->known = true;
	f->enhanced = strcmp(value, "plain") != 0;
	f->rev = f->enhanced ? 2 : 1;
	if (strcmp(value, "peer-to-peer") == 0)
		f->rtr = f->rtr ? f->rtr : AGENT_RTR_READ;
	else if (strcmp(value, "enhanced") == 0 || !f->enhanced)
		return f->rtr == 0;
	else
		return false;
	return true;
}

static bool set_rtr(struct device *d, const char *value)
{
	static const char *const names[] = {"send", "write", "read"};
	struct request_form *f = &d->request;

	/* Said of another model before? */
	if (f->known && !f->rtr)
		return false;
	*f = (struct request_form){.known = true, .rev = 2, .enhanced = true};
	while (*value) {
		size_t n = strcspn(value, ",");
		unsigned i = 0;

		while (i < 3 && (strlen(names[i]) != n ||
				 memcmp(names[i], value, n) != 0))
			i++;
		if (i == 3)
			return false;
		f->rtr |= 1u << i;
		value += n + (value[n] == ',');
	}
	return f->rtr != 0;
}

/* How long a hook may take. */
static bool duration(const char *value, unsigned *ms, const char **wanted)
{
	unsigned long n;

	*wanted = "milliseconds, 1 to 3600000";
	if (!number(value, 3600000, &n) || n == 0)
		return false;
	*ms = (unsigned)n;
	return true;
}

/* NULL: done. Otherwise what a right value looks like. */
static const char *set_key(struct loading *l, const char *section,
			   const char *key, const char *value)
{
	struct device *d = l->device;
	unsigned long n;
	bool known = true, ok = true;
	const char *wanted = "a shorter value";

	if (strcmp(section, "device") == 0) {
		if (strcmp(key, "name") == 0) {
			ok = copy(d->name, sizeof(d->name), value);
		} else if (strcmp(key, "agent") == 0) {
			ok = device_set_agent(d, value);
			wanted = "ADDRESS:PORT with a numeric address";
		} else if (strcmp(key, "token-file") == 0) {
			ok = copy_path(l, d->token_file, sizeof(d->token_file),
				       value);
		} else {
			known = false;
		}
	} else if (strcmp(section, "link") == 0) {
		if (strcmp(key, "kind") == 0) {
			ok = set_link_kind(d, value);
			wanted = "socket, raw, sctp or auto";
		} else if (strcmp(key, "netns") == 0) {
			ok = copy(d->link_netns, sizeof(d->link_netns), value);
		} else if (strcmp(key, "interface") == 0) {
			ok = copy(d->link_interface, sizeof(d->link_interface),
				  value);
		} else if (strcmp(key, "address") == 0) {
			ok = copy(d->link_address, sizeof(d->link_address),
				  value);
		} else if (strcmp(key, "gateway") == 0) {
			ok = copy(d->link_gateway, sizeof(d->link_gateway),
				  value);
		} else {
			known = false;
		}
	} else if (strcmp(section, "features") == 0) {
		known = agent_feature_of(key, strlen(key)) != AGENT_FEATURES;
		ok = !known || set_feature(d, key, value);
		wanted = "yes or no";
	} else if (strcmp(section, "startup") == 0) {
		known = strcmp(key, "request") == 0 || strcmp(key, "rtr") == 0;
		ok = !known || (key[1] == 'e' ? set_request(d, value)
					      : set_rtr(d, value));
		wanted = strcmp(key, "rtr") == 0
				 ? "of send,write,read, with request = "
				   "peer-to-peer"
				 : "plain, enhanced or peer-to-peer";
	} else if (strcmp(section, "timing") == 0) {
		known = strcmp(key, "settle-ms") == 0;
		ok = !known || number(value, 60000, &n);
		wanted = "milliseconds, 0 to 60000";
		if (known && ok)
			d->settle_ms = (unsigned)n;
	} else if (strcmp(section, "limits") == 0) {
		known = strcmp(key, "streams") == 0;
		ok = !known || (number(value, 65535, &n) && n > 0);
		wanted = "how many, 1 to 65535";
		if (known && ok)
			d->streams = (unsigned)n;
	} else if (strcmp(section, "hooks") == 0) {
		if (strcmp(key, "reset") == 0)
			ok = copy(d->hook_reset, sizeof(d->hook_reset), value);
		else if (strcmp(key, "health") == 0)
			ok = copy(d->hook_health, sizeof(d->hook_health),
				  value);
		else if (strcmp(key, "reset-timeout-ms") == 0)
			ok = duration(value, &d->hook_reset_ms, &wanted);
		else if (strcmp(key, "health-timeout-ms") == 0)
			ok = duration(value, &d->hook_health_ms, &wanted);
		else
			known = false;
	} else {
		return "a section device, link, features, startup, timing, "
		       "limits or hooks";
	}
	if (!known)
		return "a key that warpspec knows";
	return ok ? NULL : wanted;
}

static int on_key(void *user, const char *section, const char *key,
		  const char *value)
{
	struct loading *l = user;
	const char *wanted = set_key(l, section, key, value);

	if (!wanted)
		return 1;
	if (!l->wrong[0])
		snprintf(l->wrong, sizeof(l->wrong),
			 "[%s] %s = %s: expected %s", section, key, value,
			 wanted);
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

	if (slash && !copy_path(&l, d->folder, sizeof(d->folder), "")) {
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
