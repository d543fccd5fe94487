/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The input of the golden model from a stream, and its objections.
 */
#include "suite/language/execution/execution.h"

#include <stdlib.h>

#include "harness/link/clock.h"
#include "suite/language/execution/meets.h"
#include "suite/language/text/objection_text.h"

#define OBJECTIONS_TOLD 8u

static unsigned objections_told(const struct test *t, unsigned short req)
{
	unsigned n = 0;

	for (const struct judgement *j = t->judged; j; j = j->next)
		n += j->req == req && j->by_model;
	return n;
}

/* A fault in every segment of a long message is reported for the first ones
 * only: the texts of all of them would fill the log. */
void test_objections(struct test *t, const struct model_objections *o,
		     const char *about)
{
	if (t->streams && alone_explains(t, &t->stream[t->current]))
		return;
	for (unsigned i = 0; i < o->n; i++) {
		const struct model_objection *ob = &o->list[i];
		unsigned told = objections_told(t, ob->req);

		if (told == OBJECTIONS_TOLD)
			continue;
		t->look.field = objection_field(ob);
		test_judge(t, ob->req, false, true,
			   test_format(t, "%s: %s%s", about,
				       objection_text(t, ob),
				       told + 1 == OBJECTIONS_TOLD
					       ? "; later ones are not listed"
					       : ""));
	}
	t->look.field = NULL;
}

static uint32_t agreed_depth(uint16_t value, unsigned own)
{
	return value == MPA_NOT_NEGOTIATED ? own : value;
}

static unsigned model_features(const struct test *t)
{
	uint64_t c = t->bed->claims;

	return (c & NEED_FETCHADD ? MODEL_FETCHADD : 0) |
	       (c & NEED_CMPSWAP ? MODEL_CMPSWAP : 0) |
	       (c & NEED_IMM ? MODEL_IMM : 0) |
	       (c & NEED_IMM_SE ? MODEL_IMM_SE : 0) |
	       (c & NEED_SWAP ? MODEL_SWAP : 0);
}

/* The device's MULPDU; 0: this link does not report it. */
static uint32_t known_mulpdu(const struct stream *s, uint32_t emss)
{
	return emss ? fpdu_mulpdu(emss, s->peer.rx_markers) : 0;
}

static void model_start(struct test *t, struct stream *s)
{
	unsigned n = (unsigned)(s - t->stream);
	bool dut_initiates = s->role == INITIATOR;
	const struct mpa_startup *request =
		dut_initiates ? &s->seen_frame : &s->sent_frame;
	const struct mpa_startup *reply =
		dut_initiates ? &s->sent_frame : &s->seen_frame;
	struct model_agreed a = model_agree(request, reply);
	/* What this Reply permits the device, and the Terminate it requires. */
	struct model_answers answers = {0};
	unsigned ird = depth_of(s->opts.dut_ird,
				t->bed->hello.max_ird < 16
					? (unsigned)t->bed->hello.max_ird
					: 16);
	unsigned ord = depth_of(s->opts.dut_ord,
				t->bed->hello.max_ord < 16
					? (unsigned)t->bed->hello.max_ord
					: 16);

	/* Values that were not negotiated are unknown. */
	if (test_alone(t))
		ird = ord = MODEL_UNLIMITED;
	if (!t->bed->models[n] &&
	    !(t->bed->models[n] = malloc(sizeof(struct model))))
		test_error(t, CAUSE_SUITE, "out of memory");
	s->model = t->bed->models[n];
	if (dut_initiates)
		answers = model_reply_judge(&s->as_device, request, reply);
	model_init(
		s->model,
		&(struct model_config){
			.dut_initiates = dut_initiates,
			.profile = t->bed->profile,
			.features = model_features(t),
			.crc = a.crc,
			.crc_by_wish = !(s->sent_frame.flags & MPA_C),
			.dut_markers = s->peer.rx_markers,
			.sctp = s->association != NULL,
			.mulpdu = known_mulpdu(s, link_emss(s->peer.conn)),
			.mulpdu_most = known_mulpdu(s, link_mss(s->peer.conn)),
			.ird = agreed_depth(dut_initiates ? a.initiator_ird
							  : a.responder_ird,
					    ird),
			.ord = agreed_depth(dut_initiates ? a.initiator_ord
							  : a.responder_ord,
					    ord),
			.rtr = a.p2p ? a.rtr : 0,
			.pd = s->opts.pd,
			.stream = n + 1,
			.big_endian = t->bed->hello.big_endian,
			.first_msn = s->opts.dut_msn ? s->opts.dut_msn : 1,
			.regions_known = true,
			.receives_known = !test_alone(t),
			.works_known = !s->posted_early && !answers.open &&
				       !test_alone(t),
			.sinks_elsewhere =
				t->bed->hello.untold & AGENT_UNTOLD_LOCAL_KEYS,
			.unspecified = t->bed->habits.unspecified,
			.short_ulpdus = t->bed->habits.short_ulpdus,
			.atomics_known = t->bed->exploring,
		});
	if (answers.terminate.n)
		model_setup_terminate(s->model, &answers.terminate);
	s->peer_ord =
		agreed_depth(dut_initiates ? a.responder_ord : a.initiator_ord,
			     test_alone(t) ? 1 : s->model->config.ird);
	excuse_begin(t, s, &a);
	for (unsigned i = 0; i < t->regions; i++) {
		struct test_region *r = &t->region[i];

		if (!r->gone)
			dut_tell_region(t, s, r);
	}
}

/* Some devices lose what follows their Reply immediately; their device file
 * says so. An octet of the device ends the wait as well. */
static void let_settle(struct test *t, struct stream *s)
{
	struct link_wait w = {.conn = s->peer.conn, .want = LINK_READ};
	uint64_t ns = t->bed->device->settle_ms * 1000000ull;

	if (ns && s->role == RESPONDER && !s->opts.at_once)
		link_wait(t->bed->link, &w, 1, clock_now_ns() + ns);
}

void stream_full_operation(struct test *t, struct stream *s)
{
	bool crc = (s->sent_frame.flags | s->seen_frame.flags) & MPA_C;

	peer_full_operation(&s->peer, crc, s->seen_frame.flags & MPA_M,
			    s->sent_frame.flags & MPA_M);
	if (s->opts.dut_msn)
		for (unsigned q = 0; q < PEER_QUEUES; q++)
			s->peer.msn[q] = s->opts.dut_msn;
	s->full = true;
	meets_stream(t, s);
	model_start(t, s);
	let_settle(t, s);
}
