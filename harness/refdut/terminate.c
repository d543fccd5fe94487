/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Errors and Terminate messages (RFC 5040 s4.8, s7; RFC 7306 s8).
 *
 * Where the texts leave a choice: an error of RDMAP found on a Read Request
 * returns its RDMA header for every error type, as the list of RFC 5040 s7.1
 * says (its figure 10 has none for type 2); a responder that may not send
 * yet closes without a Terminate, since that would be an FPDU; a local
 * catastrophic error of DDP returns no header.
 */
#include "harness/refdut/conn.h"
#include "harness/refdut/conn_sctp.h"
#include "harness/refdut/layout.h"
#include "harness/refdut/mutants.h"
#include "harness/refdut/variants.h"

#include <string.h>

enum { M_FLAG = 0x80, D_FLAG = 0x40, R_FLAG = 0x20 };

static bool returns_headers(unsigned type)
{
	if (mutant(MUTANT_terminate_llp_error_has_header))
		return type != ERR_RDMA_CATASTROPHIC;
	return type == ERR_RDMA_PROTECTION || type == ERR_RDMA_OPERATION ||
	       type == ERR_DDP_TAGGED || type == ERR_DDP_UNTAGGED;
}

static unsigned faulty_code(unsigned *type, unsigned code)
{
	if (mutant(MUTANT_terminate_unregistered_code) &&
	    *type == ERR_DDP_UNTAGGED)
		return 0;
	if (mutant(MUTANT_ddp_local_error_misnumbered) &&
	    *type == ERR_DDP_CATASTROPHIC)
		return 1;
	if (mutant(MUTANT_dv_error_as_rdmap_version) &&
	    ((*type == ERR_DDP_TAGGED && code == 4) ||
	     (*type == ERR_DDP_UNTAGGED && code == 6))) {
		*type = ERR_RDMA_OPERATION;
		return 5;
	}
	if (mutant(MUTANT_tagged_errors_use_rdmap_codes) &&
	    *type == ERR_DDP_TAGGED && code < 4)
		*type = ERR_RDMA_PROTECTION;
	if (mutant(MUTANT_read_errors_use_ddp_codes) &&
	    *type == ERR_RDMA_PROTECTION && code < 9)
		*type = ERR_DDP_TAGGED;
	if (mutant(MUTANT_bad_opcode_as_catastrophe) &&
	    *type == ERR_RDMA_OPERATION && code == 6)
		return 7;
	if (mutant(MUTANT_bad_version_as_bad_opcode) &&
	    *type == ERR_RDMA_OPERATION && code == 5)
		return 6;
	return code;
}

/* Other numbers that the texts have for the same. */
static void renumber(unsigned *type, unsigned *code)
{
	if (*type == ERR_MPA && *code <= 4 &&
	    variant(VARIANT_errors_of_mpa_are_of_type_3))
		*type = ERR_MPA_AS_LLP;
	if (*type == ERR_RDMA_CATASTROPHIC &&
	    variant(VARIANT_catastrophe_has_a_code))
		*code = 0x5a;
}

/* Headers that RFC 5040 s7.1 has "set to zero", taken as it stands. */
static uint32_t zeros(uint8_t *t, uint32_t n, uint32_t len)
{
	if (!variant(VARIANT_terminate_headers_set_to_zero))
		return n;
	memset(t + n, 0, len);
	return n + len;
}

/* Build the message from its control word on; returns its length. */
static uint32_t build(uint8_t *t, unsigned type, unsigned code,
		      const uint8_t *ulpdu, uint32_t len,
		      const uint8_t *request)
{
	uint32_t header = 0;
	uint32_t n = 4;

	code = faulty_code(&type, code);
	renumber(&type, &code);
	t[0] = (uint8_t)type;
	t[1] = (uint8_t)code;
	if (mutant(MUTANT_terminate_codes_from_64_on))
		t[1] |= 0x40;
	t[2] = t[3] = 0;
	if (mutant(MUTANT_terminate_reserved_bits_set))
		t[3] = 0x01;
	if (mutant(MUTANT_terminate_without_headers) ||
	    variant(VARIANT_terminate_of_four_octets))
		return n;
	if (!ulpdu && mutant(MUTANT_terminate_llp_error_has_header) &&
	    type == ERR_MPA) {
		t[2] = M_FLAG;
		be16_put(t + 4, 0);
		return 6;
	}
	if (len && type == ERR_MPA &&
	    variant(VARIANT_terminate_of_the_llp_with_length)) {
		t[2] = M_FLAG;
		be16_put(t + 4, (uint16_t)len);
		return 6;
	}
	if (!ulpdu && mutant(MUTANT_terminate_local_error_has_length) &&
	    type == ERR_RDMA_CATASTROPHIC) {
		t[2] = M_FLAG;
		be16_put(t + 4, 0);
		return 6;
	}
	if (!ulpdu && mutant(MUTANT_terminate_local_error_has_header) &&
	    type == ERR_RDMA_CATASTROPHIC) {
		t[2] = M_FLAG | D_FLAG;
		memset(t + 4, 0x41, 2 + UNTAGGED_HEADER);
		return 6 + UNTAGGED_HEADER;
	}
	if (!ulpdu && (type >> 4) < 2)
		return zeros(t, n, UNTAGGED_HEADER + READ_REQUEST_HEADER);
	if (!ulpdu || !returns_headers(type))
		return n;
	header = ulpdu[0] & 0x80 ? TAGGED_HEADER : UNTAGGED_HEADER;
	if (len < header)
		return n;
	t[2] |= M_FLAG | D_FLAG;
	if (mutant(MUTANT_terminate_announces_header_only) &&
	    header == TAGGED_HEADER)
		return n;
	be16_put(t + n, (uint16_t)len);
	if (mutant(MUTANT_terminate_segment_length_of_payload))
		be16_put(t + n, (uint16_t)(len - header));
	if (mutant(MUTANT_terminate_m_flag_missing) ||
	    variant(VARIANT_terminate_length_not_marked))
		t[2] &= (uint8_t)~M_FLAG;
	if (mutant(MUTANT_terminate_length_left_out))
		t[2] &= (uint8_t)~M_FLAG;
	else
		n += 2;
	if (mutant(MUTANT_terminate_tagged_header_as_untagged) &&
	    header == TAGGED_HEADER && len >= UNTAGGED_HEADER)
		header = UNTAGGED_HEADER;
	memcpy(t + n, ulpdu, header);
	if (mutant(MUTANT_terminate_header_zeroed))
		memset(t + n, 0, header);
	n += header;
	if (request && !mutant(MUTANT_terminate_read_header_missing)) {
		t[2] |= R_FLAG;
		memcpy(t + n, request, READ_REQUEST_HEADER);
		return n + READ_REQUEST_HEADER;
	}
	if (mutant(MUTANT_terminate_zeros_behind_header)) {
		memset(t + n, 0, READ_REQUEST_HEADER);
		return n + READ_REQUEST_HEADER;
	}
	return zeros(t, n, READ_REQUEST_HEADER);
}

static void finish(struct conn *c)
{
	work_flush(c);
	receive_flush(c);
	request_free_all(c);
	conn_drain(c);
}

/* A Terminate SHOULD be sent for what DDP and MPA find (RFC 5040 s6.2.1). */
static bool is_silent_about(unsigned type, unsigned code)
{
	if (type >> 4 == 1)
		return variant(VARIANT_silent_about_errors_of_ddp);
	return type == ERR_MPA && code <= 4 &&
	       variant(VARIANT_silent_about_errors_of_mpa);
}

void fault(struct conn *c, unsigned type, unsigned code, const uint8_t *ulpdu,
	   uint32_t len, const uint8_t *request)
{
	struct terminate *t = &c->terminate;

	if (mutant(MUTANT_invalid_terminate_dropped) && ulpdu && len > 1 &&
	    (ulpdu[1] & 0x0f) == OPCODE_TERMINATE)
		return;
	if ((c->rx_over && !c->closing) || c->phase != PHASE_FULL ||
	    c->terminate.known)
		return;
	c->rx_over = true;
	if (mutant(MUTANT_terminate_held_behind_data) && c->long_sent) {
		conn_final(c, CONN_ERROR);
		return;
	}
	if (mutant(MUTANT_unassigned_opcode_untold) && ulpdu && len > 1 &&
	    (ulpdu[1] & 0x0f) > OPCODE_ATOMIC_RESPONSE)
		c->untold = true;
	if (c->bad_crc_next && (type >> 4) != 2) {
		type = ERR_MPA;
		code = 2;
		ulpdu = request = NULL;
	}
	if ((!c->released &&
	     !variant(VARIANT_terminate_before_the_first_fpdu)) ||
	    c->fin_sent || is_silent_about(type, code)) {
		conn_final(c, CONN_ERROR);
		finish(c);
		return;
	}
	if (mutant(MUTANT_mpa_error_closes_silently) && (type >> 4) == 2) {
		conn_final(c, CONN_ERROR);
		finish(c);
		return;
	}
	if (mutant(MUTANT_full_buffer_closes_silently) &&
	    type == ERR_DDP_UNTAGGED && code == 4 && ulpdu &&
	    be32(ulpdu + 14) == c->queue[0].placed) {
		conn_final(c, CONN_ERROR);
		finish(c);
		return;
	}
	if (mutant(MUTANT_ddp_error_closes_silently) && (type >> 4) == 1) {
		conn_final(c, CONN_ERROR);
		finish(c);
		return;
	}
	if (mutant(MUTANT_rdmap_error_closes_silently) && (type >> 4) == 0) {
		conn_final(c, CONN_ERROR);
		finish(c);
		return;
	}
	if ((mutant(MUTANT_llp_error_closes_silently) && (type >> 4) == 2) ||
	    (mutant(MUTANT_terminate_lost_behind_data) && buf_len(&c->out))) {
		conn_final(c, CONN_ERROR);
		finish(c);
		return;
	}
	if (mutant(MUTANT_error_ends_other_streams)) {
		for (struct conn *o = c->next; o; o = o->next) {
			conn_final(o, CONN_ERROR);
			conn_flush_all(o);
			conn_drop(o, true);
		}
	}
	t->len = build(t->octets, type, code, ulpdu, len, request);
	layout_terminate(t->octets);
	t->known = true;
	t->local = true;
	if (mutant(MUTANT_ddp_error_told_as_close) && (type >> 4) == 1)
		conn_final(c, CONN_CLOSED);
	conn_final(c, CONN_TERMINATED);
	if (c->stream && mutant(MUTANT_session_terminate_comes_first))
		stream_end(c->stream);
	tx_terminate(c, t->octets, t->len);
	if (mutant(MUTANT_terminate_sent_twice))
		tx_terminate(c, t->octets, t->len);
	if (mutant(MUTANT_goes_on_after_error) ||
	    (mutant(MUTANT_goes_on_after_crc_error) && type == ERR_MPA)) {
		c->rx_over = false;
		conn_kick(c);
		return;
	}
	if (mutant(MUTANT_message_after_terminate))
		tx_rtr(c, RTR_WRITE);
	finish(c);
}

/* Is this the work request whose message's header came back? */
static bool names(const struct work *work, const uint8_t *header)
{
	unsigned opcode = header[1] & 0x0f;

	if (!work->begun)
		return false;
	if (header[0] & 0x80)
		return opcode == OPCODE_WRITE && work->op == OP_WRITE &&
		       work->rstag == be32(header + 2) &&
		       be64(header + 6) - work->rto <= work->len;
	switch (opcode) {
	case OPCODE_READ_REQUEST:
	case OPCODE_ATOMIC_REQUEST:
		return work_needs_answer(work) &&
		       work->msn == be32(header + 10);
	case OPCODE_IMMEDIATE:
	case OPCODE_IMMEDIATE_SE:
		return work->op == OP_IMM && work->msn == be32(header + 10);
	case OPCODE_SEND:
	case OPCODE_SEND_INV:
	case OPCODE_SEND_SE:
	case OPCODE_SEND_SE_INV:
		return work->op == OP_SEND && work->msn == be32(header + 10);
	default:
		return false;
	}
}

void terminate_received(struct conn *c, const uint8_t *octets, uint32_t len)
{
	static const uint8_t answer[] = {ERR_RDMA_OPERATION, 0xff, 0, 0};
	struct terminate *t = &c->terminate;

	t->len = len < TERMINATE_MAX ? len : TERMINATE_MAX;
	memcpy(t->octets, octets, t->len);
	t->known = true;
	c->rx_over = true;
	if (!mutant(MUTANT_received_terminate_untold))
		conn_final(c, CONN_TERMINATED);
	else
		t->known = false;
	if (octets[2] & D_FLAG) {
		struct work *work = c->work;

		while (work && !names(work, octets + 6))
			work = work->next;
		if (work && work->status == STATUS_NONE && !work->answered)
			work->status = STATUS_REMOTE_ERROR;
	}
	if (c->released && variant(VARIANT_terminate_answered_by_one))
		tx_terminate(c, answer, sizeof(answer));
	if (!variant(VARIANT_close_left_to_the_peer)) {
		finish(c);
		return;
	}
	work_flush(c);
	receive_flush(c);
	request_free_all(c);
	conn_kick(c);
}
