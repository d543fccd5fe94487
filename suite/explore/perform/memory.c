/* SPDX-License-Identifier: BSD-2-Clause */
/* The octets of the regions at the end, and the requirements behind them. */
#include "suite/explore/perform/performer.h"

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

void perform_check_memory(struct performer *w)
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
