/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether the originals that atomics of several streams were answered with can
 * be explained at all: by one order of the operations in which each finds what
 * those before it have left.
 *
 * What RFC 7306 promises of that order, for the words of one RNIC that nothing
 * but atomics by way of it touches:
 *
 *   - An operation is whole: no atomic of another stream takes place between
 *     its read and its write (s5, s5.3, s5.4 rule 2). So there is an order.
 *   - Those of one stream are processed as they were sent (s5.2.1 rule 7, s5.4
 *     rule 8, s7): LINEAR_STREAMS.
 *   - One that was answered before another was sent comes first, of whatever
 *     streams: its Response holds what its read has found, none begins before
 *     its Request was delivered (s5.4 rules 3 and 5), and an atomic that begins
 *     after the read of another comes after its write, too: LINEAR_TIME.
 *
 * Of two streams whose operations were outstanding at the same time no order is
 * promised, and none is asked for. Nothing is promised against the device's CPU,
 * other RNICs, or Writes (s5, s5.4 rule 2): such words are not for this. Since
 * the promises are about when a device does what, they hold for all words
 * together: one order has to explain all of them.
 *
 * What is not decided here: whether an operation that was never answered was
 * performed. It may have been.
 *
 * Pure, and without allocation: the room to work in is the caller's. A search
 * that would take too long ends undecided; what is said otherwise is so.
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
	 * Numbers of one count of all that was sent and received, as the peer saw
	 * it. The first may be earlier than it really was, the second later: less
	 * follows then. Operations that share a number overlap.
	 */
	uint64_t sent_at, answered_at;
	/* No answer: its stream has ended, and it was performed, or not. */
	bool answered;
	uint64_t original;
};

struct linear_word {
	uint64_t first;
	/* What it holds when all is over, if that was seen. */
	bool last_known;
	uint64_t last;
};

/* What of the order is asked for. */
enum { LINEAR_STREAMS = 1, LINEAR_TIME = 2 };

struct linear_history {
	const struct linear_word *word;
	unsigned words;             /* LINEAR_WORDS at most */
	const struct linear_op *op; /* those of a stream as they were sent */
	unsigned ops;               /* LINEAR_OPS at most */
	unsigned orders;            /* a set of the above */
};
#define LINEAR_OPS   4096u
#define LINEAR_WORDS 64u

enum linear_answer { LINEAR_EXPLAINED, LINEAR_IMPOSSIBLE, LINEAR_UNDECIDED };

/* Why there is no order, and what the rest of a verdict says of it. */
enum linear_why {
	LINEAR_FITS,    /* there is one */
	LINEAR_NOWHERE, /* op[0] has found `value`, which nothing has left */
	LINEAR_TWICE,   /* `found` operations have found `value` and changed it,
			 * op[0] and op[1] among them; it stood there `left`
			 * times */
	LINEAR_LAST, /* all is explained but what is there at the end; if `left`
			 * is not 0, that would be `value` */
	/* op[0] is the first answer that no order explains of what was sent by
	 * then, */
	LINEAR_TOO_EARLY,      /* since only op[1] has left what it has found,
				* which was sent after it was answered */
	LINEAR_AGAINST_STREAM, /* but one against the order of its stream, with
				* op[1] at its other side */
	LINEAR_AGAINST_TIME,   /* but one ahead of op[1], which had been
				* answered when it was sent */
	LINEAR_NO_ORDER,       /* and that is all there is to say */
};

struct linear_verdict {
	enum linear_answer answer;
	enum linear_why why;
	unsigned ops; /* how many are named: op[1], or none, may be missing */
	unsigned op[2];
	unsigned word;
	uint64_t value;
	unsigned found, left;
	uint64_t steps; /* the search took so many */
};

/* So many numbers of room are needed, the more the better for `memo`: places
 * that are known to lead nowhere. */
#define LINEAR_ENTRY(ops, words) (1u + ((ops) + 63u) / 64u + (words))
#define LINEAR_ROOM(ops, words, memo)                                          \
	(6u * (ops) + ((ops) + 63u) / 64u + (words) + 4u +                     \
	 (size_t)(memo)*LINEAR_ENTRY(ops, words))

/* Is there an order? `steps` bounds the search for it, and an eighth of it each of
 * those that look for the shortest explanation where there is none. */
struct linear_verdict linear_judge(const struct linear_history *h,
				   uint64_t steps, uint64_t *room,
				   size_t numbers);

/* What an operation leaves of a word. */
uint64_t linear_result(const struct linear_op *op, uint64_t found);

#endif
