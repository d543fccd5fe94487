/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 6581 s8, s9.3: the Terminates of an enhanced startup that fails.
 */
#include "case.h"

struct code_row {
	CASE_ROW;
	unsigned code;
};
static const struct code_row setup_codes[] = {
	{.id = "insufficient-ird", .code = 0x06},
	{.id = "no-matching-rtr", .code = 0x07},
};

CASE_EACH(first_fpdu_is_a_terminate, struct code_row, setup_codes,
	  .title = "a responder accepts a Terminate as the very first FPDU",
	  .needs = NEED_ENHANCED | NEED_TERMINATE)
{
	/* Given a stream after the startup frames, */
	dut_works(t);
	peer_connects(t, .enhanced = true, .unproven = true);

	/* when the first FPDU says that the startup has failed, */
	peer_sends(t, TERMINATE(TERM_LLP, 0, row->code));
	peer_closes(t);

	/* then the ULP learns of it, and it is over. */
	must(t, EMPA_8_05, agent_sees_terminate(TERM_LLP, 0, row->code));
	must(t, RDMAP_7_01, stream_ends());
}

static struct expect bears(struct test *t, const struct frame *f,
			   const uint8_t control[2])
{
	return octets_are(t, "layer, type and code", f->seg.payload,
			  f->seg.payload_octets < 2 ? f->seg.payload_octets : 2,
			  control, 2);
}

CASE_EACH(setup_terminate_is_an_ordinary_one, struct code_row, setup_codes,
	  .title = "a Terminate of the startup is framed like any other",
	  .needs = NEED_P2P | NEED_RTR_WRITE, .role = INITIATOR)
{
	const uint8_t control[] = {0x20, (uint8_t)row->code};
	bool ird = row->code == 0x06;
	bool markers = dut_claims(t) & NEED_MARKERS_TX;

	/* Given a device with IRD 1 that offers a Write as RTR, */
	dut_works(t);
	if (ird && dut_max_ird(t) >= 0x3ffe)
		not_applicable(t, "the device has room for any ORD");
	dut_dials(t, .markers = markers, .dut_rtr = RTR_WRITE, .dut_ird = 1);
	struct startup_seen request = awaits_request(t);
	if (ird)
		request_negotiates_depths(t, request);

	/* when the Reply wants too many Reads, or another RTR, */
	if (ird)
		peer_breaks(t, EMPA_9_1_01);
	peer_sends_startup(t, REPLY(.enhanced = true, .m = markers, .a = true,
				    .b = !ird, .c = ird, .ird = 16,
				    .ord = ird ? 0x3ffe : 1, .exceeds = ird));
	full_operation(t);

	/* then the Terminate is whole: QN 2, MSN 1, CRC right. */
	if (ird)
		insists(t, EMPA_9_1_13, terminate_any());
	else
		insists(t, EMPA_9_2_16, terminate_any());
	const struct frame *f = the_terminate(t);
	must(t, EMPA_8_06, is("QN", f->seg.ddp.qn, 2));
	must(t, EMPA_8_06, is("MSN", f->seg.ddp.msn, 1));
	if (ird)
		must(t, EMPA_9_1_13, bears(t, f, control));
	else
		must(t, EMPA_9_2_16, bears(t, f, control));
	must(t, EMPA_8_06,
	     holds_of(f, "markers if and only if the peer asked for them",
		      (f->fpdu->marker_count > 0) == markers,
		      markers ? "no marker" : "a marker"));
	must(t, EMPA_8_06,
	     holds_of(f, "the CRC is right", f->crc_ok, "its CRC is wrong"));
}

CASE(local_error_of_the_initiator,
     .title = "an initiator that fails after the Reply sends Terminate 2/0/05",
     .needs = NEED_ENHANCED | NEED_PROVOKE, .role = INITIATOR)
{
	/* Given a device that has its enhanced Reply, */
	dut_works(t);
	dut_dials(t, .enhanced = true);
	awaits_request(t);
	peer_sends_startup(t, REPLY(.enhanced = true, .ird = 16, .ord = 1));
	full_operation(t);
	dut_starts(t);

	/* when it meets a local error before its first FPDU, */
	dut_provokes(t, TERM_LLP, 0, 0x05);

	/* then it reports that, and closes. */
	must(t, EMPA_9_3_01, terminate(TERM_LLP, 0, 0x05));
	peer_closes_behind_terminate(t);
	must(t, EMPA_9_3_01, tcp_closed());
}

CASE(local_error_of_the_responder,
     .title = "the reaction of a responder that fails before it may send is "
	      "recorded",
     .needs = NEED_ENHANCED | NEED_PROVOKE)
{
	/* Given a stream after the startup frames, */
	dut_works(t);
	peer_connects(t, .enhanced = true, .unproven = true);

	/* when the responder meets a local error before the first FPDU, */
	dut_provokes(t, TERM_LLP, 0, 0x05);

	/* then it is a Terminate, or a bare close, as it may not send yet. */
	observe(t, EMPA_9_3_02, "%s", how_it_ended(t));
}
