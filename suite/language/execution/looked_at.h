/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a judgement is about: the event that was looked at, the field of it
 * that was compared, memory. It is for people alone: no verdict depends on it,
 * and it is kept where the test bed is traced.
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
	const struct frame *frame; /* as the case has it; or else */
	const struct event *event; /* this one */
	const char *field;         /* that was compared, in the case's words, */
	bool has_value;
	uint64_t value;        /* and was seen to be this; */
	const uint8_t *octets; /* or octets, from the first that differs on */
	size_t n;
	const struct result_memory *memory;
};

/* The case takes a frame, or has received what the log ends with. */
void look_takes(struct test *t, const struct frame *f);
void look_takes_last(struct test *t);

/* An expectation is judged: the last event so far, to be given back. */
const struct event *look_begins(struct test *t);
void look_ends(struct test *t, const struct event *before);
/* In between, for matchers: this is looked at, this is compared. */
void look_at_frame(struct test *t, const struct frame *f);
void look_at_field(struct test *t, const char *field, uint64_t value);
void look_at_octets(struct test *t, const uint8_t *seen, size_t seen_n,
		    const uint8_t *due, size_t due_n);
/* `now` and `due` from this octet of the region on. */
void look_at_memory(struct test *t, struct region r, size_t off,
		    const uint8_t *due, const uint8_t *now, size_t n);

/* A copy for a judgement; NULL: it is not wanted. */
const struct looked_at *look_kept(struct test *t);

/* --- once the case has ended -------------------------------------------- */

/* Which event that was, or NULL. Where a field was compared, it is the last
 * one up to there that has it with this value. */
const struct event *look_event(struct test *t, const struct looked_at *on);
/* Which octets of that event, cap pieces at most. Returns how many. */
size_t look_marks(struct test *t, const struct looked_at *on,
		  const struct event *e, struct result_mark *marks, size_t cap);

/* The octets of a frame are not the codec's alone: where its markers stand, at
 * most `cap` of them. Returns how many. */
size_t look_markers(const struct frame *f, unsigned short *at, size_t cap);

#endif
