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

	/* A region has only the access rights that its case uses: not every
	 * device has all of them, or all at once (RFC 5042 s6.3.5). A region
	 * that the device only sends from needs none. */
	FOR_READS = REMOTE_READ,
	FOR_WRITES = LOCAL_WRITE | REMOTE_WRITE,
	FOR_ATOMICS = LOCAL_WRITE | REMOTE_ATOMIC,
	FOR_RESULTS = LOCAL_WRITE, /* a Send, an atomic's original value */
	/* A Read Response writes remotely, and interfaces require this right
	 * for its sink. */
	FOR_RESPONSES = LOCAL_WRITE | REMOTE_WRITE,
};
/* The access rights that a region needs for the device to process a message of
 * this kind. */
unsigned access_for(unsigned opcode);

struct region_opts {
	size_t len;
	unsigned access; /* rights; 0 = none */
	unsigned pd;
	unsigned align, skew; /* 0 = the agent's defaults */
	bool zero_based;
	bool bound; /* to the stream of the case */
	bool shared;
	bool raced; /* several streams change it at once: the golden model
		     * judges none of its octets */
};
#define dut_registers(t, ...)                                                  \
	case_registers(t, &(struct region_opts){__VA_ARGS__})
struct region case_registers(struct test *t, const struct region_opts *o);
void dut_fills(struct test *t, struct region r, size_t off, const void *octets,
	       size_t n);
/* Sets the word at off so that the device's CPU reads `value` there. */
void dut_sets_word(struct test *t, struct region r, size_t off, uint64_t value);
/* Returns a copy of these octets of the region as they are now, without a
 * barrier. */
const uint8_t *dut_memory(struct test *t, struct region r, size_t off,
			  size_t n);
void dut_sets_access(struct test *t, struct region r, unsigned access);
void dut_invalidates(struct test *t, struct region r);
/*
 * The same for a region that a Read uses. A device may wait for the end of that
 * Read: the first call returns with its answer or a moment later, and then the
 * peer can take the octets of the Read. Or the agent refuses it: then the case
 * is not applicable.
 */
void dut_begins_to_invalidate(struct test *t, struct region r);
void dut_has_invalidated(struct test *t);
/* Both, before the Read goes on. A case is not applicable to a device that waits
 * for the end of the Read. */
void dut_invalidates_under_a_read(struct test *t, struct region r);
void dut_deregisters(struct test *t, struct region r);
/* The STags of n consecutive registrations, or of fewer if the device cannot
 * have so many at once. If `freed`, each region is deregistered before the next
 * one is registered. */
struct stags {
	const uint32_t *stag;
	unsigned n;
};
struct stags dut_draws_stags(struct test *t, unsigned n, bool freed);
/* The agent answers a request that has no effect, so the device has had time to
 * read the octets that have already arrived. */
void dut_has_its_turn(struct test *t);
/* An STag that the device has not issued. */
uint32_t stag_never_issued(struct test *t);

/* Receive buffers: one, several, or one inside a region. If the stream is not
 * up yet, they are posted as soon as it is, before the peer's first FPDU. */
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
	uint32_t rstag; /* the peer's memory: any STag that the case chooses */
	uint64_t rto;
	bool invalidate; /* Send with Invalidate of `inv` */
	uint32_t inv;
	bool se, fence;
	const void *imm; /* 8 octets */
	uint64_t add, mask, swap, swap_mask, compare, compare_mask;
	bool masks; /* swap_mask and compare_mask are given; else all ones */
	bool may_refuse; /* the device's interface may refuse it: then the case
			  * is not applicable */
	bool if_taken;   /* the same, and the case goes on: a refusal is what is
			  * due, too, and counts as completed in error */
	bool ahead;      /* the agent's reports arrive with the answer to the
			  * next request */
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
/* Payload in a region, for messages too long for inline payload. */
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
/* Posts the work request and returns its id. If the device refuses it, the case
 * ends. */
unsigned dut_posts(struct test *t, struct post p);

/*
 * For a case about MPA, or about tagged messages of any kind: the device sends
 * n octets of a region to this STag and TO of the peer. The agent posts an RDMA
 * Write. Without an agent, the peer sends a Read, and the device answers it
 * with a Read Response: MPA and DDP treat both messages alike. Returns the
 * opcode of the message. The region needs no access rights.
 */
unsigned dut_sends_tagged(struct test *t, struct region r, size_t off, size_t n,
			  uint32_t stag, uint64_t to);
/* For a case about MPA: the same with a Send of these octets, or with a Read
 * Response. */
unsigned dut_sends(struct test *t, const void *octets, size_t n);

/* A completion, awaited until the deadline; came is false if there was none. */
struct completion {
	bool came, ok, flushed;
	char op[12], status[16];
	uint64_t len;
	const uint8_t *octets; /* NULL if only a digest was reported */
	bool has_sha256;
	uint8_t sha256[32];
	size_t n;
	bool has_inv, has_se, se, has_value;
	uint32_t inv;
	uint8_t imm[8];
	uint64_t value;
	unsigned order; /* place in the order of the connection's events */
	/* The same, counted among receives only or among posted work only: the
	 * device chooses whether it reports a receive or a completion of work
	 * first. */
	unsigned place;
};
struct completion dut_completes(struct test *t, unsigned id);
struct completion dut_receives(struct test *t, struct sink s);
/* True if the receive was completed with these octets, as far as the agent can
 * report that. */
bool dut_received(struct test *t, struct completion c, const void *octets,
		  size_t n);
/* The same without waiting: only events that the agent can report right now. */
struct completion dut_has_completed(struct test *t, unsigned id);
struct completion dut_has_received(struct test *t, struct sink s);

struct dut_state {
	char state[16];
	bool has_terminate;
	/* The end that sent it, if the agent reports that. */
	bool has_terminate_from, terminate_remote;
	unsigned layer, etype, code;
	const uint8_t *private_data;
	size_t private_octets;
	bool has_ird;
	unsigned ird, ord;
};
/* `state` of the connection: dut_ends() waits until it is final, dut_state()
 * returns the current one. */
struct dut_state dut_ends(struct test *t);
/* Waits until startup is over for the device, with or without success. */
struct dut_state dut_starts(struct test *t);
struct dut_state dut_state(struct test *t);
void dut_closes(struct test *t);
void dut_aborts(struct test *t);
void dut_half_closes(struct test *t);
void dut_provokes(struct test *t, unsigned layer, unsigned etype,
		  unsigned code);

/*
 * ------------------------------------------------------------------ *
 *  What the device claims, and the options of the run
 *  ------------------------------------------------------------------
 */

uint64_t dut_claims(struct test *t); /* NEED_* bits */
/* The device can compute CRCs. If it cannot, one case reports that, and all
 * other cases run without CRCs: the peer sends C=0. */
bool dut_has_crcs(struct test *t);
/* The smallest length of a Send, `octets` or more, whose pad the device
 * accepts, as far as earlier cases have shown. */
size_t dut_takes_pad_from(struct test *t, size_t octets);
/* The agent can report the IRD and ORD of a rejecting Reply; otherwise the case
 * is not applicable. */
void agent_tells_reject_depths(struct test *t);
/* False without an agent (--target). */
bool dut_has_an_agent(struct test *t);
/* The agent can report the length of the message that completed a receive. */
bool agent_tells_length(struct test *t);
bool dut_little_endian(struct test *t);
/* Each Reply of the device has IRD 3fff. One case reports that. */
bool dut_leaves_ird_open(struct test *t);
/* The device cuts messages into ULPDUs that are shorter than any MULPDU. One
 * case reports that. */
bool dut_makes_short_ulpdus(struct test *t);
unsigned dut_max_ird(struct test *t);
unsigned dut_max_ord(struct test *t);
/* The case is not applicable to a device that accepts fewer Requests at once,
 * or can have fewer outstanding. */
void dut_has_depths(struct test *t, unsigned ird, unsigned ord);
unsigned dut_max_private(struct test *t);

#endif
