/* SPDX-License-Identifier: BSD-2-Clause */
/* The limits in hello, and the protocol's own limits. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/wire/rdmap.h"
#include "suite/agent_check/checker.h"

#define PROMISE "What an agent must promise"

enum {
	REGION = LINE_MAX_HEX_BYTES + 16,
	REGIONS_TRIED = 1024, /* more take too long */
	RECEIVES_TRIED = 1 << 20,
};

static void big_region(struct checker *c)
{
	if (c->hello.max_region_len < REGION)
		skips(c, "max-region-len is less than 256 KiB");
	opens_session(c);
	given(c, "reg name=a len=%d access=lw", REGION);
}

static void most_dumped(struct checker *c)
{
	big_region(c);
	due_ok(c, "dump name=a off=0 len=%d", LINE_MAX_HEX_BYTES);
	due(c, strlen(word(c, "hex")) == 2 * LINE_MAX_HEX_BYTES,
	    "hex= of 256 KiB");
	due_err(c, LINE_LIMIT, "dump name=a off=0 len=%d",
		LINE_MAX_HEX_BYTES + 1);
	due_ok(c, "digest name=a off=0 len=%d", REGION);
}

/* A fill of n octets of 0x11. */
static void fill(struct checker *c, size_t n)
{
	static char line[2 * REGION + 64];
	size_t at = (size_t)sprintf(line, "fill name=a off=0 hex=");

	memset(line + at, '1', 2 * n);
	line[at + 2 * n] = '\n';
	says_octets(c, line, at + 2 * n + 1);
	hears(c);
}

static void most_filled(struct checker *c)
{
	big_region(c);
	fill(c, LINE_MAX_HEX_BYTES + 1);
	due_code(c, LINE_LIMIT);
	due_ok(c, "dump name=a off=0 len=1");
	due_octets(c, "hex", "\0", 1);
	fill(c, LINE_MAX_HEX_BYTES);
	due_done(c);
	due_ok(c, "dump name=a off=%d len=1", LINE_MAX_HEX_BYTES - 1);
	due_octets(c, "hex", "\x11", 1);
}

static void region_too_long(struct checker *c)
{
	if (c->hello.max_region_len == UINT64_MAX)
		skips(c, "max-region-len is no limit");
	opens_session(c);
	due_err(c, LINE_LIMIT, "reg name=a len=%" PRIu64 " access=lw",
		c->hello.max_region_len + 1);
	due_ok(c, "reg name=a len=8 access=lw");
}

static void too_many_regions(struct checker *c)
{
	uint32_t most = c->hello.max_regions;

	if (most > REGIONS_TRIED)
		skips(c, "max-regions is %u: too many to try", most);
	opens_session(c);
	for (uint32_t i = 0; i < most; i++) {
		asks(c, "reg name=r%u len=8 access=lw", i);
		due(c, was(c, LINE_NO_ERROR), "OK: hello said max-regions=%u",
		    most);
	}
	due_err(c, LINE_LIMIT, "reg name=more len=8 access=lw");
}

/* The parameters of a listen, or of a connect if the device cannot listen. */
static void due_limited(struct checker *c, const char *params)
{
	opens_session(c);
	if (claims(c, CLAIM(RESPONDER)))
		due_err(c, LINE_LIMIT, "listen%s%s", params, wire_crc(c));
	else
		due_err(c, LINE_LIMIT, "connect addr=%s port=9%s%s",
			c->hello.addr, params, wire_crc(c));
}

static void depths(struct checker *c)
{
	enum { MOST = 16382 }; /* 16383 is not a depth */
	char params[32];

	if (c->hello.max_ird >= MOST && c->hello.max_ord >= MOST)
		skips(c, "max-ird and max-ord are no limits");
	if (c->hello.max_ird < MOST) {
		sprintf(params, " ird=%u", c->hello.max_ird + 1);
		due_limited(c, params);
	}
	if (c->hello.max_ord < MOST) {
		sprintf(params, " ord=%u", c->hello.max_ord + 1);
		due_limited(c, params);
	}
}

static void private_data(struct checker *c)
{
	char params[2 * 1025 + 16] = " private=";
	size_t n = 2 * (c->hello.max_private + (size_t)1);

	if (c->hello.max_private > 512)
		skips(c, "max-private is no limit");
	memset(params + 9, '1', n);
	params[9 + n] = '\0';
	due_limited(c, params);
}

static struct wire *with_a_limit(struct checker *c, uint32_t limit,
				 const char *name)
{
	if (!limit)
		skips(c, "hello has no %s", name);
	opens_session(c);
	return wire_up(c, "");
}

static void receives(struct checker *c)
{
	struct wire *w = with_a_limit(c, c->hello.max_recvs, "max-recvs");

	if (c->hello.max_recvs > RECEIVES_TRIED)
		skips(c, "max-recvs is %u: too many to try",
		      c->hello.max_recvs);
	due_err(c, LINE_LIMIT, "recv conn=%s count=%" PRIu64 " len=1", w->conn,
		(uint64_t)c->hello.max_recvs + 1);
	due_ok(c, "recv conn=%s count=%u len=1", w->conn, c->hello.max_recvs);
	due_err(c, LINE_LIMIT, "recv conn=%s len=1", w->conn);
}

static void long_receive(struct checker *c)
{
	if (c->hello.max_message >= UINT32_MAX)
		skips(c, "max-message is no limit");
	opens_session(c);
	struct wire *w = wire_up(c, "");

	due_err(c, LINE_LIMIT, "recv conn=%s len=%" PRIu64, w->conn,
		c->hello.max_message + 1);
	/* An error changes nothing: the next buffer is still the first. */
	due_ok(c, "recv conn=%s len=8", w->conn);
	wire_sends(c, w, RDMAP_SEND, 0, "hello", 5);
	awaits_event(c, w->conn);
	due_event(c, 1, "recv", "ok");
}

static const struct check checks[] = {
	{"Framing",
	 "dump carries 256 KiB, and of more it is limit; digest "
	 "takes any length",
	 most_dumped, 0},
	{"Framing",
	 "fill carries 256 KiB, and of more it is limit, and nothing "
	 "is written",
	 most_filled, 0},
	{PROMISE, "a region beyond max-region-len is limit", region_too_long,
	 0},
	{PROMISE, "max-regions regions can exist, and one more is limit",
	 too_many_regions, 0},
	{PROMISE, "ird and ord beyond max-ird and max-ord are limit", depths,
	 0},
	{PROMISE, "private data beyond max-private is limit", private_data,
	 CLAIM(PRIVATE_DATA)},
	{PROMISE, "a connection has max-recvs receives, and one more is limit",
	 receives, 0},
	{PROMISE, "a receive beyond max-message is limit, and counts as none",
	 long_receive, CLAIM(SEND)},
};

const struct check_group limit_checks = CHECK_GROUP("limits", checks);
