/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/text/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *kind_of(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return "a folder";
	case S_IFIFO:
		return "a FIFO";
	case S_IFSOCK:
		return "a socket";
	default:
		return "a device";
	}
}

int text_file_open(const char *path, int flags, uint64_t most, char *why,
		   size_t cap)
{
	/* Without O_NONBLOCK a FIFO would be waited for. */
	int fd = open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
	struct stat st;

	if (fd < 0 && errno == ENXIO) {
		snprintf(why, cap, "%s: not a file", path);
		return -1;
	}
	if (fd < 0 || fstat(fd, &st) < 0) {
		snprintf(why, cap, "%s: %s", path, strerror(errno));
	} else if (!S_ISREG(st.st_mode)) {
		snprintf(why, cap, "%s: not a file, but %s", path,
			 kind_of(st.st_mode));
	} else if ((uint64_t)st.st_size > most) {
		snprintf(why, cap, "%s: %llu octets; at most %llu are read",
			 path, (unsigned long long)st.st_size,
			 (unsigned long long)most);
	} else {
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Up to n octets. -1: errno. */
static ssize_t read_all(int fd, char *to, size_t n)
{
	size_t had = 0;

	while (had < n) {
		ssize_t k = read(fd, to + had, n - had);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return -1;
		if (k == 0)
			break;
		had += (size_t)k;
	}
	return (ssize_t)had;
}

char *text_file_octets(const char *path, size_t most, size_t *n, char *why,
		       size_t cap)
{
	int fd = text_file_open(path, O_RDONLY, most, why, cap);

	if (fd < 0)
		return NULL;
	/* It may have grown; and a file of /proc has no size. */
	char *octets = malloc(most + 2);
	ssize_t got = octets ? read_all(fd, octets, most + 1) : -1;

	if (got < 0)
		snprintf(why, cap, "%s: %s", path, strerror(errno));
	close(fd);
	if (got > (ssize_t)most) {
		snprintf(why, cap, "%s: more than %zu octets", path, most);
		got = -1;
	}
	if (got < 0) {
		free(octets);
		return NULL;
	}
	octets[got] = '\0';
	*n = (size_t)got;
	return octets;
}

char *text_file_read(const char *path, const struct text_bounds *bounds,
		     size_t *n, bool *missing, char *why, size_t cap)
{
	if (missing) {
		struct stat st;

		*missing = stat(path, &st) < 0 && errno == ENOENT;
	}
	char *text = text_file_octets(path, bounds->file, n, why, cap);

	if (text && text_check(path, 1, text, *n, bounds->line, why, cap))
		return text;
	free(text);
	return NULL;
}

/* NULL: nothing is wrong. Otherwise what, in words. */
static const char *wrong_in(iconv_t utf8, const char *line, size_t n,
			    char said[64])
{
	char *at = (char *)(uintptr_t)line;

	while (n) {
		uint32_t c = 0;
		char *to = (char *)&c;
		size_t room = sizeof(c), before = n;

		if (iconv(utf8, &at, &n, &to, &room) == (size_t)-1 &&
		    errno != E2BIG)
			break;
		if (n == before) /* cannot be */
			break;
		if (c == '\t' || (c >= 0x20 && c < 0x7f) || c >= 0xa0)
			continue;
		if (c == 0)
			return "a NUL";
		snprintf(said, 64, "a control character, U+%04X", (unsigned)c);
		return said;
	}
	return n ? "not UTF-8" : NULL;
}

bool text_check(const char *name, unsigned long number, const char *text,
		size_t n, size_t line_most, char *why, size_t cap)
{
	iconv_t utf8 = iconv_open("UCS-4LE", "UTF-8");
	bool fine = utf8 != (iconv_t)-1;

	if (!fine)
		snprintf(why, cap, "%s: UTF-8 cannot be read: %s", name,
			 strerror(errno));
	for (; fine && n; number++) {
		const char *end = memchr(text, '\n', n);
		size_t whole = end ? (size_t)(end - text) + 1 : n;
		size_t line = whole - (end ? 1 : 0);
		char said[64];

		line -= end && line && text[line - 1] == '\r';
		const char *wrong = wrong_in(
			utf8, text, line < line_most ? line : line_most, said);

		/* Its length shows whether the limit cuts a character. */
		if (line > line_most && (!wrong || wrong[0] == 'n')) {
			snprintf(said, sizeof(said),
				 "a line of more than %zu octets", line_most);
			wrong = said;
		}
		if (wrong) {
			snprintf(why, cap, "%s:%lu: %s", name, number, wrong);
			fine = false;
		}
		text += whole;
		n -= whole;
	}
	if (utf8 != (iconv_t)-1)
		iconv_close(utf8);
	return fine;
}

char *text_lines_next(struct text_lines *t, char *line, int size)
{
	size_t left = (size_t)(t->end - t->at);

	if (!left || size < 2)
		return NULL;
	size_t n = left < (size_t)size - 1 ? left : (size_t)size - 1;
	const char *end = memchr(t->at, '\n', n);

	if (end)
		n = (size_t)(end - t->at) + 1;
	memcpy(line, t->at, n);
	line[n] = '\0';
	t->at += n;
	return line;
}

bool text_file_first_line(const char *path, char *out, size_t out_cap,
			  bool *missing, char *why, size_t cap)
{
	const struct text_bounds bounds = {64u << 10, out_cap - 1};
	size_t n;
	char *text = text_file_read(path, &bounds, &n, missing, why, cap);

	if (!text)
		return false;
	n = strcspn(text, "\r\n");
	memcpy(out, text, n);
	out[n] = '\0';
	free(text);
	if (n == 0)
		snprintf(why, cap, "%s: its first line is empty", path);
	return n > 0;
}
