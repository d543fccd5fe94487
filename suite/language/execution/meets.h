/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which values of which dimension a case meets, as they were really sent,
 * asked for and received. Said where that happens, and nowhere else: a case
 * says nothing of it.
 */
#ifndef SUITE_LANGUAGE_MEETS_H
#define SUITE_LANGUAGE_MEETS_H

#include "suite/language/execution/execution.h"

/* The peer's startup frame goes out, its octets [from, to) of n, in these
 * pieces. */
void meets_startup_sent(struct test *t, const struct startup *f, size_t from,
			size_t to, size_t n, const size_t *cuts, size_t ncuts);
/* What the device's ULP asks for; and its startup frame. */
void meets_parameters(struct test *t, const struct stream *s);
void meets_startup_seen(struct test *t, const struct mpa_startup *f);
/* Both frames are there. */
void meets_stream(struct test *t, const struct stream *s);

/* A message of the peer begins; a segment of it is sent; it has ended, with so
 * many. */
void meets_message(struct test *t, const struct stream *s, const struct msg *m,
		   size_t octets, uint32_t qn);
void meets_segment_sent(struct test *t, const struct stream *s,
			const struct ddp_segment *seg, const struct frame *f);
void meets_message_sent(struct test *t, struct stream *s, const struct msg *m,
			size_t segments);
/* n octets go out in one write, or as these segments of TCP. */
void meets_write(struct test *t, const struct stream *s, size_t n,
		 const size_t *cuts, size_t ncuts, bool goes_on);

/* An FPDU of the device. */
void meets_frame(struct test *t, struct stream *s, const struct frame *f);

/* What its agent is asked for. */
void meets_region(struct test *t, const struct region_opts *o);
void meets_receives(struct test *t, size_t octets);
void meets_work(struct test *t, struct stream *s, const struct post *p);

#endif
