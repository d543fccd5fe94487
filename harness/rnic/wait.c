/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/rnic/wait.h"

#include <errno.h>
#include <poll.h>

#include "harness/link/clock.h"

/*
 * Poll the client and the device once, up to the deadline, and serve the
 * device. While a request waits, only the client's end is checked: its next
 * requests have to wait their turn.
 */
static void turn(struct verbs_session *s, bool waiting, uint64_t deadline)
{
	struct pollfd fds[1 + VERBS_FDS];
	size_t n = s->device->ops->fds(s->device, fds + 1);

	fds[0] = (struct pollfd){
		.fd = s->fd,
		.events = (short)(waiting ? POLLRDHUP : POLLIN | POLLRDHUP)};
	if (poll(fds, 1 + n, clock_poll_ms(deadline)) < 0 && errno != EINTR)
		s->gone = true;
	if (fds[0].revents & (POLLERR | POLLHUP | POLLNVAL) ||
	    (waiting && fds[0].revents & POLLRDHUP))
		s->gone = true;
	s->device->ops->serve(s->device);
}

void verbs_wait_for_input(struct verbs_session *s, uint64_t deadline)
{
	turn(s, false, deadline);
}

bool verbs_wait(struct verbs_session *s, bool (*done)(void *arg), void *arg,
		uint64_t timeout_ms)
{
	uint64_t deadline = clock_after_ms(timeout_ms);

	/* Earlier answers are not held back by the wait. */
	if (fflush(s->out) != 0)
		s->gone = true;
	s->device->ops->serve(s->device);
	while (!s->gone && !done(arg) && clock_now_ns() < deadline)
		turn(s, true, deadline);
	return !s->gone;
}
