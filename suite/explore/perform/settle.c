/* SPDX-License-Identifier: BSD-2-Clause */
/* What is due on a stream has come, and is correct. */
#include "suite/explore/perform/performer.h"

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

void perform_fence(struct performer *w, struct on_one *s)
{
	on_stream(w->t, s->number);
	case_insists(w->t, RDMAP_5_2_1_16, stream_works());
	/* If no Read may be sent, none was sent with it. */
	perform_lets_go(w->t);
	perform_answer_what_is_here(w, s);
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

void perform_settle(struct performer *w, struct on_one *s)
{
	struct test *t = w->t;
	const struct frame *f;

	on_stream(t, s->number);
	dut_gets_work(t);
	perform_fence(w, s);
	while (!has_ended(t) && (answers_due(t) || works_unsent(t))) {
		perform_lets_go(t);
		if (!(f = next_frame(t)))
			break;
		perform_answer(w, s, f);
	}
	perform_lets_go(t);
	if (answers_due(t))
		case_must(t, RDMAP_5_2_1_09,
			  none_left("Requests that were not answered",
				    answers_due(t)));
	if (works_unsent(t))
		case_must(t, RDMAP_5_5_10,
			  none_left("messages posted that were not sent",
				    works_unsent(t)));
	if (twin_is_due(t))
		perform_fence(w, s);
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

void perform_show_writes(struct performer *w, struct on_one *s)
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

void perform_show_or_open(struct performer *w, struct on_one *s)
{
	perform_show_writes(w, s);
	for (unsigned i = 0; s->writes && i < w->p->regions; i++)
		if (&w->stream[w->p->region[i][REGION_STREAM]] == s)
			octets_are_open(w->t, w->region[i], 0,
					w->region[i].len);
	s->writes = false;
}
