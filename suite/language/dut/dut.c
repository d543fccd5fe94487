/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device's side of a case: requests to its agent, and their answers.
 */
#include "suite/language/execution/execution.h"

#include <stdio.h>
#include <string.h>

#include "harness/link/clock.h"
#include "suite/language/case_program.h"
#include "harness/link/sctp/sctp.h"
#include "suite/language/execution/meets.h"

/* The number of late replies in a row that may be chance. */
#define LATE_MOST 2u

/* The counter of a verb, or NULL: it is not counted. */
static _Atomic unsigned *late(const struct test *t, const char *verb)
{
	static const char *const verbs[PATIENCE_VERBS] = {
		"access", "accept",  "close", "connect", "dereg",
		"dump",   "events",  "fill",  "inval",   "listen",
		"post",   "provoke", "recv",  "reg",     "state",
	};

	for (unsigned i = 0; t->bed->patience && i < PATIENCE_VERBS; i++)
		if (verbs[i] && strcmp(verbs[i], verb) == 0)
			return &t->bed->patience->late[i];
	return NULL;
}

uint64_t dut_reply_deadline(const struct test *t, uint64_t deadline,
			    const char *verb)
{
	const _Atomic unsigned *n = late(t, verb);

	return n && *n > LATE_MOST ? impatient_deadline(t)
				   : deadline + t->bed->wait_ns;
}

uint64_t dut_deadline(const struct test *t, const char *verb)
{
	return dut_reply_deadline(t, test_deadline(t), verb);
}

static void count_late(const struct test *t, enum agent_result r,
		       const char *verb)
{
	_Atomic unsigned *n = late(t, verb);

	if (n && r == AGENT_SLOW)
		++*n;
	else if (n && (r == AGENT_OK || r == AGENT_REFUSED))
		*n = 0;
}

static unsigned wait_ms(const struct test *t)
{
	return (unsigned)(wait_lasts(t) / CLOCK_NS_PER_MS);
}

/*
 * Check the result of a request that the case needs. If an agent cannot do what
 * a key asks, or not as much of it, the case is not applicable (agent protocol,
 * last paragraph). If the agent is gone, slow or sends garbage, the case is an
 * ERROR.
 */
void dut_check(struct test *t, enum agent_result r, const char *verb)
{
	struct agent *a = t->bed->agent;

	count_late(t, r, verb);
	if (r == AGENT_OK)
		return;
	/* It may be the result of another request that was begun. */
	if (r == AGENT_REFUSED)
		verb = agent_verb(a);
	if (r == AGENT_REFUSED && agent_code(a) == LINE_UNSUPPORTED)
		not_applicable(t, "the agent cannot do it: %s: unsupported %s",
			       verb, agent_text(a));
	t->bed->limited |= r == AGENT_REFUSED && agent_code(a) == LINE_LIMIT;
	if (r == AGENT_REFUSED && agent_code(a) == LINE_LIMIT)
		not_applicable(t, "a limit of the device or its agent: %s: %s",
			       verb, agent_text(a));
	if (r == AGENT_REFUSED)
		test_error(t, CAUSE_DEVICE, "agent refused %s: %s %s", verb,
			   line_code_name(agent_code(a)), agent_text(a));
	test_error(t, CAUSE_DEVICE, "agent %s at %s: %s", agent_result_name(r),
		   verb, agent_trouble(a));
}

void dut_finishes(struct test *t, const char *verb)
{
	dut_check(t, agent_finish(t->bed->agent, dut_deadline(t, verb)), verb);
}

void dut_hears(struct test *t)
{
	if (!t->ahead)
		return;
	t->ahead = false;
	t->kept = 0;
	dut_finishes(t, "post");
}

void dut_hands_over(struct test *t)
{
	if (t->kept)
		dut_check(t,
			  agent_flush(t->bed->agent, dut_deadline(t, "post")),
			  "post");
	t->kept = 0;
}

void dut_begin(struct test *t)
{
	if (test_alone(t))
		return;
	if (!t->bed->agent)
		test_error(t, CAUSE_DEVICE, "the agent is gone");
	/* Requests that the previous case began do not count here. */
	if (agent_outstanding(t->bed->agent))
		agent_finish(t->bed->agent, dut_deadline(t, "reset"));
	agent_begin_reset(t->bed->agent);
}

void dut_is_there(struct test *t)
{
	if (test_alone(t))
		return;
	/* Any answer is sufficient. */
	enum agent_result r = agent_raw(t->bed->agent, "state conn=nothing",
					dut_deadline(t, "state"));

	if (r != AGENT_REFUSED)
		dut_check(t, r, "state");
}

void dut_has_its_turn(struct test *t)
{
	struct agent *a = t->bed->agent;
	struct agent_region r;

	if (alone_asks(t, "to get a turn between messages"))
		return;
	agent_begin_reg(a, &(struct agent_reg){.name = "turn", .len = 8}, &r);
	agent_begin_dereg(a, "turn");
	dut_finishes(t, "reg");
}

void dut_round_trip(struct test *t)
{
	struct stream *s = the_stream(t);
	struct agent_state state;

	if (s->conn[0])
		dut_check(t,
			  agent_state(t->bed->agent, s->conn, 0, AGENT_STREAMS,
				      &state, dut_deadline(t, "state")),
			  "state");
}

/* --- memory ------------------------------------------------------------ */

const char *dut_region_name(struct test *t, unsigned number)
{
	return test_format(t, "r%u", number);
}

static unsigned model_access(unsigned access)
{
	return (access & LOCAL_WRITE ? MODEL_LW : 0) |
	       (access & REMOTE_READ ? MODEL_RR : 0) |
	       (access & REMOTE_WRITE ? MODEL_RW : 0) |
	       (access & REMOTE_ATOMIC ? MODEL_RA : 0);
}

static unsigned agent_rights(unsigned access)
{
	return (access & LOCAL_WRITE ? AGENT_LW : 0) |
	       (access & REMOTE_READ ? AGENT_RR : 0) |
	       (access & REMOTE_WRITE ? AGENT_RW : 0) |
	       (access & REMOTE_ATOMIC ? AGENT_RA : 0);
}

/* The position of the first octet of a zero-based region, modulo 8. */
static uint8_t residue(const struct region_opts *o)
{
	return o->zero_based ? (uint8_t)(o->skew % 8) : 0;
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

struct test_region *dut_region(struct test *t, struct region r)
{
	if (r.number >= t->regions)
		test_error(t, CAUSE_SUITE, "there is no region %u", r.number);
	return &t->region[r.number];
}

static void check_room(struct test *t, unsigned n)
{
	if (t->regions + n > TEST_REGIONS)
		test_error(t, CAUSE_SUITE, "more than %u regions",
			   TEST_REGIONS);
}

/* Check for room for `n` more regions of this size. */
static void check_regions(struct test *t, const struct region_opts *o,
			  unsigned n)
{
	alone_asks(t, "to register memory");
	check_room(t, n);
	for (unsigned i = 0; i < n; i++)
		test_within(t, o[i].len, t->bed->hello.max_region_len,
			    "octets in a region");
}

/* Ask for region `number`; the reply goes to *told. */
static void begin_region(struct test *t, const struct region_opts *o,
			 unsigned number, struct agent_region *told)
{
	struct test_region *r = &t->region[number];
	struct stream *bound = o->bound ? the_stream(t) : NULL;

	*r = (struct test_region){
		.opts = *o,
		.bound_to = bound ? (uint32_t)(bound - t->stream) + 1 : 0};
	meets_region(t, o);
	test_acts(t);
	agent_begin_reg(t->bed->agent,
			&(struct agent_reg){
				.name = dut_region_name(t, number),
				.len = o->len,
				.access = agent_rights(o->access),
				.pd = o->pd,
				.align = o->align,
				.skew = o->skew,
				.zero_based = o->zero_based,
				.shared = o->shared,
				.conn = bound ? bound->conn : NULL,
			},
			told);
}

/* The next region is registered. */
static struct region take_region(struct test *t,
				 const struct agent_region *told)
{
	struct test_region *r = &t->region[t->regions];
	const struct region_opts *o = &r->opts;

	r->r = (struct region){.number = t->regions++,
			       .stag = told->stag,
			       .to = told->to,
			       .len = o->len};
	r->shadow = o->raced ? NULL : test_alloc(t, o->len);
	r->kept = test_alloc(t, o->len);
	for (unsigned i = 0; i < t->streams; i++)
		if (t->stream[i].model)
			dut_tell_region(t, &t->stream[i], r);
	return r->r;
}

struct region case_registers(struct test *t, const struct region_opts *o)
{
	struct agent_region told;

	if (test_alone(t)) {
		check_room(t, 1);
		return buffer_allots(t, o);
	}
	check_regions(t, o, 1);
	begin_region(t, o, t->regions, &told);
	dut_finishes(t, "reg");
	return take_region(t, &told);
}

/* In pieces of the size that the agent protocol prescribes. */
static void begin_fill(struct test *t, unsigned region, size_t off,
		       const uint8_t *octets, size_t n)
{
	const size_t most = LINE_MAX_HEX_BYTES;

	for (size_t at = 0; at < n; at += most)
		agent_begin_fill(t->bed->agent, dut_region_name(t, region),
				 off + at, octets + at,
				 n - at < most ? n - at : most);
}

/* The device's memory holds them now. */
static void take_fill(struct test *t, struct region r, size_t off,
		      const uint8_t *octets, size_t n)
{
	struct test_region *tr = dut_region(t, r);

	memcpy(tr->kept + off, octets, n);
	if (tr->shadow)
		memcpy(tr->shadow + off, octets, n);
	for (unsigned i = 0; i < t->streams; i++)
		if (t->stream[i].model)
			model_region_changed(t->stream[i].model, r.stag,
					     r.to + off, n);
}

void dut_registers_each(struct test *t, const struct region_opts *o,
			const uint8_t *const *octets, unsigned n,
			struct region *out)
{
	struct agent_region told[TEST_REGIONS];

	if (test_alone(t)) {
		check_room(t, n);
		for (unsigned i = 0; i < n; i++) {
			out[i] = buffer_allots(t, &o[i]);
			buffer_fills(t, out[i], 0, octets[i], o[i].len);
		}
		return;
	}
	check_regions(t, o, n);
	for (unsigned i = 0; i < n; i++) {
		begin_region(t, &o[i], t->regions + i, &told[i]);
		begin_fill(t, t->regions + i, 0, octets[i], o[i].len);
	}
	dut_finishes(t, "reg");
	for (unsigned i = 0; i < n; i++) {
		out[i] = take_region(t, &told[i]);
		take_fill(t, out[i], 0, octets[i], o[i].len);
	}
}

void dut_fills(struct test *t, struct region r, size_t off, const void *octets,
	       size_t n)
{
	dut_refills(
		t,
		&(struct refill){.r = r, .off = off, .n = n, .octets = octets},
		1);
}

void dut_refills(struct test *t, const struct refill *part, unsigned n)
{
	test_acts(t);
	if (test_alone(t)) {
		for (unsigned i = 0; i < n; i++)
			buffer_fills(t, part[i].r, part[i].off, part[i].octets,
				     part[i].n);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		begin_fill(t, part[i].r.number, part[i].off, part[i].octets,
			   part[i].n);
	dut_finishes(t, "fill");
	for (unsigned i = 0; i < n; i++)
		take_fill(t, part[i].r, part[i].off, part[i].octets, part[i].n);
}

void dut_sets_word(struct test *t, struct region r, size_t off, uint64_t value)
{
	uint8_t octets[8];

	model_word_store(octets, value, t->bed->hello.big_endian);
	dut_fills(t, r, off, octets, sizeof(octets));
}

/* The most that one reply of the agent protocol may carry. */
static void begin_dump(struct test *t, struct region r, size_t off, size_t n,
		       uint8_t *octets)
{
	const size_t most = LINE_MAX_HEX_BYTES;

	for (size_t at = 0; at < n; at += most)
		agent_begin_dump(t->bed->agent, dut_region_name(t, r.number),
				 off + at, n - at < most ? n - at : most,
				 octets + at);
}

const uint8_t *dut_memory(struct test *t, struct region r, size_t off, size_t n)
{
	uint8_t *octets;

	if (test_alone(t)) {
		const uint8_t *now = buffer_octets(t, r, off, n);

		return now ? now : dut_region(t, r)->kept + off;
	}
	octets = test_alloc(t, n);
	begin_dump(t, r, off, n, octets);
	dut_finishes(t, "dump");
	return octets;
}

void dut_memories(struct test *t, const struct region *r, unsigned n,
		  uint8_t **octets)
{
	alone_asks(t, "to read its memory");
	for (unsigned i = 0; i < n; i++)
		octets[i] = test_alloc(t, r[i].len);
	for (unsigned i = 0; i < n; i++)
		begin_dump(t, r[i], 0, r[i].len, octets[i]);
	dut_finishes(t, "dump");
}

void dut_sets_access(struct test *t, struct region r, unsigned access)
{
	alone_asks(t, "to change the rights to its memory");
	dut_region(t, r)->opts.access = access;
	test_acts(t);
	dut_check(t,
		  agent_access(t->bed->agent, dut_region_name(t, r.number),
			       agent_rights(access), dut_deadline(t, "access")),
		  "access");
	for (unsigned i = 0; i < t->streams; i++)
		if (t->stream[i].model)
			model_region_access(t->stream[i].model, r.stag,
					    model_access(access));
}

void dut_invalidates(struct test *t, struct region r)
{
	alone_asks(t, "to invalidate its memory");
	test_acts(t);
	dut_check(t,
		  agent_inval(t->bed->agent, dut_region_name(t, r.number),
			      dut_deadline(t, "inval")),
		  "inval");
	for (unsigned i = 0; i < t->streams; i++)
		if (t->stream[i].model)
			model_region_invalidate(t->stream[i].model, r.stag);
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

/* --- connections --------------------------------------------------------- */

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

static struct agent_params params_of(struct test *t, const struct stream *s)
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

static unsigned claimed_rtr(const struct test *t)
{
	uint64_t c = t->bed->claims;

	return (c & NEED_RTR_SEND ? RTR_SEND : 0) |
	       (c & NEED_RTR_WRITE ? RTR_WRITE : 0) |
	       (c & NEED_RTR_READ ? RTR_READ : 0);
}

static void describe_device(struct test *t, struct stream *s)
{
	const struct stream_opts *o = &s->opts;
	const struct agent_hello *h = &t->bed->hello;
	uint16_t ird = h->max_ird < 16 ? (uint16_t)h->max_ird : 16;
	uint16_t ord = h->max_ord < 16 ? (uint16_t)h->max_ord : 16;
	unsigned rtr = o->dut_rtr ? o->dut_rtr : o->rtr;

	if (!rtr)
		rtr = claimed_rtr(t);
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

static void leave_out_told(const struct test *t, const struct stream *s,
			   struct model_objections *o)
{
	unsigned n = 0;

	for (unsigned i = 0; i < o->n; i++)
		if (!test_is_always_so(t, s->role, o->list[i].req))
			o->list[n++] = o->list[i];
	o->n = n;
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
	leave_out_told(t, s, &o);
	/* The ULP rejects, whatever parameters it was given. */
	if (test_alone(t) && f->flags & MPA_R)
		o.n = 0;
	test_objections(t, &o,
			s->role == INITIATOR ? "the device's Request"
					     : "the device's Reply");
	alone_takes_reply(t, s);
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
	if (n == 0 && claimed_rtr(t))
		return claimed_rtr(t);
	n += !claimed_rtr(t);
	return n <= all ? all + 1 - n : 0;
}

/*
 * Some devices have no choice in their startup frames, and their agents refuse
 * other values. If the case does not set this key, the other value is
 * requested, and the stream continues as if the case had set it. False: the
 * case sets it.
 */
static bool takes_as_it_is(struct test *t, struct stream *s, const char *key)
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
		return p->mpa == 1                          ? "mpa"
		       : p->rtr && p->rtr != claimed_rtr(t) ? "rtr"
							    : NULL;
	}
	if (!f->known)
		return NULL;
	if (rev != f->rev || (rev > 1 && f->enhanced == p->plain))
		return "mpa";
	return p->rtr == f->rtr ? NULL : "rtr";
}

/* The key that the agent refused as unsupported, or NULL. The rest of the line
 * is for people. */
static const char *refused_key(struct test *t, enum agent_result r)
{
	struct agent *a = t->bed->agent;
	const char *text = agent_text(a);

	if (r != AGENT_REFUSED || agent_code(a) != LINE_UNSUPPORTED)
		return NULL;
	return test_format(t, "%.*s", (int)strcspn(text, " "), text);
}

/* Choose parameters that the device can have, as far as the case leaves them
 * open. */
static struct agent_params fitting_params(struct test *t, struct stream *s)
{
	struct agent_params p = params_of(t, s);
	const char *key;

	while ((key = beyond_its_frames(t, s, &p))) {
		if (!takes_as_it_is(t, s, key))
			not_applicable(t,
				       "the device's startup frames are of "
				       "another form: %s",
				       key);
		p = params_of(t, s);
	}
	return p;
}

/* The device's interface cannot be asked for this. */
static void fit_interface(struct test *t, const struct stream *s)
{
	if (!s->opts.beyond &&
	    s->opts.dut_private_octets > t->bed->hello.max_private)
		not_applicable(t, "the device's interface takes %u octets",
			       dut_max_private(t));
}

/* The case intentionally requests more than the interface accepts. */
static bool is_refused(struct stream *s, enum agent_result r)
{
	s->refused = s->opts.beyond && r == AGENT_REFUSED;
	return s->refused;
}

bool dut_has_refused(struct test *t)
{
	return the_stream(t)->refused;
}

void dut_listen(struct test *t, struct stream *s)
{
	struct agent_params p;
	struct agent_listener told;
	const struct stream *other = session_beside(t, s);
	enum agent_result r;

	dut_hears(t);
	fit_interface(t, s);
	meets_parameters(t, s);
	test_acts(t);
	if (test_alone(t)) {
		p = params_of(t, s);
		alone_listens(t, &s->opts, &p);
		s->dut_port = t->bed->device->target_port;
		describe_device(t, s);
		return;
	}
	do {
		p = fitting_params(t, s);
		r = agent_listen(t->bed->agent, other ? other->dut_port : 0, &p,
				 &told, dut_deadline(t, "listen"));
	} while (takes_as_it_is(t, s, refused_key(t, r)));
	if (is_refused(s, r))
		return;
	dut_check(t, r, "listen");
	snprintf(s->listener, sizeof(s->listener), "%s", told.listener);
	s->dut_port = told.port;
	describe_device(t, s);
}

void dut_connect(struct test *t, struct stream *s,
		 const struct link_listener *to)
{
	struct agent_params p;
	struct link_end end = to->local;
	char text[LINK_END_TEXT], *colon;
	char conn[AGENT_NAME];
	enum agent_result r;

	link_end_text(&end, text);
	colon = strrchr(text, ':');
	*colon = '\0';
	/* "[::1]" is written without its brackets. */
	size_t n = strlen(text);
	const char *addr = text;

	if (text[0] == '[') {
		text[n - 1] = '\0';
		addr = text + 1;
	}
	dut_hears(t);
	fit_interface(t, s);
	meets_parameters(t, s);
	test_acts(t);
	if (test_alone(t)) {
		p = fitting_params(t, s);
		alone_connects(t, s, addr, end.port, &p);
		s->as_device = alone_initiator(t);
		return;
	}
	do {
		p = fitting_params(t, s);
		r = agent_connect(t->bed->agent, addr, end.port, &p, conn,
				  dut_deadline(t, "connect"));
	} while (takes_as_it_is(t, s, refused_key(t, r)));
	if (is_refused(s, r))
		return;
	dut_check(t, r, "connect");
	describe_device(t, s);
	snprintf(s->conn, sizeof(s->conn), "%s", conn);
}

struct accept_seen dut_accepts(struct test *t)
{
	return dut_accepts_within(t, wait_ms(t));
}

struct accept_seen dut_accepts_within(struct test *t, unsigned ms)
{
	struct stream *s = the_stream(t);
	struct agent_state told = {0};
	struct accept_seen seen = {0};

	if (alone_asks(t, "to see the connection as its ULP does"))
		return seen;
	dut_hears(t);
	uint64_t deadline = ms ? wait_begins(t) : CLOCK_NOW;
	enum agent_result r = agent_accept(t->bed->agent, s->listener,
					   deadline == CLOCK_NOW ? 0 : ms,
					   &told, dut_deadline(t, "accept"));

	if (r == AGENT_REFUSED && (agent_code(t->bed->agent) == LINE_DEVICE ||
				   agent_code(t->bed->agent) == LINE_TIMEOUT)) {
		snprintf(seen.error, sizeof(seen.error), "%s",
			 agent_code(t->bed->agent) == LINE_TIMEOUT
				 ? "timeout"
				 : agent_text(t->bed->agent));
		seen.silent = agent_code(t->bed->agent) == LINE_TIMEOUT;
		count_late(t, r, "accept");
		if (seen.silent)
			wait_in_vain(t, deadline);
		else
			t->told++;
		return seen;
	}
	dut_check(t, r, "accept");
	t->told++;
	snprintf(s->conn, sizeof(s->conn), "%s", told.conn);
	seen.ok = true;
	snprintf(seen.state, sizeof(seen.state), "%s",
		 agent_stream_name(told.state));
	seen.private_octets = told.private_octets;
	seen.private_data = test_alloc(t, told.private_octets);
	memcpy((uint8_t *)(uintptr_t)seen.private_data, told.private_data,
	       told.private_octets);
	seen.has_ird = told.has_ird;
	seen.ird = told.ird;
	seen.ord = told.ord;
	return seen;
}

void dut_accept(struct test *t, struct stream *s)
{
	if (!s->conn[0] && s->role == RESPONDER && !test_alone(t)) {
		struct accept_seen seen = dut_accepts(t);

		if (!seen.ok)
			test_fail(t, MPA_7_1_2_09.index,
				  "due:  the agent sees the connection that "
				  "its device has accepted\n"
				  "seen: accept: %s",
				  seen.error);
	}
	dut_post_pending(t, s);
}

/* --- state ---------------------------------------------------------------------- */

static struct dut_state ask_state(struct test *t, struct stream *s,
				  unsigned timeout_ms, enum agent_stream until)
{
	struct agent_state told = {0};

	if (!s->conn[0])
		test_error(t, CAUSE_SUITE, "no connection at the agent yet");
	dut_check(t,
		  agent_state(t->bed->agent, s->conn, timeout_ms, until, &told,
			      dut_deadline(t, "state")),
		  "state");
	if (told.state != s->told) {
		s->told = told.state;
		t->told++;
	}
	struct dut_state d = {
		.has_terminate = told.has_terminate,
		.has_terminate_from = told.has_terminate_from,
		.terminate_remote = told.terminate_remote,
		.layer = told.layer,
		.etype = told.etype,
		.code = told.code,
		.private_octets = told.private_octets,
		.has_ird = told.has_ird,
		.ird = told.ird,
		.ord = told.ord,
	};
	uint8_t *pd = test_alloc(t, told.private_octets);

	memcpy(pd, told.private_data, told.private_octets);
	d.private_data = pd;
	snprintf(d.state, sizeof(d.state), "%s", agent_stream_name(told.state));
	if (told.state != AGENT_CONNECTING && told.state != AGENT_ESTABLISHED) {
		s->final_known = true;
		s->final = d;
	}
	return d;
}

static struct dut_state state_of(struct test *t, struct stream *s,
				 unsigned timeout_ms, enum agent_stream until)
{
	if (alone_asks(t, "to see the stream as its ULP does"))
		return (struct dut_state){0};
	uint64_t deadline = timeout_ms ? wait_begins(t) : CLOCK_NOW;
	struct dut_state d =
		ask_state(t, s, deadline == CLOCK_NOW ? 0 : timeout_ms, until);

	wait_in_vain(t, deadline);
	return d;
}

bool dut_is_final(struct test *t, struct stream *s, unsigned ms)
{
	if (!s->final_known && s->conn[0])
		ask_state(t, s, ms, AGENT_CLOSED);
	return s->final_known;
}

/* A device that leaves streams open behind its Terminate reports no end of them,
 * either. */
void dut_wait_final(struct test *t, struct stream *s)
{
	bool brief = t->bed->brief;

	if (s->final_known || !s->conn[0])
		return;
	stream_waits_briefly(t, s);
	state_of(t, s, wait_ms(t), AGENT_CLOSED);
	t->bed->brief = brief;
}

struct dut_state dut_ends(struct test *t)
{
	struct stream *s = the_stream(t);

	return s->final_known ? s->final
			      : state_of(t, s, wait_ms(t), AGENT_CLOSED);
}

struct dut_state dut_starts(struct test *t)
{
	return state_of(t, the_stream(t), wait_ms(t), AGENT_STREAMS);
}

struct dut_state dut_state(struct test *t)
{
	return state_of(t, the_stream(t), 0, AGENT_STREAMS);
}

static void stop(struct test *t, enum agent_closing how)
{
	alone_asks(t, "to close");
	test_acts(t);
	dut_check(t,
		  agent_stop(t->bed->agent, the_stream(t)->conn, how,
			     dut_deadline(t, "close")),
		  "close");
}

void dut_closes(struct test *t)
{
	stop(t, AGENT_CLOSE);
}

void dut_aborts(struct test *t)
{
	stop(t, AGENT_CLOSE_ABORT);
}

void dut_half_closes(struct test *t)
{
	stop(t, AGENT_CLOSE_HALF);
}

void dut_provokes(struct test *t, unsigned layer, unsigned etype, unsigned code)
{
	struct stream *s = the_stream(t);

	alone_asks(t, "to have a local error");
	test_acts(t);
	if (s->model)
		model_provoked(s->model);
	dut_check(t,
		  agent_provoke(t->bed->agent, s->conn, layer, etype, code,
				dut_deadline(t, "provoke")),
		  "provoke");
}
