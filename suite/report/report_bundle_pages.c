/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pages of a run as members of its bundle. They are written like a report,
 * into a temporary folder with the layout of the bundle: captures have the same
 * places relative to the pages.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reports/publish/publish.h"
#include "suite/catalogue/catalogue.h"
#include "suite/report/report_certificate.h"

#define PAGES "html"

static bool objects(char *why, size_t cap, const char *name, const char *what)
{
	snprintf(why, cap, "%.200s: %.200s", name, what);
	return false;
}

/* An empty file of this name, with the folders above it. */
static bool put_place(const char *name)
{
	char part[BUNDLE_NAME];
	size_t n = strlen(name);

	for (size_t i = 1; i < n && n < sizeof(part); i++) {
		if (name[i] != '/')
			continue;
		memcpy(part, name, i);
		part[i] = '\0';
		if (mkdir(part, 0700) < 0 && errno != EEXIST)
			return false;
	}
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	return fd >= 0 && close(fd) == 0;
}

/* Signals that end a program wait until the folder is gone. */
static sigset_t before_folder;

static void hold_signals(void)
{
	static const int ending[] = {SIGHUP, SIGINT, SIGTERM};
	sigset_t held;

	sigemptyset(&held);
	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		sigaddset(&held, ending[i]);
	sigprocmask(SIG_BLOCK, &held, &before_folder);
}

/* The members that are added while nftw() runs. */
static struct {
	struct bundle *bundle;
	const char *from; /* the folder, */
	char *why;
	size_t cap;
} adding;

static int add_page(const char *path, const struct stat *st, int type,
		    struct FTW *at)
{
	char from[4096];

	(void)st;
	(void)at;
	if (type == FTW_D)
		return 0;
	/* The bundle reads it again from the current folder. */
	snprintf(from, sizeof(from), "%s/%s", adding.from, path);
	return type == FTW_F && bundle_add_file(adding.bundle, path, from,
						adding.why, adding.cap)
		       ? 0
		       : 1;
}

static int drop(const char *path, const struct stat *st, int type,
		struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

void certificate_drop_pages(char *folder)
{
	if (!*folder)
		return;
	nftw(folder, drop, 16, FTW_DEPTH | FTW_PHYS);
	*folder = '\0';
	sigprocmask(SIG_SETMASK, &before_folder, NULL);
}

/* With the captures' names in the bundle, or without captures. */
static bool write_pages(const struct report_format *html,
			const struct run_result *run, bool captures, char *why,
			size_t cap)
{
	struct run_result pages = *run;
	pages.background = catalogue_background();
	struct result *results = calloc(run->count + 1, sizeof(*results));
	char(*names)[BUNDLE_NAME] = calloc(run->count + 1, sizeof(*names));
	bool ok = results && names;

	for (size_t i = 0; ok && i < run->count; i++) {
		results[i] = run->results[i];
		results[i].capture = NULL;
		if (!captures || !run->results[i].capture ||
		    !*run->results[i].capture)
			continue;
		ok = certificate_capture(&run->results[i], names[i]) &&
		     put_place(names[i]);
		results[i].capture = names[i];
	}
	pages.results = results;
	if (!ok)
		objects(why, cap, "--html", strerror(errno));
	else
		ok = report_publish(html, &pages, false, PAGES, why, cap) == 0;
	free(results);
	free(names);
	return ok;
}

bool certificate_add_pages(struct bundle *b, const struct run_result *run,
			   bool captures, char folder[CERTIFICATE_FOLDER],
			   char *why, size_t cap)
{
	const struct report_format *html = report_format_find("html");
	const char *tmp = getenv("TMPDIR");
	int before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (!html)
		return objects(why, cap, "--html", "no such format");
	hold_signals();
	if (snprintf(folder, CERTIFICATE_FOLDER, "%s/warpspec-pages-XXXXXX",
		     tmp && *tmp == '/' ? tmp : "/tmp") >= CERTIFICATE_FOLDER ||
	    before < 0 || !mkdtemp(folder)) {
		*folder = '\0';
		sigprocmask(SIG_SETMASK, &before_folder, NULL);
		return objects(why, cap, "--html", strerror(errno));
	}
	bool ok = chdir(folder) == 0 &&
		  write_pages(html, run, captures, why, cap);

	adding.bundle = b;
	adding.from = folder;
	adding.why = why;
	adding.cap = cap;
	ok = ok && nftw(PAGES, add_page, 16, FTW_PHYS) == 0;
	if (fchdir(before) != 0)
		ok = objects(why, cap, "--html", strerror(errno));
	close(before);
	return ok;
}
