/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions when the ULP sets connections up, and inspects them. */
#ifndef HARNESS_REFDUT_VERBS_SETUP_DECISIONS_H
#define HARNESS_REFDUT_VERBS_SETUP_DECISIONS_H

#include "harness/refdut/agent/session.h"
#include "harness/refdut/sctp/conn_sctp.h"
#include "harness/refdut/decision/decision.h"

/* How many octets of private data the ULP may give: 512, less four for enhanced
 * data (RFC 5044 s7.1.1, RFC 6581 s6, RFC 5043 s5.2.3). */
#define DECISION_private_data_limit                                            \
	size_t, (bool sctp, bool enhanced), (sctp, enhanced)
DECISION(private_data_limit)

/* The form of a Request: its revision, whether it has enhanced data, and its
 * RTR types (RFC 5044 s7.1.1, RFC 6581 s6, s9.2). */
struct request_form {
	uint64_t rev;
	bool enhanced;
	unsigned rtr;
};

/* Whether the ULP may request this form. */
#define DECISION_form_is_offered bool, (const struct request_form *form), (form)
DECISION(form_is_offered)

/* The form that is sent for the requested one. */
#define DECISION_form_sent                                                     \
	struct request_form, (struct request_form form), (form)
DECISION(form_sent)

/* Whether the ULP may request to do without CRCs (RFC 5044 s7.1.1). */
#define DECISION_crc_may_be_off bool, (const struct params *params), (params)
DECISION(crc_may_be_off)

/* The IRD or ORD of a Request, given the requested value and the device's
 * maximum (RFC 6581 s9). */
#define DECISION_requested_depth                                               \
	uint32_t, (uint32_t depth, uint32_t most), (depth, most)
DECISION(requested_depth)

/* The connection for a session that the peer requests. NULL: there is no listen
 * for it (RFC 5043 s5.2.3, s6.4). */
#define DECISION_session_taken                                                 \
	struct conn *, (struct session * s, uint16_t port), (s, port)
DECISION(session_taken)

/* Whether the ULP learns of the connection that its listen waits for. */
#define DECISION_connection_is_reported bool, (const struct conn *c), (c)
DECISION(connection_is_reported)

/* The state of a connection, as reported to the ULP (RFC 5043 s6.2). */
#define DECISION_reported_state                                                \
	enum conn_state, (const struct conn *c, enum conn_state state),        \
		(c, state)
DECISION(reported_state)

/* The peer's IRD and ORD, as reported to the ULP (RFC 6581 s9.1). */
struct depths {
	uint32_t ird;
	uint32_t ord;
};
#define DECISION_reported_depths struct depths, (const struct conn *c), (c)
DECISION(reported_depths)

/* The facts about a connection that the ULP learns, if the device knows them: a
 * Terminate (RFC 5040 s6.2.1), and the peer's private data and depths (RFC 5044
 * s7.1.2, RFC 6581 s9.1). */
enum {
	FACT_TERMINATE = 1 << 0,
	FACT_PRIVATE_DATA = 1 << 1,
	FACT_DEPTHS = 1 << 2,
	FACTS_ALL = (1 << 3) - 1,
};
#define DECISION_reported_facts unsigned, (const struct conn *c), (c)
DECISION(reported_facts)

/* Whether the ULP that waits for a connection learns that its startup has
 * failed (RFC 5044 s7.1.2). */
#define DECISION_failed_startup_is_reported bool, (const struct conn *c), (c)
DECISION(failed_startup_is_reported)

#endif
