/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/observe/observe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHUNK_OCTETS (256u << 10)
#define SPARES       16u

struct chunk {
	struct chunk *next;
	size_t cap, used;
	_Alignas(16) uint8_t octets[];
};

struct observe {
	struct chunk *chunks, *spare; /* newest first; for later */
	unsigned spares;
	size_t total, limit;
	struct event *first, *last;
};

static struct chunk *chunk_new(size_t cap)
{
	struct chunk *c = malloc(sizeof(*c) + cap);

	if (c)
		*c = (struct chunk){.cap = cap};
	return c;
}

struct observe *observe_new(void)
{
	struct observe *o = calloc(1, sizeof(*o));

	if (o && !(o->chunks = chunk_new(CHUNK_OCTETS))) {
		free(o);
		return NULL;
	}
	if (o)
		o->limit = OBSERVE_MAX;
	return o;
}

static void drop(struct chunk *c)
{
	while (c) {
		struct chunk *next = c->next;

		free(c);
		c = next;
	}
}

/* For the next case there is as much room as this one took, within bounds, so
 * that it need not ask for it again: one of many that are alike. */
static void keep_spare(struct observe *o)
{
	struct chunk *all = o->chunks;

	drop(o->spare);
	o->chunks = o->spare = NULL;
	o->spares = 0;
	while (all) {
		struct chunk *c = all;

		all = c->next;
		if (o->spares < SPARES && c->cap == CHUNK_OCTETS) {
			c->used = 0;
			c->next = o->spare;
			o->spare = c;
			o->spares++;
		} else {
			free(c);
		}
	}
}

void observe_free(struct observe *o)
{
	if (!o)
		return;
	drop(o->chunks);
	drop(o->spare);
	free(o);
}

void observe_reset(struct observe *o)
{
	keep_spare(o);
	o->total = 0;
	o->limit = OBSERVE_MAX;
	o->first = o->last = NULL;
}

bool observe_spare(struct observe *o)
{
	bool was = o->limit > OBSERVE_MAX;

	o->limit = OBSERVE_MAX + OBSERVE_SPARE;
	return !was;
}

static struct chunk *chunk_for(struct observe *o, size_t need)
{
	struct chunk *c = o->spare;

	if (!c || need > c->cap)
		return chunk_new(need > CHUNK_OCTETS ? need : CHUNK_OCTETS);
	o->spare = c->next;
	o->spares--;
	return c;
}

static void *take(struct observe *o, size_t n)
{
	size_t need = (n + 15) & ~(size_t)15;

	if (need < n || need > o->limit - o->total)
		return NULL;
	if (!o->chunks || o->chunks->cap - o->chunks->used < need) {
		struct chunk *c = chunk_for(o, need);

		if (!c)
			return NULL;
		c->next = o->chunks;
		o->chunks = c;
	}
	void *p = o->chunks->octets + o->chunks->used;

	o->chunks->used += need;
	o->total += need;
	return p;
}

void *observe_alloc(struct observe *o, size_t n)
{
	void *p = take(o, n);

	return p ? memset(p, 0, n) : NULL;
}

uint8_t *observe_copy(struct observe *o, const void *octets, size_t n)
{
	uint8_t *p = take(o, n ? n : 1);

	if (p && n)
		memcpy(p, octets, n);
	return p;
}

const char *observe_vformat(struct observe *o, const char *fmt, va_list ap)
{
	va_list again;
	char small[256];

	va_copy(again, ap);
	int n = vsnprintf(small, sizeof(small), fmt, ap);
	char *p = n < 0 ? NULL : take(o, (size_t)n + 1);

	if (p && (size_t)n < sizeof(small))
		memcpy(p, small, (size_t)n + 1);
	else if (p)
		vsnprintf(p, (size_t)n + 1, fmt, again);
	va_end(again);
	return p ? p : "";
}

const char *observe_format(struct observe *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	const char *s = observe_vformat(o, fmt, ap);
	va_end(ap);
	return s;
}

struct event *observe_event(struct observe *o, enum observe_kind kind,
			    unsigned stream, const uint8_t *octets, size_t n)
{
	struct event *e = observe_alloc(o, sizeof(*e));
	struct timespec now;

	if (!e)
		return NULL;
	clock_gettime(CLOCK_MONOTONIC, &now);
	e->kind = kind;
	e->stream = stream;
	e->at_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	e->octets = octets;
	e->n = n;
	if (o->last)
		o->last->next = e;
	else
		o->first = e;
	o->last = e;
	return e;
}

void observe_text(struct observe *o, enum observe_kind kind, unsigned stream,
		  const char *text)
{
	struct event *e = observe_event(o, kind, stream, NULL, 0);

	if (e)
		e->text = text;
}

const struct event *observe_first(const struct observe *o)
{
	return o->first;
}

const struct event *observe_last(const struct observe *o)
{
	return o->last;
}
