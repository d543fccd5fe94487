/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The language of a case. A case file includes this header and nothing else.
 *
 *   CASE(name, .title = "...", .needs = ..., .role = ...) { body }
 *
 * registers one case under the id FOLDER/FILE/name. The body speaks of three
 * parties: the peer (the suite's own end of the wire), the dut (asked through
 * its agent) and t (the case that runs). A statement either happens or ends
 * the case: a body never checks for failure.
 *
 * Waits are for events, and end at a deadline that only bounds a failure.
 */
#ifndef SUITE_CASE_H
#define SUITE_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "harness/observe/observe.h"
#include "harness/wire/ddp.h"
#include "harness/wire/fpdu.h"
#include "harness/wire/mpa.h"
#include "harness/wire/rdmap.h"
#include "suite/model/atomic.h"
#include "suite/req/req.h"

struct test;

/* ------------------------------------------------------------------ *
 * Registration
 * ------------------------------------------------------------------ */

/* The startup role of the device in a case. EITHER makes two instances: the
 * second one's id ends in "@initiator". */
enum case_role { RESPONDER = 1, INITIATOR = 2, EITHER = 3 };

/* What the device has to claim (agent protocol, features); a case that needs
 * more than the device or the link offers is a SKIP that says so. */
#define NEED_AGENT 0ull /* every run has one */
#define NEED_CRC   0ull /* every device has it: RFC 5044 s4.4 */
enum case_need_bit {
#define AGENT_FEATURE(ident, name) NEED_BIT_##ident,
#include "harness/agent/features.def"
#undef AGENT_FEATURE
	NEED_BIT_COUNT
};
#define AGENT_FEATURE(ident, name)                                             \
	static const uint64_t NEED_##ident __attribute__((unused)) =           \
		1ull << NEED_BIT_##ident;
#include "harness/agent/features.def"
#undef AGENT_FEATURE
#define NEED_ATOMICS  (NEED_FETCHADD | NEED_CMPSWAP)
#define NEED_ENHANCED (NEED_MPA_V2)

/* The texts a case holds for; 0 is all of them. */
enum case_spec {
	SPEC_RFC7306 = 1,
	SPEC_DRAFT_10 = 2,
	SPEC_DRAFT_03 = 4,
	SPEC_DRAFT_01 = 8,
};

struct case_desc {
	const char *file; /* __FILE__ */
	const char *name;
	const char *title;   /* one sentence, in the words of the field */
	uint64_t needs;      /* the device claims all of these */
	uint64_t lacks;      /* the device claims none of these */
	enum case_role role; /* 0 = RESPONDER */
	unsigned spec;
	bool segments;    /* the case places segments: not on every link */
	bool destructive; /* legal, but known to bring devices down */
	bool waits;       /* no fence is possible: a bounded wait */
	void (*run)(struct test *t, const void *row);
	const void *rows; /* CASE_EACH: the table */
	size_t row_octets, row_count;
};

#define CASE_IN_SECTION __attribute__((used, section("warpspec_cases")))

#define CASE(ident, ...)                                                       \
	static void ident(struct test *t);                                     \
	static void ident##_run(struct test *t, const void *row)               \
	{                                                                      \
		(void)row;                                                     \
		ident(t);                                                      \
	}                                                                      \
	static const struct case_desc ident##_desc = {.file = __FILE__,        \
						      .name = #ident,          \
						      .run = ident##_run,      \
						      __VA_ARGS__};            \
	static const struct case_desc *const ident##_case CASE_IN_SECTION =    \
		&ident##_desc;                                                 \
	static void ident(struct test *t)

/*
 * A case with variants: one instance for each row of a table, whose id ends
 * in /ROW. The row's struct starts with CASE_ROW; `must` or `should` name
 * the requirement of that row alone, for must_row() and should_row().
 */
#define CASE_ROW                                                               \
	const char *id;                                                        \
	const struct req_must *must;                                           \
	const struct req_should *should
struct case_row {
	CASE_ROW;
};

#define CASE_EACH(ident, row_type, table, ...)                                 \
	static void ident(struct test *t, const row_type *row);                \
	static void ident##_run(struct test *t, const void *row)               \
	{                                                                      \
		ident(t, row);                                                 \
	}                                                                      \
	static const struct case_desc ident##_desc = {                         \
		.file = __FILE__,                                              \
		.name = #ident,                                                \
		.run = ident##_run,                                            \
		.rows = (table),                                               \
		.row_octets = sizeof((table)[0]),                              \
		.row_count = sizeof(table) / sizeof((table)[0]),               \
		__VA_ARGS__};                                                  \
	static const struct case_desc *const ident##_case CASE_IN_SECTION =    \
		&ident##_desc;                                                 \
	static void ident(struct test *t, const row_type *row)

/* ------------------------------------------------------------------ *
 * Expectations
 * ------------------------------------------------------------------ */

/* A statement about what has to be seen. Matchers (below) make them. */
struct expect {
	bool (*holds)(struct test *t, const struct expect *e);
	const char *due; /* the expectation as written */
	uint64_t a, b, c, d;
	const void *p;
	const char *what;
	const struct expect *alternatives;
};

/* Which requirements a case judges, collected by the linker: `coverage`
 * knows them without a run. Use the four only in the body of a case. */
struct case_use {
	const char *file, *function;
	unsigned short req;
};
#define CASE_USE(ident)                                                        \
	do {                                                                   \
		static const struct case_use use = {__FILE__, __func__,        \
						    REQ_INDEX_##ident};        \
		static const struct case_use *const in_section                 \
			__attribute__((used, section("warpspec_uses"))) =      \
				&use;                                          \
	} while (0)

/* A MUST or MUST NOT: FAIL where the expectation does not hold. */
#define must(t, req, ...)                                                      \
	do {                                                                   \
		CASE_USE(req);                                                 \
		case_must(t, req, __VA_ARGS__);                                \
	} while (0)
/* A SHOULD or SHOULD NOT: WARN. */
#define should(t, req, ...)                                                    \
	do {                                                                   \
		CASE_USE(req);                                                 \
		case_should(t, req, __VA_ARGS__);                              \
	} while (0)
/* A MAY: INFO on whether the device did; WARN where an any_of() that lists
 * all that the permission leaves has no match. */
#define may(t, req, ...)                                                       \
	do {                                                                   \
		CASE_USE(req);                                                 \
		case_may(t, req, __VA_ARGS__);                                 \
	} while (0)
/* What a device chose where the RFCs leave it open, in words (printf). */
#define observe(t, req, ...)                                                   \
	do {                                                                   \
		CASE_USE(req);                                                 \
		case_observe(t, req, __VA_ARGS__);                             \
	} while (0)
/* The requirement of a CASE_EACH row. */
#define must_row(t, row, ...)   case_must(t, *(row)->must, __VA_ARGS__)
#define should_row(t, row, ...) case_should(t, *(row)->should, __VA_ARGS__)

void case_must(struct test *t, struct req_must req, struct expect e);
void case_should(struct test *t, struct req_should req, struct expect e);
void case_may(struct test *t, struct req_may req, struct expect e);
void case_observe(struct test *t, struct req_open req, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The case cannot be judged on this device or link: SKIP, says why. */
void not_applicable(struct test *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/* --- matchers on the stream ---------------------------------------- */

/* The device ended it: a Terminate, a FIN or a RST came. */
struct expect stream_ends(void);
/* The same, or the faulty TCP segment was dropped silently: no answer to a
 * known-answer exchange within a bounded wait (RFC 5044 s8). */
struct expect stream_ends_or_stalls(void);
/* Only the latter. */
struct expect segment_dropped(void);
/* The same silence, where it is the LLP that holds the message back for want
 * of a buffer (RFC 5041 s7.1): the case then posts one and looks. */
struct expect held_back(void);
/* A known-answer exchange (a zero-length RDMA Read) still works. */
struct expect stream_works(void);
/* The device sent a Terminate with these numbers. */
struct expect terminate(unsigned layer, unsigned etype, unsigned code);
struct expect terminate_any(void);
/* The stream is over, and if a Terminate was sent it has these numbers: for
 * rows that do not ask for the Terminate itself. */
struct expect terminate_if_any(unsigned layer, unsigned etype, unsigned code);
/* The stream is over, and if a Terminate was sent its numbers are among those
 * registered (RFC 6580 s3, RFC 6581 s8). */
struct expect terminate_registered(void);
/* The stream is over, and nothing but perhaps a Terminate came that the case
 * has not taken by awaits(). */
struct expect ends_unanswered(void);
/* No Terminate came although the stream has ended or still works. */
struct expect no_terminate(void);
/* The device closed TCP (FIN or RST), and in which way. */
struct expect tcp_closed(void);
struct expect tcp_closed_by_fin(void);
/* The same, and no part of an FPDU stands before it. */
struct expect fin_after_whole_fpdu(void);
/* The device sent nothing but what the case has already taken by awaits():
 * proved by a known-answer exchange, by the stream's end, or, before the
 * device may speak, by the agent having answered meanwhile. */
struct expect nothing_more(void);
/* Of startup: the device closed without an octet of a Reply / of an FPDU. */
struct expect closed_without_reply(void);
struct expect closed_without_fpdu(void);

/* Of startup: the frames exchanged lead both ends into Full Operation, where
 * a known-answer exchange works. */
struct expect full_operation_works(void);
/* Of startup: the device has neither closed nor sent anything so far. */
struct expect still_waiting(void);

/* --- matchers on effects ------------------------------------------- */

struct sink {
	unsigned first, count;
	size_t len;
	unsigned stream;
};
struct region {
	unsigned number; /* the region's name is "r" and this */
	uint32_t stag;
	uint64_t to;
	size_t len;
};

/* The receives of this sink, in order, are completed with these octets. */
struct expect delivered(struct sink s, const void *octets, size_t n);
#define delivered_text(s, text) delivered(s, "" text, sizeof(text) - 1)
/* The receive is completed by Immediate Data: these eight octets. */
struct expect delivered_imm(struct sink s, const void *octets8);
/* None of them is completed with success, and none will be: the stream has
 * ended or a later known-answer exchange has been answered. */
struct expect not_delivered(struct sink s);
/* The i-th receive of a sink of several. */
struct sink sink_at(struct sink s, unsigned i);
/* Octets of a region, once all that the peer sent was dealt with. */
struct expect memory_is(struct region r, size_t off, const void *octets,
			size_t n);
/* The whole region is as the case or the agent left it before the stimulus:
 * as registered (zeros) or as filled by dut_fills(). */
struct expect memory_unchanged(struct region r);
/* A 64-bit word, as the device's CPU reads it. */
struct expect word_is(struct region r, size_t off, uint64_t value);
/* A work request of the device completed with success / did not. */
struct expect completed(unsigned id);
struct expect not_completed(unsigned id); /* like not_delivered() */
/* It completed, and with an error or flushed. */
struct expect completed_in_error(unsigned id);
/* The same of every receive of a sink. */
struct expect received_in_error(struct sink s);
/* An atomic's completion, with the value it returned. */
struct expect completed_with_value(unsigned id, uint64_t value);
/* The agent says that the connection is over: terminated, closed or error. */
struct expect agent_sees_end(void);
/* The agent says that it ended by an error: error or terminated. */
struct expect agent_sees_fatal_end(void);
/* The agent says that no stream came about because of an error. */
struct expect agent_sees_failed_startup(void);
/* The agent of an initiator says that the responder rejected. */
struct expect agent_sees_reject(void);
/* The agent says `terminated` with these numbers. */
struct expect agent_sees_terminate(unsigned layer, unsigned etype,
				   unsigned code);

/* --- matchers on values -------------------------------------------- */

struct expect is(const char *what, uint64_t seen, uint64_t due);
struct expect is_not(const char *what, uint64_t seen, uint64_t unwanted);
struct expect at_most(const char *what, uint64_t seen, uint64_t limit);
struct expect at_least(const char *what, uint64_t seen, uint64_t limit);
struct expect octets_are(struct test *t, const char *what, const void *seen,
			 size_t seen_n, const void *due, size_t due_n);
struct expect holds(const char *what, bool seen);

/* One of these holds; the first match is recorded. */
#define any_of(t, ...)                                                         \
	case_any_of(t, (const struct expect[]){__VA_ARGS__},                   \
		    sizeof((const struct expect[]){__VA_ARGS__}) /             \
			    sizeof(struct expect))
struct expect case_any_of(struct test *t, const struct expect *e, size_t n);

/* How TCP stands right now, without waiting: "open", "FIN", "RST". */
const char *how_tcp_stands(struct test *t);
/* How the stream ended so far, in words: "Terminate 1/2/03, then FIN". */
const char *how_it_ended(struct test *t);

/* ------------------------------------------------------------------ *
 * The device, through its agent
 * ------------------------------------------------------------------ */

enum {
	LOCAL_WRITE = 1,
	REMOTE_READ = 2,
	REMOTE_WRITE = 4,
	REMOTE_ATOMIC = 8,
	ALL_ACCESS = 15,
	NO_ACCESS = 16
};

struct region_opts {
	size_t len;
	unsigned access; /* 0 = ALL_ACCESS */
	unsigned pd;
	unsigned align, skew; /* 0 = the agent's defaults */
	bool zero_based;
	bool bound; /* to the stream the case is on */
	bool shared;
	bool raced; /* several streams change it at once: the golden
				 * model then judges none of its octets */
};
#define dut_registers(t, ...)                                                  \
	case_registers(t, &(struct region_opts){__VA_ARGS__})
struct region case_registers(struct test *t, const struct region_opts *o);
void dut_fills(struct test *t, struct region r, size_t off, const void *octets,
	       size_t n);
/* The word at off, so that the device's CPU reads `value` there. */
void dut_sets_word(struct test *t, struct region r, size_t off, uint64_t value);
/* A copy of region octets as they are now; no barrier. */
const uint8_t *dut_memory(struct test *t, struct region r, size_t off,
			  size_t n);
void dut_sets_access(struct test *t, struct region r, unsigned access);
void dut_invalidates(struct test *t, struct region r);
void dut_deregisters(struct test *t, struct region r);
/* The STags of n registrations in a row (of fewer, where the device cannot
 * have so many at once). `freed`: each is deregistered before the next. */
struct stags {
	const uint32_t *stag;
	unsigned n;
};
struct stags dut_draws_stags(struct test *t, unsigned n, bool freed);
/* The agent answers a request that has no effect: a device that was about to
 * read what has already arrived has had its turn. */
void dut_has_its_turn(struct test *t);
/* An STag that the device has not issued. */
uint32_t stag_never_issued(struct test *t);

/* Receive buffers: one, several, or one inside a region. Before the stream
 * is up they are posted as soon as it is, ahead of the peer's first FPDU. */
struct sink dut_posts_recv(struct test *t, size_t len);
struct sink dut_posts_recvs(struct test *t, unsigned count, size_t len);
struct sink dut_posts_recv_in(struct test *t, struct region r, size_t off,
			      size_t len);

enum post_op {
	POST_OP_SEND,
	POST_OP_WRITE,
	POST_OP_READ,
	POST_OP_FETCHADD,
	POST_OP_CMPSWAP,
	POST_OP_SWAP,
	POST_OP_IMM,
	POST_OP_WRITE_IMM,
};
struct post {
	enum post_op op;
	const void *octets;         /* inline payload, or */
	const struct region *local; /* a region of the device */
	size_t off, len;
	uint32_t rstag; /* the peer's memory: any STag the case likes */
	uint64_t rto;
	bool invalidate; /* Send with Invalidate of `inv` */
	uint32_t inv;
	bool se, fence;
	const void *imm; /* 8 octets */
	uint64_t add, mask, swap, swap_mask, compare, compare_mask;
	bool masks;      /* say swap_mask and compare_mask; else all ones */
	bool may_refuse; /* the device's interface may not take it: then the
				 * case is not applicable */
};
#define POST_SEND(text, ...) POST_SEND_N("" text, sizeof(text) - 1, __VA_ARGS__)
#define POST_SEND_N(p, n, ...)                                                 \
	(struct post)                                                          \
	{                                                                      \
		.op = POST_OP_SEND, .octets = (p), .len = (n), __VA_ARGS__     \
	}
#define POST_WRITE_N(p, n, stag_, to_, ...)                                    \
	(struct post)                                                          \
	{                                                                      \
		.op = POST_OP_WRITE, .octets = (p), .len = (n),                \
		.rstag = (stag_), .rto = (to_), __VA_ARGS__                    \
	}
/* Region payload: for messages larger than what goes inline. */
#define POST_SEND_FROM(region, off_, n, ...)                                   \
	(struct post)                                                          \
	{                                                                      \
		.op = POST_OP_SEND, .local = &(region), .off = (off_),         \
		.len = (n), __VA_ARGS__                                        \
	}
#define POST_WRITE_FROM(region, off_, n, stag_, to_, ...)                      \
	(struct post)                                                          \
	{                                                                      \
		.op = POST_OP_WRITE, .local = &(region), .off = (off_),        \
		.len = (n), .rstag = (stag_), .rto = (to_), __VA_ARGS__        \
	}
#define POST_READ(region, off_, n, stag_, to_, ...)                            \
	(struct post)                                                          \
	{                                                                      \
		.op = POST_OP_READ, .local = &(region), .off = (off_),         \
		.len = (n), .rstag = (stag_), .rto = (to_), __VA_ARGS__        \
	}
#define POST_FETCHADD(region, off_, stag_, to_, add_, ...)                     \
	(struct post)                                                          \
	{                                                                      \
		.op = POST_OP_FETCHADD, .local = &(region), .off = (off_),     \
		.len = 8, .rstag = (stag_), .rto = (to_), .add = (add_),       \
		__VA_ARGS__                                                    \
	}
#define POST_CMPSWAP(region, off_, stag_, to_, compare_, swap_, ...)           \
	(struct post)                                                          \
	{                                                                      \
		.op = POST_OP_CMPSWAP, .local = &(region), .off = (off_),      \
		.len = 8, .rstag = (stag_), .rto = (to_),                      \
		.compare = (compare_), .swap = (swap_), __VA_ARGS__            \
	}
#define POST_SWAP(region, off_, stag_, to_, swap_, ...)                        \
	(struct post)                                                          \
	{                                                                      \
		.op = POST_OP_SWAP, .local = &(region), .off = (off_),         \
		.len = 8, .rstag = (stag_), .rto = (to_), .swap = (swap_),     \
		__VA_ARGS__                                                    \
	}
#define POST_IMM(octets8, ...)                                                 \
	(struct post)                                                          \
	{                                                                      \
		.op = POST_OP_IMM, .imm = (octets8), __VA_ARGS__               \
	}
/* Post it; returns its id. The device may still refuse: the case ends. */
unsigned dut_posts(struct test *t, struct post p);

/* A completion, waited for until the deadline; came is false if none did. */
struct completion {
	bool came, ok, flushed;
	char op[12], status[16];
	uint64_t len;
	const uint8_t *octets; /* NULL where only a digest was told */
	bool has_sha256;
	uint8_t sha256[32];
	size_t n;
	bool has_inv, se, has_value;
	uint32_t inv;
	uint8_t imm[8];
	uint64_t value;
	unsigned order; /* place in the order of the connection's events */
};
struct completion dut_completes(struct test *t, unsigned id);
struct completion dut_receives(struct test *t, struct sink s);
/* The same without waiting: what the agent has to tell right now. */
struct completion dut_has_completed(struct test *t, unsigned id);
struct completion dut_has_received(struct test *t, struct sink s);

struct dut_state {
	char state[16];
	bool has_terminate, terminate_remote;
	unsigned layer, etype, code;
	const uint8_t *private_data;
	size_t private_octets;
	bool has_ird;
	unsigned ird, ord;
};
/* `state`: waits until it is final, or as it is now. */
struct dut_state dut_ends(struct test *t);
/* The same, waiting until startup is over for it, one way or another. */
struct dut_state dut_starts(struct test *t);
struct dut_state dut_state(struct test *t);
void dut_closes(struct test *t);
void dut_aborts(struct test *t);
void dut_half_closes(struct test *t);
void dut_provokes(struct test *t, unsigned layer, unsigned etype,
		  unsigned code);

/* ------------------------------------------------------------------ *
 * A stream, made whole
 * ------------------------------------------------------------------ */

enum { ON = 1, OFF = 2 };
enum { RTR_SEND = 1, RTR_WRITE = 2, RTR_READ = 4 };

/* A value that overrides the right one; 0 is a value, too. */
struct over {
	bool set;
	uint64_t v;
};
#define IS(value) ((struct over){true, (value)})

struct stream_opts {
	unsigned crc;      /* the peer's C: ON (also 0, true) or OFF */
	unsigned dut_crc;  /* the device's C; OFF needs NEED_CRC_OFF */
	bool markers;      /* the peer sets M: the device has to send them */
	bool dut_markers;  /* the device sets M: the peer has to send them */
	bool enhanced;     /* RFC 6581 on both sides */
	unsigned rtr;      /* peer-to-peer model, with these RTR types */
	unsigned dut_rtr;  /* what the device supports or offers; 0 = rtr */
	unsigned ird, ord; /* of the peer; 0 = 16; ZERO_DEPTH = really 0 */
	unsigned dut_ird, dut_ord; /* of the device; likewise */
	unsigned dut_mpa;          /* the agent's mpa= ; 0 = fits the rest */
	bool plain_rev2;           /* Rev 2 without enhanced data */
	const void *private_data;  /* of the peer */
	size_t private_octets;
	const void *dut_private_data;
	size_t dut_private_octets;
	unsigned pd;       /* of the device's end */
	unsigned need_ord; /* the device rejects a smaller offer */
	uint32_t dut_msn;  /* msn-preset; the peer follows it */
	unsigned rcvbuf;   /* of the peer's socket, octets; 0 = default */
	unsigned mss;      /* TCP MSS of the peer's socket; 0 = default */
	struct over isn;   /* the peer's initial sequence number */
	/* The device's is no less; with it as responder only. */
	uint32_t dut_isn_least;
	bool no_timestamps; /* the peer offers no TCP time stamps */
	bool reject;        /* the device's ULP rejects */
	bool unproven;      /* no known-answer exchange before going on */
};
#define ZERO_DEPTH 0x10000u

/*
 * Bring a stream up to Full Operation and prove that it works: a zero-length
 * RDMA Read by the peer is answered (QN 1 MSN 1 is used up by it). With the
 * device as initiator its agent first posts a zero-length RDMA Write, since
 * a responder may not send before. Startup frames are judged by the golden
 * model on the way.
 */
#define peer_connects(t, ...)                                                  \
	case_connects(t, RESPONDER, &(struct stream_opts){__VA_ARGS__})
#define dut_connects(t, ...)                                                   \
	case_connects(t, INITIATOR, &(struct stream_opts){__VA_ARGS__})
/*
 * A connection of its own is brought up in the role of this instance, proved
 * and closed again: a device that refuses whatever it is given goes no
 * further. For cases in which no stream comes about.
 */
void dut_works(struct test *t);
/* In the role of this instance, for cases of role EITHER. */
#define connects(t, ...)                                                       \
	case_connects(t, case_role(t), &(struct stream_opts){__VA_ARGS__})
unsigned case_connects(struct test *t, enum case_role role,
		       const struct stream_opts *o);
enum case_role case_role(const struct test *t);

/* Of a stream that is unproven: the initiator's first FPDU, a zero-length
 * RDMA Write. From then on the responder may send as well. */
void initiator_speaks(struct test *t);

/* With several streams: everything after this is about that one. */
void on_stream(struct test *t, unsigned stream);

/* A zero-length RDMA Read is sent, and its answer awaited: true if it came.
 * What else came before it is in the log and was judged by the model. */
bool known_answer(struct test *t);

/* ------------------------------------------------------------------ *
 * Startup, step by step
 * ------------------------------------------------------------------ */

/* A right startup frame with overrides. */
struct startup {
	bool reply;
	const char *key;   /* 16 octets, or NULL for the right one */
	bool no_crc, m, r; /* C is set unless no_crc */
	struct over s;     /* default: enhanced */
	unsigned reserved; /* low four bits of the flags */
	struct over rev;   /* default: 2 if enhanced, else 1 */
	bool enhanced;
	bool a, b, c, d;
	unsigned ird, ord;
	const void *private_data; /* after the enhanced data */
	size_t private_octets;
	struct over pd_length; /* default: what is there */
	struct over octets;    /* send only so many octets of it */
	bool hold;             /* it goes out in one write with the next FPDU */
};
#define REQUEST(...) ((struct startup){.reply = false, __VA_ARGS__})
#define REPLY(...)   ((struct startup){.reply = true, __VA_ARGS__})

/* The device listens with these parameters; TCP is not opened yet. */
#define dut_listens(t, ...) case_listens(t, &(struct stream_opts){__VA_ARGS__})
void case_listens(struct test *t, const struct stream_opts *o);
/* The peer opens TCP to it and sends nothing. */
void peer_opens_tcp(struct test *t);
/* The device opens TCP to the peer, as initiator. */
#define dut_dials(t, ...) case_dials(t, &(struct stream_opts){__VA_ARGS__})
void case_dials(struct test *t, const struct stream_opts *o);
/* The peer accepts one more TCP connection of the device: true if it came. */
bool peer_accepts_tcp(struct test *t);

void peer_sends_startup(struct test *t, struct startup f);
/* Only the octets [from, to) of it; 0 as `to` means its end. */
void peer_sends_startup_part(struct test *t, struct startup f, size_t from,
			     size_t to);

/* The device's startup frame; came is false if the connection ended first or
 * none came until the deadline. */
struct startup_seen {
	bool came, closed, reset;
	const uint8_t *octets;
	size_t n;
	struct mpa_startup frame; /* where at least 20 octets came */
	bool has_enhanced;        /* S, and four octets are there */
	struct mpa_enhanced enhanced;
	const uint8_t *ulp_private; /* without the enhanced data */
	size_t ulp_private_octets;
};
struct startup_seen dut_startup(struct test *t);
/* Like must(t, req, it comes): the case ends with FAIL where it doesn't. */
#define awaits_startup(t, req)                                                 \
	(__extension__({                                                       \
		CASE_USE(req);                                                 \
		case_awaits_startup(t, req);                                   \
	}))
struct startup_seen case_awaits_startup(struct test *t, struct req_must req);

/* After startup frames were exchanged by hand: both ends are in Full
 * Operation, with markers and CRC as the two frames say. */
void full_operation(struct test *t);

/* What `accept` at the agent says (the device as responder). */
struct accept_seen {
	bool ok;
	bool silent;    /* not ok: nothing was told until the deadline */
	char error[48]; /* "bad-frame", "timeout", ... where not ok */
	char state[16]; /* established, rejected */
	const uint8_t *private_data;
	size_t private_octets;
	bool has_ird;
	unsigned ird, ord;
};
struct accept_seen dut_accepts(struct test *t);

/* ------------------------------------------------------------------ *
 * What the peer sends
 * ------------------------------------------------------------------ */

enum crc_fault {
	CRC_RIGHT,
	CRC_WRONG /* one bit of it flipped */,
	CRC_BYTE_SWAPPED,
	CRC_NOT_COMPLEMENTED,
	CRC_ETHERNET,
	CRC_ZERO,
	CRC_ONES,
	CRC_VALUE,
};

/* A legal message with named faults. Fields not overridden are right. */
struct msg {
	uint8_t opcode;
	const void *octets; /* payload */
	size_t n;
	uint32_t stag; /* tagged messages, atomics */
	uint64_t to;
	uint32_t inval; /* Invalidate STag field */
	struct rdmap_read_request read;
	struct rdmap_atomic_request atomic;
	struct rdmap_atomic_response atomic_response;
	struct rdmap_terminate terminate;
	const void *tail; /* octets after a header that has no payload */
	size_t tail_octets;
	struct over cut_to; /* the message ends after so many payload octets */
	struct over ulpdu_cut; /* its last segment is but so many octets long,
				 * header and all: PAD and CRC fit that */

	size_t segment; /* payload octets of a segment; 0 = MULPDU */

	/* overrides, on every segment of the message */
	struct over t, l, rsvd, dv, rv, rdmap_rsvd, opcode_field, qn, msn, mo;
	struct over stag_field, to_field;
	bool keeps_msn; /* the peer's MSN counter does not move */

	/* FPDU faults, on its last segment */
	enum crc_fault crc;
	uint32_t crc_value;    /* CRC_VALUE: as a number */
	struct over pad;       /* this octet as padding, covered by the CRC */
	struct over pad_after; /* this octet as padding, put in after the CRC */
	struct over ulpdu_length; /* CRC computed over the wrong field */
	struct over flip;         /* bit of the finished FPDU to flip, 0 = the
				 * most significant bit of its first octet */
	struct over marker_reserved, marker_pointer_add; /* in the CRC */
	struct over marker_reserved_after, marker_pointer_or_after; /* not */
	struct over marker_index; /* which marker; default the first */
	bool no_markers;          /* leave them out although they are due */
	bool extra_marker;        /* a leading marker although none is due */
};

#define SEND(text, ...) SEND_N("" text, sizeof(text) - 1, __VA_ARGS__)
#define SEND_N(p, len, ...)                                                    \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = RDMAP_SEND, .octets = (p), .n = (len), __VA_ARGS__   \
	}
/* Any of the four kinds of Send. */
#define SEND_KIND(op, p, len, ...)                                             \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = (op), .octets = (p), .n = (len), __VA_ARGS__         \
	}
#define WRITE(region_, off, p, len, ...)                                       \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = RDMAP_WRITE, .octets = (p), .n = (len),              \
		.stag = (region_).stag, .to = (region_).to + (off),            \
		__VA_ARGS__                                                    \
	}
#define WRITE_TO(stag_, to_, p, len, ...)                                      \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = RDMAP_WRITE, .octets = (p), .n = (len),              \
		.stag = (stag_), .to = (to_), __VA_ARGS__                      \
	}
#define PEER_SINK_STAG 0x5eed0001u
#define PEER_SINK_TO   0x0000000100000000ull
#define READ(region_, off, len, ...)                                           \
	READ_FROM((region_).stag, (region_).to + (off), len, __VA_ARGS__)
#define READ_FROM(stag_, to_, len, ...)                                        \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = RDMAP_READ_REQUEST,                                  \
		.read = {.sink_stag = PEER_SINK_STAG,                          \
			 .sink_to = PEER_SINK_TO,                              \
			 .size = (len),                                        \
			 .source_stag = (stag_),                               \
			 .source_to = (to_)},                                  \
		__VA_ARGS__                                                    \
	}
/* The answer to the device's Read Request in frame f. */
#define READ_RESPONSE(f, p, len, ...)                                          \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = RDMAP_READ_RESPONSE, .octets = (p), .n = (len),      \
		.stag = case_read_of(f).sink_stag,                             \
		.to = case_read_of(f).sink_to, __VA_ARGS__                     \
	}
#define FETCHADD(region_, off, add_, mask_, ...)                               \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = RDMAP_ATOMIC_REQUEST,                                \
		.atomic = {.aopcode = RDMAP_FETCHADD,                          \
			   .id = 0x11223344,                                   \
			   .stag = (region_).stag,                             \
			   .to = (region_).to + (off),                         \
			   .data = (add_),                                     \
			   .mask = (mask_),                                    \
			   .compare_mask = ~0ull},                             \
		__VA_ARGS__                                                    \
	}
#define CMPSWAP(region_, off, compare_, swap_, ...)                            \
	CMPSWAP_MASKED(region_, off, compare_, ~0ull, swap_, ~0ull, __VA_ARGS__)
#define CMPSWAP_MASKED(region_, off, compare_, cmask_, swap_, smask_, ...)     \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = RDMAP_ATOMIC_REQUEST,                                \
		.atomic = {.aopcode = RDMAP_CMPSWAP,                           \
			   .id = 0x11223344,                                   \
			   .stag = (region_).stag,                             \
			   .to = (region_).to + (off),                         \
			   .data = (swap_),                                    \
			   .mask = (smask_),                                   \
			   .compare = (compare_),                              \
			   .compare_mask = (cmask_)},                          \
		__VA_ARGS__                                                    \
	}
/* The older drafts' Swap, with the fields it does not use as they say. */
#define SWAP(region_, off, swap_, ...)                                         \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = RDMAP_ATOMIC_REQUEST,                                \
		.atomic = {.aopcode = RDMAP_SWAP,                              \
			   .id = 0x11223344,                                   \
			   .stag = (region_).stag,                             \
			   .to = (region_).to + (off),                         \
			   .data = (swap_),                                    \
			   .mask = ~0ull,                                      \
			   .compare_mask = ~0ull},                             \
		__VA_ARGS__                                                    \
	}
/* Any Atomic Request, every field the case's own: .atomic = {...}. */
#define ATOMIC(...)                                                            \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = RDMAP_ATOMIC_REQUEST, __VA_ARGS__                    \
	}
/* The answer to the device's Atomic Request in frame f. */
#define ATOMIC_RESPONSE(f, value_, ...)                                        \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = RDMAP_ATOMIC_RESPONSE,                               \
		.atomic_response = {.id = case_atomic_of(f).id,                \
				    .value = (value_)},                        \
		__VA_ARGS__                                                    \
	}
#define IMM(octets8, ...) IMM_N(octets8, 8, __VA_ARGS__)
#define IMM_N(p, len, ...)                                                     \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = RDMAP_IMM, .octets = (p), .n = (len), __VA_ARGS__    \
	}
#define IMM_SE(octets8, ...)                                                   \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = RDMAP_IMM_SE, .octets = (octets8), .n = 8,           \
		__VA_ARGS__                                                    \
	}
#define TERMINATE(layer_, etype_, code_, ...)                                  \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = RDMAP_TERMINATE,                                     \
		.terminate = {.layer = (layer_),                               \
			      .etype = (etype_),                               \
			      .code = (code_)},                                \
		__VA_ARGS__                                                    \
	}
/* A message with this opcode, laid out as its T and QN in `t` and `qn` say. */
#define OPCODE(op, p, len, ...)                                                \
	(struct msg)                                                           \
	{                                                                      \
		.opcode = (op), .octets = (p), .n = (len), __VA_ARGS__         \
	}

/*
 * How what is sent stands in TCP segments. Cuts are exact on the raw link and
 * a boundary of a write on the others. An order sends the segments between
 * the cuts by their numbers, from 1: again where one is named twice, not at
 * all (until peer_releases) where it is not named. It needs a case that says
 * `.segments = true`, and without cuts each FPDU is a segment.
 */
struct cuts {
	size_t every, first;
}; /* write boundaries in what is sent */
#define CUT_EVERY(n_) ((struct cuts){.every = (n_)})
#define CUT_AFTER(n_) ((struct cuts){.first = (n_)})

struct order {
	const unsigned char *number;
	size_t n;
};
#define ORDER(...)                                                             \
	((struct order){(const unsigned char[]){__VA_ARGS__},                  \
			sizeof((const unsigned char[]){__VA_ARGS__})})

/* Each two neighbours exchanged: 2, 1, 4, 3, ... */
#define ORDER_SWAPPED case_order_swapped()
struct order case_order_swapped(void);

struct send_opts {
	struct msg msg;
	struct cuts cuts;
	struct order order;
	bool fin;         /* the last segment carries FIN; needs an order */
	bool hold;        /* keep it: it goes out in one write with the next */
	size_t keep_last; /* hold back the last n octets for peer_goes_on() */
	bool early;       /* before the peer may send: any answer will do */
};
#define peer_sends(t, ...)                                                     \
	case_peer_sends(t, &(struct send_opts){.msg = __VA_ARGS__})
void case_peer_sends(struct test *t, const struct send_opts *o);
/* Send what keep_last held back. */
void peer_goes_on(struct test *t);
/* Of what is sent next the nth segment is withheld, and sent on release. */
void peer_withholds(struct test *t, unsigned nth);
void peer_releases(struct test *t);
/* One more segment with octets that were sent before, startup frame and all,
 * the first of them `back` octets from the end: the same octets, or others in
 * their place. */
void peer_resends(struct test *t, uint32_t back, size_t n);
void peer_resends_others(struct test *t, uint32_t back, const void *octets,
			 size_t n);
/* One more segment behind the peer's own FIN. */
void peer_sends_beyond(struct test *t, const void *octets, size_t n);
/* The receive window the peer offers, and whether it acknowledges. */
void peer_offers_window(struct test *t, long octets); /* below 0: all of it */
void peer_acknowledges(struct test *t, bool on);
/* A copy of what the peer sent last: so many octets. */
uint8_t *octets_sent(struct test *t, size_t n);
/* The next n segments of the device that carry octets are lost. */
void peer_loses(struct test *t, unsigned n);
/* The peer is gone from the network, without a word. */
void peer_falls_silent(struct test *t);
/* A router tells the device that its path takes no larger packets than this.
 * It may remember that for longer than the case. */
void path_narrows(struct test *t, unsigned mtu);
/* The device sends octets again that have come before: waits for it. */
bool dut_sends_again(struct test *t);
/* Nobody sends anything for so long. */
void all_is_quiet(struct test *t, unsigned ms);
/* Octets that are no frame. */
void peer_sends_octets(struct test *t, const void *octets, size_t n);
void peer_closes(struct test *t); /* FIN; it goes on receiving */
void peer_resets(struct test *t);
/* The stream offset at which the peer's next FPDU starts, and the payload of
 * a Send that ends at offset `end` if sent now. */
uint32_t peer_offset(struct test *t);
size_t send_payload_up_to(struct test *t, uint32_t end);
/* The same two for the device, which has nothing on its way just now. */
uint32_t dut_offset(struct test *t);
size_t dut_send_payload_up_to(struct test *t, uint32_t end);
/* What one TCP segment of the device can carry (EMSS), and what MULPDU comes
 * of it (RFC 5044 s4.5). */
unsigned path_emss(struct test *t);
unsigned path_mulpdu(struct test *t);

/* n octets of a pattern that tells its position: the same for the same seed. */
const uint8_t *pattern(struct test *t, size_t n, unsigned seed);
const uint8_t *octets_of(struct test *t, size_t n, unsigned value);

struct rdmap_read_request case_read_of(const struct frame *f);
struct rdmap_atomic_request case_atomic_of(const struct frame *f);
struct rdmap_atomic_response case_atomic_response_of(const struct frame *f);
struct rdmap_terminate case_terminate_of(const struct frame *f);

/* ------------------------------------------------------------------ *
 * What the device sends
 * ------------------------------------------------------------------ */

/* The next FPDU has this opcode; the case ends with FAIL under `req` where
 * another one, the end of the stream, or nothing comes. */
#define awaits(t, req, opcode)                                                 \
	(__extension__({                                                       \
		CASE_USE(req);                                                 \
		case_awaits(t, req, opcode);                                   \
	}))
const struct frame *case_awaits(struct test *t, struct req_must req,
				unsigned opcode);

/* A whole message: its segments, in the order they came. */
struct message {
	unsigned opcode;
	const struct frame *const *frames;
	size_t count;
	const uint8_t *octets; /* payload, in the order of the segments */
	size_t n;
};
#define awaits_message(t, req, opcode)                                         \
	(__extension__({                                                       \
		CASE_USE(req);                                                 \
		case_awaits_message(t, req, opcode);                           \
	}))
struct message case_awaits_message(struct test *t, struct req_must req,
				   unsigned opcode);

/* The next FPDU whatever it is, or NULL: end of stream, or the deadline. */
const struct frame *next_frame(struct test *t);
/* Whether an FPDU has come that was not taken yet; no wait. */
bool frame_is_here(struct test *t);
/* How many FPDUs have come and were not taken, once a known-answer exchange is
 * answered. */
unsigned frames_waiting(struct test *t);
/* Octets of the device have come that are no whole FPDU yet. */
bool dut_octets_came(struct test *t);
/* The Terminate, waited for; NULL if the stream ends without. */
const struct frame *the_terminate(struct test *t);
/* The stream offset of a frame's first octet, and of its ULPDU_Length. */
uint32_t frame_offset(const struct frame *f);
/* The device's TCP segments of Full Operation, as they came: the stream
 * offsets at which they start and end, counted like frame_offset(). Of a long
 * stream the last 256. */
struct dut_segment {
	uint32_t from, to;
};
struct dut_segments {
	const struct dut_segment *seg;
	size_t n;
};
struct dut_segments dut_segments(struct test *t);

/* ------------------------------------------------------------------ *
 * What the device claims and the run was told
 * ------------------------------------------------------------------ */

uint64_t dut_claims(struct test *t); /* NEED_* bits */
bool dut_little_endian(struct test *t);
unsigned dut_max_ird(struct test *t);
unsigned dut_max_ord(struct test *t);
unsigned dut_max_private(struct test *t);
unsigned dut_startup_timeout_ms(struct test *t);

#endif
