/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replies of the device's agent: their deadlines, what a refusal means for the
 * case, and requests that are made for their reply alone.
 */
#include "suite/language/dut/dut_internal.h"

#include <string.h>

#include "harness/link/clock.h"

/* The number of late replies in a row that may be chance. */
#define LATE_MOST 2u

/* The counter of a verb, or NULL: it is not counted. */
static _Atomic unsigned *late(const struct test *t, const char *verb)
{
	static const char *const verbs[PATIENCE_VERBS] = {
		"access", "accept",  "close", "connect", "dereg",
		"dump",   "events",  "fill",  "inval",   "listen",
		"post",   "provoke", "recv",  "reg",     "state",
	};

	for (unsigned i = 0; t->bed->patience && i < PATIENCE_VERBS; i++)
		if (verbs[i] && strcmp(verbs[i], verb) == 0)
			return &t->bed->patience->late[i];
	return NULL;
}

uint64_t dut_reply_deadline(const struct test *t, uint64_t deadline,
			    const char *verb)
{
	const _Atomic unsigned *n = late(t, verb);

	return n && *n > LATE_MOST ? impatient_deadline(t)
				   : deadline + t->bed->wait_ns;
}

uint64_t dut_deadline(const struct test *t, const char *verb)
{
	return dut_reply_deadline(t, test_deadline(t), verb);
}

void dut_count_late(const struct test *t, enum agent_result r, const char *verb)
{
	_Atomic unsigned *n = late(t, verb);

	if (n && r == AGENT_SLOW)
		++*n;
	else if (n && (r == AGENT_OK || r == AGENT_REFUSED))
		*n = 0;
}

unsigned dut_wait_ms(const struct test *t)
{
	return (unsigned)(wait_lasts(t) / CLOCK_NS_PER_MS);
}

/*
 * Check the result of a request that the case needs. If an agent cannot do what
 * a key asks, or not as much of it, the case is not applicable (agent protocol,
 * last paragraph). If the agent is gone, slow or sends garbage, the case is an
 * ERROR.
 */
void dut_check(struct test *t, enum agent_result r, const char *verb)
{
	struct agent *a = t->bed->agent;

	dut_count_late(t, r, verb);
	if (r == AGENT_OK)
		return;
	/* It may be the result of another request that was begun. */
	if (r == AGENT_REFUSED)
		verb = agent_verb(a);
	if (r == AGENT_REFUSED && agent_code(a) == LINE_UNSUPPORTED)
		not_applicable(t, "the agent cannot do it: %s: unsupported %s",
			       verb, agent_text(a));
	t->bed->limited |= r == AGENT_REFUSED && agent_code(a) == LINE_LIMIT;
	if (r == AGENT_REFUSED && agent_code(a) == LINE_LIMIT)
		not_applicable(t, "a limit of the device or its agent: %s: %s",
			       verb, agent_text(a));
	if (r == AGENT_REFUSED)
		test_error(t, CAUSE_DEVICE, "agent refused %s: %s %s", verb,
			   line_code_name(agent_code(a)), agent_text(a));
	test_error(t, CAUSE_DEVICE, "agent %s at %s: %s", agent_result_name(r),
		   verb, agent_trouble(a));
}

void dut_finishes(struct test *t, const char *verb)
{
	dut_check(t, agent_finish(t->bed->agent, dut_deadline(t, verb)), verb);
}

void dut_hears(struct test *t)
{
	if (!t->ahead)
		return;
	t->ahead = false;
	t->kept = 0;
	dut_finishes(t, "post");
}

void dut_hands_over(struct test *t)
{
	if (t->kept)
		dut_check(t,
			  agent_flush(t->bed->agent, dut_deadline(t, "post")),
			  "post");
	t->kept = 0;
}

void dut_begin(struct test *t)
{
	if (test_alone(t))
		return;
	if (!t->bed->agent)
		test_error(t, CAUSE_DEVICE, "the agent is gone");
	/* Requests that the previous case began do not count here. */
	if (agent_outstanding(t->bed->agent))
		agent_finish(t->bed->agent, dut_deadline(t, "reset"));
	agent_begin_reset(t->bed->agent);
}

void dut_is_there(struct test *t)
{
	if (test_alone(t))
		return;
	/* Any answer is sufficient. */
	enum agent_result r = agent_raw(t->bed->agent, "state conn=nothing",
					dut_deadline(t, "state"));

	if (r != AGENT_REFUSED)
		dut_check(t, r, "state");
}

void dut_has_its_turn(struct test *t)
{
	struct agent *a = t->bed->agent;
	struct agent_region r;

	if (alone_asks(t, "to get a turn between messages"))
		return;
	agent_begin_reg(a, &(struct agent_reg){.name = "turn", .len = 8}, &r);
	agent_begin_dereg(a, "turn");
	dut_finishes(t, "reg");
}

void dut_round_trip(struct test *t)
{
	struct stream *s = the_stream(t);
	struct agent_state state;

	if (s->conn[0])
		dut_check(t,
			  agent_state(t->bed->agent, s->conn, 0, AGENT_STREAMS,
				      &state, dut_deadline(t, "state")),
			  "state");
}
