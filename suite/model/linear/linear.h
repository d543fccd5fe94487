/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides whether one order explains the original values in the answers to
 * atomics of several streams. In that order, each operation finds the value
 * that the earlier ones have left.
 *
 * RFC 7306 makes these promises about that order, for words that are changed
 * only by atomics through one RNIC:
 *
 *   - An operation is whole: no atomic of another stream takes place between
 *     its read and its write (s5, s5.3, s5.4 rule 2). So there is an order.
 *   - Operations of one stream are processed in the order in which they were
 *     sent (s5.2.1 rule 7, s5.4 rule 8, s7): LINEAR_STREAMS.
 *   - An operation that was answered before another was sent comes first, on
 *     any streams: its Response contains the value that it has read, no
 *     operation begins before its Request was delivered (s5.4 rules 3 and 5),
 *     and an atomic that begins after the read of another one also comes after
 *     its write: LINEAR_TIME.
 *
 * No order is promised, or required, between operations of two streams that
 * were outstanding at the same time. Nothing is promised about the device's
 * CPU, other RNICs, or Writes (s5, s5.4 rule 2): words that these change cannot
 * be checked here. The promises are about the times at which a device acts, so
 * they hold for all words together: one order has to explain all of them.
 *
 * It is not decided here whether an operation without an answer was performed:
 * it may have been.
 *
 * Pure, and without allocation: the caller provides the working memory. A
 * search that would take too long ends undecided; every other result is
 * certain.
 */
#ifndef SUITE_MODEL_LINEAR_H
#define SUITE_MODEL_LINEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum linear_kind { LINEAR_FETCHADD, LINEAR_CMPSWAP, LINEAR_SWAP };

struct linear_op {
	unsigned stream;
	unsigned word; /* its place among the words of the history */
	enum linear_kind kind;
	uint64_t data, mask; /* Add Data, Add Mask; or Swap Data, Swap Mask */
	uint64_t compare, compare_mask; /* of CmpSwap */
	/*
	 * Numbers of one count of everything sent and received, as seen by the
	 * peer. The first may be earlier than in reality, the second later:
	 * then fewer conclusions follow. Operations that share a number
	 * overlap.
	 */
	uint64_t sent_at, answered_at;
	/* No answer: its stream has ended, and it may have been performed, or
	 * not. */
	bool answered;
	uint64_t original;
};

struct linear_word {
	uint64_t first;
	/* Its value at the end, if that was seen. */
	bool last_known;
	uint64_t last;
};

/* The required properties of the order. */
enum { LINEAR_STREAMS = 1, LINEAR_TIME = 2 };

struct linear_history {
	const struct linear_word *word;
	unsigned words;             /* LINEAR_WORDS at most */
	const struct linear_op *op; /* those of a stream in the order sent */
	unsigned ops;               /* LINEAR_OPS at most */
	unsigned orders;            /* a set of the above */
};
#define LINEAR_OPS   4096u
#define LINEAR_WORDS 64u

enum linear_answer { LINEAR_EXPLAINED, LINEAR_IMPOSSIBLE, LINEAR_UNDECIDED };

/* Why there is no order, and the meaning of the other members. */
enum linear_why {
	LINEAR_FITS,    /* there is one */
	LINEAR_NOWHERE, /* op[0] has found `value`, which no operation has
			 * left */
	LINEAR_TWICE,   /* `found` operations, op[0] and op[1] among them, have
			 * found `value` and changed it; the word had this value
			 * only `left` times */
	LINEAR_LAST, /* everything is explained except the value at the end; if
		      * `left` is not 0, that would be `value` */
	/* op[0] is the first answer that no order of the operations sent by
	 * then explains, */
	LINEAR_TOO_EARLY,      /* because only op[1] has left the value that it
			        * has found, and op[1] was sent after it was
			        * answered */
	LINEAR_AGAINST_STREAM, /* unless the order of its stream is violated,
			        * with op[1] on its other side */
	LINEAR_AGAINST_TIME,   /* unless it comes before op[1], which had been
			        * answered when it was sent */
	LINEAR_NO_ORDER,       /* and nothing more can be said */
};

struct linear_verdict {
	enum linear_answer answer;
	enum linear_why why;
	unsigned ops; /* the number of operations in op[]: 0 to 2 */
	unsigned op[2];
	unsigned word;
	uint64_t value;
	unsigned found, left;
	uint64_t steps; /* the number of steps of the search */
};

/* The number of elements that `room` needs. `memo` is the number of dead ends
 * that the search can remember: more is better. */
#define LINEAR_ENTRY(ops, words) (1u + ((ops) + 63u) / 64u + (words))
#define LINEAR_ROOM(ops, words, memo)                                          \
	(6u * (ops) + ((ops) + 63u) / 64u + (words) + 4u +                     \
	 (size_t)(memo)*LINEAR_ENTRY(ops, words))

/* Is there an order? `steps` limits the search for it, and an eighth of it
 * limits each search for the shortest explanation if there is none. */
struct linear_verdict linear_judge(const struct linear_history *h,
				   uint64_t steps, uint64_t *room,
				   size_t numbers);

/* The value of a word after an operation. */
uint64_t linear_result(const struct linear_op *op, uint64_t found);

#endif
