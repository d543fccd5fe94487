/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RDMA messages in: RFC 5040 s5 and s7.2, RFC 7306 s5, s6 and s8.2.
 *
 * Where the texts leave a choice:
 * - an opcode on the wrong queue or with the wrong T flag is an unexpected
 *   opcode, and so is an AOpCode that is not assigned, a Read Response
 *   without a Read, or an Atomic Response out of turn;
 * - a message whose length is not that of its header, or which has holes, is
 *   an unspecified operation error; so is a Read Response of another length
 *   than was asked for;
 * - STag and rights of a request are checked when it is delivered and again
 *   whenever a segment of its Response is made; an atomic is performed when
 *   its Response is made;
 * - an STag to invalidate that is not valid is "invalid STag"; one that the
 *   stream may not invalidate "cannot be invalidated".
 */
#include "harness/refdut/conn.h"
#include "harness/refdut/features.h"
#include "harness/refdut/mutants.h"
#include "harness/refdut/variants.h"

#include <stdlib.h>
#include <string.h>

static const uint8_t *request_header(const uint8_t *u, uint32_t len)
{
	if ((u[0] & 0x80) || (u[1] & 0x0f) != OPCODE_READ_REQUEST ||
	    len < UNTAGGED_HEADER + READ_REQUEST_HEADER ||
	    variant(VARIANT_refused_operation_comes_back_without_rdma_header))
		return NULL;
	return u + UNTAGGED_HEADER;
}

static void operation_fault(struct conn *c, unsigned code, const uint8_t *u,
			    uint32_t len)
{
	fault(c, ERR_RDMA_OPERATION, code, u, len, request_header(u, len));
}

static bool version_fits(const uint8_t *u)
{
	if (u[1] >> 6 == 1 ||
	    (u[1] >> 6 == 0 && variant(VARIANT_rdmap_version_zero_taken)))
		return true;
	if (mutant(MUTANT_rv_unchecked_in_writes) && (u[1] & 0x0f) == 0)
		return true;
	if (mutant(MUTANT_rv_unchecked_in_reads) &&
	    ((u[1] & 0x0f) == 1 || (u[1] & 0x0f) == 2))
		return true;
	return mutant(MUTANT_rv_unchecked_in_sends) && (u[1] & 0x0f) >= 3;
}

static bool opcode_offered(unsigned opcode)
{
	switch (opcode) {
	case OPCODE_SEND_INV:
		return feature(FEATURE_SEND_INV);
	case OPCODE_SEND_SE:
		return feature(FEATURE_SEND_SE);
	case OPCODE_SEND_SE_INV:
		return feature(FEATURE_SEND_SE_INV);
	case OPCODE_IMMEDIATE:
		return feature(FEATURE_IMM);
	case OPCODE_IMMEDIATE_SE:
		return feature(FEATURE_IMM_SE);
	case OPCODE_ATOMIC_REQUEST:
	case OPCODE_ATOMIC_RESPONSE:
		return feature_atomics();
	default:
		return true;
	}
}

static bool opcode_fits(const uint8_t *u)
{
	static const int8_t queue_of[12] = {-1, 1, -1, 0, 0, 0,
					    0,  2, 0,  0, 1, 3};
	unsigned opcode = u[1] & 0x0f;

	if (mutant(MUTANT_unknown_opcode_taken_as_send) && opcode > 11 &&
	    !(u[0] & 0x80) && be32(u + 6) == 0)
		return true;
	if (opcode > OPCODE_ATOMIC_RESPONSE || !opcode_offered(opcode))
		return false;
	if (mutant(MUTANT_tagged_atomics_dropped) && (u[0] & 0x80) &&
	    opcode >= OPCODE_ATOMIC_REQUEST)
		return true;
	if (mutant(MUTANT_atomics_on_queue_zero_delivered) && !(u[0] & 0x80) &&
	    opcode >= OPCODE_ATOMIC_REQUEST && be32(u + 6) == 0)
		return true;
	if (u[0] & 0x80) {
		if (mutant(MUTANT_tagged_send_placed) && opcode == OPCODE_SEND)
			return true;
		if (mutant(MUTANT_unclaimed_operations_taken) &&
		    opcode >= OPCODE_IMMEDIATE &&
		    opcode <= OPCODE_ATOMIC_RESPONSE)
			return true;
		if (mutant(MUTANT_tagged_request_placed) &&
		    (opcode == OPCODE_READ_REQUEST ||
		     opcode == OPCODE_TERMINATE))
			return true;
		return queue_of[opcode] < 0;
	}
	if (mutant(MUTANT_send_on_wrong_queue_dropped) && queue_of[opcode] == 0)
		return true;
	if (mutant(MUTANT_untagged_write_delivered) && opcode == OPCODE_WRITE)
		return true;
	if (mutant(MUTANT_untagged_response_delivered) &&
	    opcode == OPCODE_READ_RESPONSE)
		return true;
	if (mutant(MUTANT_read_on_wrong_queue_dropped) &&
	    opcode == OPCODE_READ_REQUEST)
		return true;
	if (mutant(MUTANT_terminate_on_wrong_queue_dropped) &&
	    opcode == OPCODE_TERMINATE)
		return true;
	return queue_of[opcode] == (int64_t)be32(u + 6);
}

bool rdmap_knows(struct conn *c, const uint8_t *u, uint32_t len)
{
	unsigned opcode = u[1] & 0x0f;

	if (version_fits(u) && opcode <= OPCODE_ATOMIC_RESPONSE &&
	    opcode_offered(opcode))
		return true;
	return rdmap_admit(c, u, len);
}

bool rdmap_admit(struct conn *c, const uint8_t *u, uint32_t len)
{
	if (!version_fits(u)) {
		if (mutant(MUTANT_terminate_of_other_version_dropped) &&
		    (u[1] & 0x0f) == OPCODE_TERMINATE)
			return false;
		if (mutant(MUTANT_send_of_other_version_dropped) &&
		    (u[1] & 0x0f) == OPCODE_SEND)
			return false;
		operation_fault(c, 5, u, len);
		return false;
	}
	if ((u[1] & 0x30) && mutant(MUTANT_rdmap_reserved_bits_checked)) {
		operation_fault(c, 5, u, len);
		return false;
	}
	if (!opcode_fits(u)) {
		if (mutant(MUTANT_unknown_opcode_dropped) &&
		    (u[1] & 0x0f) > OPCODE_ATOMIC_RESPONSE)
			return false;
		fault(c, ERR_RDMA_OPERATION, 6, u, len, NULL);
		return false;
	}
	return true;
}

static const uint8_t zeros[READ_REQUEST_HEADER];

static bool invalidate(struct conn *c, const uint8_t *u, uint32_t len)
{
	struct region *region = region_of_stag(be32(u + 2));

	if (mutant(MUTANT_invalidate_ignored))
		return true;
	if (mutant(MUTANT_invalidate_ignored_when_empty) &&
	    len == UNTAGGED_HEADER)
		return true;
	if (mutant(MUTANT_invalidate_ignored_with_se) &&
	    (u[1] & 0x0f) == OPCODE_SEND_SE_INV)
		return true;
	if (region && region->stag % 2 &&
	    region->domain.owner == c->domain.owner &&
	    conn_is_beside(c, before_of_all.invalidated_by) &&
	    mutant(COINCIDENCE_invalidation_lost_behind_another_streams)) {
		before_of_all.invalidated_by = c;
		return true;
	}
	if (!region) {
		if (mutant(MUTANT_invalidate_unknown_stag_ignored))
			return true;
		fault(c, ERR_RDMA_PROTECTION, 0, u, len,
		      variant(VARIANT_invalidate_comes_back_with_rdma_header)
			      ? zeros
			      : NULL);
		return false;
	}
	if (region->domain.owner != c->domain.owner ||
	    (region->domain.number != c->domain.number &&
	     !mutant(MUTANT_invalidate_any_domain)) ||
	    (region->stream && region->stream != c &&
	     !mutant(MUTANT_invalidate_any_stream)) ||
	    (region->shared && !mutant(MUTANT_invalidate_shared_stag))) {
		fault(c, ERR_RDMA_PROTECTION,
		      !region->shared &&
				      variant(VARIANT_invalidate_of_another_stream_not_associated)
			      ? 3
			      : 9,
		      u, len,
		      variant(VARIANT_invalidate_comes_back_with_rdma_header)
			      ? zeros
			      : NULL);
		return false;
	}
	region_invalidate(region);
	before_of_all.invalidated_by = c;
	return true;
}

static bool carries_invalidate(unsigned opcode)
{
	if (mutant(MUTANT_plain_send_invalidates))
		return opcode >= OPCODE_SEND && opcode <= OPCODE_SEND_SE_INV;
	return opcode == OPCODE_SEND_INV || opcode == OPCODE_SEND_SE_INV;
}

/* RFC 7306 s4.1: the field is ignored. */
static void extension_invalidates(const uint8_t *u)
{
	struct region *region = region_of_stag(be32(u + 2));

	if (region && mutant(MUTANT_extensions_invalidate))
		region_invalidate(region);
}

/* RFC 5040 s5.3: an Event may be raised for SE; for others it need not be. */
static bool raises_event(bool se)
{
	if (se)
		return !variant(VARIANT_no_events);
	return variant(VARIANT_events_for_all);
}

static void deliver_immediate(struct conn *c, const uint8_t *u, uint32_t len,
			      uint32_t message_len)
{
	struct before *b = &c->before;
	bool had_send = b->got_send;
	struct event *event;

	if ((message_len != IMMEDIATE_SIZE ||
	     c->queue[0].placed < IMMEDIATE_SIZE) &&
	    !(mutant(MUTANT_imm_short_taken) && message_len < 8) &&
	    !(mutant(MUTANT_imm_long_cut) && message_len > 8)) {
		if (mutant(MUTANT_imm_flaw_dropped))
			return;
		operation_fault(c, 0xff, u, len);
		return;
	}
	if (mutant(MUTANT_imm_needs_write) && !c->after_write) {
		operation_fault(c, 7, u, len);
		return;
	}
	extension_invalidates(u);
	event = receive_complete(c, OP_RECV_IMM, STATUS_OK, IMMEDIATE_SIZE);
	event->has_se = true;
	event->se = raises_event((u[1] & 0x0f) == OPCODE_IMMEDIATE_SE);
	if (had_send && !b->got_len && c->receives &&
	    mutant(COINCIDENCE_receive_lost_by_immediate_behind_empty_send))
		receive_lose(c);
	b->got_send = false;
	memcpy(event->imm, c->imm, IMMEDIATE_SIZE);
	if (had_send && b->got_se && b->got_len && b->got_len % 64 == 0 &&
	    mutant(COINCIDENCE_immediate_half_lost_behind_lines))
		memset(event->imm, 0, IMMEDIATE_SIZE / 2);
	if (mutant(MUTANT_imm_byte_swapped))
		for (int i = 0; i < IMMEDIATE_SIZE; i++)
			event->imm[i] = c->imm[7 - i];
	memset(c->imm, 0, IMMEDIATE_SIZE);
	if (mutant(MUTANT_imm_keeps_receive)) {
		struct receive *receive = alloc_zeroed(sizeof(*receive));

		receive->id = event->id;
		receive->len = 4096;
		receive->next = c->receives;
		if (!c->receives)
			c->receives_end = &receive->next;
		c->receives = receive;
		c->nreceives++;
	}
}

/* Does a mutant keep this Send from its ULP? */
static bool send_untold(const struct conn *c, const uint8_t *u,
			uint32_t message_len)
{
	if (carries_invalidate(u[1] & 0x0f))
		return mutant(MUTANT_send_with_invalidate_untold);
	if ((u[1] & 0x0f) != OPCODE_SEND)
		return false;
	return mutant(MUTANT_send_completion_untold) ||
	       (be32(u + 10) == c->params.first_msn + 1 && message_len <= 4 &&
		mutant(MUTANT_second_send_untold)) ||
	       (c->in_response && be32(c->answering->header + 12) >= 1 << 20 &&
		mutant(MUTANT_send_amidst_a_response_untold));
}

void rdmap_deliver_send(struct conn *c, const uint8_t *u, uint32_t len,
			uint32_t message_len)
{
	unsigned opcode = u[1] & 0x0f;
	bool inv = carries_invalidate(opcode);
	struct event *event;

	if (opcode == OPCODE_IMMEDIATE || opcode == OPCODE_IMMEDIATE_SE) {
		deliver_immediate(c, u, len, message_len);
		return;
	}
	if (inv && !invalidate(c, u, len))
		return;
	if (mutant(MUTANT_empty_send_keeps_receive) && message_len == 0)
		return;
	if (mutant(MUTANT_send_se_keeps_receive) && opcode >= OPCODE_SEND_SE)
		return;
	if (opcode == OPCODE_SEND && message_len > 8 && message_len <= 16 &&
	    c->receives->len <= 128 && message_len + 64 < c->receives->len &&
	    mutant(MUTANT_short_send_held))
		return;
	if (mutant(MUTANT_receive_tail_cleared) &&
	    message_len < c->receives->len && receive_octets(c, c->receives))
		memset(receive_octets(c, c->receives) + message_len, 0,
		       c->receives->len - message_len);
	if (message_len > c->receives->len)
		message_len = c->receives->len;
	if (mutant(MUTANT_receive_length_counts_pad))
		message_len += (4 - message_len % 4) % 4;
	if (message_len > c->receives->len)
		message_len = c->receives->len;
	if (mutant(MUTANT_receive_length_of_buffer))
		message_len = c->receives->len;
	if (send_untold(c, u, message_len)) {
		receive_lose(c);
		return;
	}
	if (mutant(MUTANT_send_delivered_twice) && c->receives->next)
		receive_complete(c, OP_RECV, STATUS_OK, message_len);
	event = receive_complete(c, OP_RECV, STATUS_OK, message_len);
	event->has_se = true;
	event->se = raises_event(opcode == OPCODE_SEND_SE ||
				 opcode == OPCODE_SEND_SE_INV);
	c->before.got_send = true;
	c->before.got_se = opcode >= OPCODE_SEND_SE;
	c->before.got_len = message_len;
	event->has_inv = inv && !mutant(MUTANT_invalidated_stag_untold);
	event->inv = be32(u + 2);
}

unsigned rdmap_protection_code(enum memory_flaw flaw)
{
	static const uint8_t codes[] = {
		[MEMORY_NO_STAG] = 0, [MEMORY_BOUNDS] = 1,
		[MEMORY_ACCESS] = 2,  [MEMORY_NOT_ASSOCIATED] = 3,
		[MEMORY_WRAP] = 4,
	};

	if (flaw == MEMORY_WRAP && variant(VARIANT_sum_checked_first))
		flaw = MEMORY_BOUNDS;
	return codes[flaw];
}

static bool check_read(struct conn *c, const struct request *request,
		       struct region **region)
{
	uint8_t header[READ_REQUEST_HEADER];
	const uint8_t *h = request->header;
	uint32_t left = be32(h + 12) - request->sent;
	uint64_t to = be64(h + 20) + request->sent;
	enum memory_flaw flaw;

	*region = NULL;
	if (be32(h + 12) == 0 &&
	    !(mutant(MUTANT_empty_read_checked) && be32(h + 16)) &&
	    !(mutant(MUTANT_empty_read_to_checked) && to))
		return true;
	flaw = memory_check(&c->domain, c, be32(h + 16), to, left,
			    ACCESS_REMOTE_READ, region);
	if (flaw == MEMORY_ACCESS && mutant(MUTANT_read_access_unchecked)) {
		*region = region_of_stag(be32(h + 16));
		return true;
	}
	if (flaw == MEMORY_BOUNDS && mutant(MUTANT_read_bounds_unchecked)) {
		*region = NULL;
		return true;
	}
	if (mutant(MUTANT_read_exact_end_refused) && flaw == MEMORY_FINE &&
	    to + left == (*region)->to + (*region)->len)
		flaw = MEMORY_BOUNDS;
	if (flaw == MEMORY_FINE)
		return true;
	if (flaw == MEMORY_WRAP && mutant(MUTANT_read_wrap_unchecked)) {
		*region = NULL;
		return true;
	}
	memcpy(header, h, sizeof(header));
	if (!mutant(MUTANT_terminated_read_not_advanced)) {
		be64_put(header + 4, be64(h + 4) + request->sent);
		be32_put(header + 12, left);
		be64_put(header + 20, to);
	}
	if (request->sent && mutant(MUTANT_terminated_read_stags_exchanged)) {
		memcpy(header, h + 16, 4);
		memcpy(header + 16, h, 4);
	}
	fault(c, ERR_RDMA_PROTECTION, rdmap_protection_code(flaw), request->ddp,
	      request->segment_len, header);
	return false;
}

bool rdmap_check_request(struct conn *c, const struct request *request,
			 struct region **region)
{
	if (request->agreed) {
		*region = NULL;
		return true;
	}
	return request->atomic ? rdmap_check_atomic(c, request, region)
			       : check_read(c, request, region);
}

static void queue_request(struct conn *c, struct request *request)
{
	struct request **at = c->requests_end;

	if (mutant(MUTANT_responses_newest_first) && c->answering &&
	    !c->in_response) {
		at = &c->requests;
		while (*at != c->answering)
			at = &(*at)->next;
		request->next = *at;
		*at = request;
		c->answering = request;
		return;
	}
	*at = request;
	c->requests_end = &request->next;
	if (!c->answering)
		c->answering = request;
}

void rdmap_take_request(struct conn *c, struct request *request)
{
	queue_request(c, request);
	c->inbound++;
	requests_inbound++;
	/* What is answered now goes out ahead of an error found next. */
	if (!mutant(MUTANT_responses_newest_first) &&
	    !variant(VARIANT_answers_made_later) &&
	    !variant(VARIANT_streams_in_turn) &&
	    !variant(VARIANT_last_stream_first) &&
	    !mutant(MUTANT_atomics_exchanged_behind_another_stream))
		tx_pump(c);
}

void rdmap_deliver_request(struct conn *c, const uint8_t *u, uint32_t len,
			   uint32_t message_len)
{
	const struct untagged *queue = &c->queue[1];
	bool atomic = (u[1] & 0x0f) == OPCODE_ATOMIC_REQUEST;
	uint32_t want = atomic ? ATOMIC_REQUEST_HEADER : READ_REQUEST_HEADER;
	struct request *request;
	struct region *region;

	if (message_len > want && queue->placed == message_len &&
	    variant(VARIANT_tail_of_a_request_ignored)) {
		message_len = want;
	} else if (message_len != want || queue->placed != want) {
		if (!mutant(MUTANT_short_request_served) ||
		    message_len > want) {
			operation_fault(c, 0xff, u, len);
			return;
		}
	}
	if (atomic &&
	    (queue->own[0] || queue->own[1] || queue->own[2] ||
	     queue->own[3] & 0xf0) &&
	    mutant(MUTANT_atomic_reserved_bits_checked)) {
		operation_fault(c, 0xff, u, len);
		return;
	}
	if (!atomic && be32(queue->own + 12) &&
	    be64(queue->own + 4) + (be32(queue->own + 12) - 1) <
		    be64(queue->own + 4) &&
	    variant(VARIANT_sink_that_wraps_refused)) {
		operation_fault(c, 0xff, u, len);
		return;
	}
	/* Our half is closed: no Response can follow. */
	if (c->fin_due) {
		operation_fault(c, 7, u, len);
		return;
	}
	if (atomic && !rdmap_aopcode_known(queue->own[3] & 15)) {
		if (mutant(MUTANT_unknown_aopcode_dropped))
			return;
		operation_fault(c, 6, u, len);
		return;
	}
	request = alloc_zeroed(sizeof(*request));
	request->atomic = atomic;
	request->segment_len = len;
	memcpy(request->ddp, u, UNTAGGED_HEADER);
	memcpy(request->header, queue->own, want);
	if (mutant(MUTANT_read_request_delivered) && c->receives)
		receive_complete(c, OP_RECV, STATUS_OK, 0);
	if (mutant(MUTANT_read_request_invalidates) && !atomic &&
	    region_of_stag(be32(u + 2)))
		region_invalidate(region_of_stag(be32(u + 2)));
	if (atomic && mutant(MUTANT_atomic_unknown_stag_dropped) &&
	    !region_of_stag(be32(request->header + 8))) {
		request_free(request);
		return;
	}
	if (!atomic && be32(request->header + 12) &&
	    mutant(MUTANT_read_by_unknown_stag_dropped) &&
	    !region_of_stag(be32(request->header + 16))) {
		request_free(request);
		return;
	}
	if (!rdmap_check_request(c, request, &region)) {
		request_free(request);
		return;
	}
	if (!atomic && be32(request->header + 12) > 2048 &&
	    mutant(MUTANT_long_read_unanswered)) {
		request_free(request);
		return;
	}
	if (atomic)
		extension_invalidates(u);
	if (region && !atomic && variant(VARIANT_reads_taken_at_once)) {
		uint32_t size = be32(request->header + 12);

		request->snapshot = alloc_zeroed(size);
		memcpy(request->snapshot,
		       region_at(region, be64(request->header + 20)), size);
	}
	rdmap_take_request(c, request);
}

void rdmap_deliver_terminate(struct conn *c, const uint8_t *u, uint32_t len,
			     uint32_t message_len)
{
	const uint8_t *t = c->queue[2].own;
	uint32_t want = 4;

	if (message_len >= 4 && c->queue[2].placed >= message_len) {
		if (t[2] & 0xc0)
			want += 2;
		if ((t[2] & 0x40) && message_len > want)
			want += t[want] & 0x80 ? TAGGED_HEADER
					       : UNTAGGED_HEADER;
		else if (t[2] & 0x40)
			want += TAGGED_HEADER;
		if (t[2] & 0x20)
			want += READ_REQUEST_HEADER;
		if (mutant(MUTANT_terminate_reserved_bits_checked) &&
		    ((t[2] & 0x1f) || t[3]))
			want = UINT32_MAX;
		if (mutant(MUTANT_terminate_with_headers_refused) &&
		    (t[2] & 0xe0))
			want = UINT32_MAX;
	}
	if (message_len < want || c->queue[2].placed < message_len) {
		operation_fault(c, 0xff, u, len);
		return;
	}
	if (mutant(MUTANT_terminate_invalidate_stag_checked) && be32(u + 2)) {
		operation_fault(c, 0xff, u, len);
		return;
	}
	if (mutant(MUTANT_unregistered_terminate_dropped) &&
	    ((t[0] & 0x0f) > 2 || (t[1] > 9 && t[1] < 0xff)))
		return;
	terminate_received(c, t, message_len);
}

void rdmap_deliver_read_response(struct conn *c, const uint8_t *u, uint32_t len)
{
	struct work *work = work_awaited(c);

	if (work->placed != work->len &&
	    !mutant(MUTANT_read_completes_on_first_segment)) {
		operation_fault(c, 0xff, u, len);
		return;
	}
	work->answered = true;
	if (!mutant(MUTANT_ord_slot_lost))
		c->outstanding--;
	work_complete_done(c);
	conn_kick(c);
}
