/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the code of a case can do to its host: cases that try it, in a run on
 * the built-in device, with captures. Where the kernel confines nothing, the
 * run says so and the cases still pass.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/crc/crc.h"
#include "harness/lab/confinement.h"
#include "harness/unit.h"
#include "suite/device/builtin.h"
#include "suite/language/case.h"
#include "suite/run/plan/runner.h"

#define FILE_ID "suite/run/worker/worker_test/"

static unsigned kinds; /* in force here, as another process has found out */

/* The error that is due, if this kind is in force. */
static int due(unsigned kind, int error)
{
	return kinds & kind ? error : 0;
}

CASE(files_of_the_host_are_denied, .title = "it opens /etc/passwd")
{
	connects(t);
	int fd = open("/etc/passwd", O_RDONLY);

	must(t, DDP_4_1_01,
	     is("errno", fd < 0 ? errno : 0, due(CONFINES_FILES, EACCES)));
}

static char captures[] = "/tmp/worker_test.XXXXXX";
static char beside[sizeof(captures) + sizeof(".beside")];

CASE(new_files_are_denied, .title = "it writes beside the captures")
{
	connects(t);
	int fd = open(beside, O_WRONLY | O_CREAT | O_EXCL, 0600);

	must(t, DDP_4_1_01,
	     is("errno", fd < 0 ? errno : 0, due(CONFINES_FILES, EACCES)));
}

CASE(programs_are_denied, .title = "it starts a program")
{
	int status = 0;

	connects(t);
	pid_t pid = fork();

	if (pid == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(errno);
	}
	waitpid(pid, &status, 0);
	must(t, DDP_4_1_01,
	     is("status", WEXITSTATUS(status), due(CONFINES_CALLS, EPERM)));
}

CASE(other_processes_are_denied, .title = "it signals the run")
{
	connects(t);
	int n = kill(getppid(), 0);

	must(t, DDP_4_1_01,
	     is("errno", n < 0 ? errno : 0, due(CONFINES_SIGNALS, EPERM)));
}

static struct device device;
static struct run_result whole;

static void the_host_is_out_of_reach(void)
{
	CU_ASSERT_EQUAL(whole.count, 4);
	for (size_t i = 0; i < whole.count; i++) {
		CU_ASSERT_EQUAL(whole.results[i].verdict, VERDICT_PASS);
		if (whole.results[i].verdict != VERDICT_PASS)
			puts(whole.results[i].detail);
	}
}

static void captures_are_kept(void)
{
	struct stat st;

	for (size_t i = 0; i < whole.count; i++) {
		const char *path = whole.results[i].capture;

		CU_ASSERT_PTR_NOT_NULL_FATAL(path);
		CU_ASSERT_EQUAL(stat(path, &st), 0);
		unlink(path);
	}
}

static void find_out(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		char why[256];

		_exit((int)confine(&(struct confinement){0}, why, sizeof(why)));
	}
	waitpid(pid, &status, 0);
	kinds = (unsigned)WEXITSTATUS(status);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"the host is out of reach", the_host_is_out_of_reach},
		{"captures are kept", captures_are_kept},
	};
	const struct builtin b = {.spec = "rfc7306"};
	struct run_options o = {
		.device = &device,
		.profile = MODEL_RFC7306,
		.spec = "rfc7306",
		.jobs = 2,
		.quiet = true,
		.timeout_scale = 0.5,
		.captures = captures,
	};
	char why[512];
	const char *fault;
	bool usage;

	find_out();
	device_init(&device);
	if (mkdtemp(captures))
		snprintf(beside, sizeof(beside), "%s.beside", captures);
	if (!*beside || crc_init(&fault) < 0 ||
	    !builtin_start(&b, &device, &usage, why, sizeof(why)) ||
	    !runner_run(&o, &whole, why, sizeof(why))) {
		fprintf(stderr, "worker: %s\n", why);
		return 1;
	}
	int status = unit_run("worker", tests, UNIT_COUNT(tests));

	builtin_stop();
	unlink(beside);
	rmdir(captures);
	return status;
}
