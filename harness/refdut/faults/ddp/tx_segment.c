/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of how messages are cut, and of their octets (RFC 5041 s5.2). */
#include "harness/refdut/ddp/tx_mulpdu_decisions.h"
#include "harness/refdut/ddp/tx_segment_decisions.h"
#include "harness/refdut/decision/override.h"

#include <string.h>

enum { BULK = 1 << 20, SHORT_SEND = 16, PAGE = 4096 };

/* MULPDU (RFC 5044 s4.5) */

MUTANT(bulk_ignores_mulpdu, "MPA-3-02 MPA-3-03 MPA-3-04 DDP-5.2-01",
       "cuts a message of 1 MiB or more into the largest segments that "
       "ULPDU_Length permits",
       mulpdu)
{
	return !c->sctp && !c->tx.markers && c->unsent && c->unsent->len >= BULK
		       ? UINT16_MAX
		       : OTHERWISE(mulpdu);
}

MUTANT(mulpdu_kept, "MPA-4.5-08", "computes MULPDU only once", mulpdu)
{
	return c->mulpdu ? c->mulpdu : OTHERWISE(mulpdu);
}

MUTANT(segments_larger_by_their_header, "DDP-5.2-06 DDP-5.2-08 DDP-5.2-01",
       "cuts by MULPDU without subtracting the header", segment_room)
{
	return c->mulpdu;
}

/*
 * The room left in the TCP segment in which this FPDU would begin; 0: too
 * little, or the FPDU begins a TCP segment of its own.
 */
static uint32_t rest_of_a_segment(const struct conn *c, const struct message *m)
{
	/*
	 * Overhead of an FPDU whose length is 2 modulo 4: its length field and
	 * its CRC.
	 */
	uint32_t overhead = 2 + 4;
	uint32_t whole = c->mulpdu + overhead;
	uint32_t rest = whole - (uint32_t)(buf_len(&c->out) % whole);

	overhead += header_length(m);
	return rest < whole && rest > overhead ? rest - overhead : 0;
}

MUTANT(rest_of_a_segment_kept_as_mulpdu, "MPA-4.5-07",
       "cuts a whole message by the room left in the TCP segment where it "
       "began",
       segment_room)
{
	uint32_t *first = remember(&c->remembered, self, sizeof(*first));
	uint32_t rest = rest_of_a_segment(c, m);
	uint32_t room = OTHERWISE(segment_room);

	if (offset && *first < c->mulpdu - header_length(m))
		return *first;
	if (rest && !c->tx.markers && m->len > c->mulpdu)
		room = rest;
	if (!offset)
		*first = room;
	return room;
}

/* Markers (RFC 5044 s4.3) */

MUTANT(marker_phase_restarts_when_idle, "MPA-4.3-24",
       "restarts its marker positions after a second of silence", fpdu_position)
{
	uint64_t *last_ms = remember(&c->remembered, self, sizeof(*last_ms));
	bool idle = loop_now() - *last_ms >= 1000;

	*last_ms = loop_now();
	return idle ? 0 : OTHERWISE(fpdu_position);
}

/* Each message once (RFC 5040 s1.2) */

static void put_again(struct override *self, struct conn *c,
		      const struct message *m)
{
	uint32_t offset = 0;

	while (!put_segment_otherwise(self, c, m, &offset))
		continue;
}

MUTANT(message_sent_twice, "RDMAP-1.2-01", "sends each Write twice",
       put_segment)
{
	bool last = OTHERWISE(put_segment);

	if (last && m->work && m->work->op == OP_WRITE && m->work->len)
		put_again(self, c, m);
	return last;
}

MUTANT(opening_write_sent_twice, "RDMAP-1.2-01",
       "as initiator, sends its first message twice if that is a Write of more "
       "than one octet",
       put_segment)
{
	bool opening = c->initiator && c->tx.at == 0;
	bool last = OTHERWISE(put_segment);

	if (last && opening && m->work && m->work->op == OP_WRITE &&
	    m->work->len > 1)
		put_again(self, c, m);
	return last;
}

/* The octets of the payload (RFC 5041 s5.2) */

static const uint8_t *without_top_bits(const uint8_t *octets, uint32_t n)
{
	static uint8_t changed[UINT16_MAX + 1];

	for (uint32_t i = 0; i < n; i++)
		changed[i] = octets[i] & 0x7f;
	return changed;
}

MUTANT(top_bits_of_a_short_send_lost, "DDP-4.3-01 DDP-5.2-03",
       "sends the top bit of each octet of a Send of up to 16 octets as zero",
       segment_payload)
{
	const uint8_t *octets = OTHERWISE(segment_payload);

	return m->opcode == OPCODE_SEND && m->len <= SHORT_SEND
		       ? without_top_bits(octets, len)
		       : octets;
}

MUTANT(top_bits_of_a_write_lost, "DDP-4.2-01 DDP-5.2-03",
       "sends the top bit of each octet of a Write as zero", segment_payload)
{
	const uint8_t *octets = OTHERWISE(segment_payload);

	return m->opcode == OPCODE_WRITE ? without_top_bits(octets, len)
					 : octets;
}

MUTANT(top_bits_of_a_response_lost, "RDMAP-5.2.1-09 DDP-5.2-03",
       "sends the top bit of each octet of a Read Response as zero",
       segment_payload)
{
	const uint8_t *octets = OTHERWISE(segment_payload);

	return m->opcode == OPCODE_READ_RESPONSE ? without_top_bits(octets, len)
						 : octets;
}

MUTANT(source_behind_a_page_repeated, "DDP-5.2-03 RDMAP-4.4-05 RDMAP-5.2.1-09",
       "repeats the octets before a page boundary in place of those after it, "
       "in a Write or Response of up to 8192 octets",
       segment_payload)
{
	static uint8_t changed[UINT16_MAX + 1];
	const uint8_t *octets = OTHERWISE(segment_payload);
	uint32_t page = PAGE;

	if (m->region)
		page -= (uint32_t)((uintptr_t)(m->payload + at) % PAGE);
	if (!m->region || !m->tagged || m->len > 2 * PAGE || page >= len)
		return octets;
	for (uint32_t i = 0; i < len; i++)
		changed[i] = octets[i % page];
	return changed;
}

/* A segment that is the last of several, without its last octet. */
static void put_without_last_octet(struct override *self, struct conn *c,
				   const struct message *m,
				   const struct segment *s)
{
	struct segment shorter = *s;

	if (s->last && s->mo && s->len)
		shorter.len--;
	segment_out_otherwise(self, c, m, &shorter);
}

MUTANT(last_octet_of_a_send_lost, "DDP-5.2-03",
       "loses the last octet of a Send of several segments", segment_out)
{
	if (m->opcode == OPCODE_SEND)
		put_without_last_octet(self, c, m, s);
	else
		OTHERWISE(segment_out);
}

MUTANT(last_octet_of_a_write_lost, "DDP-5.2-03",
       "loses the last octet of a Write of several segments", segment_out)
{
	if (m->opcode == OPCODE_WRITE)
		put_without_last_octet(self, c, m, s);
	else
		OTHERWISE(segment_out);
}
