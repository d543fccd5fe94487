/* SPDX-License-Identifier: BSD-2-Clause */
/* What suite/prove/atomics.py asks of it, in numbers. */
#include "suite/model/atomic/atomic.c"

#define ASKED __attribute__((used)) static

/* A word as it comes out of memory again, stored so and loaded so. */
ASKED uint64_t word_stored_loaded(uint64_t word, bool stored, bool loaded)
{
	uint8_t octets[8];

	model_word_store(octets, word, stored);
	return model_word_load(octets, loaded);
}
