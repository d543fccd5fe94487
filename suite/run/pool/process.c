/* SPDX-License-Identifier: BSD-2-Clause */
/* A worker as a process of this host: its start, its end, and how many run. */
#include "suite/run/pool/pool.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "suite/device/links.h"

struct waiting *process_waiting(const struct run *run,
				const struct pool_worker *w)
{
	return run->waiting ? &run->waiting[w - run->worker] : NULL;
}

static void worker_main(struct run *run, int fd)
{
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned i = 0; i < RUN_WORKERS; i++)
		if (run->worker[i].pid)
			close(run->worker[i].fd);
	links_forget();
	worker_serve(&run->wo, fd);
	_exit(0);
}

bool process_start(struct run *run, struct pool_worker *w)
{
	int pair[2];
	pid_t parent = getpid();

	w->pid = 0;
	w->index = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return false;
	fflush(NULL);
	run->wo.link = links_take();
	run->wo.waiting = process_waiting(run, w);
	pid_t pid = fork();

	if (pid == 0) {
		close(pair[0]);
		if (getppid() == parent)
			worker_main(run, pair[1]);
		_exit(0);
	}
	int error = errno;

	close(pair[1]);
	link_close_provider(run->wo.link);
	if (pid < 0) {
		close(pair[0]);
		errno = error;
		return false;
	}
	w->pid = pid;
	w->fd = pair[0];
	return true;
}

int process_end(struct pool_worker *w, bool force)
{
	int status = 0;

	if (!w->pid)
		return 0;
	if (force)
		kill(w->pid, SIGKILL);
	close(w->fd);
	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	w->pid = 0;
	return status;
}

bool process_is_busy(const struct pool_worker *w)
{
	return w->pid && w->index >= 0;
}

unsigned process_count_busy(const struct run *run, bool at_work)
{
	unsigned n = 0;

	for (unsigned i = 0; i < RUN_WORKERS; i++)
		n += process_is_busy(&run->worker[i]) &&
		     !(at_work && run->worker[i].waits);
	return n;
}

unsigned process_count_others(const struct run *run,
			      const struct pool_worker *w)
{
	unsigned others = 0;

	for (unsigned i = 0; i < RUN_WORKERS; i++)
		others += run->worker[i].pid && &run->worker[i] != w;
	return others;
}
