/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/explore/generate.h"

#include <string.h>

#include "suite/language/case.h"

enum { SHORT_ONES = 512, SHORT = 12 }; /* programs; steps */

struct source {
	const struct generate_options *o;
	struct program *p;
	uint64_t state;
	bool in_turn;    /* one stream waits for the other: */
	uint64_t stream; /* the one whose turn it is */
};

/* --- chance --------------------------------------------------------------------- */

static uint64_t below(struct source *g, uint64_t n)
{
	return n ? dimension_random(&g->state) % n : 0;
}

static bool one_in(struct source *g, uint64_t n)
{
	return below(g, n) == 0;
}

/* What makes both ends wait for each other costs so much that long programs are
 * seldom so. */
static bool one_in_or_less(struct source *g, uint64_t n)
{
	return one_in(g, g->p->number < SHORT_ONES ? n : 3 * n);
}

/* A value of a dimension, within the requested bounds, and within these if any
 * is left. */
static uint64_t draw(struct source *g, enum dimension d, uint64_t low,
		     uint64_t high)
{
	uint64_t from = g->o->low[d] > low ? g->o->low[d] : low;
	uint64_t to = g->o->high[d] < high ? g->o->high[d] : high;

	return from < to      ? dimension_draw(d, from, to, &g->state)
	       : from <= high ? from
			      : high;
}

static bool claims(const struct source *g, uint64_t needs)
{
	return (g->o->device.claims & needs) == needs;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* --- streams and regions ----------------------------------------------------------- */

static uint64_t some_rtr(struct source *g)
{
	unsigned has = (claims(g, NEED_RTR_SEND) ? RTR_SEND : 0) |
		       (claims(g, NEED_RTR_WRITE) ? RTR_WRITE : 0) |
		       (claims(g, NEED_RTR_READ) ? RTR_READ : 0);
	unsigned some = (unsigned)below(g, 8) & has;

	/* The device chooses whether an empty Send as RTR consumes a receive
	 * buffer: then the use of the next buffer is unknown. */
	return claims(g, NEED_P2P) && some != RTR_SEND ? some : 0;
}

/* A device without room for 512 octets may refuse a longer text (RFC 5044
 * s7.1.2 rule 9), and enhanced data takes four octets of its room. */
static uint64_t most_private(const struct source *g, const uint64_t *s,
			     bool of_peer)
{
	uint64_t most = g->o->device.max_private;

	if (of_peer && most < 512)
		most -= least(most, 4);
	return least(most, s[STREAM_ENHANCED] ? 508 : 512);
}

static void make_stream(struct source *g, uint64_t *s)
{
	const struct explore_device *d = &g->o->device;
	bool both = claims(g, NEED_INITIATOR) && claims(g, NEED_RESPONDER);

	s[STREAM_INITIATES] = both ? one_in(g, 3) : claims(g, NEED_INITIATOR);
	s[STREAM_ENHANCED] = claims(g, NEED_MPA_V2) &&
			     (one_in(g, 2) || !claims(g, NEED_MPA_V1));
	if (s[STREAM_ENHANCED] && one_in(g, 2))
		s[STREAM_RTR] = some_rtr(g);
	s[STREAM_CRC_OFF] = claims(g, NEED_CRC_OFF) && one_in(g, 6);
	s[STREAM_MARKERS] = claims(g, NEED_MARKERS_TX) && one_in(g, 3);
	s[STREAM_DUT_MARKERS] = claims(g, NEED_MARKERS_RX) && one_in(g, 3);
	if (s[STREAM_RTR] && one_in(g, 3))
		s[STREAM_DUT_RTR] = some_rtr(g);
	s[STREAM_REVISION_2] =
		!s[STREAM_ENHANCED] && claims(g, NEED_MPA_V2) && one_in(g, 4);
	s[STREAM_IRD] = least(d->max_ird, 64);
	if (one_in_or_less(g, 2))
		s[STREAM_IRD] = draw(g, DIM_DUT_IRD, 1, s[STREAM_IRD]);
	s[STREAM_ORD] = draw(g, DIM_DUT_ORD, 1, least(d->max_ord, 64));
	if (one_in(g, 3))
		s[STREAM_PEER_IRD] = draw(g, DIM_PEER_IRD, 1, 64);
	if (one_in_or_less(g, 3))
		s[STREAM_PEER_ORD] = draw(g, DIM_PEER_ORD, 1, 64);
	for (unsigned n = STREAM_PRIVATE; n <= STREAM_DUT_PRIVATE; n++)
		if (claims(g, NEED_PRIVATE_DATA) && one_in(g, 2))
			s[n] = draw(g,
				    n == STREAM_PRIVATE ? DIM_PEER_PRIVATE
							: DIM_DUT_PRIVATE,
				    0, most_private(g, s, n == STREAM_PRIVATE));
	/* Nothing else can be done on it then. */
	if (one_in(g, g->p->number < SHORT_ONES ? 12 : 48)) {
		s[STREAM_FAULT] = 1 + below(g, STARTUP_FAULTS - 1);
		s[STREAM_FAULT_AT] = below(g, 16);
	}
	if (one_in(g, 2))
		s[STREAM_MSS] = 256 + below(g, one_in(g, 2) ? 1205 : 8745);
}

/* An operation that is not avoided; if there is none, one of no effect. */
static void make_stream_within(struct source *g, uint64_t *s)
{
	enum { ATTEMPTS = 32 };

	for (unsigned i = 0; i < ATTEMPTS; i++) {
		memset(s, 0, STREAM_NUMBERS * sizeof(*s));
		make_stream(g, s);
		if (!is_avoided_stream(g->o, s))
			return;
	}
	memset(s, 0, STREAM_NUMBERS * sizeof(*s));
	s[STREAM_INITIATES] = !claims(g, NEED_RESPONDER);
}

static void make_region(struct source *g, uint64_t *r)
{
	static const unsigned rights[] = {
		FOR_READS,
		FOR_WRITES,
		FOR_ATOMICS,
		FOR_RESULTS,
		FOR_RESPONSES,
		FOR_READS | FOR_WRITES,
		FOR_READS | FOR_WRITES | FOR_ATOMICS,
		FOR_READS | FOR_WRITES | FOR_ATOMICS,
	};

	/* In a small region several messages do not fit side by side. */
	r[REGION_LEN] =
		draw(g, DIM_REGION_OCTETS, one_in_or_less(g, 2) ? 16 : 2048,
		     least(g->o->device.max_region_len,
			   one_in(g, 8) ? 65536 : 9000));
	r[REGION_ACCESS] = rights[below(g, 8)];
	if (!claims(g, NEED_FETCHADD))
		r[REGION_ACCESS] &= ~(uint64_t)REMOTE_ATOMIC;
	if (one_in(g, 2))
		r[REGION_SKEW] = draw(g, DIM_PEER_WRITE_START, 0, 4095);
	r[REGION_ZERO_BASED] = claims(g, NEED_ZERO_BASED) && one_in(g, 4);
	r[REGION_STREAM] = below(g, g->p->streams);
}

/* --- steps ------------------------------------------------------------------------- */

static uint64_t needs_of(enum step_op op)
{
	switch (op) {
	case PEER_SENDS:
	case DUT_SENDS:
		return NEED_SEND;
	case PEER_WRITES:
	case DUT_WRITES:
		return NEED_WRITE;
	case PEER_READS:
	case DUT_READS:
		return NEED_READ;
	case PEER_ADDS:
	case DUT_ADDS:
		return NEED_FETCHADD;
	case PEER_SWAPS:
	case DUT_SWAPS:
		return NEED_CMPSWAP;
	case PEER_IMMEDIATE:
	case DUT_IMMEDIATE:
		return NEED_IMM;
	case DUT_WRITES_IMMEDIATE:
		return NEED_IMM | NEED_WRITE;
	case PEER_TERMINATES:
		return NEED_TERMINATE;
	default:
		return 0;
	}
}

static enum step_op some_op(struct source *g)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < STEP_OPS; i++)
		sum += claims(g, needs_of((enum step_op)i)) ? g->o->weight[i]
							    : 0;
	uint64_t at = below(g, sum);

	for (unsigned i = 0; i < STEP_OPS; i++) {
		unsigned w = claims(g, needs_of((enum step_op)i))
				     ? g->o->weight[i]
				     : 0;

		if (at < w)
			return (enum step_op)i;
		at -= w;
	}
	return SETTLE;
}

/* Of 64 bits: all kinds of nothing, edges, fields, and anything. */
static uint64_t some_word(struct source *g)
{
	switch (below(g, 8)) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX;
	case 2:
		return 1ull << below(g, 64);
	case 3:
		return (1ull << below(g, 64)) - 1;
	case 4:
		return 0x8080808080808080ull >> below(g, 8);
	case 5:
		return 0x8000800080008000ull >> below(g, 16);
	case 6:
		return below(g, 256);
	default:
		return dimension_random(&g->state);
	}
}

static uint64_t some_len(struct source *g, enum step_op op)
{
	static const enum dimension of[STEP_OPS] = {
		[PEER_SENDS] = DIM_PEER_SEND,
		[PEER_WRITES] = DIM_PEER_WRITE,
		[PEER_READS] = DIM_PEER_READ,
		[DUT_SENDS] = DIM_DUT_SEND,
		[DUT_WRITES] = DIM_DUT_WRITE,
		[DUT_READS] = DIM_DUT_READ,
		[DUT_WRITES_IMMEDIATE] = DIM_DUT_WRITE,
	};

	return draw(g, of[op], 0,
		    one_in(g, 16)  ? 9000
		    : one_in(g, 3) ? 3000
				   : 200);
}

static uint64_t some_to(struct source *g, enum step_op op)
{
	if (one_in(g, 2))
		return 0;
	return draw(g,
		    op == PEER_READS  ? DIM_PEER_SINK_TO
		    : op == DUT_READS ? DIM_DUT_READ_TO
				      : DIM_DUT_WRITE_TO,
		    0, UINT64_MAX);
}

/* Whose step is next: of streams that wait for each other, mostly that of the
 * one before, as each change is a round trip. */
static uint64_t some_stream(struct source *g)
{
	if (!g->in_turn || one_in(g, 3))
		g->stream = below(g, g->p->streams);
	return g->stream;
}

static void fill_segments(struct source *g, struct step *s)
{
	if (!step_has(s->op, STEP_SEGMENT) || !one_in(g, 4))
		return;
	s->n[STEP_SEGMENT] = draw(g, DIM_PEER_SEGMENT, 1, 1400);
	/* Many small segments of a long message say no more than a few. */
	if (s->n[STEP_LEN] / s->n[STEP_SEGMENT] > 50)
		s->n[STEP_SEGMENT] = s->n[STEP_LEN] / 50 + 1;
}

/* The receive buffer, in a region or not: as long as its message, or with room
 * for more. */
static void fill_buffer(struct source *g, struct step *s)
{
	if (!step_has(s->op, STEP_INTO))
		return;
	if (claims(g, NEED_RECV_LOCAL) && one_in(g, 16))
		s->n[STEP_INTO] = 1 + below(g, PROGRAM_REGIONS);
	if (one_in(g, s->n[STEP_INTO] ? 4 : 2))
		s->n[STEP_ROOM] =
			one_in(g, 3) ? 1 : draw(g, DIM_RECEIVE, 0, 512);
}

static void fill_words(struct source *g, struct step *s)
{
	static const enum step_number words[] = {STEP_A, STEP_A_MASK, STEP_B,
						 STEP_B_MASK};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (step_has(s->op, words[i]))
			s->n[words[i]] = some_word(g);
}

static void fill(struct source *g, struct step *s)
{
	bool masked = claims(g, NEED_MASKED_ATOMICS);

	s->n[STEP_STREAM] = some_stream(g);
	s->n[STEP_REGION] = below(g, PROGRAM_REGIONS);
	if (step_has(s->op, STEP_OFF))
		s->n[STEP_OFF] = draw(g, DIM_DUT_SINK_START, 0,
				      one_in(g, 2) ? 64 : 9000);
	if (step_has(s->op, STEP_LEN))
		s->n[STEP_LEN] = some_len(g, s->op);
	if (step_has(s->op, STEP_TO))
		s->n[STEP_TO] = some_to(g, s->op);
	fill_segments(g, s);
	s->n[STEP_CUT] =
		one_in_or_less(g, 24) ? draw(g, DIM_PEER_CUT, 1, 1500) : 0;
	fill_buffer(g, s);
	s->n[STEP_INV] = one_in(g, 24) && claims(g, NEED_SEND_INV)
				 ? 1 + below(g, PROGRAM_REGIONS)
				 : 0;
	fill_words(g, s);
	s->n[STEP_SE] =
		one_in(g, 4) &&
		claims(g, s->op == PEER_IMMEDIATE || s->op == DUT_IMMEDIATE
				  ? NEED_IMM_SE
			  : s->n[STEP_INV] ? NEED_SEND_SE_INV
					   : NEED_SEND_SE);
	s->n[STEP_FENCE] = one_in(g, 5);
	s->n[STEP_SHARED] = g->p->streams > 1 && one_in(g, 3);
	s->n[STEP_HOLD] = !one_in(g, 32) && !s->n[STEP_CUT];
	s->n[STEP_TURN] = g->in_turn;
	s->n[STEP_BACKWARDS] = s->n[STEP_SEGMENT] && one_in(g, 4);
	if (!masked) {
		s->n[STEP_A_MASK] = s->op == PEER_ADDS || s->op == DUT_ADDS
					    ? 0
					    : UINT64_MAX;
		s->n[STEP_B_MASK] = UINT64_MAX;
	}
	/* Otherwise hardly any would match. */
	if ((s->op == PEER_SWAPS || s->op == DUT_SWAPS) && masked &&
	    one_in(g, 3))
		s->n[STEP_A_MASK] = 0;
}

static bool has_all(const struct avoided *a, const uint64_t *n, unsigned count,
		    unsigned fault)
{
	uint32_t has = 0;

	for (unsigned i = 0; i < count; i++)
		has |= n[i] ? 1u << i : 0;
	return (has & a->numbers) == a->numbers &&
	       (!(a->numbers & 1u << fault) || n[fault] == a->fault);
}

bool is_avoided(const struct generate_options *o, const struct step *s)
{
	for (unsigned i = 0; i < o->avoids; i++)
		if (!o->avoided[i].stream && s->op == o->avoided[i].op &&
		    !(o->avoided[i].empty && s->n[STEP_LEN]) &&
		    has_all(&o->avoided[i], s->n, STEP_NUMBERS, STEP_FAULT))
			return true;
	return false;
}

bool is_avoided_stream(const struct generate_options *o, const uint64_t *s)
{
	for (unsigned i = 0; i < o->avoids; i++)
		if (o->avoided[i].stream &&
		    has_all(&o->avoided[i], s, STREAM_NUMBERS, STREAM_FAULT))
			return true;
	return false;
}

static void add_step(struct source *g)
{
	struct step *s = &g->p->step[g->p->steps];

	*s = (struct step){.op = some_op(g)};
	fill(g, s);
	/* Features that it lacks do not count. */
	for (unsigned n = 0; n < STEP_NUMBERS; n++)
		if (!step_has(s->op, (enum step_number)n))
			s->n[n] = 0;
	if (!is_avoided(g->o, s))
		g->p->steps++;
}

/* How some programs end: the end of a stream shows it by itself. */
static void add_end(struct source *g)
{
	static const enum step_op ends[] = {PEER_TERMINATES, PEER_CLOSES,
					    PEER_RESETS, DUT_CLOSES};
	struct step *s = &g->p->step[g->p->steps];

	*s = (struct step){.op = ends[below(g, 4)]};
	s->n[STEP_STREAM] = below(g, g->p->streams);
	if (step_has(s->op, STEP_CUT) && claims(g, NEED_SEND) && one_in(g, 2))
		s->n[STEP_CUT] = 1 + below(g, 24);
	if (claims(g, needs_of(s->op)) && !is_avoided(g->o, s))
		g->p->steps++;
}

/* The last step of some programs is one that the device has to refuse. */
static void add_fault(struct source *g)
{
	struct step *s = &g->p->step[g->p->steps];

	unsigned before = g->p->steps;
	/* All of them occur in turn. */
	enum step_fault f =
		(enum step_fault)(1 + g->p->number % (STEP_FAULTS - 1));

	/* A step that can have this one. */
	for (unsigned i = 0; i < 256 && g->p->steps == before; i++) {
		add_step(g);
		if (g->p->steps == before)
			continue;
		s->n[STEP_FAULT] = f;
		/* One octet too many, or more; and where it is detected. */
		if (f == FAULT_TOO_LONG) {
			s->n[STEP_ROOM] = below(g, 3);
			if (claims(g, NEED_RECV_LOCAL) && one_in(g, 2))
				s->n[STEP_INTO] = 1 + below(g, PROGRAM_REGIONS);
		}
		if (!step_can_have(s->op, f) || is_avoided(g->o, s))
			g->p->steps--;
	}
}

/* --- ends ------------------------------------------------------------------------- */

/* For a message to a region, close to the region's end: it reaches the end, or
 * one octet less; or it begins there, or one octet before. */
static void go_to_the_end(struct source *g, struct step *s)
{
	uint64_t end = g->p->region[step_region(s)][REGION_LEN];
	uint64_t len = step_span(s), less = below(g, 2);

	if (step_buffer(s) > s->n[STEP_LEN] || len > end)
		return;
	if (one_in(g, 6))
		s->n[STEP_OFF] = end - less;
	else if (s->n[STEP_OFF] < end - less && one_in(g, 2) &&
		 step_has(s->op, STEP_LEN))
		s->n[STEP_LEN] = end - less - s->n[STEP_OFF];
	else
		s->n[STEP_OFF] = end - len - (len < end ? less : 0);
}

static void go_to_ends(struct source *g)
{
	for (unsigned i = 0; i < g->p->steps; i++) {
		struct step *s = &g->p->step[i];

		if (step_region(s) < PROGRAM_REGIONS && one_in(g, 12))
			go_to_the_end(g, s);
	}
}

/* --- apart ------------------------------------------------------------------------ */

/* The ranges of messages to a region that may be on their way at the same time,
 * as far as known: after the last one there is room. */
struct used {
	uint64_t from, to;
};

static bool is_placed(const struct step *s)
{
	return (s->op == PEER_WRITES || s->op == DUT_READS ||
		s->n[STEP_INTO]) &&
	       step_span(s);
}

/* A message that would have to wait for earlier ones usually goes after them,
 * if there is room. */
static void spread(struct source *g)
{
	struct used used[PROGRAM_REGIONS] = {{0}};

	for (unsigned i = 0; i < g->p->steps; i++) {
		struct step *s = &g->p->step[i];
		uint64_t len = step_span(s), to = s->n[STEP_OFF] + len;

		if (!is_placed(s))
			continue;
		struct used *u = &used[step_region(s)];
		bool meets = s->n[STEP_OFF] < u->to && u->from < to;
		uint64_t end = g->p->region[step_region(s)][REGION_LEN];

		/* With as many octets as are left, the last one among them. */
		if (meets && u->to < end && u->to + len > end &&
		    !s->n[STEP_INTO] && one_in(g, 2))
			s->n[STEP_LEN] = len = end - u->to;
		if (meets && u->to + len <= end && !one_in(g, 4)) {
			s->n[STEP_OFF] = u->to;
			u->to += len;
		} else if (meets) {
			if (!one_in(g, 4))
				s->n[STEP_OFF] %= 64;
			if (s->n[STEP_OFF] + len > end)
				s->n[STEP_OFF] = 0;
			to = s->n[STEP_OFF] + len;
			*u = (struct used){s->n[STEP_OFF], to};
		} else {
			u->from = u->to && u->from < s->n[STEP_OFF]
					  ? u->from
					  : s->n[STEP_OFF];
			u->to = to > u->to ? to : u->to;
		}
	}
}

void generate_defaults(struct generate_options *o)
{
	static const unsigned weight[STEP_OPS] = {
		[PEER_SENDS] = 20,
		[PEER_WRITES] = 30,
		[PEER_READS] = 25,
		[PEER_ADDS] = 20,
		[PEER_SWAPS] = 15,
		[PEER_IMMEDIATE] = 6,
		[DUT_SENDS] = 3,
		[DUT_WRITES] = 3,
		[DUT_READS] = 3,
		[DUT_ADDS] = 2,
		[DUT_SWAPS] = 2,
		[DUT_IMMEDIATE] = 1,
		[DUT_WRITES_IMMEDIATE] = 1,
		[SETTLE] = 1,
	};

	*o = (struct generate_options){
		.steps = 1000, .streams = 2, .faults = 350};
	memcpy(o->weight, weight, sizeof(weight));
	for (unsigned d = 0; d < DIMENSION_COUNT; d++)
		o->high[d] = UINT64_MAX;
}

void generate(const struct generate_options *o, uint64_t number,
	      struct program *p)
{
	struct source g = {.o = o, .p = p, .state = o->seed};
	unsigned steps;

	g.state = dimension_random(&g.state) ^ number * 0xd1342543de82ef95ull;
	p->seed = o->seed;
	p->number = number;
	p->streams = p->regions = p->steps = 0;
	memset(p->stream, 0, sizeof(p->stream));
	memset(p->region, 0, sizeof(p->region));
	p->streams = 1 + (unsigned)(one_in(&g, 3) ? below(&g, o->streams) : 0);
	if (!claims(&g, NEED_MULTI_STREAM))
		p->streams = 1;
	g.in_turn = p->streams > 1 && one_in_or_less(&g, 2);
	for (unsigned i = 0; i < p->streams; i++)
		make_stream_within(&g, p->stream[i]);
	p->regions = 2 + (unsigned)below(&g, least(o->device.max_regions,
						   PROGRAM_REGIONS) -
						     1);
	if (p->regions > PROGRAM_REGIONS)
		p->regions = PROGRAM_REGIONS;
	for (unsigned i = 0; i < p->regions; i++)
		make_region(&g, p->region[i]);
	/* The first programs are short, so that a fault that every program
	 * meets is found by a short one; later most have the full length. */
	steps = number < SHORT_ONES || one_in(&g, 4)
			? 1 + (unsigned)below(&g,
					      number < SHORT_ONES ? SHORT : 32)
			: o->steps;
	for (unsigned i = 0; p->steps < steps && i < 4 * steps; i++)
		add_step(&g);
	if (below(&g, 1000) < (number < SHORT_ONES ? 2 : 1) * o->faults)
		add_fault(&g);
	else if (one_in(&g, 4))
		add_end(&g);
	program_fit(p);
	go_to_ends(&g);
	program_fit(p);
	spread(&g);
	/* A length that has changed may leave nothing to cut, or to turn. */
	program_fit(p);
}
