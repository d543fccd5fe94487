/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions about the length of ULPDUs (RFC 5044 s4.5, RFC 5043 s9). */
#ifndef HARNESS_REFDUT_DDP_TX_MULPDU_DECISIONS_H
#define HARNESS_REFDUT_DDP_TX_MULPDU_DECISIONS_H

#include "harness/refdut/conn.h"
#include "harness/refdut/decision/decision.h"

/* The EMSS: how many octets a TCP segment can carry (RFC 5044 s4.5). */
#define DECISION_emss uint32_t, (struct conn * c), (c)
DECISION(emss)

/* The MULPDU: the maximum length of a ULPDU (RFC 5044 s4.5, RFC 5043 s9). */
#define DECISION_mulpdu uint32_t, (struct conn * c), (c)
DECISION(mulpdu)

#endif
