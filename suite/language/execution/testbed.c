/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/language/execution/testbed.h"

#include <fnmatch.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/link/clock.h"
#include "harness/text/text_file.h"
#include "suite/language/words/case_register.h"

#define TRACED_LINE 960u

/* Used instead of an agent's claims: what every device has, and no ULP can
 * disable. */
static struct agent_hello hello_alone(const struct device *d)
{
	struct agent_hello h = {
		.agent = "none",
		.impl = "a device without an agent",
		.features = NEED_RESPONDER | NEED_SEND | NEED_SEND_INV |
			    NEED_SEND_SE | NEED_SEND_SE_INV | NEED_WRITE |
			    NEED_READ | NEED_TERMINATE | NEED_MPA_V1 |
			    NEED_PRIVATE_DATA | NEED_MULTI_STREAM,
		.untold = ~0u,
		.max_ird = 1,
		.max_ord = 1,
		.max_private = MPA_PRIVATE_MAX,
		.max_regions = 1,
		.crc = AGENT_CRC_ASKED,
	};

	if (!d->target[0])
		h.features &= ~NEED_RESPONDER;
	if (d->connect[0])
		h.features |= NEED_INITIATOR;
	snprintf(h.addr, sizeof(h.addr), "%s",
		 d->target[0] ? d->target : "127.0.0.1");
	return h;
}

bool testbed_open(struct testbed *bed, const struct device *d,
		  struct link *link, enum model_profile p, double timeout_scale,
		  char *why, size_t cap)
{
	static const unsigned specs[] = {
		[MODEL_RFC7306] = SPEC_RFC7306,
		[MODEL_DRAFT_10] = SPEC_DRAFT_10,
		[MODEL_DRAFT_03] = SPEC_DRAFT_03,
		[MODEL_DRAFT_01] = SPEC_DRAFT_01,
	};

	*bed = (struct testbed){.device = d, .profile = p, .spec = specs[p]};
	bed->wait_ns = (uint64_t)(TESTBED_WAIT_NS * timeout_scale);
	bed->log = observe_new();
	bed->link = link;
	if (device_is_alone(d))
		bed->hello = hello_alone(d);
	if (!bed->log || !bed->link) {
		snprintf(why, cap, "out of memory");
		return false;
	}
	testbed_was_interrupted(bed); /* from now on */
	return !d->token_file[0] ||
	       text_file_first_line(d->token_file, bed->token,
				    sizeof(bed->token), NULL, why, cap);
}

void testbed_close(struct testbed *bed)
{
	agent_close(bed->agent);
	link_close_provider(bed->link);
	observe_free(bed->log);
	for (unsigned i = 0; i < TESTBED_STREAMS; i++) {
		free(bed->models[i]);
		free(bed->judges[i]);
	}
	*bed = (struct testbed){0};
}

static uint64_t serve_link(void *link)
{
	return link_serve(link);
}

/* A dump of memory is a long line, and is logged separately. */
static void trace(void *arg, bool sent, const char *text, size_t n)
{
	struct observe *log = arg;
	const char *line =
		n <= TRACED_LINE
			? observe_format(log, "%.*s", (int)n, text)
			: observe_format(log, "%.*s... (%zu characters)",
					 (int)TRACED_LINE, text, n);

	observe_text(log, sent ? OBSERVE_AGENT_ASKED : OBSERVE_AGENT_SAID, 0,
		     line);
}

void testbed_trace(struct testbed *bed)
{
	bed->traced = true;
	if (bed->agent)
		agent_trace(bed->agent, trace, bed->log);
}

bool testbed_reach_agent(struct testbed *bed, char *why, size_t cap)
{
	enum agent_result r;

	testbed_leave_agent(bed);
	if (device_is_alone(bed->device)) {
		bed->claims = claims_in_force(
			claims_of(bed->device, bed->hello.features),
			bed->contradictions, sizeof(bed->contradictions));
		return true;
	}
	r = agent_open(&bed->agent, bed->device->agent, bed->device->agent_port,
		       bed->token[0] ? (const uint8_t *)bed->token : NULL,
		       strlen(bed->token), clock_now_ns() + bed->wait_ns);
	if (r != AGENT_OK) {
		snprintf(why, cap, "agent %s:%u: %s", bed->device->agent,
			 bed->device->agent_port,
			 bed->agent ? agent_trouble(bed->agent)
				    : "out of memory");
		testbed_leave_agent(bed);
		return false;
	}
	if (link_fd(bed->link) >= 0)
		agent_aside(bed->agent, link_fd(bed->link), serve_link,
			    bed->link);
	if (bed->traced)
		testbed_trace(bed);
	bed->hello = *agent_hello(bed->agent);
	if (bed->device->impl[0] &&
	    fnmatch(bed->device->impl, bed->hello.impl, 0) != 0) {
		snprintf(why, cap,
			 "agent %s:%u: its device is \"%.150s\", not \"%s\" as "
			 "the device file says (impl): correct it, or connect "
			 "that device",
			 bed->device->agent, bed->device->agent_port,
			 bed->hello.impl, bed->device->impl);
		testbed_leave_agent(bed);
		return false;
	}
	bed->claims = claims_in_force(
		claims_of(bed->device, bed->hello.features),
		bed->contradictions, sizeof(bed->contradictions));
	return true;
}

void testbed_leave_agent(struct testbed *bed)
{
	if (bed->agent)
		bed->agent_lost += link_socket_lost(agent_fd(bed->agent));
	agent_close(bed->agent);
	bed->agent = NULL;
}

uint64_t testbed_lost(const struct testbed *bed)
{
	return bed->link->lost + link_dropped(bed->link) + bed->agent_lost +
	       (bed->agent ? link_socket_lost(agent_fd(bed->agent)) : 0);
}

struct dimension_limits testbed_limits(const struct testbed *bed)
{
	const struct agent_hello *h = &bed->hello;

	return (struct dimension_limits){
		.most = {[DIMENSION_LIMIT_PRIVATE] = h->max_private,
			 [DIMENSION_LIMIT_IRD] = h->max_ird,
			 [DIMENSION_LIMIT_ORD] = h->max_ord,
			 [DIMENSION_LIMIT_MESSAGE] = h->max_message,
			 [DIMENSION_LIMIT_REGION] = h->max_region_len,
			 [DIMENSION_LIMIT_RECVS] = h->max_recvs,
			 [DIMENSION_LIMIT_POSTS] = h->max_posts}};
}

bool testbed_hear_agent(struct testbed *bed, char *why, size_t cap)
{
	enum agent_result r;

	if (device_is_alone(bed->device))
		return true;
	r = agent_raw(bed->agent, "state conn=nothing",
		      clock_now_ns() + bed->wait_ns);

	if (r == AGENT_OK || r == AGENT_REFUSED)
		return true;
	snprintf(why, cap, "agent %s at the end of the case: %s",
		 agent_result_name(r), agent_trouble(bed->agent));
	return false;
}

bool testbed_was_interrupted(struct testbed *bed)
{
	const struct device *d = bed->device;

	return carrier_was_lost(&bed->carrier, *d->agent ? d->agent : d->target,
				d->link_interface);
}

bool testbed_agent_lost(const struct testbed *bed)
{
	if (device_is_alone(bed->device))
		return !bed->claims; /* not yet there */
	if (!bed->agent || agent_fd(bed->agent) < 0)
		return true;
	struct pollfd p = {.fd = agent_fd(bed->agent),
			   .events = POLLIN | POLLRDHUP};

	return agent_outstanding(bed->agent) == 0 && poll(&p, 1, 0) > 0;
}
