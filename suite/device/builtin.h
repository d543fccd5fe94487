/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The built-in device: warpspec-refdut as a process of its own, reached like
 * any other device.
 */
#ifndef SUITE_DEVICE_BUILTIN_H
#define SUITE_DEVICE_BUILTIN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "suite/device/device.h"
#include "suite/device/hooks.h"

#define BUILTIN_IMPL "warpspec reference device" /* as its agent calls it */

struct builtin {
	/* [MUTANT][,+VARIANT]..., or first +VARIANT; NULL: the clean device */
	const char *as;
	const char *control; /* NULL: none */
	const char *spec;    /* "rfc7306", "draft-03", ... */
	const char *bind;    /* its address; NULL: loopback */
	const char *without; /* features that it does not have, or NULL */
	bool alone;          /* behind a port like that of rping: no agent */
	/* Behind that port, a ULP that lets its peers use memory. It advertises
	 * the memory in a Send, or in private data. */
	bool offers, offers_in_send;
	bool patient; /* this host is busy: a control device, too, waits long
		       * for a startup frame */
};

/*
 * Start it, and fill in its name and agent. It ends with this process in any
 * case. False: one line in why; but if *usage is set, its options are wrong,
 * and it has reported that on stderr itself.
 */
bool builtin_start(const struct builtin *b, struct device *d, bool *usage,
		   char *why, size_t cap);
void builtin_stop(void);
/* 0: it does not run. */
pid_t builtin_pid(void);

/* The hooks of the device that builtin_start() has started: `health` checks
 * whether its process still runs, `reset` starts it again at the same
 * address. */
struct hooks *builtin_hooks(void);

#endif
