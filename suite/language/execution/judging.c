/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The judgements of a case: whether a line holds, whether it can be judged at
 * all, and which row is blamed if it does not hold.
 */
#include "suite/language/execution/execution.h"

#include <string.h>

#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>

#include "suite/judge/verdict.h"
#include "suite/language/execution/chunks.h"

static bool are_of_one_section(unsigned short req, unsigned short other)
{
	const struct req *r = &req_table[req], *of = &req_table[other];

	return strcmp(r->spec, of->spec) == 0 &&
	       strcmp(r->section, of->section) == 0;
}

/* Whether the fields of a stream are read at wrong positions, and this row is
 * not about positions. */
static bool is_adrift(const struct test *t, unsigned short req)
{
	if (req == MPA_7_1_1_07.index ||
	    are_of_one_section(req, MPA_4_3_02.index))
		return false;
	for (unsigned i = 0; i < t->streams; i++) {
		const struct model *m = t->stream[i].model;

		if (m && m->adrift)
			return !m->pad_adrift ||
			       !are_of_one_section(req, MPA_4_1_04.index);
	}
	return false;
}

/* The same for chunks that belong to no session. */
static bool is_astray(const struct test *t, unsigned short req)
{
	bool any = false;

	for (unsigned i = 0; i < t->streams; i++)
		any |= t->stream[i].astray;
	return any && strcmp(req_table[req].layer, "SCTP") != 0;
}

void test_judge(struct test *t, unsigned short req, bool ok, bool by_model,
		const char *text)
{
	bool is_there = !test_on_sctp(t) || model_session_row(req, &req);

	/* If SCTP has no such row, a success says nothing, and a failure is
	 * judged by the rows of sessions. */
	if (!is_there && ok)
		return;
	if (!is_there && req_table[req].kind == REQ_KIND_must)
		req = SCTPX_6_2_04.index;
	struct judgement *j = test_alloc(t, sizeof(*j));

	*j = (struct judgement){.req = req,
				.kind = req_table[req].kind,
				.ok = ok,
				.by_model = by_model,
				.missing = !by_model && !t->contradicted,
				.ground = !by_model && t->on_ground,
				.given = t->insists,
				.adrift = !ok && !by_model &&
					  (is_adrift(t, req) ||
					   is_astray(t, req) ||
					   stray_explains(t, req)),
				.text = text,
				.axes = t->axes,
				.on = look_kept(t)};
	if (t->judged_last)
		t->judged_last->next = j;
	else
		t->judged = j;
	t->judged_last = j;
	t->has_broken |= !ok && j->kind == REQ_KIND_must;
	/* CUnit counts the assertion; the suite has its own report. */
	if (!by_model)
		CU_assertImplementation(ok || j->kind != REQ_KIND_must,
					__LINE__, req_table[req].id,
					t->in->desc->file, t->in->id, CU_FALSE);
}

void test_fail(struct test *t, unsigned short req, const char *fmt, ...)
{
	va_list ap;

	t->look = t->taken;
	va_start(ap, fmt);
	const char *text = observe_vformat(t->bed->log, fmt, ap);
	va_end(ap);
	if (!alone_accuses(t))
		alone_excuses(t, text);
	test_judge(t, req, false, false, text);
	test_enough(t);
}

/* Why a line that does not hold is not judged. */
static const char *alone_doubts(struct test *t)
{
	t->excused = true;
	return test_format(t,
			   "the device and the ULP behind its port cannot be "
			   "distinguished: due %s, seen %s",
			   t->due, t->seen);
}

static bool evaluate(struct test *t, const struct expect *e)
{
	const struct event *before = look_begins(t);

	t->due = e->due ? e->due : "";
	t->seen = "";
	t->shows_last = false;
	t->set_complete = e->alternatives != NULL;
	t->not_told = NULL;
	t->contradicted = false;
	t->untold = TOLD;
	t->rejected = false;
	t->in_parts = t->reads_no_more = false;
	t->asked = NULL;
	t->witnessed = t->of_receives = false;
	t->evaluating = true;
	bool ok = e->holds(t, e);

	t->evaluating = false;
	if (t->asked)
		t->not_told = t->asked;
	else if (!ok && !alone_accuses(t))
		t->not_told = alone_doubts(t);

	look_ends(t, before);
	return ok;
}

bool test_not_told(struct test *t, const char *what)
{
	t->not_told = what;
	return false;
}

unsigned short test_untold_row(struct test *t, unsigned short req,
			       unsigned layer)
{
	const char *spec = req_table[req].spec;

	if (!stream_over(live_stream(t)) || layer == TERM_LLP ||
	    req_table[req].kind != REQ_KIND_must)
		return req;
	if (layer == TERM_RDMA)
		return RDMAP_7_1_08.index;
	if (layer == TERM_DDP)
		return RDMAP_6_2_1_01.index;
	if (strcmp(spec, "RFC5040") == 0 || strcmp(spec, "RFC7306") == 0)
		return RDMAP_7_1_08.index;
	return strcmp(spec, "RFC5041") == 0 ? RDMAP_6_2_1_01.index : req;
}

/* If the agent cannot report it, the expectation is not judged. */
static bool is_unjudged(struct test *t, bool ok)
{
	if ((ok && !t->asked) || !t->not_told)
		return false;
	if (!t->unjudged || (!ok && !t->asked && test_alone(t)))
		t->unjudged = t->not_told;
	return true;
}

/* Of a fact the matcher knows no more than the case. */
static void add_last_seen(struct test *t)
{
	if (*t->seen && t->shows_last)
		t->seen = test_format(t, "%s; %s", t->seen, test_last_seen(t));
	else if (!*t->seen)
		t->seen = test_last_seen(t);
}

static bool judge(struct test *t, unsigned short req, struct expect e)
{
	bool ok = evaluate(t, &e);

	if (is_unjudged(t, ok)) {
		t->presumed |= t->insists;
		t->contradicted = false;
		return true;
	}
	if (!ok && !t->contradicted)
		test_counts_if_seen(t);
	if (!ok && t->rejected)
		req = MPA_7_1_2_09.index;
	if (!ok && t->in_parts)
		req = stream_part_row(live_stream(t), req);
	/* A row that is about the answer itself stays: it is all that is
	 * missing. */
	if (!ok && t->reads_no_more && req != RDMAP_5_2_1_16.index &&
	    req_table[req].kind == REQ_KIND_must) {
		req = RDMAP_7_01.index;
		t->untold = TOLD;
	}
	if (!ok)
		add_last_seen(t);
	test_judge(t,
		   !ok && t->untold != TOLD ? test_untold_row(t, req, t->untold)
					    : req,
		   ok, false,
		   test_tells(t, ok) ? test_format(t, "due:  %s\nseen: %s",
						   t->due, t->seen)
				     : "");
	t->contradicted = false;
	return ok;
}

void case_must(struct test *t, struct req_must req, struct expect e)
{
	judge(t, req.index, e);
}

void case_insists(struct test *t, struct req_must req, struct expect e)
{
	t->insists = true;
	bool ok = judge(t, req.index, e);

	t->insists = false;
	if (!ok || t->excused)
		test_enough(t);
}

void case_should(struct test *t, struct req_should req, struct expect e)
{
	judge(t, req.index, e);
}

void case_may(struct test *t, struct req_may req, struct expect e)
{
	bool ok = evaluate(t, &e);
	/* Not using a permission does not break it; an outcome outside a closed
	 * set of outcomes does. */
	bool judged_ok = ok || !t->set_complete;

	/* A permission requires nothing: an unseen one is not a failure. */
	if (is_unjudged(t, ok) || (!ok && t->not_told)) {
		t->contradicted = false;
		return;
	}
	/* Another row is blamed for a missing Terminate. */
	if (!ok && t->untold != TOLD && stream_over(live_stream(t)))
		judged_ok = true;
	if (!judged_ok)
		add_last_seen(t);
	test_judge(t, req.index, judged_ok, false,
		   test_format(t, *t->seen ? "%s: %s (seen: %s)" : "%s: %s",
			       ok ? "it did" : "it did not", t->due, t->seen));
	t->contradicted = false;
}

void case_observe(struct test *t, struct req_open req, const char *fmt, ...)
{
	va_list ap;

	t->look = t->taken;
	va_start(ap, fmt);
	test_judge(t, req.index, true, false,
		   observe_vformat(t->bed->log, fmt, ap));
	va_end(ap);
}
