/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which cases run again after the link has lost packets, and their verdicts: a
 * run on the built-in device with cases that report lost packets themselves.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/crc/crc.h"
#include "harness/unit.h"
#include "suite/device/builtin.h"
#include "suite/language/execution/lossy_fixture.h"
#include "suite/run/plan/runner.h"

#define FILE_ID "suite/run/pool/retry_test/"

static struct shared {
	atomic_int before, missed, missing, once, always, right, wrong, unseen,
		warned, unconnected, cut, gone, slow, slower, down, skipped,
		skips, writes;
} * shared;

static char captures[] = "/tmp/retry_test.XXXXXX";

/* They run in the order of their names, with one job. */

CASE(a_drops_by_itself, .title = "it has no room for a packet, and passes")
{
	connects(t);
	link_drops(t, 1);
	must(t, DDP_4_1_01, is("what was seen", 1, 1));
}

CASE(a_fails_before_any_loss, .title = "it is wrong, and nothing was ever lost")
{
	connects(t);
	shared->before++;
	must(t, DDP_4_1_01, is("what was seen", 1, 2));
}

CASE(a_misses_a_connection_once,
     .title = "a connection does not come, and nothing was ever lost")
{
	connects(t);
	int before = shared->missed++;

	if (!before)
		connection_is_missing(t);
	must(t, DDP_4_1_01, is("the times that it was tried", before, 1));
}

CASE(a_misses_a_message, .title = "it never comes, and nothing was ever lost")
{
	connects(t);
	shared->missing++;
	awaits(t, RDMAP_5_5_10, RDMAP_SEND);
}

/* Two foundations: what the second one tests has fallen because of the first. */

static void writes_in_vain(struct test *t)
{
	struct region r = dut_registers(t, .len = 8, .access = FOR_WRITES);

	connects(t);
	peer_sends(t, WRITE(r, 0, "to the e", 8));
}

CASE(a_misses_what_others_stand_on, .founds = FOUNDATION_WRITE_TAKEN,
     .title = "a Write is not taken, and nothing was ever lost")
{
	writes_in_vain(t);
	shared->writes++;
	awaits(t, RDMAP_5_5_10, RDMAP_SEND);
}

CASE(a_stands_on_what_is_missed, .founds = FOUNDATION_WRITE_TO_END,
     .title = "a Write to the end of its buffer is not taken")
{
	writes_in_vain(t);
	must(t, DDP_7_1_29, is("what was seen", 1, 2));
}

CASE(b_fails_with_a_loss, .title = "it fails once, with a packet lost")
{
	connects(t);
	int n = ++shared->once;

	link_loses(t, n == 1);
	must(t, DDP_4_1_01, is("the time that it is tried", n, 2));
}

CASE(c_fails_with_losses, .title = "it fails, with packets lost each time")
{
	connects(t);
	shared->always++;
	link_loses(t, 3);
	must(t, DDP_4_1_01, is("what was seen", 1, 2));
}

CASE(d_passes_with_a_loss, .title = "it passes, with a packet lost")
{
	connects(t);
	shared->right++;
	link_loses(t, 1);
	must(t, DDP_4_1_01, is("what was seen", 1, 1));
}

CASE(e_sees_what_is_wrong, .title = "it fails, with nothing lost")
{
	connects(t);
	shared->wrong++;
	must(t, DDP_4_1_01, is("what was seen", 1, 2));
}

CASE(f_sees_nothing, .title = "what it awaits never comes")
{
	connects(t);
	shared->unseen++;
	awaits(t, RDMAP_5_5_10, RDMAP_SEND);
}

CASE(f_warns_of_nothing, .title = "what should come never comes")
{
	connects(t);
	shared->warned++;
	should(t, DDP_6_2_1_05, tcp_closed_by_fin());
}

CASE(g_is_not_connected, .title = "not even a connection comes")
{
	connects(t);
	shared->unconnected++;
	connection_is_missing(t);
	must(t, DDP_4_1_01, is("what was seen", 1, 2));
}

CASE(h_is_interrupted, .title = "it fails once, while a cable is pulled")
{
	connects(t);
	int n = ++shared->cut;

	if (n == 1)
		path_is_interrupted(t);
	must(t, DDP_4_1_01, is("the time that it is tried", n, 2));
}

CASE(i_is_interrupted_again, .title = "it fails while a cable is pulled")
{
	connects(t);
	path_is_interrupted(t);
	must(t, DDP_4_1_01, is("what was seen", 1, 2));
}

CASE(j_skips_in_vain, .title = "it finds nothing to judge, once")
{
	static atomic_int times;

	connects(t);
	if (++times == 1) {
		path_is_interrupted(t);
		not_applicable(t, "nothing came");
	}
	must(t, DDP_4_1_01, is("what was seen", 1, 1));
}

CASE(j_skips_with_a_loss,
     .title = "it finds nothing to judge, with a loss, once")
{
	connects(t);
	if (++shared->skipped == 1) {
		link_loses(t, 1);
		not_applicable(t, "nothing came");
	}
	must(t, DDP_4_1_01, is("what was seen", 1, 1));
}

CASE(j_skips_with_losses,
     .title = "it finds nothing to judge, and loses packets")
{
	connects(t);
	link_loses(t, 1);
	if (++shared->skips)
		not_applicable(t, "nothing came");
	must(t, DDP_4_1_01, is("what was seen", 1, 1));
}

CASE(k_loses_its_agent, .title = "its agent goes, with a packet lost")
{
	connects(t);
	shared->gone++;
	link_loses(t, 1);
	must(t, DDP_4_1_01, is("what was seen", 1, 1));
	testbed_leave_agent(t->bed);
}

CASE(k_waits_for_its_agent, .title = "its agent is slow, once")
{
	connects(t);
	must(t, DDP_4_1_01, is("what was seen", 1, 1));
	if (++shared->slow == 1)
		agent_is_silent(t);
}

CASE(k_waits_in_vain, .title = "its agent is slow each time")
{
	connects(t);
	shared->slower++;
	must(t, DDP_4_1_01, is("what was seen", 1, 1));
	agent_is_silent(t);
}

/* These two are runs of their own, which they end. */

CASE(l_misses_on_a_dead_link, .title = "its link is down, and nothing comes")
{
	connects(t);
	shared->down++;
	link_goes_down(t);
	awaits(t, RDMAP_5_5_10, RDMAP_SEND);
}

CASE(m_is_wrong_on_a_dead_link, .title = "its link is down, as is the cable")
{
	connects(t);
	shared->down++;
	path_is_interrupted(t);
	link_goes_down(t);
	must(t, DDP_4_1_01, is("what was seen", 1, 2));
}

static struct device device;
static struct run_result whole, dead[2];

static const struct result *result_in(const struct run_result *of,
				      const char *name)
{
	for (size_t i = 0; i < of->count; i++)
		if (strcmp(of->results[i].id + strlen(FILE_ID), name) == 0)
			return &of->results[i];
	CU_FAIL_FATAL("no such case");
	return NULL;
}

static const struct result *result_of(const char *name)
{
	return result_in(&whole, name);
}

static void nothing_is_doubted_where_nothing_is_lost(void)
{
	const struct result *r = result_of("a_fails_before_any_loss");

	CU_ASSERT_EQUAL(r->verdict, VERDICT_FAIL);
	CU_ASSERT_PTR_NULL(r->retried);
	CU_ASSERT_EQUAL(shared->before, 1);
}

static void an_early_miss_is_tried_again(void)
{
	const struct result *once = result_of("a_misses_a_connection_once");
	const struct result *twice = result_of("a_misses_a_message");

	CU_ASSERT_EQUAL(once->verdict, VERDICT_PASS);
	CU_ASSERT_PTR_NOT_NULL(once->retried);
	CU_ASSERT_EQUAL(shared->missed, 2);
	CU_ASSERT_EQUAL(twice->verdict, VERDICT_FAIL);
	CU_ASSERT_PTR_NOT_NULL(twice->retried);
	CU_ASSERT_EQUAL(shared->missing, 4);
}

/* What it is the cause of does not block it. */
static void a_foundation_that_runs_again_is_its_own_cause(void)
{
	const struct result *r = result_of("a_misses_what_others_stand_on");
	const struct result *other = result_of("a_stands_on_what_is_missed");

	CU_ASSERT_EQUAL(r->verdict, VERDICT_FAIL);
	CU_ASSERT_PTR_NULL(r->blocked_by);
	CU_ASSERT_PTR_NOT_NULL(r->retried);
	CU_ASSERT_TRUE(shared->writes > 3);
	CU_ASSERT_EQUAL(other->verdict, VERDICT_BLOCKED);
	CU_ASSERT_STRING_EQUAL(other->blocked_by,
			       FILE_ID "a_misses_what_others_stand_on");
}

static void the_second_time_counts(void)
{
	const struct result *r = result_of("b_fails_with_a_loss");

	CU_ASSERT_EQUAL(r->verdict, VERDICT_PASS);
	CU_ASSERT_EQUAL(shared->once, 2);
	CU_ASSERT_PTR_NOT_NULL_FATAL(r->retried);
	CU_ASSERT_PTR_NOT_NULL(strstr(r->retried, "lost 1 packet "));
}

static void lost_each_time_is_an_error(void)
{
	const struct result *r = result_of("c_fails_with_losses");

	CU_ASSERT_EQUAL(r->verdict, VERDICT_ERROR);
	CU_ASSERT_PTR_NOT_NULL(strstr(r->reason, "lost 3 packets"));
	CU_ASSERT_PTR_NOT_NULL(r->retried);
	CU_ASSERT_EQUAL(shared->always, 3);
}

/* Its packets can still be judged. */
static void an_error_has_its_capture(void)
{
	const struct result *r = result_of("c_fails_with_losses");

	CU_ASSERT_PTR_NOT_NULL_FATAL(r->capture);
	CU_ASSERT_EQUAL(access(r->capture, R_OK), 0);
	CU_ASSERT_PTR_NOT_NULL(r->capture_sha256);
}

static void what_is_right_is_right(void)
{
	const struct result *r = result_of("d_passes_with_a_loss");

	CU_ASSERT_EQUAL(r->verdict, VERDICT_PASS);
	CU_ASSERT_PTR_NULL(r->retried);
	CU_ASSERT_EQUAL(shared->right, 1);
}

static void what_was_seen_was_not_lost(void)
{
	const struct result *r = result_of("e_sees_what_is_wrong");

	CU_ASSERT_EQUAL(r->verdict, VERDICT_FAIL);
	CU_ASSERT_PTR_NULL(r->retried);
	CU_ASSERT_EQUAL(shared->wrong, 1);
}

static void what_never_comes_is_awaited_again(void)
{
	const struct result *r = result_of("f_sees_nothing");

	CU_ASSERT_EQUAL(r->verdict, VERDICT_FAIL);
	CU_ASSERT_PTR_NOT_NULL(r->retried);
	CU_ASSERT_EQUAL(shared->unseen, 4);

	r = result_of("f_warns_of_nothing");
	CU_ASSERT_EQUAL(r->verdict, VERDICT_WARN);
	CU_ASSERT_PTR_NOT_NULL(r->retried);
	CU_ASSERT_EQUAL(shared->warned, 4);
}

static void a_connection_is_awaited_until_there_is_no_doubt(void)
{
	const struct result *r = result_of("g_is_not_connected");

	CU_ASSERT_EQUAL(r->verdict, VERDICT_FAIL);
	CU_ASSERT_PTR_NOT_NULL(r->retried);
	CU_ASSERT_EQUAL(shared->unconnected, 4);
}

static void an_interruption_is_no_failure(void)
{
	const struct result *once = result_of("h_is_interrupted");
	const struct result *again = result_of("i_is_interrupted_again");
	const struct result *skipped = result_of("j_skips_in_vain");

	CU_ASSERT_EQUAL(once->verdict, VERDICT_PASS);
	CU_ASSERT_PTR_NOT_NULL_FATAL(once->retried);
	CU_ASSERT_PTR_NOT_NULL(strstr(once->retried, "lost its carrier"));
	CU_ASSERT_EQUAL(again->verdict, VERDICT_ERROR);
	CU_ASSERT_PTR_NOT_NULL(strstr(again->reason, "lost its carrier"));
	CU_ASSERT_EQUAL(skipped->verdict, VERDICT_PASS);
}

static void nothing_to_judge_is_looked_for_again(void)
{
	const struct result *once = result_of("j_skips_with_a_loss");
	const struct result *always = result_of("j_skips_with_losses");

	CU_ASSERT_EQUAL(once->verdict, VERDICT_PASS);
	CU_ASSERT_PTR_NOT_NULL(once->retried);
	CU_ASSERT_EQUAL(shared->skipped, 2);
	CU_ASSERT_EQUAL(always->verdict, VERDICT_SKIP);
	CU_ASSERT_STRING_EQUAL(always->reason, "nothing came");
	CU_ASSERT_EQUAL(shared->skips, 3);
}

/* Something else may have ended it. If it goes again, that stands, and what the
 * case saw of it accuses nobody. */
static void an_agent_that_is_gone_twice_is_an_error(void)
{
	const struct result *r = result_of("k_loses_its_agent");

	CU_ASSERT_EQUAL(r->verdict, VERDICT_ERROR);
	CU_ASSERT_PTR_NOT_NULL(strstr(r->reason, "agent"));
	CU_ASSERT_PTR_NOT_NULL_FATAL(r->retried);
	CU_ASSERT_PTR_NOT_NULL(strstr(r->retried, "came back"));
	CU_ASSERT_EQUAL(shared->gone, 2);
	CU_ASSERT_EQUAL(r->broken_count, 0);
}

static void an_agent_that_is_slow_is_asked_again(void)
{
	const struct result *once = result_of("k_waits_for_its_agent");
	const struct result *never = result_of("k_waits_in_vain");

	CU_ASSERT_EQUAL(once->verdict, VERDICT_PASS);
	CU_ASSERT_PTR_NOT_NULL_FATAL(once->retried);
	CU_ASSERT_PTR_NOT_NULL(strstr(once->retried, "did not answer"));
	CU_ASSERT_EQUAL(shared->slow, 2);
	CU_ASSERT_EQUAL(never->verdict, VERDICT_ERROR);
	CU_ASSERT_PTR_NOT_NULL(never->retried);
	CU_ASSERT_EQUAL(shared->slower, 3);
}

static void a_dead_link_accuses_no_device(void)
{
	const struct result *missed =
		result_in(&dead[0], "l_misses_on_a_dead_link");
	const struct result *wrong =
		result_in(&dead[1], "m_is_wrong_on_a_dead_link");

	CU_ASSERT_EQUAL(missed->verdict, VERDICT_ERROR);
	CU_ASSERT_PTR_NOT_NULL(strstr(missed->reason, "it is gone"));
	CU_ASSERT_EQUAL(wrong->verdict, VERDICT_ERROR);
	CU_ASSERT_PTR_NOT_NULL(strstr(wrong->reason, "lost its carrier"));
	CU_ASSERT_EQUAL(shared->down, 2);
}

static bool run_only(char *pattern, struct run_result *out, char *why,
		     size_t cap)
{
	const struct run_options o = {
		.device = &device,
		.profile = MODEL_RFC7306,
		.spec = "rfc7306",
		.jobs = 1,
		.quiet = true,
		.timeout_scale = 0.5,
		.captures = captures,
		.captures_of_failures = true,
		.selectors = &pattern,
		.selector_count = 1,
	};

	return runner_run(&o, out, why, cap);
}

static void remove_captures(const struct run_result *of)
{
	for (size_t i = 0; i < of->count; i++)
		if (of->results[i].capture)
			unlink(of->results[i].capture);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"nothing is doubted where nothing is lost",
		 nothing_is_doubted_where_nothing_is_lost},
		{"an early miss is tried again", an_early_miss_is_tried_again},
		{"a foundation that runs again is its own cause",
		 a_foundation_that_runs_again_is_its_own_cause},
		{"the second time counts", the_second_time_counts},
		{"lost each time is an error", lost_each_time_is_an_error},
		{"an error has its capture", an_error_has_its_capture},
		{"what is right is right", what_is_right_is_right},
		{"what was seen was not lost", what_was_seen_was_not_lost},
		{"what never comes is awaited again",
		 what_never_comes_is_awaited_again},
		{"a connection is awaited until there is no doubt",
		 a_connection_is_awaited_until_there_is_no_doubt},
		{"an agent that is slow is asked again",
		 an_agent_that_is_slow_is_asked_again},
		{"an interruption is no failure",
		 an_interruption_is_no_failure},
		{"nothing to judge is looked for again",
		 nothing_to_judge_is_looked_for_again},
		{"an agent that is gone twice is an error",
		 an_agent_that_is_gone_twice_is_an_error},
		{"a dead link accuses no device",
		 a_dead_link_accuses_no_device},
	};
	const struct builtin b = {.spec = "rfc7306"};
	char why[512];
	const char *fault;
	bool usage;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	device_init(&device);
	if (shared == MAP_FAILED || !mkdtemp(captures) ||
	    crc_init(&fault) < 0 ||
	    !builtin_start(&b, &device, &usage, why, sizeof(why)) ||
	    !run_only(FILE_ID "[a-k]_*", &whole, why, sizeof(why)) ||
	    !run_only(FILE_ID "l_*", &dead[0], why, sizeof(why)) ||
	    !run_only(FILE_ID "m_*", &dead[1], why, sizeof(why))) {
		fprintf(stderr, "retry: %s\n", why);
		return 1;
	}
	int status = unit_run("retry", tests, UNIT_COUNT(tests));

	builtin_stop();
	remove_captures(&whole);
	remove_captures(&dead[0]);
	remove_captures(&dead[1]);
	rmdir(captures);
	return status;
}
