/* SPDX-License-Identifier: BSD-2-Clause */
/* The shards of a run, as the report of the run. */
#include <stdlib.h>

#include "reports/load/load.h"
#include "reports/publish/publish.h"
#include "suite/catalogue/catalogue.h"
#include "suite/cli/complain.h"
#include "suite/judge/merge.h"
#include "suite/report/report_command.h"

#define SHARDS_MOST 1000

static const struct report_format *format_of(const struct report_call *c)
{
	const char *name = report_option(c, "format");

	return report_format_find(name ? name : "json");
}

static int publish(const struct report_call *c, const struct run_result *run,
		   const char *path)
{
	struct run_result told = *run;
	char why[512];

	told.background = catalogue_background();
	if (report_publish(format_of(c), &told, false, path, why, sizeof(why)) <
	    0)
		return complain(EXIT_SUITE, why);
	return 0;
}

static int merge(const struct report_call *c, const struct run_result **runs,
		 const char *path)
{
	const struct run_result *merged;
	char why[512];
	int status;

	for (size_t i = 0; i < c->file_count; i++)
		if (!(runs[i] = report_read(c->files[i])))
			return EXIT_USAGE;
	merged = merge_shards(runs, (const char *const *)c->files,
			      c->file_count, why, sizeof(why));
	if (!merged)
		return complain(EXIT_USAGE, why);
	status = publish(c, merged, path);
	merge_free(merged);
	return status;
}

static int perform(const struct report_call *c)
{
	const char *path = report_option(c, "output");
	const struct run_result **runs;
	char why[512];
	int status;

	if (!format_of(c))
		return report_no_format(c, report_option(c, "format"));
	if (report_check_place(format_of(c), path, why, sizeof(why)) < 0)
		return complain(EXIT_USAGE, why);
	runs = calloc(c->file_count, sizeof(*runs));
	if (!runs)
		return complain(EXIT_SUITE, "out of memory");
	status = merge(c, runs, path);
	for (size_t i = 0; i < c->file_count; i++)
		report_unload(runs[i]);
	free(runs);
	return status;
}

static const struct report_option options[] = {
	{"output", 'o', "PATH",
	 "output file (default: standard output); html: output folder"},
	{"format", '\0', "FORMAT", "a format of run --report (default: json)"},
	{0},
};

const struct report_subcommand report_merge = {
	.name = "merge",
	.usage = "SHARD.json SHARD.json... [-o PATH] [--format FORMAT]",
	.text = "Merge the reports of all shards of a run (run --shard K/N) "
		"into one. Gaps, overlaps, and shards of another device, "
		"suite or selection are refused.",
	.options = options,
	.files_least = 2,
	.files_most = SHARDS_MOST,
	.perform = perform,
};
