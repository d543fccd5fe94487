/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the peer's octets are cut into TCP segments if the case does not specify
 * it: `--segmentation`. The verdicts of a device must not depend on it.
 */
#ifndef SUITE_DEVICE_SEGMENTATION_H
#define SUITE_DEVICE_SEGMENTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/link/link.h"

enum segmentation_kind {
	SEGMENT_WHOLE,      /* as they are written */
	SEGMENT_OCTETS,     /* one octet each */
	SEGMENT_RANDOM,     /* of random lengths, by a seed */
	SEGMENT_REORDERED,  /* every second one before its predecessor */
	SEGMENT_DUPLICATED, /* each one twice */
};

struct segmentation {
	enum segmentation_kind kind;
	uint64_t seed;
};

/* "whole", "octets", "random:7", "reordered", "duplicated". */
bool segmentation_parse(struct segmentation *s, const char *text);
/* True if it needs LINK_CAP_SEGMENTS. */
bool segmentation_is_scripted(const struct segmentation *s);

/*
 * The places to cut n octets, which are the nth write of the case: ascending
 * offsets within 1..n-1, at most `cap`. Returns their number.
 */
size_t segmentation_cuts(const struct segmentation *s, size_t n, uint64_t nth,
			 size_t *cuts, size_t cap);

/* The segments of n octets with these cuts, in the order to send them. Returns
 * their number, at most `cap`; 2 * (ncuts + 1) always suffices. */
size_t segmentation_plan(const struct segmentation *s, size_t n,
			 const size_t *cuts, size_t ncuts,
			 struct link_segment *plan, size_t cap);

#endif
