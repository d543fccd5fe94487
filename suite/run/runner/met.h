/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of each dimension that occurred, for reports. */
#ifndef SUITE_RUN_MET_H
#define SUITE_RUN_MET_H

#include "suite/dimension/dimension.h"
#include "suite/judge/result.h"

/* Put the values into *out, for a device with these limits. They live until the
 * next call. */
void met_tell(const struct dimensions_met *met,
	      const struct dimension_limits *limits, struct run_result *out);

#endif
