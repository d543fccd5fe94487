/* SPDX-License-Identifier: BSD-2-Clause */
/* A segment that is held back, so that the next one overtakes it. */
#ifndef HARNESS_REFDUT_FAULTS_LATE_SEGMENT_H
#define HARNESS_REFDUT_FAULTS_LATE_SEGMENT_H

#include "harness/refdut/ddp/segment_decisions.h"

#include <string.h>

/* The state that is kept for a connection. */
struct late_segment {
	bool held;
	bool passed; /* it was overtaken */
	uint32_t len;
	uint8_t u[1 << 16];
};

static inline void late_segment_hold(struct late_segment *late,
				     const uint8_t *u, uint32_t len)
{
	late->held = true;
	late->len = len;
	memcpy(late->u, u, len);
}

/* Process the segment that was held back. */
static inline void late_segment_taken(struct override *self, struct conn *c,
				      struct late_segment *late)
{
	bool held = late->held;

	late->held = false;
	late->passed = false;
	if (held && !c->rx_over)
		segment_in_turn_otherwise(self, c, late->u, late->len);
}

#endif
