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
		j[i].kind = REQ_KIND_must;
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
		{"needs an agent", what_needs_an_agent_is_left_out},
		{"the agent cannot report it",
		 what_the_agent_cannot_report_is_left_out},
	};

	observe_log = observe_new();
	return unit_run("verdict", tests, UNIT_COUNT(tests));
}
