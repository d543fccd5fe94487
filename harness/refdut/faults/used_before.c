/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of a device that remembers which region was used last, and does not
 * check again who uses it (RFC 5041 s7.1, RFC 5040 s7.2). */
#include "harness/refdut/ddp/tagged_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/request_decisions.h"

/* The region that was used last: a reference is held. */
static struct region *last;

static enum memory_flaw checked_if_new(enum memory_flaw flaw, uint32_t stag,
				       uint64_t to, uint32_t n,
				       struct region **region)
{
	if (flaw == MEMORY_FINE && *region) {
		region_put(last);
		last = region_get(*region);
	}
	if (flaw != MEMORY_NOT_ASSOCIATED || !last || last->stag != stag)
		return flaw;
	*region = last;
	return memory_range(last, to, n);
}

MUTANT(domain_unchecked_behind_a_write, "DDP-7.1-25 DDP-7.1-24",
       "places a Write of any stream in the buffer that was written last",
       tagged_flaw)
{
	enum memory_flaw flaw = OTHERWISE(tagged_flaw);

	return checked_if_new(flaw, stag_of(u), to_of(u), len - TAGGED_HEADER,
			      region);
}

MUTANT(domain_unchecked_behind_a_read, "RDMAP-7.2-08 RDMAP-7.2-09",
       "answers a Read of any stream from the buffer that was read last",
       read_source_flaw)
{
	const uint8_t *h = request->header;
	enum memory_flaw flaw = OTHERWISE(read_source_flaw);

	return checked_if_new(flaw, read_source_stag(h),
			      read_source_to(h) + request->sent,
			      read_size(h) - request->sent, region);
}
