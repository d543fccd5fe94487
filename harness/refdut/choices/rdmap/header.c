/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Choices about RDMAP's first checks: version and length (RFC 5040 s4, RFC 7306
 * s5).
 */
#include "harness/refdut/conn_close_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/header_decisions.h"
#include "harness/refdut/rdmap/response_decisions.h"

VARIANT(rdmap_version, rdmap_version_zero_taken, "RDMAP-4.1-05",
	"accepts messages of RDMAP version 0, the RDMA Consortium's",
	rdmap_version_fits)
{
	return OTHERWISE(rdmap_version_fits) ||
	       (rdmap_version(ulpdu) == 0 && chosen(self));
}

/* RFC 5041 s5.4, s4.3: DDP hands a message to RDMAP when it is delivered, with
 * RDMAP's octets from any of its segments. */
static bool is_before_the_last(const uint8_t *ulpdu)
{
	return rdmap_is_tagged(ulpdu) && !rdmap_is_last(ulpdu);
}

VARIANT(rdmap_at_delivery, tagged_messages_checked_at_delivery, "DDP-4.3-03",
	"checks version and opcode of a tagged message in its last segment",
	rdmap_version_fits)
{
	return OTHERWISE(rdmap_version_fits) ||
	       (is_before_the_last(ulpdu) && chosen(self));
}

ALSO(tagged_messages_checked_at_delivery, opcode_expected)
{
	return OTHERWISE(opcode_expected) ||
	       (is_before_the_last(ulpdu) && chosen(self));
}

/* RFC 5040 s7.2 does not order its checks: a message of the queue of Read
 * Requests is too short for one, whatever its opcode is. */
VARIANT(length_of_request, length_of_a_request_checked_first, "RDMAP-7.2-02",
	"checks the length of a message on queue 1 before an opcode that is "
	"not expected there",
	refuse_operation)
{
	if (code == UNEXPECTED_OPCODE && !rdmap_is_tagged(ulpdu) &&
	    rdmap_qn(ulpdu) == 1 &&
	    len < UNTAGGED_HEADER + READ_REQUEST_HEADER && chosen(self))
		code = UNSPECIFIED;
	OTHERWISE(refuse_operation);
}

VARIANT(header_of_read, refused_operation_comes_back_without_rdma_header,
	"RDMAP-7.1-04",
	"leaves R clear for an operation error of a Read Request",
	returned_rdma_header)
{
	const uint8_t *header = OTHERWISE(returned_rdma_header);

	return header && chosen(self) ? NULL : header;
}

ALSO(tail_of_a_request_ignored, message_well_formed)
{
	uint32_t size = rdmap_opcode(ulpdu) == OPCODE_ATOMIC_REQUEST
				? ATOMIC_REQUEST_HEADER
				: READ_REQUEST_HEADER;

	if (rdmap_qn(ulpdu) == 1 && message_len > size &&
	    c->queue[1].placed == message_len)
		return chosen(self);
	return OTHERWISE(message_well_formed);
}

VARIANT(wrapping_sink, sink_that_wraps_refused, "RDMAP-4.4-08",
	"refuses a Read whose sink would wrap", message_well_formed)
{
	const uint8_t *header = c->queue[1].own;

	if (!OTHERWISE(message_well_formed))
		return false;
	if (rdmap_qn(ulpdu) != 1 ||
	    rdmap_opcode(ulpdu) == OPCODE_ATOMIC_REQUEST || !read_size(header))
		return true;
	/* The sum itself, as RFC 5041 s7.1 has it. */
	return read_sink_to(header) + read_size(header) >=
		       read_sink_to(header) ||
	       !chosen(self);
}

VARIANT(identifier, atomic_identifier_compared, "RDMAPX-5.2.1-11",
	"refuses an Atomic Response with an identifier that it has not sent",
	message_well_formed)
{
	if (!OTHERWISE(message_well_formed))
		return false;
	return rdmap_qn(ulpdu) != 3 ||
	       atomic_response_identifier(c->queue[3].own) ==
		       work_of_atomic_response(c)->msn ||
	       !chosen(self);
}

/* RFC 5040 s4.8: nothing follows a Terminate. s7.2 does not say when the ULP
 * learns what is wrong with it. */
VARIANT(bad_terminate, bad_terminate_told_at_the_fin,
	"RDMAP-4.1-09 RDMAP-6.2.1-01",
	"reports a Terminate that RDMAP finds invalid when the peer closes",
	refuse_operation)
{
	bool *bad = remember(&c->remembered, self, sizeof(*bad));

	*bad = !c->sctp && rdmap_opcode(ulpdu) == OPCODE_TERMINATE &&
	       !rdmap_is_tagged(ulpdu) && rdmap_qn(ulpdu) == 2;
	if (!(*bad && chosen(self)))
		OTHERWISE(refuse_operation);
}

ALSO(bad_terminate_told_at_the_fin, peer_fin_is_orderly)
{
	const bool *bad = remember(&c->remembered, self, sizeof(*bad));

	return !*bad && OTHERWISE(peer_fin_is_orderly);
}
