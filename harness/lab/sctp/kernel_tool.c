/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DDP over the kernel's SCTP, as the other side for interop_tool.c: an
 * independent reading of RFC 5043 that includes and links nothing of the rest
 * of this project. It sends what it is asked to, always in its proper place. It
 * judges what it receives: payload protocol, unordered, DDP-SSNs, the legal
 * sequences, the headers and octets of segments. An objection is a breach, and
 * is kept until it is asked for.
 *
 *   kernel_tool PORT
 *
 * accepts one TCP connection after another there. A line is a command, followed
 * by KEY=VALUE; the answer is one line, OK ... or ERR ..., as soon as the
 * command is complete, or after ms= (40000). Everything that a connection made
 * ends with it.
 *
 *   listen address= port= [SETTINGS]
 *   accept                            an association: OK association=1 ...
 *   connect address= port= udp= [local=] [SETTINGS]
 *   status association=               OK up=1 indication=1|none in= out= ...
 *   say association= stream= function= [octets=]
 *   control association= stream=      the next control message:
 *                                     OK function=1 octets=5 segments=0
 *   segments association= stream= count= size=
 *   taken association= stream= count= this many segments have arrived in turn
 *   fresh association= stream=        another session may begin
 *   pause association=, resume association=    stop reading; continue
 *   shutdown association=, abort association=
 *   end association=                  OK shutdown | OK aborted
 *   breaches [count=]                 OK 0, or OK N: the first; and forgets
 *
 * SETTINGS are adaptation= (1; 0: none), streams= (10), rcvbuf= (octets),
 * sack=0 (acknowledges late) and fragments=1 (sends messages that are too
 * large).
 */
#include "harness/lab/sctp/kernel/kernel.h"

#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void answer_now(int fd)
{
	size_t n = strlen(answer);

	answer[n++] = '\n';
	(void)!write(fd, answer, n);
	answer[0] = line[0] = '\0';
	connecting = NULL;
}

/* Reads one more line of commands. False: the connection has ended. */
static bool command(int fd, size_t *have)
{
	ssize_t n = read(fd, line + *have, LINE - 1 - *have);

	if (n <= 0)
		return false;
	*have += (size_t)n;
	return *have < LINE - 1;
}

static void wait_for_more(int fd)
{
	struct pollfd p[ASSOCIATIONS + 2] = {
		{.fd = fd, .events = POLLIN},
		{.fd = listener, .events = POLLIN}};
	nfds_t n = 2;
	bool soon = false;

	for (size_t i = 0; i < association_count; i++) {
		struct association *a = associations[i];
		short events = a->paused ? 0 : POLLIN;

		if (a->first && a->first->after_all)
			soon = true;
		else if (a->first)
			events |= POLLOUT;
		p[n++] =
			(struct pollfd){.fd = a->paused && !events ? -1 : a->fd,
					.events = events};
	}
	/* A listener is polled, not served. */
	if (!is("accept"))
		p[1].fd = -1;
	poll(p, n, soon ? AGAIN_MS : 100);
	for (size_t i = 0; i < association_count; i++) {
		struct association *a = associations[i];

		while (!a->paused && a->fd >= 0 && receive(a))
			;
		send_queued(a);
	}
}

static void serve(int fd)
{
	size_t have = 0;
	long long end = 0;

	for (;;) {
		char *eol;
		struct pollfd in = {.fd = fd, .events = POLLIN};

		wait_for_more(fd);
		if (!end && poll(&in, 1, 0) > 0) {
			if (!command(fd, &have))
				return;
			eol = memchr(line, '\n', have);
			if (!eol)
				continue;
			*eol = '\0';
			have = 0; /* one at a time */
			end = now_ms() +
			      (long long)number_of("ms", PATIENCE_MS);
			answer[0] = '\0';
			perform(true);
		} else if (end) {
			perform(false);
		}
		if (end && !answer[0] && now_ms() >= end)
			say("ERR nothing came: %.200s", line);
		if (end && answer[0]) {
			answer_now(fd);
			end = 0;
		}
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_in6 at = {.sin6_family = AF_INET6};
	const int on = 1;
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (argc != 2) {
		fprintf(stderr, "usage: kernel_tool PORT\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	at.sin6_port = htons((uint16_t)strtoul(argv[1], NULL, 10));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 ||
	    listen(fd, 4) != 0) {
		perror("kernel_tool: listen");
		return 1;
	}
	for (;;) {
		int c = accept4(fd, NULL, NULL, SOCK_CLOEXEC);

		if (c < 0)
			continue;
		serve(c);
		close(c);
		forget_all();
	}
}
