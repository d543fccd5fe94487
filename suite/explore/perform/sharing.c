/* SPDX-License-Identifier: BSD-2-Clause */
/* Words that several streams share: atomics on them have one order. */
#include "suite/explore/perform/performer.h"

static bool shares(const struct program *p)
{
	for (unsigned i = 0; i < p->steps; i++)
		if (p->step[i].n[STEP_SHARED])
			return true;
	return false;
}

void perform_begin_sharing(struct performer *w)
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

void perform_end_sharing(struct performer *w)
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
