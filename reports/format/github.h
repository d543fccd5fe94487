/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The output for GitHub: annotations, which are lines of a step's output, and
 * the page with its summary. Annotations are limited, so broken requirements
 * are in the order of ranking.h, and the page has the rest.
 */
#ifndef REPORTS_GITHUB_H
#define REPORTS_GITHUB_H

#include <stdbool.h>

#include "reports/ranking.h"
#include "reports/format/formats.h"

/* A requirement that is broken, and not as a known deviation. */
struct broken_anew {
	const struct ranked *ranked;
	const struct result *in; /* the first case that shows it */
	const struct result_broken *as;
	size_t cases;
	bool fails; /* the run, not only a SHOULD that is not followed */
};

/* The broken ones of the ranking, to be freed by the caller with free(). NULL:
 * no memory. */
struct broken_anew *github_broken(const struct run_result *run,
				  const struct ranked *ranking, size_t ranked,
				  size_t *n);

/* The case that failed, or that the suite could not judge, without a
 * requirement that is broken: a crash, a loss of the agent. */
bool github_is_other(const struct result *r);

int github_page(const struct run_result *run,
		const struct report_options *options, FILE *out);

#endif
