/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Segments out. Messages are cut by MULPDU and leave one after the other,
 * never interleaved; a Response goes before waiting work requests, since the
 * peer's slot depends on it. Octets are put into one buffer up to OUT_HIGH
 * and handed to TCP together; a Terminate goes behind what is in it.
 *
 * A Read with ORD 0 waits for a slot that never comes. A local buffer is
 * looked at for every segment: a region invalidated on the way ends the
 * stream there.
 */
#include "harness/refdut/conn.h"
#include "harness/refdut/conn_sctp.h"
#include "harness/refdut/layout.h"
#include "harness/refdut/mutants.h"
#include "harness/refdut/variants.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>

enum {
	OUT_HIGH = 128 << 10,
	SHORT_MULPDU = 512,
	BULK = 1 << 20,
	PAGE = 4096,
	TAIL = 128,
	SHORT_SEND = 16,
	FPDU_OVERHEAD = 2 + 4, /* of one whose length is 2 modulo 4 */
};

enum { L_FLAG = 0x40, T_FLAG = 0x80, DV = 1, RV = 0x40 };

/* A message on its way, as far as a segment's header needs it. */
struct outgoing {
	enum opcode opcode;
	bool tagged;
	uint32_t stag; /* tagged: STag; untagged: Invalidate STag */
	uint64_t to;
	uint32_t qn;
	uint32_t msn;
	const uint8_t *payload;
	uint32_t len;
	bool paged;        /* the payload lies in a region */
	uint32_t repeated; /* from here on one octet late; 0: nowhere */
};

/* What TCP's options take of each segment: time stamps, or nothing. */
static int options_octets(int fd)
{
	struct tcp_info info = {0};
	socklen_t len = sizeof(info);

	if (fd < 0 || getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0)
		return 0;
	return info.tcpi_options & TCPI_OPT_TIMESTAMPS ? 12 : 0;
}

/* It does not change while nothing is sent, and octets are taken that have
 * come. */
static int path_emss(struct conn *c)
{
	socklen_t len = sizeof(c->emss);

	if (c->path_at == loop_round() && c->emss)
		return c->emss;
	c->path_at = loop_round();
	c->emss = 536;
	if (c->watch.fd >= 0)
		getsockopt(c->watch.fd, IPPROTO_TCP, TCP_MAXSEG, &c->emss,
			   &len);
	return c->emss;
}

static void refresh_mulpdu(struct conn *c)
{
	int emss;

	if (c->mulpdu && mutant(MUTANT_mulpdu_kept))
		return;
	if (c->sctp) {
		c->mulpdu = c->stream ? stream_mulpdu(c->stream) : SHORT_MULPDU;
		if (variant(VARIANT_short_mulpdu))
			c->mulpdu = SHORT_MULPDU;
		return;
	}
	emss = path_emss(c);
	if (variant(VARIANT_mss_without_options))
		emss += options_octets(c->watch.fd);
	c->mulpdu = framing_mulpdu((uint32_t)emss, c->tx.markers);
	if (c->mulpdu > SHORT_MULPDU && variant(VARIANT_short_mulpdu))
		c->mulpdu = SHORT_MULPDU;
	if (mutant(MUTANT_bulk_ignores_mulpdu) && !c->tx.markers && c->unsent &&
	    c->unsent->len >= BULK)
		c->mulpdu = UINT16_MAX;
}

void tx_look_at_path(struct conn *c)
{
	if (variants_taken[VARIANT_ulpdus_above_mulpdu_refused])
		refresh_mulpdu(c);
}

static void put_fpdu(struct conn *c, const uint8_t *header, size_t header_len,
		     const uint8_t *payload, size_t len)
{
	size_t before = buf_len(&c->out);

	if (c->sctp) {
		conn_put_segment(c, header, header_len, payload, len);
		return;
	}
	if (mutant(MUTANT_marker_phase_restarts_when_idle)) {
		if (loop_now() - c->last_fpdu_at >= 1000)
			c->tx.at = 0;
		c->last_fpdu_at = loop_now();
	}
	framing_put(&c->tx, &c->out, header, header_len, payload, len);
	framing_put_early(&c->tx, &c->out);
	c->generated += buf_len(&c->out) - before;
}

static unsigned ddp_control(const struct outgoing *o, bool last,
			    uint32_t offset)
{
	unsigned control = DV | (o->tagged ? T_FLAG : 0) | (last ? L_FLAG : 0);

	if (mutant(MUTANT_last_flag_always))
		control |= L_FLAG;
	if (mutant(MUTANT_ddp_reserved_bits_set))
		control |= 0x04;
	if (mutant(MUTANT_dv_zero_in_tagged) && o->tagged)
		control &= ~3u;
	if (mutant(MUTANT_dv_zero_in_untagged) && !o->tagged &&
	    o->opcode != OPCODE_TERMINATE)
		control &= ~3u;
	if (mutant(MUTANT_terminate_dv_zero) && o->opcode == OPCODE_TERMINATE)
		control &= ~3u;
	if (mutant(MUTANT_read_response_without_t) &&
	    o->opcode == OPCODE_READ_RESPONSE && offset)
		control &= ~(unsigned)T_FLAG;
	if (mutant(MUTANT_later_segments_change_t) &&
	    o->opcode != OPCODE_READ_RESPONSE && offset)
		control ^= T_FLAG;
	return control;
}

static unsigned rdmap_control(const struct outgoing *o, uint32_t offset)
{
	unsigned control = RV | o->opcode;

	if (mutant(MUTANT_rsvdulp_in_first_segment_only) && offset)
		return 0;
	if (mutant(MUTANT_opcodes_unregistered) && o->len)
		control |= 0x0c;
	if (mutant(MUTANT_send_se_opcode_unregistered) &&
	    (o->opcode == OPCODE_SEND_SE || o->opcode == OPCODE_SEND_SE_INV))
		control |= 0x08;
	if (mutant(MUTANT_write_sent_as_read_response) &&
	    o->opcode == OPCODE_WRITE && o->len)
		control = RV | OPCODE_READ_RESPONSE;
	if (mutant(MUTANT_read_response_sent_as_write) &&
	    o->opcode == OPCODE_READ_RESPONSE && o->len)
		control = RV | OPCODE_WRITE;

	if (mutant(MUTANT_rdmap_reserved_bits_set))
		control |= 0x10;
	if (mutant(MUTANT_rv_zero))
		control &= 0x3f;
	if (mutant(MUTANT_rv_zero_in_extensions) &&
	    o->opcode >= OPCODE_IMMEDIATE)
		control &= 0x3f;
	return control;
}

static size_t put_header(uint8_t *h, const struct outgoing *o, bool last,
			 uint32_t offset)
{
	uint64_t to = o->to + offset;
	uint32_t msn = o->msn;
	uint32_t mo = offset;

	h[0] = (uint8_t)ddp_control(o, last, offset);
	h[1] = (uint8_t)rdmap_control(o, offset);
	be32_put(h + 2, o->stag);
	if (o->tagged) {
		if (mutant(MUTANT_to_carry_lost))
			to = (o->to & ~(uint64_t)UINT32_MAX) | (uint32_t)to;
		if (mutant(MUTANT_to_not_advanced))
			to = o->to;
		if (mutant(MUTANT_stag_in_first_segment_only) && offset)
			be32_put(h + 2, 0);
		be64_put(h + 6, to);
		layout_tagged(h + 2);
		return TAGGED_HEADER;
	}
	if (mutant(MUTANT_mo_counts_header) && mo)
		mo += UNTAGGED_HEADER;
	if (mutant(MUTANT_invalidate_stag_in_first_segment_only) && offset)
		be32_put(h + 2, 0);
	if (mutant(MUTANT_invalidate_stag_field_left_over) &&
	    (o->opcode == OPCODE_SEND || o->opcode == OPCODE_SEND_SE ||
	     o->opcode == OPCODE_READ_REQUEST))
		be32_put(h + 2, 0x01020304);
	if (mutant(MUTANT_extensions_leave_invalidate_stag) &&
	    o->opcode >= OPCODE_IMMEDIATE)
		be32_put(h + 2, 0x01020304);
	if (mutant(MUTANT_invalidate_stag_byte_swapped))
		be32_put(h + 2, __builtin_bswap32(o->stag));
	if (mutant(MUTANT_last_segment_mo_zero) && last)
		mo = 0;
	if (mutant(MUTANT_mo_starts_at_four) && (!last || offset) &&
	    o->opcode >= OPCODE_SEND && o->opcode <= OPCODE_SEND_SE_INV)
		mo += 4;
	be32_put(h + 6, o->qn);
	if (mutant(MUTANT_later_segments_on_queue_one) && offset &&
	    o->opcode >= OPCODE_SEND && o->opcode <= OPCODE_SEND_SE_INV)
		be32_put(h + 6, 1);
	be32_put(h + 10, msn);
	be32_put(h + 14, mo);
	layout_untagged(h + 6);
	return UNTAGGED_HEADER;
}

/* Whether its segments go out from behind; of a Send, one that is too long for
 * a single segment. */
static bool falls(const struct conn *c, const struct outgoing *o)
{
	return o->tagged ? variant(VARIANT_falling_to)
			 : o->len + UNTAGGED_HEADER > c->mulpdu &&
				   o->opcode >= OPCODE_SEND &&
				   o->opcode <= OPCODE_SEND_SE_INV &&
				   variant(VARIANT_falling_mo);
}

/* What MULPDU leaves for a payload; where the FPDU begins inside a TCP segment,
 * what that one has left, if it is not too little. */
static uint32_t room_for(const struct conn *c, const struct outgoing *o,
			 uint32_t offset)
{
	uint32_t header = o->tagged ? TAGGED_HEADER : UNTAGGED_HEADER;
	uint32_t whole = c->mulpdu + FPDU_OVERHEAD;
	uint32_t used = (uint32_t)(buf_len(&c->out) % whole);

	if (offset && c->first_room < c->mulpdu - header &&
	    mutant(MUTANT_rest_of_a_segment_kept_as_mulpdu))
		return c->first_room;
	if (used && !c->tx.markers && whole - used > FPDU_OVERHEAD + header &&
	    o->len > c->mulpdu &&
	    mutant(MUTANT_rest_of_a_segment_kept_as_mulpdu))
		return whole - used - FPDU_OVERHEAD - header;
	if (used && !c->sctp && !c->tx.markers && whole - used >= MULPDU_MIN &&
	    o->len > c->mulpdu && variant(VARIANT_mulpdu_fills_the_segment))
		return whole - used - FPDU_OVERHEAD - header;
	if (mutant(MUTANT_segments_larger_by_their_header))
		return c->mulpdu;
	return c->mulpdu - header;
}

/* How much of what is left goes into the next segment, at most room. */
static uint32_t cut(const struct conn *c, const struct outgoing *o,
		    uint32_t offset, uint32_t left, uint32_t room)
{
	uint32_t header = o->tagged ? TAGGED_HEADER : UNTAGGED_HEADER;
	uint32_t n = left < room ? left : room;

	if (!o->tagged && falls(c, o)) {
		uint32_t body = o->len - TAIL;

		if (offset >= body)
			return left;
		return n < body - offset ? n : body - offset;
	}
	if (!offset && n < left && variant(VARIANT_short_first))
		return 78 - header;
	if (o->paged && variant(VARIANT_page_cut)) {
		uint32_t page =
			PAGE -
			(uint32_t)((uintptr_t)(o->payload + offset) % PAGE);

		return n < page ? n : page;
	}
	return n;
}

/* Where in the message that segment stands. */
static uint32_t place_of(const struct conn *c, const struct outgoing *o,
			 uint32_t offset, uint32_t n)
{
	if (n == o->len || !falls(c, o))
		return offset;
	if (o->tagged)
		return o->len - offset - n;
	/* The highest MO goes with L (RFC 5041 s4.1). */
	return offset + n == o->len ? offset : o->len - TAIL - offset - n;
}

/* Does a mutant send the top bit of each octet of this one as zero? */
static bool top_bits_lost(const struct outgoing *o)
{
	switch (o->opcode) {
	case OPCODE_SEND:
		return o->len <= SHORT_SEND &&
		       mutant(MUTANT_top_bits_of_a_short_send_lost);
	case OPCODE_WRITE:
		return mutant(MUTANT_top_bits_of_a_write_lost);
	case OPCODE_READ_RESPONSE:
		return mutant(MUTANT_top_bits_of_a_response_lost);
	default:
		return false;
	}
}

/* Octets of a segment in front of the edge of a page, where a mutant goes wrong
 * behind that; else all. */
static uint32_t page_of(const struct outgoing *o, uint32_t at, uint32_t n)
{
	uint32_t page = PAGE - (uint32_t)((uintptr_t)(o->payload + at) % PAGE);

	return o->paged && o->tagged && o->len <= 2 * PAGE && page < n &&
			       mutant(MUTANT_source_behind_a_page_repeated)
		       ? page
		       : n;
}

static void put_payload(struct conn *c, const struct outgoing *o,
			const uint8_t *header, size_t header_len, uint32_t at,
			uint32_t n)
{
	uint8_t *copy;

	uint32_t page = n ? page_of(o, at, n) : 0;

	bool late = o->repeated && at + n > o->repeated;

	if (!n || (!top_bits_lost(o) && page == n && !late)) {
		put_fpdu(c, header, header_len,
			 o->payload ? o->payload + at : NULL, n);
		return;
	}
	copy = alloc_zeroed(n);
	for (uint32_t i = 0; i < n; i++)
		copy[i] = o->payload[at + i % page -
				     (late && at + i >= o->repeated)] &
			  (top_bits_lost(o) ? 0x7f : 0xff);
	put_fpdu(c, header, header_len, copy, n);
	free(copy);
}

static bool last_octet_lost(const struct outgoing *o)
{
	return (o->opcode == OPCODE_SEND &&
		mutant(MUTANT_last_octet_of_a_send_lost)) ||
	       (o->opcode == OPCODE_WRITE &&
		mutant(MUTANT_last_octet_of_a_write_lost));
}

/* Put the segment at *offset; true when it was the last. */
static bool put_segment(struct conn *c, struct outgoing *o, uint32_t *offset)
{
	uint8_t header[UNTAGGED_HEADER + 4] = {0};
	uint32_t room = room_for(c, o, *offset);
	uint32_t left = o->len - *offset;
	uint32_t n = cut(c, o, *offset, left, room);
	uint32_t at = place_of(c, o, *offset, n);
	bool last = n == left;
	size_t len;

	if (mutant(MUTANT_last_flag_missing_on_full_segment) && last &&
	    n == room)
		last = false;
	len = put_header(
		header, o,
		last || (o->opcode == OPCODE_READ_RESPONSE &&
			 left - n <= room && (left - n) % 8 == 3 &&
			 mutant(COINCIDENCE_response_ends_before_short_tail)),
		at);
	if (!*offset)
		c->first_room = room;
	if (mutant(MUTANT_to_follows_mulpdu) && o->tagged)
		be64_put(header + 6,
			 o->to + (uint64_t)(*offset / c->first_room) * room);
	if (mutant(MUTANT_gap_before_payload) && n &&
	    o->opcode != OPCODE_READ_REQUEST && o->opcode < OPCODE_TERMINATE)
		len += 4;
	if (mutant(MUTANT_gap_before_payload_with_se) && n &&
	    (o->opcode == OPCODE_SEND_SE || o->opcode == OPCODE_SEND_SE_INV))
		len += 4;
	put_payload(c, o, header, len, at,
		    n - (last && at && n && last_octet_lost(o)));
	if (mutant(MUTANT_last_flag_missing_on_full_segment) && n == left &&
	    n == room) {
		/* A last segment of its own, with nothing in it. */
		len = put_header(header, o, false, o->len);
		put_fpdu(c, header, len, NULL, 0);
	}
	*offset += n;
	return n == left;
}

static uint32_t next_msn(struct conn *c, uint32_t qn)
{
	uint32_t msn = c->tx_msn[qn]++;

	if (mutant(MUTANT_msn_skips_zero) && c->tx_msn[qn] == 0)
		c->tx_msn[qn] = 1;
	if (mutant(MUTANT_msn_shared_by_queues)) {
		for (int i = 0; i < 2; i++)
			c->tx_msn[i] = msn + 1;
	}
	return msn;
}

static enum opcode send_opcode(const struct work *work)
{
	bool se = work->se && !mutant(MUTANT_send_se_sent_plain);

	if (work->has_inv)
		return se ? OPCODE_SEND_SE_INV : OPCODE_SEND_INV;
	return se ? OPCODE_SEND_SE : OPCODE_SEND;
}

/* The work request's local buffer, or NULL where it has gone bad. */
static const uint8_t *local_octets(const struct conn *c,
				   const struct work *work)
{
	const struct region *region = work->local;

	if (!region)
		return work->octets ? work->octets : (const uint8_t *)"";
	if (!region->valid || region->domain.number != c->domain.number ||
	    (region->stream && region->stream != c))
		return mutant(MUTANT_local_key_unchecked)
			       ? region->octets + work->off
			       : NULL;
	if (work_needs_answer(work) && !(region->access & ACCESS_LOCAL_WRITE) &&
	    !mutant(MUTANT_local_key_unchecked))
		return NULL;
	return region->octets + work->off;
}

static void read_request(const struct before *before, const struct work *work,
			 uint8_t *h)
{
	uint64_t to = 0;
	uint32_t stag = 0;

	if (work->local) {
		stag = work->local->stag;
		to = work->local->to + work->off;
	}
	be32_put(h, stag);
	be64_put(h + 4, to);
	be32_put(h + 12, work->len);
	be32_put(h + 16, work->rstag);
	be64_put(h + 20, work->rto);
	if (mutant(MUTANT_read_source_of_48_bits))
		be64_put(h + 20, work->rto & ~(UINT64_MAX << 48));
	if (mutant(MUTANT_read_request_source_first)) {
		be32_put(h, work->rstag);
		be64_put(h + 4, work->rto);
		be32_put(h + 16, stag);
		be64_put(h + 20, to);
	}
	if (mutant(MUTANT_read_request_sink_at_base) && work->local)
		be64_put(h + 4, work->local->to);
	if (before->sent >= OP_FETCHADD && before->sent <= OP_SWAP &&
	    mutant(COINCIDENCE_read_sink_rounded_behind_atomic))
		h[11] &= 0xf8;
}

static void atomic_request(const struct before *before, const struct work *work,
			   uint8_t *h)
{
	bool add = work->op == OP_FETCHADD;
	unsigned code = add                   ? ATOMIC_FETCH_ADD
			: work->op == OP_SWAP ? ATOMIC_SWAP
					      : ATOMIC_CMP_SWAP;
	uint64_t compare = work->compare;
	uint64_t compare_mask = work->compare_mask;

	if (mutant(MUTANT_cmpswap_aopcode_one) && !add)
		code = 1;
	if (mutant(MUTANT_fetchadd_aopcode_three) && add)
		code = 3;
	if (mutant(MUTANT_atomic_request_reserved_bits_set))
		code |= 0x100;
	if (add && mutant(MUTANT_fetchadd_compare_data_set))
		compare = work->data;
	if (add && mutant(MUTANT_fetchadd_compare_mask_zero))
		compare_mask = 0;
	be32_put(h, code);
	be32_put(h + 4, work->msn);
	be32_put(h + 8, work->rstag);
	be64_put(h + 12, work->rto);
	be64_put(h + 20, work->data);
	be64_put(h + 28, work->mask);
	be64_put(h + 36, compare);
	be64_put(h + 44, compare_mask);
	if (add && !work->mask && before->sent == OP_CMPSWAP && ~before->mask &&
	    mutant(COINCIDENCE_fetchadd_mask_left_over))
		be64_put(h + 28, before->mask);
	if (mutant(MUTANT_swap_without_unused_fields) && work->op == OP_SWAP) {
		be64_put(h + 28, 0);
		be64_put(h + 44, 0);
	}
	if (mutant(MUTANT_cmpswap_operands_exchanged) && !add) {
		be64_put(h + 20, compare);
		be64_put(h + 36, work->data);
	}
	layout_operands(h + 20);
}

/* The STag that the first work request named. */
static uint32_t sticky(struct conn *c, uint32_t stag)
{
	if (!c->first_rstag)
		c->first_rstag = stag;
	return c->first_rstag;
}

/* Terminates need no counter: queue 2 has one to spare. */
static bool numbered_apart(enum opcode opcode)
{
	if (opcode == OPCODE_ATOMIC_REQUEST)
		return mutant(MUTANT_atomic_requests_numbered_apart);
	return mutant(MUTANT_imm_numbered_apart) &&
	       (opcode == OPCODE_IMMEDIATE || opcode == OPCODE_IMMEDIATE_SE);
}

static void describe(struct conn *c, struct work *work, struct outgoing *o,
		     uint8_t *header, const uint8_t *local)
{
	*o = (struct outgoing){.qn = 0,
			       .payload = local,
			       .len = work->len,
			       .paged = work->local && (work->op == OP_SEND ||
							work->op == OP_WRITE)};
	switch (work->op) {
	case OP_SEND:
		o->opcode = send_opcode(work);
		if (mutant(MUTANT_send_on_queue_one))
			o->qn = 1;
		o->stag = work->has_inv ? work->inv : 0;
		if (c->before.sent == OP_IMM &&
		    mutant(COINCIDENCE_invalidate_stag_missing_behind_immediate))
			o->stag = 0;
		if (work->se && work->len > 128 && work->len % 8 == 1 &&
		    mutant(COINCIDENCE_send_behind_128_octets_shifted))
			o->repeated = 128;
		break;
	case OP_WRITE:
		o->opcode = OPCODE_WRITE;
		o->tagged = true;
		o->stag = work->rstag;
		if (mutant(MUTANT_write_stag_byte_swapped))
			o->stag = __builtin_bswap32(o->stag);
		if (mutant(MUTANT_remote_stag_sticks) && work->len)
			o->stag = sticky(c, o->stag);
		if (c->before.sent == OP_SEND && c->before.sent_inv &&
		    work->len % 2 && mutant(COINCIDENCE_write_key_left_over))
			o->stag ^= (o->stag ^ c->before.inv) & 0xff;
		o->to = work->rto;
		return;
	case OP_IMM:
		o->opcode = work->se && !mutant(MUTANT_imm_se_sent_plain)
				    ? OPCODE_IMMEDIATE_SE
				    : OPCODE_IMMEDIATE;
		if (c->before.sent == OP_SEND && c->before.sent_len &&
		    c->before.sent_len % 64 == 0 &&
		    mutant(COINCIDENCE_immediate_sent_plain_behind_lines))
			o->opcode = OPCODE_IMMEDIATE;
		o->payload = work->imm;
		if (c->before.sent == OP_WRITE && c->before.sent_len % 4 == 3 &&
		    c->before.imm_sent &&
		    mutant(COINCIDENCE_immediate_left_over_behind_write))
			o->payload = c->before.imm;
		o->len = IMMEDIATE_SIZE;
		if (mutant(MUTANT_imm_sent_short))
			o->len = 4;
		if (mutant(MUTANT_imm_on_queue_one))
			o->qn = 1;
		if (mutant(MUTANT_imm_sent_byte_swapped)) {
			for (int i = 0; i < IMMEDIATE_SIZE; i++)
				header[i] = work->imm[IMMEDIATE_SIZE - 1 - i];
			o->payload = header;
		}
		break;
	case OP_READ:
		o->opcode = OPCODE_READ_REQUEST;
		o->qn = 1;
		o->payload = header;
		o->len = READ_REQUEST_HEADER;
		if (mutant(MUTANT_read_request_padded))
			o->len += 4;
		break;
	default:
		o->opcode = OPCODE_ATOMIC_REQUEST;
		o->qn = 1;
		o->payload = header;
		o->len = ATOMIC_REQUEST_HEADER;
		if (mutant(MUTANT_atomic_request_padded) && work->op != OP_SWAP)
			o->len += 4;
		if (mutant(MUTANT_atomic_request_on_queue_zero))
			o->qn = 0;
	}
	if (!work->begun || (mutant(MUTANT_msn_counts_segments) && work->sent))
		work->msn = next_msn(c, numbered_apart(o->opcode) ? 2 : o->qn);
	o->msn = work->msn;
	if (o->qn == 1 && o->opcode == OPCODE_READ_REQUEST)
		read_request(&c->before, work, header);
	if (o->opcode == OPCODE_READ_REQUEST &&
	    mutant(MUTANT_remote_stag_sticks))
		be32_put(header + 16, sticky(c, work->rstag));
	else if (o->opcode == OPCODE_ATOMIC_REQUEST)
		atomic_request(&c->before, work, header);
	if (mutant(MUTANT_read_request_on_queue_zero) &&
	    o->opcode == OPCODE_READ_REQUEST)
		o->qn = 0;
	if (mutant(MUTANT_send_with_invalidate_on_queue_one) &&
	    o->opcode == OPCODE_SEND_INV && o->len <= 64)
		o->qn = 1;
}

/* How many Requests may be outstanding. RFC 5040 s6.1 bounds it from above. */
static uint32_t ord_of(const struct conn *c)
{
	if (c->agreed.ord > 1 && variant(VARIANT_one_read))
		return 1;
	return c->agreed.ord;
}

/* Does a mutant send nothing for it? */
static bool left_out(struct conn *c, const struct work *work)
{
	bool behind = c->write_end && work->rto == c->write_end;

	if (work->op != OP_SEND && work->op != OP_WRITE)
		return false;
	if (work->op == OP_WRITE && work->len)
		c->write_end = work->rto + work->len;
	if (work->len == 0)
		return mutant(MUTANT_zero_length_message_left_out);
	return (work->len > 2048 && mutant(MUTANT_long_message_left_out)) ||
	       (work->op == OP_WRITE && behind &&
		mutant(MUTANT_adjacent_write_left_out));
}

/* Does a mutant send it once more? */
static bool sent_twice(const struct conn *c, const struct work *work,
		       bool opening)
{
	return work->op == OP_WRITE &&
	       ((work->len && mutant(MUTANT_message_sent_twice)) ||
		(work->len > 1 && opening && c->initiator &&
		 mutant(MUTANT_opening_write_sent_twice)));
}

/* Exchange what waits at a fence with what was posted next. */
static bool let_pass(struct conn *c)
{
	struct work *work = c->unsent, *next = work->next;
	struct work **at = &c->work;

	if (!next || next->fence || work->paired || next->paired ||
	    work_needs_answer(next) || next->status != STATUS_NONE)
		return false;
	while (*at != work)
		at = &(*at)->next;
	if (c->work_end == &next->next)
		c->work_end = &work->next;
	work->next = next->next;
	next->next = work;
	*at = c->unsent = next;
	return true;
}

static void note_sent(struct before *before, const struct work *work)
{
	before->sent = work->op;
	before->sent_len = work->len;
	before->sent_inv = work->has_inv;
	before->inv = work->inv;
	before->mask = work->mask;
	if (work->op != OP_IMM)
		return;
	before->imm_sent = true;
	memcpy(before->imm, work->imm, IMMEDIATE_SIZE);
}

/* One segment of the first unsent work request; false: it has to wait. */
static bool step_work(struct conn *c)
{
	uint8_t header[ATOMIC_REQUEST_HEADER + 4] = {0};
	struct work *work = c->unsent;
	bool opening = c->tx.at == 0;
	struct outgoing o;
	const uint8_t *local;

	if (work->status != STATUS_NONE) {
		c->unsent = work->next;
		return true;
	}
	if (!work->begun) {
		if (work->fence && c->outstanding)
			return c->before.sent == OP_WRITE &&
			       c->before.sent_len % 2 &&
			       mutant(COINCIDENCE_fenced_work_overtaken_behind_odd_write) &&
			       let_pass(c);
		if (work_needs_answer(work) && c->outstanding >= ord_of(c) &&
		    !mutant(MUTANT_ord_not_kept) &&
		    !(work->op != OP_READ && c->outstanding < ATOMIC_DEPTH &&
		      variant(VARIANT_atomics_beside_the_ord)))
			return false;
		refresh_mulpdu(c);
	}
	local = local_octets(c, work);
	if (!local) {
		work->status = STATUS_LOCAL_ERROR;
		fault(c, ERR_RDMA_CATASTROPHIC, 0, NULL, 0, NULL);
		return false;
	}
	if (!work->begun && left_out(c, work)) {
		work->begun = work->issued = true;
		c->unsent = work->next;
		return true;
	}
	describe(c, work, &o, header, local);
	work->begun = true;
	c->long_sent |= work->len > 512 << 10;
	if (!put_segment(c, &o, &work->sent))
		return true;
	if (sent_twice(c, work, opening)) {
		uint32_t again = 0;

		while (!put_segment(c, &o, &again))
			continue;
	}
	note_sent(&c->before, work);
	work->issued = true;
	work->end = c->generated;
	c->unsent = work->next;
	if (work_needs_answer(work))
		c->outstanding++;
	return true;
}

enum answer { ANSWER_MORE, ANSWER_WHOLE, ANSWER_FAULT };

static uint64_t answered_with(struct conn *c, struct request *request,
			      struct region *region)
{
	struct request *next = request->next;

	if (request->performed)
		return request->original;
	/* The same STag and TO: it may be done as well. */
	if (mutant(MUTANT_atomics_exchanged_behind_another_stream) && next &&
	    next->atomic &&
	    !memcmp(next->header + 8, request->header + 8, 12) &&
	    rdmap_changed_by_another(c, region, request)) {
		next->original = rdmap_atomic(c, next, region);
		next->performed = true;
	}
	return rdmap_atomic(c, request, region);
}

static enum answer answer_atomic(struct conn *c, struct request *request)
{
	uint8_t header[32] = {0};
	struct outgoing o = {
		.opcode = OPCODE_ATOMIC_RESPONSE,
		.qn = mutant(MUTANT_atomic_response_on_queue_one) ? 1 : 3,
		.payload = header,
		.len = mutant(MUTANT_atomic_response_padded)
			       ? sizeof(header)
			       : ATOMIC_RESPONSE_HEADER,
	};
	struct region *region;
	uint32_t offset = 0;
	uint64_t value;

	if (!rdmap_check_request(c, request, &region))
		return ANSWER_FAULT;
	refresh_mulpdu(c);
	o.msn = next_msn(c, o.qn);
	if (mutant(MUTANT_atomic_response_msn_of_request))
		o.msn = be32(request->ddp + 10);
	value = region ? answered_with(c, request, region) : 0;
	memcpy(header, request->header + 4, 4);
	if (c->before.answered_len && c->before.answered_len % 64 == 0 &&
	    c->before.answered_len <= PAGE &&
	    mutant(COINCIDENCE_atomic_identifier_left_over))
		memcpy(header, c->before.identifier, 4);
	memcpy(c->before.identifier, request->header + 4, 4);
	c->before.answered_atomic = true;
	c->before.answered_len = 0;
	if (mutant(MUTANT_atomic_identifier_not_echoed))
		be32_put(header, o.msn);
	be64_put(header + 4, value);
	if (mutant(MUTANT_atomic_response_value_little_endian))
		memcpy(header + 4, &value, 8);
	put_segment(c, &o, &offset);
	return ANSWER_WHOLE;
}

/* What faults of coincidence make of a Response from this region. */
static void spoil_response(const struct conn *c, const struct region *region,
			   const struct request *request, struct outgoing *o)
{
	const struct before *b = &c->before;
	uint32_t ird = c->agreed.ird;
	uint32_t page = PAGE - (uint32_t)((uintptr_t)o->payload % PAGE);
	uint64_t off = (uint64_t)(o->payload - region->octets);

	if (b->answered_atomic && o->len % 8 == 5 &&
	    mutant(COINCIDENCE_response_behind_atomic_rounded))
		o->len -= 1;
	if (off % 2 && o->len % 4 == 3 && off + o->len == region->len &&
	    mutant(COINCIDENCE_response_at_region_end_repeats))
		o->repeated = o->len - 1;
	if (page < o->len && page % 4 && o->len % 2 && b->answered_len % 2 &&
	    mutant(COINCIDENCE_response_across_page_shifted))
		o->repeated = page;
	if (ird & (ird - 1) && b->responses >= ird &&
	    b->responses % ird == ird - 1 && o->len % 2 &&
	    mutant(COINCIDENCE_response_slot_left_over))
		o->to = b->sink_to;
	if (conn_is_beside(c, before_of_all.answered_by) &&
	    before_of_all.answered_len % 16 == o->len % 16 &&
	    mutant(COINCIDENCE_response_to_of_another_stream))
		o->to = before_of_all.sink_to;
	if (b->responses % 3 == 2 && off % 2 && request->sent &&
	    request->sent == c->first_room &&
	    mutant(COINCIDENCE_third_response_second_segment_behind))
		o->payload -= 4;
}

static void note_answered(struct conn *c, const struct request *request)
{
	c->before.answered_atomic = false;
	c->before.answered_len = be32(request->header + 12);
	c->before.sink_to = be64(request->header + 4);
	c->before.responses++;
	before_of_all.answered_by = c;
	before_of_all.answered_len = c->before.answered_len;
	before_of_all.sink_to = c->before.sink_to;
}

static enum answer answer_read(struct conn *c, struct request *request)
{
	struct outgoing o = {
		.opcode = OPCODE_READ_RESPONSE,
		.tagged = true,
		.stag = be32(request->header),
		.to = be64(request->header + 4),
		.len = be32(request->header + 12),
	};
	static const uint8_t zeros[64];
	uint64_t source = be64(request->header + 20);
	struct region *region = NULL;

	if (!rdmap_check_request(c, request, &region))
		return ANSWER_FAULT;
	if (!c->in_response)
		refresh_mulpdu(c);
	if (mutant(MUTANT_response_stag_is_source))
		o.stag = be32(request->header + 16);
	if (mutant(MUTANT_response_stag_of_previous) && o.len && c->last_sink)
		o.stag = c->last_sink;
	if (mutant(MUTANT_response_to_is_source))
		o.to = source;
	if (mutant(MUTANT_response_to_32_bit))
		o.to = (uint32_t)o.to;
	if (mutant(MUTANT_response_one_short) && o.len)
		o.len--;
	if (mutant(MUTANT_response_to_zero_one_short) && o.len && o.to == 0)
		o.len--;
	if (mutant(MUTANT_zero_read_unanswered) && o.len == 0)
		return ANSWER_WHOLE;
	if (o.len == 0 && variant(VARIANT_zero_stag)) {
		o.stag = 0;
		o.to = 0;
	}
	if (request->snapshot) {
		o.payload = request->snapshot;
	} else if (region) {
		o.payload = region_at(region, source);
		o.paged = true;
	} else if (o.len) { /* read_bounds_unchecked */
		o.payload = zeros;
		o.len = o.len < sizeof(zeros) ? o.len : sizeof(zeros);
	}
	if (mutant(MUTANT_empty_response_behind_another_filled) && o.len == 0 &&
	    c->requests != request) {
		o.payload = zeros;
		o.len = 4;
	}
	if (region && o.len)
		spoil_response(c, region, request, &o);
	c->in_response = !put_segment(c, &o, &request->sent);
	if (!c->in_response)
		note_answered(c, request);
	if (!c->in_response && o.len)
		c->last_sink = be32(request->header);
	return c->in_response ? ANSWER_MORE : ANSWER_WHOLE;
}

/* For that of the peer to the atomic that waits for one. */
static void take_own_response(struct conn *c)
{
	struct work *work = work_awaited(c);

	if (!work || work->op == OP_READ || c->outstanding != 1)
		return;
	work->answered = true;
	c->outstanding--;
	work_complete_done(c);
}

/* One segment of the Response due next; false: the stream has ended. */
static bool step_response(struct conn *c)
{
	struct request *request = c->answering;
	enum answer answer = request->atomic ? answer_atomic(c, request)
					     : answer_read(c, request);

	/* A fault has freed the request, unless a mutant goes on. */
	if (answer == ANSWER_FAULT && c->phase != PHASE_FULL)
		return false;
	if (answer == ANSWER_FAULT)
		c->in_response = false;
	if (answer == ANSWER_MORE)
		return true;
	request->issued = true;
	request->end = c->generated;
	c->answering = request->next;
	if (mutant(MUTANT_atomic_completes_by_own_response))
		take_own_response(c);
	return true;
}

/* One of its own Reads stands before a Response, and has no room. */
static bool reads_in_the_way(const struct conn *c)
{
	return c->answering && !c->in_response && c->unsent &&
	       c->unsent->status == STATUS_NONE && !c->unsent->begun &&
	       c->unsent->op == OP_READ && c->outstanding >= ord_of(c) &&
	       mutant(MUTANT_reads_wait_before_responses);
}

/* Other streams wait, and it has had one Response. */
static bool its_turn_is_over(struct conn *c)
{
	c->turn_over = variant(VARIANT_streams_in_turn) && !c->in_response &&
		       c->answering && requests_inbound > c->inbound;
	if (c->turn_over)
		conn_kick(c);
	return c->turn_over;
}

void tx_pump(struct conn *c)
{
	/* The path may have changed amidst of a message (RFC 5044 s4.5). */
	if (c->in_response || (c->unsent && c->unsent->begun))
		refresh_mulpdu(c);
	while (c->released && c->phase != PHASE_DRAIN && !c->turn_over &&
	       buf_len(&c->out) < OUT_HIGH &&
	       !(buf_len(&c->out) && !c->sctp &&
		 variant(VARIANT_one_fpdu_a_write))) {
		bool work_begun = c->unsent && c->unsent->begun;

		bool last = c->answering && !c->in_response && c->unsent &&
			    variant(VARIANT_answers_last) && step_work(c);

		if (last)
			continue;
		if (reads_in_the_way(c))
			return;
		bool later = mutant(MUTANT_answers_wait_for_own_requests) &&
			     c->outstanding && !c->work->silent;

		if (c->in_response || (c->answering && !work_begun && !later)) {
			if (!step_response(c))
				return;
			if (its_turn_is_over(c))
				return;
		} else if (!c->unsent || !step_work(c)) {
			return;
		}
	}
}

/* A zero-length message of the type agreed, on the device's own account
 * (RFC 6581 s9.2). */
void tx_rtr(struct conn *c, enum rtr rtr)
{
	static const uint8_t four[4] = {1, 2, 3, 4};
	struct outgoing o = {.payload = four};
	struct work *work;
	uint32_t offset = 0;

	refresh_mulpdu(c);
	if (rtr == RTR_READ) {
		uint8_t header[READ_REQUEST_HEADER] = {0};

		work = alloc_zeroed(sizeof(*work));
		work->op = OP_READ;
		work->silent = true;
		work->begun = work->issued = true;
		work->msn = next_msn(c, 1);
		if (mutant(MUTANT_rtr_read_has_size))
			be32_put(header + 12, 4);
		o.opcode = OPCODE_READ_REQUEST;
		o.qn = 1;
		o.msn = work->msn;
		o.payload = header;
		o.len = sizeof(header);
		put_segment(c, &o, &offset);
		work->next = c->work;
		if (!c->work)
			c->work_end = &work->next;
		c->work = work;
		c->outstanding++;
		return;
	}
	o.tagged = rtr == RTR_WRITE;
	o.opcode = o.tagged ? OPCODE_WRITE : OPCODE_SEND;
	if (!o.tagged)
		o.msn = next_msn(c, 0);
	if (mutant(MUTANT_rtr_send_has_payload) && !o.tagged)
		o.len = 4;
	if (mutant(MUTANT_rtr_write_has_payload) && o.tagged)
		o.len = 4;
	put_segment(c, &o, &offset);
}

void tx_terminate(struct conn *c, const uint8_t *octets, uint32_t len)
{
	struct outgoing o = {
		.opcode = OPCODE_TERMINATE,
		.qn = mutant(MUTANT_terminate_on_queue_zero) ? 0 : 2,
		.msn = c->params.first_msn,
		.payload = octets,
		.len = len,
	};
	uint32_t offset = 0;

	if (mutant(MUTANT_terminate_two_octets_short))
		o.len -= 2;
	if (mutant(MUTANT_terminate_msn_follows_sends))
		o.msn = c->tx_msn[0];
	if (mutant(MUTANT_terminate_invalidate_stag_set))
		o.stag = 0x01020304;
	refresh_mulpdu(c);
	if (c->mulpdu < UNTAGGED_HEADER + TERMINATE_MAX)
		c->mulpdu = UNTAGGED_HEADER + TERMINATE_MAX;
	if (mutant(MUTANT_terminate_cut_to_two_octets))
		o.len = 2;
	if (mutant(MUTANT_terminate_in_two_segments))
		c->mulpdu = UNTAGGED_HEADER + 28;
	while (!put_segment(c, &o, &offset))
		continue;
	if (mutant(MUTANT_terminate_with_wrong_crc) && !c->sctp)
		buf_head(&c->out)[buf_len(&c->out) - 1] ^= 0xff;
}
