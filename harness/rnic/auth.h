/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Protection against guessing the token: every source address has a count of
 * failures, in memory shared by all sessions, and the more failures there were,
 * the longer an answer to `auth` waits. Only sessions of that source wait. The
 * log is limited, too.
 */
#ifndef HARNESS_RNIC_AUTH_H
#define HARNESS_RNIC_AUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	VERBS_TOKEN_MAX = 256,
	VERBS_NONCE = 32, /* octets that a session has authenticated */
};

/* The shared secret; len 0: none. */
struct verbs_token {
	uint8_t octets[VERBS_TOKEN_MAX];
	size_t len;
};

struct verbs_guard;

/* Shared by processes that are forked later. NULL: no memory. */
struct verbs_guard *verbs_guard_new(void);
void verbs_guard_free(struct verbs_guard *g);

/*
 * A session of this source (an address without a port) wants to authenticate
 * at now_ms: how many milliseconds its answer has to wait, and until then
 * counts as a failure, so that sessions side by side wait for each other.
 */
uint32_t verbs_guard_delay(struct verbs_guard *g, const char *source,
			   uint64_t now_ms);
/* It was right: the failures of its source are forgotten. */
void verbs_guard_right(struct verbs_guard *g, const char *source);
/* It was wrong. True: log it, with how many were not logged before. */
bool verbs_guard_wrong(struct verbs_guard *g, const char *source,
		       uint64_t now_ms, uint32_t *unlogged);

/* HMAC-SHA256 of the nonce under the token, in constant time. */
bool verbs_token_proves(const struct verbs_token *t, const uint8_t *nonce,
			size_t n, const uint8_t *mac, size_t mac_octets);

#endif
