/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DDP segments in: the checks of RFC 5041 s7.1, placement, delivery.
 *
 * Where the texts leave a choice:
 * - TCP keeps the order, so the only MSN in range is the one expected;
 * - the order of checks is DV, queue, MSN, buffer, MO, length for untagged
 *   and DV, STag, association, wrap, bounds for tagged segments, then
 *   RDMAP's version and opcode, then access rights; a payload is placed only
 *   when all passed, so a refused segment leaves no trace;
 * - empty tagged segments are not checked against memory, last or not;
 * - a Write to an STag without the right is RDMAP's "access rights" error,
 *   DDP having no number for it;
 * - a segment too short for its header has no number at all: "local
 *   catastrophic" of DDP, without headers;
 * - a Send that no buffer was posted for is an error at once;
 * - Immediate Data needs a posted buffer of at least its eight octets, and
 *   uses it up, but its octets go to the completion;
 * - a Read Response has to stay within the sink of the Read it answers.
 */
#include "harness/refdut/conn.h"
#include "harness/refdut/control.h"
#include "harness/refdut/features.h"
#include "harness/refdut/mutants.h"
#include "harness/refdut/variants.h"

#include <stdlib.h>
#include <string.h>

enum { L_FLAG = 0x40, T_FLAG = 0x80, PAGE = 4096, BURST = 256 };

static void tagged_fault(struct conn *c, enum memory_flaw flaw,
			 const uint8_t *u, uint32_t len)
{
	unsigned code = 0;

	switch (flaw) {
	case MEMORY_NOT_ASSOCIATED:
		code = 2;
		break;
	case MEMORY_WRAP:
		code = variant(VARIANT_sum_checked_first) ? 1 : 3;
		break;
	case MEMORY_BOUNDS:
		code = 1;
		break;
	default:
		break;
	}
	fault(c, ERR_DDP_TAGGED, code, u, len, NULL);
}

/* Some mutants let a bad placement pass. They never write where it says:
 * the fault shows in what is not refused. */
static bool flaw_overlooked(const struct conn *c, enum memory_flaw flaw,
			    uint32_t stag, uint64_t to, uint32_t n)
{
	struct region *region = region_of_stag(stag);

	(void)c;
	if (flaw == MEMORY_NO_STAG)
		return mutant(MUTANT_unknown_stag_dropped_silently);
	if (flaw == MEMORY_WRAP)
		return mutant(MUTANT_to_wrap_unchecked);
	if (flaw != MEMORY_BOUNDS || !region)
		return false;
	if (mutant(MUTANT_write_at_the_end_taken) &&
	    to - region->to == region->len)
		return true;
	if (mutant(MUTANT_rx_to_upper_half_ignored) &&
	    (uint32_t)(to - region->to) < region->len &&
	    n <= region->len - (uint32_t)(to - region->to))
		return true;
	if (to < region->to)
		return mutant(MUTANT_lower_bound_unchecked);
	if (mutant(MUTANT_upper_bound_checks_start_only))
		return to - region->to < region->len;
	if (mutant(MUTANT_upper_bound_one_too_far))
		return to - region->to + n <= region->len + 1;
	return false;
}

static void place_what_fits(struct region *region, uint64_t to,
			    const uint8_t *octets, uint32_t n)
{
	uint64_t room;

	if (!region || to < region->to || to - region->to >= region->len)
		return;
	room = region->len - (to - region->to);
	memcpy(region_at(region, to), octets, n < room ? n : (size_t)room);
}

/* The Response of no octets says where, as its Request did. */
static bool is_sink_of(const struct work *work, const uint8_t *u)
{
	uint64_t to = work->local ? work->local->to + work->off : 0;

	return be32(u + 2) == (work->local ? work->local->stag : 0) &&
	       be64(u + 6) == to;
}

/* A Read Response's segment, before it is placed. */
static bool response_expected(struct conn *c, const uint8_t *u, uint32_t len,
			      struct work **read)
{
	struct work *work = work_awaited(c);
	uint32_t n = len - TAGGED_HEADER;
	uint64_t sink;

	*read = NULL;
	if (!work || work->op != OP_READ) {
		if (mutant(MUTANT_unasked_response_dropped))
			return true;
		fault(c, ERR_RDMA_OPERATION, 6, u, len, NULL);
		return false;
	}
	*read = work;
	if (n == 0 && work->len == 0 && !is_sink_of(work, u) &&
	    variant(VARIANT_empty_response_compared)) {
		fault(c, ERR_RDMA_OPERATION, 0xff, u, len, NULL);
		return false;
	}
	if (n == 0 || mutant(MUTANT_response_range_unchecked))
		return true;
	sink = work->local ? work->local->to + work->off : 0;
	if (work->local && be32(u + 2) == work->local->stag &&
	    be64(u + 6) - sink <= work->len &&
	    n <= work->len - (be64(u + 6) - sink))
		return true;
	if (variant(VARIANT_response_unchecked))
		return true;
	fault(c, ERR_RDMA_OPERATION, 0xff, u, len, NULL);
	return false;
}

static bool access_allowed(struct conn *c, const uint8_t *u, uint32_t len,
			   const struct region *region)
{
	bool response = (u[1] & 0x0f) == OPCODE_READ_RESPONSE;

	unsigned need = response && !variant(VARIANT_sinks_writable_from_afar)
				? ACCESS_LOCAL_WRITE
				: ACCESS_REMOTE_WRITE;

	if ((region->access & need) || mutant(MUTANT_write_access_unchecked))
		return true;
	fault(c, ERR_RDMA_PROTECTION, 2, u, len, NULL);
	return false;
}

static bool tagged_checked(struct conn *c, const uint8_t *u, uint32_t len,
			   struct region **region, bool *overlooked)
{
	uint32_t n = len - TAGGED_HEADER;
	uint32_t stag = be32(u + 2);
	uint64_t to = be64(u + 6);
	enum memory_flaw flaw;

	*region = NULL;
	*overlooked = false;
	if (n == 0 && !mutant(MUTANT_empty_tagged_checked))
		return true;
	if (n == 0 && stag == 0 && !mutant(MUTANT_empty_tagged_checked))
		return true;
	if (c->after_empty && mutant(MUTANT_unchecked_behind_empty_segment)) {
		*overlooked = true;
		return true;
	}
	flaw = memory_check(&c->domain, c, stag, to, n, 0, region);
	if (flaw == MEMORY_FINE && mutant(MUTANT_exact_end_refused) &&
	    to - (*region)->to + n == (*region)->len)
		flaw = MEMORY_BOUNDS;
	if (flaw == MEMORY_FINE)
		return true;
	if (mutant(MUTANT_response_range_unchecked) &&
	    (u[1] & 0x0f) == OPCODE_READ_RESPONSE) {
		*overlooked = true;
		return true;
	}
	if (flaw_overlooked(c, flaw, stag, to, n)) {
		*overlooked = true;
		*region = region_of_stag(stag);
		return true;
	}
	tagged_fault(c, flaw, u, len);
	return false;
}

/* Rounds a Write where a mutant does: its TO down, or its length up. */
static void place_rounded(struct region *region, const uint8_t *u, uint32_t n)
{
	uint64_t to = be64(u + 6);
	uint64_t end = to + n - region->to;

	if (mutant(MUTANT_write_to_rounded_down) && (to & ~3ull) >= region->to)
		to &= ~3ull;
	memmove(region_at(region, to), u + TAGGED_HEADER, n);
	while (mutant(MUTANT_writes_rounded_up) && end % 4 && end < region->len)
		region->octets[end++] = 0;
}

/* What a mutant places a second time. */
static void keep_write(struct conn *c, const uint8_t *u, uint32_t len)
{
	c->again = alloc_zeroed(len);
	c->again_len = len;
	memcpy(c->again, u, len);
}

static void place_again(struct conn *c)
{
	const uint8_t *u = c->again;
	uint32_t n = c->again_len - TAGGED_HEADER;
	struct region *region;

	if (!c->rx_over && memory_check(&c->domain, c, be32(u + 2), be64(u + 6),
					n, 0, &region) == MEMORY_FINE)
		memcpy(region_at(region, be64(u + 6)), u + TAGGED_HEADER, n);
}

/* Writes that have come and are not placed yet, the first one first. */
static struct waiting {
	struct waiting *next;
	struct region *region;
	uint64_t to;
	uint32_t n;
	uint8_t octets[];
} * waiting, **waiting_end = &waiting;

static void write_wait(struct region *region, const uint8_t *u, uint32_t n)
{
	struct waiting *w = alloc_zeroed(sizeof(*w) + n);

	w->region = region_get(region);
	w->to = be64(u + 6);
	w->n = n;
	memcpy(w->octets, u + TAGGED_HEADER, n);
	if (variants_taken[VARIANT_writes_placed_from_the_last]) {
		w->next = waiting;
		waiting = w;
		return;
	}
	*waiting_end = w;
	waiting_end = &w->next;
}

void writes_place(void)
{
	while (waiting) {
		struct waiting *w = waiting;

		waiting = w->next;
		memcpy(region_at(w->region, w->to), w->octets, w->n);
		region_put(w->region);
		free(w);
	}
	waiting_end = &waiting;
}

/* What a variant asks of the segments of a Write together. */
static bool write_is_whole(struct conn *c, const uint8_t *u, uint32_t len)
{
	uint32_t n = len - TAGGED_HEADER;
	uint64_t to = be64(u + 6);

	if (!c->tagged_open) {
		c->write.stag = be32(u + 2);
		c->write.low = to;
		c->write.high = to + n;
		c->write.sum = 0;
	}
	if (n && to < c->write.low)
		c->write.low = to;
	if (n && to + n > c->write.high)
		c->write.high = to + n;
	c->write.sum += n;
	if (be32(u + 2) != c->write.stag &&
	    variant(VARIANT_write_to_two_stags_refused)) {
		fault(c, ERR_DDP_TAGGED, 2, u, len, NULL);
		return false;
	}
	if ((u[0] & L_FLAG) && c->write.high - c->write.low != c->write.sum &&
	    variant(VARIANT_write_with_a_hole_refused)) {
		fault(c, ERR_RDMA_OPERATION, 0xff, u, len, NULL);
		return false;
	}
	return true;
}

/* A short segment in the midst of a message, this far from its first octet. */
static bool is_far_behind(uint64_t offset, uint32_t n)
{
	return n <= 8 && offset >= 160 && offset < 1024;
}

/* What a mutant loses of a segment that was placed. */
static void spoil_write(const struct conn *c, struct region *region,
			uint64_t to, uint32_t n)
{
	uint8_t *at = region_at(region, to);
	uint32_t page = PAGE - (uint32_t)((uintptr_t)at % PAGE);
	uint32_t burst = BURST - (uint32_t)((uintptr_t)at % BURST);

	if (page < n && region->len <= 3 * PAGE &&
	    mutant(MUTANT_write_behind_a_page_lost))
		memset(at + page, 0, n - page);
	if (is_far_behind(to - c->write.low, n) &&
	    mutant(MUTANT_short_segment_far_behind_lost))
		memset(at, 0, n);
	if (c->tagged_open && to == c->before.write_end && to % 8 == 7 &&
	    n % 4 == 2 && mutant(COINCIDENCE_write_segments_meet_in_word))
		*at = 0;
	if (c->before.answered_len % 2 && burst < n && to % 4 == 3 &&
	    n % 4 == 1 && mutant(COINCIDENCE_write_across_burst_loses_octet))
		at[burst] = 0;
}

static void tagged(struct conn *c, const uint8_t *u, uint32_t len)
{
	uint32_t n = len - TAGGED_HEADER;
	bool last = u[0] & L_FLAG;
	unsigned opcode = u[1] & 0x0f;
	struct work *read = NULL;
	struct region *region;
	bool overlooked;

	if (!tagged_checked(c, u, len, &region, &overlooked) ||
	    !rdmap_admit(c, u, len))
		return;
	if (c->queue[0].open && opcode == OPCODE_WRITE &&
	    variant(VARIANT_mixed_messages_refused)) {
		fault(c, ERR_RDMA_OPERATION, 0xff, u, len, NULL);
		return;
	}
	if (region && !overlooked && !access_allowed(c, u, len, region))
		return;
	if (opcode == OPCODE_WRITE && !write_is_whole(c, u, len))
		return;
	if (opcode == OPCODE_READ_RESPONSE &&
	    !response_expected(c, u, len, &read))
		return;
	if (overlooked)
		place_what_fits(region, be64(u + 6), u + TAGGED_HEADER, n);
	else if (n && (mutant(MUTANT_write_to_rounded_down) ||
		       mutant(MUTANT_writes_rounded_up)))
		place_rounded(region, u, n);
	else if (n && opcode == OPCODE_WRITE &&
		 (variant(VARIANT_writes_wait) ||
		  variant(VARIANT_writes_placed_from_the_last)))
		write_wait(region, u, n);
	else if (n && !(mutant(MUTANT_writes_placed_rising_only) &&
			c->tagged_open && be64(u + 6) < c->last_to))
		memcpy(region_at(region, be64(u + 6)), u + TAGGED_HEADER, n);
	if (n && region && !overlooked && opcode == OPCODE_WRITE &&
	    mutant(MUTANT_rx_top_bits_of_a_write_lost))
		for (uint32_t i = 0; i < n; i++)
			*region_at(region, be64(u + 6) + i) &= 0x7f;
	if (n && region && !overlooked && opcode == OPCODE_READ_RESPONSE &&
	    mutant(MUTANT_rx_top_bits_of_a_response_lost))
		for (uint32_t i = 0; i < n; i++)
			*region_at(region, be64(u + 6) + i) &= 0x7f;
	if (n && region && !overlooked && opcode == OPCODE_WRITE)
		spoil_write(c, region, be64(u + 6), n);
	c->last_to = be64(u + 6);
	c->before.write_end = c->last_to + n;
	c->after_empty = n == 0 && !last;
	c->tagged_open = !last;
	if (n && opcode == OPCODE_WRITE && !c->again &&
	    mutant(MUTANT_first_write_placed_again))
		keep_write(c, u, len);
	if (mutant(MUTANT_write_uses_receive) && last && c->receives &&
	    opcode == OPCODE_WRITE)
		receive_complete(c, OP_RECV, STATUS_OK, 0);
	if (!read)
		return;
	if (n == 0 && mutant(MUTANT_empty_response_dropped))
		return;
	read->placed += n;
	if (last || mutant(MUTANT_read_completes_on_first_segment))
		rdmap_deliver_read_response(c, u, len);
}

static unsigned atomics_outstanding(const struct conn *c)
{
	unsigned n = 0;

	for (const struct work *work = c->work; work && work != c->unsent;
	     work = work->next)
		n += work_needs_answer(work) && work->op != OP_READ &&
		     work->begun && !work->answered;
	return n;
}

/* Is there a buffer for a message that begins on this queue? */
static bool buffer_posted(const struct conn *c, uint32_t qn, bool first)
{
	switch (qn) {
	case 0:
		return c->receives;
	case 1:
		if (mutant(MUTANT_request_room_shared) &&
		    requests_inbound >= c->agreed.ird)
			return false;
		/* A Read may be the RTR even where IRD is 0. */
		return c->inbound + mutant(MUTANT_ird_one_short) <
			       c->agreed.ird ||
		       (first && c->agreed.peer_to_peer);
	case 2:
		return !mutant(MUTANT_terminate_shares_request_buffers) ||
		       c->inbound < c->agreed.ird;
	default:
		return atomics_outstanding(c) ||
		       mutant(MUTANT_unasked_atomic_response_dropped);
	}
}

/* In the legal range, so that it may wait for those before it. */
static bool msn_is_ahead(const struct conn *c, uint32_t qn, uint32_t msn)
{
	uint32_t buffers = qn == 0   ? c->nreceives
			   : qn == 1 ? c->agreed.ird
			   : qn == 2 ? 2
				     : 0;

	return msn - c->queue[qn].msn < buffers;
}

static bool msn_fits(const struct conn *c, uint32_t qn, uint32_t msn)
{
	uint32_t want = c->queue[qn].msn;

	if (mutant(MUTANT_rx_msn_unchecked))
		return true;
	if (mutant(MUTANT_skipped_msn_delivered) && msn_is_ahead(c, qn, msn))
		return true;
	if (mutant(MUTANT_rx_repeated_msn_taken) && msn == want - 1 &&
	    msn != c->params.first_msn - 1)
		return true;
	if (mutant(MUTANT_rx_msn_wrap_skips_zero) && want == 0)
		want = 1;
	return msn == want;
}

static unsigned mo_flaw(uint64_t mo, uint64_t n, uint64_t size)
{
	if (mutant(MUTANT_mo_added_in_32_bits))
		return (uint32_t)(mo + n) > size ? 5 : 0;
	if (mutant(MUTANT_message_limit_one_too_far) && mo + n == size + 1)
		return 0;
	if (mo > size || (mo == size && n))
		return mutant(MUTANT_mo_beyond_buffer_ignored)   ? 0
		       : n && variant(VARIANT_sum_checked_first) ? 5
								 : 4;
	return mo + n > size ? 5 : 0;
}

static bool is_immediate(const uint8_t *u)
{
	unsigned opcode = u[1] & 0x0f;

	return opcode == OPCODE_IMMEDIATE || opcode == OPCODE_IMMEDIATE_SE;
}

/* Of the checks on queue, buffer and MSN (items 1, 2, 5), which fail together
 * where there is no queue or no buffer, the one that is named. */
static unsigned first_named(unsigned item)
{
	if (variant(VARIANT_buffer_checked_first))
		return 2;
	return variant(VARIANT_range_of_msns_checked_first) ? 3 : item;
}

static bool msn_has_buffer(const struct conn *c, uint32_t qn, uint32_t msn)
{
	return qn == 0 && msn - c->queue[0].msn < c->nreceives;
}

static bool untagged_checked(struct conn *c, const uint8_t *u, uint32_t len,
			     bool first)
{
	uint32_t qn = be32(u + 6);
	uint32_t msn = be32(u + 10);
	uint32_t n = len - UNTAGGED_HEADER;
	uint64_t size = OWN_BUFFER;
	unsigned code;

	if (qn >= QUEUES || (qn == 3 && !feature_atomics())) {
		if (mutant(MUTANT_unknown_queue_dropped))
			return false;
		if (n == 0 && variant(VARIANT_empty_send_to_no_queue_ignored))
			return false;
		fault(c, ERR_DDP_UNTAGGED, first_named(1), u, len, NULL);
		return false;
	}
	if (!msn_fits(c, qn, msn)) {
		if (msn_is_ahead(c, qn, msn) &&
		    variant(VARIANT_skipped_msn_waits))
			return false;
		code = msn_has_buffer(c, qn, msn) ? 3 : first_named(3);
		fault(c, ERR_DDP_UNTAGGED, code, u, len, NULL);
		return false;
	}
	if (!c->queue[qn].open && !buffer_posted(c, qn, first)) {
		if (qn == 0 && mutant(MUTANT_send_without_buffer_dropped)) {
			c->queue[0].msn++;
			return false;
		}
		fault(c, ERR_DDP_UNTAGGED, first_named(2), u, len, NULL);
		return false;
	}
	if (qn == 0)
		size = c->receives ? c->receives->len : 0;
	if (qn == 0 && is_immediate(u) &&
	    variant(VARIANT_immediate_data_beside_the_buffer))
		size = size > IMMEDIATE_SIZE ? size : IMMEDIATE_SIZE;
	if (qn == 1 && variant(VARIANT_tail_of_a_request_ignored))
		size = UINT32_MAX;
	code = mo_flaw(be32(u + 14), n, size);
	if (mutant(MUTANT_message_exact_fit_refused) && qn == 0 && n &&
	    be32(u + 14) + n == size)
		code = 5;
	if (code == 4 && be32(u + 14) == c->queue[qn].placed &&
	    mutant(MUTANT_full_buffer_told_as_none))
		code = 2;
	if (!code)
		return true;
	if (code == 5 && qn == 0 && mutant(MUTANT_send_cut_to_buffer))
		return true;
	if (code == 5 && qn == 0 && mutant(MUTANT_overrun_placed_first) &&
	    c->receives->local)
		place_what_fits(c->receives->local,
				c->receives->local->to + c->receives->off +
					be32(u + 14),
				u + UNTAGGED_HEADER, n);
	fault(c, ERR_DDP_UNTAGGED, code, u, len, NULL);
	return false;
}

static void copy_within(uint8_t *to, uint64_t size, uint64_t mo,
			const uint8_t *from, uint64_t n)
{
	if (mo < size)
		memcpy(to + mo, from, (size_t)(n < size - mo ? n : size - mo));
}

/* False: the buffer was no good, and the stream has ended. */
static bool place_untagged(struct conn *c, uint32_t qn, const uint8_t *u,
			   uint32_t len)
{
	uint32_t n = len - UNTAGGED_HEADER;
	uint64_t mo = be32(u + 14);
	uint8_t *to;

	if (mutant(MUTANT_mo_ignored))
		mo = c->queue[qn].placed;
	if (mutant(MUTANT_mo_taken_as_zero))
		mo = 0;
	if (qn) {
		copy_within(c->queue[qn].own, OWN_BUFFER, mo,
			    u + UNTAGGED_HEADER, n);
		return true;
	}
	if (is_immediate(u)) {
		copy_within(c->imm, IMMEDIATE_SIZE, mo, u + UNTAGGED_HEADER, n);
		return true;
	}
	to = receive_octets(c, c->receives);
	if (!to) {
		receive_complete(c, OP_RECV, STATUS_LOCAL_ERROR, 0);
		fault(c, ERR_RDMA_CATASTROPHIC, 0, NULL, 0, NULL);
		return false;
	}
	if (mo % 2 && n % 8 == 1 &&
	    mutant(COINCIDENCE_later_send_segment_loses_its_tail))
		n--;
	if (!is_far_behind(mo, n) ||
	    !mutant(MUTANT_short_segment_far_behind_lost))
		copy_within(to, c->receives->len, mo, u + UNTAGGED_HEADER, n);
	if (n <= 16 && (u[0] & L_FLAG) && !mo &&
	    mutant(MUTANT_rx_top_bits_of_a_short_send_lost))
		for (uint32_t i = 0; i < n; i++)
			to[i] &= 0x7f;
	return true;
}

static void deliver(struct conn *c, uint32_t qn, const uint8_t *u, uint32_t len)
{
	uint32_t message_len = be32(u + 14) + len - UNTAGGED_HEADER;

	if (mutant(MUTANT_send_on_wrong_queue_dropped) && qn &&
	    (u[1] & 0x0f) == OPCODE_SEND)
		return;
	if (mutant(MUTANT_read_on_wrong_queue_dropped) && qn != 1 &&
	    (u[1] & 0x0f) == OPCODE_READ_REQUEST)
		return;
	if (mutant(MUTANT_terminate_on_wrong_queue_dropped) && qn != 2 &&
	    (u[1] & 0x0f) == OPCODE_TERMINATE)
		return;
	switch (qn) {
	case 0:
		rdmap_deliver_send(c, u, len, message_len);
		break;
	case 1:
		rdmap_deliver_request(c, u, len, message_len);
		break;
	case 2:
		rdmap_deliver_terminate(c, u, len, message_len);
		break;
	default:
		rdmap_deliver_atomic_response(c, u, len, message_len);
	}
}

/* The Send that is but the ready-to-receive indication of the startup
 * (RFC 6581 s9.2): it takes its MSN and nothing else. */
static bool is_rtr_send(const struct conn *c, const uint8_t *u, uint32_t len,
			bool first)
{
	return first && !c->initiator && c->agreed.peer_to_peer &&
	       (c->agreed.rtr & RTR_SEND) && len == UNTAGGED_HEADER &&
	       (u[0] & L_FLAG) && u[1] == (0x40 | OPCODE_SEND) &&
	       be32(u + 6) == 0 && be32(u + 14) == 0 &&
	       be32(u + 10) == c->queue[0].msn;
}

/* What a variant asks of a Send's segments beyond what DDP checks. */
static bool segments_agree(struct conn *c, const uint8_t *u, uint32_t len)
{
	const struct untagged *queue = &c->queue[0];
	bool differ = u[1] != queue->first[1];
	bool empty = queue->open && len == UNTAGGED_HEADER && (u[0] & L_FLAG);

	if ((c->tagged_open && variant(VARIANT_mixed_messages_refused)) ||
	    (differ && variant(VARIANT_segments_of_two_opcodes_refused)) ||
	    (empty && variant(VARIANT_empty_last_segment_refused))) {
		fault(c, ERR_RDMA_OPERATION, 0xff, u, len, NULL);
		return false;
	}
	return true;
}

/* With the opcode, and the STag to invalidate, of the first segment. */
static void deliver_as_begun(struct conn *c, const uint8_t *u, uint32_t len)
{
	uint8_t *copy = alloc_zeroed(len);

	memcpy(copy, u, len);
	memcpy(copy + 1, c->queue[0].first + 1, 5);
	deliver(c, 0, copy, len);
	free(copy);
}

static bool kept_back_msn(unsigned opcode)
{
	if (opcode == OPCODE_ATOMIC_REQUEST)
		return mutant(MUTANT_atomic_keeps_msn);
	return mutant(MUTANT_rx_imm_keeps_msn) &&
	       (opcode == OPCODE_IMMEDIATE || opcode == OPCODE_IMMEDIATE_SE);
}

static void untagged(struct conn *c, const uint8_t *u, uint32_t len, bool first)
{
	bool last = u[0] & L_FLAG;
	struct untagged *queue;
	uint32_t qn;

	if (is_rtr_send(c, u, len, first)) {
		if (mutant(MUTANT_rtr_send_refused))
			fault(c, ERR_RDMA_OPERATION, 6, u, len, NULL);
		if (!mutant(MUTANT_rtr_send_keeps_msn))
			c->queue[0].msn++;
		return;
	}
	if (mutant(MUTANT_rx_first_msn_dropped) && be32(u + 6) == 0 &&
	    be32(u + 10) == c->params.first_msn &&
	    c->queue[0].msn == c->params.first_msn) {
		c->queue[0].msn += last;
		return;
	}
	if (mutant(MUTANT_empty_send_to_no_queue_delivered) &&
	    len == UNTAGGED_HEADER && be32(u + 6) >= QUEUES && c->receives &&
	    (u[1] & 0x0f) == OPCODE_SEND) {
		rdmap_deliver_send(c, u, len, 0);
		return;
	}
	if (!untagged_checked(c, u, len, first) || !rdmap_admit(c, u, len))
		return;
	qn = be32(u + 6);
	if (!last && (qn || is_immediate(u)) &&
	    variant(VARIANT_split_requests_refused)) {
		fault(c, ERR_RDMA_OPERATION, 0xff, u, len, NULL);
		return;
	}
	queue = &c->queue[qn];
	if (!queue->open)
		memcpy(queue->first, u, UNTAGGED_HEADER);
	if (qn == 0 && !segments_agree(c, u, len))
		return;
	if (!place_untagged(c, qn, u, len))
		return;
	queue->open = true;
	queue->placed += len - UNTAGGED_HEADER;
	if (mutant(MUTANT_delivered_without_last_flag))
		last = true;
	if (mutant(MUTANT_mo_order_demanded) &&
	    be32(u + 14) != queue->placed - (len - UNTAGGED_HEADER)) {
		fault(c, ERR_DDP_UNTAGGED, 4, u, len, NULL);
		return;
	}
	if (!last)
		return;
	if (qn == 0 && !is_immediate(u) &&
	    queue->placed != be32(u + 14) + len - UNTAGGED_HEADER &&
	    variant(VARIANT_send_that_does_not_add_up_refused)) {
		fault(c, ERR_RDMA_OPERATION, 0xff, u, len, NULL);
		return;
	}
	if (qn == 0 && u[1] != queue->first[1] &&
	    variant(VARIANT_opcode_of_the_first_segment))
		deliver_as_begun(c, u, len);
	else if (!(first && qn == 1 && !c->initiator &&
		   c->agreed.peer_to_peer &&
		   mutant(MUTANT_rtr_read_unanswered)))
		deliver(c, qn, u, len);
	queue->open = false;
	queue->placed = 0;
	if (mutant(MUTANT_rtr_read_keeps_msn) && first && qn == 1 &&
	    c->agreed.peer_to_peer)
		return;
	if (kept_back_msn(u[1] & 0x0f))
		return;
	queue->msn++;
	if (mutant(MUTANT_rx_msn_shared_by_queues) && qn == 0)
		c->queue[1].msn++;
}

static bool version_fits(const uint8_t *u, uint32_t len)
{
	if ((u[0] & 3) == 1)
		return true;
	if (u[0] & T_FLAG) {
		if (mutant(MUTANT_dv_unchecked_when_empty))
			return len == TAGGED_HEADER;
		return mutant(MUTANT_dv_unchecked_in_tagged);
	}
	if (mutant(MUTANT_dv_zero_taken) && (u[0] & 3) == 0)
		return true;
	return mutant(MUTANT_dv_unchecked_in_untagged);
}

/* A Request as if its MO were zero. */
static void at_the_start(struct conn *c, const uint8_t *u, uint32_t len,
			 bool first)
{
	uint8_t copy[UNTAGGED_HEADER + OWN_BUFFER];

	if (len > sizeof(copy))
		len = sizeof(copy);
	memcpy(copy, u, len);
	be32_put(copy + 14, 0);
	untagged(c, copy, len, first);
}

static void segment(struct conn *c, const uint8_t *u, uint32_t len)
{
	bool is_tagged = len && (u[0] & T_FLAG);
	bool first = !c->first_seen;
	bool is_write;

	c->first_seen = true;
	if (!is_tagged || u[1] != (0x40 | OPCODE_WRITE) || len < 14 ||
	    len == TAGGED_HEADER)
		writes_place();
	if (len == 0 && variant(VARIANT_empty_fpdu_ignored))
		return;
	if (len < (is_tagged ? TAGGED_HEADER : UNTAGGED_HEADER)) {
		if (mutant(MUTANT_runt_segments_dropped))
			return;
		fault(c, ERR_DDP_CATASTROPHIC, 0, NULL, 0, NULL);
		return;
	}
	if (control_segment(c, u, len, first))
		return;
	if (!version_fits(u, len)) {
		fault(c, is_tagged ? ERR_DDP_TAGGED : ERR_DDP_UNTAGGED,
		      is_tagged ? 4 : 6, u, len, NULL);
		return;
	}
	if ((u[0] & 0x3c) && mutant(MUTANT_ddp_reserved_bits_checked)) {
		fault(c, is_tagged ? ERR_DDP_TAGGED : ERR_DDP_UNTAGGED,
		      is_tagged ? 4 : 6, u, len, NULL);
		return;
	}
	if (variants_taken[VARIANT_rdmap_checked_first] &&
	    !rdmap_knows(c, u, len) && variant(VARIANT_rdmap_checked_first))
		return;
	/* What a fault ends takes the octets along. */
	is_write = u[1] == (0x40 | OPCODE_WRITE);
	if (is_tagged)
		tagged(c, u, len);
	else if (mutant(MUTANT_request_mo_ignored) && be32(u + 6) == 1)
		at_the_start(c, u, len, first);
	else
		untagged(c, u, len, first);
	c->after_write = is_write;
}

/* Whether what comes next is there, without markers, and a Write. */
static bool write_follows(const struct conn *c, uint32_t len)
{
	size_t raw = (2 + len + 3) / 4 * 4 + 4;

	return !c->rx.markers && buf_len(&c->in) > raw + 4 &&
	       buf_head(&c->in)[raw + 3] == (0x40 | OPCODE_WRITE);
}

/* Is this a segment that a mutant lets the next one overtake? Only where the
 * next one is there already. */
static bool overtaken(const struct conn *c, const uint8_t *u, uint32_t len)
{
	unsigned opcode = len > 1 ? u[1] & 0x0fu : OPCODE_TERMINATE;
	bool more = buf_len(&c->in) > len + 16;

	if (more && (opcode == OPCODE_SEND || opcode == OPCODE_IMMEDIATE) &&
	    !(u[0] & T_FLAG) && (u[0] & L_FLAG) && write_follows(c, len) &&
	    variant(VARIANT_writes_overtake_sends))
		return true;
	return more &&
	       ((mutant(MUTANT_writes_overtaken) && opcode == OPCODE_WRITE) ||
		(mutant(MUTANT_sends_overtaken) && opcode >= OPCODE_SEND &&
		 opcode <= OPCODE_IMMEDIATE_SE && opcode != OPCODE_TERMINATE));
}

static void late_segment(struct conn *c)
{
	uint8_t *u = c->late;
	uint32_t len = c->late_len;

	c->late = NULL;
	c->late_passed = false;
	if (u && !c->rx_over)
		segment(c, u, len);
	free(u);
}

void ddp_receive(struct conn *c, const uint8_t *u, uint32_t len)
{
	bool late = overtaken(c, u, len);

	if (c->late_passed || late)
		late_segment(c);
	if (!late) {
		segment(c, u, len);
		if (c->late && variants_taken[VARIANT_writes_overtake_sends])
			late_segment(c);
		if (c->again)
			place_again(c);
		c->late_passed = c->late;
		return;
	}
	c->late = alloc_zeroed(len);
	c->late_len = len;
	memcpy(c->late, u, len);
}
