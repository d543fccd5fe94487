/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/device/hooks.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/unit.h"

static char folder[] = "/tmp/warpspec-hooks-XXXXXX";
static struct hook_result r;

/* Run this command as health hook of a device whose file is in `folder`. */
static void run(const char *command, unsigned ms)
{
	struct device d;
	char why[128];

	device_init(&d);
	snprintf(d.folder, sizeof(d.folder), "%s/", folder);
	snprintf(d.hook_health, sizeof(d.hook_health), "%s", command);
	d.hook_health_ms = ms;
	struct hooks *h = hooks_open(&d, why, sizeof(why));

	CU_ASSERT_PTR_NOT_NULL_FATAL(h);
	CU_ASSERT_PTR_NULL(h->reset);
	CU_ASSERT_PTR_NOT_NULL_FATAL(h->health);
	h->health(h, &r);
	hooks_close(h);
}

static void status_zero_is_well(void)
{
	run("echo fine", 20000);
	CU_ASSERT_EQUAL(r.end, HOOK_WELL);
	CU_ASSERT_STRING_EQUAL(r.output, "fine");
}

static void another_status_is_ill(void)
{
	run("echo one; echo two >&2; exit 3", 20000);
	CU_ASSERT_EQUAL(r.end, HOOK_ILL);
	CU_ASSERT_STRING_EQUAL(r.line, "the health hook ended with status 3");
	CU_ASSERT_STRING_EQUAL(r.output, "one\ntwo");
	CU_ASSERT_STRING_EQUAL(hook_last_line(&r), "two");
	run("exit 1", 20000);
	CU_ASSERT_EQUAL(r.end, HOOK_ILL);
	CU_ASSERT_STRING_EQUAL(r.output, "");
	CU_ASSERT_STRING_EQUAL(hook_last_line(&r), r.line);
}

static void it_runs_beside_the_device_file(void)
{
	run("pwd", 20000);
	CU_ASSERT_STRING_EQUAL(r.output, folder);
}

static void octets_of_any_kind_become_lines(void)
{
	run("printf 'a\\tb\\r\\n\\033[31m\\000\\377~\\n\\n'; false", 20000);
	CU_ASSERT_STRING_EQUAL(r.output, "a b\n\\x1b[31m\\x00\\xff~");
}

static void much_is_cut_and_none_is_waited_for(void)
{
	run("head -c 1000000 /dev/zero | tr '\\0' x; false", 20000);
	CU_ASSERT_EQUAL(r.end, HOOK_ILL);
	CU_ASSERT_EQUAL(strlen(r.output), HOOK_OUTPUT);
	CU_ASSERT_EQUAL(strspn(r.output, "x"), HOOK_OUTPUT);
}

static void what_cannot_be_run_says_nothing(void)
{
	run("./nobody", 20000);
	CU_ASSERT_EQUAL(r.end, HOOK_UNUSABLE);
	CU_ASSERT_PTR_NOT_NULL(strstr(r.line, "cannot be run: "));
	CU_ASSERT_PTR_NOT_NULL(strstr(r.line, "nobody"));
	run("kill -9 $$", 20000);
	CU_ASSERT_EQUAL(r.end, HOOK_UNCLEAR);
	CU_ASSERT_STRING_EQUAL(r.line,
			       "the health hook was killed by signal 9");
}

/* The process whose number the hook wrote to a file. */
static pid_t written(const char *name)
{
	char path[128];
	int pid = 0;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *f = fopen(path, "r");

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	CU_ASSERT_EQUAL(fscanf(f, "%d", &pid), 1);
	fclose(f);
	unlink(path);
	return pid;
}

/* It ends, or waits to be buried by a stranger, before that time is over. */
static bool ends_within(pid_t pid, int ms)
{
	struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, pid, 0),
			     .events = POLLIN};

	if (end.fd < 0)
		return errno == ESRCH;
	bool gone = poll(&end, 1, ms) == 1;

	close(end.fd);
	return gone;
}

static void one_that_hangs_is_ended_with_all_it_started(void)
{
	run("sleep 1000 & echo $! >child; echo so far; wait", 200);
	CU_ASSERT_EQUAL(r.end, HOOK_UNCLEAR);
	CU_ASSERT_STRING_EQUAL(r.line,
			       "the health hook did not end within 200 ms");
	CU_ASSERT_STRING_EQUAL(r.output, "so far");
	CU_ASSERT(ends_within(written("child"), 5000));
}

static void what_it_leaves_running_is_not_waited_for(void)
{
	run("sleep 1000 & echo $! >child", 20000);
	CU_ASSERT_EQUAL(r.end, HOOK_WELL);
	CU_ASSERT_EQUAL(kill(written("child"), SIGKILL), 0);
}

/* The same as log hook, for a case. */
static void log_of(const char *command, const char *id)
{
	struct device d;
	char why[128];

	device_init(&d);
	snprintf(d.hook_log, sizeof(d.hook_log), "%s", command);
	d.hook_log_ms = 20000;
	struct hooks *h = hooks_open(&d, why, sizeof(why));

	CU_ASSERT_PTR_NOT_NULL_FATAL(h);
	CU_ASSERT_PTR_NULL(h->health);
	CU_ASSERT_PTR_NOT_NULL_FATAL(h->log);
	h->log(h, id, 7, &r);
	hooks_close(h);
}

static void a_log_hook_knows_the_case(void)
{
	log_of("echo \"$WARPSPEC_CASE since $WARPSPEC_SECONDS s\"",
	       "mpa/crc/x");
	CU_ASSERT_EQUAL(r.end, HOOK_WELL);
	CU_ASSERT_STRING_EQUAL(r.output, "mpa/crc/x since 7 s");
}

static void the_end_of_a_log_is_kept(void)
{
	log_of("seq 100000", "mpa/crc/x");
	size_t n = strlen(r.output);

	CU_ASSERT(n <= HOOK_OUTPUT && n >= HOOK_OUTPUT / 2 - 8);
	CU_ASSERT_STRING_EQUAL(hook_last_line(&r), "100000");
	/* It begins with a whole line. */
	CU_ASSERT_EQUAL(strcspn(r.output, "\n"), 5);
	log_of("head -c 1000000 /dev/zero | tr '\\0' x; echo; echo end",
	       "mpa/crc/x");
	CU_ASSERT_STRING_EQUAL(hook_last_line(&r), "end");
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"status 0 is well", status_zero_is_well},
		{"another status is ill", another_status_is_ill},
		{"it runs beside the device file",
		 it_runs_beside_the_device_file},
		{"octets of any kind become lines",
		 octets_of_any_kind_become_lines},
		{"much is cut", much_is_cut_and_none_is_waited_for},
		{"what cannot be run says nothing",
		 what_cannot_be_run_says_nothing},
		{"one that hangs is ended with all it started",
		 one_that_hangs_is_ended_with_all_it_started},
		{"what it leaves running is not waited for",
		 what_it_leaves_running_is_not_waited_for},
		{"a log hook knows the case", a_log_hook_knows_the_case},
		{"the end of a log is kept", the_end_of_a_log_is_kept},
	};

	if (!mkdtemp(folder))
		return 1;
	int status = unit_run("hooks", tests, UNIT_COUNT(tests));

	rmdir(folder);
	return status;
}
