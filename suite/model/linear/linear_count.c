/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each answered operation leads from the value that it has found to the value
 * that it has left, and an order is a path over all of them: from the first
 * value of the word to its last. So every value is found as often as it was
 * left, except at the two ends (Euler). Operations without an answer may lead
 * from any value: each compensates for one that is missing.
 */
#include "suite/model/linear/linear_internal.h"

struct tally {
	unsigned found, idle; /* by operations that change it, by others */
	unsigned left;        /* how often the word got this value */
	unsigned op[2]; /* the first operations that found it, of two streams if
			 * possible */
	unsigned ops;
	unsigned idler; /* the first operation that changed nothing */
};

static bool leads(const struct linear_history *h, unsigned i, unsigned word)
{
	return h->op[i].word == word && h->op[i].answered;
}

static void name(const struct linear_history *h, struct tally *t, unsigned i)
{
	if (t->ops < 2)
		t->op[t->ops++] = i;
	else if (h->op[t->op[0]].stream == h->op[t->op[1]].stream &&
		 h->op[t->op[0]].stream != h->op[i].stream)
		t->op[1] = i;
}

static struct tally tally_of(const struct linear_history *h, unsigned word,
			     uint64_t value)
{
	struct tally t = {.left = h->word[word].first == value};

	for (unsigned i = 0; i < h->ops; i++) {
		uint64_t result;

		if (!leads(h, i, word))
			continue;
		result = linear_result(&h->op[i], h->op[i].original);
		if (h->op[i].original == value && result == value &&
		    t.idle++ == 0)
			t.idler = i;
		if (result == h->op[i].original)
			continue;
		t.left += result == value;
		if (h->op[i].original == value) {
			t.found++;
			name(h, &t, i);
		}
	}
	return t;
}

/* Whether an earlier operation has found the same value there. */
static bool counted(const struct linear_history *h, unsigned i)
{
	for (unsigned k = 0; k < i; k++)
		if (leads(h, k, h->op[i].word) &&
		    h->op[k].original == h->op[i].original)
			return true;
	return false;
}

static unsigned untold_of(const struct linear_history *h, unsigned word)
{
	unsigned n = 0;

	for (unsigned i = 0; i < h->ops; i++)
		n += h->op[i].word == word && !h->op[i].answered;
	return n;
}

static void say(struct linear_verdict *v, enum linear_why why, unsigned word,
		uint64_t value, const struct tally *t)
{
	*v = (struct linear_verdict){
		.answer = LINEAR_IMPOSSIBLE,
		.why = why,
		.word = word,
		.value = value,
		.ops = why == LINEAR_TWICE ? 2 : why == LINEAR_NOWHERE,
		.op = {t->found ? t->op[0] : t->idler, t->op[1]},
		.found = t->found,
		.left = t->left,
	};
}

static bool miscounts_finds(const struct linear_history *h, unsigned word,
			    unsigned untold, struct linear_verdict *v)
{
	unsigned missing = 0;

	for (unsigned i = 0; i < h->ops; i++) {
		uint64_t value = h->op[i].original;
		struct tally t;

		if (!leads(h, i, word) || counted(h, i))
			continue;
		t = tally_of(h, word, value);
		if (t.found > t.left)
			missing += t.found - t.left;
		else if (!t.left)
			missing++;
		else
			continue;
		if (missing > untold) {
			say(v, t.left ? LINEAR_TWICE : LINEAR_NOWHERE, word,
			    value, &t);
			return true;
		}
	}
	return false;
}

/* All values are found as often as necessary: one is left over. */
static bool miscounts_end(const struct linear_history *h, unsigned word,
			  struct linear_verdict *v)
{
	uint64_t end = h->word[word].first;
	struct tally t = tally_of(h, word, end);

	for (unsigned i = 0; i < h->ops && t.left == t.found; i++) {
		if (!leads(h, i, word))
			continue;
		end = linear_result(&h->op[i], h->op[i].original);
		t = tally_of(h, word, end);
	}
	if (end == h->word[word].last)
		return false;
	say(v, LINEAR_LAST, word, end, &t);
	v->left = 1;
	return true;
}

bool linear_miscounts(const struct linear_history *h, struct linear_verdict *v)
{
	for (unsigned w = 0; w < h->words; w++) {
		unsigned untold = untold_of(h, w);

		if (miscounts_finds(h, w, untold, v))
			return true;
		if (!untold && h->word[w].last_known && miscounts_end(h, w, v))
			return true;
	}
	return false;
}
