/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/ulp/ulp.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BACKLOG = 16 };

static const struct ulp *ulp;
static struct rping *live;
static struct watch door = {.fd = -1};
static uint32_t accepted;
static bool failed;

static void complain(const char *what, const struct address *address)
{
	int error = errno;
	char text[ADDRESS_TEXT];

	address_text(address, text);
	fprintf(stderr, "warpspec-refdut: rping: %s %s: %s\n", what, text,
		strerror(error));
	failed = true;
}

static void leave(struct rping *rping)
{
	if (rping->prev)
		rping->prev->next = rping->next;
	else
		live = rping->next;
	if (rping->next)
		rping->next->prev = rping->prev;
	rping_destroy(rping);
}

static void is_over(struct rping *rping)
{
	failed |= rping->failed;
	leave(rping);
	if (!live && door.fd < 0)
		loop_stop();
}

static void enter(struct rping *rping)
{
	rping->over = is_over;
	rping->prev = NULL;
	rping->next = live;
	if (live)
		live->prev = rping;
	live = rping;
}

static void close_door(void)
{
	int fd = door.fd;

	if (fd < 0)
		return;
	loop_unwatch(&door);
	close(fd);
}

static void knock(struct watch *watch, uint32_t events)
{
	int fd = accept4(watch->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	(void)events;
	if (fd < 0) {
		if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)
			return;
		complain("accept at", &ulp->address);
		loop_stop();
		return;
	}
	enter(ulp->role >= ULP_BUFFER ? buffer_serve(ulp, fd)
				      : rping_serve(ulp, fd));
	accepted++;
	/* Connections that arrive too late are refused, not left to wait. */
	if (accepted == ulp->clients)
		close_door();
}

static bool start_server(void)
{
	struct address at = ulp->address;
	char text[ADDRESS_TEXT];

	door.ready = knock;
	if (address_listen(&at, BACKLOG, &door) < 0) {
		complain("listen at", &at);
		return false;
	}
	address_text(&at, text);
	printf("listening %s\n", text);
	if (ulp->role >= ULP_BUFFER && !buffer_open(ulp)) {
		failed = true;
		return false;
	}
	fflush(stdout);
	return true;
}

static bool start_client(void)
{
	struct rping *rping = rping_connect(ulp);

	if (!rping) {
		complain("connect to", &ulp->address);
		return false;
	}
	enter(rping);
	return true;
}

int ulp_run(const struct ulp *what)
{
	bool client = what->role == ULP_RPING_CLIENT;

	ulp = what;
	accepted = 0;
	failed = false;
	if (client ? start_client() : start_server())
		loop_run();
	close_door();
	/* A server that is stopped while it serves clients has done nothing
	 * wrong; a client that is stopped is not done. */
	if (client && live && !live->failed && live->step != RPING_CLOSE) {
		fprintf(stderr,
			"warpspec-refdut: rping with %s: interrupted after %u"
			" of %u exchanges\n",
			live->peer, live->exchanges, ulp->count);
		failed = true;
	}
	while (live) {
		failed |= live->failed;
		leave(live);
	}
	buffer_close();
	return failed ? 1 : 0;
}
