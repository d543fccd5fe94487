/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/wire/ddp.h"

#include "harness/unit.h"
#include "harness/wire/testing.h"

static void a_tagged_segment(void)
{
	uint8_t in[32], out[32];
	size_t n = octets_of(in, "c1 40 00 00 12 34 00 00 00 00 00 00 10 00"
				 "de ad be ef");
	struct ddp_segment s;

	ddp_decode(&s, in, n);
	CU_ASSERT_FALSE(s.short_header);
	CU_ASSERT_TRUE(s.ddp.tagged);
	CU_ASSERT_TRUE(s.ddp.last);
	CU_ASSERT_EQUAL(s.ddp.rsvd, 0);
	CU_ASSERT_EQUAL(s.ddp.dv, DDP_VERSION);
	CU_ASSERT_EQUAL(s.ddp.rv, RDMAP_VERSION);
	CU_ASSERT_EQUAL(s.ddp.rdmap_rsvd, 0);
	CU_ASSERT_EQUAL(s.ddp.opcode, 0);
	CU_ASSERT_EQUAL(s.ddp.stag, 0x1234);
	CU_ASSERT_EQUAL(s.ddp.to, 0x1000);
	CU_ASSERT_EQUAL(s.payload_octets, 4);
	CU_ASSERT_PTR_EQUAL(s.payload, in + DDP_TAGGED_OCTETS);

	struct ddp_segment made = {
		.ddp = {.tagged = true,
			.last = true,
			.dv = DDP_VERSION,
			.rv = RDMAP_VERSION,
			.stag = 0x1234,
			.to = 0x1000},
		.payload = (const uint8_t *)"\xde\xad\xbe\xef",
		.payload_octets = 4,
	};
	CU_ASSERT_EQUAL(ddp_encode(&made, out, sizeof(out)), n);
	CU_ASSERT_EQUAL(memcmp(in, out, n), 0);
	CU_ASSERT_EQUAL(ddp_header_encode(&made.ddp, out), 14);
	CU_ASSERT_EQUAL(memcmp(in, out, 14), 0);
}

static void an_untagged_segment(void)
{
	uint8_t in[32], out[32];
	size_t n = octets_of(in, "41 44 aa bb cc dd 00 00 00 02 ff ff ff ff"
				 "00 00 05 ca 68 69");
	struct ddp_segment s;

	ddp_decode(&s, in, n);
	CU_ASSERT_FALSE(s.short_header);
	CU_ASSERT_FALSE(s.ddp.tagged);
	CU_ASSERT_TRUE(s.ddp.last);
	CU_ASSERT_EQUAL(s.ddp.opcode, 4);
	CU_ASSERT_EQUAL(s.ddp.inval_stag, 0xaabbccdd);
	CU_ASSERT_EQUAL(s.ddp.qn, DDP_QN_TERMINATE);
	CU_ASSERT_EQUAL(s.ddp.msn, 0xffffffff);
	CU_ASSERT_EQUAL(s.ddp.mo, 1482);
	CU_ASSERT_EQUAL(s.ddp.stag, 0);
	CU_ASSERT_EQUAL(s.payload_octets, 2);

	struct ddp_segment made = {
		.ddp = {.last = true,
			.dv = DDP_VERSION,
			.rv = RDMAP_VERSION,
			.opcode = 4,
			.inval_stag = 0xaabbccdd,
			.qn = 2,
			.msn = 0xffffffff,
			.mo = 1482},
		.payload = (const uint8_t *)"hi",
		.payload_octets = 2,
	};
	CU_ASSERT_EQUAL(ddp_encode(&made, out, sizeof(out)), n);
	CU_ASSERT_EQUAL(memcmp(in, out, n), 0);
	CU_ASSERT_EQUAL(ddp_header_encode(&made.ddp, out), 18);
	CU_ASSERT_EQUAL(memcmp(in, out, 18), 0);
}

/* Which bit of octets 0 and 1 is which field's (RFC 5040 s4.1). */
static void every_control_bit(void)
{
	for (unsigned v = 0; v <= 0xffff; v++) {
		uint8_t in[DDP_UNTAGGED_OCTETS] = {(uint8_t)(v >> 8),
						   (uint8_t)v};
		uint8_t out[DDP_UNTAGGED_OCTETS];
		struct ddp_segment s;

		ddp_decode(&s, in, sizeof(in));
		CU_ASSERT_EQUAL(s.ddp.tagged, v >> 15);
		CU_ASSERT_EQUAL(s.ddp.last, v >> 14 & 1);
		CU_ASSERT_EQUAL(s.ddp.rsvd, v >> 10 & 15);
		CU_ASSERT_EQUAL(s.ddp.dv, v >> 8 & 3);
		CU_ASSERT_EQUAL(s.ddp.rv, v >> 6 & 3);
		CU_ASSERT_EQUAL(s.ddp.rdmap_rsvd, v >> 4 & 3);
		CU_ASSERT_EQUAL(s.ddp.opcode, v & 15);
		CU_ASSERT_EQUAL(ddp_encode(&s, out, sizeof(out)), 18);
		CU_ASSERT_EQUAL(memcmp(in, out, sizeof(in)), 0);
	}
}

static void a_header_that_ends_early(void)
{
	for (unsigned tagged = 0; tagged < 2; tagged++) {
		uint8_t in[DDP_UNTAGGED_OCTETS], out[DDP_UNTAGGED_OCTETS];
		memset(in, 0xff, sizeof(in));
		in[0] = tagged ? 0xc1 : 0x41;
		in[1] = 0x47;
		for (size_t n = 0; n < ddp_header_octets(tagged); n++) {
			uint8_t *ulpdu = exact_copy(in, n);
			struct ddp_segment s;
			ddp_decode(&s, ulpdu, n);
			CU_ASSERT_TRUE(s.short_header);
			CU_ASSERT_EQUAL(s.ddp.tagged, n > 0 && tagged);
			CU_ASSERT_EQUAL(s.ddp.dv, n > 0 ? 1 : 0);
			CU_ASSERT_EQUAL(s.ddp.opcode, n > 1 ? 7 : 0);
			CU_ASSERT_EQUAL(s.ddp.stag | s.ddp.inval_stag, 0);
			CU_ASSERT_EQUAL(s.ddp.qn | s.ddp.msn | s.ddp.mo, 0);
			CU_ASSERT_EQUAL(s.ddp.to, 0);
			CU_ASSERT_PTR_EQUAL(s.payload, ulpdu);
			CU_ASSERT_EQUAL(s.payload_octets, n);
			CU_ASSERT_EQUAL(ddp_encode(&s, out, sizeof(out)), n);
			CU_ASSERT_EQUAL(memcmp(in, out, n), 0);
			free(ulpdu);
		}
		struct ddp_segment s;
		ddp_decode(&s, in, ddp_header_octets(tagged));
		CU_ASSERT_FALSE(s.short_header);
		CU_ASSERT_EQUAL(s.payload_octets, 0);
	}
}

static void a_short_cap_writes_no_segment(void)
{
	struct ddp_segment s = {.ddp = {.dv = 1, .rv = 1, .opcode = 3},
				.payload = (const uint8_t *)"hello",
				.payload_octets = 5};
	uint8_t out[23];

	for (size_t cap = 0; cap < sizeof(out); cap++) {
		uint8_t *room = exact_copy(out, cap);
		CU_ASSERT_EQUAL(ddp_encode(&s, room, cap), 0);
		free(room);
	}
	CU_ASSERT_EQUAL(ddp_encode(&s, out, sizeof(out)), sizeof(out));
}

static void random_octets_come_back(void)
{
	struct chance c = {5041};

	for (unsigned i = 0; i < 20000; i++) {
		uint8_t in[80], out[80];
		size_t n = 1 + draw(&c) % sizeof(in);
		struct ddp_segment s;
		draw_octets(&c, in, n);
		uint8_t *ulpdu = exact_copy(in, n);
		ddp_decode(&s, ulpdu, n);
		CU_ASSERT_EQUAL(ddp_encode(&s, out, sizeof(out)), n);
		CU_ASSERT_EQUAL(memcmp(in, out, n), 0);
		free(ulpdu);
	}
}

static void random_headers_come_back(void)
{
	struct chance c = {5040};

	for (unsigned i = 0; i < 20000; i++) {
		uint8_t wire[DDP_UNTAGGED_OCTETS];
		struct ddp d = {
			.tagged = i & 1,
			.last = draw(&c) & 1,
			.rsvd = draw(&c) & 15,
			.dv = draw(&c) & 3,
			.rv = draw(&c) & 3,
			.rdmap_rsvd = draw(&c) & 3,
			.opcode = draw(&c) & 15,
		};
		if (d.tagged) {
			d.stag = draw(&c);
			d.to = draw64(&c);
		} else {
			d.inval_stag = draw(&c);
			d.qn = draw(&c);
			d.msn = draw(&c);
			d.mo = draw(&c);
		}
		struct ddp_segment s;
		ddp_decode(&s, wire, ddp_header_encode(&d, wire));
		CU_ASSERT_FALSE(s.short_header);
		CU_ASSERT_EQUAL(s.ddp.tagged, d.tagged);
		CU_ASSERT_EQUAL(s.ddp.last, d.last);
		CU_ASSERT_EQUAL(s.ddp.rsvd, d.rsvd);
		CU_ASSERT_EQUAL(s.ddp.dv, d.dv);
		CU_ASSERT_EQUAL(s.ddp.rv, d.rv);
		CU_ASSERT_EQUAL(s.ddp.rdmap_rsvd, d.rdmap_rsvd);
		CU_ASSERT_EQUAL(s.ddp.opcode, d.opcode);
		CU_ASSERT_EQUAL(s.ddp.stag, d.stag);
		CU_ASSERT_EQUAL(s.ddp.to, d.to);
		CU_ASSERT_EQUAL(s.ddp.inval_stag, d.inval_stag);
		CU_ASSERT_EQUAL(s.ddp.qn, d.qn);
		CU_ASSERT_EQUAL(s.ddp.msn, d.msn);
		CU_ASSERT_EQUAL(s.ddp.mo, d.mo);
	}
}

static const struct unit_test tests[] = {
	{"a_tagged_segment", a_tagged_segment},
	{"an_untagged_segment", an_untagged_segment},
	{"every_control_bit", every_control_bit},
	{"a_header_that_ends_early", a_header_that_ends_early},
	{"a_short_cap_writes_no_segment", a_short_cap_writes_no_segment},
	{"random_octets_come_back", random_octets_come_back},
	{"random_headers_come_back", random_headers_come_back},
};

int main(void)
{
	return unit_run("ddp", tests, UNIT_COUNT(tests));
}
