/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decisions of framing (RFC 5044 s4): `tx` for outgoing FPDUs, `rx` for
 * incoming ones.
 */
#ifndef HARNESS_REFDUT_MPA_FRAMING_DECISIONS_H
#define HARNESS_REFDUT_MPA_FRAMING_DECISIONS_H

#include "harness/refdut/decision/decision.h"
#include "harness/refdut/mpa/framing.h"

/* MULPDU */

/* The number of octets of an EMSS that are not available to the ULPDU (RFC 5044
 * s4.5). */
#define DECISION_mulpdu_overhead                                               \
	uint32_t, (uint32_t emss, bool markers), (emss, markers)
DECISION(mulpdu_overhead)

/* MULPDU, if `room` octets of the EMSS are left for a ULPDU: at least 128 and
 * at most 64768 octets (RFC 5044 s3, s4.5). */
#define DECISION_mulpdu_for uint32_t, (uint32_t room), (room)
DECISION(mulpdu_for)

/* Out */

/* The value of ULPDU_Length: the octets of the ULPDU, and nothing else (RFC
 * 5044 s4.1). `header` is the DDP header, which the payload follows. */
#define DECISION_tx_ulpdu_length                                               \
	size_t,                                                                \
		(const struct framing *tx, const uint8_t *header,              \
		 size_t header_len, size_t len),                               \
		(tx, header, header_len, len)
DECISION(tx_ulpdu_length)

/* How many octets of pad follow a ULPDU (RFC 5044 s4.1). */
#define DECISION_tx_pad_length size_t, (size_t ulpdu_length), (ulpdu_length)
DECISION(tx_pad_length)

/* The octets of the pad: zeros (RFC 5044 s4.1). */
#define DECISION_tx_pad const uint8_t *, (size_t pad_length), (pad_length)
DECISION(tx_pad)

/* The distance from a marker to the next one (RFC 5044 s4.3). */
#define DECISION_tx_marker_interval size_t, (const struct framing *tx), (tx)
DECISION(tx_marker_interval)

/* The place of a marker relative to an FPDU. */
enum marker_place {
	MARKER_BEFORE_FPDU,
	MARKER_INSIDE,
	MARKER_BEFORE_CRC,
	MARKER_BEHIND_FPDU,
};

/* Whether a marker is sent here. A marker after an FPDU may wait for the next
 * FPDU (RFC 5044 s4.3). */
#define DECISION_tx_marker_due                                                 \
	bool, (const struct framing *tx, enum marker_place place), (tx, place)
DECISION(tx_marker_due)

/* FPDUPTR: the distance from ULPDU_Length to the marker; 0 if ULPDU_Length
 * comes next (RFC 5044 s4.2, s4.3). */
#define DECISION_tx_fpduptr                                                    \
	uint16_t,                                                              \
		(const struct framing *tx, enum marker_place place,            \
		 uint64_t distance),                                           \
		(tx, place, distance)
DECISION(tx_fpduptr)

/* Write a marker; returns its length (RFC 5044 s4.2). */
#define DECISION_tx_marker                                                     \
	size_t, (uint8_t * marker, uint16_t fpduptr), (marker, fpduptr)
DECISION(tx_marker)

/* Whether the CRC field holds a CRC (RFC 5044 s4.4). */
#define DECISION_tx_crc_filled bool, (const struct framing *tx), (tx)
DECISION(tx_crc_filled)

/* The CRC of n octets, from the first octet of the FPDU to the last one before
 * its CRC field. They include `lead` octets of a marker at the start, and
 * `tail` octets of a marker at the end; the CRC covers both (RFC 5044 s4.3,
 * s4.4). */
#define DECISION_tx_crc                                                        \
	uint32_t,                                                              \
		(const struct framing *tx, const uint8_t *octets, size_t n,    \
		 size_t lead, size_t tail),                                    \
		(tx, octets, n, lead, tail)
DECISION(tx_crc)

/* Write a CRC field that contains no CRC; returns the length of the field. It
 * is always present, and may contain anything (RFC 5044 s4.1, s4.4). */
#define DECISION_tx_crc_field_unused                                           \
	size_t, (const uint8_t *header, uint8_t *field), (header, field)
DECISION(tx_crc_field_unused)

/* In */

/* Read one FPDU from the octets of a stream: framing_get(). */
#define DECISION_rx_fpdu                                                       \
	enum framing_result,                                                   \
		(struct framing * rx, const uint8_t *octets, size_t n,         \
		 struct ulpdu *ulpdu),                                         \
		(rx, octets, n, ulpdu)
DECISION(rx_fpdu)

/* How many octets of pad follow an incoming ULPDU (RFC 5044 s4). */
#define DECISION_rx_pad_length size_t, (size_t ulpdu_length), (ulpdu_length)
DECISION(rx_pad_length)

/* The length of the CRC field: it is always present (RFC 5044 s4.1). */
#define DECISION_rx_crc_field_length size_t, (const struct framing *rx), (rx)
DECISION(rx_crc_field_length)

/* How many octets of the stream belong to an FPDU that starts at rx->at and has
 * `own` octets without markers: these, and its markers (RFC 5044 s4.3). */
#define DECISION_rx_octets_of_stream                                           \
	size_t, (const struct framing *rx, size_t own), (rx, own)
DECISION(rx_octets_of_stream)

/* Whether there is a marker at this offset inside an FPDU, after `before` other
 * markers inside it (RFC 5044 s4.3). */
#define DECISION_rx_marker_inside                                              \
	bool, (const struct framing *rx, uint64_t at, unsigned before),        \
		(rx, at, before)
DECISION(rx_marker_inside)

/* Whether the FPDUPTR of a marker is this distance. Its reserved field, and the
 * low two bits of FPDUPTR, may contain anything (RFC 5044 s4.2). */
#define DECISION_rx_marker_valid                                               \
	bool, (const uint8_t *marker, size_t distance), (marker, distance)
DECISION(rx_marker_valid)

/* Whether an FPDU arrived unchanged: if CRCs are in use, the CRC has to match
 * the n octets before it. The pad, and an unused CRC field, may contain
 * anything (RFC 5044 s4.1, s4.4). */
#define DECISION_rx_intact                                                     \
	bool,                                                                  \
		(const struct framing *rx, const uint8_t *octets, size_t n,    \
		 const uint8_t *crc, const struct ulpdu *ulpdu),               \
		(rx, octets, n, crc, ulpdu)
DECISION(rx_intact)

#endif
