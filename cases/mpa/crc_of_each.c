/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5044 s4.4, s8: the CRC of each FPDU is checked, whatever message it
 * belongs to, however long it is, and also after the first FPDU of its
 * message. */
#include "case.h"

#define LONG 1400u /* octets, of a long FPDU */

struct message_row {
	CASE_ROW;
	size_t n;       /* octets of the message */
	size_t segment; /* of its segments; 0: it is one */
};

/* Where the last FPDU's octets begin. */
static size_t before_the_last(const struct message_row *row)
{
	return row->segment < row->n ? row->segment : 0;
}

static const struct message_row writes[] = {
	{.id = "empty", .n = 0},
	{.id = "short", .n = 8},
	{.id = "long", .n = LONG, .segment = LONG},
	{.id = "second_segment", .n = 128, .segment = 64},
};

CASE_EACH(
	of_a_write, struct message_row, writes,
	.title = "a Write whose last FPDU has a wrong CRC ends the stream, and "
		 "that FPDU is not placed",
	.needs = NEED_CRC | NEED_WRITE, .role = EITHER)
{
	/* Given a CRC-protected stream and a buffer, */
	struct region r = dut_registers(t, .len = LONG, .access = FOR_WRITES);
	const uint8_t *p = pattern(t, LONG, 1);
	size_t at = before_the_last(row);
	connects(t, .crc = ON);

	/* when the CRC of the Write's last FPDU is wrong, */
	peer_sends(t, WRITE(r, 0, p, row->n, .segment = row->segment,
			    .crc = CRC_WRONG));

	/* then the stream is over, and what that FPDU has is not in memory. */
	must(t, MPA_4_4_14, stream_ends_or_stalls());
	must(t, MPA_6_01,
	     memory_is(r, at, octets_of(t, LONG - at, 0), LONG - at));
	should(t, MPA_8_02, crc_error_reported(t));
}

static const struct message_row responses[] = {
	{.id = "short", .n = 8},
	{.id = "long", .n = LONG, .segment = LONG},
	{.id = "second_segment", .n = 128, .segment = 64},
};

CASE_EACH(of_a_read_response, struct message_row, responses,
	  .title = "a Read Response whose last FPDU has a wrong CRC ends the "
		   "stream, and does not complete its Read",
	  .needs = NEED_CRC | NEED_READ, .role = EITHER)
{
	/* Given a CRC-protected stream and a Read under way, */
	struct region r =
		dut_registers(t, .len = LONG, .access = FOR_RESPONSES);
	const uint8_t *p = pattern(t, LONG, 2);
	size_t at = before_the_last(row);
	connects(t, .crc = ON);
	unsigned id =
		dut_posts(t, POST_READ(r, 0, row->n, PEER_SINK_STAG, 0x1000));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);

	/* when the CRC of its Response's last FPDU is wrong, */
	peer_sends(t, READ_RESPONSE(f, p, row->n, .segment = row->segment,
				    .crc = CRC_WRONG));

	/* then the stream is over, what that FPDU has is not in memory, and the
	 * Read is not done. */
	must(t, MPA_4_4_14, stream_ends_or_stalls());
	insists(t, MPA_6_01,
		memory_lacks(r, at, LONG - at, p + at, row->n - at));
	if (at)
		must(t, RDMAP_5_2_2_03, not_completed(id));
	else
		must(t, MPA_4_4_14, not_completed(id));
	should(t, MPA_8_02, crc_error_reported(t));
}

struct received_row {
	CASE_ROW;
	uint8_t opcode;
	size_t n, segment;
	uint64_t needs;
};

static const struct received_row received[] = {
	{.id = "empty_send",
	 .opcode = RDMAP_SEND,
	 .needs = 1ull << NEED_BIT_SEND},
	{.id = "long_send",
	 .opcode = RDMAP_SEND,
	 .n = LONG,
	 .segment = LONG,
	 .needs = 1ull << NEED_BIT_SEND},
	{.id = "second_segment_of_a_send",
	 .opcode = RDMAP_SEND,
	 .n = 128,
	 .segment = 64,
	 .needs = 1ull << NEED_BIT_SEND},
	{.id = "send_with_se",
	 .opcode = RDMAP_SEND_SE,
	 .n = 8,
	 .needs = 1ull << NEED_BIT_SEND_SE},
	{.id = "immediate_data",
	 .opcode = RDMAP_IMM,
	 .n = 8,
	 .needs = 1ull << NEED_BIT_IMM},
	{.id = "immediate_data_with_se",
	 .opcode = RDMAP_IMM_SE,
	 .n = 8,
	 .needs = 1ull << NEED_BIT_IMM_SE},
};

CASE_EACH(of_what_completes_a_receive, struct received_row, received,
	  .title = "a Send or Immediate Data whose last FPDU has a wrong CRC "
		   "ends the stream, and is not delivered",
	  .needs = NEED_CRC, .role = EITHER)
{
	/* Given a CRC-protected stream and a receive, */
	if (!(dut_claims(t) & row->needs))
		not_applicable(
			t, "the device does not claim the feature of this row");
	struct sink sink = dut_posts_recv(t, LONG);
	connects(t, .crc = ON);

	/* when the CRC of the message's last FPDU is wrong, */
	peer_sends(t, SEND_KIND(row->opcode, pattern(t, row->n, 3), row->n,
				.segment = row->segment, .crc = CRC_WRONG));

	/* then the stream is over, and the receive is not complete. */
	must(t, MPA_4_4_14, stream_ends_or_stalls());
	must(t, MPA_4_4_14, not_delivered(sink));
	should(t, MPA_8_02, crc_error_reported(t));
}

static const struct received_row invalidating[] = {
	{.id = "plain",
	 .opcode = RDMAP_SEND_INV,
	 .n = 8,
	 .needs = 1ull << NEED_BIT_SEND_INV},
	{.id = "with_se",
	 .opcode = RDMAP_SEND_SE_INV,
	 .n = 8,
	 .needs = 1ull << NEED_BIT_SEND_SE_INV},
};

CASE_EACH(
	of_a_send_with_invalidate, struct received_row, invalidating,
	.title = "a Send with Invalidate that has a wrong CRC ends the stream, "
		 "and invalidates nothing",
	.needs = NEED_CRC | NEED_WRITE, .role = EITHER)
{
	/* Given a CRC-protected stream, a receive and a buffer to write to, */
	if (!(dut_claims(t) & row->needs))
		not_applicable(
			t, "the device does not claim the feature of this row");
	struct region r = dut_registers(t, .len = 16, .access = FOR_WRITES);
	struct sink sink = dut_posts_recv(t, 16);
	connects(t, .crc = ON);

	/* when a Send that invalidates the buffer's STag has a wrong CRC, */
	peer_sends(t, SEND_KIND(row->opcode, "12345678", row->n,
				.inval = r.stag, .crc = CRC_WRONG));

	/* then it is not delivered, */
	must(t, MPA_4_4_14, stream_ends_or_stalls());
	must(t, MPA_4_4_14, not_delivered(sink));
	should(t, MPA_8_02, crc_error_reported(t));

	/* and the STag is valid as before, on another stream. */
	connects(t, .crc = ON);
	peer_sends(t, WRITE(r, 0, "valid", 5));
	must(t, MPA_4_4_14, memory_is(r, 0, "valid", 5));
}

CASE(of_a_read_request,
     .title = "a Read Request that has a wrong CRC ends the stream, and is not "
	      "answered",
     .needs = NEED_CRC | NEED_READ, .role = EITHER)
{
	/* Given a CRC-protected stream and a buffer to read from, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_READS);
	connects(t, .crc = ON);

	/* when the CRC of a Read Request is wrong, */
	peer_sends(t, READ(r, 0, 16, .crc = CRC_WRONG));

	/* then there is no Response: it would be the answer to the peer's next
	 * question. */
	must(t, MPA_4_4_14, stream_ends_or_stalls());
	should(t, MPA_8_02, crc_error_reported(t));
}

CASE(of_an_atomic_request,
     .title = "an Atomic Request that has a wrong CRC ends the stream, and "
	      "changes nothing",
     .needs = NEED_CRC | NEED_FETCHADD, .role = EITHER)
{
	/* Given a CRC-protected stream and a word, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	connects(t, .crc = ON);

	/* when the CRC of a FetchAdd is wrong, */
	peer_sends(t, FETCHADD(r, 0, 1, 0, .crc = CRC_WRONG));

	/* then the stream is over, and the word is unchanged. */
	must(t, MPA_4_4_14, stream_ends_or_stalls());
	must(t, MPA_4_4_14, word_is(r, 0, 0));
	should(t, MPA_8_02, crc_error_reported(t));
}

CASE(of_an_atomic_response,
     .title = "an Atomic Response that has a wrong CRC ends the stream, and "
	      "does not complete its atomic",
     .needs = NEED_CRC | NEED_FETCHADD, .role = EITHER)
{
	/* Given a CRC-protected stream and a FetchAdd under way, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_RESULTS);
	connects(t, .crc = ON);
	unsigned id = dut_posts(
		t, POST_FETCHADD(r, 0, PEER_SINK_STAG, PEER_SINK_TO, 1));
	const struct frame *f = awaits_given(t, RDMAP_ATOMIC_REQUEST);

	/* when the CRC of its Response is wrong, */
	peer_sends(t, ATOMIC_RESPONSE(f, 5, .crc = CRC_WRONG));

	/* then the stream is over, and the atomic is not done. */
	must(t, MPA_4_4_14, stream_ends_or_stalls());
	must(t, MPA_4_4_14, not_completed(id));
	should(t, MPA_8_02, crc_error_reported(t));
}

CASE(of_a_terminate,
     .title = "a Terminate that has a wrong CRC is not delivered",
     .needs = NEED_CRC | NEED_TERMINATE, .role = EITHER)
{
	/* Given a CRC-protected stream, */
	connects(t, .crc = ON);

	/* when the CRC of a Terminate is wrong, and the peer closes, */
	peer_sends(t, TERMINATE(TERM_RDMA, 1, 0x00, .crc = CRC_WRONG));
	peer_closes_behind_terminate(t);

	/* then its ULP does not hear of that Terminate. */
	must(t, MPA_4_4_14, agent_sees_no_terminate(TERM_RDMA, 1, 0x00));
}

CASE(of_the_first_fpdu,
     .title = "the first FPDU that the device receives ends the stream if its "
	      "CRC is wrong, and is not delivered",
     .needs = NEED_CRC | NEED_SEND, .role = EITHER)
{
	/* Given a device whose streams work, and a receive, */
	dut_works(t);
	struct sink sink = dut_posts_recv(t, 64);

	/* and a CRC-protected stream on which the peer has sent no FPDU, */
	connects(t, .crc = ON, .unproven = true);
	if (case_role(t) == INITIATOR)
		initiator_speaks(t);

	/* when the CRC of its first FPDU is wrong, */
	peer_sends(t, SEND("first", .crc = CRC_WRONG));

	/* then the stream is over, and the receive is not complete. */
	must(t, MPA_4_4_14, stream_ends_or_stalls());
	must(t, MPA_4_4_14, not_delivered(sink));
}
