/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/blame/health.h"

#include <poll.h>
#include <stdio.h>

#include "harness/link/clock.h"

#define RETURN_NS   10000000000ull /* for an agent to come back */
#define RETURN_POLL 50             /* ms between two attempts */

enum health health_look(struct hooks *h, struct hook_result *seen)
{
	if (!h || !h->health)
		return HEALTH_WELL;
	h->health(h, seen);
	switch (seen->end) {
	case HOOK_WELL:
		return HEALTH_WELL;
	case HOOK_ILL:
		return HEALTH_CRASHED;
	default:
		return HEALTH_UNCLEAR;
	}
}

/* Open a session, and send the first request of every case. */
static bool is_back(struct testbed *bed, char *why, size_t cap)
{
	if (!testbed_reach_agent(bed, why, cap))
		return false;
	if (device_is_alone(bed->device) ||
	    agent_reset(bed->agent, clock_now_ns() + bed->wait_ns) == AGENT_OK)
		return true;
	snprintf(why, cap,
		 "the agent accepts sessions, but does not serve them: %s",
		 agent_why(bed->agent));
	return false;
}

enum health health_await(const struct patient *p, struct hook_result *seen,
			 char *why, size_t cap)
{
	uint64_t deadline = clock_now_ns() +
			    (uint64_t)((double)RETURN_NS * p->timeout_scale);

	for (;;) {
		bool back = is_back(p->bed, why, cap);
		enum health h = health_look(p->hooks, seen);

		testbed_leave_agent(p->bed);
		if (back || h != HEALTH_WELL)
			return h;
		if (*p->ended || clock_now_ns() >= deadline)
			return HEALTH_GONE;
		poll(NULL, 0, RETURN_POLL);
	}
}

bool health_can_reset(const struct hooks *h)
{
	return h && h->reset;
}

bool health_bring_back(const struct patient *p, char *why, size_t cap)
{
	static struct hook_result r;
	char said[512];

	*why = '\0';
	p->hooks->reset(p->hooks, &r);
	if (*p->ended)
		return false;
	if (r.end != HOOK_WELL) {
		snprintf(why, cap, "%s%s%.200s", r.line,
			 r.output[0] && r.end == HOOK_ILL ? ": " : "",
			 r.output[0] && r.end == HOOK_ILL ? hook_last_line(&r)
							  : "");
		return false;
	}
	switch (health_await(p, &r, said, sizeof(said))) {
	case HEALTH_WELL:
		return true;
	case HEALTH_GONE:
		if (!*p->ended)
			snprintf(why, cap,
				 "the device does not come back after its "
				 "reset: %s",
				 said);
		return false;
	default:
		snprintf(why, cap,
			 "the device is not well after its reset: %.400s",
			 hook_last_line(&r));
		return false;
	}
}
