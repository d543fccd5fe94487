/* SPDX-License-Identifier: BSD-2-Clause */
/* The letters and the names of the devices of a matrix, as tables and lists
 * have them. */
#ifndef REPORTS_NAMES_H
#define REPORTS_NAMES_H

#include <stdbool.h>
#include <stdio.h>

#include "reports/compare/matrix.h"

struct names {
	/* Devices with the same name have what tells them apart:
	 * "Frobnitz 100, firmware 1.2". */
	char *of[MATRIX_RUNS];
	char *lettered[MATRIX_RUNS]; /* "B Frobnitz 100, firmware 1.2" */
	/* The same, with the middle left out of a long one: its end often tells
	 * devices apart. */
	char *brief[MATRIX_RUNS];
};

/* *out is for names_free(). False: out of memory, and text_lost() has counted
 * it. */
bool names_of(const struct matrix *m, struct names *out);
void names_free(struct names *n);

/* "A". */
const char *names_letter(size_t run);
/* "A, B, F to O". */
void names_put_letters(const bool of[MATRIX_RUNS], FILE *out);

#endif
