/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of framing: FPDUs that arrive (RFC 5044 s4). */
#include "harness/crc/crc.h"
#include "harness/refdut/buf.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/mpa/framing_decisions.h"

#include <string.h>

/* Pads */

MUTANT(rx_pad_zero_taken_as_four, "MPA-4.1-07",
       "expects four octets of pad if none is due", rx_pad_length)
{
	size_t pad = OTHERWISE(rx_pad_length);

	return pad == 0 ? 4 : pad;
}

MUTANT(rx_odd_pad_not_expected, "MPA-4.1-08 MPA-4.1-10 MPA-3-05",
       "treats a pad of one or three octets as part of the CRC", rx_pad_length)
{
	size_t pad = OTHERWISE(rx_pad_length);

	return pad % 2 ? 0 : pad;
}

MUTANT(rx_pad_of_two_not_expected, "MPA-4.1-09 MPA-3-05",
       "takes a pad of two octets for the CRC", rx_pad_length)
{
	size_t pad = OTHERWISE(rx_pad_length);

	return pad == 2 ? 0 : pad;
}

MUTANT(rx_pad_checked, "MPA-4.1-05", "refuses an FPDU whose pad is not zero",
       rx_intact)
{
	static const uint8_t zeros[4];
	size_t pad = rx_pad_length(ulpdu->len);

	return OTHERWISE(rx_intact) && memcmp(crc - pad, zeros, pad) == 0;
}

MUTANT(rx_pad_zeroed_before_crc, "MPA-4.1-06 MPA-4.1-05",
       "computes a received CRC over zeros in place of the pad", rx_intact)
{
	static uint8_t copy[FPDU_MAX];
	size_t pad = rx_pad_length(ulpdu->len);

	if (!rx->crc)
		return OTHERWISE(rx_intact);
	memcpy(copy, octets, n);
	memset(copy + n - pad, 0, pad);
	return rx_intact_otherwise(self, rx, copy, n, crc, ulpdu);
}

/* Markers */

MUTANT(rx_markers_not_counted, "MPA-4.3-20",
       "does not count the markers inside an FPDU in its length",
       rx_octets_of_stream)
{
	bool lead = rx->markers && rx->at % MARKER_INTERVAL == 0;

	return own + (lead ? MARKER_SIZE : 0);
}

MUTANT(rx_marker_before_crc_unknown, "MPA-4.3-18",
       "does not expect a marker between pad and CRC", rx_octets_of_stream)
{
	size_t n = OTHERWISE(rx_octets_of_stream);
	uint64_t before_crc = rx->at + n - CRC_SIZE - MARKER_SIZE;

	if (rx->markers && before_crc % MARKER_INTERVAL == 0)
		n -= MARKER_SIZE;
	return n;
}

MUTANT(rx_inner_markers_left_in, "MPA-4.3-15 MPA-4.3-16 MPA-4.3-17 MPA-4.3-21",
       "treats markers inside a ULPDU as octets of the ULPDU", rx_marker_inside)
{
	return false;
}

MUTANT(rx_inner_markers_left_in_without_crcs, "MPA-4.3-27",
       "treats markers inside a ULPDU as octets of the ULPDU if CRCs are off",
       rx_marker_inside)
{
	return rx->crc && OTHERWISE(rx_marker_inside);
}

MUTANT(rx_one_marker_only, "MPA-4.3-13",
       "strips only the first inner marker of an FPDU", rx_marker_inside)
{
	return before == 0 && OTHERWISE(rx_marker_inside);
}

MUTANT(rx_marker_at_64_kib_left_in, "MPA-4.3-17",
       "treats a marker after a multiple of 64 KiB as octets of the ULPDU",
       rx_marker_inside)
{
	return at % 65536 && OTHERWISE(rx_marker_inside);
}

MUTANT(rx_marker_reserved_checked, "MPA-4.2-03",
       "refuses markers with a reserved bit set", rx_marker_valid)
{
	return be16(marker) == 0 && OTHERWISE(rx_marker_valid);
}

MUTANT(rx_marker_low_bits_checked, "MPA-4.2-06",
       "treats the low two bits of a received FPDUPTR as part of the pointer",
       rx_marker_valid)
{
	return (marker[3] & 3) == 0 && OTHERWISE(rx_marker_valid);
}

MUTANT(rx_marker_zeroed_before_crc, "MPA-4.2-04 MPA-4.2-07",
       "computes a received CRC over zeros in place of the leading marker",
       rx_intact)
{
	static uint8_t copy[FPDU_MAX];

	if (!rx->crc || !rx->markers || rx->at % MARKER_INTERVAL)
		return OTHERWISE(rx_intact);
	memcpy(copy, octets, n);
	memset(copy, 0, MARKER_SIZE);
	return rx_intact_otherwise(self, rx, copy, n, crc, ulpdu);
}

MUTANT(rx_leading_marker_left_out_of_crc, "MPA-4.3-10",
       "computes a received CRC without a marker between two FPDUs", rx_intact)
{
	if (!rx->markers || rx->at == 0 || rx->at % MARKER_INTERVAL)
		return OTHERWISE(rx_intact);
	return rx_intact_otherwise(self, rx, octets + MARKER_SIZE,
				   n - MARKER_SIZE, crc, ulpdu);
}

MUTANT(rx_markers_optional, "MPA-7.1.1-34",
       "accepts an FPDU without the markers it asked for if the CRC is correct",
       rx_fpdu)
{
	struct framing without = *rx;

	without.markers = false;
	if (!rx->markers || rx_fpdu_otherwise(self, &without, octets, n,
					      ulpdu) != FRAMING_ULPDU)
		return OTHERWISE(rx_fpdu);
	rx->at += ulpdu->raw;
	return FRAMING_ULPDU;
}

MUTANT(rx_unasked_marker_skipped, "MPA-7.1.1-35",
       "skips a leading marker that it did not ask for", rx_fpdu)
{
	struct framing with = {
		.markers = true, .crc = rx->crc, .remembered = rx->remembered};

	if (rx->markers || n < MARKER_SIZE || be32(octets) != 0 ||
	    rx_fpdu_otherwise(self, &with, octets, n, ulpdu) != FRAMING_ULPDU)
		return OTHERWISE(rx_fpdu);
	rx->at += ulpdu->raw;
	return FRAMING_ULPDU;
}

/* The state is whether only the leading marker of the next FPDU has arrived. */
MUTANT(rx_leading_marker_forgotten, "MPA-5.1-04 MPA-5.1-05",
       "forgets that a marker is due before an FPDU if what has arrived ends "
       "between the marker and the ULPDU_Length, or inside the length",
       rx_fpdu)
{
	bool *forgotten = remember(rx->remembered, self, sizeof(*forgotten));
	bool leads = rx->markers && rx->at % MARKER_INTERVAL == 0;
	struct framing without = *rx;
	enum framing_result result;

	without.markers = !*forgotten && rx->markers;
	*forgotten &= leads;
	result = rx_fpdu_otherwise(self, &without, octets, n, ulpdu);
	rx->at = without.at;
	if (result == FRAMING_MORE && leads && n >= MARKER_SIZE &&
	    n < MARKER_SIZE + LENGTH_SIZE)
		*forgotten = true;
	else if (result != FRAMING_MORE)
		*forgotten = false;
	return result;
}

/* CRCs */

MUTANT(ignore_bad_crc, "MPA-4.4-14 MPA-4.4-15 MPA-4.4-16 MPA-4.4-17 DDP-3-01",
       "accepts every CRC", rx_intact)
{
	return true;
}

MUTANT(rx_crc_taken_complemented, "MPA-4.4-19",
       "accepts a CRC without its final inversion", rx_intact)
{
	return OTHERWISE(rx_intact) || crc32c(octets, n) == ~crc_get(crc);
}

MUTANT(rx_crc_half_checked, "MPA-4.4-16 MPA-4.4-17",
       "compares only the low 16 bits of the CRC", rx_intact)
{
	return !rx->crc ||
	       (uint16_t)crc32c(octets, n) == (uint16_t)crc_get(crc);
}

MUTANT(rx_crc_any_order, "MPA-4.4-18", "accepts a CRC in either octet order",
       rx_intact)
{
	return OTHERWISE(rx_intact) || crc32c(octets, n) == be32(crc);
}

/* The CRC-32 of Ethernet, gzip and zlib. */
static uint32_t crc_of_zlib(const uint8_t *octets, size_t n)
{
	uint32_t crc = UINT32_MAX;

	while (n--) {
		crc ^= *octets++;
		for (unsigned i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

MUTANT(rx_crc_of_zlib_taken, "MPA-4.4-20",
       "accepts a CRC-32 as computed by zlib", rx_intact)
{
	return OTHERWISE(rx_intact) || crc_of_zlib(octets, n) == crc_get(crc);
}

MUTANT(rx_crc_checked_when_off, "MPA-4.1-12 MPA-4.4-06",
       "checks CRCs although both sides turned them off", rx_intact)
{
	struct framing on = *rx;

	on.crc = true;
	return rx_intact_otherwise(self, &on, octets, n, crc, ulpdu);
}

MUTANT(rx_crc_field_not_zero_when_off, "MPA-4.4-06 MPA-4.1-12",
       "refuses an FPDU whose CRC field is not zero if CRCs are off", rx_intact)
{
	if (!rx->crc && be32(crc) != 0)
		return false;
	return OTHERWISE(rx_intact);
}

MUTANT(rx_no_crc_field_when_off, "MPA-4.1-13",
       "expects no CRC field if CRCs are off", rx_crc_field_length)
{
	return rx->crc ? OTHERWISE(rx_crc_field_length) : 0;
}

/*
 * All but the CRC has arrived: the FPDU is processed, and its CRC field is
 * skipped when it arrives. The state is where that field ends.
 */
static enum framing_result take_without_crc(struct override *self,
					    struct framing *rx,
					    const uint8_t *octets, size_t n,
					    struct ulpdu *ulpdu)
{
	static uint8_t filled[FPDU_MAX + CRC_SIZE];
	uint64_t *crc_ends = remember(rx->remembered, self, sizeof(*crc_ends));
	struct framing unchecked = *rx;
	enum framing_result result = OTHERWISE(rx_fpdu);

	if (result != FRAMING_MORE || n > FPDU_MAX)
		return result;
	memcpy(filled, octets, n);
	memset(filled + n, 0, CRC_SIZE);
	unchecked.crc = false;
	result = rx_fpdu_otherwise(self, &unchecked, filled, n + CRC_SIZE,
				   ulpdu);
	if (result == FRAMING_MORE)
		return FRAMING_MORE;
	ulpdu->raw -= CRC_SIZE;
	*crc_ends = rx->at = unchecked.at;
	return result;
}

MUTANT(rx_crc_not_awaited,
       "MPA-6-02 MPA-5.1-07 RDMAP-5.5-05 RDMAP-5.5-06 RDMAP-5.5-12 "
       "RDMAPX-5.4-03 RDMAPX-6.4-01",
       "acts on an FPDU before its CRC field has arrived", rx_fpdu)
{
	uint64_t *crc_ends = remember(rx->remembered, self, sizeof(*crc_ends));
	enum framing_result result;

	if (rx->at == 0 || *crc_ends != rx->at)
		return take_without_crc(self, rx, octets, n, ulpdu);
	if (n <= CRC_SIZE)
		return FRAMING_MORE;
	result = take_without_crc(self, rx, octets + CRC_SIZE, n - CRC_SIZE,
				  ulpdu);
	if (result != FRAMING_MORE)
		ulpdu->raw += CRC_SIZE;
	return result;
}
