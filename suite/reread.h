/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a device sent, as it was meant: copies of its frames in which every
 * group of fields that a reading is in force for stands where the RFCs put it
 * (suite/reading.h). The frames themselves stay as they are, in the log and
 * the captures.
 */
#ifndef SUITE_REREAD_H
#define SUITE_REREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/observe/observe.h"
#include "suite/reading.h"

struct test;

/* One group that came in a case and was read otherwise than as sent. */
struct reread {
	const struct reading *reading;
	const uint8_t *sent, *meant; /* the octets of the group */
	/* The frame it came in, and as meant; NULL: a startup frame, or what
	 * the agent told. */
	const struct frame *frame, *frame_meant;
	struct reread *next;
};

/*
 * The frame as it was meant: the same one where no reading changes it. Else
 * the test remembers it, and its case is marked. In the case's arena.
 */
const struct frame *reread_frame(struct test *t, const struct frame *f);
/* What reread_frame() has made of it before. */
const struct frame *reread_again(const struct test *t, const struct frame *f);

/* The same for a whole startup frame of n octets, by a device as initiator or
 * responder. */
const uint8_t *reread_startup(struct test *t, bool request,
			      const uint8_t *octets, size_t n);

/*
 * Whether a device of this reading may tell a group whose first n octets are
 * `due` as `told`: because it reads what it gets, or tells what it sent, in
 * its own way. Its flags and reserved bits are not told. The case is marked.
 */
bool reread_told(struct test *t, const struct reading *r, const uint8_t *told,
		 const uint8_t *due, size_t n);

/* Where the octets of a group stand in this frame, as sent; NULL if it has
 * none. The CRC field and groups of the ULPDU. */
const uint8_t *reread_place(const struct frame *f, enum reading_group g);
/* The same for the enhanced data of a startup frame. */
const uint8_t *reread_enhanced(const uint8_t *octets, size_t n);

/* The names of the readings of this frame as meant, "" for none. */
const char *reread_text(struct test *t, const struct frame *f);

/* The names of all readings that this case rests on, "" for none. */
const char *reread_names(struct test *t);
/* A line for each, with its octets as sent and as meant. */
const char *reread_lines(struct test *t);

#endif
