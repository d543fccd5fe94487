/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices as FPDUs arrive (RFC 5044 s3 and s8, RFC 5041 s7.1, RFC 6581 s9.2). */
#include "harness/refdut/conn_input_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/terminate_decisions.h"

/* Is there a broken FPDU among the octets that were read? */
static bool has_broken_fpdu(const struct conn *c)
{
	struct framing rx = c->rx;
	size_t at = 0;
	enum framing_result result;
	struct ulpdu ulpdu;

	while ((result = framing_get(&rx, buf_head(&c->in) + at,
				     buf_len(&c->in) - at, &ulpdu)) ==
	       FRAMING_ULPDU)
		at += ulpdu.raw;
	return result == FRAMING_BAD_CRC || result == FRAMING_BAD_MARKER;
}

/*
 * TCP is the kernel's here, so the octets of one read stand for a segment.
 * Nothing follows it: the peer would retransmit it unchanged forever.
 */
VARIANT(bad_segment, bad_segment_dropped, "MPA-8-08",
	"drops a TCP segment with a broken FPDU as if it had been lost",
	segment_is_dropped)
{
	bool *lost = remember(&c->remembered, self, sizeof(*lost));

	if (c->phase != PHASE_FULL || c->rx_over || !has_broken_fpdu(c))
		return OTHERWISE(segment_is_dropped);
	c->in.end -= n;
	*lost = true;
	return chosen(self);
}

ALSO(bad_segment_dropped, reads_from_tcp)
{
	struct remembered **of = &((struct conn *)c)->remembered;
	const bool *lost = remember(of, self, sizeof(*lost));

	return !*lost && OTHERWISE(reads_from_tcp);
}

/* Has the next FPDU arrived, and is its CRC wrong? */
static bool bad_crc_follows(const struct conn *c, size_t at)
{
	struct framing rx = c->rx;
	struct ulpdu next;

	return !rx.markers && buf_len(&c->in) > at &&
	       framing_get(&rx, buf_head(&c->in) + at, buf_len(&c->in) - at,
			   &next) == FRAMING_BAD_CRC;
}

/* A right message before the wrong CRC is delivered all the same. */
struct next_crc {
	bool bad;
};

VARIANT(bad_segment, crcs_of_a_segment_checked_first, "RDMAP-7.1-06",
	"checks the CRCs of all FPDUs that arrived together, and so reports a "
	"wrong one instead of the wrong message before it",
	deliver_ulpdu)
{
	struct next_crc *next = remember(&c->remembered, self, sizeof(*next));

	next->bad = bad_crc_follows(c, ulpdu->raw);
	OTHERWISE(deliver_ulpdu);
}

ALSO(crcs_of_a_segment_checked_first, end_by_error)
{
	const struct next_crc *next =
		remember(&c->remembered, self, sizeof(*next));
	struct stream_error bad_crc = {
		.type = ERR_MPA, .code = 2, .len = e->len};

	if (next->bad && e->type >> 4 != 2 && chosen(self))
		e = &bad_crc;
	OTHERWISE(end_by_error);
}

VARIANT(no_buffer, messages_wait_for_a_buffer, "DDP-7.1-06 DDP-7.1-38",
	"leaves a Send in TCP while no receive is posted for it",
	ulpdu_is_taken_now)
{
	const uint8_t *u = ulpdu->octets;
	bool send = ulpdu->len >= UNTAGGED_HEADER && !(u[0] & 0x80) &&
		    (u[1] & 0x0f) != OPCODE_TERMINATE && be32(u + 6) == 0;

	if (send && !c->receives && !c->rx_over && !c->fin_due &&
	    !conn_is_final(c) && chosen(self))
		return false;
	return OTHERWISE(ulpdu_is_taken_now);
}

/* RFC 5041 s7.1 item 2: there is no buffer for this MSN. Also one that is so far
 * ahead that there will never be one. */
VARIANT(no_buffer, sends_wait_for_the_buffer_of_their_msn,
	"DDP-7.1-06 DDP-7.1-38",
	"leaves a Send in TCP while no receive is posted for its MSN",
	ulpdu_is_taken_now)
{
	const uint8_t *u = ulpdu->octets;
	bool send = ulpdu->len >= UNTAGGED_HEADER && !(u[0] & 0x80) &&
		    (u[1] & 0x0f) != OPCODE_TERMINATE && be32(u + 6) == 0;
	uint32_t ahead = send ? be32(u + 10) - c->queue[0].msn : 0, n = 0;

	for (const struct receive *r = c->receives; r; r = r->next)
		n++;
	if (send && ahead >= n && ahead < UINT32_MAX - 1000 && !c->rx_over &&
	    !c->fin_due && !conn_is_final(c) && chosen(self))
		return false;
	return OTHERWISE(ulpdu_is_taken_now);
}

/* The same for the queues of Requests and of answers to atomics. */
VARIANT(no_buffer, requests_wait_for_the_buffer_of_their_msn, "DDP-7.1-18",
	"leaves a Request or an Atomic Response in TCP while its queue has no "
	"buffer for its MSN",
	ulpdu_is_taken_now)
{
	const uint8_t *u = ulpdu->octets;
	bool untagged = ulpdu->len >= UNTAGGED_HEADER && !(u[0] & 0x80);
	uint32_t qn = untagged ? be32(u + 6) : 0;
	uint32_t ahead =
		qn == 1 || qn == 3 ? be32(u + 10) - c->queue[qn].msn : 0;
	uint32_t buffers = qn == 1 ? c->agreed.ird : c->agreed.ord;

	if (ahead > buffers && ahead < UINT32_MAX - 1000 && !c->rx_over &&
	    !c->fin_due && !conn_is_final(c) && chosen(self))
		return false;
	return OTHERWISE(ulpdu_is_taken_now);
}

/* The same, if a buffer of queue 3 is that of an atomic that is under way: where
 * there is none, an answer waits as well. */
VARIANT(no_buffer, answers_wait_for_their_atomic, "DDP-7.1-06 DDP-7.1-38",
	"leaves an Atomic Response in TCP while no atomic of its MSN is under "
	"way",
	ulpdu_is_taken_now)
{
	const uint8_t *u = ulpdu->octets;
	bool answer = ulpdu->len >= UNTAGGED_HEADER && !(u[0] & 0x80) &&
		      be32(u + 6) == 3;
	uint32_t ahead = answer ? be32(u + 10) - c->queue[3].msn : 0, n = 0;

	for (const struct work *w = c->work; w && w != c->unsent; w = w->next)
		n += work_is_atomic(w);
	if (answer && ahead >= n && ahead < UINT32_MAX - 1000 && !c->rx_over &&
	    !c->fin_due && !conn_is_final(c) && chosen(self))
		return false;
	return OTHERWISE(ulpdu_is_taken_now);
}

/* A Terminate has a queue of its own. */
VARIANT(answers, nothing_taken_before_the_answer,
	"RDMAP-5.5-09 RDMAP-5.5-14 RDMAP-B-08 RDMAP-B-09 RDMAPX-5.4-04 "
	"RDMAPX-5.4-06 RDMAPX-7-06 RDMAPX-7-07 RDMAPX-7-08 RDMAPX-7-09",
	"after a Request, processes nothing but a Terminate until TCP has its "
	"Response",
	ulpdu_is_taken_now)
{
	bool terminate =
		ulpdu->len > 1 && (ulpdu->octets[1] & 0x0f) == OPCODE_TERMINATE;

	if (c->requests && !terminate && !c->rx_over && !c->fin_due &&
	    !conn_is_final(c) && chosen(self))
		return false;
	return OTHERWISE(ulpdu_is_taken_now);
}

VARIANT(longest_ulpdu, ulpdus_above_64768_refused, "MPA-3-07",
	"refuses a ULPDU longer than 64768 octets", ulpdu_is_too_long)
{
	return (ulpdu->len > MULPDU_MAX && chosen(self)) ||
	       OTHERWISE(ulpdu_is_too_long);
}

VARIANT(long_ulpdu, ulpdus_above_mulpdu_refused, "MPA-3-06",
	"refuses a ULPDU longer than its own MULPDU", ulpdu_is_too_long)
{
	/* The path may have changed since something was sent. */
	tx_look_at_path(c);
	return (!c->sctp && ulpdu->len > c->mulpdu && chosen(self)) ||
	       OTHERWISE(ulpdu_is_too_long);
}

/* In the peer-to-peer model: one of the RTRs that both have listed. */
static bool is_an_agreed_rtr(const struct conn *c, const struct ulpdu *ulpdu)
{
	unsigned agreed = c->agreed.rtr & c->their_frame.rtr;

	switch (ulpdu->len > 1 ? ulpdu->octets[1] & 0x0f : 0) {
	case OPCODE_SEND:
		return (agreed & RTR_SEND) && ulpdu->len == UNTAGGED_HEADER;
	case OPCODE_WRITE:
		return (agreed & RTR_WRITE) && ulpdu->len == TAGGED_HEADER;
	case OPCODE_READ_REQUEST:
		return (agreed & RTR_READ) &&
		       ulpdu->len >= UNTAGGED_HEADER + READ_REQUEST_HEADER &&
		       be32(ulpdu->octets + UNTAGGED_HEADER + 12) == 0;
	case OPCODE_TERMINATE:
		return true;
	default:
		return false;
	}
}

VARIANT(rtr_first, rtr_strict, "EMPA-9.2-22",
	"as responder, accepts only the agreed RTR message as the first FPDU",
	first_fpdu_is_right)
{
	if (!c->initiator && c->agreed.peer_to_peer &&
	    !is_an_agreed_rtr(c, ulpdu) && chosen(self))
		return false;
	return OTHERWISE(first_fpdu_is_right);
}

ALSO(streams_in_turn, answers_at_once)
{
	return !(c->answering && chosen(self)) && OTHERWISE(answers_at_once);
}

ALSO(last_stream_first, answers_at_once)
{
	return !(c->answering && chosen(self)) && OTHERWISE(answers_at_once);
}

/* A ULP with one thread that blocks in send(). */
VARIANT(reading, reads_nothing_while_blocked, "MPA-5.1-09",
	"reads nothing while octets wait to be handed to TCP", reads_from_tcp)
{
	if (!c->sctp && c->phase == PHASE_FULL && buf_len(&c->out) &&
	    c->out_blocked) {
		chosen(self);
		return false;
	}
	return OTHERWISE(reads_from_tcp);
}
