/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions with plain numbers, for suite/prove/atomics.py. */
#include "suite/model/atomic/atomic.c"

#define ASKED __attribute__((used)) static

/* A word that was stored to memory and loaded again. */
ASKED uint64_t word_stored_loaded(uint64_t word, bool stored, bool loaded)
{
	uint8_t octets[8];

	model_word_store(octets, word, stored);
	return model_word_load(octets, loaded);
}
