/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/unit.h"
#include "reports/publish/publish.h"

/* A format whose reports are as long as the run's seed says. */
static int write_seed(const struct run_result *run,
		      const struct report_options *options, FILE *out)
{
	(void)options;
	for (uint64_t i = 0; i < run->seed; i++)
		fputc('x', out);
	return ferror(out) ? -1 : 0;
}

/* One that fails for a reason of its own, after a few octets. */
static int write_fails(const struct run_result *run,
		       const struct report_options *options, FILE *out)
{
	(void)run;
	(void)options;
	fputs("half a rep", out);
	errno = ENOMEM;
	return -1;
}

static const struct report_format seed_format = {
	.name = "seed", .summary = "", .write = write_seed};
static const struct report_format failing_format = {
	.name = "f", .summary = "", .write = write_fails};

static char dir[PATH_MAX];
static char why[256];

static const char *at(const char *name)
{
	static char path[PATH_MAX + NAME_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static int publish(const char *path, uint64_t size)
{
	struct run_result run = {.seed = size};

	*why = '\0';
	return report_publish(&seed_format, &run, false, path, why,
			      sizeof(why));
}

static int check(const char *path)
{
	*why = '\0';
	return report_check_path(path, why, sizeof(why));
}

/* How many files the directory holds, and the octets of one; -1 if none. */
static int files(void)
{
	DIR *d = opendir(dir);
	int n = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(d);
	for (struct dirent *e; (e = readdir(d));)
		n += strcmp(e->d_name, ".") != 0 &&
		     strcmp(e->d_name, "..") != 0;
	closedir(d);
	return n;
}

static long size_of(const char *name)
{
	struct stat st;

	return stat(at(name), &st) == 0 ? (long)st.st_size : -1;
}

static long mode_of(const char *name)
{
	struct stat st;

	return stat(at(name), &st) == 0 ? (long)(st.st_mode & 07777) : -1;
}

static void published_whole(void)
{
	mode_t mask = umask(027);

	CU_ASSERT_EQUAL(check(at("new")), 0);
	CU_ASSERT_EQUAL(files(), 0);
	CU_ASSERT_EQUAL(publish(at("new"), 100000), 0);
	CU_ASSERT_EQUAL(size_of("new"), 100000);
	CU_ASSERT_EQUAL(mode_of("new"), 0640);
	/* Again, shorter, over a file with rights of its own. */
	CU_ASSERT_EQUAL(chmod(at("new"), 0604), 0);
	CU_ASSERT_EQUAL(check(at("new")), 0);
	CU_ASSERT_EQUAL(publish(at("new"), 3), 0);
	CU_ASSERT_EQUAL(size_of("new"), 3);
	CU_ASSERT_EQUAL(mode_of("new"), 0604);
	CU_ASSERT_EQUAL(files(), 1);
	CU_ASSERT_EQUAL(unlink(at("new")), 0);
	umask(mask);
}

/* A symbolic link keeps its target. */
static void link_is_followed(void)
{
	struct stat st;

	CU_ASSERT_EQUAL(publish(at("real"), 1), 0);
	CU_ASSERT_EQUAL(symlink("real", at("link")), 0);
	CU_ASSERT_EQUAL(publish(at("link"), 7), 0);
	CU_ASSERT_EQUAL(size_of("real"), 7);
	CU_ASSERT_EQUAL(lstat(at("link"), &st), 0);
	CU_ASSERT(S_ISLNK(st.st_mode));
	CU_ASSERT_EQUAL(unlink(at("link")), 0);
	CU_ASSERT_EQUAL(unlink(at("real")), 0);
}

/* A file that may not grow simulates a full disk. */
static void failure_leaves_the_old_report(void)
{
	struct rlimit old, small = {.rlim_cur = 4096};
	struct run_result run = {0};
	char due[2 * PATH_MAX];

	CU_ASSERT_EQUAL(publish(at("old"), 10), 0);
	getrlimit(RLIMIT_FSIZE, &old);
	small.rlim_max = old.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	int rc = publish(at("old"), 1000000);

	setrlimit(RLIMIT_FSIZE, &old);
	CU_ASSERT_EQUAL(rc, -1);
	snprintf(due, sizeof(due), "%s: %s", at("old"), strerror(EFBIG));
	CU_ASSERT_STRING_EQUAL(why, due);
	CU_ASSERT_EQUAL(size_of("old"), 10);
	CU_ASSERT_EQUAL(files(), 1);

	rc = report_publish(&failing_format, &run, false, at("old"), why,
			    sizeof(why));
	CU_ASSERT_EQUAL(rc, -1);
	snprintf(due, sizeof(due), "%s: %s", at("old"), strerror(ENOMEM));
	CU_ASSERT_STRING_EQUAL(why, due);
	CU_ASSERT_EQUAL(size_of("old"), 10);
	CU_ASSERT_EQUAL(files(), 1);
	CU_ASSERT_EQUAL(unlink(at("old")), 0);
}

/* A device is written to, never replaced. */
static void devices_stay(void)
{
	struct stat st;

	CU_ASSERT_EQUAL(check("/dev/full"), 0);
	CU_ASSERT_EQUAL(publish("/dev/full", 10), -1);
	CU_ASSERT_STRING_EQUAL(why, "/dev/full: No space left on device");
	CU_ASSERT_EQUAL(publish("/dev/null", 10), 0);
	CU_ASSERT_EQUAL(stat("/dev/full", &st), 0);
	CU_ASSERT(S_ISCHR(st.st_mode));
	CU_ASSERT_EQUAL(stat("/dev/null", &st), 0);
	CU_ASSERT(S_ISCHR(st.st_mode));
}

/* Runs publish(path) with standard output on `fd`. */
static int publish_to_stdout(const char *path, int fd)
{
	fflush(stdout);
	int kept = dup(STDOUT_FILENO);

	dup2(fd, STDOUT_FILENO);
	int rc = publish(path, 5);

	clearerr(stdout);
	dup2(kept, STDOUT_FILENO);
	close(kept);
	close(fd);
	return rc;
}

static void standard_output(void)
{
	CU_ASSERT_EQUAL(check(NULL), 0);
	CU_ASSERT_EQUAL(check("-"), 0);
	int fd = open(at("stdout"), O_WRONLY | O_CREAT, 0600);

	CU_ASSERT_EQUAL(publish_to_stdout(NULL, fd), 0);
	CU_ASSERT_EQUAL(size_of("stdout"), 5);
	fd = open(at("stdout"), O_WRONLY | O_TRUNC);
	CU_ASSERT_EQUAL(publish_to_stdout("-", fd), 0);
	CU_ASSERT_EQUAL(size_of("stdout"), 5);
	fd = open("/dev/full", O_WRONLY);
	CU_ASSERT_EQUAL(publish_to_stdout("-", fd), -1);
	CU_ASSERT_STRING_EQUAL(why, "standard output: No space left on device");
	CU_ASSERT_EQUAL(unlink(at("stdout")), 0);
}

/* Refused before anything runs, in the same words as when it is published. */
static void bad_paths_are_refused(void)
{
	char longest[NAME_MAX + 2], due[2 * PATH_MAX];

	memset(longest, 'n', NAME_MAX + 1);
	longest[NAME_MAX + 1] = '\0';
	CU_ASSERT_EQUAL(publish(at("file"), 1), 0);
	const struct {
		const char *name;
		int error;
	} rows[] = {
		{"missing/report", ENOENT},
		{"file/report", ENOTDIR},
		{".", EISDIR},
		{"new/", EISDIR},
		{longest, ENAMETOOLONG},
	};

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		snprintf(due, sizeof(due), "%s: %s", at(rows[i].name),
			 strerror(rows[i].error));
		due[sizeof(why) - 1] = '\0';
		CU_ASSERT_EQUAL(check(at(rows[i].name)), -1);
		CU_ASSERT_STRING_EQUAL(why, due);
		CU_ASSERT_EQUAL(publish(at(rows[i].name), 1), -1);
		CU_ASSERT_STRING_EQUAL(why, due);
		CU_ASSERT_EQUAL(files(), 1);
	}
	CU_ASSERT_EQUAL(check(""), -1);
	CU_ASSERT_EQUAL(publish("", 1), -1);
	CU_ASSERT_EQUAL(check(at("a\nb/c")), -1);
	CU_ASSERT_PTR_NULL(strchr(why, '\n'));
	CU_ASSERT_EQUAL(unlink(at("file")), 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"published whole", published_whole},
		{"link is followed", link_is_followed},
		{"failure leaves the old", failure_leaves_the_old_report},
		{"devices stay", devices_stay},
		{"standard output", standard_output},
		{"bad paths are refused", bad_paths_are_refused},
	};
	const char *tmp = getenv("TMPDIR");

	snprintf(dir, sizeof(dir), "%s/publish_test.XXXXXX",
		 tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(dir)) {
		perror(dir);
		return 1;
	}
	int status = unit_run("publish", tests, UNIT_COUNT(tests));

	if (rmdir(dir) != 0) {
		perror(dir);
		status = 1;
	}
	return status;
}
