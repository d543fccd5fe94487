/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The promises of an OK, on which nearly every case of the suite relies. A
 * device that is late only occasionally is late in one of several rounds.
 */
#include <inttypes.h>
#include <string.h>

#include "harness/wire/rdmap.h"
#include "suite/agent_check/checker.h"

#define PROMISE "What an OK promises"
#define DEPENDS "What the suite depends on"

enum { ROUNDS = 4 };

static struct wire *up(struct checker *c)
{
	opens_session(c);
	return wire_up(c, "");
}

static void recv_is_there(struct checker *c)
{
	struct wire *w = up(c);

	for (uint64_t id = 1; id <= ROUNDS; id++) {
		due_ok(c, "recv conn=%s len=8", w->conn);
		wire_sends(c, w, RDMAP_SEND, 0, "hello", 5);
		awaits_event(c, w->conn);
		due_event(c, id, "recv", "ok");
	}
}

static void region_is_there(struct checker *c)
{
	struct wire *w = up(c);

	for (unsigned i = 0; i < ROUNDS; i++) {
		due_ok(c, "reg name=r%u len=8 access=lw,rw", i);
		wire_writes(c, w, (uint32_t)number(c, "stag"), number(c, "to"),
			    "hello", 5);
		due(c, wire_is_answered(c, w),
		    "the device accepts the Write, and the stream continues");
		due_ok(c, "dump name=r%u off=0 len=5", i);
		due_octets(c, "hex", "hello", 5);
	}
}

static void fill_is_there(struct checker *c)
{
	struct wire *w = up(c);

	given(c, "reg name=a len=8 access=lw,rr");
	uint32_t stag = (uint32_t)number(c, "stag");
	uint64_t to = number(c, "to");

	for (uint8_t i = 1; i <= ROUNDS; i++) {
		due_ok(c, "fill name=a off=0 hex=%02x", i);
		wire_reads(c, w, stag, to, 1);
		const struct frame *f = wire_due(c, w, RDMAP_READ_RESPONSE);

		due(c, f->seg.payload_octets == 1 && f->seg.payload[0] == i,
		    "the octet that was filled in, in the Read Response");
	}
}

static void invalid_at_once(struct checker *c)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct wire *w;

		if (!i)
			opens_session(c);
		w = wire_up(c, "");
		given(c, "reg name=r%u len=8 access=lw,rw", i);
		uint32_t stag = (uint32_t)number(c, "stag");
		uint64_t to = number(c, "to");

		due_ok(c, "inval name=r%u", i);
		wire_writes(c, w, stag, to, "hello", 5);
		due(c, !wire_is_answered(c, w),
		    "the device refuses the Write, and ends the stream");
		due_ok(c, "dump name=r%u off=0 len=5", i);
		due_octets(c, "hex", "\0\0\0\0\0", 5);
	}
}

/*
 * Nor is a result placed there any more: a Read that is not answered yet has
 * lost its sink. How the device refuses the Response is a matter of the cases.
 */
static void invalid_for_results(struct checker *c)
{
	if (!c->hello.max_ord)
		skips(c, "max-ord is 0");
	for (unsigned i = 0; i < ROUNDS; i++) {
		const struct frame *f;
		struct wire *w;

		if (!i)
			opens_session(c);
		w = wire_up(c, "");
		given(c, "reg name=r%u len=8 access=lw,rw", i);
		given(c,
		      "post conn=%s id=9 op=read local=r%u off=0 len=5 "
		      "rstag=0x11223344 rto=64",
		      w->conn, i);
		f = wire_hears(c, w);
		if (!f || f->seg.ddp.opcode != RDMAP_READ_REQUEST)
			skips(c, "not reached: no Read Request");
		says(c, "inval name=r%u", i);
		if (!hears_within(
			    c, (unsigned)(c->wait_ns / CLOCK_NS_PER_MS / 2))) {
			wire_answers(c, w, f, "hello", 5);
			hears(c);
			due_done(c);
			skips(c, "the device invalidates memory when the Read "
				 "that uses it has ended");
		}
		if (was(c, LINE_BAD_STATE))
			skips(c, "the device does not invalidate memory that a "
				 "Read uses");
		due_done(c);
		wire_answers(c, w, f, "hello", 5);
		wire_is_answered(c, w);
		due_ok(c, "dump name=r%u off=0 len=5", i);
		due_octets(c, "hex", "\0\0\0\0\0", 5);
	}
}

static void rights_at_once(struct checker *c)
{
	struct wire *w = up(c);

	given(c, "reg name=a len=8 access=lw,rw");
	uint32_t stag = (uint32_t)number(c, "stag");
	uint64_t to = number(c, "to");

	due_ok(c, "access name=a access=lw");
	wire_writes(c, w, stag, to, "hello", 5);
	due(c, !wire_is_answered(c, w),
	    "the device refuses the Write, and ends the stream");
}

/*
 * A device may complete work after it has answered later messages, and take its
 * time. But an agent that is asked repeatedly reports the completions.
 */
static void events_polls(struct checker *c)
{
	struct wire *w = up(c);

	for (uint64_t id = 1; id <= ROUNDS; id++) {
		uint64_t until = clock_now_ns() + c->wait_ns;

		given(c, "recv conn=%s len=8", w->conn);
		wire_sends(c, w, RDMAP_SEND, 0, "hello", 5);
		do
			due_ok(c, "events conn=%s timeout-ms=0", w->conn);
		while (number(c, "n") == 0 && clock_now_ns() < until);
		due_number(c, "n", 1);
		hears_event(c);
		due_event(c, id, "recv", "ok");
	}
}

/*
 * The cases use the answer to a Read as a clock: by then the device has
 * processed the earlier messages, and two queries show it; at the first query
 * the agent may have been about to report it. An agent that occasionally misses
 * such an event hides it if a device delivers something that it must not.
 */
static void events_in_time(struct checker *c)
{
	enum { TIMES = 50, QUERIES = 2 };
	struct wire *w = up(c);

	for (uint64_t id = 1; id <= TIMES; id++) {
		unsigned asked = 0;

		given(c, "recv conn=%s len=8", w->conn);
		wire_sends(c, w, RDMAP_SEND, 0, "hello", 5);
		if (!wire_is_answered(c, w))
			skips(c, "not reached: the device does not go on");
		do
			due_ok(c, "events conn=%s timeout-ms=0", w->conn);
		while (number(c, "n") == 0 && ++asked < QUERIES);
		due(c, asked < QUERIES,
		    "n=1 in one of two queries after the answer to the Read; "
		    "missed in round %" PRIu64 " of %d",
		    id, TIMES);
		due_number(c, "n", 1);
		hears_event(c);
		due_event(c, id, "recv", "ok");
	}
}

static void dump_sees(struct checker *c)
{
	struct wire *w = up(c);

	given(c, "reg name=a len=8 access=lw,rw");
	uint32_t stag = (uint32_t)number(c, "stag");
	uint64_t to = number(c, "to");

	for (uint8_t i = 1; i <= ROUNDS; i++) {
		wire_writes(c, w, stag, to, &i, 1);
		if (!wire_is_answered(c, w))
			skips(c, "not reached: the device does not go on");
		due_ok(c, "dump name=a off=0 len=1");
		due_octets(c, "hex", &i, 1);
	}
}

static void empty_read(struct checker *c)
{
	opens_session(c);
	struct wire *w = wire_listens(c, "");

	if (!wire_reaches(c, w))
		skips(c, "not reached: the device's port is closed");
	wire_requests(c, w, NULL, 0);
	if (!wire_is_replied_to(c, w))
		skips(c, "not reached: no Reply");
	wire_due_accepted(c, w);
	due(c, wire_is_answered(c, w), "a Read Response of no octets");
}

static void empty_write(struct checker *c)
{
	struct wire *w = up(c);

	due_ok(c, "post conn=%s id=9 op=write hex= rstag=0 rto=0", w->conn);
	wire_due_empty_write(c, w);
	awaits_event(c, w->conn);
	due_event(c, 9, "write", "ok");
}

static const struct check checks[] = {
	{DEPENDS, "the device answers a Read of no octets", empty_read,
	 CLAIM(READ) | CLAIM(RESPONDER)},
	{DEPENDS, "the device posts and sends a Write of no octets",
	 empty_write, CLAIM(WRITE)},
	{DEPENDS,
	 "a receive is reported once a Read sent behind its message is "
	 "answered, fifty times",
	 events_in_time, CLAIM(SEND) | CLAIM(READ)},
	{PROMISE, "after the OK of recv the device has the buffer",
	 recv_is_there, CLAIM(SEND)},
	{PROMISE, "after the OK of reg the device knows the STag",
	 region_is_there, CLAIM(WRITE) | CLAIM(READ)},
	{PROMISE, "after the OK of fill the device reads the octets",
	 fill_is_there, CLAIM(READ)},
	{PROMISE, "after the OK of inval the device refuses the STag",
	 invalid_at_once, CLAIM(WRITE) | CLAIM(READ)},
	{PROMISE,
	 "after the OK of inval no Read that waits for its answer places it",
	 invalid_for_results, CLAIM(READ)},
	{PROMISE,
	 "after the OK of access the device refuses a use of the removed right",
	 rights_at_once, CLAIM(WRITE) | CLAIM(READ) | CLAIM(ACCESS)},
	{PROMISE,
	 "events timeout-ms=0 reports all that the device has completed",
	 events_polls, CLAIM(SEND)},
	{PROMISE, "dump has what the device has placed", dump_sees,
	 CLAIM(WRITE) | CLAIM(READ)},
};

const struct check_group promise_checks = CHECK_GROUP("promises", checks);
