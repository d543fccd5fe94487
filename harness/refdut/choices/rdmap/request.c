/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices about Requests of the peer: when they are answered, and from what
 * (RFC 5040 s5.5 and appendix B, RFC 7306 s7). */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/request_decisions.h"

#include <string.h>

VARIANT(snapshot, reads_taken_at_once, "RDMAP-5.5-17",
	"reads the source when the Request arrives instead of when it answers",
	take_request)
{
	if (region && !request->atomic && chosen(self)) {
		uint32_t size = read_size(request->header);
		uint64_t source = read_source_to(request->header);

		request->snapshot = alloc_zeroed(size);
		memcpy(request->snapshot, region_at(region, source), size);
	}
	OTHERWISE(take_request);
}

VARIANT(answers, answers_made_later,
	"RDMAP-5.5-09 RDMAP-B-08 RDMAP-B-09 RDMAPX-7-06 RDMAPX-7-07 "
	"RDMAPX-7-08 RDMAPX-7-09",
	"creates Responses only after it has processed everything that arrived "
	"with their Requests",
	answered_at_once)
{
	return !chosen(self);
}

ALSO(streams_in_turn, answered_at_once)
{
	return !chosen(self);
}

VARIANT(answers, last_stream_first,
	"RDMAP-5.5-09 RDMAP-B-08 RDMAP-B-09 RDMAPX-7-06 RDMAPX-7-07 "
	"RDMAPX-7-08 RDMAPX-7-09",
	"sends Responses later, first those of the stream that asked last",
	answered_at_once)
{
	return !chosen(self);
}

ALSO(sum_checked_first, protection_code)
{
	return protection_code_otherwise(
		self,
		flaw == MEMORY_WRAP && chosen(self) ? MEMORY_BOUNDS : flaw);
}

/* RFC 5040 s7.2 item 4e, too, speaks of the sum of TO and size. */
ALSO(sum_that_wraps_seen_first, read_source_flaw)
{
	enum memory_flaw flaw = OTHERWISE(read_source_flaw);
	const uint8_t *h = request->header;

	if (flaw == MEMORY_BOUNDS && read_source_to(h) + read_size(h) == 0 &&
	    chosen(self))
		return MEMORY_WRAP;
	return flaw;
}

ALSO(stag_zero_of_the_host, read_source_flaw)
{
	enum memory_flaw flaw = OTHERWISE(read_source_flaw);

	return flaw == MEMORY_NO_STAG && !read_source_stag(request->header) &&
			       chosen(self)
		       ? MEMORY_ACCESS
		       : flaw;
}
