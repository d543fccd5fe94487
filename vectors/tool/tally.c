/* SPDX-License-Identifier: BSD-2-Clause */
#include "vectors/tool/tally.h"

#include <stdarg.h>
#include <stdio.h>

void vec_fail(const struct vec *v, struct vec_tally *tally, const char *fmt,
	      ...)
{
	va_list ap;

	tally->failed = true;
	printf("%s:%d: %s: ", v->file, v->line, v->name);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}
