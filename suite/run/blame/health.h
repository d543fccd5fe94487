/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds out from its hooks and its agent whether the device is well, and
 * restores it if it is not.
 */
#ifndef SUITE_RUN_HEALTH_H
#define SUITE_RUN_HEALTH_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "suite/device/hooks.h"
#include "suite/language/execution/testbed.h"

enum health {
	HEALTH_WELL,
	HEALTH_CRASHED, /* the health hook says so */
	HEALTH_UNCLEAR, /* the health hook failed to decide */
	HEALTH_GONE,    /* its agent cannot be reached */
};

/* The device, and the signal that ends a wait for it. */
struct patient {
	struct hooks *hooks; /* or NULL */
	struct testbed *bed; /* its session is used, and then closed */
	double timeout_scale;
	const volatile sig_atomic_t *ended;
};

/* The result of its health hook; a device without one is well. */
enum health health_look(struct hooks *h, struct hook_result *seen);
/* Wait for the agent to answer again. Meanwhile the health hook may report that
 * the device has crashed. GONE: one line in why. */
enum health health_await(const struct patient *p, struct hook_result *seen,
			 char *why, size_t cap);
bool health_can_reset(const struct hooks *h);
/* Restore the device with its reset hook. False: one line in why, or "" if a
 * signal ended it. */
bool health_bring_back(const struct patient *p, char *why, size_t cap);

#endif
