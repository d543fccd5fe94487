/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device without an agent: what lies beside the buffer of its ULP.
 */
#include "suite/language/execution/execution.h"

static bool wraps(uint64_t to, uint64_t n)
{
	return n && n - 1 > UINT64_MAX - to;
}

void bounds_asked(struct test *t, uint64_t to, uint64_t n, unsigned access)
{
	/* What a device at fault would change there is not the case's. */
	if (access != REMOTE_READ ||
	    (!wraps(to, n) && !t->bed->ulp.buffer.bounded))
		alone_asks(t, "to use octets next to its memory");
}

uint64_t bounds_moved(struct test *t, struct stream *s, const struct region *r,
		      uint64_t to, uint64_t n)
{
	uint64_t off = to - r->to; /* modulo 2^64 */

	if (wraps(to, n))
		return to;
	t->buffer.beside = true;
	to = off >> 63 ? s->buffer_first + off
		       : s->buffer_behind + (off - r->len);
	/* The case expects the octets beside it to have TOs in a row. */
	if (wraps(to, n))
		alone_asks(t, "to use memory away from the ends of all TOs");
	/* What the ULP has there, of its own octets, nobody knows. */
	if (s->model)
		model_region_doubt(s->model, s->buffer_stag, to, n);
	return to;
}

bool bounds_look(struct test *t, struct stream *s, bool before)
{
	enum { PROTECTION = 1 };
	uint64_t to = before ? s->buffer_first - 1 : s->buffer_behind;

	buffer_sends(t, s, READ_FROM(s->buffer_stag, to, 1));
	stream_pull_to_end(t, s);
	if (!s->terminate)
		return false;
	struct rdmap_terminate term = case_terminate_of(s->terminate);

	return term.layer == TERM_RDMA && term.etype == PROTECTION;
}

static bool is_refused(struct test *t, bool before)
{
	struct stream *s;

	case_connects(t, case_role(t), &(struct stream_opts){0});
	s = the_stream(t);
	buffer_finds(t, s);
	return bounds_look(t, s, before);
}

bool bounds_stand(struct test *t)
{
	return !t->buffer.beside ||
	       (is_refused(t, true) && is_refused(t, false));
}
