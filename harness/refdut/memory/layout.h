/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The layout of groups of fields on the wire: in the order and at the places of
 * the RFCs, most significant octet first. Each decision gets a complete group
 * just before it is sent.
 */
#ifndef HARNESS_REFDUT_LAYOUT_H
#define HARNESS_REFDUT_LAYOUT_H

#include "harness/refdut/decision/decision.h"

/* The control word of a Terminate: 4 octets (RFC 5040 s4.8). */
#define DECISION_layout_terminate void, (uint8_t * word), (word)
DECISION(layout_terminate)

/* STag and TO: 12 octets (RFC 5041 s4.2). */
#define DECISION_layout_tagged void, (uint8_t * words), (words)
DECISION(layout_tagged)

/* QN, MSN and MO: 12 octets (RFC 5041 s4.3). */
#define DECISION_layout_untagged void, (uint8_t * words), (words)
DECISION(layout_untagged)

/* The enhanced data of a Request or Reply: 4 octets (RFC 6581 s9.1). */
#define DECISION_layout_enhanced                                               \
	void, (uint8_t * words, bool reply), (words, reply)
DECISION(layout_enhanced)

/* The four operands of an Atomic Request: 32 octets (RFC 7306 s5.2.1). */
#define DECISION_layout_operands void, (uint8_t * words), (words)
DECISION(layout_operands)

#endif
