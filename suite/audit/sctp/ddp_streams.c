/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/audit/sctp/ddp_streams.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"
#include "suite/language/text/session_text.h"
#include "suite/model/startup/session.h"

/* Messages ahead of their turn that are kept for one stream, and the numbers by
 * which they can be ahead; the octets of those of all streams. */
enum { AHEAD_MOST = 1024, AHEAD = 0x8000 };
enum { AHEAD_OCTETS = 64 << 20, BUCKETS = 64 };

/* A message that waits for its turn. */
struct ahead {
	struct ahead *next;
	struct association_data m;
	struct assembly_at at;
	bool received;
	uint8_t octets[];
};

struct ddp_stream {
	struct ddp_stream *next;
	uint16_t number;
	struct conversation *c; /* NULL: no session yet */
	/* By end: the session with this end as the device. */
	struct model_session device[2];
	bool spoke[2]; /* by end: it has sent a message of the session */
	bool astray;   /* its messages cannot be interpreted any more */
	/* By end: it has got an answer of the wrong kind, and has to end the
	 * session. */
	bool answered_wrongly[2];
	/* Messages of the session were not captured: which ones may follow, and
	 * their numbers, are not known. */
	bool unsure;
	struct ahead *ahead[2];
	size_t ahead_count;
};

struct ddp_streams {
	const struct association_flow *flow;
	struct ddp_streams_of_all *all;
	struct ddp_stream *bucket[BUCKETS];
	bool gaps; /* messages of the association were not captured */
	bool failed;
};

struct ddp_streams *ddp_streams_new(const struct association_flow *f,
				    struct ddp_streams_of_all *all)
{
	struct ddp_streams *s = text_held(calloc(1, sizeof(*s)));

	if (s) {
		s->flow = f;
		s->all = all;
	}
	return s;
}

static struct ddp_stream *find(const struct ddp_streams *s, uint16_t number)
{
	struct ddp_stream *x = s->bucket[number % BUCKETS];

	while (x && x->number != number)
		x = x->next;
	return x;
}

/* NULL: too many are followed, or no memory. */
static struct ddp_stream *follow(struct ddp_streams *s, uint16_t number)
{
	struct ddp_stream **at = &s->bucket[number % BUCKETS], *x;

	if (s->all->open == DDP_STREAMS_MOST) {
		s->all->passed_over++;
		return NULL;
	}
	x = text_held(calloc(1, sizeof(*x)));
	if (!x) {
		s->failed = true;
		return NULL;
	}
	x->number = number;
	x->next = *at;
	*at = x;
	s->all->open++;
	return x;
}

/* --- a session begins and ends --------------------------------------------- */

static bool is_indicated(const struct ddp_streams *s, unsigned end)
{
	const struct association_setup *setup = &s->flow->setup[end];

	return setup->adaptation == SESSION_ADAPTATION_PRESENT &&
	       setup->indication == SESSION_ADAPTATION_DDP;
}

static void find_in_association(struct conversation *c, unsigned end,
				unsigned short req, const char *text)
{
	findings_add_text(&c->findings, end, req, "of the association", text);
}

static const char *indication_text(const struct association_setup *setup,
				   char text[32])
{
	snprintf(text, 32, "0x%08x", setup->indication);
	return setup->adaptation == SESSION_ADAPTATION_PRESENT ? text
	       : setup->adaptation == SESSION_ADAPTATION_ABSENT
		       ? "none"
		       : "a parameter of a wrong length";
}

/* RFC 5043 s5.1: who uses DDP indicates it. */
static void check_own_indication(const struct ddp_streams *s,
				 struct conversation *c, unsigned end)
{
	const struct association_setup *setup = &s->flow->setup[end];
	char text[160], seen[32];

	if (!setup->seen || is_indicated(s, end))
		return;
	snprintf(text, sizeof(text),
		 "no adaptation indication of DDP\n"
		 "due:  the indication 0x00000001 in its %s\nseen: %s",
		 end ? "INIT ACK" : "INIT", indication_text(setup, seen));
	find_in_association(
		c, end, end ? REQ_INDEX_SCTPX_5_1_02 : REQ_INDEX_SCTPX_5_1_01,
		text);
}

/* RFC 5043 s11.1: nobody uses DDP with a peer that has not indicated it. */
static void check_indication_of_peer(const struct ddp_streams *s,
				     struct conversation *c, unsigned end)
{
	static const unsigned short rows[2][2] = {
		{REQ_INDEX_SCTPX_11_1_02, REQ_INDEX_SCTPX_11_1_01},
		{REQ_INDEX_SCTPX_11_1_04, REQ_INDEX_SCTPX_11_1_03},
	};
	const struct association_setup *setup = &s->flow->setup[!end];
	char text[192], seen[32];

	if (!setup->seen || is_indicated(s, !end))
		return;
	snprintf(text, sizeof(text),
		 "it uses DDP, which its peer has not indicated\n"
		 "due:  the indication 0x00000001 in the %s of its peer, or no "
		 "message of DDP\nseen: %s",
		 end ? "INIT" : "INIT ACK", indication_text(setup, seen));
	find_in_association(
		c, end,
		rows[end][setup->adaptation == SESSION_ADAPTATION_PRESENT],
		text);
}

static unsigned lesser(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* RFC 5043 s8: as many streams in one direction as in the other. A responder
 * depends on the numbers of the INIT. */
static void check_stream_counts(const struct ddp_streams *s,
				struct conversation *c, unsigned end)
{
	const struct association_setup *init = &s->flow->setup[0],
				       *ack = &s->flow->setup[1];
	unsigned out, in;
	char text[160];

	if (!init->seen || (end && !ack->seen) ||
	    (end && init->outbound != init->inbound))
		return;
	out = end ? lesser(ack->outbound, init->inbound) : init->outbound;
	in = end ? lesser(init->outbound, ack->inbound) : init->inbound;
	if (out == in)
		return;
	snprintf(text, sizeof(text),
		 "the directions have different numbers of streams\n"
		 "due:  as many outbound as inbound streams by its %s\n"
		 "seen: %u outbound, %u inbound",
		 end ? "INIT ACK" : "INIT", out, in);
	find_in_association(c, end,
			    end ? REQ_INDEX_SCTPX_8_03 : REQ_INDEX_SCTPX_8_01,
			    text);
}

/* At the first message of this end in a session. */
static void check_association(const struct ddp_streams *s, struct ddp_stream *x,
			      unsigned end)
{
	if (x->spoke[end])
		return;
	x->spoke[end] = true;
	check_own_indication(s, x->c, end);
	check_indication_of_peer(s, x->c, end);
	check_stream_counts(s, x->c, end);
}

/* `initiator`: the end that opens it. */
static void begin(struct ddp_streams *s, struct ddp_stream *x,
		  unsigned initiator, const struct assembly_at *at)
{
	struct conversation *c = conversation_new(NULL, s->all->profile);

	s->failed |= !c;
	x->c = c;
	x->astray = false;
	x->unsure = !s->flow->anchored[0] || !s->flow->anchored[1];
	if (!c)
		return;
	memcpy(c->ends, s->flow->end, sizeof(c->ends));
	c->stream = x->number;
	c->memory = s->all->memory;
	c->recognised = true;
	c->initiator = initiator;
	c->at = *at;
	for (unsigned i = 0; i < 2; i++) {
		model_session_init(&x->device[i], true);
		/* Whether its ULP has requested a Reject is not visible. */
		x->device[i].rejects_agreed = UINT_MAX;
		x->spoke[i] = x->answered_wrongly[i] = false;
	}
}

static void conclude(struct ddp_streams *s, struct ddp_stream *x)
{
	if (x->c)
		s->all->concludes(s->all->user, x->c);
	conversation_free(x->c);
	x->c = NULL;
}

/* --- startup ------------------------------------------------------------------ */

static void take_request(struct conversation *c, unsigned from,
			 const struct session_chunk *m,
			 const struct mpa_startup *request,
			 const struct subject *on)
{
	struct model_objections objections;

	c->request = text_held(malloc(m->body_octets + 1));
	if (!c->request) {
		c->from[0].failed = true;
		c->phase = CONVERSATION_NONE;
		return;
	}
	if (m->body_octets)
		memcpy(c->request, m->body, m->body_octets);
	c->request_octets = m->body_octets;
	c->asked = *request;
	c->asked.private_data = c->request;
	c->initiator = from;
	c->phase = CONVERSATION_ANSWERS;
	conversation_offers(c, from, request);
	observer_request(request, true, &objections);
	conversation_find(c, from, &objections, on);
}

static void take_reply(struct conversation *c, unsigned from,
		       const struct mpa_startup *reply,
		       const struct subject *on)
{
	const struct observed_start start = {.request = &c->asked,
					     .reply = reply,
					     .profile = c->profile,
					     .sctp = true,
					     .places = c->memory};
	struct model_objections objections;

	conversation_offers(c, from, reply);
	observer_reply(&c->asked, reply, true, &objections);
	conversation_find(c, from, &objections, on);
	if (reply->flags & MPA_R) {
		c->phase = CONVERSATION_REFUSED;
		return;
	}
	if (observer_starts(&c->observer, &start)) {
		c->phase = CONVERSATION_FULL;
		return;
	}
	c->from[0].failed = true;
	c->phase = CONVERSATION_NONE;
}

/* --- a message, in its turn ------------------------------------------------- */

static void add_event(struct conversation *c, unsigned from,
		      const struct model_chunk *m, const struct subject *on)
{
	trace_add(&c->trace,
		  &(struct trace_head){.kind = EVENT_STARTUP,
				       .end = from,
				       .name = on->what,
				       .at_ns = c->at.at_ns,
				       .n = on->n,
				       .ppid = m->ppid},
		  on->octets, NULL);
}

/* What the model of sessions objects to. False: that ends its
 * interpretation. */
static bool check_session(struct ddp_stream *x, unsigned from,
			  const struct model_chunk *m, const struct subject *on)
{
	struct model_session_verdict v = model_session_dut(&x->device[from], m);
	struct conversation *c = x->c;
	char about[CONVERSATION_ABOUT];
	struct finding *f;

	model_session_peer(&x->device[!from], m);
	if (v.fault == MODEL_SESSION_RIGHT)
		return true;
	size_t event = trace_keep(&c->trace);

	conversation_about(c, on, about);
	f = findings_add_session(&c->findings, from, &v, m, about);
	if (f && event) {
		f->event = event;
		trace_mark(&c->trace, event, f->number,
			   session_fault_field(v.fault), on->octets, on->n,
			   NULL);
	}
	x->answered_wrongly[!from] =
		v.fault == MODEL_SESSION_MIXED && from != c->initiator;
	return !model_session_leads_astray(v.fault);
}

/* No segment is due from the end with a wrong answer (RFC 6581 s7). */
static void check_goes_on(struct ddp_stream *x, unsigned from,
			  const struct session_chunk *m,
			  const struct subject *on)
{
	bool wrongly = x->answered_wrongly[from];
	char about[CONVERSATION_ABOUT];

	/* A control message ends the session, or begins another one. */
	x->answered_wrongly[from] = false;
	if (!wrongly || m->control)
		return;
	conversation_about(x->c, on, about);
	findings_add_text(
		&x->c->findings, from, REQ_INDEX_SCTPX_6581_7_11, about,
		"it sends a segment after an answer of the wrong kind\n"
		"due:  the end of the session\nseen: a segment");
}

static void take_control(struct conversation *c, unsigned from, bool received,
			 const struct session_chunk *m,
			 const struct subject *on)
{
	struct mpa_startup f;

	if (m->function == SESSION_TERMINATE) {
		c->side[from].fin = true;
		if (c->phase == CONVERSATION_FULL)
			conversation_end(c, from, MODEL_END_FIN, received,
					 on->what);
	} else if (!model_session_startup(m, &f)) {
		return;
	} else if (mpa_kind(&f) == MPA_KIND_REQUEST) {
		if (c->phase == CONVERSATION_ASKS)
			take_request(c, from, m, &f, on);
	} else if (c->phase == CONVERSATION_ANSWERS) {
		take_reply(c, from, &f, on);
	}
}

static void take_segment(struct conversation *c, unsigned from,
			 const struct session_chunk *m,
			 const struct subject *on)
{
	struct ddp_segment seg;

	if (c->phase == CONVERSATION_ANSWERS) {
		/* RFC 5043 s6.6 allows it once the Initiate is acknowledged. */
		c->remark = "segments came before the answer to the Initiate: "
			    "what follows is not judged";
		c->phase = CONVERSATION_NONE;
	}
	if (c->phase != CONVERSATION_FULL && c->phase != CONVERSATION_MIDWAY)
		return;
	ddp_decode(&seg, m->body,
		   (uint16_t)(m->body_octets < 65535 ? m->body_octets : 65535));
	conversation_segment(c, from, &seg, on);
}

/* A stream whose startup was not captured. */
static void enter_midway(struct ddp_streams *s, struct ddp_stream *x)
{
	x->unsure = true;
	if (observer_enters(&x->c->observer, false, true, s->all->profile)) {
		x->c->phase = CONVERSATION_MIDWAY;
	} else {
		x->c->phase = CONVERSATION_NONE;
		s->failed = true;
	}
}

/* Without a sequence of messages that is known from its start, only segments
 * with consecutive numbers can be compared. */
static void continue_unsure(struct ddp_streams *s, struct ddp_stream *x,
			    unsigned from, const struct session_chunk *m)
{
	struct conversation *c = x->c;
	uint16_t *due = &x->device[from].ssn[MODEL_DUT];

	if (c->phase == CONVERSATION_ASKS || c->phase == CONVERSATION_ANSWERS)
		enter_midway(s, x);
	if (m->cut)
		return;
	if (m->ddp_ssn != *due)
		observer_gap(&c->observer, conversation_side(c, from));
	*due = (uint16_t)(m->ddp_ssn + 1);
}

/*
 * RFC 5043 s9: SCTP fragments a message only where IP would have to. The path has
 * carried as many octets before. If it has become narrower since, it still carries
 * 516 octets, the least maximum that a segment has.
 */
static void check_chunks(struct conversation *c, unsigned end,
			 const struct association_data *d,
			 const struct subject *on)
{
	enum { LEAST_MOST = 516 }; /* the least maximum of a segment */
	char text[192], about[CONVERSATION_ABOUT];

	if (d->chunks < 2 || d->n > LEAST_MOST || d->n > d->most)
		return;
	snprintf(text, sizeof(text),
		 "SCTP has fragmented a message that the path can carry\n"
		 "due:  %zu octets in one DATA chunk, as %zu were before\n"
		 "seen: %u DATA chunks",
		 d->n, d->most, d->chunks);
	conversation_about(c, on, about);
	findings_add_text(&c->findings, end, REQ_INDEX_SCTPX_9_02, about, text);
}

static void judge(struct ddp_streams *s, struct ddp_stream *x, unsigned from,
		  bool received, const struct model_chunk *m,
		  const struct association_data *d,
		  const struct assembly_at *at)
{
	struct conversation *c = x->c;
	const char *name = m->session.control
				   ? session_function_name(m->session.function)
				   : "DDP Segment";
	const struct subject on = {name ? name : "a chunk", d->octets, d->n,
				   NULL};

	c->at = *at;
	check_association(s, x, from);
	if (m->session.control || m->session.cut)
		add_event(c, from, m, &on);
	check_chunks(c, from, d, &on);
	if (x->astray) {
		check_goes_on(x, from, &m->session, &on);
		return;
	}
	if (x->unsure) {
		continue_unsure(s, x, from, &m->session);
	} else if (!check_session(x, from, m, &on)) {
		x->astray = true;
		return;
	}
	if (m->session.control)
		take_control(c, from, received, &m->session, &on);
	else
		take_segment(c, from, &m->session, &on);
}

/* --- whose turn it is ------------------------------------------------------- */

static bool is_initiate(const struct session_chunk *c)
{
	return c->control && !c->cut &&
	       (c->function == SESSION_INITIATE ||
		c->function == SESSION_ENHANCED_INITIATE);
}

/*
 * This Initiate begins another session. An end that has got a Session Terminate
 * need not send its own (RFC 5043 s6.2). *doubtful: only the end that begins anew
 * has sent one, and what the other end still sends may belong to either session.
 */
static bool begins_anew(const struct ddp_stream *x, unsigned from,
			const struct session_chunk *initiate, bool *doubtful)
{
	const struct model_session *s = &x->device[from];

	*doubtful = false;
	if (x->unsure)
		return !initiate->ddp_ssn;
	if (x->astray)
		return false;
	if (model_session_is_over(s))
		return true;
	*doubtful = !s->ended[MODEL_PEER];
	return !initiate->ddp_ssn &&
	       (s->ended[MODEL_PEER] || s->ended[MODEL_DUT]);
}

/* The stream has a session that this message may belong to. */
static bool has_session(struct ddp_streams *s, struct ddp_stream *x,
			unsigned from, const struct association_data *m,
			const struct session_chunk *chunk,
			const struct assembly_at *at)
{
	bool doubtful = false;

	if (x->c && is_initiate(chunk) &&
	    begins_anew(x, from, chunk, &doubtful))
		conclude(s, x);
	if (x->c)
		return true;
	/* Other protocols use SCTP, too. */
	if (is_initiate(chunk)) {
		begin(s, x, from, at);
		x->unsure |= doubtful || (s->gaps && chunk->ddp_ssn);
	} else if (s->flow->anchored[0] && s->flow->anchored[1] && !s->gaps &&
		   is_indicated(s, from)) {
		begin(s, x, 0, at);
	} else if (session_ppid_of_ddp(m->ppid) && !chunk->cut &&
		   !chunk->control) {
		begin(s, x, 0, at);
		if (x->c)
			enter_midway(s, x);
	}
	return x->c;
}

static bool keep_ahead(struct ddp_streams *s, struct ddp_stream *x,
		       unsigned from, bool received,
		       const struct association_data *m,
		       const struct assembly_at *at)
{
	struct ahead *a = text_held(malloc(sizeof(*a) + m->n));

	if (!a)
		return false;
	*a = (struct ahead){.next = x->ahead[from],
			    .m = *m,
			    .at = *at,
			    .received = received};
	if (m->n)
		memcpy(a->octets, m->octets, m->n);
	a->m.octets = a->octets;
	x->ahead[from] = a;
	x->ahead_count++;
	s->all->ahead_octets += m->n;
	return true;
}

static uint16_t ssn_of(const struct association_data *m)
{
	struct session_chunk c;

	session_decode(&c, false, m->octets, m->n);
	return c.ddp_ssn;
}

/* The number that is due from this end. */
static uint16_t due(const struct ddp_stream *x, unsigned from)
{
	return x->device[from].ssn[MODEL_DUT];
}

static void take_in_turn(struct ddp_streams *s, struct ddp_stream *x,
			 unsigned from, bool received,
			 const struct association_data *m,
			 const struct assembly_at *at)
{
	struct model_chunk c = {.ppid = m->ppid, .ordered = m->ordered};

	session_decode(&c.session, c.ppid == SESSION_PPID_CONTROL, m->octets,
		       m->n);
	if (!has_session(s, x, from, m, &c.session, at))
		return;
	judge(s, x, from, received, &c, m, at);
	s->failed |= x->c->from[0].failed;
}

/* Of those that wait, one whose turn it is; `any`: the one that is next, behind
 * whatever is missing. */
static bool take_ahead(struct ddp_streams *s, struct ddp_stream *x,
		       unsigned from, bool any)
{
	struct ahead **at = NULL;
	uint16_t least = 0;

	for (struct ahead **a = &x->ahead[from]; *a; a = &(*a)->next) {
		uint16_t by = (uint16_t)(ssn_of(&(*a)->m) - due(x, from));

		if ((any || !by) && (!at || by < least)) {
			at = a;
			least = by;
		}
	}
	if (!at)
		return false;
	struct ahead *a = *at;

	*at = a->next;
	x->ahead_count--;
	s->all->ahead_octets -= a->m.n;
	take_in_turn(s, x, from, a->received, &a->m, &a->at);
	free(a);
	return true;
}

static void take_all_ahead(struct ddp_streams *s, struct ddp_stream *x,
			   bool any)
{
	for (unsigned i = 0; i < 2; i++)
		while (take_ahead(s, x, i, any))
			;
}

/* Its number is behind one that has not been sent yet. */
static bool is_ahead(const struct ddp_stream *x, unsigned from,
		     const struct association_data *m)
{
	uint16_t by = (uint16_t)(ssn_of(m) - due(x, from));

	return x->c && !x->astray && !x->unsure &&
	       session_ppid_of_ddp(m->ppid) && m->n >= SESSION_SSN_OCTETS &&
	       by && by < AHEAD;
}

/* It can begin a session, or belongs to one that was not captured. */
static bool is_of_interest(const struct ddp_streams *s, unsigned from,
			   const struct association_data *m)
{
	return session_ppid_of_ddp(m->ppid) || is_indicated(s, from);
}

bool ddp_streams_message(struct ddp_streams *s, unsigned from, bool received,
			 const struct association_data *m,
			 const struct assembly_at *at)
{
	struct ddp_stream *x = find(s, m->stream);

	if (!x && is_of_interest(s, from, m))
		x = follow(s, m->stream);
	if (!x)
		return !s->failed;
	if (is_ahead(x, from, m)) {
		if (!keep_ahead(s, x, from, received, m, at))
			return false;
		if (x->ahead_count > AHEAD_MOST ||
		    s->all->ahead_octets > AHEAD_OCTETS)
			take_all_ahead(s, x, true);
		return true;
	}
	take_in_turn(s, x, from, received, m, at);
	take_all_ahead(s, x, false);
	return !s->failed;
}

/* --- gaps, and the end ------------------------------------------------------ */

static void gap_on(struct ddp_streams *s, struct ddp_stream *x, unsigned from,
		   const struct assembly_at *at)
{
	struct conversation *c = x->c;

	c->at = *at;
	c->side[from].gaps++;
	x->unsure = true;
	observer_gap(&c->observer, conversation_side(c, from));
	take_all_ahead(s, x, true);
}

void ddp_streams_gap(struct ddp_streams *s, unsigned from,
		     const struct assembly_at *at)
{
	s->gaps = true;
	for (unsigned i = 0; i < BUCKETS; i++)
		for (struct ddp_stream *x = s->bucket[i]; x; x = x->next)
			if (x->c)
				gap_on(s, x, from, at);
}

static void abort_on(struct ddp_streams *s, struct ddp_stream *x, unsigned from,
		     bool received, const struct assembly_at *at)
{
	struct conversation *c;

	take_all_ahead(s, x, true);
	c = x->c;
	if (!c)
		return;
	c->at = *at;
	c->side[from].reset = true;
	/* After a Terminate, the ULP may want the association to end for the
	 * sake of other streams. */
	if (c->phase == CONVERSATION_FULL && !x->astray &&
	    !c->side[0].terminated && !c->side[1].terminated)
		conversation_end(c, from, MODEL_END_RST, received, "ABORT");
}

void ddp_streams_abort(struct ddp_streams *s, unsigned from, bool received,
		       const struct assembly_at *at)
{
	for (unsigned i = 0; i < BUCKETS; i++)
		for (struct ddp_stream *x = s->bucket[i]; x; x = x->next)
			if (x->c)
				abort_on(s, x, from, received, at);
}

static void end_stream(struct ddp_streams *s, struct ddp_stream *x)
{
	take_all_ahead(s, x, true);
	conclude(s, x);
	s->all->open--;
	free(x);
}

bool ddp_streams_end(struct ddp_streams *s)
{
	bool ok;

	for (unsigned i = 0; i < BUCKETS; i++)
		while (s->bucket[i]) {
			struct ddp_stream *x = s->bucket[i];

			s->bucket[i] = x->next;
			end_stream(s, x);
		}
	ok = !s->failed;
	free(s);
	return ok;
}
