/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FPDUs: ULPDUs are converted to stream octets and back, with markers and
 * CRC32c (RFC 5044 s4). Each direction of a stream has a framing state; the
 * stream's origin is the octet after that direction's startup frame.
 */
#ifndef HARNESS_REFDUT_FRAMING_H
#define HARNESS_REFDUT_FRAMING_H

#include "harness/refdut/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MARKER_INTERVAL = 512,
	MULPDU_MIN = 128,
	MULPDU_MAX = 64768,
	/* The overhead around a ULPDU (RFC 5044 s4). */
	LENGTH_SIZE = 2,
	CRC_SIZE = 4,
	MARKER_SIZE = 4,
	ULPDU_MAX = 65535,
	/* The overhead of the longest ULPDU: length, pad, CRC and markers. */
	FPDU_MAX = ULPDU_MAX + 1024,
};

struct framing {
	uint64_t at; /* stream offset of the next octet put or read */
	bool markers;
	bool crc;
	/* Set by faults and choices, for a connection: decision/override.h. */
	struct remembered **remembered;
};

/* Append one FPDU to out: header and payload together are the ULPDU. */
void framing_put(struct framing *tx, struct buf *out, const uint8_t *header,
		 size_t header_len, const uint8_t *payload, size_t len);

/* After framing_put(): append a marker that is due now. A device may also send
 * it with the next FPDU (RFC 5044 s4.3). */
void framing_put_early(struct framing *tx, struct buf *out);

enum framing_result {
	FRAMING_MORE, /* no complete FPDU yet */
	FRAMING_ULPDU,
	FRAMING_BAD_CRC,
	FRAMING_BAD_MARKER,
};

struct ulpdu {
	const uint8_t *octets; /* valid until the next call */
	uint32_t len;
	size_t raw; /* the size of its FPDU: octets of the stream */
};

/*
 * Read an FPDU from the n available octets of the stream; rx->at is the offset
 * of the first one. Unless the result is FRAMING_MORE, *ulpdu is filled in,
 * rx->at advances by ulpdu->raw, and the caller has to drop as many octets. Any
 * value of ULPDU_Length is accepted. If CRCs are in use, the CRC is checked
 * first.
 */
enum framing_result framing_get(struct framing *rx, const uint8_t *octets,
				size_t n, struct ulpdu *ulpdu);

/* The largest ULPDU for an EMSS (RFC 5044 s4.5). */
uint32_t framing_mulpdu(uint32_t emss, bool markers);

#endif
