/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Octets that somebody has, taken apart into frames and their fields: what
 * `warpspec decode` does. Nothing is judged, and no device is asked.
 *
 *   input.c       hex, a dump of hex, or a capture, as streams of octets
 *   frames.c      a stream into frames
 *   say.c         them as text; json.c: as JSON
 */
#ifndef SUITE_DECODE_DECODE_H
#define SUITE_DECODE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct decode_options {
	bool json, colour;
	/* What startup frames would tell: without them, or against them. */
	bool no_crc, markers;
};

enum decode_result {
	DECODE_FRAMES, /* nothing but whole frames came out */
	DECODE_REST,   /* also octets that are none, or none at all */
	DECODE_UNREAD, /* it could not be read: one line in why */
};

/* The words are hex, or the name of a file. */
enum decode_result decode(char *const *words, size_t n,
			  const struct decode_options *o, FILE *out, char *why,
			  size_t cap);

#endif
