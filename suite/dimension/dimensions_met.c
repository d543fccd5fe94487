/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>

#include "suite/dimension/edges.h"

static void add(uint32_t *count, uint32_t more)
{
	*count = *count > UINT32_MAX - more ? UINT32_MAX : *count + more;
}

void dimension_met(struct dimensions_met *m, enum dimension d, uint64_t value)
{
	const struct edges *e = edges_of(d);
	size_t k = edges_below(e, value);

	add(&m->count[e->slot + 2 * k + (k < e->n && e->value[k] == value)], 1);
}

void dimensions_merge(struct dimensions_met *into,
		      const struct dimensions_met *from)
{
	for (size_t i = 0; i < DIMENSION_SLOTS; i++)
		add(&into->count[i], from->count[i]);
}

size_t dimension_classes(enum dimension d)
{
	return edges_classes(edges_of(d));
}

/* A step lies from low to high. */
static bool has_step(uint64_t low, uint64_t high, uint64_t step)
{
	uint64_t past = low % step;

	return low <= high && (!past || high - low >= step - past);
}

struct dimension_class dimension_class(enum dimension d, size_t number)
{
	const struct edges *e = edges_of(d);
	size_t k = number / 2;

	assert(number < edges_classes(e));
	if (number % 2)
		return (struct dimension_class){
			.low = e->value[k],
			.high = e->value[k],
			.interesting = true,
		};
	struct dimension_class c = {.high = UINT64_MAX};

	if (k) {
		c.empty = e->value[k - 1] == UINT64_MAX;
		c.low = e->value[k - 1] + 1;
	}
	if (k < e->n) {
		c.empty |= e->value[k] == 0;
		c.high = e->value[k] - 1;
	}
	c.empty |= !has_step(c.low, c.high, dimension_info(d)->step);
	return c;
}

uint32_t dimension_class_met(const struct dimensions_met *m, enum dimension d,
			     size_t number)
{
	assert(number < dimension_classes(d));
	return m->count[edges_of(d)->slot + number];
}

void dimension_class_add(struct dimensions_met *m, enum dimension d,
			 size_t number, uint32_t count)
{
	assert(number < dimension_classes(d));
	add(&m->count[edges_of(d)->slot + number], count);
}
