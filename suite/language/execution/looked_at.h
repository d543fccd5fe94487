/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The subject of a judgement: an event, a field of an event, or memory. It is
 * only for the reader of a report: no verdict depends on it, and the suite
 * keeps it only if the test bed is traced.
 */
#ifndef SUITE_LANGUAGE_LOOKED_AT_H
#define SUITE_LANGUAGE_LOOKED_AT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/observe/observe.h"
#include "suite/judge/result.h"

struct test;
struct region;

struct looked_at {
	const struct frame *frame; /* the case's own copy of it, or NULL: */
	const struct event *event; /* then this event */
	const char *field; /* the compared field, as the case names it */
	bool has_value;
	uint64_t value;        /* of the field, or */
	const uint8_t *octets; /* its octets, from the first that differs */
	size_t n;
	const struct result_memory *memory;
};

/* The case takes a frame, or the last event of the log. */
void look_takes(struct test *t, const struct frame *f);
void look_takes_last(struct test *t);

/* An expectation is judged. Returns the last event so far, for look_ends(). */
const struct event *look_begins(struct test *t);
void look_ends(struct test *t, const struct event *before);
/* Between these two, for matchers: the frame that a matcher examines, and the
 * values that it compares. */
void look_at_frame(struct test *t, const struct frame *f);
void look_at_field(struct test *t, const char *field, uint64_t value);
void look_at_octets(struct test *t, const uint8_t *seen, size_t seen_n,
		    const uint8_t *due, size_t due_n);
/* `now` and `due` start at this octet of the region. */
void look_at_memory(struct test *t, struct region r, size_t off,
		    const uint8_t *due, const uint8_t *now, size_t n);

/* A copy for a judgement; NULL: not wanted. */
const struct looked_at *look_kept(struct test *t);

/* --- once the case has ended -------------------------------------------- */

/* The event, or NULL. If a field was compared, the last event up to there that
 * has it with this value. */
const struct event *look_event(struct test *t, const struct looked_at *on);
/* The octets of that event, at most `cap` pieces. Returns their number. */
size_t look_marks(struct test *t, const struct looked_at *on,
		  const struct event *e, struct result_mark *marks, size_t cap);

/* The positions of the markers of a frame, at most `cap`. Returns their
 * number. */
size_t look_markers(const struct frame *f, unsigned short *at, size_t cap);

#endif
