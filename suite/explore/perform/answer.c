/* SPDX-License-Identifier: BSD-2-Clause */
/* The peer's answers to the device's Requests. */
#include "suite/explore/perform/performer.h"

#define HISTORY_ID 0xa0000000u /* the number of requests of a history */

uint64_t perform_value(const struct step *s)
{
	return s->n[STEP_A] * 0x9e3779b97f4a7c15ull + s->n[STEP_B] + 1;
}

size_t perform_segment(const struct performer *w, const struct on_one *s,
		       size_t wanted)
{
	enum { AROUND = 60 }; /* headers, markers, CRC, TCP's time stamps */
	uint64_t mss = w->p->stream[s - w->stream][STREAM_MSS];

	if (!mss || (wanted && wanted <= mss - AROUND))
		return wanted;
	return mss - AROUND < 1400 ? mss - AROUND : wanted;
}

/* Together with the next message: usually there is more to send. */
static void respond(struct performer *w, struct msg m)
{
	case_peer_sends(w->t, &(struct send_opts){.msg = m, .hold = true});
}

static void answer_atomic(struct performer *w, struct on_one *s,
			  const struct frame *f)
{
	while (s->answered < s->works && !s->work[s->answered].has_value)
		s->answered++;
	uint64_t value =
		s->answered < s->works ? s->work[s->answered++].value : 0;

	respond(w, ATOMIC_RESPONSE(f, value));
}

void perform_lets_go(struct test *t)
{
	if (something_is_held(t))
		peer_goes_on(t);
}

void perform_answer(struct performer *w, struct on_one *s,
		    const struct frame *f)
{
	const struct ddp *d = &f->seg.ddp;

	if (d->tagged)
		return;
	if (d->opcode == RDMAP_ATOMIC_RESPONSE) {
		if (w->history && case_atomic_response_of(f).id >= HISTORY_ID)
			original_came(w->t, w->history, f);
	} else if (d->opcode == RDMAP_READ_REQUEST) {
		struct rdmap_read_request r = case_read_of(f);
		/* A Request of more than was posted the model objects to. */
		size_t n = r.size < 1u << 20 ? r.size : 0;

		respond(w, READ_RESPONSE(f, pattern(w->t, n, w->salt++), n,
					 .segment = perform_segment(w, s, 0)));
	} else if (d->opcode == RDMAP_ATOMIC_REQUEST) {
		answer_atomic(w, s, f);
	}
}

void perform_answer_what_is_here(struct performer *w, struct on_one *s)
{
	const struct frame *f;

	while (frame_is_here(w->t) && (f = next_frame(w->t)))
		perform_answer(w, s, f);
}
