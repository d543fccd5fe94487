/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Outgoing messages, and the segments that they are cut into (RFC 5041 s4,
 * s5.2).
 *
 *   tx_mulpdu.c   the maximum length of a segment
 *   tx_segment.c  cuts a message into segments, and passes them to the LLP
 *   tx_header.c   the headers of DDP and RDMAP in front of each segment
 *
 * rdmap/tx_request.c, rdmap/tx_response.c and rdmap/tx_terminate.c make the
 * messages; rdmap/tx.c chooses the next one.
 */
#ifndef HARNESS_REFDUT_DDP_MESSAGE_H
#define HARNESS_REFDUT_DDP_MESSAGE_H

#include "harness/refdut/conn.h"

enum {
	/* Room for additions of faults that are not part of a header. */
	SPARE = 4,
	SHORT_MULPDU = 512,
};

struct message {
	enum opcode opcode;
	bool tagged;
	uint32_t stag; /* tagged: STag; untagged: Invalidate STag */
	uint64_t to;
	uint32_t qn;
	uint32_t msn;
	uint32_t len;
	const uint8_t *payload;        /* NULL: body */
	const struct region *region;   /* the region of the payload, or NULL */
	const struct work *work;       /* the ULP's work request, or NULL */
	const struct request *request; /* the Request that it answers, or
				        * NULL */
	uint8_t body[ATOMIC_REQUEST_HEADER + SPARE];
};

struct segment {
	uint32_t offset; /* octets of the message that were sent before it */
	uint32_t room;   /* for payload */
	uint32_t len;    /* payload octets */
	uint32_t mo;     /* the place of its payload in the message */
	bool last;       /* the last segment of the message */
};

/* Whether it is one of the four types of Send (RFC 5040 s5.3). */
static inline bool is_send(const struct message *m)
{
	return m->opcode >= OPCODE_SEND && m->opcode <= OPCODE_SEND_SE_INV;
}

static inline uint32_t header_length(const struct message *m)
{
	return m->tagged ? TAGGED_HEADER : UNTAGGED_HEADER;
}

/* tx_mulpdu.c */

/* Set MULPDU to its current value (RFC 5044 s4.5). */
void tx_refresh_mulpdu(struct conn *c);

#endif
