/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares the faults of the peer that peer_judge.h finds with those that the
 * case declares: a declared rule has to be broken at least once; any other
 * breach is an error of the suite.
 */
#include "suite/language/execution/execution.h"
#include "suite/language/peer/peer_judge.h"

#include <stdlib.h>
#include <string.h>

#include "suite/language/text/objection_text.h"
#include "suite/language/text/session_text.h"

void peer_breaks(struct test *t, struct req_must req)
{
	if (t->breaks == TEST_BREAKS)
		test_error(t, CAUSE_SUITE, "the case breaks more than %u rules",
			   TEST_BREAKS);
	t->broken[t->breaks++] = (struct broken_rule){.req = req.index};
	if (t->current < t->streams && the_stream(t)->model)
		alone_keeps_depths(t, the_stream(t));
}

bool peer_may_break(const struct test *t, unsigned short req)
{
	for (unsigned i = 0; i < t->breaks; i++)
		if (t->broken[i].req == req)
			return true;
	return false;
}

static bool is_declared(struct test *t, unsigned short req)
{
	for (unsigned i = 0; i < t->breaks; i++)
		if (t->broken[i].req == req) {
			t->broken[i].happened = true;
			return t->bed->peer != PEER_JUDGED_STRICTLY;
		}
	return false;
}

/* The reason of an error has one line. */
static const char *in_one_line(struct test *t, const char *lines)
{
	char *line = test_alloc(t, 2 * strlen(lines) + 1), *to = line;

	for (; *lines; lines++) {
		if (*lines == '\n') {
			*to++ = ';';
			*to++ = ' ';
			while (lines[1] == ' ')
				lines++;
		} else {
			*to++ = *lines;
		}
	}
	*to = '\0';
	return line;
}

static void excuse(struct test *t, const struct model_objections *o,
		   const char *what)
{
	for (unsigned i = 0; i < o->n; i++) {
		const struct model_objection *ob = &o->list[i];
		const struct req *r = &req_table[ob->req];

		if (is_declared(t, ob->req))
			continue;
		test_error(t, CAUSE_SUITE,
			   "the suite's own peer breaks %s (%s s%s): %s: %s",
			   r->id, r->spec, r->section, what,
			   in_one_line(t, objection_text(t, ob)));
	}
}

static unsigned unless_strict(const struct test *t, unsigned named)
{
	return t->bed->peer == PEER_JUDGED_STRICTLY ? 0 : named;
}

void excuse_startup(struct test *t, struct stream *s, const struct startup *f)
{
	struct model_objections o;

	/* A Reply without a Request is the stimulus. */
	if (t->bed->peer == PEER_TRUSTED || (f->reply && !s->saw_startup))
		return;
	peer_judge_startup(f, &s->sent_frame, &s->seen_frame,
			   unless_strict(t, peer_judge_startup_named(f)), &o);
	excuse(t, &o, f->reply ? "a Reply" : "a Request");
}

void excuse_begin(struct test *t, struct stream *s,
		  const struct model_agreed *a)
{
	struct peer_judge **kept = &t->bed->judges[s - t->stream];

	if (t->bed->peer == PEER_TRUSTED)
		return;
	if (!*kept && !(*kept = malloc(sizeof(**kept))))
		test_error(t, CAUSE_SUITE, "out of memory");
	s->judge = *kept;
	peer_judge_start(s->judge, &s->model->config, a, s->peer.tx_markers);
	if (s->role == RESPONDER)
		peer_judge_reply(s->judge, &s->sent_frame, &s->seen_frame);
}

void excuse_frame(struct test *t, struct stream *s, const struct send_opts *o,
		  const struct ddp_segment *meant, const struct frame *sent)
{
	struct model_objections found;
	unsigned named = peer_judge_named(o, meant->ddp.last);

	if (!s->judge)
		return;
	peer_judge_sends(s->judge, sent, meant, unless_strict(t, named),
			 &found);
	excuse(t, &found, test_frame_text(t, sent));
}

void excuse_chunk(struct test *t, struct stream *s,
		  const struct frame_chunk *sent, const struct model_chunk *c)
{
	struct model_session_verdict v = model_session_dut(&s->peer_session, c);
	const struct req *r = &req_table[v.req];

	if (t->bed->peer == PEER_TRUSTED || v.fault == MODEL_SESSION_RIGHT ||
	    unless_strict(t, sent->faulty) || is_declared(t, v.req))
		return;
	test_error(t, CAUSE_SUITE,
		   "the suite's own peer breaks %s (%s s%s): %s", r->id,
		   r->spec, r->section,
		   in_one_line(t, session_fault_text(t, &v, c)));
}

void excuse_end(struct test *t)
{
	for (unsigned i = 0; i < t->streams; i++)
		if (t->stream[i].judge &&
		    !peer_judge_is_certain(t->stream[i].judge))
			return;
	for (unsigned i = 0; i < t->breaks; i++)
		if (t->bed->peer != PEER_TRUSTED && !t->broken[i].happened)
			test_error(t, CAUSE_SUITE,
				   "the case declares that its peer breaks %s, "
				   "but the peer did not",
				   req_table[t->broken[i].req].id);
}
