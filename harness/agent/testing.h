/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For the client's tests: a scripted agent, a thread that answers the n-th
 * line with the n-th reply of a table and keeps the lines.
 */
#ifndef HARNESS_AGENT_TESTING_H
#define HARNESS_AGENT_TESTING_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/agent/client.h"
#include "harness/link/clock.h"
#include "harness/unit.h"

enum { SECOND = 5000, SOON = 30, ASKED = 1 << 16, REPLIES = 40 };

#define LIMITS                                                                 \
	" max-ird=16 max-ord=8 max-private=508 max-regions=64"                 \
	" max-region-len=1048576 max-message=0x100000 startup-timeout-ms=500"
#define HELLO_OF(features, rest)                                               \
	"OK version=1 agent=fake impl=scripted_agent_0.1 addr=127.0.0.1"       \
	" features=" features " byte-order=big" LIMITS rest "\n"
#define HELLO HELLO_OF("send,read,of-tomorrow,imm-se", " nonce= auth=none")

/* Replies that stand for an action. */
static const char hang_up[] = "(hangs up)";
static const char silence[] = "(says nothing)";
static const char flood[] = "(never ends its line)";

static struct {
	int fd;
	pthread_t thread;
	const char *reply[REPLIES];
	char asked[ASKED]; /* the lines, as far as there is room */
	size_t asked_used;
} fake;

static struct agent *agent;

static void fake_floods(void)
{
	char x[4096];

	memset(x, 'x', sizeof(x));
	while (send(fake.fd, x, sizeof(x), MSG_NOSIGNAL) > 0)
		;
}

static void fake_keeps(const char *line, size_t n)
{
	size_t left = sizeof(fake.asked) - fake.asked_used - 1;
	size_t k = n < left ? n : left;

	memcpy(fake.asked + fake.asked_used, line, k);
	fake.asked_used += k;
}

static void *fake_runs(void *arg)
{
	FILE *in = fdopen(dup(fake.fd), "r");
	char *line = NULL;
	size_t cap = 0, i = 0;
	ssize_t n;

	while ((n = getline(&line, &cap, in)) > 0) {
		const char *reply = i < REPLIES ? fake.reply[i++] : NULL;
		fake_keeps(line, (size_t)n);
		if (reply == hang_up)
			break;
		if (reply == flood)
			fake_floods();
		else if (reply && reply != silence)
			send(fake.fd, reply, strlen(reply), MSG_NOSIGNAL);
	}
	shutdown(fake.fd, SHUT_RDWR);
	free(line);
	fclose(in);
	return arg;
}

/* Start the fake agent. Returns the client's end of a socketpair. NULL ends
 * `replies`. */
static inline int fake_starts(const char *const *replies)
{
	int fds[2];

	CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	memset(&fake, 0, sizeof(fake));
	fake.fd = fds[1];
	for (size_t i = 0; replies[i]; i++)
		fake.reply[i] = replies[i];
	CU_ASSERT_EQUAL_FATAL(
		pthread_create(&fake.thread, NULL, fake_runs, NULL), 0);
	return fds[0];
}

static inline void fake_stops(void)
{
	agent_close(agent);
	agent = NULL;
	pthread_join(fake.thread, NULL);
	close(fake.fd);
}

#define REPLIES_ARE(...) ((const char *const[]){__VA_ARGS__, NULL})

static inline enum agent_result opens(const char *const *replies)
{
	return agent_open_fd(&agent, fake_starts(replies), NULL, 0,
			     clock_after_ms(SECOND));
}

static inline uint64_t soon(void)
{
	return clock_after_ms(SECOND);
}

/* Stops the fake agent and returns the requests that it got after hello. */
static inline const char *asked(void)
{
	fake_stops();
	const char *end = strchr(fake.asked, '\n');
	return end ? end + 1 : "";
}

#endif
