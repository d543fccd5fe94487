/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/text/memstream.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/unit.h"

#define LONG 5000u

static long succeed = -1; /* calls of realloc that do; -1: all */

/* Replaces the C library's functions, which a sanitizer may replace, too. */
void *realloc(void *at, size_t n)
{
	static void *(*real)(void *, size_t);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "realloc");
	if (succeed == 0) {
		errno = ENOMEM;
		return NULL;
	}
	if (succeed > 0)
		succeed--;
	return real(at, n);
}

static char *write_long(size_t *n, bool flushes)
{
	struct memstream m;
	FILE *out = memstream_open(&m);

	for (unsigned i = 0; out && i < LONG; i++) {
		fputc('a' + (int)(i % 26), out);
		if (flushes && i % 100 == 0)
			fflush(out);
	}
	return memstream_finish(&m, n);
}

static void a_text_is_whole(void)
{
	size_t n;
	char *text = write_long(&n, false);

	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_EQUAL(n, LONG);
	CU_ASSERT_EQUAL(strlen(text), LONG);
	for (unsigned i = 0; i < LONG; i++)
		if (text[i] != 'a' + (char)(i % 26))
			CU_FAIL("another octet");
	free(text);
	CU_ASSERT_EQUAL(text_lost(), 0);
}

static void an_empty_text_is_one(void)
{
	struct memstream m;
	size_t n = 1;

	CU_ASSERT_PTR_NOT_NULL(memstream_open(&m));
	char *text = memstream_finish(&m, &n);

	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_STRING_EQUAL(text, "");
	CU_ASSERT_EQUAL(n, 0);
	free(text);
}

/* At whichever call memory ends, the last one among them. */
static void a_text_with_a_hole_is_none(void)
{
	for (unsigned flushes = 0; flushes < 2; flushes++) {
		char *text = NULL;
		long calls;

		for (calls = 0; !text && calls < 100; calls++) {
			unsigned long before = text_lost();
			size_t n = 1;

			succeed = calls;
			text = write_long(&n, flushes);
			int error = errno;

			succeed = -1;
			if (text) {
				CU_ASSERT_EQUAL(n, LONG);
				CU_ASSERT_EQUAL(strlen(text), LONG);
				CU_ASSERT_EQUAL(text_lost(), before);
			} else {
				CU_ASSERT_EQUAL(n, 0);
				CU_ASSERT_EQUAL(error, ENOMEM);
				CU_ASSERT_EQUAL(text_lost(), before + 1);
			}
		}
		CU_ASSERT(calls > 3 && calls < 100);
		free(text);
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"a text is whole", a_text_is_whole},
		{"an empty text is one", an_empty_text_is_one},
		{"a text with a hole is none", a_text_with_a_hole_is_none},
	};

	return unit_run("memstream", tests, UNIT_COUNT(tests));
}
