/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The language of a case, part of case.h: a message of any kind. DDP has the
 * same rules for all kinds, but a device may have a code path of its own for
 * each. So a case about a rule of DDP is a table with rows of several kinds.
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
/* Number of receive buffers of the device, for kinds that use them. */
#define AWAITED_RECEIVES 4u

/* Rows of a table, one for each kind with the same rule. Their ids start with
 * `what`; the other arguments are the same for all rows. The struct of a row
 * has a member opcode. */
#define KIND_ROW(name, op, ...)                                                \
	{                                                                      \
		.id = name, .opcode = RDMAP_##op, __VA_ARGS__                  \
	}
/* The Sends except the plain one, which has cases in the files of the rules. */
#define KIND_SENDS(what, ...)                                                  \
	KIND_ROW(what "send_with_invalidate", SEND_INV, __VA_ARGS__),          \
		KIND_ROW(what "send_with_se", SEND_SE, __VA_ARGS__),           \
		KIND_ROW(what "send_with_se_and_invalidate", SEND_SE_INV,      \
			 __VA_ARGS__)
#define KIND_IMMEDIATES(what, ...)                                             \
	KIND_ROW(what "immediate_data", IMM, __VA_ARGS__),                     \
		KIND_ROW(what "immediate_data_with_se", IMM_SE, __VA_ARGS__)
/* The kinds that use a receive buffer. */
#define KIND_RECEIVED(what, ...)                                               \
	KIND_SENDS(what, __VA_ARGS__), KIND_IMMEDIATES(what, __VA_ARGS__)
/* The Requests, and the only answer that is untagged. */
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
	struct sink sinks;     /* for Sends or Immediate Data */
	unsigned turn;         /* index of the next receive in `sinks` */
	struct region r;       /* that a message reads, writes or invalidates */
	unsigned id;           /* the Read or atomic that a Response answers */
	const struct frame *f; /* the Request of that Read or atomic */
	uint64_t word;         /* value that atomics have left in the region */
};

/* Connects a new stream, and prepares the device for a message of this kind:
 * for a Response, the device posts a Read or an atomic. The case is not
 * applicable to a device that does not claim the feature. */
#define dut_awaits(t, opcode, ...)                                             \
	case_dut_awaits(t, opcode, &(struct stream_opts){__VA_ARGS__})
struct awaited case_dut_awaits(struct test *t, uint8_t opcode,
			       const struct stream_opts *o);
/* The same for one more message on the stream of the case, after the previous
 * one had its effect. */
void dut_awaits_another(struct test *t, struct awaited *a);

/* The case is not applicable to a device that does not claim the feature. */
void dut_claims_kind(struct test *t, uint8_t opcode);
bool kind_is_send(uint8_t opcode);
/* A message of this kind needs a receive buffer. */
bool kind_is_received(uint8_t opcode);
/* The MSN that is due, or 0 for a tagged message. In queue 1 it follows the
 * Read that has proved the stream. */
uint32_t msn_awaited(const struct awaited *a);

/* The correct message for this device. It has this many octets of payload, if
 * its kind leaves the length open. */
struct msg message_awaited(struct test *t, const struct awaited *a,
			   size_t octets);
/* The effect of such a message: delivered, answered, placed, completed. */
struct expect had_its_effect(struct test *t, const struct awaited *a,
			     size_t octets);
/* The same for a step that merely leads up to the point of the case, like
 * awaits_given(): if it has failed, the requirement that asks for it is blamed,
 * and nothing else is judged. */
void awaits_effect(struct test *t, const struct awaited *a, size_t octets);
/* The message was neither delivered nor completed, and no octet of the memory
 * that it names has changed. ends_unanswered() checks that the device did not
 * answer it. */
struct expect had_no_effect(const struct awaited *a);

#endif
