/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5041 s4.1, s5.2: messages of a few octets that lie on both sides of the
 * edge of a page, where a device's memory is made of pages.
 */
#include "case.h"

#define PAGE 4096u

struct edge {
	CASE_ROW;
	unsigned before, behind; /* octets on each side of the edge */
};

static const struct edge edges[] = {
	{.id = "1_and_1", .before = 1, .behind = 1},
	{.id = "3_and_5", .before = 3, .behind = 5},
	{.id = "15_and_17", .before = 15, .behind = 17},
	{.id = "60_and_4", .before = 60, .behind = 4},
};

#define LENGTH(row) ((size_t)(row)->before + (row)->behind)

/* Two pages of the device that begin at an edge. */
static struct region two_pages(struct test *t, unsigned access)
{
	return dut_registers(t, .len = 2 * PAGE, .align = PAGE,
			     .access = access);
}

/* Zeros but for the message. */
static const uint8_t *pages_with(struct test *t, const struct edge *e,
				 const uint8_t *message)
{
	uint8_t *pages = (uint8_t *)(uintptr_t)octets_of(t, 2 * PAGE, 0);

	memcpy(pages + PAGE - e->before, message, LENGTH(e));
	return pages;
}

CASE_EACH(a_write_is_placed_over_one, struct edge, edges,
	  .title =
		  "a Write of a few octets is placed on both sides of the edge "
		  "of a page",
	  .needs = NEED_WRITE, .role = EITHER)
{
	/* Given two pages, */
	struct region r = two_pages(t, FOR_WRITES);
	const uint8_t *p = pattern(t, LENGTH(row), 1);
	connects(t);

	/* when the peer writes over the edge between them, */
	peer_sends(t, WRITE(r, PAGE - row->before, p, LENGTH(row)));

	/* then all of it is there, and nothing else has changed. */
	must(t, DDP_4_1_01, memory_is(r, 0, pages_with(t, row, p), 2 * PAGE));
}

CASE_EACH(a_read_response_is_placed_over_one, struct edge, edges,
	  .title = "a Read Response of a few octets is placed on both sides of "
		   "the edge of a page",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given a Read into two pages, over the edge between them, */
	struct region r = two_pages(t, FOR_RESPONSES);
	const uint8_t *p = pattern(t, LENGTH(row), 2);
	connects(t);
	unsigned read = dut_posts(t, POST_READ(r, PAGE - row->before,
					       LENGTH(row), PEER_SINK_STAG, 0));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);

	/* when the peer answers it, */
	peer_sends(t, READ_RESPONSE(f, p, LENGTH(row)));

	/* then all of it is there, and nothing else has changed. */
	must(t, RDMAP_5_2_2_03, completed(read));
	must(t, DDP_4_1_01, memory_is(r, 0, pages_with(t, row, p), 2 * PAGE));
}

CASE_EACH(a_send_is_placed_over_one, struct edge, edges,
	  .title = "a Send of a few octets is placed on both sides of the edge "
		   "of a page",
	  .needs = NEED_SEND | NEED_RECV_LOCAL, .role = EITHER)
{
	/* Given a receive over the edge between two pages, */
	struct region r = two_pages(t, FOR_RESULTS);
	const uint8_t *p = pattern(t, LENGTH(row), 3);
	struct sink sink =
		dut_posts_recv_in(t, r, PAGE - row->before, LENGTH(row));
	connects(t);

	/* when a Send fills it, */
	peer_sends(t, SEND_N(p, LENGTH(row)));

	/* then all of it is there. */
	must(t, DDP_4_1_02, delivered(sink, p, LENGTH(row)));
	must(t, DDP_4_1_02, memory_is(r, PAGE - row->before, p, LENGTH(row)));
}

CASE_EACH(a_read_takes_octets_over_one, struct edge, edges,
	  .title = "a Read of a few octets takes them from both sides of the "
		   "edge of a page",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given two pages of known octets, */
	struct region r = two_pages(t, FOR_READS);
	const uint8_t *p = pattern(t, 2 * PAGE, 4);
	dut_fills(t, r, 0, p, 2 * PAGE);
	connects(t);

	/* when the peer reads over the edge between them, */
	peer_sends(t, READ(r, PAGE - row->before, LENGTH(row)));

	/* then these octets come. */
	struct message m =
		awaits_message(t, RDMAP_5_2_1_09, RDMAP_READ_RESPONSE);
	must(t, RDMAP_5_2_1_09,
	     octets_are(t, "the Response", m.octets, m.n,
			p + PAGE - row->before, LENGTH(row)));
}

struct sent_edge {
	CASE_ROW;
	struct edge edge;
	uint8_t opcode;
};

#define SENT(kind, op, a, b)                                                   \
	{                                                                      \
		.id = kind "_" #a "_and_" #b,                                  \
		.edge = {.before = (a), .behind = (b)}, .opcode = (op)         \
	}
static const struct sent_edge sent_edges[] = {
	SENT("send", RDMAP_SEND, 1, 1),     SENT("send", RDMAP_SEND, 3, 5),
	SENT("send", RDMAP_SEND, 15, 17),   SENT("send", RDMAP_SEND, 60, 4),
	SENT("write", RDMAP_WRITE, 1, 1),   SENT("write", RDMAP_WRITE, 3, 5),
	SENT("write", RDMAP_WRITE, 15, 17), SENT("write", RDMAP_WRITE, 60, 4),
};

CASE_EACH(a_message_leaves_from_over_one, struct sent_edge, sent_edges,
	  .title = "a Send or Write of a few octets takes them from both sides "
		   "of the edge of a page",
	  .needs = NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given two pages of known octets, */
	const struct edge *e = &row->edge;
	struct region r = two_pages(t, 0);
	const uint8_t *p = pattern(t, 2 * PAGE, 5);
	dut_fills(t, r, 0, p, 2 * PAGE);
	connects(t);

	/* when the device sends over the edge between them, */
	dut_posts(t, row->opcode == RDMAP_SEND
			     ? POST_SEND_FROM(r, PAGE - e->before, LENGTH(e))
			     : POST_WRITE_FROM(r, PAGE - e->before, LENGTH(e),
					       0x1234, 0x1000));

	/* then these octets come. */
	struct message m = awaits_message(t, DDP_5_2_03, row->opcode);
	must(t, DDP_5_2_03,
	     octets_are(t, "the message", m.octets, m.n, p + PAGE - e->before,
			LENGTH(e)));
}

struct end {
	CASE_ROW;
	bool reads; /* the peer reads there, otherwise it writes */
	size_t len;
	uint64_t needs;
};

#define ENDS(kind, length, ...)                                                \
	{                                                                      \
		.id = kind "_" #length, .len = (length), __VA_ARGS__           \
	}
#define WRITTEN(length)                                                        \
	ENDS("write", length, .must = &DDP_7_1_28, .needs = NEED_WRITE)
#define READS(length)                                                          \
	ENDS("read", length, .must = &RDMAP_7_2_11, .reads = true,             \
	     .needs = NEED_READ)
static const struct end ends[] = {
	WRITTEN(4100), WRITTEN(65540), WRITTEN(70000), WRITTEN(1048580),
	READS(4100),   READS(65540),   READS(70000),   READS(1048580),
};

/* Payload of Read Responses until a Terminate or the stream's end. */
static size_t octets_read(struct test *t)
{
	const struct frame *f;
	size_t n = 0;

	while ((f = next_frame(t)) && f->seg.ddp.opcode != RDMAP_TERMINATE)
		n += f->seg.payload_octets;
	return n;
}

CASE_EACH(a_buffer_ends_within_a_page, struct end, ends,
	  .title = "a Write or Read of eight octets is refused if the buffer "
		   "of this length ends after the fourth, in the midst of a "
		   "page",
	  .needs = NEED_WRITE | NEED_READ, .role = INITIATOR)
{
	/* Given a buffer that begins with a page, and does not end with one, */
	struct region r =
		dut_registers(t, .len = row->len, .align = PAGE,
			      .access = row->reads ? FOR_READS : FOR_WRITES);
	connects(t);

	/* when the peer writes or reads over its end, */
	if (row->reads)
		peer_sends(t, READ(r, row->len - 4, 8));
	else
		peer_sends(t, WRITE(r, row->len - 4, "overruns", 8));

	/* then nothing from outside comes, the octets before are as they were,
	 * and the cause is named. */
	if (row->reads)
		must_row(
			t, row,
			at_most("octets of Read Responses", octets_read(t), 4));
	else
		must_row(t, row,
			 memory_is(r, row->len - 68, octets_of(t, 64, 0), 64));
	must_row(t, row,
		 terminate_if_any(row->reads ? TERM_RDMA : TERM_DDP, 1, 0x01));
	should(t, RDMAP_6_2_1_01, terminate_any());
}
