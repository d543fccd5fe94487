/* SPDX-License-Identifier: BSD-2-Clause */
/* Whichever allocation fails, alone or with all behind it: a result is whole, or
 * there is none. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/unit.h"
#include "reports/sample.h"
#include "suite/judge/deviations/deviations.h"
#include "suite/judge/evidence.h"
#include "suite/judge/merge.h"
#include "suite/judge/reasons.h"

#define MOST 1000

static long succeed = -1; /* allocations that do; -1: all */
static bool once;         /* one fails, those behind it succeed */
static bool failed;

static bool is_granted(void)
{
	if (succeed == 0) {
		if (once)
			succeed = -1;
		failed = true;
		errno = ENOMEM;
		return false;
	}
	if (succeed > 0)
		succeed--;
	return true;
}

/* These replace the C library's functions, which a sanitizer may replace,
 * too. */
void *malloc(size_t n)
{
	static void *(*real)(size_t);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "malloc");
	return is_granted() ? real(n) : NULL;
}

void *calloc(size_t n, size_t size)
{
	static void *(*real)(size_t, size_t);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "calloc");
	return is_granted() ? real(n, size) : NULL;
}

void *realloc(void *at, size_t n)
{
	static void *(*real)(void *, size_t);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "realloc");
	return is_granted() ? real(at, n) : NULL;
}

static void give(long allocations)
{
	failed = false;
	succeed = allocations;
}

static bool was_too_little(void)
{
	succeed = -1;
	return failed;
}

/* --- merge ---------------------------------------------------------------- */

static const struct result of_one[] = {
	{.id = "a/a", .verdict = VERDICT_PASS, .reason = ""},
	{.id = "a/d", .verdict = VERDICT_SKIP, .reason = "no reason"},
};
static const struct result of_two[] = {
	{.id = "a/b", .verdict = VERDICT_FAIL, .reason = ""},
};
static const struct result_values values[] = {{0, 0, true}, {1, 9, false}};
static const struct result_dimension dimension = {"d", "octets", "what", 0,
						  9,   false,    values, 2};
static const struct result_stale stale = {"e", "a/a", "t"};
static const struct result_reading reading = {.name = "swapped"};
static const char *const finding = "a finding";

static struct run_result shard(unsigned k)
{
	return (struct run_result){
		.suite_name = "warpspec",
		.suite_version = "1",
		.suite_build = "ab",
		.device_name = "d",
		.device_agent = k == 1 ? "a" : "b",
		.device_impl = "i",
		.host_name = k == 1 ? "h1" : "h2",
		.host_release = "r",
		.host_machine = "m",
		.link = "socket",
		.spec = "rfc7306",
		.link_note = "",
		.shard = k,
		.shards = 2,
		.results = k == 1 ? of_one : of_two,
		.count = k == 1 ? 2 : 1,
		.planned = k == 1 ? 2 : 1,
		.dimensions = &dimension,
		.dimension_count = 1,
		.stale = &stale,
		.stale_count = 1,
		.readings = &reading,
		.reading_count = 1,
		.findings = &finding,
		.finding_count = 1,
		.known = &finding,
		.known_count = 1,
		.journal = "",
		.note = "",
	};
}

static void merge_without_memory(bool alone)
{
	static const char *const names[] = {"one.json", "two.json"};
	const struct run_result one = shard(1), two = shard(2);
	const struct run_result *runs[] = {&one, &two};
	bool little = true;
	long n;

	for (n = 0; little && n < MOST; n++) {
		char why[64] = "";

		once = alone;
		give(n);
		const struct run_result *m =
			merge_shards(runs, names, 2, why, sizeof(why));

		once = false;
		little = was_too_little();
		if (!m) {
			CU_ASSERT(little);
			CU_ASSERT_STRING_EQUAL(why, "out of memory");
			continue;
		}
		CU_ASSERT_EQUAL(m->count, 3);
		CU_ASSERT_STRING_EQUAL(m->host_name, "h1, h2");
		CU_ASSERT_EQUAL(m->dimensions[0].count, 2);
		CU_ASSERT_EQUAL(m->stale_count, 1);
		CU_ASSERT_EQUAL(m->finding_count, 2);
		/* Reasons are for a summary only. */
		CU_ASSERT(little || m->reason_count == 1);
		merge_free(m);
	}
	CU_ASSERT(n > 20 && n < MOST);
}

static void a_merged_run_is_whole(void)
{
	merge_without_memory(false);
	merge_without_memory(true);
}

/* --- reasons -------------------------------------------------------------- */

static void reasons_are_all_there(void)
{
	static const struct result r[] = {
		{.verdict = VERDICT_SKIP, .reason = "a"},
		{.verdict = VERDICT_SKIP, .reason = "b"}};
	bool little = true;
	long n;

	for (n = 0; little && n < MOST; n++) {
		size_t count = MOST;

		give(n);
		struct result_reason *reasons =
			reasons_of(r, UNIT_COUNT(r), &count);

		little = was_too_little();
		CU_ASSERT_EQUAL(!reasons, little);
		CU_ASSERT_EQUAL(count, little ? 0 : 2);
		free(reasons);
	}
	CU_ASSERT(n > 2 && n < MOST);
}

/* --- evidence ------------------------------------------------------------- */

static void there_and_back(const struct result *r)
{
	bool little = true;
	json_t *whole = evidence_json(r);
	long n;

	CU_ASSERT_PTR_NOT_NULL_FATAL(whole);
	for (n = 0; little && n < MOST; n++) {
		give(n);
		json_t *o = evidence_json(r);

		little = was_too_little();
		CU_ASSERT_EQUAL(!o, little);
		CU_ASSERT(!o || json_equal(o, whole));
		json_decref(o);
	}
	CU_ASSERT(n > 20 && n < MOST);
	little = true;
	for (n = 0; little && n < MOST; n++) {
		struct result back = {0};
		void *owned = NULL;
		const char *why = "";

		give(n);
		bool ok = evidence_parse(&back, whole, &owned, &why);

		little = was_too_little();
		CU_ASSERT_EQUAL(ok, !little);
		CU_ASSERT_STRING_EQUAL(why, ok ? "" : "out of memory");
		CU_ASSERT_EQUAL(back.event_count, ok ? r->event_count : 0);
		if (ok)
			evidence_release(owned);
	}
	CU_ASSERT(n > 1 && n < MOST);
	json_decref(whole);
}

/* Each list of it takes a block of its own. */
static void much_evidence_is_whole(void)
{
	static uint8_t octets[40000];
	static unsigned short markers[20000];
	static struct result_mark marks[2000];
	static const struct result_line line = {
		.requirement = "MPA-8-02", .level = "SHOULD", .text = ""};
	const struct result_event e = {.kind = EVENT_OCTETS,
				       .text = "",
				       .octets = octets,
				       .kept = sizeof(octets),
				       .n = sizeof(octets),
				       .markers = markers,
				       .marker_count = UNIT_COUNT(markers),
				       .marks = marks,
				       .mark_count = UNIT_COUNT(marks)};
	const struct result r = {.events = &e,
				 .event_count = 1,
				 .lines = &line,
				 .line_count = 1};
	bool little = true;
	json_t *whole;
	long n;

	for (unsigned i = 0; i < UNIT_COUNT(markers); i++)
		markers[i] = (unsigned short)i;
	whole = evidence_json(&r);
	CU_ASSERT_PTR_NOT_NULL_FATAL(whole);
	for (n = 0; little && n < MOST; n++) {
		struct result back = {0};
		void *owned = NULL;
		const char *why = "";

		give(n);
		bool ok = evidence_parse(&back, whole, &owned, &why);

		little = was_too_little();
		CU_ASSERT_EQUAL(ok, !little);
		CU_ASSERT_STRING_EQUAL(why, ok ? "" : "out of memory");
		if (ok)
			evidence_release(owned);
	}
	CU_ASSERT(n > 3 && n < MOST);
	json_decref(whole);
}

static void evidence_is_whole(void)
{
	const struct result *r = nasty.results;

	while (!evidence_is_there(r))
		r++;
	there_and_back(r);
}

/* --- deviations ------------------------------------------------------------ */

static char path[] = "/tmp/warpspec-memory-XXXXXX";
static const char file[] =
	"; apart\n\n; before\n[deviation]\ncase = mpa/a mpa/b\n"
	"signature = MPA-8-02\nreason = one\navoid = settle\n\n"
	"[deviation]\ncase = mpa/a\nsignature = MPA-4.4-14\n"
	"reason = two\nexpires = 1969-01-01\n; the end\n";
static const char *const cases[] = {"mpa/a", "mpa/b", "mpa/c"};

static struct deviations *parse(char *why, size_t cap)
{
	return deviations_parse("f", file, strlen(file), cases,
				UNIT_COUNT(cases), why, cap);
}

static size_t size_of_file(void)
{
	struct stat st;

	CU_ASSERT_EQUAL_FATAL(stat(path, &st), 0);
	return (size_t)st.st_size;
}

/* A comment that was lost would be lost from the file with the next update. */
static void deviations_are_whole(void)
{
	struct deviations_written written;
	bool little = true;
	size_t whole;
	char why[256];
	struct deviations *d = parse(why, sizeof(why));
	long n;

	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	CU_ASSERT(deviations_update(d, path, NULL, 0, &written, why,
				    sizeof(why)));
	deviations_free(d);
	whole = size_of_file();
	for (n = 0; little && n < MOST; n++) {
		*why = '\0';
		give(n);
		d = parse(why, sizeof(why));
		little = was_too_little();
		CU_ASSERT_EQUAL(!d, little);
		if (!d)
			CU_ASSERT_PTR_NOT_NULL(strstr(why, "memory"));
		if (!d)
			continue;
		CU_ASSERT(deviations_update(d, path, NULL, 0, &written, why,
					    sizeof(why)));
		CU_ASSERT_EQUAL(size_of_file(), whole);
		deviations_free(d);
	}
	CU_ASSERT(n > 5 && n < MOST);
}

/* The failure stays one. */
static void a_failure_is_explained_or_fails(void)
{
	char why[256];
	struct deviations *d = parse(why, sizeof(why));
	const struct result_stale *of;
	bool little = true;
	long n;

	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	for (n = 0; little && n < MOST; n++) {
		struct result r = {.id = "mpa/a",
				   .verdict = VERDICT_FAIL,
				   .signature = "MPA-8-02",
				   .reason = ""};

		give(n);
		size_t count = deviations_apply(d, &r, 1, 0, &of);

		little = was_too_little();
		CU_ASSERT(count <= 1);
		CU_ASSERT(r.verdict ==
			  (*r.reason ? VERDICT_XFAIL : VERDICT_FAIL));
		CU_ASSERT(little || (count == 1 && *r.reason));
	}
	CU_ASSERT(n > 3 && n < MOST);
	deviations_free(d);
}

/* The file is as before, or written. */
static void an_update_is_whole(void)
{
	static const struct result r[] = {
		{.id = "mpa/c",
		 .verdict = VERDICT_FAIL,
		 .signature = "MPA-4.1-03 MPA-4.1-05"}};
	char why[256];
	struct deviations *d = parse(why, sizeof(why));
	struct deviations_written written;
	bool little = true;
	long n;

	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	for (n = 0; little && n < MOST; n++) {
		CU_ASSERT_EQUAL_FATAL(truncate(path, 0), 0);
		give(n);
		bool ok = deviations_update(d, path, r, 1, &written, why,
					    sizeof(why));

		little = was_too_little();
		CU_ASSERT(ok || little);
		CU_ASSERT_EQUAL(size_of_file() > 0, ok);
	}
	CU_ASSERT(n > 3 && n < MOST);
	deviations_free(d);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"a merged run is whole", a_merged_run_is_whole},
		{"reasons are all there", reasons_are_all_there},
		{"evidence is whole", evidence_is_whole},
		{"much evidence is whole", much_evidence_is_whole},
		{"deviations are whole", deviations_are_whole},
		{"a failure is explained, or fails",
		 a_failure_is_explained_or_fails},
		{"an update is whole", an_update_is_whole},
	};
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	int status = unit_run("memory", tests, UNIT_COUNT(tests));

	unlink(path);
	return status;
}
