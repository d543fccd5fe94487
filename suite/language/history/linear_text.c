/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/language/history/linear_text.h"

#include <inttypes.h>
#include <stdio.h>

#define OP_TEXT 160

/* Its place among those of its stream, from one. */
static unsigned place_in_stream(const struct linear_history *h, unsigned op)
{
	unsigned n = 1;

	for (unsigned i = 0; i < op; i++)
		n += h->op[i].stream == h->op[op].stream;
	return n;
}

/* "atomic 3 of stream 2, FetchAdd of 1 to word 0". */
static const char *op_text(const struct linear_history *h, unsigned i,
			   char out[OP_TEXT])
{
	const struct linear_op *op = &h->op[i];
	int n = snprintf(out, OP_TEXT, "atomic %u of stream %u, ",
			 place_in_stream(h, i), op->stream);
	size_t at = (size_t)n;

	switch (op->kind) {
	case LINEAR_FETCHADD:
		n = snprintf(out + at, OP_TEXT - at, "FetchAdd of 0x%" PRIx64,
			     op->data);
		break;
	case LINEAR_CMPSWAP:
		n = snprintf(out + at, OP_TEXT - at,
			     "CmpSwap of 0x%" PRIx64 " to 0x%" PRIx64,
			     op->compare, op->data);
		break;
	case LINEAR_SWAP:
		n = snprintf(out + at, OP_TEXT - at, "Swap to 0x%" PRIx64,
			     op->data);
		break;
	}
	at += (size_t)n;
	if (op->kind != LINEAR_SWAP &&
	    op->mask != (op->kind == LINEAR_FETCHADD ? 0 : UINT64_MAX))
		at += (size_t)snprintf(out + at, OP_TEXT - at,
				       " (mask 0x%" PRIx64 ")", op->mask);
	snprintf(out + at, OP_TEXT - at, " in word %u", op->word);
	return out;
}

void linear_text(const struct linear_history *h, const struct linear_verdict *v,
		 char *out, size_t n)
{
	char a[OP_TEXT] = "", b[OP_TEXT] = "";

	if (v->ops > 0)
		op_text(h, v->op[0], a);
	if (v->ops > 1)
		op_text(h, v->op[1], b);
	switch (v->why) {
	case LINEAR_FITS:
		snprintf(out, n, "%s",
			 v->answer == LINEAR_EXPLAINED
				 ? "there is one"
				 : "no order was found, and none was ruled "
				   "out");
		break;
	case LINEAR_NOWHERE:
		snprintf(out, n,
			 "%s, found 0x%" PRIx64 ", which no operation left", a,
			 v->value);
		break;
	case LINEAR_TWICE:
		snprintf(out, n,
			 "%s, and %s, both found 0x%" PRIx64
			 " and changed it; %u did, but the word had this value "
			 "%s",
			 a, b, v->value, v->found,
			 v->left == 1 ? "only once" : "less often");
		break;
	case LINEAR_LAST:
		if (v->left)
			snprintf(out, n,
				 "word %u ends as 0x%" PRIx64
				 ", but the operations leave 0x%" PRIx64,
				 v->word, h->word[v->word].last, v->value);
		else
			snprintf(out, n,
				 "word %u ends as 0x%" PRIx64
				 ", but no order of the operations leaves that",
				 v->word, h->word[v->word].last);
		break;
	case LINEAR_TOO_EARLY:
		snprintf(out, n,
			 "%s, found 0x%" PRIx64
			 ", which only %s, left, and that was sent after this "
			 "was answered",
			 a, v->value, b);
		break;
	case LINEAR_AGAINST_STREAM:
		snprintf(out, n,
			 "%s, found 0x%" PRIx64
			 ", as if the operations of its stream were performed "
			 "in another order%s%s",
			 a, v->value,
			 v->ops < 2            ? ""
			 : v->op[1] < v->op[0] ? ": before "
					       : ": after ",
			 b);
		break;
	case LINEAR_AGAINST_TIME:
		snprintf(out, n,
			 "%s, found 0x%" PRIx64
			 ", as if it was performed before %s, which was "
			 "answered before this was sent",
			 a, v->value, b);
		break;
	case LINEAR_NO_ORDER:
		if (v->ops)
			snprintf(out, n,
				 "%s, found 0x%" PRIx64
				 ", which no order of the operations before it "
				 "leaves",
				 a, v->value);
		else
			snprintf(out, n, "none");
		break;
	}
}
