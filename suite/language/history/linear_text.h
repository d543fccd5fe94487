/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why no order explains the answers to atomics, in words: which operation
 * found which value. Streams and words have the numbers of the history.
 */
#ifndef SUITE_LANGUAGE_LINEAR_TEXT_H
#define SUITE_LANGUAGE_LINEAR_TEXT_H

#include "suite/model/linear/linear.h"

/* At most n octets with their end, as snprintf has it. */
#define LINEAR_TEXT 512
void linear_text(const struct linear_history *h, const struct linear_verdict *v,
		 char *out, size_t n);

#endif
