/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/shared_word.h"
#include "harness/refdut/mutants.h"

#include <string.h>

enum { WORDS = 64, STREAMS = 16, BLOCK = 16 };

/* What a stream has left of a word, and what of additions to it the stream was
 * given in advance. */
struct share {
	const struct conn *by;
	uint64_t left;
	uint64_t next;
	unsigned more;
};

static struct word {
	const uint8_t *at;
	const struct conn *by, *changed_by; /* last */
	uint64_t told, left;
	bool added;
	uint64_t add, next; /* additions of the same: the next to give away */
	struct share share[STREAMS];
} words[WORDS];
static unsigned oldest;

static struct word *word_at(const uint8_t *at)
{
	for (unsigned i = 0; i < WORDS; i++)
		if (words[i].at == at)
			return &words[i];
	return NULL;
}

/* The CPU, or a Write, may have been there meanwhile. */
static struct word *word_found(const uint8_t *at, uint64_t original)
{
	struct word *w = word_at(at);

	if (w && w->left == original)
		return w;
	if (!w) {
		w = &words[oldest];
		oldest = (oldest + 1) % WORDS;
	}
	memset(w, 0, sizeof(*w));
	w->at = at;
	return w;
}

bool shared_word_of_another(const struct conn *c, const uint8_t *at)
{
	const struct word *w = word_at(at);

	return w && w->changed_by && w->changed_by != c;
}

static struct share *share_of(struct word *w, const struct conn *c)
{
	unsigned i = 0;

	while (i < STREAMS - 1 && w->share[i].by && w->share[i].by != c)
		i++;
	if (w->share[i].by != c)
		w->share[i] = (struct share){.by = c, .left = w->left};
	return &w->share[i];
}

static uint64_t given_in_advance(struct word *w, struct share *s,
				 uint64_t original, uint64_t add)
{
	if (w->add != add) {
		for (unsigned i = 0; i < STREAMS; i++)
			w->share[i].more = 0;
		w->add = add;
		w->next = original;
	}
	if (!s->more) {
		s->more = BLOCK;
		s->next = w->next;
		w->next += BLOCK * add;
	}
	s->more--;
	s->next += add;
	return s->next - add;
}

static uint64_t told_of(struct word *w, struct share *s, bool add,
			uint64_t original, uint64_t value)
{
	bool another = w->by && w->by != s->by;

	if (add && another && w->added &&
	    mutant(MUTANT_fetchadds_of_two_streams_find_the_same))
		return w->told;
	if (add && another &&
	    mutant(MUTANT_fetchadd_behind_another_stream_returns_sum))
		return value;
	if (add && value != original &&
	    mutant(MUTANT_fetchadd_originals_in_blocks))
		return given_in_advance(w, s, original, value - original);
	if (value == original && w->changed_by != s->by &&
	    mutant(MUTANT_idle_atomic_finds_what_its_stream_left))
		return s->left;
	return original;
}

uint64_t shared_word_told(const struct conn *c, const uint8_t *at, bool add,
			  uint64_t original, uint64_t value)
{
	struct word *w = word_found(at, original);
	struct share *s = share_of(w, c);

	if (!w->by)
		s->left = original;
	w->told = told_of(w, s, add, original, value);
	if (!add)
		w->add = 0;
	if (value != original)
		w->changed_by = c;
	s->left = value;
	w->by = c;
	w->added = add;
	w->left = value;
	return w->told;
}

void shared_word_forget(const struct conn *c)
{
	for (unsigned i = 0; i < WORDS; i++)
		for (unsigned k = 0; k < STREAMS; k++)
			if (words[i].share[k].by == c)
				words[i] = (struct word){0};
}
