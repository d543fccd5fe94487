/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the golden model has to say against octets that a device sent. The
 * weight of an objection is that of its requirement: rows of kind `may` and
 * `open` bind nobody, and none of them ever becomes an objection.
 */
#ifndef SUITE_MODEL_OBJECTION_H
#define SUITE_MODEL_OBJECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "suite/req/req.h"

enum model_fault {
	MODEL_FAULT_NONE,
	/* startup frames */
	MODEL_FAULT_KEY,
	MODEL_FAULT_RESERVED_FLAGS,
	MODEL_FAULT_REJECT_FLAG,
	MODEL_FAULT_REV,
	MODEL_FAULT_PD_LENGTH,
	MODEL_FAULT_PRIVATE_DATA,
	MODEL_FAULT_NOT_ENHANCED,
	MODEL_FAULT_ENHANCED,
	MODEL_FAULT_C_FLAG,
	MODEL_FAULT_A_FLAG,
	MODEL_FAULT_RTR_FLAGS,
	MODEL_FAULT_RTR_NOT_ALL,
	MODEL_FAULT_IRD,
	MODEL_FAULT_ORD,
	MODEL_FAULT_NOT_ANSWERED_SO, /* answered where a close was due */
	/* framing */
	MODEL_FAULT_CRC,
	MODEL_FAULT_PAD,
	MODEL_FAULT_ULPDU_TOO_LONG,
	MODEL_FAULT_ULPDU_TOO_SHORT,
	MODEL_FAULT_MULPDU,
	MODEL_FAULT_MARKER_RESERVED,
	MODEL_FAULT_MARKER_POINTER,
	MODEL_FAULT_MARKERS_USED,
	MODEL_FAULT_MARKERS_MISSING,
	MODEL_FAULT_NOT_RELEASED, /* responder speaks first */
	MODEL_FAULT_RTR_DUE,
	MODEL_FAULT_RTR_FORM,
	/* headers */
	MODEL_FAULT_SHORT_HEADER,
	MODEL_FAULT_DDP_RESERVED,
	MODEL_FAULT_DV,
	MODEL_FAULT_RV,
	MODEL_FAULT_RDMAP_RESERVED,
	MODEL_FAULT_OPCODE,
	MODEL_FAULT_T_FLAG,
	MODEL_FAULT_QN,
	MODEL_FAULT_MSN,
	MODEL_FAULT_MO,
	MODEL_FAULT_MO_ORDER,
	MODEL_FAULT_TO,
	MODEL_FAULT_TO_ORDER,
	MODEL_FAULT_STAG_CHANGED,
	MODEL_FAULT_HEADER_CHANGED,
	MODEL_FAULT_INVALIDATE_STAG,
	MODEL_FAULT_LAST_FLAG,
	MODEL_FAULT_LENGTH,
	MODEL_FAULT_INTERLEAVED,
	MODEL_FAULT_EMPTY_SEGMENT,
	/* requests and answers */
	MODEL_FAULT_RESPONSE_UNASKED,
	MODEL_FAULT_RESPONSE_ORDER,
	MODEL_FAULT_RESPONSE_STAG,
	MODEL_FAULT_RESPONSE_TO,
	MODEL_FAULT_RESPONSE_SIZE,
	MODEL_FAULT_RESPONSE_DATA,
	MODEL_FAULT_RESPONSE_REFUSABLE, /* answers what had to be refused */
	MODEL_FAULT_ATOMIC_ID,
	MODEL_FAULT_ATOMIC_VALUE,
	MODEL_FAULT_ATOMIC_RESERVED,
	MODEL_FAULT_ATOMIC_AOPCODE,
	MODEL_FAULT_ATOMIC_OPERAND,
	MODEL_FAULT_ORD_EXCEEDED,
	/* posted work */
	MODEL_FAULT_NOT_POSTED,
	MODEL_FAULT_POST_ORDER,
	MODEL_FAULT_POST_LENGTH,
	MODEL_FAULT_POST_STAG,
	MODEL_FAULT_POST_TO,
	MODEL_FAULT_POST_DATA,
	/* Terminate and the end */
	MODEL_FAULT_TERMINATE_UNREGISTERED,
	MODEL_FAULT_TERMINATE_CODE,     /* not within the set that is due */
	MODEL_FAULT_TERMINATE_UNCALLED, /* nothing was wrong */
	MODEL_FAULT_TERMINATE_RESERVED,
	MODEL_FAULT_TERMINATE_LENGTH,
	MODEL_FAULT_TERMINATE_BITS,
	MODEL_FAULT_TERMINATE_SEGMENT_LENGTH,
	MODEL_FAULT_TERMINATE_DDP_HEADER,
	MODEL_FAULT_TERMINATE_RDMA_HEADER,
	MODEL_FAULT_TERMINATE_MISSING,
	MODEL_FAULT_AFTER_TERMINATE,
	MODEL_FAULT_NOT_GRACEFUL,
	MODEL_FAULT_COUNT
};

struct model_objection {
	unsigned short req; /* index into req_table */
	enum model_fault fault;
	uint64_t seen, due; /* in units of the field at fault */
};

#define MODEL_OBJECTIONS 8

struct model_objections {
	unsigned n; /* first ones, up to MODEL_OBJECTIONS */
	struct model_objection list[MODEL_OBJECTIONS];
	bool more; /* there were more */
};

/* A fixed phrase ("the MSN is not the next of its queue"), never NULL. */
const char *model_fault_text(enum model_fault fault);

/*
 * Add an objection. One whose requirement is of kind `may` or `open` is left
 * out, and the same fault is recorded once.
 */
void model_object(struct model_objections *out, unsigned short req,
		  enum model_fault fault, uint64_t seen, uint64_t due);

#endif
