/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The event log of a case as text: who did what, and every octet sent.
 */
#ifndef SUITE_LANGUAGE_TRANSCRIPT_H
#define SUITE_LANGUAGE_TRANSCRIPT_H

struct test;

/* In the case's arena; lives until the next case. */
const char *transcript_text(struct test *t);

#endif
