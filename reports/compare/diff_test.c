/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/compare/diff.h"

#include <stdlib.h>
#include <string.h>

#include "harness/unit.h"
#include "reports/compare/choice.h"
#include "reports/compare/diff_write.h"
#include "reports/sample.h"

static struct result_broken one[] = {
	{"MPA-8-02", "MUST", "RFC 5044 s8", "s", "due: a\nseen: b", "", false}};
static struct result_broken two[] = {
	{"MPA-8-02", "MUST", "RFC 5044 s8", "s", "due: a\nseen: b", "", false},
	{"MPA-4.4-14", "MUST", "RFC 5044 s4.4", "s", "t", "", true}};

static struct result a_case(enum verdict v)
{
	return (struct result){.id = "a/a",
			       .title = "t",
			       .verdict = v,
			       .level = "MUST",
			       .role = "",
			       .detail = v == VERDICT_FAIL ? "d" : "",
			       .reason = "r",
			       .broken = v == VERDICT_FAIL ? one : NULL,
			       .broken_count = v == VERDICT_FAIL};
}

static struct run_result of(const struct result *r)
{
	struct run_result run = empty();

	run.results = r;
	run.count = run.planned = r ? 1 : 0;
	run.exit_status = 0;
	run.note = "";
	if (r)
		run.totals[r->verdict]++;
	return run;
}

/* The only difference; DIFF_KINDS: none. */
static enum diff_kind kind_of(const struct run_result *was,
			      const struct run_result *is)
{
	struct diff d;
	enum diff_kind kind = DIFF_KINDS;

	CU_ASSERT_FATAL(diff_runs(was, is, &d));
	CU_ASSERT(d.case_count <= 1);
	if (d.case_count)
		kind = d.cases[0].kind;
	CU_ASSERT_EQUAL(d.case_count + d.same, was->count || is->count);
	CU_ASSERT_EQUAL(diff_regresses(&d), kind == DIFF_REGRESSION);
	diff_free(&d);
	return kind;
}

/* Each verdict to each: . the same, R regression, M fixed, F failing
 * otherwise, V another verdict. */
static void verdicts_are_compared(void)
{
	static const char *const due[VERDICT_COUNT] = {
		/* to  PASS FAIL WARN INFO SKIP XFAIL ERROR BLOCKED */
		[VERDICT_PASS] = ".RVVRVRR",  [VERDICT_FAIL] = "M.MMVVFF",
		[VERDICT_WARN] = "VR.VVVRR",  [VERDICT_INFO] = "VRV.VVRR",
		[VERDICT_SKIP] = "VVVV.VVV",  [VERDICT_XFAIL] = "MRMMV.RR",
		[VERDICT_ERROR] = "MFMMVV.F", [VERDICT_BLOCKED] = "MFMMVVF.",
	};
	static const char letters[] = {'R', 'M', 'F', 'N', 'G', 'V', 'C', '.'};

	for (int from = 0; from < VERDICT_COUNT; from++)
		for (int to = 0; to < VERDICT_COUNT; to++) {
			struct result a = a_case((enum verdict)from);
			struct result b = a_case((enum verdict)to);
			struct run_result was = of(&a), is = of(&b);

			CU_ASSERT_EQUAL(letters[kind_of(&was, &is)],
					due[from][to]);
		}
}

static void what_is_broken_is_compared(void)
{
	struct result a = a_case(VERDICT_FAIL), b = a;
	struct run_result was = of(&a), is = of(&b);

	b.broken = two;
	b.broken_count = 2;
	CU_ASSERT_EQUAL(kind_of(&was, &is), DIFF_REGRESSION);
	CU_ASSERT_EQUAL(kind_of(&is, &was), DIFF_FAILURE);
	b.broken_count = 1;
	CU_ASSERT_EQUAL(kind_of(&was, &is), DIFF_KINDS);
}

static void what_is_gone_is_compared_with_what_was_selected(void)
{
	struct result a = a_case(VERDICT_PASS), f = a_case(VERDICT_FAIL);
	struct run_result was = of(&a), none = of(NULL), failed = of(&f);

	was.selectors = none.selectors = nasty_selectors;
	was.selector_count = none.selector_count = 1;
	CU_ASSERT_EQUAL(kind_of(&was, &none), DIFF_REGRESSION);
	none.link = "raw";
	CU_ASSERT_EQUAL(kind_of(&was, &none), DIFF_GONE);
	none.link = was.link;
	none.selector_count = 0;
	CU_ASSERT_EQUAL(kind_of(&was, &none), DIFF_GONE);
	CU_ASSERT_EQUAL(kind_of(&none, &failed), DIFF_NEW);
	CU_ASSERT_EQUAL(kind_of(&none, &was), DIFF_NEW);
}

static void warnings_count_where_it_is_strict(void)
{
	struct result a = a_case(VERDICT_PASS), b = a_case(VERDICT_WARN);
	struct run_result was = of(&a), is = of(&b);

	CU_ASSERT_EQUAL(kind_of(&was, &is), DIFF_VERDICT);
	is.strict = was.strict = true;
	CU_ASSERT_EQUAL(kind_of(&was, &is), DIFF_REGRESSION);
	CU_ASSERT_EQUAL(kind_of(&is, &was), DIFF_FIXED);
}

static void known_blocks_are_no_failures(void)
{
	struct result a = a_case(VERDICT_PASS), b = a_case(VERDICT_BLOCKED);
	struct run_result was = of(&a), is = of(&b);

	b.block_known = true;
	CU_ASSERT_EQUAL(kind_of(&was, &is), DIFF_VERDICT);
	b.block_known = false;
	CU_ASSERT_EQUAL(kind_of(&was, &is), DIFF_REGRESSION);
}

static void choices_are_compared(void)
{
	struct result a = a_case(VERDICT_INFO), b = a;
	struct run_result was = of(&a), is = of(&b);

	a.detail =
		"X-1-01 MAY (RFC 1 s1): s\n  it did: x (seen: 94429927358467 "
		"(0x55e22e46c003)) [00 01]\n";
	b.detail =
		"X-1-01 MAY (RFC 1 s1): s\n  it did: x (seen: 94105000816643 "
		"(0x559687253003)) [00 02]\n";
	CU_ASSERT_EQUAL(kind_of(&was, &is), DIFF_KINDS);
	b.detail = "X-1-01 MAY (RFC 1 s1): s\n  it did not: x\n";
	CU_ASSERT_EQUAL(kind_of(&was, &is), DIFF_CHOICE);
}

static void a_choice_is(const char *detail, const char *due)
{
	struct result r = a_case(VERDICT_INFO);

	r.detail = detail;

	char *text = choice_of(&r);

	CU_ASSERT_STRING_EQUAL(text, due);
	free(text);
}

static void choices_are_what_was_seen(void)
{
	a_choice_is("", "");
	a_choice_is("A\n  it did: x (seen: so it is)\nB\n  it did: x\n"
		    "C\n  it did: x (seen: as expected)\n",
		    "it did: x\n");
	a_choice_is("A\n  x (one of 2 outcomes allowed) [00 1f ... (9 octets)]",
		    "x\n");
	a_choice_is("A\n  y (reading abc), then FIN\n", "y, then FIN\n");
	a_choice_is("A\n  MSN 3 (0x3), TO 4294967296 (0x100000000)",
		    "MSN 3 (0x3), TO (an address or key)\n");
	a_choice_is("A\n  code 0x0007, STag 0x00100203",
		    "code 0x0007, STag (an address or key)\n");
	a_choice_is("A\n  [not octets] (one of\n", "[not octets] (one of\n");
	a_choice_is("A\n  [", "[\n");
}

static void the_runs_are_compared_first(void)
{
	struct result a = a_case(VERDICT_PASS), b = a;
	struct run_result was = of(&a), is = of(&b);
	struct diff d;

	is.device_impl = "other";
	is.identity_count = 1;
	is.readings = NULL;
	is.reading_count = 0;
	is.claim_count = 1;
	CU_ASSERT_FATAL(diff_runs(&was, &is, &d));
	CU_ASSERT_EQUAL_FATAL(d.fact_count, 2);
	CU_ASSERT_STRING_EQUAL(d.facts[0].what, "implementation");
	CU_ASSERT_STRING_EQUAL(d.facts[0].is, "other");
	CU_ASSERT_STRING_EQUAL(d.facts[1].what, "firmware");
	CU_ASSERT_STRING_EQUAL(d.facts[1].is, "");
	CU_ASSERT_EQUAL_FATAL(d.claim_count, 2);
	CU_ASSERT_STRING_EQUAL(d.claims[0].what, "max-ird");
	CU_ASSERT_STRING_EQUAL(d.claims[1].was, "a reading in force");
	CU_ASSERT_FALSE(diff_regresses(&d));
	diff_free(&d);
}

static void a_new_finding_is_a_regression(void)
{
	struct run_result was = with_finding(), is = was;
	static const char *const other[] = {"the device crashed: again\n  x"};
	struct diff d;

	CU_ASSERT_FATAL(diff_runs(&was, &is, &d));
	CU_ASSERT_FALSE(diff_regresses(&d));
	diff_free(&d);
	is.findings = other;
	CU_ASSERT_FATAL(diff_runs(&was, &is, &d));
	CU_ASSERT(diff_regresses(&d));
	diff_free(&d);
}

/* --- as a document ----------------------------------------------------------- */

static char *written(enum document_format format)
{
	struct run_result was = with_finding(), is = empty();
	struct diff d;
	struct diff_report r = {&d, format};
	struct report_options options = {0};
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	is.selectors = was.selectors;
	CU_ASSERT_FATAL(diff_runs(&is, &was, &d));
	CU_ASSERT_EQUAL(diff_write(&r, &options, out), 0);
	fclose(out);
	diff_free(&d);
	CU_ASSERT_EQUAL(strlen(text), n);
	return text;
}

/* Lines for a terminal: of its width where there are blanks, and no octet that
 * would move its cursor. */
static void text_is_for_a_terminal(void)
{
	char *text = written(DOCUMENT_TEXT);

	for (const char *p = text; *p; p++)
		CU_ASSERT(*p == '\n' || *p == '\t' || (unsigned char)*p >= ' ');
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "New findings without a case"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "mpa/crc/fail"));
	free(text);
}

static void markdown_takes_no_markup(void)
{
	char *text = written(DOCUMENT_MARKDOWN);

	CU_ASSERT_PTR_NULL(strstr(text, "<&>"));
	CU_ASSERT_PTR_NULL(strstr(text, "\x1b"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "`mpa/crc/fail`"));
	free(text);
}

static void html_takes_no_markup(void)
{
	char *text = written(DOCUMENT_HTML);

	CU_ASSERT_PTR_NULL(strstr(text, "<&>"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "&lt;&amp;&gt;"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "</html>"));
	free(text);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"verdicts are compared", verdicts_are_compared},
		{"what is broken is compared", what_is_broken_is_compared},
		{"what is gone",
		 what_is_gone_is_compared_with_what_was_selected},
		{"warnings count where it is strict",
		 warnings_count_where_it_is_strict},
		{"known blocks are no failures", known_blocks_are_no_failures},
		{"choices are compared", choices_are_compared},
		{"choices are what was seen", choices_are_what_was_seen},
		{"the runs are compared first", the_runs_are_compared_first},
		{"a new finding is a regression",
		 a_new_finding_is_a_regression},
		{"text is for a terminal", text_is_for_a_terminal},
		{"markdown takes no markup", markdown_takes_no_markup},
		{"html takes no markup", html_takes_no_markup},
	};

	return unit_run("diff", tests, UNIT_COUNT(tests));
}
