/* SPDX-License-Identifier: BSD-2-Clause */
/* A page in a file: as HTML, or as a browser prints it. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/text/text_file.h"
#include "reports/publish/publish.h"
#include "suite/report/report_verified.h"

#define FOLDER       64
#define PDF_MOST     ((size_t)64 << 20)
#define PRINT_WITHIN 60 /* seconds */

extern char **environ;

struct octets {
	const char *of;
	size_t n;
};

static int put_octets(const void *what, const struct report_options *options,
		      FILE *out)
{
	const struct octets *o = what;

	(void)options;
	return fwrite(o->of, 1, o->n, out) == o->n ? 0 : -1;
}

static bool put(const char *of, size_t n, const char *path, char *why,
		size_t cap)
{
	const struct octets o = {of, n};
	const struct report_content c = {put_octets, &o, false};

	return report_publish_content(&c, path, why, cap) == 0;
}

/* Its status, or -1: it did not end in time. */
static int ended(pid_t pid)
{
	sigset_t child;
	const struct timespec second = {.tv_sec = 1};
	int status = 0;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	for (int left = PRINT_WITHIN; left; left--) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		sigtimedwait(&child, NULL, &second);
	}
	kill(-pid, SIGKILL);
	waitpid(pid, &status, 0);
	return -1;
}

/* True: it has run, however it went. */
static bool print_by(const char *browser, const char *folder)
{
	static char pdf[FOLDER + 40], profile[FOLDER + 40], page[FOLDER + 40];
	char *argv[] = {(char *)(uintptr_t)browser,
			"--headless",
			"--disable-gpu",
			"--no-pdf-header-footer",
			"--no-first-run",
			profile,
			pdf,
			page,
			geteuid() == 0 ? "--no-sandbox" : NULL,
			NULL};
	posix_spawn_file_actions_t quiet;
	posix_spawnattr_t group;
	pid_t pid;

	snprintf(pdf, sizeof(pdf), "--print-to-pdf=%s/page.pdf", folder);
	snprintf(profile, sizeof(profile), "--user-data-dir=%s/p", folder);
	snprintf(page, sizeof(page), "file://%s/page.html", folder);
	posix_spawn_file_actions_init(&quiet);
	for (int fd = 0; fd < 3; fd++)
		posix_spawn_file_actions_addopen(&quiet, fd, "/dev/null",
						 O_RDWR, 0);
	posix_spawnattr_init(&group);
	posix_spawnattr_setflags(&group, POSIX_SPAWN_SETPGROUP);
	bool ok =
		posix_spawnp(&pid, browser, &quiet, &group, argv, environ) == 0;

	posix_spawnattr_destroy(&group);
	posix_spawn_file_actions_destroy(&quiet);
	return ok && ended(pid) != (127 << 8);
}

static bool print(const char *folder, const char *path, char *why, size_t cap)
{
	static const char *const browsers[] = {"chromium", "chromium-browser",
					       "google-chrome"};
	char pdf[FOLDER + 16], problem[256];
	size_t n = 0, i = 0, all = sizeof(browsers) / sizeof(browsers[0]);

	while (i < all && !print_by(browsers[i], folder))
		i++;
	snprintf(pdf, sizeof(pdf), "%s/page.pdf", folder);
	char *octets = i < all ? text_file_octets(pdf, PDF_MOST, &n, problem,
						  sizeof(problem))
			       : NULL;

	if (!octets) {
		snprintf(why, cap, "%.200s: %s; or name a file .html", path,
			 i < all ? "the browser did not print it"
				 : "no Chromium prints it (Debian: chromium)");
		return false;
	}
	bool ok = put(octets, n, path, why, cap);

	free(octets);
	return ok;
}

static bool is_pdf(const char *path)
{
	size_t n = strlen(path);

	return n > 4 && strcasecmp(path + n - 4, ".pdf") == 0;
}

bool page_publish(const char *html, size_t n, const char *path, char *why,
		  size_t cap)
{
	char folder[FOLDER] = "/tmp/warpspec-print-XXXXXX", page[FOLDER + 16];

	if (!is_pdf(path))
		return put(html, n, path, why, cap);
	if (!mkdtemp(folder)) {
		snprintf(why, cap, "%s: %s", folder, strerror(errno));
		return false;
	}
	snprintf(page, sizeof(page), "%s/page.html", folder);
	bool ok = put(html, n, page, why, cap) && print(folder, path, why, cap);

	certificate_drop_pages(folder);
	return ok;
}
