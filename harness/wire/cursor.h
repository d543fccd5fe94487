/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bounds-checked big-endian access to octets. A cursor has one sticky flaw:
 * a get past the end yields zeros, a put past the end writes nothing, and
 * `flaw` stays set, so that a codec checks once, at its end. A flawed cursor
 * stays where it is: later gets yield zeros and later puts write nothing,
 * however short. NULL with a length of 0 represents no octets.
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
/* n octets in place, or NULL (and the flaw) when fewer are left. */
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
