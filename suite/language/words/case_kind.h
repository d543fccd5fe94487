/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The language of a case, part of case.h: a message of any kind. DDP has the
 * same rules for all of them, but a device may have a path of its own for each
 * kind: so a rule of DDP is a table with rows of several kinds.
 *
 *   struct awaited a = dut_awaits(t, row->opcode);
 *   struct msg m = message_awaited(t, &a, 10);
 *   m.dv = IS(2);
 *   peer_sends(t, m);
 *   must_row(t, row, ends_unanswered());
 *   must_row(t, row, had_no_effect(&a));
 */
#ifndef SUITE_LANGUAGE_CASE_KIND_H
#define SUITE_LANGUAGE_CASE_KIND_H

#include "suite/language/words/case_wire.h"

/* Octets of each buffer of the device. */
#define AWAITED_OCTETS 100u
/* How many receive buffers it has, for kinds that use them. */
#define AWAITED_RECEIVES 4u

/* Rows of a table, one of each kind with the same rule; `what` begins their ids,
 * and the rest is the same for all. The struct of a row has a member opcode. */
#define KIND_ROW(name, op, ...)                                                \
	{                                                                      \
		.id = name, .opcode = RDMAP_##op, __VA_ARGS__                  \
	}
/* But the plain one, which the files of the rules have. */
#define KIND_SENDS(what, ...)                                                  \
	KIND_ROW(what "send_with_invalidate", SEND_INV, __VA_ARGS__),          \
		KIND_ROW(what "send_with_se", SEND_SE, __VA_ARGS__),           \
		KIND_ROW(what "send_with_se_and_invalidate", SEND_SE_INV,      \
			 __VA_ARGS__)
#define KIND_IMMEDIATES(what, ...)                                             \
	KIND_ROW(what "immediate_data", IMM, __VA_ARGS__),                     \
		KIND_ROW(what "immediate_data_with_se", IMM_SE, __VA_ARGS__)
/* They use a receive buffer. */
#define KIND_RECEIVED(what, ...)                                               \
	KIND_SENDS(what, __VA_ARGS__), KIND_IMMEDIATES(what, __VA_ARGS__)
/* Requests, and the answer that is untagged. */
#define KIND_REQUESTS(what, ...)                                               \
	KIND_ROW(what "read_request", READ_REQUEST, __VA_ARGS__),              \
		KIND_ROW(what "atomic_request", ATOMIC_REQUEST, __VA_ARGS__),  \
		KIND_ROW(what "atomic_response", ATOMIC_RESPONSE, __VA_ARGS__)
#define KIND_UNTAGGED(what, ...)                                               \
	KIND_RECEIVED(what, __VA_ARGS__), KIND_REQUESTS(what, __VA_ARGS__),    \
		KIND_ROW(what "terminate", TERMINATE, __VA_ARGS__)

/* The device, ready for a message of this kind. */
struct awaited {
	uint8_t opcode;
	struct sink sinks; /* of a Send or Immediate Data; the next one is */
	unsigned turn;     /* this one of them */
	struct region r; /* that a message names: to read, write, invalidate */
	unsigned id;     /* the Read or atomic that a Response answers, */
	const struct frame *f; /* and its Request */
	uint64_t word;         /* that atomics have left in the region */
};

/* It has what a message of this kind needs, on a new stream: a Read or an atomic
 * of its own for a Response. The device has to claim the feature. */
#define dut_awaits(t, opcode, ...)                                             \
	case_dut_awaits(t, opcode, &(struct stream_opts){__VA_ARGS__})
struct awaited case_dut_awaits(struct test *t, uint8_t opcode,
			       const struct stream_opts *o);
/* The same on the stream of the case, after the message before had its
 * effect. */
void dut_awaits_another(struct test *t, struct awaited *a);

/* The case is not applicable to a device that does not claim the feature. */
void dut_claims_kind(struct test *t, uint8_t opcode);
bool kind_is_send(uint8_t opcode);
/* It needs a receive buffer. */
bool kind_is_received(uint8_t opcode);
/* The MSN that is due; 0 for a tagged message. The first message of queue 1 is
 * the Read that has proved the stream. */
uint32_t msn_awaited(const struct awaited *a);

/* The right message. It has this many octets, if its kind leaves that open. */
struct msg message_awaited(struct test *t, const struct awaited *a,
			   size_t octets);
/* The effect of such a message: delivered, answered, placed, completed. */
struct expect had_its_effect(struct test *t, const struct awaited *a,
			     size_t octets);
/* The same for a step that merely leads up to the point of the case, like
 * awaits_given(): if it has failed, the requirement that asks for it is blamed,
 * and nothing else is judged. */
void awaits_effect(struct test *t, const struct awaited *a, size_t octets);
/* It is not completed or delivered, and no octet of memory that it names has
 * changed. That it was not answered is a matter of ends_unanswered(). */
struct expect had_no_effect(const struct awaited *a);

#endif
