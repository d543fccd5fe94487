/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of each dimension that occurred in a run, from its report. */
#ifndef REPORTS_LOAD_DIMENSIONS_H
#define REPORTS_LOAD_DIMENSIONS_H

#include "reports/load/json_reader.h"
#include "suite/judge/result.h"

void load_dimensions(struct reader *r, const json_t *root,
		     struct run_result *run);

#endif
