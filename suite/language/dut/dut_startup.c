/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device's startup frame: what the golden model expects of it, and whether
 * the frame is so.
 */
#include "suite/language/dut/dut_internal.h"

#include "suite/language/execution/meets.h"

void dut_describe(struct test *t, struct stream *s)
{
	const struct stream_opts *o = &s->opts;
	const struct agent_hello *h = &t->bed->hello;
	uint16_t ird = h->max_ird < 16 ? (uint16_t)h->max_ird : 16;
	uint16_t ord = h->max_ord < 16 ? (uint16_t)h->max_ord : 16;
	unsigned rtr = o->dut_rtr ? o->dut_rtr : o->rtr;

	if (!rtr)
		rtr = dut_claimed_rtr(t);
	if (test_alone(t)) {
		s->as_device = alone_device(t, rtr);
		return;
	}
	s->as_device = (struct model_device){
		.enhanced = (t->bed->claims & NEED_MPA_V2) &&
			    (o->dut_mpa != 1 || s->role == INITIATOR),
		.asks_enhanced = s->role == INITIATOR &&
				 (o->enhanced || o->rtr || o->dut_rtr),
		.asks_revision_2 = s->role == INITIATOR && o->plain_rev2,
		.markers = o->dut_markers,
		.crc = test_on_sctp(t) ||
		       (o->dut_crc != OFF && dut_has_crcs(t)),
		.ird = o->dut_ird == ZERO_DEPTH ? 0
		       : o->dut_ird             ? (uint16_t)o->dut_ird
						: ird,
		.ord = o->dut_ord == ZERO_DEPTH ? 0
		       : o->dut_ord             ? (uint16_t)o->dut_ord
						: ord,
		.ird_max =
			(uint16_t)(h->max_ird > 0x3ffe ? 0x3ffe : h->max_ird),
		.rtr = (uint8_t)rtr,
		.p2p = s->role == INITIATOR && (o->rtr || o->dut_rtr),
		.sctp = test_on_sctp(t),
		.rejects = o->reject && s->role == RESPONDER,
		.need_ord = (uint16_t)o->need_ord,
		.ird_open = t->bed->habits.ird_open,
		.ird_low = t->bed->habits.ird_low,
		.private_known = !test_alone(t),
		.private_data = o->dut_private_data,
		.private_octets = (uint16_t)o->dut_private_octets,
	};
}

/* The initiator chooses the model of the stream (RFC 6581 s9.2), and a device
 * may have only one, whatever its agent is asked for. */
static void note_model(struct stream *s)
{
	const struct stream_opts *o = &s->opts;
	struct mpa_enhanced asked;

	if (s->role != INITIATOR || o->rtr || o->dut_rtr ||
	    !model_enhanced(&s->seen_frame, &asked) || !asked.a)
		return;
	s->p2p_anyway = true;
	s->enhanced_anyway = !o->enhanced;
}

void stream_startup_seen(struct test *t, struct stream *s,
			 const struct mpa_startup *f)
{
	struct model_objections o = {0};

	s->saw_startup = true;
	s->seen_frame = *f;
	if (s->role == INITIATOR && !t->bed->habits.caller.family)
		t->bed->habits.caller = s->peer.conn->remote;
	if (test_alone(t))
		alone_sees_reply(t, s);
	meets_startup_seen(t, f);
	note_model(s);
	/* Cases that count chunks count those of a plain session. */
	if (s->p2p_anyway && s->opts.exact && over_sctp(t))
		not_applicable(t, "the device's Initiates are all of the "
				  "peer-to-peer model");
	if (s->role == INITIATOR)
		model_request_check(&s->as_device, f, &o);
	else if (s->sent_startup)
		model_reply_check(&s->as_device, &s->sent_frame, f, &o);
	test_leaves_out_told(t, s->role, &o);
	/* The ULP rejects, whatever parameters it was given. */
	if (test_alone(t) && f->flags & MPA_R)
		o.n = 0;
	test_objections(t, &o,
			s->role == INITIATOR ? "the device's Request"
					     : "the device's Reply");
	alone_takes_reply(t, s);
}
