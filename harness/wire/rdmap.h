/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RDMAP message headers, as contained in a DDP payload (RFC 5040 s4, RFC 7306
 * s5 and s6). Every decoder takes the payload of a message, keeps reserved bits
 * and the octets after its header (`tail`), and returns false if the header is
 * incomplete. Every encoder returns the number of octets written, or 0 if cap
 * is too small. Pointers point into the decoded octets. A value too wide for
 * its field is a bug of the caller.
 */
#ifndef HARNESS_WIRE_RDMAP_H
#define HARNESS_WIRE_RDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/wire/ddp.h"

enum rdmap_opcode {
	RDMAP_WRITE = 0,
	RDMAP_READ_REQUEST = 1,
	RDMAP_READ_RESPONSE = 2,
	RDMAP_SEND = 3,
	RDMAP_SEND_INV = 4,
	RDMAP_SEND_SE = 5,
	RDMAP_SEND_SE_INV = 6,
	RDMAP_TERMINATE = 7,
	RDMAP_IMM = 8,
	RDMAP_IMM_SE = 9,
	RDMAP_ATOMIC_REQUEST = 10,
	RDMAP_ATOMIC_RESPONSE = 11,
};

#define RDMAP_READ_REQUEST_OCTETS    28
#define RDMAP_ATOMIC_REQUEST_OCTETS  52
#define RDMAP_ATOMIC_RESPONSE_OCTETS 12
#define RDMAP_IMM_OCTETS             8
#define RDMAP_TERMINATE_OCTETS       4 /* only the control word */

/* The name of an opcode (0..15) as the RFCs spell it, or "opcode 12". */
const char *rdmap_opcode_name(uint8_t opcode);

struct rdmap_tail {
	const uint8_t *octets;
	size_t n;
};

/* RFC 5040 s4.4. */
struct rdmap_read_request {
	uint32_t sink_stag;
	uint64_t sink_to;
	uint32_t size;
	uint32_t source_stag;
	uint64_t source_to;
	struct rdmap_tail tail;
};

/* RFC 7306 s5.2.1; Swap is defined only in older drafts of it. */
enum rdmap_aopcode {
	RDMAP_FETCHADD = 0,
	RDMAP_SWAP = 1,
	RDMAP_CMPSWAP = 2,
};

/* RFC 7306 s5.2.1. */
struct rdmap_atomic_request {
	uint32_t reserved; /* 28 bits */
	uint8_t aopcode;   /* 4 bits */
	uint32_t id;
	uint32_t stag;
	uint64_t to;
	uint64_t data, mask; /* Add/Swap Data, Add/Swap Mask */
	uint64_t compare, compare_mask;
	struct rdmap_tail tail;
};

/* RFC 7306 s5.2.2. */
struct rdmap_atomic_response {
	uint32_t id;
	uint64_t value;
	struct rdmap_tail tail;
};

/* RFC 7306 s6.2. */
struct rdmap_imm {
	uint8_t data[RDMAP_IMM_OCTETS]; /* in wire order */
	struct rdmap_tail tail;
};

enum term_layer { TERM_RDMA = 0, TERM_DDP = 1, TERM_LLP = 2 };
/* Codes of remote operation errors. TERM_UNSPECIFIED is also a code of remote
 * protection errors. */
enum term_code { TERM_CATASTROPHIC = 0x07, TERM_UNSPECIFIED = 0xff };

/*
 * A Terminate (RFC 5040 s4.8). The bits M, D and R announce its parts. If the
 * octets end inside a part, `truncated` is set, and the tail begins with that
 * part. The T bit of the returned DDP header determines its size. The parts
 * follow each other without gaps: if R is set without D, the RDMA header
 * follows the part before it directly.
 *
 * The encoder writes the parts that are present (has_segment_length, the
 * pointers, the tail), and the bits unchanged. So a case can send bits that do
 * not match the parts, and received ones are preserved.
 */
struct rdmap_terminate {
	uint8_t layer, etype; /* 4 bits each */
	uint8_t code;
	bool m, d, r;
	uint16_t reserved;       /* 13 bits */
	uint16_t segment_length; /* present if m or d */
	bool has_segment_length;
	const uint8_t *ddp_header; /* 14 or 18 octets, or NULL */
	size_t ddp_header_octets;
	const uint8_t *rdma_header; /* 28 octets, or NULL */
	bool truncated;
	struct rdmap_tail tail;
};

bool rdmap_read_request_decode(struct rdmap_read_request *h, const uint8_t *p,
			       size_t n);
bool rdmap_atomic_request_decode(struct rdmap_atomic_request *h,
				 const uint8_t *p, size_t n);
bool rdmap_atomic_response_decode(struct rdmap_atomic_response *h,
				  const uint8_t *p, size_t n);
bool rdmap_imm_decode(struct rdmap_imm *h, const uint8_t *p, size_t n);
bool rdmap_terminate_decode(struct rdmap_terminate *h, const uint8_t *p,
			    size_t n);

size_t rdmap_read_request_encode(const struct rdmap_read_request *h,
				 uint8_t *out, size_t cap);
size_t rdmap_atomic_request_encode(const struct rdmap_atomic_request *h,
				   uint8_t *out, size_t cap);
size_t rdmap_atomic_response_encode(const struct rdmap_atomic_response *h,
				    uint8_t *out, size_t cap);
size_t rdmap_imm_encode(const struct rdmap_imm *h, uint8_t *out, size_t cap);
size_t rdmap_terminate_encode(const struct rdmap_terminate *h, uint8_t *out,
			      size_t cap);

#endif
