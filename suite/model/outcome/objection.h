/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The objections of the golden model to octets that a device sent. The weight
 * of an objection is that of its requirement: rows of kind `may` and `open` are
 * not binding, and never become an objection.
 */
#ifndef SUITE_MODEL_OBJECTION_H
#define SUITE_MODEL_OBJECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "suite/model/outcome/terminate.h"
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
	MODEL_FAULT_NOT_SILENT,      /* octets where none may be sent */
	/* framing */
	MODEL_FAULT_CRC,
	MODEL_FAULT_PAD,
	MODEL_FAULT_PAD_LENGTH,
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
	MODEL_FAULT_RESPONSE_REFUSABLE, /* answers a Request that had to be
					 * refused */
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
	MODEL_FAULT_TERMINATE_UNCALLED, /* without an error */
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

/* The field, if the fault does not determine it. */
enum model_field {
	MODEL_FIELD_NONE,
	MODEL_FIELD_S, /* a startup frame's */
	MODEL_FIELD_REV,
	MODEL_FIELD_PD_LENGTH,
	MODEL_FIELD_PRIVATE_DATA,
	MODEL_FIELD_T, /* a segment's */
	MODEL_FIELD_L,
	MODEL_FIELD_OPCODE,
	MODEL_FIELD_INVALIDATE_STAG,
	MODEL_FIELD_MO,
	MODEL_FIELD_LENGTH,
	MODEL_FIELD_SINK_STAG, /* a Read Request's */
	MODEL_FIELD_SINK_TO,
	MODEL_FIELD_SIZE,
	MODEL_FIELD_SOURCE_STAG,
	MODEL_FIELD_SOURCE_TO,
	MODEL_FIELD_REMOTE_STAG, /* an Atomic Request's */
	MODEL_FIELD_REMOTE_TO,
	MODEL_FIELD_DATA,
	MODEL_FIELD_MASK,
	MODEL_FIELD_COMPARE,
	MODEL_FIELD_COMPARE_MASK,
	MODEL_FIELD_COUNT
};

#define MODEL_NOTHING UINT64_MAX /* in `seen` or `due`: no value */
#define MODEL_OCTETS  28         /* the longest: a Read Request header */

struct model_octets {
	uint8_t n;
	uint8_t octet[MODEL_OCTETS];
};

/* A fault fills in what its text needs; the rest is zero. */
struct model_objection {
	unsigned short req; /* index into req_table */
	enum model_fault fault;
	enum model_field field;
	/*
	 * In units of the field at fault. Values from `due` to `due_max`
	 * (UINT64_MAX: no limit) are due. For a set of flags, those in `due`
	 * are due, with or without the others in `due_max`; with `one_of`, at
	 * least one of those in `due`.
	 */
	uint64_t seen, due, due_max;
	bool one_of;
	uint8_t opcode;     /* of the segment at fault */
	uint32_t qn;        /* untagged: the queue of that opcode */
	uint8_t due_opcode; /* of the message that was due instead */
	uint64_t at;        /* where in the frame or message it is */
	struct model_octets seen_octets, due_octets;
	/* The peer's fault, and the allowed reactions. */
	enum model_stimulus stimulus;
	struct model_outcomes allowed;
};

#define MODEL_OBJECTIONS 8

struct model_objections {
	unsigned n; /* of the first ones, up to MODEL_OBJECTIONS */
	struct model_objection list[MODEL_OBJECTIONS];
	bool more; /* there were more */
};

/*
 * Add an objection. If its requirement is of kind `may` or `open`, it is left
 * out; the same fault is recorded once. A `due_max` below `due` means that no
 * other value is due.
 */
void model_object_to(struct model_objections *out,
		     const struct model_objection *o);
/* The same for a field with only one value that is due. */
void model_object(struct model_objections *out, unsigned short req,
		  enum model_fault fault, uint64_t seen, uint64_t due);

/* At most MODEL_OCTETS of them. */
void model_octets_put(struct model_octets *to, const uint8_t *octets, size_t n);
/*
 * Compare n octets with those that are due. Put into the objection the octets
 * from the first difference on, and the number of octets before it. False:
 * there is no difference.
 */
bool model_octets_differ(struct model_objection *o, const uint8_t *seen,
			 const uint8_t *due, size_t n);

#endif
