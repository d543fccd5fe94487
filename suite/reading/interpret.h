/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a device sent, as it was meant: copies of its frames in which every
 * group of fields that a reading is in force for (reading.h) stands where the
 * RFCs put it. The frames themselves stay as they are, in the log and the
 * captures.
 */
#ifndef SUITE_READING_INTERPRET_H
#define SUITE_READING_INTERPRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/observe/arena.h"
#include "harness/observe/observe.h"
#include "suite/reading/reading.h"

/* One group that came in a case and was meant otherwise than it was sent. */
struct interpretation {
	const struct reading *reading;
	const uint8_t *sent, *meant; /* the octets of the group */
	/* The frame it came in, and as meant; NULL: a startup frame, or what
	 * the agent told. */
	const struct frame *frame, *frame_meant;
	struct interpretation *next;
};

/* Of one case: what it rests on, in the order it came. */
struct interpreter {
	const struct readings *readings; /* in force */
	struct arena arena;
	struct interpretation *first, *last;
};

/*
 * The frame as it was meant: the same one where no reading changes it. Else
 * that is remembered. In the arena.
 */
const struct frame *interpret_frame(struct interpreter *in,
				    const struct frame *f);
/* What interpret_frame() has made of it before, and the way back. */
const struct frame *interpret_meant(const struct interpreter *in,
				    const struct frame *f);
const struct frame *interpret_sent(const struct interpreter *in,
				   const struct frame *f);

/* The same for a whole startup frame of n octets, by a device as initiator or
 * responder. */
const uint8_t *interpret_startup(struct interpreter *in, bool request,
				 const uint8_t *octets, size_t n);

/*
 * Whether a device of this reading may tell a group whose first n octets are
 * `due` as `told`: because it reads what it gets, or tells what it sent, in
 * its own way. Its flags and reserved bits are not told. That is remembered.
 */
bool interpret_told(struct interpreter *in, const struct reading *r,
		    const uint8_t *told, const uint8_t *due, size_t n);

/* The octets of a group as meant; NULL where they were sent so. */
const uint8_t *interpret_octets(struct interpreter *in, const struct reading *r,
				const uint8_t *sent);

/* The names of the readings of this frame as meant, "" for none. */
const char *interpret_text(struct interpreter *in, const struct frame *f);

/* The names of all readings that the case rests on, "" for none. */
const char *interpret_names(struct interpreter *in);
/* A line for each, with its octets as sent and as meant. */
const char *interpret_lines(struct interpreter *in);

#endif
