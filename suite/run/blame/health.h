/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether the device is well, by its hooks and its agent, and how it is brought
 * back where it is not.
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
	HEALTH_CRASHED, /* says its health hook */
	HEALTH_UNCLEAR, /* the hook does not say */
	HEALTH_GONE,    /* its agent cannot be reached */
};

/* Whose health it is, and what ends waiting for it. */
struct patient {
	struct hooks *hooks; /* or NULL */
	struct testbed *bed; /* whose session is used, and then closed */
	double timeout_scale;
	const volatile sig_atomic_t *ended;
};

/* What its health hook says; one without is well. */
enum health health_look(struct hooks *h, struct hook_result *seen);
/* Wait for the agent to answer again. What made it fall silent may show
 * meanwhile, or last of all. GONE: one line in why. */
enum health health_await(const struct patient *p, struct hook_result *seen,
			 char *why, size_t cap);
bool health_can_reset(const struct hooks *h);
/* By its reset hook. False: one line in why, or "" where a signal has ended
 * it. */
bool health_bring_back(const struct patient *p, char *why, size_t cap);

#endif
