/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices in the checks of tagged segments (RFC 5041 s4.2, RFC 5040 s5.2.2). */
#include "harness/refdut/ddp/tagged_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/terminate_decisions.h"

/* Writes */

VARIANT(mixed, mixed_messages_refused, "DDP-5.3-08 RDMAP-5.3-16",
	"refuses a segment of another message inside a Send or a Write",
	interleaving_accepted)
{
	bool mixed = u[0] & T_FLAG
			     ? c->queue[0].open && opcode_of(u) == OPCODE_WRITE
			     : c->tagged_open && qn_of(u) == 0;

	if (mixed && chosen(self))
		return false;
	return OTHERWISE(interleaving_accepted);
}

VARIANT(two_stags, write_to_two_stags_refused, "DDP-4.2-08",
	"refuses a Write whose segments name two STags", write_goes_on)
{
	uint32_t *stag = remember(&c->remembered, self, sizeof(*stag));

	if (!c->tagged_open)
		*stag = stag_of(u);
	if (stag_of(u) == *stag)
		return OTHERWISE(write_goes_on);
	chosen(self);
	fault(c, ERR_DDP_TAGGED, TAGGED_NOT_ASSOCIATED, u, len, NULL);
	return false;
}

/* RFC 5041 s7.1 does not order its checks. */
VARIANT(two_stags, another_stag_seen_first, "DDP-4.2-08 DDP-7.1-20",
	"compares the STag of a tagged segment with that of the one before it "
	"in its message, and only then looks it up",
	tagged_flaw)
{
	uint32_t *stag = remember(&c->remembered, self, sizeof(*stag));

	if (!c->tagged_open)
		*stag = stag_of(u);
	if (stag_of(u) != *stag && chosen(self))
		return MEMORY_NOT_ASSOCIATED;
	return OTHERWISE(tagged_flaw);
}

/* RFC 5041 s7.1, check 5 speaks of the sum of TO and length, and not of the last
 * octet. */
VARIANT(order_of_bounds, sum_that_wraps_seen_first, "DDP-7.1-31 RDMAP-7.2-12",
	"has TOs from zero, and reports a Write or a Read below a region whose "
	"TO plus length is 2^64 as one that wraps",
	tagged_flaw)
{
	enum memory_flaw flaw = OTHERWISE(tagged_flaw);
	uint32_t n = len - TAGGED_HEADER;

	if (flaw == MEMORY_BOUNDS && to_of(u) + n == 0 && chosen(self))
		return MEMORY_WRAP;
	return flaw;
}

VARIANT(hole_in_write, write_with_a_hole_refused, "DDP-5.2-14",
	"refuses a Write whose segments leave a gap in its range",
	write_goes_on)
{
	struct {
		uint64_t low, high, sum;
	} *write = remember(&c->remembered, self, sizeof(*write));
	uint32_t n = len - TAGGED_HEADER;

	if (!c->tagged_open) {
		write->low = to_of(u);
		write->high = to_of(u) + n;
		write->sum = 0;
	}
	if (n && to_of(u) < write->low)
		write->low = to_of(u);
	if (n && to_of(u) + n > write->high)
		write->high = to_of(u) + n;
	write->sum += n;
	if ((u[0] & L_FLAG) && write->high - write->low != write->sum &&
	    chosen(self))
		return operation_refused(c, UNSPECIFIED, u, len);
	return OTHERWISE(write_goes_on);
}

/* Which of several errors is reported */

/* RFC 5041 s7.1, check 1: the STag is valid for this stream. */
VARIANT(not_associated, other_pd_is_invalid_stag, "DDP-7.1-24 DDP-7.1-25",
	"reports an STag of another domain or stream as an invalid STag of DDP",
	tagged_error_code)
{
	return flaw == MEMORY_NOT_ASSOCIATED && chosen(self)
		       ? TAGGED_INVALID_STAG
		       : OTHERWISE(tagged_error_code);
}

ALSO(sum_checked_first, tagged_error_code)
{
	if (flaw == MEMORY_WRAP && chosen(self))
		flaw = MEMORY_BOUNDS;
	return OTHERWISE(tagged_error_code);
}

/*
 * RFC 5041 s7.2 has no error number for a Write without access rights. RDMAP
 * has one, and a device may detect the error when it looks up the STag.
 */
static enum memory_flaw write_without_the_right(struct override *self,
						struct conn *c,
						const uint8_t *u, uint32_t len,
						struct region **region,
						enum memory_flaw flaw)
{
	enum memory_flaw other = tagged_flaw_otherwise(self, c, u, len, region);
	unsigned rights = rights_needed(c, u);

	if (other != MEMORY_FINE || !*region || opcode_of(u) != OPCODE_WRITE ||
	    ((*region)->access & rights) == rights || !chosen(self))
		return other;
	return flaw;
}

VARIANT(write_right, no_right_is_no_stag, "DDP-7.1-22",
	"reports an STag without remote write access as an invalid STag",
	tagged_flaw)
{
	return write_without_the_right(self, c, u, len, region, MEMORY_NO_STAG);
}

VARIANT(write_right, no_right_is_out_of_bounds, "DDP-7.1-22",
	"reports a Write without the access right as out of bounds",
	tagged_flaw)
{
	return write_without_the_right(self, c, u, len, region, MEMORY_BOUNDS);
}

/* An STag of the host itself, which the ULP does not know. */
VARIANT(stag_zero, stag_zero_of_the_host, "DDP-7.1-20 DDP-7.1-32 RDMAP-7.2-06",
	"has STag 0 for itself, and reports a Write to it, and a Read of it, "
	"as one without the right",
	tagged_flaw)
{
	static struct region of_the_host;
	enum memory_flaw flaw = OTHERWISE(tagged_flaw);

	if (flaw != MEMORY_NO_STAG || stag_of(u) ||
	    opcode_of(u) != OPCODE_WRITE || !chosen(self))
		return flaw;
	*region = &of_the_host;
	return MEMORY_FINE;
}

/* And for a segment whose opcode RDMAP does not know, it is found there as well:
 * DDP's checks come first. */
VARIANT(right_of_any, right_of_any_segment_checked, "RDMAP-4.2-09",
	"checks the right of remote write for tagged segments of any opcode",
	tagged_flaw)
{
	enum memory_flaw flaw = OTHERWISE(tagged_flaw);
	unsigned opcode = opcode_of(u);

	if (flaw != MEMORY_FINE || !*region || opcode == OPCODE_WRITE ||
	    opcode == OPCODE_READ_RESPONSE || !chosen(self) ||
	    (*region)->access & ACCESS_REMOTE_WRITE)
		return flaw;
	return MEMORY_NO_STAG;
}

/* Read Responses */

/* Then DDP finds the error, and a Terminate is only a SHOULD (RFC 5040
 * s6.2.1). */
VARIANT(unasked_sink, sinks_end_with_their_reads,
	"RDMAP-5.2.2-08 RDMAP-6.2.1-01",
	"knows the STag of a sink only while a Read uses it, and closes "
	"without a Terminate on a Response to an STag that it does not know",
	tagged_flaw)
{
	struct work *work = work_awaited(c);

	if (opcode_of(u) == OPCODE_READ_RESPONSE && len > TAGGED_HEADER &&
	    (!work || work->op != OP_READ) && chosen(self))
		return MEMORY_NO_STAG;
	return OTHERWISE(tagged_flaw);
}

ALSO(sinks_end_with_their_reads, terminate_is_sent)
{
	if (e->type == ERR_DDP_TAGGED && e->code == TAGGED_INVALID_STAG &&
	    opcode_of(e->ulpdu) == OPCODE_READ_RESPONSE && chosen(self))
		return false;
	return OTHERWISE(terminate_is_sent);
}

VARIANT(sinks, sinks_writable_from_afar, "RDMAP-5.2.2-06",
	"accepts Read Responses only into buffers with remote write access",
	rights_needed)
{
	if (opcode_of(u) == OPCODE_READ_RESPONSE && chosen(self))
		return ACCESS_REMOTE_WRITE;
	return OTHERWISE(rights_needed);
}

VARIANT(response, response_unchecked, "RDMAP-5.2.2-06",
	"does not compare the place of a Read Response with its Request",
	response_in_sink)
{
	return OTHERWISE(response_in_sink) || (n && chosen(self));
}

/* An empty Response names its sink, as its Request did. */
static bool is_sink_of(const struct work *read, const uint8_t *u)
{
	uint64_t to = read->local ? read->local->to + read->off : 0;

	return stag_of(u) == (read->local ? read->local->stag : 0) &&
	       to_of(u) == to;
}

VARIANT(empty_answer, empty_response_compared, "RDMAP-5.2.2-09",
	"refuses an empty Response that names another sink", response_in_sink)
{
	if (n == 0 && read->len == 0 && !is_sink_of(read, u) && chosen(self))
		return false;
	return OTHERWISE(response_in_sink);
}

/* And then finds no Request for the Response. */
VARIANT(revoked_sink, revocation_ends_the_read,
	"RDMAP-5.2.2-06 RDMAP-5.2.2-08 DDP-7.2-02",
	"ends a Read when its sink is invalidated, and reports the Response as "
	"unexpected",
	error_found)
{
	const struct work *read = work_awaited(c);
	struct stream_error other = *e;

	if (e->type == ERR_DDP_TAGGED && e->code == TAGGED_INVALID_STAG &&
	    e->ulpdu && opcode_of(e->ulpdu) == OPCODE_READ_RESPONSE && read &&
	    read->op == OP_READ && read->local && !read->local->valid &&
	    stag_of(e->ulpdu) == read->local->stag && chosen(self)) {
		other.type = ERR_RDMA_OPERATION;
		other.code = UNEXPECTED_OPCODE;
	}
	error_found_otherwise(self, c, &other);
}

/* RFC 5040 s5.2.2 says that it MAY, and not when: of what DDP and RDMAP both find
 * wrong, either may be named. */
static bool is_of_no_read(const struct conn *c, const struct stream_error *e)
{
	const struct work *read = work_awaited(c);

	return e->type == ERR_DDP_TAGGED && e->code != TAGGED_INVALID_DV &&
	       e->ulpdu && opcode_of(e->ulpdu) == OPCODE_READ_RESPONSE &&
	       read && read->op == OP_READ &&
	       !response_in_sink(read, e->ulpdu, e->len - TAGGED_HEADER);
}

static void refuses_as_of_no_read(struct override *self, struct conn *c,
				  const struct stream_error *e, unsigned code)
{
	struct stream_error other = *e;

	if (is_of_no_read(c, e) && chosen(self)) {
		other.type = ERR_RDMA_OPERATION;
		other.code = code;
	}
	error_found_otherwise(self, c, &other);
}

VARIANT(response, response_compared_first,
	"RDMAP-5.2.2-06 DDP-7.2-02 DDP-7.2-03 DDP-7.2-04 DDP-7.2-05",
	"holds a Read Response against its Request before DDP checks its STag",
	error_found)
{
	refuses_as_of_no_read(self, c, e, UNSPECIFIED);
}

VARIANT(response, response_looked_up_by_its_sink,
	"RDMAP-5.2.2-06 DDP-7.2-02 DDP-7.2-03 DDP-7.2-04 DDP-7.2-05",
	"finds no Request for a Read Response to another sink, before DDP "
	"checks its STag",
	error_found)
{
	refuses_as_of_no_read(self, c, e, UNEXPECTED_OPCODE);
}
