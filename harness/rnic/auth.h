/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Protection against guessing the token: every source address has a count of
 * failures, in memory that all sessions share. The more failures there were,
 * the longer the answer to `auth` is delayed, but only for sessions of that
 * source. The log is limited, too.
 */
#ifndef HARNESS_RNIC_AUTH_H
#define HARNESS_RNIC_AUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	VERBS_TOKEN_MAX = 256,
	VERBS_NONCE = 32, /* octets of a session's nonce */
};

/* The shared secret; len 0: none. */
struct verbs_token {
	uint8_t octets[VERBS_TOKEN_MAX];
	size_t len;
};

struct verbs_guard;

/* Its memory is shared with processes that are forked later. NULL: no
 * memory. */
struct verbs_guard *verbs_guard_new(void);
void verbs_guard_free(struct verbs_guard *g);

/*
 * A session of this source (an address without a port) tries to authenticate at
 * now_ms. Returns the delay of its answer, in milliseconds. The attempt counts
 * as a failure until verbs_guard_right(), so that parallel sessions wait for
 * each other.
 */
uint32_t verbs_guard_delay(struct verbs_guard *g, const char *source,
			   uint64_t now_ms);
/* The token was right: the failures of the source are forgotten. */
void verbs_guard_right(struct verbs_guard *g, const char *source);
/* The token was wrong. True: log this failure; *unlogged is the number of
 * failures before it that were not logged. */
bool verbs_guard_wrong(struct verbs_guard *g, const char *source,
		       uint64_t now_ms, uint32_t *unlogged);

/* Whether mac is HMAC-SHA256 of the nonce with the token as its key. The
 * comparison takes constant time. */
bool verbs_token_proves(const struct verbs_token *t, const uint8_t *nonce,
			size_t n, const uint8_t *mac, size_t mac_octets);

#endif
