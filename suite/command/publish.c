/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/command/command.h"

#include <stdio.h>
#include <string.h>

#include "reports/publish/publish.h"
#include "reports/text/closing.h"
#include "suite/catalogue/catalogue.h"
#include "suite/cli/complain.h"
#include "suite/device/spelling.h"

/* --- before anything runs ---------------------------------------------------- */

static void no_such_format(const char *name, char *why, size_t cap)
{
	struct spelling near = spelling_of(name);
	const struct report_format *f;

	snprintf(why, cap, "--report %.60s: no such format; there are", name);
	for (size_t i = 0; (f = report_format_at(i)); i++) {
		size_t n = strlen(why);

		snprintf(why + n, cap - n, "%s %s",
			 !i                        ? ""
			 : report_format_at(i + 1) ? ","
						   : " and",
			 f->name);
		spelling_offer(&near, f->name);
	}
	spelling_say(&near, why, cap);
}

/* A file inside a folder of pages would be lost when the folder is replaced, or
 * would prevent that. */
static bool has_folder_alone(const struct cli *c, size_t i, char *why,
			     size_t cap)
{
	const char *folder = c->report[i].path, *other = NULL;

	for (size_t k = 0; k < c->reports; k++)
		if (k != i && c->report[k].path &&
		    report_is_inside(folder, c->report[k].path))
			other = c->report[k].path;
	if (c->run.captures && report_is_inside(folder, c->run.captures))
		other = c->run.captures;
	if (c->run.journal && report_is_inside(folder, c->run.journal))
		other = c->run.journal;
	if (other)
		snprintf(why, cap,
			 "--report %s=%s: %s is written there, too; name a "
			 "folder of its own",
			 c->report[i].format, folder, other);
	return !other;
}

bool publish_check(const struct cli *c, char *why, size_t cap)
{
	for (size_t i = 0; i < c->reports; i++) {
		const struct report_format *f =
			report_format_find(c->report[i].format);

		if (!f) {
			no_such_format(c->report[i].format, why, cap);
			return false;
		}
		if (report_check_place(f, c->report[i].path, why, cap) < 0)
			return false;
		if (!f->write && !has_folder_alone(c, i, why, cap))
			return false;
		for (size_t k = 0; k < i; k++)
			if (report_same_place(c->report[i].path,
					      c->report[k].path)) {
				snprintf(why, cap,
					 "--report %s and %s: both would be "
					 "written to %s",
					 c->report[k].format,
					 c->report[i].format,
					 c->report[i].path);
				return false;
			}
	}
	return true;
}

/* --- the reports ------------------------------------------------------------- */

void publish_note(const struct run_result *run)
{
	if (run->note[0])
		complain(0, run->note);
}

static bool publish_all(const struct cli *c, struct run_result *run)
{
	static const struct cli_report text[] = {{"text", NULL}};
	const struct cli_report *r = c->reports ? c->report : text;
	size_t n = c->reports ? c->reports : 1;
	bool ok = true;

	run->background = catalogue_background();
	for (size_t i = 0; i < n; i++) {
		char why[512];

		if (report_publish(report_format_find(r[i].format), run,
				   c->verbose, r[i].path, why,
				   sizeof(why)) == 0)
			continue;
		complain(EXIT_SUITE, why);
		ok = false;
	}
	return ok;
}

int publish_judged(const struct cli *c, struct run_result *run)
{
	publish_note(run);
	return publish_all(c, run) ? run->exit_status : EXIT_SUITE;
}

/* --- the end of a run -------------------------------------------------------- */

static bool is_file(const char *path)
{
	return path && strcmp(path, "-") != 0;
}

/* Whether a report on standard output says how the run ended. */
static bool is_told_on_stdout(const struct cli *c)
{
	for (size_t i = 0; i < c->reports; i++)
		if (!is_file(c->report[i].path) &&
		    (strcmp(c->report[i].format, "text") == 0 ||
		     strcmp(c->report[i].format, "summary") == 0))
			return true;
	return !c->reports;
}

/* The last lines of a run: its result, unless a report on the terminal has it,
 * and the files that it wrote. */
static void say_the_end(const struct cli *c, const struct run_result *run)
{
	const struct report_options options = {.colour =
						       report_colours(stderr)};

	if (c->run.quiet)
		return;
	fflush(stdout);
	if (!is_told_on_stdout(c))
		closing_alone(run, &options, stderr);
	for (size_t i = 0; i < c->reports; i++)
		if (is_file(c->report[i].path))
			fprintf(stderr, "Wrote %s%s\n", c->report[i].path,
				report_format_find(c->report[i].format)->write
					? ""
					: "/index.html");
	if (c->run.captures)
		fprintf(stderr, "Captures are in %s\n", c->run.captures);
}

int publish_run(const struct cli *c, struct run_result *run)
{
	for (size_t i = 0; i < c->reports; i++)
		if (strcmp(c->report[i].format, "json") == 0 && !run->written)
			run->written = c->report[i].path;
	if (!publish_all(c, run))
		return EXIT_SUITE;
	say_the_end(c, run);
	return run->exit_status;
}
