/* SPDX-License-Identifier: BSD-2-Clause */
/* The source of the octets: hex, a hex dump, or a capture. */
#ifndef SUITE_DECODE_INPUT_H
#define SUITE_DECODE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/link/raw/captured.h"
#include "suite/decode/chunks.h"

#define INPUT_BLOCKS 4096
#define INPUT_OCTETS (16u << 20) /* of all blocks */

/* Octets of one direction, about which nothing else is known. */
struct input_block {
	size_t from, n; /* of the octets */
};

struct input {
	struct captured captured;   /* TCP of a capture, */
	struct chunks_taken chunks; /* and its SCTP */
	uint8_t *octets;
	size_t n, cap;
	struct input_block *blocks;
	size_t count;
};

/* False: one line in why. */
bool input_read(struct input *in, char *const *words, size_t n, char *why,
		size_t cap);
/* The same for a text that stands for the file or words with this name. */
bool input_parse(struct input *in, const char *name, const char *text, size_t n,
		 char *why, size_t cap);
void input_free(struct input *in);

#endif
