/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hooks find out whether a device is still alive, and restore a dead one. The
 * hooks of a device file are commands for /bin/sh, run on the suite's host in
 * the folder of the device file:
 *
 *   health  exit status 0: the device is well. Any other: it has crashed,
 *           and the output of the hook is the evidence. It runs after every
 *           case, so it should be fast.
 *   reset   restores the device; exit status 0: it is up, and its agent
 *           answers or soon will.
 *   log     prints the device's own log, for a case that has failed: the end
 *           of its output is kept with the case. No verdict depends on it.
 *           $WARPSPEC_CASE is the case, $WARPSPEC_SECONDS the time since it
 *           began.
 *
 * The result of a hook that does not end in time, is killed, or cannot be run
 * (126 and 127 of the shell) does not count.
 */
#ifndef SUITE_DEVICE_HOOKS_H
#define SUITE_DEVICE_HOOKS_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/device/device.h"

#define HOOK_OUTPUT 8192 /* octets of a hook's output that are kept */

enum hook_end {
	HOOK_WELL,     /* exit status 0 */
	HOOK_ILL,      /* any other */
	HOOK_UNCLEAR,  /* not in time, or killed: see `line` */
	HOOK_UNUSABLE, /* cannot be run at all: see `line` */
};

struct hook_result {
	enum hook_end end;
	char line[160];               /* how it ended, in one line */
	char output[HOOK_OUTPUT + 1]; /* lines of printable ASCII */
};

/* The hooks of a device; NULL: it has none of the kind. */
struct hooks {
	void (*health)(struct hooks *h, struct hook_result *out);
	void (*reset)(struct hooks *h, struct hook_result *out);
	void (*log)(struct hooks *h, const char *id, unsigned seconds,
		    struct hook_result *out);
};

/*
 * The hooks of a device file. This starts a process of their own that runs
 * them: call it while this process still has the privileges and the network
 * that a reset may need. That process ends with this one in any case, and a
 * running hook ends with it. NULL: one line in why.
 */
struct hooks *hooks_open(const struct device *d, char *why, size_t cap);
/* Only for hooks from hooks_open(); NULL is fine. */
void hooks_close(struct hooks *h);

/* The last line of the hook's output, or how it ended. */
const char *hook_last_line(const struct hook_result *r);

#endif
