/* SPDX-License-Identifier: BSD-2-Clause */
/* The texts for a faulty device: the model objects, and the objection is put
 * into words. */
#include "suite/language/text/objection_text.h"

#include <stdio.h>
#include <string.h>

#include "suite/model/model_fixture.h"

static struct test *test;

/* The only objection has this text, except for its first line. */
static void told(const struct model_objections *o, const char *due,
		 const char *seen)
{
	const char *text, *told_due, *told_seen;

	CU_ASSERT_EQUAL(o->n, 1);
	if (!o->n)
		return;
	text = objection_text(test, &o->list[0]);
	told_due = strstr(text, "\ndue:  ");
	told_seen = strstr(text, "\nseen: ");
	CU_ASSERT_TRUE(told_due && told_seen);
	if (!told_due || !told_seen)
		return;
	told_due += strlen("\ndue:  ");
	if (strlen(due) != (size_t)(told_seen - told_due) ||
	    strncmp(told_due, due, strlen(due)) != 0 ||
	    strcmp(told_seen + strlen("\nseen: "), seen) != 0) {
		fprintf(stderr, "it says:\n%s\nwhere due is:\n%s\n%s\n", text,
			due, seen);
		CU_FAIL("told otherwise");
	}
}

static void dut_told(struct fixture *f, struct ddp_segment s, const char *due,
		     const char *seen)
{
	dut(f, s);
	told(&f->objections, due, seen);
}

/* ---- all kinds ---------------------------------------------------------------- */

static void reads_well(const char *text)
{
	const char *due = strstr(text, "\ndue:  ");
	const char *seen = strstr(text, "\nseen: ");

	CU_ASSERT_TRUE_FATAL(due && seen);
	CU_ASSERT_NOT_EQUAL(due[strlen("\ndue:  ")], '\n');
	CU_ASSERT_NOT_EQUAL(seen[strlen("\nseen: ")], '\0');
	CU_ASSERT_PTR_NULL(strstr(text, "(hex)"));
	CU_ASSERT_PTR_NULL(strstr(text, "MODEL_"));
	CU_ASSERT_PTR_NULL(strstr(text, "(null)"));
}

static void every_fault_has_words_of_its_own(void)
{
	const char *wrong[MODEL_FAULT_COUNT];

	for (unsigned i = 0; i < MODEL_FAULT_COUNT; i++) {
		struct model_objection o = {.fault = (enum model_fault)i,
					    .seen = 1,
					    .opcode = RDMAP_SEND};
		const char *text = objection_text(test, &o);

		wrong[i] = test_format(test, "%.*s", (int)strcspn(text, "\n"),
				       text);
		for (unsigned k = 0; k < i; k++)
			CU_ASSERT_STRING_NOT_EQUAL(wrong[k], wrong[i]);
		for (unsigned k = 0; k < MODEL_FIELD_COUNT; k++) {
			o.field = (enum model_field)k;
			reads_well(objection_text(test, &o));
		}
	}
}

static void the_first_line_names_the_fault_of_the_peer(void)
{
	struct fixture f;
	struct ddp_segment s = tagged(RDMAP_WRITE, 0x999, BASE, "abcd", 4);

	setup(&f);
	peer(&f, s);
	dut(&f, terminate_about(&f, 1, 1, 1, &s, false));
	CU_ASSERT_STRING_EQUAL(
		objection_text(test, &f.objections.list[0]),
		"the Terminate's numbers do not fit the fault (the peer's "
		"fault: the STag is not valid)\n"
		"due:  a Terminate 1/1/00 (DDP, tagged, invalid STag)\n"
		"seen: 1/1/01 (DDP, tagged, base or bounds violation)");
	setup_released(&f);
	dut(&f, send_of(2, ""));
	CU_ASSERT_STRING_EQUAL(objection_text(test, &f.objections.list[0]),
			       "the MSN is not the next of its queue\n"
			       "due:  MSN on QN 0: 1\n"
			       "seen: 2");
}

/* ---- startup frames ------------------------------------------------------------- */

struct startup_frame {
	struct mpa_startup f;
	uint8_t octets[16];
};

static void plain(struct startup_frame *x, const uint8_t *key, uint8_t flags,
		  uint8_t rev, const char *private_data)
{
	size_t n = strlen(private_data);

	memset(x, 0, sizeof(*x));
	memcpy(x->f.key, key, MPA_KEY_OCTETS);
	memcpy(x->octets, private_data, n);
	x->f.flags = flags;
	x->f.rev = rev;
	x->f.private_data = x->octets;
	x->f.private_octets = n;
	x->f.pd_length = (uint16_t)n;
}

static void enhanced(struct startup_frame *x, const uint8_t *key,
		     struct mpa_enhanced e)
{
	plain(x, key, MPA_C | MPA_S, 2, "");
	mpa_enhanced_encode(&e, x->octets);
	x->f.pd_length = MPA_ENHANCED_OCTETS;
	x->f.private_octets = MPA_ENHANCED_OCTETS;
}

static struct model_device a_device(void)
{
	return (struct model_device){
		.enhanced = true,
		.asks_enhanced = true,
		.crc = true,
		.ird = 16,
		.ord = 16,
		.ird_max = 32,
		.rtr = MODEL_RTR_WRITE | MODEL_RTR_READ,
	};
}

static void reply_told(const struct model_device *d,
		       const struct startup_frame *q,
		       const struct startup_frame *r, const char *due,
		       const char *seen)
{
	struct model_objections o;

	model_reply_check(d, &q->f, &r->f, &o);
	told(&o, due, seen);
}

static void request_told(const struct model_device *d,
			 const struct startup_frame *q, const char *due,
			 const char *seen)
{
	struct model_objections o;

	model_request_check(d, &q->f, &o);
	told(&o, due, seen);
}

static void plain_startup_frames(void)
{
	struct model_device d = a_device();
	struct startup_frame q, r;

	plain(&q, mpa_key_request, MPA_C, 1, "");
	plain(&r, mpa_key_reply, MPA_C, 1, "");
	r.f.key[9] = 'P';
	reply_told(&d, &q, &r, "Key: \"MPA ID Rep Frame\"",
		   "\"MPA ID ReP Frame\"");
	r.f.key[9] = 0xe5;
	reply_told(&d, &q, &r, "Key: \"MPA ID Rep Frame\"",
		   "4d 50 41 20 49 44 20 52 65 e5 20 46 72 61 6d 65");
	plain(&r, mpa_key_reply, MPA_C | 0x09, 1, "");
	reply_told(&d, &q, &r, "Res: 0x0", "0x9");
	plain(&r, mpa_key_reply, MPA_C | MPA_R, 1, "");
	reply_told(&d, &q, &r, "R=0", "R=1");
	plain(&r, mpa_key_reply, MPA_C, 2, "");
	reply_told(&d, &q, &r, "Rev: 1", "2");
	q.f.rev = 2;
	plain(&r, mpa_key_reply, MPA_C, 3, "");
	reply_told(&d, &q, &r, "Rev: 1 or 2", "3");
	q.f.flags = 0;
	plain(&r, mpa_key_reply, 0, 1, "");
	reply_told(&d, &q, &r, "C=1", "C=0");
	q.f.key[0] = 'm';
	reply_told(&d, &q, &r, "TCP closed without a Reply",
		   "a Reply with R=0");
	plain(&q, mpa_key_request, MPA_C, 1, "");
	q.f.pd_length = 4;
	reply_told(&d, &q, &r, "no Reply before the whole Request has arrived",
		   "a Reply with R=0");
	plain(&q, mpa_key_request, MPA_C | MPA_S, 1, "");
	d.asks_enhanced = false;
	request_told(&d, &q, "S=0", "S=1");
}

static void private_data(void)
{
	struct model_device d = a_device();
	struct startup_frame q, r;

	plain(&q, mpa_key_request, MPA_C, 1, "");
	plain(&r, mpa_key_reply, MPA_C, 1, "12");
	r.f.pd_length = 512;
	reply_told(&d, &q, &r, "PD_Length: 2 octets, as many as follow",
		   "512 octets");
	r.f.pd_length = 513;
	r.f.private_octets = 513;
	reply_told(&d, &q, &r, "PD_Length: at most 512 octets", "513 octets");
	d.private_known = true;
	d.private_data = (const uint8_t *)"ulp";
	d.private_octets = 3;
	plain(&r, mpa_key_reply, MPA_C, 1, "ul");
	reply_told(&d, &q, &r, "PD_Length: 3 octets, those of the ULP",
		   "2 octets");
	plain(&r, mpa_key_reply, MPA_C, 1, "uLP");
	reply_told(&d, &q, &r, "private data of the ULP from octet 1 on: 6c 70",
		   "4c 50");
	enhanced(&q, mpa_key_request, (struct mpa_enhanced){.ird = 3});
	enhanced(&r, mpa_key_reply, (struct mpa_enhanced){.ird = 3});
	memcpy(r.octets + 4, "ul", 2);
	r.f.private_octets = r.f.pd_length = 6;
	reply_told(&d, &q, &r,
		   "PD_Length: 7 octets, 4 of enhanced data and 3 of the ULP",
		   "6 octets");
}

static void enhanced_startup_frames(void)
{
	struct model_device d = a_device();
	struct startup_frame q, r;
	struct mpa_enhanced e = {.ird = 5, .ord = 3};

	enhanced(&q, mpa_key_request,
		 (struct mpa_enhanced){.ird = 3, .ord = 5});
	plain(&r, mpa_key_reply, MPA_C, 2, "");
	reply_told(&d, &q, &r, "S=1, with enhanced data", "S=0");
	r.f.flags |= MPA_S;
	reply_told(&d, &q, &r,
		   "PD_Length: at least 4 octets, with enhanced data",
		   "0 octets");
	e.ord = 4;
	enhanced(&r, mpa_key_reply, e);
	reply_told(&d, &q, &r, "ORD: at most 3", "4");
	e.ord = 3;
	e.ird = 33;
	enhanced(&r, mpa_key_reply, e);
	reply_told(&d, &q, &r, "IRD: 5 to 32", "33");
	e.ird = MPA_NOT_NEGOTIATED;
	enhanced(&r, mpa_key_reply, e);
	reply_told(&d, &q, &r, "IRD: 5 to 32", "0x3fff (not negotiated)");
	e.ird = 4;
	d.ird_max = 0;
	enhanced(&r, mpa_key_reply, e);
	reply_told(&d, &q, &r, "IRD: at least 5", "4");
	d.ird = MPA_NOT_NEGOTIATED;
	reply_told(&d, &q, &r, "IRD: at least 5, or 0x3fff (not negotiated)",
		   "4");
	enhanced(&q, mpa_key_request,
		 (struct mpa_enhanced){.ird = 3, .ord = MPA_NOT_NEGOTIATED});
	reply_told(&d, &q, &r, "IRD: 0x3fff (not negotiated)", "4");

	d = a_device();
	enhanced(&q, mpa_key_request,
		 (struct mpa_enhanced){.ird = 0x1000, .ord = 16});
	request_told(&d, &q, "IRD: 16", "4096");
	enhanced(&q, mpa_key_request,
		 (struct mpa_enhanced){.ird = 16, .ord = 16});
	q.f.rev = 1;
	d.private_known = false;
	request_told(&d, &q, "Rev: at least 2", "1");
}

static void rtr_flags(void)
{
	struct model_device d = a_device();
	struct startup_frame q, r;
	struct mpa_enhanced asked = {
		.a = true, .b = true, .c = true, .d = true};
	struct mpa_enhanced e = {.a = true};

	enhanced(&q, mpa_key_request, asked);
	enhanced(&r, mpa_key_reply, e);
	reply_told(&d, &q, &r, "C, D: at least one set", "none");
	d.rtr = 0;
	reply_told(&d, &q, &r, "B, C, D: at least one set", "none");
	d.rtr = MODEL_RTR_READ;
	reply_told(&d, &q, &r, "B, C, D: D set", "none");
	d = a_device();
	e.c = true;
	enhanced(&r, mpa_key_reply, e);
	reply_told(&d, &q, &r, "B, C, D: C and D set", "C");
	e.b = true;
	enhanced(&r, mpa_key_reply, e);
	reply_told(&d, &q, &r, "B, C, D: none set but C and D", "B and C");
	e.a = false;
	enhanced(&r, mpa_key_reply, e);
	reply_told(&d, &q, &r, "A=1", "A=0");
	asked.a = false;
	enhanced(&q, mpa_key_request, asked);
	reply_told(&d, &q, &r, "B, C, D: none set", "B and C");

	d.p2p = true;
	d.rtr = MODEL_RTR_READ;
	enhanced(&q, mpa_key_request,
		 (struct mpa_enhanced){
			 .a = true, .c = true, .ird = 16, .ord = 16});
	request_told(&d, &q, "B, C, D: D set, no other", "C");
}

/* ---- framing ---------------------------------------------------------------------- */

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

/* ---- headers ----------------------------------------------------------------------- */

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

/* ---- posted work -------------------------------------------------------------------- */

static void posts(struct fixture *f, struct model_work w)
{
	uint32_t index;

	CU_ASSERT_TRUE(model_post(&f->m, &w, &index));
}

static void posted_work(void)
{
	struct model_work hello = {.op = MODEL_WORK_SEND,
				   .len = 5,
				   .data = (const uint8_t *)"hello"};
	struct model_work write = {.op = MODEL_WORK_WRITE,
				   .len = 2,
				   .data = (const uint8_t *)"ab",
				   .stag = 0x77,
				   .to = 0x5000};
	struct fixture f;

	setup_released(&f);
	dut_told(&f, send_of(1, "x"), "nothing, as no work is posted", "Send");
	posts(&f, hello);
	dut_told(&f, send_of(2, "heLLo"), "payload from octet 2 on: 6c 6c 6f",
		 "4c 4c 6f");
	posts(&f, hello);
	dut_told(&f, send_of(3, "hell"), "payload: 5 octets", "4 octets");
	posts(&f, hello);
	posts(&f, write);
	dut_told(&f, tagged(RDMAP_WRITE, 0x77, 0x5000, "ab", 2),
		 "posted work 3, Send", "posted work 4, RDMA Write");
	CU_ASSERT_EQUAL(dut(&f, send_of(4, "hello")), 0);
	posts(&f, write);
	dut_told(&f, send_of(5, "ab"), "RDMA Write, the next that was posted",
		 "Send");
	dut_told(&f, tagged(RDMAP_WRITE, 0x78, 0x5000, "ab", 2),
		 "STag: 0x00000077", "0x00000078");
	posts(&f, write);
	dut_told(&f, tagged(RDMAP_WRITE, 0x77, 0x5002, "ab", 2), "TO: 0x5000",
		 "0x5002");
	posts(&f, (struct model_work){.op = MODEL_WORK_IMM, .imm = "12345678"});
	dut_told(&f, untagged(RDMAP_IMM, 0, 6, "1234abcd", 8),
		 "payload from octet 4 on: 35 36 37 38", "61 62 63 64");
	hello.inv = true;
	hello.inv_stag = 0xabcd;
	posts(&f, hello);
	dut_told(&f, untagged(RDMAP_SEND_INV, 0, 7, "hello", 5),
		 "Invalidate STag of Send with Invalidate: 0x0000abcd",
		 "0x00000000");
}

static void posted_reads(void)
{
	struct model_work read = {
		.op = MODEL_WORK_READ, .len = 8, .stag = 0x77, .to = 0x5000};
	struct fixture f;

	setup_released(&f);
	f.m.config.ord = 3;
	posts(&f, read);
	dut_told(&f, read_request(&f, 1, 4, 0x77, 0x5000),
		 "RDMA Read Message Size: 8 octets", "4 octets");
	posts(&f, read);
	dut_told(&f, read_request(&f, 2, 8, 0x78, 0x5000),
		 "Data Source STag: 0x00000077", "0x00000078");
	posts(&f, read);
	dut_told(&f, read_request(&f, 3, 8, 0x77, 0x6000),
		 "Data Source Tagged Offset: 0x5000", "0x6000");
	posts(&f, read);
	dut_told(&f, read_request(&f, 4, 8, 0x77, 0x5000),
		 "RDMA Reads outstanding (ORD): at most 3", "4");
}

#define A_FETCHADD                                                             \
	.stag = STAG, .to = BASE, .data = 5, .compare_mask = UINT64_MAX

static void posted_atomics(void)
{
	static const struct {
		struct rdmap_atomic_request h;
		const char *due, *seen;
	} rows[] = {
		{{A_FETCHADD, .reserved = 0x10},
		 "the 28 reserved bits: 0x0",
		 "0x10"},
		{{A_FETCHADD, .stag = 0x99},
		 "Remote STag: 0x00001234",
		 "0x00000099"},
		{{A_FETCHADD, .to = 0x1008},
		 "Remote Tagged Offset: 0x1000",
		 "0x1008"},
		{{A_FETCHADD, .data = 6},
		 "Add or Swap Data: 0x0000000000000005",
		 "0x0000000000000006"},
		{{A_FETCHADD, .mask = 1},
		 "Add or Swap Mask: 0x0000000000000000",
		 "0x0000000000000001"},
		{{A_FETCHADD, .compare = 7},
		 "Compare Data: 0x0000000000000000",
		 "0x0000000000000007"},
		{{A_FETCHADD, .compare_mask = 0},
		 "Compare Mask: 0xffffffffffffffff",
		 "0x0000000000000000"},
		{{A_FETCHADD, .aopcode = 3}, "AOpCode: 0 (FetchAdd)", "3"},
		{{A_FETCHADD, .aopcode = RDMAP_CMPSWAP},
		 "AOpCode: 0 (FetchAdd)",
		 "2 (CmpSwap)"},
	};
	struct model_work add = {
		.op = MODEL_WORK_FETCHADD, .stag = STAG, .to = BASE, .add = 5};
	uint8_t octets[RDMAP_ATOMIC_REQUEST_OCTETS];
	struct fixture f;

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		setup_released(&f);
		posts(&f, add);
		rdmap_atomic_request_encode(&rows[i].h, octets, sizeof(octets));
		dut_told(&f,
			 untagged(RDMAP_ATOMIC_REQUEST, 1, 1, octets,
				  sizeof(octets)),
			 rows[i].due, rows[i].seen);
	}
}

/* ---- answers ------------------------------------------------------------------------- */

static struct ddp_segment response(struct fixture *f, uint32_t msn,
				   uint64_t from, size_t n)
{
	return tagged(RDMAP_READ_RESPONSE, 0xaaaa, 0x2000 + msn * 0x1000,
		      f->memory + from, n);
}

static void answers(void)
{
	struct fixture f;
	struct ddp_segment s;

	setup(&f);
	peer(&f, read_request(&f, 1, 8, STAG, BASE));
	s = response(&f, 1, 0, 8);
	s.ddp.stag = 0xbbbb;
	dut_told(&f, s, "STag: 0x0000aaaa", "0x0000bbbb");
	peer(&f, read_request(&f, 2, 4, STAG, BASE));
	dut_told(&f, response(&f, 2, 1, 4),
		 "payload from octet 0 on: 00 01 02 03", "01 02 03 04");
	peer(&f, read_request(&f, 3, 8, STAG, BASE));
	dut_told(&f, response(&f, 3, 0, 7), "payload: 8 octets", "7 octets");
	peer(&f, read_request(&f, 4, 8, STAG, BASE));
	s = response(&f, 4, 0, 8);
	s.ddp.to -= 8;
	dut_told(&f, s, "TO: 0x6000", "0x5ff8");
	dut_told(&f, response(&f, 4, 0, 8),
		 "nothing, as no Request waits for an answer",
		 "RDMA Read Response");
	peer(&f, read_request(&f, 5, 8, STAG, BASE));
	peer(&f, read_request(&f, 6, 8, STAG, BASE));
	dut_told(&f, response(&f, 6, 0, 8),
		 "the answer to the RDMA Read Request with MSN 5",
		 "the answer to the RDMA Read Request with MSN 6");

	setup(&f);
	peer(&f, fetchadd(&f, 1, 11, BASE, 1));
	dut_told(&f, response(&f, 1, 0, 8),
		 "the answer to the Atomic Request with MSN 1",
		 "RDMA Read Response");
	dut_told(&f, atomic_response(&f, 1, 12, 0x0706050403020100),
		 "Original Request Identifier: 0x0000000b", "0x0000000c");
	setup(&f);
	peer(&f, fetchadd(&f, 1, 13, BASE, 1));
	dut_told(&f, atomic_response(&f, 1, 13, 0),
		 "Original Remote Data Value: 0x0706050403020100",
		 "0x0000000000000000");
}

/* Octets that two orders would leave different are not reported as due. */
static void answers_with_octets_in_doubt(void)
{
	struct fixture f;
	uint8_t octets[8];

	setup(&f);
	memcpy(octets, f.memory, sizeof(octets));
	octets[1] = octets[7] = 0xee;
	peer(&f, read_request(&f, 1, 8, STAG, BASE));
	peer(&f, tagged(RDMAP_WRITE, STAG, BASE + 4, "wxyz", 4));
	dut_told(&f, tagged(RDMAP_READ_RESPONSE, 0xaaaa, 0x3000, octets, 8),
		 "payload from octet 1 on: 01 02 03", "ee 02 03");
}

static void answers_to_what_is_refused(void)
{
	struct fixture f;

	setup(&f);
	peer(&f, read_request(&f, 1, 8, 0x999, BASE));
	dut_told(&f, response(&f, 1, 0, 8),
		 "a Terminate 0/1/00 (RDMA, remote protection, invalid STag)",
		 "the answer to the RDMA Read Request with MSN 1");
	setup(&f);
	peer(&f, read_request(&f, 1, 0xffffffff, STAG, UINT64_MAX));
	dut(&f, response(&f, 1, 0, 8));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(objection_text(test, &f.objections.list[0]),
		       "due:  one of: a Terminate 0/1/04 (RDMA, remote "
		       "protection, TO wrap), or a Terminate 0/1/01 (RDMA, "
		       "remote protection, base or bounds violation)\n"));
}

/* ---- Terminate ------------------------------------------------------------------------ */

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
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"every fault", every_fault_has_words_of_its_own},
		{"first line", the_first_line_names_the_fault_of_the_peer},
		{"plain startup", plain_startup_frames},
		{"private data", private_data},
		{"enhanced startup", enhanced_startup_frames},
		{"RTR flags", rtr_flags},
		{"FPDUs", fpdus},
		{"who may speak", who_may_speak},
		{"one field", one_field},
		{"segments", segments_of_a_message},
		{"posted work", posted_work},
		{"posted Reads", posted_reads},
		{"posted atomics", posted_atomics},
		{"answers", answers},
		{"octets in doubt", answers_with_octets_in_doubt},
		{"refused", answers_to_what_is_refused},
		{"Terminate numbers", numbers_of_a_terminate},
		{"Terminate form", form_of_a_terminate},
		{"Terminate headers", what_a_terminate_returns},
		{"the end", the_end},
	};
	static struct testbed bed;
	static struct test t = {.bed = &bed};
	int status;

	bed.log = observe_new();
	if (!bed.log)
		return 1;
	t.interpreter.arena.log = bed.log;
	test = &t;
	status = unit_run("objection_text", tests, UNIT_COUNT(tests));
	observe_free(bed.log);
	return status;
}
