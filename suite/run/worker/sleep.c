/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/worker/sleep.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The value of a line of /proc/PID/status, or NULL. */
static const char *value(const char *status, const char *key)
{
	const char *at = strstr(status, key);

	return at ? at + strlen(key) : NULL;
}

static bool read_status(pid_t pid, char *text, size_t cap)
{
	char path[48];

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, cap - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

uint64_t sleep_look(struct sleeper *s, pid_t pid, uint64_t now)
{
	char text[4096];
	const char *state, *pauses;

	if (!read_status(pid, text, sizeof(text)) ||
	    !(state = value(text, "\nState:\t")) || *state != 'S' ||
	    !(pauses = value(text, "\nvoluntary_ctxt_switches:\t"))) {
		s->seen = false;
		return 0;
	}
	uint64_t n = strtoull(pauses, NULL, 10);

	if (!s->seen || n != s->pauses)
		*s = (struct sleeper){.seen = true, .pauses = n, .since = now};
	return now - s->since;
}
