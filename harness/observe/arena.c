/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/observe/arena.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "harness/observe/observe.h"

void *arena_alloc(const struct arena *a, size_t n)
{
	void *p = observe_alloc(a->log, n ? n : 1);

	if (!p)
		a->full(a->user);
	assert(p);
	return p;
}

const char *arena_format(const struct arena *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	const char *s = observe_vformat(a->log, fmt, ap);
	va_end(ap);
	return s;
}

const char *arena_hex(const struct arena *a, const uint8_t *octets, size_t n,
		      size_t max)
{
	static const char digits[] = "0123456789abcdef";
	size_t shown = n < max ? n : max;
	char *text = arena_alloc(a, shown * 3 + 40);
	char *at = text;

	for (size_t i = 0; i < shown; i++) {
		if (i)
			*at++ = ' ';
		*at++ = digits[octets[i] >> 4];
		*at++ = digits[octets[i] & 15];
	}
	if (shown < n)
		sprintf(at, " ... (%zu octets)", n);
	else if (n == 0)
		strcpy(at, "(nothing)");
	return text;
}
