/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults in messages sent that show only if two or three conditions meet: a
 * size, an offset, the message before. No case combines them.
 */
#include "harness/refdut/ddp/tx_header_decisions.h"
#include "harness/refdut/ddp/tx_segment_decisions.h"
#include "harness/refdut/rdmap/tx_request_decisions.h"
#include "harness/refdut/rdmap/tx_response_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/faults/overtaking.h"

#include <string.h>

enum { PAGE = 4096 };

/* The message of the ULP that was sent before. */
struct sent {
	enum op op; /* OP_RECV: nothing so far */
	uint32_t len;
	bool has_inv;
	uint32_t inv;
	uint64_t mask;
	uint8_t imm[IMMEDIATE_SIZE]; /* of the Immediate Data sent last */
	bool imm_sent;
};

static struct sent *sent_before(struct override *self, struct conn *c)
{
	return remember(&c->remembered, self, sizeof(struct sent));
}

static void note_sent(struct override *self, struct conn *c,
		      const struct work *work)
{
	struct sent *sent = sent_before(self, c);

	sent->op = work->op;
	sent->len = work->len;
	sent->has_inv = work->has_inv;
	sent->inv = work->inv;
	sent->mask = work->mask;
	if (work->op != OP_IMM)
		return;
	sent->imm_sent = true;
	memcpy(sent->imm, work->imm, IMMEDIATE_SIZE);
}

/* A fault that depends on what was sent before. */
#define DEPENDS_ON_WHAT_WAS_SENT(fault)                                        \
	ALSO(fault, work_is_issued)                                            \
	{                                                                      \
		note_sent(self, c, work);                                      \
		OTHERWISE(work_is_issued);                                     \
	}

/* Work requests */

COINCIDENCE(fenced_work_overtaken_behind_odd_write, "RDMAP-5.5-10 RDMAP-5.5-11",
	    "sends a Send or Write ahead of earlier work that waits at a fence "
	    "after a Write of an odd length",
	    next_work)
{
	const struct sent *before = sent_before(self, c);
	struct work *work = OTHERWISE(next_work);

	if (work->status == STATUS_NONE && !work->begun && work->fence &&
	    c->outstanding && before->op == OP_WRITE && before->len % 2 &&
	    let_pass(c))
		return c->unsent;
	return work;
}
DEPENDS_ON_WHAT_WAS_SENT(fenced_work_overtaken_behind_odd_write)

COINCIDENCE(
	invalidate_stag_missing_behind_immediate, "RDMAP-5.3-13",
	"sends a Send with Invalidate right after Immediate Data with STag 0",
	send_message)
{
	struct message m = OTHERWISE(send_message);

	if (sent_before(self, c)->op == OP_IMM)
		m.stag = 0;
	return m;
}
DEPENDS_ON_WHAT_WAS_SENT(invalidate_stag_missing_behind_immediate)

COINCIDENCE(write_key_left_over, "DDP-4.2-04",
	    "sends a Write of an odd length right after a Send with Invalidate "
	    "with the key of the STag that the Send named",
	    write_message)
{
	const struct sent *before = sent_before(self, c);
	struct message m = OTHERWISE(write_message);

	if (before->op == OP_SEND && before->has_inv && work->len % 2)
		m.stag ^= (m.stag ^ before->inv) & 0xff;
	return m;
}
DEPENDS_ON_WHAT_WAS_SENT(write_key_left_over)

COINCIDENCE(immediate_sent_plain_behind_lines, "RDMAPX-4.1-02 RDMAPX-4.1-06",
	    "sends Immediate Data with Solicited Event as one without, right "
	    "after a Send of a multiple of 64 octets",
	    is_solicited)
{
	const struct sent *before = sent_before(self, c);

	if (work->op == OP_IMM && before->op == OP_SEND && before->len &&
	    before->len % 64 == 0)
		return false;
	return OTHERWISE(is_solicited);
}
DEPENDS_ON_WHAT_WAS_SENT(immediate_sent_plain_behind_lines)

COINCIDENCE(immediate_left_over_behind_write, "RDMAPX-6.2-01",
	    "sends Immediate Data right after a Write of 3 modulo 4 octets "
	    "with the octets of the previous Immediate Data",
	    immediate_message)
{
	const struct sent *before = sent_before(self, c);
	struct message m = OTHERWISE(immediate_message);

	if (before->op == OP_WRITE && before->len % 4 == 3 && before->imm_sent)
		m.payload = before->imm;
	return m;
}
DEPENDS_ON_WHAT_WAS_SENT(immediate_left_over_behind_write)

COINCIDENCE(read_sink_rounded_behind_atomic, "RDMAP-4.4-04 RDMAP-5.2.2-03",
	    "rounds down the sink TO of a Read right after an atomic to a "
	    "multiple of eight",
	    read_request)
{
	enum op before = sent_before(self, c)->op;
	struct message m = OTHERWISE(read_request);

	if (before >= OP_FETCHADD && before <= OP_SWAP)
		m.body[11] &= 0xf8;
	return m;
}
DEPENDS_ON_WHAT_WAS_SENT(read_sink_rounded_behind_atomic)

COINCIDENCE(fetchadd_mask_left_over, "RDMAPX-5.1.1-03",
	    "sends a FetchAdd without a mask, right after a CmpSwap, with the "
	    "Swap Mask of the CmpSwap, if that is not all ones",
	    atomic_request)
{
	const struct sent *before = sent_before(self, c);
	struct message m = OTHERWISE(atomic_request);

	if (work->op == OP_FETCHADD && !work->mask &&
	    before->op == OP_CMPSWAP && ~before->mask)
		be64_put(m.body + 28, before->mask);
	return m;
}
DEPENDS_ON_WHAT_WAS_SENT(fetchadd_mask_left_over)

/* The octets of a segment, one late from octet `from` of the message on. */
static const uint8_t *one_late(const struct message *m, const uint8_t *octets,
			       uint32_t at, uint32_t len, uint32_t from)
{
	static uint8_t changed[UINT16_MAX + 1];

	if (at + len <= from)
		return octets;
	for (uint32_t i = 0; i < len; i++)
		changed[i] = at + i < from ? octets[i] : m->payload[at + i - 1];
	return changed;
}

COINCIDENCE(send_behind_128_octets_shifted, "DDP-5.2-03",
	    "sends the octets after the first 128 of a Send with Solicited "
	    "Event one octet late, if its length is 1 modulo 8",
	    segment_payload)
{
	const uint8_t *octets = OTHERWISE(segment_payload);

	return m->work && m->work->op == OP_SEND && m->work->se &&
			       m->len > 128 && m->len % 8 == 1
		       ? one_late(m, octets, at, len, 128)
		       : octets;
}

/* Responses */

/* The Response that was sent before. */
struct answered {
	bool atomic;
	uint32_t len; /* of a Read Response */
	uint64_t sink_to;
	unsigned reads; /* answered so far */
	uint8_t identifier[4];
	uint32_t first_room; /* of the message that is sent now */
};

static struct answered *answered_before(struct override *self, struct conn *c)
{
	return remember(&c->remembered, self, sizeof(struct answered));
}

static void note_answered(struct override *self, struct conn *c,
			  const struct request *request)
{
	struct answered *before = answered_before(self, c);

	before->atomic = request->atomic;
	if (request->atomic) {
		before->len = 0;
		memcpy(before->identifier, request->header + 4, 4);
		return;
	}
	before->len = be32(request->header + 12);
	before->sink_to = be64(request->header + 4);
	before->reads++;
}

/* A fault that depends on what was answered before. */
#define DEPENDS_ON_WHAT_WAS_ANSWERED(fault)                                    \
	ALSO(fault, response_is_issued)                                        \
	{                                                                      \
		note_answered(self, c, request);                               \
		OTHERWISE(response_is_issued);                                 \
	}

COINCIDENCE(third_response_second_segment_behind, "RDMAP-5.2.1-09",
	    "takes the octets of the second segment of each third Response "
	    "from four octets earlier, if it began at an odd offset",
	    segment_payload)
{
	const struct answered *before = answered_before(self, c);

	if (m->request && m->region && before->reads % 3 == 2 &&
	    (m->payload - m->region->octets) % 2 && m->request->sent &&
	    m->request->sent == before->first_room)
		return OTHERWISE(segment_payload) - 4;
	return OTHERWISE(segment_payload);
}
DEPENDS_ON_WHAT_WAS_ANSWERED(third_response_second_segment_behind)

ALSO(third_response_second_segment_behind, segment_room)
{
	uint32_t room = OTHERWISE(segment_room);

	if (!offset)
		answered_before(self, c)->first_room = room;
	return room;
}

COINCIDENCE(response_behind_atomic_rounded, "RDMAP-4.4-05 RDMAP-5.2.1-09",
	    "rounds down a Response right after an Atomic Response to a "
	    "multiple of four, if its length is 5 modulo 8",
	    read_response)
{
	struct message m = OTHERWISE(read_response);

	if (answered_before(self, c)->atomic && region && m.len % 8 == 5)
		m.len--;
	return m;
}
DEPENDS_ON_WHAT_WAS_ANSWERED(response_behind_atomic_rounded)

COINCIDENCE(response_at_region_end_repeats, "RDMAP-5.2.1-09",
	    "repeats the last octet but one of a Response from an odd offset "
	    "whose length is 3 modulo 4 and which reaches the end of its "
	    "region",
	    segment_payload)
{
	const uint8_t *octets = OTHERWISE(segment_payload);
	uint64_t off;

	if (!m->request || !m->region || m->len % 4 != 3)
		return octets;
	off = (uint64_t)(m->payload - m->region->octets);
	return off % 2 && off + m->len == m->region->len
		       ? one_late(m, octets, at, len, m->len - 1)
		       : octets;
}

COINCIDENCE(response_across_page_shifted, "RDMAP-5.2.1-09",
	    "sends the octets after a page boundary one octet late, in a "
	    "Response of an odd length from an unaligned address, right after "
	    "another of an odd length",
	    segment_payload)
{
	const uint8_t *octets = OTHERWISE(segment_payload);
	uint32_t page;

	if (!m->request || !m->region || m->len % 2 == 0 ||
	    answered_before(self, c)->len % 2 == 0)
		return octets;
	page = PAGE - (uint32_t)((uintptr_t)m->payload % PAGE);
	return page < m->len && page % 4 ? one_late(m, octets, at, len, page)
					 : octets;
}
DEPENDS_ON_WHAT_WAS_ANSWERED(response_across_page_shifted)

COINCIDENCE(response_slot_left_over, "RDMAP-4.4-04",
	    "answers to the TO of the previous Read, in the last slot of an "
	    "IRD that is not a power of two, if the length is odd",
	    read_response)
{
	const struct answered *before = answered_before(self, c);
	struct message m = OTHERWISE(read_response);
	uint32_t ird = c->agreed.ird;

	if (ird & (ird - 1) && before->reads >= ird &&
	    before->reads % ird == ird - 1 && region && m.len % 2)
		m.to = before->sink_to;
	return m;
}
DEPENDS_ON_WHAT_WAS_ANSWERED(response_slot_left_over)

/*
 * The Read Response sent last, by any stream. The connection may be gone: only
 * its address is used.
 */
static struct {
	const struct conn *by;
	const void *owner;
	uint64_t sink_to;
	uint32_t len;
} last_response;

COINCIDENCE(response_to_of_another_stream, "RDMAP-4.4-04",
	    "answers to the TO of the previous Response, if that was another "
	    "stream's and of the same length modulo 16",
	    read_response)
{
	struct message m = OTHERWISE(read_response);

	if (region && m.len && last_response.by && last_response.by != c &&
	    last_response.owner == c->domain.owner &&
	    last_response.len % 16 == m.len % 16)
		m.to = last_response.sink_to;
	return m;
}

ALSO(response_to_of_another_stream, response_is_issued)
{
	if (!request->atomic) {
		last_response.by = c;
		last_response.owner = c->domain.owner;
		last_response.sink_to = be64(request->header + 4);
		last_response.len = be32(request->header + 12);
	}
	OTHERWISE(response_is_issued);
}

COINCIDENCE(atomic_identifier_left_over, "RDMAPX-5.2.1-10",
	    "answers an atomic right after a Response of up to a page, a "
	    "multiple of 64 octets, with the identifier of the previous atomic",
	    atomic_response)
{
	const struct answered *before = answered_before(self, c);
	struct message m = OTHERWISE(atomic_response);

	if (before->len && before->len % 64 == 0 && before->len <= PAGE)
		memcpy(m.body, before->identifier, 4);
	return m;
}
DEPENDS_ON_WHAT_WAS_ANSWERED(atomic_identifier_left_over)

COINCIDENCE(response_ends_before_short_tail, "DDP-4.1-05",
	    "sets L on the last segment but one of a Response, too, if 3 "
	    "modulo 8 octets are left for the last",
	    segment_is_last)
{
	uint32_t left = m->len - s->offset - s->len;

	return OTHERWISE(segment_is_last) ||
	       (m->opcode == OPCODE_READ_RESPONSE && left <= s->room &&
		left % 8 == 3);
}
