/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/probe/preflight.h"

#include <stdio.h>
#include <string.h>

#include "harness/link/clock.h"
#include "suite/language/case.h"
#include "suite/run/probe/probe.h"

#define CALIBRATIONS   3
#define SLOWEST_FACTOR 100 /* of a known-answer exchange, at calibration */
/* If one exchange takes this long, so many are enough. */
#define SLOW_AT_ONCE_NS 500000000u
#define SLOW_FACTOR     4
#define SLOW_NS         3000000000ull

/* --- the agent's own promises ------------------------------------------- */

/* r: the result of the request in question. */
static bool promise(struct testbed *bed, bool kept, enum agent_result r,
		    const char *what, char *why, size_t cap)
{
	if (!kept)
		snprintf(why, cap, "agent self-check: %s (%s)", what,
			 r == AGENT_OK ? "its answer is OK"
				       : agent_why(bed->agent));
	return kept;
}

static bool is_code(struct testbed *bed, enum agent_result r,
		    enum line_code code)
{
	return r == AGENT_REFUSED && agent_code(bed->agent) == code;
}

/* For one request: over a distance, with a packet lost, all of them together
 * take longer. */
static uint64_t soon(const struct testbed *bed)
{
	return clock_now_ns() + bed->wait_ns;
}

static bool reads_back(struct testbed *bed, char *why, size_t cap)
{
	static const uint8_t octets[] = {0x77, 0x61, 0x72, 0x70, 0x00, 0xff};
	struct agent *a = bed->agent;
	struct agent_region region;
	uint8_t back[sizeof(octets)] = {0};
	enum agent_result r = agent_reg(a,
					&(struct agent_reg){.name = "selfcheck",
							    .len = 64,
							    .access = AGENT_LW},
					&region, soon(bed));

	if (r == AGENT_OK)
		r = agent_fill(a, "selfcheck", 7, octets, sizeof(octets),
			       soon(bed));
	if (r == AGENT_OK)
		r = agent_dump(a, "selfcheck", 7, sizeof(octets), back,
			       soon(bed));
	return promise(
		bed, r == AGENT_OK && memcmp(back, octets, sizeof(octets)) == 0,
		r, "a buffer does not read back what was filled in", why, cap);
}

/* Some interfaces cannot invalidate without a connection. */
static bool invalidates_once(struct testbed *bed, char *why, size_t cap)
{
	enum agent_result r = agent_inval(bed->agent, "selfcheck", soon(bed));

	if (is_code(bed, r, LINE_UNSUPPORTED))
		return true;
	if (!promise(bed, r == AGENT_OK, r, "an STag cannot be invalidated",
		     why, cap))
		return false;
	r = agent_inval(bed->agent, "selfcheck", soon(bed));
	return promise(bed, is_code(bed, r, LINE_BAD_STATE), r,
		       "a stale STag can be invalidated again", why, cap);
}

static bool deregisters(struct testbed *bed, char *why, size_t cap)
{
	enum agent_result r = agent_dereg(bed->agent, "selfcheck", soon(bed));
	uint8_t octet;

	if (!promise(bed, r == AGENT_OK, r, "a region cannot be removed", why,
		     cap))
		return false;
	r = agent_dump(bed->agent, "selfcheck", 0, 1, &octet, soon(bed));
	return promise(bed, is_code(bed, r, LINE_NO_SUCH_NAME), r,
		       "a removed region can still be read", why, cap);
}

/* The device's SCTP has to be where the link expects it. */
static bool fits_link(struct testbed *bed, char *why, size_t cap)
{
	bool over_ip = bed->hello.sctp_udp == 0;

	if (!(bed->link->caps & LINK_CAP_MESSAGES) ||
	    !(bed->claims & NEED_SCTP) || over_ip == bed->device->sctp_ip_alone)
		return true;
	snprintf(why, cap,
		 over_ip ? "the device runs SCTP directly over IP, which takes "
			   "[link] sctp-udp = no in its device file"
			 : "the device's SCTP is at UDP port %u, and [link] "
			   "sctp-udp = no: leave that out",
		 bed->hello.sctp_udp);
	return false;
}

bool preflight_check_agent(struct testbed *bed, char *why, size_t cap)
{
	struct agent *a = bed->agent;

	if (!fits_link(bed, why, cap))
		return false;
	enum agent_result r = agent_reset(a, soon(bed));

	if (!promise(bed, r == AGENT_OK, r, "reset is refused", why, cap))
		return false;
	r = agent_raw(a, "selfcheck", soon(bed));
	return promise(bed, is_code(bed, r, LINE_UNKNOWN_VERB), r,
		       "an unknown verb is not refused as one", why, cap) &&
	       reads_back(bed, why, cap) && invalidates_once(bed, why, cap) &&
	       deregisters(bed, why, cap);
}

/* --- calibration --------------------------------------------------------- */

static void exchange(struct test *t, const void *row)
{
	(void)row;
	connects(t);
	case_must(t, RDMAP_5_2_1_16, stream_works());
}

static bool device_spoke(const struct testbed *bed)
{
	for (const struct event *ev = observe_first(bed->log); ev;
	     ev = ev->next)
		if (ev->kind == OBSERVE_STARTUP_SEEN ||
		    ev->kind == OBSERVE_NOTE || /* of an association */
		    ev->kind == OBSERVE_FRAME_SEEN ||
		    ev->kind == OBSERVE_OCTETS_SEEN ||
		    ev->kind == OBSERVE_FIN_SEEN ||
		    ev->kind == OBSERVE_RESET_SEEN)
			return true;
	return false;
}

static const struct case_desc exchange_desc = {
	.file = "suite/language/execution/testbed.c",
	.name = "calibration",
	.title = "a known-answer exchange",
	.run = exchange,
};

static enum case_role own_role(const struct testbed *bed)
{
	return bed->claims & NEED_RESPONDER ? RESPONDER : INITIATOR;
}

bool preflight_exchange(struct testbed *bed, char *why, size_t cap)
{
	struct result result;

	probe_run(bed, &exchange_desc, own_role(bed), NULL, &result);
	if (result.verdict == VERDICT_PASS || device_spoke(bed))
		return true;
	snprintf(why, cap, "%s",
		 result.reason[0] ? result.reason
				  : "no octet comes in answer to the startup");
	return false;
}

bool preflight_calibrate(struct testbed *bed, double timeout_scale, char *why,
			 size_t cap)
{
	struct result result;
	uint64_t least = UINT64_MAX, settle;

	/* Without a stream no case can run. */
	if (bed->link->caps & LINK_CAP_MESSAGES && !(bed->claims & NEED_SCTP))
		return true;

	/* The first exchange meets cold caches and unknown neighbours. */
	for (unsigned i = 0; i < CALIBRATIONS; i++) {
		probe_run(bed, &exchange_desc, own_role(bed), NULL, &result);
		/* Without it all waits would be those of a short distance. */
		if (result.verdict != VERDICT_PASS && bed->lost)
			continue;
		if (result.verdict != VERDICT_PASS)
			break;
		if (result.duration_ns < least)
			least = result.duration_ns;
		/* Cold caches do not explain this. */
		if (least >= SLOW_AT_ONCE_NS)
			break;
	}
	if (least != UINT64_MAX) {
		settle = bed->device->settle_ms * 1000000ull;
		least -= settle < least ? settle : 0;
		uint64_t slow = least * SLOWEST_FACTOR;
		uint64_t enough = least * SLOW_FACTOR + SLOW_NS;

		if (slow > enough)
			slow = enough;
		uint64_t wait = slow > TESTBED_WAIT_NS ? slow : TESTBED_WAIT_NS;

		bed->wait_ns = (uint64_t)((double)wait * timeout_scale);
		bed->exchange_ns = least;
		return true;
	}
	if (device_spoke(bed))
		return true;
	snprintf(why, cap, "%s: %s",
		 result.verdict == VERDICT_ERROR
			 ? "a first exchange with the device was not possible"
			 : "the device does not answer on the wire",
		 result.reason[0] ? result.reason
				  : "no octet came in answer to the startup");
	return false;
}
