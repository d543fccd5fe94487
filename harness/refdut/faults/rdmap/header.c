/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults in RDMAP's first checks: version, opcode, queue, length (RFC 5040 s4,
 * RFC 7306 s4).
 */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/header_decisions.h"
#include "harness/refdut/rdmap/rdmap_atomic_decisions.h"
#include "harness/refdut/rdmap/response_decisions.h"

/* The RDMAP version and the reserved bits (RFC 5040 s4.1) */

MUTANT(rdmap_reserved_bits_checked, "RDMAP-4.1-11 RDMAPX-4.1-11",
       "refuses messages with a reserved RDMAP bit set", rdmap_version_fits)
{
	return OTHERWISE(rdmap_version_fits) && !(ulpdu[1] & 0x30);
}

MUTANT(rv_unchecked_in_sends,
       "RDMAP-4.1-03 RDMAP-4.1-04 RDMAP-7.2-03 RDMAPX-4.1-09",
       "does not check the RDMAP version of untagged messages",
       rdmap_version_fits)
{
	return rdmap_opcode(ulpdu) >= OPCODE_SEND ||
	       OTHERWISE(rdmap_version_fits);
}

MUTANT(rv_unchecked_in_writes, "RDMAP-4.1-06",
       "does not check the RDMAP version of Writes", rdmap_version_fits)
{
	return rdmap_opcode(ulpdu) == OPCODE_WRITE ||
	       OTHERWISE(rdmap_version_fits);
}

MUTANT(rv_unchecked_in_reads, "RDMAP-4.1-07 RDMAP-4.1-08",
       "does not check the RDMAP version of Read Requests and Responses",
       rdmap_version_fits)
{
	return rdmap_opcode(ulpdu) == OPCODE_READ_REQUEST ||
	       rdmap_opcode(ulpdu) == OPCODE_READ_RESPONSE ||
	       OTHERWISE(rdmap_version_fits);
}

MUTANT(terminate_of_other_version_dropped, "RDMAP-4.1-09",
       "drops a Terminate of another RDMAP version", refuse_operation)
{
	if (code == INVALID_VERSION && rdmap_opcode(ulpdu) == OPCODE_TERMINATE)
		return;
	OTHERWISE(refuse_operation);
}

MUTANT(send_of_other_version_dropped, "RDMAP-4.1-03 RDMAP-4.1-04",
       "drops Sends of another RDMAP version, and continues", refuse_operation)
{
	if (code == INVALID_VERSION && rdmap_opcode(ulpdu) == OPCODE_SEND)
		return;
	OTHERWISE(refuse_operation);
}

/* Opcodes (RFC 5040 s4.2) */

MUTANT(unknown_opcode_taken_as_send,
       "RDMAP-4.2-05 RDMAP-4.2-08 RDMAP-4.2-06 RDMAP-4.2-07",
       "delivers messages of unassigned opcodes as Sends", opcode_expected)
{
	if (rdmap_opcode(ulpdu) > OPCODE_ATOMIC_RESPONSE &&
	    !rdmap_is_tagged(ulpdu) && rdmap_qn(ulpdu) == 0)
		return true;
	return OTHERWISE(opcode_expected);
}

MUTANT(unknown_opcode_dropped,
       "RDMAP-4.2-05 RDMAP-4.2-06 RDMAP-4.2-07 RDMAP-4.2-08 RDMAP-4.2-09",
       "drops messages with an unassigned opcode, and continues",
       refuse_operation)
{
	if (code == UNEXPECTED_OPCODE &&
	    rdmap_opcode(ulpdu) > OPCODE_ATOMIC_RESPONSE)
		return;
	OTHERWISE(refuse_operation);
}

MUTANT(unknown_aopcode_dropped, "RDMAPX-5.2.1-08 RDMAPX-8.1-02",
       "drops Requests with an unassigned AOpCode", refuse_operation)
{
	if (code == UNEXPECTED_OPCODE &&
	    rdmap_opcode(ulpdu) == OPCODE_ATOMIC_REQUEST &&
	    opcode_expected(ulpdu) &&
	    !aopcode_known(atomic_aopcode(c->queue[1].own)))
		return;
	OTHERWISE(refuse_operation);
}

ALSO(unasked_atomic_response_dropped, refuse_operation)
{
	if (code == UNEXPECTED_OPCODE &&
	    rdmap_opcode(ulpdu) == OPCODE_ATOMIC_RESPONSE &&
	    opcode_expected(ulpdu) && !work_of_atomic_response(c))
		return;
	OTHERWISE(refuse_operation);
}

ALSO(read_has_a_buffer_for_an_atomic, refuse_operation)
{
	const struct work *work = work_of_atomic_response(c);

	if (code == UNEXPECTED_OPCODE &&
	    rdmap_opcode(ulpdu) == OPCODE_ATOMIC_RESPONSE &&
	    opcode_expected(ulpdu) && work && work->op == OP_READ)
		return;
	OTHERWISE(refuse_operation);
}

/* Tagged and untagged messages (RFC 5040 figure 4) */

MUTANT(tagged_send_placed, "RDMAP-4.1-29", "places a tagged Send like a Write",
       opcode_on_its_queue)
{
	if (rdmap_is_tagged(ulpdu) && rdmap_opcode(ulpdu) == OPCODE_SEND)
		return true;
	return OTHERWISE(opcode_on_its_queue);
}

MUTANT(tagged_request_placed, "RDMAP-4.1-31 RDMAP-4.1-33",
       "places a tagged Read Request or Terminate like a Write",
       opcode_on_its_queue)
{
	unsigned opcode = rdmap_opcode(ulpdu);

	if (rdmap_is_tagged(ulpdu) &&
	    (opcode == OPCODE_READ_REQUEST || opcode == OPCODE_TERMINATE))
		return true;
	return OTHERWISE(opcode_on_its_queue);
}

MUTANT(tagged_atomics_dropped, "RDMAPX-5.2.1-28 RDMAPX-5.2.2-07",
       "places tagged messages with the opcode of an atomic, and drops the "
       "atomics",
       opcode_on_its_queue)
{
	if (rdmap_is_tagged(ulpdu) &&
	    rdmap_opcode(ulpdu) >= OPCODE_ATOMIC_REQUEST)
		return true;
	return OTHERWISE(opcode_on_its_queue);
}

ALSO(unclaimed_operations_taken, opcode_on_its_queue)
{
	if (rdmap_is_tagged(ulpdu) && rdmap_opcode(ulpdu) >= OPCODE_IMMEDIATE)
		return true;
	return OTHERWISE(opcode_on_its_queue);
}

MUTANT(untagged_write_delivered, "RDMAP-4.1-30",
       "delivers an untagged Write like a Send", opcode_on_its_queue)
{
	if (!rdmap_is_tagged(ulpdu) && rdmap_opcode(ulpdu) == OPCODE_WRITE)
		return true;
	return OTHERWISE(opcode_on_its_queue);
}

MUTANT(untagged_response_delivered, "RDMAP-4.1-32",
       "delivers an untagged Read Response like a Send", opcode_on_its_queue)
{
	if (!rdmap_is_tagged(ulpdu) &&
	    rdmap_opcode(ulpdu) == OPCODE_READ_RESPONSE)
		return true;
	return OTHERWISE(opcode_on_its_queue);
}

/* Queues (RFC 5040 s4.1, RFC 7306 s4.1) */

MUTANT(atomics_on_queue_zero_delivered, "RDMAPX-5.2.1-27 RDMAPX-5.2.2-07",
       "delivers atomics on queue 0 as Sends", opcode_on_its_queue)
{
	if (!rdmap_is_tagged(ulpdu) && rdmap_qn(ulpdu) == 0 &&
	    rdmap_opcode(ulpdu) >= OPCODE_ATOMIC_REQUEST)
		return true;
	return OTHERWISE(opcode_on_its_queue);
}

ALSO(send_on_wrong_queue_dropped, opcode_on_its_queue)
{
	unsigned opcode = rdmap_opcode(ulpdu);

	if (!rdmap_is_tagged(ulpdu) &&
	    ((opcode >= OPCODE_SEND && opcode <= OPCODE_SEND_SE_INV) ||
	     opcode == OPCODE_IMMEDIATE || opcode == OPCODE_IMMEDIATE_SE))
		return true;
	return OTHERWISE(opcode_on_its_queue);
}

ALSO(read_on_wrong_queue_dropped, opcode_on_its_queue)
{
	if (!rdmap_is_tagged(ulpdu) &&
	    rdmap_opcode(ulpdu) == OPCODE_READ_REQUEST)
		return true;
	return OTHERWISE(opcode_on_its_queue);
}

ALSO(terminate_on_wrong_queue_dropped, opcode_on_its_queue)
{
	if (!rdmap_is_tagged(ulpdu) && rdmap_opcode(ulpdu) == OPCODE_TERMINATE)
		return true;
	return OTHERWISE(opcode_on_its_queue);
}

/* The parts that a message must have */

MUTANT(imm_short_taken, "RDMAPX-6.3-08 RDMAPX-6.3-10",
       "delivers Immediate Data of fewer than eight octets",
       message_well_formed)
{
	return (rdmap_qn(ulpdu) == 0 && message_len < IMMEDIATE_SIZE) ||
	       OTHERWISE(message_well_formed);
}

MUTANT(imm_long_cut, "RDMAPX-6.3-09 RDMAPX-6.3-11",
       "delivers the first eight octets of longer Immediate Data",
       message_well_formed)
{
	return (rdmap_qn(ulpdu) == 0 && message_len > IMMEDIATE_SIZE) ||
	       OTHERWISE(message_well_formed);
}

MUTANT(imm_flaw_dropped, "RDMAPX-6.1-03 RDMAPX-8.1-03",
       "drops Immediate Data whose length is not eight", refuse_operation)
{
	unsigned opcode = rdmap_opcode(ulpdu);

	if (code == UNSPECIFIED &&
	    (opcode == OPCODE_IMMEDIATE || opcode == OPCODE_IMMEDIATE_SE))
		return;
	OTHERWISE(refuse_operation);
}

MUTANT(short_request_served, "RDMAP-4.2-13 RDMAPX-5.2.1-26",
       "serves Requests shorter than their header", message_well_formed)
{
	uint32_t size = rdmap_opcode(ulpdu) == OPCODE_ATOMIC_REQUEST
				? ATOMIC_REQUEST_HEADER
				: READ_REQUEST_HEADER;

	return (rdmap_qn(ulpdu) == 1 && message_len <= size) ||
	       OTHERWISE(message_well_formed);
}

MUTANT(atomic_reserved_bits_checked, "RDMAPX-5.2.1-03",
       "refuses Atomic Requests with a reserved bit set", message_well_formed)
{
	bool fine = OTHERWISE(message_well_formed);

	if (rdmap_qn(ulpdu) == 1 &&
	    rdmap_opcode(ulpdu) == OPCODE_ATOMIC_REQUEST)
		return fine && !(be32(c->queue[1].own) & ~0x0fu);
	return fine;
}

MUTANT(short_atomic_response_taken, "RDMAPX-5.2.2-07",
       "accepts an Atomic Response shorter than its header",
       message_well_formed)
{
	return (rdmap_qn(ulpdu) == 3 && message_len < ATOMIC_RESPONSE_HEADER) ||
	       OTHERWISE(message_well_formed);
}

MUTANT(terminate_reserved_bits_checked, "RDMAP-4.8-08",
       "refuses a Terminate with reserved bits set", message_well_formed)
{
	const uint8_t *t = c->queue[2].own;
	bool fine = OTHERWISE(message_well_formed);

	return fine && !(rdmap_qn(ulpdu) == 2 && ((t[2] & 0x1f) || t[3]));
}

MUTANT(terminate_with_headers_refused, "RDMAP-4.8-29",
       "understands only a Terminate without headers", message_well_formed)
{
	bool fine = OTHERWISE(message_well_formed);

	return fine && !(rdmap_qn(ulpdu) == 2 && (c->queue[2].own[2] & 0xe0));
}

MUTANT(terminate_invalidate_stag_checked, "RDMAP-4.1-19",
       "refuses a Terminate with an Invalidate STag", message_well_formed)
{
	bool fine = OTHERWISE(message_well_formed);

	return fine && !(rdmap_qn(ulpdu) == 2 && rdmap_invalidate_stag(ulpdu));
}
