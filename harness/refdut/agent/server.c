/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/agent/features.h"
#include "harness/refdut/agent/session.h"

#include <sys/socket.h>
#include <unistd.h>

static struct watch server = {.fd = -1};

static void ready(struct watch *watch, uint32_t events)
{
	int fd = accept4(watch->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	(void)events;
	if (fd >= 0)
		session_open(fd);
	else
		loop_complain("accept");
}

int server_start(struct address *at)
{
	server.ready = ready;
	if (address_listen(at, 128, &server) < 0)
		return -1;
	/* Without a UDP port there is no SCTP. */
	if (feature(FEATURE_SCTP))
		stack_start(at);
	return 0;
}

void server_stop(void)
{
	int fd = server.fd;

	session_close_all();
	stack_stop();
	if (fd < 0)
		return;
	loop_unwatch(&server);
	close(fd);
}
