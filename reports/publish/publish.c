/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/publish/publish.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/text/memstream.h"
#include "reports/tree.h"

/* What our folders of pages are. */
#define TREE_KIND "report"

/* A file while it is written, next to its target. */
struct draft {
	char *target; /* the path with its symbolic links followed */
	int dir;      /* the directory that holds both */
	char name[64];
	int fd;
};

static int explain(char *why, size_t why_size, const char *path, int error)
{
	snprintf(why, why_size, "%s: %s", path, strerror(error));
	/* One line, whatever the path is made of. */
	for (char *p = why; why_size && *p; p++)
		if (*p == '\n')
			*p = '?';
	errno = error;
	return -1;
}

static bool is_stdout(const char *path)
{
	return !path || strcmp(path, "-") == 0;
}

bool report_colours(FILE *out)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fileno(out)) && !(no && *no) &&
	       !(term && strcmp(term, "dumb") == 0);
}

/* What exists at `path` and would be lost if a file took its place. */
static bool is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

/* Ends the draft, published or not: errno is kept. */
static void draft_end(struct draft *d, bool discard)
{
	int error = errno;

	if (d->fd >= 0)
		close(d->fd);
	if (discard && *d->name)
		unlinkat(d->dir, d->name, 0);
	if (d->dir >= 0)
		close(d->dir);
	free(d->target);
	errno = error;
}

/* The path to replace: the target of a symbolic link, not the link. */
static char *resolve(const char *path)
{
	char *real = realpath(path, NULL);

	return real || errno != ENOENT ? real : strdup(path);
}

static int open_directory(const char *target)
{
	const char *slash = strrchr(target, '/');

	if (!slash)
		return open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char *dir = strndup(target, (size_t)(slash - target) + 1);

	if (!dir)
		return -1;
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	free(dir);
	return fd;
}

/* Creates the file next to the target, with the rights of the file that it
 * replaces. */
static int draft_create(struct draft *d)
{
	struct stat old;
	bool replaces = stat(d->target, &old) == 0;

	if (replaces && access(d->target, W_OK) != 0)
		return -1;
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(d->name, sizeof(d->name), ".warpspec-%ld-%u",
			 (long)getpid(), i);
		d->fd = openat(d->dir, d->name,
			       O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (d->fd >= 0 || errno != EEXIST)
			break;
	}
	if (d->fd < 0) {
		*d->name = '\0';
		return -1;
	}
	return replaces ? fchmod(d->fd, old.st_mode & 07777) : 0;
}

static int draft_begin(struct draft *d, const char *path)
{
	*d = (struct draft){.dir = -1, .fd = -1};
	if (!*path) {
		errno = ENOENT;
		return -1;
	}
	d->target = resolve(path);
	if (!d->target)
		return -1;
	size_t n = strlen(d->target);

	if (d->target[n - 1] == '/') {
		errno = EISDIR;
		return -1;
	}
	d->dir = open_directory(d->target);
	return d->dir < 0 ? -1 : draft_create(d);
}

static const char *base_name(const char *target)
{
	const char *slash = strrchr(target, '/');

	return slash ? slash + 1 : target;
}

int report_check_path(const char *path, char *why, size_t why_size)
{
	struct draft d;
	struct stat st;

	if (is_stdout(path))
		return 0;
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return explain(why, why_size, path, EISDIR);
	if (is_special(path))
		return access(path, W_OK) == 0
			       ? 0
			       : explain(why, why_size, path, errno);
	int rc = draft_begin(&d, path);

	/* A name too long for the file system shows only when it is used. */
	if (rc == 0 && faccessat(d.dir, base_name(d.target), F_OK, 0) != 0 &&
	    errno != ENOENT)
		rc = -1;
	draft_end(&d, true);
	return rc == 0 ? 0 : explain(why, why_size, path, errno);
}

/* Where the page of this format is appended, or NULL. */
static const char *appended_to(const struct report_format *format,
			       const char *path)
{
	const char *file = format->page && !path && format->page_variable
				   ? getenv(format->page_variable)
				   : NULL;

	return file && *file ? file : NULL;
}

/* It can be appended to; nothing is. */
static int check_appended(const char *file, char *why, size_t why_size)
{
	int fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);

	if (fd < 0)
		return explain(why, why_size, file, errno);
	close(fd);
	return 0;
}

int report_check_place(const struct report_format *format, const char *path,
		       char *why, size_t why_size)
{
	const char *file = appended_to(format, path);

	if (file)
		return check_appended(file, why, why_size);
	return format->write
		       ? report_check_path(path, why, why_size)
		       : report_tree_check(path, TREE_KIND, why, why_size);
}

/* An existing `path` that is neither a file nor a folder of pages. */
static bool has_no_place(const char *path)
{
	struct stat st;

	return is_special(path) && stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

/* The folder that a report goes to and its name there; the caller frees it. */
static char *place(const char *path, struct stat *folder)
{
	char *target =
		is_stdout(path) || has_no_place(path) ? NULL : resolve(path);
	int dir = target ? open_directory(target) : -1;

	if (dir >= 0 && fstat(dir, folder) == 0) {
		close(dir);
		return target;
	}
	if (dir >= 0)
		close(dir);
	free(target);
	return NULL;
}

bool report_same_place(const char *one, const char *other)
{
	struct stat a, b;
	char *first = place(one, &a), *second = place(other, &b);
	bool same = first && second && a.st_dev == b.st_dev &&
		    a.st_ino == b.st_ino &&
		    strcmp(base_name(first), base_name(second)) == 0;

	free(first);
	free(second);
	return same;
}

/* Absolute, of a path whose last parts need not be there; NULL: no memory. */
static char *absolute(const char *path)
{
	char *real = realpath(path, NULL), *whole = NULL;
	const char *slash = strrchr(path, '/');

	if (real || strcmp(path, "/") == 0)
		return real;
	char *above = slash == path ? strdup("/")
		      : slash       ? strndup(path, (size_t)(slash - path))
				    : strdup(".");
	char *folder = above ? absolute(above) : NULL;

	if (folder && asprintf(&whole, "%s/%s", folder[1] ? folder : "",
			       slash ? slash + 1 : path) < 0)
		whole = NULL;
	free(folder);
	free(above);
	return whole;
}

bool report_is_inside(const char *folder, const char *path)
{
	char *a = absolute(folder),
	     *b = is_stdout(path) ? NULL : absolute(path);
	size_t n = a ? strlen(a) : 0;

	while (n > 1 && a[n - 1] == '/')
		n--;
	bool inside = a && b && strncmp(a, b, n) == 0 &&
		      (b[n] == '/' || b[n] == '\0' || n == 1);

	free(a);
	free(b);
	return inside;
}

/* The report and all that may fail late: 0, or -1 with errno. */
static int write_whole(const struct report_content *c, FILE *out)
{
	const struct report_options options = {
		.verbose = c->verbose,
		.colour = report_colours(out),
	};

	unsigned long lost = text_lost();

	errno = 0;
	if (c->write(c->what, &options, out) == 0 && fflush(out) == 0 &&
	    !ferror(out) && text_lost() == lost)
		return 0;
	if (text_lost() != lost)
		errno = ENOMEM;
	else if (!errno)
		errno = EIO;
	return -1;
}

/* Directly to an existing pipe, terminal or device. */
static int write_special(const struct report_content *c, const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out) {
		int error = errno;

		if (fd >= 0)
			close(fd);
		errno = error;
		return -1;
	}
	int rc = write_whole(c, out), error = errno;

	if (fclose(out) != 0 && rc == 0)
		return -1;
	errno = error;
	return rc;
}

static int write_tree(const struct report_format *format,
		      const struct run_result *run, bool verbose,
		      const char *path, char *why, size_t why_size)
{
	const struct report_options options = {.verbose = verbose};
	struct report_tree *tree =
		report_tree_begin(path, TREE_KIND, why, why_size);

	if (!tree)
		return -1;
	unsigned long lost = text_lost();

	errno = 0;
	int failed = report_write_tree(format, run, &options, tree) == 0 ? 0
		     : errno                                             ? errno
									 : EIO;

	if (text_lost() != lost)
		failed = ENOMEM;
	return report_tree_publish(tree, failed, why, why_size);
}

static int draft_write(struct draft *d, const struct report_content *c)
{
	FILE *out = fdopen(d->fd, "w");

	if (!out)
		return -1;
	int rc = write_whole(c, out);

	if (rc == 0)
		rc = fsync(d->fd);
	int error = errno;

	d->fd = -1; /* fclose() closes it, also when it fails */
	if (fclose(out) != 0 && rc == 0)
		return -1;
	errno = error;
	return rc;
}

static int write_file(const struct report_content *c, const char *path)
{
	struct draft d;
	int rc = draft_begin(&d, path);

	if (rc == 0)
		rc = draft_write(&d, c);
	if (rc == 0)
		rc = renameat(d.dir, d.name, d.dir, base_name(d.target));
	/*
	 * A crash could only undo the rename. Not every file system can flush a
	 * directory, and the report itself is safe: no error.
	 */
	if (rc == 0)
		(void)fsync(d.dir);
	draft_end(&d, rc != 0);
	return rc;
}

/* Append all of it after the existing contents, or nothing. */
static int append_octets(const char *path, const char *octets, size_t n)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	struct stat before = {0};
	int rc = fd < 0 ? -1 : fstat(fd, &before), error;

	for (size_t at = 0; rc == 0 && at < n;) {
		ssize_t put = write(fd, octets + at, n - at);

		if (put > 0)
			at += (size_t)put;
		else if (put == 0 || errno != EINTR)
			rc = -1;
	}
	error = errno;
	if (rc < 0 && fd >= 0 && S_ISREG(before.st_mode))
		(void)!ftruncate(fd, before.st_size);
	if (fd >= 0 && close(fd) < 0 && rc == 0)
		return -1;
	errno = error;
	return rc;
}

static int append_file(const struct report_content *c, const char *path)
{
	struct memstream m;
	size_t size;
	FILE *out = memstream_open(&m);
	int rc = out ? write_whole(c, out) : -1;
	char *text = memstream_finish(&m, &size);

	if (!text)
		rc = -1;
	if (rc == 0)
		rc = append_octets(path, text, size);
	int error = errno;

	free(text);
	errno = error;
	return rc;
}

int report_publish_content(const struct report_content *c, const char *path,
			   char *why, size_t why_size)
{
	int rc;

	if (is_stdout(path)) {
		rc = write_whole(c, stdout);
		path = "standard output";
	} else if (is_special(path)) {
		rc = write_special(c, path);
	} else {
		rc = write_file(c, path);
	}
	return rc == 0 ? 0 : explain(why, why_size, path, errno);
}

struct run_as_format {
	int (*write)(const struct run_result *run,
		     const struct report_options *options, FILE *out);
	const struct run_result *run;
};

static int write_run(const void *what, const struct report_options *options,
		     FILE *out)
{
	const struct run_as_format *r = what;

	return r->write(r->run, options, out);
}

/* A format of two parts: the part that is not its page goes to standard
 * output. */
static int publish_both(const struct report_format *format,
			const struct run_result *run, bool verbose,
			const char *path, char *why, size_t why_size)
{
	const struct run_as_format first = {format->write, run},
				   page = {format->page, run};
	const struct report_content lines = {write_run, &first, verbose},
				    c = {write_run, &page, verbose};
	const char *file = appended_to(format, path);

	if (report_publish_content(&lines, NULL, why, why_size) < 0)
		return -1;
	if (file)
		return append_file(&c, file) == 0
			       ? 0
			       : explain(why, why_size, file, errno);
	return path ? report_publish_content(&c, path, why, why_size) : 0;
}

int report_publish(const struct report_format *format,
		   const struct run_result *run, bool verbose, const char *path,
		   char *why, size_t why_size)
{
	const struct run_as_format what = {format->write, run};
	const struct report_content c = {write_run, &what, verbose};

	if (!format->write)
		return write_tree(format, run, verbose, path, why, why_size);
	if (format->page)
		return publish_both(format, run, verbose, path, why, why_size);
	return report_publish_content(&c, path, why, why_size);
}
