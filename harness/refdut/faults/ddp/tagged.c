/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults in the checks of tagged segments (RFC 5041 s7.1, RFC 5040 s7.2). */
#include "harness/refdut/ddp/placement_decisions.h"
#include "harness/refdut/ddp/tagged_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/faults/overlooked.h"
#include "harness/refdut/rdmap/response_decisions.h"
#include "harness/refdut/rdmap/tx_response_decisions.h"

/* Whether a check overlooked this placement: then it is done. */
static bool placed_what_fits(const struct region *region, const uint8_t *u,
			     uint64_t to, uint32_t n)
{
	if (region || !n)
		return false;
	place_what_fits(region_of_stag(stag_of(u)), to, u + TAGGED_HEADER, n);
	return true;
}

/* STags */

MUTANT(unknown_stag_dropped_silently, "DDP-7.1-20 DDP-7.1-23 RDMAP-5.1-03",
       "drops Writes to an STag it does not know", tagged_flaw)
{
	enum memory_flaw flaw = OTHERWISE(tagged_flaw);

	return flaw == MEMORY_NO_STAG ? MEMORY_FINE : flaw;
}

ALSO(unknown_stag_dropped_silently, tagged_placed)
{
	if (!placed_what_fits(region, u, to, n))
		OTHERWISE(tagged_placed);
}

/* Bounds */

/*
 * How far after the start of its buffer the segment begins; false: the bounds
 * are not violated.
 */
static bool out_of_bounds(enum memory_flaw flaw, const uint8_t *u,
			  const struct region **region, uint64_t *off)
{
	if (flaw != MEMORY_BOUNDS)
		return false;
	*region = region_of_stag(stag_of(u));
	*off = *region ? to_of(u) - (*region)->to : 0;
	return *region;
}

MUTANT(exact_end_refused,
       "DDP-7.1-29 DDP-4.2-06 DDP-8.1-01 DDP-8.3.1-01 RDMAP-4.8-31 DDP-5.2-04",
       "refuses a Write that ends exactly at the end of its buffer",
       tagged_flaw)
{
	enum memory_flaw flaw = OTHERWISE(tagged_flaw);
	uint32_t n = len - TAGGED_HEADER;

	if (flaw == MEMORY_FINE && *region &&
	    to_of(u) - (*region)->to + n == (*region)->len)
		return MEMORY_BOUNDS;
	return flaw;
}

MUTANT(lower_bound_unchecked, "DDP-7.1-26 DDP-8.3.1-01",
       "does not refuse a Write that starts below its buffer", tagged_flaw)
{
	enum memory_flaw flaw = OTHERWISE(tagged_flaw);
	const struct region *buffer;
	uint64_t off;

	if (out_of_bounds(flaw, u, &buffer, &off) && to_of(u) < buffer->to)
		return MEMORY_FINE;
	return flaw;
}

ALSO(lower_bound_unchecked, tagged_placed)
{
	if (!placed_what_fits(region, u, to, n))
		OTHERWISE(tagged_placed);
}

MUTANT(upper_bound_one_too_far, "DDP-7.1-28 DDP-8.1-01 DDP-8.3.1-01",
       "does not refuse a Write that ends one octet beyond its buffer",
       tagged_flaw)
{
	enum memory_flaw flaw = OTHERWISE(tagged_flaw);
	uint32_t n = len - TAGGED_HEADER;
	const struct region *buffer;
	uint64_t off;

	if (out_of_bounds(flaw, u, &buffer, &off) && to_of(u) >= buffer->to &&
	    off + n <= buffer->len + 1)
		return MEMORY_FINE;
	return flaw;
}

ALSO(upper_bound_one_too_far, tagged_placed)
{
	if (!placed_what_fits(region, u, to, n))
		OTHERWISE(tagged_placed);
}

MUTANT(upper_bound_checks_start_only, "DDP-7.1-28 DDP-7.1-30",
       "does not refuse a Write that starts inside its buffer, wherever it "
       "ends",
       tagged_flaw)
{
	enum memory_flaw flaw = OTHERWISE(tagged_flaw);
	const struct region *buffer;
	uint64_t off;

	if (out_of_bounds(flaw, u, &buffer, &off) && off < buffer->len)
		return MEMORY_FINE;
	return flaw;
}

ALSO(upper_bound_checks_start_only, tagged_placed)
{
	if (!placed_what_fits(region, u, to, n))
		OTHERWISE(tagged_placed);
}

MUTANT(write_at_the_end_taken, "DDP-7.1-27 RDMAP-8.1.1-09",
       "does not refuse a Write that starts exactly at the end of its buffer",
       tagged_flaw)
{
	enum memory_flaw flaw = OTHERWISE(tagged_flaw);
	const struct region *buffer;
	uint64_t off;

	if (out_of_bounds(flaw, u, &buffer, &off) && off == buffer->len)
		return MEMORY_FINE;
	return flaw;
}

ALSO(write_at_the_end_taken, tagged_placed)
{
	if (!placed_what_fits(region, u, to, n))
		OTHERWISE(tagged_placed);
}

MUTANT(rx_to_upper_half_ignored, "DDP-4.2-07",
       "compares only the lower half of TO with the bounds of a buffer",
       tagged_flaw)
{
	enum memory_flaw flaw = OTHERWISE(tagged_flaw);
	uint32_t n = len - TAGGED_HEADER;
	const struct region *buffer;
	uint64_t off;

	if (out_of_bounds(flaw, u, &buffer, &off) &&
	    (uint32_t)off < buffer->len && n <= buffer->len - (uint32_t)off)
		return MEMORY_FINE;
	return flaw;
}

ALSO(rx_to_upper_half_ignored, tagged_placed)
{
	if (!placed_what_fits(region, u, to, n))
		OTHERWISE(tagged_placed);
}

MUTANT(to_wrap_unchecked, "DDP-7.1-31",
       "does not refuse a Write whose TO wraps", tagged_flaw)
{
	enum memory_flaw flaw = OTHERWISE(tagged_flaw);

	return flaw == MEMORY_WRAP ? MEMORY_FINE : flaw;
}

ALSO(to_wrap_unchecked, tagged_placed)
{
	if (!placed_what_fits(region, u, to, n))
		OTHERWISE(tagged_placed);
}

/* Empty segments */

MUTANT(empty_tagged_checked, "DDP-5.2-11 DDP-5.2-12 EMPA-9.2-17",
       "checks STag and TO of an empty Write", tagged_flaw)
{
	if (len == TAGGED_HEADER)
		return memory_check(&c->domain, c, stag_of(u), to_of(u), 0, 0,
				    region);
	return OTHERWISE(tagged_flaw);
}

MUTANT(unchecked_behind_empty_segment, "DDP-5.2-17",
       "does not check a segment after an empty one of its message",
       tagged_flaw)
{
	const bool *after_empty =
		remember(&c->remembered, self, sizeof(*after_empty));

	if (*after_empty && len > TAGGED_HEADER)
		return MEMORY_FINE;
	return OTHERWISE(tagged_flaw);
}

ALSO(unchecked_behind_empty_segment, tagged_placed)
{
	bool *after_empty =
		remember(&c->remembered, self, sizeof(*after_empty));

	if (region || !n)
		OTHERWISE(tagged_placed);
	*after_empty = n == 0 && !(u[0] & L_FLAG);
}

/* Rights */

MUTANT(write_access_unchecked, "DDP-7.1-32",
       "places Writes into buffers without remote write access", rights_needed)
{
	return 0;
}

MUTANT(right_checked_once, "RDMAP-8.1.1-10",
       "checks the right to write to a buffer with the first segment of a "
       "Write only",
       rights_needed)
{
	uint32_t *first = remember(&c->remembered, self, sizeof(*first));

	if (opcode_of(u) == OPCODE_WRITE && c->tagged_open &&
	    stag_of(u) == *first)
		return 0;
	*first = stag_of(u);
	return OTHERWISE(rights_needed);
}

static bool permits_atomics;

MUTANT(right_to_atomics_lets_write, "DDP-7.1-32",
       "places Writes into buffers that permit only atomics", rights_needed)
{
	return permits_atomics ? 0 : OTHERWISE(rights_needed);
}

ALSO(right_to_atomics_lets_write, tagged_flaw)
{
	enum memory_flaw flaw;

	*region = NULL;
	flaw = OTHERWISE(tagged_flaw);
	permits_atomics = *region && (*region)->access & ACCESS_REMOTE_ATOMIC;
	return flaw;
}

static const struct region *written, *read_last;

MUTANT(written_behind_a_read, "DDP-7.1-32",
       "does not check the right to write to the buffer that was read last",
       rights_needed)
{
	return written && written == read_last ? 0 : OTHERWISE(rights_needed);
}

ALSO(written_behind_a_read, tagged_flaw)
{
	enum memory_flaw flaw;

	*region = NULL;
	flaw = OTHERWISE(tagged_flaw);
	written = *region;
	return flaw;
}

ALSO(written_behind_a_read, read_response)
{
	read_last = region;
	return OTHERWISE(read_response);
}

MUTANT(sink_left_writable, "DDP-7.1-32",
       "lets its peer write to a buffer into which it has read", tagged_placed)
{
	OTHERWISE(tagged_placed);
	if (region && opcode_of(u) == OPCODE_READ_RESPONSE)
		region->access |= ACCESS_REMOTE_WRITE;
}

/* Read Responses */

MUTANT(unasked_response_dropped, "RDMAP-5.2.2-08",
       "drops a Read Response that it did not ask for", unasked_response_taken)
{
	return true;
}

MUTANT(read_response_behind_atomic_dropped, "RDMAP-5.2.2-08",
       "drops a Read Response that comes while an atomic is under way",
       unasked_response_taken)
{
	return work_awaited(c) || OTHERWISE(unasked_response_taken);
}

/* The connection whose last Read was answered; 0: there is none. */
static uint64_t answered_on;

MUTANT(second_response_taken, "RDMAP-5.2.2-08",
       "places a Read Response that comes after the one it waited for",
       unasked_response_taken)
{
	return (answered_on == c->number + 1 && !work_awaited(c)) ||
	       OTHERWISE(unasked_response_taken);
}

ALSO(second_response_taken, outstanding_behind)
{
	if (work->op == OP_READ && work->len)
		answered_on = c->number + 1;
	return OTHERWISE(outstanding_behind);
}

MUTANT(response_range_unchecked,
       "DDP-7.2-02 DDP-7.2-03 DDP-7.2-04 DDP-7.2-05 SEC-6.2.1-01 "
       "RDMAP-8.1.1-04 RDMAP-5.2.2-04",
       "accepts a Read Response to any place as the one it waits for",
       response_in_sink)
{
	return n || OTHERWISE(response_in_sink);
}

ALSO(response_range_unchecked, tagged_flaw)
{
	enum memory_flaw flaw = OTHERWISE(tagged_flaw);

	return opcode_of(u) == OPCODE_READ_RESPONSE ? MEMORY_FINE : flaw;
}

/* Octets that no buffer has room for are dropped. */
ALSO(response_range_unchecked, tagged_placed)
{
	if (region || opcode_of(u) != OPCODE_READ_RESPONSE)
		OTHERWISE(tagged_placed);
}
