/* SPDX-License-Identifier: BSD-2-Clause */
/* Before the first step of a program: its streams and its regions. */
#include "suite/explore/perform/performer.h"

#include "suite/explore/perform/startup.h"

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

void perform_connect(struct performer *w, unsigned i)
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
		perform_answer(w, &w->stream[i], f);
		perform_lets_go(w->t);
	}
	check_told(w, s, &o);
}

void perform_register(struct performer *w)
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
