/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The intended meaning of a device's frames: copies in which every group of
 * fields with a reading in force (reading.h) has the encoding of the RFCs. The
 * original frames stay unchanged in the log and the captures.
 */
#ifndef SUITE_READING_INTERPRET_H
#define SUITE_READING_INTERPRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/observe/arena.h"
#include "harness/observe/observe.h"
#include "suite/reading/reading.h"

/* One group that arrived in a case and whose meaning differs from its
 * octets. */
struct interpretation {
	const struct reading *reading;
	const uint8_t *sent, *meant; /* the octets of the group */
	/* The frame that contained it, and the intended one; NULL: a startup
	 * frame, or a report of the agent. */
	const struct frame *frame, *frame_meant;
	struct interpretation *next;
};

/* For one case: the readings that it relies on, in the order of arrival. */
struct interpreter {
	const struct readings *readings; /* in force */
	struct arena arena;
	struct interpretation *first, *last;
};

/*
 * The intended frame: the same one if no reading changes it; otherwise a copy
 * in the arena, and the reading is recorded.
 */
const struct frame *interpret_frame(struct interpreter *in,
				    const struct frame *f);
/* The intended frame that interpret_frame() has returned for this one; the
 * frame as sent for this intended one. */
const struct frame *interpret_meant(const struct interpreter *in,
				    const struct frame *f);
const struct frame *interpret_sent(const struct interpreter *in,
				   const struct frame *f);

/* The same for a whole startup frame of n octets, by a device as initiator or
 * responder. */
const uint8_t *interpret_startup(struct interpreter *in, bool request,
				 const uint8_t *octets, size_t n);

/*
 * True if a device with this reading may report a group whose first n octets
 * are `due` as `told`, because it interprets received fields, or reports sent
 * ones, in its own encoding. Flags and reserved bits are not reported. A
 * reading that is used is recorded.
 */
bool interpret_told(struct interpreter *in, const struct reading *r,
		    const uint8_t *told, const uint8_t *due, size_t n);

/* The intended octets of a group; NULL if they were sent like that. */
const uint8_t *interpret_octets(struct interpreter *in, const struct reading *r,
				const uint8_t *sent);

/* The names of the readings that this intended frame relies on, "" for none. */
const char *interpret_text(struct interpreter *in, const struct frame *f);

/* The names of all readings that the case relies on, "" for none. */
const char *interpret_names(struct interpreter *in);
/* A line for each, with its octets as sent and as meant. */
const char *interpret_lines(struct interpreter *in);

#endif
