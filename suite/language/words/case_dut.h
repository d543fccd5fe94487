/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The language of a case, part of case.h: the device, through its agent.
 */
#ifndef SUITE_LANGUAGE_CASE_DUT_H
#define SUITE_LANGUAGE_CASE_DUT_H

#include "suite/language/words/case_expect.h"

/* ------------------------------------------------------------------ *
 * The device, through its agent
 * ------------------------------------------------------------------ */

enum {
	LOCAL_WRITE = 1,
	REMOTE_READ = 2,
	REMOTE_WRITE = 4,
	REMOTE_ATOMIC = 8,

	/* A region has the rights that its case makes use of and no others:
	 * not every device has all of them, or all at once (RFC 5042 s6.3.5).
	 * What the device only sends from needs none. */
	FOR_READS = REMOTE_READ,
	FOR_WRITES = LOCAL_WRITE | REMOTE_WRITE,
	FOR_ATOMICS = LOCAL_WRITE | REMOTE_ATOMIC,
	FOR_RESULTS = LOCAL_WRITE, /* a Send, an atomic's original value */
	/* A Read Response writes from afar, and interfaces ask for the right
	 * to that. */
	FOR_RESPONSES = LOCAL_WRITE | REMOTE_WRITE,
};
/* What a region needs for the device to send a message of this kind. */
unsigned access_for(unsigned opcode);

struct region_opts {
	size_t len;
	unsigned access; /* rights; 0 = none */
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
	bool ahead;      /* what its agent says is heard with the answer to the
				 * next question */
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
	bool has_inv, has_se, se, has_value;
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
	bool has_terminate;
	/* Whose it was, where the agent tells that. */
	bool has_terminate_from, terminate_remote;
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
 * What the device claims and the run was told
 * ------------------------------------------------------------------ */

uint64_t dut_claims(struct test *t); /* NEED_* bits */
/* It can compute them. One that cannot is told so by one case, and judged by
 * the others without: the peer asks for none, and finds no fault in them. */
bool dut_has_crcs(struct test *t);
/* The agent can tell which IRD and ORD a rejecting Reply had; the case is not
 * applicable otherwise. */
void agent_tells_reject_depths(struct test *t);
/* It can tell how long a message was that completed a receive. */
bool agent_tells_length(struct test *t);
bool dut_little_endian(struct test *t);
/* It has IRD 3fff in each Reply, which one case tells. */
bool dut_leaves_ird_open(struct test *t);
/* It cuts messages into ULPDUs that are shorter than any MULPDU, which one case
 * tells. */
bool dut_makes_short_ulpdus(struct test *t);
unsigned dut_max_ird(struct test *t);
unsigned dut_max_ord(struct test *t);
/* Not applicable to a device that takes fewer Requests at once, or may have
 * fewer outstanding. */
void dut_has_depths(struct test *t, unsigned ird, unsigned ord);
unsigned dut_max_private(struct test *t);
unsigned dut_startup_timeout_ms(struct test *t);

#endif
