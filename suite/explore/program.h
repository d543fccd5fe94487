/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program: streams, regions, and what both ends do on them, step by step.
 * Plain data; every field has a range of its own, and program_fit() brings
 * whatever is in it within that: a program that was cut down is one as well.
 */
#ifndef SUITE_EXPLORE_PROGRAM_H
#define SUITE_EXPLORE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PROGRAM_STREAMS 4u
#define PROGRAM_REGIONS 8u
#define SHARED_WORDS    4u
#define PROGRAM_STEPS   4096u

enum step_op {
	/* the peer sends: */
	PEER_SENDS,
	PEER_WRITES,
	PEER_READS,
	PEER_ADDS,
	PEER_SWAPS,
	PEER_IMMEDIATE,
	/* the device is given to do: */
	DUT_SENDS,
	DUT_WRITES,
	DUT_READS,
	DUT_ADDS,
	DUT_SWAPS,
	DUT_IMMEDIATE,
	DUT_WRITES_IMMEDIATE,
	/* everything due has arrived, and is compared */
	SETTLE,
	/* the stream ends: */
	PEER_TERMINATES,
	PEER_CLOSES,
	PEER_RESETS,
	DUT_CLOSES,
	STEP_OPS
};

/* The fault of a message of the peer: none, or one. */
enum step_fault {
	FAULT_NONE,
#define FAULT(ident, name, text, need) FAULT_##ident,
#include "suite/explore/faults.def"
#undef FAULT
	STEP_FAULTS
};

/* The fault of the peer's startup frame: no stream is established. */
enum stream_fault {
	STARTUP_RIGHT,
#define STARTUP(ident, name, text, responder, initiator) STARTUP_##ident,
#include "suite/explore/startups.def"
#undef STARTUP
	STARTUP_FAULTS
};

/* The numbers of a step. Their meaning depends on the operation (steps.def). */
enum step_number {
	STEP_STREAM,
	STEP_REGION,
	STEP_OFF,     /* octets, in the region */
	STEP_LEN,     /* octets */
	STEP_SEGMENT, /* octets of payload of a segment; 0: as many as fit */
	STEP_CUT,  /* TCP is written to in so many octets, under 256 but once;
		       * 0: at once. Of an end: so many are missing of an FPDU */
	STEP_ROOM, /* octets that the receive buffer has left over; of a message
		    * that is too long for it: so many too few, 0: half */
	STEP_INTO, /* the region that contains the receive buffer, at `off`,
		    * from 1; 0: not in a region of the program */
	STEP_TO,   /* in the memory of the peer; 0: that of the program */
	STEP_INV,  /* the region that a Send invalidates, from 1; 0: none */
	STEP_A,    /* added, or compared */
	STEP_A_MASK,
	STEP_B, /* swapped in; Immediate Data */
	STEP_B_MASK,
	STEP_SHARED, /* on words that all streams share, from 0 to 3 by `off` */
	STEP_SE,     /* it asks for a Solicited Event */
	STEP_FENCE,  /* after all earlier Reads */
	STEP_HOLD,   /* in one write with the next message */
	STEP_TURN,   /* once the requests on the other streams are answered */
	STEP_BACKWARDS, /* its segments but the last, last one first */
	STEP_FAULT,
	STEP_NUMBERS
};

struct step {
	enum step_op op;
	uint64_t n[STEP_NUMBERS];
};

enum stream_number {
	STREAM_INITIATES, /* the device does */
	STREAM_ENHANCED,
	STREAM_RTR, /* RTR_SEND, RTR_WRITE, RTR_READ, or 0: client-server */
	STREAM_CRC_OFF,
	STREAM_MARKERS,     /* the device sends them, */
	STREAM_DUT_MARKERS, /* the peer does */
	STREAM_DUT_RTR,     /* the device's values; 0: the same */
	STREAM_REVISION_2,  /* for a Request without enhanced data */
	STREAM_IRD,         /* of the device */
	STREAM_ORD,         /* of the device */
	STREAM_PEER_IRD,    /* of the peer; 0: that fits the device's */
	STREAM_PEER_ORD,    /* likewise */
	STREAM_PRIVATE,     /* octets, of the peer, */
	STREAM_DUT_PRIVATE, /* and of the device */
	STREAM_MSS,         /* TCP's, of the peer; 0: that of the path */
	STREAM_FAULT,       /* of the peer's startup frame, */
	STREAM_FAULT_AT,    /* and which octet of it */
	STREAM_NUMBERS
};

enum region_number {
	REGION_LEN,
	REGION_ACCESS, /* LOCAL_WRITE, REMOTE_READ, ... */
	REGION_ALIGN,  /* log2 of its address's alignment, and */
	REGION_SKEW,   /* octets from there */
	REGION_ZERO_BASED,
	REGION_STREAM, /* the one that changes it */
	REGION_NUMBERS
};

struct program {
	uint64_t seed, number; /* its origin */
	unsigned streams, regions, steps;
	uint64_t stream[PROGRAM_STREAMS][STREAM_NUMBERS];
	uint64_t region[PROGRAM_REGIONS][REGION_NUMBERS];
	struct step step[PROGRAM_STEPS];
};

/* Everything within its range. */
void program_fit(struct program *p);
/* The region that a step uses, with the access right that it needs, or that
 * contains its receive buffer; PROGRAM_REGIONS: none. */
unsigned step_region(const struct step *s);
/* Octets of that region, from its offset on; of a receive buffer all. */
uint64_t step_span(const struct step *s);
/* Octets of the receive buffer that its message takes; 0: it takes none. */
uint64_t step_buffer(const struct step *s);
/* Which regions its steps use, as bits; which streams. */
unsigned program_regions_used(const struct program *p);
unsigned program_streams_used(const struct program *p);
/* Whether the numbers mean something to a step of this kind. */
bool step_has(enum step_op op, enum step_number n);
/* The right that a step needs of its region (case_dut.h); 0: it has none. */
unsigned step_access(enum step_op op);
/* Whether it can have this fault. */
bool step_can_have(enum step_op op, enum step_fault f);
/* Whether it is the last one of its stream. */
bool step_ends(enum step_op op);
/* Operations among its steps: messages, and work of the device. */
unsigned program_operations(const struct program *p);

/* --- as text (script.c) ----------------------------------------------------- */

/* Name of an operation, as scripts have it. */
const char *step_op_name(enum step_op op);
const char *step_fault_name(enum step_fault f);
const char *stream_fault_name(uint64_t f);
/* A line for each stream, region and step. False: not all was written. */
bool program_write(const struct program *p, FILE *out);
/* One step, without its end of line. */
void step_write(const struct step *s, FILE *out);
/* False: one line in why, which begins with NAME:LINE. */
bool program_read(struct program *p, const char *name, const char *text,
		  size_t n, char *why, size_t cap);

#endif
