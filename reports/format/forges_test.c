/* SPDX-License-Identifier: BSD-2-Clause */
/* What forges read: SARIF, and GitHub's annotations and Markdown. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "harness/unit.h"
#include "reports/format/github.h"
#include "reports/text/markdown.h"
#include "reports/publish/publish.h"
#include "reports/sample.h"

/* --- sarif --------------------------------------------------------------- */

/* The run of it; `root` is for the caller to give back. */
static json_t *sarif(const struct run_result *run, json_t **root)
{
	char *text = report("sarif", run, (struct report_options){0});

	*root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(*root);
	free(text);
	return json_array_get(json_object_get(*root, "runs"), 0);
}

static const char *text_at(json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s ? s : "(not a string)";
}

static const char *message_of(json_t *object)
{
	return text_at(json_object_get(object, "message"), "text");
}

static json_t *result_of(json_t *run, const char *rule, const char *id)
{
	json_t *one, *found = NULL;
	size_t i;

	json_array_foreach(json_object_get(run, "results"), i, one)
	{
		json_t *place =
			json_array_get(json_object_get(one, "locations"), 0);
		json_t *logical = json_array_get(
			json_object_get(place, "logicalLocations"), 0);

		if (strcmp(text_at(one, "ruleId"), rule) == 0 &&
		    strcmp(text_at(logical, "fullyQualifiedName"), id) == 0) {
			CU_ASSERT_PTR_NULL(found);
			found = one;
		}
	}
	return found;
}

static void a_result_is_a_case_that_breaks_a_requirement(void)
{
	json_t *root, *run = sarif(&nasty, &root);
	json_t *one = result_of(run, "MPA-4.4-14", "mpa/crc/fail");
	json_t *rules = json_object_get(
		json_object_get(json_object_get(run, "tool"), "driver"),
		"rules");

	CU_ASSERT_PTR_NOT_NULL_FATAL(one);
	CU_ASSERT_STRING_EQUAL(text_at(one, "level"), "error");
	CU_ASSERT_PTR_NOT_NULL(
		strstr(message_of(one), "mpa/crc/fail breaks MPA-4.4-14: "));
	CU_ASSERT_STRING_EQUAL(
		text_at(json_array_get(
				rules,
				(size_t)json_integer_value(
					json_object_get(one, "ruleIndex"))),
			"id"),
		"MPA-4.4-14");
	json_t *artifact = json_object_get(
		json_object_get(
			json_array_get(json_object_get(one, "locations"), 0),
			"physicalLocation"),
		"artifactLocation");

	CU_ASSERT_STRING_EQUAL(text_at(artifact, "uri"), "cases/mpa/crc.c");
	/* A SHOULD is a warning. */
	one = result_of(run, "MPA-8-02", "mpa/crc/fail");
	CU_ASSERT_PTR_NOT_NULL_FATAL(one);
	CU_ASSERT_STRING_EQUAL(text_at(one, "level"), "warning");
	json_decref(root);
}

static void a_known_one_is_suppressed_with_its_reason(void)
{
	struct run_result run = nasty;
	struct result known = nasty_results[1];
	json_t *root, *list;

	known.verdict = VERDICT_XFAIL;
	known.reason = "a reason";
	run.results = &known;
	run.count = run.planned = 1;
	json_t *r = sarif(&run, &root);
	json_t *one = result_of(r, "MPA-8-02", known.id);

	list = json_object_get(one, "suppressions");
	CU_ASSERT_EQUAL(json_array_size(list), 1);
	CU_ASSERT_STRING_EQUAL(
		text_at(json_array_get(list, 0), "justification"), "a reason");
	json_decref(root);
	/* Others say that they are not. */
	r = sarif(&nasty, &root);
	one = result_of(r, "MPA-8-02", "mpa/crc/fail");
	list = json_object_get(one, "suppressions");
	CU_ASSERT(json_is_array(list));
	CU_ASSERT_EQUAL(json_array_size(list), 0);
	json_decref(root);
}

static void a_result_is_recognized_from_run_to_run(void)
{
	struct run_result later = nasty;
	struct result moved[2] = {nasty_results[1], nasty_results[1]};
	json_t *first, *second;

	moved[0].detail = "otherwise";
	moved[0].duration_ns = 1;
	moved[1].id = "mpa/crc/other";
	later.results = moved;
	later.count = later.planned = 2;
	later.seed = 7;
	json_t *one =
		result_of(sarif(&nasty, &first), "MPA-8-02", "mpa/crc/fail");
	json_t *r = sarif(&later, &second);
	json_t *same = result_of(r, "MPA-8-02", "mpa/crc/fail"),
	       *other = result_of(r, "MPA-8-02", "mpa/crc/other"),
	       *rule = result_of(r, "MPA-4.4-14", "mpa/crc/fail");
	json_t *print = json_object_get(one, "partialFingerprints");

	CU_ASSERT_EQUAL(strlen(text_at(print, "primaryLocationLineHash")), 18);
	CU_ASSERT(json_equal(print,
			     json_object_get(same, "partialFingerprints")));
	CU_ASSERT_FALSE(json_equal(
		print, json_object_get(other, "partialFingerprints")));
	CU_ASSERT_FALSE(json_equal(
		print, json_object_get(rule, "partialFingerprints")));
	json_decref(first);
	json_decref(second);
}

static json_t *invocation_of(json_t *run)
{
	return json_array_get(json_object_get(run, "invocations"), 0);
}

/* How many notifications of this kind. */
static size_t notified(json_t *run, const char *kind)
{
	json_t *one;
	size_t i, n = 0;

	json_array_foreach(json_object_get(invocation_of(run),
					   "toolExecutionNotifications"),
			   i, one) n +=
		strcmp(text_at(json_object_get(one, "descriptor"), "id"),
		       kind) == 0;
	return n;
}

static void what_could_not_be_told_is_a_notification(void)
{
	struct run_result run = with_stale(), early = cut_short(),
			  none = empty(), odd = with_finding();
	json_t *root, *r = sarif(&run, &root);

	CU_ASSERT_EQUAL(notified(r, "case-error"), 1);
	CU_ASSERT_EQUAL(notified(r, "stale-deviation"), 2);
	CU_ASSERT_EQUAL(notified(r, "run-incomplete"), 0);
	CU_ASSERT_EQUAL(json_integer_value(
				json_object_get(invocation_of(r), "exitCode")),
			1);
	json_decref(root);
	r = sarif(&early, &root);
	CU_ASSERT_EQUAL(notified(r, "run-incomplete"), 1);
	json_decref(root);
	r = sarif(&none, &root);
	CU_ASSERT_EQUAL(notified(r, "run-incomplete"), 1);
	CU_ASSERT(json_is_false(
		json_object_get(invocation_of(r), "executionSuccessful")));
	json_decref(root);
	/* A fault of the device is a result. */
	r = sarif(&odd, &root);
	CU_ASSERT_PTR_NOT_NULL(result_of(r, "run-finding", "run"));
	json_decref(root);
}

/* Nothing in a message is a link or a placeholder. */
static void messages_are_text(void)
{
	struct run_result run = nasty;
	struct result one = nasty_results[1];
	struct result_broken broken = nasty_broken[0];
	json_t *root;

	broken.text = "[here](elsewhere) {0}";
	one.broken = &broken;
	one.broken_count = 1;
	run.results = &one;
	run.count = run.planned = 1;
	const char *text =
		message_of(result_of(sarif(&run, &root), "MPA-8-02", one.id));

	CU_ASSERT_PTR_NOT_NULL(strstr(text, "[here\\](elsewhere) {{0}}"));
	json_decref(root);
}

/* --- github -------------------------------------------------------------- */

static size_t lines_with(const char *text, const char *head)
{
	size_t n = 0;

	for (const char *line = text; *line;) {
		n += strncmp(line, head, strlen(head)) == 0;
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return n;
}

static void annotations_are_commands_and_nothing_else(void)
{
	struct run_result run = with_finding();
	char *text = report("github", &run, (struct report_options){0});

	/* Each line is one, whatever the device has sent. */
	CU_ASSERT_EQUAL(lines_with(text, ""), lines_with(text, "::"));
	CU_ASSERT_EQUAL(lines_with(text, "::notice "), 1);
	CU_ASSERT_EQUAL(lines_with(text, "::error "), 3);
	CU_ASSERT_PTR_NOT_NULL(strstr(
		text, "::error file=cases/mpa/crc.c,line=1,title=MPA-4.4-14 "
		      "MUST NOT (RFC 5044 s4.4)::the statement%0A"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "seen: \\x1b[1mb"));
	free(text);
}

/* A title ends at a comma or colon, a message at the line's end. */
static void annotations_are_escaped(void)
{
	struct run_result run = with_stale();
	struct result_stale stale = {"a,b:c%\n::error::x", "", "50%\nof it: y"};

	run.stale = &stale;
	run.stale_count = 1;
	char *text = report("github", &run, (struct report_options){0});

	CU_ASSERT_PTR_NOT_NULL(strstr(
		text, "::error title=stale deviation of "
		      "a%2Cb%3Ac%25%0A%3A%3Aerror%3A%3Ax::50%25%0Aof it: y\n"));
	free(text);
}

enum { MANY = 40 };

/* Broken requirements come before listed deviations. */
static void annotations_begin_with_what_is_broken(void)
{
	struct run_result run = with_stale();
	char *text = report("github", &run, (struct report_options){0});

	CU_ASSERT_EQUAL(strncmp(text, "::error file=cases/mpa/crc.c", 28), 0);
	CU_ASSERT_EQUAL(lines_with(text, "::error title=stale deviation"), 2);
	free(text);
}

/* A report of an older suite does not have the texts of requirements. */
static void what_is_not_known_is_no_empty_text(void)
{
	struct run_result run = nasty;
	struct result one = nasty_results[1];
	struct result_broken broken = nasty_broken[1];
	json_t *root;

	broken.statement = "";
	one.broken = &broken;
	one.broken_count = 1;
	run.results = &one;
	run.count = run.planned = 1;
	json_t *r = sarif(&run, &root);
	json_t *rule = json_array_get(
		json_object_get(
			json_object_get(json_object_get(r, "tool"), "driver"),
			"rules"),
		0);

	CU_ASSERT_STRING_EQUAL(
		text_at(json_object_get(rule, "shortDescription"), "text"),
		"MPA-4.4-14");
	CU_ASSERT_PTR_NOT_NULL(
		strstr(message_of(result_of(r, "MPA-4.4-14", one.id)),
		       "mpa/crc/fail breaks MPA-4.4-14\n"));
	json_decref(root);
}

/* Ten of a kind are shown: the last one has the number of the others. */
static void annotations_are_few(void)
{
	struct run_result run = nasty;
	struct result many[MANY];
	struct result_broken broken[MANY];
	char names[MANY][16];

	for (size_t i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof(names[i]), "MPA-%zu-01", i + 1);
		broken[i] = nasty_broken[1];
		broken[i].requirement = names[i];
		many[i] = nasty_results[1];
		many[i].broken = &broken[i];
		many[i].broken_count = 1;
	}
	run.results = many;
	run.count = run.planned = MANY;
	char *text = report("github", &run, (struct report_options){0});

	CU_ASSERT_EQUAL(lines_with(text, "::error "), 10);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "::error title=warpspec%3A 31 more::"));
	free(text);
}

static char *page_of(const struct run_result *run)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct report_options options = {0};

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_EQUAL(github_page(run, &options, out), 0);
	CU_ASSERT_EQUAL(fclose(out), 0);
	return text;
}

static void the_page_has_what_is_broken_and_the_command(void)
{
	struct run_result run = nasty;

	run.again = "warpspec run -d 'a b.ini'";
	char *text = page_of(&run);

	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "### Requirements broken: 1 MUST, 1 SHOULD\n"));
	CU_ASSERT(strstr(text, "| MPA-4.4-14 |") <
		  strstr(text, "| MPA-8-02 |"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "warpspec run -d &#39;a b.ini&#39; \\\n"
			     "  ddp/header/error \\\n  mpa/crc/fail\n"));
	free(text);
}

/* Text from a device is shown, and is never markup. */
static void markdown_is_inert(void)
{
	static const char *const rows[][2] = {
		{"a_b *c* [d](e) `f`",
		 "a_b &#42;c&#42; &#91;d&#93;(e) &#96;f&#96;"},
		{"<img src=x> | \"q\"",
		 "&#60;img src=x&#62; &#124; &#34;q&#34;"},
		{"@all #1 http://x www.x",
		 "&#64;all &#35;1 http&#58;//x www&#46;x"},
		{"a\nb\r", "a&#92;x0ab&#92;x0d"},
		{"_e_", "&#95;e&#95;"},
	};

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		CU_ASSERT_PTR_NOT_NULL_FATAL(out);
		markdown_put(out, rows[i][0], 100);
		CU_ASSERT_EQUAL(fclose(out), 0);
		CU_ASSERT_STRING_EQUAL(text, rows[i][1]);
		free(text);
	}
}

static void markdown_keeps_lines(void)
{
	static const char *const rows[][2] = {
		{"- a\n -b-c\n\n=d", "&#45; a<br> &#45;b-c<br><br>&#61;d"},
		{"1. a\n2) b\n3c.", "1&#46; a<br>2&#41; b<br>3c."},
		{"# *a*\nwww.x\x1b", "&#35; &#42;a&#42;<br>www&#46;x&#92;x1b"},
		{"", ""},
	};

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		CU_ASSERT_PTR_NOT_NULL_FATAL(out);
		markdown_lines(out, rows[i][0], "<br>");
		CU_ASSERT_EQUAL(fclose(out), 0);
		CU_ASSERT_STRING_EQUAL(text, rows[i][1]);
		free(text);
	}
}

static void markdown_is_bounded(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	/* A character is whole or not there. */
	markdown_put(out, "ab\xe2\x82\xac\xe2\x82\xac", 6);
	markdown_put(out, "|||", 11);
	CU_ASSERT_EQUAL(fclose(out), 0);
	CU_ASSERT_STRING_EQUAL(text, "ab\xe2\x82\xac...&#124;...");
	free(text);
}

/* GitHub takes a mebibyte. */
static void the_page_is_bounded(void)
{
	enum { CASES = 3000 };
	struct run_result run = nasty;
	struct result *many = calloc(CASES, sizeof(*many));
	char *hostile = malloc(100001), *text;

	CU_ASSERT_FATAL(many && hostile);
	memset(hostile, '|', 100000);
	hostile[100000] = '\0';
	struct result_broken broken = {hostile, hostile, hostile, hostile,
				       hostile, "",      false};

	for (size_t i = 0; i < CASES; i++) {
		many[i] = nasty_results[1];
		many[i].id = many[i].title = many[i].reason = many[i].detail =
			hostile;
		many[i].broken = &broken;
		many[i].broken_count = i % 2;
	}
	run.results = many;
	run.count = run.planned = CASES;
	run.device_name = run.device_impl = run.note = hostile;
	text = page_of(&run);
	CU_ASSERT(strlen(text) < 1 << 20);
	free(text);
	free(hostile);
	free(many);
}

/* --- two parts ----------------------------------------------------------- */

static char *contents(const char *path)
{
	static char text[1 << 16];
	FILE *in = fopen(path, "r");
	size_t n = in ? fread(text, 1, sizeof(text) - 1, in) : 0;

	text[n] = '\0';
	if (in)
		fclose(in);
	return text;
}

/* The annotations, which are the test's own standard output else. */
static int published(const char *path, char why[200])
{
	int mine, rc, null = open("/dev/null", O_WRONLY);

	fflush(stdout);
	mine = dup(1);
	dup2(null, 1);
	close(null);
	rc = report_publish(report_format_find("github"), &nasty, false, path,
			    why, 200);
	dup2(mine, 1);
	close(mine);
	return rc;
}

static void the_page_goes_behind_what_is_there(void)
{
	char path[] = "/tmp/forges_test.XXXXXX", why[200];
	int fd = mkstemp(path);

	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(write(fd, "before\n", 7), 7);
	close(fd);
	setenv("GITHUB_STEP_SUMMARY", path, 1);
	CU_ASSERT_EQUAL(published(NULL, why), 0);
	CU_ASSERT_EQUAL(strncmp(contents(path), "before\n## ", 10), 0);
	unlink(path);
	/* A given path has priority, and contains only that page. */
	CU_ASSERT_EQUAL(published(path, why), 0);
	CU_ASSERT_EQUAL(strncmp(contents(path), "## ", 3), 0);
	unlink(path);
	setenv("GITHUB_STEP_SUMMARY", "/nowhere/x", 1);
	CU_ASSERT_EQUAL(report_check_place(report_format_find("github"), NULL,
					   why, sizeof(why)),
			-1);
	CU_ASSERT_STRING_EQUAL(why, "/nowhere/x: No such file or directory");
	setenv("GITHUB_STEP_SUMMARY", "/dev/full", 1);
	CU_ASSERT_EQUAL(published(NULL, why), -1);
	CU_ASSERT_STRING_EQUAL(why, "/dev/full: No space left on device");
	unsetenv("GITHUB_STEP_SUMMARY");
	CU_ASSERT_EQUAL(published(NULL, why), 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"a result is a case that breaks a requirement",
		 a_result_is_a_case_that_breaks_a_requirement},
		{"a known one is suppressed",
		 a_known_one_is_suppressed_with_its_reason},
		{"a result is recognized",
		 a_result_is_recognized_from_run_to_run},
		{"what could not be judged is a notification",
		 what_could_not_be_told_is_a_notification},
		{"messages are text", messages_are_text},
		{"annotations are commands",
		 annotations_are_commands_and_nothing_else},
		{"annotations are escaped", annotations_are_escaped},
		{"annotations begin with what is broken",
		 annotations_begin_with_what_is_broken},
		{"what is not known", what_is_not_known_is_no_empty_text},
		{"annotations are few", annotations_are_few},
		{"the page", the_page_has_what_is_broken_and_the_command},
		{"markdown is inert", markdown_is_inert},
		{"markdown keeps lines", markdown_keeps_lines},
		{"markdown is bounded", markdown_is_bounded},
		{"the page is bounded", the_page_is_bounded},
		{"the page goes behind what is there",
		 the_page_goes_behind_what_is_there},
	};

	return unit_run("reports for forges", tests, UNIT_COUNT(tests));
}
