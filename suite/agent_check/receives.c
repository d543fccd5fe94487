/* SPDX-License-Identifier: BSD-2-Clause */
/* Receives, the messages that complete them, and the events that report
 * them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/wire/rdmap.h"
#include "suite/agent_check/checker.h"

#define EVENTS "Events"

static struct wire *up(struct checker *c, const char *params)
{
	opens_session(c);
	return wire_up(c, params);
}

static void due_len(struct checker *c, uint64_t len)
{
	if (!untold(c, AGENT_UNTOLD_RECEIVE_LENGTH))
		due_number(c, "len", len);
}

static void takes_a_message(struct checker *c)
{
	struct wire *w = up(c, "");

	due_ok(c, "recv conn=%s len=64", w->conn);
	wire_sends(c, w, RDMAP_SEND, 0, "hello", 5);
	awaits_event(c, w->conn);
	due_event(c, 1, "recv", "ok");
	due_len(c, 5);
	due_received(c, "hello", 5);
	due_none(c, "inv");
	due_none(c, "imm");
	if (line_get(&c->reply, "se") || !untold(c, AGENT_UNTOLD_SE))
		due_number(c, "se", 0);
	due_no_event(c, w->conn);
}

static void takes_an_empty_one(struct checker *c)
{
	struct wire *w = up(c, "");

	due_ok(c, "recv conn=%s len=64", w->conn);
	wire_sends(c, w, RDMAP_SEND, 0, NULL, 0);
	awaits_event(c, w->conn);
	due_event(c, 1, "recv", "ok");
	due_len(c, 0);
	due_received(c, "", 0);
}

static void are_numbered(struct checker *c)
{
	struct wire *w = up(c, " rq=2 rqlen=64");

	due_ok(c, "recv conn=%s count=2 len=64", w->conn);
	due_ok(c, "recv conn=%s len=64", w->conn);
	for (uint64_t id = 1; id <= 5; id++)
		wire_sends(c, w, RDMAP_SEND, 0, &id, 1);
	for (uint64_t id = 1; id <= 5; id++) {
		awaits_event(c, w->conn);
		due_event(c, id, "recv", "ok");
		due_received(c, &id, 1);
	}
}

static void in_a_region(struct checker *c)
{
	struct wire *w = up(c, "");

	given(c, "reg name=a len=64 access=lw");
	due_ok(c, "recv conn=%s local=a off=3 len=16 id=77", w->conn);
	due_ok(c, "recv conn=%s local=a off=32 len=16", w->conn);
	wire_sends(c, w, RDMAP_SEND, 0, "hello", 5);
	wire_sends(c, w, RDMAP_SEND, 0, "there", 5);
	awaits_event(c, w->conn);
	due_event(c, 77, "recv", "ok");
	due_received(c, "hello", 5);
	due_ok(c, "dump name=a off=2 len=7");
	due_octets(c, "hex", "\0hello\0", 7);
	awaits_event(c, w->conn);
	due_event(c, 2, "recv", "ok");
}

static void in_no_region(struct checker *c)
{
	struct wire *w = up(c, "");

	given(c, "reg name=a len=64 access=lw");
	due_ok(c, "recv conn=%s local=a off=0 len=16", w->conn);
	given(c, "inval name=a");
	wire_sends(c, w, RDMAP_SEND, 0, "hello", 5);
	awaits_event(c, w->conn);
	due_event(c, 1, "recv", "local-error");
	due_ok(c, "state conn=%s timeout-ms=%" PRIu64 " until=closed", w->conn,
	       c->wait_ns / CLOCK_NS_PER_MS / 2);
	due(c, strcmp(word(c, "state"), "established") != 0,
	    "the stream has ended");
}

static void wrong_forms(struct checker *c)
{
	struct wire *w = up(c, "");

	given(c, "reg name=a len=64 access=lw");
	due_err(c, LINE_BAD_ARGUMENT, "recv conn=%s", w->conn);
	due_err(c, LINE_BAD_ARGUMENT, "recv conn=%s len=8 off=0", w->conn);
	due_err(c, LINE_BAD_ARGUMENT, "recv conn=%s len=8 id=1", w->conn);
	due_err(c, LINE_NO_SUCH_NAME, "recv conn=none len=8");
	if (!claims(c, CLAIM(RECV_LOCAL)))
		return;
	due_err(c, LINE_BAD_ARGUMENT,
		"recv conn=%s local=a off=0 len=8 count=1", w->conn);
	due_err(c, LINE_BAD_ARGUMENT, "recv conn=%s local=a off=60 len=8",
		w->conn);
	due_err(c, LINE_NO_SUCH_NAME, "recv conn=%s local=b off=0 len=8",
		w->conn);
}

static void before_it_is_up(struct checker *c)
{
	opens_session(c);
	struct wire *w = wire_is_connected_to(c, "");

	due_ok(c, "recv conn=%s len=8", w->conn);
	due_ok(c, "post conn=%s id=9 op=send hex=61", w->conn);
	due_no_event(c, w->conn);
	wire_takes_request(c, w);
	wire_replies(c, w, NULL, 0);
	/* The message that opens the stream comes first, if there is one. */
	const struct frame *f;

	while ((f = wire_hears(c, w)) && f->seg.ddp.opcode != RDMAP_SEND)
		if (f->seg.ddp.opcode == RDMAP_READ_REQUEST)
			wire_answers(c, w, f, NULL, 0);
	due(c, f, "the device sends what was posted");
	awaits_event(c, w->conn);
	due_event(c, 9, "send", "ok");
	wire_sends(c, w, RDMAP_SEND, 0, "hello", 5);
	awaits_event(c, w->conn);
	due_event(c, 1, "recv", "ok");
}

static void solicited(struct checker *c)
{
	struct wire *w = up(c, " rq=1");

	if (untold(c, AGENT_UNTOLD_SE))
		skips(c, "untold: se");
	wire_sends(c, w, RDMAP_SEND_SE, 0, "hello", 5);
	awaits_event(c, w->conn);
	due_event(c, 1, "recv", "ok");
	due_number(c, "se", 1);
}

static void invalidating(struct checker *c)
{
	struct wire *w = up(c, " rq=1");

	given(c, "reg name=a len=8 access=lw,rr");
	uint32_t stag = (uint32_t)number(c, "stag");

	wire_sends(c, w, RDMAP_SEND_INV, stag, "hello", 5);
	awaits_event(c, w->conn);
	due_event(c, 1, "recv", "ok");
	if (line_get(&c->reply, "inv") || !untold(c, AGENT_UNTOLD_INVALIDATED))
		due_number(c, "inv", stag);
	due_err(c, LINE_BAD_STATE, "inval name=a");
}

static void immediate(struct checker *c)
{
	static const uint8_t imm[] = {1, 2, 3, 4, 5, 6, 7, 0xff};
	struct wire *w = up(c, " rq=2");

	wire_sends(c, w, RDMAP_IMM, 0, imm, sizeof(imm));
	awaits_event(c, w->conn);
	due_event(c, 1, "recv-imm", "ok");
	due_number(c, "len", 8);
	due_octets(c, "imm", imm, sizeof(imm));
	due_none(c, "hex");
	wire_sends(c, w, RDMAP_SEND, 0, "hello", 5);
	awaits_event(c, w->conn);
	due_event(c, 2, "recv", "ok");
}

static void long_message(struct checker *c)
{
	enum { LONG = LINE_MAX_HEX_BYTES + 1 };

	if (c->hello.max_message < LONG)
		skips(c, "max-message is less than 256 KiB");
	struct wire *w = up(c, "");
	uint8_t *octets = calloc(1, LONG);

	if (!octets)
		abort();
	asks(c, "recv conn=%s len=%d", w->conn, LONG);
	if (was(c, LINE_NO_ERROR))
		wire_sends(c, w, RDMAP_SEND, 0, octets, LONG);
	free(octets);
	due_done(c);
	awaits_event(c, w->conn);
	due_event(c, 1, "recv", "ok");
	due_number(c, "len", LONG);
	due_none(c, "hex");
	due(c, strlen(word(c, "sha256")) == 64, "sha256= of 32 octets");
}

/* --- events --------------------------------------------------------------- */

static struct wire *with_events(struct checker *c, unsigned n)
{
	char params[16];

	sprintf(params, " rq=%u", n);
	struct wire *w = up(c, params);

	for (unsigned i = 1; i <= n; i++)
		wire_sends(c, w, RDMAP_SEND, 0, "x", 1);
	return w;
}

static void at_most(struct checker *c)
{
	struct wire *w = with_events(c, 3);

	due_ok(c, "events conn=%s min=2 max=2 timeout-ms=%" PRIu64, w->conn,
	       c->wait_ns / CLOCK_NS_PER_MS / 2);
	due_number(c, "n", 2);
	for (uint64_t id = 1; id <= 2; id++) {
		hears_event(c);
		due_event(c, id, "recv", "ok");
	}
	due_ok(c, "events conn=%s timeout-ms=%" PRIu64, w->conn,
	       c->wait_ns / CLOCK_NS_PER_MS / 2);
	due_number(c, "n", 1);
	hears_event(c);
	due_event(c, 3, "recv", "ok");
	due_no_event(c, w->conn);
}

static void at_least(struct checker *c)
{
	struct wire *w = with_events(c, 3);

	due_ok(c, "events conn=%s min=3 timeout-ms=%" PRIu64, w->conn,
	       c->wait_ns / CLOCK_NS_PER_MS / 2);
	due_number(c, "n", 3);
	for (unsigned i = 0; i < 3; i++)
		hears_event(c);
}

static void too_few(struct checker *c)
{
	enum { WAIT_MS = 60 };
	struct wire *w = with_events(c, 1);
	uint64_t before = clock_now_ns();

	due_ok(c, "events conn=%s min=2 timeout-ms=%d", w->conn, WAIT_MS);
	due_number(c, "n", 1);
	due(c, clock_now_ns() - before >= WAIT_MS * UINT64_C(900000),
	    "not before the %d ms are over", WAIT_MS);
	hears_event(c);
	due_err(c, LINE_NO_SUCH_NAME, "events conn=none");
}

static void each_its_own(struct checker *c)
{
	opens_session(c);
	struct wire *a = wire_up(c, " rq=1");
	struct wire *b = wire_up(c, " rq=1");

	wire_sends(c, a, RDMAP_SEND, 0, "a", 1);
	wire_sends(c, b, RDMAP_SEND, 0, "b", 1);
	awaits_event(c, b->conn);
	due_event(c, 1, "recv", "ok");
	due_received(c, "b", 1);
}

static const struct check checks[] = {
	{EVENTS,
	 "a receive completes with the message's octets, and its length",
	 takes_a_message, CLAIM(SEND)},
	{EVENTS, "a message of no octets has hex= and nothing in it",
	 takes_an_empty_one, CLAIM(SEND)},
	{EVENTS,
	 "receives are numbered from 1 in the order posted, those of rq "
	 "first, and used in that order",
	 are_numbered, CLAIM(SEND)},
	{EVENTS,
	 "a receive in a region has the id given, and its octets are "
	 "there",
	 in_a_region, CLAIM(SEND) | CLAIM(RECV_LOCAL)},
	{EVENTS,
	 "a receive whose region was invalidated is local-error, and the "
	 "stream ends",
	 in_no_region, CLAIM(SEND) | CLAIM(RECV_LOCAL)},
	{"Connections",
	 "recv has two forms, and off and id belong to the one in "
	 "a region",
	 wrong_forms, 0},
	{EVENTS, "recv and post before the stream is established wait for it",
	 before_it_is_up, CLAIM(INITIATOR) | CLAIM(SEND)},
	{EVENTS, "se=1 means that the message requested an event", solicited,
	 CLAIM(SEND_SE)},
	{EVENTS,
	 "inv names the STag that a Send invalidated, and it is invalid",
	 invalidating, CLAIM(SEND_INV)},
	{EVENTS,
	 "Immediate Data is recv-imm with imm in wire order, len=8, and "
	 "uses a buffer up",
	 immediate, CLAIM(IMM) | CLAIM(SEND)},
	{"Framing", "a message of more than 256 KiB has sha256 instead of hex",
	 long_message, CLAIM(SEND)},
	{"Connections", "events reports at most max events, each once", at_most,
	 CLAIM(SEND)},
	{"Connections", "events waits for min", at_least, CLAIM(SEND)},
	{"Connections", "events reports what there is at the timeout", too_few,
	 CLAIM(SEND)},
	{"Connections", "events reports on the requested connection only",
	 each_its_own, CLAIM(SEND) | CLAIM(MULTI_STREAM)},
};

const struct check_group receive_checks = CHECK_GROUP("receives", checks);
