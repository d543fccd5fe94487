/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5040 s4.2: which messages have a header of RDMAP's own, and how long that
 * is. */
#include "case.h"

#define OTHER_STAG 0xabcd1234u /* of the peer */
#define OTHER_TO   0x1000u

/* --- what the device sends ----------------------------------------------- */

/* The length of a Terminate with these bits, including the octets of D and
 * R. */
static size_t ulpdu_of(const struct rdmap_terminate *h)
{
	return DDP_UNTAGGED_OCTETS + RDMAP_TERMINATE_OCTETS +
	       (h->m || h->d ? 2 : 0) + (h->d ? h->ddp_header_octets : 0) +
	       (h->r ? RDMAP_READ_REQUEST_OCTETS : 0);
}

enum provocation { BAD_CRC, BAD_WRITE, BAD_SEND, BAD_READ, BAD_OPCODE };

struct provoked {
	CASE_ROW;
	enum provocation by;
};

static const struct provoked provoked[] = {
	{.id = "llp_error", .by = BAD_CRC},
	{.id = "tagged_error", .by = BAD_WRITE},
	{.id = "untagged_error", .by = BAD_SEND},
	{.id = "protection_error", .by = BAD_READ},
	{.id = "operation_error", .by = BAD_OPCODE},
};

static void peer_provokes(struct test *t, enum provocation by, struct region r)
{
	switch (by) {
	case BAD_CRC:
		peer_sends(t, WRITE(r, 0, "hello", 5, .crc = CRC_WRONG));
		break;
	case BAD_WRITE:
		peer_sends(t, WRITE(r, 8, "hello", 5));
		break;
	case BAD_SEND:
		peer_sends(t, SEND("hello", .qn = IS(4)));
		break;
	case BAD_READ:
		peer_sends(t, READ(r, 8, 5));
		break;
	case BAD_OPCODE:
		peer_sends(t, OPCODE(14, "8 octets", 8));
		break;
	}
}

CASE_EACH(a_terminate_is_as_long_as_its_bits_say, struct provoked, provoked,
	  .title = "a Terminate has the headers that M, D and R announce, "
		   "and not an octet more",
	  .needs = NEED_CRC | NEED_WRITE | NEED_READ | NEED_SEND,
	  .role = EITHER)
{
	/* Given a buffer of eight octets, */
	struct region r = dut_registers(
		t, .len = 8,
		.access = row->by == BAD_READ ? FOR_READS : FOR_WRITES);
	dut_posts_recv(t, 16);
	connects(t);

	/* when the peer provokes a Terminate, */
	peer_provokes(t, row->by, r);
	const struct frame *f = the_terminate(t);
	struct rdmap_terminate h = case_terminate_of(f);

	if (!f)
		not_applicable(t,
			       "no Terminate arrived, which other cases judge");

	/* then it is 22, 24, 38, 42 or 70 octets long, as its bits say. */
	if (h.d && row->by == BAD_WRITE)
		insists(t, RDMAP_4_8_14,
			holds_of(f, "a whole DDP header", h.ddp_header,
				 "less than a DDP header"));
	else if (h.d)
		insists(t, RDMAP_4_8_15,
			holds_of(f, "a whole DDP header", h.ddp_header,
				 "less than a DDP header"));
	must(t, RDMAP_4_2_11,
	     is("octets of its ULPDU",
		DDP_UNTAGGED_OCTETS + f->seg.payload_octets,
		ulpdu_of(&h) + zeros_for_headers(f)));
	must(t, RDMAP_4_2_11, is("headers cut short", h.truncated, 0));
}

CASE(a_read_request_has_no_payload,
     .title = "a Read Request is one segment of exactly 46 octets",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a stream, */
	struct region r = dut_registers(t, .len = 64, .access = FOR_RESPONSES);
	connects(t);

	/* when the device reads, */
	dut_posts(t, POST_READ(r, 0, 64, OTHER_STAG, OTHER_TO));
	const struct frame *f = awaits(t, RDMAP_4_2_10, RDMAP_READ_REQUEST);

	/* then its Request is a header and nothing else. */
	must(t, RDMAP_4_2_10,
	     is("octets of its ULPDU",
		DDP_UNTAGGED_OCTETS + f->seg.payload_octets, 46));
	must(t, RDMAP_4_2_10, is("L", f->seg.ddp.last, 1));
}

struct kind {
	CASE_ROW;
	uint8_t opcode;
	size_t header;
	uint64_t needs;
};

static const struct kind headerless[] = {
	{.id = "write",
	 .opcode = RDMAP_WRITE,
	 .header = DDP_TAGGED_OCTETS,
	 .needs = 1ull << NEED_BIT_WRITE},
	{.id = "read_response",
	 .opcode = RDMAP_READ_RESPONSE,
	 .header = DDP_TAGGED_OCTETS,
	 .needs = 1ull << NEED_BIT_READ},
	{.id = "send",
	 .opcode = RDMAP_SEND,
	 .header = DDP_UNTAGGED_OCTETS,
	 .needs = 1ull << NEED_BIT_SEND},
	{.id = "send_with_invalidate",
	 .opcode = RDMAP_SEND_INV,
	 .header = DDP_UNTAGGED_OCTETS,
	 .needs = 1ull << NEED_BIT_SEND_INV},
	{.id = "send_with_se",
	 .opcode = RDMAP_SEND_SE,
	 .header = DDP_UNTAGGED_OCTETS,
	 .needs = 1ull << NEED_BIT_SEND_SE},
	{.id = "send_with_se_and_invalidate",
	 .opcode = RDMAP_SEND_SE_INV,
	 .header = DDP_UNTAGGED_OCTETS,
	 .needs = 1ull << NEED_BIT_SEND_SE_INV},
};

CASE_EACH(a_message_with_payload_has_no_rdmap_header, struct kind, headerless,
	  .title = "the payload of a Write, Read Response or Send comes right "
		   "after its DDP header",
	  .role = EITHER)
{
	/* Given a buffer that holds "hello", */
	bool se = row->opcode == RDMAP_SEND_SE ||
		  row->opcode == RDMAP_SEND_SE_INV;
	bool inv = row->opcode == RDMAP_SEND_INV ||
		   row->opcode == RDMAP_SEND_SE_INV;
	if (!(dut_claims(t) & row->needs))
		not_applicable(
			t, "the device does not claim the feature of this row");
	struct region r = dut_registers(t, .len = 5, .access = FOR_READS);
	dut_fills(t, r, 0, "hello", 5);
	connects(t);

	/* when the device sends that in a message of this kind, */
	if (row->opcode == RDMAP_READ_RESPONSE)
		peer_sends(t, READ(r, 0, 5));
	else if (row->opcode == RDMAP_WRITE)
		dut_posts(t, POST_WRITE_FROM(r, 0, 5, OTHER_STAG, OTHER_TO));
	else
		dut_posts(t, POST_SEND_FROM(r, 0, 5, .invalidate = inv,
					    .inv = OTHER_STAG, .se = se));
	struct message m = awaits_given_message(t, row->opcode);

	/* then exactly "hello" follows the 14 or 18 octets. */
	must(t, RDMAP_4_2_14,
	     octets_are(t, "behind the DDP header", m.octets, m.n, "hello", 5));
	must(t, RDMAP_4_2_14,
	     is("T", m.frames[0]->seg.ddp.tagged,
		row->header == DDP_TAGGED_OCTETS));
}

/* --- what the device takes ----------------------------------------------- */

struct length {
	CASE_ROW;
	size_t octets; /* of the payload */
};

static const struct length too_short[] = {
	{.id = "45", .octets = 27},
	{.id = "30", .octets = 12},
	{.id = "18", .octets = 0},
};

CASE_EACH(a_short_read_request_is_refused, struct length, too_short,
	  .title = "a Read Request shorter than its header is not "
		   "answered, and ends the stream",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer that the peer may read, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_READS);
	connects(t);

	/* when its Read Request ends too early, */
	peer_sends(t, READ(r, 0, 8, .cut_to = IS(row->octets)));

	/* then there is no Response, and the stream ends. */
	must(t, RDMAP_4_2_13, stream_ends_with_the_next());
	must(t, RDMAP_4_2_13, is("Responses", responses_until_the_end(t), 0));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

static const struct length too_long[] = {
	{.id = "47", .octets = 1},
	{.id = "60", .octets = 14},
};

CASE_EACH(a_read_request_with_a_tail, struct length, too_long,
	  .title = "the reaction to a Read Request that is longer than its "
		   "header is recorded",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer that the peer may read, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_READS);
	connects(t);

	/* when octets follow the header of its Read Request, */
	peer_sends(t, READ(r, 0, 8, .tail = octets_of(t, row->octets, 0xee),
			   .tail_octets = row->octets));

	/* then they may be ignored, or refused. */
	const struct frame *f = next_frame(t);
	observe(t, RDMAP_4_2_12, "a Read Request with a tail: %s",
		f && f->seg.ddp.opcode == RDMAP_READ_RESPONSE
			? "answered"
			: how_it_ended(t));
}
