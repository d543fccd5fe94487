/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/tree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/text/memstream.h"

struct report_tree {
	char *path;   /* as given, for messages */
	char *target; /* absolute, its symbolic links followed */
	char kind[16];
	int parent;    /* the folder that holds both */
	char name[64]; /* in the draft */
	int fd;        /* the draft */
};

#define INDEX "index.html"

static int explain(char *why, size_t why_size, const char *path,
		   const char *what)
{
	snprintf(why, why_size, "%s: %s", path, what);
	for (char *p = why; why_size && *p; p++)
		if (*p == '\n')
			*p = '?';
	return -1;
}

static bool is_dot(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && strcmp(name + n - m, end) == 0;
}

/* --- existing files ------------------------------------------------------ */

static DIR *open_folder(int dir, const char *name)
{
	int fd = openat(dir, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d && fd >= 0)
		close(fd);
	return d;
}

/* The action of a visitor on a page, or, after the pages, on their folder;
 * false ends the visit. */
typedef bool visitor(int dir, const char *name, bool folder);

static bool visit(int dir, const char *name, visitor *each, int depth)
{
	DIR *d = open_folder(dir, name);
	bool ok = d;

	for (struct dirent *e; ok && (e = readdir(d));) {
		struct stat st;

		if (is_dot(e->d_name))
			continue;
		ok = fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) ==
		     0;
		if (ok && S_ISDIR(st.st_mode))
			ok = depth > 0 &&
			     visit(dirfd(d), e->d_name, each, depth - 1);
		else if (ok)
			ok = S_ISREG(st.st_mode) &&
			     each(dirfd(d), e->d_name, false);
	}
	if (d)
		closedir(d);
	return ok && each(dir, name, true);
}

/* "case.mpa.crc.a_case.pcapng", the name of a capture next to the pages of a run,
 * or "A.mpa.crc.a_case.pcapng", next to a page of several devices. */
static bool is_capture(const char *name)
{
	static const char of_a_run[] = "case.";

	return ((*name >= 'A' && *name <= 'Z' && name[1] == '.') ||
		strncmp(name, of_a_run, sizeof(of_a_run) - 1) == 0) &&
	       ends_in(name, ".pcapng");
}

static bool is_page(int dir, const char *name, bool folder)
{
	(void)dir;
	return folder || ends_in(name, ".html") || is_capture(name);
}

static bool removes(int dir, const char *name, bool folder)
{
	return unlinkat(dir, name, folder ? AT_REMOVEDIR : 0) == 0;
}

static bool begins_with_mark(int dir, const char *folder, const char *kind)
{
	char mark[64], found[64] = "", path[320];
	size_t n = (size_t)snprintf(mark, sizeof(mark), REPORT_TREE_MARK, kind);

	snprintf(path, sizeof(path), "%s/" INDEX, folder);
	int fd = openat(dir, path,
			O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return false;
	ssize_t got = read(fd, found, sizeof(found) - 1);

	close(fd);
	return got >= (ssize_t)n && memcmp(found, mark, n) == 0;
}

/* UNKNOWN: errno says why. */
enum there { NOTHING, EMPTY, EARLIER, FOREIGN, UNKNOWN };

static enum there foreign(int error)
{
	errno = error;
	return error && error != ENOENT && error != ENOTDIR && error != ELOOP
		       ? UNKNOWN
		       : FOREIGN;
}

static enum there what_is(int parent, const char *name, const char *kind)
{
	struct stat st;

	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? NOTHING : foreign(errno);
	DIR *d = open_folder(parent, name);

	if (!d)
		return foreign(errno);
	bool empty = true;

	for (struct dirent *e; (e = readdir(d));)
		empty &= is_dot(e->d_name);
	closedir(d);
	if (empty)
		return EMPTY;
	errno = 0;
	return begins_with_mark(parent, name, kind) &&
			       visit(parent, name, is_page, 1)
		       ? EARLIER
		       : foreign(errno);
}

/* --- the place ----------------------------------------------------------- */

/* Absolute; the target of the path's last part if it is a link. */
static char *resolve(const char *path)
{
	char *real = realpath(path, NULL);

	if (real || errno != ENOENT)
		return real;
	/* Not there yet: its folder has to be. */
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	size_t folder = n;

	while (folder && path[folder - 1] != '/')
		folder--;
	char *above = folder ? strndup(path, folder) : strdup(".");

	real = above ? realpath(above, NULL) : NULL;
	free(above);
	if (!real)
		return NULL;
	char *whole;

	if (asprintf(&whole, "%s%s%.*s", real, real[1] ? "/" : "",
		     (int)(n - folder), path + folder) < 0)
		whole = NULL;
	free(real);
	return whole;
}

static const char *base_name(const char *target)
{
	return strrchr(target, '/') + 1;
}

static bool open_parent(struct report_tree *t)
{
	size_t n = (size_t)(base_name(t->target) - t->target);
	char *folder = strndup(t->target, n);

	t->parent =
		folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	free(folder);
	return t->parent >= 0;
}

static bool make_draft(struct report_tree *t)
{
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(t->name, sizeof(t->name), ".warpspec-%ld-%u",
			 (long)getpid(), i);
		if (mkdirat(t->parent, t->name, 0777) == 0) {
			t->fd = openat(t->parent, t->name,
				       O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
					       O_CLOEXEC);
			if (t->fd >= 0)
				return true;
			int error = errno;

			/* A file that cannot be opened can still be removed. */
			unlinkat(t->parent, t->name, AT_REMOVEDIR);
			errno = error;
			break;
		}
		if (errno != EEXIST)
			break;
	}
	*t->name = '\0';
	return false;
}

static void free_tree(struct report_tree *t)
{
	if (t->fd >= 0)
		close(t->fd);
	/* To remove an empty folder takes neither descriptors nor memory. */
	if (t->parent >= 0 && *t->name && !removes(t->parent, t->name, true))
		visit(t->parent, t->name, removes, 1);
	if (t->parent >= 0)
		close(t->parent);
	free(t->path);
	free(t->target);
	free(t);
}

static int is_taken(const struct report_tree *t, enum there there, char *why,
		    size_t why_size)
{
	char what[160];

	if (there == UNKNOWN)
		return explain(why, why_size, t->path, strerror(errno));
	snprintf(what, sizeof(what),
		 "exists, and contains more than an earlier %s of warpspec: "
		 "name another folder",
		 t->kind);
	return explain(why, why_size, t->path, what);
}

struct report_tree *report_tree_begin(const char *path, const char *kind,
				      char *why, size_t why_size)
{
	struct report_tree *t = calloc(1, sizeof(*t));
	enum there there;

	if (!t) {
		explain(why, why_size, path ? path : "-", "out of memory");
		return NULL;
	}
	t->parent = t->fd = -1;
	snprintf(t->kind, sizeof(t->kind), "%s", kind);
	if (!path || strcmp(path, "-") == 0) {
		explain(why, why_size, "standard output",
			"it is a folder of pages: name one with -o, or as "
			"html=DIR");
	} else if (!(t->path = strdup(path)) || !(t->target = resolve(path)) ||
		   !base_name(t->target)[0]) {
		explain(why, why_size, path,
			t->target ? "is not a folder of its own"
				  : strerror(errno));
	} else if (!open_parent(t)) {
		explain(why, why_size, path, strerror(errno));
	} else if ((there = what_is(t->parent, base_name(t->target), kind)) >=
		   FOREIGN) {
		is_taken(t, there, why, why_size);
	} else if (!make_draft(t)) {
		explain(why, why_size, path, strerror(errno));
	} else {
		return t;
	}
	free_tree(t);
	return NULL;
}

int report_tree_check(const char *path, const char *kind, char *why,
		      size_t why_size)
{
	struct report_tree *t = report_tree_begin(path, kind, why, why_size);
	int rc = t ? 0 : -1;

	/* A name too long shows only when it is used. */
	if (t && faccessat(t->parent, base_name(t->target), F_OK, 0) != 0 &&
	    errno != ENOENT)
		rc = explain(why, why_size, path, strerror(errno));
	if (t)
		free_tree(t);
	return rc;
}

/* --- pages ----------------------------------------------------------------- */

FILE *report_tree_open(struct report_tree *t, const char *name)
{
	const char *slash = strchr(name, '/');

	if (slash) {
		char folder[64];

		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - name),
			 name);
		if (mkdirat(t->fd, folder, 0777) != 0 && errno != EEXIST)
			return NULL;
	}
	int fd = openat(t->fd, name,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0666);
	FILE *page = fd < 0 ? NULL : fdopen(fd, "w");

	if (!page && fd >= 0)
		close(fd);
	return page;
}

int report_tree_close(FILE *page)
{
	bool failed = ferror(page) != 0;

	if (fclose(page) != 0)
		return -1;
	if (failed)
		errno = EIO;
	return failed ? -1 : 0;
}

/* From `folder`, a folder, to `file`; both absolute. */
static void put_way(const char *folder, const char *file, FILE *out)
{
	size_t common = 0;

	for (size_t i = 0; folder[i] == file[i] && folder[i]; i++)
		if (folder[i] == '/')
			common = i + 1;
	for (const char *p = folder + common; *p; p++)
		if (*p == '/' || p[1] == '\0')
			fputs("../", out);
	for (const unsigned char *p = (const unsigned char *)file + common; *p;
	     p++)
		if (isalnum(*p) || strchr("/-._", *p))
			fputc(*p, out);
		else
			fprintf(out, "%%%02X", *p);
}

char *report_tree_link(const struct report_tree *t, const char *path)
{
	char *file = realpath(path, NULL), *folder;
	struct memstream m;

	if (!file)
		return NULL;
	if (asprintf(&folder, "%s/pages", t->target) < 0) {
		free(file);
		return NULL;
	}
	FILE *out = memstream_open(&m);

	if (out)
		put_way(folder, file, out);
	free(folder);
	free(file);
	return memstream_finish(&m, NULL);
}

/* --- captures --------------------------------------------------------------- */

enum { CAPTURE_MOST = 64 << 20 };

/* A file of another kind is never copied, whatever a report says that it is. */
static bool is_pcapng(int fd)
{
	static const unsigned char block[] = {0x0a, 0x0d, 0x0d, 0x0a};
	unsigned char begin[sizeof(block)];
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       st.st_size <= CAPTURE_MOST &&
	       read(fd, begin, sizeof(begin)) == (ssize_t)sizeof(begin) &&
	       memcmp(begin, block, sizeof(begin)) == 0 &&
	       lseek(fd, 0, SEEK_SET) == 0;
}

static bool copy(int fd, FILE *out)
{
	char part[16384];
	ssize_t n;

	while ((n = read(fd, part, sizeof(part))) > 0)
		if (fwrite(part, 1, (size_t)n, out) != (size_t)n)
			return false;
	return n == 0;
}

int report_tree_copy_capture(struct report_tree *t, const char *name,
			     const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool there = fd >= 0 && is_pcapng(fd);
	FILE *out = there ? report_tree_open(t, name) : NULL;
	bool ok = out && copy(fd, out);
	int error = errno;

	if (out && report_tree_close(out) != 0 && ok) {
		error = errno;
		ok = false;
	}
	if (fd >= 0)
		close(fd);
	errno = error;
	return !there ? 0 : ok ? 1 : -1;
}

/* --- publishing ------------------------------------------------------------ */

/* Move the draft to its place; the old tree takes the draft's, to be
 * removed. */
static int move(struct report_tree *t)
{
	const char *base = base_name(t->target);
	enum there there = what_is(t->parent, base, t->kind);

	if (there == FOREIGN)
		errno = EEXIST;
	if (there >= FOREIGN)
		return -1;
	if (there != EARLIER) {
		if (renameat(t->parent, t->name, t->parent, base) != 0)
			return -1;
		*t->name = '\0';
		return 0;
	}
	if (renameat2(t->parent, t->name, t->parent, base, RENAME_EXCHANGE) ==
	    0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	/* A file system that cannot exchange two. */
	char old[80];

	snprintf(old, sizeof(old), "%s-old", t->name);
	if (renameat(t->parent, base, t->parent, old) != 0)
		return -1;
	if (renameat(t->parent, t->name, t->parent, base) != 0) {
		int error = errno;

		renameat(t->parent, old, t->parent, base);
		errno = error;
		return -1;
	}
	memcpy(t->name, old, sizeof(t->name) - 1);
	return 0;
}

int report_tree_publish(struct report_tree *t, int failed, char *why,
			size_t why_size)
{
	int rc = 0;

	if (failed)
		rc = explain(why, why_size, t->path, strerror(failed));
	else if (syncfs(t->fd) != 0 || move(t) != 0)
		rc = errno == EEXIST || errno == ENOTEMPTY
			     ? is_taken(t, FOREIGN, why, why_size)
			     : explain(why, why_size, t->path, strerror(errno));
	else
		(void)fsync(t->parent);
	free_tree(t);
	return rc;
}
