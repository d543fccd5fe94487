/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of devices that count in fewer bits than there are, or in rings
 * (RFC 5041 s4.3, s7.1; RFC 5040 s5.2.1, s5.3). */
#include "harness/refdut/ddp/ddp_rx.h"
#include "harness/refdut/ddp/placement_decisions.h"
#include "harness/refdut/ddp/untagged_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/send_decisions.h"
#include "harness/refdut/rdmap/tx_request_decisions.h"
#include "harness/refdut/rdmap/tx_response_decisions.h"
#include "harness/refdut/verbs/work_decisions.h"

#define IN_RANGE "DDP-7.1-15 DDP-5.4-01 RDMAPX-8.2-02"

MUTANT(msn_compared_in_8_bits, IN_RANGE,
       "compares the low 8 bits of an MSN with the one that is due", msn_is_due)
{
	return (msn & 0xff) == (c->queue[qn].msn & 0xff);
}

MUTANT(msn_compared_in_16_bits, IN_RANGE,
       "compares the low 16 bits of an MSN with the one that is due",
       msn_is_due)
{
	return (msn & 0xffff) == (c->queue[qn].msn & 0xffff);
}

MUTANT(msn_compared_in_24_bits, IN_RANGE,
       "compares the low 24 bits of an MSN with the one that is due",
       msn_is_due)
{
	return (msn & 0xffffff) == (c->queue[qn].msn & 0xffffff);
}

/* The eighth message of queue 1, the RTR included. */
MUTANT(seven_requests_behind_an_rtr, "RDMAP-5.2.1-09",
       "refuses the eighth message of queue 1, and all later ones, in the "
       "peer-to-peer model",
       buffer_posted)
{
	bool over = qn == 1 && c->agreed.peer_to_peer && c->queue[1].msn >= 8;

	return !over && OTHERWISE(buffer_posted);
}

MUTANT(read_msn_sent_in_16_bits, "DDP-4.3-09 DDP-4.3-05 DDP-4.3-06",
       "sends the low 16 bits of the MSN of a Read or Atomic Request", next_msn)
{
	uint32_t msn = OTHERWISE(next_msn);

	return qn == 1 ? msn & 0xffff : msn;
}

MUTANT(msn_checked_once_a_message, "DDP-5.4-01",
       "checks only the MSN of the first segment of a message", msn_is_due)
{
	return c->queue[qn].open || OTHERWISE(msn_is_due);
}

MUTANT(receives_kept_in_a_ring_of_256, "RDMAP-5.3-02 DDP-7.1-04",
       "loses a receive that is posted after 256 others", receive_queued)
{
	if (c->nreceives < 256)
		OTHERWISE(receive_queued);
}

MUTANT(receives_kept_in_a_ring_of_1024, "RDMAP-5.3-02 DDP-7.1-04",
       "loses a receive that is posted after 1024 others", receive_queued)
{
	if (c->nreceives < 1024)
		OTHERWISE(receive_queued);
}

static bool is_the_nth(const struct override *self, struct conn *c, unsigned n)
{
	unsigned *count = remember(&c->remembered, self, sizeof(*count));

	return ++*count == n;
}

MUTANT(send_257_reported_as_empty, "RDMAP-5.3-02 DDP-5.3-07",
       "reports the 257th Send of a stream to its ULP as empty", complete_send)
{
	if (is_the_nth(self, c, 257))
		message_len = 0;
	return OTHERWISE(complete_send);
}

MUTANT(read_513_answered_short, "RDMAP-5.2.1-09 RDMAP-4.4-05",
       "answers the 513th Read of a stream with half of its octets",
       read_response)
{
	struct message m = OTHERWISE(read_response);

	if (is_the_nth(self, c, 513))
		m.len /= 2;
	return m;
}

MUTANT(empty_reads_answered_64_times, "RDMAP-5.2.1-16",
       "answers 64 Reads of no octets on a stream, and no more",
       read_is_answered)
{
	unsigned *empty = remember(&c->remembered, self, sizeof(*empty));

	if (!request->atomic && !read_size(request->header))
		++*empty;
	return *empty <= 64 && OTHERWISE(read_is_answered);
}

MUTANT(atomic_129_performed_twice, "RDMAPX-5.1.1-01 RDMAPX-5.1.1-09",
       "performs the 129th atomic of a stream twice", original_value)
{
	if (is_the_nth(self, c, 129))
		original_value_otherwise(self, c, request, region);
	return OTHERWISE(original_value);
}

MUTANT(atomic_129_answered_with_zero, "RDMAPX-5.1.1-09",
       "performs the 129th atomic of a stream, and returns zero for it",
       original_value)
{
	bool last = is_the_nth(self, c, 129);
	uint64_t value = OTHERWISE(original_value);

	return last ? 0 : value;
}

MUTANT(send_129_sent_short, "RDMAP-5.3-10 DDP-5.2-03",
       "sends half of the octets of the 129th Send of a stream", send_message)
{
	struct message m = OTHERWISE(send_message);

	if (is_the_nth(self, c, 129))
		m.len /= 2;
	return m;
}

/* Segments of a message, counted in one octet. */
static bool is_segment_257(const struct override *self, struct conn *c,
			   bool first)
{
	unsigned *count = remember(&c->remembered, self, sizeof(*count));

	*count = first ? 1 : *count + 1;
	return *count == 257;
}

MUTANT(segment_257_of_a_send_lost, "DDP-5.2-16",
       "loses the octets of the 257th segment of a Send", untagged_placed)
{
	return (qn == 0 && is_segment_257(self, c, !c->queue[0].open)) ||
	       OTHERWISE(untagged_placed);
}

MUTANT(segment_257_of_a_response_lost, "DDP-5.2-15",
       "loses the octets of the 257th segment of a Read Response",
       tagged_placed)
{
	if (opcode_of(u) != OPCODE_READ_RESPONSE ||
	    !is_segment_257(self, c, !c->tagged_open))
		OTHERWISE(tagged_placed);
}

/* Buffers (RFC 5041 s7.1 item 2) */

MUTANT(immediate_data_without_buffer_dropped, "DDP-7.1-04",
       "drops Immediate Data for which no buffer is posted", untagged_refused)
{
	if (error != NO_BUFFER || !is_immediate(u))
		OTHERWISE(untagged_refused);
}
