/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices of framing (RFC 5044 s4). */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/mpa/framing_decisions.h"

#include <string.h>

VARIANT(crc_field, crc_always_filled, "MPA-4.4-07",
	"fills the CRC field even if CRCs are not in use", tx_crc_filled)
{
	return OTHERWISE(tx_crc_filled) || chosen(self);
}

VARIANT(crc_field, crc_field_of_ones, "MPA-4.4-07",
	"has ones in the CRC field where CRCs are not in use",
	tx_crc_field_unused)
{
	size_t n = OTHERWISE(tx_crc_field_unused);

	chosen(self);
	memset(field, 0xff, n);
	return n;
}

VARIANT(markers, markers_unchecked, "MPA-5.2-02 MPA-8-03 MPA-8-05",
	"does not check what markers say", rx_marker_valid)
{
	return OTHERWISE(rx_marker_valid) || chosen(self);
}

/* The marker is part of the FPDU that follows, and its CRC covers it. */
VARIANT(early_marker, marker_sent_early, "MPA-4.3-12",
	"sends a marker that is due after an FPDU at once", tx_marker_due)
{
	bool *sent;

	if (place != MARKER_BEHIND_FPDU)
		return OTHERWISE(tx_marker_due);
	if (!tx_marker_due_otherwise(self, tx, MARKER_BEFORE_FPDU))
		return false;
	sent = remember(tx->remembered, self, sizeof(*sent));
	*sent = chosen(self);
	return true;
}

ALSO(marker_sent_early, tx_crc)
{
	static uint8_t whole[MARKER_SIZE + FPDU_MAX];
	bool *sent;

	if (!tx->markers)
		return OTHERWISE(tx_crc);
	sent = remember(tx->remembered, self, sizeof(*sent));
	if (!*sent)
		return OTHERWISE(tx_crc);
	*sent = false;
	memcpy(whole + MARKER_SIZE, octets, n);
	return tx_crc_otherwise(self, tx, whole, MARKER_SIZE + n, MARKER_SIZE,
				tail);
}
