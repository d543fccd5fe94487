/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Devices that would not understand each other: what one insists on as
 * initiator or responder, the other refuses in the other role. Only what two
 * cases have shown is reported, and each pair names both. That nothing is said
 * of two devices does not say that they understand each other.
 */
#ifndef REPORTS_PAIRS_H
#define REPORTS_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/judge/result.h"

struct pair {
	size_t one, other; /* of the runs; `one` insists */
	bool one_initiates;
	const char *about;   /* "markers" */
	const char *insists; /* what one does */
	const char *refuses; /* what the other does */
	const struct result *shows, *other_shows;
};

/* *n of them, for free(); NULL with *n 0 where there is none. False: no
 * memory. */
bool pairs_of(const struct run_result *const *runs, size_t count,
	      struct pair **out, size_t *n);

#endif
