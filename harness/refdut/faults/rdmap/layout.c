/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RDMAP headers with a layout other than that of RFC 5040 s4.8 and RFC 7306
 * s5.2.1.
 */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/faults/layout_octets.h"

static uint8_t mirrored(uint8_t v)
{
	uint8_t out = 0;

	for (unsigned i = 0; i < 8; i++)
		out |= (uint8_t)((v >> i & 1) << (7 - i));
	return out;
}

/* The control word of a Terminate: layer and error type, code, M, D and R */

static uint8_t halves_exchanged(uint8_t v)
{
	return (uint8_t)(v << 4 | v >> 4);
}

static uint8_t flags_low(uint8_t flags)
{
	return (uint8_t)(flags >> 5 | flags << 3);
}

MUTANT(mpa_error_type_3, "IANA-3.3-02 EMPA-8-07",
       "reports every error of MPA, including those of the startup, under type "
       "3",
       layout_terminate)
{
	OTHERWISE(layout_terminate);
	if (word[0] == 0x20)
		word[0] = 0x23;
}

MUTANT(terminate_layer_type_swapped, "RDMAP-4.8-02 RDMAP-4.8-03",
       "exchanges layer and error type", layout_terminate)
{
	OTHERWISE(layout_terminate);
	word[0] = halves_exchanged(word[0]);
}

MUTANT(terminate_flags_mirrored, "RDMAP-4.8-05",
       "sends M, D and R as the lowest bits of their octet, with M the lowest",
       layout_terminate)
{
	OTHERWISE(layout_terminate);
	word[2] = mirrored(word[2]);
}

MUTANT(terminate_flags_low, "RDMAP-4.8-05",
       "sends M, D and R as the lowest bits of their octet, with R the lowest",
       layout_terminate)
{
	OTHERWISE(layout_terminate);
	word[2] = flags_low(word[2]);
}

MUTANT(terminate_bit_fields_from_the_lowest,
       "RDMAP-4.8-02 RDMAP-4.8-03 RDMAP-4.8-05",
       "fills the octets of a Terminate's control word from their lowest bit "
       "up",
       layout_terminate)
{
	OTHERWISE(layout_terminate);
	word[0] = halves_exchanged(word[0]);
	word[2] = mirrored(word[2]);
}

MUTANT(terminate_exchanged_and_flags_low,
       "RDMAP-4.8-02 RDMAP-4.8-03 RDMAP-4.8-05",
       "exchanges layer and error type, and sends M, D and R as the lowest "
       "bits",
       layout_terminate)
{
	OTHERWISE(layout_terminate);
	word[0] = halves_exchanged(word[0]);
	word[2] = flags_low(word[2]);
}

MUTANT(terminate_little_endian, "RDMAP-4.8-02 RDMAP-4.8-03 RDMAP-4.8-04",
       "sends a Terminate's control word least significant octet first",
       layout_terminate)
{
	OTHERWISE(layout_terminate);
	reverse(word, 4);
}

MUTANT(terminate_little_endian_and_exchanged,
       "RDMAP-4.8-02 RDMAP-4.8-03 RDMAP-4.8-04",
       "sends a Terminate's control word least significant octet first, and "
       "exchanges layer and error type",
       layout_terminate)
{
	OTHERWISE(layout_terminate);
	word[0] = halves_exchanged(word[0]);
	reverse(word, 4);
}

MUTANT(terminate_fields_in_reverse, "RDMAP-4.8-02 RDMAP-4.8-03 RDMAP-4.8-04",
       "fills a Terminate's control word from its lowest bit up",
       layout_terminate)
{
	OTHERWISE(layout_terminate);
	word[0] = halves_exchanged(word[0]);
	word[2] = mirrored(word[2]);
	reverse(word, 4);
}

MUTANT(terminate_halves_little_endian, "RDMAP-4.8-02 RDMAP-4.8-03 RDMAP-4.8-04",
       "sends each half of a Terminate's control word least significant octet "
       "first",
       layout_terminate)
{
	OTHERWISE(layout_terminate);
	reverse(word, 2);
	reverse(word + 2, 2);
}

MUTANT(terminate_octets_mirrored, "RDMAP-4.8-02 RDMAP-4.8-03 RDMAP-4.8-05",
       "sends every octet of a Terminate's control word lowest bit first",
       layout_terminate)
{
	OTHERWISE(layout_terminate);
	for (unsigned i = 0; i < 4; i++)
		word[i] = mirrored(word[i]);
}

MUTANT(terminate_word_mirrored, "RDMAP-4.8-02 RDMAP-4.8-03 RDMAP-4.8-04",
       "sends a Terminate's control word lowest bit first", layout_terminate)
{
	OTHERWISE(layout_terminate);
	reverse(word, 4);
	for (unsigned i = 0; i < 4; i++)
		word[i] = mirrored(word[i]);
}

/* The operands of an atomic */

MUTANT(atomic_data_little_endian, "RDMAPX-5.2.1-30 RDMAPX-5.2.1-01",
       "sends Add or Swap Data least significant octet first", layout_operands)
{
	OTHERWISE(layout_operands);
	reverse(words, 8);
}

MUTANT(atomic_operands_little_endian, "RDMAPX-5.2.1-30 RDMAPX-5.2.1-01",
       "sends the four operands least significant octet first", layout_operands)
{
	OTHERWISE(layout_operands);
	for (unsigned i = 0; i < 4; i++)
		reverse(words + 8 * i, 8);
}
