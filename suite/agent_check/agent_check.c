/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/agent_check/agent_check.h"

#include <stdlib.h>
#include <string.h>

#include "harness/text/text_file.h"
#include "suite/agent_check/checker.h"

/* An answer that is later than this never arrives. All checks together never
 * take longer than AT_MOST. */
enum { WAIT_MS = 2000, AT_MOST_MS = 60000 };

/* In the order in which an agent is usually written. */
static const struct check_group *const groups[] = {
	&hello_checks,
	&framing_checks,
	&session_checks,
	&memory_checks,
	&limit_checks,
	&stream_checks,
	&end_checks,
	&receive_checks,
	&work_checks,
	&promise_checks,
	&session_over_sctp_checks,
};

/* --- the lines ---------------------------------------------------------- */

/* The device may be the reason for the state of a stream, and for `ERR device`;
 * everything else comes from the agent itself. */
static const char *at_fault(const struct checker *c)
{
	bool device = c->device_took_part || was(c, LINE_DEVICE);

	return device && !c->wrong_form ? "agent or device" : "agent";
}

static void tell_evidence(const struct checker *c, const struct check *check,
			  FILE *out)
{
	for (unsigned i = 0; i < c->said_count; i++)
		fprintf(out, "      %s: %s\n", c->said[i].who, c->said[i].text);
	fprintf(out, "      due:  %s\n", c->why);
	fprintf(out, "      in:   %s\n", at_fault(c));
	fprintf(out, "      see:  PROTOCOL.md, \"%s\"\n", check->section);
}

static void tell(const struct checker *c, const struct check_group *group,
		 const struct check *check, const struct agent_check_options *o,
		 FILE *out)
{
	static const char *const words[] = {"PASS", "FAIL", "SKIP", "LATE"};

	if (o->quiet && c->outcome != OUTCOME_FAIL)
		return;
	fprintf(out, "%s  %s: %s\n", words[c->outcome], group->name,
		check->sentence);
	if (c->outcome == OUTCOME_FAIL)
		tell_evidence(c, check, out);
	else if (c->outcome != OUTCOME_PASS)
		fprintf(out, "      %s\n", c->why);
}

/* --- one check -------------------------------------------------------------- */

static void clean_up(struct checker *c)
{
	wires_end(c);
	sessions_end();
	for (unsigned i = 0; i < c->sessions; i++)
		talk_close(c->session[i]);
	memset(c->session, 0, sizeof(c->session));
	c->sessions = c->current = c->said_count = 0;
	c->device_took_part = c->wrong_form = false;
	observe_reset(c->log);
}

/* Why it does not apply to this device, or NULL. */
static const char *why_not(const struct checker *c, const struct check *check)
{
	static char text[CHECKER_WHY];
	uint64_t missing = check->needs & ~c->hello.features;
	int f = 0;

	if (!missing)
		return NULL;
	while (!(missing >> f & 1))
		f++;
	snprintf(text, sizeof(text), "the device does not claim %s",
		 agent_feature_name((enum agent_feature)f));
	return text;
}

static void run_check(struct checker *c, const struct check *check,
		      uint64_t until)
{
	bool late = clock_now_ns() > until;
	const char *not_run = late ? "the agent took too long for the others"
				   : why_not(c, check);

	c->outcome = late      ? OUTCOME_NOT_REACHED
		     : not_run ? OUTCOME_SKIP
			       : OUTCOME_PASS;
	if (not_run)
		snprintf(c->why, sizeof(c->why), "%s", not_run);
	else if (setjmp(c->out) == 0)
		check->run(c);
}

static void run_all(struct checker *c, const struct agent_check_options *o,
		    FILE *out, struct agent_check_counts *counts)
{
	uint64_t until =
		clock_now_ns() +
		(uint64_t)(AT_MOST_MS * o->timeout_scale) * CLOCK_NS_PER_MS;
	size_t *const count[] = {&counts->passed, &counts->failed,
				 &counts->skipped, &counts->not_reached};

	for (size_t g = 0; g < sizeof(groups) / sizeof(*groups); g++)
		for (size_t i = 0; i < groups[g]->n; i++) {
			run_check(c, &groups[g]->check[i], until);
			tell(c, groups[g], &groups[g]->check[i], o, out);
			++*count[c->outcome];
			clean_up(c);
		}
}

/* --- before the first check ----------------------------------------------- */

static bool read_token(struct checker *c, char *why, size_t cap)
{
	const char *path = c->device->token_file;

	return !path[0] ||
	       text_file_first_line(path, c->token, sizeof(c->token), NULL, why,
				    cap);
}

/* The agent's claims, as the suite's own client reads them. An agent whose
 * claims the client does not understand still exists. */
static bool reach(struct checker *c, char *why, size_t cap)
{
	struct agent *a;
	enum agent_result r =
		agent_open(&a, c->device->agent, c->device->agent_port,
			   (const uint8_t *)c->token, strlen(c->token),
			   clock_now_ns() + c->wait_ns);
	bool there = r == AGENT_OK || r == AGENT_GARBAGE ||
		     (r == AGENT_REFUSED && agent_code(a) != LINE_AUTH);

	c->known = r == AGENT_OK;
	if (c->known)
		c->hello = *agent_hello(a);
	if (!there)
		snprintf(why, cap, "agent %s:%u: %s", c->device->agent,
			 c->device->agent_port,
			 a ? agent_trouble(a) : "out of memory");
	agent_close(a);
	return there;
}

bool agent_check(const struct device *d, const struct agent_check_options *o,
		 FILE *out, struct agent_check_counts *counts, char *why,
		 size_t cap)
{
	static struct checker c;
	bool ok;

	c = (struct checker){.device = d,
			     .wait_ns = (uint64_t)(WAIT_MS * o->timeout_scale) *
					CLOCK_NS_PER_MS,
			     .link = link_socket_open(),
			     .log = observe_new()};
	*counts = (struct agent_check_counts){0};
	ok = c.link && c.log;
	if (!ok)
		snprintf(why, cap, "out of memory");
	ok = ok && read_token(&c, why, cap) && reach(&c, why, cap);
	if (ok) {
		fprintf(out, "%s (%s) at %s port %u\n",
			c.known ? c.hello.agent : "an agent",
			c.known ? c.hello.impl : "hello not understood",
			d->agent, d->agent_port);
		run_all(&c, o, out, counts);
	}
	link_close_provider(c.link);
	observe_free(c.log);
	return ok;
}
