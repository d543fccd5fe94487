/* SPDX-License-Identifier: BSD-2-Clause */
/* The texts about FPDUs and the headers of their segments. */
#include "suite/language/text/objection_text_fixture.h"

static void fpdu_told(struct fixture *f, const struct fpdu *u,
		      const uint8_t *crc, const char *due, const char *seen)
{
	struct ddp_segment s = send_of(f->m.tx_msn[0], "hello");

	f->m.config.works_known = false;
	model_dut_sends(&f->m, &s, u, crc, &f->objections);
	told(&f->objections, due, seen);
}

static void fpdus(void)
{
	static const uint8_t right[4] = {0xde, 0xad, 0xbe, 0xef};
	static uint8_t ulpdu[65000];
	struct fixture f;
	struct fpdu u;

	setup_released(&f);
	fpdu_init(&u, ulpdu, 23, false, 0);
	fpdu_told(&f, &u, right, "CRC: de ad be ef", "00 00 00 00");
	u.pad[1] = 0x5a;
	fpdu_told(&f, &u, NULL, "pad: 00 00 00", "00 5a 00");
	fpdu_init(&u, ulpdu, 65000, false, 0);
	fpdu_told(&f, &u, NULL, "ULPDU_Length: at most 64768 octets",
		  "65000 octets");
	f.m.config.mulpdu = 1000;
	fpdu_init(&u, ulpdu, 1001, false, 0);
	fpdu_told(&f, &u, NULL, "ULPDU_Length: at most 1000 octets",
		  "1001 octets");
	fpdu_init(&u, ulpdu, 23, true, 0);
	fpdu_told(&f, &u, NULL, "no markers, as the peer sent M=0", "markers");
	f.m.config.dut_markers = true;
	fpdu_init(&u, ulpdu, 23, false, 0);
	fpdu_told(&f, &u, NULL,
		  "a marker every 512 octets, as the peer sent M=1", "none");
	fpdu_init(&u, ulpdu, 600, true, 500);
	u.marker[0].reserved = 0x10;
	fpdu_told(&f, &u, NULL, "reserved bits of marker 1: 0x0", "0x10");
	u.marker[0].reserved = 0;
	u.marker[1].fpduptr = 1;
	fpdu_told(&f, &u, NULL, "FPDUPTR of marker 2: 524 octets", "1 octet");
}

static void who_may_speak(void)
{
	struct model_config c = plain_config();
	struct ddp_segment s = send_of(1, "x");
	struct fixture f;

	c.works_known = false;
	setup_with(&f, &c);
	dut_told(&f, s, "nothing before the initiator's first valid FPDU",
		 "Send");
	c.dut_initiates = true;
	c.rtr = MODEL_RTR_WRITE | MODEL_RTR_READ;
	setup_with(&f, &c);
	dut_told(&f, send_of(1, ""),
		 "the RTR: a zero-length RDMA Write or a zero-length RDMA Read",
		 "a zero-length Send");
	c.rtr = MODEL_RTR_SEND;
	setup_with(&f, &c);
	dut_told(&f, s, "the RTR: a zero-length Send",
		 "Send, 1 octet of payload");
	s.payload_octets = 0;
	s.ddp.last = false;
	setup_with(&f, &c);
	dut_told(&f, s, "the RTR: a zero-length Send", "Send with L=0");
	setup_with(&f, &c);
	dut_told(&f, read_request(&f, 1, 4, 0, 0),
		 "the RTR: a zero-length Send",
		 "RDMA Read Request for 4 octets");
	setup_with(&f, &c);
	dut_told(&f, untagged(RDMAP_IMM, 0, 1, "12345678", 8),
		 "the RTR: a zero-length Send", "Immediate Data");
}

#define A_SEND .last = true, .dv = 1, .rv = 1, .opcode = RDMAP_SEND, .msn = 1

static void one_field(void)
{
	static const struct {
		struct ddp ddp;
		const char *due, *seen;
	} rows[] = {
		{{A_SEND, .rsvd = 5},
		 "reserved bits of the DDP octet: 0x0",
		 "0x5"},
		{{A_SEND, .dv = 2}, "DV: 1", "2"},
		{{A_SEND, .rv = 0}, "RV: 1", "0"},
		{{A_SEND, .rdmap_rsvd = 1},
		 "reserved bits of the RDMAP octet: 0x0",
		 "0x1"},
		{{A_SEND, .opcode = 13},
		 "an opcode that is assigned, and claimed by the device",
		 "opcode 13"},
		{{A_SEND, .qn = 1}, "QN of Send: 0", "1"},
		{{A_SEND, .msn = 5}, "MSN on QN 0: 1", "5"},
		{{A_SEND, .inval_stag = 0x1234},
		 "Invalidate STag of Send: 0x00000000",
		 "0x00001234"},
		{{A_SEND, .mo = 4}, "MO: 0", "4"},
		{{A_SEND, .tagged = true}, "T=0 in Send", "T=1"},
	};
	struct ddp_segment s = {.payload = (const uint8_t *)"hello",
				.payload_octets = 5};
	struct fixture f;

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		setup_released(&f);
		f.m.config.works_known = false;
		s.ddp = rows[i].ddp;
		dut_told(&f, s, rows[i].due, rows[i].seen);
	}
	f.m.config.features = 0;
	dut_told(&f, untagged(RDMAP_IMM, 0, 1, "12345678", 8),
		 "an opcode that is assigned, and claimed by the device",
		 "opcode 8, Immediate Data");
	s = (struct ddp_segment){.short_header = true, .payload_octets = 3};
	dut_told(&f, s,
		 "ULPDU_Length: at least 18 octets, the header of an untagged "
		 "segment",
		 "3 octets");
	f.m.config.features = MODEL_IMM;
	dut_told(&f, untagged(RDMAP_IMM, 0, 1, "1234", 4),
		 "ULPDU_Length of Immediate Data: 26 octets", "22 octets");
}

static struct ddp_segment part(struct ddp_segment s, uint64_t at, size_t n,
			       bool last)
{
	static const uint8_t octets[1024];

	s.ddp.last = last;
	if (s.ddp.tagged)
		s.ddp.to += at;
	else
		s.ddp.mo = (uint32_t)at;
	s.payload = octets;
	s.payload_octets = n;
	return s;
}

static void segments_of_a_message(void)
{
	struct ddp_segment a = untagged(RDMAP_SEND, 0, 1, NULL, 0);
	struct ddp_segment w = tagged(RDMAP_WRITE, 0x77, 0x5000, NULL, 0);
	struct ddp_segment other;
	struct fixture f;

	setup_released(&f);
	f.m.config.works_known = false;

	/* An offset that is wrong from the middle on. */
	CU_ASSERT_EQUAL(dut(&f, part(a, 0, 600, false)), 0);
	CU_ASSERT_EQUAL(dut(&f, part(a, 618, 300, false)), 0);
	dut_told(&f, part(a, 918, 100, true), "MO: 600", "618");
	CU_ASSERT_EQUAL(dut(&f, part(w, 0, 600, false)), 0);
	CU_ASSERT_EQUAL(dut(&f, part(w, 604, 300, false)), 0);
	dut_told(&f, part(w, 904, 100, true), "TO: 0x5258", "0x525c");

	a.ddp.msn = 2;
	CU_ASSERT_EQUAL(dut(&f, part(a, 0, 300, false)), 0);
	CU_ASSERT_EQUAL(dut(&f, part(a, 600, 300, false)), 0);
	dut(&f, part(a, 300, 300, true));
	CU_ASSERT_EQUAL(f.objections.n, 2);
	CU_ASSERT_EQUAL(f.objections.list[1].fault, MODEL_FAULT_MO_ORDER);
	f.objections.n = 1;
	told(&f.objections, "L=1 in the segment that ends at MO 900",
	     "L=1 in one that ends at MO 600");

	CU_ASSERT_EQUAL(dut(&f, part(w, 0, 600, false)), 0);
	other = part(w, 600, 400, true);
	other.ddp.stag = 0x78;
	dut_told(&f, other, "STag: 0x00000077, as in its first segment",
		 "0x00000078");

	a = untagged(RDMAP_SEND_INV, 0, 3, NULL, 0);
	a.ddp.inval_stag = 0xabcd;
	CU_ASSERT_EQUAL(dut(&f, part(a, 0, 600, false)), 0);
	other = part(a, 600, 400, true);
	other.ddp.inval_stag = 0;
	dut_told(&f, other,
		 "Invalidate STag: 0x0000abcd, as in its first segment",
		 "0x00000000");
	a.ddp.msn = 4;
	CU_ASSERT_EQUAL(dut(&f, part(a, 0, 600, false)), 0);
	other = part(a, 600, 400, true);
	other.ddp.opcode = RDMAP_SEND_SE_INV;
	dut_told(&f, other,
		 "opcode: Send with Invalidate, as in its first segment",
		 "Send with SE and Invalidate");

	a = untagged(RDMAP_SEND, 0, 5, NULL, 0);
	CU_ASSERT_EQUAL(dut(&f, part(a, 0, 600, false)), 0);
	dut_told(&f, w, "the rest of the Send", "a new message, RDMA Write");
	a.ddp.msn = 6;
	CU_ASSERT_EQUAL(dut(&f, part(a, 0, 0, false)), 0);
	dut_told(&f, part(a, 0, 0, true), "one segment", "several");
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"FPDUs", fpdus},
		{"who may speak", who_may_speak},
		{"one field", one_field},
		{"segments", segments_of_a_message},
	};

	return objections_run("objection_segment", tests, UNIT_COUNT(tests));
}
