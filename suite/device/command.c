/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/device/command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GRACE_MS = 1000 };

static void become(const char *command, const char *folder, const char *host,
		   uint16_t port)
{
	int nothing = open("/dev/null", O_RDWR);
	char number[8];
	sigset_t none;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(nothing, fd);
	syscall(SYS_close_range, 3, ~0u, 0);
	snprintf(number, sizeof(number), "%u", port);
	if (setenv("WARPSPEC_HOST", host, 1) < 0 ||
	    setenv("WARPSPEC_PORT", number, 1) < 0 ||
	    (folder[0] && chdir(folder) < 0))
		_exit(126);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

pid_t command_start(const char *command, const char *folder, const char *host,
		    uint16_t port)
{
	pid_t pid = fork();

	if (pid == 0)
		become(command, folder, host, port);
	/* In both processes, so that the group exists whichever comes first. */
	if (pid > 0)
		setpgid(pid, pid);
	return pid;
}

void command_end(pid_t pid)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd p = {.fd = pidfd, .events = POLLIN};

	kill(-pid, SIGTERM);
	if (pidfd >= 0) {
		poll(&p, 1, GRACE_MS);
		close(pidfd);
	}
	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
