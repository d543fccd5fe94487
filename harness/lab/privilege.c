/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/lab/privilege.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool number(const char *text, unsigned long *out)
{
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*out = strtoul(text, &end, 10);
	return !errno && !*end && *out <= UINT32_MAX - 1u;
}

/* True also if there is no other user to become. */
static bool become_caller(void)
{
	unsigned long uid, gid;

	if (getuid() != 0 || !number(getenv("SUDO_UID"), &uid) ||
	    !number(getenv("SUDO_GID"), &gid) || uid == 0)
		return true;
	const struct passwd *p = getpwuid((uid_t)uid);
	int groups =
		p ? initgroups(p->pw_name, (gid_t)gid) : setgroups(0, NULL);

	return groups == 0 && setgid((gid_t)gid) == 0 &&
	       setuid((uid_t)uid) == 0;
}

bool privilege_drop(char *why, size_t cap)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};

	/* Otherwise a program that root starts would have all of them again. */
	if (become_caller() && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == 0 &&
	    syscall(SYS_capset, &header, none) == 0)
		return true;
	snprintf(why, cap, "giving up privileges: %s", strerror(errno));
	return false;
}
