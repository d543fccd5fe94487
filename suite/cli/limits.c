/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/cli/limits.h"

#include <stdio.h>
#include <sys/resource.h>

/* A little more than the amount that was found sufficient. */
#define LEAST_FILES 16u
#define LEAST_STACK (256u << 10)

bool limits_suffice(char *why, size_t cap)
{
	struct rlimit files, stack;

	if (getrlimit(RLIMIT_STACK, &stack) == 0 &&
	    stack.rlim_cur < LEAST_STACK) {
		snprintf(why, cap,
			 "the stack may grow to %llu KiB only: raise the limit "
			 "to at least %u (ulimit -s)",
			 (unsigned long long)stack.rlim_cur >> 10,
			 LEAST_STACK >> 10);
		return false;
	}
	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		return true;
	if (files.rlim_cur < files.rlim_max) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	if (files.rlim_cur >= LEAST_FILES)
		return true;
	snprintf(why, cap,
		 "no more than %llu files may be open at once: raise the limit "
		 "to at least %u (ulimit -n)",
		 (unsigned long long)files.rlim_cur, LEAST_FILES);
	return false;
}
