/* SPDX-License-Identifier: BSD-2-Clause */
/* The texts about posted work and about answers: whether they are what was asked
 * for. */
#include "suite/language/text/objection_text_fixture.h"

#include <string.h>

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

int main(void)
{
	static const struct unit_test tests[] = {
		{"posted work", posted_work},
		{"posted Reads", posted_reads},
		{"posted atomics", posted_atomics},
		{"answers", answers},
		{"octets in doubt", answers_with_octets_in_doubt},
		{"refused", answers_to_what_is_refused},
	};

	return objections_run("objection_work", tests, UNIT_COUNT(tests));
}
