/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps of the device: work that its ULP posts. */
#include "suite/explore/perform/performer.h"

#define PEER_STAG 0x5eed2000u
#define PEER_TO   0x0000000700000000ull

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

void perform_dut_step(struct performer *w, struct on_one *on,
		      const struct step *s)
{
	bool atomic = s->op == DUT_ADDS || s->op == DUT_SWAPS;

	if (on->works == w->posts)
		perform_settle(w, on);
	if (has_ended(w->t))
		return;
	struct due_work d = {
		.step = s, .has_value = atomic, .value = perform_value(s)};

	/* Its place is known before the device may ask. */
	d.id = dut_posts(w->t, work_of(w, s));
	on->work[on->works++] = d;
	perform_answer_what_is_here(w, on);
}
