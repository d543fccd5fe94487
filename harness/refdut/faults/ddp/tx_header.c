/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults in the headers that are sent (RFC 5041 s4, RFC 5040 s4.1). */
#include "harness/refdut/ddp/tx_header_decisions.h"
#include "harness/refdut/ddp/tx_segment_decisions.h"
#include "harness/refdut/decision/override.h"

enum { L_FLAG = 0x40, T_FLAG = 0x80, DV_BITS = 0x03, RV_BITS = 0xc0 };

/* Octets that an old message left in the buffer. */
enum { LEFT_OVER = 0x01020304 };

/* The DDP control field (RFC 5041 s4.1) */

MUTANT(last_flag_always, "DDP-4.1-05 DDP-4.1-06 RDMAP-5.2-01 RDMAP-3.1-02",
       "sets L on every segment", ddp_control)
{
	return OTHERWISE(ddp_control) | L_FLAG;
}

MUTANT(last_flag_missing_on_full_segment, "DDP-4.1-04",
       "leaves L clear when the last segment has the full size",
       segment_is_last)
{
	return OTHERWISE(segment_is_last) && s->len != s->room;
}

/* An empty segment follows. */
ALSO(last_flag_missing_on_full_segment, segment_out)
{
	struct segment empty = {.offset = m->len, .mo = m->len};

	OTHERWISE(segment_out);
	if (s->offset + s->len == m->len && s->len == s->room)
		segment_out_otherwise(self, c, m, &empty);
}

MUTANT(ddp_reserved_bits_set, "DDP-4.1-11 RDMAPX-4.1-10",
       "sets a reserved bit of the DDP control octet", ddp_control)
{
	return OTHERWISE(ddp_control) | 0x04;
}

MUTANT(dv_zero_in_tagged, "DDP-4.1-13 MPA-3-11",
       "sends tagged segments with DV 0", ddp_control)
{
	unsigned control = OTHERWISE(ddp_control);

	return m->tagged ? control & ~(unsigned)DV_BITS : control;
}

MUTANT(dv_zero_in_untagged, "DDP-4.1-13 RDMAPX-4.1-10 MPA-3-11",
       "sends untagged segments with DV 0", ddp_control)
{
	unsigned control = OTHERWISE(ddp_control);

	return !m->tagged && m->opcode != OPCODE_TERMINATE
		       ? control & ~(unsigned)DV_BITS
		       : control;
}

MUTANT(terminate_dv_zero, "DDP-4.1-14 DDP-4.1-13",
       "sends its Terminate with DV 0", ddp_control)
{
	unsigned control = OTHERWISE(ddp_control);

	return m->opcode == OPCODE_TERMINATE ? control & ~(unsigned)DV_BITS
					     : control;
}

MUTANT(read_response_without_t, "DDP-4.1-03",
       "clears T in all but the first segment of a Read Response", ddp_control)
{
	unsigned control = OTHERWISE(ddp_control);

	return m->opcode == OPCODE_READ_RESPONSE && s->mo
		       ? control & ~(unsigned)T_FLAG
		       : control;
}

MUTANT(later_segments_change_t, "DDP-4.1-03",
       "inverts T in all but the first segment of a Send or Write", ddp_control)
{
	unsigned control = OTHERWISE(ddp_control);

	return m->opcode != OPCODE_READ_RESPONSE && s->mo ? control ^ T_FLAG
							  : control;
}

/* The RDMAP control field (RFC 5040 s4.1, RFC 7306 s4.1) */

static unsigned with_opcode(unsigned control, enum opcode opcode)
{
	return (control & ~0x0fu) | opcode;
}

MUTANT(opcodes_unregistered, "IANA-3.4-03 RDMAP-4.1-01 RDMAP-6.1-01",
       "sends all messages except empty ones with opcodes above 11",
       rdmap_control)
{
	return OTHERWISE(rdmap_control) | (m->len ? 0x0c : 0);
}

MUTANT(send_se_opcode_unregistered, "IANA-3.4-03 RDMAP-4.1-26 RDMAP-4.1-27",
       "sends Sends with Solicited Event with opcodes above 11", rdmap_control)
{
	bool se =
		m->opcode == OPCODE_SEND_SE || m->opcode == OPCODE_SEND_SE_INV;

	return OTHERWISE(rdmap_control) | (se ? 0x08 : 0);
}

MUTANT(write_sent_as_read_response, "RDMAP-4.1-21",
       "sends Writes with the opcode of Read Responses", rdmap_control)
{
	unsigned control = OTHERWISE(rdmap_control);

	return m->opcode == OPCODE_WRITE && m->len
		       ? with_opcode(control, OPCODE_READ_RESPONSE)
		       : control;
}

MUTANT(read_response_sent_as_write, "RDMAP-4.1-23",
       "sends Read Responses with the opcode of Writes", rdmap_control)
{
	unsigned control = OTHERWISE(rdmap_control);

	return m->opcode == OPCODE_READ_RESPONSE && m->len
		       ? with_opcode(control, OPCODE_WRITE)
		       : control;
}

MUTANT(rdmap_reserved_bits_set, "RDMAP-4.1-10 RDMAPX-4.1-10",
       "sets a reserved bit of the RDMAP control octet", rdmap_control)
{
	return OTHERWISE(rdmap_control) | 0x10;
}

MUTANT(rv_zero, "RDMAP-4.1-02", "sends RDMAP version 0", rdmap_control)
{
	return OTHERWISE(rdmap_control) & ~(unsigned)RV_BITS;
}

MUTANT(rv_zero_in_extensions, "RDMAPX-4.1-01",
       "sends RDMAP version 0 in Immediate Data and atomics", rdmap_control)
{
	unsigned control = OTHERWISE(rdmap_control);

	return m->opcode >= OPCODE_IMMEDIATE ? control & ~(unsigned)RV_BITS
					     : control;
}

MUTANT(rsvdulp_in_first_segment_only, "DDP-4.2-02 DDP-4.3-02",
       "sends the RDMAP control octet in the first segment only", rdmap_control)
{
	return s->mo ? 0 : OTHERWISE(rdmap_control);
}

/* STag and TO (RFC 5041 s4.2) */

MUTANT(stag_in_first_segment_only, "DDP-4.2-03",
       "sends the STag in the first segment only", segment_stag)
{
	return s->mo ? 0 : OTHERWISE(segment_stag);
}

MUTANT(to_carry_lost, "DDP-5.2-07",
       "loses the carry out of the low 32 bits of TO", segment_to)
{
	return (m->to & ~(uint64_t)UINT32_MAX) |
	       (uint32_t)OTHERWISE(segment_to);
}

MUTANT(to_not_advanced, "DDP-5.2-07", "sends the first TO in every segment",
       segment_to)
{
	return m->to;
}

MUTANT(to_follows_mulpdu, "DDP-3-04",
       "computes TO from the number of a segment and the current MULPDU",
       segment_to)
{
	uint32_t *first = remember(&c->remembered, self, sizeof(*first));

	if (!s->offset)
		*first = s->room;
	return m->to + (uint64_t)(s->offset / *first) * s->room;
}

/* The Invalidate STag (RFC 5040 s4.1) */

MUTANT(invalidate_stag_in_first_segment_only,
       "DDP-4.3-02 RDMAP-5.3-13 RDMAP-4.1-20",
       "clears the Invalidate STag in all but the first segment",
       segment_invalidate_stag)
{
	return s->mo ? 0 : OTHERWISE(segment_invalidate_stag);
}

MUTANT(invalidate_stag_field_left_over,
       "RDMAP-4.1-12 RDMAP-4.1-13 RDMAP-4.1-14",
       "leaves old octets in the Invalidate STag field of messages without one",
       segment_invalidate_stag)
{
	switch (m->opcode) {
	case OPCODE_SEND:
	case OPCODE_SEND_SE:
	case OPCODE_READ_REQUEST:
		return LEFT_OVER;
	default:
		return OTHERWISE(segment_invalidate_stag);
	}
}

MUTANT(extensions_leave_invalidate_stag, "RDMAPX-4.1-03",
       "leaves old octets in the Invalidate STag field of RFC 7306's messages",
       segment_invalidate_stag)
{
	return m->opcode >= OPCODE_IMMEDIATE
		       ? LEFT_OVER
		       : OTHERWISE(segment_invalidate_stag);
}

MUTANT(invalidate_stag_byte_swapped, "RDMAP-4.1-20 RDMAP-5.3-13",
       "sends the Invalidate STag least significant octet first",
       segment_invalidate_stag)
{
	return __builtin_bswap32(OTHERWISE(segment_invalidate_stag));
}

/* QN and MO (RFC 5041 s4.3) */

MUTANT(later_segments_on_queue_one, "DDP-4.3-04",
       "sends all but the first segment of a Send on queue 1", segment_qn)
{
	return s->mo && is_send(m) ? 1 : OTHERWISE(segment_qn);
}

MUTANT(read_request_on_queue_zero, "RDMAP-4.1-22",
       "sends Read Requests on queue 0", segment_qn)
{
	return m->work && m->opcode == OPCODE_READ_REQUEST
		       ? 0
		       : OTHERWISE(segment_qn);
}

MUTANT(send_with_invalidate_on_queue_one, "RDMAP-4.1-25",
       "sends Sends with Invalidate of up to 64 octets with QN 1, numbered "
       "like other Sends",
       segment_qn)
{
	return m->opcode == OPCODE_SEND_INV && m->len <= 64
		       ? 1
		       : OTHERWISE(segment_qn);
}

MUTANT(mo_counts_header, "DDP-5.2-05", "counts a header in MO", segment_mo)
{
	uint32_t mo = OTHERWISE(segment_mo);

	return mo ? mo + UNTAGGED_HEADER : mo;
}

MUTANT(last_segment_mo_zero, "DDP-4.1-07 DDP-5.2-05",
       "sends MO 0 in the last segment of a Send", segment_mo)
{
	return s->last ? 0 : OTHERWISE(segment_mo);
}

MUTANT(mo_starts_at_four, "DDP-4.3-12 DDP-5.2-05",
       "counts MO from 4 if a Send has several segments", segment_mo)
{
	uint32_t mo = OTHERWISE(segment_mo);

	return is_send(m) && (!s->last || s->mo) ? mo + 4 : mo;
}

/* Where the payload begins (RFC 5041 s4.2, s4.3) */

static size_t with_gap(uint8_t *h, size_t len)
{
	be32_put(h + len, 0);
	return len + SPARE;
}

MUTANT(gap_before_payload, "RDMAP-4.2-14 DDP-4.2-01 DDP-4.3-01",
       "leaves four octets between the DDP header and the payload",
       segment_header)
{
	size_t len = OTHERWISE(segment_header);

	return s->len && m->opcode != OPCODE_READ_REQUEST &&
			       m->opcode < OPCODE_TERMINATE
		       ? with_gap(h, len)
		       : len;
}

MUTANT(gap_before_payload_with_se, "RDMAP-4.2-14",
       "sends four octets before the payload of Sends with Solicited Event",
       segment_header)
{
	size_t len = OTHERWISE(segment_header);
	bool se =
		m->opcode == OPCODE_SEND_SE || m->opcode == OPCODE_SEND_SE_INV;

	return s->len && se ? with_gap(h, len) : len;
}

MUTANT(offset_sent_in_20_bits, "DDP-5.2-03 DDP-5.2-07",
       "adds the low 20 bits of an offset in the message to TO", segment_to)
{
	return OTHERWISE(segment_to) - (s->mo & ~0xfffffu);
}
