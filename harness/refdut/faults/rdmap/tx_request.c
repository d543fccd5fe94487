/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of what a work request sends (RFC 5040 s5, RFC 7306 s5, s6). */
#include "harness/refdut/rdmap/request_decisions.h"
#include "harness/refdut/rdmap/tx_request_decisions.h"
#include "harness/refdut/rdmap/tx_response_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/faults/overtaking.h"

#include <string.h>

/* Queues and numbers (RFC 5041 s4.3) */

MUTANT(send_on_queue_one, "RDMAP-4.1-24 RDMAP-4.1-25 RDMAP-4.1-26 RDMAP-4.1-27",
       "sends Sends on queue 1", request_queue)
{
	return work->op == OP_SEND ? 1 : OTHERWISE(request_queue);
}

MUTANT(imm_on_queue_one, "RDMAPX-4.1-05 RDMAPX-4.1-06",
       "sends Immediate Data on queue 1", request_queue)
{
	return work->op == OP_IMM ? 1 : OTHERWISE(request_queue);
}

MUTANT(atomic_request_on_queue_zero, "RDMAPX-4.1-07",
       "sends Atomic Requests on queue 0", request_queue)
{
	return work_is_atomic(work) ? 0 : OTHERWISE(request_queue);
}

MUTANT(msn_counts_segments, "DDP-4.3-08",
       "gives every segment of a Send an MSN of its own", request_msn)
{
	return work->sent ? next_msn(c, request_queue(work))
			  : OTHERWISE(request_msn);
}

MUTANT(msn_shared_by_queues, "DDP-4.3-06",
       "numbers Sends and Read Requests from one counter", next_msn)
{
	uint32_t msn = OTHERWISE(next_msn);

	c->tx_msn[0] = c->tx_msn[1] = msn + 1;
	return msn;
}

MUTANT(msn_skips_zero, "DDP-4.3-09", "goes from MSN ffffffff to 1", next_msn)
{
	uint32_t msn = OTHERWISE(next_msn);

	if (c->tx_msn[qn] == 0)
		c->tx_msn[qn] = 1;
	return msn;
}

MUTANT(atomic_response_msn_sent_skips_zero, "DDP-4.3-09",
       "goes from MSN ffffffff to 1 in its Atomic Responses", next_msn)
{
	if (qn == 3 && !c->tx_msn[3])
		c->tx_msn[3] = 1;
	return OTHERWISE(next_msn);
}

MUTANT(imm_msn_sent_skips_zero, "DDP-4.3-09",
       "sends Immediate Data with MSN 1 where MSN 0 is due", request_msn)
{
	if (work->op == OP_IMM && !work->begun && !c->tx_msn[0])
		c->tx_msn[0] = 1;
	return OTHERWISE(request_msn);
}

/* Terminates need no counter: queue 2 has one to spare. */
static uint32_t numbered_apart(struct conn *c, const struct work *work)
{
	return work->begun ? work->msn : next_msn(c, 2);
}

MUTANT(atomic_requests_numbered_apart, "RDMAPX-5.2-01",
       "counts the MSNs of its Atomic Requests separately from those of its "
       "Reads",
       request_msn)
{
	return work_is_atomic(work) ? numbered_apart(c, work)
				    : OTHERWISE(request_msn);
}

MUTANT(imm_numbered_apart, "RDMAPX-6.3-16",
       "counts the MSNs of its Immediate Data separately from those of its "
       "Sends",
       request_msn)
{
	return work->op == OP_IMM ? numbered_apart(c, work)
				  : OTHERWISE(request_msn);
}

/* Sends (RFC 5040 s5.3) */

MUTANT(send_se_sent_plain, "RDMAP-4.1-26 RDMAP-4.1-27",
       "sends Sends with Solicited Event with the opcodes of those without",
       is_solicited)
{
	return work->op != OP_SEND && OTHERWISE(is_solicited);
}

/* Writes (RFC 5040 s5.1) */

MUTANT(write_stag_byte_swapped, "DDP-4.2-04",
       "sends a Write's STag least significant octet first", write_message)
{
	struct message m = OTHERWISE(write_message);

	m.stag = __builtin_bswap32(m.stag);
	return m;
}

/* The STag that the first work request named. */
static uint32_t first_stag(struct override *self, struct conn *c, uint32_t stag)
{
	uint32_t *first = remember(&c->remembered, self, sizeof(*first));

	if (!*first)
		*first = stag;
	return *first;
}

MUTANT(remote_stag_sticks, "RDMAP-5.1-08 RDMAP-5.2.1-07",
       "uses the STag of its first work request in all others", write_message)
{
	struct message m = OTHERWISE(write_message);

	if (m.len)
		m.stag = first_stag(self, c, m.stag);
	return m;
}

ALSO(remote_stag_sticks, read_request)
{
	struct message m = OTHERWISE(read_request);

	be32_put(m.body + 16, first_stag(self, c, work->rstag));
	return m;
}

/* Each message once, and all of them (RFC 5040 s1.2) */

static bool is_send_or_write(const struct work *work)
{
	return work->op == OP_SEND || work->op == OP_WRITE;
}

MUTANT(zero_length_message_left_out,
       "DDP-5.2-09 RDMAP-5.3-11 RDMAP-5.1-06 RDMAP-5.5-10 RDMAP-1.2-01",
       "sends nothing for an empty Send or Write", work_makes_message)
{
	return OTHERWISE(work_makes_message) &&
	       !(is_send_or_write(work) && work->len == 0);
}

MUTANT(empty_write_of_a_pair_left_out, "RDMAP-1.2-01",
       "sends only the Immediate Data of an empty Write with Immediate Data",
       work_makes_message)
{
	return OTHERWISE(work_makes_message) && !(work->paired && !work->len);
}

MUTANT(empty_messages_left_out,
       "RDMAP-5.2.1-16 DDP-5.2-09 RDMAP-5.3-11 RDMAP-5.1-06 RDMAP-1.2-01",
       "sends no empty message: no Send, no Write and no Read Response",
       work_makes_message)
{
	return OTHERWISE(work_makes_message) &&
	       !(is_send_or_write(work) && work->len == 0);
}

ALSO(empty_messages_left_out, read_is_answered)
{
	return be32(request->header + 12) && OTHERWISE(read_is_answered);
}

MUTANT(long_message_left_out,
       "RDMAP-5.3-10 RDMAP-5.1-06 RDMAP-1.2-01 DDP-5.2-03",
       "sends nothing for a Send or Write of more than 2048 octets",
       work_makes_message)
{
	return OTHERWISE(work_makes_message) &&
	       !(is_send_or_write(work) && work->len > 2048);
}

MUTANT(adjacent_write_left_out, "RDMAP-1.2-01",
       "sends nothing for a Write that begins where the one before it ended",
       work_makes_message)
{
	uint64_t *end = remember(&c->remembered, self, sizeof(*end));
	bool adjacent = *end && work->rto == *end;

	if (work->op != OP_WRITE || !work->len)
		return OTHERWISE(work_makes_message);
	*end = work->rto + work->len;
	return !adjacent && OTHERWISE(work_makes_message);
}

/* Read Requests (RFC 5040 s4.4) */

/* STag, TO, size, STag, TO. */
static void turn_fields(uint8_t *header)
{
	static const uint8_t sizes[] = {4, 8, 4, 4, 8};

	for (size_t i = 0; i < sizeof(sizes); header += sizes[i++])
		for (size_t k = 0; k < sizes[i] / 2u; k++) {
			uint8_t octet = header[k];

			header[k] = header[sizes[i] - 1 - k];
			header[sizes[i] - 1 - k] = octet;
		}
}

MUTANT(read_requests_in_host_order, "RDMAP-4.4-01 RDMAP-4.4-02",
       "sends and reads the fields of Read Requests least significant octet "
       "first",
       read_request)
{
	struct message m = OTHERWISE(read_request);

	turn_fields(m.body);
	return m;
}

ALSO(read_requests_in_host_order, accept_request)
{
	if (!request->atomic)
		turn_fields(request->header);
	OTHERWISE(accept_request);
}

MUTANT(read_request_source_first, "RDMAP-4.4-01",
       "puts the source before the sink in its Read Requests", read_request)
{
	struct message m = OTHERWISE(read_request);
	uint8_t sink[12];

	memcpy(sink, m.body, 12);
	memcpy(m.body, m.body + 16, 12);
	memcpy(m.body + 16, sink, 12);
	return m;
}

MUTANT(read_request_padded, "RDMAP-4.2-10",
       "sends four octets after its Read Request header", read_request)
{
	struct message m = OTHERWISE(read_request);

	m.len += SPARE;
	return m;
}

MUTANT(read_request_sink_at_base, "RDMAP-4.4-01 RDMAP-4.4-06",
       "names the start of its buffer as the sink, whatever offset the ULP "
       "asked for",
       read_request)
{
	struct message m = OTHERWISE(read_request);

	if (work->local)
		be64_put(m.body + 4, work->local->to);
	return m;
}

MUTANT(read_source_of_48_bits, "RDMAP-4.4-01",
       "clears the upper 16 bits of a source TO in its Read Requests",
       read_request)
{
	struct message m = OTHERWISE(read_request);

	be64_put(m.body + 20, be64(m.body + 20) & ~(UINT64_MAX << 48));
	return m;
}

/* Work that has to wait (RFC 5040 s6.1) */

MUTANT(ord_not_kept, "RDMAP-6.1-02 EMPA-9.1-11",
       "issues more Reads than its ORD allows", outbound_room)
{
	return true;
}

MUTANT(room_at_the_first_segment, "RDMAP-6.1-02",
       "issues another Read as soon as the first segment of a Response has "
       "come",
       outbound_room)
{
	uint32_t whole = 0;

	for (const struct work *w = c->work; w && w != c->unsent; w = w->next)
		whole += work_needs_answer(w) && w->begun && !w->answered &&
			 !w->placed;
	return whole < outbound_depth(c);
}

static bool reads_nothing(const struct work *work)
{
	return work->op == OP_READ && !work->len && !work->silent;
}

MUTANT(empty_reads_outside_the_ord, "RDMAP-6.1-02",
       "does not count Reads of no octets in its ORD", outbound_room)
{
	uint32_t counted = 0;

	for (const struct work *w = c->work; w && w != c->unsent; w = w->next)
		counted += work_needs_answer(w) && w->begun && !w->answered &&
			   !reads_nothing(w);
	return counted < outbound_depth(c) || reads_nothing(work);
}

MUTANT(rtr_outside_the_ord, "RDMAP-6.1-02",
       "does not count the Read of its RTR in its ORD", outbound_room)
{
	bool rtr = c->work && c->work != c->unsent && c->work->silent &&
		   c->work->op == OP_READ;

	return OTHERWISE(outbound_room) ||
	       (rtr && c->outstanding <= outbound_depth(c));
}

MUTANT(waiting_read_overtaken, "RDMAP-5.5-10 RDMAP-5.3-10",
       "sends a Send ahead of a Read or atomic that its ORD holds back",
       next_work)
{
	struct work *work = OTHERWISE(next_work);

	if (work->status == STATUS_NONE && !work->begun &&
	    work_needs_answer(work) && !outbound_room(c, work) && work->next &&
	    work->next->op == OP_SEND && let_pass(c))
		return c->unsent;
	return work;
}

/* Atomic Requests (RFC 7306 s5.2.1) */

MUTANT(atomic_request_padded, "RDMAPX-5.2.1-01",
       "sends Atomic Requests of 56 octets", atomic_request)
{
	struct message m = OTHERWISE(atomic_request);

	if (work->op != OP_SWAP)
		m.len += SPARE;
	return m;
}

MUTANT(cmpswap_aopcode_one, "RDMAPX-5.2.1-05", "sends CmpSwap with AOpCode 1",
       atomic_request)
{
	struct message m = OTHERWISE(atomic_request);

	if (work->op != OP_FETCHADD)
		be32_put(m.body, 1);
	return m;
}

MUTANT(fetchadd_aopcode_three, "RDMAPX-5.2.1-04",
       "sends FetchAdd with AOpCode 3", atomic_request)
{
	struct message m = OTHERWISE(atomic_request);

	if (work->op == OP_FETCHADD)
		be32_put(m.body, 3);
	return m;
}

MUTANT(atomic_request_reserved_bits_set, "RDMAPX-5.2.1-02 RDMAPX03-5.2.1-01",
       "sets a reserved bit of its Atomic Requests", atomic_request)
{
	struct message m = OTHERWISE(atomic_request);

	be32_put(m.body, be32(m.body) | 0x100);
	return m;
}

MUTANT(fetchadd_compare_data_set, "RDMAPX-5.2.1-17",
       "sends the addend as Compare Data, too", atomic_request)
{
	struct message m = OTHERWISE(atomic_request);

	if (work->op == OP_FETCHADD)
		be64_put(m.body + 36, work->data);
	return m;
}

MUTANT(fetchadd_compare_mask_zero, "RDMAPX-5.2.1-18",
       "sends Compare Mask zero in FetchAdd", atomic_request)
{
	struct message m = OTHERWISE(atomic_request);

	if (work->op == OP_FETCHADD)
		be64_put(m.body + 44, 0);
	return m;
}

MUTANT(swap_without_unused_fields, "RDMAPX03-5.2.1-04",
       "sends zeros in all fields that Swap does not use", atomic_request)
{
	struct message m = OTHERWISE(atomic_request);

	if (work->op == OP_SWAP) {
		be64_put(m.body + 28, 0);
		be64_put(m.body + 44, 0);
	}
	return m;
}

MUTANT(cmpswap_operands_exchanged, "RDMAPX-5.2.1-30",
       "exchanges Swap Data and Compare Data", atomic_request)
{
	struct message m = OTHERWISE(atomic_request);

	if (work->op != OP_FETCHADD) {
		be64_put(m.body + 20, work->compare);
		be64_put(m.body + 36, work->data);
	}
	return m;
}

/* Immediate Data (RFC 7306 s6) */

MUTANT(imm_se_sent_plain, "RDMAPX-4.1-02 RDMAPX-4.1-06",
       "sends Immediate Data with Solicited Event with the opcode of the one "
       "without",
       is_solicited)
{
	return work->op != OP_IMM && OTHERWISE(is_solicited);
}

MUTANT(imm_sent_short, "RDMAPX-6.3-06", "sends four octets of Immediate Data",
       immediate_message)
{
	struct message m = OTHERWISE(immediate_message);

	m.len = 4;
	return m;
}

MUTANT(imm_sent_byte_swapped, "RDMAPX-6.2-01",
       "sends the eight octets in reverse order", immediate_message)
{
	struct message m = OTHERWISE(immediate_message);

	for (int i = 0; i < IMMEDIATE_SIZE; i++)
		m.body[i] = work->imm[IMMEDIATE_SIZE - 1 - i];
	m.payload = NULL;
	return m;
}

/* RTRs (RFC 6581 s9.2) */

MUTANT(rtr_send_has_payload, "EMPA-9.2-11", "sends four octets in its Send RTR",
       rtr_message)
{
	struct message m = OTHERWISE(rtr_message);

	if (rtr == RTR_SEND) {
		be32_put(m.body, 0x01020304);
		m.len = 4;
	}
	return m;
}

MUTANT(own_rtr_send_keeps_msn, "DDP-4.3-06",
       "gives the Send behind its Send RTR the MSN of that RTR", rtr_message)
{
	struct message m = OTHERWISE(rtr_message);

	if (rtr == RTR_SEND)
		c->tx_msn[0]--;
	return m;
}

MUTANT(rtr_write_has_payload, "EMPA-9.2-12",
       "sends four octets in its Write RTR", rtr_message)
{
	struct message m = OTHERWISE(rtr_message);

	if (rtr == RTR_WRITE) {
		be32_put(m.body, 0x01020304);
		m.len = 4;
	}
	return m;
}

MUTANT(rtr_read_has_size, "EMPA-9.2-13", "asks for four octets in its Read RTR",
       rtr_message)
{
	struct message m = OTHERWISE(rtr_message);

	if (rtr == RTR_READ)
		be32_put(m.body + 12, 4);
	return m;
}
