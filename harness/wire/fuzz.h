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

/* libFuzzer takes an abort for a finding, whatever NDEBUG says. */
static inline void must_hold(bool property)
{
	if (!property)
		abort();
}

static inline void must_equal(const uint8_t *a, const uint8_t *b, size_t n)
{
	must_hold(n == 0 || memcmp(a, b, n) == 0);
}

/* The message about an input: one line, and fit for a terminal. */
static inline void must_be_a_line(const char *why)
{
	must_hold(*why != '\0');
	for (; *why; why++)
		must_hold((unsigned char)*why >= 0x20 && *why != 0x7f);
}

#endif
