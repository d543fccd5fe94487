/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The output for GitHub: annotations, which are lines of a step's output, and
 * the page with its summary. The number of annotations is limited, so broken
 * requirements are in the order of ranking.h, and the page has the rest.
 */
#ifndef REPORTS_GITHUB_H
#define REPORTS_GITHUB_H

#include <stdbool.h>

#include "reports/ranking.h"
#include "reports/format/formats.h"

/* A broken requirement that is not a known deviation. */
struct broken_anew {
	const struct ranked *ranked;
	const struct result *in; /* the first case that shows it */
	const struct result_broken *as;
	size_t cases;
	bool fails; /* it fails the run; false: a SHOULD that does not */
};

/* The requirements of the ranking that are broken anew, to be freed. NULL: out
 * of memory. */
struct broken_anew *github_broken(const struct run_result *run,
				  const struct ranked *ranking, size_t ranked,
				  size_t *n);

/* True if the case failed, or the suite could not judge it, and no requirement
 * is broken: a crash, a loss of the agent. */
bool github_is_other(const struct result *r);

int github_page(const struct run_result *run,
		const struct report_options *options, FILE *out);

#endif
