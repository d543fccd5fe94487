/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Vectors as packets: each in a TCP connection of its own that begins with a
 * correct Request and Reply, each FPDU in a segment of its own; or, for a chunk
 * of SCTP, in a packet of an association of its own. The walk is the same with
 * and without a file, so that the reader of the capture finds a vector's frames
 * by number.
 */
#ifndef VECTORS_TOOL_CAPTURE_H
#define VECTORS_TOOL_CAPTURE_H

#include "vectors/tool/vec.h"

#define VEC_CAPTURE_FPDUS 16

/* The place of a vector: the capture's frame numbers, from 1. */
struct vec_frames {
	unsigned frame[VEC_CAPTURE_FPDUS];
	unsigned n; /* 0: not in the capture */
	const char *why_not;
};

struct vec_capture;

/* path NULL: count only. NULL on failure, with one line in why. */
struct vec_capture *vec_capture_open(const char *path, char *why, size_t cap);
void vec_capture_add(struct vec_capture *c, const struct vec *v,
		     struct vec_frames *where);
/* 0, or -1 if the file could not be written, with one line in why. */
int vec_capture_close(struct vec_capture *c, char *why, size_t cap);

#endif
