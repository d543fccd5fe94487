/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The agent as a server. Every session is a process of its own: whatever a
 * driver does, all objects of a session disappear with it, and sessions cannot
 * disturb each other. The server process itself opens no device.
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
	/* Opens a device for one session, in its process. NULL: the reason is
	 * in why. */
	struct verbs_device *(*open)(void *arg, const struct verbs_facts *facts,
				     char *why, size_t cap);
	void *arg;
};

/* Bind a socket to the address, for this process only. *at is then the bound
 * address, with its port. verbs_server_run() accepts clients. -1 with errno. */
int verbs_server_bind(struct sockaddr_storage *at, socklen_t len);

/* Fork a session for a connected socket; the caller still has to close fd.
 * Returns the pid of the session, or -1. */
int verbs_server_session(const struct verbs_server *v, int fd,
			 struct verbs_guard *guard, const char *peer);

/* Serve until SIGTERM or SIGINT; then end all sessions. Returns 0, or -1 with
 * errno. */
int verbs_server_run(const struct verbs_server *v, int listener);

#endif
