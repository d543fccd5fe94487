/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What mutants get wrong of a word that several streams work on by atomics: the
 * memory is right in the end, and what they have told is not.
 */
#ifndef HARNESS_REFDUT_SHARED_WORD_H
#define HARNESS_REFDUT_SHARED_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/refdut/conn.h"

/* An atomic of this stream has found `original` there, and leaves `value`: what
 * it is answered with. `add`: it is a FetchAdd. */
uint64_t shared_word_told(const struct conn *c, const uint8_t *at, bool add,
			  uint64_t original, uint64_t value);

/* An atomic of another stream was the last to change it. */
bool shared_word_of_another(const struct conn *c, const uint8_t *at);

/* The stream is gone: its words are as if nobody had worked on them. */
void shared_word_forget(const struct conn *c);

#endif
