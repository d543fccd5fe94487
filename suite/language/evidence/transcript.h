/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of a case as text: sender, kind, and the octets kept of each. */
#ifndef SUITE_LANGUAGE_TRANSCRIPT_H
#define SUITE_LANGUAGE_TRANSCRIPT_H

#include <stdio.h>

#include "suite/judge/result.h"

void transcript_print(const struct result *r, FILE *out);

#endif
