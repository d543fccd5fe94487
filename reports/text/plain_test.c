/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats that are lines: TAP and the text for a person. */
#include <stdlib.h>
#include <string.h>

#include "harness/unit.h"
#include "reports/text/plain.h"
#include "reports/sample.h"

struct tap {
	size_t ok, not_ok, skip, todo, blocks, plan, bailed, comments;
	bool sound;
};

/* A '#' that no backslash escapes starts the directive. */
static const char *tap_directive(const char *line)
{
	for (; *line; line++) {
		if (*line == '\\' && line[1])
			line++;
		else if (*line == '#')
			return line;
	}
	return "";
}

static void tap_line(struct tap *t, const char *line, bool *in_block)
{
	size_t number = t->ok + t->not_ok + 1, seen = 0;

	if (*in_block) {
		t->sound &= !*line || strncmp(line, "  ", 2) == 0;
		*in_block = strcmp(line, "  ...") != 0;
	} else if (strcmp(line, "  ---") == 0) {
		*in_block = true;
		t->blocks++;
	} else if (sscanf(line, "ok %zu - ", &seen) == 1 ||
		   sscanf(line, "not ok %zu - ", &seen) == 1) {
		const char *directive = tap_directive(line);

		t->sound &= seen == number;
		*(*line == 'o' ? &t->ok : &t->not_ok) += 1;
		t->skip += strncmp(directive, "# SKIP ", 7) == 0;
		t->todo += strncmp(directive, "# TODO ", 7) == 0;
		t->sound &= !*directive || directive[-1] == ' ';
	} else if (sscanf(line, "1..%zu", &seen) == 1) {
		t->sound &= number == 1;
		t->plan = seen;
	} else if (strncmp(line, "Bail out! ", 10) == 0) {
		t->bailed++;
	} else if (strncmp(line, "# ", 2) == 0) {
		t->comments++;
	} else {
		t->sound = false;
	}
}

static struct tap tap_parse(const struct run_result *run)
{
	char *text = report("tap", run, (struct report_options){0});
	struct tap t = {.sound = true};
	bool in_block = false, first = true;
	char *rest = text, *line;

	while ((line = strsep(&rest, "\n"))) {
		if (first)
			t.sound &= strcmp(line, "TAP version 13") == 0;
		else if (rest) /* nothing follows the last newline */
			tap_line(&t, line, &in_block);
		first = false;
	}
	t.sound &= !in_block;
	free(text);
	return t;
}

static void tap_reads_back(void)
{
	struct run_result cut = cut_short(), none = empty();
	struct tap t = tap_parse(&nasty);

	CU_ASSERT(t.sound);
	CU_ASSERT_EQUAL(t.plan, 7);
	CU_ASSERT_EQUAL(t.ok, 4);
	CU_ASSERT_EQUAL(t.not_ok, 3);
	CU_ASSERT_EQUAL(t.skip, 1);
	CU_ASSERT_EQUAL(t.todo, 1);
	CU_ASSERT_EQUAL(t.blocks, 7); /* a pass under a reading has one */
	CU_ASSERT_EQUAL(t.bailed, 0);
	CU_ASSERT_EQUAL(t.comments, 1);
	t = tap_parse(&cut);
	CU_ASSERT(t.sound);
	CU_ASSERT_EQUAL(t.plan, 7);
	CU_ASSERT_EQUAL(t.ok + t.not_ok, 5);
	CU_ASSERT_EQUAL(t.bailed, 1);
	t = tap_parse(&none);
	CU_ASSERT(t.sound);
	/* Nothing ran, which is not a success. */
	CU_ASSERT_EQUAL(t.plan, 1);
	CU_ASSERT_EQUAL(t.not_ok, 1);
	CU_ASSERT_EQUAL(t.ok + t.bailed, 0);
}

/* A reader of this report alone sees the reason for an exit status of 1 or
 * more. */
static void tap_says_what_the_exit_status_says(void)
{
	struct run_result stale = with_stale(), strict = nasty;
	struct tap t = tap_parse(&stale);
	char *text = report("tap", &stale, (struct report_options){0});

	CU_ASSERT(t.sound);
	CU_ASSERT_EQUAL(t.plan, 9);
	CU_ASSERT_EQUAL(t.not_ok, 5);
	CU_ASSERT_PTR_NOT_NULL(strstr(text,
				      "\nnot ok 8 - deviations: mpa/crc/*\n"
				      "  ---\n  reason: \"has expired\"\n"));
	free(text);
	strict.strict = true;
	t = tap_parse(&strict);
	CU_ASSERT(t.sound);
	CU_ASSERT_EQUAL(t.plan, 7);
	CU_ASSERT_EQUAL(t.not_ok, 4);
	/* All cases passed, and the device died after the last one. */
	struct result pass = nasty_results[3];
	struct run_result died = nasty;

	died.results = &pass;
	died.count = died.planned = 1;
	died.exit_status = 3;
	died.note = "the agent is gone # TODO";
	t = tap_parse(&died);
	CU_ASSERT(t.sound);
	CU_ASSERT_EQUAL(t.plan, 2);
	CU_ASSERT_EQUAL(t.not_ok, 1);
	CU_ASSERT_EQUAL(t.todo, 0);
}

static void a_finding_of_the_run_is_told(void)
{
	struct run_result run = with_finding();
	struct tap t = tap_parse(&run);
	char *text = report("text", &run, (struct report_options){0});

	CU_ASSERT(t.sound);
	CU_ASSERT_EQUAL(t.plan, 8);
	CU_ASSERT_EQUAL(t.ok, 4);
	CU_ASSERT_EQUAL(t.not_ok, 4);
	CU_ASSERT_PTR_NOT_NULL(strstr(
		text, " s\nthe device crashed: # SKIP a, b\n"
		      "  Oops: <0002>\n  ---\n1 case not applicable:\n"));
	free(text);
}

static void a_journal_is_told(void)
{
	static const struct {
		const char *format, *line;
	} told[] = {
		{"text", " s\n3 of them are from the journal a \"q\""},
		{"summary", " s\n3 of them are from the journal a \"q\""},
		{"json", "\"verdicts\": 3"},
		{"junit", "<property name=\"from_journal\" value=\"3\"/>"},
	};
	struct run_result run = with_journal();

	for (size_t i = 0; i < UNIT_COUNT(told); i++) {
		char *text = report(told[i].format, &run,
				    (struct report_options){0});

		CU_ASSERT_PTR_NOT_NULL(strstr(text, told[i].line));
		CU_ASSERT_PTR_NULL(strpbrk(text, "\x01\x07\x1b"));
		free(text);
	}
}

static void tap_escapes(void)
{
	char *text = report("tap", &nasty, (struct report_options){0});

	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "ok 5 - mpa/crc/skip # SKIP the device claims no "
			     "\"q\" 'a' <&>]]> \\# SKIP \\\\ "));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n  title: \"\\\"q\\\" 'a' "));
	CU_ASSERT_PTR_NOT_NULL(strstr(text,
				      "\n  detail: |2\n      indented\n"
				      "    ...\n    ---\n\n    not ok 7"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n  detail: |\n    chose "));
	CU_ASSERT_PTR_NULL(strpbrk(text, "\x01\x07\x1b\r\x7f"));
	free(text);
}

static void text_reads_as_written(void)
{
	static const struct result_reading readings[] = {
		{"upside-down", "the CRC field", "RFC 5044 s4.4",
		 "sends the CRC upside down"},
	};
	static const struct result results[] = {
		{.id = "mpa/crc/a",
		 .title = "the first",
		 .verdict = VERDICT_PASS,
		 .teardown = TEARDOWN_FIN,
		 .level = "MUST",
		 .role = "",
		 .detail = "",
		 .reason = ""},
		{.id = "mpa/crc/b",
		 .title = "the second",
		 .verdict = VERDICT_FAIL,
		 .teardown = TEARDOWN_FIN,
		 .level = "MUST",
		 .requirements = two_ids,
		 .requirement_count = 2,
		 .role = "responder",
		 .detail = "seen: a Send\ndue: nothing",
		 .reading = "upside-down",
		 .reason = "",
		 .capture = "b.pcap"},
		{.id = "rdmap/read/blocked",
		 .title = "the third",
		 .verdict = VERDICT_BLOCKED,
		 .level = "",
		 .role = "",
		 .detail = "",
		 .reason = "it rests on what fails",
		 .blocked_by = "mpa/crc/b"},
		{.id = "rdmap/read/blocked_too",
		 .title = "the fourth",
		 .verdict = VERDICT_BLOCKED,
		 .level = "",
		 .role = "",
		 .detail = "",
		 .reason = "it rests on what fails",
		 .blocked_by = "mpa/crc/b"},
		{.id = "rdmap/read/c",
		 .title = "the fifth",
		 .verdict = VERDICT_SKIP,
		 .level = "",
		 .role = "",
		 .detail = "",
		 .reason = "no agent"},
		{.id = "rdmap/read/d",
		 .title = "the sixth, and a title so long that it does not fit",
		 .verdict = VERDICT_ERROR,
		 .level = "",
		 .role = "",
		 .detail = "due:  more than fits into a line of eighty "
			   "columns, so that it goes on\nseen: that",
		 .reason = "the agent said nothing"},
		{.id = "rdmap/read/e",
		 .title = "the seventh",
		 .verdict = VERDICT_WARN,
		 .level = "SHOULD",
		 .requirements = one_id,
		 .requirement_count = 1,
		 .role = "",
		 .detail = "",
		 .reason = ""},
	};
	static const struct result_identity identity[] = {
		{"maker", "A company"}, {"firmware", "1.2"}};
	struct run_result run = nasty;

	run.device_name = "refdut";
	run.device_impl = "";
	run.identity = identity;
	run.selector_count = 0;
	run.again = "warpspec run --spec=rfc7306";
	run.link_note = "large segments";
	run.seed = 7;
	run.results = results;
	run.readings = readings;
	run.reasons = &(struct result_reason){"no agent", 1};
	run.reading_count = 1;
	run.count = run.planned = UNIT_COUNT(results);
	memset(run.totals, 0, sizeof(run.totals));
	for (size_t i = 0; i < UNIT_COUNT(results); i++)
		run.totals[results[i].verdict]++;
	char *text = report("text", &run, (struct report_options){0});

	CU_ASSERT_STRING_EQUAL(
		text,
		"warpspec 0.1: refdut; link socket; rfc7306; seed 7\n"
		"maker A company; firmware 1.2\n"
		"shard 2 of 3\n"
		"on the link: large segments\n"
		"reading upside-down: the device sends the CRC upside down "
		"(RFC 5044 s4.4)\n"
		"1 case judged by the meaning of these fields\n"
		"\n"
		"FAIL   mpa/crc/b: the second\n"
		"       MUST MPA-4.4-14, MPA-8-02; stream: FIN; "
		"device is responder\n"
		"       judged under reading upside-down\n"
		"       seen: a Send\n"
		"       due: nothing\n"
		"       capture b.pcap\n"
		"\n"
		"ERROR  rdmap/read/d: the sixth, and a title so long that it "
		"does not fit\n"
		"       stream: no stream\n"
		"       the agent said nothing\n"
		"       due:  more than fits into a line of eighty columns, so "
		"that it goes on\n"
		"       seen: that\n"
		"\n"
		"WARN   rdmap/read/e: the seventh\n"
		"       SHOULD MPA-4.4-14; stream: no stream\n"
		"\n"
		"BLOCK  2 cases by mpa/crc/b: it rests on what fails\n"
		"\n"
		"4 of 6 applicable cases ran, in 1.001 s\n"
		"1 case not applicable:\n"
		"     1  no agent\n"
		"How streams ended: 2 FIN\n"
		"\n"
		"Layer           passed  failed  warned skipped   error "
		"blocked\n"
		"mpa                  1       1       0       0       0       "
		"0\n"
		"rdmap                0       0       1       1       1       "
		"2\n"
		"\n"
		"To rerun 2 cases:\n"
		"\n"
		"  warpspec run --spec=rfc7306 \\\n"
		"    mpa/crc/b \\\n"
		"    rdmap/read/d\n"
		"\n"
		"Grade: FAIL, cases failed\n"
		"1 passed, 1 failed, 1 warned, 1 skipped, 1 error, 2 "
		"blocked\n");
	free(text);
	text = report("text", &run, (struct report_options){.verbose = true});
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "it rests on what fails\n"
			     "       rdmap/read/blocked\n"
			     "       rdmap/read/blocked_too\n"
			     "\n"
			     "PASS   mpa/crc/a: the first\n"
			     "SKIP   rdmap/read/c: no agent\n\n4 of 6"));
	free(text);
}

/* Three cases show a requirement in full, the others by name; and a command of
 * many ids is one of the report that has them. */
static void text_tells_a_finding_in_few_cases(void)
{
	enum { MANY = 30 };
	struct result_broken by_line = {
		"MPA-4.4-14", "MUST NOT", "RFC 5044 s4.4", "s", "x", "", false};
	struct result_broken by_model = by_line;
	struct result results[MANY];
	char ids[MANY][16];
	struct run_result run = nasty;

	by_model.by_model = true;
	for (size_t i = 0; i < MANY; i++) {
		snprintf(ids[i], sizeof(ids[i]), "mpa/a/%02zu", i);
		results[i] = (struct result){.id = ids[i],
					     .title = "t",
					     .verdict = VERDICT_FAIL,
					     .detail = "how it was",
					     .level = "",
					     .role = "",
					     .reason = "",
					     .broken = &by_line,
					     .broken_count = 1};
	}
	results[4].broken = &by_model;
	run.results = results;
	run.count = run.planned = MANY;
	run.again = "warpspec run";
	char *text = report("text", &run, (struct report_options){0});

	CU_ASSERT_PTR_NOT_NULL(strstr(text, "mpa/a/02: t\n"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "\nFAIL   mpa/a/03: MPA-4.4-14, as before\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\nFAIL   mpa/a/04: t\n"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "\nTo rerun 30 cases, add --report json=FILE "));
	free(text);
	run.written = "it's.json";
	text = report("text", &run, (struct report_options){.verbose = true});
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "mpa/a/03: t\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(
		text,
		"\nTo rerun what failed, is blocked or has no verdict:\n\n  "
		"warpspec run --rerun='it'\\''s.json'\n\n"));
	free(text);
}

/* With all options. */
static void text_tells_what_was_met(void)
{
	struct run_result run = with_dimensions();
	char *text = report("text", &run, (struct report_options){0});

	CU_ASSERT_PTR_NULL(strstr(text, "dut-size"));
	free(text);
	text = report("text", &run, (struct report_options){.verbose = true});
	CU_ASSERT_PTR_NOT_NULL(strstr(
		text, "\nValues that occurred, of the quantities that a peer "
		      "or a ULP can choose: the edges, and the values between\n"
		      "(without the values of 2 cases from the journal, which "
		      "does not record them)\n"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "met 0-1, 3..9\n"
			     "       never 2, "
			     "10-18446744073709551615\n"
			     "  dut-size: 2 of 3; octets, what; as the device "
			     "chose\n"
			     "       met 0-1\n"
			     "       never 2\n"));
	free(text);
}

/* A failure common to all is reported once. */
static void text_says_one_cause_once(void)
{
	struct result results[3];
	struct run_result run = nasty;

	for (size_t i = 0; i < UNIT_COUNT(results); i++)
		results[i] = (struct result){.id = i == 1 ? "a/b/1" : "a/b/0",
					     .title = "t",
					     .verdict = VERDICT_ERROR,
					     .detail = "",
					     .level = "",
					     .role = "",
					     .reason = "it was not there"};
	memset(run.totals, 0, sizeof(run.totals));
	run.results = results;
	run.count = run.planned = run.totals[VERDICT_ERROR] =
		UNIT_COUNT(results);
	run.exit_status = 3;
	char *text = report("text", &run, (struct report_options){0});

	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "\nERROR  3 cases: it was not there\n\n3 of 3"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "To rerun 3 cases:\n"));
	free(text);
}

/* In eighty columns, except a word that is longer. */
static void lines_are_broken_at_blanks(void)
{
	char word[101], due[256];
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	memset(word, 'w', 100);
	word[100] = '\0';
	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	plain_lines(out,
		    "  due:  \xc3\xa9 aaaaaaaaa bbbbbbbbb ccccccccc "
		    "ddddddddd eeeeeeeee fffffffff ggggggggg hhhh\n\nx",
		    2);
	plain_lines(out, word, 1);
	CU_ASSERT_EQUAL(fclose(out), 0);
	snprintf(due, sizeof(due),
		 "    due:  \xc3\xa9 aaaaaaaaa bbbbbbbbb ccccccccc ddddddddd "
		 "eeeeeeeee fffffffff\n"
		 "          ggggggggg hhhh\n\n  x\n %s\n",
		 word);
	CU_ASSERT_STRING_EQUAL(text, due);
	free(text);
}

static size_t times(const char *text, const char *part)
{
	size_t n = 0;

	while ((text = strstr(text, part))) {
		text++;
		n++;
	}
	return n;
}

static void text_is_harmless(void)
{
	struct report_options plain = {.verbose = true};
	struct report_options coloured = {.verbose = true, .colour = true};
	struct report_options brief = {.verbose = false};
	struct run_result cut = cut_short(), none = empty(),
			  stale = with_stale();
	char *text = report("text", &nasty, plain);

	CU_ASSERT_PTR_NULL(strpbrk(text, "\x01\x07\x1b\r\x7f"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "PASS   mpa/crc/pass: a plain pass\n"));
	free(text);
	text = report("text", &nasty, coloured);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\033[1;31mFAIL \033[0m"));
	CU_ASSERT_PTR_NULL(strstr(text, "\x1b[31m\r"));
	free(text);
	text = report("text", &cut, plain);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "4 of 6 applicable cases ran, in "));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\ninterrupted # here\\x0aok 6"));
	free(text);
	text = report("text", &cut, brief);
	size_t errors = times(text, "\nERROR  ");

	free(text);
	/* What did not run is not counted as run, and said once. */
	struct result given_up[16];

	memcpy(given_up, cut.results, cut.count * sizeof(*given_up));
	given_up[cut.count - 1].verdict = VERDICT_ERROR;
	given_up[cut.count - 1].not_run = true;
	cut.results = given_up;
	text = report("text", &cut, brief);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "3 of 6 applicable cases ran, in "));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "ERROR: 1 case was not run: "));
	CU_ASSERT_EQUAL(times(text, "\nERROR  "), errors);
	free(text);
	text = report("text", &none, plain);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "0 of 0 applicable cases ran, in "));
	free(text);
	text = report("text", &stale, plain);
	CU_ASSERT_PTR_NULL(strpbrk(text, "\x01\x07\x1b\r\x7f"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\nstale deviation of \"q\""));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "2 stale\ndeviations\n"));
	free(text);
}

/* The worst first, with the command that shows it; known deviations are not
 * news, and unexplained ones are mentioned. */
static void a_run_closes_with_its_worst_and_a_grade(void)
{
	struct result_broken broken = {
		"MPA-4.4-14", "MUST", "RFC 5044 s4.4", "s", "x", "", false};
	struct result results[2];
	struct run_result run = nasty;

	for (size_t i = 0; i < UNIT_COUNT(results); i++) {
		results[i] = nasty_results[3];
		results[i].id = i ? "mpa/b" : "ddp/a";
		results[i].verdict = VERDICT_FAIL;
		results[i].broken = &broken;
		results[i].broken_count = 1;
	}
	memset(run.totals, 0, sizeof(run.totals));
	run.results = results;
	run.count = run.planned = run.totals[VERDICT_FAIL] = 2;
	run.exit_status = 1;
	run.again = "warpspec run -d my.ini";
	char *text = report("text", &run, (struct report_options){0});

	CU_ASSERT_PTR_NOT_NULL(strstr(
		text, "\nThe worst findings, and how to reproduce each:\n"
		      "  MPA-4.4-14 MUST, RFC 5044 s4.4 (2 cases): s\n"
		      "      warpspec run -d my.ini ddp/a\n"
		      "\n"
		      "To rerun 2 cases:\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\nGrade: FAIL, broken: 1 MUST\n"
					    "0 passed, 2 failed, 0 error"));
	free(text);
	broken.known = "why";
	for (size_t i = 0; i < UNIT_COUNT(results); i++) {
		results[i].verdict = VERDICT_XFAIL;
		results[i].reason = i ? RESULT_UNEXPLAINED : "a bug";
	}
	run.totals[VERDICT_FAIL] = run.exit_status = 0;
	run.totals[VERDICT_XFAIL] = 2;
	text = report("text", &run, (struct report_options){0});
	CU_ASSERT_PTR_NULL(strstr(text, "The worst"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "Grade: PASS, "));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "1 known deviation is not yet explained"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "first is mpa/b\n"));
	free(text);
}

static void few_reasons_are_told(void)
{
	struct result_reason reasons[12];
	struct run_result run = nasty;

	for (size_t i = 0; i < UNIT_COUNT(reasons); i++)
		reasons[i] = (struct result_reason){"why", 20 - i};
	run.totals[VERDICT_SKIP] = 174;
	run.reasons = reasons;
	run.reason_count = UNIT_COUNT(reasons);
	char *text = report("summary", &run, (struct report_options){0});

	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n174 cases not applicable:\n"
					    "    20  why\n    19  why\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n    11  why\n"
					    "    19  for 2 other reasons\n"));
	free(text);
}

/* A requirement of s4.4 comes before one of s10, a case's own example before
 * the model's, and a failure without a requirement last. */
static void summary_tells_each_once(void)
{
	struct result_broken first[] = {
		{"MPA-10-01", "MUST", "RFC 5044 s10", "ten", "x", "", false},
		{"MPA-4.4-02", "MUST", "RFC 5044 s4.4", "two", "by it", "",
		 true},
	};
	struct result_broken second[] = {
		{"MPA-4.4-02", "MUST", "RFC 5044 s4.4", "two",
		 "due:  this\nseen: that", "an old fault", false},
		{"MPA-4.4-02", "MUST", "RFC 5044 s4.4", "two", "again", "",
		 false},
	};
	struct result results[] = {
		{.id = "mpa/a/one",
		 .verdict = VERDICT_FAIL,
		 .reason = "",
		 .detail = "",
		 .broken = first,
		 .broken_count = 2},
		{.id = "mpa/a/two",
		 .verdict = VERDICT_XFAIL,
		 .reason = "an old fault",
		 .detail = "",
		 .broken = second,
		 .broken_count = 2},
		{.id = "mpa/b/crash",
		 .verdict = VERDICT_FAIL,
		 .reason = "the device crashed",
		 .detail = "Oops"},
	};
	struct run_result run = nasty;

	run.results = results;
	run.count = UNIT_COUNT(results);
	char *text = report("summary", &run, (struct report_options){0});
	const char *from = strstr(text, "\nRFC 5044 s4.4");

	static const char due[] = "\nRFC 5044 s4.4: MPA-4.4-02 MUST: two\n"
				  "    due:  this\n    seen: that\n"
				  "    2 cases, 1 known, among them mpa/a/two\n"
				  "    known: an old fault\n"
				  "\nRFC 5044 s10: MPA-10-01 MUST: ten\n"
				  "    x\n    1 case: mpa/a/one\n"
				  "\nFAIL: mpa/b/crash: the device crashed\n"
				  "    Oops\n\nRequirements broken: 2 MUST\n";

	CU_ASSERT_PTR_NOT_NULL_FATAL(from);
	CU_ASSERT_NSTRING_EQUAL(from, due, sizeof(due) - 1);
	free(text);
}

/* Regardless of the order of the RFCs: MUST before SHOULD, then requirements
 * that more cases show, even if only the golden model has seen them. */
static void summary_leads_with_what_weighs_most(void)
{
	struct result_broken early = {
		"MPA-4.2-01", "MUST", "RFC 5044 s4.2", "early", "x", "", false};
	struct result_broken first[] = {
		{"MPA-4.1-01", "MUST", "RFC 5044 s4.1", "seen", "x", "", true},
		{"MPA-8-02", "SHOULD", "RFC 5044 s8", "asked", "x", "", false},
		{"DDP-3-01", "MUST NOT", "RFC 5041 s3", "cause", "x", "",
		 false},
	};
	struct result results[] = {
		{.id = "mpa/a/one", .broken = first, .broken_count = 3},
		{.id = "mpa/a/three", .broken = &early, .broken_count = 1},
		{.id = "mpa/a/two", .broken = first, .broken_count = 3},
	};
	static const char *const order[] = {": DDP-3-01 ", ": MPA-4.1-01 ",
					    ": MPA-4.2-01 ", ": MPA-8-02 "};
	struct run_result run = nasty;

	for (size_t i = 0; i < UNIT_COUNT(results); i++) {
		results[i].verdict = VERDICT_FAIL;
		results[i].detail = results[i].reason = "";
	}
	run.results = results;
	run.count = UNIT_COUNT(results);
	char *text = report("summary", &run, (struct report_options){0});
	const char *at = text;

	for (size_t i = 0; i < UNIT_COUNT(order); i++) {
		at = strstr(at, order[i]);
		CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	}
	free(text);
}

static void summary_is_harmless(void)
{
	char *text = report("summary", &nasty, (struct report_options){0});

	CU_ASSERT_PTR_NULL(strpbrk(text, "\x01\x07\x1b\r\x7f"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "\nRequirements broken: 1 MUST, 1 SHOULD\n"));
	free(text);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"tap reads back", tap_reads_back},
		{"a finding of the run is told", a_finding_of_the_run_is_told},
		{"tap says what the exit status says",
		 tap_says_what_the_exit_status_says},
		{"a journal is told", a_journal_is_told},
		{"tap escapes", tap_escapes},
		{"text reads as written", text_reads_as_written},
		{"text says one cause once", text_says_one_cause_once},
		{"text tells a finding in few cases",
		 text_tells_a_finding_in_few_cases},
		{"text tells what was met", text_tells_what_was_met},
		{"lines are broken at blanks", lines_are_broken_at_blanks},
		{"text is harmless", text_is_harmless},
		{"a run closes with its worst, and a grade",
		 a_run_closes_with_its_worst_and_a_grade},
		{"few reasons are told, most first", few_reasons_are_told},
		{"a summary tells each once", summary_tells_each_once},
		{"a summary leads with what weighs most",
		 summary_leads_with_what_weighs_most},
		{"a summary is harmless", summary_is_harmless},
	};

	return unit_run("reports as lines", tests, UNIT_COUNT(tests));
}
