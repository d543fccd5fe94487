/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands for the guest, and its answers. */
#include "harness/lab/sctp/interop/interop.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

uint16_t commands_port;
int commands = -1;
char reply[1024];

static void tell(const char *fmt, va_list ap)
{
	char line[1024];
	int n = vsnprintf(line, sizeof(line) - 1, fmt, ap);

	line[n++] = '\n';
	CU_ASSERT_EQUAL_FATAL(write(commands, line, (size_t)n), n);
}

void hear(void)
{
	size_t n = 0;

	for (;;) {
		struct link_wait w = {.fd = commands, .want = LINK_READ};
		int status = link_wait(our_link, &w, 1, clock_after_ms(60000));

		CU_ASSERT_EQUAL_FATAL(status, 1);
		ssize_t k = read(commands, reply + n, sizeof(reply) - 1 - n);

		CU_ASSERT_FATAL(k > 0);
		n += (size_t)k;
		if (reply[n - 1] == '\n')
			break;
	}
	reply[n - 1] = '\0';
}

void ask_ahead(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tell(fmt, ap);
	va_end(ap);
}

void must_be_ok(void)
{
	bool right = strncmp(reply, "OK", 2) == 0;

	if (!right)
		fprintf(stderr, "the guest: %s\n", reply);
	CU_ASSERT_TRUE_FATAL(right);
}

void ask(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tell(fmt, ap);
	va_end(ap);
	hear();
	must_be_ok();
}

long told(const char *key)
{
	char with_sign[32];
	const char *at;

	snprintf(with_sign, sizeof(with_sign), " %s=", key);
	at = strstr(reply, with_sign);
	CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	if (!at)
		return -1;
	at += strlen(with_sign);
	return strncmp(at, "none", 4) == 0 ? -1 : strtol(at, NULL, 10);
}

void guest_objects_to_nothing(void)
{
	ask("breaches");
	if (strcmp(reply, "OK 0") != 0)
		fprintf(stderr, "the guest: %s\n", reply);
	CU_ASSERT_STRING_EQUAL(reply, "OK 0");
}

void guest_objects(const char *to)
{
	ask("breaches count=1");
	if (!strstr(reply, to))
		fprintf(stderr, "the guest does not say %s: %s\n", to, reply);
	CU_ASSERT_PTR_NOT_NULL(strstr(reply, to));
}

void connect_commands(void)
{
	struct sockaddr_in in = {.sin_family = AF_INET,
				 .sin_port = htons(commands_port)};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6,
				   .sin6_port = htons(commands_port)};
	bool six = strchr(guest, ':');
	int status;

	inet_pton(AF_INET, guest, &in.sin_addr);
	inet_pton(AF_INET6, guest, &in6.sin6_addr);
	commands =
		socket(six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	status = six ? connect(commands, (struct sockaddr *)&in6, sizeof(in6))
		     : connect(commands, (struct sockaddr *)&in, sizeof(in));
	if (status != 0) {
		fprintf(stderr, "port %u of %s: %s\n", commands_port, guest,
			strerror(errno));
		exit(2);
	}
}
