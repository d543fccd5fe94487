/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions: what ends with them, and that they are independent. */
#include <string.h>

#include "harness/wire/rdmap.h"
#include "suite/agent_check/checker.h"

#define SESSION "Session"
#define FRAMING "Framing"

static void bye(struct checker *c)
{
	opens_session(c);
	due_ok(c, "bye");
	due_closed(c);
}

static void reset_releases_memory(struct checker *c)
{
	opens_session(c);
	given(c, "reg name=a len=8 access=lw");
	due_ok(c, "reset");
	due_err(c, LINE_NO_SUCH_NAME, "dump name=a off=0 len=1");
	due_ok(c, "reg name=a len=8 access=lw");
}

/*
 * Its port is closed, or will be soon: not every agent notices the end at once.
 * A connection that still succeeds until then ends with it. A round trip comes
 * first, because a connection to a closing port may hang.
 */
static bool port_closes(struct checker *c, struct wire *w)
{
	uint64_t until = clock_now_ns() + c->wait_ns;

	opens_session(c);
	while (wire_reaches(c, w)) {
		wire_requests(c, w, NULL, 0);
		if (wire_end(c, w) == PEER_TIMEOUT || clock_now_ns() >= until)
			return false;
		peer_end(&w->peer, true);
		w->live = false;
	}
	return true;
}

/* If ports are opened and closed, the next owner of a port may answer; it does
 * not do so twice in a row. */
static void due_port_closed(struct checker *c, bool by_reset)
{
	for (unsigned i = 0; i < 2; i++) {
		struct wire *w;

		opens_session(c);
		w = wire_listens(c, "");
		if (by_reset) {
			due_ok(c, "reset");
			due_err(c, LINE_NO_SUCH_NAME,
				"accept listener=%s timeout-ms=0", w->listener);
		} else {
			closes_session(c);
		}
		if (port_closes(c, w))
			return;
	}
	fails(c, "a connection is refused");
}

static void reset_releases_listeners(struct checker *c)
{
	due_port_closed(c, true);
}

/* The session has ended, and its reset need not be graceful. */
static void due_over(struct checker *c, struct wire *w)
{
	due(c, wire_end(c, w) != PEER_TIMEOUT, "the stream is closed or reset");
}

static void reset_releases_streams(struct checker *c)
{
	opens_session(c);
	struct wire *w = wire_up(c, "");

	due_ok(c, "reset");
	due_over(c, w);
	due_err(c, LINE_NO_SUCH_NAME, "state conn=%s", w->conn);
}

static void bye_releases_streams(struct checker *c)
{
	opens_session(c);
	struct wire *w = wire_up(c, "");

	due_ok(c, "bye");
	due_over(c, w);
}

static void end_releases_streams(struct checker *c)
{
	opens_session(c);
	struct wire *w = wire_up(c, "");

	closes_session(c);
	due_over(c, w);
}

static void end_releases_listeners(struct checker *c)
{
	due_port_closed(c, false);
}

static void end_ends_a_wait(struct checker *c)
{
	opens_session(c);
	struct wire *w = wire_up(c, "");

	says(c, "state conn=%s timeout-ms=20000 until=closed", w->conn);
	due_nothing(c);
	closes_session(c);
	due_over(c, w);
}

static void names_are_its_own(struct checker *c)
{
	opens_session(c);
	given(c, "reg name=same len=8 access=lw");
	given(c, "fill name=same off=0 hex=11");
	opens_session(c);
	due_err(c, LINE_NO_SUCH_NAME, "dump name=same off=0 len=1");
	due_ok(c, "reg name=same len=8 access=lw");
	due_ok(c, "dump name=same off=0 len=1");
	due_octets(c, "hex", "\0", 1);
	due_ok(c, "reset");
	on_session(c, 0);
	due_ok(c, "dump name=same off=0 len=1");
	due_octets(c, "hex", "\x11", 1);
}

static void stags_are_the_devices(struct checker *c)
{
	enum { EACH = 16 };
	uint64_t seen[2 * EACH];

	if (c->hello.max_regions < EACH)
		skips(c, "max-regions is less than %d", EACH);
	for (unsigned i = 0; i < 2 * EACH; i++) {
		if (i % EACH == 0)
			opens_session(c);
		given(c, "reg name=r%u len=8 access=lw", i);
		seen[i] = number(c, "stag");
		due(c, seen[i] <= UINT32_MAX, "stag= of 32 bits");
		for (unsigned k = 0; k < i; k++)
			due(c, seen[k] != seen[i],
			    "an STag that no live region has, in either "
			    "session");
	}
}

static void streams_are_its_own(struct checker *c)
{
	opens_session(c);
	struct wire *w = wire_up(c, "");

	opens_session(c);
	due_err(c, LINE_NO_SUCH_NAME, "state conn=%s", w->conn);
	due_ok(c, "bye");
	on_session(c, 0);
	due_ok(c, "state conn=%s", w->conn);
	due_word(c, "state", "established");
}

static void one_waits_alone(struct checker *c)
{
	opens_session(c);
	struct wire *w = wire_up(c, "");

	says(c, "state conn=%s timeout-ms=20000 until=closed", w->conn);
	opens_session(c);
	due_ok(c, "reset");
}

static void nothing_unasked(struct checker *c)
{
	opens_session(c);
	struct wire *w = wire_up(c, " rq=1");

	wire_sends(c, w, RDMAP_SEND, 0, "hello", 5);
	wire_closes(c, w);
	due_nothing(c);
	due_ok(c, "state conn=%s", w->conn);
	word(c, "state");
}

static const struct check checks[] = {
	{SESSION, "bye is answered, and then the agent closes", bye, 0},
	{SESSION, "reset releases regions, and their names",
	 reset_releases_memory, 0},
	{SESSION, "reset releases listeners", reset_releases_listeners, 0},
	{SESSION, "reset ends streams at once", reset_releases_streams, 0},
	{SESSION, "bye ends streams at once", bye_releases_streams, 0},
	{FRAMING,
	 "the end of a session ends its streams at once, however it comes",
	 end_releases_streams, 0},
	{FRAMING, "the end of a session releases its listeners",
	 end_releases_listeners, 0},
	{FRAMING,
	 "the end of a session is seen while a request is being waited for",
	 end_ends_a_wait, 0},
	{FRAMING, "two sessions have separate names and memory",
	 names_are_its_own, 0},
	{FRAMING, "STags are unique on the device", stags_are_the_devices, 0},
	{FRAMING, "two sessions have separate streams", streams_are_its_own, 0},
	{FRAMING, "a session that waits holds up no other", one_waits_alone, 0},
	{FRAMING, "nothing is ever sent unasked", nothing_unasked, CLAIM(SEND)},
};

const struct check_group session_checks = CHECK_GROUP("session", checks);
