/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FPDUs: ULPDUs to stream octets and back, with markers and CRC32c
 * (RFC 5044 s4). One framing state for each direction of a stream; the
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
	/* What stands around a ULPDU (RFC 5044 s4). */
	LENGTH_SIZE = 2,
	CRC_SIZE = 4,
	MARKER_SIZE = 4,
	ULPDU_MAX = 65535,
	/* Around the longest ULPDU: length, pad, CRC and markers. */
	FPDU_MAX = ULPDU_MAX + 1024,
};

struct framing {
	uint64_t at; /* stream offset of the next octet put, or looked at */
	bool markers;
	bool crc;
	/* By faults and choices, of its connection: decision/override.h. */
	struct remembered **remembered;
};

/* Append one FPDU to out: a header and a payload make the ULPDU. */
void framing_put(struct framing *tx, struct buf *out, const uint8_t *header,
		 size_t header_len, const uint8_t *payload, size_t len);

/* Behind the FPDU that was put: a marker that is due here may go at once, or
 * with the next FPDU (RFC 5044 s4.3). */
void framing_put_early(struct framing *tx, struct buf *out);

enum framing_result {
	FRAMING_MORE, /* no whole FPDU yet */
	FRAMING_ULPDU,
	FRAMING_BAD_CRC,
	FRAMING_BAD_MARKER,
};

struct ulpdu {
	const uint8_t *octets; /* valid until the next call */
	uint32_t len;
	size_t raw; /* octets of the stream it took */
};

/*
 * Look at the n stream octets there are, the first of them at rx->at. On
 * anything but FRAMING_MORE *ulpdu is filled, rx->at moves on by its raw
 * length, and the caller drops as many. An FPDU of any length its field can
 * say is taken; with CRC in use it is checked before anything else.
 */
enum framing_result framing_get(struct framing *rx, const uint8_t *octets,
				size_t n, struct ulpdu *ulpdu);

/* The largest ULPDU for an EMSS (RFC 5044 s4.5). */
uint32_t framing_mulpdu(uint32_t emss, bool markers);

#endif
