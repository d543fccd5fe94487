/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/device/confined.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/lab/confinement.h"

static unsigned begin(const struct device *d, const char *link,
		      const char *captures, char *why, size_t cap)
{
	const struct confinement c = {
		.folder = captures,
		/* On the other links TCP is the agent's alone. */
		.tcp_port = strcmp(link, "socket") != 0 ? d->agent_port : 0,
	};

	if (d->connect[0]) {
		snprintf(why, cap, "the command of connect-with runs in them");
		return 0;
	}
	return confine(&c, why, cap);
}

void confined_to(const struct device *d, const char *link, const char *captures)
{
	char why[256];

	begin(d, link, captures, why, sizeof(why));
}

/* The kinds that are in force in a process that tries it. */
static unsigned attempt(const struct device *d, const char *link, char *why,
			size_t cap)
{
	struct {
		unsigned kinds;
		char why[256];
	} said = {0};
	int out[2];

	snprintf(why, cap, "no process can be started to try it");
	if (pipe(out) < 0)
		return 0;
	fflush(NULL);
	pid_t pid = fork();

	if (pid == 0) {
		said.kinds = begin(d, link, NULL, said.why, sizeof(said.why));
		_exit(write(out[1], &said, sizeof(said)) == sizeof(said) ? 0
									 : 1);
	}
	close(out[1]);
	if (pid > 0 && read(out[0], &said, sizeof(said)) == sizeof(said))
		snprintf(why, cap, "%s", said.why);
	close(out[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	return said.kinds;
}

bool confined_here(const struct device *d, const char *link, char *why,
		   size_t cap)
{
	attempt(d, link, why, cap);
	return !*why;
}

bool confined_print(FILE *out)
{
	static const struct {
		unsigned kind;
		const char *text;
	} lines[] = {
		{CONFINES_FILES, "Landlock: no files but libraries, /proc, "
				 "/sys, and captures"},
		{CONFINES_PORTS, "Landlock: raw, sctp: no TCP but to the "
				 "agent's port"},
		{CONFINES_SIGNALS,
		 "Landlock: no signals to others, no abstract sockets"},
		{CONFINES_CALLS,
		 "seccomp: no programs, tracing, mounts, namespaces, BPF"},
	};
	struct device d;
	char why[256];

	device_init(&d);
	d.agent_port = 1;

	unsigned kinds = attempt(&d, "raw", why, sizeof(why));

	fputs("The processes that run cases and programs:\n", out);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		fprintf(out, "  %-13s %s\n",
			kinds & lines[i].kind ? "in force" : "not in force",
			lines[i].text);
	if (*why)
		fprintf(out, "Not all is in force: %s\n", why);
	fputs("The hosts that they can reach over the kernel's TCP and UDP are "
	      "not limited.\nWith connect-with, nothing is limited.\n",
	      out);
	return fflush(out) == 0 && !ferror(out);
}
