/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * States of a stream, as the agent reports them; and its end by the device's ULP.
 */
#include "suite/language/dut/dut_internal.h"

#include <stdio.h>
#include <string.h>

#include "harness/link/clock.h"

static struct dut_state ask_state(struct test *t, struct stream *s,
				  unsigned timeout_ms, enum agent_stream until)
{
	struct agent_state told = {0};

	if (!s->conn[0])
		test_error(t, CAUSE_SUITE, "no connection at the agent yet");
	dut_check(t,
		  agent_state(t->bed->agent, s->conn, timeout_ms, until, &told,
			      dut_deadline(t, "state")),
		  "state");
	if (told.state != s->told) {
		s->told = told.state;
		t->told++;
	}
	struct dut_state d = {
		.has_terminate = told.has_terminate,
		.has_terminate_from = told.has_terminate_from,
		.terminate_remote = told.terminate_remote,
		.layer = told.layer,
		.etype = told.etype,
		.code = told.code,
		.private_octets = told.private_octets,
		.has_ird = told.has_ird,
		.ird = told.ird,
		.ord = told.ord,
	};
	uint8_t *pd = test_alloc(t, told.private_octets);

	memcpy(pd, told.private_data, told.private_octets);
	d.private_data = pd;
	snprintf(d.state, sizeof(d.state), "%s", agent_stream_name(told.state));
	if (told.state != AGENT_CONNECTING && told.state != AGENT_ESTABLISHED) {
		s->final_known = true;
		s->final = d;
	}
	return d;
}

static struct dut_state state_of(struct test *t, struct stream *s,
				 unsigned timeout_ms, enum agent_stream until)
{
	if (alone_asks(t, "to see the stream as its ULP does"))
		return (struct dut_state){0};
	uint64_t deadline = timeout_ms ? wait_begins(t) : CLOCK_NOW;
	struct dut_state d =
		ask_state(t, s, deadline == CLOCK_NOW ? 0 : timeout_ms, until);

	wait_in_vain(t, deadline);
	return d;
}

bool dut_is_final(struct test *t, struct stream *s, unsigned ms)
{
	if (!s->final_known && s->conn[0])
		ask_state(t, s, ms, AGENT_CLOSED);
	return s->final_known;
}

/* A device that leaves streams open behind its Terminate reports no end of them,
 * either. */
void dut_wait_final(struct test *t, struct stream *s)
{
	bool brief = t->bed->brief;

	if (s->final_known || !s->conn[0])
		return;
	stream_waits_briefly(t, s);
	state_of(t, s, dut_wait_ms(t), AGENT_CLOSED);
	t->bed->brief = brief;
}

struct dut_state dut_ends(struct test *t)
{
	struct stream *s = the_stream(t);

	return s->final_known ? s->final
			      : state_of(t, s, dut_wait_ms(t), AGENT_CLOSED);
}

struct dut_state dut_starts(struct test *t)
{
	return state_of(t, the_stream(t), dut_wait_ms(t), AGENT_STREAMS);
}

bool dut_has_an_agent(struct test *t)
{
	return !test_alone(t);
}

struct dut_state dut_state(struct test *t)
{
	return state_of(t, the_stream(t), 0, AGENT_STREAMS);
}

static void stop(struct test *t, enum agent_closing how)
{
	alone_asks(t, "to close");
	test_acts(t);
	dut_check(t,
		  agent_stop(t->bed->agent, the_stream(t)->conn, how,
			     dut_deadline(t, "close")),
		  "close");
}

void dut_closes(struct test *t)
{
	stop(t, AGENT_CLOSE);
}

void dut_aborts(struct test *t)
{
	stop(t, AGENT_CLOSE_ABORT);
}

void dut_half_closes(struct test *t)
{
	stop(t, AGENT_CLOSE_HALF);
	if (the_stream(t)->model)
		model_half_closed(the_stream(t)->model);
}

void dut_provokes(struct test *t, unsigned layer, unsigned etype, unsigned code)
{
	struct stream *s = the_stream(t);

	alone_asks(t, "to have a local error");
	test_acts(t);
	if (s->model)
		model_provoked(s->model);
	dut_check(t,
		  agent_provoke(t->bed->agent, s->conn, layer, etype, code,
				dut_deadline(t, "provoke")),
		  "provoke");
}
