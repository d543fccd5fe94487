/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What framing decides (RFC 5044 s4): `tx` of FPDUs that are sent, `rx` of
 * those that arrive.
 */
#ifndef HARNESS_REFDUT_MPA_FRAMING_DECISIONS_H
#define HARNESS_REFDUT_MPA_FRAMING_DECISIONS_H

#include "harness/refdut/decision/decision.h"
#include "harness/refdut/mpa/framing.h"

/* MULPDU */

/* How many octets of an EMSS are not for the ULPDU (RFC 5044 s4.5). */
#define DECISION_mulpdu_overhead                                               \
	uint32_t, (uint32_t emss, bool markers), (emss, markers)
DECISION(mulpdu_overhead)

/* MULPDU, where that much of EMSS is left for a ULPDU: 128 octets at least and
 * 64768 at most (RFC 5044 s3, s4.5). */
#define DECISION_mulpdu_for uint32_t, (uint32_t room), (room)
DECISION(mulpdu_for)

/* Out */

/* What ULPDU_Length says: the octets of the ULPDU, and nothing else
 * (RFC 5044 s4.1). The header is that of DDP, which the payload follows. */
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

/* How far a marker is from the next one (RFC 5044 s4.3). */
#define DECISION_tx_marker_interval size_t, (const struct framing *tx), (tx)
DECISION(tx_marker_interval)

/* Where in an FPDU the stream is. */
enum marker_place {
	MARKER_BEFORE_FPDU,
	MARKER_INSIDE,
	MARKER_BEFORE_CRC,
	MARKER_BEHIND_FPDU,
};

/* Whether a marker goes out here. One that is due behind an FPDU may wait for
 * the next (RFC 5044 s4.3). */
#define DECISION_tx_marker_due                                                 \
	bool, (const struct framing *tx, enum marker_place place), (tx, place)
DECISION(tx_marker_due)

/* FPDUPTR: how far behind ULPDU_Length the marker is; 0 where that comes next
 * (RFC 5044 s4.2, s4.3). */
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

/* The CRC of n octets, from the first of the FPDU to the last before its CRC
 * field. A marker in front is `lead` of these octets, one at the end is `tail`:
 * both are covered (RFC 5044 s4.3, s4.4). */
#define DECISION_tx_crc                                                        \
	uint32_t,                                                              \
		(const struct framing *tx, const uint8_t *octets, size_t n,    \
		 size_t lead, size_t tail),                                    \
		(tx, octets, n, lead, tail)
DECISION(tx_crc)

/* Write a CRC field that holds no CRC; returns its length. It is there all the
 * same, and may hold anything (RFC 5044 s4.1, s4.4). */
#define DECISION_tx_crc_field_unused                                           \
	size_t, (const uint8_t *header, uint8_t *field), (header, field)
DECISION(tx_crc_field_unused)

/* In */

/* Look at the octets of a stream for one FPDU: framing_get(). */
#define DECISION_rx_fpdu                                                       \
	enum framing_result,                                                   \
		(struct framing * rx, const uint8_t *octets, size_t n,         \
		 struct ulpdu *ulpdu),                                         \
		(rx, octets, n, ulpdu)
DECISION(rx_fpdu)

/* How many octets of pad stand behind a ULPDU that arrives (RFC 5044 s4). */
#define DECISION_rx_pad_length size_t, (size_t ulpdu_length), (ulpdu_length)
DECISION(rx_pad_length)

/* How long the CRC field is: it is always there (RFC 5044 s4.1). */
#define DECISION_rx_crc_field_length size_t, (const struct framing *rx), (rx)
DECISION(rx_crc_field_length)

/* How many octets of the stream an FPDU takes that starts at rx->at and has
 * this many octets of its own: those, and markers (RFC 5044 s4.3). */
#define DECISION_rx_octets_of_stream                                           \
	size_t, (const struct framing *rx, size_t own), (rx, own)
DECISION(rx_octets_of_stream)

/* Whether a marker stands at this offset, inside a ULPDU that had so many
 * markers before (RFC 5044 s4.3). */
#define DECISION_rx_marker_inside                                              \
	bool, (const struct framing *rx, uint64_t at, unsigned before),        \
		(rx, at, before)
DECISION(rx_marker_inside)

/* Whether a marker points back over this distance; its reserved field and the
 * low two bits of FPDUPTR may hold anything (RFC 5044 s4.2). */
#define DECISION_rx_marker_valid                                               \
	bool, (const uint8_t *marker, size_t distance), (marker, distance)
DECISION(rx_marker_valid)

/* Whether an FPDU came as it was sent: the CRC is that of the n octets before
 * it, where CRCs are in use. Pad and an unused CRC field may hold anything
 * (RFC 5044 s4.1, s4.4). */
#define DECISION_rx_intact                                                     \
	bool,                                                                  \
		(const struct framing *rx, const uint8_t *octets, size_t n,    \
		 const uint8_t *crc, const struct ulpdu *ulpdu),               \
		(rx, octets, n, crc, ulpdu)
DECISION(rx_intact)

#endif
