/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/html/html.h"

#include <errno.h>
#include <stdlib.h>

#include "reports/html/parts.h"

static bool put_overview(const struct site *s)
{
	FILE *out = site_open(s, "", "index.html");

	if (!out)
		return false;
	overview_put(s, out);
	return report_tree_close(out) == 0;
}

static bool put_index(const struct site *s)
{
	FILE *out = site_open(s, "", "requirements.html");

	if (!out)
		return false;
	requirement_index_put(s, out);
	return report_tree_close(out) == 0;
}

/* So that the pages have it wherever they are taken. */
static int copy_capture(const struct site *s, size_t i)
{
	const char *capture = s->run->results[i].capture;
	char *name = capture && *capture ? site_capture(s, i) : NULL;
	int copied = 0;

	if (name)
		copied = report_tree_copy_capture(s->tree, name, capture);
	free(name);
	return copied;
}

static bool put_case(const struct site *s, size_t i)
{
	int copied = copy_capture(s, i);
	FILE *out = copied < 0 ? NULL : site_open(s, "cases", s->case_page[i]);

	if (!out)
		return false;
	case_page_put(s, i, copied == 1, out);
	return report_tree_close(out) == 0;
}

static bool put_requirement(const struct site *s,
			    const struct site_requirement *q)
{
	FILE *out = site_open(s, "requirements", q->page);

	if (!out)
		return false;
	requirement_page_put(s, q, out);
	return report_tree_close(out) == 0;
}

int report_html(const struct run_result *run,
		const struct report_options *options, struct report_tree *tree)
{
	struct site site;
	bool ok = site_begin(&site, run, tree);

	(void)options;
	if (!ok)
		errno = ENOMEM;
	ok = ok && put_overview(&site) && put_index(&site);
	for (size_t i = 0; ok && i < run->count; i++)
		ok = put_case(&site, i);
	for (size_t i = 0; ok && i < site.requirement_count; i++)
		ok = put_requirement(&site, &site.requirements[i]);

	int error = errno;

	site_end(&site);
	errno = error;
	return ok ? 0 : -1;
}
