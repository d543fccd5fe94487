/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/probe/reading_probe.h"

#include <string.h>

#include "harness/crc/crc.h"
#include "suite/language/case.h"
#include "suite/model/atomic/atomic.h"
#include "suite/model/outcome/terminate.h"
#include "suite/reading/place.h"
#include "suite/run/probe/probe.h"

#define VAIN_MAX 3 /* fruitless waits; then no more probes */

/* The input and the result of a probe. */
struct probe {
	unsigned number; /* which of its group */
	struct reading_evidence *evidence;
	const struct observe *log;
};

/* --- the CRC of an FPDU --------------------------------------------------- */

static bool crc_is_due(const uint8_t *meant, const void *arg)
{
	const struct frame *f = arg;

	return crc_get(meant) == crc32c(f->octets, f->n - FPDU_CRC_OCTETS);
}

/* Every FPDU of a known-answer exchange has one. */
static void probe_crc(struct test *t, const void *row)
{
	const struct probe *p = row;

	connects(t, .crc = true, .unproven = true);
	initiator_speaks(t);
	known_answer(t);
	known_answer(t);
	for (const struct event *e = observe_first(p->log); e; e = e->next)
		if (e->kind == OBSERVE_FRAME_SEEN && !e->frame->chunk)
			reading_observe(p->evidence, e->frame->fpdu->crc,
					crc_is_due, e->frame);
}

/* --- STag and TO ---------------------------------------------------------- */

static bool words_are_due(const uint8_t *meant, const void *arg)
{
	return memcmp(meant, arg, 12) == 0;
}

static void observe_tagged(struct test *t, const struct probe *p, uint32_t stag,
			   uint64_t to)
{
	const struct frame *f = next_frame(t);
	const uint8_t *sent = f ? reading_octets(f, READING_TAGGED) : NULL;
	uint8_t due[12];

	for (unsigned i = 0; i < 4; i++)
		due[i] = (uint8_t)(stag >> (24 - 8 * i));
	for (unsigned i = 0; i < 8; i++)
		due[4 + i] = (uint8_t)(to >> (56 - 8 * i));
	if (sent)
		reading_observe(p->evidence, sent, words_are_due, due);
}

/* Two Writes, and what answers a Read. */
static void probe_tagged(struct test *t, const void *row)
{
	static const uint32_t stag[] = {0x01020304, 0x11223344, 0x55667788};
	static const uint64_t to[] = {0x0000000102030405, 0x1020304050607080,
				      0x0011223344556677};
	const struct probe *p = row;
	struct region r = dut_registers(t, .len = 8, .access = FOR_READS);

	connects(t, .unproven = true);
	initiator_speaks(t);
	for (unsigned i = 0; i < 2; i++) {
		dut_posts(t, POST_WRITE_N("probe", 5, stag[i], to[i]));
		observe_tagged(t, p, stag[i], to[i]);
	}
	peer_sends(t, READ_FROM(0, 0, 0,
				.read = {.sink_stag = stag[2],
					 .sink_to = to[2],
					 .size = 8,
					 .source_stag = r.stag,
					 .source_to = r.to}));
	observe_tagged(t, p, stag[2], to[2]);
}

/* --- QN, MSN and MO ------------------------------------------------------- */

/* Two Sends and two Reads: 0, 1, 0; 0, 2, 0; 1, 1, 0; 1, 2, 0. */
static void probe_untagged(struct test *t, const void *row)
{
	const struct probe *p = row;
	struct region r = dut_registers(t, .len = 8, .access = FOR_RESPONSES);

	connects(t);
	for (uint8_t i = 0; i < 4; i++) {
		const uint8_t due[12] = {[3] = i / 2, [7] = i % 2 + 1};

		dut_posts(t, i < 2 ? POST_SEND("probe")
				   : POST_READ(r, 0, 8, PEER_SINK_STAG,
					       PEER_SINK_TO));
		const struct frame *f = next_frame(t);
		const uint8_t *sent =
			f ? reading_octets(f, READING_UNTAGGED) : NULL;

		if (sent)
			reading_observe(p->evidence, sent, words_are_due, due);
	}
}

/* --- the control word of a Terminate -------------------------------------- */

/* Faults whose Terminate the RFCs fix to the last digit. */
static const struct fault {
	enum model_stimulus stimulus;
	struct msg msg;
} faults[] = {
	{MODEL_STIM_OPCODE, OPCODE(12, "probe", 5)},
	{MODEL_STIM_READ_STAG, READ_FROM(0, 0x1000, 40)},
	{MODEL_STIM_STAG, WRITE_TO(0, 0x1000, "probe", 5)},
	{MODEL_STIM_DV2_UNTAGGED, SEND("probe", .dv = {true, 2})},
	{MODEL_STIM_RV, SEND("probe", .rv = {true, 2})},
	{MODEL_STIM_CRC, SEND("probe", .crc = CRC_WRONG)},
};
#define FAULTS (sizeof(faults) / sizeof(faults[0]))

struct terminate_due {
	struct model_outcomes outcomes;
	const struct frame *frame;
};

/* The expected numbers, no reserved bit, and the length that its flags
 * announce. */
static bool terminate_is_due(const uint8_t *meant, const void *arg)
{
	const struct terminate_due *due = arg;
	size_t n = due->frame->seg.payload_octets;
	uint8_t payload[RDMAP_TERMINATE_OCTETS + 2 + DDP_UNTAGGED_OCTETS +
			RDMAP_READ_REQUEST_OCTETS + 1];
	struct rdmap_terminate h;

	if (n > sizeof(payload))
		return false;
	memcpy(payload, due->frame->seg.payload, n);
	memcpy(payload, meant, RDMAP_TERMINATE_OCTETS);
	return rdmap_terminate_decode(&h, payload, n) && !h.truncated &&
	       !h.tail.n && !h.reserved &&
	       model_outcomes_terminate(&due->outcomes, h.layer, h.etype,
					h.code);
}

static void probe_terminate(struct test *t, const void *row)
{
	const struct probe *p = row;
	const struct fault *fault = &faults[p->number];
	struct msg m = fault->msg;

	m.stag = m.read.source_stag = stag_never_issued(t);
	dut_posts_recv(t, 64);
	connects(t, .crc = true);
	peer_sends(t, m);
	const struct frame *f = the_terminate(t);
	struct terminate_due due = {model_fault_outcomes(fault->stimulus), f};
	const uint8_t *sent = f ? reading_octets(f, READING_TERMINATE) : NULL;

	if (sent)
		reading_observe(p->evidence, sent, terminate_is_due, &due);
}

/* --- the error type of an error of MPA ------------------------------------- */

static bool mpa_error_is_due(const uint8_t *meant, const void *arg)
{
	(void)arg;
	return meant[0] == TERM_LLP << 4 && meant[1] == 0x02;
}

/* One is enough: no other field has the value, and no device has two such
 * readings. */
static void probe_mpa_error(struct test *t, const void *row)
{
	const struct probe *p = row;

	connects(t, .crc = true);
	peer_sends(t, SEND("probe", .crc = CRC_WRONG));
	const struct frame *f = the_terminate(t);
	const uint8_t *sent = f ? reading_octets(f, READING_MPA_ERROR) : NULL;

	if (sent)
		reading_observe(p->evidence, sent, mpa_error_is_due, NULL);
}

/* --- enhanced data -------------------------------------------------------- */

struct depths {
	unsigned own_ird, own_ord, ird, ord;
	unsigned max_ird;
};

static void observe_depths(struct test *t, const struct probe *p,
			   bool (*is_due)(const uint8_t *, const void *),
			   const struct depths *d)
{
	struct startup_seen seen = dut_startup(t);
	const uint8_t *sent =
		seen.came ? reading_enhanced_octets(seen.octets, seen.n) : NULL;

	if (sent)
		reading_observe(p->evidence, sent, is_due, d);
}

/* The depths that the ULP requested, in the client-server model. */
static bool request_is_due(const uint8_t *meant, const void *arg)
{
	const struct depths *d = arg;
	uint8_t due[MPA_ENHANCED_OCTETS];

	mpa_enhanced_encode(&(struct mpa_enhanced){.ird = (uint16_t)d->own_ird,
						   .ord = (uint16_t)d->own_ord},
			    due);
	return memcmp(meant, due, sizeof(due)) == 0;
}

static void probe_request(struct test *t, const void *row)
{
	static const struct depths own[] = {{.own_ird = 3, .own_ord = 5},
					    {.own_ird = 2, .own_ord = 7}};
	const struct probe *p = row;
	const struct depths *d = &own[p->number];

	dut_dials(t, .enhanced = true, .dut_ird = d->own_ird,
		  .dut_ord = d->own_ord);
	observe_depths(t, p, request_is_due, d);
}

/* IRD covers the initiator's wish, ORD what the initiator allows, and neither
 * exceeds the device's maximum. */
static bool reply_is_due(const uint8_t *meant, const void *arg)
{
	const struct depths *d = arg;
	struct mpa_enhanced e;

	mpa_enhanced_decode(&e, meant);
	return !e.a && !e.b && !e.c && !e.d && e.ird >= d->ord &&
	       e.ird <= d->max_ird && e.ord <= d->ird && e.ord <= d->own_ord;
}

static void probe_reply(struct test *t, const void *row)
{
	static const struct depths both[] = {
		{.own_ird = 6, .own_ord = 2, .ird = 3, .ord = 5},
		{.own_ird = 9, .own_ord = 1, .ird = 2, .ord = 8},
	};
	const struct probe *p = row;
	struct depths d = both[p->number];

	d.max_ird = dut_max_ird(t);
	dut_listens(t, .dut_ird = d.own_ird, .dut_ord = d.own_ord);
	peer_opens_tcp(t);
	peer_sends_startup(
		t, REQUEST(.enhanced = true, .ird = d.ird, .ord = d.ord));
	observe_depths(t, p, reply_is_due, &d);
}

/* --- atomics and Immediate Data ------------------------------------------- */

static bool eight_are_due(const uint8_t *meant, const void *arg)
{
	return memcmp(meant, arg, 8) == 0;
}

/*
 * The word that a FetchAdd finds. The contents of memory afterwards distinguish
 * a device that sends the value in the other order from one that stores the
 * word in that order.
 */
static void probe_atomic_response(struct test *t, const void *row)
{
	static const uint8_t words[][8] = {
		{0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08},
		{0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88}};
	const struct probe *p = row;
	const uint8_t *word = words[p->number];
	uint64_t value = model_word_load(word, true);
	struct region r = dut_registers(t, .len = 8, .access = FOR_ATOMICS);

	dut_sets_word(t, r, 0, value);
	connects(t);
	peer_sends(t, FETCHADD(r, 0, 1, 0));
	const struct frame *f = next_frame(t);
	const uint8_t *sent =
		f ? reading_octets(f, READING_ATOMIC_RESPONSE) : NULL;

	if (sent && model_word_load(dut_memory(t, r, 0, 8),
				    !dut_little_endian(t)) == value + 1)
		reading_observe(p->evidence, sent, eight_are_due, word);
}

/* The unused fields of a FetchAdd are a separate matter. */
static bool operands_are_due(const uint8_t *meant, const void *arg)
{
	return memcmp(meant, arg, 32) == 0;
}

static bool addends_are_due(const uint8_t *meant, const void *arg)
{
	return memcmp(meant, arg, 16) == 0;
}

static uint64_t operand(unsigned probe, unsigned nth)
{
	return 0x0102030405060708 * (probe + 1) +
	       0x1010101010101010 * (nth + 1);
}

/* Distinct operands: all four of a CmpSwap, two of a FetchAdd. */
static void probe_atomic_request(struct test *t, const void *row)
{
	const struct probe *p = row;
	struct region r = dut_registers(t, .len = 8, .access = FOR_RESULTS);
	uint8_t due[32];
	uint64_t v[4];

	for (unsigned i = 0; i < 4; i++) {
		v[i] = operand(p->number, i);
		for (unsigned k = 0; k < 8; k++)
			due[8 * i + k] = (uint8_t)(v[i] >> (56 - 8 * k));
	}
	bool add = p->number == 2;

	connects(t);
	dut_posts(t,
		  add ? POST_FETCHADD(r, 0, PEER_SINK_STAG, PEER_SINK_TO, v[0],
				      .mask = v[1])
		      : POST_CMPSWAP(r, 0, PEER_SINK_STAG, PEER_SINK_TO, v[2],
				     v[0], .masks = true, .swap_mask = v[1],
				     .compare_mask = v[3]));
	const struct frame *f = next_frame(t);
	const uint8_t *sent =
		f ? reading_octets(f, READING_ATOMIC_REQUEST) : NULL;

	if (sent)
		reading_observe(p->evidence, sent,
				add ? addends_are_due : operands_are_due, due);
}

static void probe_immediate(struct test *t, const void *row)
{
	static const uint8_t octets[][8] = {
		{0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08},
		{0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88}};
	const struct probe *p = row;

	connects(t);
	dut_posts(t, POST_IMM(octets[p->number]));
	const struct frame *f = next_frame(t);
	const uint8_t *sent = f ? reading_octets(f, READING_IMMEDIATE) : NULL;

	if (sent)
		reading_observe(p->evidence, sent, eight_are_due,
				octets[p->number]);
}

/* --- all of them ---------------------------------------------------------- */

#define NEED(ident) (1ull << NEED_BIT_##ident)

static const struct {
	void (*run)(struct test *t, const void *probe);
	unsigned count;
	uint64_t needs; /* a role among them: only in that */
	uint64_t asked; /* the probe is worthwhile if a case needs any of them;
		        * 0: always */
} probes[READING_GROUPS] = {
	[READING_CRC] = {probe_crc, 1, NEED(READ), 0},
	[READING_TAGGED] = {probe_tagged, 1, NEED(READ) | NEED(WRITE), 0},
	[READING_UNTAGGED] = {probe_untagged, 1, NEED(READ) | NEED(SEND), 0},
	[READING_TERMINATE] = {probe_terminate, FAULTS,
			       NEED(READ) | NEED(WRITE) | NEED(SEND), 0},
	[READING_MPA_ERROR] = {probe_mpa_error, 1, NEED(READ) | NEED(SEND), 0},
	[READING_REQUEST] = {probe_request, 2, NEED(MPA_V2) | NEED(INITIATOR),
			     NEED(MPA_V2) | NEED(P2P)},
	[READING_REPLY] = {probe_reply, 2, NEED(MPA_V2) | NEED(RESPONDER),
			   NEED(MPA_V2) | NEED(P2P)},
	[READING_ATOMIC_REQUEST] = {probe_atomic_request, 3,
				    NEED(READ) | NEED(CMPSWAP) |
					    NEED(FETCHADD) |
					    NEED(MASKED_ATOMICS),
				    NEED(CMPSWAP) | NEED(FETCHADD)},
	[READING_ATOMIC_RESPONSE] = {probe_atomic_response, 2,
				     NEED(READ) | NEED(FETCHADD),
				     NEED(CMPSWAP) | NEED(FETCHADD)},
	[READING_IMMEDIATE] = {probe_immediate, 2, NEED(READ) | NEED(IMM),
			       NEED(IMM) | NEED(IMM_SE)},
};

static enum case_role role_for(enum reading_group g, uint64_t claims)
{
	if (probes[g].needs & NEED(INITIATOR) || !(claims & NEED(RESPONDER)))
		return INITIATOR;
	return RESPONDER;
}

/* True: it waited for the group in vain. */
static bool run_probe(struct testbed *bed, struct probe *p)
{
	enum reading_group g = p->evidence->group;
	const struct case_desc desc = {
		.file = "suite/run/probe/reading_probe.c",
		.name = "probe",
		.title = reading_group(g)->name,
		.run = probes[g].run,
	};
	unsigned before = p->evidence->n;
	bool waited = probe_briefly(bed, &desc, role_for(g, bed->claims), p);

	return waited && p->evidence->n == before;
}

static void find(struct testbed *bed, enum reading_group g, unsigned *vain)
{
	struct reading_evidence evidence = {.group = g};

	for (unsigned i = 0; i < probes[g].count && *vain < VAIN_MAX; i++) {
		struct probe p = {i, &evidence, bed->log};

		*vain += run_probe(bed, &p);
		if (reading_settled(&evidence))
			return;
	}
	reading_adopt(&bed->readings, &evidence);
}

void reading_probe(struct testbed *bed, uint64_t needs)
{
	unsigned vain = 0;

	bed->readings = (struct readings){0};
	for (unsigned g = 0; g < READING_GROUPS; g++) {
		bool can = (probes[g].needs & ~bed->claims) == 0;
		bool asked = !probes[g].asked || probes[g].asked & needs;

		if (can && asked)
			find(bed, g, &vain);
	}
}
