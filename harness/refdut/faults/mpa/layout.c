/* SPDX-License-Identifier: BSD-2-Clause */
/* Enhanced data with a layout other than that of RFC 6581 s9.1. */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/faults/layout_octets.h"

/* Two words of 16 bits: flags below the number instead of above it. */
static void flags_low(uint8_t *words)
{
	for (unsigned i = 0; i < 4; i += 2) {
		unsigned v = (unsigned)words[i] << 8 | words[i + 1];
		unsigned flags = (v >> 15 & 1) | (v >> 14 & 1) << 1;

		v = (v & 0x3fff) << 2 | flags;
		words[i] = (uint8_t)(v >> 8);
		words[i + 1] = (uint8_t)v;
	}
}

/* ORD where IRD stands; the flags stay where they are. */
static void depths_exchanged(uint8_t *words)
{
	uint8_t first = words[0] & 0xc0, second = words[2] & 0xc0;

	exchange(words, words + 2, 2);
	words[0] = (uint8_t)((words[0] & 0x3f) | first);
	words[2] = (uint8_t)((words[2] & 0x3f) | second);
}

static void depths_reversed(uint8_t *words)
{
	reverse(words, 2);
	reverse(words + 2, 2);
}

/* Of a Request */

MUTANT(request_ird_ord_swapped, "EMPA-9-01",
       "exchanges IRD and ORD in its Request", layout_enhanced)
{
	OTHERWISE(layout_enhanced);
	if (!reply)
		depths_exchanged(words);
}

MUTANT(request_ird_ord_little_endian, "EMPA-9-01",
       "sends the words of IRD and ORD of its Request least significant octet "
       "first",
       layout_enhanced)
{
	OTHERWISE(layout_enhanced);
	if (!reply)
		depths_reversed(words);
}

MUTANT(request_enhanced_little_endian, "EMPA-9-01",
       "sends the enhanced data of its Request, as one word, least significant "
       "octet first",
       layout_enhanced)
{
	OTHERWISE(layout_enhanced);
	if (!reply)
		reverse(words, 4);
}

MUTANT(request_enhanced_flags_low, "EMPA-9-01",
       "sends the flags of its Request as the lowest bits of IRD's and ORD's "
       "words",
       layout_enhanced)
{
	OTHERWISE(layout_enhanced);
	if (!reply)
		flags_low(words);
}

MUTANT(request_enhanced_bit_fields_from_the_lowest, "EMPA-9-01",
       "fills the words of IRD and ORD of its Request from their lowest bit up",
       layout_enhanced)
{
	OTHERWISE(layout_enhanced);
	if (!reply) {
		flags_low(words);
		depths_reversed(words);
	}
}

/* Of a Reply */

MUTANT(reply_ird_ord_swapped, "EMPA-9-02", "exchanges IRD and ORD in its Reply",
       layout_enhanced)
{
	OTHERWISE(layout_enhanced);
	if (reply)
		depths_exchanged(words);
}

MUTANT(reply_ird_ord_little_endian, "EMPA-9-02",
       "sends the words of IRD and ORD of its Reply least significant octet "
       "first",
       layout_enhanced)
{
	OTHERWISE(layout_enhanced);
	if (reply)
		depths_reversed(words);
}

MUTANT(reply_enhanced_little_endian, "EMPA-9-02",
       "sends the enhanced data of its Reply, as one word, least significant "
       "octet first",
       layout_enhanced)
{
	OTHERWISE(layout_enhanced);
	if (reply)
		reverse(words, 4);
}

MUTANT(reply_enhanced_flags_low, "EMPA-9-02",
       "sends the flags of its Reply as the lowest bits of IRD's and ORD's "
       "words",
       layout_enhanced)
{
	OTHERWISE(layout_enhanced);
	if (reply)
		flags_low(words);
}

MUTANT(reply_enhanced_bit_fields_from_the_lowest, "EMPA-9-02",
       "fills the words of IRD and ORD of its Reply from their lowest bit up",
       layout_enhanced)
{
	OTHERWISE(layout_enhanced);
	if (reply) {
		flags_low(words);
		depths_reversed(words);
	}
}
