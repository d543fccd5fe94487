/* SPDX-License-Identifier: BSD-2-Clause */
/* Verdicts by layer: the first part of a case's id. */
#ifndef REPORTS_TEXT_LAYERS_H
#define REPORTS_TEXT_LAYERS_H

#include "suite/judge/result.h"

enum { LAYERS_MOST = 64 };

struct layer {
	char name[64];
	size_t n[VERDICT_COUNT];
};

/* In the order of the first case of each; returns their number. Layers beyond
 * LAYERS_MOST are left out. */
size_t layers_of(const struct run_result *run,
		 struct layer layers[LAYERS_MOST]);

#endif
