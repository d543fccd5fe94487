/* SPDX-License-Identifier: BSD-2-Clause */
/* The differences between two runs. */
#include "reports/compare/diff_write.h"
#include "reports/load/load.h"
#include "reports/publish/publish.h"
#include "suite/cli/complain.h"
#include "suite/report/report_command.h"

static int compare(const struct run_result *was, const struct run_result *is,
		   enum document_format format, const char *path)
{
	struct diff diff;
	const struct diff_report report = {&diff, format};
	const struct report_content content = {diff_write, &report, false};
	char why[512];
	int status;

	if (!diff_runs(was, is, &diff))
		return complain(EXIT_SUITE, "out of memory");
	status = diff_regresses(&diff) ? EXIT_FAILED : 0;
	if (report_publish_content(&content, path, why, sizeof(why)) < 0)
		status = complain(EXIT_SUITE, why);
	diff_free(&diff);
	return status;
}

static int perform(const struct report_call *c)
{
	const char *name = report_option(c, "format");
	const char *path = report_option(c, "output");
	enum document_format format = DOCUMENT_TEXT;
	const struct run_result *was, *is;
	char why[512];
	int status = EXIT_USAGE;

	if (name && !document_format_named(name, &format))
		return report_no_format(c, name);
	if (report_check_path(path, why, sizeof(why)) < 0)
		return complain(EXIT_USAGE, why);
	was = report_read(c->files[0]);
	is = was ? report_read(c->files[1]) : NULL;
	if (is)
		status = compare(was, is, format, path);
	report_unload(was);
	report_unload(is);
	return status;
}

static const struct report_option options[] = {
	{"output", 'o', "FILE", "output file (default: standard output)"},
	{"format", '\0', "FORMAT", "text (default), markdown or html"},
	{0},
};

const struct report_subcommand report_diff = {
	.name = "diff",
	.usage = "OLD.json NEW.json [-o FILE] [--format FORMAT]",
	.text = "Compare two runs: differences in how they were run, "
		"regressions, fixed cases, new and removed cases, changed "
		"failures and changed choices.",
	.exit = "Exit: 0 no regression; 1 regressions; 2 usage, or a file that "
		"is not a report; 4 the output cannot be written.",
	.options = options,
	.files_least = 2,
	.files_most = 2,
	.perform = perform,
};
