/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints frames as text and as JSON. */
#ifndef SUITE_DECODE_SAY_H
#define SUITE_DECODE_SAY_H

#include <stdbool.h>
#include <stdio.h>

#include "suite/decode/frames.h"

/* In 80 columns. The caller has already printed the flow, or its name. */
void say_flow(const struct captured *c, const struct decoded *d, bool colour,
	      FILE *out);
void say_frame(const struct decoded *d, bool colour, FILE *out);

/* All of it as one JSON object. False: no memory. */
bool say_json(const struct input *in, const struct decoded_list *frames,
	      FILE *out);

#endif
