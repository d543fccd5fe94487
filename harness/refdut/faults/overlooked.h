/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Some faults accept an illegal placement. None of them writes outside of its
 * buffer: the fault shows because the segment is not refused, and because the
 * octets that fit are placed.
 */
#ifndef HARNESS_REFDUT_FAULTS_OVERLOOKED_H
#define HARNESS_REFDUT_FAULTS_OVERLOOKED_H

#include "harness/refdut/memory/memory.h"

#include <string.h>

static inline void place_what_fits(struct region *region, uint64_t to,
				   const uint8_t *octets, uint32_t n)
{
	uint64_t room;

	if (!region || to < region->to || to - region->to >= region->len)
		return;
	room = region->len - (to - region->to);
	memcpy(region_at(region, to), octets, n < room ? n : (size_t)room);
}

#endif
