/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/device/target.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* RFC 5044 s7.1.1: no more may follow the header. */
#define PRIVATE_MOST 512u

/* Copies the host; returns the port, or 0: there is none. */
static unsigned long split(const char *text, char *host, size_t cap)
{
	const char *colon = strrchr(text, ':');
	char *end;

	if (!colon || colon[1] < '0' || colon[1] > '9')
		return 0;
	unsigned long port = strtoul(colon + 1, &end, 10);
	size_t n = (size_t)(colon - text);

	if (n >= 2 && text[0] == '[' && text[n - 1] == ']') {
		text++;
		n -= 2;
	} else if (memchr(text, ':', n)) {
		return 0;
	}
	if (*end || port > 65535 || !n || n >= cap)
		return 0;
	memcpy(host, text, n);
	host[n] = '\0';
	return port;
}

bool device_set_target(struct device *d, const char *text, bool *unknown,
		       char *why, size_t cap)
{
	const struct addrinfo hints = {.ai_family = AF_UNSPEC,
				       .ai_socktype = SOCK_STREAM};
	struct addrinfo *found;
	char host[256];
	unsigned long port = split(text, host, sizeof(host));

	*unknown = false;
	if (!port) {
		snprintf(
			why, cap,
			"target %.200s: expected HOST:PORT, as 192.0.2.7:20049 "
			"or [2001:db8::7]:20049",
			text);
		return false;
	}
	int error = getaddrinfo(host, NULL, &hints, &found);

	if (error) {
		*unknown = true;
		snprintf(why, cap,
			 "target %.200s: the name %.100s does not resolve: %s; "
			 "give its address",
			 text, host,
			 error == EAI_SYSTEM ? strerror(errno)
					     : gai_strerror(error));
		return false;
	}
	error = getnameinfo(found->ai_addr, found->ai_addrlen, d->target,
			    sizeof(d->target), NULL, 0, NI_NUMERICHOST);
	freeaddrinfo(found);
	if (error) {
		d->target[0] = '\0';
		*unknown = true;
		snprintf(why, cap, "target %.200s: %s", text,
			 gai_strerror(error));
		return false;
	}
	d->target_port = (uint16_t)port;
	if (strcmp(d->name, "unnamed device") == 0)
		snprintf(d->name, sizeof(d->name), "%.180s", text);
	return true;
}

static int digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

static bool from_hex(struct device *d, const char *text)
{
	size_t n = 0;

	for (; *text; text += 2) {
		int high = digit(text[0]), low = high < 0 ? -1 : digit(text[1]);

		if (low < 0 || n == PRIVATE_MOST)
			return false;
		d->private_data[n++] = (uint8_t)(high << 4 | low);
	}
	d->private_octets = n;
	return n > 0;
}

static bool from_file(struct device *d, const char *path, char *why, size_t cap)
{
	FILE *f = fopen(path, "rb");
	size_t n = 0;

	if (f) {
		n = fread(d->private_data, 1, PRIVATE_MOST, f);
		if (n == PRIVATE_MOST && fgetc(f) != EOF)
			n = PRIVATE_MOST + 1;
		if (ferror(f))
			n = 0;
		fclose(f);
	}
	d->private_octets = n <= PRIVATE_MOST ? n : 0;
	if (d->private_octets)
		return true;
	snprintf(why, cap, "private data @%.200s: %s", path,
		 !f  ? strerror(errno)
		 : n ? "more than 512 octets"
		     : "there is nothing in it");
	return false;
}

bool device_set_private_data(struct device *d, const char *text, char *why,
			     size_t cap)
{
	if (*text == '@')
		return from_file(d, text + 1, why, cap);
	if (from_hex(d, text))
		return true;
	snprintf(why, cap,
		 "private data %.100s: expected 1 to 512 octets in hex, or "
		 "@FILE",
		 text);
	return false;
}
