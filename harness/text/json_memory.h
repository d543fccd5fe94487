/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Detects JSON that is incomplete for lack of memory. The library continues to
 * read if the buffer of a string could not grow, and omits a member that could
 * not be made: the result looks complete. So failed allocations are counted.
 */
#ifndef HARNESS_TEXT_JSON_MEMORY_H
#define HARNESS_TEXT_JSON_MEMORY_H

#include <stddef.h>

#include <jansson.h>

/*
 * Failed allocations of JSON since the first call. Values made between two
 * calls that return the same number are complete.
 */
unsigned long json_memory_failures(void);

/*
 * Like json_loadb, but NULL if a part is missing: error->text is then "out of
 * memory", errno ENOMEM, and text_lost() (memstream.h) one more. Otherwise
 * errno is 0. error may be NULL.
 */
json_t *json_memory_load(const char *octets, size_t n, size_t flags,
			 json_error_t *error);

#endif
