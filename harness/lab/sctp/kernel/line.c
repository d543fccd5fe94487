/* SPDX-License-Identifier: BSD-2-Clause */
/* A command as a line: its verb, the values of its keys, and the answer. */
#include "harness/lab/sctp/kernel/kernel.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char line[LINE], answer[LINE];

void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(answer, sizeof(answer), fmt, ap);
	va_end(ap);
}

/* The value of KEY=; NULL: it is not there. */
static const char *text_of(const char *key)
{
	static char value[128];
	size_t n = strlen(key);

	for (const char *at = strchr(line, ' '); at; at = strchr(at, ' ')) {
		at++;
		if (strncmp(at, key, n) != 0 || at[n] != '=')
			continue;
		snprintf(value, sizeof(value), "%.*s",
			 (int)strcspn(at + n + 1, " "), at + n + 1);
		return value;
	}
	return NULL;
}

unsigned long number_of(const char *key, unsigned long otherwise)
{
	const char *text = text_of(key);

	return text ? strtoul(text, NULL, 0) : otherwise;
}

bool is(const char *verb)
{
	size_t n = strlen(verb);

	return strncmp(line, verb, n) == 0 && (line[n] == ' ' || !line[n]);
}

socklen_t address_of(const char *key, struct sockaddr_storage *out)
{
	const char *text = text_of(key);
	struct sockaddr_in in = {.sin_family = AF_INET};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};

	if (!text)
		return 0;
	in.sin_port = in6.sin6_port = htons(
		(uint16_t)(strcmp(key, "address") == 0 ? number_of("port", 0)
						       : 0));
	text = text_of(key);
	if (inet_pton(AF_INET, text, &in.sin_addr) == 1) {
		memcpy(out, &in, sizeof(in));
		return sizeof(in);
	}
	if (inet_pton(AF_INET6, text, &in6.sin6_addr) == 1) {
		memcpy(out, &in6, sizeof(in6));
		return sizeof(in6);
	}
	return 0;
}
