/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions about the validity of a message: RDMAP's control field, the queue
 * and the length (RFC 5040 s4, RFC 7306 s4). */
#ifndef HARNESS_REFDUT_RDMAP_HEADER_DECISIONS_H
#define HARNESS_REFDUT_RDMAP_HEADER_DECISIONS_H

#include "harness/refdut/conn.h"
#include "harness/refdut/decision/decision.h"

/* Whether the RDMAP version is supported, and the reserved bits are acceptable
 * (RFC 5040 s4.1). */
#define DECISION_rdmap_version_fits bool, (const uint8_t *ulpdu), (ulpdu)
DECISION(rdmap_version_fits)

/* Whether messages of this opcode are expected on this queue (RFC 5040 s4.1
 * and s4.2, RFC 7306 s4.1). */
#define DECISION_opcode_expected bool, (const uint8_t *ulpdu), (ulpdu)
DECISION(opcode_expected)

/* Whether the device supports the opcode, and T flag and queue match it (figure
 * 4 of RFC 5040, figure 3 of RFC 7306). */
#define DECISION_opcode_on_its_queue bool, (const uint8_t *ulpdu), (ulpdu)
DECISION(opcode_on_its_queue)

/* Whether a delivered message has exactly the length of its header, has no
 * hole, and has legal fields (RFC 5040 s4.4 and s4.8, RFC 7306 s5.2 and
 * s6.1). */
#define DECISION_message_well_formed                                           \
	bool,                                                                  \
		(const struct conn *c, const uint8_t *ulpdu,                   \
		 uint32_t message_len),                                        \
		(c, ulpdu, message_len)
DECISION(message_well_formed)

/* End the stream with a remote operation error (RFC 5040 s7.1). */
#define DECISION_refuse_operation                                              \
	void,                                                                  \
		(struct conn * c, unsigned code, const uint8_t *ulpdu,         \
		 uint32_t len),                                                \
		(c, code, ulpdu, len)
DECISION(refuse_operation)

/* The RDMA header that is returned for a refused operation, or NULL (RFC 5040
 * s4.8, s7.1). */
#define DECISION_returned_rdma_header                                          \
	const uint8_t *, (const uint8_t *ulpdu, uint32_t len), (ulpdu, len)
DECISION(returned_rdma_header)

#endif
