/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The agent as a server. Every session is a process of its own: all
 * that it made goes with it, whatever a driver does, and none can disturb
 * another. This one opens no device.
 */
#ifndef HARNESS_RNIC_SERVER_H
#define HARNESS_RNIC_SERVER_H

#include <sys/socket.h>

#include "harness/rnic/device.h"
#include "harness/rnic/auth.h"

enum { VERBS_SESSIONS = 64 };

struct verbs_server {
	const struct verbs_facts *facts;
	const struct verbs_token *token;
	/* A device for one session, in its process; NULL: why says it. */
	struct verbs_device *(*open)(void *arg, const struct verbs_facts *facts,
				     char *why, size_t cap);
	void *arg;
};

/* A socket at the address, for this process only; its port is written back. run
 * accepts clients. -1: errno has the reason. */
int verbs_server_bind(struct sockaddr_storage *at, socklen_t len);

/* Fork a session for a connected socket, which stays the caller's too.
 * Its pid, or -1. */
int verbs_server_session(const struct verbs_server *v, int fd,
			 struct verbs_guard *guard, const char *peer);

/* Serve until SIGTERM or SIGINT; then sessions are ended.
 * 0, or -1 with errno. */
int verbs_server_run(const struct verbs_server *v, int listener);

#endif
