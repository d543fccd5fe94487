/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the codec's tests: octets from hex, and reproducible random
 * numbers. */
#ifndef HARNESS_WIRE_TESTING_H
#define HARNESS_WIRE_TESTING_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline unsigned hex_digit(char c)
{
	return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* Decode lower-case hex digits; there may be spaces between octets. Returns the
 * number of octets. */
static inline size_t octets_of(uint8_t *out, const char *hex)
{
	size_t n = 0;

	while (*hex) {
		if (*hex == ' ') {
			hex++;
			continue;
		}
		out[n++] =
			(uint8_t)(hex_digit(hex[0]) << 4 | hex_digit(hex[1]));
		hex += 2;
	}
	return n;
}

/* A generator with a period of 2^64: good enough to vary octets. */
struct chance {
	uint64_t state;
};

static inline uint32_t draw(struct chance *c)
{
	c->state = c->state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(c->state >> 32);
}

static inline uint64_t draw64(struct chance *c)
{
	uint64_t high = draw(c);

	return high << 32 | draw(c);
}

static inline void draw_octets(struct chance *c, uint8_t *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = (uint8_t)draw(c);
}

/*
 * A copy in allocated memory of exactly n octets, so that a sanitizer detects
 * any read or write past its end. The caller frees it.
 */
static inline uint8_t *exact_copy(const uint8_t *octets, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);

	if (!copy)
		abort();
	if (n)
		memcpy(copy, octets, n);
	return copy;
}

#endif
