/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DDP over SCTP (RFC 5043 s5, RFC 6581 s7): the contents of one DATA chunk,
 * which is a DDP segment or a session control message after a DDP-SSN; and the
 * adaptation indication of an association that carries DDP. The codec is
 * lossless for wrong chunks, too.
 */
#ifndef HARNESS_WIRE_SESSION_H
#define HARNESS_WIRE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/wire/mpa.h"

/* Payload protocol identifiers: RFC 5043 s5.2. */
#define SESSION_PPID_SEGMENT 16
#define SESSION_PPID_CONTROL 17

static inline bool session_ppid_of_ddp(uint32_t ppid)
{
	return ppid == SESSION_PPID_SEGMENT || ppid == SESSION_PPID_CONTROL;
}

#define SESSION_SSN_OCTETS     2
#define SESSION_CONTROL_OCTETS 4     /* DDP-SSN and function code */
#define SESSION_PRIVATE_MAX    512   /* RFC 5043 s5.2.3, RFC 6581 s7 */
#define SESSION_SEGMENT_LEAST  516   /* RFC 5043 s9: always accepted */
#define SESSION_UNACKNOWLEDGED 32767 /* RFC 5043 s10: chunks of a stream */

/* RFC 5043 s5.2.3, RFC 6581 s7, RFC 6580 s3.5. */
enum session_function {
	SESSION_INITIATE = 1,
	SESSION_ACCEPT = 2,
	SESSION_REJECT = 3,
	SESSION_TERMINATE = 4,
	SESSION_ENHANCED_INITIATE = 5,
	SESSION_ENHANCED_ACCEPT = 6,
	SESSION_ENHANCED_REJECT = 7,
	SESSION_EXPERIMENTAL = 0xffff,
};
/* "Session Initiate", ...; NULL: the code is not registered. */
const char *session_function_name(uint16_t function);

/* The user data of one DATA chunk. body points into it. */
struct session_chunk {
	bool control; /* PPID 17: a function code follows the DDP-SSN */
	bool cut;     /* it is too short for these: body is all of it */
	uint16_t ddp_ssn;
	uint16_t function;   /* if control; maybe not in the enumeration */
	const uint8_t *body; /* the DDP segment, or the private data */
	size_t body_octets;
};

/* Decode n octets of user data. Never fails. */
void session_decode(struct session_chunk *c, bool control,
		    const uint8_t *octets, size_t n);
/* Returns the number of octets written; 0: cap is too small, or a cut chunk is
 * empty. */
size_t session_encode(const struct session_chunk *c, uint8_t *out, size_t cap);

/*
 * Decode the enhanced data at the start of the private data of functions 5 and
 * 6. False: it is another function (RFC 6581 s7 has no rule for 7), or the
 * private data is too short.
 */
bool session_enhanced(const struct session_chunk *c, struct mpa_enhanced *e);
/* The private data of the ULP: without the enhanced data. */
const uint8_t *session_ulp_data(const struct session_chunk *c, size_t *n);

/* The adaptation indication among the parameters of an INIT or INIT ACK:
 * RFC 5043 s5.1, RFC 5061 s4.2.6. */
#define SESSION_ADAPTATION_TYPE   0xc006
#define SESSION_ADAPTATION_LENGTH 8
#define SESSION_ADAPTATION_DDP    1

enum session_adaptation {
	SESSION_ADAPTATION_ABSENT,
	SESSION_ADAPTATION_PRESENT, /* *indication is that of the first one */
	SESSION_ADAPTATION_BROKEN,  /* a wrong length, or incomplete */
};
enum session_adaptation session_adaptation(const uint8_t *parameters, size_t n,
					   uint32_t *indication);

#endif
