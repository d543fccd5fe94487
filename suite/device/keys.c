/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/device/keys.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/agent/client.h"
#include "suite/device/spelling.h"
#include "suite/device/target.h"

/* --- values ------------------------------------------------------------------ */

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

static bool copy(char *to, size_t cap, const char *value)
{
	size_t n = strlen(value);

	if (n >= cap)
		return false;
	memcpy(to, value, n + 1);
	return true;
}

bool device_path_beside(const char *path, const char *value, char *to,
			size_t cap)
{
	const char *slash = strrchr(path, '/');

	if (value[0] == '/' || !slash)
		return copy(to, cap, value);
	int n = snprintf(to, cap, "%.*s%s", (int)(slash - path + 1), path,
			 value);

	return n > 0 && (size_t)n < cap;
}

/* --- the table --------------------------------------------------------------- */

struct key;

/* Where it is set, and in which file. */
struct setting {
	struct device *device;
	const char *path, *value;
	const struct key *key;
};

struct key {
	const char *section, *name, *value;
	const char *wanted; /* NULL: like value */
	bool (*set)(const struct setting *s);
	size_t at, room; /* of a text, or a number with its maximum */
	const char *text;
};

static bool set_text(const struct setting *s)
{
	return copy((char *)s->device + s->key->at, s->key->room, s->value);
}

static bool set_path(const struct setting *s)
{
	return device_path_beside(s->path, s->value,
				  (char *)s->device + s->key->at, s->key->room);
}

static bool put_number(const struct setting *s, unsigned long least)
{
	unsigned long n;

	if (!number(s->value, s->key->room, &n) || n < least)
		return false;
	*(unsigned *)((char *)s->device + s->key->at) = (unsigned)n;
	return true;
}

static bool set_number(const struct setting *s)
{
	return put_number(s, 1);
}

static bool set_number_or_0(const struct setting *s)
{
	return put_number(s, 0);
}

static bool set_agent(const struct setting *s)
{
	return device_set_agent(s->device, s->value);
}

static bool set_target(const struct setting *s)
{
	char why[512];
	bool unknown;

	return device_set_target(s->device, s->value, &unknown, why,
				 sizeof(why));
}

static bool set_private_data(const struct setting *s)
{
	char why[512], path[256] = "@";

	if (s->value[0] != '@')
		return device_set_private_data(s->device, s->value, why,
					       sizeof(why));
	return device_path_beside(s->path, s->value + 1, path + 1,
				  sizeof(path) - 1) &&
	       device_set_private_data(s->device, path, why, sizeof(why));
}

static bool set_buffer(const struct setting *s)
{
	char why[512];

	return device_set_buffer(s->device, s->value, why, sizeof(why));
}

static bool set_link_kind(const struct setting *s)
{
	static const char *const kinds[] = {"socket", "raw", "sctp", "auto"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(s->value, kinds[i]) == 0)
			return set_text(s);
	return false;
}

static bool set_sctp_udp(const struct setting *s)
{
	s->device->sctp_ip_alone = strcmp(s->value, "no") == 0;
	return s->device->sctp_ip_alone || put_number(s, 1);
}

static bool set_request(const struct setting *s)
{
	struct request_form *f = &s->device->request;

	f->known = true;
	f->enhanced = strcmp(s->value, "plain") != 0;
	f->rev = f->enhanced ? 2 : 1;
	if (strcmp(s->value, "peer-to-peer") == 0)
		f->rtr = f->rtr ? f->rtr : AGENT_RTR_READ;
	else if (strcmp(s->value, "enhanced") == 0 || !f->enhanced)
		return f->rtr == 0;
	else
		return false;
	return true;
}

static bool set_rtr(const struct setting *s)
{
	static const char *const names[] = {"send", "write", "read"};
	struct request_form *f = &s->device->request;

	/* Already reported for another model? */
	if (f->known && !f->rtr)
		return false;
	*f = (struct request_form){.known = true, .rev = 2, .enhanced = true};
	for (const char *value = s->value; *value;) {
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

#define TEXT(field)                                                            \
	set_text, offsetof(struct device, field),                              \
		sizeof(((struct device *)0)->field)
#define LONG "a shorter value"
#define TIME "milliseconds, 1 to 3600000"

#define FEATURES "features"

static const struct key keys[] = {
	{"device", "name", "TEXT", LONG, TEXT(name), "its name in reports"},
	{"device", "agent", "ADDRESS:PORT",
	 "ADDRESS:PORT with a numeric address", set_agent, 0, 0,
	 "where its agent listens; this key or target is required"},
	{"device", "target", "HOST:PORT",
	 "HOST:PORT, with a name that resolves or a numeric address",
	 set_target, 0, 0, "without an agent: any RDMA endpoint"},
	{"device", "private-data", "HEX | @FILE",
	 "1 to 512 octets in hex, or @FILE", set_private_data, 0, 0,
	 "what the ULP behind the target wants in each Request"},
	{"device", "buffer", "STAG:TO:LENGTH | PLACE:OFFSET",
	 "STAG:TO:LENGTH, private-data:OFFSET or send:OFFSET", set_buffer, 0, 0,
	 "memory that the ULP behind the target lets its peers use"},
	{"device", "connect", "COMMAND", LONG, TEXT(connect),
	 "without an agent: has the device connect to $WARPSPEC_HOST and "
	 "$WARPSPEC_PORT"},
	{"device", "token-file", "PATH", LONG, set_path,
	 offsetof(struct device, token_file),
	 sizeof(((struct device *)0)->token_file),
	 "the token, if the agent asks for one"},
	{"device", "impl", "GLOB", LONG, TEXT(impl),
	 "the suite runs only if the agent reports a device of this name"},
	{"device", "maker", "TEXT", LONG, TEXT(identity[DEVICE_MAKER]),
	 "printed in reports: the maker of the device"},
	{"device", "model", "TEXT", LONG, TEXT(identity[DEVICE_MODEL]),
	 "printed in reports: the model of the device"},
	{"device", "serial", "TEXT", LONG, TEXT(identity[DEVICE_SERIAL]),
	 "printed in reports: the serial number of the device"},
	{"device", "firmware", "TEXT", LONG, TEXT(identity[DEVICE_FIRMWARE]),
	 "printed in reports: the version of the firmware"},
	{"device", "driver", "TEXT", LONG, TEXT(identity[DEVICE_DRIVER]),
	 "printed in reports: the version of the driver"},
	{"device", "operator", "TEXT", LONG, TEXT(identity[DEVICE_OPERATOR]),
	 "printed in reports: who runs the suite"},
	{"link", "kind", "socket | raw | sctp | auto",
	 "socket, raw, sctp or auto", set_link_kind,
	 offsetof(struct device, link_kind),
	 sizeof(((struct device *)0)->link_kind),
	 "kernel TCP, the suite's own TCP on raw packets, or SCTP"},
	{"link", "netns", "NAME", LONG, TEXT(link_netns),
	 "the network namespace in which the device is reached"},
	{"link", "interface", "NAME", LONG, TEXT(link_interface),
	 "raw: the interface to the device"},
	{"link", "address", "ADDRESS/PREFIX", LONG, TEXT(link_address),
	 "raw: the peer's own address, used by no other host"},
	{"link", "sctp-udp", "N | no", "a port, 1 to 65535, or no",
	 set_sctp_udp, offsetof(struct device, sctp_udp), 65535,
	 "sctp: first of the peer's UDP ports, or no: directly over IP"},
	{"link", "gateway", "ADDRESS", LONG, TEXT(link_gateway),
	 "raw: the router to a device in another network"},
	{FEATURES, NULL, "yes | no", "yes or no", NULL, 0, 0, NULL},
	{"startup", "request", "KIND", "plain, enhanced or peer-to-peer",
	 set_request, 0, 0,
	 "plain, enhanced or peer-to-peer: the only kind of MPA Request that "
	 "it sends"},
	{"startup", "rtr", "send,write,read",
	 "of send,write,read, with request = peer-to-peer", set_rtr, 0, 0,
	 "the RTR messages that its peer-to-peer Request offers"},
	{"timing", "settle-ms", "N", "milliseconds, 0 to 60000",
	 set_number_or_0, offsetof(struct device, settle_ms), 60000,
	 "milliseconds between startup and the first FPDU"},
	{"limits", "connections", "N", "how many, 1 to 65535", set_number,
	 offsetof(struct device, connections), 65535,
	 "for a target: connections at once"},
	{"limits", "streams", "N", "how many, 1 to 65535", set_number,
	 offsetof(struct device, streams), 65535,
	 "most cases that run at once, each with a stream"},
	{"hooks", "health", "COMMAND", LONG, TEXT(hook_health),
	 "run by /bin/sh on this host; exits with 0 if the device is well"},
	{"hooks", "health-timeout-ms", "N", TIME, set_number,
	 offsetof(struct device, hook_health_ms), 3600000,
	 "time limit in milliseconds (default: 5000)"},
	{"hooks", "log", "COMMAND", LONG, TEXT(hook_log),
	 "run when a case has failed; what it prints is shown with the case"},
	{"hooks", "log-timeout-ms", "N", TIME, set_number,
	 offsetof(struct device, hook_log_ms), 3600000,
	 "time limit in milliseconds (default: 5000)"},
	{"hooks", "reset", "COMMAND", LONG, TEXT(hook_reset),
	 "run to restore a device that is not well"},
	{"hooks", "reset-timeout-ms", "N", TIME, set_number,
	 offsetof(struct device, hook_reset_ms), 3600000,
	 "time limit in milliseconds (default: 300000)"},
};
#define KEYS (sizeof(keys) / sizeof(keys[0]))

/* The help on each feature; the last ones are abilities of the agent. */
static const char *const features[AGENT_FEATURES] = {
	[AGENT_FEATURE_BIT_RESPONDER] = "takes connections",
	[AGENT_FEATURE_BIT_INITIATOR] = "makes connections",
	[AGENT_FEATURE_BIT_SEND] = "Send",
	[AGENT_FEATURE_BIT_SEND_INV] = "Send with Invalidate",
	[AGENT_FEATURE_BIT_SEND_SE] = "Send with Solicited Event",
	[AGENT_FEATURE_BIT_SEND_SE_INV] =
		"Send with Solicited Event and Invalidate",
	[AGENT_FEATURE_BIT_WRITE] = "RDMA Write",
	[AGENT_FEATURE_BIT_READ] = "RDMA Read",
	[AGENT_FEATURE_BIT_TERMINATE] =
		"sends Terminates, and reports received ones",
	[AGENT_FEATURE_BIT_FETCHADD] = "FetchAdd",
	[AGENT_FEATURE_BIT_CMPSWAP] = "CmpSwap",
	[AGENT_FEATURE_BIT_SWAP] = "Swap",
	[AGENT_FEATURE_BIT_MASKED_ATOMICS] = "atomics with masks",
	[AGENT_FEATURE_BIT_IMM] = "Immediate Data",
	[AGENT_FEATURE_BIT_IMM_SE] = "Immediate Data with Solicited Event",
	[AGENT_FEATURE_BIT_MPA_V1] = "MPA Requests of Rev 1",
	[AGENT_FEATURE_BIT_MPA_V2] = "enhanced connection setup, Rev 2",
	[AGENT_FEATURE_BIT_P2P] = "the peer-to-peer model of Rev 2",
	[AGENT_FEATURE_BIT_RTR_SEND] = "a Send as RTR",
	[AGENT_FEATURE_BIT_RTR_WRITE] = "an RDMA Write as RTR",
	[AGENT_FEATURE_BIT_RTR_READ] = "an RDMA Read as RTR",
	[AGENT_FEATURE_BIT_MARKERS_RX] = "can ask for markers",
	[AGENT_FEATURE_BIT_MARKERS_TX] = "can send markers",
	[AGENT_FEATURE_BIT_CRC_OFF] = "can work without CRCs",
	[AGENT_FEATURE_BIT_PRIVATE_DATA] = "private data in startup frames",
	[AGENT_FEATURE_BIT_REJECT] = "can reject a connection",
	[AGENT_FEATURE_BIT_MULTI_STREAM] =
		"several connections at once in one domain",
	[AGENT_FEATURE_BIT_SCTP] = "iWARP over SCTP",
	[AGENT_FEATURE_BIT_RECV_LOCAL] = "agent: receives into a region",
	[AGENT_FEATURE_BIT_STREAM_STAG] = "agent: STags bound to one stream",
	[AGENT_FEATURE_BIT_SHARED_STAG] =
		"agent: STags that no peer may invalidate",
	[AGENT_FEATURE_BIT_ZERO_BASED] = "agent: regions that start at TO 0",
	[AGENT_FEATURE_BIT_ACCESS] = "agent: changes the rights of a region",
	[AGENT_FEATURE_BIT_PROVOKE] = "agent: causes local errors on request",
	[AGENT_FEATURE_BIT_MSN_PRESET] = "agent: sets the first MSNs",
	[AGENT_FEATURE_BIT_HALF_CLOSE] = "agent: closes one direction of TCP",
	[AGENT_FEATURE_BIT_NEED_ORD] = "agent: can require a minimum ORD",
};

bool device_key_at(size_t i, struct device_key *key)
{
	for (size_t k = 0; k < KEYS; k++) {
		size_t n = keys[k].name ? 1 : AGENT_FEATURES;

		if (i >= n) {
			i -= n;
			continue;
		}
		*key = (struct device_key){keys[k].section, keys[k].name,
					   keys[k].value, keys[k].text};
		if (!key->name) {
			key->name = agent_feature_name((enum agent_feature)i);
			key->text = features[i];
		}
		return true;
	}
	return false;
}

const char *device_identity_name(enum device_identity i)
{
	for (size_t k = 0; k < KEYS; k++)
		if (keys[k].set == set_text &&
		    keys[k].at == offsetof(struct device, identity) +
					  i * sizeof(((struct device *)0)
							     ->identity[0]))
			return keys[k].name;
	return "";
}

/* --- setting ----------------------------------------------------------------- */

static bool set_feature(struct device *d, const char *name, const char *value)
{
	uint64_t bit = UINT64_C(1) << agent_feature_of(name, strlen(name));

	if (strcmp(value, "yes") == 0)
		d->features_yes |= bit;
	else if (strcmp(value, "no") == 0)
		d->features_no |= bit;
	else
		return false;
	return true;
}

/* An unknown key: in another section, or misspelt. */
static void unknown(const char *section, const char *name, char *why,
		    size_t cap)
{
	struct spelling sections = spelling_of(section),
			names = spelling_of(name);
	const char *elsewhere = NULL;
	struct device_key k;
	bool known = false;

	for (size_t i = 0; device_key_at(i, &k); i++) {
		spelling_offer(&sections, k.section);
		if (strcmp(k.section, section) == 0) {
			known = true;
			spelling_offer(&names, k.name);
		}
		if (strcmp(k.name, name) == 0)
			elsewhere = k.section;
	}
	size_t n = strlen(why);

	if (!known) {
		snprintf(why + n, cap - n,
			 "expected a section device, link, features, startup, "
			 "timing, limits or hooks");
		spelling_say(&sections, why, cap);
		return;
	}
	snprintf(why + n, cap - n,
		 "expected a key that 'warpspec device --keys' lists");
	n = strlen(why);
	if (elsewhere)
		snprintf(why + n, cap - n, "; %s is one of [%s]", name,
			 elsewhere);
	else
		spelling_say(&names, why, cap);
}

bool device_key_set(struct device *d, const char *path, const char *section,
		    const char *key, const char *value, char *why, size_t cap)
{
	bool feature = strcmp(section, FEATURES) == 0 &&
		       agent_feature_of(key, strlen(key)) != AGENT_FEATURES;

	snprintf(why, cap, "[%s] %s = %.200s: ", section, key, value);
	for (size_t k = 0; k < KEYS; k++) {
		const struct setting s = {d, path, value, &keys[k]};

		if (strcmp(keys[k].section, section) != 0 ||
		    (keys[k].name ? strcmp(keys[k].name, key) != 0 : !feature))
			continue;
		if (keys[k].name ? keys[k].set(&s) : set_feature(d, key, value))
			return true;
		snprintf(why + strlen(why), cap - strlen(why), "expected %s",
			 keys[k].wanted);
		return false;
	}
	unknown(section, key, why, cap);
	return false;
}
