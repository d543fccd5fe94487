/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults of devices that lack a check of DDP in some segments of a Write or Read
 * Response, or treat them in another way (RFC 5041 s4.1, s5.2, s7.1).
 */
#include "harness/refdut/ddp/placement_decisions.h"
#include "harness/refdut/ddp/segment_decisions.h"
#include "harness/refdut/ddp/tagged_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/faults/overlooked.h"
#include "harness/refdut/memory/memory_decisions.h"

static bool is_tagged(const uint8_t *u, unsigned opcode)
{
	return u[0] & T_FLAG && opcode_of(u) == opcode;
}

/* --- version ----------------------------------------------------------------- */

MUTANT(dv_three_taken_in_read_responses, "DDP-4.1-17",
       "takes DDP version 3 in a Read Response", dv_accepted)
{
	return (is_tagged(u, OPCODE_READ_RESPONSE) && (u[0] & 3) == 3) ||
	       OTHERWISE(dv_accepted);
}

MUTANT(dv_unchecked_before_the_last,
       "DDP-4.1-15 DDP-4.1-16 DDP-4.1-17 DDP-4.1-21 DDP-7.2-06 DDP-5.2-10",
       "takes any DDP version in a segment of a Write or Read Response that is "
       "not the last",
       dv_accepted)
{
	return (u[0] & (T_FLAG | L_FLAG)) == T_FLAG || OTHERWISE(dv_accepted);
}

MUTANT(dv_unchecked_in_empty_segments, "DDP-5.2-10",
       "takes any DDP version in an empty segment with L=0 of a Write",
       dv_accepted)
{
	return ((u[0] & (T_FLAG | L_FLAG)) == T_FLAG && len == TAGGED_HEADER) ||
	       OTHERWISE(dv_accepted);
}

/* --- the place of Read Responses, and of segments in the middle ----------------- */

/* The segment is in the middle of its message. */
static bool is_in_the_middle(const struct conn *c, const uint8_t *u)
{
	return c->tagged_open && !(u[0] & L_FLAG);
}

MUTANT(range_unchecked_in_the_middle_of_writes,
       "DDP-7.1-26 DDP-7.1-27 DDP-7.1-28 DDP-7.1-30 DDP-7.1-31 DDP-5.2-17",
       "drops a segment in the middle of a Write that is outside its buffer, "
       "and continues",
       tagged_flaw)
{
	enum memory_flaw flaw = OTHERWISE(tagged_flaw);

	return (flaw == MEMORY_BOUNDS || flaw == MEMORY_WRAP) &&
			       is_tagged(u, OPCODE_WRITE) &&
			       is_in_the_middle(c, u)
		       ? MEMORY_FINE
		       : flaw;
}

ALSO(range_unchecked_in_the_middle_of_writes, tagged_placed)
{
	if (region || !n)
		OTHERWISE(tagged_placed);
}

MUTANT(stag_unchecked_in_the_middle_of_writes,
       "DDP-7.1-20 DDP-7.1-21 DDP-7.1-22 DDP-7.1-23",
       "drops a segment in the middle of a Write whose STag is not valid, and "
       "continues",
       tagged_flaw)
{
	enum memory_flaw flaw = OTHERWISE(tagged_flaw);

	return flaw == MEMORY_NO_STAG && is_tagged(u, OPCODE_WRITE) &&
			       is_in_the_middle(c, u) &&
			       !region_named_by(stag_of(u))
		       ? MEMORY_FINE
		       : flaw;
}

ALSO(stag_unchecked_in_the_middle_of_writes, tagged_placed)
{
	if (region || !n)
		OTHERWISE(tagged_placed);
}

/* A Response is not held against its Request in these. */
#define RESPONSE_PASSES                                                        \
	return (bool)(n && read->placed) || OTHERWISE(response_in_sink)

MUTANT(responses_checked_at_their_first_segment,
       "DDP-7.1-26 DDP-7.1-27 DDP-7.1-28 DDP-7.1-31 DDP-7.2-03 DDP-7.2-05 "
       "SEC-6.2.1-01",
       "checks the range of a Read Response only in its first segment, and "
       "places of the others what fits",
       tagged_flaw)
{
	enum memory_flaw flaw = OTHERWISE(tagged_flaw);

	return (flaw == MEMORY_BOUNDS || flaw == MEMORY_WRAP) &&
			       is_tagged(u, OPCODE_READ_RESPONSE) &&
			       c->tagged_open
		       ? MEMORY_FINE
		       : flaw;
}

ALSO(responses_checked_at_their_first_segment, response_in_sink)
{
	RESPONSE_PASSES;
}

ALSO(responses_checked_at_their_first_segment, tagged_placed)
{
	if (!region && n)
		place_what_fits(region_named_by(stag_of(u)), to,
				u + TAGGED_HEADER, n);
	else
		OTHERWISE(tagged_placed);
}

MUTANT(owner_unchecked_in_the_middle_of_responses,
       "DDP-7.1-24 DDP-7.1-25 DDP-7.2-04",
       "places a segment in the middle of a Read Response into buffers of "
       "other streams and domains",
       tagged_flaw)
{
	enum memory_flaw flaw = OTHERWISE(tagged_flaw);

	if (flaw != MEMORY_NOT_ASSOCIATED ||
	    !is_tagged(u, OPCODE_READ_RESPONSE) || !is_in_the_middle(c, u))
		return flaw;
	*region = region_named_by(stag_of(u));
	return MEMORY_FINE;
}

ALSO(owner_unchecked_in_the_middle_of_responses, response_in_sink)
{
	RESPONSE_PASSES;
}

MUTANT(odd_to_of_responses_rounded, "DDP-4.2-07 DDP-4.1-01",
       "places a segment of a Read Response that is not the last at the even "
       "TO below its own",
       tagged_placed)
{
	if (region && is_tagged(u, OPCODE_READ_RESPONSE) && c->tagged_open &&
	    !(u[0] & L_FLAG))
		to &= ~1ull;
	OTHERWISE(tagged_placed);
}

MUTANT(segments_behind_an_empty_one_unchecked, "DDP-5.2-17",
       "drops a segment with L=0 of a Write outside its buffer if the one "
       "before it was empty",
       tagged_flaw)
{
	uint32_t *before = remember(&c->remembered, self, sizeof(*before));
	enum memory_flaw flaw = OTHERWISE(tagged_flaw);
	bool behind = c->tagged_open && *before == TAGGED_HEADER;

	*before = len;
	return flaw == MEMORY_BOUNDS && behind && !(u[0] & L_FLAG) &&
			       is_tagged(u, OPCODE_WRITE)
		       ? MEMORY_FINE
		       : flaw;
}

ALSO(segments_behind_an_empty_one_unchecked, tagged_placed)
{
	if (region || !n)
		OTHERWISE(tagged_placed);
}
