/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs of several devices side by side. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/text/digest.h"
#include "harness/text/memstream.h"
#include "harness/text/text_file.h"
#include "reports/load/load.h"
#include "reports/compare/matrix_write.h"
#include "reports/publish/publish.h"
#include "reports/tree.h"
#include "suite/catalogue/catalogue.h"
#include "suite/cli/complain.h"
#include "suite/report/report_command.h"

#define CAPTURE_MOST ((size_t)16 << 20)

/* The reports, and the runs in them; the reference is the first. */
struct files {
	const struct run_result *const *runs;
	char *const *files;
	size_t n;
	const char *reference;
};

static const char *file_of(const struct files *f, const struct run_result *run)
{
	size_t before = f->reference ? 1 : 0;

	for (size_t i = before; i < f->n; i++)
		if (f->runs[i] == run)
			return f->files[i - before];
	return f->reference ? f->reference : "";
}

/* The octets that the run wrote; NULL: changed, or missing. Relative to the
 * run's folder, or to that of its report. */
static char *capture_octets(const struct result *r, const char *file, size_t *n)
{
	const char *slash = strrchr(file, '/');
	char why[512], sum[DIGEST_HEX], *beside = NULL;
	char *octets =
		text_file_octets(r->capture, CAPTURE_MOST, n, why, sizeof(why));

	if (!octets && slash && *r->capture != '/' &&
	    asprintf(&beside, "%.*s/%s", (int)(slash - file), file,
		     r->capture) >= 0)
		octets = text_file_octets(beside, CAPTURE_MOST, n, why,
					  sizeof(why));
	free(beside);
	if (octets && r->capture_sha256 &&
	    (!digest_sha256(octets, *n, sum) ||
	     strcmp(sum, r->capture_sha256) != 0)) {
		free(octets);
		octets = NULL;
	}
	return octets;
}

static bool is_worth_a_capture(const struct result *r)
{
	return r && r->capture && *r->capture &&
	       (r->verdict == VERDICT_FAIL || r->verdict == VERDICT_XFAIL ||
		r->verdict == VERDICT_WARN || r->verdict == VERDICT_ERROR);
}

/* False: it could not be written. */
static bool put_capture(struct report_tree *tree, struct matrix_case *c,
			size_t run, const char *file)
{
	char name[MATRIX_CAPTURE];
	size_t n = 0;
	char *octets = capture_octets(c->of[run], file, &n);

	if (!octets)
		return true;
	matrix_capture(name, run, c->id);
	FILE *out = report_tree_open(tree, name);
	bool ok = out && fwrite(octets, 1, n, out) == n;

	ok = out && report_tree_close(out) == 0 && ok;
	free(octets);
	c->captured[run] = ok;
	return ok;
}

/* The captures that the page shows, so that they are stored with it. */
static bool put_captures(struct report_tree *tree, struct matrix *m,
			 const struct files *f)
{
	for (size_t i = 0; i < m->case_count; i++)
		for (size_t k = 0; k < m->count; k++)
			if ((matrix_case_differs(m, &m->cases[i]) ||
			     m->cases[i].evidence[k]) &&
			    is_worth_a_capture(m->cases[i].of[k]) &&
			    !put_capture(tree, &m->cases[i], k,
					 file_of(f, m->runs[k])))
				return false;
	return true;
}

/* A folder with the page. */
static int publish_page(struct matrix_report *r, struct matrix *m,
			const struct files *f, const char *path)
{
	const struct report_options options = {0};
	char why[512];
	struct report_tree *tree =
		report_tree_begin(path, MATRIX_KIND, why, sizeof(why));
	FILE *page;
	unsigned long lost = text_lost();
	int failed = 0;

	if (!tree)
		return complain(EXIT_SUITE, why);
	errno = 0;
	if (!put_captures(tree, m, f))
		failed = errno ? errno : EIO;
	page = report_tree_open(tree, "index.html");
	if (!page || (!failed && matrix_write(r, &options, page) < 0))
		failed = errno ? errno : EIO;
	if (page && report_tree_close(page) < 0 && !failed)
		failed = errno;
	if (text_lost() != lost)
		failed = ENOMEM;
	if (report_tree_publish(tree, failed, why, sizeof(why)) < 0)
		return complain(EXIT_SUITE, why);
	return 0;
}

static int publish(struct matrix_report *r, struct matrix *m,
		   const struct files *f, const char *path)
{
	const struct report_content content = {matrix_write, r, false};
	char why[512];

	if (path && r->format == DOCUMENT_HTML)
		return publish_page(r, m, f, path);
	if (report_publish_content(&content, path, why, sizeof(why)) < 0)
		return complain(EXIT_SUITE, why);
	return 0;
}

/* All but the reference in the given order, after it. */
static size_t read_all(const struct report_call *c, const char *reference,
		       const struct run_result *runs[MATRIX_RUNS])
{
	size_t n = 0;

	if (reference && !(runs[n++] = report_read(reference)))
		return 0;
	for (size_t i = 0; i < c->file_count; i++)
		if (!(runs[n++] = report_read(c->files[i])))
			return 0;
	return n;
}

static int check(const struct report_call *c, enum document_format format,
		 const char *reference, const char *path)
{
	char why[512];

	if (c->file_count + (reference ? 1 : 0) > MATRIX_RUNS)
		return complain(EXIT_USAGE, "report matrix: at most 26 runs");
	if (path && format == DOCUMENT_HTML
		    ? report_tree_check(path, MATRIX_KIND, why, sizeof(why)) < 0
		    : report_check_path(path, why, sizeof(why)) < 0)
		return complain(EXIT_USAGE, why);
	return 0;
}

static int perform(const struct report_call *c)
{
	const struct run_result *runs[MATRIX_RUNS + 1] = {NULL};
	const char *name = report_option(c, "format");
	const char *path = report_option(c, "output");
	const char *reference = report_option(c, "reference");
	enum document_format format = path ? DOCUMENT_HTML : DOCUMENT_TEXT;
	struct matrix matrix;
	size_t n;
	int status;

	if (name && !document_format_named(name, &format))
		return report_no_format(c, name);
	status = check(c, format, reference, path);
	if (status)
		return status;
	n = read_all(c, reference, runs);
	if (!n) {
		status = EXIT_USAGE;
	} else if (!matrix_of(runs, n, reference, &matrix)) {
		status = complain(EXIT_SUITE, "out of memory");
	} else {
		struct matrix_report r = {&matrix, format,
					  catalogue_background()};
		const struct files f = {runs, c->files, n, reference};

		status = publish(&r, &matrix, &f, path);
		matrix_free(&matrix);
	}
	for (size_t i = 0; i < MATRIX_RUNS; i++)
		report_unload(runs[i]);
	return status;
}

static const struct report_option options[] = {
	{"output", 'o', "PATH",
	 "output file (default: standard output); html: output folder"},
	{"format", '\0', "FORMAT",
	 "text, markdown or html (default: text; with -o: html)"},
	{"reference", '\0', "FILE",
	 "the run that the others are compared with (default: the run of the "
	 "built-in device, if there is one)"},
	{0},
};

const struct report_subcommand report_matrix = {
	.name = "matrix",
	.usage = "RUN.json... [-o PATH] [--format FORMAT] [--reference FILE]",
	.text = "Set the runs of several devices side by side: requirements, "
		"cases, choices, and the pairs of devices that would not "
		"interoperate.",
	.options = options,
	.files_least = 1,
	.files_most = MATRIX_RUNS,
	.perform = perform,
};
