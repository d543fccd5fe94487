/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices of a connection with its session (RFC 5043 s10, RFC 6581 s7). */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/mpa/conn_startup_decisions.h"
#include "harness/refdut/sctp/conn_sctp_decisions.h"

VARIANT(reject_data, enhanced_reject_without_enhanced_data, "SCTPX-6581.7-04",
	"puts no enhanced data into an Enhanced Reject",
	reject_has_enhanced_data)
{
	return !chosen(self);
}

VARIANT(first_segment, responder_awaits_a_segment, "SCTPX-6.2-04",
	"as the passive side, sends no segment before it has received one",
	responder_may_speak)
{
	return !(c->sctp && chosen(self)) && OTHERWISE(responder_may_speak);
}

struct wait {
	struct timer timer;
	struct conn *c;
	bool over; /* it has waited long enough */
};

static void wait_is_over(struct timer *timer)
{
	struct wait *wait = (struct wait *)timer;

	wait->over = true;
	conn_kick(wait->c);
}

static void wait_is_gone(void *wait)
{
	timer_cancel(&((struct wait *)wait)->timer);
}

VARIANT(tagged_wait, short_tagged_segments_wait, "SCTPX-10-02",
	"holds a tagged segment back for bundling, for 5 ms at most, if it "
	"does not fill a packet",
	waits_for_others)
{
	struct wait *wait = remember_until(&c->remembered, self, sizeof(*wait),
					   wait_is_gone);

	if (!segment || !alone || wait->over || c->phase != PHASE_FULL ||
	    !(segment[0] & 0x80) || n >= c->mulpdu) {
		wait->over = false;
		timer_cancel(&wait->timer);
		return OTHERWISE(waits_for_others);
	}
	if (!wait->timer.prev) {
		wait->c = c;
		wait->timer.fire = wait_is_over;
		timer_arm(&wait->timer, 5);
	}
	return chosen(self);
}
