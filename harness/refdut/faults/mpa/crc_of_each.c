/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults of devices that do not check the CRC of some kinds of FPDUs (RFC 5044
 * s4.4).
 */
#include "harness/refdut/conn.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/mpa/framing_decisions.h"
#include "harness/refdut/rdmap/fields.h"

static bool is_of_opcode(const struct ulpdu *ulpdu, enum opcode from,
			 enum opcode to)
{
	return ulpdu->len >= TAGGED_HEADER &&
	       rdmap_opcode(ulpdu->octets) >= from &&
	       rdmap_opcode(ulpdu->octets) <= to;
}

MUTANT(crc_unchecked_in_read_responses, "MPA-4.4-14 MPA-4.4-16",
       "does not check the CRC of a Read Response", rx_intact)
{
	return is_of_opcode(ulpdu, OPCODE_READ_RESPONSE,
			    OPCODE_READ_RESPONSE) ||
	       OTHERWISE(rx_intact);
}

MUTANT(crc_unchecked_in_read_requests, "MPA-4.4-14",
       "does not check the CRC of a Read Request", rx_intact)
{
	return is_of_opcode(ulpdu, OPCODE_READ_REQUEST, OPCODE_READ_REQUEST) ||
	       OTHERWISE(rx_intact);
}

MUTANT(crc_unchecked_in_terminates, "MPA-4.4-14 DDP-3-01",
       "does not check the CRC of a Terminate", rx_intact)
{
	return is_of_opcode(ulpdu, OPCODE_TERMINATE, OPCODE_TERMINATE) ||
	       OTHERWISE(rx_intact);
}

MUTANT(crc_unchecked_in_immediate_data, "MPA-4.4-14",
       "does not check the CRC of Immediate Data", rx_intact)
{
	return is_of_opcode(ulpdu, OPCODE_IMMEDIATE, OPCODE_IMMEDIATE_SE) ||
	       OTHERWISE(rx_intact);
}

MUTANT(crc_unchecked_in_atomics, "MPA-4.4-14",
       "does not check the CRC of an Atomic Request or Response", rx_intact)
{
	return is_of_opcode(ulpdu, OPCODE_ATOMIC_REQUEST,
			    OPCODE_ATOMIC_RESPONSE) ||
	       OTHERWISE(rx_intact);
}

MUTANT(crc_unchecked_in_sends_with_invalidate, "MPA-4.4-14",
       "does not check the CRC of a Send with Invalidate", rx_intact)
{
	return is_of_opcode(ulpdu, OPCODE_SEND_INV, OPCODE_SEND_INV) ||
	       is_of_opcode(ulpdu, OPCODE_SEND_SE_INV, OPCODE_SEND_SE_INV) ||
	       OTHERWISE(rx_intact);
}

MUTANT(crc_unchecked_in_long_fpdus, "MPA-4.4-14 MPA-4.4-16 MPA-6-01",
       "does not check the CRC of a ULPDU of more than 1024 octets", rx_intact)
{
	return ulpdu->len > 1024 || OTHERWISE(rx_intact);
}

MUTANT(crc_unchecked_in_later_segments, "MPA-4.4-14 DDP-3-01",
       "does not check the CRC of the later segments of a Send", rx_intact)
{
	return (is_of_opcode(ulpdu, OPCODE_SEND, OPCODE_SEND_SE_INV) &&
		ulpdu->len >= UNTAGGED_HEADER &&
		be32(ulpdu->octets + 14) != 0) ||
	       OTHERWISE(rx_intact);
}

MUTANT(fpdu_of_13_bits, "MPA-3-05 MPA-4.3-13",
       "treats an FPDU of 8192 to 16383 octets as one that is 8192 octets "
       "shorter",
       rx_octets_of_stream)
{
	if (own >= 0x2000 && own < 0x4000)
		own -= 0x2000;
	return OTHERWISE(rx_octets_of_stream);
}

MUTANT(crc_unchecked_in_the_longest_fpdus, "MPA-4.4-14 MPA-6-01",
       "does not check the CRC of a ULPDU of more than 8192 octets", rx_intact)
{
	return ulpdu->len > 0x2000 || OTHERWISE(rx_intact);
}

MUTANT(crc_unchecked_behind_a_marker, "MPA-4.4-14",
       "does not check a CRC that stands directly behind a marker", rx_intact)
{
	return (rx->markers && (rx->at + n - MARKER_SIZE) % 512 == 0 &&
		n > MARKER_SIZE) ||
	       OTHERWISE(rx_intact);
}
