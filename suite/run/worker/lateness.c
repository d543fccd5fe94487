/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/worker/lateness.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "harness/link/clock.h"

static uint64_t overslept;

/* The files of the processes that were queried last: a run checks a few
 * processes several times in each case. The file of a process that has ended
 * cannot be read, even if another process has its number. */
#define KEPT 128u

static struct {
	pid_t pid; /* 0: no file */
	int fd;
} kept[KEPT];

static ssize_t read_kept(pid_t pid, char *text, size_t cap)
{
	unsigned at = (unsigned)pid % KEPT;
	char path[48];

	if (kept[at].pid == pid) {
		ssize_t n = pread(kept[at].fd, text, cap, 0);

		if (n > 0)
			return n;
	}
	if (kept[at].pid)
		close(kept[at].fd);
	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
	kept[at].fd = open(path, O_RDONLY | O_CLOEXEC);
	kept[at].pid = kept[at].fd < 0 ? 0 : pid;
	return kept[at].pid ? pread(kept[at].fd, text, cap, 0) : -1;
}

/* If nothing reports the time, for example because no descriptor is left, it is
 * `unknown`: no time has passed. */
static uint64_t waited(pid_t pid, uint64_t unknown)
{
	char text[96];
	uint64_t ns;
	ssize_t n = pid ? read_kept(pid, text, sizeof(text) - 1) : -1;

	if (n <= 0)
		return unknown;
	text[n] = '\0';
	return sscanf(text, "%*s %" SCNu64, &ns) == 1 ? ns : unknown;
}

struct lateness lateness_from_now(pid_t suite, pid_t device)
{
	return (struct lateness){
		.who = {suite, device},
		.waited = {waited(suite, UINT64_MAX),
			   waited(device, UINT64_MAX)},
		.overslept = overslept,
	};
}

uint64_t lateness_since(const struct lateness *from)
{
	uint64_t most = overslept - from->overslept;

	for (unsigned i = 0; i < 2; i++) {
		uint64_t now = waited(from->who[i], 0);

		/* A process that ended meanwhile has not waited less. */
		if (now > from->waited[i] && now - from->waited[i] > most)
			most = now - from->waited[i];
	}
	return most;
}

struct late_spans late_spans_from_now(pid_t suite, pid_t device, uint64_t span)
{
	return (struct late_spans){.span = span,
				   .from = lateness_from_now(suite, device),
				   .since = clock_now_ns()};
}

uint64_t late_spans_worst(const struct late_spans *s)
{
	uint64_t late = s->before + lateness_since(&s->from);

	return late > s->worst ? late : s->worst;
}

void late_spans_look(struct late_spans *s, uint64_t now)
{
	if (now < s->since + s->span)
		return;
	s->worst = late_spans_worst(s);
	s->before = lateness_since(&s->from);
	s->from = lateness_from_now(s->from.who[0], s->from.who[1]);
	s->since = now;
}

void lateness_overslept(uint64_t ns)
{
	overslept += ns;
}
