/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pairs of devices that would not interoperate: one insists on something as
 * initiator or responder, and the other refuses it in the other role. Only
 * facts that two cases have shown are reported, and each pair names both cases.
 * If nothing is reported about a pair, that does not prove that the two
 * interoperate.
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
	const char *insists; /* the behaviour of one */
	const char *refuses; /* the behaviour of the other */
	const struct result *shows, *other_shows;
};

/* *out gets *n pairs, to be freed, or NULL with *n 0. False: out of memory. */
bool pairs_of(const struct run_result *const *runs, size_t count,
	      struct pair **out, size_t *n);

/*
 * True if cases that could show such a fact were not run or not judged. Then
 * the lack of a pair says nothing about this device.
 */
bool pairs_are_open(const struct run_result *run);

#endif
