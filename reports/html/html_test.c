/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libxml/HTMLparser.h>
#include <libxml/xpath.h>

#include "harness/crc/crc.h"
#include "harness/unit.h"
#include "reports/html/html.h"
#include "reports/html/page.h"
#include "reports/html/site.h"
#include "reports/publish/publish.h"
#include "reports/sample.h"

static char folder[] = "/tmp/html_test.XXXXXX";
static char why[512];

static const char *at(const char *name)
{
	static char path[2][512];
	static unsigned turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", folder, name);
	return path[turn];
}

static int publish(const struct run_result *run, const char *path)
{
	return report_publish(report_format_find("html"), run, false, path, why,
			      sizeof(why));
}

/* The file as text, for the caller to free(). */
static char *content(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(in);
	CU_ASSERT_FATAL(getdelim(&text, &size, '\0', in) > 0);
	fclose(in);
	return text;
}

static bool is_there(const char *path)
{
	return access(path, F_OK) == 0;
}

static size_t entries(const char *path)
{
	DIR *d = opendir(path);
	size_t n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static void remove_all(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s/*", folder);
	CU_ASSERT_EQUAL(system(command), 0);
}

/* ---- text ---- */

static char *as_text(void (*put)(FILE *, const char *), const char *s)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	put(out, s);
	fclose(out);
	return text;
}

static void text_is_never_markup(void)
{
	static const struct {
		const char *text, *page;
	} rows[] = {
		{"plain", "plain"},
		{"<script>&\"'", "&lt;script&gt;&amp;&quot;&#39;"},
		{"a\nb\t\x1b[1m\x7f", "a\\x0ab\\x09\\x1b[1m\\x7f"},
		{"\xff\xc3", "\\xff\\xc3"},
		{"\xc3\xa9 \xe2\x82\xac", "\xc3\xa9 \xe2\x82\xac"},
		/* The text that follows would be written from right to left. */
		{"a\xe2\x80\xae"
		 "b\xe2\x81\xa6"
		 "c",
		 "a\\u202eb\\u2066c"},
		{"\xe2\x80", "\\xe2\\x80"},
		{"", ""},
	};

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		char *text = as_text(page_text, rows[i].text);

		CU_ASSERT_STRING_EQUAL(text, rows[i].page);
		free(text);
	}
}

static void names_are_safe_and_differ(void)
{
	static const char *const ids[] = {
		"mpa/crc/a", "mpa.crc.a", "mpa/crc.a",  "mpa/crc/A",
		"a/../../b", "..",        ".",          "",
		"/etc/x",    "a\nb",      "a=0ab",      "a b",
		"<b>",       "a\xff",     "MPA-4.4-14", "mpa/crc/a@x",
	};
	char *names[UNIT_COUNT(ids)];

	for (size_t i = 0; i < UNIT_COUNT(ids); i++) {
		names[i] = site_page_name(ids[i], '/', 0);
		CU_ASSERT_PTR_NULL(strpbrk(names[i], "/\n<> \xff"));
		CU_ASSERT(*names[i] != '.' || strlen(ids[i]) == 0);
		for (size_t k = 0; k < i; k++)
			CU_ASSERT_STRING_NOT_EQUAL(names[i], names[k]);
	}
	CU_ASSERT_STRING_EQUAL(names[0], "mpa.crc.a.html");
	for (size_t i = 0; i < UNIT_COUNT(ids); i++)
		free(names[i]);

	/* Too long for a name, and different only at the end. */
	char one[3001], other[3001];

	memset(one, '/', 3000);
	memset(other, '/', 3000);
	one[3000] = other[3000] = '\0';
	other[2999] = 'x';
	char *a = site_page_name(one, '/', 0),
	     *b = site_page_name(other, '/', 0);

	CU_ASSERT(strlen(a) < 255 && strlen(b) < 255);
	CU_ASSERT_STRING_NOT_EQUAL(a, b);
	free(a);
	free(b);
	a = site_page_name("a/b/c", '/', 0);
	b = site_page_name("a/b/c", '/', 1);
	CU_ASSERT_STRING_NOT_EQUAL(a, b);
	free(a);
	free(b);
	a = site_page_name("MPA-4.4-14", '.', 0);
	CU_ASSERT_STRING_EQUAL(a, "MPA-4.4-14.html");
	free(a);
}

/* ---- pages ---- */

/* How many nodes of a page an expression finds. */
static int found(const char *path, const char *expression)
{
	htmlDocPtr doc = htmlReadFile(
		path, "UTF-8",
		HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET);

	CU_ASSERT_PTR_NOT_NULL_FATAL(doc);
	xmlXPathContextPtr context = xmlXPathNewContext(doc);
	xmlXPathObjectPtr o =
		xmlXPathEvalExpression((const xmlChar *)expression, context);
	int n = o && o->nodesetval ? o->nodesetval->nodeNr : 0;

	xmlXPathFreeObject(o);
	xmlXPathFreeContext(context);
	xmlFreeDoc(doc);
	return n;
}

static const struct background_fault faults[] = {{"a_fault", NASTY_LINE}};
static const struct background_requirement requirements[] = {
	{.id = "MPA-4.4-14",
	 .level = "MUST NOT",
	 .spec = "RFC 5044",
	 .section = "RFC 5044 s4.4",
	 .layer = "MPA",
	 .actor = "receiver",
	 .statement = NASTY_LINE,
	 .stimulus = NASTY_LINE,
	 .expected = "due",
	 .faults = faults,
	 .fault_count = 1,
	 .untestable = "",
	 .unbroken = "",
	 .cases = 5},
	{.id = "MPA-99-01",
	 .level = "MUST",
	 .spec = "RFC 5044",
	 .section = "RFC 5044 s99",
	 .layer = "MPA",
	 .actor = "sender",
	 .statement = "s",
	 .stimulus = "x",
	 .expected = "y",
	 .untestable = NASTY_LINE,
	 .unbroken = "none"},
};
static const char *const features[] = {"read", "imm"};
static const struct background_case cases[] = {
	{"mpa/crc/fail", features, 1, NASTY_LINE, "of <old>"},
	{"mpa/crc/skip", features, 2, "Given nothing.", ""},
};
static const struct background background = {
	.requirements = requirements,
	.requirement_count = 2,
	.cases = cases,
	.case_count = 2,
	.faults = faults,
	.fault_count = 1,
	.features = features,
	.feature_count = 2,
};

static struct run_result with_background(void)
{
	struct run_result run = with_dimensions();

	run.background = &background;
	return run;
}

static void hostile_text_makes_no_element(void)
{
	static const char *const kinds[] = {"ddp.header.error", "mpa.crc.fail",
					    "mpa.crc.info", "mpa.crc.skip"};
	struct run_result run = with_background();
	struct result results[7];
	char path[256];

	memcpy(results, run.results, sizeof(results));
	results[1].title = "</title><script>alert(1)</script>";
	results[1].consequences = "</pre><img src=x onerror=alert(1)>";
	results[1].reading = "\"><svg onload=alert(1)>";
	results[1].role = "</dd><b id=forged>";
	results[2].detail = "--><iframe src=//example.org></iframe>";
	run.results = results;
	run.device_name = "<script>alert(1)</script>\"'>";
	run.again = "x;</pre><script>";
	run.note = "<b id=forged>";
	CU_ASSERT_EQUAL_FATAL(publish(&run, at("a")), 0);
	CU_ASSERT_EQUAL(found(at("a/index.html"), "//script"), 1);
	CU_ASSERT_EQUAL(
		found(at("a/index.html"), "//table[@id='cases']//tr[th/a]"), 7);
	CU_ASSERT_EQUAL(found(at("a/index.html"), "//*[@id='forged']"), 0);
	for (size_t i = 0; i < UNIT_COUNT(kinds); i++) {
		snprintf(path, sizeof(path), "%s/a/cases/%s.html", folder,
			 kinds[i]);
		CU_ASSERT_EQUAL(found(path, "//script|//img|//iframe|//object|"
					    "//*[@onload]|//*[@onerror]|"
					    "//*[@id='forged']"),
				0);
		CU_ASSERT_EQUAL(found(path, "//main[.//h1]"), 1);
	}
	remove_all();
}

static void a_case_tells_its_evidence(void)
{
	struct run_result run = with_background();
	const char *page = "a/cases/mpa.crc.fail.html";

	CU_ASSERT_EQUAL_FATAL(publish(&run, at("a")), 0);
	CU_ASSERT_EQUAL(found(at(page), "//svg"), 1);
	CU_ASSERT_EQUAL(found(at(page), "//svg//g"), 8);
	CU_ASSERT_EQUAL(found(at(page), "//section[h3]"), 4);
	CU_ASSERT_EQUAL(found(at(page), "//section[@id='e5']//mark"), 2);
	CU_ASSERT_EQUAL(found(at(page), "//section[@id='e4']//mark"), 0);
	CU_ASSERT_EQUAL(found(at(page), "//tr[@id]"), 4);
	/* Field by field: the Terminate's, and that its CRC is wrong. */
	CU_ASSERT(found(at(page), "//section[@id='e5']//tr") > 10);
	CU_ASSERT(found(at(page), "//section[@id='e5']//tr[@class='bad']") > 0);
	/* Three octets of memory have changed. */
	CU_ASSERT_EQUAL(found(at(page), "//td//mark"), 3);
	CU_ASSERT_EQUAL(found(at("a/cases/mpa.crc.pass.html"), "//svg"), 0);
	/* A requirement lists its cases, and the faults that prove it. */
	CU_ASSERT_EQUAL(
		found(at("a/requirements/MPA-4.4-14.html"), "//tbody/tr"), 5);
	CU_ASSERT_EQUAL(found(at("a/requirements/MPA-4.4-14.html"),
			      "//code[.='--refdut=a_fault']"),
			1);
	CU_ASSERT(is_there(at("a/requirements/MPA-99-01.html")));
	CU_ASSERT(is_there(at("a/requirements/MPA-8-02.html")));
	remove_all();
}

/* How often a page has a text. */
static unsigned times(const char *path, const char *words)
{
	char *page = content(path);
	unsigned n = 0;

	for (const char *at = page; (at = strstr(at, words)); at++)
		n++;
	free(page);
	return n;
}

#define HEAD " MUST (RFC 5044 s4.4): a sentence\n"

static struct result_broken told_broken[] = {
	{.requirement = "MPA-4.4-14",
	 .level = "MUST",
	 .section = "RFC 5044 s4.4",
	 .statement = "a sentence",
	 .text = "due:  one thing\nseen: another",
	 .known = ""},
};
static const struct result_line told_lines[] = {
	{.requirement = "MPA-8-02",
	 .level = "MUST",
	 .text = "due:  silence\nseen: a follower",
	 .consequence = true,
	 .by_model = true},
	{.requirement = "MPA-4.4-14",
	 .level = "MUST",
	 .text = "due:  one thing\nseen: another"},
	{.requirement = "MPA-8-02",
	 .level = "MAY",
	 .text = "it did: a choice",
	 .ok = true},
};
/* A program of an exploration may send the same twice. */
static const struct result told_result = {
	.id = "mpa/crc/fail",
	.title = "t",
	.verdict = VERDICT_FAIL,
	.level = "MUST",
	.requirements = two_ids,
	.requirement_count = 2,
	.role = "",
	.signature = "MPA-4.4-14",
	.detail = "a consequence: MPA-8-02" HEAD "  due:  silence\n"
		  "  seen: a follower\n"
		  "MPA-4.4-14" HEAD "  due:  one thing\n  seen: another\n"
		  "MPA-8-02" HEAD "  it did: a choice\n"
		  "MPA-8-02" HEAD "  it did: a choice\n"
		  "the meaning of a field\npeer sends\npeer sends\n",
	.broken = told_broken,
	.broken_count = 1,
	.reason = "",
};

static void a_case_page_states_a_finding_once(void)
{
	static const char *const once[] = {"one thing", "another", "a follower",
					   "it did: a choice",
					   "the meaning of a field"};
	const char *page = "a/cases/mpa.crc.fail.html";
	struct run_result run = nasty;
	struct result one = told_result;

	run.results = &one;
	run.count = 1;
	for (int evidence = 0; evidence < 2; evidence++) {
		one.lines = evidence ? told_lines : NULL;
		one.line_count = evidence ? UNIT_COUNT(told_lines) : 0;
		CU_ASSERT_EQUAL_FATAL(publish(&run, at("a")), 0);
		for (size_t i = 0; i < UNIT_COUNT(once); i++)
			CU_ASSERT_EQUAL(times(at(page), once[i]), 1);
		CU_ASSERT_EQUAL(times(at(page), "peer sends"), 2);
		CU_ASSERT_EQUAL(times(at(page), "a consequence:"), !evidence);
		/* The table leads to the card, and to the choice. */
		CU_ASSERT_EQUAL(found(at(page), "//article[@id='b1']"), 1);
		CU_ASSERT_EQUAL(found(at(page), "//h2[@id='seen']"), 1);
		CU_ASSERT_EQUAL(
			found(at(page), "//tr[@id='l2']//a[@href='#b1']"),
			evidence);
		CU_ASSERT_EQUAL(
			found(at(page), "//tr[@id='l3']//a[@href='#seen']"),
			evidence);
	}
	remove_all();
}

/* The evidence cuts a text that is too long; the card has all of it. */
static void a_cut_text_refers_to_the_whole(void)
{
	static const char whole[] = "due:  one\nseen: a long text, and its end";
	const char *page = "a/cases/mpa.crc.fail.html";
	struct run_result run = nasty;
	struct result one = told_result;
	struct result_line line = told_lines[1];
	struct result_broken card = told_broken[0];

	run.results = &one;
	run.count = 1;
	card.text = whole;
	line.text = "due:  one\nseen: a long text...";
	one.broken = &card;
	one.detail = "MPA-4.4-14" HEAD
		     "  due:  one\n  seen: a long text, and its end\n";
	one.lines = &line;
	one.line_count = 1;
	CU_ASSERT_EQUAL_FATAL(publish(&run, at("a")), 0);
	CU_ASSERT_EQUAL(times(at(page), "a long text"), 1);
	CU_ASSERT_EQUAL(found(at(page), "//h2[@id='seen']"), 0);
	remove_all();
}

static void a_choice_stands_once_in_its_cell(void)
{
	struct run_result run = nasty;
	struct result one = told_result;

	one.verdict = VERDICT_INFO;
	one.broken_count = 0;
	run.results = &one;
	run.count = 1;
	memset(run.totals, 0, sizeof(run.totals));
	run.totals[VERDICT_INFO] = 1;
	CU_ASSERT_EQUAL_FATAL(publish(&run, at("a")), 0);
	CU_ASSERT_EQUAL(times(at("a/index.html"), "it did: a choice"), 1);
	remove_all();
}

/* Only those that need a look are in sight. */
static void a_long_table_of_cases_is_closed(void)
{
	enum { MANY = 301 };
	static struct result many[MANY];
	static char ids[MANY][32];
	struct run_result run = nasty;

	for (size_t i = 0; i < MANY; i++) {
		snprintf(ids[i], sizeof(ids[i]), "mpa/crc/case_%zu", i);
		many[i] = nasty_results[3];
		many[i].id = ids[i];
	}
	many[7].verdict = VERDICT_FAIL;
	many[7].signature = "MPA-4.4-14";
	many[8].verdict = VERDICT_WARN;
	many[8].reason = "why";
	run.results = many;
	run.count = MANY;
	CU_ASSERT_EQUAL_FATAL(publish(&run, at("a")), 0);
	const char *page = at("a/index.html");

	CU_ASSERT_EQUAL(found(page, "//details[not(@open)]//tr[th/a]"), MANY);
	CU_ASSERT_EQUAL(found(page, "//details/summary"), 1);
	CU_ASSERT_EQUAL(found(page, "//h2[@id='all-cases']"), 1);
	CU_ASSERT_EQUAL(found(page, "//table[@id='failed']//tr[td]"), 2);
	CU_ASSERT_EQUAL(found(page, "//table[@id='failed']"
				    "//tr[th='mpa/crc/case_7']"
				    "[contains(., 'MPA-4.4-14')]"),
			1);
	run.count = MANY - 1;
	CU_ASSERT_EQUAL_FATAL(publish(&run, at("a")), 0);
	CU_ASSERT_EQUAL(found(at("a/index.html"), "//details"), 0);
	CU_ASSERT_EQUAL(found(at("a/index.html"), "//table[@id='failed']"), 0);
	remove_all();
}

/* What its page and the index say of a requirement whose two cases ended so. */
static bool stands(enum verdict a, enum verdict b, const char *as)
{
	static struct result_broken other = {.requirement = "MPA-8-02",
					     .level = "MUST",
					     .section = "",
					     .statement = "",
					     .text = "",
					     .known = ""};
	struct result two[] = {nasty_results[3], nasty_results[5]};
	struct run_result run = with_background();
	char page[256], row[256];

	two[0].verdict = a;
	two[1].verdict = b;
	for (size_t i = 0; i < 2; i++) {
		two[i].broken = &other;
		two[i].broken_count = two[i].verdict == VERDICT_FAIL;
	}
	run.results = two;
	run.count = 2;
	snprintf(page, sizeof(page), "//p[.='In this run: %s.']", as);
	snprintf(row, sizeof(row), "//tr[th='MPA-4.4-14'][td[2]='%s']", as);
	CU_ASSERT_EQUAL_FATAL(publish(&run, at("a")), 0);

	bool told = found(at("a/requirements/MPA-4.4-14.html"), page) == 1 &&
		    found(at("a/requirements.html"), row) == 1;

	remove_all();
	return told;
}

static void held_is_what_each_case_has_judged(void)
{
	CU_ASSERT(stands(VERDICT_PASS, VERDICT_PASS, "held"));
	CU_ASSERT(stands(VERDICT_WARN, VERDICT_PASS, "held"));
	CU_ASSERT(stands(VERDICT_SKIP, VERDICT_PASS, "held"));
	CU_ASSERT(stands(VERDICT_PASS, VERDICT_INFO, "held"));
	/* Failed under another requirement, blocked, or late. */
	CU_ASSERT(stands(VERDICT_PASS, VERDICT_FAIL,
			 "could not be judged in 1 of 2 cases"));
	CU_ASSERT(stands(VERDICT_BLOCKED, VERDICT_PASS,
			 "could not be judged in 1 of 2 cases"));
	CU_ASSERT(stands(VERDICT_FAIL, VERDICT_ERROR,
			 "could not be judged in 2 of 2 cases"));
	CU_ASSERT(stands(VERDICT_SKIP, VERDICT_FAIL,
			 "could not be judged in 1 of 1 case"));
	CU_ASSERT(stands(VERDICT_INFO, VERDICT_FAIL, "left open, observed"));
	CU_ASSERT(stands(VERDICT_SKIP, VERDICT_SKIP, "not applicable"));
}

/* A row of a table of the overview, by its header and the text of a cell. */
static int rows(const char *header, const char *cell)
{
	char expression[256];

	snprintf(expression, sizeof(expression),
		 "//tbody/tr[normalize-space(th)='%s']"
		 "[contains(normalize-space(.), '%s')]",
		 header, cell);
	return found(at("a/index.html"), expression);
}

static void claims_stand_beside_what_the_wire_showed(void)
{
	static const struct result_claim claimed[] = {{"read", ""},
						      {"max-ird", "16"}};
	struct run_result run = with_background();
	struct result two[] = {nasty_results[1], nasty_results[4]};

	two[1].reason = "the device does not claim imm-se, imm";
	run.results = two;
	run.count = 2;
	/* An old report does not have the claims: the cases that ran show
	 * them. */
	run.claim_count = 0;
	CU_ASSERT_EQUAL_FATAL(publish(&run, at("a")), 0);
	CU_ASSERT_EQUAL(rows("read", "claims it"), 1);
	CU_ASSERT_EQUAL(rows("read", "1 case failed, 1 case not applicable"),
			1);
	CU_ASSERT_EQUAL(rows("imm", "does not claim it1 case not applicable"),
			1);
	/* No word of it is the feature's. */
	two[1].reason = "the device does not claim imm-se";
	CU_ASSERT_EQUAL_FATAL(publish(&run, at("a")), 0);
	CU_ASSERT_EQUAL(rows("imm", "was not asked"), 1);
	run.claims = claimed;
	run.claim_count = 2;
	CU_ASSERT_EQUAL_FATAL(publish(&run, at("a")), 0);
	CU_ASSERT_EQUAL(rows("read", "claims it"), 1);
	CU_ASSERT_EQUAL(rows("imm", "does not claim it"), 1);
	CU_ASSERT_EQUAL(rows("max-ird", "claims 16"), 1);
	remove_all();
}

static void coverage_counts_each_requirement_once(void)
{
	struct run_result run = with_background();

	CU_ASSERT_EQUAL_FATAL(publish(&run, at("a")), 0);
	/* One is broken, one not to be tested; a third is not of the
	 * catalogue. */
	CU_ASSERT_EQUAL(rows("RFC 5044", "RFC 50441000001"), 1);
	CU_ASSERT_EQUAL(rows("all", "all1000001"), 1);
	CU_ASSERT_EQUAL(found(at("a/requirements.html"),
			      "//tr/th/a[starts-with(@href, 'requirements/')]"),
			3);
	remove_all();
}

/* 24 events in three streams, and a text too long for its place. */
static void ladders_keep_to_their_columns(void)
{
	struct run_result run = nasty;
	struct result one = nasty_results[1];
	struct result_event events[24];
	char text[400];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (size_t i = 0; i < UNIT_COUNT(events); i++)
		events[i] = (struct result_event){.kind = EVENT_FIN,
						  .from_device = i % 2,
						  .stream = (unsigned)i % 3,
						  .at_ns = i << 30,
						  .text = text};
	one.events = events;
	one.event_count = UNIT_COUNT(events);
	one.lines = NULL;
	one.line_count = one.memory_count = 0;
	run.results = &one;
	run.count = 1;
	CU_ASSERT_EQUAL_FATAL(publish(&run, at("a")), 0);
	const char *page = at("a/cases/mpa.crc.fail.html");

	CU_ASSERT_EQUAL(found(page, "//svg//g"), 24);
	CU_ASSERT_EQUAL(found(page, "//svg//text[string-length(.) > 80]"), 0);
	CU_ASSERT_EQUAL(found(page, "//svg//text[starts-with(., '[2] xxx')]"),
			8);
	CU_ASSERT_EQUAL(found(page, "//svg//*[contains(@class, 'bad')]"), 0);
	remove_all();
}

static void every_run_has_pages(void)
{
	struct run_result runs[] = {
		nasty,          cut_short(),  with_dimensions(),
		with_journal(), with_stale(), with_finding(),
		empty()};

	for (size_t i = 0; i < UNIT_COUNT(runs); i++) {
		/* Over the one before. */
		CU_ASSERT_EQUAL(publish(&runs[i], at("a")), 0);
		CU_ASSERT_EQUAL(found(at("a/index.html"), "//h1"), 1);
		CU_ASSERT_EQUAL(entries(at("a/cases")),
				runs[i].count ? runs[i].count + 2 : 0);
	}
	CU_ASSERT_EQUAL(entries(folder), 3);
	remove_all();
}

/* Same run, same octets. */
static void a_run_has_one_look(void)
{
	struct run_result run = with_background();
	char command[256];

	CU_ASSERT_EQUAL(publish(&run, at("a")), 0);
	CU_ASSERT_EQUAL(publish(&run, at("b")), 0);
	snprintf(command, sizeof(command), "diff -r %s/a %s/b", folder, folder);
	CU_ASSERT_EQUAL(system(command), 0);
	remove_all();
}

/* ---- its place ---- */

static void put_file(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	fputs(text, out);
	fclose(out);
}

static void refused(const char *path, const char *says)
{
	struct run_result run = nasty;
	const struct report_format *f = report_format_find("html");

	CU_ASSERT_EQUAL(report_check_place(f, path, why, sizeof(why)), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(why, says));
	*why = '\0';
	CU_ASSERT_EQUAL(publish(&run, path), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(why, says));
	CU_ASSERT_PTR_NULL(strchr(why, '\n'));
}

static void what_is_no_report_is_left_alone(void)
{
	struct run_result run = nasty;

	/* A folder of somebody. */
	mkdir(at("mine"), 0755);
	put_file(at("mine/x"), "x");
	refused(at("mine"), "name another folder");
	CU_ASSERT(is_there(at("mine/x")));
	/* One of ours with something more. */
	CU_ASSERT_EQUAL(publish(&run, at("ours")), 0);
	put_file(at("ours/notes.txt"), "x");
	refused(at("ours"), "name another folder");
	CU_ASSERT(is_there(at("ours/notes.txt")));
	unlink(at("ours/notes.txt"));
	mkdir(at("ours/cases/more"), 0755);
	put_file(at("ours/cases/more/x.html"), "x");
	refused(at("ours"), "name another folder");
	CU_ASSERT(is_there(at("ours/cases/more/x.html")));
	/* A page that is somebody's. */
	mkdir(at("site"), 0755);
	put_file(at("site/index.html"), "<!doctype html>\n<p>mine");
	refused(at("site"), "name another folder");
	put_file(at("file"), "x");
	refused(at("file"), "name another folder");
	refused(at("no/such"), "No such file or directory");
	refused("-", "name one");
	refused("/", "not a folder of its own");
	CU_ASSERT_EQUAL(entries(folder), 6);
	remove_all();
}

static void a_place_that_is_free_is_taken(void)
{
	struct run_result run = nasty;

	mkdir(at("empty"), 0755);
	CU_ASSERT_EQUAL(publish(&run, at("empty")), 0);
	CU_ASSERT(is_there(at("empty/index.html")));
	CU_ASSERT_EQUAL(publish(&run, at("slash/")), 0);
	CU_ASSERT(is_there(at("slash/index.html")));
	/* The target of a link, not the link. */
	CU_ASSERT_EQUAL(symlink("slash", at("link")), 0);
	CU_ASSERT_EQUAL(publish(&run, at("link")), 0);
	struct stat st;

	CU_ASSERT_EQUAL(lstat(at("link"), &st), 0);
	CU_ASSERT(S_ISLNK(st.st_mode));
	CU_ASSERT_EQUAL(entries(folder), 5);
	remove_all();
}

static void a_writer_that_fails_leaves_nothing(void)
{
	struct run_result run = nasty;

	CU_ASSERT_EQUAL(publish(&run, at("a")), 0);
	struct report_tree *t =
		report_tree_begin(at("a"), "report", why, sizeof(why));

	CU_ASSERT_PTR_NOT_NULL_FATAL(t);
	FILE *page = report_tree_open(t, "index.html");

	CU_ASSERT_PTR_NOT_NULL_FATAL(page);
	CU_ASSERT_PTR_NULL(report_tree_open(t, "index.html"));
	CU_ASSERT_EQUAL(errno, EEXIST);
	CU_ASSERT_EQUAL(report_tree_close(page), 0);
	CU_ASSERT_EQUAL(report_tree_publish(t, ENOSPC, why, sizeof(why)), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "No space left"));
	char *text = content(at("a/index.html"));

	CU_ASSERT_PTR_NOT_NULL(strstr(text, "</html>"));
	free(text);
	CU_ASSERT_EQUAL(entries(folder), 3);
	remove_all();
}

static void captures_go_with_the_pages(void)
{
	struct run_result run = nasty;
	struct result one = nasty_results[1];
	const char *capture = at("a b&c.pcapng");

	one.capture = capture;
	run.results = &one;
	run.count = 1;
	put_file(capture, "x");
	CU_ASSERT_EQUAL(publish(&run, at("a")), 0);
	char *text = content(at("a/cases/mpa.crc.fail.html"));

	CU_ASSERT_PTR_NOT_NULL(strstr(text, "href=\"../../a%20b%26c.pcapng\""));
	free(text);

	/* A capture goes where the pages go. */
	put_file(capture, "\n\r\r\nand so on");
	CU_ASSERT_EQUAL(publish(&run, at("a")), 0);
	text = content(at("a/cases/mpa.crc.fail.html"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "href=\"../captures/case.mpa.crc.fail.pcapng\""));
	free(text);
	text = content(at("a/captures/case.mpa.crc.fail.pcapng"));
	CU_ASSERT_STRING_EQUAL(text, "\n\r\r\nand so on");
	free(text);
	one.capture = at("gone");
	CU_ASSERT_EQUAL(publish(&run, at("a")), 0);
	text = content(at("a/cases/mpa.crc.fail.html"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "gone</code>, which was"));
	free(text);
	remove_all();
}

static void a_folder_knows_what_lies_in_it(void)
{
	mkdir(at("a"), 0755);
	CU_ASSERT(report_is_inside(at("a"), at("a")));
	CU_ASSERT(report_is_inside(at("a"), at("a/captures")));
	CU_ASSERT(report_is_inside(at("new/"), at("new/b/c")));
	CU_ASSERT(report_is_inside("new", "./new/x"));
	CU_ASSERT_FALSE(report_is_inside(at("a"), at("ab")));
	CU_ASSERT_FALSE(report_is_inside(at("a/b"), at("a")));
	CU_ASSERT_FALSE(report_is_inside(at("a"), "-"));
	CU_ASSERT_FALSE(report_is_inside(at("a"), NULL));
	remove_all();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"text is never markup", text_is_never_markup},
		{"names are safe and differ", names_are_safe_and_differ},
		{"hostile text makes no element",
		 hostile_text_makes_no_element},
		{"a case tells its evidence", a_case_tells_its_evidence},
		{"a case page states a finding once",
		 a_case_page_states_a_finding_once},
		{"a cut text refers to the whole",
		 a_cut_text_refers_to_the_whole},
		{"a choice stands once in its cell",
		 a_choice_stands_once_in_its_cell},
		{"a long table of cases is closed",
		 a_long_table_of_cases_is_closed},
		{"held is what each case has judged",
		 held_is_what_each_case_has_judged},
		{"claims stand beside what the wire showed",
		 claims_stand_beside_what_the_wire_showed},
		{"coverage counts each requirement once",
		 coverage_counts_each_requirement_once},
		{"ladders keep to their columns",
		 ladders_keep_to_their_columns},
		{"every run has pages", every_run_has_pages},
		{"a run has one look", a_run_has_one_look},
		{"what is no report is left alone",
		 what_is_no_report_is_left_alone},
		{"a place that is free is taken",
		 a_place_that_is_free_is_taken},
		{"a writer that fails leaves nothing",
		 a_writer_that_fails_leaves_nothing},
		{"captures go with the pages", captures_go_with_the_pages},
		{"a folder knows what lies in it",
		 a_folder_knows_what_lies_in_it},
	};

	const char *fault;

	if (crc_init(&fault) < 0 || !mkdtemp(folder))
		return 2;
	int status = unit_run("html", tests, UNIT_COUNT(tests));

	rmdir(folder);
	return status;
}
