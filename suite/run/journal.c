/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

struct journal {
	int fd;
	char *path;
};

struct journal *journal_open(const char *path, bool append, char *why,
			     size_t cap)
{
	struct journal *j = calloc(1, sizeof(*j));
	int fd = open(path,
		      O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND |
			      (append ? 0 : O_TRUNC),
		      0666);

	if (!j || fd < 0 || !(j->path = strdup(path))) {
		snprintf(why, cap, "journal %s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		free(j);
		return NULL;
	}
	j->fd = fd;
	/* A torn last line must not be joined with the next one. */
	off_t end = lseek(fd, 0, SEEK_END);
	char last;

	if (end > 0 && pread(fd, &last, 1, end - 1) == 1 && last != '\n' &&
	    write(fd, "\n", 1) != 1) {
		snprintf(why, cap, "journal %s: %s", path, strerror(errno));
		journal_close(j);
		return NULL;
	}
	return j;
}

bool journal_write(struct journal *j, const char *line, size_t n, char *why,
		   size_t cap)
{
	struct iovec v[2] = {{(void *)(uintptr_t)line, n}, {"\n", 1}};
	ssize_t wrote = writev(j->fd, v, 2);

	if (wrote == (ssize_t)n + 1)
		return true;
	snprintf(why, cap, "journal %s: %s", j->path,
		 wrote < 0 ? strerror(errno) : "the disk is full");
	return false;
}

void journal_close(struct journal *j)
{
	if (!j)
		return;
	close(j->fd);
	free(j->path);
	free(j);
}

bool journal_read(const char *path, bool (*take)(void *user, struct record *r),
		  void *user, char *why, size_t cap)
{
	FILE *f = fopen(path, "re");
	struct stat st;
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	unsigned number = 0;

	if (!f || fstat(fileno(f), &st) < 0 || S_ISDIR(st.st_mode)) {
		snprintf(why, cap, "journal %s: %s", path,
			 f ? "not a file" : strerror(errno));
		if (f)
			fclose(f);
		return false;
	}
	while ((n = getline(&line, &room, f)) > 0) {
		struct record r;

		number++;
		if (record_parse(&r, line, (size_t)n)) {
			if (!take(user, &r))
				record_release(&r);
		} else if (line[n - 1] == '\n' && line[0] != '\n' &&
			   line[0] == '{' && line[n - 2] != '}') {
			continue; /* a kill has cut it short */
		} else if (line[n - 1] == '\n' && line[0] != '\n') {
			snprintf(why, cap,
				 "journal %s:%u: not a record of a case; give "
				 "the file of an earlier --journal",
				 path, number);
			free(line);
			fclose(f);
			return false;
		}
	}
	free(line);
	fclose(f);
	return true;
}
