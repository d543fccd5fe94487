/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of placement (RFC 5041 s4.2, s4.3). */
#include "harness/refdut/ddp/placement_decisions.h"
#include "harness/refdut/ddp/segment_decisions.h"
#include "harness/refdut/ddp/tagged_decisions.h"
#include "harness/refdut/decision/override.h"

#include <string.h>

enum { PAGE = 4096 };

/* Where: TO */

MUTANT(write_to_rounded_down, "DDP-4.2-07",
       "rounds the TO of a Write down to a multiple of four", tagged_placed)
{
	if (region && (to & ~3ull) >= region->to)
		to &= ~3ull;
	OTHERWISE(tagged_placed);
}

MUTANT(writes_rounded_up, "DDP-4.1-01",
       "clears up to three octets after the data of a Write", tagged_placed)
{
	uint64_t end = region ? to + n - region->to : 0;

	OTHERWISE(tagged_placed);
	if (!region || !n)
		return;
	while (end % 4 && end < region->len)
		region->octets[end++] = 0;
}

MUTANT(writes_placed_rising_only, "DDP-5.2-15",
       "does not place a segment of a Write at a lower TO than the one before "
       "it",
       tagged_placed)
{
	uint64_t *before = remember(&c->remembered, self, sizeof(*before));

	if (!n || !c->tagged_open || to >= *before)
		OTHERWISE(tagged_placed);
	*before = to;
}

/* Where: MO */

MUTANT(mo_taken_as_zero, "DDP-4.3-13 DDP-5.3-04",
       "places every segment of a Send at the start of its buffer",
       untagged_placed)
{
	mo = 0;
	return OTHERWISE(untagged_placed);
}

MUTANT(mo_ignored, "DDP-4.3-13 DDP-5.2-16",
       "places segments of a Send one after the other, whatever MO says",
       untagged_placed)
{
	mo = c->queue[qn].placed;
	return OTHERWISE(untagged_placed);
}

MUTANT(mo_order_demanded, "DDP-5.2-16",
       "refuses segments of a Send that do not arrive in rising order of MO",
       untagged_placed)
{
	if (!OTHERWISE(untagged_placed))
		return false;
	if (mo_of(u) == c->queue[qn].placed)
		return true;
	fault(c, ERR_DDP_UNTAGGED, INVALID_MO, u, n + UNTAGGED_HEADER, NULL);
	return false;
}

/* How often */

struct first_write {
	uint32_t len; /* 0: none so far */
	uint8_t u[1 << 16];
};

MUTANT(first_write_placed_again, "DDP-3-02 MPA-6-05",
       "places the first Write again with every later segment", tagged_placed)
{
	struct first_write *write =
		remember(&c->remembered, self, sizeof(*write));

	OTHERWISE(tagged_placed);
	if (!n || opcode_of(u) != OPCODE_WRITE || write->len)
		return;
	write->len = n + TAGGED_HEADER;
	memcpy(write->u, u, write->len);
}

ALSO(first_write_placed_again, segment_in_turn)
{
	const struct first_write *write =
		remember(&c->remembered, self, sizeof(*write));
	uint32_t n = write->len - TAGGED_HEADER;
	struct region *region;

	OTHERWISE(segment_in_turn);
	if (write->len && !c->rx_over &&
	    memory_check(&c->domain, c, stag_of(write->u), to_of(write->u), n,
			 0, &region) == MEMORY_FINE)
		memcpy(region_at(region, to_of(write->u)),
		       write->u + TAGGED_HEADER, n);
}

/* What arrives */

static void top_bits_lost(uint8_t *octets, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		octets[i] &= 0x7f;
}

MUTANT(rx_top_bits_of_a_write_lost, "DDP-4.1-01",
       "places the top bit of each octet of a Write as zero", tagged_placed)
{
	OTHERWISE(tagged_placed);
	if (region && opcode_of(u) == OPCODE_WRITE)
		top_bits_lost(region_at(region, to), n);
}

MUTANT(rx_top_bits_of_a_response_lost, "DDP-4.1-01",
       "places the top bit of each octet of a Read Response as zero",
       tagged_placed)
{
	OTHERWISE(tagged_placed);
	if (region && opcode_of(u) == OPCODE_READ_RESPONSE)
		top_bits_lost(region_at(region, to), n);
}

/* The stream whose Send has begun last. */
static const struct conn *sending;

MUTANT(sends_share_a_place, "DDP-4.3-13",
       "loses the later segments of a Send if one on another stream has begun",
       untagged_placed)
{
	if (qn == 0 && !c->queue[0].open)
		sending = c;
	return (qn == 0 && sending != c) || OTHERWISE(untagged_placed);
}

/* The buffer that all streams share. */
static uint8_t shared_request[OWN_BUFFER];

MUTANT(requests_share_a_buffer, "DDP-4.3-13",
       "keeps the segments of the Requests of all streams in one buffer",
       untagged_placed)
{
	if (qn != 1)
		return OTHERWISE(untagged_placed);
	memcpy(c->queue[1].own, shared_request, OWN_BUFFER);
	if (!OTHERWISE(untagged_placed))
		return false;
	memcpy(shared_request, c->queue[1].own, OWN_BUFFER);
	return true;
}

/* The same for Immediate Data. */
static uint8_t shared_immediate[IMMEDIATE_SIZE];

MUTANT(immediates_share_a_buffer, "DDP-4.3-13",
       "keeps the segments of the Immediate Data of all streams in one buffer",
       untagged_placed)
{
	if (qn || !is_immediate(u))
		return OTHERWISE(untagged_placed);
	memcpy(c->imm, shared_immediate, IMMEDIATE_SIZE);
	if (!OTHERWISE(untagged_placed))
		return false;
	memcpy(shared_immediate, c->imm, IMMEDIATE_SIZE);
	return true;
}

MUTANT(sends_rounded_up, "DDP-4.1-02",
       "clears up to three octets after the data of a Send in the region of "
       "its receive",
       untagged_placed)
{
	const struct receive *receive = qn ? NULL : c->receives;
	struct region *region = receive ? receive->local : NULL;
	uint64_t end = region ? receive->off + mo + n : 0;

	if (!OTHERWISE(untagged_placed))
		return false;
	if (region && !is_immediate(u) && mo + n <= receive->len)
		while (end % 4 && end < region->len)
			region->octets[end++] = 0;
	return true;
}

MUTANT(rx_top_bits_of_a_short_send_lost, "DDP-4.1-02",
       "places the top bit of each octet of a Send of up to 16 octets as zero",
       untagged_placed)
{
	if (!OTHERWISE(untagged_placed))
		return false;
	if (qn == 0 && !is_immediate(u) && n <= 16 && (u[0] & L_FLAG) && !mo &&
	    n <= c->receives->len)
		top_bits_lost(receive_octets(c, c->receives), n);
	return true;
}

/* What a path of 1500 octets has room for is more than that. */
MUTANT(write_placed_up_to_1408_octets, "DDP-4.1-01 MPA-3-05",
       "places no more than 1408 octets of a Write's segment of up to 1450",
       tagged_placed)
{
	if (region && opcode_of(u) == OPCODE_WRITE && n > 1408 && n <= 1450)
		n = 1408;
	OTHERWISE(tagged_placed);
}

MUTANT(response_placed_up_to_16000_octets, "DDP-4.1-01 MPA-3-05",
       "places no more than 16000 octets of a Read Response's segment",
       tagged_placed)
{
	if (region && opcode_of(u) == OPCODE_READ_RESPONSE && n > 16000)
		n = 16000;
	OTHERWISE(tagged_placed);
}

MUTANT(send_placed_up_to_8000_octets, "DDP-4.1-02 MPA-3-05",
       "places no more than 8000 octets of a Send's segment", untagged_placed)
{
	if (qn == 0 && n > 8000)
		n = 8000;
	return OTHERWISE(untagged_placed);
}

MUTANT(write_behind_a_page_lost, "DDP-4.1-01 MPA-3-05",
       "clears the octets of a Write's segment after a page boundary, in a "
       "buffer of up to three pages",
       tagged_placed)
{
	uint8_t *at = region ? region_at(region, to) : NULL;
	uint32_t page = PAGE - (uint32_t)((uintptr_t)at % PAGE);

	OTHERWISE(tagged_placed);
	if (region && opcode_of(u) == OPCODE_WRITE && page < n &&
	    region->len <= 3 * PAGE)
		memset(at + page, 0, n - page);
}

/* A short segment in the midst of a message, this far from its first octet. */
static bool is_far_behind(uint64_t offset, uint32_t n)
{
	return n <= 8 && offset >= 160 && offset < 1024;
}

MUTANT(short_segment_far_behind_lost, "DDP-5.2-04",
       "loses a segment of up to eight octets that lies at octets 160 to 1023 "
       "of its message",
       tagged_placed)
{
	/* The lowest TO of the Write in progress. */
	const uint64_t *low = remember(&c->remembered, self, sizeof(*low));

	OTHERWISE(tagged_placed);
	if (region && opcode_of(u) == OPCODE_WRITE &&
	    is_far_behind(to - *low, n))
		memset(region_at(region, to), 0, n);
}

ALSO(short_segment_far_behind_lost, write_goes_on)
{
	uint64_t *low = remember(&c->remembered, self, sizeof(*low));

	if (!c->tagged_open || (len > TAGGED_HEADER && to_of(u) < *low))
		*low = to_of(u);
	return OTHERWISE(write_goes_on);
}

ALSO(short_segment_far_behind_lost, untagged_placed)
{
	if (qn == 0 && !is_immediate(u) && is_far_behind(mo, n))
		n = 0;
	return OTHERWISE(untagged_placed);
}

/* While octets go out (full duplex) */

MUTANT(write_cut_while_sending, "DDP-5.2-04",
       "loses the last octet of a Write that arrives amid a message of its own",
       tagged_placed)
{
	bool sends = c->unsent && c->unsent->begun;

	if (n && sends && opcode_of(u) == OPCODE_WRITE)
		n--;
	OTHERWISE(tagged_placed);
}

MUTANT(response_lost_while_responding, "DDP-5.2-04",
       "loses the octets of a Read Response that arrives amid one of its own",
       tagged_placed)
{
	if (!c->in_response || opcode_of(u) != OPCODE_READ_RESPONSE)
		OTHERWISE(tagged_placed);
}

/* Segments are told apart by their headers. */
struct last_header {
	uint32_t n;
	uint8_t octets[TAGGED_HEADER];
};

MUTANT(repeated_write_dropped, "DDP-5.2-04",
       "drops a Write to the place of the Write before it", tagged_placed)
{
	struct last_header *last =
		remember(&c->remembered, self, sizeof(*last));
	bool is_same = n && n == last->n &&
		       memcmp(last->octets, u, TAGGED_HEADER) == 0;

	last->n = n;
	memcpy(last->octets, u, TAGGED_HEADER);
	if (!is_same)
		OTHERWISE(tagged_placed);
}
