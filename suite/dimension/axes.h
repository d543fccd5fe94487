/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The axes of a rule: opcodes, segments of a message, roles, streams, edges of
 * quantities. A rule that was tested at only one point may be broken at all
 * others. Each axis is declared once (axes.def), with its points. The points
 * that a case has met before a judgement are a set.
 *
 * A dimension (dimension.h) serves to draw values. An axis serves to report
 * coverage, and is the same for every message that has the field.
 */
#ifndef SUITE_DIMENSION_AXES_H
#define SUITE_DIMENSION_AXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum axis {
#define AXIS(ident, ...) AXIS_##ident,
#include "suite/dimension/axes.def"
#undef AXIS
	AXIS_COUNT
};

/* Points of the axes of words, in the order of axes.def. */
enum { ROLE_IS_RESPONDER, ROLE_IS_INITIATOR };
enum { STREAM_IS_FIRST, STREAM_IS_SECOND };
enum { SEGMENT_IS_ONLY, SEGMENT_IS_FIRST, SEGMENT_IS_MIDDLE, SEGMENT_IS_LAST };
enum {
	STAG_IS_RIGHT,
	STAG_HAS_WRONG_KEY,
	STAG_HAS_WRONG_INDEX,
	STAG_IS_OF_OTHER_PD
};
enum { MSN_IS_NEXT, MSN_IS_WRONG_ABOVE, MSN_IS_WRONG };
enum { PAGE_BEGINS, PAGE_ENDS, PAGE_CROSSED };

/* An opcode of four bits; those from 12 on are one point (RFC 7306 s10.1). */
#define AXIS_OPCODES 13u

#define AXES_POINTS_MOST 384u
/* A set of points. Plain data, empty if zero. */
struct axes {
	uint64_t bits[AXES_POINTS_MOST / 64];
};

const char *axis_name(enum axis a);
size_t axis_points(enum axis a);
/* "responder", "2^16-1", ... */
const char *axis_point(enum axis a, size_t point);

void axes_add(struct axes *s, enum axis a, size_t point);
bool axes_has(const struct axes *s, enum axis a, size_t point);
void axes_merge(struct axes *into, const struct axes *from);
/* The point of this value on an axis of a quantity, if it is one. */
void axes_add_value(struct axes *s, enum axis a, uint64_t value);
/* The same for the length of a message whose headers have this many octets: it
 * may be at the edge of a full segment, too. */
void axes_add_length(struct axes *s, enum axis a, uint64_t octets,
		     size_t header);
/* The n-th message, on an axis of counts. */
void axes_add_count(struct axes *s, enum axis a, uint64_t n);
void axes_add_opcode(struct axes *s, enum axis a, unsigned opcode);

/* Room for the text of every set. */
#define AXES_TEXT 4096u
/* "role:responder peer-opcode:send,write", without the part that does not fit.
 * Returns its length. */
size_t axes_format(const struct axes *s, char *out, size_t cap);
/* Add the points of such a line. Axes and points that this program does not
 * know are ignored. False: it is not such a line. */
bool axes_parse(struct axes *s, const char *line);

#endif
