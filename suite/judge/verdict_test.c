/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/judge/verdict.h"

#include <string.h>

#include "harness/observe/observe.h"
#include "harness/unit.h"

static struct observe *observe_log;

static void no_memory(void *user)
{
	(void)user;
	CU_FAIL_FATAL("no memory");
}

/* The verdict for these judgements, in order, of a case with these
 * properties. */
static struct result of_case(struct ended_case c, struct judgement *j, size_t n)
{
	struct arena a = {.log = observe_log, .full = no_memory};
	struct result r;

	c.id = "a/b/c";
	c.title = c.role = c.reason = c.reading = c.reading_lines = "";
	c.level = "MUST";
	c.judged = j;

	for (size_t i = 0; i < n; i++) {
		if (!j[i].text)
			j[i].text = "due:  this\nseen: that";
		j[i].next = i + 1 < n ? &j[i + 1] : NULL;
	}
	verdict_of(&c, &a, &r);
	return r;
}

static struct result of(struct judgement *j, size_t n)
{
	return of_case((struct ended_case){0}, j, n);
}

static void what_never_came_follows(void)
{
	struct judgement j[] = {
		{.req = REQ_INDEX_MPA_4_1_05},
		{.req = REQ_INDEX_MPA_4_3_18, .missing = true},
	};
	struct result r = of(j, UNIT_COUNT(j));

	CU_ASSERT_EQUAL(r.verdict, VERDICT_FAIL);
	CU_ASSERT_STRING_EQUAL(r.signature, "MPA-4.1-05");
	CU_ASSERT_STRING_EQUAL(r.consequences, "MPA-4.3-18");
	CU_ASSERT_EQUAL(r.broken_count, 1);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(r.detail, "a consequence: MPA-4.3-18 MUST"));
}

/* How often a text has these words. */
static unsigned times(const char *text, const char *words)
{
	unsigned n = 0;

	for (; (text = strstr(text, words)); text++)
		n++;
	return n;
}

static void the_same_is_said_once(void)
{
	struct judgement j[] = {
		{.req = REQ_INDEX_MPA_4_1_05},
		{.req = REQ_INDEX_MPA_4_1_05},
		{.req = REQ_INDEX_MPA_4_1_05, .by_model = true},
		{.req = REQ_INDEX_MPA_4_3_18},
	};
	struct result r = of(j, UNIT_COUNT(j));

	CU_ASSERT_EQUAL(times(r.detail, "MPA-4.1-05 MUST"), 2);
	CU_ASSERT_EQUAL(times(r.detail, "found by the golden model"), 1);
	CU_ASSERT_EQUAL(times(r.detail, "MPA-4.3-18 MUST"), 1);
	CU_ASSERT_EQUAL(times(r.detail, "seen: that"), 3);
}

/* Lines that failed because a dependency failed blame nothing. */
static void what_is_outweighed_follows(void)
{
	struct judgement j[] = {
		{.req = REQ_INDEX_MPA_4_1_05},
		{.req = REQ_INDEX_MPA_4_3_02, .by_model = true},
	};
	struct result r = of_case(
		(struct ended_case){.blocked_by = "d/e/f", .outweighed = true},
		j, UNIT_COUNT(j));

	CU_ASSERT_EQUAL(r.verdict, VERDICT_BLOCKED);
	CU_ASSERT_STRING_EQUAL(r.blocked_by, "d/e/f");
	CU_ASSERT_STRING_EQUAL(r.signature, "");
	CU_ASSERT_STRING_EQUAL(r.consequences, "MPA-4.1-05");
	CU_ASSERT_EQUAL(r.broken_count, 0);
	/* Nor does what held prove anything. */
	j[0].ok = j[1].ok = true;
	r = of_case((struct ended_case){.blocked_by = "d/e/f"}, j,
		    UNIT_COUNT(j));
	CU_ASSERT_EQUAL(r.verdict, VERDICT_BLOCKED);
	CU_ASSERT_STRING_EQUAL(r.blocked_by, "d/e/f");
	CU_ASSERT_EQUAL(r.axes_count, 0);
}

/* "RFC 5044 s4.1"; a draft is named as it is. */
static void a_requirement_names_its_document(void)
{
	struct judgement rfc[] = {{.req = REQ_INDEX_MPA_4_1_05}};
	struct judgement draft[] = {{.req = REQ_INDEX_RDMAPX03_5_1_2_01}};

	CU_ASSERT_PTR_NOT_NULL(strstr(of(rfc, 1).detail, "(RFC 5044 s4.1)"));
	CU_ASSERT_PTR_NOT_NULL(strstr(
		of(draft, 1).detail, "(draft-ietf-storm-rdmap-ext-03 s5.1.2)"));
}

/* A case that founds others names the cause itself, if it can. */
static void the_model_follows_what_a_founding_case_names(void)
{
	struct judgement j[] = {
		{.req = REQ_INDEX_MPA_4_3_02, .by_model = true},
		{.req = REQ_INDEX_MPA_4_1_05},
	};
	struct ended_case founding = {.founds = true};
	struct result r = of_case(founding, j, UNIT_COUNT(j));

	CU_ASSERT_STRING_EQUAL(r.signature, "MPA-4.1-05");
	r = of_case(founding, j, 1);
	CU_ASSERT_STRING_EQUAL(r.signature, "MPA-4.3-02");
}

static void what_is_read_adrift_follows(void)
{
	struct judgement j[] = {
		{.req = REQ_INDEX_MPA_4_3_02, .by_model = true},
		{.req = REQ_INDEX_MPA_4_1_05, .adrift = true},
	};
	struct result r = of(j, UNIT_COUNT(j));

	CU_ASSERT_EQUAL(r.verdict, VERDICT_FAIL);
	CU_ASSERT_STRING_EQUAL(r.signature, "MPA-4.3-02");
	CU_ASSERT_STRING_EQUAL(r.consequences, "MPA-4.1-05");
}

static void what_was_seen_does_not(void)
{
	struct judgement seen[] = {
		{.req = REQ_INDEX_MPA_4_1_05},
		{.req = REQ_INDEX_MPA_4_3_18},
	};
	/* An objection that the model has to every frame hides nothing. */
	struct judgement model[] = {
		{.req = REQ_INDEX_DDP_4_1_11, .by_model = true},
		{.req = REQ_INDEX_MPA_4_3_18, .missing = true},
	};
	struct judgement first[] = {
		{.req = REQ_INDEX_MPA_4_1_05, .missing = true},
		{.req = REQ_INDEX_MPA_4_3_18},
	};

	CU_ASSERT_EQUAL(of(seen, 2).broken_count, 2);
	CU_ASSERT_EQUAL(of(model, 2).broken_count, 2);
	CU_ASSERT_EQUAL(of(first, 2).broken_count, 2);
	CU_ASSERT_STRING_EQUAL(of(first, 2).consequences, "");
}

static void a_terminate_tells_what_was_refused(void)
{
	struct judgement alone[] = {
		{.req = REQ_INDEX_RDMAP_4_8_31, .by_model = true},
	};
	struct judgement refused[] = {
		{.req = REQ_INDEX_RDMAP_4_8_31, .by_model = true},
		{.req = REQ_INDEX_MPA_4_1_05, .missing = true},
	};
	struct judgement ground[] = {
		{.req = REQ_INDEX_RDMAP_4_8_31, .by_model = true},
		{.req = REQ_INDEX_RDMAP_5_2_1_16,
		 .missing = true,
		 .ground = true},
	};

	CU_ASSERT_STRING_EQUAL(of(alone, 1).signature, "RDMAP-4.8-31");
	CU_ASSERT_STRING_EQUAL(of(refused, 2).signature, "MPA-4.1-05");
	CU_ASSERT_STRING_EQUAL(of(ground, 2).signature, "RDMAP-4.8-31");
}

/* Each may follow from another: the first of them is the cause. */
static void a_failure_has_a_cause(void)
{
	struct judgement j[] = {
		{.req = REQ_INDEX_RDMAP_4_8_31, .by_model = true},
		{.req = REQ_INDEX_RDMAP_5_2_1_16,
		 .missing = true,
		 .ground = true},
		{.req = REQ_INDEX_MPA_4_1_05, .missing = true},
	};
	struct result r = of(j, UNIT_COUNT(j));

	CU_ASSERT_EQUAL(r.verdict, VERDICT_FAIL);
	CU_ASSERT_EQUAL(r.broken_count, 1);
	CU_ASSERT_STRING_EQUAL(r.signature, "RDMAP-4.8-31");
	CU_ASSERT_STRING_EQUAL(r.consequences, "MPA-4.1-05 RDMAP-5.2.1-16");
	r = of_case((struct ended_case){.founds = true}, j, 2);
	CU_ASSERT_EQUAL(r.broken_count, 1);
	CU_ASSERT_STRING_EQUAL(r.signature, "RDMAP-4.8-31");
}

/* Without an agent, a line that needs one leaves the judgement of the others;
 * but not if a line failed that the ULP may have broken. */
static void what_needs_an_agent_is_left_out(void)
{
	static const unsigned short reqs[] = {REQ_INDEX_MPA_4_1_05,
					      REQ_INDEX_MPA_4_3_18};
	struct judgement held[] = {{.req = REQ_INDEX_MPA_4_1_05, .ok = true}};
	struct ended_case c = {.alone = true,
			       .unjudged = "what was delivered",
			       .reqs = reqs,
			       .req_count = 2};
	struct result r = of_case(c, held, 1);

	CU_ASSERT_EQUAL(r.verdict, VERDICT_PASS);
	CU_ASSERT_EQUAL(r.requirement_count, 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(r.reason, "in part"));
	CU_ASSERT_EQUAL(of_case(c, NULL, 0).verdict, VERDICT_SKIP);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(of_case(c, NULL, 0).reason, "needs an agent"));
	c.excused = true;
	CU_ASSERT_EQUAL(of_case(c, held, 1).verdict, VERDICT_SKIP);
}

/* The same where the agent cannot report something; but what the case
 * presupposes is no part of it, and has to be known. */
static void what_the_agent_cannot_report_is_left_out(void)
{
	struct judgement held[] = {
		{.req = REQ_INDEX_MPA_4_3_18, .ok = true, .given = true},
		{.req = REQ_INDEX_MPA_4_1_05, .ok = true}};
	struct ended_case c = {.unjudged = "a failed startup"};
	struct result r = of_case(c, held, 2);

	CU_ASSERT_EQUAL(r.verdict, VERDICT_PASS);
	CU_ASSERT_STRING_EQUAL(r.reason,
			       "in part; the rest is unknown: the agent cannot "
			       "report a failed startup");
	CU_ASSERT_EQUAL(of_case(c, held, 1).verdict, VERDICT_SKIP);
	CU_ASSERT_EQUAL(of_case(c, NULL, 0).verdict, VERDICT_SKIP);
	c.presumed = true;
	CU_ASSERT_EQUAL(of_case(c, held, 2).verdict, VERDICT_SKIP);
}

/* Only a MUST that a line of its own breaks, on octets that it could read, is a
 * cause that a founding case names. */
static void a_founding_case_names_no_other_cause(void)
{
	struct ended_case founding = {.founds = true};
	struct judgement should[] = {
		{.req = REQ_INDEX_MPA_4_3_02, .by_model = true},
		{.req = REQ_INDEX_MPA_8_02, .kind = REQ_KIND_should},
	};
	struct judgement adrift[] = {
		{.req = REQ_INDEX_MPA_4_3_02, .by_model = true},
		{.req = REQ_INDEX_MPA_4_1_05, .adrift = true},
	};
	struct result r = of_case(founding, should, UNIT_COUNT(should));

	CU_ASSERT_EQUAL(r.verdict, VERDICT_FAIL);
	CU_ASSERT_STRING_EQUAL(r.signature, "MPA-4.3-02 MPA-8-02");
	r = of_case(founding, adrift, UNIT_COUNT(adrift));
	CU_ASSERT_STRING_EQUAL(r.signature, "MPA-4.3-02");
	CU_ASSERT_STRING_EQUAL(r.consequences, "MPA-4.1-05");
}

/* A circle needs a first MUST: a SHOULD and a line read adrift are none. */
static void the_first_must_is_the_cause(void)
{
	struct judgement j[] = {
		{.req = REQ_INDEX_MPA_8_02, .kind = REQ_KIND_should},
		{.req = REQ_INDEX_MPA_4_3_18, .adrift = true},
		{.req = REQ_INDEX_RDMAP_4_8_31, .by_model = true},
		{.req = REQ_INDEX_RDMAP_5_2_1_16,
		 .missing = true,
		 .ground = true},
		{.req = REQ_INDEX_MPA_4_1_05, .missing = true},
	};
	struct result r = of(j, UNIT_COUNT(j));

	CU_ASSERT_EQUAL(r.verdict, VERDICT_FAIL);
	CU_ASSERT_STRING_EQUAL(r.consequences,
			       "MPA-4.1-05 MPA-4.3-18 RDMAP-5.2.1-16");
	CU_ASSERT_STRING_EQUAL(r.signature, "MPA-8-02 RDMAP-4.8-31");
}

/* A ground that another objection of the model precedes is not its
 * consequence: only a Terminate for no error accounts for a ground. */
static void only_a_terminate_accounts_for_a_ground(void)
{
	struct judgement j[] = {
		{.req = REQ_INDEX_MPA_4_3_02, .by_model = true},
		{.req = REQ_INDEX_RDMAP_5_2_1_16,
		 .missing = true,
		 .ground = true},
	};

	/* Of two objections neither accounts for the other. */
	struct judgement model[] = {
		{.req = REQ_INDEX_RDMAP_4_8_31, .by_model = true},
		{.req = REQ_INDEX_MPA_4_3_02, .by_model = true},
	};

	CU_ASSERT_EQUAL(of(j, UNIT_COUNT(j)).broken_count, 2);
	CU_ASSERT_EQUAL(of(model, UNIT_COUNT(model)).broken_count, 2);
}

/* Two texts under one requirement are two things. */
static void another_text_is_said_too(void)
{
	struct judgement j[] = {
		{.req = REQ_INDEX_MPA_4_1_05},
		{.req = REQ_INDEX_MPA_4_1_05, .text = "due:  this\nseen: it"},
		{.req = REQ_INDEX_MPA_4_3_18, .ok = true},
	};
	struct result r = of(j, UNIT_COUNT(j));

	CU_ASSERT_EQUAL(times(r.detail, "MPA-4.1-05 MUST"), 2);
	CU_ASSERT_EQUAL(times(r.detail, "seen: it"), 1);
	CU_ASSERT_EQUAL(times(r.detail, "MPA-4.3-18"), 0);
	CU_ASSERT_EQUAL(r.broken_count, 1);
}

/* What a permission allows says nothing of the rest. */
static void only_what_binds_is_judged_in_part(void)
{
	struct judgement may[] = {{.req = REQ_INDEX_MPA_4_1_05,
				   .kind = REQ_KIND_may,
				   .ok = true}};
	struct judgement should[] = {{.req = REQ_INDEX_MPA_8_02,
				      .kind = REQ_KIND_should,
				      .ok = true}};
	struct ended_case c = {.unjudged = "a failed startup"};

	CU_ASSERT_EQUAL(of_case(c, may, 1).verdict, VERDICT_SKIP);
	CU_ASSERT_EQUAL(of_case(c, should, 1).verdict, VERDICT_PASS);
	/* Without an agent, the steps that lead up to it count, too. */
	c.alone = c.presumed = true;
	should[0].given = true;
	CU_ASSERT_EQUAL(of_case(c, should, 1).verdict, VERDICT_PASS);
}

/* A SHOULD that was not followed was seen: nothing else may hide it. */
static void a_warning_is_not_hidden(void)
{
	struct judgement j[] = {
		{.req = REQ_INDEX_MPA_8_02, .kind = REQ_KIND_should}};
	struct judgement also_held[] = {
		{.req = REQ_INDEX_MPA_8_02, .kind = REQ_KIND_should},
		{.req = REQ_INDEX_MPA_4_1_05, .ok = true}};
	struct result r = of_case((struct ended_case){.unjudged = "a CRC"}, j,
				  UNIT_COUNT(j));

	CU_ASSERT_EQUAL(r.verdict, VERDICT_WARN);
	CU_ASSERT_FALSE(r.unseen);
	r = of_case((struct ended_case){.blocked_by = "d/e/f"}, j,
		    UNIT_COUNT(j));
	CU_ASSERT_EQUAL(r.verdict, VERDICT_WARN);
	CU_ASSERT_PTR_NULL(r.blocked_by);
	r = of_case((struct ended_case){.skipped = true}, j, UNIT_COUNT(j));
	CU_ASSERT_EQUAL(r.verdict, VERDICT_SKIP);
	CU_ASSERT_STRING_EQUAL(r.signature, "");
	r = of_case((struct ended_case){.unjudged = "a CRC", .skipped = true},
		    also_held, UNIT_COUNT(also_held));
	CU_ASSERT_EQUAL(r.verdict, VERDICT_SKIP);
	CU_ASSERT_EQUAL(r.broken_count, 0);
}

static void names_are_read_back(void)
{
	for (enum verdict v = 0; v <= VERDICT_COUNT; v++) {
		CU_ASSERT_EQUAL(!*verdict_name(v), v == VERDICT_COUNT);
		CU_ASSERT_EQUAL(verdict_named(verdict_name(v)), v);
	}
	for (enum teardown t = 0; t <= TEARDOWN_COUNT; t++) {
		CU_ASSERT_EQUAL(!*teardown_name(t), t == TEARDOWN_COUNT);
		CU_ASSERT_EQUAL(teardown_named(teardown_name(t)), t);
	}
	for (enum result_event_kind k = 0; k <= EVENT_KIND_COUNT; k++) {
		CU_ASSERT_EQUAL(!*event_kind_name(k), k == EVENT_KIND_COUNT);
		CU_ASSERT_EQUAL(event_kind_named(event_kind_name(k)), k);
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"missing", what_never_came_follows},
		{"the same is said once", the_same_is_said_once},
		{"what is outweighed", what_is_outweighed_follows},
		{"the model, where a founding case names the cause",
		 the_model_follows_what_a_founding_case_names},
		{"what is read adrift", what_is_read_adrift_follows},
		{"seen", what_was_seen_does_not},
		{"Terminate", a_terminate_tells_what_was_refused},
		{"a cause", a_failure_has_a_cause},
		{"a founding case names no other cause",
		 a_founding_case_names_no_other_cause},
		{"the first MUST is the cause", the_first_must_is_the_cause},
		{"only a Terminate accounts for a ground",
		 only_a_terminate_accounts_for_a_ground},
		{"another text is said, too", another_text_is_said_too},
		{"only what binds is judged in part",
		 only_what_binds_is_judged_in_part},
		{"a warning is not hidden", a_warning_is_not_hidden},
		{"a requirement names its document",
		 a_requirement_names_its_document},
		{"names are read back", names_are_read_back},
		{"needs an agent", what_needs_an_agent_is_left_out},
		{"the agent cannot report it",
		 what_the_agent_cannot_report_is_left_out},
	};

	observe_log = observe_new();
	return unit_run("verdict", tests, UNIT_COUNT(tests));
}
