/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bounds-checked big-endian access to octets. If a get would read past the end,
 * it returns zeros; if a put would write past the end, it writes nothing. Both
 * set `flaw`, which is never cleared, so that a codec checks it once, at its
 * end. Then the cursor does not move any more: all later gets return zeros, and
 * all later puts write nothing, however short they are. NULL with a length of 0
 * represents no octets.
 */
#ifndef HARNESS_WIRE_CURSOR_H
#define HARNESS_WIRE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct get {
	const uint8_t *at, *end;
	bool flaw;
};
struct put {
	uint8_t *at, *end;
	bool flaw;
};

struct get get_from(const uint8_t *octets, size_t n);
uint8_t get8(struct get *g);
uint16_t get16(struct get *g);
uint32_t get32(struct get *g);
uint64_t get64(struct get *g);
/* A pointer to the next n octets; NULL, and `flaw` is set: fewer are left. */
const uint8_t *get_octets(struct get *g, size_t n);
static inline size_t get_left(const struct get *g)
{
	return (size_t)(g->end - g->at);
}

struct put put_into(uint8_t *octets, size_t n);
void put8(struct put *p, uint8_t v);
void put16(struct put *p, uint16_t v);
void put32(struct put *p, uint32_t v);
void put64(struct put *p, uint64_t v);
void put_octets(struct put *p, const void *octets, size_t n);
static inline size_t put_left(const struct put *p)
{
	return (size_t)(p->end - p->at);
}

#endif
