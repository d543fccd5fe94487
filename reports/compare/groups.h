/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pairs that would not interoperate for the same reasons, put together: a
 * device, and those with which it does not interoperate. Each such pair is in
 * one group.
 */
#ifndef REPORTS_GROUPS_H
#define REPORTS_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

#include "reports/compare/matrix.h"

#define GROUP_REASONS 32 /* more than there are rules, both ways */

struct group {
	size_t device;
	bool with[MATRIX_RUNS];
	size_t others, first; /* of `with`: their number, and the first one */
	/* Of the device and the first of the others. */
	const struct pair *reasons[GROUP_REASONS];
	size_t reason_count;
};

/* The largest ones first. *out gets *n groups, to be freed, or NULL with *n 0.
 * False: out of memory. */
bool groups_of(const struct matrix *m, struct group **out, size_t *n);

/* The group of two devices, whichever is first; or NULL. */
const struct group *group_find(const struct group *groups, size_t n, size_t a,
			       size_t b);

#endif
