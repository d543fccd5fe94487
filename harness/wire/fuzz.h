/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a fuzzer: an entry point, and a property to check. */
#ifndef HARNESS_WIRE_FUZZ_H
#define HARNESS_WIRE_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libFuzzer reports an abort as a finding, with or without NDEBUG. */
static inline void must_hold(bool property)
{
	if (!property)
		abort();
}

static inline void must_equal(const uint8_t *a, const uint8_t *b, size_t n)
{
	must_hold(n == 0 || memcmp(a, b, n) == 0);
}

/* A message about an input is one line that is safe for a terminal. */
static inline void must_be_a_line(const char *why)
{
	must_hold(*why != '\0');
	for (; *why; why++)
		must_hold((unsigned char)*why >= 0x20 && *why != 0x7f);
}

#endif
