/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/language/text/objection_text.h"

#include "suite/language/text/objection_say.h"

static struct kind kind_of(enum model_fault fault)
{
	switch (fault) {
		/* startup frames */
	case MODEL_FAULT_KEY:
		return (struct kind){"the key of the startup frame is wrong",
				     "Key", say_key, NULL};
	case MODEL_FAULT_RESERVED_FLAGS:
		return (struct kind){"reserved flags are set", "Res", say_value,
				     text_bits};
	case MODEL_FAULT_REJECT_FLAG:
		return (struct kind){"the R flag is wrong", "R", say_flag,
				     NULL};
	case MODEL_FAULT_REV:
		return (struct kind){"the Rev is wrong", "Rev", say_value,
				     text_decimal};
	case MODEL_FAULT_PD_LENGTH:
		return (struct kind){"PD_Length is wrong", "PD_Length",
				     say_pd_length, text_octets};
	case MODEL_FAULT_PRIVATE_DATA:
		return (struct kind){"the private data is not the ULP's",
				     "private data of the ULP", say_data, NULL};
	case MODEL_FAULT_NOT_ENHANCED:
		return (struct kind){"enhanced data is due, and missing", "S",
				     say_enhanced, NULL};
	case MODEL_FAULT_ENHANCED:
		return (struct kind){"enhanced data is not due here", "S",
				     say_flag, NULL};
	case MODEL_FAULT_C_FLAG:
		return (struct kind){"the C flag is not the requested one", "C",
				     say_flag, NULL};
	case MODEL_FAULT_A_FLAG:
		return (struct kind){"control flag A is wrong", "A", say_flag,
				     NULL};
	case MODEL_FAULT_RTR_FLAGS:
		return (struct kind){"the control flags B, C, D are wrong",
				     "B, C, D", say_rtr_flags, NULL};
	case MODEL_FAULT_RTR_NOT_ALL:
		return (struct kind){
			"an RTR that both sides support is not listed",
			"B, C, D", say_rtr_flags, NULL};
	case MODEL_FAULT_IRD:
		return (struct kind){"the IRD is out of its range", "IRD",
				     say_depth, NULL};
	case MODEL_FAULT_ORD:
		return (struct kind){"the ORD is out of its range", "ORD",
				     say_depth, NULL};
	case MODEL_FAULT_NOT_ANSWERED_SO:
		return (struct kind){
			"this startup frame must not be answered in this way",
			"TCP closed without a Reply", say_answer, NULL};
	case MODEL_FAULT_NOT_SILENT:
		return (struct kind){"octets where none may be sent",
				     "octets sent", say_value, text_decimal};

		/* framing */
	case MODEL_FAULT_CRC:
		return (struct kind){"the CRC is wrong", "CRC", say_octets,
				     NULL};
	case MODEL_FAULT_PAD:
		return (struct kind){"the pad is not zero", "pad", say_octets,
				     NULL};
	case MODEL_FAULT_PAD_LENGTH:
		return (struct kind){"the pad has the wrong length, as the "
				     "CRC shows",
				     "pad", say_value, text_octets};
	case MODEL_FAULT_ULPDU_TOO_LONG:
		return (struct kind){"ULPDU_Length is above 64768",
				     "ULPDU_Length", say_value, text_octets};
	case MODEL_FAULT_ULPDU_TOO_SHORT:
		return (struct kind){"a ULPDU that is not the last of its "
				     "message is under 128 octets",
				     "ULPDU_Length", say_value, text_octets};
	case MODEL_FAULT_MULPDU:
		return (struct kind){"the ULPDU is larger than MULPDU",
				     "ULPDU_Length", say_value, text_octets};
	case MODEL_FAULT_MARKER_RESERVED:
		return (struct kind){"reserved bits of a marker are set",
				     "reserved bits", say_marker, text_bits};
	case MODEL_FAULT_MARKER_POINTER:
		return (struct kind){
			"FPDUPTR is not the distance to ULPDU_Length",
			"FPDUPTR", say_marker, text_octets};
	case MODEL_FAULT_MARKERS_USED:
		return (struct kind){
			"there are markers that were not requested",
			"no markers, as the peer sent M=0/markers", say_phrases,
			NULL};
	case MODEL_FAULT_MARKERS_MISSING:
		return (struct kind){
			"the requested markers are missing",
			"a marker every 512 octets, as the peer sent M=1/none",
			say_phrases, NULL};
	case MODEL_FAULT_NOT_RELEASED:
		return (struct kind){
			"the responder sends before a valid FPDU of the "
			"initiator",
			"nothing before the initiator's first valid FPDU",
			say_message, NULL};
	case MODEL_FAULT_RTR_DUE:
		return (struct kind){"the first FPDU is not an RTR", "the RTR",
				     say_rtr, NULL};
	case MODEL_FAULT_RTR_FORM:
		return (struct kind){
			"the RTR does not have the negotiated form", "the RTR",
			say_rtr, NULL};

		/* headers */
	case MODEL_FAULT_SHORT_HEADER:
		return (struct kind){"the segment ends inside its header",
				     "ULPDU_Length", say_header, text_octets};
	case MODEL_FAULT_DDP_RESERVED:
		return (struct kind){"reserved DDP bits are set",
				     "reserved bits of the DDP octet",
				     say_value, text_bits};
	case MODEL_FAULT_DV:
		return (struct kind){"DV is not 1", "DV", say_value,
				     text_decimal};
	case MODEL_FAULT_RV:
		return (struct kind){"RV is not 1", "RV", say_value,
				     text_decimal};
	case MODEL_FAULT_RDMAP_RESERVED:
		return (struct kind){"reserved RDMAP bits are set",
				     "reserved bits of the RDMAP octet",
				     say_value, text_bits};
	case MODEL_FAULT_OPCODE:
		return (struct kind){
			"the opcode is not assigned, or not claimed",
			"an opcode that is assigned, and claimed by the device",
			say_opcode, NULL};
	case MODEL_FAULT_T_FLAG:
		return (struct kind){"the T flag is not that of the opcode",
				     "T", say_flag_of_message, NULL};
	case MODEL_FAULT_QN:
		return (struct kind){"the QN is not that of the opcode", "QN",
				     say_value_of_message, text_decimal};
	case MODEL_FAULT_MSN:
		return (struct kind){"the MSN is not the next of its queue",
				     "MSN", say_msn, NULL};
	case MODEL_FAULT_MO:
		return (struct kind){"MO is not the offset in the message",
				     "MO", say_value, text_decimal};
	case MODEL_FAULT_MO_ORDER:
		return (struct kind){
			"segments do not go out in rising MO order", "MO",
			say_value, text_decimal};
	case MODEL_FAULT_TO:
		return (struct kind){"TO is not the initial TO plus the offset",
				     "TO", say_value, text_to};
	case MODEL_FAULT_TO_ORDER:
		return (struct kind){
			"segments do not go out in rising TO order", "TO",
			say_value, text_to};
	case MODEL_FAULT_STAG_CHANGED:
		return (struct kind){"the STag changes inside a message",
				     "STag", say_changed, text_stag};
	case MODEL_FAULT_HEADER_CHANGED:
		return (struct kind){"a header field changes inside a message",
				     "RsvdULP", say_changed, text_stag};
	case MODEL_FAULT_INVALIDATE_STAG:
		return (struct kind){"the Invalidate STag field is wrong",
				     "Invalidate STag", say_value_of_message,
				     text_stag};
	case MODEL_FAULT_LAST_FLAG:
		return (struct kind){"the L flag is wrong", "L", say_last,
				     NULL};
	case MODEL_FAULT_LENGTH:
		return (struct kind){
			"the message does not have the length of its kind",
			"ULPDU_Length", say_value_of_message, text_octets};
	case MODEL_FAULT_INTERLEAVED:
		return (struct kind){"a message starts inside another",
				     "the rest of the", say_interleaved, NULL};
	case MODEL_FAULT_EMPTY_SEGMENT:
		return (struct kind){
			"a zero-length message has several segments",
			"one segment/several", say_phrases, NULL};

		/* requests and answers */
	case MODEL_FAULT_RESPONSE_UNASKED:
		return (struct kind){
			"a Response without a Request",
			"nothing, as no Request waits for an answer",
			say_message, NULL};
	case MODEL_FAULT_RESPONSE_ORDER:
		return (struct kind){"Responses are not in request order",
				     "the answer to the", say_turn, NULL};
	case MODEL_FAULT_RESPONSE_STAG:
		return (struct kind){
			"the Response does not have the Request's sink STag",
			"STag", say_value, text_stag};
	case MODEL_FAULT_RESPONSE_TO:
		return (struct kind){
			"the Response does not have the Request's sink TO",
			"TO", say_value, text_to};
	case MODEL_FAULT_RESPONSE_SIZE:
		return (struct kind){
			"the Response does not have the requested size",
			"payload", say_value, text_octets};
	case MODEL_FAULT_RESPONSE_DATA:
		return (struct kind){
			"the Response does not have the octets of the source",
			"payload", say_data, NULL};
	case MODEL_FAULT_RESPONSE_REFUSABLE:
		return (struct kind){
			"a Request that has to be refused is answered",
			"the answer to the", say_refused, NULL};
	case MODEL_FAULT_ATOMIC_ID:
		return (struct kind){"the Request Identifier is not reflected",
				     "Original Request Identifier", say_value,
				     text_stag};
	case MODEL_FAULT_ATOMIC_VALUE:
		return (struct kind){"the original value is wrong",
				     "Original Remote Data Value", say_value,
				     text_word};
	case MODEL_FAULT_ATOMIC_RESERVED:
		return (struct kind){
			"reserved bits of an Atomic Request are set",
			"the 28 reserved bits", say_value, text_bits};
	case MODEL_FAULT_ATOMIC_AOPCODE:
		return (struct kind){"the AOpCode is wrong", "AOpCode",
				     say_aopcode, NULL};
	case MODEL_FAULT_ATOMIC_OPERAND:
		return (struct kind){"an operand of an Atomic Request is wrong",
				     "operand", say_value, text_word};
	case MODEL_FAULT_ORD_EXCEEDED:
		return (struct kind){"more Reads are outstanding than agreed",
				     "RDMA Reads outstanding (ORD)", say_value,
				     text_decimal};

		/* posted work */
	case MODEL_FAULT_NOT_POSTED:
		return (struct kind){"a message without posted work",
				     "nothing, as no work is posted",
				     say_message, NULL};
	case MODEL_FAULT_POST_ORDER:
		return (struct kind){"messages are not in posting order",
				     "posted work", say_posted_order, NULL};
	case MODEL_FAULT_POST_LENGTH:
		return (struct kind){
			"the message does not have the posted length",
			"payload", say_value, text_octets};
	case MODEL_FAULT_POST_STAG:
		return (struct kind){"the STag is not the one posted", "STag",
				     say_value, text_stag};
	case MODEL_FAULT_POST_TO:
		return (struct kind){"the TO is not the one posted", "TO",
				     say_value, text_to};
	case MODEL_FAULT_POST_DATA:
		return (struct kind){"the payload is not what was posted",
				     "payload", say_data, NULL};

		/* Terminate and the end */
	case MODEL_FAULT_TERMINATE_UNREGISTERED:
		return (struct kind){
			"the Terminate's numbers are not registered",
			"numbers that are registered", say_unregistered, NULL};
	case MODEL_FAULT_TERMINATE_CODE:
		return (struct kind){
			"the Terminate's numbers do not fit the fault", NULL,
			say_code, NULL};
	case MODEL_FAULT_TERMINATE_UNCALLED:
		return (struct kind){"a Terminate, and nothing was wrong",
				     "no Terminate", say_code, NULL};
	case MODEL_FAULT_TERMINATE_RESERVED:
		return (struct kind){"reserved bits of the Terminate are set",
				     "Reserved", say_value, text_bits};
	case MODEL_FAULT_TERMINATE_LENGTH:
		return (struct kind){
			"the Terminate's length does not fit its bits",
			"ULPDU_Length", say_terminate_length, text_octets};
	case MODEL_FAULT_TERMINATE_BITS:
		return (struct kind){"the Terminate's M, D, R are not those of "
				     "its error type",
				     "HdrCt", say_header_bits, NULL};
	case MODEL_FAULT_TERMINATE_SEGMENT_LENGTH:
		return (struct kind){"DDP Segment Length is not that of the "
				     "segment at fault",
				     "DDP Segment Length", say_value,
				     text_octets};
	case MODEL_FAULT_TERMINATE_DDP_HEADER:
		return (struct kind){"the terminated DDP header is not that of "
				     "the segment at fault",
				     "no header, as no message is at fault",
				     say_ddp_header, NULL};
	case MODEL_FAULT_TERMINATE_RDMA_HEADER:
		return (struct kind){
			"the terminated RDMA header is not the Read Request's",
			"RDMA Read Message Size", say_rdma_header, text_octets};
	case MODEL_FAULT_TERMINATE_MISSING:
		return (struct kind){
			"the stream ended without the Terminate that was due",
			"without a Terminate", say_missing, NULL};
	case MODEL_FAULT_AFTER_TERMINATE:
		return (struct kind){"an FPDU follows the Terminate",
				     "nothing after the Terminate", say_message,
				     NULL};
	case MODEL_FAULT_NOT_GRACEFUL:
		return (struct kind){"the connection is reset, not closed",
				     NULL, say_end, NULL};

	case MODEL_FAULT_NONE:
	case MODEL_FAULT_COUNT:
		break;
	}
	return (struct kind){"nothing is wrong", "nothing/nothing", say_phrases,
			     NULL};
}

const char *objection_text(struct test *t, const struct model_objection *o)
{
	struct kind k = kind_of(o->fault);
	struct words w = {"", ""};
	const char *cause = "";

	if (o->stimulus != MODEL_STIM_NONE)
		cause = test_format(t, " (the peer's fault: %s)",
				    model_stimulus_text(o->stimulus));
	k.say(t, &k, o, &w);
	return test_format(t, "%s%s\ndue:  %s\nseen: %s", k.wrong, cause, w.due,
			   w.seen);
}

const char *objection_field(const struct model_objection *o)
{
	const char *named = say_field(o);

	switch (o->fault) {
	case MODEL_FAULT_TERMINATE_CODE:
	case MODEL_FAULT_TERMINATE_UNCALLED:
	case MODEL_FAULT_TERMINATE_UNREGISTERED:
		return "layer, type and code";
	case MODEL_FAULT_TERMINATE_BITS:
		return "M, D, R";
	case MODEL_FAULT_TERMINATE_DDP_HEADER:
		return "the DDP header returned";
	case MODEL_FAULT_TERMINATE_RDMA_HEADER:
		return "the RDMA header returned";
	case MODEL_FAULT_OPCODE:
	case MODEL_FAULT_NOT_POSTED:
	case MODEL_FAULT_RESPONSE_UNASKED:
		return "opcode";
	default:
		return named ? named : kind_of(o->fault).field;
	}
}
