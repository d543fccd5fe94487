/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults of devices that process only the first of two pages, or of some words,
 * if octets lie in both (RFC 5041 s4.1, s5.2).
 */
#include <string.h>

#include "harness/refdut/ddp/message.h"
#include "harness/refdut/ddp/placement_decisions.h"
#include "harness/refdut/ddp/tagged_decisions.h"
#include "harness/refdut/ddp/tx_segment_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/faults/overlooked.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/request_decisions.h"

enum { PAGE = 4096, FEW = 64 };

/* How many of n octets lie in the page where they begin. */
static uint32_t in_first_page(const uint8_t *octets, uint32_t n)
{
	uint32_t room = PAGE - (uint32_t)((uintptr_t)octets % PAGE);

	return n < room ? n : room;
}

MUTANT(short_write_behind_a_page_lost, "DDP-4.1-01",
       "loses the octets of a Write of up to 64 octets after a page boundary",
       tagged_placed)
{
	if (region && n <= FEW && rdmap_opcode(u) == OPCODE_WRITE)
		n = in_first_page(region_at(region, to), n);
	OTHERWISE(tagged_placed);
}

MUTANT(short_response_behind_a_page_lost, "DDP-4.1-01",
       "loses the octets of a Read Response of up to 64 octets after a page "
       "boundary",
       tagged_placed)
{
	if (region && n <= FEW && rdmap_opcode(u) == OPCODE_READ_RESPONSE)
		n = in_first_page(region_at(region, to), n);
	OTHERWISE(tagged_placed);
}

MUTANT(short_send_behind_a_page_lost, "DDP-4.1-02",
       "loses the octets of a Send of up to 64 octets after a page boundary",
       untagged_placed)
{
	const struct receive *receive = c->receives;

	if (!qn && n <= FEW && receive && receive->local)
		n = in_first_page(receive->local->octets + receive->off + mo,
				  n);
	return OTHERWISE(untagged_placed);
}

/* The octets, with zeros in place of those after the page boundary. */
static const uint8_t *first_page_alone(const uint8_t *octets, uint32_t n)
{
	static uint8_t copy[FEW];
	uint32_t in_first = in_first_page(octets, n);

	memset(copy, 0, sizeof(copy));
	memcpy(copy, octets, in_first);
	return copy;
}

MUTANT(short_read_behind_a_page_zeroed, "RDMAP-5.2.1-09",
       "answers a Read of up to 64 octets with zeros after a page boundary",
       segment_payload)
{
	const uint8_t *octets = OTHERWISE(segment_payload);

	return m->region && m->request && len <= FEW
		       ? first_page_alone(octets, len)
		       : octets;
}

MUTANT(short_message_behind_a_page_zeroed, "DDP-5.2-03",
       "sends zeros for the octets of a Send or Write of up to 64 octets after "
       "a page boundary",
       segment_payload)
{
	const uint8_t *octets = OTHERWISE(segment_payload);

	return m->region && m->work && len <= FEW
		       ? first_page_alone(octets, len)
		       : octets;
}

/* Words of memory */

MUTANT(rest_behind_a_word_lost, "DDP-4.1-01",
       "loses the last three octets of 11 that a Write or Read Response places "
       "from the sixth octet of a word",
       tagged_placed)
{
	if (region && n == 11 && to % 8 == 5)
		n -= 3;
	OTHERWISE(tagged_placed);
}

MUTANT(last_of_three_octets_lost, "DDP-4.1-01",
       "loses the last of three octets that a Write or Read Response places "
       "from the last octet of a word",
       tagged_placed)
{
	if (region && n == 3 && to % 8 == 7)
		n--;
	OTHERWISE(tagged_placed);
}

MUTANT(last_of_five_octets_zeroed, "DDP-5.2-03",
       "sends a Write of five octets from the sixth octet of a word with a "
       "zero as the last octet",
       segment_payload)
{
	const uint8_t *octets = OTHERWISE(segment_payload);
	static uint8_t copy[5];

	if (m->opcode != OPCODE_WRITE || m->len != sizeof(copy) ||
	    (uintptr_t)octets % 8 != 5)
		return octets;
	memcpy(copy, octets, sizeof(copy) - 1);
	return copy;
}

MUTANT(rest_of_a_source_zeroed, "RDMAP-5.2.1-09",
       "answers a Read of 13 octets from the fourth octet of a word with a "
       "zero as the last octet",
       segment_payload)
{
	const uint8_t *octets = OTHERWISE(segment_payload);
	static uint8_t copy[13];

	if (!m->region || !m->request || len != sizeof(copy) ||
	    (uintptr_t)octets % 8 != 3)
		return octets;
	memcpy(copy, octets, sizeof(copy) - 1);
	copy[sizeof(copy) - 1] = 0;
	return copy;
}

/* Bounds */

enum { SMALL = 64 << 10 };

/* n octets at a TO begin in the buffer, and end in its last page. */
static bool in_pages_of_large(const struct region *region, uint64_t to,
			      uint64_t n)
{
	uint64_t off = region ? to - region->to : 0;

	return region && region->len > SMALL && off < region->len &&
	       off + n <= (region->len + PAGE - 1) / PAGE * PAGE;
}

MUTANT(write_bound_rounded_up_to_pages, "DDP-7.1-28 DDP-8.1-01",
       "rounds the length of a buffer of more than 64 KiB up to whole pages "
       "for a Write",
       tagged_flaw)
{
	enum memory_flaw flaw = OTHERWISE(tagged_flaw);

	return flaw == MEMORY_BOUNDS && rdmap_opcode(u) == OPCODE_WRITE &&
			       in_pages_of_large(region_of_stag(stag_of(u)),
						 to_of(u), len - TAGGED_HEADER)
		       ? MEMORY_FINE
		       : flaw;
}

ALSO(write_bound_rounded_up_to_pages, tagged_placed)
{
	if (n && !region)
		place_what_fits(region_of_stag(stag_of(u)), to,
				u + TAGGED_HEADER, n);
	else
		OTHERWISE(tagged_placed);
}

MUTANT(read_bound_rounded_up_to_pages, "RDMAP-7.2-11",
       "rounds the length of a buffer of more than 64 KiB up to whole pages "
       "for a Read, and answers with zeros",
       read_source_flaw)
{
	enum memory_flaw flaw = OTHERWISE(read_source_flaw);
	const uint8_t *h = request->header;

	if (flaw != MEMORY_BOUNDS ||
	    !in_pages_of_large(region_of_stag(read_source_stag(h)),
			       read_source_to(h), read_size(h)))
		return flaw;
	*region = NULL;
	return MEMORY_FINE;
}
