/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/model/startup/session.h"

#include <string.h>

#include "suite/req/req.h"

#define LEVEL(ident) REQ_INDEX_##ident

void model_session_init(struct model_session *s, bool dut_knows_rfc6581)
{
	*s = (struct model_session){.dut_knows_rfc6581 = dut_knows_rfc6581};
}

bool model_session_is_over(const struct model_session *s)
{
	return s->state == MODEL_SESSION_OVER;
}

bool model_session_may_end(const struct model_session *s)
{
	return s->state == MODEL_SESSION_NONE || model_session_is_over(s) ||
	       s->ended[MODEL_PEER] || s->ended[MODEL_DUT];
}

/* --- the meaning of a chunk in a session --------------------------------- */

enum kind {
	KIND_SEGMENT,
	KIND_INITIATE,
	KIND_ACCEPT,
	KIND_REJECT,
	KIND_TERMINATE,
	KIND_NONE, /* a function code without a meaning */
};

static enum kind kind_of(const struct session_chunk *c)
{
	if (!c->control)
		return KIND_SEGMENT;
	switch (c->function) {
	case SESSION_INITIATE:
	case SESSION_ENHANCED_INITIATE:
		return KIND_INITIATE;
	case SESSION_ACCEPT:
	case SESSION_ENHANCED_ACCEPT:
		return KIND_ACCEPT;
	case SESSION_REJECT:
	case SESSION_ENHANCED_REJECT:
		return KIND_REJECT;
	case SESSION_TERMINATE:
		return KIND_TERMINATE;
	default:
		return KIND_NONE;
	}
}

static bool is_enhanced(const struct session_chunk *c)
{
	return c->control && c->function >= SESSION_ENHANCED_INITIATE &&
	       c->function <= SESSION_ENHANCED_REJECT;
}

/* RFC 5043 s6.2 to s6.4: may `side` send this now? */
static bool is_in_sequence(const struct model_session *s, enum model_side side,
			   enum kind kind)
{
	bool active = s->active == side;

	if (s->ended[side])
		return false;
	switch (s->state) {
	case MODEL_SESSION_NONE:
		return kind == KIND_INITIATE;
	case MODEL_SESSION_ASKED:
		/* The active side may send its end, which is open, and
		 * segments once the Initiate is acknowledged (s6.6); that is
		 * judged where acknowledgments are seen. The suite's peer waits
		 * for the answer. */
		return active ? kind == KIND_TERMINATE ||
					(kind == KIND_SEGMENT &&
					 side == MODEL_DUT)
			      : kind == KIND_ACCEPT || kind == KIND_REJECT ||
					kind == KIND_TERMINATE;
	case MODEL_SESSION_ACCEPTED:
		return kind == KIND_SEGMENT || kind == KIND_TERMINATE;
	case MODEL_SESSION_OVER:
		break;
	}
	return false;
}

/* Codes 5 to 7 and 1 to 3 do not mix: RFC 6581 s7. */
static bool is_mixed(const struct model_session *s, enum kind kind,
		     const struct session_chunk *c)
{
	return (kind == KIND_ACCEPT || kind == KIND_REJECT) &&
	       is_enhanced(c) != s->enhanced;
}

/* A chunk that is in sequence. */
static void go_on(struct model_session *s, enum model_side side, enum kind kind,
		  bool enhanced)
{
	switch (kind) {
	case KIND_INITIATE:
		s->state = MODEL_SESSION_ASKED;
		s->active = side;
		s->enhanced = enhanced;
		break;
	case KIND_ACCEPT:
		s->state = MODEL_SESSION_ACCEPTED;
		break;
	case KIND_REJECT:
		s->state = MODEL_SESSION_OVER;
		break;
	case KIND_TERMINATE:
		s->ended[side] = true;
		/* From the passive side it is the answer (s6.4). */
		if ((s->ended[MODEL_PEER] && s->ended[MODEL_DUT]) ||
		    (s->state == MODEL_SESSION_ASKED && side != s->active))
			s->state = MODEL_SESSION_OVER;
		break;
	case KIND_SEGMENT:
	case KIND_NONE:
		break;
	}
}

/* --- a chunk from the device --------------------------------------------- */

static struct model_session_verdict fault(enum model_session_fault is,
					  unsigned short req)
{
	return (struct model_session_verdict){.fault = is, .req = req};
}

/* RFC 5043 s5.2.3: the legal contents of a message of session control. */
static struct model_session_verdict control_fault(const struct model_session *s,
						  const struct session_chunk *c)
{
	struct model_session_verdict v = {.fault = MODEL_SESSION_RIGHT};
	uint16_t last = s->dut_knows_rfc6581 ? SESSION_ENHANCED_REJECT
					     : SESSION_TERMINATE;

	if (c->function < SESSION_INITIATE || c->function > last) {
		v = fault(MODEL_SESSION_FUNCTION, LEVEL(IANA_3_5_03));
		v.seen = c->function;
	} else if (c->function == SESSION_TERMINATE && c->body_octets) {
		v = fault(MODEL_SESSION_WITH_DATA,
			  s->enhanced ? LEVEL(SCTPX_6581_7_06)
				      : LEVEL(SCTPX_5_2_3_09));
		v.seen = c->body_octets;
	} else if (c->body_octets > SESSION_PRIVATE_MAX) {
		v = fault(MODEL_SESSION_PRIVATE,
			  is_enhanced(c) ? LEVEL(SCTPX_6581_7_05)
					 : LEVEL(SCTPX_5_2_3_08));
		v.seen = c->body_octets;
		v.due = SESSION_PRIVATE_MAX;
	}
	return v;
}

static struct model_session_verdict sequence_fault(
	const struct model_session *s, enum kind kind,
	const struct session_chunk *c)
{
	bool after = s->ended[MODEL_DUT];

	if (s->state == MODEL_SESSION_OVER && s->active == MODEL_DUT && !after)
		/* s6.3 and s6.4: it was rejected, or refused. */
		return fault(MODEL_SESSION_AFTER_END,
			     s->ended[MODEL_PEER] ? LEVEL(SCTPX_6_4_04)
						  : LEVEL(SCTPX_6_3_03));
	if (after || s->state == MODEL_SESSION_OVER)
		return fault(MODEL_SESSION_AFTER_END, LEVEL(SCTPX_6_2_01));
	if (!is_in_sequence(s, MODEL_DUT, kind))
		return fault(MODEL_SESSION_SEQUENCE, LEVEL(SCTPX_6_5_01));
	if (is_mixed(s, kind, c))
		return fault(MODEL_SESSION_MIXED,
			     s->enhanced ? LEVEL(SCTPX_6581_7_11)
					 : LEVEL(SCTPX_6581_10_01));
	if (kind == KIND_REJECT && !s->rejects_agreed &&
	    c->function == SESSION_REJECT)
		return fault(MODEL_SESSION_UNASKED, LEVEL(SCTPX_6_3_02));
	return fault(MODEL_SESSION_RIGHT, 0);
}

struct model_session_verdict model_session_dut(struct model_session *s,
					       const struct model_chunk *c)
{
	const struct session_chunk *m = &c->session;
	enum kind kind = kind_of(m);
	uint16_t due = s->ssn[MODEL_DUT];
	struct model_session_verdict v = fault(MODEL_SESSION_RIGHT, 0);

	if (!session_ppid_of_ddp(c->ppid)) {
		v = fault(MODEL_SESSION_PPID, LEVEL(SCTPX_5_1_03));
		v.seen = c->ppid;
		return v;
	}
	if (m->cut)
		return fault(MODEL_SESSION_CUT,
			     m->control ? LEVEL(SCTPX_5_2_02)
					: LEVEL(SCTPX_5_2_2_01));
	if (c->ordered)
		v = fault(MODEL_SESSION_ORDERED, LEVEL(SCTPX_10_01));
	if (!v.fault && m->ddp_ssn != due) {
		v = fault(MODEL_SESSION_SSN,
			  !s->chunks[MODEL_DUT] ? LEVEL(SCTPX_6_1_01)
			  : (uint16_t)(due - m->ddp_ssn) < 0x8000
				  ? LEVEL(SCTPX_5_2_1_01)
				  : LEVEL(SCTPX_6_01));
		v.seen = m->ddp_ssn;
		v.due = due;
	}
	s->ssn[MODEL_DUT] = (uint16_t)(m->ddp_ssn + 1);
	s->chunks[MODEL_DUT]++;
	if (!v.fault && m->control)
		v = control_fault(s, m);
	if (!v.fault)
		v = sequence_fault(s, kind, m);
	if (is_in_sequence(s, MODEL_DUT, kind)) {
		if (kind == KIND_REJECT && s->rejects_agreed)
			s->rejects_agreed--;
		go_on(s, MODEL_DUT, kind, is_enhanced(m));
	}
	return v;
}

/* --- a chunk from the peer ----------------------------------------------- */

static struct model_session_owed owes(enum model_session_due due,
				      unsigned short req)
{
	return (struct model_session_owed){due, req};
}

static struct model_session_owed ends(struct model_session *s,
				      unsigned short req)
{
	s->broken = true;
	return owes(MODEL_SESSION_IS_ENDED, req);
}

struct model_session_owed model_session_peer(struct model_session *s,
					     const struct model_chunk *c)
{
	const struct session_chunk *m = &c->session;
	enum kind kind = kind_of(m);
	uint16_t due = s->ssn[MODEL_PEER];

	if (s->broken)
		return owes(MODEL_SESSION_IS_ENDED, LEVEL(SCTPX_6_1_02));
	if (!session_ppid_of_ddp(c->ppid) || m->cut)
		return ends(s, LEVEL(SCTPX_6_1_02));
	/* s10: a chunk ahead of its turn may wait for it; a number that was
	 * used is in no legal pattern. */
	if (m->ddp_ssn != due)
		return (uint16_t)(m->ddp_ssn - due) < 0x8000
			       ? owes(MODEL_SESSION_WAITS, LEVEL(SCTPX_10_04))
			       : ends(s, LEVEL(SCTPX_6_1_02));
	s->ssn[MODEL_PEER]++;
	s->chunks[MODEL_PEER]++;
	if (kind == KIND_NONE)
		return ends(s, m->function == SESSION_EXPERIMENTAL
				       ? LEVEL(IANA_3_5_02)
				       : LEVEL(SCTPX_5_2_3_13));
	if (is_mixed(s, kind, m))
		return ends(s, LEVEL(SCTPX_6581_7_11));
	if (!is_in_sequence(s, MODEL_PEER, kind))
		return ends(s, LEVEL(SCTPX_6_1_02));

	bool unanswered =
		s->state == MODEL_SESSION_ASKED && s->active == MODEL_PEER;

	go_on(s, MODEL_PEER, kind, is_enhanced(m));
	/* Only the sender is bound (s5.2.3). */
	if (m->control && m->body_octets > SESSION_PRIVATE_MAX)
		return owes(MODEL_SESSION_IS_OPEN, LEVEL(SCTPX_5_2_3_14));
	if (kind == KIND_TERMINATE)
		return owes(unanswered ? MODEL_SESSION_IS_OPEN
				       : MODEL_SESSION_GOES_ON,
			    LEVEL(SCTPX_6_2_02));
	if (kind == KIND_INITIATE)
		return owes(MODEL_SESSION_ANSWERS, LEVEL(SCTPX_6_4_01));
	return owes(MODEL_SESSION_GOES_ON, 0);
}

bool model_session_leads_astray(enum model_session_fault fault)
{
	return fault != MODEL_SESSION_RIGHT && fault != MODEL_SESSION_ORDERED &&
	       fault != MODEL_SESSION_PRIVATE &&
	       fault != MODEL_SESSION_WITH_DATA;
}

/* --- in terms of MPA --------------------------------------------------------- */

bool model_session_startup(const struct session_chunk *c, struct mpa_startup *f)
{
	uint16_t function = c->function;
	bool enhanced = function >= SESSION_ENHANCED_INITIATE &&
			function <= SESSION_ENHANCED_REJECT;
	bool request;

	if (enhanced)
		function -= SESSION_ENHANCED_INITIATE - SESSION_INITIATE;
	if (c->cut || function < SESSION_INITIATE || function > SESSION_REJECT)
		return false;
	request = function == SESSION_INITIATE;
	*f = (struct mpa_startup){
		.flags = (uint8_t)(MPA_C | (enhanced ? MPA_S : 0) |
				   (function == SESSION_REJECT ? MPA_R : 0)),
		.rev = enhanced ? 2 : 1,
		.pd_length = (uint16_t)c->body_octets,
		.private_data = c->body,
		.private_octets = c->body_octets,
	};
	memcpy(f->key, request ? mpa_key_request : mpa_key_reply,
	       MPA_KEY_OCTETS);
	return true;
}

bool model_session_row(unsigned short req, unsigned short *on_sctp)
{
	static const struct {
		unsigned short mpa, sctp;
	} rows[] = {
		/* One side opens, the other side answers. */
		{REQ_INDEX_MPA_7_1_2_01, REQ_INDEX_SCTPX_5_2_3_01},
		{REQ_INDEX_MPA_7_1_2_03, REQ_INDEX_SCTPX_5_1_02},
		{REQ_INDEX_MPA_7_1_2_09, REQ_INDEX_SCTPX_6_2_04},
		{REQ_INDEX_MPA_7_1_1_02, REQ_INDEX_SCTPX_5_2_3_02},
		{REQ_INDEX_EMPA_6_01, REQ_INDEX_SCTPX_6581_7_02},
		{REQ_INDEX_EMPA_6_03, REQ_INDEX_SCTPX_6581_7_02},
		{REQ_INDEX_EMPA_6_08, REQ_INDEX_SCTPX_6581_7_02},
		{REQ_INDEX_EMPA_6_09, REQ_INDEX_SCTPX_6581_7_03},
		{REQ_INDEX_EMPA_6_10, REQ_INDEX_SCTPX_6581_7_03},
		{REQ_INDEX_EMPA_10_01, REQ_INDEX_SCTPX_6581_7_03},
		{REQ_INDEX_EMPA_10_02, REQ_INDEX_SCTPX_6581_7_01},
		/* A segment is the whole contents of its chunk. */
		{REQ_INDEX_MPA_3_01, REQ_INDEX_SCTPX_5_2_2_01},
		{REQ_INDEX_MPA_4_1_02, REQ_INDEX_SCTPX_5_2_2_01},
		/* Chunks arrive, in order. */
		{REQ_INDEX_MPA_3_10, REQ_INDEX_SCTPX_5_2_3_10},
		{REQ_INDEX_MPA_5_1_09, REQ_INDEX_SCTPX_6_2_04},
		{REQ_INDEX_MPA_7_1_2_19, REQ_INDEX_SCTPX_6_2_04},
	};

	*on_sctp = req;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].mpa == req) {
			*on_sctp = rows[i].sctp;
			return true;
		}
	return strcmp(req_table[req].spec, "RFC5044") != 0;
}
