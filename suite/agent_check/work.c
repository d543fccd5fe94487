/* SPDX-License-Identifier: BSD-2-Clause */
/* Work requests: the messages that they cause, and how they complete. */
#include <inttypes.h>
#include <string.h>

#include "harness/wire/rdmap.h"
#include "suite/agent_check/checker.h"

#define CONNECTIONS "Connections"
#define EVENTS      "Events"

/* Some devices accept Read Responses only into buffers with remote write
 * access. */
#define READ_SINK "reg name=a len=64 access=lw,rw"

static struct wire *up(struct checker *c)
{
	opens_session(c);
	return wire_up(c, "");
}

/* For checks that need the device's own Requests. */
static struct wire *up_to_ask(struct checker *c)
{
	if (!c->hello.max_ord)
		skips(c, "max-ord is 0");
	return up(c);
}

static void sends_octets(struct checker *c)
{
	struct wire *w = up(c);

	due_ok(c, "post conn=%s id=0x9 op=send hex=68656c6c6f", w->conn);
	wire_due_payload(c, w, wire_due(c, w, RDMAP_SEND), "hello", 5);
	awaits_event(c, w->conn);
	due_event(c, 9, "send", "ok");
	due_number(c, "len", 5);
}

static void sends_of_a_region(struct checker *c)
{
	struct wire *w = up(c);

	given(c, "reg name=a len=64 access=lw");
	given(c, "fill name=a off=7 hex=68656c6c6f");
	due_ok(c, "post conn=%s id=9 op=send local=a off=7 len=5", w->conn);
	wire_due_payload(c, w, wire_due(c, w, RDMAP_SEND), "hello", 5);
	awaits_event(c, w->conn);
	due_event(c, 9, "send", "ok");
}

static void sends_flags(struct checker *c)
{
	struct wire *w = up(c);

	if (claims(c, CLAIM(SEND_SE))) {
		due_ok(c, "post conn=%s id=1 op=send hex=61 se=1", w->conn);
		wire_due(c, w, RDMAP_SEND_SE);
	}
	if (claims(c, CLAIM(SEND_INV))) {
		due_ok(c, "post conn=%s id=2 op=send hex=61 inv=0x1234",
		       w->conn);
		const struct frame *f = wire_due(c, w, RDMAP_SEND_INV);

		due(c, f->seg.ddp.inval_stag == 0x1234,
		    "Invalidate STag 0x1234");
	}
}

static void writes(struct checker *c)
{
	struct wire *w = up(c);

	due_ok(c,
	       "post conn=%s id=9 op=write hex=68656c6c6f rstag=0x11223344 "
	       "rto=0x5566778899aabbcc",
	       w->conn);
	const struct frame *f = wire_due(c, w, RDMAP_WRITE);

	due(c,
	    f->seg.ddp.stag == 0x11223344 &&
		    f->seg.ddp.to == 0x5566778899aabbcc,
	    "STag 11223344 and TO 5566778899aabbcc");
	wire_due_payload(c, w, f, "hello", 5);
	awaits_event(c, w->conn);
	due_event(c, 9, "write", "ok");
	due_number(c, "len", 5);
}

static const struct frame *due_read(struct checker *c, struct wire *w,
				    uint32_t stag, uint64_t to)
{
	const struct frame *f = wire_due(c, w, RDMAP_READ_REQUEST);
	struct rdmap_read_request r;

	if (!rdmap_read_request_decode(&r, f->seg.payload,
				       f->seg.payload_octets))
		fails(c, "a whole Read Request");
	due(c, r.size == 5 && r.source_stag == 0x11223344 && r.source_to == 64,
	    "5 octets of STag 11223344 from TO 64 on");
	if (!untold(c, AGENT_UNTOLD_LOCAL_KEYS))
		due(c, r.sink_stag == stag && r.sink_to == to,
		    "the region's own STag %08x and TO %" PRIx64
		    " as the sink; seen %08x and %" PRIx64,
		    stag, to, r.sink_stag, r.sink_to);
	return f;
}

static void reads(struct checker *c)
{
	struct wire *w = up_to_ask(c);

	given(c, READ_SINK);
	uint32_t stag = (uint32_t)number(c, "stag");
	uint64_t to = number(c, "to");

	due_ok(c,
	       "post conn=%s id=9 op=read local=a off=8 len=5 "
	       "rstag=0x11223344 rto=64",
	       w->conn);
	const struct frame *f = due_read(c, w, stag, to + 8);

	due_no_event(c, w->conn);
	wire_answers(c, w, f, "hello", 5);
	awaits_event(c, w->conn);
	due_event(c, 9, "read", "ok");
	due_number(c, "len", 5);
	due_ok(c, "dump name=a off=7 len=7");
	due_octets(c, "hex", "\0hello\0", 7);
}

static void atomics(struct checker *c)
{
	static const uint8_t before[8] = {0, 0, 0, 1, 0, 0, 0, 2};
	static const struct {
		uint64_t claim;
		const char *op, *keys;
	} ops[] = {
		{CLAIM(FETCHADD), "fetchadd", "add=5"},
		{CLAIM(CMPSWAP), "cmpswap", "compare=1 swap=2"},
		{CLAIM(SWAP), "swap", "swap=2"},
	};
	struct wire *w;

	needs_one_of(c, CLAIM(FETCHADD) | CLAIM(CMPSWAP) | CLAIM(SWAP));
	w = up_to_ask(c);
	for (unsigned i = 0; i < 3; i++) {
		if (!claims(c, ops[i].claim))
			continue;
		due_ok(c, "post conn=%s id=%u op=%s %s rstag=0x11223344 rto=64",
		       w->conn, i + 5, ops[i].op, ops[i].keys);
		wire_answers(c, w, wire_due(c, w, RDMAP_ATOMIC_REQUEST), before,
			     sizeof(before));
		awaits_event(c, w->conn);
		due_event(c, i + 5, ops[i].op, "ok");
		due_number(c, "value", 0x0000000100000002);
	}
}

static void immediate(struct checker *c)
{
	struct wire *w = up(c);

	due_ok(c, "post conn=%s id=9 op=imm imm=0102030405060708", w->conn);
	wire_due_payload(c, w, wire_due(c, w, RDMAP_IMM), "\1\2\3\4\5\6\7\10",
			 8);
	awaits_event(c, w->conn);
	due_event(c, 9, "imm", "ok");
	due_err(c, LINE_BAD_ARGUMENT, "post conn=%s id=1 op=imm imm=01",
		w->conn);
	due_err(c, LINE_BAD_ARGUMENT, "post conn=%s id=1 op=imm", w->conn);
}

static void write_and_immediate(struct checker *c)
{
	struct wire *w = up(c);

	due_ok(c,
	       "post conn=%s id=9 op=write-imm hex=61 rstag=1 rto=0 "
	       "imm=0102030405060708",
	       w->conn);
	wire_due(c, w, RDMAP_WRITE);
	wire_due(c, w, RDMAP_IMM);
	awaits_event(c, w->conn);
	due_event(c, 9, "imm", "ok");
	due_no_event(c, w->conn);
}

static void complete_in_order(struct checker *c)
{
	static const char *const ops[] = {"send", "read", "send"};
	struct wire *w = up_to_ask(c);

	given(c, READ_SINK);
	due_ok(c, "post conn=%s id=1 op=send hex=61", w->conn);
	due_ok(c,
	       "post conn=%s id=2 op=read local=a off=0 len=5 "
	       "rstag=0x11223344 rto=64",
	       w->conn);
	due_ok(c, "post conn=%s id=3 op=send hex=62", w->conn);
	wire_due(c, w, RDMAP_SEND);
	const struct frame *f = wire_due(c, w, RDMAP_READ_REQUEST);

	/* A device may hold the second Send back until then. */
	wire_answers(c, w, f, "hello", 5);
	wire_due(c, w, RDMAP_SEND);
	for (uint64_t id = 1; id <= 3; id++) {
		awaits_event(c, w->conn);
		due_event(c, id, ops[id - 1], "ok");
	}
}

static void unanswered_is_flushed(struct checker *c)
{
	struct wire *w = up_to_ask(c);

	given(c, READ_SINK);
	due_ok(c, "post conn=%s id=9 op=read local=a off=0 len=5 rstag=1 rto=0",
	       w->conn);
	wire_due(c, w, RDMAP_READ_REQUEST);
	wire_resets(c, w);
	awaits_event(c, w->conn);
	due_event(c, 9, "read", "flushed");
}

static void wrong_posts(struct checker *c)
{
	static const char *const bad[] = {
		"op=send hex=61",
		"id=1 hex=61",
		"id=1 op=teleport hex=61",
		"id=1 op=recv",
		"id=1 op=send hex=6",
		"id=1 op=send local=a off=60 len=5",
		"id=1 op=send local=a off=0",
		"id=1 op=send hex=61 local=a off=0 len=1",
	};
	struct wire *w = up(c);

	given(c, "reg name=a len=64 access=lw");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		due_err(c, LINE_BAD_ARGUMENT, "post conn=%s %s", w->conn,
			bad[i]);
	due_err(c, LINE_NO_SUCH_NAME, "post conn=none id=1 op=send hex=61");
	due_err(c, LINE_NO_SUCH_NAME,
		"post conn=%s id=1 op=send local=b off=0 len=1", w->conn);
	due_no_event(c, w->conn);
}

static void provokes(struct checker *c)
{
	struct wire *w = up(c);

	due_err(c, LINE_BAD_ARGUMENT, "provoke conn=%s layer=0", w->conn);
	due_ok(c, "provoke conn=%s layer=0 etype=0 code=0", w->conn);
	due_ok(c, "state conn=%s timeout-ms=%" PRIu64 " until=terminated",
	       w->conn, c->wait_ns / CLOCK_NS_PER_MS / 2);
	due(c, strcmp(word(c, "state"), "established") != 0, "a final state");
}

static const struct check checks[] = {
	{CONNECTIONS, "a Send of octets goes out, and completes", sends_octets,
	 CLAIM(SEND)},
	{CONNECTIONS, "a Send of a region's octets goes out, and completes",
	 sends_of_a_region, CLAIM(SEND)},
	{CONNECTIONS, "se and inv select the type of Send", sends_flags,
	 CLAIM(SEND)},
	{CONNECTIONS, "a Write goes out to its rstag and rto, and completes",
	 writes, CLAIM(WRITE)},
	{CONNECTIONS,
	 "a Read bears the region's own STag and TO, completes when "
	 "it is answered, and its octets are there",
	 reads, CLAIM(READ)},
	{EVENTS, "an atomic completes with its original value", atomics, 0},
	{CONNECTIONS, "Immediate Data goes out, and completes", immediate,
	 CLAIM(IMM)},
	{EVENTS, "write-imm gives one event, imm", write_and_immediate,
	 CLAIM(IMM) | CLAIM(WRITE)},
	{EVENTS, "posted work completes in the order of posting",
	 complete_in_order, CLAIM(SEND) | CLAIM(READ)},
	{EVENTS, "unanswered work is flushed when the stream ends",
	 unanswered_is_flushed, CLAIM(READ)},
	{CONNECTIONS,
	 "a post with invalid values is bad-argument, with an unknown name "
	 "no-such-name; nothing is posted",
	 wrong_posts, CLAIM(SEND)},
	{CONNECTIONS, "provoke makes the device report an error", provokes,
	 CLAIM(PROVOKE)},
};

const struct check_group work_checks = CHECK_GROUP("work", checks);
