/* SPDX-License-Identifier: BSD-2-Clause */
/* The texts about Terminates and other ends of a stream. */
#include "suite/language/text/objection_text_fixture.h"

static void numbers_of_a_terminate(void)
{
	struct fixture f;
	struct ddp_segment s = send_of(1, "x"), old = send_of(0xffffffff, "x");

	setup(&f);
	model_peer_sends(&f.m, &s, MODEL_FRAME_CRC_WRONG, &f.outcomes);
	dut_told(&f, terminate_about(&f, 1, 2, 2, NULL, false),
		 "a Terminate 2/0/02 (LLP, MPA, CRC error)",
		 "1/2/02 (DDP, untagged, no buffer)");
	setup_released(&f);
	peer(&f, old);
	dut_told(&f, terminate_about(&f, 0, 0, 0x55, NULL, false),
		 "one of: a Terminate 1/2/03 (DDP, untagged, MSN range not "
		 "valid), or a Terminate 1/2/02 (DDP, untagged, no buffer)",
		 "0/0/55 (RDMA, local catastrophic)");
	setup_released(&f);
	dut_told(&f, terminate_about(&f, 0, 2, 6, NULL, false), "no Terminate",
		 "0/2/06 (RDMA, remote operation, unexpected OpCode)");
	setup(&f);
	dut_told(&f, terminate_about(&f, 1, 2, 0, NULL, false),
		 "numbers that are registered: one of 1/2/01, 1/2/02, 1/2/03, "
		 "1/2/04, 1/2/05, 1/2/06",
		 "1/2/00 (DDP, untagged, not registered)");
	setup(&f);
	dut_told(&f, terminate_about(&f, 2, 1, 0, NULL, false),
		 "numbers that are registered", "2/1/00 (LLP, not registered)");
	setup(&f);
	dut_told(&f, terminate_about(&f, 7, 1, 0, NULL, false),
		 "numbers that are registered", "7/1/00 (not registered)");
}

static void form_of_a_terminate(void)
{
	struct fixture f;
	struct ddp_segment t;
	uint8_t octets[6] = {0x00, 0x00, 0x00, 0x01, 0, 0};

	setup(&f);
	dut_told(&f, untagged(RDMAP_TERMINATE, 2, 1, octets, 3),
		 "ULPDU_Length: at least 22 octets", "21 octets");
	setup(&f);
	f.m.local_error = true;
	dut_told(&f, untagged(RDMAP_TERMINATE, 2, 1, octets, 4),
		 "Reserved: 0x0", "0x1");
	dut_told(&f, send_of(1, "x"), "nothing after the Terminate", "Send");
	setup(&f);
	f.m.local_error = true;
	octets[3] = 0;
	dut_told(&f, untagged(RDMAP_TERMINATE, 2, 1, octets, 6),
		 "ULPDU_Length: 22 octets, with M=0, D=0, R=0", "24 octets");
	setup(&f);
	f.m.local_error = true;
	dut_told(&f, untagged(RDMAP_TERMINATE, 2, 2, octets, 4),
		 "MSN on QN 2: 1", "2");
	setup(&f);
	f.m.local_error = true;
	t = untagged(RDMAP_TERMINATE, 2, 1, octets, 4);
	t.ddp.mo = 8;
	dut_told(&f, t, "MO: 0", "8");
}

static void what_a_terminate_returns(void)
{
	struct fixture f;
	struct ddp_segment s = tagged(RDMAP_WRITE, 0x999, BASE, "abcd", 4);
	struct ddp_segment other;

	setup(&f);
	peer(&f, s);
	dut_told(&f, terminate_about(&f, 1, 1, 0, NULL, false),
		 "HdrCt: M=1, D=1, R=0", "M=0, D=0, R=0");
	setup(&f);
	peer(&f, s);
	other = s;
	other.payload_octets = 3;
	dut_told(&f, terminate_about(&f, 1, 1, 0, &other, false),
		 "DDP Segment Length: 18 octets", "17 octets");
	setup(&f);
	peer(&f, s);
	other = s;
	other.ddp.to++;
	dut_told(&f, terminate_about(&f, 1, 1, 0, &other, false),
		 "TO: 0x1000 [c1 40 00 00 09 99 00 00 00 00 00 00 10 00]",
		 "0x1001 [c1 40 00 00 09 99 00 00 00 00 00 00 10 01]");
	setup(&f);
	s = send_of(0xffffffff, "");
	setup_released(&f);
	peer(&f, s);
	other = tagged(RDMAP_WRITE, 0, 0, NULL, 4);
	dut_told(&f, terminate_about(&f, 1, 2, 3, &other, false),
		 "the header of an untagged segment [41 43 00 00 00 00 00 00 "
		 "00 00 ff ff ff ff 00 00 00 00]",
		 "the header of a tagged segment [c1 40 00 00 00 00 00 00 00 "
		 "00 00 00 00 00]");
	setup(&f);
	f.m.local_error = true;
	dut_told(&f, terminate_about(&f, 1, 2, 3, &s, false),
		 "no header, as no message is at fault",
		 "41 43 00 00 00 00 00 00 00 00 ff ff ff ff 00 00 00 00");

	setup(&f);
	peer(&f, read_request(&f, 1, 8, STAG, BASE + LEN));
	other = read_request(&f, 1, 9, STAG, BASE + LEN);
	dut_told(&f, terminate_about(&f, 0, 1, 1, &other, true),
		 "RDMA Read Message Size: 8 octets", "9 octets");
	setup(&f);
	peer(&f, read_request(&f, 1, 8, STAG, BASE + LEN));
	other = read_request(&f, 1, 8, STAG, BASE);
	dut_told(&f, terminate_about(&f, 0, 1, 1, &other, true),
		 "Data Source Tagged Offset: 0x1100", "0x1000");
}

static void the_end(void)
{
	struct fixture f;
	struct ddp_segment s = tagged(RDMAP_WRITE, 0x999, BASE, "abcd", 4);

	setup(&f);
	peer(&f, s);
	model_dut_ends(&f.m, MODEL_END_FIN, &f.objections);
	told(&f.objections, "a Terminate 1/1/00 (DDP, tagged, invalid STag)",
	     "FIN without a Terminate");
	setup(&f);
	peer(&f, s);
	model_dut_ends(&f.m, MODEL_END_RST, &f.objections);
	told(&f.objections, "a Terminate 1/1/00 (DDP, tagged, invalid STag)",
	     "RST without a Terminate");
	/* A Terminate that a MUST requires may have been lost because of the
	 * reset. */
	setup(&f);
	peer(&f, read_request(&f, 1, 8, STAG, BASE + LEN));
	model_dut_ends(&f.m, MODEL_END_RST, &f.objections);
	told(&f.objections, "FIN", "RST");
	setup(&f);
	f.m.terminated = true;
	model_dut_ends(&f.m, MODEL_END_RST, &f.objections);
	told(&f.objections, "FIN", "RST");
	/* Over SCTP. */
	test->bed->link = &(struct link){.caps = LINK_CAP_MESSAGES};
	told(&f.objections, "Session Terminate", "ABORT");
	test->bed->link = NULL;
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"Terminate numbers", numbers_of_a_terminate},
		{"Terminate form", form_of_a_terminate},
		{"Terminate headers", what_a_terminate_returns},
		{"the end", the_end},
	};

	return objections_run("objection_terminate", tests, UNIT_COUNT(tests));
}
