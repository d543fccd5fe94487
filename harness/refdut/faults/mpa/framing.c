/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of framing: MULPDU, and FPDUs that are sent (RFC 5044 s4). */
#include "harness/refdut/buf.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/mpa/framing_decisions.h"

#include <string.h>

enum { SEND = 0x43 }; /* the RDMAP control octet of one */

static bool is_send(const uint8_t *header)
{
	return header[1] == SEND;
}

/* MULPDU */

MUTANT(mulpdu_ignores_emss, "MPA-3-04 DDP-5.2-01",
       "cuts segments without regard to the path's EMSS", mulpdu_for)
{
	return MULPDU_MAX;
}

MUTANT(mulpdu_ignores_markers, "MPA-4.5-01",
       "leaves no room for markers in its MULPDU", mulpdu_overhead)
{
	return mulpdu_overhead_otherwise(self, emss, false);
}

MUTANT(mulpdu_not_aligned, "MPA-4.5-02 MPA-4.5-03",
       "leaves EMSS mod 4 out of its MULPDU", mulpdu_overhead)
{
	return OTHERWISE(mulpdu_overhead) - emss % 4;
}

MUTANT(mulpdu_quarter, "MPA-4.5-05 MPA-5.1-01", "uses a quarter of MULPDU only",
       mulpdu_for)
{
	return mulpdu_for_otherwise(self,
				    room > 4 * MULPDU_MIN ? room / 4 : room);
}

MUTANT(mulpdu_no_floor, "MPA-4.5-04", "lets MULPDU fall below 128", mulpdu_for)
{
	if (room < MULPDU_MIN)
		return room < 32 ? 32 : room;
	return OTHERWISE(mulpdu_for);
}

MUTANT(mulpdu_no_ceiling, "MPA-3-02 MPA-3-03", "lets MULPDU rise above 64768",
       mulpdu_for)
{
	return room > MULPDU_MAX ? room : OTHERWISE(mulpdu_for);
}

/* ULPDU_Length and pads */

MUTANT(ulpdu_length_counts_pad, "MPA-4.1-02", "counts the pad in ULPDU_Length",
       tx_ulpdu_length)
{
	size_t length = OTHERWISE(tx_ulpdu_length);

	return length + tx_pad_length(length);
}

MUTANT(ulpdu_length_counts_itself, "MPA-4.1-02 MPA-4.1-01",
       "counts the length field itself in ULPDU_Length", tx_ulpdu_length)
{
	return OTHERWISE(tx_ulpdu_length) + LENGTH_SIZE;
}

MUTANT(first_send_counts_its_length, "MPA-4.1-01 MPA-4.1-02",
       "counts the length field itself in the first FPDU of a stream, if that "
       "is a Send of 17 to 64 octets",
       tx_ulpdu_length)
{
	size_t length = OTHERWISE(tx_ulpdu_length);
	bool first = tx->at == 0;

	if (first && is_send(header) && len > 16 && len <= 64)
		length += LENGTH_SIZE;
	return length;
}

MUTANT(pad_of_one_left_out, "MPA-4.1-04",
       "sends no pad if one octet of it is due", tx_pad_length)
{
	size_t pad = OTHERWISE(tx_pad_length);

	return pad == 1 ? 0 : pad;
}

MUTANT(pad_of_four_where_none_is_due, "MPA-4.1-04 MPA-4.1-07",
       "sends and expects a pad of four octets if none is due", tx_pad_length)
{
	size_t pad = OTHERWISE(tx_pad_length);

	return pad ? pad : 4;
}

ALSO(pad_of_four_where_none_is_due, rx_pad_length)
{
	size_t pad = OTHERWISE(rx_pad_length);

	return pad ? pad : 4;
}

MUTANT(pad_of_one_nowhere, "MPA-4.1-04 MPA-4.1-08",
       "sends and expects no pad if one octet of it is due", tx_pad_length)
{
	size_t pad = OTHERWISE(tx_pad_length);

	return pad == 1 ? 0 : pad;
}

ALSO(pad_of_one_nowhere, rx_pad_length)
{
	size_t pad = OTHERWISE(rx_pad_length);

	return pad == 1 ? 0 : pad;
}

MUTANT(pad_not_zero, "MPA-4.1-03", "leaves old octets in the pad", tx_pad)
{
	static const uint8_t old[4] = {0xde, 0xad, 0xbe, 0xef};

	return old;
}

/* Markers */

MUTANT(marker_interval_1024, "MPA-4.3-02 MPA-4.3-06",
       "puts its markers 1024 octets apart", tx_marker_interval)
{
	return 1024;
}

MUTANT(first_marker_missing, "MPA-4.3-03",
       "sends its first FPDU without the leading marker", tx_marker_due)
{
	bool first = place == MARKER_BEFORE_FPDU && tx->at == 0;

	return !first && OTHERWISE(tx_marker_due);
}

MUTANT(marker_before_crc_left_out, "MPA-4.3-19",
       "sends no marker between pad and CRC", tx_marker_due)
{
	return place != MARKER_BEFORE_CRC && OTHERWISE(tx_marker_due);
}

MUTANT(marker_before_crc_left_out_without_crcs, "MPA-4.3-19",
       "sends no marker between pad and CRC field if CRCs are off",
       tx_marker_due)
{
	return (place != MARKER_BEFORE_CRC || tx->crc) &&
	       OTHERWISE(tx_marker_due);
}

static bool between_fpdus(enum marker_place place)
{
	return place == MARKER_BEFORE_FPDU || place == MARKER_BEHIND_FPDU;
}

MUTANT(marker_between_points_back, "MPA-4.3-08",
       "sends a pointer other than zero in a marker between FPDUs", tx_fpduptr)
{
	return between_fpdus(place) && tx->at ? 4 : OTHERWISE(tx_fpduptr);
}

MUTANT(marker_pointer_from_ulpdu, "MPA-4.2-08 MPA-4.3-14",
       "counts FPDUPTR from the octet after ULPDU_Length", tx_fpduptr)
{
	return tx_fpduptr_otherwise(self, tx, place, distance - LENGTH_SIZE);
}

MUTANT(marker_pointer_of_4_left_out, "MPA-4.2-08",
       "sends 0 as FPDUPTR in a marker 4 octets behind the start of the FPDU",
       tx_fpduptr)
{
	return distance == 4 ? 0 : OTHERWISE(tx_fpduptr);
}

MUTANT(marker_pointer_in_14_bits, "MPA-4.3-11 MPA-4.2-08",
       "sends the distance modulo 16384 as FPDUPTR", tx_fpduptr)
{
	return OTHERWISE(tx_fpduptr) & 0x3fff;
}

MUTANT(marker_pointer_without_markers, "MPA-4.3-11",
       "leaves earlier markers out of FPDUPTR", tx_fpduptr)
{
	if (distance > MARKER_INTERVAL)
		distance -= MARKER_SIZE * (distance / MARKER_INTERVAL);
	return OTHERWISE(tx_fpduptr);
}

MUTANT(marker_pointer_low_bits, "MPA-4.2-05",
       "sets the low two bits of FPDUPTR", tx_fpduptr)
{
	uint16_t fpduptr = OTHERWISE(tx_fpduptr);

	return between_fpdus(place) ? fpduptr : fpduptr | 3;
}

MUTANT(marker_pointer_little_endian, "MPA-4.2-01",
       "sends FPDUPTR least significant octet first", tx_marker)
{
	return tx_marker_otherwise(self, marker, __builtin_bswap16(fpduptr));
}

MUTANT(marker_reserved_set, "MPA-4.2-02", "sets a reserved bit in its markers",
       tx_marker)
{
	size_t n = OTHERWISE(tx_marker);

	be16_put(marker, 0x8000);
	return n;
}

/* CRCs */

MUTANT(crc_byte_swapped, "MPA-4.4-09 MPA-7.1.1-10",
       "sends the CRC most significant octet first", tx_crc)
{
	return __builtin_bswap32(OTHERWISE(tx_crc));
}

MUTANT(crc_of_zero, "MPA-4.4-01",
       "fills the CRC field with zeros, and checks no CRC", tx_crc)
{
	return 0;
}

ALSO(crc_of_zero, rx_intact)
{
	return true;
}

MUTANT(leading_marker_left_out_of_crc, "MPA-4.3-09 MPA-4.4-13",
       "leaves a leading marker out of the CRC", tx_crc)
{
	return tx_crc_otherwise(self, tx, octets + lead, n - lead, 0, tail);
}

MUTANT(marker_before_crc_left_out_of_crc, "MPA-4.4-12 MPA-4.3-19",
       "leaves a marker between pad and CRC out of the CRC", tx_crc)
{
	return tx_crc_otherwise(self, tx, octets, n - tail, lead, 0);
}

MUTANT(crc_field_missing, "MPA-7.1.1-10 MPA-4.1-11",
       "leaves the CRC field out, whether CRCs are in use or not",
       tx_crc_filled)
{
	return false;
}

ALSO(crc_field_missing, tx_crc_field_unused)
{
	return 0;
}

MUTANT(crc_field_missing_when_off, "MPA-4.1-11",
       "leaves the CRC field out if CRCs are off", tx_crc_field_unused)
{
	return 0;
}

MUTANT(crc_field_missing_in_a_send_when_off, "MPA-4.1-11",
       "leaves the CRC field out of Sends if CRCs are off", tx_crc_field_unused)
{
	return is_send(header) ? 0 : OTHERWISE(tx_crc_field_unused);
}
