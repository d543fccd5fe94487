/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/text/json_memory.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/text/memstream.h"

static unsigned long failures;

static void *counted(size_t n)
{
	void *p = malloc(n);

	failures += !p;
	return p;
}

unsigned long json_memory_failures(void)
{
	static bool counts;

	if (!counts)
		json_set_alloc_funcs(counted, free);
	counts = true;
	return failures;
}

json_t *json_memory_load(const char *octets, size_t n, size_t flags,
			 json_error_t *error)
{
	unsigned long before = json_memory_failures();
	json_t *o = json_loadb(octets, n, flags, error);

	errno = 0;
	if (failures == before)
		return o;
	json_decref(o);
	if (error)
		snprintf(error->text, sizeof(error->text), "out of memory");
	text_is_lost();
	errno = ENOMEM;
	return NULL;
}
