/* SPDX-License-Identifier: BSD-2-Clause */
/* Run from the top of the tree: it reads the schemas in reports/. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>
#include <libxml/parser.h>
#include <libxml/xmlschemas.h>
#include <libxml/xpath.h>

#include "harness/unit.h"
#include "reports/sample.h"

static void formats_have_names(void)
{
	static const char *const names[] = {"text",  "summary", "json",
					    "junit", "tap",     "html",
					    "sarif", "github"};

	for (size_t i = 0; i < UNIT_COUNT(names); i++)
		CU_ASSERT_PTR_EQUAL(report_format_find(names[i]),
				    report_format_at(i));
	CU_ASSERT_PTR_NULL(report_format_at(UNIT_COUNT(names)));
	CU_ASSERT_PTR_NULL(report_format_find("yaml"));
	CU_ASSERT_PTR_NULL(report_format_find(""));
}

/* A full device is an error with a reason, in every format. */
static void writers_report_a_full_disk(void)
{
	const struct report_format *f;

	for (size_t i = 0; (f = report_format_at(i)); i++) {
		FILE *full = fopen("/dev/full", "w");
		struct report_options options = {false, false};

		CU_ASSERT_PTR_NOT_NULL_FATAL(full);
		if (!f->write) { /* a folder: html_test.c */
			fclose(full);
			continue;
		}
		setvbuf(full, NULL, _IONBF, 0);
		CU_ASSERT_EQUAL(f->write(&nasty, &options, full), -1);
		fclose(full);
	}
}

/* ---- json ---- */

/* `schema_check.sh` on this text: its exit status. */
static int schema_status(const char *text)
{
	char path[] = "/tmp/reports_test.XXXXXX", command[128];
	int fd = mkstemp(path);

	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	snprintf(command, sizeof(command),
		 "reports/schema/schema_check.sh %s 2>/dev/null", path);
	int status = system(command);

	unlink(path);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char *text_at(json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s ? s : "(not a string)";
}

static void json_reads_back(void)
{
	char *text = report("json", &nasty, (struct report_options){0});
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	json_t *cases = json_object_get(root, "cases");
	json_t *fail = json_array_get(cases, 1);

	CU_ASSERT_EQUAL(json_integer_value(json_object_get(root, "schema")), 2);
	CU_ASSERT_STRING_EQUAL(text_at(root, "seed"), "18446744073709551615");
	CU_ASSERT_STRING_EQUAL(text_at(root, "started"),
			       "2023-11-14T22:13:20.999Z");
	CU_ASSERT_STRING_EQUAL(text_at(root, "finished"),
			       "2023-11-14T22:13:22.001Z");
	CU_ASSERT_EQUAL(json_array_size(cases), nasty.count);
	for (size_t i = 0; i < nasty.count; i++) {
		json_t *c = json_array_get(cases, i);

		CU_ASSERT_STRING_EQUAL(text_at(c, "id"), nasty_results[i].id);
		CU_ASSERT_STRING_EQUAL(text_at(c, "title"),
				       nasty_results[i].title);
		CU_ASSERT_STRING_EQUAL(text_at(c, "verdict"),
				       verdict_name(nasty_results[i].verdict));
		CU_ASSERT_STRING_EQUAL(
			text_at(c, "teardown"),
			teardown_name(nasty_results[i].teardown));
		CU_ASSERT_EQUAL(
			json_array_size(json_object_get(c, "requirements")),
			nasty_results[i].requirement_count);
	}
	CU_ASSERT_STRING_EQUAL(text_at(fail, "capture"), "captures/a b&c.pcap");
	CU_ASSERT(json_is_null(
		json_object_get(json_array_get(cases, 0), "capture")));
	CU_ASSERT_DOUBLE_EQUAL(
		json_real_value(json_object_get(fail, "duration_ms")), 1.234567,
		1e-9);
	/* Octets that are not UTF-8 are spelled out, the rest is unchanged. */
	CU_ASSERT_STRING_EQUAL(text_at(json_array_get(cases, 2), "detail"),
			       "chose \\xff");
	CU_ASSERT_PTR_NOT_NULL(strstr(text_at(fail, "detail"), NASTY_LINES));
	CU_ASSERT_PTR_NOT_NULL(strstr(text_at(fail, "detail"), "\x1b[31m\r"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text_at(fail, "detail"), "\\xed\\xa0"));
	CU_ASSERT_EQUAL(json_array_size(json_object_get(
				json_object_get(fail, "evidence"), "events")),
			UNIT_COUNT(nasty_events));
	CU_ASSERT_PTR_NULL(
		json_object_get(json_array_get(cases, 0), "evidence"));
	json_decref(root);
	free(text);
}

static void json_tells_what_was_met(void)
{
	struct run_result run = with_dimensions();
	char *text = report("json", &run, (struct report_options){0});
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	json_t *list = json_object_get(root, "dimensions");
	json_t *d = json_array_get(list, 0);
	json_t *met = json_object_get(d, "met");
	json_t *never = json_object_get(d, "never");

	CU_ASSERT_EQUAL(json_array_size(list), 2);
	CU_ASSERT_STRING_EQUAL(text_at(d, "name"), "peer-size");
	CU_ASSERT_STRING_EQUAL(text_at(d, "high"), "18446744073709551615");
	CU_ASSERT_EQUAL(json_integer_value(json_object_get(d, "low")), 0);
	CU_ASSERT_EQUAL(json_array_size(met), 2);
	CU_ASSERT_STRING_EQUAL(json_string_value(json_array_get(met, 0)),
			       "0-1");
	CU_ASSERT_STRING_EQUAL(json_string_value(json_array_get(met, 1)),
			       "3..9");
	CU_ASSERT_EQUAL(json_array_size(never), 2);
	CU_ASSERT_STRING_EQUAL(json_string_value(json_array_get(never, 0)),
			       "2");
	CU_ASSERT_STRING_EQUAL(json_string_value(json_array_get(never, 1)),
			       "10-18446744073709551615");
	CU_ASSERT_EQUAL(json_integer_value(json_object_get(
				root, "cases_without_dimensions")),
			2);
	CU_ASSERT_EQUAL(schema_status(text), 0);
	json_decref(root);
	free(text);
}

static void json_seed_is_a_number_while_exact(void)
{
	struct run_result run = empty();
	static const struct {
		uint64_t seed;
		const char *line;
	} rows[] = {
		{0, "\"seed\": 0,"},
		{(UINT64_C(1) << 53) - 1, "\"seed\": 9007199254740991,"},
		{UINT64_C(1) << 53, "\"seed\": \"9007199254740992\","},
	};

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		run.seed = rows[i].seed;
		char *text = report("json", &run, (struct report_options){0});

		CU_ASSERT_PTR_NOT_NULL(strstr(text, rows[i].line));
		free(text);
	}
}

static void json_is_valid_by_the_schema(void)
{
	struct run_result runs[] = {nasty,        cut_short(),
				    empty(),      with_finding(),
				    with_stale(), with_journal()};

	for (size_t i = 0; i < UNIT_COUNT(runs); i++) {
		char *text =
			report("json", &runs[i], (struct report_options){0});

		CU_ASSERT_EQUAL(schema_status(text), 0);
		free(text);
	}
}

/* A copy of text in which the first `seen` is `instead`. */
static char *with(const char *text, const char *seen, const char *instead)
{
	size_t before = 0;
	char *copy = NULL;

	while (text[before] && strncmp(text + before, seen, strlen(seen)) != 0)
		before++;
	CU_ASSERT_FATAL(text[before] != '\0');
	CU_ASSERT_FATAL(asprintf(&copy, "%.*s%s%s", (int)before, text, instead,
				 text + before + strlen(seen)) > 0);
	return copy;
}

/* The schema would detect it: each fault alone makes a report invalid. */
static void schema_refuses_a_fault(void)
{
	static const struct {
		const char *seen, *instead;
	} faults[] = {
		{"\"schema\": 2", "\"schema\": 1"},
		{"\"link\":", "\"lnik\":"},
		{"\"verdict\": \"fail\"", "\"verdict\": \"FAIL\""},
		{"\"pass\": 1", "\"pass\": 2"},
		{"\"id\": \"mpa/crc/info\"", "\"id\": \"mpa/crc/fail\""},
		{".999Z", ".999+00:00"},
		{"\"reason\": \"the device", "\"reason\": \"\", \"x\": \""},
	};
	char *text = report("json", &nasty, (struct report_options){0});

	for (size_t i = 0; i < UNIT_COUNT(faults); i++) {
		char *wrong = with(text, faults[i].seen, faults[i].instead);

		CU_ASSERT_EQUAL(schema_status(wrong), 1);
		free(wrong);
	}
	free(text);
}

/* ---- junit ---- */

static bool junit_is_valid(xmlDoc *doc)
{
	xmlSchemaParserCtxt *parser =
		xmlSchemaNewParserCtxt("reports/schema/junit.xsd");
	xmlSchema *schema = xmlSchemaParse(parser);
	xmlSchemaValidCtxt *valid = xmlSchemaNewValidCtxt(schema);
	int status = valid ? xmlSchemaValidateDoc(valid, doc) : -1;

	xmlSchemaFreeValidCtxt(valid);
	xmlSchemaFree(schema);
	xmlSchemaFreeParserCtxt(parser);
	return status == 0;
}

/* The value of an XPath expression, as a string for xmlFree(). */
static char *xpath(xmlDoc *doc, const char *expression)
{
	xmlXPathContext *context = xmlXPathNewContext(doc);
	xmlXPathObject *object =
		xmlXPathEvalExpression(BAD_CAST expression, context);
	char *value = (char *)xmlXPathCastToString(object);

	xmlXPathFreeObject(object);
	xmlXPathFreeContext(context);
	return value;
}

static void xpath_is(xmlDoc *doc, const char *expression, const char *due)
{
	char *seen = xpath(doc, expression);

	if (strcmp(seen, due) != 0)
		fprintf(stderr, "%s: seen '%s', due '%s'\n", expression, seen,
			due);
	CU_ASSERT_STRING_EQUAL(seen, due);
	xmlFree(seen);
}

static xmlDoc *junit(const struct run_result *run)
{
	char *text = report("junit", run, (struct report_options){0});
	xmlDoc *doc = xmlReadMemory(text, (int)strlen(text), "report", NULL,
				    XML_PARSE_NONET);

	free(text);
	CU_ASSERT_PTR_NOT_NULL_FATAL(doc);
	CU_ASSERT(junit_is_valid(doc));
	return doc;
}

static void junit_reads_back(void)
{
	static const char *const rows[][2] = {
		{"/testsuites/@tests", "7"},
		{"/testsuites/@failures", "1"},
		{"/testsuites/@errors", "1"},
		{"/testsuites/@skipped", "2"},
		{"/testsuites/@time", "1.001000"},
		{"count(//testsuite)", "2"},
		{"//testsuite[1]/@name", "ddp/header"},
		{"//testsuite[2]/@name", "mpa/crc"},
		{"//testsuite[2]/@tests", "6"},
		{"//testsuite[2]/@timestamp", "2023-11-14T22:13:20.999Z"},
		{"//testcase[@name='fail']/@classname", "mpa.crc"},
		{"//testcase[@name='fail']/@time", "0.001235"},
		{"//testcase[@name='fail']/failure/@message",
		 "breaks MPA-8-02 (RFC 5044 s8): " NASTY_LINE " (and 1 more)"},
		{"//testcase[@name='fail']/failure/@type", "MUST"},
		{"//testcase[@name='fail']/system-out",
		 "[[ATTACHMENT|captures/a b&c.pcap]]\n"},
		{"count(//testcase[@name='fail']//property[@name="
		 "'requirement'])",
		 "2"},
		{"count(//testcase[@name='pass']/*[name() != 'properties'])",
		 "0"},
		{"//testcase[@name='skip']/skipped/@message",
		 "the device claims no " NASTY_LINE},
		{"//testcase[@name='xfail']/skipped/@message",
		 "known: " NASTY_LINE " # TODO"},
		{"//testcase[@name='warn']/system-out",
		 "seen: " NASTY_LINE "\ndue: x\n"},
		{"count(//testcase[@name='warn']/failure)", "0"},
		{"//testcase[@name='error']/error",
		 NASTY_LINE "\n" NASTY_LINES},
		{"//testsuite[1]//property[@name='seed']/@value",
		 "18446744073709551615"},
		{"//testsuite[1]//property[@name='device.impl']/@value",
		 "siw <6.1> & \\xfe"},
	};
	xmlDoc *doc = junit(&nasty);

	for (size_t i = 0; i < UNIT_COUNT(rows); i++)
		xpath_is(doc, rows[i][0], rows[i][1]);
	char *detail = xpath(doc, "//testcase[@name='fail']/failure");

	/* What XML cannot hold is spelled out. */
	CU_ASSERT_PTR_NOT_NULL(strstr(
		detail, "\\x01\\x07\\x1b[31m\\x0d\\x7f\\u0085\\xff\\xc3 "));
	CU_ASSERT_PTR_NOT_NULL(strstr(detail, "\\ufffe"));
	xmlFree(detail);
	xmlFreeDoc(doc);
}

static void junit_tells_an_early_end(void)
{
	struct run_result run = cut_short(), none = empty();
	xmlDoc *doc = junit(&run);

	xpath_is(doc, "/testsuites/@tests", "6");
	xpath_is(doc, "/testsuites/@errors", "2");
	xpath_is(doc, "count(//testcase)", "6");
	xpath_is(doc, "//testcase[@name='ended_early']/error/@message",
		 "interrupted # here\\x0aok 6 - forged");
	xmlFreeDoc(doc);
	doc = junit(&none);
	/* Nothing ran, which is not a success. */
	xpath_is(doc, "/testsuites/@tests", "1");
	xpath_is(doc, "/testsuites/@errors", "1");
	xpath_is(doc, "//testcase[@name='exit_status']/error/@message",
		 "exit status 5: no case is left");
	xmlFreeDoc(doc);
}

/* A reader of this report alone sees the reason for exit status 1. */
static void junit_says_what_the_exit_status_says(void)
{
	struct run_result stale = with_stale(), strict = nasty;
	xmlDoc *doc = junit(&stale);

	xpath_is(doc, "/testsuites/@tests", "9");
	xpath_is(doc, "/testsuites/@failures", "3");
	xpath_is(doc, "//testsuite[@name='deviations']/@failures", "2");
	xpath_is(doc, "//testcase[@name='mpa/crc/*']/@classname", "deviations");
	xpath_is(doc, "//testcase[@name='mpa/crc/*']/failure/@message",
		 "has expired");
	xpath_is(doc, "count(//testcase[@classname='deviations']/failure)",
		 "2");
	xmlFreeDoc(doc);
	strict.strict = true;
	doc = junit(&strict);
	xpath_is(doc, "/testsuites/@failures", "2");
	xpath_is(doc, "//testcase[@name='warn']/failure/@type", "SHOULD");
	xmlFreeDoc(doc);
}

/* One that passed, and ended well or not, on a device that is named. */
static void the_run_is_named(void)
{
	char *text = report("json", &nasty, (struct report_options){0});
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	json_t *device = json_object_get(root, "device"),
	       *host = json_object_get(root, "host"),
	       *shard = json_object_get(root, "shard");
	xmlDoc *doc = junit(&nasty);

	CU_ASSERT_STRING_EQUAL(text_at(json_object_get(root, "suite"), "build"),
			       "0123abcd");
	CU_ASSERT_STRING_EQUAL(text_at(device, "maker"), NASTY_LINE);
	CU_ASSERT_PTR_NOT_NULL(json_object_get(device, "firmware"));
	CU_ASSERT_STRING_EQUAL(text_at(host, "name"), "host");
	CU_ASSERT_STRING_EQUAL(text_at(host, "machine"), "x86_64");
	CU_ASSERT_EQUAL(json_integer_value(json_object_get(shard, "index")), 2);
	CU_ASSERT_EQUAL(json_integer_value(json_object_get(shard, "count")), 3);
	CU_ASSERT_EQUAL(json_integer_value(json_object_get(root, "jobs")), 4);
	CU_ASSERT_EQUAL(json_array_size(json_object_get(root, "selectors")), 1);
	CU_ASSERT_EQUAL(
		json_integer_value(json_object_get(root, "exit_status")), 1);
	xpath_is(doc, "//testsuite[1]//property[@name='device.maker']/@value",
		 NASTY_LINE);
	xpath_is(doc, "//testsuite[1]//property[@name='shard']/@value", "2/3");
	xmlFreeDoc(doc);
	json_decref(root);
	free(text);
}

static void a_finding_of_the_run_is_told(void)
{
	struct run_result run = with_finding();
	xmlDoc *doc = junit(&run);
	char *text = report("json", &run, (struct report_options){0});

	xpath_is(doc, "/testsuites/@tests", "8");
	xpath_is(doc, "/testsuites/@failures", "2");
	xpath_is(doc, "count(//testcase)", "8");
	xpath_is(doc, "//testcase[@name='finding']/failure/@message",
		 "the device crashed: # SKIP a, b");
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "Oops: <0002>"));
	xmlFreeDoc(doc);
	free(text);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"formats have names", formats_have_names},
		{"writers report a full disk", writers_report_a_full_disk},
		{"json reads back", json_reads_back},
		{"json has what was met", json_tells_what_was_met},
		{"json seed", json_seed_is_a_number_while_exact},
		{"json is valid", json_is_valid_by_the_schema},
		{"schema refuses a fault", schema_refuses_a_fault},
		{"junit reads back", junit_reads_back},
		{"junit reports an early end", junit_tells_an_early_end},
		{"junit says what the exit status says",
		 junit_says_what_the_exit_status_says},
		{"the run is named", the_run_is_named},
		{"a finding of the run is reported",
		 a_finding_of_the_run_is_told},
	};

	return unit_run("reports", tests, UNIT_COUNT(tests));
}
