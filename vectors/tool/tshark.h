/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A second reader of the vectors: tshark. They are written as a capture of
 * synthetic TCP connections and SCTP associations, tshark reads it, and its reading is compared
 * with what the vectors state.
 */
#ifndef VECTORS_TOOL_TSHARK_H
#define VECTORS_TOOL_TSHARK_H

#include "vectors/tool/vec.h"

/* 0, or -1 and one line in why. */
int vec_tshark_capture(const struct vec_set *set, const char *path, char *why,
		       size_t cap);

/* Print tshark's arguments, one per line: the fields it is asked for. */
int vec_tshark_args(void);

/*
 * Compare tshark's output in `reading` with the set. `known` lists where
 * tshark departs from the RFCs or reads nothing. Prints a line per failure
 * and closes with the counts; returns how many failed, or -1 and why.
 */
int vec_tshark_compare(const struct vec_set *set, const char *reading,
		       const char *known, char *why, size_t cap);

#endif
