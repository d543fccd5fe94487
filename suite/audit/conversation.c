/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/audit/conversation.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"
#include "harness/wire/rdmap.h"
#include "suite/language/text/objection_text.h"
#include "suite/model/startup/session.h"

enum {
	KEY_ALIKE = 12,        /* this many octets identify a key */
	HELD_MOST = 1 << 20,   /* until a startup frame is complete */
	MIDWAY_MOST = 1 << 18, /* octets without an FPDU: it is not iWARP */
	SHOWN = 32,            /* octets of a frame */
	FPDU_LEAST = 20,       /* octets: no FPDU with a header has fewer */
	MARKER = 4,
};

struct conversation *conversation_new(struct assembly_flow *f,
				      enum model_profile profile)
{
	struct conversation *c = text_held(calloc(1, sizeof(*c)));

	if (c) {
		c->flow = f;
		c->sctp = c->findings.sctp = !f;
		c->profile = profile;
		if (f)
			memcpy(c->ends, f->end, sizeof(c->ends));
		c->silent[0] = c->silent[1] = MODEL_REQ_NONE;
	}
	return c;
}

void conversation_free(struct conversation *c)
{
	if (!c)
		return;
	observer_ends(&c->observer);
	findings_free(&c->findings);
	trace_free(&c->trace);
	octets_free(&c->from[0]);
	octets_free(&c->from[1]);
	free(c->request);
	free(c);
}

static void leave(struct conversation *c)
{
	c->phase = CONVERSATION_NONE;
	for (unsigned i = 0; i < 2; i++)
		octets_free(&c->from[i]);
	if (!c->recognised)
		c->flow->ignored = true;
}

enum observed_side conversation_side(const struct conversation *c, unsigned end)
{
	return end == c->initiator ? OBSERVED_INITIATOR : OBSERVED_RESPONDER;
}

/* --- what a finding is about ------------------------------------------------ */

static void put_octets(char *text, size_t cap, const uint8_t *octets, size_t n)
{
	size_t at = strlen(text);

	for (size_t i = 0; i < n && i < SHOWN && at + 8 < cap; i++)
		at += (size_t)snprintf(text + at, cap - at, "%s%02x",
				       i ? " " : " [", octets[i]);
	snprintf(text + at, cap - at, "%s",
		 !n          ? ""
		 : n > SHOWN ? " ...]"
			     : "]");
}

void conversation_about(const struct conversation *c, const struct subject *on,
			char text[CONVERSATION_ABOUT])
{
	if (c->at.packet)
		snprintf(text, CONVERSATION_ABOUT, "packet %" PRIu64 ", %s",
			 c->at.packet, on->what);
	else
		snprintf(text, CONVERSATION_ABOUT, "after %.6f s, %s",
			 (double)c->at.at_ns / 1e9, on->what);
	put_octets(text, CONVERSATION_ABOUT, on->octets, on->n);
}

/* Only the objections that hold over SCTP, too, each under its row there. The
 * model of sessions has checked the length of private data. */
static void move_to_sctp(struct model_objections *o)
{
	unsigned n = 0;

	for (unsigned i = 0; i < o->n; i++)
		if (o->list[i].fault != MODEL_FAULT_PD_LENGTH &&
		    model_session_row(o->list[i].req, &o->list[i].req))
			o->list[n++] = o->list[i];
	o->n = n;
}

void conversation_find(struct conversation *c, unsigned end,
		       const struct model_objections *objections,
		       const struct subject *on)
{
	char about[CONVERSATION_ABOUT];

	if (!objections->n)
		return;
	struct model_objections o = *objections;

	if (c->sctp)
		move_to_sctp(&o);
	if (!o.n)
		return;
	size_t event = trace_keep(&c->trace);

	conversation_about(c, on, about);
	for (unsigned i = 0; i < o.n; i++) {
		struct finding *f =
			findings_add(&c->findings, end, &o.list[i], about);

		if (!f || !event)
			continue;
		f->event = event;
		if (on->n)
			trace_mark(&c->trace, event, f->number,
				   objection_field(&o.list[i]), on->octets,
				   on->n, on->fpdu);
	}
}

/* An event that is no FPDU. */
static void trace_octets(struct conversation *c, enum result_event_kind kind,
			 unsigned end, const char *what, const uint8_t *octets,
			 size_t n)
{
	trace_add(&c->trace,
		  &(struct trace_head){.kind = kind,
				       .end = end,
				       .name = what,
				       .at_ns = c->at.at_ns,
				       .n = n},
		  octets, NULL);
}

static void find_in_startup(struct conversation *c, unsigned end,
			    const struct model_objections *o, const char *what,
			    const uint8_t *octets, size_t n)
{
	trace_octets(c, EVENT_STARTUP, end, what, octets, n);
	conversation_find(c, end, o, &(struct subject){what, octets, n, NULL});
}

/* --- startup ---------------------------------------------------------------- */

static bool is_alike(const uint8_t *octets, const uint8_t key[MPA_KEY_OCTETS])
{
	unsigned same = 0;

	for (unsigned i = 0; i < MPA_KEY_OCTETS; i++)
		same += tolower(octets[i]) == tolower(key[i]);
	return same >= KEY_ALIKE;
}

void conversation_offers(struct conversation *c, unsigned end,
			 const struct mpa_startup *f)
{
	struct conversation_side *s = &c->side[end];

	s->startup = true;
	s->flags = f->flags;
	s->rev = f->rev;
	s->pd_length = f->pd_length;
	s->enhanced = model_enhanced(f, &s->offers);
}

/* The length of a whole startup frame at the start of the held octets, or 0. */
static size_t whole_startup(const struct octets *o)
{
	size_t n = mpa_startup_octets(o->held, o->n);

	return o->n >= MPA_HEADER_OCTETS && n <= o->n ? n : 0;
}

static void enter_midway(struct conversation *c)
{
	c->phase = CONVERSATION_MIDWAY;
	c->initiator = 0;
	c->recognised |= c->named != NULL;
	for (unsigned i = 0; i < 2; i++)
		octets_begin_midway(&c->from[i],
				    !c->named || !c->named->no_crc);
}

/* --- who may not speak ------------------------------------------------------ */

static void find_octets(struct conversation *c, unsigned end,
			unsigned short req, const uint8_t *octets, size_t n)
{
	struct model_objections o = {.n = 0};

	model_object(&o, req, MODEL_FAULT_NOT_SILENT, n, 0);
	trace_octets(c, EVENT_OCTETS, end, "octets", octets, n);
	conversation_find(c, end, &o,
			  &(struct subject){"octets", octets, n, NULL});
}

/* By this requirement, end `end` may send nothing from now on. */
static void refuse(struct conversation *c, unsigned end, unsigned short req)
{
	c->phase = CONVERSATION_REFUSED;
	c->silent[end] = req;
}

static void take_refused(struct conversation *c, unsigned from,
			 const uint8_t *octets, size_t n)
{
	if (!n || c->silent[from] == MODEL_REQ_NONE)
		return;
	find_octets(c, from, c->silent[from], octets, n);
	c->silent[from] = MODEL_REQ_NONE;
}

static bool has_key(const struct octets *o, const uint8_t key[MPA_KEY_OCTETS])
{
	return o->n >= MPA_KEY_OCTETS &&
	       memcmp(o->held, key, MPA_KEY_OCTETS) == 0;
}

/* A Reply without a whole Request before it: the other end opened TCP. */
static void take_early_reply(struct conversation *c)
{
	const struct octets *asks = &c->from[0], *o = &c->from[1];

	if (c->loose || !has_key(o, mpa_key_reply) ||
	    (asks->n && !has_key(asks, mpa_key_request)))
		return;
	c->recognised = true;
	find_octets(c, 1,
		    asks->n ? REQ_INDEX_MPA_7_1_1_31 : REQ_INDEX_MPA_7_1_2_03,
		    o->held, o->n);
	refuse(c, 1, MODEL_REQ_NONE);
}

static bool begins_fpdu(const struct octets *o, bool markers)
{
	size_t marker = markers ? MARKER : 0;
	struct ddp_segment seg;

	if (o->n < marker + FPDU_LEAST)
		return false;
	ddp_decode(&seg, o->held + marker + 2, DDP_UNTAGGED_OCTETS);
	return octets_plausible(&seg);
}

/* Octets that the initiator sends after its Request and before any of a Reply. */
static void check_beyond_request(struct conversation *c)
{
	const struct octets *o = &c->from[c->initiator];

	if (c->early || c->loose)
		return;
	c->hasty = o->n;
	if (!begins_fpdu(o, false))
		return;
	c->early = true;
	c->hasty = false;
	find_octets(c, c->initiator, REQ_INDEX_MPA_7_1_2_01, o->held, o->n);
}

/* The marker in front of a first FPDU (RFC 5044 s4.3). */
static bool is_marker(const struct octets *o)
{
	static const uint8_t first[MARKER];

	return o->markers && o->n == MARKER &&
	       memcmp(o->held, first, MARKER) == 0;
}

/*
 * Octets directly behind a startup frame, of an end that may not send an FPDU
 * yet (RFC 5044 s7.1.2), and that begin none: its PD_Length leaves them out.
 * Where its FPDUs begin is then not certain.
 */
static void find_excess(struct conversation *c, unsigned end)
{
	struct octets *o = &c->from[end];
	struct model_objections objections = {.n = 0};
	unsigned length = c->side[end].pd_length;

	if (is_marker(o))
		model_object(&objections, REQ_INDEX_MPA_7_1_2_17,
			     MODEL_FAULT_NOT_SILENT, o->n, 0);
	else
		model_object(&objections,
			     end == c->initiator ? REQ_INDEX_MPA_7_1_1_24
						 : REQ_INDEX_MPA_7_1_1_25,
			     MODEL_FAULT_PD_LENGTH, length, length + o->n);
	trace_octets(c, EVENT_OCTETS, end, "octets", o->held, o->n);
	conversation_find(c, end, &objections,
			  &(struct subject){"octets behind the startup frame",
					    o->held, o->n, NULL});
	octets_gap(o, 0);
	observer_gap(&c->observer, conversation_side(c, end));
}

/* The responder's octets before the initiator has sent any. They wait until
 * their meaning is certain. False: they still wait. */
static bool take_unreleased(struct conversation *c, bool released)
{
	unsigned end = !c->initiator;
	struct octets *o = &c->from[end];

	if (!released && o->n < FPDU_LEAST + (o->markers ? MARKER : 0))
		return false;
	c->unreleased = false;
	if (o->n && !begins_fpdu(o, o->markers))
		find_excess(c, end);
	return true;
}

/* The Reply, or the Request that it answers, permits no stream: both ends have
 * to leave MPA. */
static void enter_refused(struct conversation *c,
			  const struct mpa_startup *request,
			  const struct mpa_startup *reply)
{
	const struct model_device knows = {.enhanced = true};
	struct model_answers a = model_reply_judge(&knows, request, reply);
	struct mpa_enhanced e;
	bool rejects = mpa_kind(reply) == MPA_KIND_REPLY &&
		       (reply->flags & MPA_R) &&
		       mpa_kind(request) == MPA_KIND_REQUEST;
	unsigned i = c->initiator;

	if (a.set & ~(unsigned)(MODEL_ANSWER_CLOSE | MODEL_ANSWER_LEAVE)) {
		leave(c);
		return;
	}
	refuse(c, i,
	       rejects && model_enhanced(request, &e) && e.a
		       ? REQ_INDEX_EMPA_9_2_32
		       : a.req);
	if (rejects)
		refuse(c, !i, REQ_INDEX_MPA_7_1_2_37);
}

static void take_request(struct conversation *c, unsigned from)
{
	struct octets *o = &c->from[from];
	struct model_objections objections;
	struct mpa_startup request;
	size_t n = whole_startup(o);

	if (o->n < MPA_KEY_OCTETS)
		return;
	if (!is_alike(o->held, mpa_key_request)) {
		if (c->flow->opened && !c->named)
			leave(c);
		else
			enter_midway(c);
		return;
	}
	/* A side that has not opened the connection, or was not seen to, may
	 * have been asked before: its frame with another key is not a
	 * Request. */
	if ((!c->flow->opened || from) &&
	    memcmp(o->held, mpa_key_request, MPA_KEY_OCTETS) != 0) {
		enter_midway(c);
		return;
	}
	c->recognised = true;
	if (!n)
		return;
	c->request = text_held(malloc(n));
	if (!c->request) {
		o->failed = true;
		leave(c);
		return;
	}
	memcpy(c->request, o->held, n);
	c->request_octets = n;
	c->initiator = from;
	c->phase = CONVERSATION_ANSWERS;
	mpa_startup_decode(&request, c->request, n);
	conversation_offers(c, from, &request);
	observer_request(&request, false, &objections);
	find_in_startup(c, from, &objections, "MPA Request", c->request, n);
	octets_drop(o, n);
}

static void begin_full(struct conversation *c,
		       const struct mpa_startup *request,
		       const struct mpa_startup *reply)
{
	struct model_agreed a = model_agree(request, reply);
	unsigned i = c->initiator;
	const struct observed_start start = {
		.request = request,
		.reply = reply,
		.profile = c->profile,
		.mss = {c->flow->mss[i], c->flow->mss[!i]},
		.places = c->memory,
	};

	if (!observer_starts(&c->observer, &start)) {
		c->from[0].failed = true;
		leave(c);
		return;
	}
	c->phase = CONVERSATION_FULL;
	octets_begin(&c->from[i], a.crc, a.markers_by_initiator);
	octets_begin(&c->from[!i], a.crc, a.markers_by_responder);
	c->unreleased = !c->loose && !c->from[i].n;
	if (c->hasty)
		find_excess(c, i);
}

static void take_reply(struct conversation *c)
{
	unsigned from = !c->initiator;
	struct octets *o = &c->from[from];
	struct model_objections objections;
	struct mpa_startup request, reply;
	size_t n = whole_startup(o);

	check_beyond_request(c);
	c->early |= o->n;
	if (o->n >= MPA_KEY_OCTETS && !is_alike(o->held, mpa_key_reply)) {
		/* No Reply, and perhaps no iWARP, but no stream either. */
		if (c->loose)
			leave(c);
		else
			refuse(c, c->initiator, REQ_INDEX_MPA_7_1_2_12);
		return;
	}
	if (!n || c->phase != CONVERSATION_ANSWERS)
		return;
	mpa_startup_decode(&request, c->request, c->request_octets);
	mpa_startup_decode(&reply, o->held, n);
	conversation_offers(c, from, &reply);
	observer_reply(&request, &reply, false, &objections);
	find_in_startup(c, from, &objections, "MPA Reply", o->held, n);
	/* The frame is needed until both frames are compared. */
	if (mpa_kind(&request) != MPA_KIND_REQUEST ||
	    mpa_kind(&reply) != MPA_KIND_REPLY || (reply.flags & MPA_R) ||
	    reply.pd_length > MPA_PRIVATE_MAX) {
		enter_refused(c, &request, &reply);
		/* Otherwise the connection is left, and holds nothing any more. */
		if (c->phase == CONVERSATION_REFUSED) {
			octets_drop(o, n);
			take_refused(c, from, o->held, o->n);
		}
		return;
	}
	begin_full(c, &request, &reply);
	if (c->phase == CONVERSATION_FULL)
		octets_drop(o, n);
}

/* --- FPDUs ------------------------------------------------------------------ */

static void count(struct conversation_side *s, size_t ulpdu,
		  const struct ddp_segment *seg, size_t n)
{
	s->fpdus++;
	s->octets += n;
	if (ulpdu > s->longest)
		s->longest = (uint16_t)ulpdu;
	if (seg->short_header)
		return;
	s->messages[seg->ddp.opcode] += seg->ddp.last;
	s->terminated |= seg->ddp.opcode == RDMAP_TERMINATE;
}

static const char *name_of(const struct ddp_segment *seg)
{
	return seg->short_header ? "a ULPDU too short for its header"
				 : rdmap_opcode_name(seg->ddp.opcode);
}

static void on_fpdu(void *user, const struct fpdu *f,
		    const struct ddp_segment *seg, const uint8_t *crc,
		    const uint8_t *octets, size_t n)
{
	struct conversation *c = user;
	struct model_objections o;

	c->recognised = true;
	count(&c->side[c->end], f->ulpdu_length, seg, n);
	if (!c->observer.model[0] &&
	    !observer_enters(&c->observer, c->from[0].crc, false, c->profile)) {
		c->from[0].failed = true;
		return;
	}
	if (c->searches[c->end] != c->from[c->end].searches)
		observer_gap(&c->observer, conversation_side(c, c->end));
	c->searches[c->end] = c->from[c->end].searches;
	observer_fpdu(&c->observer, conversation_side(c, c->end), seg, f, crc,
		      &o);
	c->from[0].failed |= c->observer.failed;
	trace_add(&c->trace,
		  &(struct trace_head){.kind = EVENT_FRAME,
				       .end = c->end,
				       .name = name_of(seg),
				       .at_ns = c->at.at_ns,
				       .n = n,
				       .crc_off = !c->from[c->end].crc},
		  octets, f);
	conversation_find(c, c->end, &o,
			  &(struct subject){name_of(seg), octets, n, f});
}

void conversation_segment(struct conversation *c, unsigned end,
			  const struct ddp_segment *seg,
			  const struct subject *chunk)
{
	struct model_objections o;
	struct subject on = {name_of(seg), chunk->octets, chunk->n, NULL};

	count(&c->side[end], chunk->n - SESSION_SSN_OCTETS, seg, chunk->n);
	observer_fpdu(&c->observer, conversation_side(c, end), seg, NULL, NULL,
		      &o);
	c->from[0].failed |= c->observer.failed;
	trace_add(&c->trace,
		  &(struct trace_head){.kind = EVENT_FRAME,
				       .end = end,
				       .name = on.what,
				       .at_ns = c->at.at_ns,
				       .n = on.n,
				       .ppid = SESSION_PPID_SEGMENT},
		  on.octets, NULL);
	conversation_find(c, end, &o, &on);
}

static void take_fpdus(struct conversation *c, unsigned from,
		       const uint8_t *octets, size_t n)
{
	struct octets *o = &c->from[from];

	c->end = from;
	octets_take(o, octets, n, on_fpdu, c);
	if (o->state == OCTETS_LOST && !c->side[from].not_judged_from)
		c->side[from].not_judged_from = c->at.packet;
	if (c->phase == CONVERSATION_MIDWAY && !c->recognised &&
	    o->passed > MIDWAY_MOST)
		leave(c);
}

/* False: these octets from end `from` have to wait. */
static bool is_released(struct conversation *c, unsigned from,
			const uint8_t *octets, size_t n)
{
	struct octets *o = &c->from[!c->initiator];

	if (!c->unreleased)
		return true;
	if (from == c->initiator) {
		if (n && take_unreleased(c, true))
			take_fpdus(c, !from, NULL, 0);
		return true;
	}
	if (!octets_hold(o, octets, n) || !take_unreleased(c, false))
		return false;
	take_fpdus(c, from, NULL, 0);
	return false;
}

void conversation_octets(struct conversation *c, unsigned from,
			 const uint8_t *octets, size_t n,
			 const struct assembly_at *at)
{
	struct octets *o = &c->from[from];

	c->at = *at;
	if (c->phase == CONVERSATION_FULL || c->phase == CONVERSATION_MIDWAY) {
		if (is_released(c, from, octets, n))
			take_fpdus(c, from, octets, n);
		return;
	}
	/* It is known where the octets of both begin, and so which came first. */
	c->loose |= !c->flow->opened || !c->flow->anchored[0] ||
		    !c->flow->anchored[1];
	if (c->phase == CONVERSATION_REFUSED)
		take_refused(c, from, octets, n);
	if (c->phase == CONVERSATION_NONE || c->phase == CONVERSATION_REFUSED)
		return;
	if (o->n + n > HELD_MOST || !octets_hold(o, octets, n)) {
		leave(c);
		return;
	}
	if (c->phase == CONVERSATION_ASKS && from)
		take_early_reply(c);
	if (c->phase == CONVERSATION_ASKS)
		take_request(c, from);
	if (c->phase == CONVERSATION_ANSWERS)
		take_reply(c);
	/* The initiator may have sent more, or this is not a startup at all. */
	for (unsigned i = 0; i < 2; i++)
		if ((c->phase == CONVERSATION_FULL ||
		     c->phase == CONVERSATION_MIDWAY) &&
		    is_released(c, i, NULL, 0))
			take_fpdus(c, i, NULL, 0);
}

/* --- gaps of the capture, and the end ---------------------------------- */

void conversation_gap(struct conversation *c, unsigned from, uint64_t n,
		      const struct assembly_at *at)
{
	c->at = *at;
	c->side[from].gaps++;
	c->side[from].lost += n;
	if (c->phase == CONVERSATION_NONE || c->phase == CONVERSATION_REFUSED)
		return;
	if (c->phase != CONVERSATION_FULL && c->phase != CONVERSATION_MIDWAY) {
		/* The octets held for the startup precede the gap. */
		enter_midway(c);
		for (unsigned i = 0; i < 2; i++)
			take_fpdus(c, i, NULL, 0);
	}
	c->unreleased = false;
	octets_gap(&c->from[from], n);
	observer_gap(&c->observer, conversation_side(c, from));
}

void conversation_changed(struct conversation *c, unsigned from)
{
	c->side[from].changed++;
}

/* RFC 5044 s7.2: the half ends with a whole FPDU. */
static void find_part_of_fpdu(struct conversation *c, unsigned from)
{
	const struct octets *o = &c->from[from];

	if (o->state == OCTETS_FRAMES && o->n && !o->doubtful &&
	    !c->observer.foggy && !c->side[from].reset)
		find_octets(c, from, REQ_INDEX_MPA_7_2_02, o->held, o->n);
}

void conversation_end(struct conversation *c, unsigned end, enum model_end how,
		      bool received, const char *what)
{
	struct model_objections o;

	observer_end(&c->observer, conversation_side(c, end), how, received,
		     &o);
	trace_octets(c, how == MODEL_END_RST ? EVENT_RESET : EVENT_FIN, end,
		     what, NULL, 0);
	conversation_find(c, end, &o, &(struct subject){.what = what});
}

void conversation_ends(struct conversation *c, unsigned from, bool reset,
		       bool acked, const struct assembly_at *at)
{
	bool all = c->from[0].state == OCTETS_FRAMES &&
		   c->from[1].state == OCTETS_FRAMES;

	c->at = *at;
	if (c->unreleased)
		take_unreleased(c, true);
	if (reset)
		c->side[from].reset = true;
	else
		c->side[from].fin = true;
	if (c->phase != CONVERSATION_FULL)
		return;
	if (!reset)
		find_part_of_fpdu(c, from);
	conversation_end(c, from, reset ? MODEL_END_RST : MODEL_END_FIN,
			 acked && all, reset ? "RST" : "FIN");
}
