/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults about a word that several streams change with atomics: memory is
 * correct in the end, but the original values returned are not (RFC 7306 s5).
 */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/rdmap_atomic_decisions.h"

#include <string.h>

enum { WORDS = 64, STREAMS = 16, BLOCK = 16 };

/*
 * The value that a stream has left in a word, and the additions to it that the
 * stream was given in advance.
 */
struct share {
	const struct conn *by;
	uint64_t left;
	uint64_t next;
	unsigned more;
};

struct word {
	const uint8_t *at;
	const struct conn *by, *changed_by; /* last */
	uint64_t returned, left;
	bool added;
	uint64_t add, next; /* additions of the same: the next to give away */
	struct share share[STREAMS];
};

/* Each fault has words of its own. */
struct words {
	struct word word[WORDS];
	unsigned oldest;
};

static struct words found_same, sums, blocks, left_behind, exchanged;
static struct words *const all[] = {&found_same, &sums, &blocks, &left_behind,
				    &exchanged};

static bool is_add(const struct atomic_operation *atomic)
{
	return atomic_aopcode(atomic->request->header) == ATOMIC_FETCH_ADD;
}

static struct word *word_at(struct words *words, const uint8_t *at)
{
	for (unsigned i = 0; i < WORDS; i++)
		if (words->word[i].at == at)
			return &words->word[i];
	return NULL;
}

/* The CPU, or a Write, may have been there meanwhile. */
static struct word *word_found(struct words *words, const uint8_t *at,
			       uint64_t original)
{
	struct word *w = word_at(words, at);

	if (w && w->left == original)
		return w;
	if (!w) {
		w = &words->word[words->oldest];
		words->oldest = (words->oldest + 1) % WORDS;
	}
	memset(w, 0, sizeof(*w));
	w->at = at;
	return w;
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

/* The stream is gone: its words are as if nobody had worked on them. */
static void forget(void *octets)
{
	const struct conn **c = octets;

	for (size_t n = 0; n < sizeof(all) / sizeof(all[0]); n++)
		for (unsigned i = 0; i < WORDS; i++) {
			struct word *w = &all[n]->word[i];

			for (unsigned k = 0; k < STREAMS; k++)
				if (w->share[k].by == *c)
					*w = (struct word){0};
		}
}

/* The word of an atomic, and this stream's share of it. */
static struct word *word_of(struct override *self, struct words *words,
			    const struct atomic_operation *atomic,
			    struct share **share)
{
	struct word *w = word_found(words, atomic->at, atomic->original);
	const struct conn **c;

	c = remember_until(&atomic->c->remembered, self, sizeof(*c), forget);
	*c = atomic->c;
	*share = share_of(w, atomic->c);
	if (!w->by)
		(*share)->left = atomic->original;
	return w;
}

/* The atomic is complete, and has returned this value. */
static uint64_t noted(struct word *w, struct share *s,
		      const struct atomic_operation *atomic, uint64_t returned)
{
	w->returned = returned;
	if (!is_add(atomic))
		w->add = 0;
	if (atomic->value != atomic->original)
		w->changed_by = s->by;
	s->left = atomic->value;
	w->by = s->by;
	w->added = is_add(atomic);
	w->left = atomic->value;
	return returned;
}

static bool is_behind_another(const struct word *w, const struct share *s)
{
	return w->by && w->by != s->by;
}

MUTANT(fetchadds_of_two_streams_find_the_same, "RDMAPX-5-02 RDMAPX-5.3-01",
       "answers a FetchAdd that follows one of another stream with the same "
       "original value, and adds both",
       original_returned)
{
	uint64_t returned = OTHERWISE(original_returned);
	struct share *s;
	struct word *w = word_of(self, &found_same, atomic, &s);

	if (is_add(atomic) && is_behind_another(w, s) && w->added)
		returned = w->returned;
	return noted(w, s, atomic, returned);
}

MUTANT(fetchadd_behind_another_stream_returns_sum, "RDMAPX-5-02 RDMAPX-5.3-01",
       "answers a FetchAdd that follows an atomic of another stream with the "
       "sum",
       original_returned)
{
	uint64_t returned = OTHERWISE(original_returned);
	struct share *s;
	struct word *w = word_of(self, &sums, atomic, &s);

	if (is_add(atomic) && is_behind_another(w, s))
		returned = atomic->value;
	return noted(w, s, atomic, returned);
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

MUTANT(fetchadd_originals_in_blocks, "RDMAPX-5-02 RDMAPX-5.3-01",
       "if several streams add the same value to a word, gives each the "
       "original values of sixteen additions in advance",
       original_returned)
{
	uint64_t returned = OTHERWISE(original_returned);
	struct share *s;
	struct word *w = word_of(self, &blocks, atomic, &s);

	if (is_add(atomic) && atomic->value != atomic->original)
		returned = given_in_advance(w, s, atomic->original,
					    atomic->value - atomic->original);
	return noted(w, s, atomic, returned);
}

MUTANT(idle_atomic_finds_what_its_stream_left, "RDMAPX-5-02 RDMAPX-5.3-01",
       "answers an atomic that changes nothing with the value that its own "
       "stream left, although another stream has changed it since",
       original_returned)
{
	uint64_t returned = OTHERWISE(original_returned);
	struct share *s;
	struct word *w = word_of(self, &left_behind, atomic, &s);

	if (atomic->value == atomic->original && w->changed_by != s->by)
		returned = s->left;
	return noted(w, s, atomic, returned);
}

/* Two atomics of a stream that wait are exchanged if another stream has
 * changed their word. */
ALSO(atomics_exchanged_behind_another_stream, original_returned)
{
	struct share *s;
	struct word *w = word_of(self, &exchanged, atomic, &s);

	return noted(w, s, atomic, OTHERWISE(original_returned));
}

bool rdmap_changed_by_another(const struct conn *c, const struct region *region,
			      const struct request *request)
{
	const struct word *w = word_at(
		&exchanged, region_at(region, atomic_to(request->header)));

	return w && w->changed_by && w->changed_by != c;
}
