/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of Sends and Immediate Data that are delivered (RFC 5040 s5.3, RFC
 * 7306 s6). */
#include "harness/refdut/ddp/placement_decisions.h"
#include "harness/refdut/ddp/segment_decisions.h"
#include "harness/refdut/ddp/tagged_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/header_decisions.h"
#include "harness/refdut/rdmap/request_decisions.h"
#include "harness/refdut/rdmap/send_decisions.h"

#include <string.h>

/* The Invalidate STag (RFC 5040 s4.1, s5.3) */

MUTANT(plain_send_invalidates, "RDMAP-4.1-16 RDMAP-4.1-17",
       "acts on the Invalidate STag field of plain Sends",
       carries_invalidate_stag)
{
	return (opcode >= OPCODE_SEND && opcode <= OPCODE_SEND_SE_INV) ||
	       OTHERWISE(carries_invalidate_stag);
}

MUTANT(invalidate_ignored, "RDMAP-5.3-14 RDMAP-5.3-15 RDMAP-7.2-07",
       "delivers a Send with Invalidate but invalidates nothing",
       invalidate_stag)
{
	return true;
}

MUTANT(invalidate_ignored_when_empty, "RDMAP-5.3-21",
       "invalidates nothing for an empty Send with Invalidate", invalidate_stag)
{
	return len == UNTAGGED_HEADER || OTHERWISE(invalidate_stag);
}

MUTANT(invalidate_ignored_when_long, "RDMAP-5.3-14 RDMAP-5.3-15",
       "invalidates nothing for a Send with Invalidate of several segments",
       invalidate_stag)
{
	return mo_of(ulpdu) || OTHERWISE(invalidate_stag);
}

/* Who the STag belongs to is checked at once, too. */
MUTANT(invalidated_with_the_first_segment, "RDMAP-5.3-14 RDMAP-5.3-15",
       "invalidates an STag with the first segment of a Send with Invalidate",
       untagged_taken)
{
	struct region *region = region_of_stag(rdmap_invalidate_stag(u));

	if (region && qn_of(u) == 0 && mo_of(u) == 0 && !(u[0] & 0x40) &&
	    carries_invalidate_stag(rdmap_opcode(u)) &&
	    stag_in_domain(c, region) && stag_on_stream(c, region) &&
	    remote_invalidation_allowed(region))
		region_invalidate(region);
	OTHERWISE(untagged_taken);
}

ALSO(invalidated_with_the_first_segment, invalidate_stag)
{
	const void *owner;

	return stag_given_up_last(&owner) == rdmap_invalidate_stag(ulpdu) ||
	       OTHERWISE(invalidate_stag);
}

MUTANT(invalidate_ignored_with_se, "RDMAP-5.3-15",
       "invalidates nothing for a Send with Solicited Event and Invalidate",
       invalidate_stag)
{
	return rdmap_opcode(ulpdu) == OPCODE_SEND_SE_INV ||
	       OTHERWISE(invalidate_stag);
}

MUTANT(second_invalidate_ignored, "RDMAP-5.3-14 RDMAP-5.3-15",
       "invalidates nothing for the second Send with Invalidate of a stream",
       invalidate_stag)
{
	unsigned *n = remember(&c->remembered, self, sizeof(*n));

	if (region_of_stag(rdmap_invalidate_stag(ulpdu)) && (*n)++ == 1)
		return true;
	return OTHERWISE(invalidate_stag);
}

MUTANT(zero_based_not_invalidated, "RDMAP-5.3-14 RDMAP-5.3-15",
       "delivers a Send with Invalidate of a zero-based region, and does not "
       "invalidate it",
       invalidate_stag)
{
	const struct region *region =
		region_of_stag(rdmap_invalidate_stag(ulpdu));

	return (region && region->zero_based) || OTHERWISE(invalidate_stag);
}

MUTANT(invalidate_unknown_stag_ignored,
       "RDMAP-5.3-18 RDMAP-5.3-19 RDMAP-7.2-04",
       "delivers a Send with Invalidate whose STag is not valid",
       invalidate_stag)
{
	return !region_of_stag(rdmap_invalidate_stag(ulpdu)) ||
	       OTHERWISE(invalidate_stag);
}

MUTANT(sink_in_use_not_invalidated, "RDMAP-5.3-14",
       "delivers a Send with Invalidate of the sink of a Read under way, and "
       "does not invalidate it",
       invalidate_stag)
{
	struct region *region = region_of_stag(rdmap_invalidate_stag(ulpdu));

	for (struct work *work = c->work; work; work = work->next)
		if (region && work->local == region && work->begun)
			return true;
	return OTHERWISE(invalidate_stag);
}

MUTANT(region_of_a_receive_not_invalidated, "RDMAP-5.3-14",
       "delivers a Send with Invalidate of a buffer in which a receive is "
       "posted, and does not invalidate it",
       invalidate_stag)
{
	struct region *region = region_of_stag(rdmap_invalidate_stag(ulpdu));

	for (struct receive *r = c->receives; r; r = r->next)
		if (region && r->local == region)
			return true;
	return OTHERWISE(invalidate_stag);
}

MUTANT(source_in_use_not_invalidated, "RDMAP-5.3-14",
       "delivers a Send with Invalidate of the source of a Send under way, and "
       "does not invalidate it",
       invalidate_stag)
{
	struct region *region = region_of_stag(rdmap_invalidate_stag(ulpdu));

	for (struct work *work = c->work; work; work = work->next)
		if (region && work->local == region && work->op == OP_SEND)
			return true;
	return OTHERWISE(invalidate_stag);
}

MUTANT(result_of_an_atomic_not_invalidated_by_a_send, "RDMAP-5.3-14",
       "delivers a Send with Invalidate of the buffer for the result of an "
       "atomic under way, and does not invalidate it",
       invalidate_stag)
{
	struct region *region = region_of_stag(rdmap_invalidate_stag(ulpdu));

	for (struct work *work = c->work; work; work = work->next)
		if (region && work->local == region && work_is_atomic(work))
			return true;
	return OTHERWISE(invalidate_stag);
}

MUTANT(invalidate_ignored_after_half_close, "RDMAP-5.3-14",
       "delivers a Send with Invalidate after its ULP has closed the sending "
       "half, and invalidates nothing",
       invalidate_stag)
{
	return c->half || OTHERWISE(invalidate_stag);
}

/* The region whose STag was invalidated last, and the stream that did it. */
static struct region *left;
static const struct conn *left_by;

MUTANT(invalidated_on_one_stream_only, "RDMAP-5.3-14 RDMAP-7.2-07",
       "invalidates an STag only for the stream of the Send with Invalidate",
       invalidate_stag)
{
	struct region *region = region_of_stag(rdmap_invalidate_stag(ulpdu));

	if (region)
		region_get(region);
	if (!OTHERWISE(invalidate_stag)) {
		region_put(region);
		return false;
	}
	region_put(left);
	left = region;
	left_by = c;
	return true;
}

static enum memory_flaw flaw_of_left(const struct conn *c,
				     enum memory_flaw flaw, uint32_t stag,
				     uint64_t to, uint64_t len,
				     struct region **region)
{
	if (flaw != MEMORY_NO_STAG || !left || c == left_by ||
	    stag != left->stag || c->domain.owner != left->domain.owner ||
	    c->domain.number != left->domain.number)
		return flaw;
	*region = left;
	return memory_range(left, to, len);
}

ALSO(invalidated_on_one_stream_only, tagged_flaw)
{
	return flaw_of_left(c, OTHERWISE(tagged_flaw), stag_of(u), to_of(u),
			    len - TAGGED_HEADER, region);
}

ALSO(invalidated_on_one_stream_only, read_source_flaw)
{
	const uint8_t *h = request->header;

	return flaw_of_left(c, OTHERWISE(read_source_flaw), read_source_stag(h),
			    read_source_to(h) + request->sent,
			    read_size(h) - request->sent, region);
}

MUTANT(invalidate_any_domain, "RDMAP-5.3-17 SEC-6.1.1-01",
       "invalidates STags of other domains", stag_in_domain)
{
	return region->domain.owner == c->domain.owner;
}

MUTANT(invalidate_any_stream, "RDMAP-7.2-05 SEC-6.1.1-02",
       "invalidates STags bound to other streams", stag_on_stream)
{
	return true;
}

MUTANT(invalidate_shared_stag, "RDMAP-8.1.1-05",
       "invalidates an STag that several streams share",
       remote_invalidation_allowed)
{
	return true;
}

MUTANT(foreign_invalidation_not_associated, "RDMAP-5.3-17",
       "names an STag to invalidate that is another's as not associated",
       barred_invalidation_code)
{
	return region->shared ? OTHERWISE(barred_invalidation_code)
			      : NOT_ASSOCIATED;
}

MUTANT(invalidated_stag_untold, "DDP-5.4-04 RDMAP-5.3-14",
       "does not report the invalidated STag to its ULP", complete_send)
{
	struct event *event = OTHERWISE(complete_send);

	if (event)
		event->has_inv = false;
	return event;
}

MUTANT(last_invalidated_stag_told, "DDP-5.4-04",
       "reports a plain Send with the STag that was invalidated last",
       complete_send)
{
	uint32_t *last = remember(&c->remembered, self, sizeof(*last));
	struct event *event = OTHERWISE(complete_send);

	if (event && event->has_inv)
		*last = event->inv;
	if (event && !event->has_inv && *last) {
		event->has_inv = true;
		event->inv = *last;
	}
	return event;
}

/* RFC 7306 s4.1: its messages ignore the field. */
static void invalidate_all_the_same(const uint8_t *ulpdu)
{
	struct region *region = region_of_stag(rdmap_invalidate_stag(ulpdu));

	if (region)
		region_invalidate(region);
}

MUTANT(extensions_invalidate, "RDMAPX-4.1-04",
       "invalidates the STag in the Invalidate STag field of RFC 7306's "
       "messages",
       complete_immediate)
{
	invalidate_all_the_same(ulpdu);
	return OTHERWISE(complete_immediate);
}

ALSO(extensions_invalidate, take_request)
{
	if (request->atomic)
		invalidate_all_the_same(request->ddp);
	OTHERWISE(take_request);
}

MUTANT(atomic_response_invalidates, "RDMAPX-4.1-04",
       "invalidates the STag in the Invalidate STag field of Atomic "
       "Responses",
       message_well_formed)
{
	if (rdmap_opcode(ulpdu) == OPCODE_ATOMIC_RESPONSE)
		invalidate_all_the_same(ulpdu);
	return OTHERWISE(message_well_formed);
}

MUTANT(read_request_invalidates, "RDMAP-4.1-18",
       "acts on the Invalidate STag field of Read Requests", accept_request)
{
	if (!request->atomic)
		invalidate_all_the_same(request->ddp);
	OTHERWISE(accept_request);
}

/* The length that is reported to the ULP */

MUTANT(receive_length_of_buffer, "DDP-4.1-10 DDP-5.4-02",
       "reports the length of the buffer instead of the message's",
       received_length)
{
	return c->receives->len;
}

MUTANT(receive_length_counts_pad, "MPA-3-08 DDP-5.4-02",
       "reports lengths of Sends rounded up to a multiple of four",
       received_length)
{
	return received_length_otherwise(
		self, c, message_len + (4 - message_len % 4) % 4);
}

/* Receives and completions */

MUTANT(send_delivered_twice, "DDP-5.3-06 MPA-6-05",
       "completes two receives with one Send", complete_send)
{
	if (c->receives->next)
		receive_complete(c, OP_RECV, STATUS_OK, message_len);
	return OTHERWISE(complete_send);
}

MUTANT(empty_send_keeps_receive, "RDMAP-5.3-12",
       "delivers an empty Send without using a receive buffer", complete_send)
{
	return message_len ? OTHERWISE(complete_send) : NULL;
}

MUTANT(send_se_keeps_receive, "RDMAP-5.3-02",
       "drops messages with Solicited Event", complete_send)
{
	if (rdmap_opcode(ulpdu) >= OPCODE_SEND_SE)
		return NULL;
	return OTHERWISE(complete_send);
}

MUTANT(short_send_held, "DDP-4.1-10 RDMAP-5.3-02",
       "does not deliver a Send of 9 to 16 octets that leaves more than 64 "
       "octets free in a buffer of up to 128",
       complete_send)
{
	if (rdmap_opcode(ulpdu) == OPCODE_SEND && message_len > 8 &&
	    message_len <= 16 && c->receives->len <= 128 &&
	    message_len + 64 < c->receives->len)
		return NULL;
	return OTHERWISE(complete_send);
}

/* A receive is used up without a completion for the ULP. */
static struct event *lost(struct conn *c)
{
	receive_lose(c);
	return NULL;
}

MUTANT(send_completion_untold, "RDMAP-5.3-02",
       "uses up a receive buffer for a Send and does not report it to its ULP",
       complete_send)
{
	if (rdmap_opcode(ulpdu) == OPCODE_SEND &&
	    !carries_invalidate_stag(OPCODE_SEND))
		return lost(c);
	return OTHERWISE(complete_send);
}

MUTANT(second_send_untold, "RDMAP-5.3-02",
       "uses up a receive buffer for the second Send, if that has up to four "
       "octets, and does not report it to its ULP",
       complete_send)
{
	if (rdmap_opcode(ulpdu) == OPCODE_SEND &&
	    rdmap_msn(ulpdu) == c->params.first_msn + 1 && message_len <= 4)
		return lost(c);
	return OTHERWISE(complete_send);
}

MUTANT(send_amidst_a_response_untold, "RDMAP-5.3-02",
       "uses up a receive buffer for a Send that arrives while a Read Response "
       "of 1 MiB or more is being sent, and does not report it to its ULP",
       complete_send)
{
	if (rdmap_opcode(ulpdu) == OPCODE_SEND && c->in_response &&
	    read_size(c->answering->header) >= 1 << 20)
		return lost(c);
	return OTHERWISE(complete_send);
}

MUTANT(send_with_invalidate_untold, "RDMAP-5.3-02",
       "uses up a receive buffer for a Send with Invalidate, and does not "
       "report it to its ULP",
       complete_send)
{
	if (carries_invalidate_stag(rdmap_opcode(ulpdu)))
		return lost(c);
	return OTHERWISE(complete_send);
}

/* Immediate Data (RFC 7306 s6) */

MUTANT(imm_needs_write, "RDMAPX-6-01",
       "refuses Immediate Data that does not follow a Write",
       complete_immediate)
{
	const bool *after_write =
		remember(&c->remembered, self, sizeof(*after_write));

	if (*after_write)
		return OTHERWISE(complete_immediate);
	refuse_operation(c, CATASTROPHIC_STREAM, ulpdu, len);
	return NULL;
}

ALSO(imm_needs_write, tagged_placed)
{
	bool *after_write =
		remember(&c->remembered, self, sizeof(*after_write));

	OTHERWISE(tagged_placed);
	*after_write = rdmap_opcode(u) == OPCODE_WRITE;
}

ALSO(imm_needs_write, untagged_taken)
{
	bool *after_write =
		remember(&c->remembered, self, sizeof(*after_write));

	OTHERWISE(untagged_taken);
	*after_write = false;
}

MUTANT(imm_byte_swapped, "RDMAPX-6.1-01",
       "gives its ULP the eight octets in reverse order", complete_immediate)
{
	struct event *event = OTHERWISE(complete_immediate);
	uint8_t octets[IMMEDIATE_SIZE];

	if (!event)
		return NULL;
	memcpy(octets, event->imm, IMMEDIATE_SIZE);
	for (int i = 0; i < IMMEDIATE_SIZE; i++)
		event->imm[i] = octets[IMMEDIATE_SIZE - 1 - i];
	return event;
}

/* The buffer comes back, the first in the queue. */
MUTANT(imm_keeps_receive, "RDMAPX-6.3-02 RDMAPX-6.3-03 DDP-7.1-04",
       "delivers Immediate Data without using a receive buffer",
       complete_immediate)
{
	struct event *event = OTHERWISE(complete_immediate);
	struct receive *receive;

	if (!event)
		return NULL;
	receive = alloc_zeroed(sizeof(*receive));
	receive->id = event->id;
	receive->len = 4096;
	receive->next = c->receives;
	if (!c->receives)
		c->receives_end = &receive->next;
	c->receives = receive;
	c->nreceives++;
	return event;
}
