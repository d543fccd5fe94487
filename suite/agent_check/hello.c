/* SPDX-License-Identifier: BSD-2-Clause */
/* The first line of a session: the agent's claims, and the token. */
#include <stdlib.h>
#include <string.h>

#include "suite/agent_check/checker.h"

#define SESSION "Session"

static void greets(struct checker *c)
{
	opens_unspoken(c);
	asks(c, "hello version=1");
	if (!was(c, LINE_NO_ERROR))
		fails(c, "OK");
}

static void tells_all(struct checker *c)
{
	static const char *const numbers[] = {
		"max-ird",           "max-ord",        "max-private",
		"max-regions",       "max-region-len", "max-message",
		"startup-timeout-ms"};

	greets(c);
	due_number(c, "version", 1);
	due(c, *word(c, "agent") && *word(c, "impl"),
	    "agent= and impl=, not empty");
	due(c, *word(c, "addr"), "addr=, where iWARP listeners are reached");
	word(c, "features");
	due(c,
	    strcmp(word(c, "byte-order"), "little") == 0 ||
		    strcmp(word(c, "byte-order"), "big") == 0,
	    "byte-order=little or byte-order=big");
	due(c,
	    strcmp(word(c, "auth"), "none") == 0 ||
		    strcmp(word(c, "auth"), "hmac-sha256") == 0,
	    "auth=none or auth=hmac-sha256");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		number(c, numbers[i]);
	for (size_t i = 0; i < c->reply.ntokens; i++)
		if (strncmp(c->reply.tokens[i].key, "max-", 4) == 0)
			number(c, c->reply.tokens[i].key);
	due(c, c->known,
	    "values that fit: agent=, addr= below 64 octets, "
	    "impl= below 128");
}

static void addr_is_numeric(struct checker *c)
{
	struct link_end end;

	greets(c);
	due(c, link_end_parse(&end, word(c, "addr"), 1),
	    "a numeric address, without a port");
}

static void names_of(struct checker *c, const char *key,
		     bool known(const char *, size_t))
{
	const char *at = word(c, key);

	while (*at) {
		size_t n = strcspn(at, ",");

		due(c, known(at, n),
		    "names that PROTOCOL.md has; '%.*s' is none", (int)n, at);
		for (const char *to = at + n; *to;) {
			size_t len = strcspn(++to, ",");

			due(c, len != n || memcmp(to, at, n) != 0,
			    "each name once; '%.*s' appears twice", (int)n, at);
			to += len;
		}
		at += n + (at[n] == ',');
	}
}

static bool is_feature(const char *name, size_t n)
{
	return agent_feature_of(name, n) < AGENT_FEATURES;
}

static bool is_untold(const char *name, size_t n)
{
	return agent_untold_of(name, n) != 0;
}

static void names_are_known(struct checker *c)
{
	greets(c);
	names_of(c, "features", is_feature);
	if (line_get(&c->reply, "untold"))
		names_of(c, "untold", is_untold);
}

/* An agent that claims one of the first has to claim one of the second. */
static const struct {
	uint64_t claim, needs;
} claims_that_need[] = {
	{0, CLAIM(RESPONDER) | CLAIM(INITIATOR)},
	{0, CLAIM(MPA_V1) | CLAIM(MPA_V2)},
	{CLAIM(P2P), CLAIM(MPA_V2)},
	{CLAIM(P2P), CLAIM(RTR_SEND) | CLAIM(RTR_WRITE) | CLAIM(RTR_READ)},
	{CLAIM(RTR_SEND), CLAIM(P2P)},
	{CLAIM(RTR_WRITE), CLAIM(P2P)},
	{CLAIM(RTR_READ), CLAIM(P2P)},
	{CLAIM(IMM_SE), CLAIM(IMM)},
	{CLAIM(MASKED_ATOMICS), CLAIM(FETCHADD) | CLAIM(CMPSWAP) | CLAIM(SWAP)},
};

static void claims_agree(struct checker *c)
{
	if (!c->known)
		skips(c, "hello is not answered as it has to be");
	greets(c);
	for (size_t i = 0;
	     i < sizeof(claims_that_need) / sizeof(*claims_that_need); i++) {
		uint64_t claim = claims_that_need[i].claim;
		uint64_t needs = claims_that_need[i].needs;

		if ((c->hello.features & claim) != claim ||
		    c->hello.features & needs)
			continue;
		char names[128] = "";
		const char *of = "a device";

		for (int f = 0; f < AGENT_FEATURES; f++) {
			const char *name =
				agent_feature_name((enum agent_feature)f);
			size_t at = strlen(names);

			if (needs >> f & 1)
				snprintf(names + at, sizeof(names) - at, "%s%s",
					 at ? " or " : "", name);
			if (claim >> f & 1)
				of = name;
		}
		fails(c, "%s among the features, which %s needs", names, of);
	}
	due(c, c->hello.crc != AGENT_CRC_ALWAYS || !claims(c, CLAIM(CRC_OFF)),
	    "crc=always or the feature crc-off, not both");
}

static void another_version(struct checker *c)
{
	opens_unspoken(c);
	due_err(c, LINE_UNSUPPORTED, "hello version=2");
	due_ok(c, "hello version=1");
}

static void no_version(struct checker *c)
{
	opens_unspoken(c);
	due_err(c, LINE_BAD_ARGUMENT, "hello");
	due_err(c, LINE_BAD_ARGUMENT, "hello version=one");
	due_ok(c, "hello version=1");
}

static void not_first(struct checker *c)
{
	opens_unspoken(c);
	due_err(c, LINE_BAD_STATE, "reset");
	due_err(c, LINE_BAD_STATE, "reg name=a len=8 access=lw");
	due_ok(c, "hello version=1");
}

static void twice(struct checker *c)
{
	greets(c);
	due_err(c, LINE_BAD_STATE, "hello version=1");
}

static void auth_unasked(struct checker *c)
{
	if (c->hello.needs_auth)
		skips(c, "the agent asks for a token");
	opens_session(c);
	due_err(c, LINE_BAD_STATE, "auth mac=00");
}

static void given_auth(struct checker *c)
{
	if (!c->hello.needs_auth)
		skips(c, "the agent asks for no token");
	opens_unspoken(c);
	given(c, "hello version=1");
}

static void nonces_differ(struct checker *c)
{
	char first[2 * AGENT_NONCE + 1];

	given_auth(c);
	snprintf(first, sizeof(first), "%s", word(c, "nonce"));
	due(c, strlen(first) >= 32, "a nonce of 16 octets or more");
	opens_unspoken(c);
	given(c, "hello version=1");
	due(c, strcmp(first, word(c, "nonce")) != 0,
	    "another nonce than the session before had: nonce=%.100s", first);
}

static void not_before_auth(struct checker *c)
{
	given_auth(c);
	due_err(c, LINE_AUTH, "reset");
	due_err(c, LINE_AUTH, "reg name=a len=8 access=lw");
	due_err(c, LINE_UNKNOWN_VERB, "frobnicate");
}

/* After a wrong proof the session continues as if nothing had been sent, or the
 * agent closes it and requires a new proof. */
static void wrong_token(struct checker *c)
{
	char nonce[2 * AGENT_NONCE + 1];

	given_auth(c);
	snprintf(nonce, sizeof(nonce), "%s", word(c, "nonce"));
	due_err(c, LINE_AUTH,
		"auth mac=00000000000000000000000000000000"
		"00000000000000000000000000000000");
	says(c, "reset");
	if (hears_or_is_left(c)) {
		opens_unspoken(c);
		given(c, "hello version=1");
		snprintf(nonce, sizeof(nonce), "%s", word(c, "nonce"));
	} else {
		due_code(c, LINE_AUTH);
	}
	proves_token(c, nonce, strlen(nonce));
	due_done(c);
	due_ok(c, "reset");
	due_err(c, LINE_BAD_STATE, "auth mac=00");
}

static const struct check checks[] = {
	{SESSION,
	 "its answer has all that the suite has to know, each key with "
	 "a value of its form",
	 tells_all, 0},
	{SESSION, "addr is a numeric address", addr_is_numeric, 0},
	{SESSION,
	 "the names in features and untold are the protocol's, each "
	 "once",
	 names_are_known, 0},
	{SESSION, "the claims are consistent", claims_agree, 0},
	{"Framing",
	 "another version is unsupported, and this one can still be "
	 "chosen",
	 another_version, 0},
	{SESSION, "without a version it is bad-argument", no_version, 0},
	{"Framing", "any other verb before it is bad-state", not_first, 0},
	{"Framing", "a second one is bad-state", twice, 0},
	{SESSION, "auth where no token is due is bad-state", auth_unasked, 0},
	{SESSION, "each session has a different nonce", nonces_differ, 0},
	{SESSION, "before the token is proved every known verb is auth",
	 not_before_auth, 0},
	{SESSION,
	 "a wrong proof is auth and changes nothing; the right one is "
	 "taken, once",
	 wrong_token, 0},
};

const struct check_group hello_checks = CHECK_GROUP("hello", checks);
