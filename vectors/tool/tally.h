/* SPDX-License-Identifier: BSD-2-Clause */
/* What the checks of vectors came to. */
#ifndef VECTORS_TOOL_TALLY_H
#define VECTORS_TOOL_TALLY_H

#include <stdbool.h>

#include "vectors/tool/vec.h"

struct vec_tally {
	unsigned long checks, truncations, flips;
	bool failed;
};

/* A check has failed: prints a line to stdout. */
__attribute__((format(printf, 3, 4))) void vec_fail(const struct vec *v,
						    struct vec_tally *tally,
						    const char *fmt, ...);

#endif
