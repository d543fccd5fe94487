/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Test cases on the built-in device, some of which use up the processor: delays
 * of the host are not blamed on the device.
 */
#include "suite/run/plan/runner.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/crc/crc.h"
#include "harness/link/clock.h"
#include "harness/unit.h"
#include "suite/device/builtin.h"
#include "suite/language/case.h"
#include "suite/run/worker/lateness.h"

#define FILE_ID "suite/run/pool/host_test/"
#define RIVALS  4
#define LATE_NS (500 * (uint64_t)CLOCK_NS_PER_MS)

static struct shared {
	atomic_int late_once, late_always, late_and_right, in_time;
} * shared;

/* Share one processor with others until it was late by this much. */
static void starve(uint64_t ns)
{
	struct lateness begin = lateness_from_now(getpid(), 0);
	cpu_set_t before, one;
	pid_t rivals[RIVALS];

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_getaffinity(0, sizeof(before), &before);
	sched_setaffinity(0, sizeof(one), &one);
	for (int i = 0; i < RIVALS; i++)
		if ((rivals[i] = fork()) == 0)
			for (volatile unsigned n = 0;; n++)
				continue;
	for (volatile unsigned n = 0;; n++)
		if (n % 1000 == 0 && lateness_since(&begin) > ns)
			break;
	for (int i = 0; i < RIVALS; i++) {
		kill(rivals[i], SIGKILL);
		waitpid(rivals[i], NULL, 0);
	}
	sched_setaffinity(0, sizeof(before), &before);
}

CASE(fails_while_late, .title = "it fails once, on a host that is late")
{
	connects(t);
	int n = ++shared->late_once;

	if (n == 1)
		starve(LATE_NS);
	must(t, DDP_4_1_01, is("the time that it is tried", n, 2));
}

CASE(fails_late_each_time, .title = "it fails, and the host is always late")
{
	connects(t);
	shared->late_always++;
	starve(LATE_NS);
	must(t, DDP_4_1_01, is("what was seen", 1, 2));
}

CASE(passes_while_late, .title = "it passes, on a host that is late")
{
	connects(t);
	shared->late_and_right++;
	starve(LATE_NS);
	must(t, DDP_4_1_01, is("what was seen", 1, 1));
}

CASE(fails_in_time, .title = "it fails, on a host that keeps up")
{
	connects(t);
	shared->in_time++;
	must(t, DDP_4_1_01, is("what was seen", 1, 2));
}

static struct device device;
static struct run_result whole, late_alone;
static int tries_of_late;

static const struct result *result_of(const char *name)
{
	for (size_t i = 0; i < whole.count; i++)
		if (strcmp(whole.results[i].id + strlen(FILE_ID), name) == 0)
			return &whole.results[i];
	CU_FAIL_FATAL("no such case");
	return NULL;
}

static void one_that_failed_late_is_run_again(void)
{
	CU_ASSERT_EQUAL(result_of("fails_while_late")->verdict, VERDICT_PASS);
	CU_ASSERT_EQUAL(shared->late_once, 2);
}

static void one_that_cannot_be_told_is_an_error(void)
{
	const struct result *r = result_of("fails_late_each_time");

	CU_ASSERT_EQUAL(r->verdict, VERDICT_ERROR);
	CU_ASSERT_PTR_NOT_NULL(strstr(r->reason, "ms late"));
	CU_ASSERT_EQUAL(tries_of_late, 2);
	CU_ASSERT_EQUAL(late_alone.exit_status, 4);
	/* Together with a failed case, it does not determine how the run
	 * ended. */
	CU_ASSERT_EQUAL(whole.exit_status, 1);
}

static void what_is_right_is_right_at_any_time(void)
{
	CU_ASSERT_EQUAL(result_of("passes_while_late")->verdict, VERDICT_PASS);
	CU_ASSERT_EQUAL(shared->late_and_right, 1);
}

static void what_fails_in_time_fails(void)
{
	CU_ASSERT_EQUAL(result_of("fails_in_time")->verdict, VERDICT_FAIL);
}

static void who_sleeps_on_wakes_late(void)
{
	struct lateness begin = lateness_from_now(getpid(), 0);
	uint64_t before = lateness_since(&begin);

	lateness_overslept(10 * LATE_NS);
	CU_ASSERT_TRUE(before < 10 * LATE_NS);
	CU_ASSERT_TRUE(lateness_since(&begin) >= 10 * LATE_NS);
}

/* Without a descriptor the total waiting time of a process is unknown: it must
 * not count as waiting since then. The process is one whose file no test has
 * opened: that of this one is kept. */
static void what_nobody_tells_is_no_lateness(void)
{
	struct rlimit was, none;
	struct lateness ever = {.who = {getppid()}};

	CU_ASSERT_EQUAL_FATAL(getrlimit(RLIMIT_NOFILE, &was), 0);
	none = was;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	struct lateness begin = lateness_from_now(getppid(), 0);
	setrlimit(RLIMIT_NOFILE, &was);
	CU_ASSERT_EQUAL(lateness_since(&begin), 0);
	CU_ASSERT_TRUE(lateness_since(&ever) > 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"one that failed late is run again",
		 one_that_failed_late_is_run_again},
		{"one that cannot be told is an error",
		 one_that_cannot_be_told_is_an_error},
		{"what is right is right at any time",
		 what_is_right_is_right_at_any_time},
		{"what fails in time fails", what_fails_in_time_fails},
		{"who sleeps on wakes late", who_sleeps_on_wakes_late},
		{"what nobody tells is no lateness",
		 what_nobody_tells_is_no_lateness},
	};
	const struct builtin b = {.spec = "rfc7306"};
	struct run_options o = {
		.device = &device,
		.profile = MODEL_RFC7306,
		.spec = "rfc7306",
		.jobs = 1,
		.quiet = true,
		.timeout_scale = 1,
	};
	char late[] = FILE_ID "fails_late_each_time";
	char *const selectors[] = {late};
	char why[512];
	const char *fault;
	bool usage;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	device_init(&device);
	if (shared == MAP_FAILED || crc_init(&fault) < 0 ||
	    !builtin_start(&b, &device, &usage, why, sizeof(why)) ||
	    !runner_run(&o, &whole, why, sizeof(why))) {
		fprintf(stderr, "host: %s\n", why);
		return 1;
	}
	tries_of_late = shared->late_always;
	o.selectors = selectors;
	o.selector_count = 1;
	if (!runner_run(&o, &late_alone, why, sizeof(why))) {
		fprintf(stderr, "host: %s\n", why);
		return 1;
	}
	int status = unit_run("host", tests, UNIT_COUNT(tests));

	builtin_stop();
	return status;
}
