/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of Requests that are delivered and validated (RFC 5040 s5.2.1, s7.2;
 * RFC 7306 s5.2.1). */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/faults/former_stream.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/rdmap_atomic_decisions.h"
#include "harness/refdut/rdmap/request_decisions.h"

#include <string.h>

/* Requests that are lost, or do something else */

MUTANT(read_request_delivered, "RDMAP-5.2.1-03 RDMAPX-5.2.1-21",
       "completes a receive for every Request", accept_request)
{
	if (c->receives)
		receive_complete(c, OP_RECV, STATUS_OK, 0);
	OTHERWISE(accept_request);
}

MUTANT(atomic_unknown_stag_dropped, "RDMAPX-5.2.1-12",
       "drops Atomic Requests to unknown STags", accept_request)
{
	if (request->atomic && !region_of_stag(atomic_stag(request->header)))
		request_free(request);
	else
		OTHERWISE(accept_request);
}

MUTANT(read_by_unknown_stag_dropped, "RDMAP-7.2-06 RDMAP-7.2-07 RDMAP-5.2.1-11",
       "drops Read Requests to unknown STags", accept_request)
{
	if (!request->atomic && read_size(request->header) &&
	    !region_of_stag(read_source_stag(request->header)))
		request_free(request);
	else
		OTHERWISE(accept_request);
}

MUTANT(long_read_unanswered, "RDMAP-5.2.1-09",
       "does not answer a Read of more than 2048 octets", take_request)
{
	if (!request->atomic && read_size(request->header) > 2048)
		request_free(request);
	else
		OTHERWISE(take_request);
}

/* The order of Responses */

MUTANT(responses_newest_first,
       "RDMAP-5.2.1-06 RDMAP-5.2.2-05 RDMAP-5.5-16 RDMAPX-5.2.1-24 "
       "RDMAPX-5.2.2-09 RDMAPX-5.4-08 RDMAPX-7-10 RDMAPX-7-11 RDMAPX-7-14 "
       "RDMAPX03-7-01 RDMAP-B-04",
       "answers the newest of several Reads first", queue_request)
{
	struct request **at = &c->requests;

	if (!c->answering || c->in_response) {
		OTHERWISE(queue_request);
		return;
	}
	while (*at != c->answering)
		at = &(*at)->next;
	request->next = *at;
	*at = request;
	c->answering = request;
}

/* It is answered at the next boundary of messages. */
MUTANT(empty_read_answered_ahead, "RDMAP-5.2.2-05",
       "answers a Read of no octets ahead of Requests that wait", queue_request)
{
	struct request **at;

	if (request->atomic || read_size(request->header) || !c->answering ||
	    !c->answering->next) {
		OTHERWISE(queue_request);
		return;
	}
	at = &c->answering->next;
	request->next = *at;
	*at = request;
}

ALSO(responses_newest_first, answered_at_once)
{
	return false;
}

/* Two Requests wait only if none is answered at once. */
ALSO(atomics_exchanged_behind_another_stream, answered_at_once)
{
	return false;
}

/* The source of a Read (RFC 5040 s5.2.1, s7.2) */

MUTANT(empty_read_checked, "RDMAP-5.2.1-12 SEC-6.3.5-02",
       "checks the source STag of a Read of size 0", read_source_validated)
{
	return OTHERWISE(read_source_validated) ||
	       read_source_stag(request->header);
}

MUTANT(empty_read_to_checked, "RDMAP-5.2.1-12",
       "checks the source of a Read of size 0 if its TO is not zero",
       read_source_validated)
{
	return OTHERWISE(read_source_validated) ||
	       read_source_to(request->header) + request->sent;
}

MUTANT(read_access_unchecked, "RDMAP-7.2-13 SEC-6.3.5-01",
       "reads from buffers without remote read access", read_source_flaw)
{
	enum memory_flaw flaw = OTHERWISE(read_source_flaw);

	if (flaw != MEMORY_ACCESS)
		return flaw;
	*region = region_of_stag(read_source_stag(request->header));
	return MEMORY_FINE;
}

MUTANT(right_to_atomics_lets_read, "RDMAP-7.2-13",
       "reads from buffers that permit only atomics", read_source_flaw)
{
	enum memory_flaw flaw = OTHERWISE(read_source_flaw);
	struct region *found =
		region_of_stag(read_source_stag(request->header));

	if (flaw != MEMORY_ACCESS || !(found->access & ACCESS_REMOTE_ATOMIC))
		return flaw;
	*region = found;
	return MEMORY_FINE;
}

/* Without a region a Read is answered with zeros. */
static enum memory_flaw overlooked(enum memory_flaw flaw, enum memory_flaw is,
				   struct region **region)
{
	if (flaw != is)
		return flaw;
	*region = NULL;
	return MEMORY_FINE;
}

MUTANT(read_bounds_unchecked,
       "RDMAP-8.1.1-03 RDMAP-7.2-10 RDMAP-5.2.1-11 RDMAP-7.2-11 RDMAP-7.2-17",
       "answers a Read beyond the bounds of the buffer with zeros",
       read_source_flaw)
{
	return overlooked(OTHERWISE(read_source_flaw), MEMORY_BOUNDS, region);
}

MUTANT(read_wrap_unchecked, "RDMAP-7.2-12", "answers a Read whose source wraps",
       read_source_flaw)
{
	return overlooked(OTHERWISE(read_source_flaw), MEMORY_WRAP, region);
}

MUTANT(read_source_in_32_bits, "RDMAP-7.2-10 RDMAP-7.2-11 RDMAP-5.2.1-11",
       "compares only the lower half of a Read's source TO with the bounds of "
       "the buffer, and answers with zeros",
       read_source_flaw)
{
	enum memory_flaw flaw = OTHERWISE(read_source_flaw);
	const uint8_t *h = request->header;
	const struct region *found = region_of_stag(read_source_stag(h));
	uint32_t off = flaw == MEMORY_BOUNDS
			       ? (uint32_t)(read_source_to(h) - found->to)
			       : 0;

	if (flaw != MEMORY_BOUNDS || (uint64_t)off + read_size(h) > found->len)
		return flaw;
	*region = NULL;
	return MEMORY_FINE;
}

MUTANT(read_end_in_32_bits, "RDMAP-7.2-17 RDMAP-7.2-11",
       "calculates the end of a Read's source in 32 bits, and answers with "
       "zeros",
       read_source_flaw)
{
	enum memory_flaw flaw = OTHERWISE(read_source_flaw);
	const uint8_t *h = request->header;
	const struct region *found = region_of_stag(read_source_stag(h));
	uint64_t off =
		flaw == MEMORY_BOUNDS ? read_source_to(h) - found->to : 0;

	if (flaw != MEMORY_BOUNDS || off > found->len ||
	    (uint32_t)(off + read_size(h)) > found->len)
		return flaw;
	*region = NULL;
	return MEMORY_FINE;
}

MUTANT(read_bound_rounded_up, "RDMAP-7.2-11",
       "rounds the length of the buffer of a Read up to a multiple of 8, and "
       "answers with zeros",
       read_source_flaw)
{
	enum memory_flaw flaw = OTHERWISE(read_source_flaw);
	const uint8_t *h = request->header;
	const struct region *found = region_of_stag(read_source_stag(h));
	uint64_t off =
		flaw == MEMORY_BOUNDS ? read_source_to(h) - found->to : 0;

	if (flaw != MEMORY_BOUNDS || off > found->len ||
	    off + read_size(h) > (found->len + 7) / 8 * 8)
		return flaw;
	*region = NULL;
	return MEMORY_FINE;
}

MUTANT(read_exact_end_refused, "RDMAP-7.2-14",
       "refuses a Read that ends exactly at the end of its source",
       read_source_flaw)
{
	enum memory_flaw flaw = OTHERWISE(read_source_flaw);
	uint64_t end =
		read_source_to(request->header) + read_size(request->header);

	if (flaw == MEMORY_FINE && *region &&
	    end == (*region)->to + (*region)->len)
		return MEMORY_BOUNDS;
	return flaw;
}

/* The header of a Read in progress (RFC 5040 s4.8) */

MUTANT(terminated_read_not_advanced, "RDMAP-4.8-20 RDMAP-4.8-21",
       "returns the original header of a Read that was in progress",
       terminated_read_header)
{
	memcpy(header, request->header, READ_REQUEST_HEADER);
}

MUTANT(terminated_read_sink_in_32_bits, "RDMAP-4.8-20",
       "advances only the low 32 bits of the sink TO in the returned header of "
       "a Read in progress",
       terminated_read_header)
{
	OTHERWISE(terminated_read_header);
	memcpy(header + 4, request->header + 4, 4);
}

MUTANT(terminated_read_stags_exchanged, "RDMAP-4.8-22",
       "exchanges the STags in the returned header of a Read in progress",
       terminated_read_header)
{
	OTHERWISE(terminated_read_header);
	if (!request->sent)
		return;
	memcpy(header, request->header + 16, 4);
	memcpy(header + 16, request->header, 4);
}

MUTANT(foreign_source_is_no_stag, "RDMAP-4.8-31",
       "reports the source of a Read that belongs to another stream as an "
       "invalid STag",
       protection_code)
{
	return protection_code_otherwise(
		self, flaw == MEMORY_NOT_ASSOCIATED ? MEMORY_NO_STAG : flaw);
}

MUTANT(read_right_unchecked_behind_another, "RDMAP-7.2-13",
       "does not check the right to a buffer that is read while an earlier "
       "Read is being answered",
       read_source_flaw)
{
	enum memory_flaw flaw = OTHERWISE(read_source_flaw);

	if (flaw != MEMORY_ACCESS || !c->inbound)
		return flaw;
	*region = region_of_stag(read_source_stag(request->header));
	return MEMORY_FINE;
}

MUTANT(reads_by_stags_of_ended_streams, "RDMAP-8.1.1-02 RDMAP-7.2-09",
       "answers a Read by an STag that is bound to an ended stream",
       read_source_flaw)
{
	const uint8_t *header = request->header;

	return memory_check(
		&c->domain, stream_of_stag(c, read_source_stag(header)),
		read_source_stag(header),
		read_source_to(header) + request->sent,
		read_size(header) - request->sent, ACCESS_REMOTE_READ, region);
}

/* Memory that changes while a Request waits, or is answered */

MUTANT(waiting_read_not_checked_again, "RDMAP-7.2-07 RDMAP-8.1.1-10",
       "does not check the source of a Read again that was accepted while "
       "another was being answered",
       take_request)
{
	if (!request->atomic && region && c->answering)
		request->found = region_get((struct region *)region);
	OTHERWISE(take_request);
}

ALSO(waiting_read_not_checked_again, read_source_flaw)
{
	if (!request->found)
		return OTHERWISE(read_source_flaw);
	*region = request->found;
	return MEMORY_FINE;
}

MUTANT(waiting_atomic_not_checked_again, "RDMAPX-5.2.1-12 RDMAPX-5.2.1-15",
       "does not check the word of an atomic again that was accepted while a "
       "Read was being answered",
       take_request)
{
	if (request->atomic && region && c->answering)
		request->found = region_get((struct region *)region);
	OTHERWISE(take_request);
}

ALSO(waiting_atomic_not_checked_again, atomic_target_flaw)
{
	if (!request->found)
		return OTHERWISE(atomic_target_flaw);
	*region = request->found;
	return MEMORY_FINE;
}

MUTANT(right_checked_before_a_response_only, "RDMAP-8.1.1-10",
       "goes on with a Read Response though its ULP has revoked the right to "
       "read",
       read_source_flaw)
{
	enum memory_flaw flaw = OTHERWISE(read_source_flaw);

	if (flaw != MEMORY_ACCESS || !request->sent)
		return flaw;
	*region = region_of_stag(read_source_stag(request->header));
	return MEMORY_FINE;
}
