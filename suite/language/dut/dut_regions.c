/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The regions of a case: what the golden model knows of them, their rights, and
 * their end.
 */
#include "suite/language/dut/dut_internal.h"

#include <poll.h>

const char *dut_region_name(struct test *t, unsigned number)
{
	return test_format(t, "r%u", number);
}

struct test_region *dut_region(struct test *t, struct region r)
{
	if (r.number >= t->regions)
		test_error(t, CAUSE_SUITE, "there is no region %u", r.number);
	return &t->region[r.number];
}

static unsigned model_access(unsigned access)
{
	return (access & LOCAL_WRITE ? MODEL_LW : 0) |
	       (access & REMOTE_READ ? MODEL_RR : 0) |
	       (access & REMOTE_WRITE ? MODEL_RW : 0) |
	       (access & REMOTE_ATOMIC ? MODEL_RA : 0);
}

unsigned dut_agent_rights(unsigned access)
{
	return (access & LOCAL_WRITE ? AGENT_LW : 0) |
	       (access & REMOTE_READ ? AGENT_RR : 0) |
	       (access & REMOTE_WRITE ? AGENT_RW : 0) |
	       (access & REMOTE_ATOMIC ? AGENT_RA : 0);
}

unsigned access_for(unsigned opcode)
{
	switch (opcode) {
	case RDMAP_READ_REQUEST:
		return FOR_RESPONSES;
	case RDMAP_READ_RESPONSE:
		return FOR_READS;
	case RDMAP_ATOMIC_REQUEST:
		return FOR_RESULTS;
	case RDMAP_ATOMIC_RESPONSE:
		return FOR_ATOMICS;
	default:
		return 0;
	}
}

/* The position of the first octet of a zero-based region, modulo 8. */
static uint8_t residue(const struct region_opts *o)
{
	return o->zero_based ? (uint8_t)(o->skew % 8) : 0;
}

void dut_tell_region(struct test *t, struct stream *s, struct test_region *r)
{
	/* The ULP's buffer is reported as a whole. */
	if (test_alone(t))
		return;
	model_region_add(s->model,
			 &(struct model_region){
				 .stag = r->r.stag,
				 .to = r->r.to,
				 .len = r->r.len,
				 .access = model_access(r->opts.access),
				 .pd = r->opts.pd,
				 .stream = r->bound_to,
				 .shared = r->opts.shared,
				 .residue = residue(&r->opts),
				 .shadow = r->shadow,
			 });
}

void dut_sets_access(struct test *t, struct region r, unsigned access)
{
	alone_asks(t, "to change the rights to its memory");
	dut_region(t, r)->opts.access = access;
	test_acts(t);
	dut_check(t,
		  agent_access(t->bed->agent, dut_region_name(t, r.number),
			       dut_agent_rights(access),
			       dut_deadline(t, "access")),
		  "access");
	for (unsigned i = 0; i < t->streams; i++)
		if (t->stream[i].model)
			model_region_access(t->stream[i].model, r.stag,
					    model_access(access));
}

static void models_invalidate(struct test *t, struct region r)
{
	for (unsigned i = 0; i < t->streams; i++)
		if (t->stream[i].model)
			model_region_invalidate(t->stream[i].model, r.stag);
}

void dut_invalidates(struct test *t, struct region r)
{
	alone_asks(t, "to invalidate its memory");
	test_acts(t);
	dut_check(t,
		  agent_inval(t->bed->agent, dut_region_name(t, r.number),
			      dut_deadline(t, "inval")),
		  "inval");
	models_invalidate(t, r);
}

/* False: the agent has not begun to answer by then. */
static bool answer_comes_within(struct test *t, unsigned ms)
{
	struct agent *a = t->bed->agent;
	struct pollfd answer = {.fd = agent_fd(a), .events = POLLIN};

	return !agent_outstanding(a) || answer.fd < 0 ||
	       poll(&answer, 1, (int)ms) != 0;
}

void dut_begins_to_invalidate(struct test *t, struct region r)
{
	alone_asks(t, "to invalidate its memory");
	test_acts(t);
	agent_begin_inval(t->bed->agent, dut_region_name(t, r.number));
	dut_check(t, agent_flush(t->bed->agent, dut_deadline(t, "inval")),
		  "inval");
	/* Without an answer by then, it must be waiting for the peer. */
	answer_comes_within(t, dut_wait_ms(t) / WAIT_BRIEF_PART);
	models_invalidate(t, r);
}

void dut_has_invalidated(struct test *t)
{
	struct agent *a = t->bed->agent;
	enum agent_result result = agent_finish(a, dut_deadline(t, "inval"));

	if (result == AGENT_REFUSED && agent_code(a) == LINE_BAD_STATE)
		not_applicable(t, "the device refuses to invalidate memory "
				  "that an operation uses");
	dut_check(t, result, "inval");
}

void dut_invalidates_under_a_read(struct test *t, struct region r)
{
	dut_begins_to_invalidate(t, r);
	/* Not the whole wait: the stream may not live so long unattended. */
	if (!answer_comes_within(t, dut_wait_ms(t) / WAIT_BRIEF_PART))
		not_applicable(t,
			       "the device does not invalidate memory before "
			       "the end of the Read that uses it");
	dut_has_invalidated(t);
}

void dut_deregisters(struct test *t, struct region r)
{
	alone_asks(t, "to deregister its memory");
	test_acts(t);
	dut_check(t,
		  agent_dereg(t->bed->agent, dut_region_name(t, r.number),
			      dut_deadline(t, "dereg")),
		  "dereg");
	dut_region(t, r)->gone = true;
	for (unsigned i = 0; i < t->streams; i++)
		if (t->stream[i].model)
			model_region_remove(t->stream[i].model, r.stag);
}
