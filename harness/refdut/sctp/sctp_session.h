/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DDP stream sessions as RFC 5043 s5.2, s6 and RFC 6581 s7 have them: control
 * messages, the order that DDP-SSNs give to chunks, and what a chunk means in
 * it. Pure: octets in, octets out; associations are sctp_assoc.c's.
 */
#ifndef HARNESS_REFDUT_SCTP_SESSION_H
#define HARNESS_REFDUT_SCTP_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PPID_SEGMENT = 16,
	PPID_CONTROL = 17,
	SSN_SIZE = 2,
	CODE_SIZE = 2,
	CONTROL_HEADER = SSN_SIZE + CODE_SIZE,
	/* A message with all the private data there may be (RFC 5043 s9). */
	CONTROL_MAX = CONTROL_HEADER + 512,
	/* Chunks of a stream without acknowledgment (s10). */
	UNACKNOWLEDGED_MAX = 32767,
	/* Chunks and octets of a stream that wait for one before them. */
	HELD_CHUNKS_MAX = 4096,
	HELD_OCTETS_MAX = 4 << 20,
};

enum session_code {
	CODE_INITIATE = 1,
	CODE_ACCEPT = 2,
	CODE_REJECT = 3,
	CODE_TERMINATE = 4,
	CODE_ENHANCED_INITIATE = 5,
	CODE_ENHANCED_ACCEPT = 6,
	CODE_ENHANCED_REJECT = 7,
};

/* --- the order of chunks ------------------------------------------------ */

/* A chunk from its DDP-SSN on. */
struct chunk {
	struct chunk *next;
	uint16_t ssn;
	uint32_t ppid;
	uint32_t n;
	uint8_t octets[];
};

/* What came of one direction of a session. */
struct ssn_order {
	uint16_t next;
	struct chunk *held; /* those that come after next, or are it */
	unsigned nheld;
	uint64_t octets;
};

enum ssn_place {
	SSN_TAKEN,
	SSN_PAST,      /* it has been, or is there already */
	SSN_TOO_MANY,  /* more than may wait for those before */
	SSN_NOT_THERE, /* the chunk is shorter than its DDP-SSN */
};

/* Put a chunk where its DDP-SSN says. It is copied. */
enum ssn_place order_put(struct ssn_order *order, uint32_t ppid,
			 const uint8_t *octets, size_t n);
/* The next in turn, to be freed by the caller; NULL: it is not there yet. */
struct chunk *order_take(struct ssn_order *order);
/* Forget all; the next is 0. */
void order_reset(struct ssn_order *order);

/* --- control messages --------------------------------------------------- */

struct control_message {
	unsigned code;
	const uint8_t *private_data;
	size_t private_len;
};

/* Behind the DDP-SSN. False: there is not even a function code. */
bool control_message_read(struct control_message *message,
			  const uint8_t *octets, size_t n);

/* --- what a chunk means, in its turn ------------------------------------ */

enum session_phase {
	SESSION_NONE,    /* the stream is free */
	SESSION_ASKING,  /* our Initiate is out, or on its way */
	SESSION_ASKED,   /* theirs is here, and not answered */
	SESSION_OPEN,    /* accepted */
	SESSION_LEFT,    /* open, but their Terminate was here */
	SESSION_CLOSING, /* ours is due, and nothing else counts */
};

enum session_news {
	NEWS_INITIATE,
	NEWS_ACCEPT,
	NEWS_REJECT,
	NEWS_REFUSED, /* their Terminate answers our Initiate */
	NEWS_SEGMENT,
	NEWS_TERMINATE,
	NEWS_STRAY,   /* of no legal sequence */
	NEWS_NOTHING, /* about a session that is over */
};

enum session_news session_judge(enum session_phase phase, bool enhanced,
				uint32_t ppid, const uint8_t *octets, size_t n);

#endif
