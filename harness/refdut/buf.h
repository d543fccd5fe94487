/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A byte queue: octets are appended at its end and taken from its start. Memory
 * grows on demand; only buf_free releases it. If memory runs out, the program
 * ends with one line, because a device cannot continue without it.
 */
#ifndef HARNESS_REFDUT_BUF_H
#define HARNESS_REFDUT_BUF_H

#include <stddef.h>
#include <stdint.h>

struct buf {
	uint8_t *data;
	size_t start;
	size_t end;
	size_t cap;
};

static inline size_t buf_len(const struct buf *b)
{
	return b->end - b->start;
}

static inline uint8_t *buf_head(const struct buf *b)
{
	return b->data + b->start;
}

/* Room for n more octets at the end; valid until the next call. */
uint8_t *buf_room(struct buf *b, size_t n);

/* Add the first n octets of the room to the queue. */
static inline void buf_grow(struct buf *b, size_t n)
{
	b->end += n;
}

void buf_put(struct buf *b, const void *octets, size_t n);
void buf_take(struct buf *b, size_t n);
void buf_free(struct buf *b);

/* Zeroed memory, never NULL. */
void *alloc_zeroed(size_t n);

/* Big-endian fields, as in every protocol of the stack. */
static inline uint16_t be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t be32(const uint8_t *p)
{
	return (uint32_t)be16(p) << 16 | be16(p + 2);
}

static inline uint64_t be64(const uint8_t *p)
{
	return (uint64_t)be32(p) << 32 | be32(p + 4);
}

static inline void be16_put(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static inline void be32_put(uint8_t *p, uint32_t v)
{
	be16_put(p, (uint16_t)(v >> 16));
	be16_put(p + 2, (uint16_t)v);
}

static inline void be64_put(uint8_t *p, uint64_t v)
{
	be32_put(p, (uint32_t)(v >> 32));
	be32_put(p + 4, (uint32_t)v);
}

#endif
