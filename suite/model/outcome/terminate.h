/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Terminate (RFC 5040 s4.8, s7; RFC 5041 s7.2; RFC 5044 s8; RFC 6581 s8;
 * RFC 7306 s8): the reactions that each fault of the peer allows, the
 * registered numbers, and the parts of the message at fault that a Terminate
 * has to return.
 */
#ifndef SUITE_MODEL_TERMINATE_H
#define SUITE_MODEL_TERMINATE_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/wire/ddp.h"
#include "harness/wire/rdmap.h"
#include "suite/req/req.h"

#define MODEL_REQ_NONE ((unsigned short)0xffff)
/* In layer, etype or code of an outcome: any registered value. */
#define MODEL_ANY 0x100

/* The layout of suite/req decides the width of a requirement's index. */
_Static_assert(REQ_COUNT < 0xffff, "a requirement index fits 16 bits");

/*
 * The reactions that a device may have to one segment of its peer. If a set has
 * several reactions, the RFCs allow each of them.
 */
enum model_outcome_kind {
	MODEL_PROCESS,       /* accept it: place, deliver, answer */
	MODEL_TERMINATE,     /* refuse it: Terminate with these numbers */
	MODEL_BACK_PRESSURE, /* hold it back until a buffer is posted */
	MODEL_DROP,          /* drop the TCP segment silently, as if lost */
	MODEL_WAIT,          /* nothing yet: the message is not complete */
	MODEL_END,           /* end the stream without a Terminate */
	MODEL_IGNORE,        /* drop it silently: the stream has failed */
};

struct model_outcome {
	enum model_outcome_kind kind;
	uint16_t layer, etype, code; /* MODEL_TERMINATE; or MODEL_ANY */
	unsigned short req;          /* the requirement that allows it */
};

#define MODEL_OUTCOMES 12

struct model_outcomes {
	unsigned n;
	struct model_outcome outcome[MODEL_OUTCOMES];
	unsigned short req; /* the requirement behind the whole set */
	/*
	 * The requirement that is broken if the stream ends without a
	 * Terminate; MODEL_REQ_NONE if none is due. A MUST for RDMAP's own
	 * errors (RFC 5040 s7.1), a SHOULD for those of DDP and MPA (s6.2.1).
	 */
	unsigned short silent_req;
	bool open; /* the RFCs leave the outcome open: record it, do not judge
		    * it */
};

/* The possible faults of a peer, one for each rule that it breaks. */
enum model_stimulus {
	MODEL_STIM_NONE,
	/* MPA: RFC 5044 s8 */
	MODEL_STIM_CRC,
	MODEL_STIM_MARKER,
	MODEL_STIM_ULPDU_TOO_LONG,     /* above 64768: binds only senders */
	MODEL_STIM_ULPDU_ABOVE_MULPDU, /* of this path */
	/* DDP, any segment: RFC 5041 s4, s7 */
	MODEL_STIM_EMPTY_ULPDU,
	MODEL_STIM_SHORT_HEADER,
	MODEL_STIM_DV0_TAGGED, /* each wrong DV has a requirement of its own */
	MODEL_STIM_DV2_TAGGED,
	MODEL_STIM_DV3_TAGGED,
	MODEL_STIM_DV0_UNTAGGED,
	MODEL_STIM_DV2_UNTAGGED,
	MODEL_STIM_DV3_UNTAGGED,
	/* DDP, tagged */
	MODEL_STIM_STAG,
	MODEL_STIM_STAG_ANOTHER, /* not valid, nor that of the segment before */
	MODEL_STIM_STAG_ZERO, /* of a Write: the host may have it for itself */
	MODEL_STIM_STAG_NEAR, /* so close to a valid one that it may be another
			       * one of the device's */
	MODEL_STIM_STAG_STREAM, /* another stream or domain */
	MODEL_STIM_TAGGED_BOUNDS,
	MODEL_STIM_TAGGED_WRAP,
	MODEL_STIM_WRITE_ACCESS,
	/* DDP, untagged */
	MODEL_STIM_QN,
	MODEL_STIM_QN_EMPTY, /* in a zero-length segment */
	MODEL_STIM_NO_BUFFER,
	MODEL_STIM_NO_BUFFER_EMPTY, /* for a zero-length message */
	MODEL_STIM_MSN_OLD,
	MODEL_STIM_MSN_AHEAD,   /* past every posted buffer */
	MODEL_STIM_MSN_SKIPPED, /* ahead, yet inside the legal range */
	MODEL_STIM_MO,          /* past the buffer's end */
	MODEL_STIM_MO_AT_END,   /* right at the buffer's end, with payload */
	MODEL_STIM_TOO_LONG,
	/* RDMAP, any message: RFC 5040 s7.2 */
	MODEL_STIM_RV,
	MODEL_STIM_RV_ZERO, /* that of the RDMA Consortium: the RFCs disagree */
	MODEL_STIM_OPCODE,  /* unassigned, or not claimed */
	MODEL_STIM_OPCODE_ATOMIC_REQUEST,  /* not claimed, on QN 1 */
	MODEL_STIM_OPCODE_ATOMIC_RESPONSE, /* not claimed, on QN 3 */
	MODEL_STIM_T_FLAG,                 /* T wrong for the opcode */
	MODEL_STIM_RV_EARLY, /* the same in a tagged segment with L=0: RDMAP */
	MODEL_STIM_OPCODE_EARLY, /* may look at the last segment alone */
	MODEL_STIM_QUEUE,        /* QN valid, but not this opcode's */
	/* Send with Invalidate: RFC 5040 s5.3 */
	MODEL_STIM_INVALIDATE_STAG,      /* never issued, or no longer valid */
	MODEL_STIM_INVALIDATE_STAG_NEAR, /* as MODEL_STIM_STAG_NEAR */
	MODEL_STIM_INVALIDATE_STREAM,    /* another stream's or domain's */
	MODEL_STIM_INVALIDATE_SHARED,    /* may not be invalidated remotely */
	/* Read Request: RFC 5040 s5.2.1, s7.2 */
	MODEL_STIM_READ_SHORT,
	MODEL_STIM_READ_SEGMENTED, /* in several DDP segments */
	MODEL_STIM_READ_REVOKED,   /* its source was invalidated before the
				    * answer */
	MODEL_STIM_READ_LONG,      /* octets after its header */
	MODEL_STIM_READ_STAG,
	MODEL_STIM_READ_STAG_NEAR, /* as MODEL_STIM_STAG_NEAR, or 0 */
	MODEL_STIM_READ_STREAM,
	MODEL_STIM_READ_TO,
	MODEL_STIM_READ_BOUNDS,
	MODEL_STIM_READ_WRAP,
	MODEL_STIM_READ_ACCESS,
	MODEL_STIM_READ_SINK_WRAP,
	MODEL_STIM_READ_SKIPPED, /* MSN of QN 1 ahead of its turn */
	MODEL_STIM_BEYOND_IRD,
	/* Read Response: RFC 5040 s5.2.2 */
	MODEL_STIM_RESPONSE_UNASKED,
	MODEL_STIM_RESPONSE_MISMATCH, /* does not match its Request */
	/* Atomics: RFC 7306 s5, s8.2 */
	MODEL_STIM_ATOMIC_SHORT,
	MODEL_STIM_ATOMIC_LONG,
	MODEL_STIM_ATOMIC_SEGMENTED, /* in several DDP segments */
	MODEL_STIM_AOPCODE_1,        /* 1 */
	MODEL_STIM_AOPCODE_3,        /* 3 */
	MODEL_STIM_AOPCODE,          /* 4 to 15 */
	MODEL_STIM_AOPCODE_DRAFT,    /* 3 to 15 under draft -03 or -01 */
	MODEL_STIM_ATOMIC_UNCLAIMED, /* the device claims only the other one */
	MODEL_STIM_ATOMIC_UNALIGNED, /* a FetchAdd */
	MODEL_STIM_CMPSWAP_UNALIGNED,
	MODEL_STIM_SWAP_UNALIGNED,
	MODEL_STIM_ATOMIC_STAG,
	MODEL_STIM_ATOMIC_STREAM,
	MODEL_STIM_ATOMIC_BOUNDS,
	MODEL_STIM_ATOMIC_ACCESS,
	MODEL_STIM_ATOMIC_READ_WRITE, /* remote reads and writes are allowed */
	MODEL_STIM_ATOMIC_REVOKED,    /* its target was invalidated before the
				       * answer */
	MODEL_STIM_ATOMIC_RESPONSE_UNASKED,
	MODEL_STIM_ATOMIC_RESPONSE_MSN,
	MODEL_STIM_ATOMIC_RESPONSE_LENGTH,
	MODEL_STIM_ATOMIC_RESPONSE_ID,
	/* Immediate Data: RFC 7306 s6.3 */
	MODEL_STIM_IMM_SHORT,
	MODEL_STIM_IMM_LONG,
	MODEL_STIM_IMM_SEGMENTED,
	MODEL_STIM_IMM_BUFFER, /* its receive buffer is under 8 octets */
	/* Terminate from the peer: RFC 5040 s5.4 */
	MODEL_STIM_TERMINATE_MALFORMED,
	MODEL_STIM_TERMINATE_PARTIAL, /* L=0, or an MSN ahead */
	/* Messages that only break rules for their source: open */
	MODEL_STIM_OVERLAP,        /* octets of a message sent twice */
	MODEL_STIM_INCOMPLETE,     /* L=1, but octets are missing */
	MODEL_STIM_INTERLEAVED,    /* inside another message */
	MODEL_STIM_EMPTY_SEGMENT,  /* no payload, not a whole message */
	MODEL_STIM_CHANGED_HEADER, /* STag or RsvdULP changes midway */
	MODEL_STIM_FIRST_NOT_RTR,  /* RFC 6581 s9.2 */
	MODEL_STIM_AFTER_FAILURE,  /* follows a fault: dropped silently */
	MODEL_STIM_COUNT
};

/* "tagged segment, STag not valid": fixed text, never NULL. */
const char *model_stimulus_text(enum model_stimulus s);

/* The reactions that this fault allows. */
struct model_outcomes model_fault_outcomes(enum model_stimulus s);

/* True if the set allows a Terminate with these numbers. */
bool model_outcomes_terminate(const struct model_outcomes *o, unsigned layer,
			      unsigned etype, unsigned code);
/* The same for a device that reports each RDMAP error as "Unspecified Error"
 * (RFC 5040 s4.8), except those that RFC 7306 s8.2 requires to be reported. */
bool model_outcomes_unspecified(const struct model_outcomes *o, unsigned layer,
				unsigned etype, unsigned code);
/* True if the set contains this kind. */
bool model_outcomes_has(const struct model_outcomes *o,
			enum model_outcome_kind kind);

/*
 * True if a segment with this header, which is correct in itself, can be the
 * cause of a Terminate with these numbers: because of facts that only its
 * receiver knows, such as its memory, its buffers, its ULP, and the features
 * that it implements.
 */
bool model_terminate_may_be_hidden(unsigned layer, unsigned etype,
				   unsigned code, const struct ddp *d);

/* True if the numbers are in the IANA registry of RFC 6580 s3.1 to s3.3, as RFC
 * 6581 s8 extends it. */
bool model_terminate_registered(unsigned layer, unsigned etype, unsigned code);

/* How strictly one header bit of a Terminate is required, and by which
 * requirement. */
enum model_due { MODEL_DUE_CLEAR, MODEL_DUE_SET, MODEL_DUE_EITHER };
struct model_bit_due {
	enum model_due due;
	unsigned short req;
};
struct model_headers_due {
	struct model_bit_due m, d, r;
};

/*
 * The M, D and R bits of a Terminate with these numbers that answers a
 * message with this opcode (RFC 5040 s4.8 figure 10, s7.1; RFC 7306 s8.1).
 * An `opcode` of MODEL_ANY means that no incoming message was at fault.
 */
struct model_headers_due model_terminate_headers_due(unsigned layer,
						     unsigned etype,
						     unsigned code,
						     unsigned opcode);

/*
 * True if the Terminate ends with headers "set to zero". RFC 5040 s7.1 and RFC
 * 7306 s8.1 require this for headers that are not returned, so zeros of exactly
 * their length are correct by one reading. A case reports once that s4.8
 * contradicts this.
 */
bool model_terminate_set_to_zero(const struct rdmap_terminate *t);

/* The length of a Terminate's ULPDU with these bits; `tagged` for the
 * header. */
unsigned model_terminate_ulpdu(bool m, bool d, bool r, bool tagged);

#endif
