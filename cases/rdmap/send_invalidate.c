/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5040 s5.3, s7.2: Send with Invalidate, with and without Solicited
 * Event. */
#include "case.h"

struct kind {
	CASE_ROW;
	uint8_t opcode;
	bool se;
};

static const struct kind kinds[] = {
	{.id = "send_with_invalidate",
	 .must = &RDMAP_5_3_14,
	 .opcode = RDMAP_SEND_INV},
	{.id = "send_with_se_and_invalidate",
	 .must = &RDMAP_5_3_15,
	 .opcode = RDMAP_SEND_SE_INV,
	 .se = true},
};

#define NEED_BOTH (NEED_SEND_INV | NEED_SEND_SE_INV)

struct invalidation {
	CASE_ROW;
	uint8_t opcode;
	uint32_t segment; /* octets of payload in each; 0: there is one */
	bool second;      /* after another one on its stream */
	bool zero_based;
};
static const struct invalidation invalidations[] = {
	{.id = "send_with_invalidate",
	 .must = &RDMAP_5_3_14,
	 .opcode = RDMAP_SEND_INV},
	{.id = "send_with_se_and_invalidate",
	 .must = &RDMAP_5_3_15,
	 .opcode = RDMAP_SEND_SE_INV},
	{.id = "send_with_invalidate_in_two_segments",
	 .must = &RDMAP_5_3_14,
	 .opcode = RDMAP_SEND_INV,
	 .segment = 2},
	{.id = "send_with_se_and_invalidate_in_two_segments",
	 .must = &RDMAP_5_3_15,
	 .opcode = RDMAP_SEND_SE_INV,
	 .segment = 2},
	{.id = "second_send_with_invalidate",
	 .must = &RDMAP_5_3_14,
	 .opcode = RDMAP_SEND_INV,
	 .second = true},
	{.id = "second_send_with_se_and_invalidate",
	 .must = &RDMAP_5_3_15,
	 .opcode = RDMAP_SEND_SE_INV,
	 .second = true},
	{.id = "send_with_invalidate_of_a_zero_based_region",
	 .must = &RDMAP_5_3_14,
	 .opcode = RDMAP_SEND_INV,
	 .zero_based = true},
	{.id = "send_with_se_and_invalidate_of_a_zero_based_region",
	 .must = &RDMAP_5_3_15,
	 .opcode = RDMAP_SEND_SE_INV,
	 .zero_based = true},
};

/* What an STag that is not valid may be called: three names fit. */
#define cannot_be_invalidated(t)                                               \
	any_of(t, terminate(TERM_RDMA, 1, 0x09),                               \
	       terminate(TERM_RDMA, 2, 0x09), terminate(TERM_RDMA, 1, 0x03))
#define not_valid(t)                                                           \
	any_of(t, terminate(TERM_RDMA, 1, 0x09),                               \
	       terminate(TERM_RDMA, 2, 0x09), terminate(TERM_RDMA, 1, 0x00))

CASE_EACH(the_stag_is_invalidated, struct invalidation, invalidations,
	  .title = "the STag that a Send with Invalidate names is reported, "
		   "and accepts no more Writes",
	  .needs = NEED_WRITE | NEED_BOTH, .role = EITHER)
{
	/* Given a buffer waiting and an STag that takes a Write, */
	if (row->zero_based && !(dut_claims(t) & NEED_ZERO_BASED))
		not_applicable(t, "the device does not claim the feature of "
				  "this row");
	struct sink sinks = dut_posts_recvs(t, row->second ? 2 : 1, 64);
	struct sink sink = sink_at(sinks, row->second);
	struct region region = dut_registers(t, .len = 16, .access = FOR_WRITES,
					     .zero_based = row->zero_based);
	struct region first = {0};
	if (row->second)
		first = dut_registers(t, .len = 16, .access = FOR_WRITES);
	connects(t, .crc = true);
	if (row->second) {
		peer_sends(t, SEND_KIND(row->opcode, "one", 3,
					.inval = first.stag));
		insists(t, RDMAP_5_3_02,
			delivered_text(sink_at(sinks, 0), "one"));
	}
	peer_sends(t, WRITE(region, 0, "before", 6));

	/* when a Send invalidates it and a second Write follows, */
	peer_sends(t, SEND_KIND(row->opcode, "done", 4, .segment = row->segment,
				.inval = region.stag));
	must_row(t, row, delivered_text(sink, "done"));
	peer_sends(t, WRITE(region, 0, "behind", 6));

	/* then the completion names it, and the second has no effect. */
	must_row(t, row, tells_invalidated(sink, region.stag));
	must_row(t, row, memory_is(region, 0, "before", 6));
	if (memcmp(dut_memory(t, region, 0, 6), "before", 6) == 0)
		must(t, DDP_7_1_23, terminate_if_any(TERM_DDP, 1, 0x00));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(a_send_is_not_told_the_stag_of_another,
     .title = "a plain Send is reported without an STag, also after a Send "
	      "with Invalidate",
     .needs = NEED_SEND | NEED_SEND_INV, .role = EITHER)
{
	/* Given two buffers waiting, and an STag that a Send has invalidated, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	struct region region = dut_registers(t, .len = 16, .access = FOR_READS);
	connects(t, .crc = true);
	peer_sends(t,
		   SEND_KIND(RDMAP_SEND_INV, "done", 4, .inval = region.stag));
	must(t, DDP_5_4_04, tells_invalidated(sink_at(sinks, 0), region.stag));

	/* when a plain Send follows, */
	peer_sends(t, SEND("plain"));

	/* then its completion names no STag. */
	insists(t, RDMAP_5_3_02, delivered_text(sink_at(sinks, 1), "plain"));
	must(t, DDP_5_4_04,
	     holds("no invalidated STag is reported",
		   !dut_receives(t, sink_at(sinks, 1)).has_inv));
}

CASE_EACH(a_zero_length_send_invalidates_too, struct kind, kinds,
	  .title = "a Send with Invalidate without a payload invalidates as "
		   "well",
	  .needs = NEED_WRITE | NEED_BOTH, .role = EITHER)
{
	/* Given a buffer waiting and an STag, */
	struct sink sink = dut_posts_recv(t, 64);
	struct region region =
		dut_registers(t, .len = 16, .access = FOR_WRITES);
	connects(t, .crc = true);

	/* when an empty Send invalidates it and a Write to it follows, */
	peer_sends(t, SEND_KIND(row->opcode, "", 0, .inval = region.stag));
	insists(t, RDMAP_5_3_12, delivered_text(sink, ""));
	peer_sends(t, WRITE(region, 0, "behind", 6));

	/* then the completion names it, and the Write has no effect. */
	must(t, RDMAP_5_3_21, tells_invalidated(sink, region.stag));
	insists(t, RDMAP_5_3_21, memory_unchanged(region));
	must(t, DDP_7_1_23, stream_ends());
}

struct request {
	CASE_ROW;
	uint8_t opcode;
};

static const struct request requests[] = {
	KIND_ROW("read", READ_REQUEST, .must = &RDMAP_7_2_06),
	KIND_ROW("atomic", ATOMIC_REQUEST, .must = &RDMAPX_5_2_1_12),
};

CASE_EACH(a_request_right_behind_is_refused, struct request, requests,
	  .title = "a Request in one burst with the Send that invalidates its "
		   "STag is not performed",
	  .needs = NEED_SEND_INV, .role = INITIATOR)
{
	/* Given an STag that the peer may read or change, */
	struct awaited a = dut_awaits(t, row->opcode);
	dut_posts_recv(t, 64);

	/* when a Send that invalidates it, and a Request that uses it, come
	 * together, */
	peer_sends(t, SEND_KIND(RDMAP_SEND_INV, "done", 4, .inval = a.r.stag),
		   .hold = true);
	peer_sends(t, message_awaited(t, &a, 0));

	/* then the Request is refused: it is processed behind the Send. */
	must_row(t, row, ends_unanswered());
	must_row(t, row, had_no_effect(&a));
}

CASE_EACH(what_is_not_delivered_invalidates_nothing, struct kind, kinds,
	  .title = "a Send with Invalidate of which only a part has come when "
		   "its stream ends invalidates nothing",
	  .needs = NEED_WRITE | NEED_BOTH | NEED_MULTI_STREAM, .role = EITHER)
{
	/* Given an STag that two streams may use, */
	struct region region =
		dut_registers(t, .len = 16, .access = FOR_WRITES);
	unsigned other = connects(t);
	connects(t);
	struct sink sink = dut_posts_recv(t, 64);

	/* when the first half of a Send that names it comes on one stream, and
	 * then a FIN, */
	peer_sends(t, SEND_KIND(row->opcode, "half", 4, .inval = region.stag,
				.l = IS(0)));
	peer_closes(t);
	dut_ends(t);

	/* then the Send is not delivered: the STag is valid on the other. */
	must_row(t, row, not_delivered(sink));
	on_stream(t, other);
	insists_row(t, row, stream_works());
	peer_sends(t, WRITE(region, 0, "valid", 5));
	must_row(t, row, memory_is(region, 0, "valid", 5));
}

/* A device may refuse to invalidate an STag that it uses itself; then these
 * cases are not applicable. */
static void takes_invalidate(struct test *t, struct sink sink, uint32_t stag)
{
	peer_sends(t, SEND_KIND(RDMAP_SEND_INV, "done", 4, .inval = stag));
	if (!dut_receives(t, sink).ok)
		not_applicable(t, "the device keeps an STag in its own use");
}

CASE(the_sink_of_a_read_is_invalidated,
     .title = "an STag invalidated by a Send takes no Response to a Read that "
	      "was sent before",
     .needs = NEED_SEND_INV | NEED_READ, .role = EITHER)
{
	/* Given a device that reads into a buffer, */
	struct sink sink = dut_posts_recv(t, 64);
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_RESPONSES);
	connects(t);
	unsigned id = dut_posts(t, POST_READ(region, 0, 8, 0x1234, 0x1000));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);
	sink_is_in(t, f, region);

	/* when a Send invalidates the sink, and then the Response comes, */
	takes_invalidate(t, sink, region.stag);
	peer_sends(t, READ_RESPONSE(f, "too late", 8));

	/* then it is not placed. */
	must(t, RDMAP_5_3_14, not_completed(id));
	must(t, RDMAP_5_3_14, memory_lacks(region, 0, 8, "too late", 8));
}

CASE(the_region_of_a_receive_is_invalidated,
     .title = "an STag invalidated by a Send takes no Write while a receive is "
	      "posted in its buffer",
     .needs = NEED_SEND_INV | NEED_WRITE | NEED_RECV_LOCAL, .role = EITHER)
{
	/* Given a buffer for Writes in which a receive is posted, behind
	 * another, */
	struct sink sink = dut_posts_recv(t, 64);
	struct region region =
		dut_registers(t, .len = 64, .access = FOR_WRITES);
	dut_posts_recv_in(t, region, 0, 64);
	connects(t);

	/* when a Send into the other invalidates it, and then a Write comes, */
	takes_invalidate(t, sink, region.stag);
	peer_sends(t, WRITE(region, 0, "behind", 6));

	/* then it is not placed. */
	must(t, RDMAP_5_3_14, stream_ends());
	must(t, RDMAP_5_3_14, memory_lacks(region, 0, 64, "behind", 6));
}

CASE(the_source_of_a_blocked_send_is_invalidated,
     .title = "an STag invalidated by a Send takes no Write on another stream "
	      "while the device is sending from its buffer",
     .needs = NEED_SEND_INV | NEED_WRITE | NEED_MULTI_STREAM, .role = INITIATOR)
{
	/* Given stream b, and a device whose Send on stream a waits for room in
	 * the peer's window, */
	enum { LEN = 8 << 20 };
	struct region r = dut_registers(t, .len = LEN, .access = FOR_WRITES);
	unsigned b = connects(t);
	connects(t, .rcvbuf = 65536);
	struct sink sink = dut_posts_recv(t, 64);
	dut_posts(t, POST_SEND_FROM(r, 0, LEN));

	/* when a Send invalidates the buffer it is sent from, and then a Write
	 * comes on b, */
	takes_invalidate(t, sink, r.stag);
	on_stream(t, b);
	peer_sends(t, WRITE(r, 0, "too late", 8));

	/* then it is not placed. */
	must(t, RDMAP_5_3_14, stream_ends());
	must(t, RDMAP_5_3_14, memory_lacks(r, 0, 64, "too late", 8));
}

CASE(the_buffer_for_a_result_is_invalidated,
     .title = "an STag invalidated by a Send takes no Write on another stream "
	      "while the device awaits the result of an atomic in its buffer",
     .needs = NEED_SEND_INV | NEED_WRITE | NEED_FETCHADD | NEED_MULTI_STREAM,
     .role = INITIATOR)
{
	/* Given stream b, and on stream a a device that has asked for an
	 * atomic, */
	struct region r = dut_registers(t, .len = 128, .access = FOR_WRITES);
	unsigned b = connects(t);
	connects(t);
	struct sink sink = dut_posts_recv(t, 64);
	dut_posts(t, POST_FETCHADD(r, 64, PEER_SINK_STAG, PEER_SINK_TO, 1));
	awaits_given(t, RDMAP_ATOMIC_REQUEST);

	/* when a Send invalidates the buffer for its result, and then a Write
	 * comes on b, */
	takes_invalidate(t, sink, r.stag);
	on_stream(t, b);
	peer_sends(t, WRITE(r, 0, "too late", 8));

	/* then it is not placed. */
	must(t, RDMAP_5_3_14, stream_ends());
	must(t, RDMAP_5_3_14, memory_lacks(r, 0, 64, "too late", 8));
}

CASE(a_send_invalidates_after_a_half_close,
     .title = "an STag invalidated by a Send takes no Write on another stream "
	      "if the device's ULP had closed its sending half before",
     .needs = NEED_SEND_INV | NEED_WRITE | NEED_MULTI_STREAM | NEED_HALF_CLOSE,
     .role = INITIATOR)
{
	/* Given streams a and b, the sending half of a closed by the ULP, */
	struct region r = dut_registers(t, .len = 64, .access = FOR_WRITES);
	unsigned b = connects(t);
	connects(t);
	struct sink sink = dut_posts_recv(t, 64);
	dut_half_closes(t);
	should(t, DDP_6_2_1_06, tcp_closed_by_fin());

	/* when a Send on a invalidates an STag, if the device still takes it,
	 * and then a Write comes on b, */
	peer_sends(t, SEND_KIND(RDMAP_SEND_INV, "done", 4, .inval = r.stag));
	if (!dut_receives(t, sink).ok)
		not_applicable(t, "the device takes no Send after its ULP's "
				  "half-close");
	on_stream(t, b);
	peer_sends(t, WRITE(r, 0, "too late", 8));

	/* then it is not placed. */
	must(t, RDMAP_5_3_14, stream_ends());
	must(t, RDMAP_5_3_14, memory_unchanged(r));
}

CASE(an_invalidated_stag_takes_no_read,
     .title = "an STag invalidated by a Send answers no RDMA Read",
     .needs = NEED_SEND_INV | NEED_READ, .role = EITHER)
{
	/* Given a buffer waiting and an STag, */
	struct sink sink = dut_posts_recv(t, 64);
	struct region region = dut_registers(t, .len = 16, .access = FOR_READS);
	connects(t, .crc = true);

	/* when a Send invalidates it and a Read of it follows, */
	takes_invalidate(t, sink, region.stag);
	peer_sends(t, READ(region, 0, 16));

	/* then the answer is a Terminate that says: invalid STag. */
	awaits(t, RDMAP_7_2_07, RDMAP_TERMINATE);
	must(t, RDMAP_7_2_07, terminate(TERM_RDMA, 1, 0x00));
}

CASE(an_invalidated_stag_takes_no_atomic,
     .title = "an STag invalidated by a Send takes no atomic",
     .needs = NEED_SEND_INV | NEED_FETCHADD, .role = EITHER)
{
	/* Given a buffer waiting and a word, */
	struct sink sink = dut_posts_recv(t, 64);
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	connects(t, .crc = true);

	/* when a Send invalidates its STag and a FetchAdd follows, */
	takes_invalidate(t, sink, region.stag);
	peer_sends(t, FETCHADD(region, 0, 1, 0));

	/* then it gets a Terminate and changes nothing. */
	must(t, RDMAPX_5_2_1_12, ends_unanswered());
	must(t, RDMAPX_5_2_1_12, terminate_any());
	must(t, RDMAPX_5_2_1_12, memory_unchanged(region));
}

struct later_use {
	CASE_ROW;
	bool reads; /* the peer reads the buffer, otherwise it writes to it */
	unsigned access;
	uint64_t needs;
};

static const struct later_use later_uses[] = {
	{.id = "write",
	 .must = &RDMAP_5_3_14,
	 .access = FOR_WRITES,
	 .needs = NEED_WRITE},
	{.id = "read",
	 .must = &RDMAP_7_2_07,
	 .reads = true,
	 .access = FOR_READS,
	 .needs = NEED_READ},
};

CASE_EACH(an_invalidated_stag_is_refused_on_another_stream, struct later_use,
	  later_uses,
	  .title = "an STag invalidated by a Send is refused also on another "
		   "stream that has used it before",
	  .needs = NEED_SEND_INV | NEED_MULTI_STREAM, .role = EITHER)
{
	/* Given streams a and b of one domain, and an STag that b has used, */
	if (!(dut_claims(t) & row->needs))
		not_applicable(
			t, "the device does not claim the feature of this row");
	struct region r = dut_registers(t, .len = 8, .access = row->access);
	unsigned a = connects(t, .crc = true);
	struct sink sink = dut_posts_recv(t, 64);
	unsigned b = connects(t, .crc = true);
	if (row->reads) {
		peer_sends(t, READ(r, 0, 8));
		awaits_given(t, RDMAP_READ_RESPONSE);
	} else {
		peer_sends(t, WRITE(r, 0, "granted!", 8));
		insists(t, DDP_4_1_01, memory_is(r, 0, "granted!", 8));
	}

	/* when a Send on a invalidates it, and then b uses it again, */
	on_stream(t, a);
	takes_invalidate(t, sink, r.stag);
	on_stream(t, b);
	peer_sends(t, row->reads ? READ(r, 0, 8) : WRITE(r, 0, "too late", 8));

	/* then b is refused. */
	must_row(t, row,
		 row->reads ? terminate(TERM_RDMA, 1, 0x00)
			    : terminate_if_any(TERM_DDP, 1, 0x00));
	if (!row->reads)
		must_row(t, row, memory_is(r, 0, "granted!", 8));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE_EACH(a_foreign_stag_is_not_invalidated, struct kind, kinds,
	  .title = "a Send may not invalidate an STag of another Protection "
		   "Domain, which stays valid there",
	  .needs = NEED_READ | NEED_BOTH | NEED_MULTI_STREAM, .role = EITHER)
{
	/* Given an STag of domain 1, and streams of domains 1 and 2, */
	struct region region =
		dut_registers(t, .len = 16, .pd = 1, .access = FOR_READS);
	unsigned owner = connects(t, .pd = 1);
	connects(t, .pd = 2);
	struct sink sink = dut_posts_recv(t, 64);

	/* when a Send on the stream of domain 2 names it, */
	peer_sends(t, SEND_KIND(row->opcode, "done", 4, .inval = region.stag));

	/* then it is not delivered, and the Terminate has the reason: RFC 5040
	 * s5.3 has the code, "STag Cannot be Invalidated", where an STag "is
	 * not associated with the RDMAP Stream"; Figure 9 has it in two
	 * types; */
	must(t, RDMAP_5_3_17, not_delivered(sink));
	must(t, RDMAP_5_3_17,
	     any_of(t, terminate(TERM_RDMA, 1, 0x09),
		    terminate(TERM_RDMA, 2, 0x09)));

	/* and the owner still reads by it. */
	on_stream(t, owner);
	insists(t, SEC_6_1_1_01, stream_works());
	peer_sends(t, READ(region, 0, 16));
	awaits(t, RDMAP_5_3_17, RDMAP_READ_RESPONSE);
}

CASE_EACH(an_stag_bound_to_another_stream_is_not_invalidated, struct kind,
	  kinds,
	  .title = "a Send may not invalidate an STag that is limited to "
		   "another stream, where it still works",
	  .needs = NEED_READ | NEED_BOTH | NEED_MULTI_STREAM | NEED_STREAM_STAG,
	  .role = EITHER)
{
	/* Given two streams of one domain, and an STag limited to the first, */
	unsigned owner = connects(t, .crc = true);
	struct region region =
		dut_registers(t, .len = 16, .bound = true, .access = FOR_READS);
	connects(t, .crc = true);
	struct sink sink = dut_posts_recv(t, 64);

	/* when a Send on the second names it, */
	peer_sends(t, SEND_KIND(row->opcode, "done", 4, .inval = region.stag));

	/* then it is not delivered, and the Terminate says why; */
	must(t, RDMAP_7_2_05, not_delivered(sink));
	must(t, RDMAP_7_2_05, cannot_be_invalidated(t));

	/* and on the first it still works. */
	on_stream(t, owner);
	insists(t, SEC_6_1_1_02, stream_works());
	peer_sends(t, READ(region, 0, 16));
	awaits(t, RDMAP_7_2_05, RDMAP_READ_RESPONSE);
}

static const struct kind unissued[] = {
	{.id = "send_with_invalidate",
	 .must = &RDMAP_5_3_18,
	 .opcode = RDMAP_SEND_INV},
	{.id = "send_with_se_and_invalidate",
	 .must = &RDMAP_7_2_04,
	 .opcode = RDMAP_SEND_SE_INV},
};

CASE_EACH(an_stag_never_issued_is_refused, struct kind, unissued,
	  .title = "a Send with Invalidate that names an STag never issued is "
		   "not delivered",
	  .needs = NEED_BOTH, .role = EITHER)
{
	/* Given a buffer waiting, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when a Send names an STag that no buffer ever had, */
	peer_sends(t, SEND_KIND(row->opcode, "done", 4,
				.inval = stag_never_issued(t)));

	/* then it is not delivered, and the Terminate says why. */
	must_row(t, row, not_delivered(sink));
	must_row(t, row, not_valid(t));
}

CASE_EACH(an_stag_is_invalidated_once, struct kind, kinds,
	  .title = "the second Send that invalidates the same STag is not "
		   "delivered",
	  .needs = NEED_BOTH, .role = EITHER)
{
	/* Given two buffers waiting and an STag, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	struct region region = dut_registers(t, .len = 16, .access = FOR_READS);
	connects(t, .crc = true);

	/* when two Sends name it, one after the other, */
	peer_sends(t, SEND_KIND(row->opcode, "once", 4, .inval = region.stag));
	peer_sends(t, SEND_KIND(row->opcode, "twice", 5, .inval = region.stag));

	/* then the first is delivered, and the second ends the stream. */
	insists(t, RDMAP_5_3_02, delivered_text(sink_at(sinks, 0), "once"));
	must(t, RDMAP_5_3_19, not_delivered(sink_at(sinks, 1)));
	must(t, RDMAP_5_3_19, not_valid(t));
}

CASE(an_stag_invalidated_locally_is_refused,
     .title = "a Send with Invalidate may not name an STag that the ULP has "
	      "invalidated",
     .needs = NEED_SEND_INV, .role = EITHER)
{
	/* Given a buffer waiting and an STag given up, */
	struct sink sink = dut_posts_recv(t, 64);
	struct region region = dut_registers(t, .len = 16, .access = FOR_READS);
	connects(t, .crc = true);
	dut_invalidates(t, region);

	/* when a Send names it, */
	peer_sends(t,
		   SEND_KIND(RDMAP_SEND_INV, "done", 4, .inval = region.stag));

	/* then it is not delivered, and the Terminate says why. */
	must(t, RDMAP_5_3_19, not_delivered(sink));
	must(t, RDMAP_5_3_19, not_valid(t));
}

CASE(invalidation_waits_for_delivery,
     .title = "the reaction to a Write to an STag while the Send that "
	      "invalidates it is under way is recorded",
     .needs = NEED_SEND_INV | NEED_WRITE, .role = EITHER)
{
	/* Given a buffer waiting and an STag, */
	struct sink sink = dut_posts_recv(t, 64);
	struct region region =
		dut_registers(t, .len = 16, .access = FOR_WRITES);
	connects(t, .crc = true);

	/* when a Write to it stands between the segments of that Send, */
	peer_breaks(t, DDP_5_3_01);
	peer_sends(t, SEND_KIND(RDMAP_SEND_INV, "do", 2, .inval = region.stag,
				.l = IS(0), .keeps_msn = true));
	peer_sends(t, WRITE(region, 0, "between", 7));
	peer_sends(t, SEND_KIND(RDMAP_SEND_INV, "ne", 2, .inval = region.stag,
				.mo = IS(2)));

	/* then it may be placed, or refused: messages are not to be mixed. */
	struct completion c = dut_receives(t, sink);
	bool placed = memcmp(dut_memory(t, region, 0, 7), "between", 7) == 0;

	observe(t, RDMAP_5_3_16, "the Write is %s, the Send is %s",
		placed ? "placed" : "not placed",
		c.ok ? "delivered" : "not delivered");
	if (c.ok)
		must(t, RDMAP_5_3_14,
		     any_of(t, tells_invalidated(sink, region.stag),
			    stream_ends()));
}

CASE_EACH(an_invalidate_names_the_stag_given, struct kind, kinds,
	  .title = "a Send with Invalidate carries the STag that the ULP named",
	  .needs = NEED_BOTH, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the consumer posts a Send that invalidates the peer's STag, */
	dut_posts(t, POST_SEND("done", .invalidate = true, .inv = 0x01020304,
			       .se = row->se));

	/* then its octets 2 to 5 hold it, the most significant one first. */
	const struct frame *f = awaits_given(t, row->opcode);
	if (row->se)
		must(t, RDMAP_5_3_13,
		     is("Invalidate STag", f->seg.ddp.inval_stag, 0x01020304));
	else
		must(t, RDMAP_4_1_20,
		     is("Invalidate STag", f->seg.ddp.inval_stag, 0x01020304));
}

CASE(every_segment_names_the_stag,
     .title = "every segment of a Send with Invalidate carries its STag",
     .needs = NEED_SEND_INV, .role = EITHER)
{
	/* Given a buffer of more than one segment, */
	struct region buffer = dut_registers(t, .len = 4096);
	connects(t, .mss = 1000);

	/* when the consumer sends it and invalidates the peer's STag, */
	dut_posts(t, POST_SEND_FROM(buffer, 0, 4096, .invalidate = true,
				    .inv = 0x01020304));

	/* then each of its segments holds it. */
	struct message m = awaits_message(t, RDMAP_4_1_25, RDMAP_SEND_INV);
	if (m.count < 2)
		not_applicable(t, "the device sends it in one segment");
	for (size_t i = 0; i < m.count; i++)
		must(t, RDMAP_4_1_20,
		     is("Invalidate STag", m.frames[i]->seg.ddp.inval_stag,
			0x01020304));
}
