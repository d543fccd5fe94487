/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/text/json_memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/unit.h"

static long succeed = -1; /* calls of malloc that do; -1: all */

/* Replaces the C library's functions, which a sanitizer may replace, too. */
void *malloc(size_t n)
{
	static void *(*real)(size_t);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "malloc");
	if (succeed == 0) {
		succeed = -1; /* one */
		errno = ENOMEM;
		return NULL;
	}
	if (succeed > 0)
		succeed--;
	return real(n);
}

/* Its string is longer than the buffer that the library begins with. */
static const char text[] =
	"{\"id\":\"rdmap/terminate/the_header_of_ddp_is_returned/bounds\","
	"\"list\":[1,\"two\",null]}";

static void what_is_whole_is_read(void)
{
	json_error_t error;
	json_t *o = json_memory_load(text, strlen(text), 0, &error);

	CU_ASSERT_PTR_NOT_NULL(o);
	CU_ASSERT_EQUAL(errno, 0);
	json_decref(o);
	CU_ASSERT_PTR_NULL(json_memory_load("{", 1, 0, &error));
	CU_ASSERT_EQUAL(errno, 0);
	CU_ASSERT_STRING_NOT_EQUAL(error.text, "out of memory");
}

/* Whichever allocation fails. */
static void nothing_with_a_hole_is_read(void)
{
	json_t *o = NULL;
	unsigned calls;

	for (calls = 0; !o && calls < 1000; calls++) {
		json_error_t error;

		succeed = calls;
		o = json_memory_load(text, strlen(text), 0, &error);
		int reason = errno;

		succeed = -1;
		if (o)
			break;
		CU_ASSERT_EQUAL(reason, ENOMEM);
		CU_ASSERT_STRING_EQUAL(error.text, "out of memory");
	}
	CU_ASSERT(calls > 10);
	char *again = json_dumps(o, JSON_COMPACT);

	CU_ASSERT_PTR_NOT_NULL_FATAL(again);
	CU_ASSERT_STRING_EQUAL(again, text);
	free(again);
	json_decref(o);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"what is whole is read", what_is_whole_is_read},
		{"nothing with a hole is read", nothing_with_a_hole_is_read},
	};

	return unit_run("json_memory", tests, UNIT_COUNT(tests));
}
