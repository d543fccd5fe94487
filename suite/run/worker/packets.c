/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/worker/packets.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREAD "ksoftirqd/"

/* False: it is unknown. */
static bool read_waited(int fd, uint64_t *ns)
{
	char text[96];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return false;
	text[n] = '\0';
	return sscanf(text, "%*s %" SCNu64, ns) == 1;
}

bool packets_watch(struct packets *p, const char *path)
{
	int fd = p->count < PACKETS_THREADS ? open(path, O_RDONLY | O_CLOEXEC)
					    : -1;

	if (fd < 0 || !read_waited(fd, &p->waited[p->count])) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	p->fd[p->count++] = fd;
	return true;
}

static bool is_thread(const char *pid)
{
	char path[64], name[32] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool is = read(fd, name, sizeof(name) - 1) > 0 &&
		  strncmp(name, THREAD, strlen(THREAD)) == 0;

	close(fd);
	return is;
}

void packets_open(struct packets *p)
{
	DIR *all = opendir("/proc");
	const struct dirent *e;
	char path[64];

	*p = (struct packets){0};
	while (all && (e = readdir(all))) {
		if (e->d_name[0] < '1' || e->d_name[0] > '9' ||
		    !is_thread(e->d_name))
			continue;
		snprintf(path, sizeof(path), "/proc/%.20s/schedstat",
			 e->d_name);
		packets_watch(p, path);
	}
	if (all)
		closedir(all);
}

void packets_close(struct packets *p)
{
	while (p->count)
		close(p->fd[--p->count]);
}

uint64_t packets_look(struct packets *p)
{
	uint64_t most = 0, now;

	for (unsigned i = 0; i < p->count; i++) {
		if (!read_waited(p->fd[i], &now))
			continue;
		if (now > p->waited[i] && now - p->waited[i] > most)
			most = now - p->waited[i];
		p->waited[i] = now;
	}
	return most;
}
