/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/session.h"

#include <sys/epoll.h>
#include <unistd.h>

static struct watch server = {.fd = -1};

static void ready(struct watch *watch, uint32_t events)
{
	int fd = accept4(watch->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	(void)events;
	if (fd >= 0)
		session_open(fd);
}

int server_start(const struct sockaddr *at, socklen_t len,
		 struct sockaddr_storage *bound)
{
	int fd = socket(at->sa_family,
			SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	socklen_t bound_len = sizeof(*bound);
	int one = 1;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	server.ready = ready;
	if (bind(fd, at, len) < 0 || listen(fd, 128) < 0 ||
	    getsockname(fd, (struct sockaddr *)bound, &bound_len) < 0 ||
	    loop_watch(&server, fd, EPOLLIN) < 0) {
		close(fd);
		return -1;
	}
	return 0;
}

void server_stop(void)
{
	int fd = server.fd;

	session_close_all();
	if (fd < 0)
		return;
	loop_unwatch(&server);
	close(fd);
}
