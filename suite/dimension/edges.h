/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The edges of a dimension within its own bounds, in order. Class 2k+1 is edge
 * k; class 2k is the values below edge k and above edge k-1.
 */
#ifndef SUITE_DIMENSION_EDGES_H
#define SUITE_DIMENSION_EDGES_H

#include "suite/dimension/dimension.h"

#define EDGES_SMALL 256u /* most values are below this one */

struct edges {
	const uint64_t *value;
	size_t n;
	size_t slot; /* of its class 0 in struct dimensions_met */
	uint16_t below[EDGES_SMALL];
};

const struct edges *edges_of(enum dimension d);
/* The number of edges below a value. */
size_t edges_below(const struct edges *e, uint64_t value);

static inline size_t edges_classes(const struct edges *e)
{
	return 2 * e->n + 1;
}

#endif
