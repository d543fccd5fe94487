/* SPDX-License-Identifier: BSD-2-Clause */
/* Slow devices, which act some milliseconds late. */
#include "harness/refdut/conn_close_decisions.h"
#include "harness/refdut/conn_input_decisions.h"
#include "harness/refdut/conn_output_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/terminate_decisions.h"
#include "harness/refdut/rdmap/tx_request_decisions.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

enum {
	INPUT_MS = 2,
	WORK_MS = 3,
	ERROR_MS = 30,
	OUTPUT_MS = 2,
	FIN_MS = 10,
};

/*
 * A pause of a connection. The timer that ends it finds it by its first member.
 */
struct pause {
	struct timer timer;
	struct conn *c;
	bool over;
};

static void pause_forget(void *octets)
{
	timer_cancel(octets);
}

static void pause_begin(struct pause *p, struct conn *c,
			void (*fire)(struct timer *timer), uint64_t ms)
{
	p->c = c;
	p->over = false;
	p->timer.fire = fire;
	timer_arm(&p->timer, ms);
}

static void pause_ends(struct timer *timer)
{
	struct pause *p = (struct pause *)timer;

	p->over = true;
	conn_kick(p->c);
}

/* --- posted work ---------------------------------------------------------- */

VARIANT(doorbell, work_leaves_late, "RDMAP-5.5-10",
	"begins with posted work some milliseconds after it was posted",
	waits_at_a_fence)
{
	struct conn *conn = (struct conn *)c;
	struct pause *p = remember_until(&conn->remembered, self, sizeof(*p),
					 pause_forget);

	/* All work that was posted meanwhile goes with it. */
	if (p->over && !work->next)
		p->over = false;
	else if (!p->over && !c->closing && !c->fin_due) {
		if (!p->timer.prev)
			pause_begin(p, conn, pause_ends, WORK_MS);
		return chosen(self);
	}
	return OTHERWISE(waits_at_a_fence);
}

/* --- what arrives --------------------------------------------------------- */

static void input_pause_ends(struct timer *timer)
{
	struct pause *p = (struct pause *)timer;

	p->over = true;
	if (p->c->phase != PHASE_GONE) {
		conn_readable(p->c);
		conn_want(p->c);
	}
}

VARIANT(moderation, input_read_late, "MPA-5.1-09",
	"reads octets some milliseconds after they arrived, all of them at "
	"once",
	reads_from_tcp)
{
	struct conn *conn = (struct conn *)c;
	struct pause *p = remember_until(&conn->remembered, self, sizeof(*p),
					 pause_forget);

	/* Behind its half-close, the peer's FIN would look like a lost TCP. */
	if (c->sctp || c->phase != PHASE_FULL || c->half || p->over) {
		p->over = false;
		return OTHERWISE(reads_from_tcp);
	}
	if (!p->timer.prev)
		pause_begin(p, conn, input_pause_ends, INPUT_MS);
	return !chosen(self);
}

/* --- errors ---------------------------------------------------------------- */

/* An error that is on its way to the firmware. */
struct late_error {
	struct pause pause;
	struct override *self;
	struct stream_error e;
	uint8_t segment[UNTAGGED_HEADER + ATOMIC_REQUEST_HEADER];
	uint8_t request[READ_REQUEST_HEADER];
};

static void late_error_is_due(struct timer *timer)
{
	struct late_error *late = (struct late_error *)timer;

	end_by_error_otherwise(late->self, late->pause.c, &late->e);
	conn_kick(late->pause.c);
}

VARIANT(firmware, terminate_late, "RDMAP-6.2.1-01",
	"takes some time from an error to its Terminate, and does not read "
	"meanwhile",
	end_by_error)
{
	struct late_error *late = remember_until(&c->remembered, self,
						 sizeof(*late), pause_forget);

	late->self = self;
	late->e = *e;
	if (e->ulpdu) {
		uint32_t n = e->len < sizeof(late->segment)
				     ? e->len
				     : (uint32_t)sizeof(late->segment);

		memcpy(late->segment, e->ulpdu, n);
		late->e.ulpdu = late->segment;
	}
	if (e->request) {
		memcpy(late->request, e->request, sizeof(late->request));
		late->e.request = late->request;
	}
	chosen(self);
	pause_begin(&late->pause, c, late_error_is_due, ERROR_MS);
}

/* --- what TCP is given ------------------------------------------------------ */

VARIANT(tcp, nagle, "MPA-5.1-02", "leaves Nagle's algorithm on",
	octets_handed_over)
{
	int off = 0;

	if (c->watch.fd >= 0 && !c->sctp)
		setsockopt(c->watch.fd, IPPROTO_TCP, TCP_NODELAY, &off,
			   sizeof(off));
	chosen(self);
	return OTHERWISE(octets_handed_over);
}

VARIANT(tcp, octets_dribble, "MPA-5.1-01", "hands 61 octets at a time to TCP",
	octets_handed_over)
{
	return n > 61 && chosen(self) ? 61 : OTHERWISE(octets_handed_over);
}

VARIANT(tcp, octets_by_threes, "MPA-5.1-01",
	"hands the last 1000 octets that wait to TCP three at a time",
	octets_handed_over)
{
	return n > 3 && n <= 1000 && chosen(self)
		       ? 3
		       : OTHERWISE(octets_handed_over);
}

/* Startup frames, answers and Terminates, too. */
VARIANT(tcp, octets_leave_late, "RDMAP-5.5-10",
	"hands octets to TCP some milliseconds after they were created",
	octets_handed_over)
{
	struct pause *p =
		remember_until(&c->remembered, self, sizeof(*p), pause_forget);

	if (p->over) {
		p->over = false;
		return OTHERWISE(octets_handed_over);
	}
	if (!p->timer.prev)
		pause_begin(p, c, pause_ends, OUTPUT_MS);
	chosen(self);
	return 0;
}

/* --- how a stream ends ------------------------------------------------------ */

VARIANT(end_by, fin_late, "RDMAP-6.2-01",
	"closes TCP some time after its last octet", stream_ends_by)
{
	struct pause *p =
		remember_until(&c->remembered, self, sizeof(*p), pause_forget);

	if (p->over)
		return OTHERWISE(stream_ends_by);
	if (!p->timer.prev)
		pause_begin(p, c, pause_ends, FIN_MS);
	return chosen(self) ? END_NOT_AT_ALL : OTHERWISE(stream_ends_by);
}
