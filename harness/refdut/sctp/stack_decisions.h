/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions about SCTP itself (RFC 9260). */
#ifndef HARNESS_REFDUT_SCTP_STACK_DECISIONS_H
#define HARNESS_REFDUT_SCTP_STACK_DECISIONS_H

#include "harness/refdut/address.h"
#include "harness/refdut/decision/decision.h"

/* The MTU of the path to an address (RFC 9260 s7.3). */
#define DECISION_path_mtu uint32_t, (const struct address *to), (to)
DECISION(path_mtu)

#endif
