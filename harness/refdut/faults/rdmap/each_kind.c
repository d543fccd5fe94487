/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of devices that lack a check of RDMAP for some kind of message (RFC 5040
 * s4.1, RFC 7306 s6.3). */
#include "harness/refdut/ddp/segment_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/header_decisions.h"

#include <stdlib.h>
#include <string.h>

enum { RV_SHIFT = 6, RSVD = 0x30 };

MUTANT(rv_three_taken_in_immediate_data, "RDMAPX-4.1-09",
       "takes RDMAP version 3 in Immediate Data with SE", rdmap_version_fits)
{
	return (rdmap_opcode(ulpdu) == OPCODE_IMMEDIATE_SE &&
		ulpdu[1] >> RV_SHIFT == 3) ||
	       OTHERWISE(rdmap_version_fits);
}

MUTANT(rv_unchecked_in_sends_with_se, "RDMAP-4.1-03 RDMAP-4.1-04",
       "takes any RDMAP version in a Send with SE", rdmap_version_fits)
{
	return rdmap_opcode(ulpdu) == OPCODE_SEND_SE ||
	       OTHERWISE(rdmap_version_fits);
}

MUTANT(rdmap_bits_checked_in_sends_with_invalidate, "RDMAP-4.1-11",
       "refuses a Send with Invalidate with a reserved bit set in RDMAP's "
       "control octet",
       rdmap_version_fits)
{
	return !(rdmap_opcode(ulpdu) == OPCODE_SEND_INV && ulpdu[1] & RSVD) &&
	       OTHERWISE(rdmap_version_fits);
}

MUTANT(tagged_sends_with_se_taken, "RDMAP-4.1-29",
       "takes a Send with SE as a tagged message", opcode_on_its_queue)
{
	return (ulpdu[0] & T_FLAG && rdmap_opcode(ulpdu) == OPCODE_SEND_SE) ||
	       OTHERWISE(opcode_on_its_queue);
}

MUTANT(queue_of_sends_with_invalidate_unchecked, "RDMAP-4.1-35",
       "takes a Send with Invalidate on queue 2 for one on queue 0",
       untagged_taken)
{
	uint8_t *copy;

	if (opcode_of(u) != OPCODE_SEND_INV || qn_of(u) != 2) {
		OTHERWISE(untagged_taken);
		return;
	}
	copy = alloc_zeroed(len);
	memcpy(copy, u, len);
	be32_put(copy + 6, 0);
	be32_put(copy + 10, c->queue[0].msn);
	untagged_taken_otherwise(self, c, copy, len, first);
	free(copy);
}

MUTANT(short_immediate_data_with_se_taken, "RDMAPX-6.3-08 RDMAPX-6.3-10",
       "delivers Immediate Data with SE of fewer than eight octets",
       message_well_formed)
{
	return (rdmap_opcode(ulpdu) == OPCODE_IMMEDIATE_SE &&
		message_len < IMMEDIATE_SIZE) ||
	       OTHERWISE(message_well_formed);
}
