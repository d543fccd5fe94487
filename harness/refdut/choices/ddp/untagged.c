/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices in the checks of untagged segments (RFC 5041 s7.1). */
#include "harness/refdut/conn_close_decisions.h"
#include "harness/refdut/ddp/ddp_rx.h"
#include "harness/refdut/ddp/delivery_decisions.h"
#include "harness/refdut/ddp/segment_decisions.h"
#include "harness/refdut/ddp/tagged_decisions.h"
#include "harness/refdut/ddp/untagged_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/header_decisions.h"

#include <stdlib.h>
#include <string.h>

/* Which of several errors is reported */

/* The checks on queue, buffer and MSN fail together where there is no queue or
 * no buffer. */
static bool fail_together(const struct conn *c, enum untagged_error error,
			  const uint8_t *u)
{
	if (error == MSN_OUT_OF_RANGE)
		return qn_of(u) != 0 ||
		       msn_of(u) - c->queue[0].msn >= c->nreceives;
	return error == INVALID_QN || error == NO_BUFFER;
}

VARIANT(order_of_checks, buffer_checked_first,
	"DDP-7.1-04 DDP-7.1-13 DDP-7.1-37",
	"looks for a buffer before it checks queue and MSN, and reports the "
	"lack of one",
	untagged_error_code)
{
	if (fail_together(c, error, u) && chosen(self))
		return NO_BUFFER;
	return OTHERWISE(untagged_error_code);
}

VARIANT(order_of_checks, range_of_msns_checked_first,
	"DDP-7.1-01 DDP-7.1-04 DDP-7.1-37",
	"reports an MSN out of range, even if there is no such queue or no "
	"buffer",
	untagged_error_code)
{
	if (fail_together(c, error, u) && chosen(self))
		return MSN_OUT_OF_RANGE;
	return OTHERWISE(untagged_error_code);
}

VARIANT(order_of_bounds, sum_checked_first, "DDP-7.1-07 DDP-7.1-31",
	"reports the end of a range as out of bounds if its start is out of "
	"bounds or the range wraps",
	mo_flaw)
{
	enum untagged_error error = OTHERWISE(mo_flaw);

	return error == INVALID_MO && n && chosen(self) ? MESSAGE_TOO_LONG
							: error;
}

/* Choices to report no error */

VARIANT(skipped_msn, skipped_msn_waits, "DDP-7.1-16 DDP-7.1-18 DDP-7.1-19",
	"keeps a message whose MSN is ahead until the messages before it have "
	"arrived",
	untagged_refused)
{
	if (error == MSN_OUT_OF_RANGE && msn_is_ahead(c, qn_of(u), msn_of(u)) &&
	    chosen(self))
		return;
	OTHERWISE(untagged_refused);
}

/* RFC 5040 s5.2.1: its message is incomplete, and no size of a buffer of queue 1
 * is given. What comes after it waits as well. */
VARIANT(late_request, late_request_waits, "RDMAP-5.2.1-14 RDMAPX-8.2-01",
	"keeps a Request that does not begin at MO 0 until its first octets "
	"have come",
	untagged_refused)
{
	enum { REQUEST = 28 };
	bool late = error == MESSAGE_TOO_LONG || error == INVALID_MO;

	late = late && mo_of(u) && len >= UNTAGGED_HEADER + REQUEST;
	if (qn_of(u) == 1 &&
	    (late || (error == MSN_OUT_OF_RANGE &&
		      msn_is_ahead(c, qn_of(u), msn_of(u)))) &&
	    chosen(self))
		return;
	OTHERWISE(untagged_refused);
}

/* RFC 5041 s7.1 item 5: queue 3 has a buffer for each atomic of the ORD. */
VARIANT(skipped_answer, skipped_answer_waits, "RDMAPX-5.2.2-08",
	"keeps an Atomic Response whose MSN is ahead until those before it "
	"have "
	"come",
	untagged_refused)
{
	if (error == MSN_OUT_OF_RANGE && qn_of(u) == 3 &&
	    msn_of(u) - c->queue[3].msn < c->agreed.ord && chosen(self))
		return;
	OTHERWISE(untagged_refused);
}

VARIANT(empty_send, empty_send_to_no_queue_ignored, "DDP-7.1-37",
	"ignores an empty message on a queue that does not exist",
	untagged_refused)
{
	if (error == INVALID_QN && len == UNTAGGED_HEADER && chosen(self))
		return;
	OTHERWISE(untagged_refused);
}

/* The segments of a Send that is not whole yet, each behind its length. */
struct kept_send {
	struct buf segments;
	bool first; /* the Send is the first message of the stream */
};

static bool is_part_of_a_send(const uint8_t *u)
{
	return qn_of(u) == 0 && opcode_of(u) >= OPCODE_SEND &&
	       opcode_of(u) <= OPCODE_SEND_SE_INV;
}

static void kept_send_forget(void *octets)
{
	struct kept_send *kept = octets;

	buf_free(&kept->segments);
}

static void kept_send_taken(struct override *self, struct conn *c,
			    struct kept_send *kept)
{
	while (buf_len(&kept->segments) && !c->rx_over) {
		uint32_t n;

		memcpy(&n, buf_head(&kept->segments), sizeof(n));
		buf_take(&kept->segments, sizeof(n));
		untagged_taken_otherwise(self, c, buf_head(&kept->segments), n,
					 kept->first);
		buf_take(&kept->segments, n);
		kept->first = false;
	}
}

/* RFC 5041 s7.1: a segment is validated before its placement. Nothing says how
 * soon it is placed. */
VARIANT(send_validation, sends_validated_whole,
	"DDP-7.1-09 DDP-7.1-10 DDP-7.2-11",
	"keeps the segments of a Send until the last one has arrived, and only "
	"then validates and places them",
	untagged_taken)
{
	struct kept_send *kept = remember_until(
		&c->remembered, self, sizeof(*kept), kept_send_forget);

	if (!is_part_of_a_send(u)) {
		OTHERWISE(untagged_taken);
		return;
	}
	if (!(u[0] & L_FLAG)) {
		kept->first |= first;
		buf_put(&kept->segments, &len, sizeof(len));
		buf_put(&kept->segments, u, len);
		chosen(self);
		return;
	}
	kept_send_taken(self, c, kept);
	if (!c->rx_over)
		OTHERWISE(untagged_taken);
}

ALSO(sends_validated_whole, peer_fin_is_orderly)
{
	struct kept_send *kept = remember_until(
		&c->remembered, self, sizeof(*kept), kept_send_forget);

	return OTHERWISE(peer_fin_is_orderly) && !buf_len(&kept->segments);
}

VARIANT(imm_buffer, immediate_data_beside_the_buffer, "RDMAPX-6.3-15",
	"delivers Immediate Data whatever the length of the receive buffer is",
	buffer_size)
{
	uint64_t size = OTHERWISE(buffer_size);

	if (qn_of(u) == 0 && is_immediate(u) && chosen(self) &&
	    size < IMMEDIATE_SIZE)
		return IMMEDIATE_SIZE;
	return size;
}

VARIANT(tail_of_request, tail_of_a_request_ignored,
	"RDMAP-4.2-12 RDMAPX-5.2.1-31",
	"ignores octets after the header of a Request", buffer_size)
{
	if (qn_of(u) == 1 && chosen(self))
		return UINT32_MAX;
	return OTHERWISE(buffer_size);
}

/* The length is that of MO and payload (RFC 5041 s5.4). */
VARIANT(order_of_checks, length_of_immediate_data_checked_first,
	"RDMAPX-8.2-02",
	"checks the length of Immediate Data before it looks at its buffer, "
	"and "
	"reports a wrong one where its MO is not 0",
	untagged_refused)
{
	bool of_bounds = error == INVALID_MO || error == MESSAGE_TOO_LONG;

	if (qn_of(u) == 0 && is_immediate(u) && of_bounds && chosen(self))
		operation_refused(c, CATASTROPHIC_STREAM, u, len);
	else
		OTHERWISE(untagged_refused);
}

/* Choices to report an error */

VARIANT(split_request, split_requests_refused,
	"RDMAP-5.2.1-13 RDMAPX-5.2.1-32 RDMAPX-6.3-12 RDMAP-5.4-08",
	"refuses a Request, Immediate Data or a Terminate at its first segment "
	"with L=0",
	segments_agree)
{
	if (!(u[0] & L_FLAG) && (qn_of(u) || is_immediate(u)) && chosen(self))
		return false;
	return OTHERWISE(segments_agree);
}

VARIANT(two_opcodes, segments_of_two_opcodes_refused, "DDP-4.3-03",
	"refuses a Send whose segments disagree about its opcode",
	segments_agree)
{
	if (qn_of(u) == 0 && u[1] != c->queue[0].first[1] && chosen(self))
		return false;
	return OTHERWISE(segments_agree);
}

VARIANT(empty_segment, empty_last_segment_refused, "DDP-4.4-04",
	"refuses a Send of several segments of which the last is empty",
	segments_agree)
{
	if (qn_of(u) == 0 && c->queue[0].open && len == UNTAGGED_HEADER &&
	    (u[0] & L_FLAG) && chosen(self))
		return false;
	return OTHERWISE(segments_agree);
}

VARIANT(sum_of_send, send_that_does_not_add_up_refused, "DDP-5.2-13 DDP-5.3-05",
	"refuses a Send whose segments leave a hole or overlap", send_adds_up)
{
	if (qn_of(u) == 0 && !is_immediate(u) &&
	    c->queue[0].placed != mo_of(u) + len - UNTAGGED_HEADER &&
	    chosen(self))
		return false;
	return OTHERWISE(send_adds_up);
}

/* RFC 5041 s5.4: a message is Delivered if all of its segments have been Placed. */
static bool leaves_a_hole(const struct conn *c, const uint8_t *u, uint32_t len)
{
	return qn_of(u) == 0 && !is_immediate(u) &&
	       c->queue[0].placed < mo_of(u) + len - UNTAGGED_HEADER;
}

VARIANT(sum_of_send, send_with_a_hole_waits, "DDP-5.2-13",
	"keeps a Send whose segments leave a hole until the rest has come",
	send_adds_up)
{
	return OTHERWISE(send_adds_up) &&
	       !(leaves_a_hole(c, u, len) && chosen(self));
}

ALSO(send_with_a_hole_waits, refuse_operation)
{
	if (!c->queue[0].open || code != UNSPECIFIED ||
	    !leaves_a_hole(c, ulpdu, len))
		OTHERWISE(refuse_operation);
}

/* Which header counts */

/* The STag to invalidate goes with it. */
VARIANT(two_opcodes, opcode_of_the_first_segment, "DDP-4.3-03",
	"takes the opcode of a Send from its first segment", message_delivered)
{
	uint8_t *copy;

	if (qn_of(u) != 0 || u[1] == c->queue[0].first[1]) {
		OTHERWISE(message_delivered);
		return;
	}
	chosen(self);
	copy = alloc_zeroed(len);
	memcpy(copy, u, len);
	memcpy(copy + 1, c->queue[0].first + 1, 5);
	message_delivered_otherwise(self, c, copy, len, first);
	free(copy);
}
