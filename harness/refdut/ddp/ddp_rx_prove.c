/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions with plain numbers, for suite/prove/sequence.py and bounds.py. */
#include "harness/refdut/ddp/untagged_checks.c"

#define ASKED __attribute__((used)) static

static struct conn conn;

/* Whether an MSN is one of the next n that are due. */
ASKED bool within_buffers(uint32_t due, uint32_t msn, uint32_t buffers)
{
	conn.queue[0].msn = due;
	conn.nreceives = buffers;
	return msn_is_ahead(&conn, 0, msn);
}

/* Whether it is the MSN that is due; the very first was 1. */
ASKED bool is_due(uint32_t due, uint32_t msn, uint32_t buffers)
{
	conn.queue[0].msn = due;
	conn.nreceives = buffers;
	conn.params.first_msn = 1;
	return msn_is_due(&conn, 0, msn);
}

/* RFC 5041 s7.1, items 4 and 5: which of them an untagged segment violates. */
ASKED unsigned untagged_flaw(uint32_t mo, uint16_t octets, uint32_t size)
{
	return mo_flaw(mo, octets, size);
}
