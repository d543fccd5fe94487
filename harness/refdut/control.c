/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/control.h"
#include "harness/refdut/conn.h"

#include <string.h>

enum control control_chosen;

static const char *const names[CONTROLS] = {
	"",        "mute", "closer", "resetter",
	"garbage", "echo", "hangup", "terminator",
};

bool control_choose(const char *name)
{
	for (int i = CONTROL_NONE + 1; i < CONTROLS; i++) {
		if (strcmp(names[i], name) == 0) {
			control_chosen = (enum control)i;
			return true;
		}
	}
	return false;
}

/* Leave the startup for good, telling the agent so. */
static void end(struct conn *c, enum conn_state state, const char *why)
{
	c->failure = why;
	conn_final(c, state);
	c->closing = true;
	work_flush(c);
	receive_flush(c);
}

bool control_connected(struct conn *c)
{
	switch (control_chosen) {
	case CONTROL_MUTE:
	case CONTROL_GARBAGE:
	case CONTROL_ECHO:
		/* The startup's timer still runs, and ends the wait of
		 * whoever asked the agent for this connection. */
		c->phase = PHASE_CONTROL;
		loop_want(&c->watch, 1 /* EPOLLIN */);
		return true;
	case CONTROL_CLOSER:
		end(c, CONN_CLOSED, "closed");
		conn_drain(c);
		return true;
	case CONTROL_RESETTER:
		end(c, CONN_ERROR, "reset");
		conn_drop(c, true);
		return true;
	default:
		return false;
	}
}

/* The same noise in every run: a linear congruence, its high octet. */
static uint8_t noise(void)
{
	static uint32_t state = 1;

	state = state * 1664525u + 1013904223u;
	return (uint8_t)(state >> 24);
}

void control_input(struct conn *c, const uint8_t *octets, size_t n)
{
	if (control_chosen == CONTROL_ECHO) {
		buf_put(&c->out, octets, n);
	} else if (control_chosen == CONTROL_GARBAGE) {
		uint8_t *room = buf_room(&c->out, n);

		for (size_t i = 0; i < n; i++)
			room[i] = noise();
		buf_grow(&c->out, n);
	}
}

bool control_fpdu(struct conn *c)
{
	if (control_chosen == CONTROL_HANGUP) {
		end(c, CONN_CLOSED, "closed");
		request_free_all(c);
		conn_drain(c);
		return true;
	}
	if (control_chosen == CONTROL_TERMINATOR) {
		fault(c, ERR_MPA, 6, NULL, 0, NULL);
		return true;
	}
	return false;
}
