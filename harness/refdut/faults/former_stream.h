/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults that compare the number of a stream, which the next one gets again: an
 * STag bound to a stream that has ended serves another one. */
#ifndef HARNESS_REFDUT_FAULTS_FORMER_STREAM_H
#define HARNESS_REFDUT_FAULTS_FORMER_STREAM_H

#include "harness/refdut/conn.h"

static inline const struct conn *stream_of_stag(const struct conn *c,
						uint32_t stag)
{
	const struct region *region = region_of_stag(stag);
	const struct conn *bound = region ? region->stream : NULL;

	return bound && conn_is_final(bound) ? bound : c;
}

#endif
