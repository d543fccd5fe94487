/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/explore/program.h"

#include "suite/language/case.h"

#define BIT(op) (1u << (op))

/* --- the meaning of the numbers ------------------------------------------- */

/* Which steps have which number, and the most it may be. */
struct number_of {
	unsigned ops;
	uint64_t most;
};

#define SENDS (BIT(PEER_SENDS) | BIT(DUT_SENDS))
#define TO_REGION                                                              \
	(BIT(PEER_WRITES) | BIT(PEER_READS) | BIT(PEER_ADDS) |                 \
	 BIT(PEER_SWAPS) | BIT(DUT_READS) | BIT(DUT_ADDS) | BIT(DUT_SWAPS))
#define PAYLOAD                                                                \
	(SENDS | BIT(PEER_WRITES) | BIT(PEER_READS) | BIT(DUT_WRITES) |        \
	 BIT(DUT_READS) | BIT(DUT_WRITES_IMMEDIATE))
#define BY_PEER                                                                \
	(BIT(PEER_SENDS) | BIT(PEER_WRITES) | BIT(PEER_READS) |                \
	 BIT(PEER_ADDS) | BIT(PEER_SWAPS) | BIT(PEER_IMMEDIATE))
#define RECEIVED (BIT(PEER_SENDS) | BIT(PEER_IMMEDIATE))
#define TO_PEER                                                                \
	(BIT(PEER_READS) | BIT(DUT_WRITES) | BIT(DUT_READS) | BIT(DUT_ADDS) |  \
	 BIT(DUT_SWAPS) | BIT(DUT_WRITES_IMMEDIATE))
#define ADDS  (BIT(PEER_ADDS) | BIT(DUT_ADDS))
#define SWAPS (BIT(PEER_SWAPS) | BIT(DUT_SWAPS))
#define IMMS                                                                   \
	(BIT(PEER_IMMEDIATE) | BIT(DUT_IMMEDIATE) | BIT(DUT_WRITES_IMMEDIATE))
#define BY_DUT                                                                 \
	(BIT(DUT_SENDS) | BIT(DUT_WRITES) | BIT(DUT_READS) | BIT(DUT_ADDS) |   \
	 BIT(DUT_SWAPS) | BIT(DUT_IMMEDIATE) | BIT(DUT_WRITES_IMMEDIATE))

enum {
	SHARED_MOST = 96, /* in a program: so that an order can be found */
	INLINE_MOST = 4096,
	SMALL_MOST = 128, /* in one segment, however small they are */
	SEGMENT_MOST = 1400,
	CUT_MOST = 2000,
	CUT_OFF_MOST = 24,
	DEPTH_MOST = 64,
	MSS_LEAST = 256,
	MSS_MOST = 9000,
	REGION_LEAST = 16, /* a word, wherever it begins */
	ROOM_MOST = 4096,
	IMM_OCTETS = 8,
};

static const struct number_of numbers[STEP_NUMBERS] = {
	[STEP_STREAM] = {~0u, PROGRAM_STREAMS - 1},
	[STEP_REGION] = {TO_REGION, PROGRAM_REGIONS - 1},
	[STEP_OFF] = {TO_REGION | RECEIVED, UINT32_MAX},
	[STEP_LEN] = {PAYLOAD, UINT32_MAX},
	[STEP_SEGMENT] = {BIT(PEER_SENDS) | BIT(PEER_WRITES), SEGMENT_MOST},
	[STEP_CUT] = {BY_PEER | BIT(PEER_CLOSES) | BIT(PEER_RESETS), CUT_MOST},
	[STEP_ROOM] = {BIT(PEER_SENDS), ROOM_MOST},
	[STEP_INTO] = {RECEIVED, PROGRAM_REGIONS},
	[STEP_TO] = {TO_PEER, UINT64_MAX},
	[STEP_INV] = {SENDS, PROGRAM_REGIONS},
	[STEP_A] = {ADDS | SWAPS, UINT64_MAX},
	[STEP_A_MASK] = {ADDS | SWAPS, UINT64_MAX},
	[STEP_B] = {SWAPS | IMMS, UINT64_MAX},
	[STEP_B_MASK] = {SWAPS, UINT64_MAX},
	[STEP_SHARED] = {BIT(PEER_ADDS) | BIT(PEER_SWAPS), 1},
	[STEP_SE] = {SENDS | BIT(PEER_IMMEDIATE) | BIT(DUT_IMMEDIATE), 1},
	[STEP_FENCE] = {BY_DUT, 1},
	[STEP_HOLD] = {BY_PEER, 1},
	[STEP_TURN] = {~0u, 1},
	[STEP_BACKWARDS] = {BIT(PEER_SENDS) | BIT(PEER_WRITES), 1},
	[STEP_FAULT] = {BY_PEER, STEP_FAULTS - 1},
};

bool step_has(enum step_op op, enum step_number n)
{
	return numbers[n].ops & BIT(op);
}

unsigned step_access(enum step_op op)
{
	static const unsigned access[STEP_OPS] = {
		[PEER_WRITES] = FOR_WRITES,  [PEER_READS] = FOR_READS,
		[PEER_ADDS] = FOR_ATOMICS,   [PEER_SWAPS] = FOR_ATOMICS,
		[DUT_READS] = FOR_RESPONSES, [DUT_ADDS] = FOR_RESULTS,
		[DUT_SWAPS] = FOR_RESULTS,
	};

	return access[op];
}

bool step_ends(enum step_op op)
{
	return op > SETTLE;
}

static bool is_atomic(enum step_op op)
{
	return (ADDS | SWAPS) & BIT(op);
}

uint64_t step_buffer(const struct step *s)
{
	uint64_t len = s->n[STEP_LEN], room = s->n[STEP_ROOM];

	if (!(RECEIVED & BIT(s->op)))
		return 0;
	if (s->op == PEER_IMMEDIATE)
		return IMM_OCTETS;
	if (s->n[STEP_FAULT] != FAULT_TOO_LONG)
		return len + room;
	return room ? len - room : len / 2;
}

unsigned step_region(const struct step *s)
{
	if (s->n[STEP_INTO])
		return (unsigned)s->n[STEP_INTO] - 1;
	return step_has(s->op, STEP_REGION) && !s->n[STEP_SHARED]
		       ? (unsigned)s->n[STEP_REGION]
		       : PROGRAM_REGIONS;
}

uint64_t step_span(const struct step *s)
{
	return s->n[STEP_INTO]    ? step_buffer(s)
	       : is_atomic(s->op) ? 8
				  : s->n[STEP_LEN];
}

/* Which of its operations this fault can be in. */
static unsigned fault_in(enum step_fault f)
{
	static const unsigned in[STEP_FAULTS] = {
#define FAULT(ident, name, text, ops) [FAULT_##ident] = (ops),
#include "suite/explore/faults.def"
#undef FAULT
	};

	return in[f];
}

bool step_can_have(enum step_op op, enum step_fault f)
{
	return fault_in(f) & BIT(op);
}

/* --- within range ------------------------------------------------------------- */

static uint64_t bounded(uint64_t v, uint64_t most)
{
	return v < most ? v : most;
}

/* What enhanced startup frames negotiate, the others have no room for. */
static void fit_stream(uint64_t *s)
{
	if (!s[STREAM_ENHANCED])
		s[STREAM_RTR] = s[STREAM_IRD] = s[STREAM_ORD] =
			s[STREAM_PEER_IRD] = s[STREAM_PEER_ORD] = 0;
	else /* without any, the effect of the program is unknown */
		for (unsigned n = STREAM_IRD; n <= STREAM_ORD; n++)
			s[n] = s[n] ? bounded(s[n], DEPTH_MOST) : 1;
	for (unsigned n = STREAM_PEER_IRD; n <= STREAM_PEER_ORD; n++)
		s[n] = bounded(s[n], DEPTH_MOST);
	/* Both ends have at least one of them, and not only a Send: otherwise
	 * the use of the first receive is unknown. */
	if (!(s[STREAM_RTR] & s[STREAM_DUT_RTR] & ~(uint64_t)RTR_SEND))
		s[STREAM_DUT_RTR] = 0;
	/* The peer lists no more than it was offered. */
	if (s[STREAM_DUT_RTR] && s[STREAM_INITIATES])
		s[STREAM_RTR] &= s[STREAM_DUT_RTR];
	if (s[STREAM_ENHANCED] || s[STREAM_INITIATES])
		s[STREAM_REVISION_2] = 0;
	for (unsigned n = STREAM_PRIVATE; n <= STREAM_DUT_PRIVATE; n++)
		s[n] = bounded(s[n], s[STREAM_ENHANCED] ? 508 : 512);
	s[STREAM_FAULT] = bounded(s[STREAM_FAULT], STARTUP_FAULTS - 1);
	s[STREAM_FAULT_AT] =
		s[STREAM_FAULT] ? bounded(s[STREAM_FAULT_AT], 15) : 0;
	if (s[STREAM_MSS])
		s[STREAM_MSS] = s[STREAM_MSS] < MSS_LEAST
					? MSS_LEAST
					: bounded(s[STREAM_MSS], MSS_MOST);
}

static void fit_region(struct program *p, unsigned i)
{
	static const uint64_t most[REGION_NUMBERS] = {
		[REGION_LEN] = 1 << 20,  [REGION_ACCESS] = 15,
		[REGION_ALIGN] = 12,     [REGION_SKEW] = 4096,
		[REGION_ZERO_BASED] = 1, [REGION_STREAM] = PROGRAM_STREAMS,
	};
	uint64_t *r = p->region[i];

	for (unsigned n = 0; n < REGION_NUMBERS; n++)
		r[n] = bounded(r[n], most[n]);
	if (r[REGION_LEN] < REGION_LEAST)
		r[REGION_LEN] = REGION_LEAST;
	if (r[REGION_ALIGN] && r[REGION_ALIGN] < 3)
		r[REGION_ALIGN] = 3; /* for words */
	r[REGION_STREAM] = bounded(r[REGION_STREAM], p->streams - 1);
}

/* The device's interface chooses where the original value of an atomic goes,
 * with the word size of its processor: no other data goes there. */
static bool may_use(const uint64_t *r, enum step_op op)
{
	unsigned access = step_access(op);

	return access == FOR_RESULTS ? r[REGION_ACCESS] == FOR_RESULTS
				     : (r[REGION_ACCESS] & access) == access;
}

/* Only the device writes to receive buffers. Memory for original values of
 * atomics is not compared. */
static bool may_receive_in(const uint64_t *r)
{
	return r[REGION_ACCESS] & LOCAL_WRITE &&
	       r[REGION_ACCESS] != FOR_RESULTS;
}

/* A region that its stream may use so, from the one that is named on. */
static bool find_region(const struct program *p, unsigned dead,
			const struct step *s, uint64_t *named)
{
	for (unsigned i = 0; i < p->regions; i++) {
		uint64_t at = (*named + i) % p->regions;
		const uint64_t *r = p->region[at];

		if (r[REGION_STREAM] != s->n[STEP_STREAM] || dead & BIT(at) ||
		    !(RECEIVED & BIT(s->op) ? may_receive_in(r)
					    : may_use(r, s->op)))
			continue;
		*named = at;
		return true;
	}
	return false;
}

/* The region of its buffer exists, and has room for it; or it is not in a
 * region. */
static void fit_buffer(const struct program *p, unsigned dead, struct step *s)
{
	bool too_long = s->n[STEP_FAULT] == FAULT_TOO_LONG;
	uint64_t region = s->n[STEP_INTO] - 1;
	uint64_t least = s->op == PEER_IMMEDIATE ? IMM_OCTETS
			 : too_long              ? 2
						 : 0;

	if (s->n[STEP_INTO] && s->n[STEP_INV])
		dead |= BIT(s->n[STEP_INV] - 1); /* that one goes with it */
	if (s->n[STEP_INTO] && find_region(p, dead, s, &region)) {
		uint64_t len = p->region[region][REGION_LEN];
		uint64_t off = bounded(s->n[STEP_OFF], len - least);

		s->n[STEP_INTO] = region + 1;
		s->n[STEP_OFF] = off;
		s->n[STEP_LEN] = bounded(s->n[STEP_LEN], len - off);
		if (!too_long)
			s->n[STEP_ROOM] = bounded(s->n[STEP_ROOM],
						  len - off - s->n[STEP_LEN]);
	} else {
		s->n[STEP_INTO] = s->n[STEP_OFF] = 0;
	}
	/* There is one octet of it at least. */
	if (too_long)
		s->n[STEP_ROOM] = bounded(s->n[STEP_ROOM], s->n[STEP_LEN] - 1);
}

static void fit_span(const struct program *p, struct step *s)
{
	const uint64_t *r = p->region[s->n[STEP_REGION]];
	uint64_t len = r[REGION_LEN];

	if (is_atomic(s->op)) {
		/* Its address, not its offset, is a multiple of eight. */
		uint64_t skew = (8 - r[REGION_SKEW] % 8) % 8;
		uint64_t off = bounded(s->n[STEP_OFF], len - 8);

		off = off - off % 8 + skew;
		s->n[STEP_OFF] = off + 8 > len ? off - 8 : off;
		return;
	}
	s->n[STEP_OFF] = bounded(s->n[STEP_OFF], len);
	s->n[STEP_LEN] = bounded(s->n[STEP_LEN], len - s->n[STEP_OFF]);
}

static void fit_shared(struct step *s)
{
	s->n[STEP_OFF] = s->n[STEP_OFF] / 8 % SHARED_WORDS * 8;
	s->n[STEP_REGION] = s->n[STEP_FAULT] = 0;
}

/* The requirements of a step's fault. */
static void fit_fault(const struct program *p, struct step *s)
{
	uint64_t *fault = &s->n[STEP_FAULT];

	/* A device may drop all of a TCP segment with a wrong CRC in it (RFC
	 * 5044 s8): there is nothing else there. */
	if (*fault == FAULT_CRC || *fault == FAULT_CRC_SWAPPED) {
		s->n[STEP_SEGMENT] = 0;
		s->n[STEP_LEN] = bounded(s->n[STEP_LEN], SMALL_MOST);
	}
	/* Its buffer is not empty; there is an octet after the last TO. If the
	 * region has no room for two, it is another fault. */
	if ((*fault == FAULT_TOO_LONG || *fault == FAULT_WRAP) &&
	    s->n[STEP_LEN] < 2) {
		s->n[STEP_LEN] = 2;
		if (step_has(s->op, STEP_REGION))
			fit_span(p, s);
		if (s->n[STEP_LEN] < 2)
			*fault = FAULT_BOUNDS;
	}
	/* Nothing else is at fault in it. */
	if (*fault)
		s->n[STEP_INV] = s->n[STEP_HOLD] = s->n[STEP_BACKWARDS] = 0;
}

/* The peer may invalidate the region that a step names. */
static bool may_invalidate(const struct program *p, unsigned dead,
			   const struct step *s)
{
	uint64_t region = s->n[STEP_INV] - 1;

	return region < p->regions && !(dead & BIT(region)) &&
	       p->region[region][REGION_STREAM] == s->n[STEP_STREAM];
}

/* False: it cannot be. */
static bool fit_step(const struct program *p, unsigned dead, struct step *s)
{
	for (unsigned n = 0; n < STEP_NUMBERS; n++)
		s->n[n] = step_has(s->op, n) ? bounded(s->n[n], numbers[n].most)
					     : 0;
	s->n[STEP_STREAM] = bounded(s->n[STEP_STREAM], p->streams - 1);
	if (s->n[STEP_SHARED]) {
		fit_shared(s);
	} else if (step_has(s->op, STEP_REGION)) {
		if (!find_region(p, dead, s, &s->n[STEP_REGION]))
			return false;
		fit_span(p, s);
	} else {
		s->n[STEP_LEN] = bounded(s->n[STEP_LEN], INLINE_MOST);
	}
	/* No more of the peer's memory than can exist, in whole words for
	 * atomics. */
	s->n[STEP_TO] = bounded(s->n[STEP_TO], UINT64_MAX - s->n[STEP_LEN]);
	if (is_atomic(s->op))
		s->n[STEP_TO] -= s->n[STEP_TO] % 8;
	if (s->n[STEP_FAULT] &&
	    !step_can_have(s->op, (enum step_fault)s->n[STEP_FAULT]))
		s->n[STEP_FAULT] = FAULT_NONE;
	if (s->op == PEER_SENDS && s->n[STEP_INV] &&
	    !may_invalidate(p, dead, s))
		s->n[STEP_INV] = 0;
	fit_fault(p, s);
	if (RECEIVED & BIT(s->op))
		fit_buffer(p, dead, s);
	/* Of two there is only one before the last. */
	if (!s->n[STEP_SEGMENT] || s->n[STEP_SEGMENT] * 2 >= s->n[STEP_LEN])
		s->n[STEP_BACKWARDS] = 0;
	if (step_ends(s->op))
		s->n[STEP_CUT] = bounded(s->n[STEP_CUT], CUT_OFF_MOST);
	if (p->streams == 1)
		s->n[STEP_TURN] = 0;
	return true;
}

void program_fit(struct program *p)
{
	bool over[PROGRAM_STREAMS] = {false};
	unsigned steps = 0, dead = 0, shared = 0;

	p->streams = p->streams ? p->streams : 1;
	for (unsigned i = 0; i < p->streams; i++) {
		fit_stream(p->stream[i]);
		over[i] = p->stream[i][STREAM_FAULT];
	}
	for (unsigned i = 0; i < p->regions; i++)
		fit_region(p, i);
	for (unsigned i = 0; i < p->steps; i++) {
		struct step *s = &p->step[i];

		/* After a fault its stream is over. */
		if (!fit_step(p, dead, s) || over[s->n[STEP_STREAM]])
			continue;
		if (s->n[STEP_SHARED] && shared++ >= SHARED_MOST)
			continue;
		if (s->op == PEER_SENDS && s->n[STEP_INV])
			dead |= BIT(s->n[STEP_INV] - 1);
		over[s->n[STEP_STREAM]] = s->n[STEP_FAULT] || step_ends(s->op);
		p->step[steps++] = *s;
	}
	p->steps = steps;
}

/* --- its contents --------------------------------------------------------- */

unsigned program_regions_used(const struct program *p)
{
	unsigned used = 0;

	for (unsigned i = 0; i < p->steps; i++) {
		const struct step *s = &p->step[i];

		if (step_region(s) < PROGRAM_REGIONS)
			used |= BIT(step_region(s));
		if (s->op == PEER_SENDS && s->n[STEP_INV])
			used |= BIT(s->n[STEP_INV] - 1);
	}
	return used;
}

unsigned program_streams_used(const struct program *p)
{
	unsigned used = 0;

	for (unsigned i = 0; i < p->steps; i++)
		used |= BIT(p->step[i].n[STEP_STREAM]);
	for (unsigned i = 0; i < p->streams; i++)
		used |= p->stream[i][STREAM_FAULT] ? BIT(i) : 0;
	return used ? used : 1; /* there is one at least */
}

unsigned program_operations(const struct program *p)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->steps; i++)
		n += p->step[i].op < SETTLE;
	return n;
}
