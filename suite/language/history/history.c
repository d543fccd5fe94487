/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Atomics of several streams as a history: requests and answers, checked
 * against all possible orders.
 */
#include "suite/language/execution/execution.h"
#include "suite/language/history/linear_text.h"

#define HISTORY_OPS   1024u
#define HISTORY_WORDS 8u
#define HISTORY_MEMO  4096u
#define HISTORY_STEPS 300000u

#define FIRST_ID 0xa0000000u /* the identifier of the first Request */

struct history {
	struct region region;
	unsigned words;
	struct linear_op op[HISTORY_OPS];
	unsigned ops;
	uint64_t now; /* what was sent and received so far */
};

struct history *history_of(struct test *t, struct region r, unsigned words)
{
	struct history *h = test_alloc(t, sizeof(*h));

	if (words > HISTORY_WORDS || words * 8 > r.len)
		test_error(t, CAUSE_SUITE, "no such words for a history");
	h->region = r;
	h->words = words;
	h->ops = 0;
	h->now = 0;
	return h;
}

static enum linear_kind kind_of(const struct rdmap_atomic_request *a)
{
	return a->aopcode == RDMAP_FETCHADD  ? LINEAR_FETCHADD
	       : a->aopcode == RDMAP_CMPSWAP ? LINEAR_CMPSWAP
					     : LINEAR_SWAP;
}

void case_peer_asks(struct test *t, struct history *h,
		    const struct send_opts *o)
{
	struct send_opts with_id = *o;
	struct rdmap_atomic_request *a = &with_id.msg.atomic;
	uint64_t off = a->to - h->region.to;

	if (h->ops == HISTORY_OPS || off % 8 || off / 8 >= h->words)
		test_error(t, CAUSE_SUITE, "no room for it in the history");
	a->id = FIRST_ID + h->ops;
	h->op[h->ops++] = (struct linear_op){
		.stream = t->current + 1,
		.word = (unsigned)(off / 8),
		.kind = kind_of(a),
		.data = a->data,
		.mask = a->mask,
		.compare = a->compare,
		.compare_mask = a->compare_mask,
		.sent_at = ++h->now,
	};
	case_peer_sends(t, &with_id);
}

static bool is_due(const struct test *t, const struct linear_op *op)
{
	return op->stream == t->current + 1 && !op->answered;
}

unsigned originals_due(struct test *t, const struct history *h)
{
	unsigned n = 0;

	for (unsigned i = 0; i < h->ops; i++)
		n += is_due(t, &h->op[i]);
	return n;
}

static struct linear_op *answered_one(struct test *t, struct history *h,
				      uint32_t id)
{
	uint32_t named = id - FIRST_ID;

	if (named < h->ops && is_due(t, &h->op[named]))
		return &h->op[named];
	for (unsigned i = 0; i < h->ops; i++)
		if (is_due(t, &h->op[i]))
			return &h->op[i];
	test_error(t, CAUSE_SUITE,
		   "the case waits for an original, but none is due");
}

static uint64_t take_original(struct test *t, struct history *h,
			      const struct frame *f)
{
	struct rdmap_atomic_response r = case_atomic_response_of(f);
	struct linear_op *op = answered_one(t, h, r.id);

	op->answered = true;
	op->original = r.value;
	op->answered_at = ++h->now;
	return r.value;
}

uint64_t case_awaits_original(struct test *t, struct req_must req,
			      struct history *h)
{
	return take_original(t, h, case_awaits(t, req, RDMAP_ATOMIC_RESPONSE));
}

void original_came(struct test *t, struct history *h, const struct frame *f)
{
	take_original(t, h, f);
}

uint64_t original_given(struct test *t, struct history *h)
{
	return take_original(t, h, awaits_given(t, RDMAP_ATOMIC_RESPONSE));
}

uint64_t found_last(const struct history *h, unsigned word)
{
	const struct linear_op *last = NULL;

	for (unsigned i = 0; i < h->ops; i++) {
		const struct linear_op *op = &h->op[i];

		if (op->word == word && op->answered &&
		    (!last || op->answered_at > last->answered_at))
			last = op;
	}
	return last ? last->original : 0;
}

static unsigned streams_of(const struct history *h)
{
	uint64_t seen = 0;

	for (unsigned i = 0; i < h->ops; i++)
		seen |= 1ull << h->op[i].stream % 64;
	return (unsigned)__builtin_popcountll(seen);
}

static bool one_order_explains(struct test *t, const struct expect *e)
{
	static const struct linear_word zero[HISTORY_WORDS];
	const struct history *h = e->p;
	const struct linear_history all = {
		.word = zero,
		.words = h->words,
		.op = h->op,
		.ops = h->ops,
		.orders = (unsigned)e->a,
	};
	size_t numbers = LINEAR_ROOM(h->ops, h->words, HISTORY_MEMO);
	struct linear_verdict v = linear_judge(
		&all, HISTORY_STEPS, test_alloc(t, numbers * sizeof(uint64_t)),
		numbers);
	char text[LINEAR_TEXT];

	if (v.answer == LINEAR_UNDECIDED)
		test_error(t, CAUSE_SUITE,
			   "%u atomics are too many to decide whether they "
			   "have an order",
			   h->ops);
	linear_text(&all, &v, text, sizeof(text));
	test_due(
		t,
		"%u atomics of %u streams have one order%s in which each finds "
		"the value that the one before it left",
		h->ops, streams_of(h),
		e->a & LINEAR_STREAMS ? ", which keeps the order of each "
					"stream, and"
				      : "");
	test_seen(t, "%s", text);
	t->contradicted = true;
	return v.answer == LINEAR_EXPLAINED;
}

struct expect has_one_order(const struct history *h)
{
	return (struct expect){
		.holds = one_order_explains, .p = h, .a = LINEAR_TIME};
}

struct expect has_one_order_by_stream(const struct history *h)
{
	return (struct expect){.holds = one_order_explains,
			       .p = h,
			       .a = LINEAR_TIME | LINEAR_STREAMS};
}
