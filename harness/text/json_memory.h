/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON that memory did not suffice for. The library reads on where the buffer
 * of a string could not grow, and a member that could not be made is not
 * there: what comes of it looks whole. So failed allocations are counted.
 */
#ifndef HARNESS_TEXT_JSON_MEMORY_H
#define HARNESS_TEXT_JSON_MEMORY_H

#include <stddef.h>

#include <jansson.h>

/*
 * Allocations of JSON that have failed since the first call. What was made
 * between two calls that return the same is whole.
 */
unsigned long json_memory_failures(void);

/*
 * As json_loadb, but NULL where a part is missing: error->text is then "out of
 * memory", errno ENOMEM, and text_lost() (memstream.h) one more. Otherwise errno
 * is 0. error may be NULL.
 */
json_t *json_memory_load(const char *octets, size_t n, size_t flags,
			 json_error_t *error);

#endif
