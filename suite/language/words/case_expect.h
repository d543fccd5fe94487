/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The language of a case, part of case.h: what is expected.
 */
#ifndef SUITE_LANGUAGE_CASE_EXPECT_H
#define SUITE_LANGUAGE_CASE_EXPECT_H

#include "suite/language/words/case_register.h"

/* ------------------------------------------------------------------ *
 * Expectations
 * ------------------------------------------------------------------ */

/* A statement about what the case must observe. The matchers below create
 * it. */
struct expect {
	bool (*holds)(struct test *t, const struct expect *e);
	const char *due; /* the expectation as written */
	uint64_t a, b, c, d;
	const void *p;
	const char *what, *instead;
	const struct expect *alternatives;
};

/* A requirement that a case judges. The linker collects these, so that
 * `coverage` knows them without a run. Use the macros below, from must() to
 * should_row(), only in the body of a case. */
struct case_use {
	const char *file, *function;
	unsigned short req; /* or one of these, if each row has its own: */
};
enum { CASE_USE_ROW_MUST = REQ_COUNT, CASE_USE_ROW_SHOULD };
#define CASE_USE(ident) CASE_USE_OF(REQ_INDEX_##ident)
#define CASE_USE_OF(index)                                                     \
	do {                                                                   \
		static const struct case_use use = {__FILE__, __func__,        \
						    index};                    \
		static const struct case_use *const in_section                 \
			__attribute__((used, section("warpspec_uses"))) =      \
				&use;                                          \
	} while (0)

/* A MUST or MUST NOT: FAIL if the expectation does not hold. */
#define must(t, req, ...)                                                      \
	do {                                                                   \
		CASE_USE(req);                                                 \
		case_must(t, req, __VA_ARGS__);                                \
	} while (0)
/* The same; if it does not hold, nothing else is judged, because the rest would
 * be a consequence. */
#define insists(t, req, ...)                                                   \
	do {                                                                   \
		CASE_USE(req);                                                 \
		case_insists(t, req, __VA_ARGS__);                             \
	} while (0)
/* A SHOULD or SHOULD NOT: WARN. */
#define should(t, req, ...)                                                    \
	do {                                                                   \
		CASE_USE(req);                                                 \
		case_should(t, req, __VA_ARGS__);                              \
	} while (0)
/* A MAY: INFO with what the device did. WARN if an any_of() lists all permitted
 * outcomes and none of them holds. */
#define may(t, req, ...)                                                       \
	do {                                                                   \
		CASE_USE(req);                                                 \
		case_may(t, req, __VA_ARGS__);                                 \
	} while (0)
/* Records in words (printf) what the device chose where the RFCs leave it a
 * choice. */
#define observe(t, req, ...)                                                   \
	do {                                                                   \
		CASE_USE(req);                                                 \
		case_observe(t, req, __VA_ARGS__);                             \
	} while (0)
/* Judge the requirement of a CASE_EACH row. A case that uses none of these
 * three does not judge the requirements of its rows: it only shares the table
 * with other cases. */
#define must_row(t, row, ...)                                                  \
	do {                                                                   \
		CASE_USE_OF(CASE_USE_ROW_MUST);                                \
		case_must(t, *(row)->must, __VA_ARGS__);                       \
	} while (0)
#define insists_row(t, row, ...)                                               \
	do {                                                                   \
		CASE_USE_OF(CASE_USE_ROW_MUST);                                \
		case_insists(t, *(row)->must, __VA_ARGS__);                    \
	} while (0)
#define should_row(t, row, ...)                                                \
	do {                                                                   \
		CASE_USE_OF(CASE_USE_ROW_SHOULD);                              \
		case_should(t, *(row)->should, __VA_ARGS__);                   \
	} while (0)

void case_must(struct test *t, struct req_must req, struct expect e);
void case_insists(struct test *t, struct req_must req, struct expect e);
void case_should(struct test *t, struct req_should req, struct expect e);
void case_may(struct test *t, struct req_may req, struct expect e);
void case_observe(struct test *t, struct req_open req, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The case cannot be judged on this device or link: SKIP, with the reason. */
void not_applicable(struct test *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/* --- matchers on the stream ---------------------------------------- */

/* The device ended the stream: a Terminate, a FIN or a RST arrived. */
struct expect stream_ends(void);
/* The same, after an FPDU that is shorter than any header. If the stream is
 * still open, the peer starts a known-answer exchange, and the device has to
 * end the stream then: no RFC requires a device to judge a header before the
 * octets of a whole header could have arrived. */
struct expect stream_ends_with_the_next(void);
/* stream_ends(), or the faulty TCP segment was dropped silently: no answer to a
 * known-answer exchange within a bounded wait (RFC 5044 s8). */
struct expect stream_ends_or_stalls(void);
/* Only the silent drop. */
struct expect segment_dropped(void);
/* After a CRC error: a Terminate 2/0/02, a Terminate that names no cause
 * (0/0/00), the segment dropped, or no Terminate at all: RFC 5044 s8 is about
 * MPA's consumer, and the golden model asks for a Terminate (RFC 5040
 * s6.2.1). A device that does not name the cause of
 * one CRC error names it for none: only mpa/crc/wrong_crc_is_never_delivered
 * reports that. */
struct expect crc_error_reported(struct test *t);
/* The same silence, because the LLP holds the message back for lack of a buffer
 * (RFC 5041 s7.1). The case then posts a buffer, and judges whether the message
 * is delivered. */
struct expect held_back(void);
/* The same silence, because a Request is incomplete and later messages wait for
 * it (RFC 5041 s5.3). */
struct expect message_waits(void);
/* A known-answer exchange (a zero-length RDMA Read) still works. */
struct expect stream_works(void);
/* The device sent a Terminate with these numbers. */
struct expect terminate(unsigned layer, unsigned etype, unsigned code);
struct expect terminate_any(void);
/* The stream is over. If the device sent a Terminate, it has these numbers. For
 * rows that do not require the Terminate itself. */
struct expect terminate_if_any(unsigned layer, unsigned etype, unsigned code);
/* The same for a queue that does not exist: 1/2/01, or 1/2/02 or 1/2/03,
 * because the queue has neither buffers nor MSNs. RFC 5041 s7.1 does not order
 * its checks. */
struct expect refuses_queue(struct test *t);
/* The same for a queue without a buffer: 1/2/02, or 1/2/03, because the range
 * of MSNs is that of the buffers. */
struct expect refuses_without_buffer(struct test *t);
/* The same for an MSN that is out of range: 1/2/03, or 1/2/02, because it has no
 * buffer either. If it is `ahead` of the buffers, the device may wait for one
 * (RFC 5041 s7.1 item 2). */
struct expect refuses_msn(struct test *t, bool ahead);
/* A Read whose source belongs to another stream is refused: 0/1/03, or 0/1/00.
 * The second code is not that of this error. A row of RFC 5040 s4.8 judges
 * that. */
struct expect refuses_source_of_others(struct test *t);
/* The headers that a Terminate claims to return. */
enum { TERM_M = 4, TERM_D = 2, TERM_R = 1 };
struct expect header_bits(const struct rdmap_terminate *term, unsigned due);
/* The stream is over, and if a Terminate was sent, its numbers are registered
 * (RFC 6580 s3, RFC 6581 s8). */
struct expect terminate_registered(void);
/* The stream is over, and except for a Terminate no frame arrived that the case
 * has not taken with awaits(). */
struct expect ends_unanswered(void);
/* No Terminate arrived, although the stream has ended or still works. */
struct expect no_terminate(void);
/* The device closed TCP: by FIN or RST; by FIN. */
struct expect tcp_closed(void);
struct expect tcp_closed_by_fin(void);
/* The device closed TCP (FIN or RST), and no part of an FPDU precedes the
 * end. */
struct expect end_after_whole_fpdu(void);
/* The device sent nothing except frames that the case has already taken with
 * awaits(). The proof is a known-answer exchange, the end of the stream or,
 * before the device may send, an answer of the agent to a later request. */
struct expect nothing_more(void);
/* The octets so far are whole FPDUs: none is incomplete. */
struct expect whole_fpdus(void);
/* At startup: the device closed without an octet of a Reply / of an FPDU. */
struct expect closed_without_reply(void);
struct expect closed_without_fpdu(void);

/* At startup: the frames exchanged lead both ends into Full Operation, where a
 * known-answer exchange works. */
struct expect full_operation_works(void);
/* At startup: the device has neither closed nor sent anything so far. */
struct expect still_waiting(void);

/* --- matchers on effects ------------------------------------------- */

struct sink {
	unsigned first, count;
	size_t len;
	unsigned stream;
};
struct region {
	unsigned number; /* the region's name is "r" and this number */
	uint32_t stag;
	uint64_t to;
	size_t len;
};

/* The receives of this sink, in order, are completed with these octets. */
struct expect delivered(struct sink s, const void *octets, size_t n);
#define delivered_text(s, text) delivered(s, "" text, sizeof(text) - 1)
/* The receive is completed by Immediate Data: these eight octets. */
struct expect delivered_imm(struct sink s, const void *octets8);
/* The agent's report of the receive: whether it was solicited. */
struct expect tells_se(struct sink s, bool se, const char *what);
/* The receive of this sink completes, and its length is reported as n
 * octets. */
struct expect tells_length(struct sink s, size_t n);
/* The agent's report of the receive: the STag that it invalidated. */
struct expect tells_invalidated(struct sink s, uint32_t stag);
/* A Read Request names this place of a region as its sink. */
struct expect names_sink(const struct frame *f, struct region sink, size_t off);
/* The case does not apply to a device whose Read Request names an STag of its
 * own instead of that of the region: no rule says what lies around it. */
void sink_is_in(struct test *t, const struct frame *f, struct region r);
/* `accept` or `state` reported these octets to the ULP as private data. */
struct expect ulp_gets(struct test *t, const void *seen, size_t seen_n,
		       const void *due, size_t due_n);
/* None of the receives is completed with success, and none will be: the stream
 * has ended, or a later known-answer exchange was answered. */
struct expect not_delivered(struct sink s);
/* The i-th receive of a sink of several. */
struct sink sink_at(struct sink s, unsigned i);
/* The region has these octets once the device has processed everything that the
 * peer sent. If the last message was a Write and the octets differ, the peer
 * sends a Send first: before its delivery the host need not see the Write (RFC
 * 5040 s5.5 item 5). */
struct expect memory_is(struct region r, size_t off, const void *octets,
			size_t n);
/* The whole region is as the case or the agent left it before the stimulus:
 * as registered (zeros) or as filled by dut_fills(). */
struct expect memory_unchanged(struct region r);
/*
 * These len octets of the region hold no part of the peer's n octets: not eight
 * of them in a row, nor all of fewer. For the buffer of an operation that fails:
 * what else is in the sink of a Read, or where a receive was posted, is
 * indeterminate (RFC 5040 s3.1, s5.5 items 4 and 6).
 */
struct expect memory_lacks(struct region r, size_t off, size_t len,
			   const void *octets, size_t n);
/* A 64-bit word, as the device's CPU reads it. */
struct expect word_is(struct region r, size_t off, uint64_t value);
/* A work request of the device completed with success; did not. */
struct expect completed(unsigned id);
struct expect not_completed(unsigned id); /* like not_delivered() */
/* The work request completed, with an error or flushed. */
struct expect completed_in_error(unsigned id);
/* The same for every receive of a sink. */
struct expect received_in_error(struct sink s);
/* The completion of an atomic, with the value that it returned. */
struct expect completed_with_value(unsigned id, uint64_t value);
/* The agent reports that the connection is over: terminated, closed or
 * error. */
struct expect agent_sees_end(void);
/* The agent reports that the connection ended with an error: error or
 * terminated. */
struct expect agent_sees_fatal_end(void);
/* The agent reports that the connection ended in order: closed. */
struct expect agent_sees_orderly_end(void);
/* The agent reports that no stream was established because of an error. */
struct expect agent_sees_failed_startup(void);
/* The agent of an initiator does not report a stream. */
struct expect agent_sees_no_stream(void);
/* The agent of an initiator reports that the responder rejected. */
struct expect agent_sees_reject(void);
/* The agent reports `terminated` with these numbers for the peer's Terminate,
 * not for one that the device sent itself. */
struct expect agent_sees_terminate(unsigned layer, unsigned etype,
				   unsigned code);
/* The agent does not report that: this Terminate of the peer was not
 * delivered. */
struct expect agent_sees_no_terminate(unsigned layer, unsigned etype,
				      unsigned code);
/* The agent reports `terminated` with these numbers, for a Terminate of either
 * end. */
struct expect agent_sees_error(unsigned layer, unsigned etype, unsigned code);

/* --- matchers on values -------------------------------------------- */

struct expect is(const char *what, uint64_t seen, uint64_t due);
struct expect is_not(const char *what, uint64_t seen, uint64_t unwanted);
struct expect at_most(const char *what, uint64_t seen, uint64_t limit);
struct expect at_least(const char *what, uint64_t seen, uint64_t limit);
struct expect octets_are(struct test *t, const char *what, const void *seen,
			 size_t seen_n, const void *due, size_t due_n);
/* A fact that the case has found. If it does not hold, the report has what the
 * device sent last. */
struct expect holds(const char *what, bool seen);
/* The same for a fact with parts: which of them failed, in words (printf). */
struct expect holds_else(struct test *t, const char *what, bool seen,
			 const char *instead, ...)
	__attribute__((format(printf, 4, 5)));
/* The same about a frame, or NULL if none came: the report has its octets, and
 * behind them which part failed, unless that is NULL. */
struct expect holds_of(const struct frame *f, const char *what, bool seen,
		       const char *instead);

/* One of these expectations holds; the first match is recorded. */
#define any_of(t, ...)                                                         \
	case_any_of(t, (const struct expect[]){__VA_ARGS__},                   \
		    sizeof((const struct expect[]){__VA_ARGS__}) /             \
			    sizeof(struct expect))
struct expect case_any_of(struct test *t, const struct expect *e, size_t n);

/* The state of TCP right now, without waiting: "open", "FIN", "RST". */
const char *how_tcp_stands(struct test *t);
/* How the stream has ended so far, in words: "Terminate 1/2/03, then FIN". */
const char *how_it_ended(struct test *t);

#endif
