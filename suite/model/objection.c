/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/model/objection.h"

static const char *const texts[MODEL_FAULT_COUNT] = {
	[MODEL_FAULT_NONE] = "nothing is wrong",
	[MODEL_FAULT_KEY] = "the key of the startup frame is wrong",
	[MODEL_FAULT_RESERVED_FLAGS] = "reserved flags are set",
	[MODEL_FAULT_REJECT_FLAG] = "the R flag is wrong",
	[MODEL_FAULT_REV] = "the Rev is wrong",
	[MODEL_FAULT_PD_LENGTH] = "PD_Length is wrong",
	[MODEL_FAULT_PRIVATE_DATA] = "the private data is not the ULP's",
	[MODEL_FAULT_NOT_ENHANCED] = "enhanced data is due, and missing",
	[MODEL_FAULT_ENHANCED] = "enhanced data is not due here",
	[MODEL_FAULT_C_FLAG] = "the C flag is not what was asked for",
	[MODEL_FAULT_A_FLAG] = "control flag A is wrong",
	[MODEL_FAULT_RTR_FLAGS] = "the control flags B, C, D are wrong",
	[MODEL_FAULT_RTR_NOT_ALL] = "an RTR form both support is not named",
	[MODEL_FAULT_IRD] = "the IRD is out of its range",
	[MODEL_FAULT_ORD] = "the ORD is out of its range",
	[MODEL_FAULT_NOT_ANSWERED_SO] = "this startup frame may not be "
					"answered so",
	[MODEL_FAULT_CRC] = "the CRC is wrong",
	[MODEL_FAULT_PAD] = "the pad is not zero",
	[MODEL_FAULT_ULPDU_TOO_LONG] = "ULPDU_Length is above 64768",
	[MODEL_FAULT_ULPDU_TOO_SHORT] = "a ULPDU that is not the last of its "
					"message is under 128 octets",
	[MODEL_FAULT_MULPDU] = "the ULPDU is larger than MULPDU",
	[MODEL_FAULT_MARKER_RESERVED] = "reserved bits of a marker are set",
	[MODEL_FAULT_MARKER_POINTER] = "FPDUPTR is not the distance to "
				       "ULPDU_Length",
	[MODEL_FAULT_MARKERS_USED] = "there are markers nobody asked for",
	[MODEL_FAULT_MARKERS_MISSING] = "the markers asked for are missing",
	[MODEL_FAULT_NOT_RELEASED] = "the responder sends before a valid FPDU "
				     "of the initiator",
	[MODEL_FAULT_RTR_DUE] = "the first FPDU is not an RTR",
	[MODEL_FAULT_RTR_FORM] = "the RTR has not the form that was agreed",
	[MODEL_FAULT_SHORT_HEADER] = "the segment ends inside its header",
	[MODEL_FAULT_DDP_RESERVED] = "reserved DDP bits are set",
	[MODEL_FAULT_DV] = "DV is not 1",
	[MODEL_FAULT_RV] = "RV is not 1",
	[MODEL_FAULT_RDMAP_RESERVED] = "reserved RDMAP bits are set",
	[MODEL_FAULT_OPCODE] = "the opcode is not assigned, or not claimed",
	[MODEL_FAULT_T_FLAG] = "the T flag is not that of the opcode",
	[MODEL_FAULT_QN] = "the QN is not that of the opcode",
	[MODEL_FAULT_MSN] = "the MSN is not the next of its queue",
	[MODEL_FAULT_MO] = "MO is not the offset in the message",
	[MODEL_FAULT_MO_ORDER] = "segments do not go out in rising MO order",
	[MODEL_FAULT_TO] = "TO is not the initial TO plus the offset",
	[MODEL_FAULT_TO_ORDER] = "segments do not go out in rising TO order",
	[MODEL_FAULT_STAG_CHANGED] = "the STag changes inside a message",
	[MODEL_FAULT_HEADER_CHANGED] = "a header field changes inside a "
				       "message",
	[MODEL_FAULT_INVALIDATE_STAG] = "the Invalidate STag field is wrong",
	[MODEL_FAULT_LAST_FLAG] = "the L flag is wrong",
	[MODEL_FAULT_LENGTH] = "the message has not the length of its kind",
	[MODEL_FAULT_INTERLEAVED] = "a message starts inside another",
	[MODEL_FAULT_EMPTY_SEGMENT] = "a zero-length message has several "
				      "segments",
	[MODEL_FAULT_RESPONSE_UNASKED] = "a Response that no Request asked for",
	[MODEL_FAULT_RESPONSE_ORDER] = "Responses are not in request order",
	[MODEL_FAULT_RESPONSE_STAG] = "the Response has not the Request's "
				      "sink STag",
	[MODEL_FAULT_RESPONSE_TO] = "the Response has not the Request's "
				    "sink TO",
	[MODEL_FAULT_RESPONSE_SIZE] = "the Response has not the size asked for",
	[MODEL_FAULT_RESPONSE_DATA] = "the Response has not the octets of the "
				      "source",
	[MODEL_FAULT_RESPONSE_REFUSABLE] = "a Request that has to be refused "
					   "is answered",
	[MODEL_FAULT_ATOMIC_ID] = "the Request Identifier is not reflected",
	[MODEL_FAULT_ATOMIC_VALUE] = "the original value is wrong",
	[MODEL_FAULT_ATOMIC_RESERVED] = "reserved bits of an Atomic Request "
					"are set",
	[MODEL_FAULT_ATOMIC_AOPCODE] = "the AOpCode is wrong",
	[MODEL_FAULT_ATOMIC_OPERAND] = "an operand of an Atomic Request is "
				       "wrong",
	[MODEL_FAULT_ORD_EXCEEDED] = "more Reads are outstanding than agreed",
	[MODEL_FAULT_NOT_POSTED] = "a message that nobody posted",
	[MODEL_FAULT_POST_ORDER] = "messages are not in posting order",
	[MODEL_FAULT_POST_LENGTH] = "the message has not the length posted",
	[MODEL_FAULT_POST_STAG] = "the STag is not the one posted",
	[MODEL_FAULT_POST_TO] = "the TO is not the one posted",
	[MODEL_FAULT_POST_DATA] = "the payload is not what was posted",
	[MODEL_FAULT_TERMINATE_UNREGISTERED] = "the Terminate's numbers are "
					       "not registered",
	[MODEL_FAULT_TERMINATE_CODE] = "the Terminate's numbers do not fit "
				       "the fault",
	[MODEL_FAULT_TERMINATE_UNCALLED] = "a Terminate, and nothing was wrong",
	[MODEL_FAULT_TERMINATE_RESERVED] = "reserved bits of the Terminate "
					   "are set",
	[MODEL_FAULT_TERMINATE_LENGTH] = "the Terminate's length does not fit "
					 "its bits",
	[MODEL_FAULT_TERMINATE_BITS] = "the Terminate's M, D, R are not those "
				       "of its error type",
	[MODEL_FAULT_TERMINATE_SEGMENT_LENGTH] = "DDP Segment Length is not "
						 "that of the segment at fault",
	[MODEL_FAULT_TERMINATE_DDP_HEADER] = "the terminated DDP header is "
					     "not that of the segment at fault",
	[MODEL_FAULT_TERMINATE_RDMA_HEADER] = "the terminated RDMA header is "
					      "not the Read Request's",
	[MODEL_FAULT_TERMINATE_MISSING] = "the stream ended without the "
					  "Terminate that was due",
	[MODEL_FAULT_AFTER_TERMINATE] = "an FPDU follows the Terminate",
	[MODEL_FAULT_NOT_GRACEFUL] = "the connection is reset, not closed",
};

const char *model_fault_text(enum model_fault fault)
{
	if ((unsigned)fault >= MODEL_FAULT_COUNT || !texts[fault])
		return "unknown fault";
	return texts[fault];
}

void model_object(struct model_objections *out, unsigned short req,
		  enum model_fault fault, uint64_t seen, uint64_t due)
{
	unsigned i;

	if (req >= REQ_COUNT || req_table[req].kind == REQ_KIND_may ||
	    req_table[req].kind == REQ_KIND_open)
		return;
	for (i = 0; i < out->n; i++)
		if (out->list[i].fault == fault && out->list[i].req == req)
			return;
	if (out->n == MODEL_OBJECTIONS) {
		out->more = true;
		return;
	}
	out->list[out->n++] = (struct model_objection){
		.req = req, .fault = fault, .seen = seen, .due = due};
}
