/* SPDX-License-Identifier: BSD-2-Clause */
/* What could not be judged for want of something else, in every format. */
#include "reports/sample.h"

#include <libxml/parser.h>
#include <libxml/xpath.h>

static struct result_broken cause[] = {
	{.requirement = "RDMAP-5.3-02",
	 .level = "MUST",
	 .section = "RFC 5040 s5.3",
	 .statement = "Each Send uses one receive buffer.",
	 .text = "due:  a\nseen: b",
	 .known = ""},
};
static struct result_broken other[] = {
	{.requirement = "MPA-4.4-14",
	 .level = "MUST NOT",
	 .section = "RFC 5044 s4.4",
	 .statement = "A wrong CRC.",
	 .text = "due:  c\nseen: d",
	 .known = ""},
};

#define ONE(name, v, ...)                                                      \
	{                                                                      \
		.id = name, .title = "t", .verdict = v, .level = "MUST",       \
		.requirements = one_id, .requirement_count = 1,                \
		.role = "responder", .signature = "", __VA_ARGS__              \
	}

static const struct result results[] = {
	ONE("foundations/a/send", VERDICT_FAIL, .detail = "d", .reason = "",
	    .broken = cause, .broken_count = 1),
	ONE("foundations/a/write", VERDICT_XFAIL, .detail = "d",
	    .reason = "known"),
	ONE("mpa/crc/fails", VERDICT_FAIL, .detail = "d", .reason = "",
	    .broken = other, .broken_count = 1),
	ONE("rdmap/x/first", VERDICT_BLOCKED, .detail = "",
	    .reason = "it rests on sends", .blocked_by = "foundations/a/send"),
	ONE("rdmap/x/second", VERDICT_BLOCKED, .detail = "",
	    .reason = "it rests on sends", .blocked_by = "foundations/a/send"),
	ONE("rdmap/x/third", VERDICT_BLOCKED, .detail = "",
	    .reason = "it rests on writes", .blocked_by = "foundations/a/write",
	    .block_known = true),
};

static struct run_result run_of(void)
{
	struct run_result run = nasty;

	memset(run.totals, 0, sizeof(run.totals));
	run.totals[VERDICT_FAIL] = 2;
	run.totals[VERDICT_XFAIL] = 1;
	run.totals[VERDICT_BLOCKED] = 3;
	run.results = results;
	run.count = run.planned = UNIT_COUNT(results);
	return run;
}

static char *written(const char *format)
{
	struct run_result run = run_of();

	return report(format, &run, (struct report_options){0});
}

static void json_names_the_cause(void)
{
	char *text = written("json");

	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"blocked\": 3"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "\"blocked_by\": \"foundations/a/send\""));
	free(text);
}

static void count_is(xmlXPathContext *x, const char *what, double due)
{
	xmlXPathObject *o = xmlXPathEvalExpression(BAD_CAST what, x);

	CU_ASSERT_PTR_NOT_NULL_FATAL(o);
	CU_ASSERT_EQUAL(xmlXPathCastToNumber(o), due);
	xmlXPathFreeObject(o);
}

static void junit_has_an_error_unless_it_is_known(void)
{
	char *text = written("junit");
	xmlDoc *doc = xmlReadMemory(text, (int)strlen(text), NULL, NULL, 0);
	xmlXPathContext *x = xmlXPathNewContext(doc);

	count_is(x, "number(/testsuites/@errors)", 2);
	count_is(x, "count(//testcase/error[@type='blocked'])", 2);
	count_is(x, "number(/testsuites/@skipped)", 2);
	count_is(x, "count(//testcase[@name='third']/skipped)", 1);
	xmlXPathFreeContext(x);
	xmlFreeDoc(doc);
	free(text);
}

static void tap_does_not_pass_it(void)
{
	char *text = written("tap");

	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\nnot ok 4 - rdmap/x/first\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\nnot ok 6 - rdmap/x/third # TODO "
					    "it rests on writes\n"));
	free(text);
}

/* Although MPA comes before it by section. */
static void summary_leads_with_what_blocks(void)
{
	char *text = written("summary");
	const char *cause_at = strstr(text, "RDMAP-5.3-02 MUST");
	const char *rest = strstr(text, "2 cases rest on it and are BLOCKED");
	const char *other_at = strstr(text, "MPA-4.4-14 MUST NOT");

	CU_ASSERT_PTR_NOT_NULL_FATAL(cause_at);
	CU_ASSERT_PTR_NOT_NULL_FATAL(rest);
	CU_ASSERT_PTR_NOT_NULL_FATAL(other_at);
	CU_ASSERT(cause_at < rest && rest < other_at);
	free(text);
}

/* As `run rdmap/...` has it: the cause is named, though not reported. */
static void summary_names_a_cause_that_was_not_selected(void)
{
	struct run_result run = run_of();

	run.results += 3;
	run.count = run.planned = 3;
	char *text = report("summary", &run, (struct report_options){0});

	CU_ASSERT_PTR_NOT_NULL(strstr(
		text, "\nBLOCKED by foundations/a/send, which is not among the "
		      "cases selected: 2\n"));
	free(text);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"JSON names the cause", json_names_the_cause},
		{"JUnit has an error, unless it is known",
		 junit_has_an_error_unless_it_is_known},
		{"TAP does not pass it", tap_does_not_pass_it},
		{"the summary names a cause that was not selected",
		 summary_names_a_cause_that_was_not_selected},
		{"the summary leads with what blocks",
		 summary_leads_with_what_blocks},
	};

	return unit_run("reports of what is blocked", tests, UNIT_COUNT(tests));
}
