/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Choices of a connection's startup (RFC 5044 s7.1.2, RFC 6581 s7, s9.2).
 */
#include "harness/refdut/conn_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/mpa/conn_startup_decisions.h"

#include <string.h>

/* Startup frames */

VARIANT(pieces, startup_frames_in_pieces, "MPA-7.1.2-31 MPA-7.1.2-32",
	"sends startup frames in two TCP segments", startup_first_piece)
{
	chosen(self);
	return 10;
}

VARIANT(reply_tail, reply_tail_closes, "MPA-7.1.2-33",
	"closes if an FPDU arrives together with the Reply",
	startup_tail_accepted)
{
	if (c->initiator && tail)
		return !chosen(self);
	return OTHERWISE(startup_tail_accepted);
}

VARIANT(request_tail, request_tail_is_an_fpdu, "MPA-7.1.1-30",
	"treats octets between a Request and its Reply as an FPDU",
	startup_tail_accepted)
{
	return OTHERWISE(startup_tail_accepted) ||
	       (!c->initiator && chosen(self));
}

VARIANT(bad_startup, bad_startup_is_reset, "MPA-7.1.2-05",
	"resets TCP if a startup fails", startup_failure_closes)
{
	if (!OTHERWISE(startup_failure_closes))
		return false;
	if (!c->sctp && c->phase != PHASE_TCP && chosen(self))
		conn_drop(c, true);
	return true;
}

/*
 * RFC 5044 s7.1.1 has it judge a frame that has arrived. How long it waits for
 * the octets that PD_Length announces, only SHOULD be limited (s7.1.2 rule 10).
 */
VARIANT(bad_startup, bad_request_awaited_whole,
	"MPA-7.1.2-21 MPA-7.1.2-28 MPA-7.1.2-29 MPA-7.1.2-30",
	"awaits all octets of a Request, however long that takes, before it "
	"refuses it",
	startup_failure_closes)
{
	enum { PD_LENGTH_AT = 18, HEADER = 20 };
	const uint8_t *frame = buf_head(&c->in);
	size_t n = buf_len(&c->in);

	if (c->phase == PHASE_REQUEST && !c->peer_fin && n >= HEADER &&
	    n < HEADER + (size_t)(frame[PD_LENGTH_AT] << 8 |
				  frame[PD_LENGTH_AT + 1]))
		return !chosen(self);
	return OTHERWISE(startup_failure_closes);
}

ALSO(bad_request_awaited_whole, startup_times_out)
{
	chosen(self);
	return false;
}

/*
 * RFC 5044 C.2.1 has a device that cannot use Rev 0 send a Reply of its own
 * revision, and close. RFC 6581 s6: that may be 2.
 */
VARIANT(bad_startup, rev_0_answered_with_rev_2, "MPA-7.1.1-22",
	"answers a Request of Rev 0 with a Reply of Rev 2, and closes TCP",
	bad_frame_is_answered)
{
	static const char key[] = "MPA ID Req Frame";
	enum { REV_AT = 17 };
	const uint8_t *request = buf_head(&c->in);
	uint8_t frame[STARTUP_ROOM];

	OTHERWISE(bad_frame_is_answered);
	if (reply || buf_len(&c->in) <= REV_AT || request[REV_AT] != 0 ||
	    memcmp(request, key, sizeof(key) - 1) != 0)
		return;
	chosen(self);
	c->agreed = (struct agreement){.rev = 2};
	buf_put(&c->out, frame,
		startup_reply(frame, &c->params, &c->agreed, &c->their_frame));
	conn_flush(c);
}

/* The answer that waits. Until then it uses the timer of the startup. */
struct waiting_answer {
	void (*startup_over)(struct timer *timer);
};

static void answer_is_due(struct timer *timer)
{
	struct conn *c =
		(struct conn *)((char *)timer - offsetof(struct conn, timer));

	conn_startup_input(c);
	conn_flush(c);
}

VARIANT(pace, reply_takes_its_time, "MPA-7.1.2-09",
	"answers a Request some milliseconds after it arrived",
	request_answered_now)
{
	struct waiting_answer *waiting =
		remember(&c->remembered, self, sizeof(*waiting));

	if (!waiting->startup_over) {
		waiting->startup_over = c->timer.fire;
		c->timer.fire = answer_is_due;
		timer_arm(&c->timer, 5);
		return !chosen(self);
	}
	c->timer.fire = waiting->startup_over;
	return OTHERWISE(request_answered_now);
}

/* The answer over SCTP if no RTR type is common: the ULP need not be asked. */

static bool no_common_rtr(const struct conn *c)
{
	return c->sctp && c->agreed.enhanced && c->their_frame.peer_to_peer &&
	       !(c->agreed.rtr & c->their_frame.rtr);
}

VARIANT(no_common_rtr, no_common_rtr_rejected, "SCTPX-6581.7-08",
	"rejects an Enhanced Initiate that lists no RTR it supports",
	request_answer)
{
	enum request_answer answer = OTHERWISE(request_answer);

	if (!no_common_rtr(c))
		return answer;
	chosen(self);
	return answer == ANSWER_CLOSE ? answer : ANSWER_REJECT;
}

VARIANT(no_common_rtr, no_common_rtr_refused, "SCTPX-6581.7-08",
	"answers an Enhanced Initiate that lists no RTR it supports with a "
	"Session Terminate",
	request_answer)
{
	if (!no_common_rtr(c))
		return OTHERWISE(request_answer);
	chosen(self);
	return ANSWER_CLOSE;
}

/* After a Reply */

VARIANT(after_reject, reject_closes_tcp, "MPA-7.1.2-08 MPA-7.1.2-34",
	"closes TCP after a reject, its own or its peer's", reject_closes)
{
	return OTHERWISE(reject_closes) || (!c->sctp && chosen(self));
}

VARIANT(rtr_choice, rtr_prefers_read, "EMPA-9.2-15",
	"sends a Read as RTR if it may choose among several types", rtr_type)
{
	if (agreement->rtr & RTR_READ && chosen(self))
		return RTR_READ;
	return OTHERWISE(rtr_type);
}

VARIANT(rtr_choice, rtr_prefers_send, "EMPA-9.2-15",
	"sends a Send as RTR if it may choose among several types", rtr_type)
{
	if (agreement->rtr & RTR_SEND && chosen(self))
		return RTR_SEND;
	return OTHERWISE(rtr_type);
}

/* Zero-length messages may be sent at any time (RFC 5040 s5.1, s5.2.1). */

static bool opens_client_server(const struct conn *c)
{
	return !c->agreed.rejected && !c->agreed.peer_to_peer;
}

VARIANT(model, opens_with_write, "EMPA-9.2-33",
	"opens client-server streams with a zero-length Write that nobody "
	"posted",
	opening_message)
{
	if (opens_client_server(c) && chosen(self))
		return RTR_WRITE;
	return OTHERWISE(opening_message);
}

VARIANT(model, opens_with_read, "EMPA-9.2-33 RDMAP-5.2.1-10",
	"opens client-server streams with a zero-length Read that nobody "
	"posted",
	opening_message)
{
	if (opens_client_server(c) && chosen(self))
		return RTR_READ;
	return OTHERWISE(opening_message);
}

VARIANT(model, opens_plain_with_read, "EMPA-9.2-33 RDMAP-5.2.1-10",
	"opens streams without enhanced data with a zero-length Read that "
	"nobody posted",
	opening_message)
{
	if (opens_client_server(c) && !c->agreed.enhanced && chosen(self))
		return RTR_READ;
	return OTHERWISE(opening_message);
}

enum { RTR_MS = 60 };

/* It finds its connection by the first member. */
struct late_rtr {
	struct timer timer;
	struct conn *c;
	unsigned rtr;
};

static void late_rtr_forget(void *octets)
{
	timer_cancel(octets);
}

static void late_rtr_is_due(struct timer *timer)
{
	struct late_rtr *late = (struct late_rtr *)timer;
	struct conn *c = late->c;

	if (c->phase != PHASE_FULL || c->rx_over || c->fin_sent)
		return;
	c->released = true;
	tx_rtr(c, late->rtr);
	conn_kick(c);
}

/* RFC 6581 s5: the initiator sends it first, and no sentence says how soon. */
VARIANT(rtr_pace, rtr_late, "EMPA-5-02",
	"sends its RTR some time after the Reply, and nothing before it",
	opening_message)
{
	unsigned rtr = OTHERWISE(opening_message);
	struct late_rtr *late = remember_until(&c->remembered, self,
					       sizeof(*late), late_rtr_forget);

	if (!rtr || !c->agreed.peer_to_peer)
		return rtr;
	c->released = false;
	late->c = c;
	late->rtr = rtr;
	late->timer.fire = late_rtr_is_due;
	timer_arm(&late->timer, RTR_MS);
	chosen(self);
	return 0;
}
