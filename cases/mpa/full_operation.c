/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5044 s7.1.1, s7.1.2 (rules 2 to 4, 6, 7): from the startup frames into
 * Full Operation, or out of MPA by a reject.
 */
#include "case.h"

/* --- the first FPDU ---------------------------------------------------- */

CASE(operation_starts_after_the_reply,
     .title = "the first octet after a Reply's private data is the first of "
	      "an FPDU",
     .needs = NEED_SEND, .role = INITIATOR)
{
	/* Given a Reply with three octets of private data, */
	struct sink sink = dut_posts_recv(t, 64);
	dut_dials(t);
	awaits_startup(t, MPA_7_1_2_01);
	peer_sends_startup(t,
			   REPLY(.private_data = "abc", .private_octets = 3));
	must(t, MPA_7_1_03, full_operation_works());

	/* when the peer sends, then its FPDUs are taken from the octet after. */
	peer_sends(t, SEND("in step"));
	must(t, MPA_7_1_03, delivered_text(sink, "in step"));
}

CASE(initiator_goes_on_after_the_reply,
     .title = "an initiator starts with FPDUs after a Reply with R=0",
     .needs = NEED_SEND, .role = INITIATOR)
{
	/* Given a device with a Send queued, */
	dut_dials(t);
	dut_posts(t, POST_SEND("first"));
	awaits_request(t);

	/* when the Reply has R=0, and something for the ULP, */
	peer_sends_startup(t,
			   REPLY(.private_data = "yes", .private_octets = 3));
	full_operation(t);

	/* then the Send is its first FPDU. */
	const struct frame *f = next_frame(t);
	should(t, MPA_7_1_2_15,
	       holds_of(f, "the first FPDU is the Send",
			f && f->seg.ddp.opcode == RDMAP_SEND, NULL));
	should(t, MPA_7_1_2_15, stream_works());
}

CASE(responder_accepts,
     .title = "a Request that the ULP accepts is answered with R=0")
{
	/* Given a device whose ULP accepts, when a Request comes, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(
		t, REQUEST(.private_data = "please", .private_octets = 6));

	/* then the Reply has R=0, and Full Operation follows. */
	struct startup_seen reply = awaits_reply(t);
	should(t, MPA_7_1_2_09, is("R", reply.frame.flags & MPA_R, 0));
	should(t, MPA_7_1_2_09, full_operation_works());
}

CASE(fpdu_right_after_the_reply,
     .title = "an FPDU that immediately follows the Reply is delivered",
     .needs = NEED_SEND)
{
	/* Given a responder with a receive posted, */
	struct sink sink = dut_posts_recv(t, 64);
	peer_connects(t, .unproven = true, .at_once = true);

	/* when the first octets after its Reply are a Send, */
	peer_sends(t, SEND("at once"));

	/* then it is delivered. */
	should(t, MPA_7_1_2_11, delivered_text(sink, "at once"));
}

struct first_row {
	CASE_ROW;
	struct msg msg;
	unsigned access; /* of the region that it names; 0: none */
};
static const struct first_row first_messages[] = {
	{.id = "write", .msg = WRITE_TO(0, 0, "", 0)},
	{.id = "read", .msg = READ_FROM(0, 0, 0)},
	{.id = "send", .msg = SEND("first")},
	{.id = "write_of_octets",
	 .msg = WRITE_TO(0, 0, "8 octets", 8),
	 .access = FOR_WRITES},
	{.id = "read_of_octets",
	 .msg = READ_FROM(0, 0, 8),
	 .access = FOR_READS},
	{.id = "immediate_data", .msg = IMM("8 octets")},
	{.id = "fetchadd",
	 .msg = {.opcode = RDMAP_ATOMIC_REQUEST,
		 .atomic = {.aopcode = RDMAP_FETCHADD,
			    .id = 1,
			    .data = 1,
			    .compare_mask = ~0ull}},
	 .access = FOR_ATOMICS},
};

static struct msg at(struct region r, struct msg m)
{
	m.stag = m.read.source_stag = m.atomic.stag = r.stag;
	m.to = m.read.source_to = m.atomic.to = r.to;
	return m;
}

static bool send_comes(struct test *t)
{
	const struct frame *f = next_frame(t);

	while (f && f->seg.ddp.opcode != RDMAP_SEND)
		f = next_frame(t);
	return f != NULL;
}

CASE_EACH(any_valid_fpdu_releases_the_responder, struct first_row,
	  first_messages,
	  .title = "a responder may send once it has received one valid FPDU, "
		   "of any kind",
	  .needs = NEED_SEND | NEED_WRITE | NEED_READ)
{
	/* Given a responder with a Send queued, */
	dut_claims_kind(t, row->msg.opcode);
	struct msg first = row->msg;
	if (row->access)
		first = at(dut_registers(t, .len = 8, .access = row->access),
			   first);
	dut_posts_recv(t, 64);
	peer_connects(t, .unproven = true);
	dut_posts(t, POST_SEND("queued"));

	/* when the first FPDU comes, */
	peer_sends(t, first);

	/* then the Send follows, perhaps after a Response. */
	must(t, MPA_7_1_2_19, holds("the Send of the device", send_comes(t)));
	must(t, MPA_7_1_2_19, stream_works());
}

/* --- before the first FPDU ----------------------------------------------- */

CASE(responder_waits_for_an_fpdu,
     .title = "a responder sends no FPDU before it has received one",
     .needs = NEED_SEND)
{
	/* Given a stream on which nothing followed the startup frames, */
	peer_connects(t, .unproven = true);

	/* when Sends are queued at the responder, */
	dut_posts(t, POST_SEND("one"));
	dut_posts(t, POST_SEND("two"));

	/* then no octet arrives from it until it has a valid FPDU. */
	must(t, MPA_7_1_2_16, nothing_more());
	peer_sends(t, WRITE_TO(0, 0, "", 0));
	awaits(t, MPA_7_1_2_19, RDMAP_SEND);
	awaits(t, MPA_7_1_2_19, RDMAP_SEND);
	must(t, MPA_7_1_2_16, stream_works());
}

CASE(responder_keeps_its_first_marker,
     .title = "a responder sends no marker before it has received an FPDU",
     .needs = NEED_SEND | NEED_MARKERS_TX)
{
	/* Given a peer that requested markers, */
	peer_connects(t, .markers = true, .unproven = true);

	/* when a Send is queued at the responder, */
	dut_posts(t, POST_SEND("one"));

	/* then no marker comes ahead of the FPDU that it may not send yet. */
	must(t, MPA_7_1_2_17, nothing_more());
	peer_sends(t, WRITE_TO(0, 0, "", 0));
	awaits_given(t, RDMAP_SEND);
}

CASE(bad_first_fpdu_releases_nothing,
     .title = "an FPDU with a wrong CRC does not allow the responder to send",
     .needs = NEED_SEND)
{
	/* Given a responder with a Send queued, */
	dut_works(t);
	peer_connects(t, .unproven = true);
	dut_posts(t, POST_SEND("queued"));

	/* when the CRC of the first FPDU is wrong, */
	peer_sends(t, WRITE_TO(0, 0, "", 0, .crc = CRC_WRONG));

	/* then no FPDU arrives, or only a Terminate. */
	must(t, MPA_4_4_14, stream_ends_or_stalls());
	const struct frame *f = next_frame(t);
	must(t, MPA_7_1_2_18,
	     holds_of(f, "no FPDU but a Terminate",
		      !f || f->seg.ddp.opcode == RDMAP_TERMINATE, NULL));
	observe(t, MPA_7_1_2_35, "%s", how_it_ended(t));
}

CASE(incomplete_first_fpdu_releases_nothing,
     .title = "an FPDU without its CRC does not allow the responder to send",
     .needs = NEED_SEND)
{
	/* Given a responder with a receive posted and a Send queued, */
	dut_posts_recv(t, 64);
	peer_connects(t, .unproven = true);
	dut_posts(t, POST_SEND("queued"));

	/* when all of the first FPDU has arrived except its CRC, */
	peer_sends(t, SEND("half"), .keep_last = 4);

	/* then no octet arrives before the CRC does. */
	must(t, MPA_7_1_2_36, nothing_more());
	peer_goes_on(t);
	awaits_given(t, RDMAP_SEND);
}

CASE(fpdu_along_with_the_reply,
     .title = "an initiator's reaction to an FPDU in the segment of the Reply "
	      "is recorded",
     .needs = NEED_SEND, .role = INITIATOR)
{
	/* Given a device with a receive posted, */
	dut_works(t);
	dut_dials(t, .sees_opening = true);
	struct sink sink = dut_posts_recv(t, 64);
	awaits_request(t);

	/* when a peer sends a Send along with its Reply, */
	peer_sends_startup(t, REPLY(.private_data = "pd", .private_octets = 2,
				    .hold = true));
	full_operation(t);
	peer_sends(t, SEND("too early"), .early = true);

	/* then it is delivered, or the connection is over. */
	struct dut_state seen = dut_starts(t);
	struct completion c = dut_receives(t, sink);
	observe(t, MPA_7_1_2_33,
		"the Send is %s; the ULP has %zu octets of private data; the "
		"agent reports: %s",
		c.came && c.ok ? "delivered" : "not delivered",
		seen.private_octets, dut_state(t).state);
}

/* --- markers and CRCs as agreed ------------------------------------------- */

static bool all_crcs_right(struct message m)
{
	for (size_t i = 0; i < m.count; i++)
		if (!m.frames[i]->crc_ok)
			return false;
	return true;
}

CASE(no_markers_unless_asked_for,
     .title = "the device sends no markers to a peer with M=0",
     .needs = NEED_SEND, .role = EITHER)
{
	const uint8_t *octets = pattern(t, 4096, 1);

	/* Given a stream without a request for markers, */
	connects(t, .unproven = true);
	if (case_role(t) == RESPONDER)
		initiator_speaks(t);

	/* when the device sends 4096 octets, */
	dut_posts(t, POST_SEND_N(octets, 4096));

	/* then they come without a marker, under CRCs over just that. */
	struct message m = awaits_message(t, MPA_7_1_1_07, RDMAP_SEND);
	must(t, MPA_7_1_1_07,
	     octets_are(t, "payload", m.octets, m.n, octets, 4096));
	must(t, MPA_4_4_04,
	     holds("the CRCs of all FPDUs are right", all_crcs_right(m)));
	must(t, MPA_7_1_1_07, stream_works());
}

CASE(own_m_asks_for_markers_one_way,
     .title = "a device that asks for markers sends none to a peer with M=0",
     .needs = NEED_SEND | NEED_MARKERS_RX, .role = EITHER)
{
	const uint8_t *octets = pattern(t, 4096, 1);

	/* Given a stream on which only the device requested markers, */
	connects(t, .dut_markers = true, .unproven = true);
	if (case_role(t) == RESPONDER)
		initiator_speaks(t);

	/* when the device sends 4096 octets, */
	dut_posts(t, POST_SEND_N(octets, 4096));

	/* then they come without a marker, under CRCs over just that. */
	struct message m = awaits_message(t, MPA_7_1_1_07, RDMAP_SEND);
	must(t, MPA_7_1_1_07,
	     octets_are(t, "payload", m.octets, m.n, octets, 4096));
	must(t, MPA_4_4_04,
	     holds("the CRCs of all FPDUs are right", all_crcs_right(m)));
	must(t, MPA_7_1_1_07, stream_works());
}

CASE(own_c_binds_the_device,
     .title = "with C=1 only from the device, it sends correct CRCs",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a peer with C=0 and a device with C=1, */
	connects(t, .crc = OFF);

	/* when the device sends, then its CRCs are right. */
	dut_posts(t, POST_SEND_N(pattern(t, 4096, 1), 4096));
	struct message m = awaits_message(t, MPA_7_1_1_10, RDMAP_SEND);
	must(t, MPA_7_1_1_10,
	     holds("the CRCs of all FPDUs are right", all_crcs_right(m)));
}

CASE(c_of_the_peer_binds_the_device,
     .title = "with C=1 only from the peer, the device sends correct CRCs",
     .needs = NEED_SEND | NEED_CRC_OFF, .role = EITHER)
{
	/* Given a peer with C=1 and a device with C=0, */
	connects(t, .dut_crc = OFF);

	/* when the device sends, then its CRCs are right. */
	dut_posts(t, POST_SEND_N(pattern(t, 4096, 1), 4096));
	struct message m = awaits_message(t, MPA_7_1_1_10, RDMAP_SEND);
	must(t, MPA_7_1_1_10,
	     holds("the CRCs of all FPDUs are right", all_crcs_right(m)));
}

CASE(markers_asked_for_have_to_come,
     .title = "a stream without the markers that the device asked for is not "
	      "accepted as good data",
     .needs = NEED_SEND | NEED_MARKERS_RX, .role = EITHER)
{
	/* Given a device that requested markers, */
	struct sink sink = dut_posts_recvs(t, 2, 1024);
	connects(t, .dut_markers = true);
	size_t n = peer_mulpdu(t) - DDP_UNTAGGED_OCTETS;
	if (n < 460)
		not_applicable(t, "an FPDU on this path is too short to reach "
				  "the place of a marker");
	n = n < 600 ? n : 600;

	/* when the peer continues without them, past the place of one, */
	peer_sends(t, SEND_N(octets_of(t, n, 'm'), n, .no_markers = true),
		   .hold = true);
	peer_sends(t, SEND("more", .no_markers = true));

	/* then nothing is delivered, and the stream is over. */
	must(t, MPA_7_1_1_34, stream_ends_or_stalls());
	must(t, MPA_7_1_1_34, not_delivered(sink));
	must(t, MPA_7_1_1_34,
	     any_of(t, terminate_if_any(TERM_LLP, 0, 0x02),
		    terminate_if_any(TERM_LLP, 0, 0x03),
		    terminate_if_any(TERM_RDMA, 0, 0x00), segment_dropped()));
	should(t, MPA_8_02,
	       any_of(t, crc_error_reported(t), terminate(TERM_LLP, 0, 0x03)));
}

CASE(markers_not_asked_for_are_no_data,
     .title = "a marker that the device did not ask for is not accepted as "
	      "good data",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a device that did not ask for markers, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t);

	/* when a Send has a leading marker, inside its CRC, */
	peer_sends(t, SEND("marked", .extra_marker = true));

	/* then nothing is delivered, and the stream is over. */
	must(t, MPA_7_1_1_35, stream_ends_or_stalls());
	must(t, MPA_7_1_1_35, not_delivered(sink));
	must(t, MPA_7_1_1_35,
	     any_of(t, terminate_if_any(TERM_LLP, 0, 0x02),
		    terminate_if_any(TERM_LLP, 0, 0x03),
		    terminate_if_any(TERM_RDMA, 0, 0x00), segment_dropped()));
	should(t, MPA_8_02, crc_error_reported(t));
}

/* --- rejects ------------------------------------------------------------------ */

CASE(responder_rejects,
     .title = "a Request that the ULP rejects is answered with R=1",
     .needs = NEED_REJECT)
{
	/* Given a device whose ULP rejects, */
	dut_works(t);
	dut_listens(t, .reject = true);
	peer_opens_tcp(t);

	/* when a Request comes, */
	peer_sends_startup(
		t, REQUEST(.private_data = "please", .private_octets = 6));

	/* then it is answered by a whole Reply with R=1, and no FPDU. */
	struct startup_seen reply = dut_startup(t);
	should(t, MPA_7_1_2_06, holds("a Reply", reply.came));
	if (!reply.came)
		return;
	should(t, MPA_7_1_2_06, is("R", reply.frame.flags & MPA_R, MPA_R));
	should(t, MPA_7_1_2_06,
	       holds("the agent reports: rejected",
		     strcmp(dut_accepts(t).state, "rejected") == 0));
	must(t, MPA_7_1_2_37, nothing_more());
	observe(t, MPA_7_1_2_08, "%s", how_tcp_stands(t));
}

CASE(rejecting_responder_is_out_of_mpa,
     .title = "after a reject a responder does not treat anything as an FPDU",
     .needs = NEED_REJECT | NEED_SEND | NEED_WRITE)
{
	/* Given a responder that has rejected, with memory registered, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_WRITES);
	dut_works(t);
	peer_connects(t, .reject = true);

	/* when the peer sends a Send and a Write all the same, */
	peer_sends(t, SEND("refused"), .early = true);
	peer_sends(t, WRITE(r, 0, "refused", 7), .early = true);

	/* then nothing is placed, and nothing answers, no Terminate either. */
	must(t, MPA_7_1_2_37, nothing_more());
	must(t, MPA_7_1_2_37, memory_unchanged(r));
}

CASE(rejected_initiator_is_out_of_mpa,
     .title = "after a Reply with R=1 an initiator sends no FPDU",
     .needs = NEED_SEND, .role = INITIATOR)
{
	/* Given a device with a Send queued, */
	dut_works(t);
	dut_dials(t);
	dut_posts(t, POST_SEND("queued"));
	awaits_request(t);

	/* when the Reply has R=1, */
	peer_sends_startup(t, REPLY(.r = true));

	/* then the ULP has no stream, and no octet follows. */
	must(t, MPA_7_1_2_14, agent_sees_no_stream());
	must(t, MPA_7_1_2_14, nothing_more());
	observe(t, MPA_7_1_2_34, "%s", how_tcp_stands(t));
}

struct reject_row {
	CASE_ROW;
	bool enhanced;
	size_t octets; /* of private data */
};

static const struct reject_row rejects[] = {
	{.id = "with_one_octet", .octets = 1},
	{.id = "with_512_octets", .octets = 512},
	{.id = "enhanced", .enhanced = true},
	{.id = "enhanced_with_one_octet", .enhanced = true, .octets = 1},
	{.id = "enhanced_with_508_octets", .enhanced = true, .octets = 508},
};

CASE_EACH(a_reject_with_private_data_is_one, struct reject_row, rejects,
	  .title =
		  "after a Reply with R=1 an initiator sends no FPDU, whatever "
		  "else is in the Reply",
	  .needs = NEED_SEND, .role = INITIATOR)
{
	/* Given a device with a Send queued, */
	if (row->enhanced && !(dut_claims(t) & NEED_ENHANCED))
		not_applicable(
			t, "the device does not claim the feature of this row");
	dut_works(t);
	dut_dials(t, .enhanced = row->enhanced);
	dut_posts(t, POST_SEND("queued"));
	awaits_request(t);

	/* when the Reply has R=1, and private data of the ULP, */
	peer_sends_startup(t, REPLY(.r = true, .enhanced = row->enhanced,
				    .private_data = pattern(t, 512, 1),
				    .private_octets = row->octets));

	/* then the ULP has no stream, and no octet follows. */
	must(t, MPA_7_1_2_14, agent_sees_no_stream());
	must(t, MPA_7_1_2_14, nothing_more());
}

CASE(ulp_of_the_initiator_closes,
     .title = "the initiator's ULP may close because of the private data",
     .role = INITIATOR)
{
	/* Given a Reply with private data, */
	dut_works(t);
	dut_dials(t);
	awaits_request(t);
	peer_sends_startup(t, REPLY(.private_data = "no", .private_octets = 2));
	dut_starts(t);

	/* when the ULP closes, then TCP ends without an FPDU. */
	dut_closes(t);
	may(t, MPA_7_1_2_23, closed_without_fpdu());
}
