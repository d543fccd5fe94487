/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/device/segmentation.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A large write is cut into pieces of at least this share of it. */
#define SHARE 256

bool segmentation_parse(struct segmentation *s, const char *text)
{
	static const char *const names[] = {
		[SEGMENT_WHOLE] = "whole",
		[SEGMENT_OCTETS] = "octets",
		[SEGMENT_REORDERED] = "reordered",
		[SEGMENT_DUPLICATED] = "duplicated",
	};
	char *end;

	*s = (struct segmentation){0};
	if (strncmp(text, "random:", 7) == 0) {
		s->kind = SEGMENT_RANDOM;
		errno = 0;
		s->seed = strtoull(text + 7, &end, 0);
		return text[7] >= '0' && text[7] <= '9' && !*end && !errno;
	}
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i] && strcmp(text, names[i]) == 0) {
			s->kind = (enum segmentation_kind)i;
			return true;
		}
	return false;
}

bool segmentation_is_scripted(const struct segmentation *s)
{
	return s->kind == SEGMENT_REORDERED || s->kind == SEGMENT_DUPLICATED;
}

/* splitmix64: a value for a seed and a place, the same everywhere. */
static uint64_t scatter(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ull;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

static size_t piece(const struct segmentation *s, size_t n, uint64_t nth,
		    size_t at)
{
	size_t least = n / SHARE;

	switch (s->kind) {
	case SEGMENT_OCTETS:
		return 1 + least;
	case SEGMENT_RANDOM:
		return 1 + least +
		       scatter(s->seed ^ scatter(nth) ^ at) % (n / 4 + 16);
	case SEGMENT_REORDERED:
	case SEGMENT_DUPLICATED:
		return 11 + least;
	case SEGMENT_WHOLE:
		break;
	}
	return n;
}

size_t segmentation_cuts(const struct segmentation *s, size_t n, uint64_t nth,
			 size_t *cuts, size_t cap)
{
	size_t count = 0;

	for (size_t at = piece(s, n, nth, 0); at < n && count < cap;
	     at += piece(s, n, nth, at))
		cuts[count++] = at;
	return count;
}

size_t segmentation_plan(const struct segmentation *s, size_t n,
			 const size_t *cuts, size_t ncuts,
			 struct link_segment *plan, size_t cap)
{
	size_t count = 0, pieces = ncuts + 1;
	unsigned times = s->kind == SEGMENT_DUPLICATED ? 2 : 1;

	for (size_t i = 0; i < pieces; i++) {
		size_t k = i;

		/* 2 1 4 3 ...; an odd last one stays in its place. */
		if (s->kind == SEGMENT_REORDERED && (i ^ 1) < pieces)
			k = i ^ 1;
		for (unsigned again = 0; again < times; again++) {
			assert(count < cap);
			plan[count++] = (struct link_segment){
				.from = k ? cuts[k - 1] : 0,
				.to = k < ncuts ? cuts[k] : n,
			};
		}
	}
	return count;
}
