/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions when a message is cut into segments (RFC 5041 s5.2). */
#ifndef HARNESS_REFDUT_DDP_TX_SEGMENT_DECISIONS_H
#define HARNESS_REFDUT_DDP_TX_SEGMENT_DECISIONS_H

#include "harness/refdut/ddp/message.h"
#include "harness/refdut/decision/decision.h"

/* Queue the next segment of a message, and advance *offset to its end. True: it
 * was the last segment (RFC 5041 s5.2). */
#define DECISION_put_segment                                                   \
	bool, (struct conn * c, const struct message *m, uint32_t *offset),    \
		(c, m, offset)
DECISION(put_segment)

/* How many octets of payload fit into MULPDU (RFC 5041 s5.2). */
#define DECISION_segment_room                                                  \
	uint32_t, (struct conn * c, const struct message *m, uint32_t offset), \
		(c, m, offset)
DECISION(segment_room)

/* How many octets of the message the next segment carries, at most `room`: a
 * device may cut a message anywhere (RFC 5044 s5.1). */
#define DECISION_segment_length                                                \
	uint32_t,                                                              \
		(struct conn * c, const struct message *m, uint32_t offset,    \
		 uint32_t room),                                               \
		(c, m, offset, room)
DECISION(segment_length)

/* The position in the message of a segment of len octets that is sent after
 * offset octets: segments may be sent in any order (RFC 5041 s5.3). */
#define DECISION_segment_offset                                                \
	uint32_t,                                                              \
		(struct conn * c, const struct message *m, uint32_t offset,    \
		 uint32_t len),                                                \
		(c, m, offset, len)
DECISION(segment_offset)

/* Whether a segment is the last of its message (RFC 5041 s4.1). */
#define DECISION_segment_is_last                                               \
	bool,                                                                  \
		(struct conn * c, const struct message *m,                     \
		 const struct segment *s),                                     \
		(c, m, s)
DECISION(segment_is_last)

/* Pass the header and payload of a segment to the LLP (RFC 5041 s5.2). */
#define DECISION_segment_out                                                   \
	void,                                                                  \
		(struct conn * c, const struct message *m,                     \
		 const struct segment *s),                                     \
		(c, m, s)
DECISION(segment_out)

/* The len octets of the message from `at` on (RFC 5041 s5.2). */
#define DECISION_segment_payload                                               \
	const uint8_t *,                                                       \
		(struct conn * c, const struct message *m, uint32_t at,        \
		 uint32_t len),                                                \
		(c, m, at, len)
DECISION(segment_payload)

/* The stream offset at which the next FPDU begins. The offsets of markers are
 * multiples of 512 (RFC 5044 s4.3). */
#define DECISION_fpdu_position uint64_t, (struct conn * c), (c)
DECISION(fpdu_position)

#endif
