/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of how a Terminate is sent (RFC 5040 s4.8). */
#include "harness/refdut/ddp/tx_segment_decisions.h"
#include "harness/refdut/rdmap/tx_terminate_decisions.h"
#include "harness/refdut/decision/override.h"

MUTANT(terminate_on_queue_zero, "RDMAP-4.1-28",
       "sends its Terminate on queue 0", terminate_message)
{
	struct message m = OTHERWISE(terminate_message);

	m.qn = 0;
	return m;
}

MUTANT(terminate_msn_follows_sends, "DDP-4.3-05",
       "numbers its Terminate like a Send", terminate_message)
{
	struct message m = OTHERWISE(terminate_message);

	m.msn = c->tx_msn[0];
	return m;
}

MUTANT(terminate_invalidate_stag_set, "RDMAP-4.1-15",
       "leaves old octets in the Terminate's Invalidate STag field",
       terminate_message)
{
	struct message m = OTHERWISE(terminate_message);

	m.stag = 0x01020304;
	return m;
}

MUTANT(terminate_in_two_segments, "RDMAP-4.8-23",
       "cuts a long Terminate into two segments", terminate_mulpdu)
{
	return UNTAGGED_HEADER + 28;
}

MUTANT(terminate_two_octets_short, "RDMAP-4.8-14 RDMAP-4.8-15 RDMAP-4.8-17",
       "leaves out the last two octets of its Terminate", terminate_message)
{
	struct message m = OTHERWISE(terminate_message);

	m.len -= 2;
	return m;
}

/* A Terminate that returns such a DDP header, and no more. */
static bool returns(const struct message *m, uint32_t header)
{
	return m->len == 4 + 2 + header;
}

MUTANT(returned_tagged_header_short, "RDMAP-4.8-14",
       "leaves out the last two octets of a tagged header that it returns",
       terminate_message)
{
	struct message m = OTHERWISE(terminate_message);

	m.len -= returns(&m, TAGGED_HEADER) ? 2 : 0;
	return m;
}

MUTANT(returned_untagged_header_short, "RDMAP-4.8-15",
       "leaves out the last two octets of an untagged header that it returns",
       terminate_message)
{
	struct message m = OTHERWISE(terminate_message);

	m.len -= returns(&m, UNTAGGED_HEADER) ? 2 : 0;
	return m;
}

MUTANT(terminate_cut_to_two_octets, "RDMAP-4.8-01",
       "sends only half the control word as its Terminate", terminate_message)
{
	struct message m = OTHERWISE(terminate_message);

	m.len = 2;
	return m;
}

MUTANT(terminate_with_wrong_crc, "MPA-8-11",
       "sends its Terminate with a wrong CRC", segment_out)
{
	OTHERWISE(segment_out);
	if (m->opcode == OPCODE_TERMINATE && s->last && !c->sctp)
		buf_head(&c->out)[buf_len(&c->out) - 1] ^= 0xff;
}
