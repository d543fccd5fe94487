/* SPDX-License-Identifier: BSD-2-Clause */
/* The verbs of the session and of memory. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "harness/agent/client_session.h"

/* ------------------------------------------------------------------ *
 * Session
 * ------------------------------------------------------------------ */

static void take_features(struct agent_hello *h, const char *list)
{
	snprintf(h->claims, sizeof(h->claims), "%s", list);
	while (*list) {
		size_t n = strcspn(list, ",");
		enum agent_feature f = agent_feature_of(list, n);
		if (f < AGENT_FEATURES)
			h->features |= 1ull << f;
		list += n + (list[n] == ',');
	}
}

unsigned agent_untold_of(const char *name, size_t n)
{
	static const char *const names[] = {
		"startup-errors", "terminate",      "se",
		"reject-depths",  "ends",           "invalidated",
		"private-data",   "receive-length", "local-keys",
		"orderly-ends",   "startup-frames"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == n && memcmp(names[i], name, n) == 0)
			return 1u << i;
	return 0;
}

/* Names of a later protocol are kept as text only. */
static void take_untold(struct agent_hello *h, const char *list)
{
	while (*list) {
		size_t n = strcspn(list, ",");

		h->untold |= agent_untold_of(list, n);
		list += n + (list[n] == ',');
	}
}

/* What an agent may leave out. */
static bool take_hello_options(struct agent *a, const struct pending *p,
			       const struct line *l)
{
	static const char *const crcs[AGENT_CRCS] = {"asked", "always",
						     "never"};
	struct agent_hello *h = &a->hello;
	uint64_t recvs = 0, posts = 0, udp = 0;
	size_t crc = AGENT_CRC_ASKED;

	if (line_get(l, "untold"))
		take_untold(h, line_get(l, "untold"));
	if (!value_may_number(a, p, l, "max-recvs", UINT32_MAX, &recvs) ||
	    !value_may_number(a, p, l, "max-posts", UINT32_MAX, &posts) ||
	    !value_may_number(a, p, l, "sctp-udp", UINT16_MAX, &udp) ||
	    (line_get(l, "crc") &&
	     !value_need_name(a, p, l, "crc", crcs, AGENT_CRCS, &crc)))
		return false;
	h->max_recvs = (uint32_t)recvs;
	h->max_posts = (uint32_t)posts;
	h->sctp_udp = (uint16_t)udp;
	h->crc = (enum agent_crc)crc;
	return true;
}

static bool take_hello_limits(struct agent *a, const struct pending *p,
			      const struct line *l)
{
	struct agent_hello *h = &a->hello;

	return value_need_32(a, p, l, "max-ird", &h->max_ird) &&
	       value_need_32(a, p, l, "max-ord", &h->max_ord) &&
	       value_need_32(a, p, l, "max-private", &h->max_private) &&
	       value_need_32(a, p, l, "max-regions", &h->max_regions) &&
	       value_need_number(a, p, l, "max-region-len", UINT64_MAX,
				 &h->max_region_len) &&
	       value_need_number(a, p, l, "max-message", UINT64_MAX,
				 &h->max_message) &&
	       value_need_32(a, p, l, "startup-timeout-ms",
			     &h->startup_timeout_ms);
}

static bool take_hello(struct agent *a, const struct pending *p,
		       const struct line *l)
{
	static const char *const orders[] = {"little", "big"};
	static const char *const auths[] = {"none", "hmac-sha256"};
	struct agent_hello *h = &a->hello;
	const char *features = line_get(l, "features");
	const struct line_token *nonce = line_find(l, "nonce");
	uint64_t version = 0;
	size_t order, auth, told = 0;

	if (!value_need_number(a, p, l, "version", 1, &version) ||
	    !value_need_text(a, p, l, "agent", h->agent, sizeof(h->agent)) ||
	    !value_need_text(a, p, l, "impl", h->impl, sizeof(h->impl)) ||
	    !value_need_text(a, p, l, "addr", h->addr, sizeof(h->addr)) ||
	    !value_need_name(a, p, l, "byte-order", orders, 2, &order) ||
	    !value_need_name(a, p, l, "auth", auths, 2, &auth) ||
	    !take_hello_limits(a, p, l))
		return false;
	if (version != 1)
		return session_garbage(a, p->verb, "version is 0");
	if (!features)
		return session_garbage(a, p->verb, "no features");
	take_features(h, features);
	if (!take_hello_options(a, p, l))
		return false;
	for (char *c = h->impl; *c; c++)
		if (*c == '_')
			*c = ' ';
	h->big_endian = order == 1;
	h->needs_auth = auth == 1;
	if (nonce && !value_hex_of(a, p, nonce, h->nonce, AGENT_NONCE,
				   &h->nonce_octets, &told))
		return false;
	/* One that anybody can foresee, or that was cut, authenticates
	 * nothing. */
	if (h->needs_auth && (told == 0 || told > AGENT_NONCE))
		return session_garbage(a, p->verb, "nonce of %zu octets", told);
	return true;
}

void begin_hello(struct agent *a)
{
	request_start(a, "hello version=1");
	request_end_as(a, "hello", take_hello, NULL);
}

bool agent_mac(const uint8_t *token, size_t token_octets, const uint8_t *nonce,
	       size_t nonce_octets, uint8_t mac[AGENT_MAC])
{
	unsigned n = 0;

	assert(token_octets <= INT32_MAX);
	return HMAC(EVP_sha256(), token, (int)token_octets, nonce, nonce_octets,
		    mac, &n) != NULL;
}

void begin_auth(struct agent *a, const uint8_t *token, size_t token_octets)
{
	uint8_t mac[AGENT_MAC];

	if (!agent_mac(token, token_octets, a->hello.nonce,
		       a->hello.nonce_octets, mac)) {
		session_over(a, AGENT_GONE, "agent: no HMAC-SHA256 here");
		return;
	}
	request_start(a, "auth");
	request_hex(a, "mac", mac, sizeof(mac));
	request_end_as(a, "auth", NULL, NULL);
}

void agent_begin_raw(struct agent *a, const char *text)
{
	request_start(a, text);
	request_end_as(a, "a raw line", NULL, NULL);
}

void agent_begin_reset(struct agent *a)
{
	request_start(a, "reset");
	request_end_as(a, "reset", NULL, NULL);
}

void agent_begin_bye(struct agent *a)
{
	request_start(a, "bye");
	request_end_as(a, "bye", NULL, NULL);
}

/* ------------------------------------------------------------------ *
 * Memory
 * ------------------------------------------------------------------ */

static void put_access(struct agent *a, unsigned access)
{
	request_put(a, " access=%s", access ? "" : "none");
	request_bits(a, agent_access_names, AGENT_ACCESS_BITS, access);
}

static bool take_reg(struct agent *a, const struct pending *p,
		     const struct line *l)
{
	struct agent_region *r = p->out;

	return value_need_32(a, p, l, "stag", &r->stag) &&
	       value_need_number(a, p, l, "to", UINT64_MAX, &r->to) &&
	       value_need_number(a, p, l, "len", UINT64_MAX, &r->len);
}

void agent_begin_reg(struct agent *a, const struct agent_reg *r,
		     struct agent_region *out)
{
	*out = (struct agent_region){0};
	request_start(a, "reg");
	request_put(a, " name=%s len=%" PRIu64, r->name, r->len);
	put_access(a, r->access);
	if (r->pd)
		request_put(a, " pd=%" PRIu32, r->pd);
	if (r->align)
		request_put(a, " align=%" PRIu64, r->align);
	if (r->skew)
		request_put(a, " skew=%" PRIu64, r->skew);
	if (r->zero_based)
		request_put(a, " base=zero");
	if (r->conn)
		request_put(a, " conn=%s", r->conn);
	if (r->shared)
		request_put(a, " shared=1");
	request_end_as(a, "reg", take_reg, out);
}

void agent_begin_access(struct agent *a, const char *name, unsigned access)
{
	request_start(a, "access");
	request_put(a, " name=%s", name);
	put_access(a, access);
	request_end_as(a, "access", NULL, NULL);
}

void agent_begin_fill(struct agent *a, const char *name, uint64_t off,
		      const void *octets, size_t n)
{
	request_start(a, "fill");
	request_put(a, " name=%s off=%" PRIu64, name, off);
	request_hex(a, "hex", octets, n);
	request_end_as(a, "fill", NULL, NULL);
}

static bool take_dump(struct agent *a, const struct pending *p,
		      const struct line *l)
{
	return value_need_octets(a, p, l, "hex", p->out, p->n);
}

void agent_begin_dump(struct agent *a, const char *name, uint64_t off, size_t n,
		      uint8_t *out)
{
	request_start(a, "dump");
	request_put(a, " name=%s off=%" PRIu64 " len=%zu", name, off, n);
	request_end(a, &(struct pending){.verb = "dump",
					 .take = take_dump,
					 .out = out,
					 .n = n});
}

static bool take_digest(struct agent *a, const struct pending *p,
			const struct line *l)
{
	return value_need_octets(a, p, l, "sha256", p->out, 32);
}

void agent_begin_digest(struct agent *a, const char *name, uint64_t off,
			uint64_t len, uint8_t sha256[32])
{
	request_start(a, "digest");
	request_put(a, " name=%s off=%" PRIu64 " len=%" PRIu64, name, off, len);
	request_end_as(a, "digest", take_digest, sha256);
}

void agent_begin_inval(struct agent *a, const char *name)
{
	request_start(a, "inval");
	request_put(a, " name=%s", name);
	request_end_as(a, "inval", NULL, NULL);
}

void agent_begin_dereg(struct agent *a, const char *name)
{
	request_start(a, "dereg");
	request_put(a, " name=%s", name);
	request_end_as(a, "dereg", NULL, NULL);
}
