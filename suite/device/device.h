/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device under test: where it is and how it is reached. A device file or
 * the built-in device (builtin.h) has its address, links.h opens the link to
 * it, segmentation.h cuts the octets sent on it, and hooks.h finds out whether
 * it is alive and restores it. keys.h has the keys of a device file, and
 * spelling.h the suggestions for misspelt ones. This folder does not use cases.
 *
 * The device file: the addresses of the device and its agent, overrides for the
 * features that its agent claims, and how the device has to be treated.
 * Relative paths in it - the token file, and the folder in which hooks run -
 * are relative to the folder of the file.
 */
#ifndef SUITE_DEVICE_DEVICE_H
#define SUITE_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The form of a device's own Requests (RFC 5044 s7.1.1, RFC 6581 s6). */
struct request_form {
	bool known;
	unsigned rev;
	bool enhanced;
	unsigned rtr; /* enum agent_rtr: those it offers; 0: A=0 */
};

/* Facts about a device that the suite only passes on to reports. */
enum device_identity {
	DEVICE_MAKER,
	DEVICE_MODEL,
	DEVICE_SERIAL,
	DEVICE_FIRMWARE,
	DEVICE_DRIVER,
	DEVICE_OPERATOR, /* the person who runs the suite on it */
	DEVICE_IDENTITY
};

/* Memory of the device that its ULP has advertised, and where it advertises
 * it. */
enum buffer_where {
	BUFFER_NONE,
	BUFFER_GIVEN,        /* by STag, TO and length, for any connection */
	BUFFER_PRIVATE_DATA, /* in the private data of each Reply */
	BUFFER_SEND,         /* in the ULP's first Send of each connection */
};
struct device_buffer {
	enum buffer_where where;
	uint32_t stag;
	uint64_t to, len;
	size_t offset;   /* of its 16 octets: TO, STag, length */
	bool stag_first; /* these are STag, length, TO instead */
};

struct device {
	char name[192];
	char identity[DEVICE_IDENTITY][128]; /* "" = not given */
	char impl[128];  /* a glob for the name that its agent reports, "" =
			  * any */
	char agent[128]; /* numeric address, without the port */
	uint16_t agent_port;
	/* Without an agent: any RDMA endpoint, and the data for its ULP. */
	char target[64]; /* numeric address; "" = there is an agent */
	uint16_t target_port;
	uint8_t private_data[512]; /* of each Request */
	size_t private_octets;
	struct device_buffer buffer;
	/* Command for /bin/sh that makes the device open a connection; "" =
	 * none. */
	char connect[256];
	/* The most connections at once, those of one case included; 0: as many
	 * as the port accepts. */
	unsigned connections;
	char token_file[256]; /* "" = none */
	char link_kind[16];   /* "socket", "raw", "sctp", "auto" */
	char link_netns[64];  /* its network namespace, "" = the suite's */
	char link_interface[32];
	char link_address[64]; /* the peer's own: ADDRESS/PREFIX */
	char link_gateway[64];
	/* For SCTP: the UDP port of the first worker's packets; the next
	 * workers use the next ports; 0: the system chooses. sctp_ip_alone:
	 * SCTP directly over IP, without UDP. */
	unsigned sctp_udp;
	bool sctp_ip_alone;
	uint64_t features_yes, features_no; /* NEED_ bits */
	struct request_form request;        /* if the file sets it */
	unsigned settle_ms;
	unsigned streams; /* cases with streams at once, 0: not given */
	/* Commands for /bin/sh, "" = none; see suite/device/hooks.h. */
	char hook_reset[256], hook_health[256], hook_log[256];
	unsigned hook_reset_ms, hook_health_ms, hook_log_ms; /* time limits */
	char folder[256]; /* of the device file */
};

/* The device has no agent: the suite knows only an address and a port, or a
 * command that makes the device open a connection. */
static inline bool device_is_alone(const struct device *d)
{
	return !d->agent[0] && (d->target[0] || d->connect[0]);
}

#define DEVICE_TOKEN     256 /* octets of a token, with a NUL */
#define DEVICE_HEALTH_MS 5000u
#define DEVICE_RESET_MS  300000u
#define DEVICE_LOG_MS    5000u

/* Defaults: a device without a name, on the socket link. */
void device_init(struct device *d);

/*
 * Read a device file. On a fault returns false with one line in why that
 * names the file, the line and the key.
 */
bool device_load(struct device *d, const char *path, char *why, size_t cap);

/* The same from n octets, followed by a NUL, that stand for the file at
 * path. */
bool device_parse(struct device *d, const char *path, const char *text,
		  size_t n, char *why, size_t cap);

#endif
