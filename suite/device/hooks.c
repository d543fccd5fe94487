/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/device/hooks.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/link/clock.h"

/* The requests to the keeper, the process that runs the hooks. */
enum hook { HOOK_HEALTH, HOOK_RESET, HOOK_LOG };

struct question {
	enum hook which;
	unsigned seconds; /* for a log: since the case began */
	char id[256];     /* of that case; or "" */
};

struct commands {
	struct hooks hooks;
	pid_t keeper;
	int fd;
};

struct command {
	const char *name, *text, *folder;
	unsigned ms;
	bool last; /* its last output counts if there is too much */
};

/* --- one command ------------------------------------------------------- */

static void put_in_environment(const struct question *q)
{
	char seconds[16];

	if (!q->id[0])
		return;
	snprintf(seconds, sizeof(seconds), "%u", q->seconds);
	setenv("WARPSPEC_CASE", q->id, 1);
	setenv("WARPSPEC_SECONDS", seconds, 1);
}

static void become(const struct command *c, const struct question *q, int out)
{
	int null = open("/dev/null", O_RDONLY);
	sigset_t none;

	/* Whatever it starts can be ended with it. */
	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	put_in_environment(q);
	if (chdir(c->folder) < 0) {
		dprintf(STDERR_FILENO, "%s: %s\n", c->folder, strerror(errno));
		_exit(126);
	}
	execl("/bin/sh", "sh", "-c", c->text, (char *)NULL);
	dprintf(STDERR_FILENO, "/bin/sh: %s\n", strerror(errno));
	_exit(127);
}

/* Drop the older half, and the rest of its last line. Returns the number of
 * octets kept. */
static size_t forget_the_first(struct hook_result *r, size_t n)
{
	const char *newline = strchr(r->output + n / 2, '\n');
	size_t cut = newline ? (size_t)(newline + 1 - r->output) : n / 2;

	memmove(r->output, r->output + cut, n - cut + 1);
	return n - cut;
}

/* Lines of printable ASCII, whatever it was. */
static void append(struct hook_result *r, bool last, const uint8_t *octets,
		   size_t n)
{
	size_t at = strlen(r->output);

	for (size_t i = 0; i < n; i++) {
		char text[5] = {(char)octets[i]};

		if (octets[i] == '\r')
			continue;
		if (octets[i] == '\t')
			text[0] = ' ';
		else if (octets[i] != '\n' &&
			 (octets[i] < 0x20 || octets[i] > 0x7e))
			snprintf(text, sizeof(text), "\\x%02x", octets[i]);
		if (at + strlen(text) >= sizeof(r->output)) {
			if (!last)
				return;
			at = forget_the_first(r, at);
		}
		strcpy(r->output + at, text);
		at += strlen(text);
	}
}

static void end_at_last_line(struct hook_result *r)
{
	size_t n = strlen(r->output);

	while (n && r->output[n - 1] == '\n')
		r->output[--n] = '\0';
}

/* Read the available output. False: no more will arrive. */
static bool read_on(int fd, bool last, struct hook_result *r)
{
	uint8_t octets[4096];

	for (;;) {
		ssize_t n = read(fd, octets, sizeof(octets));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 && errno == EAGAIN;
		append(r, last, octets, (size_t)n);
	}
}

/*
 * Wait for its end; processes that it leaves in the background may keep its
 * output open. False: not in time, or the wait was cancelled.
 */
static bool await(int pidfd, int out, int asker, uint64_t deadline, bool last,
		  struct hook_result *r)
{
	struct pollfd p[] = {{.fd = pidfd, .events = POLLIN},
			     {.fd = out, .events = POLLIN},
			     {.fd = asker, .events = POLLRDHUP}};

	for (;;) {
		int n = poll(p, 3, clock_poll_ms(deadline));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || p[2].revents)
			return false;
		if (p[1].revents && !read_on(out, last, r))
			p[1].fd = -1;
		if (p[0].revents) {
			read_on(out, last, r);
			return true;
		}
	}
}

static void classify(const struct command *c, bool ended, int status,
		     struct hook_result *r)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;

	r->end = HOOK_UNCLEAR;
	if (!ended) {
		snprintf(r->line, sizeof(r->line),
			 "the %s hook did not end within %u ms", c->name,
			 c->ms);
	} else if (code < 0) {
		snprintf(r->line, sizeof(r->line),
			 "the %s hook was killed by signal %d", c->name,
			 WTERMSIG(status));
	} else if (code == 126 || code == 127) {
		r->end = HOOK_UNUSABLE;
		snprintf(r->line, sizeof(r->line),
			 "the %s hook cannot be run: %.100s", c->name,
			 r->output[0] ? hook_last_line(r) : c->text);
	} else {
		r->end = code == 0 ? HOOK_WELL : HOOK_ILL;
		snprintf(r->line, sizeof(r->line),
			 "the %s hook ended with status %d", c->name, code);
	}
}

static void cannot(const struct command *c, struct hook_result *r)
{
	r->end = HOOK_UNUSABLE;
	snprintf(r->line, sizeof(r->line), "the %s hook cannot be run: %s",
		 c->name, strerror(errno));
}

static void run_command(const struct command *c, const struct question *q,
			int asker, struct hook_result *r)
{
	int out[2], status = 0;

	*r = (struct hook_result){.end = HOOK_UNUSABLE};
	if (pipe2(out, O_CLOEXEC) < 0) {
		cannot(c, r);
		return;
	}
	pid_t pid = fork();

	if (pid == 0)
		become(c, q, out[1]);
	close(out[1]);
	int pidfd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;

	if (pidfd < 0) {
		cannot(c, r);
	} else {
		uint64_t deadline = clock_now_ns() + c->ms * 1000000ull;
		bool ended;

		/* By whichever of the two comes first. */
		setpgid(pid, pid);
		fcntl(out[0], F_SETFL, O_NONBLOCK);
		ended = await(pidfd, out[0], asker, deadline, c->last, r);
		if (!ended)
			kill(-pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			continue;
		end_at_last_line(r);
		classify(c, ended, status, r);
		close(pidfd);
	}
	close(out[0]);
}

/* --- the keeper ---------------------------------------------------------- */

static void keep(const struct device *d, int fd)
{
	const struct command commands[] = {
		[HOOK_HEALTH] = {"health", d->hook_health, d->folder,
				 d->hook_health_ms},
		[HOOK_RESET] = {"reset", d->hook_reset, d->folder,
				d->hook_reset_ms},
		[HOOK_LOG] = {"log", d->hook_log, d->folder, d->hook_log_ms,
			      true},
	};
	static struct hook_result result;
	static struct question q;

	/* Ctrl-C is for the suite; its end is this one's. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	while (recv(fd, &q, sizeof(q), 0) == sizeof(q)) {
		run_command(&commands[q.which], &q, fd, &result);
		if (send(fd, &result, sizeof(result), MSG_NOSIGNAL) < 0)
			break;
	}
}

static void ask(struct hooks *h, const struct question *q, const char *name,
		struct hook_result *out)
{
	struct commands *c = (struct commands *)h;
	ssize_t n = send(c->fd, q, sizeof(*q), MSG_NOSIGNAL);

	/* A signal ends the run: the hook is given up with its keeper. */
	if (n == sizeof(*q))
		n = recv(c->fd, out, sizeof(*out), 0);
	if (n == sizeof(*out))
		return;
	*out = (struct hook_result){.end = HOOK_UNCLEAR};
	snprintf(out->line, sizeof(out->line), "the %s hook was stopped", name);
	shutdown(c->fd, SHUT_RDWR);
}

static void ask_health(struct hooks *h, struct hook_result *out)
{
	ask(h, &(struct question){.which = HOOK_HEALTH}, "health", out);
}

static void ask_reset(struct hooks *h, struct hook_result *out)
{
	ask(h, &(struct question){.which = HOOK_RESET}, "reset", out);
}

static void ask_log(struct hooks *h, const char *id, unsigned seconds,
		    struct hook_result *out)
{
	struct question q = {.which = HOOK_LOG, .seconds = seconds};

	snprintf(q.id, sizeof(q.id), "%s", id);
	ask(h, &q, "log", out);
}

struct hooks *hooks_open(const struct device *d, char *why, size_t cap)
{
	struct commands *c = calloc(1, sizeof(*c));
	int pair[2];

	if (!c || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		snprintf(why, cap, "hooks: %s", strerror(errno));
		free(c);
		return NULL;
	}
	fflush(NULL);
	c->keeper = fork();
	if (c->keeper == 0) {
		close(pair[0]);
		keep(d, pair[1]);
		_exit(0);
	}
	close(pair[1]);
	c->fd = pair[0];
	if (c->keeper < 0) {
		snprintf(why, cap, "hooks: %s", strerror(errno));
		close(c->fd);
		free(c);
		return NULL;
	}
	c->hooks.health = d->hook_health[0] ? ask_health : NULL;
	c->hooks.reset = d->hook_reset[0] ? ask_reset : NULL;
	c->hooks.log = d->hook_log[0] ? ask_log : NULL;
	return &c->hooks;
}

void hooks_close(struct hooks *h)
{
	struct commands *c = (struct commands *)h;

	if (!c)
		return;
	close(c->fd);
	while (waitpid(c->keeper, NULL, 0) < 0 && errno == EINTR)
		continue;
	free(c);
}

const char *hook_last_line(const struct hook_result *r)
{
	const char *newline = strrchr(r->output, '\n');

	return !r->output[0] ? r->line : newline ? newline + 1 : r->output;
}
