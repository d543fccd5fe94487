/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/explore/perform/perform.h"

#include <string.h>

#include "suite/explore/perform/fault.h"
#include "suite/explore/perform/startup.h"
#include "suite/language/case.h"
#include "suite/language/case_program.h"
#include "suite/model/atomic/atomic.h"

#define PEER_STAG  0x5eed2000u
#define HISTORY_ID 0xa0000000u /* the number of requests of a history */
#define PEER_TO    0x0000000700000000ull

enum {
	BATCH = 64, /* messages on queue 0 between two looks at them */
	SPANS = 64, /* parts of regions that are being written */
	POSTS = 64, /* likewise, by the device */
};

/* What is due for one message that was sent, or posted. */
struct due_receive {
	struct sink sink;
	const struct step *step;
	const uint8_t *octets;
	size_t n;
};
struct due_work {
	unsigned id;
	const struct step *step;
	bool has_value;
	uint64_t value; /* for an atomic: the peer's answer */
};

struct on_one {
	unsigned number;
	bool over;
	struct sink sinks;     /* posted ahead, */
	unsigned next, posted; /* and the next of them */
	struct due_receive receive[BATCH];
	unsigned receives;
	struct refill rest[BATCH]; /* for receive buffers in regions: octets
				    * that no message has reached */
	unsigned rests;
	struct due_work work[POSTS];
	unsigned works, answered; /* atomics among them */
	unsigned last_order;
	bool any_order;
	bool writes; /* the peer has sent Writes that no Send has shown */
};

/* Octets of a region that messages on their way will change. */
struct span {
	uint64_t from, to;
	bool by_device; /* a Response to it, */
	bool received;  /* or a receive buffer: one that is complete shows it */
	bool atomic;    /* an atomic of the peer */
};
struct spans {
	struct span span[SPANS];
	unsigned n;
};

struct performer {
	struct test *t;
	const struct program *p;
	struct performance *so_far;
	struct region region[PROGRAM_REGIONS];
	struct spans writing[PROGRAM_REGIONS];
	struct on_one stream[PROGRAM_STREAMS];
	unsigned batch, posts;   /* as many as the device takes of both */
	unsigned salt;           /* of the next pattern */
	struct region shared;    /* words that all streams share, */
	struct history *history; /* and its result; NULL: none */
};

/* --- messages of the device ----------------------------------------------- */

uint64_t perform_value(const struct step *s)
{
	return s->n[STEP_A] * 0x9e3779b97f4a7c15ull + s->n[STEP_B] + 1;
}

/* The payload of a segment, so that its FPDU is not larger than TCP can carry
 * at once (RFC 5044 s4.5); 0: as chosen by the language. */
static size_t segment_of(const struct performer *w, const struct on_one *s,
			 size_t wanted)
{
	enum { AROUND = 60 }; /* headers, markers, CRC, TCP's time stamps */
	uint64_t mss = w->p->stream[s - w->stream][STREAM_MSS];

	if (!mss || (wanted && wanted <= mss - AROUND))
		return wanted;
	return mss - AROUND < 1400 ? mss - AROUND : wanted;
}

/* Together with the next message: usually there is more to send. */
static void respond(struct performer *w, struct msg m)
{
	case_peer_sends(w->t, &(struct send_opts){.msg = m, .hold = true});
}

static void answer_atomic(struct performer *w, struct on_one *s,
			  const struct frame *f)
{
	while (s->answered < s->works && !s->work[s->answered].has_value)
		s->answered++;
	uint64_t value =
		s->answered < s->works ? s->work[s->answered++].value : 0;

	respond(w, ATOMIC_RESPONSE(f, value));
}

/* A message that waits for others is not held back. */
static void lets_go(struct test *t)
{
	if (something_is_held(t))
		peer_goes_on(t);
}

/* The peer answers the device's Requests. */
static void answer(struct performer *w, struct on_one *s, const struct frame *f)
{
	const struct ddp *d = &f->seg.ddp;

	if (d->tagged)
		return;
	if (d->opcode == RDMAP_ATOMIC_RESPONSE) {
		if (w->history && case_atomic_response_of(f).id >= HISTORY_ID)
			original_came(w->t, w->history, f);
	} else if (d->opcode == RDMAP_READ_REQUEST) {
		struct rdmap_read_request r = case_read_of(f);
		/* A Request of more than was posted the model objects to. */
		size_t n = r.size < 1u << 20 ? r.size : 0;

		respond(w, READ_RESPONSE(f, pattern(w->t, n, w->salt++), n,
					 .segment = segment_of(w, s, 0)));
	} else if (d->opcode == RDMAP_ATOMIC_REQUEST) {
		answer_atomic(w, s, f);
	}
}

static void answer_what_is_here(struct performer *w, struct on_one *s)
{
	const struct frame *f;

	while (frame_is_here(w->t) && (f = next_frame(w->t)))
		answer(w, s, f);
}

/* --- before the first step ------------------------------------------------------ */

/* The ULP's view of the peer's startup frame. */
static void check_told(struct performer *w, const uint64_t *s,
		       const struct stream_opts *o)
{
	struct test *t = w->t;
	struct dut_state seen = dut_state(t);
	bool initiates = s[STREAM_INITIATES];
	struct req_must row =
		!s[STREAM_ENHANCED] ? (initiates ? MPA_7_1_1_33 : MPA_7_1_1_32)
		: initiates         ? EMPA_6_17
				    : EMPA_6_16;

	if (agent_tells_private_data(t))
		case_must(t, row,
			  ulp_gets(t, seen.private_data, seen.private_octets,
				   o->private_data, o->private_octets));
	if (!s[STREAM_ENHANCED] || !seen.has_ird)
		return;
	row = initiates ? EMPA_9_1_05 : EMPA_9_1_04;
	/* A Reply says no more than the Request has room for. */
	struct mpa_enhanced sent = enhanced_data_sent(t);
	case_must(t, row, is("IRD at the ULP", seen.ird, sent.ird));
	case_must(t, row, is("ORD at the ULP", seen.ord, sent.ord));
}

/* For the peer: its own value, or one that fits the device's. */
static uint64_t depth(const uint64_t *s, enum stream_number own,
		      enum stream_number dut)
{
	return s[own] ? s[own] : s[dut];
}

static void connect(struct performer *w, unsigned i)
{
	const uint64_t *s = w->p->stream[i];
	const struct frame *f;
	struct stream_opts o = {
		.crc = s[STREAM_CRC_OFF] ? OFF : ON,
		.dut_crc = s[STREAM_CRC_OFF] ? OFF : 0, /* or unchanged */
		.markers = s[STREAM_MARKERS],
		.dut_markers = s[STREAM_DUT_MARKERS],
		.enhanced = s[STREAM_ENHANCED],
		.rtr = (unsigned)s[STREAM_RTR],
		.dut_rtr = (unsigned)s[STREAM_DUT_RTR],
		.plain_rev2 = s[STREAM_REVISION_2],
		.ird = (unsigned)depth(s, STREAM_PEER_IRD, STREAM_ORD),
		.ord = (unsigned)depth(s, STREAM_PEER_ORD, STREAM_IRD),
		.dut_ird = (unsigned)s[STREAM_IRD],
		.dut_ord = (unsigned)s[STREAM_ORD],
		.private_data = pattern(w->t, s[STREAM_PRIVATE], i),
		.private_octets = s[STREAM_PRIVATE],
		.dut_private_data =
			pattern(w->t, s[STREAM_DUT_PRIVATE], 20 + i),
		.dut_private_octets = s[STREAM_DUT_PRIVATE],
		.mss = (unsigned)s[STREAM_MSS],
	};

	if (s[STREAM_FAULT]) {
		startup_is_wrong(w->t, s, &o);
		w->stream[i].over = true;
		return;
	}
	w->stream[i].number = case_connects(
		w->t, s[STREAM_INITIATES] ? INITIATOR : RESPONDER, &o);
	if (!may_send(w->t) || was_opened_by_send(w->t)) {
		w->stream[i].over = true;
		return;
	}
	/* Its RTR opens the stream; one that is a Read is answered. */
	if (s[STREAM_INITIATES] && s[STREAM_RTR] && (f = next_frame(w->t))) {
		answer(w, &w->stream[i], f);
		lets_go(w->t);
	}
	check_told(w, s, &o);
}

static void register_used(struct performer *w)
{
	unsigned used = program_regions_used(w->p), n = 0;
	struct region_opts opts[PROGRAM_REGIONS];
	const uint8_t *octets[PROGRAM_REGIONS];
	struct region made[PROGRAM_REGIONS];

	for (unsigned i = 0; i < w->p->regions; i++) {
		const uint64_t *r = w->p->region[i];

		if (!(used & 1u << i))
			continue;
		opts[n] = (struct region_opts){
			.len = r[REGION_LEN],
			.access = (unsigned)r[REGION_ACCESS],
			.align = r[REGION_ALIGN] ? 1u << r[REGION_ALIGN] : 0,
			.skew = (unsigned)r[REGION_SKEW],
			.zero_based = r[REGION_ZERO_BASED]};
		octets[n++] = pattern(w->t, r[REGION_LEN], 50 + i);
	}
	dut_registers_each(w->t, opts, octets, n, made);
	for (unsigned i = w->p->regions; i--;)
		if (used & 1u << i)
			w->region[i] = made[--n];
}

/* --- results that are due ------------------------------------------------- */

static void check_receive(struct performer *w, const struct due_receive *r)
{
	struct test *t = w->t;
	const struct step *s = r->step;

	if (s->op == PEER_IMMEDIATE) {
		case_must(t, RDMAPX_6_1_01, delivered_imm(r->sink, r->octets));
		return;
	}
	case_must(t, DDP_4_1_02, delivered(r->sink, r->octets, r->n));
	if (s->n[STEP_INV] && agent_tells_invalidated(t))
		case_must(t, RDMAP_5_3_21,
			  tells_invalidated(
				  r->sink, w->region[s->n[STEP_INV] - 1].stag));
}

static void check_work(struct performer *w, struct on_one *on,
		       const struct due_work *d)
{
	struct test *t = w->t;
	struct completion c = dut_completes(t, d->id);

	if (d->has_value)
		case_must(t, RDMAPX_5_2_2_06,
			  completed_with_value(d->id, d->value));
	else if (d->step->op == DUT_READS)
		case_must(t, RDMAP_5_2_2_03, completed(d->id));
	else
		case_must(t, RDMAP_5_5_11, completed(d->id));
	if (c.came && on->any_order)
		case_must(t, RDMAP_5_5_11,
			  holds("work completes in the order it was posted",
				c.order > on->last_order));
	on->last_order = c.order;
	on->any_order = c.came;
}

static bool touches(const struct step *s, unsigned region, uint64_t octet)
{
	uint64_t n = step_span(s);

	/* All octets of a message that is too long for its buffer. */
	if (s->n[STEP_FAULT] == FAULT_TOO_LONG)
		n = s->n[STEP_LEN];
	return step_region(s) == region && s->op != PEER_READS &&
	       octet >= s->n[STEP_OFF] && octet - s->n[STEP_OFF] < n;
}

/* The requirement behind the value of an octet of a region: that of the step
 * that has changed it last. */
static struct req_must row_of(const struct program *p, unsigned region,
			      uint64_t octet)
{
	const struct step *last = NULL;

	for (unsigned i = 0; i < p->steps; i++)
		if (touches(&p->step[i], region, octet))
			last = &p->step[i];
	if (last && (last->n[STEP_FAULT] == FAULT_CRC ||
		     last->n[STEP_FAULT] == FAULT_CRC_SWAPPED))
		return MPA_4_4_16;
	if (last && last->op == PEER_ADDS)
		return last->n[STEP_A_MASK] ? RDMAPX_5_1_1_08 : RDMAPX_5_1_1_01;
	if (last && last->op == PEER_SWAPS)
		return last->n[STEP_A_MASK] != UINT64_MAX   ? RDMAPX_5_1_2_03
		       : last->n[STEP_B_MASK] != UINT64_MAX ? RDMAPX_5_1_2_06
							    : RDMAPX_5_1_2_01;
	if (last && last->op == DUT_READS)
		return RDMAP_5_2_2_03;
	if (last && last->n[STEP_FAULT] == FAULT_TOO_LONG)
		return DDP_7_1_09;
	if (last && last->n[STEP_INTO])
		return DDP_4_1_02;
	return DDP_4_1_01;
}

/* An octet of this region that was changed last, if any was. */
static size_t changed_last(const struct program *p, unsigned region)
{
	size_t at = 0;

	for (unsigned i = 0; i < p->steps; i++)
		if (touches(&p->step[i], region, p->step[i].n[STEP_OFF]))
			at = p->step[i].n[STEP_OFF];
	return at;
}

static void check_region(struct performer *w, unsigned i, size_t at)
{
	if (w->so_far->due)
		w->so_far->due(w->so_far->user, i,
			       memory_due(w->t, w->region[i]), w->region[i].len,
			       row_of(w->p, i,
				      at < w->region[i].len
					      ? at
					      : changed_last(w->p, i))
				       .index);
	case_must(w->t, row_of(w->p, i, at), memory_as_due(w->region[i], at));
}

static void check_memory(struct performer *w)
{
	unsigned used = program_regions_used(w->p), n = 0;
	unsigned number[PROGRAM_REGIONS];
	struct region r[PROGRAM_REGIONS];
	size_t at[PROGRAM_REGIONS];

	/* One for the results of the device's atomics holds what its interface
	 * makes of them. */
	for (unsigned i = 0; i < w->p->regions; i++)
		if (used & 1u << i &&
		    w->p->region[i][REGION_ACCESS] != FOR_RESULTS) {
			r[n] = w->region[i];
			number[n++] = i;
		}
	memories_differ(w->t, r, n, at);
	for (unsigned i = 0; i < n; i++)
		check_region(w, number[i], at[i]);
}

/* The writes of this stream are finished: all, or only those of the peer. */
static void are_placed(struct performer *w, const struct on_one *s, bool all)
{
	for (unsigned i = 0; i < w->p->regions; i++) {
		struct spans *writing = &w->writing[i];
		unsigned left = 0;

		if (&w->stream[w->p->region[i][REGION_STREAM]] != s)
			continue;
		for (unsigned k = 0; !all && k < writing->n; k++)
			if (writing->span[k].by_device ||
			    writing->span[k].received)
				writing->span[left++] = writing->span[k];
		writing->n = left;
	}
}

/* The device has processed everything that the peer has sent so far. */
static void fence(struct performer *w, struct on_one *s)
{
	on_stream(w->t, s->number);
	case_insists(w->t, RDMAP_5_2_1_16, stream_works());
	/* If no Read may be sent, none was sent with it. */
	lets_go(w->t);
	answer_what_is_here(w, s);
	are_placed(w, s, false);
}

/* The RFCs do not define the rest of a receive buffer that its message does not
 * fill (RFC 5040 s5.3), nor whether Immediate Data goes into the buffer (RFC
 * 7306 s6): the expected octets are set to those found. */
static void refill_rests(struct performer *w, struct on_one *s)
{
	if (s->rests)
		dut_refills(w->t, s->rest, s->rests);
	s->rests = 0;
}

/* Everything due has arrived, and is correct. */
static void settle(struct performer *w, struct on_one *s)
{
	struct test *t = w->t;
	const struct frame *f;

	on_stream(t, s->number);
	dut_gets_work(t);
	fence(w, s);
	while (!has_ended(t) && (answers_due(t) || works_unsent(t))) {
		lets_go(t);
		if (!(f = next_frame(t)))
			break;
		answer(w, s, f);
	}
	lets_go(t);
	if (answers_due(t))
		case_must(t, RDMAP_5_2_1_09,
			  none_left("Requests that were not answered",
				    answers_due(t)));
	if (works_unsent(t))
		case_must(t, RDMAP_5_5_10,
			  none_left("messages posted that were not sent",
				    works_unsent(t)));
	if (twin_is_due(t))
		fence(w, s);
	for (unsigned i = 0; i < s->works; i++)
		awaits_twin(t, s->work[i].id);
	for (unsigned i = 0; i < s->receives; i++)
		check_receive(w, &s->receive[i]);
	for (unsigned i = 0; i < s->works; i++)
		check_work(w, s, &s->work[i]);
	s->receives = s->works = s->answered = 0;
	refill_rests(w, s);
	/* Complete messages were placed. */
	are_placed(w, s, true);
}

/* The device need not show its host what a Write has placed before it delivers
 * a message behind it (RFC 5040 s5.5): a Send of the peer, for which no buffer of
 * another is posted. */
static void show_writes(struct performer *w, struct on_one *s)
{
	static const uint8_t octet[1] = {0x77};
	struct sink sink;

	on_stream(w->t, s->number);
	if (!s->writes || s->next != s->posted || has_ended(w->t))
		return;
	sink = dut_posts_recv(w->t, 1);
	peer_sends(w->t, SEND_KIND(RDMAP_SEND, octet, 1));
	case_must(w->t, DDP_4_1_02, delivered(sink, octet, 1));
	s->writes = false;
}

/* The stream ends: what was not shown need never be. */
static void show_or_open(struct performer *w, struct on_one *s)
{
	show_writes(w, s);
	for (unsigned i = 0; s->writes && i < w->p->regions; i++)
		if (&w->stream[w->p->region[i][REGION_STREAM]] == s)
			octets_are_open(w->t, w->region[i], 0,
					w->region[i].len);
	s->writes = false;
}

/* Octets that a Write has changed before its fault need never be seen. */
static void open_changed(struct performer *w, struct region r,
			 const uint8_t *before)
{
	const uint8_t *now = octets_due(w->t, r, 0, r.len);
	size_t from = 0, to = r.len;

	while (from < to && now[from] == before[from])
		from++;
	while (to > from && now[to - 1] == before[to - 1])
		to--;
	if (from < to)
		octets_are_open(w->t, r, from, to - from);
}

/* One that has to be waited for longest. */
static const struct span *overlapped(const struct spans *s, struct span a)
{
	const struct span *found = NULL;

	for (unsigned i = 0; i < s->n; i++) {
		const struct span *b = &s->span[i];

		if (a.from >= b->to || b->from >= a.to)
			continue;
		if (b->received)
			return b;
		if (!found || b->by_device)
			found = b;
	}
	return found;
}

static void add_span(struct spans *s, struct span a)
{
	for (unsigned i = 0; a.atomic && i < s->n; i++)
		if (s->span[i].atomic && s->span[i].from == a.from)
			return;
	s->span[s->n++] = a;
}

/* The RFCs do not define in which order the octets of consecutive messages are
 * placed (RFC 5040 s5.5, appendix B), nor whether an atomic comes before the
 * placement of what follows it: messages that share octets are not on their way
 * at the same time; and a receive buffer is read only when it is complete.
 * Atomics of one stream are in order. */
static void keep_apart(struct performer *w, struct on_one *on,
		       const struct step *s)
{
	unsigned region = step_region(s);
	struct span a = {.from = s->n[STEP_OFF],
			 .to = s->n[STEP_OFF] + step_span(s),
			 .by_device = s->op == DUT_READS,
			 .received = s->n[STEP_INTO],
			 .atomic = s->op == PEER_ADDS || s->op == PEER_SWAPS};
	bool places = s->op == PEER_WRITES || a.by_device || a.received;
	const struct span *b;

	if (region == PROGRAM_REGIONS || a.from == a.to)
		return;
	struct spans *writing = &w->writing[region];

	if ((a.received || a.by_device) && on->writes) {
		settle(w, on);
		show_writes(w, on);
	}
	b = overlapped(writing, a);
	if (b && (b->received || (places && b->by_device)))
		settle(w, on);
	else if ((places || a.atomic) && writing->n == SPANS)
		settle(w, on);
	else if (b && places)
		fence(w, on);
	if (places || a.atomic)
		add_span(writing, a);
}

/* --- steps of the peer ------------------------------------------------------------------ */

static struct recv_wanted buffer_for(const struct performer *w,
				     const struct step *s)
{
	struct recv_wanted r = {.len = (uint32_t)step_buffer(s)};

	if (s->n[STEP_INTO]) {
		r.in = &w->region[s->n[STEP_INTO] - 1];
		r.off = s->n[STEP_OFF];
	}
	return r;
}

static bool takes_receive(const struct step *s)
{
	return s->op == PEER_SENDS || s->op == PEER_IMMEDIATE;
}

/* Buffers for the messages that arrive on this stream before it is checked
 * again. */
static void post_ahead(struct performer *w, struct on_one *s, unsigned from)
{
	struct recv_wanted want[BATCH];
	unsigned n = 0, stream = (unsigned)(s - w->stream);
	bool writes = s->writes;

	for (unsigned i = from; i < w->p->steps && n < w->batch - s->receives;
	     i++) {
		const struct step *next = &w->p->step[i];

		if (next->n[STEP_STREAM] != stream)
			continue;
		/* Before other messages into regions, Writes are shown. */
		if (next->op == SETTLE ||
		    (n && writes &&
		     (next->n[STEP_INTO] || next->op == DUT_READS)))
			break;
		writes |= next->op == PEER_WRITES;
		if (takes_receive(next))
			want[n++] = buffer_for(w, next);
	}
	s->sinks = dut_posts_recv_each(w->t, want, n);
	s->posted = n;
	s->next = 0;
}

static struct sink next_sink(struct performer *w, struct on_one *s, unsigned at)
{
	if (s->receives == w->batch)
		settle(w, s);
	if (s->next == s->posted)
		post_ahead(w, s, at);
	return sink_at(s->sinks, s->next++);
}

static struct msg message_of(struct performer *w, struct on_one *on,
			     const struct step *s, const uint8_t *octets,
			     size_t n)
{
	static const uint8_t sends[2][2] = {{RDMAP_SEND, RDMAP_SEND_INV},
					    {RDMAP_SEND_SE, RDMAP_SEND_SE_INV}};
	struct region r =
		s->n[STEP_SHARED] ? w->shared : w->region[s->n[STEP_REGION]];
	uint64_t inv = s->n[STEP_INV];
	size_t segment = segment_of(w, on, s->n[STEP_SEGMENT]);
	struct msg m;

	switch (s->op) {
	case PEER_SENDS:
		return SEND_KIND(sends[s->n[STEP_SE]][inv != 0], octets, n,
				 .inval = inv ? w->region[inv - 1].stag : 0,
				 .segment = segment);
	case PEER_WRITES:
		return WRITE(r, s->n[STEP_OFF], octets, n, .segment = segment);
	case PEER_READS:
		m = READ(r, s->n[STEP_OFF], (uint32_t)n);
		if (s->n[STEP_TO])
			m.read.sink_to = s->n[STEP_TO];
		return m;
	case PEER_ADDS:
		return FETCHADD(r, s->n[STEP_OFF], s->n[STEP_A],
				s->n[STEP_A_MASK]);
	case PEER_SWAPS:
		return CMPSWAP_MASKED(r, s->n[STEP_OFF], s->n[STEP_A],
				      s->n[STEP_A_MASK], s->n[STEP_B],
				      s->n[STEP_B_MASK]);
	default:
		if (s->n[STEP_SE])
			return IMM_SE(octets);
		return IMM(octets);
	}
}

/* The octets that it carries. */
static const uint8_t *payload_of(struct performer *w, const struct step *s,
				 size_t *n)
{
	uint8_t imm[8];

	*n = s->n[STEP_LEN];
	if (s->op != PEER_IMMEDIATE)
		return s->op == PEER_READS ? NULL
					   : pattern(w->t, *n, w->salt++);
	*n = 8;
	for (unsigned i = 0; i < 8; i++)
		imm[i] = (uint8_t)(s->n[STEP_B] >> (56 - 8 * i));
	return memcpy((void *)(uintptr_t)pattern(w->t, 8, 0), imm, 8);
}

/* Small pieces only once, at the beginning: cutting a whole write costs more
 * than it shows. */
static struct cuts cuts_of(const struct step *s)
{
	enum { LARGE = 256 };

	return s->n[STEP_CUT] < LARGE ? CUT_AFTER(s->n[STEP_CUT])
				      : CUT_EVERY(s->n[STEP_CUT]);
}

/* The last segment stays last; the others are sent in reverse order. */
static void send_backwards(struct performer *w, const struct send_opts *o,
			   bool tagged)
{
	const struct msg *m = &o->msg;
	size_t last = (m->n - 1) / m->segment;

	for (size_t i = 0; i <= last; i++) {
		size_t at = (i < last ? last - 1 - i : last) * m->segment;
		struct send_opts part = *o;

		part.msg.octets = (const uint8_t *)m->octets + at;
		part.msg.n = m->n - at < m->segment ? m->n - at : m->segment;
		part.msg.keeps_msn = !tagged && i < last;
		if (i < last)
			part.msg.l = IS(0);
		if (tagged)
			part.msg.to += at;
		else
			part.msg.mo = IS(at);
		case_peer_sends(w->t, &part);
	}
}

/* After a fault it is unknown which octets of the message are in its buffer;
 * the octets around it do not change. */
static void open_buffer(struct performer *w, const struct step *s)
{
	if (s->n[STEP_INTO])
		octets_are_open(w->t, w->region[s->n[STEP_INTO] - 1],
				s->n[STEP_OFF], step_buffer(s));
}

/* What its message will leave of a buffer in a region. */
static void note_rest(struct performer *w, struct on_one *on,
		      const struct step *s)
{
	size_t filled = s->op == PEER_IMMEDIATE ? 0 : s->n[STEP_LEN];
	size_t off = s->n[STEP_OFF] + filled, n = step_buffer(s) - filled;
	struct region r;

	if (!s->n[STEP_INTO] || s->n[STEP_FAULT] || !n)
		return;
	r = w->region[s->n[STEP_INTO] - 1];
	on->rest[on->rests++] =
		(struct refill){.r = r,
				.off = off,
				.n = n,
				.octets = octets_due(w->t, r, off, n)};
}

static void peer_step(struct performer *w, struct on_one *on, unsigned at)
{
	const struct step *s = &w->p->step[at];
	struct due_receive due = {.step = s};
	const uint8_t *before = NULL;
	bool faulty = s->n[STEP_FAULT];

	if (s->n[STEP_SHARED] && !w->history)
		return;

	/* A region is not used any more when its STag is invalidated. */
	if (s->n[STEP_INV] || faulty) {
		settle(w, on);
		if (has_ended(w->t))
			return;
	}
	if (faulty)
		show_or_open(w, on);
	if (faulty && s->op == PEER_WRITES)
		before = octets_due(w->t, w->region[s->n[STEP_REGION]], 0,
				    w->region[s->n[STEP_REGION]].len);
	if (takes_receive(s))
		due.sink = next_sink(w, on, at);
	note_rest(w, on, s);
	due.octets = payload_of(w, s, &due.n);
	struct send_opts o = {.msg = message_of(w, on, s, due.octets, due.n),
			      .hold = s->n[STEP_HOLD],
			      .cuts = cuts_of(s)};

	if (faulty)
		fault_put(w->t,
			  &(struct fault_place){
				  .step = s,
				  .region = &w->region[s->n[STEP_REGION]],
				  .others = w->region,
				  .count = w->p->regions},
			  &o.msg);
	if (s->n[STEP_SHARED])
		case_peer_asks(w->t, w->history, &o);
	else if (s->n[STEP_BACKWARDS])
		send_backwards(w, &o, s->op == PEER_WRITES);
	else
		case_peer_sends(w->t, &o);
	if (faulty) {
		open_buffer(w, s);
		judge_fault(w->t);
		if (before)
			open_changed(w, w->region[s->n[STEP_REGION]], before);
		on->over = true;
	} else if (takes_receive(s)) {
		on->receive[on->receives++] = due;
	}
	on->writes |= !faulty && s->op == PEER_WRITES && s->n[STEP_LEN];
}

/* --- steps of the device --------------------------------------------------------------------- */

static struct post work_of(struct performer *w, const struct step *s)
{
	const struct region *r = &w->region[s->n[STEP_REGION]];
	size_t n = s->n[STEP_LEN];
	struct post p = {.ahead = true,
			 .se = s->n[STEP_SE],
			 .fence = s->n[STEP_FENCE],
			 .rstag = PEER_STAG,
			 .rto = s->n[STEP_TO] ? s->n[STEP_TO] : PEER_TO,
			 .len = n};
	uint8_t *imm = (uint8_t *)(uintptr_t)pattern(w->t, 8, 0);

	for (unsigned i = 0; i < 8; i++)
		imm[i] = (uint8_t)(s->n[STEP_B] >> (56 - 8 * i));
	switch (s->op) {
	case DUT_SENDS:
		p.op = POST_OP_SEND;
		p.octets = pattern(w->t, n, w->salt++);
		p.invalidate = s->n[STEP_INV];
		p.inv = PEER_STAG + 1;
		break;
	case DUT_WRITES:
		p.op = POST_OP_WRITE;
		p.octets = pattern(w->t, n, w->salt++);
		break;
	case DUT_WRITES_IMMEDIATE:
		p.op = POST_OP_WRITE_IMM;
		p.octets = pattern(w->t, n, w->salt++);
		p.imm = imm;
		break;
	case DUT_IMMEDIATE:
		p.op = POST_OP_IMM;
		p.imm = imm;
		break;
	case DUT_READS:
		p.op = POST_OP_READ;
		p.local = r;
		p.off = s->n[STEP_OFF];
		break;
	case DUT_ADDS:
		p.op = POST_OP_FETCHADD;
		p.local = r;
		p.off = s->n[STEP_OFF];
		p.len = 8;
		p.add = s->n[STEP_A];
		p.mask = s->n[STEP_A_MASK];
		break;
	default:
		p.op = POST_OP_CMPSWAP;
		p.local = r;
		p.off = s->n[STEP_OFF];
		p.len = 8;
		p.masks = true;
		p.compare = s->n[STEP_A];
		p.compare_mask = s->n[STEP_A_MASK];
		p.swap = s->n[STEP_B];
		p.swap_mask = s->n[STEP_B_MASK];
		break;
	}
	return p;
}

static void dut_step(struct performer *w, struct on_one *on,
		     const struct step *s)
{
	bool atomic = s->op == DUT_ADDS || s->op == DUT_SWAPS;

	if (on->works == w->posts)
		settle(w, on);
	if (has_ended(w->t))
		return;
	struct due_work d = {
		.step = s, .has_value = atomic, .value = perform_value(s)};

	/* Its place is known before the device may ask. */
	d.id = dut_posts(w->t, work_of(w, s));
	on->work[on->works++] = d;
	answer_what_is_here(w, on);
}

/* --- words that streams share ---------------------------------------------------------------- */

static bool shares(const struct program *p)
{
	for (unsigned i = 0; i < p->steps; i++)
		if (p->step[i].n[STEP_SHARED])
			return true;
	return false;
}

/* First on one stream, that each operation does what it should: the result for
 * several streams depends on this. */
static void begin_sharing(struct performer *w)
{
	enum { WORD = SHARED_WORDS * 8 };
	const uint64_t both = 0x0000000100000001ull;
	struct test *t = w->t;

	if (!shares(w->p))
		return;
	on_stream(t, w->stream[0].number);
	w->shared = dut_registers(t, .len = WORD + 8, .raced = true,
				  .access = FOR_ATOMICS);
	w->history = history_of(t, w->shared, SHARED_WORDS);
	peer_sends(t, FETCHADD(w->shared, WORD, both, 0));
	case_insists(t, RDMAP_5_2_1_16, stream_works());
	case_insists(t, RDMAPX_5_1_1_01, word_is(w->shared, WORD, both));
	peer_sends(t, CMPSWAP(w->shared, WORD, both, both + 1));
	case_insists(t, RDMAP_5_2_1_16, stream_works());
	case_insists(t, RDMAPX_5_1_2_01, word_is(w->shared, WORD, both + 1));
	while (frame_is_here(t) && next_frame(t))
		continue; /* their Responses, which the model has judged */
}

static void end_sharing(struct performer *w)
{
	unsigned streams = 0;

	for (unsigned i = 0; i < w->p->steps; i++)
		if (w->p->step[i].n[STEP_SHARED])
			streams |= 1u << w->p->step[i].n[STEP_STREAM];
	/* The order on one stream is known, and the model judges it. */
	if (!w->history || !(streams & (streams - 1)))
		return;
	case_insists(w->t, RDMAPX_5_3_01, has_one_order(w->history));
	case_must(w->t, RDMAPX_5_2_1_24, has_one_order_by_stream(w->history));
}

/* --- the whole ---------------------------------------------------------------------------------- */

/* Inside an FPDU. */
static void break_off(struct performer *w, const struct step *s)
{
	struct test *t = w->t;

	dut_posts_recv(t, 64);
	peer_sends(t, SEND("partial"), .keep_last = s->n[STEP_CUT]);
	if (s->op == PEER_RESETS)
		peer_resets(t);
	else
		peer_closes(t);
	case_must(t, MPA_8_01, agent_sees_fatal_end());
}

/* The requests on the other streams were answered, so that the device's first
 * action is the same each time. */
static void wait_for_others(struct performer *w, const struct on_one *own)
{
	unsigned used = program_streams_used(w->p);
	const struct frame *f;

	for (unsigned i = 0; i < w->p->streams; i++) {
		struct on_one *s = &w->stream[i];

		if (s == own || s->over || !(used & 1u << i))
			continue;
		on_stream(w->t, s->number);
		peer_goes_on(w->t); /* nothing is kept back */
		while (!has_ended(w->t) && answers_due(w->t) &&
		       (f = next_frame(w->t)))
			answer(w, s, f);
		/* Nothing else shows that a Send was taken. */
		if (!has_ended(w->t) && s->receives)
			dut_receives(w->t, s->receive[s->receives - 1].sink);
	}
	on_stream(w->t, own->number);
}

static void end_step(struct performer *w, struct on_one *on,
		     const struct step *s)
{
	struct test *t = w->t;

	settle(w, on);
	if (has_ended(t))
		return;
	show_or_open(w, on);
	if (s->n[STEP_CUT]) {
		break_off(w, s);
		on->over = true;
		return;
	}
	switch (s->op) {
	case PEER_TERMINATES:
		peer_sends(t, TERMINATE(TERM_RDMA, 1, 0x00));
		peer_closes(t);
		case_must(t, RDMAP_5_4_04,
			  agent_sees_terminate(TERM_RDMA, 1, 0x00));
		case_must(t, RDMAP_7_01, tcp_closed());
		break;
	case PEER_CLOSES:
		peer_closes(t);
		case_should(t, MPA_7_2_01, agent_sees_end());
		break;
	case PEER_RESETS:
		peer_resets(t);
		case_must(t, DDP_6_2_2_01, agent_sees_fatal_end());
		break;
	default:
		dut_closes(t);
		case_must(t, MPA_7_2_02, end_after_whole_fpdu());
		break;
	}
	on->over = true;
}

static void step(struct performer *w, unsigned at)
{
	const struct step *s = &w->p->step[at];
	struct on_one *on = &w->stream[s->n[STEP_STREAM]];

	if (on->over)
		return;
	on_stream(w->t, on->number);
	if (s->n[STEP_TURN])
		wait_for_others(w, on);
	keep_apart(w, on, s);
	if (has_ended(w->t))
		on->over = true;
	else if (step_ends(s->op))
		end_step(w, on, s);
	else if (s->op == SETTLE)
		settle(w, on);
	else if (s->op < DUT_SENDS)
		peer_step(w, on, at);
	else
		dut_step(w, on, s);
	on->over |= has_ended(w->t);
	w->so_far->operations += s->op < SETTLE;
}

static void run(struct test *t, const void *row)
{
	struct performance *so_far = (struct performance *)(uintptr_t)row;
	static struct performer worker;
	struct performer *w = &worker;
	unsigned streams = program_streams_used(so_far->program);

	memset(w, 0, sizeof(*w));
	w->t = t;
	w->p = so_far->program;
	w->batch = dut_max_recvs(t, BATCH);
	w->posts = dut_max_posts(t, POSTS);
	w->so_far = so_far;
	so_far->operations = 0;
	for (unsigned i = 0; i < w->p->streams; i++)
		if (streams & 1u << i)
			connect(w, i);
	register_used(w);
	if (!w->stream[0].over && streams & 1)
		begin_sharing(w);
	for (unsigned i = 0; i < w->p->steps; i++)
		step(w, i);
	for (unsigned i = 0; i < w->p->streams; i++)
		if (streams & 1u << i && !w->stream[i].over) {
			settle(w, &w->stream[i]);
			show_or_open(w, &w->stream[i]);
		}
	all_settle(t);
	end_sharing(w);
	check_memory(w);
}

struct instance perform_as(struct performance *p, const char *id)
{
	static const struct case_desc desc = {
		.file = "suite/explore/perform/perform.c",
		.name = "program",
		.title = "a random program",
		.role = RESPONDER,
		.run = run,
	};
	static const unsigned short reqs[] = {0};

	return (struct instance){.id = id,
				 .title = desc.title,
				 .desc = &desc,
				 .row = p,
				 .role = RESPONDER,
				 .reqs = reqs,
				 .level = "MUST"};
}
