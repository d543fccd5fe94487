/* SPDX-License-Identifier: BSD-2-Clause */
/* The objections to what the suite sends, until they are asked for. */
#include "harness/lab/sctp/kernel/kernel.h"

#include <stdarg.h>
#include <stdio.h>

unsigned breaches;
char first_breach[256];

void breach(unsigned stream, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!breaches++)
		snprintf(first_breach, sizeof(first_breach), "stream %u: %s",
			 stream, text);
}
