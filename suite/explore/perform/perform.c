/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/explore/perform/performer.h"

#include <string.h>

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
			perform_answer(w, s, f);
		/* Nothing else shows that a Send was taken. */
		if (!has_ended(w->t) && s->receives)
			dut_receives(w->t, s->receive[s->receives - 1].sink);
	}
	on_stream(w->t, own->number);
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
	perform_keep_apart(w, on, s);
	if (has_ended(w->t))
		on->over = true;
	else if (step_ends(s->op))
		perform_end_step(w, on, s);
	else if (s->op == SETTLE)
		perform_settle(w, on);
	else if (s->op < DUT_SENDS)
		perform_peer_step(w, on, at);
	else
		perform_dut_step(w, on, s);
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
	w->batch = dut_max_recvs(t, PERFORM_BATCH);
	w->posts = dut_max_posts(t, PERFORM_POSTS);
	w->so_far = so_far;
	so_far->operations = 0;
	for (unsigned i = 0; i < w->p->streams; i++)
		if (streams & 1u << i)
			perform_connect(w, i);
	perform_register(w);
	if (!w->stream[0].over && streams & 1)
		perform_begin_sharing(w);
	for (unsigned i = 0; i < w->p->steps; i++)
		step(w, i);
	for (unsigned i = 0; i < w->p->streams; i++)
		if (streams & 1u << i && !w->stream[i].over) {
			perform_settle(w, &w->stream[i]);
			perform_show_or_open(w, &w->stream[i]);
		}
	all_settle(t);
	perform_end_sharing(w);
	perform_check_memory(w);
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
