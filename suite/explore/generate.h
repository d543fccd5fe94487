/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs from a seed: the same seed, number and device give the same
 * program, on every machine.
 */
#ifndef SUITE_EXPLORE_GENERATE_H
#define SUITE_EXPLORE_GENERATE_H

#include "suite/dimension/dimension.h"
#include "suite/explore/program.h"

/* The properties of the device that determine what can be requested of it. */
struct explore_device {
	uint64_t claims; /* NEED_ bits */
	uint32_t max_ird, max_ord, max_private, max_regions;
	uint32_t max_recvs, max_posts; /* 0: not given */
	uint64_t max_region_len, max_message;
	unsigned spec; /* SPEC_ bit */
};

/*
 * A step or stream that programs avoid, because the shortest program that shows
 * a fault needed it: a step of this kind, or a stream, in which all of these
 * numbers are set.
 */
struct avoided {
	bool stream;
	enum step_op op;  /* of a step */
	bool empty;       /* only steps without octets */
	uint32_t numbers; /* bits */
	uint64_t fault;   /* the value of the fault, if it is in `numbers` */
};
#define AVOIDED_MOST 128u
#define AVOIDED_TEXT 512u

struct generate_options {
	uint64_t seed;
	unsigned steps;   /* of a program, at most PROGRAM_STEPS */
	unsigned streams; /* at most */
	unsigned faults;  /* programs that end with a fault, in 1000 */
	unsigned weight[STEP_OPS];
	struct explore_device device;
	/* The range of each dimension. */
	uint64_t low[DIMENSION_COUNT], high[DIMENSION_COUNT];
	struct avoided avoided[AVOIDED_MOST];
	unsigned avoids;
};

/* The weights, if none are given. */
void generate_defaults(struct generate_options *o);
void generate(const struct generate_options *o, uint64_t number,
	      struct program *p);
bool is_avoided(const struct generate_options *o, const struct step *s);
bool is_avoided_stream(const struct generate_options *o, const uint64_t *s);

/* As a line of a program: "peer-reads fault=wrap" (script.c). */
void avoided_write(const struct avoided *a, char text[AVOIDED_TEXT]);
/* Read such a line: all numbers in it that are not 0 count. False: one line in
 * why. */
bool avoided_read(const char *text, struct avoided *a, char *why, size_t cap);

#endif
