/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a vector's statements to octets: the codec's encoders get only the
 * stated fields. Other fields have the value that a conforming sender gives
 * them (man/warpspec-vectors.5 lists them).
 */
#ifndef VECTORS_TOOL_BUILD_H
#define VECTORS_TOOL_BUILD_H

#include "vectors/tool/values.h"

/* Octets written, or 0: cap is short, or a stated value does not fit. */
size_t vec_build_startup(const struct vec *v, uint8_t *out, size_t cap);

/* FPDU number i (from 1) of a stream, or the only one when i is 0. */
size_t vec_build_fpdu(const struct vec *v, unsigned i, uint32_t offset,
		      uint8_t *out, size_t cap);

/* An SCTP chunk with its padding. */
size_t vec_build_chunk(const struct vec *v, uint8_t *out, size_t cap);

/* How many FPDUs a stream states. */
unsigned vec_build_count(const struct vec *v);

#endif
