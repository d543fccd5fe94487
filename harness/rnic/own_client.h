/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The agent as the client of a session of its own. Before the first session of
 * another client, it determines the properties of its device with the requests
 * that every client can use. There is one request at a time.
 */
#ifndef HARNESS_RNIC_OWN_CLIENT_H
#define HARNESS_RNIC_OWN_CLIENT_H

#include "harness/agent/line.h"
#include "harness/rnic/device.h"

struct verbs_client {
	int fd; /* -1: the session is over */
	char verb[16];
	struct line reply; /* to the last request; points into text */
	char text[8192];
	char why[VERBS_WHY]; /* of the last failure */
};

/* Take over fd, and say hello. False: hello has failed; the reason is in why.
 * Call verbs_client_close() in either case. */
bool verbs_client_open(struct verbs_client *c, int fd, uint32_t wait_ms);
void verbs_client_close(struct verbs_client *c);

/* Send a request and wait for its reply. False: it is an ERR, or the session
 * is over. */
bool verbs_client_ask(struct verbs_client *c, uint32_t wait_ms,
		      const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The two halves of verbs_client_ask(), for actions between them. */
bool verbs_client_say(struct verbs_client *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
bool verbs_client_hear(struct verbs_client *c, uint32_t wait_ms);

#endif
