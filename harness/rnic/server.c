/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/rnic/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/rnic/session.h"

/* An address without its port: the unit that the guard counts. */
static void name_source(const struct sockaddr_storage *at, char *text,
			socklen_t cap)
{
	text[0] = '\0';
	if (at->ss_family == AF_INET6)
		inet_ntop(AF_INET6,
			  &((const struct sockaddr_in6 *)at)->sin6_addr, text,
			  cap);
	else
		inet_ntop(AF_INET, &((const struct sockaddr_in *)at)->sin_addr,
			  text, cap);
}

int verbs_server_bind(struct sockaddr_storage *at, socklen_t len)
{
	int fd = socket(at->ss_family,
			SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int one = 1;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)at, len) != 0 ||
	    getsockname(fd, (struct sockaddr *)at, &len) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Of the open descriptors, a session keeps its own connection and the log. The
 * end of another connection would not be noticed while a copy of it is open
 * here. */
static int keep_only(int fd)
{
	if (fd != STDERR_FILENO + 1 && dup2(fd, STDERR_FILENO + 1) < 0)
		_exit(1);
	close_range(STDERR_FILENO + 2, UINT_MAX, 0);
	return STDERR_FILENO + 1;
}

static void be_session(const struct verbs_server *v, int fd,
		       struct verbs_guard *guard, const char *peer)
{
	char why[VERBS_WHY] = "";
	struct verbs_device *d;
	sigset_t none;

	fd = keep_only(fd);
	/* The parent ends it, too, even if the parent is killed. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	d = v->open(v->arg, v->facts, why, sizeof(why));
	if (!d) {
		fprintf(stderr, "warpspec-agent: %s: no session: %s\n", peer,
			why);
		_exit(1);
	}
	verbs_session_run(fd, d, v->facts, v->token, guard, peer);
	_exit(0);
}

int verbs_server_session(const struct verbs_server *v, int fd,
			 struct verbs_guard *guard, const char *peer)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0)
		be_session(v, fd, guard, peer);
	return pid;
}

struct running {
	pid_t pid[VERBS_SESSIONS];
	size_t n;
};

static void reap(struct running *r)
{
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		for (size_t i = 0; i < r->n; i++)
			if (r->pid[i] == pid)
				r->pid[i--] = r->pid[--r->n];
}

static void take_client(const struct verbs_server *v, int listener,
			struct verbs_guard *guard, struct running *r)
{
	struct sockaddr_storage at;
	socklen_t len = sizeof(at);
	int fd = accept4(listener, (struct sockaddr *)&at, &len, SOCK_CLOEXEC);
	char peer[INET6_ADDRSTRLEN];
	int one = 1;
	pid_t pid;

	if (fd < 0)
		return;
	name_source(&at, peer, sizeof(peer));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (r->n == VERBS_SESSIONS) {
		fprintf(stderr,
			"warpspec-agent: %s: refused, %d sessions are open\n",
			peer, VERBS_SESSIONS);
	} else {
		pid = verbs_server_session(v, fd, guard, peer);
		if (pid > 0)
			r->pid[r->n++] = pid;
		else
			fprintf(stderr, "warpspec-agent: %s: fork: %s\n", peer,
				strerror(errno));
	}
	close(fd);
}

/* The kernel releases their resources. A process held by a driver is left to
 * it. */
static void end_all(struct running *r)
{
	const struct timespec patience = {.tv_sec = 2};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < r->n; i++)
		kill(r->pid[i], SIGKILL);
	reap(r);
	while (r->n && sigtimedwait(&set, NULL, &patience) > 0)
		reap(r);
}

static bool must_end(int signals, struct running *r)
{
	struct signalfd_siginfo info;
	bool end = false;

	while (read(signals, &info, sizeof(info)) == sizeof(info))
		end |= info.ssi_signo != SIGCHLD;
	reap(r);
	return end;
}

int verbs_server_run(const struct verbs_server *v, int listener)
{
	struct verbs_guard *guard = verbs_guard_new();
	struct running running = {0};
	struct pollfd fds[2] = {{.fd = listener, .events = POLLIN},
				{.events = POLLIN}};
	bool end = false;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fds[1].fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (!guard || fds[1].fd < 0)
		return -1;
	if (listen(listener, VERBS_SESSIONS) != 0)
		return -1;
	while (!end) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			break;
		if (fds[1].revents)
			end = must_end(fds[1].fd, &running);
		if (fds[0].revents && !end)
			take_client(v, listener, guard, &running);
	}
	end_all(&running);
	close(fds[1].fd);
	verbs_guard_free(guard);
	return end ? 0 : -1;
}
