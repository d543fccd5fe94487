/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Incoming DDP segments, and the declarations that these files share:
 *
 *   ddp_rx.c           a segment, from its arrival to the end of its message
 *   tagged_checks.c    the checks of RFC 5041 s7.1 on a tagged segment
 *   untagged_checks.c  the checks of RFC 5041 s7.1 on an untagged segment
 *   placement.c        the placement of payload
 *   delivery.c         the delivery of a message after its last segment
 */
#ifndef HARNESS_REFDUT_DDP_RX_H
#define HARNESS_REFDUT_DDP_RX_H

#include "harness/refdut/conn.h"
#include "harness/refdut/rdmap/fields.h"

/* Flags of the DDP control octet (RFC 5041 s4.1). */
enum { L_FLAG = 0x40, T_FLAG = 0x80 };

/* Error codes of RFC 5041 s7.2 for tagged buffers. */
enum tagged_error {
	TAGGED_INVALID_STAG,
	TAGGED_BOUNDS,
	TAGGED_NOT_ASSOCIATED,
	TAGGED_TO_WRAP,
	TAGGED_INVALID_DV,
};

/* Error codes of RFC 5041 s7.2 for untagged buffers. */
enum untagged_error {
	UNTAGGED_FINE,
	INVALID_QN,
	NO_BUFFER,
	MSN_OUT_OF_RANGE,
	INVALID_MO,
	MESSAGE_TOO_LONG,
	INVALID_DV,
};

static inline unsigned opcode_of(const uint8_t *u)
{
	return u[1] & 0x0f;
}

/* The header of a tagged segment (RFC 5041 s4.2). */
static inline uint32_t stag_of(const uint8_t *u)
{
	return be32(u + 2);
}

static inline uint64_t to_of(const uint8_t *u)
{
	return be64(u + 6);
}

/* The header of an untagged segment (RFC 5041 s4.3). */
static inline uint32_t qn_of(const uint8_t *u)
{
	return be32(u + 6);
}

static inline uint32_t msn_of(const uint8_t *u)
{
	return be32(u + 10);
}

static inline uint32_t mo_of(const uint8_t *u)
{
	return be32(u + 14);
}

static inline bool is_immediate(const uint8_t *u)
{
	return opcode_of(u) == OPCODE_IMMEDIATE ||
	       opcode_of(u) == OPCODE_IMMEDIATE_SE;
}

/* End the stream with an RDMAP error. Returns false. */
static inline bool operation_refused(struct conn *c, unsigned code,
				     const uint8_t *u, uint32_t len)
{
	fault(c, ERR_RDMA_OPERATION, code, u, len, NULL);
	return false;
}

/*
 * tagged_checks.c: false if the segment ended the stream.
 */

/* DDP's own checks. *region is the buffer, or NULL for an empty segment. */
bool tagged_checked(struct conn *c, const uint8_t *u, uint32_t len,
		    struct region **region);
bool access_checked(struct conn *c, const uint8_t *u, uint32_t len,
		    const struct region *region);
/* For a Read Response: *read is the Read that it answers. */
bool response_checked(struct conn *c, const uint8_t *u, uint32_t len,
		      struct work **read);

/*
 * untagged_checks.c
 */
bool untagged_checked(struct conn *c, const uint8_t *u, uint32_t len,
		      bool first);
/* Whether an MSN is within the legal range, so that its message may wait for
 * the messages before it. */
bool msn_is_ahead(const struct conn *c, uint32_t qn, uint32_t msn);

#endif
