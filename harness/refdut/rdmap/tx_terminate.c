/* SPDX-License-Identifier: BSD-2-Clause */
/* The outgoing Terminate (RFC 5040 s4.8). rdmap/terminate.c decides its
 * contents. */
#include "harness/refdut/rdmap/tx_terminate_decisions.h"
#include "harness/refdut/ddp/tx_segment_decisions.h"

RULE(terminate_message)
{
	return (struct message){
		.opcode = OPCODE_TERMINATE,
		.qn = 2,
		.msn = c->params.first_msn,
		.payload = octets,
		.len = len,
	};
}

RULE(terminate_mulpdu)
{
	uint32_t longest = UNTAGGED_HEADER + TERMINATE_MAX;

	return c->mulpdu < longest ? longest : c->mulpdu;
}

void tx_terminate(struct conn *c, const uint8_t *octets, uint32_t len)
{
	struct message m = terminate_message(c, octets, len);
	uint32_t offset = 0;

	tx_refresh_mulpdu(c);
	c->mulpdu = terminate_mulpdu(c);
	while (!put_segment(c, &m, &offset))
		continue;
}
