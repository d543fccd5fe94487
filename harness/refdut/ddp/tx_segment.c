/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Outgoing segments (RFC 5041 s5.2): a message is cut according to MULPDU, and
 * its segments leave one after the other, each as an FPDU of MPA or a chunk of
 * SCTP.
 *
 * Where the RFCs leave a choice: each segment is as long as possible, and
 * segments leave in order.
 */
#include "harness/refdut/ddp/tx_segment_decisions.h"
#include "harness/refdut/ddp/tx_header_decisions.h"
#include "harness/refdut/sctp/conn_sctp.h"

RULE(fpdu_position)
{
	return c->tx.at;
}

static void put_ulpdu(struct conn *c, const uint8_t *header, size_t header_len,
		      const uint8_t *payload, size_t len)
{
	size_t before = buf_len(&c->out);

	if (c->sctp) {
		conn_put_segment(c, header, header_len, payload, len);
		return;
	}
	c->tx.at = fpdu_position(c);
	framing_put(&c->tx, &c->out, header, header_len, payload, len);
	framing_put_early(&c->tx, &c->out);
	c->generated += buf_len(&c->out) - before;
}

RULE(segment_room)
{
	return c->mulpdu - header_length(m);
}

RULE(segment_length)
{
	uint32_t left = m->len - offset;

	return left < room ? left : room;
}

RULE(segment_offset)
{
	return offset;
}

RULE(segment_is_last)
{
	return s->offset + s->len == m->len;
}

RULE(segment_payload)
{
	return (m->payload ? m->payload : m->body) + at;
}

RULE(segment_out)
{
	uint8_t header[UNTAGGED_HEADER + 2 * SPARE] = {0};
	size_t header_len = segment_header(c, m, s, header);
	const uint8_t *payload = NULL;

	if (s->len)
		payload = segment_payload(c, m, s->mo, s->len);
	put_ulpdu(c, header, header_len, payload, s->len);
}

RULE(put_segment)
{
	struct segment s = {.offset = *offset};

	s.room = segment_room(c, m, s.offset);
	s.len = segment_length(c, m, s.offset, s.room);
	s.mo = segment_offset(c, m, s.offset, s.len);
	s.last = segment_is_last(c, m, &s);
	segment_out(c, m, &s);
	*offset += s.len;
	return *offset == m->len;
}
