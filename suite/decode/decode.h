/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Takes given octets apart into frames and their fields: `warpspec decode`.
 * Nothing is judged, and no device is used.
 *
 *   input.c       hex, a dump of hex, or a capture, as streams of octets
 *   chunks.c      the SCTP of a capture, as messages of DDP
 *   frames.c      a stream, or messages, as frames
 *   say.c         frames as text; json.c: as JSON
 */
#ifndef SUITE_DECODE_DECODE_H
#define SUITE_DECODE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct decode_options {
	bool json, colour;
	/* Settings that startup frames would give: for streams without them, or
	 * to override them. */
	bool no_crc, markers;
};

enum decode_result {
	DECODE_FRAMES, /* only whole frames were found */
	DECODE_REST, /* also octets that are not frames, or no octets at all */
	DECODE_UNREAD, /* it could not be read: one line in why */
};

/* The words are hex, or the name of a file. */
enum decode_result decode(char *const *words, size_t n,
			  const struct decode_options *o, FILE *out, char *why,
			  size_t cap);

#endif
