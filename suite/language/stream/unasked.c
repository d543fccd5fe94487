/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages without octets that no ULP of the device has posted. RFC 5040 permits
 * a Data Source to send zero-length Writes (s5.1), and a Data Sink to send
 * zero-length Read Requests (s5.2.1), and names neither a ULP nor a time. The
 * golden model finds out which these are.
 */
#include "suite/language/execution/execution.h"

#include <string.h>

/* The case looks at the first one itself, which may be an RTR of any form. */
static bool is_looked_at(const struct stream *s)
{
	const struct stream_opts *o = &s->opts;

	return (o->sees_opening ||
		(s->role == INITIATOR && (o->rtr || o->dut_rtr))) &&
	       s->model->tx_frames <= 1;
}

bool is_unasked(struct test *t, struct stream *s, const struct frame *f)
{
	bool read = f->seg.ddp.opcode == RDMAP_READ_REQUEST;

	if (!s->model || !s->model->tx_own || test_alone(t) ||
	    is_looked_at(s) || s->empty_early)
		return false;
	if (s->opts.counts_fpdus || (read && s->opts.counts_reads) ||
	    (read && s->unanswered == STREAM_UNASKED))
		not_applicable(t, "the device sends messages of its own");
	if (read)
		s->unasked[s->unanswered++] = f;
	return true;
}

/* A responder may not before the initiator has sent something. */
bool may_be_unasked(const struct stream *s)
{
	return s->full && s->model &&
	       (s->model->tx_frames || !s->opts.sees_opening) &&
	       (s->role == INITIATOR || s->association || s->model->rx_frames);
}

/* The Requests before it have been answered. */
static bool is_in_turn(const struct test *t, const struct stream *s)
{
	return s->unanswered && model_own_is_due(s->model) &&
	       stream_takes_one_more(t, s);
}

void unasked_answer(struct test *t, struct stream *s)
{
	unsigned before = t->current;
	bool dirty = s->dirty, aside = t->aside;

	while (is_in_turn(t, s)) {
		const struct frame *f = s->unasked[0];

		memmove(s->unasked, s->unasked + 1,
			--s->unanswered * sizeof(*s->unasked));
		t->current = (unsigned)(s - t->stream);
		t->aside = true;
		/* It goes out with what the case holds back. */
		stream_send(t, s,
			    &(struct send_opts){.msg = READ_RESPONSE(f, "", 0),
						.hold = s->bounds != 0});
		t->aside = aside;
		t->current = before;
		s->dirty = dirty;
	}
}
