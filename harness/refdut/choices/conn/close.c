/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices where a stream ends (RFC 5040 s6.2, RFC 5041 s6.2, RFC 6581 s10). */
#include "harness/refdut/conn_close_decisions.h"
#include "harness/refdut/conn_decisions.h"
#include "harness/refdut/decision/override.h"

#include <errno.h>
#include <linux/sockios.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

VARIANT(end_by, reset_behind_a_terminate,
	"RDMAP-6.2.1-01 RDMAP-6.2.1-02 RDMAP-6.2.1-03 RDMAP-6.2.1-06 "
	"DDP-6.2.2-03 DDP-7.1-36 RDMAP-5.4-09",
	"resets TCP after a Terminate, its own or the peer's", stream_ends_by)
{
	return c->terminate.known && !c->sctp && chosen(self)
		       ? END_BY_RESET
		       : OTHERWISE(stream_ends_by);
}

VARIANT(end_by, close_without_draining,
	"RDMAP-6.2.1-03 RDMAP-6.2.1-04 RDMAP-6.2.1-06",
	"closes TCP after a Terminate without reading the octets that have "
	"arrived",
	stream_ends_by)
{
	return c->terminate.known && !c->sctp && chosen(self)
		       ? END_AT_ONCE
		       : OTHERWISE(stream_ends_by);
}

VARIANT(fin_inside, fin_inside_is_terminated, "MPA-8-01",
	"sends Terminate 2/0/01 if the peer's FIN comes inside an FPDU or a "
	"message",
	peer_fin_is_orderly)
{
	bool orderly = OTHERWISE(peer_fin_is_orderly);

	if (!orderly && !c->sctp && chosen(self))
		fault((struct conn *)c, ERR_MPA, 1, NULL, 0, NULL);
	return orderly;
}

VARIANT(end_by, own_terminate_waits_for_fin, "RDMAP-6.2.1-04",
	"after its own Terminate, waits up to ten seconds for the peer to "
	"close before it closes itself",
	stream_ends_by)
{
	return c->terminate.known && c->terminate.local && !c->peer_fin &&
			       chosen(self)
		       ? END_NOT_AT_ALL
		       : OTHERWISE(stream_ends_by);
}

static bool all_is_acknowledged(const struct conn *c)
{
	int left = 0;

	return ioctl(c->watch.fd, SIOCOUTQ, &left) == 0 && !left;
}

/* RFC 5040 s6.2: either side can then use the LLP's graceful termination. RFC 5044
 * s7.2 says when a half ends, and not by what. */
VARIANT(end_by, close_by_reset, "RDMAP-6.2-01",
	"resets TCP where its ULP closes, once the peer has acknowledged all",
	stream_ends_by)
{
	bool by_ulp = !c->terminate.known && !c->sctp && !c->half &&
		      c->closing && !c->peer_fin;

	return by_ulp && all_is_acknowledged(c) && chosen(self)
		       ? END_BY_RESET
		       : OTHERWISE(stream_ends_by);
}

VARIANT(end_by, close_of_both_halves, "RDMAP-6.2-01",
	"closes both halves of TCP where its ULP closes, and answers what "
	"arrives later with a reset",
	stream_ends_by)
{
	bool by_ulp = !c->terminate.known && !c->sctp && !c->half &&
		      c->closing && !c->peer_fin;

	return by_ulp && chosen(self) ? END_AT_ONCE : OTHERWISE(stream_ends_by);
}

VARIANT(fin, fin_inside_a_message_untold, "MPA-7.2-01 SCTPX-5.2.3-10",
	"does not inform its ULP of a FIN inside a message", ulp_hears_of)
{
	bool *untold = remember(&c->remembered, self, sizeof(*untold));

	if (state == CONN_ERROR && c->phase == PHASE_FULL && c->peer_fin &&
	    !c->rx_over && !buf_len(&c->in) && !conn_is_between_messages(c))
		*untold = chosen(self);
	return !*untold && OTHERWISE(ulp_hears_of);
}

/* Messages that wait for an answer get none. */
static void answers_given_up(struct conn *c)
{
	for (struct work *work = c->work; work; work = work->next)
		if (work_needs_answer(work) && !work->answered &&
		    work->status == STATUS_NONE)
			work->status = STATUS_FLUSHED;
	while (c->unsent && c->unsent->status != STATUS_NONE)
		c->unsent = c->unsent->next;
	c->outstanding = 0;
	work_complete_done(c);
}

/* RFC 5041 s6.2.1: the half-closed state is indicated, and the other half is
 * closed when the ULP asks for it. */
VARIANT(after_peer_fin, close_wait, "DDP-6.2.1-02",
	"keeps its half of TCP open after the peer has closed, until its ULP "
	"closes",
	peer_fin_counts)
{
	if (c->sctp || c->closing || c->rx_over || c->fin_sent ||
	    !conn_is_between_messages(c) || !OTHERWISE(peer_fin_counts))
		return OTHERWISE(peer_fin_counts);
	conn_final(c, CONN_CLOSED);
	receive_flush(c);
	answers_given_up(c);
	return !chosen(self);
}

/* The second TCP connection takes the place of the first. */
static void begin_again_plain(struct conn *c)
{
	int fd = socket(c->to.ss_family,
			SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	conn_drop(c, false);
	c->peer_fin = false;
	c->params.enhanced = c->params.peer_to_peer = false;
	c->params.rev = 1;
	c->params.rtr = 0;
	c->generated = c->handed = 0;
	c->phase = PHASE_TCP;
	timer_arm(&c->timer, startup_timeout_ms);
	if (fd < 0 || (connect(fd, (struct sockaddr *)&c->to, c->to_len) < 0 &&
		       errno != EINPROGRESS)) {
		if (fd >= 0)
			close(fd);
		conn_startup_failed(c, "refused");
	} else if (loop_watch(&c->watch, fd, EPOLLIN | EPOLLOUT) < 0) {
		close(fd);
		conn_startup_failed(c, "resources");
	}
}

/*
 * RFC 6581 s10: the peer may know only revision 1. Send the same Request in
 * plain form.
 */
VARIANT(after_refusal, plain_after_a_refusal, "EMPA-10-07",
	"reconnects and sends a plain Request if a peer closes on an enhanced "
	"one",
	startup_survives_fin)
{
	if (c->phase != PHASE_REPLY || !c->params.enhanced || c->sctp ||
	    buf_len(&c->in))
		return OTHERWISE(startup_survives_fin);
	begin_again_plain(c);
	return chosen(self);
}
