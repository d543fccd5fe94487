/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/rnic/auth.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

enum {
	SOURCES = 256,
	SOURCE = 64, /* octets of an address, with NUL */
	FIRST_MS = 100,
	DOUBLINGS = 7, /* up to 12.8 s */
	LOG_MS = 1000,
	FORGOTTEN_MS = 600000,
};

struct source {
	char name[SOURCE];
	uint32_t failures;
	uint64_t next_ms; /* before this time no answer is given */
	uint64_t last_ms;
	uint64_t logged_ms;
	uint32_t unlogged;
};

struct verbs_guard {
	pthread_mutex_t mutex;
	struct source source[SOURCES];
};

struct verbs_guard *verbs_guard_new(void)
{
	struct verbs_guard *g = mmap(NULL, sizeof(*g), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t attr;

	if (g == MAP_FAILED)
		return NULL;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	/* A session may be killed while it holds the lock. */
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&g->mutex, &attr);
	pthread_mutexattr_destroy(&attr);
	return g;
}

void verbs_guard_free(struct verbs_guard *g)
{
	if (g)
		munmap(g, sizeof(*g));
}

static void lock(struct verbs_guard *g)
{
	/* Whatever a killed session left half written is only a count. */
	if (pthread_mutex_lock(&g->mutex) == EOWNERDEAD)
		pthread_mutex_consistent(&g->mutex);
}

static void unlock(struct verbs_guard *g)
{
	pthread_mutex_unlock(&g->mutex);
}

/* The entry of a source: its own, or the one that was idle longest. */
static struct source *find(struct verbs_guard *g, const char *name,
			   uint64_t now_ms)
{
	struct source *oldest = &g->source[0];

	for (size_t i = 0; i < SOURCES; i++) {
		struct source *s = &g->source[i];

		if (strncmp(s->name, name, SOURCE - 1) == 0 && s->name[0]) {
			if (now_ms - s->last_ms > FORGOTTEN_MS)
				s->failures = 0;
			return s;
		}
		if (s->last_ms < oldest->last_ms)
			oldest = s;
	}
	memset(oldest, 0, sizeof(*oldest));
	strncpy(oldest->name, name, SOURCE - 1);
	return oldest;
}

uint32_t verbs_guard_delay(struct verbs_guard *g, const char *source,
			   uint64_t now_ms)
{
	struct source *s;
	uint32_t step;
	uint64_t wait;

	lock(g);
	s = find(g, source, now_ms);
	if (s->next_ms < now_ms)
		s->next_ms = now_ms;
	wait = s->next_ms - now_ms;
	step = s->failures < DOUBLINGS ? s->failures : DOUBLINGS;
	s->next_ms += (uint64_t)FIRST_MS << step;
	s->failures++;
	s->last_ms = now_ms;
	unlock(g);
	return wait < UINT32_MAX ? (uint32_t)wait : UINT32_MAX;
}

void verbs_guard_right(struct verbs_guard *g, const char *source)
{
	lock(g);
	for (size_t i = 0; i < SOURCES; i++)
		if (strncmp(g->source[i].name, source, SOURCE - 1) == 0)
			memset(&g->source[i], 0, sizeof(g->source[i]));
	unlock(g);
}

bool verbs_guard_wrong(struct verbs_guard *g, const char *source,
		       uint64_t now_ms, uint32_t *unlogged)
{
	struct source *s;
	bool log;

	lock(g);
	s = find(g, source, now_ms);
	s->last_ms = now_ms;
	log = !s->logged_ms || now_ms - s->logged_ms >= LOG_MS;
	*unlogged = s->unlogged;
	if (log) {
		s->logged_ms = now_ms;
		s->unlogged = 0;
	} else {
		s->unlogged++;
	}
	unlock(g);
	return log;
}

bool verbs_token_proves(const struct verbs_token *t, const uint8_t *nonce,
			size_t n, const uint8_t *mac, size_t mac_octets)
{
	uint8_t ours[EVP_MAX_MD_SIZE];
	unsigned octets = 0;

	return HMAC(EVP_sha256(), t->octets, (int)t->len, nonce, n, ours,
		    &octets) &&
	       mac_octets == octets && CRYPTO_memcmp(ours, mac, octets) == 0;
}
