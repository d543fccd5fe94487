/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports written by json.c are read back; documents that it would not write
 * are refused. */
#include "reports/load/load.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "reports/sample.h"

static const struct report_options plain;

static void comes_back(const struct run_result *run)
{
	char *text = report("json", run, plain), *again, why[512] = "";
	const struct run_result *back = report_load_octets(
		text, strlen(text), "a.json", why, sizeof(why));

	CU_ASSERT_STRING_EQUAL(why, "");
	CU_ASSERT_PTR_NOT_NULL_FATAL(back);
	again = report("json", back, plain);
	CU_ASSERT_STRING_EQUAL(text, again);
	free(again);
	/* A writer with more data than the JSON has to report it, too. */
	again = report("text", back, (struct report_options){.verbose = true});
	CU_ASSERT(strlen(again) > 100);
	free(again);
	report_unload(back);
	free(text);
}

static void what_is_written_comes_back(void)
{
	struct run_result early = cut_short(), met = with_dimensions();
	struct run_result journal = with_journal(), stale = with_stale();
	struct run_result finding = with_finding(), none = empty();
	const struct result_statement statement = {NASTY_LINE, "0123abcd",
						   "one\n  another\n"};

	finding.statement = &statement;
	early.again = "build/warpspec run --refdut=x";
	finding.again = "";
	finding.known = finding.findings;
	finding.known_count = 1;
	comes_back(&nasty);
	comes_back(&early);
	comes_back(&met);
	comes_back(&journal);
	comes_back(&stale);
	comes_back(&finding);
	comes_back(&none);
}

static void every_member_comes_back(void)
{
	struct run_result run = with_dimensions();
	char *text = report("json", &run, plain), why[512] = "";
	const struct run_result *back = report_load_octets(
		text, strlen(text), "a.json", why, sizeof(why));

	CU_ASSERT_PTR_NOT_NULL_FATAL(back);
	CU_ASSERT_EQUAL(back->shard, 2);
	CU_ASSERT_EQUAL(back->shards, 3);
	CU_ASSERT_EQUAL(back->seed, UINT64_MAX);
	CU_ASSERT_EQUAL(back->duration_ns, run.duration_ns);
	CU_ASSERT_EQUAL(back->started.tv_sec, run.started.tv_sec);
	CU_ASSERT_EQUAL(back->mutants, run.mutants);
	CU_ASSERT_STRING_EQUAL(back->identity[0].value, NASTY_LINE);
	CU_ASSERT_PTR_NULL(back->again);
	CU_ASSERT_EQUAL(back->unknown_met, 2);
	CU_ASSERT_EQUAL(back->planned, run.planned);
	CU_ASSERT_EQUAL(memcmp(back->totals, run.totals, sizeof(run.totals)),
			0);
	CU_ASSERT_EQUAL_FATAL(back->dimensions[0].count,
			      run.dimensions[0].count);
	for (size_t i = 0; i < run.dimensions[0].count; i++)
		CU_ASSERT_EQUAL(memcmp(&back->dimensions[0].values[i],
				       &run.dimensions[0].values[i],
				       sizeof(run.dimensions[0].values[i])),
				0);
	for (size_t i = 0; i < run.count; i++) {
		CU_ASSERT_EQUAL(back->results[i].verdict,
				run.results[i].verdict);
		CU_ASSERT_EQUAL(back->results[i].duration_ns,
				run.results[i].duration_ns);
		CU_ASSERT_EQUAL(back->results[i].event_count,
				run.results[i].event_count);
	}
	CU_ASSERT_STRING_EQUAL(back->results[1].broken[0].statement,
			       NASTY_LINE);
	CU_ASSERT(back->results[1].broken[0].by_model);
	report_unload(back);
	free(text);
}

/* One that does not list all values of a dimension, as older ones. */
static void an_older_report_is_read(void)
{
	struct run_result run = with_dimensions();
	char *text = report("json", &run, plain), *old, *said, why[512] = "";
	json_t *root = json_loads(text, 0, NULL), *one;
	const struct run_result *back;
	size_t i;

	json_array_foreach(json_object_get(root, "dimensions"), i, one)
		json_object_del(one, "values");
	json_object_del(root, "duration_ms");
	old = json_dumps(root, 0);
	back = report_load_octets(old, strlen(old), "a", why, sizeof(why));
	CU_ASSERT_STRING_EQUAL(why, "");
	CU_ASSERT_PTR_NOT_NULL_FATAL(back);
	said = report("json", back, plain);
	CU_ASSERT_PTR_NOT_NULL(strstr(said, "\"0-1\""));
	CU_ASSERT_PTR_NOT_NULL(strstr(said, "\"3..9\""));
	CU_ASSERT_PTR_NOT_NULL(strstr(said, "\"10-18446744073709551615\""));
	free(said);
	report_unload(back);
	json_decref(root);
	free(old);
	free(text);
}

/* --- refused documents ---------------------------------------------------- */

static void is_refused(const char *text, const char *due)
{
	char why[512] = "";
	const struct run_result *run = report_load_octets(
		text, strlen(text), "a.json", why, sizeof(why));

	CU_ASSERT_PTR_NULL(run);
	report_unload(run);
	if (!strstr(why, due) || strncmp(why, "a.json: ", 8) != 0) {
		fprintf(stderr, "due: %s\nsaid: %s\n", due, why);
		CU_FAIL("refused with another line");
	}
}

/* The sample with `value` at a path of keys and indices; NULL: nothing there. */
static void is_refused_with(const char *path, json_t *value, const char *due)
{
	struct run_result run = with_dimensions();
	char *text = report("json", &run, plain), *wrong, *key, *rest;
	char keys[128];
	json_t *root = json_loads(text, 0, NULL), *at = root;

	snprintf(keys, sizeof(keys), "%s", path);
	for (key = keys; (rest = strchr(key, '/')); key = rest + 1) {
		*rest = '\0';
		at = json_is_array(at) ? json_array_get(at, (size_t)atoi(key))
				       : json_object_get(at, key);
	}
	if (!value)
		json_object_del(at, key);
	else if (json_is_array(at))
		json_array_set_new(at, (size_t)atoi(key), value);
	else
		json_object_set_new(at, key, value);
	wrong = json_dumps(root, 0);
	is_refused(wrong, due);
	free(wrong);
	json_decref(root);
	free(text);
}

static void what_is_no_report_is_refused(void)
{
	char *text = report("json", &nasty, plain), deep[64];

	is_refused("", "line 1: ");
	is_refused("[]", "not a report of a run");
	is_refused("{}", "not a report of a run");
	is_refused("{\"schema\": 1}", "a report of schema 1");
	is_refused("{\"schema\": 3}", "a report of schema 3");
	is_refused("{\"schema\": \"2\"}", "not a report of a run");
	is_refused("{\"schema\": 2}", "suite is missing");
	is_refused("{\"schema\": 2, \"schema\": 2}", "duplicate");
	memset(deep, '[', sizeof(deep));
	deep[sizeof(deep) - 1] = '\0';
	is_refused(deep, "nested deeper");
	for (size_t n = strlen(text) - 2; n > 2; n /= 2) {
		text[n] = '\0';
		is_refused(text, "line ");
	}
	free(text);
}

static void what_is_not_so_is_refused(void)
{
	is_refused_with("cases/0/id", json_string("a"),
			"cases[0]: id: not the path");
	is_refused_with("cases/0/id", json_string("a/b\x1b[31m"),
			"cases[0]: id: not the path");
	is_refused_with("cases/0/id", json_string("a//b"), "id: not the path");
	is_refused_with("cases/1/id", json_string("a/b"), "not in the order");
	is_refused_with("cases/1/id", json_integer(1), "expected a string");
	is_refused_with("cases/1/verdict", json_string("fails"),
			"cases[1]: verdict: unknown value: fails");
	is_refused_with("cases/1/verdict", json_string("pass"), "totals: ");
	is_refused_with("cases/1/detail", json_string(""), "without a detail");
	is_refused_with("cases/1/title", NULL, "title is missing");
	is_refused_with("cases/1/levels", json_true(), "no such key: levels");
	is_refused_with("cases/1/duration_ms", json_real(-1),
			"expected milliseconds");
	is_refused_with("cases/1/broken/0/by_model", json_integer(1),
			"cases[1]: broken[0]: by_model: expected true");
	is_refused_with("cases/1/evidence", json_object(), "evidence: ");
	is_refused_with("cases", json_object(), "cases: expected a list");
	is_refused_with("totals/pass", json_integer(7), "totals: pass: 7");
	is_refused_with("device", json_array(), "device: expected an object");
	is_refused_with("suite/held_to", json_integer(1), "expected an object");
	is_refused_with("shard/index", json_integer(4),
			"part 4 of 3 is missing");
	is_refused_with("shard/index", json_integer(-1), "expected a number");
	is_refused_with("exit_status", json_integer(6), "a number up to 5");
	is_refused_with("started", json_string("yesterday"), "expected a time");
	is_refused_with("reason", json_string(""), "no such key: reason");
	is_refused_with("seed", json_string("1844674407370955161600"),
			"expected a number");
	is_refused_with("dimensions/0/met/0", json_string("1.."),
			"dimensions[0]: met[0]: expected values");
	is_refused_with("dimensions/0/met/0", json_string("2"), "met");
}

/* The file itself. */
static void files_are_bounded(void)
{
	char dir[] = "/tmp/load_test.XXXXXX", path[64], why[512];
	char *text = report("json", &nasty, plain);

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/a", dir);
	CU_ASSERT_PTR_NULL(report_load(path, why, sizeof(why)));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "/a: No such file"));
	CU_ASSERT_PTR_NULL(report_load(dir, why, sizeof(why)));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "not a regular file"));
	CU_ASSERT_EQUAL(mkfifo(path, 0600), 0);
	CU_ASSERT_PTR_NULL(report_load(path, why, sizeof(why)));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "not a regular file"));
	unlink(path);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	CU_ASSERT_EQUAL(write(fd, text, strlen(text)), (ssize_t)strlen(text));

	const struct run_result *run = report_load(path, why, sizeof(why));

	CU_ASSERT_PTR_NOT_NULL(run);
	report_unload(run);
	CU_ASSERT_EQUAL(ftruncate(fd, (off_t)1 << 40), 0);
	CU_ASSERT_PTR_NULL(report_load(path, why, sizeof(why)));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "larger than 256 MiB"));
	close(fd);
	unlink(path);
	rmdir(dir);
	free(text);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"what is written comes back", what_is_written_comes_back},
		{"every member comes back", every_member_comes_back},
		{"an older report is read", an_older_report_is_read},
		{"what is no report is refused", what_is_no_report_is_refused},
		{"what is not so is refused", what_is_not_so_is_refused},
		{"files are bounded", files_are_bounded},
	};

	return unit_run("load", tests, UNIT_COUNT(tests));
}
