/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/format/formats.h"

#include <assert.h>
#include <string.h>

#include "reports/format/github.h"
#include "reports/html/html.h"

#define FORMAT(n, text) .name = #n, .summary = text, .write = report_##n

static const struct report_format formats[] = {
	{FORMAT(text, "for people, after a run")},
	{FORMAT(summary, "each requirement broken, once")},
	{FORMAT(json, "every fact of the run; see reports/schema/schema.json")},
	{FORMAT(junit, "JUnit XML, for continuous integration")},
	{FORMAT(tap, "Test Anything Protocol, version 13")},
	{.name = "html",
	 .summary = "pages for a browser: PATH is their folder"},
	{FORMAT(sarif, "SARIF 2.1.0, for code-scanning pages")},
	{FORMAT(github, "GitHub's annotations, and summary of a step"),
	 .page = github_page, .page_variable = "GITHUB_STEP_SUMMARY"},
};

#define FORMAT_COUNT (sizeof(formats) / sizeof(formats[0]))

const struct report_format *report_format_at(size_t i)
{
	return i < FORMAT_COUNT ? &formats[i] : NULL;
}

const struct report_format *report_format_find(const char *name)
{
	for (size_t i = 0; i < FORMAT_COUNT; i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	return NULL;
}

int report_write_tree(const struct report_format *format,
		      const struct run_result *run,
		      const struct report_options *options,
		      struct report_tree *tree)
{
	assert(!format->write); /* there is one such */
	return report_html(run, options, tree);
}
