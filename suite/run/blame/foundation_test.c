/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Test cases on the built-in device, among them failing foundations of other
 * cases: which cases are then BLOCKED, and which are not.
 */
#include "suite/run/plan/runner.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "harness/crc/crc.h"
#include "harness/unit.h"
#include "suite/device/builtin.h"
#include "suite/language/case.h"

#define FILE_ID "suite/run/blame/foundation_test/"

/* Shared by the processes of a run. */
static struct shared {
	atomic_int tries, lucky_tries, beyond, beyond_the_wait;
	atomic_bool spoilt;
	int looks, glitch; /* looks of the health hook; the look at which the
			    * device seems ill, or 0 */
} * shared;

/* --- the cases ------------------------------------------------------------- */

CASE(no_send_is_taken, .founds = FOUNDATION_SEND_TAKEN,
     .title = "what Sends stand on, and it never holds")
{
	connects(t);
	shared->tries++;
	must(t, RDMAP_5_3_02, holds("a Send that is delivered", false));
}

CASE(rests_on_sends, .title = "it sends a Send")
{
	connects(t);
	peer_sends(t, SEND("hello"));
	shared->beyond++;
	must(t, DDP_4_1_01, stream_works());
}

CASE(about_sends_and_sees, .title = "it is about Sends, and sees what is wrong")
{
	connects(t);
	peer_sends(t, SEND("hello"));
	must(t, RDMAP_5_3_02, is("what was seen", 1, 2));
}

CASE(about_sends_and_sees_nothing,
     .title = "it is about Sends that do not come")
{
	connects(t);
	peer_sends(t, SEND("hello"));
	must(t, RDMAP_5_3_02, holds("what has not come", false));
}

CASE(rests_on_writes, .title = "it writes")
{
	struct region r = dut_registers(t, .len = 8, .access = FOR_WRITES);

	connects(t);
	peer_sends(t, WRITE(r, 0, "hello", 5));
	must(t, DDP_4_1_01, memory_is(r, 0, "hello", 5));
}

CASE(an_empty_read_is_of_no_use, .founds = FOUNDATION_ANSWER,
     .title = "the first way to stand on answers, and it never holds")
{
	connects(t, .unproven = true);
	must(t, RDMAP_5_2_1_16, holds("an answer", false));
}

CASE(a_read_of_an_octet_is, .founds = FOUNDATION_ANSWER, .way = 1,
     .title = "the next best")
{
	struct region r = dut_registers(t, .len = 1, .access = FOR_READS);

	connects(t, .unproven = true);
	peer_sends(t, READ(r, 0, 1));
	awaits(t, RDMAP_5_2_1_09, RDMAP_READ_RESPONSE);
	must(t, RDMAP_5_2_1_09, holds("an answer", !shared->spoilt));
}

CASE(fails, .title = "what is due does not come")
{
	connects(t);
	must(t, DDP_4_1_01, holds("what has not come", false));
}

CASE(fails_on_a_spoilt_device, .title = "nor does anything else from then on")
{
	connects(t);
	shared->spoilt = true;
	must(t, DDP_4_1_01, holds("what has not come", false));
}

CASE(sees_on_a_spoilt_device, .title = "what is not due, comes")
{
	connects(t);
	shared->spoilt = true;
	must(t, DDP_4_1_01, is("what was seen", 1, 2));
}

CASE(holds_the_third_time, .founds = FOUNDATION_READ_TAKEN,
     .title = "what Reads stand on, and it holds by chance")
{
	connects(t);
	int n = ++shared->lucky_tries;

	must(t, RDMAP_5_2_1_09, holds("an answer this time", n % 3 == 0));
}

CASE(rests_on_reads, .title = "it reads")
{
	struct region r = dut_registers(t, .len = 8, .access = FOR_READS);

	connects(t);
	peer_sends(t, READ(r, 0, 8));
	awaits(t, RDMAP_5_5_16, RDMAP_READ_RESPONSE);
	must(t, RDMAP_5_5_16, stream_works());
}

CASE(no_write_ends_there, .founds = FOUNDATION_WRITE_TO_END,
     .title = "what Writes to the end of a buffer rest on, and it never holds")
{
	connects(t);
	must(t, DDP_7_1_29, is("what was seen", 1, 2));
}

static void writes_to_the_end(struct test *t)
{
	struct region r = dut_registers(t, .len = 8, .access = FOR_WRITES);

	connects(t);
	peer_sends(t, WRITE(r, 0, "to the e", 8));
	known_answer(t);
}

CASE(does_it_and_fails, .title = "it writes to the end, and sees a fault")
{
	writes_to_the_end(t);
	must(t, DDP_4_1_01, is("what was seen", 1, 2));
}

CASE(does_it_and_holds, .title = "it writes to the end, and all is well")
{
	writes_to_the_end(t);
	must(t, DDP_4_1_01, is("what was seen", 1, 1));
}

CASE(does_it_and_is_about_it, .title = "it writes to the end, to judge that")
{
	writes_to_the_end(t);
	must(t, DDP_7_1_29, is("what was seen", 1, 2));
}

CASE(does_it_and_waits, .title = "it writes to the end, and waits in vain")
{
	writes_to_the_end(t);
	(void)next_frame(t);
	shared->beyond_the_wait++;
	must(t, DDP_4_1_01, is("what was seen", 1, 2));
}

CASE(no_invalidate_without_a_send, .founds = FOUNDATION_INVALIDATE_TAKEN,
     .title = "what stands on Sends itself, and others stand on it")
{
	connects(t);
	peer_sends(t, SEND("hello"));
	must(t, RDMAP_5_3_02, stream_works());
}

CASE(rests_on_invalidates, .title = "it sends a Send with Invalidate")
{
	struct region r = dut_registers(t, .len = 8, .access = FOR_READS);

	connects(t);
	peer_sends(t, SEND_KIND(RDMAP_SEND_INV, "hello", 5, .inval = r.stag));
	must(t, DDP_4_1_01, stream_works());
}

/* --- the run --------------------------------------------------------------- */

static struct device device;

struct outcome {
	struct run_result r;
	struct shared s;
};
static struct outcome whole, unselected, handed_on, alone[3], ill_once[6];

static void health(struct hooks *h, struct hook_result *out)
{
	(void)h;
	*out = (struct hook_result){.end = HOOK_WELL};
	if (++shared->looks != shared->glitch)
		return;
	out->end = HOOK_ILL;
	strcpy(out->line, "the health hook ended with status 1");
}

static void reset(struct hooks *h, struct hook_result *out)
{
	(void)h;
	*out = (struct hook_result){.end = HOOK_WELL};
}

static struct hooks hooks = {.health = health, .reset = reset};

/* The device seems ill at this look, once; 0: never. */
static struct outcome run_with(char *selector, int glitch)
{
	char why[512];
	struct outcome out = {0};
	struct run_options o = {
		.device = &device,
		.profile = MODEL_RFC7306,
		.spec = "rfc7306",
		.selectors = &selector,
		.selector_count = 1,
		.jobs = 2,
		.quiet = true,
		.timeout_scale = 1,
		.hooks = glitch ? &hooks : NULL,
	};

	memset(shared, 0, sizeof(*shared));
	shared->glitch = glitch;
	if (!runner_run(&o, &out.r, why, sizeof(why))) {
		fprintf(stderr, "foundation: %s\n", why);
		exit(1);
	}
	out.s = *shared;
	return out;
}

static struct outcome run(char *selector)
{
	return run_with(selector, 0);
}

static const struct result *result_of(const struct outcome *o, const char *name)
{
	for (size_t i = 0; i < o->r.count; i++)
		if (strcmp(o->r.results[i].id + strlen(FILE_ID), name) == 0)
			return &o->r.results[i];
	CU_FAIL_FATAL("no such case");
	return NULL;
}

static void what_rests_on_it_is_blocked(void)
{
	const struct result *r = result_of(&whole, "rests_on_sends");

	CU_ASSERT_EQUAL(r->verdict, VERDICT_BLOCKED);
	CU_ASSERT_STRING_EQUAL(r->blocked_by, FILE_ID "no_send_is_taken");
	CU_ASSERT_PTR_NOT_NULL(strstr(r->reason, "accepts a Send"));
	CU_ASSERT_EQUAL(r->broken_count, 0);
	CU_ASSERT_EQUAL(whole.s.beyond, 0);
	r = result_of(&whole, "no_invalidate_without_a_send");
	CU_ASSERT_EQUAL(r->verdict, VERDICT_BLOCKED);
	CU_ASSERT_STRING_EQUAL(r->blocked_by, FILE_ID "no_send_is_taken");
	CU_ASSERT_EQUAL(whole.r.exit_status, 1);
}

static void its_own_case_tells_why_after_three_tries(void)
{
	const struct result *r = result_of(&whole, "no_send_is_taken");

	CU_ASSERT_EQUAL(r->verdict, VERDICT_FAIL);
	CU_ASSERT_STRING_EQUAL(r->signature, "RDMAP-5.3-02");
	CU_ASSERT_EQUAL(whole.s.tries, 3);
}

/* Steps that cases only take on their way. */
static void what_only_rests_on_it_is_blocked_if_it_fails(void)
{
	const struct result *r = result_of(&whole, "does_it_and_fails");

	CU_ASSERT_EQUAL(r->verdict, VERDICT_BLOCKED);
	CU_ASSERT_STRING_EQUAL(r->blocked_by, FILE_ID "no_write_ends_there");
	CU_ASSERT_STRING_EQUAL(r->consequences, "DDP-4.1-01");
	CU_ASSERT_EQUAL(r->broken_count, 0);
	r = result_of(&whole, "does_it_and_holds");
	CU_ASSERT_EQUAL(r->verdict, VERDICT_PASS);
	r = result_of(&whole, "does_it_and_is_about_it");
	CU_ASSERT_EQUAL(r->verdict, VERDICT_FAIL);
	CU_ASSERT_STRING_EQUAL(r->signature, "DDP-7.1-29");
}

static void what_only_rests_on_it_waits_once(void)
{
	const struct result *r = result_of(&whole, "does_it_and_waits");

	CU_ASSERT_EQUAL(r->verdict, VERDICT_BLOCKED);
	CU_ASSERT_STRING_EQUAL(r->blocked_by, FILE_ID "no_write_ends_there");
	CU_ASSERT_EQUAL(whole.s.beyond_the_wait, 0);
	CU_ASSERT_TRUE(r->duration_ns < TESTBED_WAIT_NS);
}

static void what_is_about_it_counts_what_was_seen(void)
{
	const struct result *seen = result_of(&whole, "about_sends_and_sees");
	const struct result *unseen =
		result_of(&whole, "about_sends_and_sees_nothing");

	CU_ASSERT_EQUAL(seen->verdict, VERDICT_FAIL);
	CU_ASSERT_STRING_EQUAL(seen->signature, "RDMAP-5.3-02");
	CU_ASSERT_EQUAL(unseen->verdict, VERDICT_BLOCKED);
}

static void others_are_judged(void)
{
	CU_ASSERT_EQUAL(result_of(&whole, "rests_on_writes")->verdict,
			VERDICT_PASS);
}

static void the_next_best_way_will_do(void)
{
	CU_ASSERT_EQUAL(
		result_of(&whole, "an_empty_read_is_of_no_use")->verdict,
		VERDICT_FAIL);
	CU_ASSERT_EQUAL(result_of(&whole, "a_read_of_an_octet_is")->verdict,
			VERDICT_PASS);
}

static void chance_is_told_and_blocks_nothing(void)
{
	CU_ASSERT_EQUAL(result_of(&whole, "holds_the_third_time")->verdict,
			VERDICT_FAIL);
	CU_ASSERT_EQUAL(whole.s.lucky_tries, 3);
	CU_ASSERT_EQUAL(result_of(&whole, "rests_on_reads")->verdict,
			VERDICT_PASS);
}

/* And the report has its failure, without which nobody knows why a case is
 * BLOCKED. */
static void a_foundation_is_tried_though_nobody_asked(void)
{
	CU_ASSERT_EQUAL(unselected.r.count, 2);
	CU_ASSERT_EQUAL(unselected.r.planned, 2);
	CU_ASSERT_EQUAL(unselected.r.totals[VERDICT_BLOCKED], 1);
	CU_ASSERT_EQUAL(unselected.r.totals[VERDICT_FAIL], 1);
	CU_ASSERT_EQUAL(result_of(&unselected, "no_send_is_taken")->verdict,
			VERDICT_FAIL);
	CU_ASSERT_EQUAL(unselected.s.tries, 3);
	CU_ASSERT_EQUAL(unselected.r.exit_status, 1);
}

/* Also if the case that reports it is not selected. */
static void what_rests_on_it_in_two_steps_is_told_of_the_first(void)
{
	CU_ASSERT_EQUAL_FATAL(handed_on.r.count, 2);
	const struct result *r = result_of(&handed_on, "rests_on_invalidates");

	CU_ASSERT_EQUAL(r->verdict, VERDICT_BLOCKED);
	CU_ASSERT_PTR_NOT_NULL_FATAL(r->blocked_by);
	CU_ASSERT_STRING_EQUAL(r->blocked_by, FILE_ID "no_send_is_taken");
}

static void a_failure_counts_if_its_twin_works(void)
{
	static const enum verdict due[] = {VERDICT_FAIL, VERDICT_BLOCKED,
					   VERDICT_FAIL};

	static const char *const names[] = {"fails", "fails_on_a_spoilt_device",
					    "sees_on_a_spoilt_device"};

	for (size_t i = 0; i < UNIT_COUNT(due); i++) {
		CU_ASSERT_EQUAL_FATAL(alone[i].r.count, i == 1 ? 2 : 1);
		CU_ASSERT_EQUAL(result_of(&alone[i], names[i])->verdict,
				due[i]);
	}
	CU_ASSERT_STRING_EQUAL(result_of(&alone[1], names[1])->blocked_by,
			       FILE_ID "a_read_of_an_octet_is");
	CU_ASSERT_EQUAL(alone[1].r.exit_status, 1);
}

/* A result held back in the first round is not leaked if its case runs again:
 * LeakSanitizer checks this. */
static void a_glitch_between_tries_changes_nothing(void)
{
	for (size_t i = 0; i < UNIT_COUNT(ill_once); i++) {
		CU_ASSERT_EQUAL_FATAL(ill_once[i].r.count, 1);
		CU_ASSERT_EQUAL(ill_once[i].r.results[0].verdict, VERDICT_PASS);
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"a glitch between tries changes nothing",
		 a_glitch_between_tries_changes_nothing},
		{"what rests on it is blocked", what_rests_on_it_is_blocked},
		{"its own case tells why, after three tries",
		 its_own_case_tells_why_after_three_tries},
		{"what only rests on it is blocked if it fails",
		 what_only_rests_on_it_is_blocked_if_it_fails},
		{"what only rests on it waits once",
		 what_only_rests_on_it_waits_once},
		{"what is about it counts what was seen",
		 what_is_about_it_counts_what_was_seen},
		{"others are judged", others_are_judged},
		{"the next best way will do", the_next_best_way_will_do},
		{"chance is told, and blocks nothing",
		 chance_is_told_and_blocks_nothing},
		{"a failure counts if its twin works",
		 a_failure_counts_if_its_twin_works},
		{"a foundation is tried though nobody asked",
		 a_foundation_is_tried_though_nobody_asked},
		{"what rests on it in two steps is told of the first",
		 what_rests_on_it_in_two_steps_is_told_of_the_first},
	};
	const struct builtin b = {.spec = "rfc7306"};
	char why[512];
	const char *fault;
	bool usage;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	device_init(&device);
	if (shared == MAP_FAILED || crc_init(&fault) < 0 ||
	    !builtin_start(&b, &device, &usage, why, sizeof(why))) {
		fprintf(stderr,
			"foundation: the built-in device did not start: %s\n",
			why);
		return 1;
	}
	/* CUnit, which the suite itself is built on, does not run within CUnit:
	 * all runs come before the tests. */
	whole = run("!*spoilt*");
	unselected = run("*/rests_on_sends");
	handed_on = run("*/rests_on_invalidates");
	alone[0] = run("*/fails");
	alone[1] = run("*/fails_on_a_spoilt_device");
	alone[2] = run("*/sees_on_a_spoilt_device");
	/* After the first looks, which are before the first case. */
	for (size_t i = 0; i < UNIT_COUNT(ill_once); i++)
		ill_once[i] = run_with("*/rests_on_writes", (int)i + 3);
	int status = unit_run("foundation", tests, UNIT_COUNT(tests));

	builtin_stop();
	return status;
}
