/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program: streams, regions, and the actions of both ends on them, step by
 * step. Plain data. Every field has a range of its own, and program_fit()
 * brings all fields into their ranges, so that a shortened program is valid,
 * too.
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
	/* the device gets work: */
	DUT_SENDS,
	DUT_WRITES,
	DUT_READS,
	DUT_ADDS,
	DUT_SWAPS,
	DUT_IMMEDIATE,
	DUT_WRITES_IMMEDIATE,
	/* everything due arrives, and is compared: */
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

/* The numbers of a step. Their meaning depends on the operation (program.c). */
enum step_number {
	STEP_STREAM,
	STEP_REGION,
	STEP_OFF,     /* octets, in the region */
	STEP_LEN,     /* octets */
	STEP_SEGMENT, /* octets of payload of a segment; 0: as many as fit */
	STEP_CUT,     /* octets of each write to TCP; below 256: of the first
		       * write only; 0: one write. Of a step that ends the
		       * stream: octets that are missing of an FPDU */
	STEP_ROOM,    /* octets of the receive buffer that stay free; if the
		    * message is too long for it: octets that the buffer lacks,
		    * 0: half of them */
	STEP_INTO,    /* the region that contains the receive buffer, at `off`,
		    * from 1; 0: not in a region of the program */
	STEP_TO,      /* in the memory of the peer; 0: that of the program */
	STEP_INV,     /* the region that a Send invalidates, from 1; 0: none */
	STEP_A,       /* added, or compared */
	STEP_A_MASK,
	STEP_B, /* swapped in; Immediate Data */
	STEP_B_MASK,
	STEP_SHARED, /* on a word that all streams share: 0 to 3, by `off` */
	STEP_SE,     /* it asks for a Solicited Event */
	STEP_FENCE,  /* after all earlier Reads */
	STEP_HOLD,   /* in one write with the next message */
	STEP_TURN,   /* once the requests on the other streams are answered */
	STEP_BACKWARDS, /* its segments, but the last, in reverse order */
	STEP_FAULT,
	STEP_NUMBERS
};

struct step {
	enum step_op op;
	uint64_t n[STEP_NUMBERS];
};

enum stream_number {
	STREAM_INITIATES, /* the device is the initiator */
	STREAM_ENHANCED,
	STREAM_RTR, /* RTR_SEND, RTR_WRITE, RTR_READ, or 0: client-server */
	STREAM_CRC_OFF,
	STREAM_MARKERS,     /* the device sends them */
	STREAM_DUT_MARKERS, /* the peer sends them */
	STREAM_DUT_RTR,     /* the device's values; 0: the same */
	STREAM_REVISION_2,  /* for a Request without enhanced data */
	STREAM_IRD,         /* of the device */
	STREAM_ORD,         /* of the device */
	STREAM_PEER_IRD,    /* of the peer; 0: one that fits the device's */
	STREAM_PEER_ORD,    /* likewise */
	STREAM_PRIVATE,     /* octets, of the peer */
	STREAM_DUT_PRIVATE, /* octets, of the device */
	STREAM_MSS,         /* TCP's, of the peer; 0: that of the path */
	STREAM_FAULT,       /* of the peer's startup frame */
	STREAM_FAULT_AT,    /* the octet of that frame at fault */
	STREAM_NUMBERS
};

enum region_number {
	REGION_LEN,
	REGION_ACCESS, /* LOCAL_WRITE, REMOTE_READ, ... */
	REGION_ALIGN,  /* log2 of the alignment of its address */
	REGION_SKEW,   /* octets after an address with that alignment */
	REGION_ZERO_BASED,
	REGION_STREAM, /* the only stream that changes it */
	REGION_NUMBERS
};

struct program {
	uint64_t seed, number; /* its origin */
	unsigned streams, regions, steps;
	uint64_t stream[PROGRAM_STREAMS][STREAM_NUMBERS];
	uint64_t region[PROGRAM_REGIONS][REGION_NUMBERS];
	struct step step[PROGRAM_STEPS];
};

/* Bring every field into its range. */
void program_fit(struct program *p);
/* The region that a step uses, with the access right that it needs, or that
 * contains its receive buffer; PROGRAM_REGIONS: none. */
unsigned step_region(const struct step *s);
/* The number of octets of that region that it uses, from its offset on; for a
 * receive buffer, the whole buffer. */
uint64_t step_span(const struct step *s);
/* The length of the receive buffer that its message uses; 0: it uses none. */
uint64_t step_buffer(const struct step *s);
/* The regions that its steps use, as bits; the streams. */
unsigned program_regions_used(const struct program *p);
unsigned program_streams_used(const struct program *p);
/* True if this number has a meaning for a step of this kind. */
bool step_has(enum step_op op, enum step_number n);
/* The right that a step needs on its region (case_dut.h); 0: it has none. */
unsigned step_access(enum step_op op);
/* True if such a step can have this fault. */
bool step_can_have(enum step_op op, enum step_fault f);
/* True if such a step is the last one of its stream. */
bool step_ends(enum step_op op);
/* The number of its operations: messages of the peer, and work of the
 * device. */
unsigned program_operations(const struct program *p);

/* --- as text (script.c) ----------------------------------------------- */

/* The name of an operation in scripts. */
const char *step_op_name(enum step_op op);
const char *step_fault_name(enum step_fault f);
const char *stream_fault_name(uint64_t f);
/* A line for each stream, region and step. False: writing failed. */
bool program_write(const struct program *p, FILE *out);
/* One step, without its end of line. */
void step_write(const struct step *s, FILE *out);
/* False: one line in why, which begins with NAME:LINE. */
bool program_read(struct program *p, const char *name, const char *text,
		  size_t n, char *why, size_t cap);

#endif
