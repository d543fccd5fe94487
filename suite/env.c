/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/env.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/link/clock.h"

#define CALIBRATIONS   3
#define SLOWEST_FACTOR 100 /* of a known-answer exchange, at calibration */

static bool read_token(struct env *e, const char *path, char *why, size_t cap)
{
	FILE *f = path[0] ? fopen(path, "r") : NULL;

	if (!path[0])
		return true;
	if (!f || !fgets(e->token, sizeof(e->token), f)) {
		snprintf(why, cap, "%s: %s", path,
			 f && !ferror(f) ? "the token file is empty"
					 : strerror(errno));
		if (f)
			fclose(f);
		return false;
	}
	fclose(f);
	e->token[strcspn(e->token, "\r\n")] = '\0';
	return true;
}

bool env_open(struct env *e, const struct device *d, struct link *link,
	      enum model_profile p, double timeout_scale, char *why, size_t cap)
{
	static const unsigned specs[] = {
		[MODEL_RFC7306] = SPEC_RFC7306,
		[MODEL_DRAFT_10] = SPEC_DRAFT_10,
		[MODEL_DRAFT_03] = SPEC_DRAFT_03,
		[MODEL_DRAFT_01] = SPEC_DRAFT_01,
	};

	*e = (struct env){.device = d, .profile = p, .spec = specs[p]};
	e->wait_ns = (uint64_t)(ENV_WAIT_NS * timeout_scale);
	e->log = observe_new();
	e->link = link;
	if (!e->log || !e->link) {
		snprintf(why, cap, "out of memory");
		return false;
	}
	return read_token(e, d->token_file, why, cap);
}

void env_close(struct env *e)
{
	agent_close(e->agent);
	link_close_provider(e->link);
	observe_free(e->log);
	for (unsigned i = 0; i < TEST_STREAMS; i++)
		free(e->models[i]);
	*e = (struct env){0};
}

static uint64_t serve_link(void *link)
{
	return link_serve(link);
}

bool env_reach_agent(struct env *e, char *why, size_t cap)
{
	enum agent_result r;

	env_leave_agent(e);
	r = agent_open(&e->agent, e->device->agent, e->device->agent_port,
		       e->token[0] ? (const uint8_t *)e->token : NULL,
		       strlen(e->token), clock_now_ns() + e->wait_ns);
	if (r != AGENT_OK) {
		snprintf(why, cap, "agent %s:%u: %s: %s", e->device->agent,
			 e->device->agent_port, agent_result_name(r),
			 e->agent ? agent_why(e->agent) : "out of memory");
		env_leave_agent(e);
		return false;
	}
	if (link_fd(e->link) >= 0)
		agent_aside(e->agent, link_fd(e->link), serve_link, e->link);
	e->hello = *agent_hello(e->agent);
	e->claims = (e->hello.features | e->device->features_yes) &
		    ~e->device->features_no;
	return true;
}

void env_leave_agent(struct env *e)
{
	agent_close(e->agent);
	e->agent = NULL;
}

static void trace(void *arg, bool sent, const char *text, size_t n)
{
	struct observe *log = arg;

	observe_text(log, sent ? OBSERVE_AGENT_ASKED : OBSERVE_AGENT_SAID, 0,
		     observe_format(log, "%.*s", (int)n, text));
}

void env_trace(struct env *e)
{
	agent_trace(e->agent, trace, e->log);
}

bool env_hear_agent(struct env *e, char *why, size_t cap)
{
	enum agent_result r = agent_raw(e->agent, "state conn=nothing",
					clock_now_ns() + e->wait_ns);

	if (r == AGENT_OK || r == AGENT_REFUSED)
		return true;
	snprintf(why, cap, "agent %s at the end of the case: %s",
		 agent_result_name(r), agent_why(e->agent));
	return false;
}

bool env_agent_lost(const struct env *e)
{
	if (!e->agent || agent_fd(e->agent) < 0)
		return true;
	struct pollfd p = {.fd = agent_fd(e->agent),
			   .events = POLLIN | POLLRDHUP};

	return agent_outstanding(e->agent) == 0 && poll(&p, 1, 0) > 0;
}

/* --- the agent's own promises ------------------------------------------- */

static bool promise(struct env *e, bool kept, const char *what, char *why,
		    size_t cap)
{
	if (!kept)
		snprintf(why, cap, "agent self-check: %s (%s)", what,
			 agent_why(e->agent));
	return kept;
}

static bool is_code(struct env *e, enum agent_result r, enum line_code code)
{
	return r == AGENT_REFUSED && agent_code(e->agent) == code;
}

bool env_check_agent(struct env *e, char *why, size_t cap)
{
	static const uint8_t octets[] = {0x77, 0x61, 0x72, 0x70, 0x00, 0xff};
	struct agent *a = e->agent;
	uint64_t dl = clock_now_ns() + e->wait_ns;
	struct agent_region r;
	uint8_t back[sizeof(octets)];

	if (!promise(e, agent_reset(a, dl) == AGENT_OK, "reset is refused", why,
		     cap))
		return false;
	if (!promise(e,
		     is_code(e, agent_raw(a, "selfcheck", dl),
			     LINE_UNKNOWN_VERB),
		     "an unknown verb is not refused as one", why, cap))
		return false;
	if (!promise(e,
		     agent_reg(a,
			       &(struct agent_reg){.name = "selfcheck",
						   .len = 64,
						   .access = AGENT_LW},
			       &r, dl) == AGENT_OK &&
			     agent_fill(a, "selfcheck", 7, octets,
					sizeof(octets), dl) == AGENT_OK &&
			     agent_dump(a, "selfcheck", 7, sizeof(octets), back,
					dl) == AGENT_OK &&
			     memcmp(back, octets, sizeof(octets)) == 0,
		     "a buffer does not read back what was filled in", why,
		     cap))
		return false;
	/* Not every interface can invalidate without a connection. */
	enum agent_result inval = agent_inval(a, "selfcheck", dl);

	if (!promise(e,
		     is_code(e, inval, LINE_UNSUPPORTED) ||
			     (inval == AGENT_OK &&
			      is_code(e, agent_inval(a, "selfcheck", dl),
				      LINE_BAD_STATE)),
		     "a stale STag can be invalidated again", why, cap))
		return false;
	return promise(
		e,
		agent_dereg(a, "selfcheck", dl) == AGENT_OK &&
			is_code(e, agent_dump(a, "selfcheck", 0, 1, back, dl),
				LINE_NO_SUCH_NAME),
		"a removed region can still be read", why, cap);
}

/* --- calibration --------------------------------------------------------- */

static void exchange(struct test *t, const void *row)
{
	(void)row;
	connects(t);
	case_must(t, RDMAP_5_2_1_16, stream_works());
}

static bool device_spoke(const struct env *e)
{
	for (const struct event *ev = observe_first(e->log); ev; ev = ev->next)
		if (ev->kind == OBSERVE_STARTUP_SEEN ||
		    ev->kind == OBSERVE_FRAME_SEEN ||
		    ev->kind == OBSERVE_OCTETS_SEEN ||
		    ev->kind == OBSERVE_FIN_SEEN ||
		    ev->kind == OBSERVE_RESET_SEEN)
			return true;
	return false;
}

bool env_calibrate(struct env *e, double timeout_scale, char *why, size_t cap)
{
	static const struct case_desc desc = {
		.file = "suite/env.c",
		.name = "calibration",
		.title = "a known-answer exchange",
		.run = exchange,
	};
	struct instance in = {
		.id = "calibration",
		.title = desc.title,
		.desc = &desc,
		.role = e->claims & NEED_RESPONDER ? RESPONDER : INITIATOR,
		.level = "",
	};
	struct result result;
	enum error_cause cause;
	uint64_t least = UINT64_MAX, settle;

	/* The first of all finds caches cold, and neighbours unknown. */
	for (unsigned i = 0; i < CALIBRATIONS; i++) {
		test_run(e, &in, &result, &cause, NULL);
		if (result.verdict != VERDICT_PASS)
			break;
		if (result.duration_ns < least)
			least = result.duration_ns;
	}
	if (least != UINT64_MAX) {
		settle = e->device->settle_ms * 1000000ull;
		least -= settle < least ? settle : 0;
		uint64_t slow = least * SLOWEST_FACTOR;
		uint64_t wait = slow > ENV_WAIT_NS ? slow : ENV_WAIT_NS;

		e->wait_ns = (uint64_t)((double)wait * timeout_scale);
		return true;
	}
	if (device_spoke(e))
		return true;
	snprintf(why, cap, "the device does not answer on the wire: %s",
		 result.reason[0] ? result.reason
				  : "no octet came in answer to the startup");
	return false;
}
