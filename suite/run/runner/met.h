/* SPDX-License-Identifier: BSD-2-Clause */
/* What was met of each dimension, as reports tell it. */
#ifndef SUITE_RUN_MET_H
#define SUITE_RUN_MET_H

#include "suite/dimension/dimension.h"
#include "suite/judge/result.h"

/* On a device with these limits. It lives until this is asked again. */
void met_tell(const struct dimensions_met *met,
	      const struct dimension_limits *limits, struct run_result *out);

#endif
