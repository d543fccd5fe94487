/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions with plain numbers, for suite/prove/framing.py. */
#include "harness/refdut/mpa/framing.c"

#define ASKED __attribute__((used)) static

ASKED uint64_t pad_due(uint16_t ulpdu)
{
	return tx_pad_length(ulpdu);
}

ASKED uint64_t pad_awaited(uint16_t ulpdu)
{
	return rx_pad_length(ulpdu);
}

ASKED uint64_t octets_of_stream(uint64_t own, bool markers, uint64_t at)
{
	struct framing rx = {.at = at, .markers = markers};

	return rx_octets_of_stream(&rx, own);
}

ASKED uint32_t mulpdu_of(uint32_t emss, bool markers)
{
	return framing_mulpdu(emss, markers);
}
