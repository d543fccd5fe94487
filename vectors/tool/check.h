/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The checks of one vector: its statements against the codec's results, in both
 * directions, truncated at every octet and with every bit flipped.
 */
#ifndef VECTORS_TOOL_CHECK_H
#define VECTORS_TOOL_CHECK_H

#include "vectors/tool/tally.h"
#include "vectors/tool/values.h"

/* Prints a line to stdout for each check that fails; true if none did. */
bool vec_check(const struct vec *v, struct vec_tally *tally);

/* Operands to result by the RFC's own bit-serial rule; in atomic.c. */
bool vec_atomic_result(uint8_t aopcode, uint64_t old, uint64_t data,
		       uint64_t mask, uint64_t compare, uint64_t compare_mask,
		       uint64_t *result);

/* Used by the parts of the checker. */
void vec_check_stated(const struct vec *v, const struct vec_values *found,
		      struct vec_tally *tally);
/* Frames: damage.c. f is scratch. */
void vec_check_truncations(const struct vec *v, struct vec_frame *f,
			   struct vec_tally *tally);
void vec_check_flips(const struct vec *v, struct vec_frame *f,
		     struct vec_tally *tally);
void vec_check_startup_damaged(const struct vec *v, struct vec_tally *tally);
void vec_check_chunk_damaged(const struct vec *v, struct vec_chunk *c,
			     struct vec_tally *tally);
/* Kinds without frames: atomic.c. */
void vec_check_atomic(const struct vec *v, struct vec_tally *tally);
void vec_check_mulpdu(const struct vec *v, struct vec_tally *tally);
void vec_check_crc(const struct vec *v, struct vec_tally *tally);

#endif
