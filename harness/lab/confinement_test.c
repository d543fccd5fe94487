/* SPDX-License-Identifier: BSD-2-Clause */
/* What a confined process cannot do, and what it still can. Where the kernel
 * confines nothing, it still can do all of it. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/lab/confinement.h"
#include "harness/unit.h"

static char folder[] = "/tmp/confinement_test.XXXXXX";

/* The ends of a confined process: 0 done, an errno, or IN_VAIN. */
enum { IN_VAIN = 200, UNCONFINED };

/* Run this in a process that is confined by these kinds at least. */
static int confined(const struct confinement *c, unsigned kinds,
		    int (*act)(void))
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		char why[256];

		if ((confine(c, why, sizeof(why)) & kinds) != kinds)
			_exit(UNCONFINED);
		_exit(act());
	}
	CU_ASSERT_EQUAL_FATAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_TRUE_FATAL(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void denies(unsigned kinds, int (*act)(void), int error)
{
	const struct confinement c = {.folder = folder, .tcp_port = 1};
	int end = confined(&c, kinds, act);

	if (end == UNCONFINED)
		puts("skip: this kernel does not deny it");
	else
		CU_ASSERT_EQUAL(end, error);
}

static void allows(int (*act)(void))
{
	const struct confinement c = {.folder = folder};

	CU_ASSERT_EQUAL(confined(&c, 0, act), 0);
}

static int result(int n)
{
	return n < 0 ? errno : 0;
}

static int read_file(const char *path)
{
	char octet;
	int fd = open(path, O_RDONLY);

	return fd < 0 ? errno : read(fd, &octet, 1) == 1 ? 0 : IN_VAIN;
}

static int reads_passwords(void)
{
	return read_file("/etc/passwd");
}
static int reads_by_detour(void)
{
	return read_file("/proc/self/root/etc/passwd");
}
static int reads_lateness(void)
{
	return read_file("/proc/self/schedstat");
}
static int reads_others(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)getppid());
	return read_file(path);
}

static int writes_elsewhere(void)
{
	return result(open("/tmp/confinement_test.elsewhere",
			   O_WRONLY | O_CREAT | O_EXCL, 0600));
}

static int executes(void)
{
	execl("/bin/true", "true", (char *)NULL);
	return errno;
}

static int traces(void)
{
	return ptrace(PTRACE_ATTACH, getppid(), NULL, NULL) < 0 ? errno : 0;
}

static int mounts(void)
{
	return result(mount("none", folder, "tmpfs", 0, NULL));
}

static int signals_its_parent(void)
{
	return result(kill(getppid(), 0));
}

static int listens(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET};

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return result(bind(socket(AF_INET, SOCK_STREAM, 0),
			   (struct sockaddr *)&a, sizeof(a)));
}

static int connects(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(9)};

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return result(connect(socket(AF_INET, SOCK_STREAM, 0),
			      (struct sockaddr *)&a, sizeof(a)));
}

/* As capture_save() does, twice. */
static int writes_captures(void)
{
	char part[64], path[64];

	snprintf(part, sizeof(part), "%s/a.part", folder);
	snprintf(path, sizeof(path), "%s/a.pcapng", folder);
	for (unsigned i = 0; i < 2; i++) {
		int fd = open(part, O_WRONLY | O_CREAT | O_EXCL, 0600);

		if (fd < 0 || write(fd, "x", 1) != 1 || ftruncate(fd, 0) < 0 ||
		    close(fd) < 0 || rename(part, path) < 0)
			return errno;
	}
	return result(unlink(path));
}

static int talks(void)
{
	int pair[2];
	char octet;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) < 0 ||
	    send(pair[0], "x", 1, 0) < 0 || recv(pair[1], &octet, 1, 0) < 0)
		return errno;
	return listens();
}

static void files_are_denied(void)
{
	denies(CONFINES_FILES, reads_passwords, EACCES);
	denies(CONFINES_FILES, reads_by_detour, EACCES);
	denies(CONFINES_FILES, writes_elsewhere, EACCES);
	denies(CONFINES_FILES | CONFINES_CALLS, reads_others, EACCES);
}

static void programs_are_denied(void)
{
	denies(CONFINES_CALLS, executes, EPERM);
	denies(CONFINES_CALLS, traces, EPERM);
	denies(CONFINES_CALLS, mounts, EPERM);
	denies(CONFINES_SIGNALS, signals_its_parent, EPERM);
}

static void ports_are_denied(void)
{
	denies(CONFINES_PORTS, listens, EACCES);
	denies(CONFINES_PORTS, connects, EACCES);
}

static void the_rest_is_allowed(void)
{
	allows(reads_lateness);
	allows(writes_captures);
	allows(talks);
}

static void it_says_why_not(void)
{
	char why[256];
	int status;

	fflush(NULL);
	if (fork() == 0) {
		unsigned kinds =
			confine(&(struct confinement){0}, why, sizeof(why));
		bool all = kinds & CONFINES_FILES && kinds & CONFINES_CALLS;

		_exit(all == !*why && !(kinds & CONFINES_PORTS) &&
				      !(kinds & ~CONFINES_ALL)
			      ? 0
			      : 1);
	}
	CU_ASSERT_TRUE(wait(&status) > 0);
	CU_ASSERT_EQUAL(status, 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"files are denied", files_are_denied},
		{"programs and other processes are denied",
		 programs_are_denied},
		{"ports are denied", ports_are_denied},
		{"the rest is allowed", the_rest_is_allowed},
		{"it says why not", it_says_why_not},
	};

	if (!mkdtemp(folder)) {
		perror(folder);
		return 1;
	}
	int status = unit_run("confinement", tests, UNIT_COUNT(tests));

	unlink("/tmp/confinement_test.elsewhere");
	rmdir(folder);
	return status;
}
