/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decisions of the two sides of a startup, based on the frame that arrived and
 * on the parameters of their ULP (RFC 5044 s7.1.2, RFC 6581 s9, s10).
 */
#ifndef HARNESS_REFDUT_MPA_NEGOTIATION_DECISIONS_H
#define HARNESS_REFDUT_MPA_NEGOTIATION_DECISIONS_H

#include "harness/refdut/decision/decision.h"
#include "harness/refdut/mpa/startup.h"

/* Both */

/* Whether markers are sent: if the peer requested them (RFC 5044 s4.3,
 * s7.1.1). */
#define DECISION_markers_agreed                                                \
	bool, (const struct params *params, const struct startup_frame *peer), \
		(params, peer)
DECISION(markers_agreed)

/* The responder */

/* Whether the stream is closed without a Reply (RFC 5044 s7.1.2). */
#define DECISION_request_refused                                               \
	bool,                                                                  \
		(const struct params *params,                                  \
		 const struct startup_frame *request),                         \
		(params, request)
DECISION(request_refused)

/* Whether the Reply rejects, as the ULP requested (RFC 5044 s7.1.2). */
#define DECISION_request_rejected                                              \
	bool,                                                                  \
		(const struct params *params,                                  \
		 const struct startup_frame *request),                         \
		(params, request)
DECISION(request_rejected)

/* The A flag of the Reply: that of the Request (RFC 6581 s9.2). */
#define DECISION_reply_a                                                       \
	bool,                                                                  \
		(const struct params *params,                                  \
		 const struct startup_frame *request),                         \
		(params, request)
DECISION(reply_a)

/* The RTR types that the Reply lists: all that the responder accepts, in the
 * peer-to-peer model (RFC 6581 s9.2). */
#define DECISION_reply_rtr                                                     \
	unsigned,                                                              \
		(const struct params *params,                                  \
		 const struct startup_frame *request),                         \
		(params, request)
DECISION(reply_rtr)

/* The IRD in force, for a device with this maximum (RFC 6581 s9.1). */
#define DECISION_responder_ird                                                 \
	uint32_t, (uint32_t ird, const struct startup_frame *request),         \
		(ird, request)
DECISION(responder_ird)

/* The ORD in force, for a device with this maximum: no more than the IRD of the
 * Request (RFC 6581 s9.1). */
#define DECISION_responder_ord                                                 \
	uint32_t, (uint32_t ord, const struct startup_frame *request),         \
		(ord, request)
DECISION(responder_ord)

/* The IRD field of the Reply: the IRD in force, or 3fff if the ORD of the
 * Request is 3fff (RFC 6581 s9.1). */
#define DECISION_reply_ird                                                     \
	uint32_t, (uint32_t ird, const struct startup_frame *request),         \
		(ird, request)
DECISION(reply_ird)

/* The ORD field of the Reply: the ORD in force, or 3fff if the IRD of the
 * Request is 3fff (RFC 6581 s9.1). */
#define DECISION_reply_ord                                                     \
	uint32_t, (uint32_t ord, const struct startup_frame *request),         \
		(ord, request)
DECISION(reply_ord)

/* Whether the IRD of the Request is less than the ORD that the ULP needs: then
 * the Reply rejects, and contains that ORD (RFC 6581 s9.1). */
#define DECISION_needed_ord_missing                                            \
	bool,                                                                  \
		(const struct params *params,                                  \
		 const struct startup_frame *request),                         \
		(params, request)
DECISION(needed_ord_missing)

/* Whether a Reply that rejects contains the IRD and ORD of its device, or zeros
 * (RFC 6581 s9.1). */
#define DECISION_reject_has_depths bool, (const struct params *params), (params)
DECISION(reject_has_depths)

/* The initiator */

/* Whether the Reply does not match its Request: enhanced data has to be in
 * both, or in neither (RFC 6581 s10). */
#define DECISION_reply_refused                                                 \
	bool,                                                                  \
		(const struct params *params,                                  \
		 const struct startup_frame *reply),                           \
		(params, reply)
DECISION(reply_refused)

/* Whether the Reply rejects (RFC 5044 s7.1.2). */
#define DECISION_reply_rejects                                                 \
	bool, (const struct startup_frame *reply), (reply)
DECISION(reply_rejects)

/* The IRD in force, for an initiator that offered this IRD and has this ORD in
 * force (RFC 6581 s9.1). */
#define DECISION_initiator_ird                                                 \
	uint32_t,                                                              \
		(uint32_t ird, uint32_t ord,                                   \
		 const struct startup_frame *reply),                           \
		(ird, ord, reply)
DECISION(initiator_ird)

/* The ORD in force: no more than the IRD of the Reply (RFC 6581 s9.1). */
#define DECISION_initiator_ord                                                 \
	uint32_t, (uint32_t ord, const struct startup_frame *reply),           \
		(ord, reply)
DECISION(initiator_ord)

/* Whether the stream uses the peer-to-peer model (RFC 6581 s9.2). */
#define DECISION_initiator_model                                               \
	bool,                                                                  \
		(const struct params *params,                                  \
		 const struct startup_frame *reply),                           \
		(params, reply)
DECISION(initiator_model)

/* The RTR types that the initiator may send: those that both sides list (RFC
 * 6581 s9.2). */
#define DECISION_initiator_rtr                                                 \
	unsigned,                                                              \
		(const struct params *params,                                  \
		 const struct startup_frame *reply),                           \
		(params, reply)
DECISION(initiator_rtr)

/* Whether the ORD of the Reply exceeds the available IRD (RFC 6581 s9.1). */
#define DECISION_ird_insufficient                                              \
	bool, (uint32_t ird, const struct startup_frame *reply), (ird, reply)
DECISION(ird_insufficient)

/* Whether no RTR type is common to both (RFC 6581 s9.2). */
#define DECISION_no_matching_rtr                                               \
	bool,                                                                  \
		(const struct params *params, unsigned rtr,                    \
		 const struct startup_frame *reply),                           \
		(params, rtr, reply)
DECISION(no_matching_rtr)

/* The MPA error code of the Terminate that ends the setup, or 0
 * (RFC 6581 s8). */
#define DECISION_setup_terminate                                               \
	uint8_t,                                                               \
		(const struct params *params, uint32_t ird, unsigned rtr,      \
		 const struct startup_frame *reply),                           \
		(params, ird, rtr, reply)
DECISION(setup_terminate)

#endif
