/* SPDX-License-Identifier: BSD-2-Clause */
/* How streams end, who ends them, and what the agent reports. */
#include <inttypes.h>
#include <string.h>

#include "harness/wire/rdmap.h"
#include "suite/agent_check/checker.h"

#define CONNECTIONS "Connections"

static struct wire *up(struct checker *c, const char *params)
{
	opens_session(c);
	return wire_up(c, params);
}

static void final_state(struct checker *c, struct wire *w)
{
	due_ok(c, "state conn=%s timeout-ms=%" PRIu64 " until=closed", w->conn,
	       c->wait_ns / CLOCK_NS_PER_MS / 2);
}

static void peer_closes(struct checker *c)
{
	struct wire *w = up(c, "");

	wire_closes(c, w);
	final_state(c, w);
	due_orderly_end(c);
}

static void peer_resets(struct checker *c)
{
	struct wire *w = up(c, "");
	bool either = untold(c, AGENT_UNTOLD_ENDS);

	wire_resets(c, w);
	final_state(c, w);
	due(c,
	    strcmp(word(c, "state"), "error") == 0 ||
		    (either && strcmp(word(c, "state"), "closed") == 0),
	    "state=error%s", either ? ", or closed" : "");
}

/* Who sent it, if the agent knows. */
static void due_from(struct checker *c, const char *side)
{
	if (line_get(&c->reply, "term-from"))
		due_word(c, "term-from", side);
}

static void peer_terminates(struct checker *c)
{
	struct wire *w = up(c, "");

	wire_terminates(c, w);
	wire_closes(c, w);
	final_state(c, w);
	if (untold(c, AGENT_UNTOLD_TERMINATE)) {
		due(c, strcmp(word(c, "state"), "established") != 0,
		    "a final state");
		return;
	}
	due_word(c, "state", "terminated");
	due_number(c, "term-layer", 0);
	due_number(c, "term-etype", 0);
	due_number(c, "term-code", 0);
	due_from(c, "remote");
	due_octets(c, "term-hex", "\0\0\0\0", 4);
}

static void device_terminates(struct checker *c)
{
	struct wire *w = up(c, "");

	/* There is no buffer for it (RFC 5041 s7.1). */
	wire_sends(c, w, RDMAP_SEND, 0, "hello", 5);
	const struct frame *f = wire_hears(c, w);

	if (!f || f->seg.ddp.opcode != RDMAP_TERMINATE)
		skips(c, "not reached: the device sends no Terminate for it");
	final_state(c, w);
	if (untold(c, AGENT_UNTOLD_TERMINATE)) {
		due(c, strcmp(word(c, "state"), "established") != 0,
		    "a final state");
		return;
	}
	due_word(c, "state", "terminated");
	due_from(c, "local");
	number(c, "term-layer");
	number(c, "term-etype");
	number(c, "term-code");
	due(c, strlen(word(c, "term-hex")) >= 8,
	    "term-hex= of 4 octets or more");
}

static void first_stays(struct checker *c)
{
	struct wire *w = up(c, "");

	wire_resets(c, w);
	final_state(c, w);
	char first[24];

	snprintf(first, sizeof(first), "%s", word(c, "state"));
	due_ok(c, "close conn=%s", w->conn);
	due_ok(c, "state conn=%s", w->conn);
	due_word(c, "state", first);
}

/* --- close ---------------------------------------------------------------- */

static void closes(struct checker *c)
{
	struct wire *w = up(c, "");

	due_ok(c, "close conn=%s", w->conn);
	due(c, wire_end(c, w) == PEER_FIN, "FIN of the device");
	due_ok(c, "state conn=%s", w->conn);
	due_orderly_end(c);
	due_ok(c, "close conn=%s", w->conn);
	due_err(c, LINE_NO_SUCH_NAME, "close conn=none");
}

static void close_flushes(struct checker *c)
{
	struct wire *w = up(c, "");

	due_ok(c, "recv conn=%s count=2 len=8", w->conn);
	due_ok(c, "close conn=%s", w->conn);
	for (uint64_t id = 1; id <= 2; id++) {
		awaits_event(c, w->conn);
		due_event(c, id, "recv", "flushed");
		due_none(c, "hex");
	}
}

static void close_sends(struct checker *c)
{
	struct wire *w = up(c, "");

	due_ok(c, "post conn=%s id=9 op=send hex=616263", w->conn);
	due_ok(c, "close conn=%s", w->conn);
	wire_due_payload(c, w, wire_due(c, w, RDMAP_SEND), "abc", 3);
	due(c, wire_end(c, w) == PEER_FIN, "FIN behind them");
	awaits_event(c, w->conn);
	due_event(c, 9, "send", "ok");
}

static void aborts(struct checker *c)
{
	struct wire *w = up(c, "");

	due_ok(c, "close conn=%s abort=1", w->conn);
	due(c, wire_end(c, w) == PEER_RESET, "RST of the device");
	due_ok(c, "state conn=%s", w->conn);
	due_orderly_end(c);
}

static void half_closes(struct checker *c)
{
	struct wire *w = up(c, " rq=1");

	due_ok(c, "close conn=%s half=1", w->conn);
	due(c, wire_end(c, w) == PEER_FIN, "FIN of the device");
	due_ok(c, "state conn=%s", w->conn);
	due_word(c, "state", "established");
	due_no_event(c, w->conn);
	asks(c, "post conn=%s id=9 op=send hex=61", w->conn);
	if (!was(c, LINE_BAD_STATE)) {
		due_done(c);
		awaits_event(c, w->conn);
		due_event(c, 9, "send", "flushed");
	}
	due_ok(c, "close conn=%s half=1", w->conn);
	wire_sends(c, w, RDMAP_SEND, 0, "hello", 5);
	awaits_event(c, w->conn);
	due_event(c, 1, "recv", "ok");
	wire_closes(c, w);
	final_state(c, w);
	due_orderly_end(c);
}

static void half_then_whole(struct checker *c)
{
	struct wire *w = up(c, " rq=1");

	due_err(c, LINE_BAD_ARGUMENT, "close conn=%s half=1 abort=1", w->conn);
	due_ok(c, "close conn=%s half=1", w->conn);
	due_ok(c, "close conn=%s", w->conn);
	due_ok(c, "state conn=%s", w->conn);
	due_orderly_end(c);
	awaits_event(c, w->conn);
	due_event(c, 1, "recv", "flushed");
}

/* --- afterwards ----------------------------------------------------------- */

static void posted_late(struct checker *c)
{
	struct wire *w = up(c, "");

	wire_closes(c, w);
	final_state(c, w);
	due_ok(c, "recv conn=%s len=8", w->conn);
	due_ok(c, "post conn=%s id=9 op=send hex=61", w->conn);
	for (unsigned i = 0; i < 2; i++) {
		awaits_event(c, w->conn);
		due_word(c, "status", "flushed");
	}
}

static void waits_no_longer(struct checker *c)
{
	struct wire *w = up(c, "");

	wire_closes(c, w);
	final_state(c, w);
	uint64_t before = clock_now_ns();

	due_ok(c, "events conn=%s timeout-ms=%" PRIu64, w->conn,
	       c->wait_ns / CLOCK_NS_PER_MS / 2);
	due_number(c, "n", 0);
	due(c, clock_now_ns() - before < c->wait_ns / 4,
	    "at once: no event can come any more");
}

static const struct check checks[] = {
	{CONNECTIONS, "a close of the peer in order is state=closed",
	 peer_closes, 0},
	{CONNECTIONS, "a reset by the peer is state=error", peer_resets, 0},
	{CONNECTIONS,
	 "a received Terminate is state=terminated, with its codes",
	 peer_terminates, CLAIM(TERMINATE)},
	{CONNECTIONS, "a sent Terminate is state=terminated, with its codes",
	 device_terminates, CLAIM(TERMINATE) | CLAIM(SEND)},
	{CONNECTIONS, "the first final state stays", first_stays, 0},
	{CONNECTIONS,
	 "close is a FIN, state=closed at once, and may be repeated", closes,
	 0},
	{CONNECTIONS,
	 "unfinished work completes as flushed at a close, in order",
	 close_flushes, 0},
	{CONNECTIONS, "close sends what was posted before", close_sends,
	 CLAIM(SEND)},
	{CONNECTIONS, "close abort=1 is a reset, and state=closed", aborts, 0},
	{CONNECTIONS,
	 "after close half=1 the stream stays established: it "
	 "receives, posts are flushed or refused, and it may be repeated",
	 half_closes, CLAIM(HALF_CLOSE) | CLAIM(SEND)},
	{CONNECTIONS, "a close after a half one ends the rest", half_then_whole,
	 CLAIM(HALF_CLOSE)},
	{"Connections", "recv and post in a final state are flushed at once",
	 posted_late, CLAIM(SEND)},
	{"Connections", "events does not wait for what cannot come any more",
	 waits_no_longer, 0},
};

const struct check_group end_checks = CHECK_GROUP("ends", checks);
