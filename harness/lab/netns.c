/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/lab/netns.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_ours(int fd)
{
	struct stat theirs, ours;

	return fstat(fd, &theirs) == 0 &&
	       stat("/proc/self/ns/net", &ours) == 0 &&
	       theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino;
}

bool netns_join(const char *name, char *why, size_t cap)
{
	char path[256];

	if (!*name || strchr(name, '/') || strcmp(name, ".") == 0 ||
	    strcmp(name, "..") == 0) {
		snprintf(why, cap,
			 "'%s' is not the name of a network namespace", name);
		return false;
	}
	snprintf(path, sizeof(path), "/run/netns/%s", name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool ok = fd >= 0 && (is_ours(fd) || setns(fd, CLONE_NEWNET) == 0);
	int cause = errno;

	if (fd >= 0)
		close(fd);
	if (ok)
		return true;
	snprintf(why, cap, "the network namespace %s: %s", name,
		 cause == ENOENT  ? "it does not exist; is the device up?"
		 : cause == EPERM ? "joining it needs CAP_SYS_ADMIN: run it "
				    "with sudo"
				  : strerror(cause));
	return false;
}
