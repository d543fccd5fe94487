/* SPDX-License-Identifier: BSD-2-Clause */
/* One case of a report. */
#ifndef REPORTS_LOAD_CASE_H
#define REPORTS_LOAD_CASE_H

#include "reports/load/json_reader.h"
#include "suite/judge/result.h"

/* *evidence gets the memory of its evidence, for evidence_release(). */
void load_case(struct reader *r, const json_t *object, struct result *out,
	       void **evidence);

#endif
