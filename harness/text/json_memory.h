/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Detects JSON that is incomplete because memory ran out. The library continues
 * to read if it cannot enlarge the buffer of a string, and omits a member that
 * it cannot allocate: the result looks complete. So failed allocations are
 * counted.
 */
#ifndef HARNESS_TEXT_JSON_MEMORY_H
#define HARNESS_TEXT_JSON_MEMORY_H

#include <stddef.h>

#include <jansson.h>

/*
 * The number of failed allocations of JSON since the first call. If two calls
 * return the same number, values made between them are complete.
 */
unsigned long json_memory_failures(void);

/*
 * Like json_loadb(), but returns NULL if a part is missing: then error->text is
 * "out of memory", errno is ENOMEM, and text_lost() (memstream.h) has counted
 * it. Otherwise errno is 0. error may be NULL.
 */
json_t *json_memory_load(const char *octets, size_t n, size_t flags,
			 json_error_t *error);

#endif
