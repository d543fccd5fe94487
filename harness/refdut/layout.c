/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/layout.h"

#include <stddef.h>
#include <string.h>

#include "harness/refdut/mutants.h"

static void reverse(uint8_t *octets, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint8_t was = octets[i];

		octets[i] = octets[n - 1 - i];
		octets[n - 1 - i] = was;
	}
}

static void exchange(uint8_t *a, uint8_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t was = a[i];

		a[i] = b[i];
		b[i] = was;
	}
}

static uint8_t mirrored(uint8_t v)
{
	uint8_t out = 0;

	for (unsigned i = 0; i < 8; i++)
		out |= (uint8_t)((v >> i & 1) << (7 - i));
	return out;
}

static uint8_t halves_exchanged(uint8_t v)
{
	return (uint8_t)(v << 4 | v >> 4);
}

void layout_terminate(uint8_t *w)
{
	if (mutant(MUTANT_mpa_error_type_3) && w[0] == 0x20)
		w[0] = 0x23;
	if (mutant(MUTANT_terminate_layer_type_swapped) ||
	    mutant(MUTANT_terminate_bit_fields_from_the_lowest) ||
	    mutant(MUTANT_terminate_exchanged_and_flags_low) ||
	    mutant(MUTANT_terminate_little_endian_and_exchanged) ||
	    mutant(MUTANT_terminate_fields_in_reverse))
		w[0] = halves_exchanged(w[0]);
	if (mutant(MUTANT_terminate_flags_mirrored) ||
	    mutant(MUTANT_terminate_bit_fields_from_the_lowest) ||
	    mutant(MUTANT_terminate_fields_in_reverse))
		w[2] = mirrored(w[2]);
	if (mutant(MUTANT_terminate_flags_low) ||
	    mutant(MUTANT_terminate_exchanged_and_flags_low))
		w[2] = (uint8_t)(w[2] >> 5 | w[2] << 3);
	if (mutant(MUTANT_terminate_little_endian) ||
	    mutant(MUTANT_terminate_little_endian_and_exchanged) ||
	    mutant(MUTANT_terminate_fields_in_reverse) ||
	    mutant(MUTANT_terminate_word_mirrored))
		reverse(w, 4);
	if (mutant(MUTANT_terminate_halves_little_endian)) {
		reverse(w, 2);
		reverse(w + 2, 2);
	}
	if (mutant(MUTANT_terminate_octets_mirrored) ||
	    mutant(MUTANT_terminate_word_mirrored))
		for (unsigned i = 0; i < 4; i++)
			w[i] = mirrored(w[i]);
}

void layout_tagged(uint8_t *w)
{
	if (mutant(MUTANT_tagged_little_endian) ||
	    mutant(MUTANT_stag_little_endian))
		reverse(w, 4);
	if (mutant(MUTANT_tagged_little_endian) ||
	    mutant(MUTANT_to_little_endian))
		reverse(w + 4, 8);
	if (mutant(MUTANT_to_halves_exchanged))
		exchange(w + 4, w + 8, 4);
	if (mutant(MUTANT_stag_behind_to)) {
		exchange(w, w + 4, 4);
		exchange(w + 4, w + 8, 4);
	}
}

void layout_untagged(uint8_t *w)
{
	if (mutant(MUTANT_untagged_little_endian) ||
	    mutant(MUTANT_qn_little_endian))
		reverse(w, 4);
	if (mutant(MUTANT_untagged_little_endian) ||
	    mutant(MUTANT_msn_little_endian))
		reverse(w + 4, 4);
	if (mutant(MUTANT_untagged_little_endian))
		reverse(w + 8, 4);
	if (mutant(MUTANT_msn_and_mo_exchanged))
		exchange(w + 4, w + 8, 4);
	if (mutant(MUTANT_qn_and_msn_exchanged))
		exchange(w, w + 4, 4);
}

/* Two words of 16 bits: flags below the number instead of above it. */
static void flags_low(uint8_t *w)
{
	for (unsigned i = 0; i < 4; i += 2) {
		unsigned v = (unsigned)w[i] << 8 | w[i + 1];
		unsigned flags = (v >> 15 & 1) | (v >> 14 & 1) << 1;

		v = (v & 0x3fff) << 2 | flags;
		w[i] = (uint8_t)(v >> 8);
		w[i + 1] = (uint8_t)v;
	}
}

/* ORD where IRD stands; the flags stay where they are. */
static void depths_exchanged(uint8_t *w)
{
	uint8_t first = w[0] & 0xc0, second = w[2] & 0xc0;

	exchange(w, w + 2, 2);
	w[0] = (uint8_t)((w[0] & 0x3f) | first);
	w[2] = (uint8_t)((w[2] & 0x3f) | second);
}

void layout_enhanced(uint8_t *w, bool reply)
{
	bool exchanged = mutant(reply ? MUTANT_reply_ird_ord_swapped
				      : MUTANT_request_ird_ord_swapped);
	bool words = mutant(reply ? MUTANT_reply_ird_ord_little_endian
				  : MUTANT_request_ird_ord_little_endian);
	bool whole = mutant(reply ? MUTANT_reply_enhanced_little_endian
				  : MUTANT_request_enhanced_little_endian);
	bool low = mutant(reply ? MUTANT_reply_enhanced_flags_low
				: MUTANT_request_enhanced_flags_low);
	bool fields = mutant(
		reply ? MUTANT_reply_enhanced_bit_fields_from_the_lowest
		      : MUTANT_request_enhanced_bit_fields_from_the_lowest);

	if (exchanged)
		depths_exchanged(w);
	if (low || fields)
		flags_low(w);
	if (words || fields) {
		reverse(w, 2);
		reverse(w + 2, 2);
	}
	if (whole)
		reverse(w, 4);
}

void layout_operands(uint8_t *w)
{
	if (mutant(MUTANT_atomic_data_little_endian))
		reverse(w, 8);
	for (unsigned i = 0;
	     i < 4 && mutant(MUTANT_atomic_operands_little_endian); i++)
		reverse(w + 8 * i, 8);
}
