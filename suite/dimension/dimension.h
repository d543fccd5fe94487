/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The quantities of the protocols that a peer or a ULP can choose: each is
 * declared once (dimensions.def), with its bounds and its edges. Code that
 * varies a quantity takes its values from here. Code that uses a quantity
 * records the value, and the suite keeps the values that occurred.
 *
 * The interesting values are the bounds, their neighbours, and the edges of the
 * families. All values between two such values are one class.
 */
#ifndef SUITE_DIMENSION_DIMENSION_H
#define SUITE_DIMENSION_DIMENSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The limit of a device that bounds a dimension, as its agent reports it. */
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
	DIMENSION_EVERY = 1,     /* each value is an edge */
	DIMENSION_SMALL = 2,     /* 0 to 9: every pad, both sides of a word */
	DIMENSION_POWERS = 4,    /* of two, and their neighbours */
	DIMENSION_PAGE = 8,      /* the first pages' edges */
	DIMENSION_SEGMENT = 16,  /* lengths of one, two or three segments */
	DIMENSION_WRAP = 32,     /* around 2^31, 2^32, 2^63 and 2^64 */
	DIMENSION_ENHANCED = 64, /* private data left by enhanced data */
	DIMENSION_HEADER = 128,  /* ends of the headers of an FPDU */
	/* No edges: the device chooses the value, and a new one each time. */
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

/* The value of each limit on a device; 0: not reported, or no bound. */
struct dimension_limits {
	uint64_t most[DIMENSION_LIMITS];
};
/* The highest value on such a device; NULL: on any. */
uint64_t dimension_high(enum dimension d, const struct dimension_limits *l);

/* More values than any dimension has within two bounds. */
#define DIMENSION_VALUES 400u

/*
 * The interesting values within these bounds, in order: edges, and the bounds
 * with their neighbours. The caller's bounds may lie beyond the declared ones,
 * because illegal values have edges, too. Returns their number; only the first
 * `cap` of them are written.
 */
size_t dimension_values(enum dimension d, uint64_t low, uint64_t high,
			uint64_t *out, size_t cap);

/*
 * One value within the bounds (low <= high), in the dimension's steps. Half of
 * the draws are interesting values; the others are of any size, or anywhere.
 * The same state gives the same value. Any state is valid, 0, too.
 */
uint64_t dimension_draw(enum dimension d, uint64_t low, uint64_t high,
			uint64_t *state);
/* The next 64 random bits of such a state. */
uint64_t dimension_random(uint64_t *state);

/* ------------------------------------------------------------------ *
 * The values that occurred
 * ------------------------------------------------------------------ */

/* How often each interesting value of each dimension within its own bounds, and
 * each class between them, occurred, up to UINT32_MAX. Plain data, all zero at
 * first; it may be copied, and shared between processes. */
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
	bool empty;       /* the dimension's steps have no value in it */
};
/* The classes of a dimension are numbered from 0, in order, and cover all
 * values. */
size_t dimension_classes(enum dimension d);
struct dimension_class dimension_class(enum dimension d, size_t number);
uint32_t dimension_class_met(const struct dimensions_met *m, enum dimension d,
			     size_t number);
/* Count this many more occurrences of a class. */
void dimension_class_add(struct dimensions_met *m, enum dimension d,
			 size_t number, uint32_t count);

/*
 * As a line of text, for a pipe or a journal. Values that do not fit are left
 * out. Returns its length.
 */
size_t dimensions_format(const struct dimensions_met *m, char *out, size_t cap);
/* Add the values of such a line. False: it is not such a line; a part of it may
 * have been added. */
bool dimensions_add(struct dimensions_met *m, const char *line);

#endif
