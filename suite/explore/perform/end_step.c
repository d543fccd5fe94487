/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps that end a stream. */
#include "suite/explore/perform/performer.h"

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

void perform_end_step(struct performer *w, struct on_one *on,
		      const struct step *s)
{
	struct test *t = w->t;

	perform_settle(w, on);
	if (has_ended(t))
		return;
	perform_show_or_open(w, on);
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
