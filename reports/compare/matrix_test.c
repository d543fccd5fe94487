/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/compare/matrix.h"

#include <stdlib.h>
#include <string.h>

#include "harness/unit.h"
#include "reports/compare/groups.h"
#include "reports/compare/matrix_write.h"
#include "reports/compare/names.h"
#include "reports/sample.h"
#include "reports/text/plain.h"

#define CASES 28

struct device {
	struct run_result run;
	struct result cases[CASES];
};

/* The cases of one, in the order of their ids. */
static void add(struct device *d, const char *id, enum verdict v,
		const char *text)
{
	bool reason = v == VERDICT_SKIP || v == VERDICT_XFAIL;

	d->run.results = d->cases;
	d->run.planned = d->run.count + 1;
	d->run.totals[v]++;
	d->cases[d->run.count++] =
		(struct result){.id = id,
				.title = "t",
				.verdict = v,
				.level = "MUST",
				.role = "",
				.requirements = one_id,
				.requirement_count = 1,
				.detail = reason ? "" : text,
				.reason = reason ? text : ""};
}

static struct device a_device(const char *name)
{
	struct device d = {.run = empty()};

	d.run.device_name = name;
	return d;
}

/* Sends only this RTR; as responder accepts only that one. */
static void has_rtrs(struct device *d, int takes, int sends)
{
	static const char *const received[] = {
		"mpa/rtr_received/read_rtr_is_answered",
		"mpa/rtr_received/send_rtr_is_accepted",
		"mpa/rtr_received/write_rtr_is_accepted/0"};
	static const char *const sent[] = {"mpa/rtr_sent/read_is_the_rtr",
					   "mpa/rtr_sent/send_is_the_rtr",
					   "mpa/rtr_sent/write_is_the_rtr"};

	for (int i = 0; i < 3; i++)
		add(d, received[i], i == takes ? VERDICT_PASS : VERDICT_SKIP,
		    i == takes ? "" : "the device does not claim rtr-x");
	for (int i = 0; i < 3; i++)
		add(d, sent[i], i == sends ? VERDICT_PASS : VERDICT_SKIP,
		    i == sends ? "" : "the device does not claim rtr-x");
}

static size_t pairs(const struct device *a, const struct device *b,
		    struct pair *first)
{
	const struct run_result *runs[] = {&a->run, &b->run};
	struct pair *all;
	size_t n;

	CU_ASSERT_FATAL(pairs_of(runs, 2, &all, &n));
	if (n)
		*first = all[0];
	free(all);
	return n;
}

static void rtrs_have_to_meet(void)
{
	struct device a = a_device("a"), b = a_device("b");
	struct device untold = a_device("c");
	struct pair p;

	has_rtrs(&a, 1, 1);
	has_rtrs(&b, 2, 2);
	CU_ASSERT_EQUAL_FATAL(pairs(&a, &b, &p), 2);
	CU_ASSERT_STRING_EQUAL(p.about, "RTRs");
	CU_ASSERT(p.one_initiates);
	CU_ASSERT_STRING_EQUAL(p.shows->id, "mpa/rtr_sent/send_is_the_rtr");
	CU_ASSERT_STRING_EQUAL(p.other_shows->id,
			       "mpa/rtr_received/send_rtr_is_accepted");
	/* With itself it would do. */
	CU_ASSERT_EQUAL(pairs(&a, &a, &p), 0);
	/* A form that is not mentioned may be there. */
	has_rtrs(&untold, 2, 2);
	untold.cases[1].reason = "may bring a device down";
	CU_ASSERT_EQUAL(pairs(&a, &untold, &p), 1);
	CU_ASSERT_EQUAL(p.one, 1);
}

static void both_cases_have_to_show_it(void)
{
	struct device a = a_device("a"), b = a_device("b");
	struct pair p;

	add(&a, "mpa/full_operation/markers_asked_for_have_to_come",
	    VERDICT_PASS, "");
	add(&b, "mpa/markers_sent/an_initiator_can_send_markers", VERDICT_FAIL,
	    "d");
	CU_ASSERT_EQUAL_FATAL(pairs(&a, &b, &p), 1);
	CU_ASSERT_STRING_EQUAL(p.about, "markers");
	CU_ASSERT_EQUAL(p.one, 0);
	CU_ASSERT_FALSE(p.one_initiates);
	b.cases[0].verdict = VERDICT_SKIP;
	CU_ASSERT_EQUAL(pairs(&a, &b, &p), 0);
	b.cases[0].verdict = VERDICT_XFAIL;
	CU_ASSERT_EQUAL(pairs(&a, &b, &p), 1);
	a.cases[0].verdict = VERDICT_FAIL;
	CU_ASSERT_EQUAL(pairs(&a, &b, &p), 0);
	/* A warning that is about something else. */
	a = a_device("a");
	add(&a, "mpa/full_operation/markers_asked_for_have_to_come@initiator",
	    VERDICT_PASS, "");
	b = a_device("b");
	add(&b, "mpa/markers_sent/a_responder_can_send_markers", VERDICT_WARN,
	    "something");
	CU_ASSERT_EQUAL(pairs(&a, &b, &p), 0);
	b.cases[0].detail = "the device's Reply: the R flag is wrong";
	CU_ASSERT_EQUAL(pairs(&a, &b, &p), 1);
}

static void two_are_asked_where_one_is_not_enough(void)
{
	struct device a = a_device("a"), b = a_device("b");
	struct pair p;

	add(&a, "mpa/enhanced/initiator_may_fall_back", VERDICT_INFO,
	    "X\n  it did: an error for the ULP\n");
	add(&a, "mpa/startup/plain_request_is_revision_one", VERDICT_SKIP,
	    "the agent cannot do it: connect: unsupported mpa");
	add(&b, "mpa/enhanced/enhanced_request_gets_an_enhanced_reply",
	    VERDICT_SKIP, "the device does not claim mpa-v2");
	CU_ASSERT_EQUAL_FATAL(pairs(&a, &b, &p), 1);
	CU_ASSERT_STRING_EQUAL(p.about, "enhanced startup");
	a.cases[0].detail = "X\n  it did: a plain Request\n";
	CU_ASSERT_EQUAL(pairs(&a, &b, &p), 0);
}

/* Whatever the facts about pairs rest on, in the order of their ids. */
static const char *const asked[] = {
	"mpa/crc/a_reply_asks_for_crcs_by_default",
	"mpa/crc/a_request_asks_for_crcs_by_default",
	"mpa/crc/crc_is_supported",
	"mpa/crc/crc_is_supported@initiator",
	"mpa/crc/crcs_are_checked_if_only_the_device_wants_them",
	"mpa/crc/crcs_are_checked_if_only_the_device_wants_them@initiator",
	"mpa/enhanced/enhanced_request_gets_an_enhanced_reply",
	"mpa/enhanced/enhanced_request_is_marked",
	"mpa/enhanced/initiator_may_fall_back",
	"mpa/enhanced/plain_request_gets_a_plain_reply",
	"mpa/full_operation/markers_asked_for_have_to_come",
	"mpa/full_operation/markers_asked_for_have_to_come@initiator",
	"mpa/markers_sent/a_responder_can_send_markers",
	"mpa/markers_sent/an_initiator_can_send_markers",
	"mpa/private_data/largest_private_data_of_a_reply",
	"mpa/private_data/largest_private_data_of_a_request",
	"mpa/private_data/reply_carries_private_data/512",
	"mpa/private_data/request_carries_private_data/512",
	"mpa/rtr_negotiation/client_server_reply_to_peer_to_peer",
	"mpa/rtr_negotiation/responder_echoes_a",
	"mpa/rtr_received/read_rtr_is_answered",
	"mpa/rtr_received/send_rtr_is_accepted",
	"mpa/rtr_received/write_rtr_is_accepted/0",
	"mpa/rtr_sent/read_is_the_rtr",
	"mpa/rtr_sent/send_is_the_rtr",
	"mpa/rtr_sent/write_is_the_rtr",
	"mpa/startup/plain_request_is_revision_one",
};

/* Nothing is known about a device that was not asked. */
static void a_case_that_was_not_judged_leaves_a_pair_open(void)
{
	size_t n = sizeof(asked) / sizeof(asked[0]);
	struct device whole = a_device("a"), part = a_device("b");

	for (size_t i = 0; i < n; i++)
		add(&whole, asked[i], VERDICT_FAIL, "d");
	CU_ASSERT_FALSE(pairs_are_open(&whole.run));
	for (size_t i = 0; i < n; i++) {
		whole.cases[i].verdict = VERDICT_BLOCKED;
		CU_ASSERT(pairs_are_open(&whole.run));
		whole.cases[i].verdict = VERDICT_ERROR;
		CU_ASSERT(pairs_are_open(&whole.run));
		whole.cases[i].verdict = VERDICT_SKIP;
	}
	CU_ASSERT_FALSE(pairs_are_open(&whole.run));
	for (size_t i = 1; i < n; i++)
		add(&part, asked[i], VERDICT_PASS, "");
	CU_ASSERT(pairs_are_open(&part.run));
}

static void devices_stand_side_by_side(void)
{
	struct device a = a_device("a"), b = a_device("built-in device");
	const struct run_result *runs[] = {&a.run, &b.run};
	struct result_broken broken = {"MPA-4.4-14", "MUST", "",   "",
				       "t",          "",     false};
	struct matrix m;

	add(&a, "x/a", VERDICT_PASS, "");
	add(&a, "x/b", VERDICT_INFO, "X\n  it did: that\n");
	add(&b, "x/a", VERDICT_FAIL, "d");
	add(&b, "x/b", VERDICT_INFO, "X\n  it did not: that\n");
	add(&b, "x/c", VERDICT_PASS, "");
	b.cases[0].broken = &broken;
	b.cases[0].broken_count = 1;
	CU_ASSERT_FATAL(matrix_of(runs, 2, false, &m));
	/* The reference comes first. */
	CU_ASSERT(m.reference);
	CU_ASSERT_PTR_EQUAL(m.runs[0], &b.run);
	CU_ASSERT_EQUAL_FATAL(m.case_count, 3);
	CU_ASSERT_PTR_NULL(m.cases[2].of[1]);
	CU_ASSERT(matrix_case_differs(&m, &m.cases[0]));
	CU_ASSERT_FALSE(matrix_case_differs(&m, &m.cases[1]));
	/* Another has not run it. */
	CU_ASSERT_FALSE(matrix_case_differs(&m, &m.cases[2]));
	CU_ASSERT(matrix_choice_differs(&m, &m.cases[1]));
	CU_ASSERT_FALSE(matrix_choice_differs(&m, &m.cases[0]));
	CU_ASSERT_EQUAL_FATAL(m.requirement_count, 1);
	CU_ASSERT_EQUAL(m.requirements[0].of[0], VERDICT_FAIL);
	CU_ASSERT_EQUAL(m.requirements[0].of[1], VERDICT_PASS);
	CU_ASSERT(matrix_requirement_differs(&m, &m.requirements[0]));
	matrix_free(&m);
	CU_ASSERT_FATAL(matrix_of(runs, 2, true, &m));
	CU_ASSERT_PTR_EQUAL(m.runs[0], &a.run);
	matrix_free(&m);
}

/* Each pair once, all verdicts in the totals, and only what differs. */
static void the_page_says_who_with_whom(void)
{
	struct device a = a_device("Alpha"), b = a_device("Bravo");
	const struct run_result *runs[] = {&a.run, &b.run};
	const struct report_options options = {0};
	struct matrix m;
	char *text = NULL;
	size_t n;

	has_rtrs(&a, 1, 1);
	has_rtrs(&b, 2, 2);
	add(&a, "x/alike", VERDICT_INFO, "X\n  it did: that\n");
	add(&b, "x/alike", VERDICT_INFO, "X\n  it did: that\n");
	add(&a, "x/other", VERDICT_INFO, "X\n  it did: this\n");
	add(&b, "x/other", VERDICT_INFO, "X\n  it did: that\n");
	add(&a, "x/other@initiator", VERDICT_INFO, "X\n  it did: this\n");
	add(&b, "x/other@initiator", VERDICT_INFO, "X\n  it did: that\n");
	b.run.totals[VERDICT_BLOCKED] = 837;
	CU_ASSERT_FATAL(matrix_of(runs, 2, true, &m));
	for (size_t i = 0; i < m.case_count; i++)
		m.cases[i].captured[0] = true;

	const struct matrix_report r = {&m, DOCUMENT_HTML, NULL};
	FILE *out = open_memstream(&text, &n);

	CU_ASSERT_EQUAL(matrix_write(&r, &options, out), 0);
	fclose(out);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "837 blocked"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "<a href=\"#A-B\"><mark>2</mark></a>"));
	const char *reason = strstr(text, "id=\"A-B\"");

	CU_ASSERT_PTR_NOT_NULL_FATAL(reason);
	CU_ASSERT_PTR_NULL(strstr(reason + 1, "id=\"A-B\""));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "<span>B Bravo</span>"));
	CU_ASSERT_PTR_NULL(strstr(text, "x/alike"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "x/other, and @initiator: "));
	CU_ASSERT_PTR_NULL(strstr(text, "x/other@initiator: "));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "href=\"captures/A."));
	free(text);
	matrix_free(&m);
}

/* The runs of these devices as a document, to be freed. */
static char *written(const struct device *devices, size_t n,
		     enum document_format format)
{
	const struct run_result *runs[MATRIX_RUNS];
	const struct report_options options = {0};
	struct matrix m;
	char *text = NULL;
	size_t octets;

	for (size_t i = 0; i < n; i++)
		runs[i] = &devices[i].run;
	CU_ASSERT_FATAL(matrix_of(runs, n, true, &m));
	const struct matrix_report r = {&m, format, NULL};
	FILE *out = open_memstream(&text, &octets);

	CU_ASSERT_EQUAL(matrix_write(&r, &options, out), 0);
	fclose(out);
	matrix_free(&m);
	return text;
}

#define HAS(text, part)   CU_ASSERT_PTR_NOT_NULL(strstr(text, part))
#define LACKS(text, part) CU_ASSERT_PTR_NULL(strstr(text, part))

/* In an array: a device's run points to its cases. */
static void make(struct device *d, const char *name)
{
	*d = a_device(name);
}

/* Its numbers are not those of a device without a flaw. */
static void what_was_not_judged_is_counted(void)
{
	struct device d[2];
	char *text;

	make(&d[0], "Alpha");
	make(&d[1], "Bravo");
	add(&d[0], "x/a", VERDICT_PASS, "");
	add(&d[0], "x/b", VERDICT_PASS, "");
	add(&d[0], "x/c", VERDICT_SKIP, "s");
	add(&d[0], "y/a", VERDICT_SKIP, "s");
	add(&d[1], "x/a", VERDICT_BLOCKED, "");
	add(&d[1], "x/b", VERDICT_ERROR, "");
	add(&d[1], "x/c", VERDICT_FAIL, "d");
	add(&d[1], "y/a", VERDICT_PASS, "");
	text = written(d, 2, DOCUMENT_TEXT);
	HAS(text, " 0/2    1+2?/3\n");
	HAS(text, " -      0/1\nall ");
	HAS(text, " 0/2    1+2?/4\n");
	free(text);
	text = written(d, 2, DOCUMENT_HTML);
	HAS(text, "<td class=open><a href=\"#case-0\"><mark>1</mark>"
		  "<small>+2?</small><small>/3</small></a>");
	HAS(text, "<th scope=row id=\"case-0\">x/a");
	HAS(text, "<a href=\"#device-B\">");
	HAS(text, "id=\"device-B\"");
	free(text);
}

/* A failed case blames one requirement, and says nothing about the others. */
static void a_failed_case_leaves_other_requirements_open(void)
{
	struct result_broken broken = {"MPA-8-02", "MUST", "",   "",
				       "t",        "",     false};
	struct device d[3];
	char *text;

	for (int i = 0; i < 3; i++)
		make(&d[i], "Alpha");
	for (int i = 0; i < 2; i++) {
		add(&d[i], "x/a", i ? VERDICT_FAIL : VERDICT_PASS, "");
		d[i].cases[0].requirements = two_ids;
		d[i].cases[0].requirement_count = i ? 1 : 2;
	}
	d[1].cases[0].broken = &broken;
	d[1].cases[0].broken_count = 1;
	d[1].cases[0].requirements = two_ids + 1;
	d[0].cases[0].requirements = two_ids;
	add(&d[0], "x/b", VERDICT_WARN, "");
	add(&d[2], "x/b", VERDICT_PASS, "");
	d[0].cases[1].requirement_count = 0;
	text = written(d, 3, DOCUMENT_TEXT);
	HAS(text, "MPA-8-02 ");
	HAS(text, " PASS  FAIL  -\n");
	free(text);
	/* With a row that is shown for another reason. */
	d[2].cases[0].verdict = VERDICT_BLOCKED;
	text = written(d, 3, DOCUMENT_TEXT);
	HAS(text, " PASS  ?     BLOCK\n");
	HAS(text, "?: cases about it ran, but");
	free(text);
	text = written(d, 3, DOCUMENT_HTML);
	HAS(text, "<td class=open>?");
	HAS(text, "<td><a href=\"#case-0\"><b class=\"v fail\">");
	free(text);
}

/* Six times the same reasons are told once. */
static void equal_reasons_are_told_once(void)
{
	const struct run_result *runs[7];
	struct device d[7];
	struct group *groups;
	struct matrix m;
	size_t n;

	for (size_t i = 0; i < 7; i++) {
		make(&d[i], "d");
		has_rtrs(&d[i], i == 2 ? 2 : 1, i == 2 ? 2 : 1);
		runs[i] = &d[i].run;
	}
	CU_ASSERT_FATAL(matrix_of(runs, 7, true, &m));
	CU_ASSERT_FATAL(groups_of(&m, &groups, &n));
	CU_ASSERT_EQUAL_FATAL(n, 1);
	CU_ASSERT_EQUAL(groups[0].device, 2);
	CU_ASSERT_EQUAL(groups[0].others, 6);
	CU_ASSERT_EQUAL(groups[0].reason_count, 2);
	CU_ASSERT_PTR_EQUAL(group_find(groups, n, 6, 2), &groups[0]);
	CU_ASSERT_PTR_NULL(group_find(groups, n, 0, 1));
	free(groups);
	matrix_free(&m);

	char *text = written(d, 7, DOCUMENT_TEXT);

	HAS(text, "C d with A, B, D to G\n");
	free(text);
	/* A pair with another reason is a group of its own. */
	d[6].cases[5].reason = "does not claim rtr-y, either";
	d[6].cases[3].reason = d[6].cases[2].reason = d[6].cases[5].reason;
	text = written(d, 7, DOCUMENT_TEXT);
	HAS(text, "C d with A, B, D to F\n");
	HAS(text, "C d and G d\n");
	free(text);
}

static void equal_names_are_told_apart(void)
{
	static const struct result_identity one_of[] = {
		{"vendor", "V"}, {"firmware", "1.2"}, {"model", "x"}};
	static const struct result_identity other[] = {
		{"vendor", "V"}, {"firmware", "1.2"}, {"model", "y"}};
	static const struct result_identity newer[] = {
		{"vendor", "V"}, {"firmware", "1.3"}, {"model", "y"}};
	const struct result_identity *const of[] = {one_of, other, newer};
	const struct run_result *runs[6];
	struct names names;
	struct device d[6];
	struct matrix m;

	for (size_t i = 0; i < 6; i++) {
		make(&d[i], i < 5 ? "Same" : "A name that is long, but ends 7");
		d[i].run.identity = i < 3 ? of[i] : NULL;
		d[i].run.identity_count = i < 3 ? 3 : 0;
		runs[i] = &d[i].run;
	}
	CU_ASSERT_FATAL(matrix_of(runs, 6, true, &m));
	CU_ASSERT_FATAL(names_of(&m, &names));
	CU_ASSERT_STRING_EQUAL(names.lettered[0], "A Same, model x");
	CU_ASSERT_STRING_EQUAL(names.lettered[1], "B Same");
	CU_ASSERT_STRING_EQUAL(names.lettered[2], "C Same, firmware 1.3");
	CU_ASSERT_STRING_EQUAL(names.lettered[3], "D Same");
	CU_ASSERT_STRING_EQUAL(names.brief[5],
			       "F A name \xe2\x80\xa6long, but ends 7");
	names_free(&names);
	matrix_free(&m);

	char *text = written(d, 6, DOCUMENT_HTML);

	HAS(text, "<th scope=col title=\"C Same, firmware 1.3\"");
	HAS(text, "aria-label=\"F A name that is long, but ends 7\"");
	free(text);
}

#define LONG_ID                                                                \
	"mpa/a_case/of_a_name_that_is_as_long_as_a_line_of_a_terminal_and_"    \
	"more@initiator"

/* As many as there can be: every row has its title, and every column a head. */
static void many_devices_fit_on_a_terminal(void)
{
	struct device d[MATRIX_RUNS];
	char *text;

	for (size_t i = 0; i < MATRIX_RUNS; i++) {
		make(&d[i], "A device of some vendor, with many words");
		add(&d[i], LONG_ID, i % 2 ? VERDICT_FAIL : VERDICT_PASS, "d");
		add(&d[i], "sctp/b", VERDICT_BLOCKED, "");
	}
	text = written(d, MATRIX_RUNS, DOCUMENT_TEXT);

	const char *devices = strstr(text, "The devices\n  A: A device");

	CU_ASSERT_PTR_NOT_NULL_FATAL(devices);
	CU_ASSERT(devices < strstr(text, "Interoperability"));
	HAS(text, "\nA A device of some");
	HAS(text, "\nZ A device of some");
	HAS(text, "\nmpa     ");
	HAS(text, "\nall     ");
	HAS(text, "\n" LONG_ID "\n    ");
	for (const char *p = text; *p; p += strcspn(p, "\n") + 1)
		CU_ASSERT(strcspn(p, "\n") <= PLAIN_WIDTH ||
			  strncmp(p, LONG_ID, strlen(LONG_ID)) == 0);
	free(text);
}

static void no_format_takes_markup(void)
{
	struct run_result a = nasty, b = with_finding();
	const struct run_result *runs[] = {&a, &b};
	struct matrix m;

	CU_ASSERT_FATAL(matrix_of(runs, 2, false, &m));
	for (int f = DOCUMENT_TEXT; f <= DOCUMENT_HTML; f++) {
		struct matrix_report r = {&m, (enum document_format)f, NULL};
		struct report_options options = {0};
		char *text = NULL;
		size_t n;
		FILE *out = open_memstream(&text, &n);

		CU_ASSERT_EQUAL(matrix_write(&r, &options, out), 0);
		fclose(out);
		CU_ASSERT_EQUAL(strlen(text), n);
		CU_ASSERT_PTR_NULL(strstr(text, "\x1b"));
		if (f != DOCUMENT_TEXT)
			CU_ASSERT_PTR_NULL(strstr(text, "<&>"));
		free(text);
	}
	matrix_free(&m);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"rtrs have to meet", rtrs_have_to_meet},
		{"both cases have to show it", both_cases_have_to_show_it},
		{"two are asked where one is not enough",
		 two_are_asked_where_one_is_not_enough},
		{"a case that was not judged leaves a pair open",
		 a_case_that_was_not_judged_leaves_a_pair_open},
		{"devices stand side by side", devices_stand_side_by_side},
		{"the page says who with whom", the_page_says_who_with_whom},
		{"what was not judged is counted",
		 what_was_not_judged_is_counted},
		{"a failed case leaves other requirements open",
		 a_failed_case_leaves_other_requirements_open},
		{"equal reasons are told once", equal_reasons_are_told_once},
		{"equal names are told apart", equal_names_are_told_apart},
		{"many devices fit on a terminal",
		 many_devices_fit_on_a_terminal},
		{"no format takes markup", no_format_takes_markup},
	};

	return unit_run("matrix", tests, UNIT_COUNT(tests));
}
