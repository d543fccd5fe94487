/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The foundations that the running case depends on, derived from its
 * statements.
 */
#include "suite/language/execution/execution.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define LEAST_MULPDU 128u /* octets that a segment has room for (RFC 5044 s3) */
#define LEAST_WINDOW 8192u /* octets that TCP certainly takes at once */
#define LONG_WRITE   1024u /* octets that any device takes in one segment */

static const struct {
	unsigned floor;
	const char *text;
	bool broad;
} foundations[FOUNDATION_COUNT] = {
#define FOUNDATION(ident, floor, text)                                         \
	[FOUNDATION_##ident] = {floor, text, false},
#define BROAD(ident, floor, text) [FOUNDATION_##ident] = {floor, text, true},
#define RESTING                   FOUNDATION
#include "suite/language/words/foundations.def"
#undef RESTING
#undef BROAD
#undef FOUNDATION
};

unsigned foundation_floor(enum foundation f)
{
	static_assert(FOUNDATION_FLOORS == 8, "as foundations.def has them");
	return foundations[f].floor;
}

bool foundation_broad(enum foundation f)
{
	return foundations[f].broad;
}

const char *foundation_text(enum foundation f)
{
	return foundations[f].text;
}

/* What a case that tests a foundation does not know when it first runs, it does
 * not know when it runs again either: its own floor and those above. They may
 * have fallen because of this very case. */
static bool is_known(const struct test *t, enum foundation f)
{
	enum foundation of = t->in->desc->founds;

	return t->bed->ground && (of == STANDS_ALONE ||
				  foundations[f].floor < foundations[of].floor);
}

static const struct footing *footing(const struct test *t, enum case_role role,
				     enum foundation f)
{
	static const struct footing sound;

	return is_known(t, f) ? &t->bed->ground->at[role][f] : &sound;
}

unsigned test_way(const struct test *t, enum case_role role, enum foundation f)
{
	return footing(t, role, f)->way;
}

bool test_has_fallen(const struct test *t, enum case_role role,
		     enum foundation f)
{
	return footing(t, role, f)->fallen;
}

/* Whether the case judges a row by which the foundation has fallen. */
static bool is_about(const struct test *t, enum foundation f)
{
	const struct instance *in = t->in;

	for (size_t i = 0; i < in->req_count; i++)
		if (t->bed->ground->told[f][in->reqs[i]])
			return true;
	return false;
}

/* Whether the golden model objects to this in every stream, which other cases
 * report. */
static bool is_always_so(const struct test *t, enum case_role role,
			 unsigned short req)
{
	const struct instance *in = t->in;

	if (!t->bed->ground || !t->bed->ground->always[role][req] ||
	    founds_always(in->desc->founds, req))
		return false;
	for (size_t i = 0; i < in->req_count; i++)
		if (in->reqs[i] == req)
			return false;
	return true;
}

void test_leaves_out_told(const struct test *t, enum case_role role,
			  struct model_objections *o)
{
	unsigned n = 0;

	for (unsigned i = 0; i < o->n; i++)
		if (!is_always_so(t, role, o->list[i].req))
			o->list[n++] = o->list[i];
	o->n = n;
}

/* The key that declares in the device file that the device lacks this, so that
 * the rest can be judged. NULL: no key helps. */
static const char *key_of(enum foundation f)
{
	static const char *const keys[FOUNDATION_COUNT] = {
		[FOUNDATION_ANSWER] = "read",
		[FOUNDATION_ENHANCED] = "mpa-v2",
		[FOUNDATION_P2P] = "p2p",
		[FOUNDATION_MARKERS_ONE_WAY] = "markers-tx",
		[FOUNDATION_MARKERS_SENT] = "markers-tx",
		[FOUNDATION_MARKERS_TAKEN] = "markers-rx",
		[FOUNDATION_WITHOUT_CRC] = "crc-off",
		[FOUNDATION_INVALIDATE_TAKEN] = "send-inv",
		[FOUNDATION_FETCHADD_TAKEN] = "fetchadd",
		[FOUNDATION_CMPSWAP_TAKEN] = "cmpswap",
		[FOUNDATION_IMM_TAKEN] = "imm",
		[FOUNDATION_FETCHADD_POSTED] = "fetchadd",
		[FOUNDATION_CMPSWAP_POSTED] = "cmpswap",
		[FOUNDATION_IMM_POSTED] = "imm",
	};

	return keys[f];
}

static bool is_below(unsigned g, unsigned f)
{
	return foundations[g].floor < foundations[f].floor ||
	       (foundations[g].floor == foundations[f].floor && g < f);
}

/* If this case has found several foundations to have fallen, the others depend
 * on the lowest. */
static enum foundation first_fallen_by(const struct test *t, const char *by,
				       enum foundation f)
{
	for (unsigned g = 0; t->bed->ground && g < FOUNDATION_COUNT; g++)
		for (unsigned role = 0; role < FOUNDATION_ROLES; role++) {
			const struct footing *at = &t->bed->ground->at[role][g];

			if (at->fallen && at->told_by &&
			    strcmp(at->told_by, by) == 0 && is_below(g, f))
				f = (enum foundation)g;
		}
	return f;
}

void test_set_blocked(struct test *t, const char *by, enum foundation f)
{
	const char *key = key_of(f = first_fallen_by(t, by, f));

	snprintf(t->reason, sizeof(t->reason),
		 "a foundation failed: %s (%s)%s%s%s", foundations[f].text, by,
		 key ? "; to judge the cases that do not need it, set " : "",
		 key ? key : "", key ? " = no in the device file" : "");
	t->blocked_by = by;
}

void test_stands_on(struct test *t, enum case_role role, enum foundation f)
{
	const struct footing *at = footing(t, role, f);

	if (f == STANDS_ALONE || !at->fallen)
		return;
	if (is_about(t, f)) {
		t->shaken_by = at->told_by;
		t->shaken = f;
		return;
	}
	test_blocked(t, at->told_by, f);
}

/* Everything else that the device accepts and sends is known to be correct, or
 * this is the case that tests it. */
static bool sends_both_ways(const struct test *t, enum case_role role)
{
	const struct footing *takes = footing(t, role, FOUNDATION_SEND_TAKEN);
	const struct footing *sends = footing(t, role, FOUNDATION_SEND_POSTED);
	enum foundation of = t->in->desc->founds;

	return of == FOUNDATION_SEND_TAKEN || of == FOUNDATION_SEND_POSTED ||
	       of == FOUNDATION_EMPTY_WRITE ||
	       (takes->told_by && !takes->fallen && sends->told_by &&
		!sends->fallen);
}

void test_goes_on_without_answers(struct test *t, enum case_role role)
{
	const struct footing *at = footing(t, role, FOUNDATION_ANSWER);

	if (!at->fallen)
		return;
	if (!sends_both_ways(t, role)) {
		test_stands_on(t, role, FOUNDATION_ANSWER);
		return;
	}
	t->shaken_by = at->told_by;
	t->shaken = FOUNDATION_ANSWER;
}

/* A device was found not to accept the pad of such a ULPDU. */
static bool pad_has_fallen(const struct test *t, size_t ulpdu_octets)
{
	static const unsigned short handled[] = {
		REQ_INDEX_MPA_4_1_07, REQ_INDEX_MPA_4_1_08,
		REQ_INDEX_MPA_4_1_09, REQ_INDEX_MPA_4_1_10};
	unsigned pad = fpdu_pad((uint16_t)ulpdu_octets);

	return t->bed->ground &&
	       t->bed->ground->told[FOUNDATION_PADS][handled[pad]];
}

void test_stands_on_pad(struct test *t, const struct stream *s,
			size_t ulpdu_octets)
{
	if (!s->association && pad_has_fallen(t, ulpdu_octets))
		test_stands_on(t, s->role, FOUNDATION_PADS);
}

size_t dut_takes_pad_from(struct test *t, size_t octets)
{
	enum { PADS = 4, HEADER = 18 };
	size_t n = octets;

	while (n < octets + PADS && pad_has_fallen(t, HEADER + n))
		n++;
	return n;
}

void test_counts_if_seen(struct test *t)
{
	if (t->shaken_by)
		test_blocked(t, t->shaken_by, t->shaken);
}

void test_stands_on_startup(struct test *t, enum case_role role,
			    const struct stream_opts *o)
{
	test_stands_on(t, role, FOUNDATION_STREAM);
	if (!o->unproven)
		test_stands_on(t, role, FOUNDATION_OPENING);
	if (o->enhanced || o->rtr)
		test_stands_on(t, role, FOUNDATION_ENHANCED);
	if (o->rtr)
		test_stands_on(t, role, FOUNDATION_P2P);
	if (o->markers)
		test_stands_on(t, role, FOUNDATION_MARKERS_SENT);
	if (o->dut_markers)
		test_stands_on(t, role, FOUNDATION_MARKERS_TAKEN);
	if (o->crc == OFF && o->dut_crc == OFF)
		test_stands_on(t, role, FOUNDATION_WITHOUT_CRC);
}

static bool is_peer_to_peer(const struct mpa_startup *f)
{
	struct mpa_enhanced e = {0};

	if (f->flags & MPA_S && f->private_octets >= MPA_ENHANCED_OCTETS)
		mpa_enhanced_decode(&e, f->private_data);
	return e.a;
}

void test_stands_on_frames(struct test *t, const struct stream *s)
{
	test_stands_on(t, s->role, FOUNDATION_STREAM);
	if (s->sent_startup && s->sent_frame.flags & MPA_S)
		test_stands_on(t, s->role, FOUNDATION_ENHANCED);
	if (s->sent_startup && is_peer_to_peer(&s->sent_frame))
		test_stands_on(t, s->role, FOUNDATION_P2P);
}

void test_stands_on_markers(struct test *t, const struct stream *s)
{
	if (s->sent_startup && s->sent_frame.flags & MPA_M)
		test_stands_on(t, s->role, FOUNDATION_MARKERS_SENT);
}

/* It works, but only in another way than the one of this case. */
static void stands_on_first_way(struct test *t, enum case_role role,
				enum foundation f)
{
	const struct footing *at = footing(t, role, f);

	if (at->better_by && !is_about(t, f))
		test_blocked(t, at->better_by, f);
}

/* How the device handles a correct message of this kind. */
static enum foundation taken(const struct msg *m)
{
	switch (m->opcode) {
	case RDMAP_SEND:
	case RDMAP_SEND_SE:
		return FOUNDATION_SEND_TAKEN;
	case RDMAP_SEND_INV:
	case RDMAP_SEND_SE_INV:
		return FOUNDATION_INVALIDATE_TAKEN;
	case RDMAP_WRITE:
		return FOUNDATION_WRITE_TAKEN;
	case RDMAP_READ_REQUEST:
		return m->read.size ? FOUNDATION_READ_TAKEN : FOUNDATION_ANSWER;
	case RDMAP_READ_RESPONSE:
		return FOUNDATION_READ_POSTED;
	case RDMAP_ATOMIC_REQUEST:
		return m->atomic.aopcode == RDMAP_CMPSWAP
			       ? FOUNDATION_CMPSWAP_TAKEN
			       : FOUNDATION_FETCHADD_TAKEN;
	case RDMAP_ATOMIC_RESPONSE:
		return FOUNDATION_FETCHADD_POSTED;
	case RDMAP_IMM:
	case RDMAP_IMM_SE:
		return FOUNDATION_IMM_TAKEN;
	case RDMAP_TERMINATE:
		/* A Terminate without an error ends the stream as well, and the
		 * ULP learns its numbers. */
		return FOUNDATION_TERMINATE_TAKEN;
	default:
		/* No correct message has this opcode: use another kind of its
		 * queue. */
		return FOUNDATION_SEND_TAKEN;
	}
}

/* It requests no markers, but sends them. */
static bool is_marked_one_way(const struct stream *s)
{
	return s->sent_startup && s->saw_startup &&
	       s->sent_frame.flags & MPA_M && !(s->seen_frame.flags & MPA_M);
}

void test_stands_on_directions(struct test *t, const struct stream *s)
{
	if (is_marked_one_way(s))
		test_stands_on(t, s->role, FOUNDATION_MARKERS_ONE_WAY);
}

bool test_directions_have_fallen(const struct test *t, const struct stream *s)
{
	return is_marked_one_way(s) &&
	       test_has_fallen(t, s->role, FOUNDATION_MARKERS_ONE_WAY);
}

void test_stands_on_message(struct test *t, const struct stream *s,
			    const struct msg *m)
{
	test_stands_on_directions(t, s);
	test_stands_on(t, s->role, taken(m));
	if (m->opcode == RDMAP_READ_REQUEST && !m->read.size)
		stands_on_first_way(t, s->role, FOUNDATION_ANSWER);
}

void test_rests_on(struct test *t, enum case_role role, enum foundation f)
{
	static_assert(FOUNDATION_COUNT <= 64, "a bit each");
	t->rests[role] |= 1ull << f;
}

/* Whether these n octets are the last of a region. */
static bool ends_a_region(const struct test *t, uint32_t stag, uint64_t to,
			  uint64_t n)
{
	for (unsigned i = 0; n && i < t->regions; i++) {
		const struct region *r = &t->region[i].r;

		if (r->stag == stag && to + n == r->to + r->len)
			return true;
	}
	return false;
}

/* The message is about the last octets of its buffer. */
static enum foundation to_the_end(const struct test *t, const struct stream *s,
				  const struct msg *m)
{
	switch (m->opcode) {
	case RDMAP_WRITE:
	case RDMAP_READ_RESPONSE:
		return ends_a_region(t, m->stag, m->to, m->n)
			       ? FOUNDATION_WRITE_TO_END
			       : STANDS_ALONE;
	case RDMAP_READ_REQUEST:
		return ends_a_region(t, m->read.source_stag, m->read.source_to,
				     m->read.size)
			       ? FOUNDATION_READ_TO_END
			       : STANDS_ALONE;
	case RDMAP_ATOMIC_REQUEST:
		return ends_a_region(t, m->atomic.stag, m->atomic.to, 8)
			       ? FOUNDATION_ATOMIC_TO_END
			       : STANDS_ALONE;
	case RDMAP_ATOMIC_RESPONSE:
	case RDMAP_TERMINATE:
		return STANDS_ALONE;
	default:
		return m->n && m->n == s->last_receive ? FOUNDATION_SEND_FILLS
						       : STANDS_ALONE;
	}
}

/* The device has this many octets to send. */
static void rests_on_sending(struct test *t, struct stream *s, uint64_t n,
			     enum foundation parts)
{
	/* Their headers need none: the lengths of both are 2 less than a
	 * multiple of four, and the length field has two octets. */
	if (n % 4 || n > LEAST_MULPDU)
		test_rests_on(t, s->role, FOUNDATION_PADS_SENT);
	if (n > LEAST_MULPDU)
		test_rests_on(t, s->role, parts);
	s->to_send += n;
	if (s->to_send > LEAST_WINDOW || s->shut || s->opts.rcvbuf)
		test_rests_on(t, s->role, FOUNDATION_MUCH_SENT);
}

/* What is special about the kind of the message, or its shape. */
static void rests_on_kind(struct test *t, struct stream *s, const struct msg *m,
			  uint32_t qn, bool parts)
{
	if (m->opcode == RDMAP_SEND_SE || m->opcode == RDMAP_SEND_SE_INV)
		test_rests_on(t, s->role, FOUNDATION_SE_SENDS_TAKEN);
	if (s->immediates && qn == DDP_QN_SEND)
		test_rests_on(t, s->role, FOUNDATION_IMMS_TAKEN);
	s->immediates += m->opcode == RDMAP_IMM || m->opcode == RDMAP_IMM_SE;
	if (m->opcode == RDMAP_READ_RESPONSE && parts)
		test_rests_on(t, s->role, FOUNDATION_RESPONSES_TAKEN);
	if (m->opcode != RDMAP_WRITE && m->opcode != RDMAP_READ_RESPONSE)
		return;
	if (m->to % 4 || parts)
		test_rests_on(t, s->role, FOUNDATION_WRITES_ANYWHERE);
	if (m->opcode != RDMAP_WRITE)
		return;
	if (m->n)
		test_rests_on(t, s->role, FOUNDATION_WRITES_PLACED);
	if (m->n > LONG_WRITE)
		test_rests_on(t, s->role, FOUNDATION_LONG_WRITES_TAKEN);
}

void test_rests_on_message(struct test *t, struct stream *s,
			   const struct send_opts *o, uint32_t qn, bool parts)
{
	const struct msg *m = &o->msg;

	test_rests_on(t, s->role, to_the_end(t, s, m));
	if (parts)
		test_rests_on(t, s->role, FOUNDATION_PARTS_TAKEN);
	/* Also for FPDUs that come together. */
	if (s->dirty || s->sends || parts)
		test_rests_on(t, s->role, FOUNDATION_SENDS_TAKEN);
	if (qn == DDP_QN_SEND)
		test_rests_on(t, s->role, FOUNDATION_SEND_TAKEN);
	if (s->sends && qn == DDP_QN_READ_REQUEST)
		test_rests_on(t, s->role, FOUNDATION_QUEUES_APART);
	if (o->cuts.every || o->cuts.first || o->order.n || o->keep_last ||
	    s->withhold)
		test_rests_on(t, s->role, FOUNDATION_PIECES_TAKEN);
	if (s->atomics && qn == DDP_QN_READ_REQUEST)
		test_rests_on(t, s->role, FOUNDATION_ATOMICS_COUNTED);
	rests_on_kind(t, s, m, qn, parts);
	if (m->opcode == RDMAP_READ_REQUEST)
		rests_on_sending(t, s, m->read.size,
				 FOUNDATION_RESPONSE_PARTS_SENT);
	s->sends += qn == DDP_QN_SEND;
	s->atomics += m->opcode == RDMAP_ATOMIC_REQUEST;
}

void test_rests_on_write(struct test *t, const struct stream *s, size_t n)
{
	if (n > LEAST_WINDOW)
		test_rests_on(t, s->role, FOUNDATION_PIECES_TAKEN);
}

/* A fallen dependency of the case; NULL: none. */
static const struct footing *fallen_rest(const struct test *t,
					 enum foundation *which)
{
	for (unsigned role = 0; t->bed->ground && role < FOUNDATION_ROLES;
	     role++)
		for (unsigned f = STANDS_ALONE + 1; f < FOUNDATION_COUNT; f++) {
			const struct footing *at = footing(t, role, f);

			if (!(t->rests[role] & 1ull << f) || !at->fallen ||
			    is_about(t, f))
				continue;
			*which = f;
			return at;
		}
	return NULL;
}

bool test_rests_on_fallen(const struct test *t)
{
	enum foundation which;

	return fallen_rest(t, &which);
}

void test_blames_its_ground(struct test *t)
{
	enum foundation which;
	const struct footing *at = fallen_rest(t, &which);

	if (!at)
		return;
	t->outweighed = true;
	test_set_blocked(t, at->told_by, which);
}

bool test_tells_its_ground(const struct test *t)
{
	uint64_t fallen = 0;

	for (unsigned role = 0; role < FOUNDATION_ROLES; role++)
		for (unsigned f = STANDS_ALONE + 1; f < FOUNDATION_COUNT; f++)
			if (footing(t, role, f)->fallen)
				fallen |= t->rests[role] & 1ull << f;
	for (const struct judgement *j = t->judged; fallen && j; j = j->next)
		for (unsigned f = STANDS_ALONE + 1; f < FOUNDATION_COUNT; f++)
			if (!j->ok && !j->by_model && fallen & 1ull << f &&
			    t->bed->ground->told[f][j->req])
				return true;
	return false;
}

void test_stands_on_work(struct test *t, struct stream *s, const struct post *p)
{
	static const enum foundation posted[] = {
		[POST_OP_SEND] = FOUNDATION_SEND_POSTED,
		[POST_OP_WRITE] = FOUNDATION_WRITE_POSTED,
		[POST_OP_READ] = FOUNDATION_READ_POSTED,
		[POST_OP_FETCHADD] = FOUNDATION_FETCHADD_POSTED,
		[POST_OP_CMPSWAP] = FOUNDATION_CMPSWAP_POSTED,
		[POST_OP_SWAP] = STANDS_ALONE,
		[POST_OP_IMM] = FOUNDATION_IMM_POSTED,
		[POST_OP_WRITE_IMM] = FOUNDATION_IMM_POSTED,
	};

	if (p->op != POST_OP_WRITE || p->len)
		test_stands_on(t, s->role, posted[p->op]);
	else
		stands_on_first_way(t, s->role, FOUNDATION_OPENING);
	if (p->op == POST_OP_READ && p->off)
		test_rests_on(t, s->role, FOUNDATION_READS_INSIDE);
	rests_on_sending(t, s, p->len,
			 p->op == POST_OP_SEND ? FOUNDATION_PARTS_SENT
					       : FOUNDATION_WRITE_PARTS_SENT);
}
