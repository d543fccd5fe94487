/* SPDX-License-Identifier: BSD-2-Clause */
/* Regions: reg access fill dump digest inval dereg. */
#include <inttypes.h>
#include <string.h>

#include "suite/agent_check/checker.h"

#define MEMORY "Memory"

static void region(struct checker *c)
{
	opens_session(c);
	given(c, "reg name=a len=64 access=lw");
}

static void registers(struct checker *c)
{
	opens_session(c);
	due_ok(c, "reg name=a len=64 access=lw");
	due(c, number(c, "stag") <= UINT32_MAX, "stag= of 32 bits");
	due(c, number(c, "to") % 4096 == 0,
	    "to= a multiple of 4096, the default of align");
	due_number(c, "len", 64);
}

static void is_zeroed(struct checker *c)
{
	static const uint8_t zeros[64];

	region(c);
	due_ok(c, "fill name=a off=0 hex=ffffffffffffffff");
	given(c, "dereg name=a");
	given(c, "reg name=a len=64 access=lw");
	due_ok(c, "dump name=a off=0 len=64");
	due_octets(c, "hex", zeros, sizeof(zeros));
}

static void align_and_skew(struct checker *c)
{
	opens_session(c);
	due_ok(c, "reg name=a len=64 access=lw align=8192 skew=3");
	due(c, number(c, "to") % 8192 == 3, "to= a multiple of 8192, plus 3");
	due_ok(c, "reg name=b len=64 access=lw align=8 skew=5");
	due(c, number(c, "to") % 8 == 5, "to= a multiple of 8, plus 5");
}

static void zero_based(struct checker *c)
{
	opens_session(c);
	due_ok(c, "reg name=a len=64 access=lw base=zero");
	due_number(c, "to", 0);
	due_ok(c, "reg name=b len=64 access=lw base=zero align=4096 skew=5");
	due_number(c, "to", 0);
	due_err(c, LINE_BAD_ARGUMENT, "reg name=c len=64 access=lw base=one");
}

static void each_right(struct checker *c)
{
	static const char *const rights[] = {"none",  "lw",       "lw,rr",
					     "lw,rw", "lw,rr,rw", "rr"};
	unsigned i, n = sizeof(rights) / sizeof(*rights);

	opens_session(c);
	for (i = 0; i < n; i++) {
		if ((strstr(rights[i], "rr") && !claims(c, CLAIM(READ))) ||
		    (strstr(rights[i], "rw") && !claims(c, CLAIM(WRITE))))
			continue;
		due_ok(c, "reg name=r%u len=8 access=%s", i, rights[i]);
		due_ok(c, "dereg name=r%u", i);
	}
	if (c->hello.features &
	    (CLAIM(FETCHADD) | CLAIM(CMPSWAP) | CLAIM(SWAP)))
		due_ok(c, "reg name=ra len=8 access=lw,ra");
}

static void no_rights(struct checker *c)
{
	static const char *const bad[] = {" access=",        " access=xx",
					  " access=lw,lw",   " access=lw,",
					  " access=none,lw", ""};

	opens_session(c);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		due_err(c, LINE_BAD_ARGUMENT, "reg name=a len=8%s", bad[i]);
	due_err(c, LINE_NO_SUCH_NAME, "dump name=a off=0 len=1");
}

static void name_taken(struct checker *c)
{
	region(c);
	due_ok(c, "fill name=a off=0 hex=11");
	due_err(c, LINE_BAD_STATE, "reg name=a len=8 access=lw");
	due_ok(c, "dump name=a off=0 len=1");
	due_octets(c, "hex", "\x11", 1);
}

static void keys_missing(struct checker *c)
{
	static const char *const bad[] = {
		"reg len=8 access=lw",
		"reg name= len=8 access=lw",
		"reg name=b access=lw",
		"fill name=a hex=00",
		"fill name=a off=0",
		"dump name=a off=0",
		"dump name=a len=1",
		"digest name=a off=0",
		"dump off=0 len=1",
		"inval",
		"dereg",
	};

	region(c);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		due_err(c, LINE_BAD_ARGUMENT, "%s", bad[i]);
}

static void unknown_names(struct checker *c)
{
	opens_session(c);
	due_err(c, LINE_NO_SUCH_NAME, "fill name=none off=0 hex=00");
	due_err(c, LINE_NO_SUCH_NAME, "dump name=none off=0 len=1");
	due_err(c, LINE_NO_SUCH_NAME, "digest name=none off=0 len=1");
	due_err(c, LINE_NO_SUCH_NAME, "inval name=none");
	due_err(c, LINE_NO_SUCH_NAME, "dereg name=none");
}

static void fills_and_dumps(struct checker *c)
{
	region(c);
	due_ok(c, "fill name=a off=7 hex=7761727000ff");
	due_ok(c, "dump name=a off=6 len=8");
	due_octets(c, "hex", "\0warp\0\xff\0", 8);
	due_ok(c, "fill name=a off=64 hex=");
	due_ok(c, "dump name=a off=64 len=0");
	due_octets(c, "hex", "", 0);
}

static void digests(struct checker *c)
{
	/* SHA-256 of "warp". */
	static const uint8_t due_digest[32] = {
		0xda, 0x9e, 0x96, 0xb4, 0x01, 0xda, 0x78, 0xec,
		0x09, 0x43, 0x2e, 0x2d, 0x2d, 0x39, 0xbe, 0x78,
		0x69, 0x9f, 0x51, 0x67, 0x70, 0x92, 0xee, 0x3e,
		0x8c, 0x8b, 0x1c, 0xe3, 0xf8, 0xf1, 0x03, 0xe1,
	};

	region(c);
	due_ok(c, "fill name=a off=7 hex=77617270");
	due_ok(c, "digest name=a off=7 len=4");
	due_octets(c, "sha256", due_digest, sizeof(due_digest));
}

static void outside(struct checker *c)
{
	static const char *const bad[] = {
		"fill name=a off=64 hex=00",
		"fill name=a off=63 hex=1111",
		"fill name=a off=18446744073709551615 hex=1111",
		"dump name=a off=60 len=5",
		"dump name=a off=18446744073709551615 len=2",
		"digest name=a off=65 len=0",
	};

	region(c);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		due_err(c, LINE_BAD_ARGUMENT, "%s", bad[i]);
	due_ok(c, "dump name=a off=63 len=1");
	due_octets(c, "hex", "\0", 1);
}

static void invalidates_once(struct checker *c)
{
	region(c);
	due_ok(c, "inval name=a");
	due_err(c, LINE_BAD_STATE, "inval name=a");
	due_ok(c, "dump name=a off=0 len=1");
	due_ok(c, "dereg name=a");
}

static void deregisters(struct checker *c)
{
	region(c);
	due_ok(c, "dereg name=a");
	due_err(c, LINE_NO_SUCH_NAME, "dump name=a off=0 len=1");
	due_err(c, LINE_NO_SUCH_NAME, "dereg name=a");
	due_ok(c, "reg name=a len=8 access=lw");
	due_number(c, "len", 8);
}

static void changes_rights(struct checker *c)
{
	region(c);
	due_ok(c, "access name=a access=none");
	due_err(c, LINE_BAD_ARGUMENT, "access name=a access=xx");
	due_err(c, LINE_BAD_ARGUMENT, "access name=a");
	due_err(c, LINE_NO_SUCH_NAME, "access name=none access=lw");
	asks(c, "inval name=a");
	if (was(c, LINE_NO_ERROR))
		due_err(c, LINE_BAD_STATE, "access name=a access=lw");
}

static void of_a_stream(struct checker *c)
{
	opens_session(c);
	struct wire *w = wire_up(c, " pd=3");

	due_ok(c, "reg name=a len=8 access=lw conn=%s", w->conn);
	due_err(c, LINE_BAD_ARGUMENT, "reg name=b len=8 access=lw conn=%s pd=4",
		w->conn);
	due_err(c, LINE_NO_SUCH_NAME, "reg name=b len=8 access=lw conn=none");
}

static const struct check checks[] = {
	{MEMORY, "reg reports stag, to and len", registers, 0},
	{MEMORY, "a region is zeroed", is_zeroed, 0},
	{MEMORY, "to is a multiple of align, plus skew", align_and_skew, 0},
	{MEMORY, "base=zero is to=0, whatever align and skew", zero_based,
	 CLAIM(ZERO_BASED)},
	{MEMORY, "a region has the rights that were asked for, one by one",
	 each_right, 0},
	{MEMORY, "rights that do not exist, or are missing, are bad-argument",
	 no_rights, 0},
	{"Framing", "a name used twice is bad-state, and nothing is changed",
	 name_taken, 0},
	{"Framing", "a key that has no default and is missing is bad-argument",
	 keys_missing, 0},
	{"Framing", "an unknown name is no-such-name", unknown_names, 0},
	{MEMORY, "dump has what fill wrote, at any offset", fills_and_dumps, 0},
	{MEMORY, "digest is the SHA-256 of the same octets", digests, 0},
	{MEMORY,
	 "off+len outside the region is bad-argument, and nothing is "
	 "written",
	 outside, 0},
	{MEMORY,
	 "an STag is invalidated once: twice is bad-state; its octets "
	 "stay",
	 invalidates_once, 0},
	{MEMORY, "dereg removes the region, and its name is free", deregisters,
	 0},
	{MEMORY, "access changes the rights of a live region", changes_rights,
	 CLAIM(ACCESS)},
	{MEMORY,
	 "conn= binds an STag to a stream and its domain, and another "
	 "pd= is bad-argument",
	 of_a_stream, CLAIM(STREAM_STAG)},
};

const struct check_group memory_checks = CHECK_GROUP("memory", checks);
