/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/audit/finding.h"

#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"
#include "suite/language/text/objection_text.h"
#include "suite/language/text/session_text.h"

static unsigned kept_of(const struct findings *f, unsigned end,
			unsigned short req)
{
	unsigned n = 0;

	for (const struct finding *x = f->first; x; x = x->next)
		n += x->end == end && x->req == req;
	return n;
}

static struct finding *keep(struct findings *f, unsigned end,
			    unsigned short req, const char *about,
			    const char *text)
{
	size_t a = strlen(about), n = strlen(text);
	struct finding *x = text_held(malloc(sizeof(*x) + a + n + 3));

	if (!x) {
		f->failed = true;
		return NULL;
	}
	*x = (struct finding){.end = end, .req = req, .number = ++f->count};
	memcpy(x->text, about, a);
	memcpy(x->text + a, ": ", 2);
	memcpy(x->text + a + 2, text, n + 1);
	if (!f->first)
		f->last = &f->first;
	*f->last = x;
	f->last = &x->next;
	return x;
}

/* An objection has the words of a case's objection, in the same arena. */
static struct test *words(bool sctp)
{
	static struct link of_messages = {.caps = LINK_CAP_MESSAGES};
	static struct testbed bed;
	static struct test t = {.bed = &bed};

	bed.link = sctp ? &of_messages : NULL;
	if (bed.log)
		observe_reset(bed.log);
	else
		bed.log = observe_new();
	t.interpreter.arena.log = bed.log;
	return bed.log ? &t : NULL;
}

/* Whether another one may be kept. */
static bool has_room(struct findings *f, unsigned end, unsigned short req)
{
	if (kept_of(f, end, req) < FINDINGS_OF_ONE && f->count < FINDINGS_MOST)
		return true;
	f->more = true;
	return false;
}

static struct test *words_for(struct findings *f)
{
	struct test *t = words(f->sctp);

	if (!t) {
		text_is_lost();
		f->failed = true;
	}
	return t;
}

struct finding *findings_add(struct findings *f, unsigned end,
			     const struct model_objection *o, const char *about)
{
	struct test *t = has_room(f, end, o->req) ? words_for(f) : NULL;

	return t ? keep(f, end, o->req, about, objection_text(t, o)) : NULL;
}

struct finding *findings_add_session(struct findings *f, unsigned end,
				     const struct model_session_verdict *v,
				     const struct model_chunk *c,
				     const char *about)
{
	struct test *t = has_room(f, end, v->req) ? words_for(f) : NULL;

	return t ? keep(f, end, v->req, about, session_fault_words(t, v, c))
		 : NULL;
}

struct finding *findings_add_text(struct findings *f, unsigned end,
				  unsigned short req, const char *about,
				  const char *text)
{
	return has_room(f, end, req) ? keep(f, end, req, about, text) : NULL;
}

void findings_free(struct findings *f)
{
	while (f->first) {
		struct finding *x = f->first;

		f->first = x->next;
		free(x);
	}
}
