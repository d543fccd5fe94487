/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records which values of which dimension occur in a case, as they were
 * actually sent, requested and received, and which points of the axes of its
 * rules (suite/dimension/axes.h). Cases themselves do not record them.
 */
#ifndef SUITE_LANGUAGE_MEETS_H
#define SUITE_LANGUAGE_MEETS_H

#include "suite/language/execution/execution.h"

/* The peer sends its startup frame: the octets [from, to) of n, in these
 * pieces. */
void meets_startup_sent(struct test *t, const struct startup *f, size_t from,
			size_t to, size_t n, const size_t *cuts, size_t ncuts);
/* The parameters of the device's ULP; and its startup frame. */
void meets_parameters(struct test *t, const struct stream *s);
void meets_startup_seen(struct test *t, const struct mpa_startup *f);
/* Both startup frames have arrived. */
void meets_stream(struct test *t, const struct stream *s);

/* The peer begins a message; sends a segment of it; ends it after this many
 * segments. */
void meets_message(struct test *t, const struct stream *s, const struct msg *m,
		   size_t octets, uint32_t qn);
void meets_segment_sent(struct test *t, const struct stream *s,
			const struct ddp_segment *seg, const struct frame *f);
void meets_message_sent(struct test *t, struct stream *s, const struct msg *m,
			size_t segments);
/* n octets go out in one write, or as these TCP segments. */
void meets_write(struct test *t, const struct stream *s, size_t n,
		 const size_t *cuts, size_t ncuts, bool goes_on);

/* An FPDU of the device was received; is_answer: to a known-answer exchange. */
void meets_frame(struct test *t, struct stream *s, const struct frame *f,
		 bool is_answer);

/* Requests to the device's agent. */
void meets_region(struct test *t, const struct region_opts *o);
void meets_receives(struct test *t, size_t octets);
void meets_work(struct test *t, struct stream *s, const struct post *p);

#endif
