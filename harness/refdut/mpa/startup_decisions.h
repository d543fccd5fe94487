/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decisions when startup frames are read and written (RFC 5044 s7.1, RFC 6581
 * s6, s9). `reply` is false for a Request.
 */
#ifndef HARNESS_REFDUT_MPA_STARTUP_DECISIONS_H
#define HARNESS_REFDUT_MPA_STARTUP_DECISIONS_H

#include "harness/refdut/decision/decision.h"
#include "harness/refdut/mpa/startup.h"

/* Read */

/* Whether this octet is correct at this place of the key (RFC 5044 s7.1.1). */
#define DECISION_key_octet_fits                                                \
	bool, (size_t at, uint8_t octet, bool reply), (at, octet, reply)
DECISION(key_octet_fits)

/* Whether n octets contain all fields before the private data: the frame may
 * arrive in any number of TCP segments (RFC 5044 s7.1, s7.1.2). */
#define DECISION_startup_header_there                                          \
	enum startup_progress, (size_t n, bool reply), (n, reply)
DECISION(startup_header_there)

/* Whether a frame of this revision is understood (RFC 5044 s7.1.1). */
#define DECISION_revision_usable bool, (unsigned rev, bool reply), (rev, reply)
DECISION(revision_usable)

/* Whether these flags are legal in a frame: reserved bits, and R in a Request,
 * are not checked on reception (RFC 5044 s7.1.1, RFC 6581 s6). */
#define DECISION_flags_accepted                                                \
	bool, (unsigned flags, unsigned rev, bool reply), (flags, rev, reply)
DECISION(flags_accepted)

/* The PD_Length of a frame, after n of its octets have arrived (RFC 5044
 * s7.1.1). */
#define DECISION_pd_length_read                                                \
	size_t, (const uint8_t *octets, size_t n, bool reply),                 \
		(octets, n, reply)
DECISION(pd_length_read)

/* Whether the private data begins with enhanced data (RFC 6581 s6). */
#define DECISION_has_enhanced_data                                             \
	bool, (unsigned flags, unsigned rev, size_t pd_length, bool reply),    \
		(flags, rev, pd_length, reply)
DECISION(has_enhanced_data)

/* Whether private data of this length is accepted (RFC 5044 s7.1.1, RFC 6581
 * s6). */
#define DECISION_private_data_accepted                                         \
	bool,                                                                  \
		(const struct startup_frame *frame, size_t pd_length,          \
		 bool reply),                                                  \
		(frame, pd_length, reply)
DECISION(private_data_accepted)

/* How much private data has to arrive before the frame is processed: all of it
 * (RFC 5044 s7.1.1). n octets of the frame have arrived. */
#define DECISION_private_data_awaited                                          \
	size_t,                                                                \
		(struct startup_frame * frame, size_t pd_length, size_t n,     \
		 bool reply),                                                  \
		(frame, pd_length, n, reply)
DECISION(private_data_awaited)

/* The length of a frame with this much private data (RFC 5044 s7.1). */
#define DECISION_startup_frame_length                                          \
	size_t, (size_t pd_length, bool reply), (pd_length, reply)
DECISION(startup_frame_length)

/* Reduce *data and *len, which are all private data, to the ULP's part:
 * enhanced data is removed (RFC 5044 s7.1.1, RFC 6581 s6). False: this is not
 * possible. */
#define DECISION_private_data_of_ulp                                           \
	bool,                                                                  \
		(const struct startup_frame *frame, const uint8_t **data,      \
		 size_t *len, bool reply),                                     \
		(frame, data, len, reply)
DECISION(private_data_of_ulp)

/* IRD (or ORD) from its word of enhanced data, which also has two flags (RFC
 * 6581 s9). */
#define DECISION_enhanced_depth uint32_t, (uint16_t word, bool ord), (word, ord)
DECISION(enhanced_depth)

/* Written, in both frames */

/* The octet at this place of the key (RFC 5044 s7.1.1). */
#define DECISION_key_octet_sent uint8_t, (size_t at, bool reply), (at, reply)
DECISION(key_octet_sent)

/* How many octets of its ULP's private data a frame carries (RFC 5044
 * s7.1.2). */
#define DECISION_startup_private_data_sent                                     \
	uint32_t, (const struct params *params, bool reply), (params, reply)
DECISION(startup_private_data_sent)

/* Append octets after the private data, and return their number: 0, because a
 * startup frame has neither a CRC nor a pad (RFC 5044 s7.1). */
#define DECISION_startup_frame_end                                             \
	size_t, (uint8_t * end, bool reply), (end, reply)
DECISION(startup_frame_end)

/* Written, in a Request */

/* Whether it has enhanced data (RFC 6581 s6, s10). */
#define DECISION_request_enhanced bool, (const struct params *params), (params)
DECISION(request_enhanced)

/* Its flags M, C and S (RFC 5044 s7.1.1, RFC 6581 s6). */
#define DECISION_request_flags unsigned, (const struct params *params), (params)
DECISION(request_flags)

/* Its Rev: 1, or 2 with enhanced data (RFC 5044 s7.1.1, RFC 6581 s6). */
#define DECISION_request_revision                                              \
	unsigned, (const struct params *params), (params)
DECISION(request_revision)

/* Its PD_Length, if this many octets follow the header: enhanced data counts,
 * too (RFC 5044 s7.1.1, RFC 6581 s6). */
#define DECISION_request_pd_length                                             \
	size_t, (const struct params *params, size_t len), (params, len)
DECISION(request_pd_length)

/* Its A flag: the peer-to-peer model (RFC 6581 s9.2). */
#define DECISION_request_a bool, (const struct params *params), (params)
DECISION(request_a)

/* The RTR types that it lists in its flags B, C and D (RFC 6581 s9.2). */
#define DECISION_request_rtr unsigned, (const struct params *params), (params)
DECISION(request_rtr)

/* Its IRD and ORD (RFC 6581 s9.1). */
#define DECISION_request_ird uint32_t, (const struct params *params), (params)
DECISION(request_ird)
#define DECISION_request_ord uint32_t, (const struct params *params), (params)
DECISION(request_ord)

/* Written, in a Reply */

/* Whether it has enhanced data: if the Request has (RFC 6581 s10). */
#define DECISION_reply_enhanced                                                \
	bool, (const struct agreement *agreement), (agreement)
DECISION(reply_enhanced)

/* Its flags M, C, R and S (RFC 5044 s7.1.1, RFC 6581 s6). */
#define DECISION_reply_flags                                                   \
	unsigned,                                                              \
		(const struct params *params,                                  \
		 const struct agreement *agreement,                            \
		 const struct startup_frame *request),                         \
		(params, agreement, request)
DECISION(reply_flags)

/* Its Rev: that of the Request (RFC 5044 s7.1.1). */
#define DECISION_reply_revision                                                \
	unsigned,                                                              \
		(const struct params *params,                                  \
		 const struct agreement *agreement),                           \
		(params, agreement)
DECISION(reply_revision)

/* Its PD_Length, if this many octets follow the header: enhanced data counts,
 * too (RFC 5044 s7.1.1, RFC 6581 s6). */
#define DECISION_reply_pd_length                                               \
	size_t,                                                                \
		(const struct params *params,                                  \
		 const struct agreement *agreement, size_t len),               \
		(params, agreement, len)
DECISION(reply_pd_length)

/* Its ORD field (RFC 6581 s9). */
#define DECISION_reply_ord_sent                                                \
	uint32_t, (const struct agreement *agreement), (agreement)
DECISION(reply_ord_sent)

#endif
