/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The quantities of the protocols that a peer or a ULP can choose: each is
 * declared once (dimensions.def), with its bounds and what its edges are. Who
 * varies one takes its values from here; who does something with one says so,
 * and what was met is kept.
 *
 * Interesting is a bound, what lies beside it, and the edges of the families;
 * what lies between two such values is one class.
 */
#ifndef SUITE_DIMENSION_DIMENSION_H
#define SUITE_DIMENSION_DIMENSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What bounds a dimension on a device, by what its agent says. */
enum dimension_limit {
	DIMENSION_LIMIT_NONE,
	DIMENSION_LIMIT_PRIVATE, /* octets of private data */
	DIMENSION_LIMIT_IRD,
	DIMENSION_LIMIT_ORD,
	DIMENSION_LIMIT_MESSAGE, /* octets */
	DIMENSION_LIMIT_REGION,  /* octets */
	DIMENSION_LIMIT_RECVS,   /* receives of a connection */
	DIMENSION_LIMIT_POSTS,   /* work requests of a connection */
	DIMENSION_LIMITS
};

/* Edges besides the bounds. */
enum dimension_family {
	DIMENSION_EVERY = 1,     /* each value is one */
	DIMENSION_SMALL = 2,     /* 0 to 9: every pad, both sides of a word */
	DIMENSION_POWERS = 4,    /* of two, and their neighbours */
	DIMENSION_PAGE = 8,      /* the first pages' edges */
	DIMENSION_SEGMENT = 16,  /* what fills one, two or three segments */
	DIMENSION_WRAP = 32,     /* around 2^31, 2^32, 2^63 and 2^64 */
	DIMENSION_ENHANCED = 64, /* what enhanced data leave of private data */
	DIMENSION_HEADER = 128,  /* ends of the headers of an FPDU */
	/* None: it is the device that chooses, and not twice the same. */
	DIMENSION_DEVICE = 256,
};

enum dimension {
#define DIMENSION(ident, ...) DIM_##ident,
#include "suite/dimension/dimensions.def"
#undef DIMENSION
	DIMENSION_COUNT
};

struct dimension_info {
	const char *name; /* on the command line, and in reports */
	const char *unit, *what;
	uint64_t low, high, step;
	enum dimension_limit limit;
	unsigned families;
};

#define DIMENSION_PAGE_OCTETS 4096u
/* The peer's MULPDU: for an EMSS of 1460, with markers (RFC 5044 s4.5). */
#define DIMENSION_MULPDU 1442u

const struct dimension_info *dimension_info(enum dimension d);
/* False: no dimension has that name. */
bool dimension_named(const char *name, enum dimension *d);

/* Per limit, what the device has; 0: not told, or no bound. */
struct dimension_limits {
	uint64_t most[DIMENSION_LIMITS];
};
/* The highest value on such a device; NULL: on any. */
uint64_t dimension_high(enum dimension d, const struct dimension_limits *l);

/* More than a dimension ever has within two bounds. */
#define DIMENSION_VALUES 400u

/*
 * The interesting values within these bounds, in order: edges, and the bounds
 * with their neighbours. The bounds are the caller's and may lie beyond those
 * declared, since what is illegal has an edge, too. Returns how many there
 * are; no more than cap are written, the first.
 */
size_t dimension_values(enum dimension d, uint64_t low, uint64_t high,
			uint64_t *out, size_t cap);

/*
 * One value within the bounds (low <= high), in the dimension's steps. Half of
 * the draws are interesting values; the others are of any size, or anywhere.
 * The same state gives the same value; any state will do, 0 too.
 */
uint64_t dimension_draw(enum dimension d, uint64_t low, uint64_t high,
			uint64_t *state);
/* The next 64 random bits of such a state. */
uint64_t dimension_random(uint64_t *state);

/* ------------------------------------------------------------------ *
 * What was met
 * ------------------------------------------------------------------ */

/* For each dimension its interesting values, by its own bounds, and the
 * classes between them: how often one was met, up to UINT32_MAX. Plain data,
 * all zero at first; it may be copied, and shared between processes. */
#define DIMENSION_SLOTS 12288u
struct dimensions_met {
	uint32_t count[DIMENSION_SLOTS];
};

void dimension_met(struct dimensions_met *m, enum dimension d, uint64_t value);
void dimensions_merge(struct dimensions_met *into,
		      const struct dimensions_met *from);

/* A value, or the class of those from low to high. */
struct dimension_class {
	uint64_t low, high;
	bool interesting; /* low == high, and it is a value of its own */
	bool empty;       /* there is none in the dimension's steps */
};
/* The classes of a dimension are numbered from 0, in order, and cover all
 * values that there are. */
size_t dimension_classes(enum dimension d);
struct dimension_class dimension_class(enum dimension d, size_t number);
uint32_t dimension_class_met(const struct dimensions_met *m, enum dimension d,
			     size_t number);
/* The same class, met so many times more. */
void dimension_class_add(struct dimensions_met *m, enum dimension d,
			 size_t number, uint32_t count);

/*
 * As a line of text, for a pipe or a journal. What does not fit is left out.
 * Returns its octets.
 */
size_t dimensions_format(const struct dimensions_met *m, char *out, size_t cap);
/* Add what such a line says. False: it is none; part of it may have been
 * added. */
bool dimensions_add(struct dimensions_met *m, const char *line);

#endif
