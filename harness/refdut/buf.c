/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void out_of_memory(void)
{
	fputs("warpspec-refdut: out of memory\n", stderr);
	exit(1);
}

void *alloc_zeroed(size_t n)
{
	void *p = calloc(1, n ? n : 1);

	if (!p)
		out_of_memory();
	return p;
}

uint8_t *buf_room(struct buf *b, size_t n)
{
	size_t len = buf_len(b);
	size_t cap = b->cap ? b->cap : 1024;
	uint8_t *data;

	if (b->cap - b->end >= n)
		return b->data + b->end;
	if (b->start && b->cap - len >= n && len <= b->start) {
		memcpy(b->data, b->data + b->start, len);
		b->start = 0;
		b->end = len;
		return b->data + b->end;
	}
	while (cap - len < n)
		cap *= 2;
	data = malloc(cap);
	if (!data)
		out_of_memory();
	if (len)
		memcpy(data, b->data + b->start, len);
	free(b->data);
	b->data = data;
	b->start = 0;
	b->end = len;
	b->cap = cap;
	return b->data + b->end;
}

void buf_put(struct buf *b, const void *octets, size_t n)
{
	if (n == 0)
		return;
	memcpy(buf_room(b, n), octets, n);
	b->end += n;
}

void buf_take(struct buf *b, size_t n)
{
	b->start += n;
	if (b->start == b->end)
		b->start = b->end = 0;
}

void buf_free(struct buf *b)
{
	free(b->data);
	*b = (struct buf){0};
}
