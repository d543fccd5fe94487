/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device listens, connects, and accepts; its ULP sees the connection.
 */
#include "suite/language/dut/dut_internal.h"

#include <stdio.h>
#include <string.h>

#include "harness/link/clock.h"
#include "suite/language/execution/meets.h"

/* The device's interface cannot be asked for this. */
static void fit_interface(struct test *t, const struct stream *s)
{
	if (!s->opts.beyond &&
	    s->opts.dut_private_octets > t->bed->hello.max_private)
		not_applicable(t, "the device's interface takes %u octets",
			       dut_max_private(t));
}

/* The case intentionally requests more than the interface accepts. */
static bool is_refused(struct stream *s, enum agent_result r)
{
	s->refused = s->opts.beyond && r == AGENT_REFUSED;
	return s->refused;
}

bool dut_has_refused(struct test *t)
{
	return the_stream(t)->refused;
}

void dut_listen(struct test *t, struct stream *s)
{
	struct agent_params p;
	struct agent_listener told;
	const struct stream *other = session_beside(t, s);
	enum agent_result r;

	dut_hears(t);
	fit_interface(t, s);
	meets_parameters(t, s);
	test_acts(t);
	if (test_alone(t)) {
		p = dut_params_of(t, s);
		alone_listens(t, &s->opts, &p);
		s->dut_port = t->bed->device->target_port;
		dut_describe(t, s);
		return;
	}
	do {
		p = dut_fitting_params(t, s);
		r = agent_listen(t->bed->agent, other ? other->dut_port : 0, &p,
				 &told, dut_deadline(t, "listen"));
	} while (dut_takes_as_it_is(t, s, dut_refused_key(t, r)));
	if (is_refused(s, r))
		return;
	dut_check(t, r, "listen");
	snprintf(s->listener, sizeof(s->listener), "%s", told.listener);
	s->dut_port = told.port;
	dut_describe(t, s);
}

void dut_connect(struct test *t, struct stream *s,
		 const struct link_listener *to)
{
	struct agent_params p;
	struct link_end end = to->local;
	char text[LINK_END_TEXT], *colon;
	char conn[AGENT_NAME];
	enum agent_result r;

	link_end_text(&end, text);
	colon = strrchr(text, ':');
	*colon = '\0';
	/* "[::1]" is written without its brackets. */
	size_t n = strlen(text);
	const char *addr = text;

	if (text[0] == '[') {
		text[n - 1] = '\0';
		addr = text + 1;
	}
	dut_hears(t);
	fit_interface(t, s);
	meets_parameters(t, s);
	test_acts(t);
	if (test_alone(t)) {
		p = dut_fitting_params(t, s);
		alone_connects(t, s, addr, end.port, &p);
		s->as_device = alone_initiator(t);
		return;
	}
	do {
		p = dut_fitting_params(t, s);
		r = agent_connect(t->bed->agent, addr, end.port, &p, conn,
				  dut_deadline(t, "connect"));
	} while (dut_takes_as_it_is(t, s, dut_refused_key(t, r)));
	if (is_refused(s, r))
		return;
	dut_check(t, r, "connect");
	dut_describe(t, s);
	snprintf(s->conn, sizeof(s->conn), "%s", conn);
}

struct accept_seen dut_accepts(struct test *t)
{
	return dut_accepts_within(t, dut_wait_ms(t));
}

struct accept_seen dut_accepts_within(struct test *t, unsigned ms)
{
	struct stream *s = the_stream(t);
	struct agent_state told = {0};
	struct accept_seen seen = {0};

	if (alone_asks(t, "to see the connection as its ULP does"))
		return seen;
	dut_hears(t);
	uint64_t deadline = ms ? wait_begins(t) : CLOCK_NOW;
	enum agent_result r = agent_accept(t->bed->agent, s->listener,
					   deadline == CLOCK_NOW ? 0 : ms,
					   &told, dut_deadline(t, "accept"));

	if (r == AGENT_REFUSED && (agent_code(t->bed->agent) == LINE_DEVICE ||
				   agent_code(t->bed->agent) == LINE_TIMEOUT)) {
		snprintf(seen.error, sizeof(seen.error), "%s",
			 agent_code(t->bed->agent) == LINE_TIMEOUT
				 ? "timeout"
				 : agent_text(t->bed->agent));
		seen.silent = agent_code(t->bed->agent) == LINE_TIMEOUT;
		dut_count_late(t, r, "accept");
		if (seen.silent)
			wait_in_vain(t, deadline);
		else
			t->told++;
		s->not_accepted = true;
		return seen;
	}
	dut_check(t, r, "accept");
	t->told++;
	snprintf(s->conn, sizeof(s->conn), "%s", told.conn);
	s->not_accepted = false;
	seen.ok = true;
	snprintf(seen.state, sizeof(seen.state), "%s",
		 agent_stream_name(told.state));
	seen.private_octets = told.private_octets;
	seen.private_data = test_alloc(t, told.private_octets);
	memcpy((uint8_t *)(uintptr_t)seen.private_data, told.private_data,
	       told.private_octets);
	seen.has_ird = told.has_ird;
	seen.ird = told.ird;
	seen.ord = told.ord;
	return seen;
}

void dut_accept(struct test *t, struct stream *s)
{
	if (!s->conn[0] && s->role == RESPONDER && !test_alone(t)) {
		struct accept_seen seen = dut_accepts(t);

		if (!seen.ok)
			test_fail(t, MPA_7_1_2_09.index,
				  "due:  the agent sees the connection that "
				  "its device has accepted\n"
				  "seen: accept: %s",
				  seen.error);
	}
	dut_post_pending(t, s);
}
