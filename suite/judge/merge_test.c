/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/judge/merge.h"

#include <string.h>

#include "harness/unit.h"
#include "suite/judge/background.h"
#include "suite/judge/whole.h"

static const char *const id[] = {"MPA-8-02"};
static const struct result of_one[] = {
	{.id = "a/a",
	 .verdict = VERDICT_PASS,
	 .reason = "",
	 .requirements = id,
	 .requirement_count = 1},
	{.id = "a/d", .verdict = VERDICT_XFAIL, .reason = "known"},
};
static const struct result of_two[] = {
	{.id = "a/b",
	 .verdict = VERDICT_BLOCKED,
	 .reason = "r",
	 .blocked_by = "a/d"},
	{.id = "a/c",
	 .verdict = VERDICT_SKIP,
	 .reason = "the device does not claim imm"},
};
static const struct result_values values_one[] = {
	{0, 0, true}, {1, 9, false}, {10, 10, false}};
static const struct result_values values_two[] = {
	{0, 0, false}, {1, 9, true}, {10, 10, false}, {11, 11, true}};
static const struct result_dimension dims[] = {
	{"d", "octets", "what", 0, 10, false, values_one, 3},
	{"d", "octets", "what", 0, 10, false, values_two, 4},
};
static const struct result_identity firmware[] = {{"firmware", "1"}};
static const struct result_claim claims[] = {{"imm", ""}, {"max-ird", "4"}};
static char selector[] = "a";
static char *const selectors[] = {selector};
static const char *const names[] = {"one.json", "two.json", "three.json"};

static struct run_result shard(unsigned k, const struct result *results)
{
	struct run_result run = {
		.suite_name = "warpspec",
		.suite_version = "1",
		.suite_build = "ab",
		.mutants = 3,
		.device_name = "d",
		.device_agent = "a",
		.device_impl = "i",
		.identity = firmware,
		.identity_count = 1,
		.claims = claims,
		.claim_count = 2,
		.host_name = k == 1 ? "h1" : "h2",
		.host_release = "r",
		.host_machine = "m",
		.link = "socket",
		.spec = "rfc7306",
		.link_note = "",
		.shard = k,
		.shards = 2,
		.jobs = k,
		.selectors = selectors,
		.selector_count = 1,
		.again = "warpspec run",
		.started = {.tv_sec = 100 - k},
		.finished = {.tv_sec = 100 + k},
		.duration_ns = 10,
		.results = results,
		.count = 2,
		.planned = 2,
		.dimensions = &dims[k - 1],
		.dimension_count = 1,
		.journal = "",
		.note = k == 2 ? "said" : "",
		.exit_status = k == 1 ? 0 : 5,
	};

	for (size_t i = 0; i < 2; i++)
		run.totals[results[i].verdict]++;
	return run;
}

static void shards_are_the_run(void)
{
	struct run_result one = shard(1, of_one), two = shard(2, of_two);
	const struct run_result *runs[] = {&two, &one};
	char why[256] = "";
	const struct run_result *m =
		merge_shards(runs, names, 2, why, sizeof(why));

	CU_ASSERT_STRING_EQUAL(why, "");
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	CU_ASSERT_EQUAL_FATAL(m->count, 4);
	CU_ASSERT_STRING_EQUAL(m->results[0].id, "a/a");
	CU_ASSERT_STRING_EQUAL(m->results[3].id, "a/d");
	/* The case that blocks it is in the other shard. */
	CU_ASSERT(m->results[1].block_known);
	CU_ASSERT_EQUAL(m->totals[VERDICT_PASS], 1);
	CU_ASSERT_EQUAL(m->totals[VERDICT_SKIP], 1);
	CU_ASSERT_EQUAL(m->planned, 4);
	CU_ASSERT_EQUAL(m->shards, 0);
	CU_ASSERT_EQUAL(m->jobs, 2);
	CU_ASSERT_EQUAL(m->started.tv_sec, 98);
	CU_ASSERT_EQUAL(m->finished.tv_sec, 102);
	CU_ASSERT_EQUAL(m->duration_ns, 20);
	CU_ASSERT_STRING_EQUAL(m->host_name, "h2, h1");
	CU_ASSERT_STRING_EQUAL(m->note, "said");
	CU_ASSERT_STRING_EQUAL(m->again, "warpspec run");
	CU_ASSERT_EQUAL(m->reason_count, 1);
	/* No case could run in the second shard, but one did in the whole
	 * run. */
	CU_ASSERT_EQUAL(m->exit_status, 0);
	CU_ASSERT_EQUAL_FATAL(m->dimension_count, 1);
	CU_ASSERT_EQUAL_FATAL(m->dimensions[0].count, 4);
	CU_ASSERT(m->dimensions[0].values[0].met);
	CU_ASSERT(m->dimensions[0].values[1].met);
	CU_ASSERT_FALSE(m->dimensions[0].values[2].met);
	CU_ASSERT_EQUAL(m->dimensions[0].values[3].low, 11);
	merge_free(m);
}

static void the_worst_end_is_the_end(void)
{
	struct run_result one = shard(1, of_one), two = shard(2, of_two);
	const struct run_result *runs[] = {&one, &two};
	static const int ends[][3] = {
		{0, 5, 0}, {1, 4, 4}, {4, 3, 3}, {5, 5, 5}};
	char why[256] = "";

	for (size_t i = 0; i < UNIT_COUNT(ends); i++) {
		one.exit_status = ends[i][0];
		two.exit_status = ends[i][1];

		const struct run_result *m =
			merge_shards(runs, names, 2, why, sizeof(why));

		CU_ASSERT_PTR_NOT_NULL_FATAL(m);
		CU_ASSERT_EQUAL(m->exit_status, ends[i][2]);
		merge_free(m);
	}
}

/* One case was late in one shard, where another case of the other shard failed;
 * not if the run ended early. */
static void a_late_case_is_not_the_end(void)
{
	/* Two of each, as in a shard here; the first of them counts. */
	struct result late[2] = {of_two[1], of_two[1]};
	struct result failed[2] = {of_one[1], of_one[1]};
	struct run_result one = shard(1, failed), two = shard(2, late);
	const struct run_result *runs[] = {&one, &two};
	static const struct {
		const char *note;
		bool fails, not_run;
		int status;
	} rows[] = {
		{"", true, false, 1},
		{"", false, false, 4},
		{"the device died", true, false, 4},
		{"", true, true, 4},
		{"", true, false, 4},
	};
	char why[256] = "";

	late[0].verdict = VERDICT_ERROR;
	late[0].reason = "the host was 300 ms late";
	one.count = one.planned = two.count = two.planned = 1;
	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		failed[0].verdict = rows[i].fails ? VERDICT_FAIL : VERDICT_PASS;
		late[0].not_run = rows[i].not_run;
		memset(one.totals, 0, sizeof(one.totals));
		memset(two.totals, 0, sizeof(two.totals));
		one.totals[failed[0].verdict] = two.totals[VERDICT_ERROR] = 1;
		/* No case is in error: something else ended the shard. */
		if (i + 1 == UNIT_COUNT(rows))
			two.totals[VERDICT_ERROR] = 0;
		one.exit_status = rows[i].fails;
		two.exit_status = 4;
		two.note = rows[i].note;

		const struct run_result *m =
			merge_shards(runs, names, 2, why, sizeof(why));

		CU_ASSERT_PTR_NOT_NULL_FATAL(m);
		CU_ASSERT_EQUAL(m->exit_status, rows[i].status);
		merge_free(m);
	}
}

static void refused(const struct run_result *a, const struct run_result *b,
		    const struct run_result *c, const char *due)
{
	const struct run_result *runs[] = {a, b, c};
	char why[256] = "";

	CU_ASSERT_PTR_NULL(
		merge_shards(runs, names, c ? 3 : 2, why, sizeof(why)));
	CU_ASSERT_STRING_EQUAL(why, due);
}

static void others_are_refused(void)
{
	struct run_result one = shard(1, of_one), two = shard(2, of_two);
	struct run_result other = two;

	refused(&one, &two, &two,
		"an overlap: two.json and three.json are both shard 2 of 2");
	refused(&one, &one, NULL,
		"an overlap: one.json and two.json are both shard 1 of 2");
	other.results = of_one;
	refused(&one, &other, NULL,
		"an overlap: a/a is in one.json and in two.json");
	other = two;
	other.shards = 0;
	refused(&one, &other, NULL, "two.json: a whole run, not a shard");
	other.shards = 3;
	refused(&one, &other, NULL,
		"one.json and two.json: number of shards: 2 and 3");
	one.shards = 3;
	refused(&one, &other, NULL, "a gap: shard 3 of 3 is missing");
	one.shards = 2;
	other = two;
	other.device_impl = "x";
	refused(&one, &other, NULL,
		"one.json and two.json: different devices: 'i' and 'x'");
	other = two;
	other.identity = (const struct result_identity[]){{"firmware", "2"}};
	refused(&one, &other, NULL,
		"one.json and two.json: different devices: '1' and '2'");
	other = two;
	other.claims =
		(const struct result_claim[]){{"imm", ""}, {"max-ird", "5"}};
	refused(&one, &other, NULL,
		"one.json and two.json: max-ird: '4' and '5'");
	other = two;
	other.suite_build = "ac";
	refused(&one, &other, NULL,
		"one.json and two.json: different builds of the suite: 'ab' "
		"and "
		"'ac'");
	other = two;
	other.selector_count = 0;
	refused(&one, &other, NULL,
		"one.json and two.json: different selections; number of "
		"selectors: 1 and 0");
	other = two;
	other.spec = "draft-01";
	refused(&one, &other, NULL,
		"one.json and two.json: different specs: 'rfc7306' and "
		"'draft-01'");
	other = two;
	other.dimensions = &(const struct result_dimension){
		"d",
		"octets",
		"what",
		0,
		10,
		false,
		(const struct result_values[]){{0, 4, true}},
		1};
	refused(&one, &other, NULL,
		"dimension d: 0 is an edge in some shards, but not in others");
}

/* What both shards say appears once; the rest, in their order. */
static void lists_are_joined(void)
{
	static const struct result_stale stale[] = {
		{.entry = "e", .id = "a/a", .text = "t"},
		{.entry = "e", .id = "a/a", .text = "u"},
		{.entry = "e", .id = "a/b", .text = "t"},
		{.entry = "f", .id = "a/a", .text = "t"},
	};
	static const struct result_reading readings[] = {{.name = "swapped"},
							 {.name = "short"}};
	static const char *const findings[] = {"one", "two"};
	static const char *const known[] = {"three"};
	struct run_result one = shard(1, of_one), two = shard(2, of_two);
	const struct run_result *runs[] = {&one, &two};
	char why[256] = "";

	one.stale = stale;
	one.stale_count = 4;
	two.stale = &stale[1];
	two.stale_count = 3;
	one.readings = two.readings = readings;
	one.reading_count = 1;
	two.reading_count = 2;
	one.findings = two.findings = findings;
	one.finding_count = 1;
	two.finding_count = 2;
	two.known = known;
	two.known_count = 1;
	const struct run_result *m =
		merge_shards(runs, names, 2, why, sizeof(why));

	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	CU_ASSERT_EQUAL(m->stale_count, 4);
	CU_ASSERT_STRING_EQUAL(m->stale[3].entry, "f");
	CU_ASSERT_EQUAL(m->reading_count, 2);
	CU_ASSERT_STRING_EQUAL(m->readings[1].name, "short");
	CU_ASSERT_EQUAL_FATAL(m->finding_count, 3);
	CU_ASSERT_STRING_EQUAL(m->findings[2], "two");
	CU_ASSERT_EQUAL_FATAL(m->known_count, 1);
	CU_ASSERT_STRING_EQUAL(m->known[0], "three");
	/* A stale deviation fails the run. */
	CU_ASSERT_EQUAL(m->exit_status, 1);
	merge_free(m);
}

static void the_command_is_that_of_all(void)
{
	struct run_result one = shard(1, of_one), two = shard(2, of_two);
	const struct run_result *runs[] = {&one, &two};
	static const char *const again[][2] = {{"warpspec run", "other"},
					       {"warpspec run", NULL},
					       {NULL, "warpspec run"}};
	char why[256] = "";

	one.rerun = two.rerun = "report.json";
	for (size_t i = 0; i < UNIT_COUNT(again); i++) {
		one.again = again[i][0];
		two.again = again[i][1];
		const struct run_result *m =
			merge_shards(runs, names, 2, why, sizeof(why));

		CU_ASSERT_PTR_NOT_NULL_FATAL(m);
		CU_ASSERT_PTR_NULL(m->again);
		CU_ASSERT_STRING_EQUAL(m->rerun, "report.json");
		merge_free(m);
	}
}

static void what_ran_too_little_is_partial(void)
{
	struct run_result one = shard(1, of_one), two = shard(2, of_two);
	const struct run_result *runs[] = {&one, &two};
	char why[256] = "";
	const struct run_result *m;

	/* Nothing ran, nor was to. */
	one.count = two.count = one.planned = two.planned = 0;
	one.exit_status = two.exit_status = 5;
	memset(one.totals, 0, sizeof(one.totals));
	memset(two.totals, 0, sizeof(two.totals));
	m = merge_shards(runs, names, 2, why, sizeof(why));
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	CU_ASSERT_EQUAL(m->count, 0);
	CU_ASSERT_EQUAL(m->exit_status, 5);
	CU_ASSERT_PTR_NULL(result_find(m, "a/a"));
	merge_free(m);
	/* One shard ran; the other had a case to run, and did not. */
	one = shard(1, of_one);
	two.planned = 1;
	m = merge_shards(runs, names, 2, why, sizeof(why));
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	CU_ASSERT_EQUAL(m->exit_status, 5);
	merge_free(m);
	/* The other had nothing to run. */
	two.planned = 0;
	m = merge_shards(runs, names, 2, why, sizeof(why));
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	CU_ASSERT_EQUAL(m->exit_status, 0);
	merge_free(m);
}

/* Values of several dimensions, with edges that differ at their ends. */
static void dimensions_are_joined_by_name(void)
{
	static const struct result_values ends[] = {{0, 4, true}, {5, 5, true}};
	static const struct result_values other_end[] = {{0, 3, true}};
	const struct result_dimension both[] = {
		dims[0], {"e", "octets", "what", 0, 5, false, ends, 2}};
	const struct result_dimension odd = {"e", "octets", "what",    0,
					     5,   false,    other_end, 1};
	struct run_result one = shard(1, of_one), two = shard(2, of_two);
	const struct run_result *runs[] = {&one, &two};
	char why[256] = "";

	one.dimensions = both;
	one.dimension_count = 2;
	two.dimensions = &both[1];
	const struct run_result *m =
		merge_shards(runs, names, 2, why, sizeof(why));

	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	CU_ASSERT_EQUAL_FATAL(m->dimension_count, 2);
	CU_ASSERT_STRING_EQUAL(m->dimensions[1].name, "e");
	CU_ASSERT_EQUAL(m->dimensions[1].count, 2);
	merge_free(m);
	two.dimensions = &odd;
	refused(&one, &two, NULL,
		"dimension e: 0 is an edge in some shards, but not in others");
}

static void no_shards_are_no_run(void)
{
	char why[256] = "";

	CU_ASSERT_PTR_NULL(merge_shards(NULL, names, 0, why, sizeof(why)));
	CU_ASSERT_STRING_EQUAL(why, "no shards");
	merge_free(NULL);
	CU_ASSERT_PTR_NULL(
		background_case_of(&(const struct background){0}, "mpa/crc/a"));
}

/* The results, the exit status aside, that fail a run. */
static void what_fails_a_run(void)
{
	struct run_result run = shard(1, of_one);

	CU_ASSERT_FALSE(whole_fails(&run));
	run.totals[VERDICT_WARN] = 1;
	CU_ASSERT_FALSE(whole_fails(&run));
	run.strict = true;
	CU_ASSERT(whole_fails(&run));
	run.totals[VERDICT_WARN] = 0;
	CU_ASSERT_FALSE(whole_fails(&run));
	run.finding_count = 1;
	CU_ASSERT(whole_fails(&run));
	run.finding_count = 0;
	run.stale_count = 1;
	CU_ASSERT(whole_fails(&run));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"shards are the run", shards_are_the_run},
		{"the worst end is the end", the_worst_end_is_the_end},
		{"a late case is not the end", a_late_case_is_not_the_end},
		{"others are refused", others_are_refused},
		{"lists are joined", lists_are_joined},
		{"the command is that of all", the_command_is_that_of_all},
		{"what ran too little is partial",
		 what_ran_too_little_is_partial},
		{"dimensions are joined by name",
		 dimensions_are_joined_by_name},
		{"no shards are no run", no_shards_are_no_run},
		{"what fails a run", what_fails_a_run},
	};

	return unit_run("merge", tests, UNIT_COUNT(tests));
}
