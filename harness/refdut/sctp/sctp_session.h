/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DDP stream sessions as in RFC 5043 s5.2, s6 and RFC 6581 s7: control
 * messages, the order of chunks by their DDP-SSNs, and the meaning of each
 * chunk in this order. Nothing here does I/O; associations belong to
 * sctp_assoc.c.
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
	/* A message with the maximum of private data (RFC 5043 s9). */
	CONTROL_MAX = CONTROL_HEADER + 512,
	/* Unacknowledged chunks of a stream (s10). */
	UNACKNOWLEDGED_MAX = 32767,
	/* Chunks and octets of a stream that wait for an earlier chunk. */
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

/* A chunk without its DDP-SSN. */
struct chunk {
	struct chunk *next;
	uint16_t ssn;
	uint32_t ppid;
	uint32_t n;
	uint8_t octets[];
};

/* The chunks received in one direction of a session. */
struct ssn_order {
	uint16_t next;
	struct chunk *held; /* waiting chunks, from `next` on */
	unsigned nheld;
	uint64_t octets;
};

enum ssn_place {
	SSN_TAKEN,
	SSN_PAST,      /* it was received before */
	SSN_TOO_MANY,  /* too many chunks or octets wait */
	SSN_NOT_THERE, /* the chunk is shorter than a DDP-SSN */
};

/* Copy a chunk, and put it at the place that its DDP-SSN determines. */
enum ssn_place order_put(struct ssn_order *order, uint32_t ppid,
			 const uint8_t *octets, size_t n);
/* Take the chunk with the next DDP-SSN; the caller frees it. NULL: it has not
 * arrived. */
struct chunk *order_take(struct ssn_order *order);
/* Drop all chunks; the next DDP-SSN is 0. */
void order_reset(struct ssn_order *order);

/* --- control messages --------------------------------------------------- */

struct control_message {
	unsigned code;
	const uint8_t *private_data;
	size_t private_len;
};

/* Read a message that follows a DDP-SSN. False: the function code is
 * incomplete. */
bool control_message_read(struct control_message *message,
			  const uint8_t *octets, size_t n);

/* --- the meaning of a chunk, in the order of the DDP-SSNs --------------- */

enum session_phase {
	SESSION_NONE,    /* the stream is free */
	SESSION_ASKING,  /* our Initiate was sent, or is queued */
	SESSION_ASKED,   /* the peer's Initiate waits for an answer */
	SESSION_OPEN,    /* accepted */
	SESSION_LEFT,    /* open, but the peer's Terminate has arrived */
	SESSION_CLOSING, /* our Terminate is due; the peer's Terminate still
			  * counts, and its other chunks are ignored */
};

enum session_news {
	NEWS_INITIATE,
	NEWS_ACCEPT,
	NEWS_REJECT,
	NEWS_REFUSED, /* the peer has answered our Initiate with a Terminate */
	NEWS_SEGMENT,
	NEWS_TERMINATE,
	NEWS_STRAY,   /* not in a legal sequence */
	NEWS_NOTHING, /* it belongs to a finished session */
};

enum session_news session_judge(enum session_phase phase, bool enhanced,
				uint32_t ppid, const uint8_t *octets, size_t n);

#endif
