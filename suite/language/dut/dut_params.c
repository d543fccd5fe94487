/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parameters of a connection that the agent is asked for. Some devices have
 * no choice in their startup frames; then they are those of the device.
 */
#include "suite/language/dut/dut_internal.h"

#include <string.h>

#include "harness/link/sctp/sctp.h"

static struct agent_number depth(unsigned v)
{
	return v == ZERO_DEPTH ? agent_number(0)
	       : v             ? agent_number(v)
			       : (struct agent_number){0};
}

/* Over SCTP there are neither markers nor CRCs of MPA. */
static struct agent_params sctp_params(struct test *t, const struct stream *s,
				       struct agent_params p)
{
	if (p.markers || s->opts.dut_crc == OFF || p.plain)
		not_applicable(t, "the stream is one of SCTP, which has no "
				  "framing of MPA");
	p.sctp = true;
	p.crc_off = false;
	if (s->role != INITIATOR)
		return p;
	p.udp = link_sctp_udp_port(t->bed->link);
	if (s->opts.sid)
		p.stream = agent_number(s->opts.sid);
	return p;
}

struct agent_params dut_params_of(struct test *t, const struct stream *s)
{
	const struct stream_opts *o = &s->opts;
	unsigned rtr = o->dut_rtr ? o->dut_rtr : o->rtr;
	struct agent_params p = {
		.pd = o->pd,
		.ird = depth(o->dut_ird),
		.ord = depth(o->dut_ord),
		.private_data = o->dut_private_data,
		.private_octets = o->dut_private_octets,
		.markers = o->dut_markers,
		.crc_off = o->dut_crc == OFF || !dut_has_crcs(t),
		.mpa = o->dut_mpa      ? o->dut_mpa
		       : o->plain_rev2 ? 2
		       : s->role == INITIATOR && (o->enhanced || rtr) ? 2
								      : 0,
		.plain = s->role == INITIATOR && o->plain_rev2,
		.rtr = rtr,
		.need_ord = o->need_ord ? agent_number(o->need_ord)
					: (struct agent_number){0},
		.msn = o->dut_msn ? agent_number(o->dut_msn)
				  : (struct agent_number){0},
		.reject = o->reject && s->role == RESPONDER,
	};

	return test_on_sctp(t) ? sctp_params(t, s, p) : p;
}

unsigned dut_claimed_rtr(const struct test *t)
{
	uint64_t c = t->bed->claims;

	return (c & NEED_RTR_SEND ? RTR_SEND : 0) |
	       (c & NEED_RTR_WRITE ? RTR_WRITE : 0) |
	       (c & NEED_RTR_READ ? RTR_READ : 0);
}

/* The RTRs to request if the device sends no Request without any: those it
 * offered before, or all it claims, and then any. 0: all were tried. */
static unsigned next_rtr(const struct test *t, struct stream *s)
{
	const struct request_form *f = &t->bed->habits.request;
	const unsigned all = RTR_SEND | RTR_WRITE | RTR_READ;
	unsigned n = s->rtr_tried++;

	if (f->known)
		return n ? 0 : f->rtr;
	if (n == 0 && dut_claimed_rtr(t))
		return dut_claimed_rtr(t);
	n += !dut_claimed_rtr(t);
	return n <= all ? all + 1 - n : 0;
}

bool dut_takes_as_it_is(struct test *t, struct stream *s, const char *key)
{
	struct stream_opts *o = &s->opts;

	if (!key || o->exact)
		return false;
	/* With C=0 from the peer, the device's flag decides that CRCs are used. */
	if (strcmp(key, "crc") == 0 && !o->dut_crc && o->crc != OFF) {
		o->dut_crc = OFF;
		return true;
	}
	if (strcmp(key, "mpa") == 0 && s->role == INITIATOR && !o->dut_mpa &&
	    !o->plain_rev2 && !o->enhanced && !o->rtr && !o->dut_rtr) {
		o->enhanced = s->enhanced_anyway = true;
		return true;
	}
	if (strcmp(key, "rtr") == 0 && s->role == INITIATOR && !o->rtr &&
	    !o->plain_rev2 && (s->p2p_anyway || !o->dut_rtr)) {
		o->dut_rtr = next_rtr(t, s);
		s->p2p_anyway = true;
		return o->dut_rtr != 0;
	}
	return false;
}

/* The key that an agent would refuse if it knew as much about its device as the
 * suite does, from the device file or from a probe. */
static const char *beyond_its_frames(const struct test *t,
				     const struct stream *s,
				     const struct agent_params *p)
{
	const struct request_form *f = &t->bed->habits.request;
	bool wants_2 = p->ird.given || p->ord.given || p->rtr;
	unsigned rev = p->mpa ? p->mpa : wants_2 ? 2 : 1;

	if (s->role == RESPONDER) {
		if (!(t->bed->hello.untold & AGENT_UNTOLD_STARTUP_FRAMES))
			return NULL;
		return p->mpa == 1                              ? "mpa"
		       : p->rtr && p->rtr != dut_claimed_rtr(t) ? "rtr"
								: NULL;
	}
	if (!f->known)
		return NULL;
	if (rev != f->rev || (rev > 1 && f->enhanced == p->plain))
		return "mpa";
	return p->rtr == f->rtr ? NULL : "rtr";
}

const char *dut_refused_key(struct test *t, enum agent_result r)
{
	struct agent *a = t->bed->agent;
	const char *text = agent_text(a);

	if (r != AGENT_REFUSED || agent_code(a) != LINE_UNSUPPORTED)
		return NULL;
	return test_format(t, "%.*s", (int)strcspn(text, " "), text);
}

struct agent_params dut_fitting_params(struct test *t, struct stream *s)
{
	struct agent_params p = dut_params_of(t, s);
	const char *key;

	while ((key = beyond_its_frames(t, s, &p))) {
		if (!dut_takes_as_it_is(t, s, key))
			not_applicable(t,
				       "the device's startup frames are of "
				       "another form: %s",
				       key);
		p = dut_params_of(t, s);
	}
	return p;
}
