/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of RDMAP's headers, RFC 5040 s4 and RFC 7306 s4 to s6. */
#ifndef HARNESS_REFDUT_RDMAP_FIELDS_H
#define HARNESS_REFDUT_RDMAP_FIELDS_H

#include "harness/refdut/conn.h"

/* Error codes of RDMA (RFC 5040 figure 9, RFC 7306 s8). */
enum rdmap_error {
	/* remote protection error */
	INVALID_STAG = 0,
	BOUNDS_VIOLATION = 1,
	ACCESS_VIOLATION = 2,
	NOT_ASSOCIATED = 3, /* with the RDMAP stream */
	TO_WRAP = 4,
	CANNOT_BE_INVALIDATED = 9,
	/* remote operation error */
	INVALID_VERSION = 5,
	UNEXPECTED_OPCODE = 6,
	CATASTROPHIC_STREAM = 7, /* localized to the RDMAP stream */
	/* both */
	UNSPECIFIED = 0xff,
};

/* The header control bits of a Terminate (RFC 5040 s4.8). */
enum { TERMINATE_M = 0x80, TERMINATE_D = 0x40, TERMINATE_R = 0x20 };

/* A ULPDU: the DDP header with RDMAP's control field, and the payload. */

static inline bool rdmap_is_tagged(const uint8_t *ulpdu)
{
	return ulpdu[0] & 0x80;
}

static inline bool rdmap_is_last(const uint8_t *ulpdu)
{
	return ulpdu[0] & 0x40;
}

static inline unsigned rdmap_version(const uint8_t *ulpdu)
{
	return ulpdu[1] >> 6;
}

static inline unsigned rdmap_opcode(const uint8_t *ulpdu)
{
	return ulpdu[1] & 0x0f;
}

static inline uint32_t rdmap_invalidate_stag(const uint8_t *ulpdu)
{
	return be32(ulpdu + 2);
}

static inline uint32_t rdmap_qn(const uint8_t *ulpdu)
{
	return be32(ulpdu + 6);
}

static inline uint32_t rdmap_msn(const uint8_t *ulpdu)
{
	return be32(ulpdu + 10);
}

/* A Read Request's header (RFC 5040 s4.4). */

static inline uint64_t read_sink_to(const uint8_t *header)
{
	return be64(header + 4);
}

static inline uint32_t read_size(const uint8_t *header)
{
	return be32(header + 12);
}

static inline uint32_t read_source_stag(const uint8_t *header)
{
	return be32(header + 16);
}

static inline uint64_t read_source_to(const uint8_t *header)
{
	return be64(header + 20);
}

/* An Atomic Request's header (RFC 7306 s5.2.1). */

static inline unsigned atomic_aopcode(const uint8_t *header)
{
	return header[3] & 0x0f;
}

static inline uint32_t atomic_stag(const uint8_t *header)
{
	return be32(header + 8);
}

static inline uint64_t atomic_to(const uint8_t *header)
{
	return be64(header + 12);
}

static inline uint64_t atomic_data(const uint8_t *header)
{
	return be64(header + 20); /* Add or Swap Data */
}

static inline uint64_t atomic_mask(const uint8_t *header)
{
	return be64(header + 28); /* Add or Swap Mask */
}

static inline uint64_t atomic_compare_data(const uint8_t *header)
{
	return be64(header + 36);
}

static inline uint64_t atomic_compare_mask(const uint8_t *header)
{
	return be64(header + 44);
}

/* An Atomic Response's header (RFC 7306 s5.2.2). */

static inline uint32_t atomic_response_identifier(const uint8_t *header)
{
	return be32(header);
}

static inline uint64_t atomic_response_original(const uint8_t *header)
{
	return be64(header + 4);
}

#endif
