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

/* What the keeper, the process that runs them, is asked for. */
enum hook { HOOK_HEALTH, HOOK_RESET };

struct commands {
	struct hooks hooks;
	pid_t keeper;
	int fd;
};

struct command {
	const char *name, *text, *folder;
	unsigned ms;
};

/* --- one command ------------------------------------------------------- */

static void become(const struct command *c, int out)
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
	if (chdir(c->folder) < 0) {
		dprintf(STDERR_FILENO, "%s: %s\n", c->folder, strerror(errno));
		_exit(126);
	}
	execl("/bin/sh", "sh", "-c", c->text, (char *)NULL);
	dprintf(STDERR_FILENO, "/bin/sh: %s\n", strerror(errno));
	_exit(127);
}

/* Lines of printable ASCII, whatever it was. */
static void append(struct hook_result *r, const uint8_t *octets, size_t n)
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
		if (at + strlen(text) >= sizeof(r->output))
			return;
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

/* Read what is there. False: nothing more will come. */
static bool read_on(int fd, struct hook_result *r)
{
	uint8_t octets[4096];

	for (;;) {
		ssize_t n = read(fd, octets, sizeof(octets));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 && errno == EAGAIN;
		append(r, octets, (size_t)n);
	}
}

/*
 * Until it has ended; what it leaves running in the background may keep its
 * output open. False: not in time, or nobody waits for it any more.
 */
static bool await(int pidfd, int out, int asker, uint64_t deadline,
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
		if (p[1].revents && !read_on(out, r))
			p[1].fd = -1;
		if (p[0].revents) {
			read_on(out, r);
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

static void run_command(const struct command *c, int asker,
			struct hook_result *r)
{
	int out[2], status = 0;

	*r = (struct hook_result){.end = HOOK_UNUSABLE};
	if (pipe2(out, O_CLOEXEC) < 0) {
		cannot(c, r);
		return;
	}
	pid_t pid = fork();

	if (pid == 0)
		become(c, out[1]);
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
		ended = await(pidfd, out[0], asker, deadline, r);
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
	};
	static struct hook_result result;
	uint8_t which;

	/* Ctrl-C is for the suite; its end is this one's. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	while (recv(fd, &which, 1, 0) == 1) {
		run_command(&commands[which], fd, &result);
		if (send(fd, &result, sizeof(result), MSG_NOSIGNAL) < 0)
			break;
	}
}

static void ask(struct hooks *h, enum hook which, const char *name,
		struct hook_result *out)
{
	struct commands *c = (struct commands *)h;
	uint8_t octet = (uint8_t)which;
	ssize_t n = send(c->fd, &octet, 1, MSG_NOSIGNAL);

	/* A signal ends the run: the hook is given up with its keeper. */
	if (n == 1)
		n = recv(c->fd, out, sizeof(*out), 0);
	if (n == sizeof(*out))
		return;
	*out = (struct hook_result){.end = HOOK_UNCLEAR};
	snprintf(out->line, sizeof(out->line), "the %s hook was stopped", name);
	shutdown(c->fd, SHUT_RDWR);
}

static void ask_health(struct hooks *h, struct hook_result *out)
{
	ask(h, HOOK_HEALTH, "health", out);
}

static void ask_reset(struct hooks *h, struct hook_result *out)
{
	ask(h, HOOK_RESET, "reset", out);
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
