/* SPDX-License-Identifier: BSD-2-Clause */
/* `report certificate` and `report certified`: pages of bundles that verify. */
#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"
#include "reports/publish/publish.h"
#include "suite/cli/complain.h"
#include "suite/report/report_verified.h"

#define WHY 512

struct pages {
	FILE *out;
	size_t made;
	bool good; /* all of them, as they are verified */
};

static void put_certificate(void *user, const struct verified *v)
{
	struct pages *p = user;

	certificate_page(v, p->out);
	p->made++;
	p->good &= v->good;
}

static void put_row(void *user, const struct verified *v)
{
	struct pages *p = user;

	if (!v->good)
		return;
	certified_row(v, p->out);
	p->made++;
}

/* Verify each bundle; objections go to stderr. Returns the worst status. */
static int each(const struct report_call *call, verified_fn *put,
		struct pages *p)
{
	int worst = 0;

	for (size_t i = 0; i < call->file_count; i++) {
		struct memstream m;
		FILE *lines = memstream_open(&m);
		int status = lines ? report_verified(call, call->files[i],
						     lines, put, p)
				   : complain(EXIT_SUITE, "out of memory");
		char *text = memstream_finish(&m, NULL);

		if (status == EXIT_FAILED)
			fprintf(stderr, "warpspec: %s:\n%s", call->files[i],
				text ? text : "");
		free(text);
		worst = status > worst ? status : worst;
	}
	return worst;
}

static int publish(struct memstream *m, const char *path, int status)
{
	char why[WHY];
	size_t n;
	char *html = memstream_finish(m, &n);

	if (!html || text_lost())
		status = complain(EXIT_SUITE, "out of memory");
	else if (!page_publish(html, n, path, why, sizeof(why)))
		status = complain(EXIT_SUITE, why);
	free(html);
	return status;
}

static bool has_place(const struct report_call *call, const char **path)
{
	char why[WHY];

	*path = report_option(call, "output");
	if (*path && report_check_path(*path, why, sizeof(why)) == 0)
		return true;
	if (!*path)
		snprintf(why, sizeof(why),
			 "report %s: --output is missing: a file .html or .pdf",
			 call->name);
	complain(EXIT_USAGE, why);
	return false;
}

static int certificate(const struct report_call *call)
{
	struct memstream m;
	struct pages p = {.good = true};
	const char *path;

	if (!has_place(call, &path))
		return EXIT_USAGE;
	p.out = memstream_open(&m);
	if (!p.out) {
		memstream_finish(&m, NULL);
		return complain(EXIT_SUITE, "out of memory");
	}
	int status = each(call, put_certificate, &p);

	if (p.made)
		return publish(&m, path, status);
	free(memstream_finish(&m, NULL));
	return status;
}

static int certified(const struct report_call *call)
{
	struct memstream m;
	struct pages p = {.good = true};
	const char *path;

	if (!has_place(call, &path))
		return EXIT_USAGE;
	p.out = memstream_open(&m);
	if (!p.out) {
		memstream_finish(&m, NULL);
		return complain(EXIT_SUITE, "out of memory");
	}
	certified_begin(p.out);
	int status = each(call, put_row, &p);

	certified_end(p.made, p.out);
	if (status != EXIT_USAGE && status != EXIT_SUITE)
		return publish(&m, path, status);
	free(memstream_finish(&m, NULL));
	return status;
}

static const struct report_option options[] = {
	{"ca", '\0', "FILE",
	 "certificates, in PEM, of the authorities that are believed"},
	{"output", 'o', "FILE",
	 "the page: FILE.html, or FILE.pdf, which Chromium prints"},
	{"signer", '\0', "NAME",
	 "who has to have signed it: the certificate's name, or its common "
	 "name"},
	{"suite-at-least", '\0', "VERSION", "refuse a run of an older suite"},
	{"not-before", '\0', "DAY", "refuse an older run, as 2026-01-31"},
	{0},
};

const struct report_subcommand report_certificate = {
	.name = "certificate",
	.usage = "BUNDLE --ca FILE -o FILE [--signer NAME] [--suite-at-least "
		 "VERSION] [--not-before DAY]",
	.text = "A bundle that verifies, as two to five pages: whose device it "
		"is, what was tested, what failed and why, what it chose, who "
		"signed it. Of a run with failures it is a test report, and "
		"says so.",
	.exit = "Exit: 0 written; 1 with failures, or nothing is written of a "
		"bundle that is not genuine; 2 usage, or a file that cannot be "
		"read; 4 it could not be written.",
	.options = options,
	.files_least = 1,
	.files_most = 1,
	.perform = certificate,
};

const struct report_subcommand report_certified = {
	.name = "certified",
	.usage = "BUNDLE... --ca FILE -o FILE [--signer NAME] "
		 "[--suite-at-least VERSION] [--not-before DAY]",
	.text = "A list of the certified devices, a line for each bundle that "
		"verifies; the others are left out, and reported.",
	.exit = "Exit: 0 all are in it; 1 some are left out; 2 usage, or a "
		"file that cannot be read; 4 it could not be written.",
	.options = options,
	.files_least = 1,
	.files_most = 1000,
	.perform = certified,
};
