/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/language/execution/execution.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "suite/device/command.h"
#include "suite/model/outcome/terminate.h"

bool test_alone(const struct test *t)
{
	return device_is_alone(t->bed->device);
}

bool alone_asks(struct test *t, const char *what)
{
	if (!test_alone(t))
		return false;
	if (!t->evaluating) {
		if (!t->unjudged)
			t->unjudged = what;
		not_applicable(t, ALONE_NEEDS_AGENT ": %s", what);
	}
	if (!t->asked)
		t->asked = what;
	return true;
}

/* --- startup ---------------------------------------------------------- */

static void needs(struct test *t, bool other, const char *what)
{
	if (other)
		alone_asks(t, what);
}

/* The depths to negotiate are a lower bound, with which the Reply is
 * compared. */
static bool may_have_depths(const struct test *t, const struct stream_opts *o)
{
	return t->connecting && t->bed->ulp.ird && o->enhanced &&
	       !o->need_ord && o->dut_ird != ZERO_DEPTH &&
	       o->dut_ord != ZERO_DEPTH;
}

bool alone_negotiates(const struct test *t, const struct stream_opts *o)
{
	return test_alone(t) && t->bed->ulp.ird &&
	       (o->dut_ird || o->dut_ord || t->bed->ulp.negotiates) &&
	       !o->enhanced && !o->rtr && !o->dut_rtr && !o->exact &&
	       !o->plain_rev2 && !o->dut_mpa;
}

void alone_keeps_depths(struct test *t, const struct stream *s)
{
	if (test_alone(t) && s->opts.dut_ird &&
	    peer_may_break(t, RDMAP_6_1_02.index) &&
	    s->model->config.ird != s->opts.dut_ird)
		alone_asks(t, "to set its IRD");
}

void alone_listens(struct test *t, const struct stream_opts *o,
		   const struct agent_params *p)
{
	bool no_crc = t->bed->ulp.no_crc;

	needs(t, p->reject, "to reject a connection");
	needs(t, p->markers, "to request markers");
	needs(t, o->dut_crc == OFF && !no_crc, "to work without CRCs");
	needs(t, o->crc == OFF && o->dut_crc != OFF && no_crc,
	      "to request CRCs");
	needs(t, p->private_octets || o->beyond, "to send other private data");
	needs(t,
	      !may_have_depths(t, o) &&
		      (p->ird.given || p->ord.given || p->need_ord.given),
	      "to set its IRD and ORD");
	needs(t, p->msn.given, "to set its first MSN");
	needs(t, p->pd != 0, "to choose a protection domain");
	needs(t, p->mpa == 1, "to set its revision of MPA");
	needs(t, p->rtr && p->rtr != t->bed->ulp.rtr, "to set its RTRs");
}

void alone_connects(struct test *t, struct stream *s, const char *host,
		    uint16_t port, const struct agent_params *p)
{
	const struct device *d = t->bed->device;
	const struct stream_opts *o = &s->opts;
	uint8_t flags = t->bed->ulp.flags;

	if (!d->connect[0])
		alone_asks(t, "to open a connection");
	if (!t->bed->ulp.looking) {
		needs(t, p->markers && !(flags & MPA_M), "to request markers");
		needs(t, o->dut_crc == OFF && flags & MPA_C,
		      "to work without CRCs");
		needs(t, o->dut_crc != OFF && !(flags & MPA_C),
		      "to request CRCs");
		needs(t, p->private_octets || o->beyond,
		      "to send other private data");
		needs(t, p->ird.given || p->ord.given || p->need_ord.given,
		      "to set its IRD and ORD");
		needs(t, p->msn.given, "to set its first MSN");
		needs(t, p->pd != 0, "to choose a protection domain");
	}
	s->command = command_start(d->connect, d->folder, host, port);
	if (s->command < 0) {
		s->command = 0;
		test_error(t, CAUSE_DEVICE, "the command that connects: %s",
			   strerror(errno));
	}
}

struct model_device alone_initiator(const struct test *t)
{
	const struct request_form *f = &t->bed->habits.request;

	return (struct model_device){
		.enhanced = f->rev > 1,
		.asks_enhanced = f->enhanced,
		.asks_revision_2 = f->rev > 1 && !f->enhanced,
		.p2p = f->rtr,
		.rtr = (uint8_t)f->rtr,
		.ird_max = 0x3ffe,
		.ird_open = true,
	};
}

void alone_hears(struct test *t, struct stream *s)
{
	const struct frame *f;

	while (!s->model->tx_frames && stream_pull_any(t, s))
		continue;
	if (!s->model->tx_frames)
		alone_excuses(t, "its ULP has not sent anything");
	f = s->frames[s->frame_count];
	if (s->model->config.rtr && !f->seg.short_header &&
	    f->seg.ddp.opcode == RDMAP_READ_REQUEST && is_empty_opening(f))
		stream_send(
			t, s,
			&(struct send_opts){.msg = READ_RESPONSE(f, "", 0)});
}

/* The ULP is free in its choices. */
struct model_device alone_device(const struct test *t, unsigned rtr)
{
	enum { DEEPEST = 0x3ffe };

	return (struct model_device){
		.enhanced = t->bed->claims & NEED_MPA_V2,
		.ird_max = DEEPEST,
		.ird_open = true,
		.rtr = (uint8_t)rtr,
	};
}

void alone_sees_reply(struct test *t, struct stream *s)
{
	struct model_device *d = &s->as_device;
	const struct mpa_startup *f = &s->seen_frame;

	struct mpa_enhanced e;

	(void)t;
	if (s->role == INITIATOR && model_enhanced(f, &e)) {
		d->ird = e.ird;
		d->ord = e.ord;
	}
	d->markers = f->flags & MPA_M;
	d->rejects = f->flags & MPA_R;
}

void alone_takes_reply(struct test *t, const struct stream *s)
{
	const struct mpa_startup *f = &s->seen_frame;

	if (!test_alone(t) || t->bed->ulp.looking)
		return;
	if (f->flags & MPA_R)
		alone_excuses(t, "a Reply with R=1");
	/* The agent would have requested it. */
	if (!((f->flags | s->sent_frame.flags) & MPA_C) &&
	    s->opts.dut_crc != OFF)
		not_applicable(t, ALONE_NEEDS_AGENT ": to request CRCs");
}

void alone_offers(struct test *t, const struct stream *s, bool p2p,
		  unsigned rtr)
{
	if (test_alone(t) && s->role == RESPONDER && p2p && t->bed->ulp.rtr &&
	    !(rtr & t->bed->ulp.rtr))
		not_applicable(t, "the device would await an RTR that never "
				  "comes, and may not survive the end of TCP");
}

void alone_opens(struct test *t)
{
	unsigned up = 0, most = t->bed->ulp.connections;

	if (!test_alone(t) || !most)
		return;
	for (unsigned i = 0; i < t->streams; i++) {
		struct stream *s = &t->stream[i];

		/* It is over, at either end. */
		if (s->live && s->end == STREAM_UP && s->peer.fin_sent) {
			while (stream_pull(t, s))
				continue;
			if (s->end == STREAM_UP)
				peer_reset(&s->peer);
		}
		up += s->live && s->end == STREAM_UP && !s->peer.fin_sent &&
		      !s->peer.reset_sent;
	}
	if (up >= most)
		not_applicable(
			t, "the device accepts at most %u connection%s at once",
			most, most == 1 ? "" : "s");
}

/* --- the sender ----------------------------------------------------------- */

bool alone_is_ulps(const struct test *t, const struct stream *s,
		   const struct frame *f)
{
	(void)s;
	if (!test_alone(t) || f->seg.short_header)
		return false;
	switch (f->seg.ddp.opcode) {
	case RDMAP_WRITE:
	case RDMAP_READ_REQUEST:
	case RDMAP_SEND:
	case RDMAP_SEND_INV:
	case RDMAP_SEND_SE:
	case RDMAP_SEND_SE_INV:
	case RDMAP_ATOMIC_REQUEST:
	case RDMAP_IMM:
	case RDMAP_IMM_SE:
		return true;
	default:
		return false;
	}
}

void alone_notes(const struct test *t, struct stream *s, const struct frame *f)
{
	const struct ddp *d = &f->seg.ddp;

	if (test_alone(t) && !s->first_send && !f->seg.short_header &&
	    !d->tagged && d->qn == DDP_QN_SEND && d->last && !d->mo &&
	    d->opcode >= RDMAP_SEND && d->opcode <= RDMAP_SEND_SE_INV)
		s->first_send = f;
}

/* The peer has sent something that no device may accept, according to the
 * golden model, which knows of no receives and no work. */
static bool has_to_be_refused(const struct stream *s)
{
	for (unsigned i = 0; s->model && i < s->model->suspects; i++)
		if (!model_outcomes_has(&s->model->suspect[i].outcomes,
					MODEL_PROCESS))
			return true;
	return false;
}

/* A message to queue 0 may have found no buffer, or one that is too short (RFC
 * 5041 s7.1). A catastrophic error may come from the ULP's own work (RFC 5040
 * s7.1). */
bool alone_explains(const struct test *t, const struct stream *s)
{
	enum { UNTAGGED = 2, NO_BUFFER = 2, TOO_LONG = 5, UNKNOWN = 0xff };
	struct mpa_enhanced e;

	if (!test_alone(t) || !s->terminate)
		return false;
	struct rdmap_terminate term = case_terminate_of(s->terminate);

	/* An IRD of 0 is the ULP's, too: then the suite's own Read is too much. */
	if (t->bed->ulp.deaf && !model_enhanced(&s->seen_frame, &e) &&
	    !has_to_be_refused(s))
		return true;
	if (term.layer == TERM_RDMA && term.etype == 0)
		return true;
	if (term.layer != TERM_DDP || term.etype != UNTAGGED)
		return false;
	/* Its IRD, too, is the ULP's: 0 if none was negotiated. */
	if (term.code == NO_BUFFER && !model_enhanced(&s->seen_frame, &e))
		return true;
	return s->to_queue_0 &&
	       ((term.code >= NO_BUFFER && term.code <= TOO_LONG) ||
		term.code == UNKNOWN);
}

/* The stream may have ended, or not, because of the ULP. */
static bool is_ulps_end(const struct test *t, const struct stream *s)
{
	if (!s->live)
		return false;
	if (s->terminate)
		return alone_explains(t, s);
	return s->end != STREAM_UP || s->starved || s->flooded;
}

bool alone_accuses(struct test *t)
{
	const struct stream *s = t->streams ? &t->stream[t->current] : NULL;

	if (!test_alone(t))
		return true;
	if (t->of_receives)
		return false;
	/* Octets where none are allowed; a stream that continues. */
	if (t->witnessed)
		return !s || !s->to_queue_0 || has_to_be_refused(s);
	if (!t->contradicted)
		return false;
	for (unsigned i = 0; i < t->streams; i++)
		if (is_ulps_end(t, &t->stream[i]))
			return false;
	return true;
}

void alone_excuses(struct test *t, const char *seen)
{
	char *line = test_alloc(t, strlen(seen) + 1);

	for (size_t i = 0; i <= strlen(seen); i++)
		line[i] = seen[i] == '\n' ? ' ' : seen[i];
	seen = line;
	not_applicable(t,
		       "the faults of the device and of the ULP behind its "
		       "port cannot be distinguished: %s",
		       seen);
}
