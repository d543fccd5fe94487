/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole FPDUs checked by hand, taken apart to their fields and remade. */
#include "harness/wire/rdmap.h"

#include "harness/crc/crc.h"
#include "harness/unit.h"
#include "harness/wire/fpdu.h"
#include "harness/wire/testing.h"

static uint8_t wire[256], again[256];

/*
 * The segment in an FPDU without markers; checks framing, CRC, and that the
 * segment is the last of its message and of this IETF version.
 */
static struct ddp_segment segment_of(const char *hex, uint8_t opcode)
{
	const char *why;
	struct ddp_segment s = {.payload_octets = 0};
	struct fpdu f;
	size_t n = octets_of(wire, hex), used;

	CU_ASSERT_EQUAL_FATAL(crc_init(&why), 0);
	CU_ASSERT_EQUAL_FATAL(
		fpdu_decode(&f, wire, n, false, 0, NULL, 0, &used), FPDU_OK);
	CU_ASSERT_EQUAL(used, n);
	CU_ASSERT_EQUAL(crc_get(f.crc), crc32c(wire, n - 4));
	ddp_decode(&s, f.ulpdu, f.ulpdu_length);
	CU_ASSERT_FALSE_FATAL(s.short_header);
	CU_ASSERT_TRUE(s.ddp.last);
	CU_ASSERT_EQUAL(s.ddp.dv, DDP_VERSION);
	CU_ASSERT_EQUAL(s.ddp.rv, RDMAP_VERSION);
	CU_ASSERT_EQUAL(s.ddp.opcode, opcode);
	return s;
}

static void check_queue(const struct ddp_segment *s, uint32_t qn)
{
	CU_ASSERT_FALSE(s->ddp.tagged);
	CU_ASSERT_EQUAL(s->ddp.qn, qn);
	CU_ASSERT_EQUAL(s->ddp.msn, 1);
	CU_ASSERT_EQUAL(s->ddp.mo, 0);
}

/* The payload just encoded into `again` is the one that was decoded. */
static void check_same(const struct ddp_segment *s, size_t n)
{
	CU_ASSERT_EQUAL_FATAL(n, s->payload_octets);
	CU_ASSERT_EQUAL(memcmp(again, s->payload, n), 0);
}

static void a_read_request(void)
{
	struct ddp_segment s =
		segment_of("00 2e 41 41 00 00 00 00 00 00 00 01 00 00 00 01"
			   "00 00 00 00 00 00 aa aa 00 00 00 00 00 00 20 00"
			   "00 00 00 40 00 00 12 34 00 00 00 00 00 00 10 00"
			   "1e fe ca 19",
			   RDMAP_READ_REQUEST);
	struct rdmap_read_request h;

	check_queue(&s, DDP_QN_READ_REQUEST);
	CU_ASSERT_EQUAL(s.payload_octets, RDMAP_READ_REQUEST_OCTETS);
	CU_ASSERT_TRUE(
		rdmap_read_request_decode(&h, s.payload, s.payload_octets));
	CU_ASSERT_EQUAL(h.sink_stag, 0xaaaa);
	CU_ASSERT_EQUAL(h.sink_to, 0x2000);
	CU_ASSERT_EQUAL(h.size, 0x40);
	CU_ASSERT_EQUAL(h.source_stag, 0x1234);
	CU_ASSERT_EQUAL(h.source_to, 0x1000);
	CU_ASSERT_EQUAL(h.tail.n, 0);
	check_same(&s, rdmap_read_request_encode(&h, again, sizeof(again)));
}

static void a_terminate_of_a_write(void)
{
	struct ddp_segment s =
		segment_of("00 26 41 47 00 00 00 00 00 00 00 02 00 00 00 01"
			   "00 00 00 00 11 00 c0 00 00 12 c1 40 00 00 12 34"
			   "00 00 00 00 00 00 10 00 b7 34 3f 22",
			   RDMAP_TERMINATE);
	struct rdmap_terminate h;
	struct ddp_segment returned;

	check_queue(&s, DDP_QN_TERMINATE);
	CU_ASSERT_TRUE(rdmap_terminate_decode(&h, s.payload, s.payload_octets));
	CU_ASSERT_EQUAL(h.layer, TERM_DDP);
	CU_ASSERT_EQUAL(h.etype, 1);
	CU_ASSERT_EQUAL(h.code, 0);
	CU_ASSERT_TRUE(h.m && h.d && !h.r && !h.truncated);
	CU_ASSERT_EQUAL(h.reserved, 0);
	CU_ASSERT_TRUE(h.has_segment_length);
	CU_ASSERT_EQUAL(h.segment_length, 18);
	CU_ASSERT_EQUAL_FATAL(h.ddp_header_octets, DDP_TAGGED_OCTETS);
	ddp_decode(&returned, h.ddp_header, h.ddp_header_octets);
	CU_ASSERT_TRUE(returned.ddp.tagged);
	CU_ASSERT_EQUAL(returned.ddp.stag, 0x1234);
	CU_ASSERT_EQUAL(returned.ddp.to, 0x1000);
	CU_ASSERT_PTR_NULL(h.rdma_header);
	CU_ASSERT_EQUAL(h.tail.n, 0);
	check_same(&s, rdmap_terminate_encode(&h, again, sizeof(again)));
}

static void a_terminate_of_a_read(void)
{
	struct ddp_segment s =
		segment_of("00 46 41 47 00 00 00 00 00 00 00 02 00 00 00 01"
			   "00 00 00 00 01 01 e0 00 00 2e 41 41 00 00 00 00"
			   "00 00 00 01 00 00 00 01 00 00 00 00 00 00 aa aa"
			   "00 00 00 00 00 00 20 00 00 00 00 40 00 00 12 34"
			   "00 00 00 00 00 00 10 00 61 d5 6f 39",
			   RDMAP_TERMINATE);
	struct rdmap_terminate h;
	struct rdmap_read_request read;

	check_queue(&s, DDP_QN_TERMINATE);
	CU_ASSERT_TRUE(rdmap_terminate_decode(&h, s.payload, s.payload_octets));
	CU_ASSERT_EQUAL(h.layer, TERM_RDMA);
	CU_ASSERT_EQUAL(h.etype, 1);
	CU_ASSERT_EQUAL(h.code, 1);
	CU_ASSERT_TRUE(h.m && h.d && h.r && !h.truncated);
	CU_ASSERT_EQUAL(h.segment_length, 46);
	CU_ASSERT_EQUAL(h.ddp_header_octets, DDP_UNTAGGED_OCTETS);
	CU_ASSERT_PTR_NOT_NULL_FATAL(h.rdma_header);
	CU_ASSERT_TRUE(rdmap_read_request_decode(&read, h.rdma_header,
						 RDMAP_READ_REQUEST_OCTETS));
	CU_ASSERT_EQUAL(read.source_to, 0x1000);
	CU_ASSERT_EQUAL(h.tail.n, 0);
	check_same(&s, rdmap_terminate_encode(&h, again, sizeof(again)));
}

static void a_terminate_of_the_llp(void)
{
	struct ddp_segment s =
		segment_of("00 16 41 47 00 00 00 00 00 00 00 02 00 00 00 01"
			   "00 00 00 00 20 02 00 00 7f e4 25 85",
			   RDMAP_TERMINATE);
	struct rdmap_terminate h;

	CU_ASSERT_TRUE(rdmap_terminate_decode(&h, s.payload, s.payload_octets));
	CU_ASSERT_EQUAL(h.layer, TERM_LLP);
	CU_ASSERT_EQUAL(h.etype, 0);
	CU_ASSERT_EQUAL(h.code, 2);
	CU_ASSERT_FALSE(h.m || h.d || h.r || h.truncated);
	CU_ASSERT_FALSE(h.has_segment_length);
	CU_ASSERT_PTR_NULL(h.ddp_header);
	CU_ASSERT_PTR_NULL(h.rdma_header);
	check_same(&s, rdmap_terminate_encode(&h, again, sizeof(again)));
}

static void an_atomic_request(void)
{
	struct ddp_segment s =
		segment_of("00 46 41 4a 00 00 00 00 00 00 00 01 00 00 00 01"
			   "00 00 00 00 00 00 00 00 11 22 33 44 00 00 12 34"
			   "00 00 00 00 00 00 10 00 00 00 00 00 00 00 00 01"
			   "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
			   "ff ff ff ff ff ff ff ff 48 35 9c d3",
			   RDMAP_ATOMIC_REQUEST);
	struct rdmap_atomic_request h;

	check_queue(&s, DDP_QN_READ_REQUEST);
	CU_ASSERT_EQUAL(s.payload_octets, RDMAP_ATOMIC_REQUEST_OCTETS);
	CU_ASSERT_TRUE(
		rdmap_atomic_request_decode(&h, s.payload, s.payload_octets));
	CU_ASSERT_EQUAL(h.reserved, 0);
	CU_ASSERT_EQUAL(h.aopcode, RDMAP_FETCHADD);
	CU_ASSERT_EQUAL(h.id, 0x11223344);
	CU_ASSERT_EQUAL(h.stag, 0x1234);
	CU_ASSERT_EQUAL(h.to, 0x1000);
	CU_ASSERT_EQUAL(h.data, 1);
	CU_ASSERT_EQUAL(h.mask, 0);
	CU_ASSERT_EQUAL(h.compare, 0);
	CU_ASSERT_EQUAL(h.compare_mask, 0xffffffffffffffff);
	CU_ASSERT_EQUAL(h.tail.n, 0);
	check_same(&s, rdmap_atomic_request_encode(&h, again, sizeof(again)));
}

static void an_atomic_response(void)
{
	struct ddp_segment s =
		segment_of("00 1e 41 4b 00 00 00 00 00 00 00 03 00 00 00 01"
			   "00 00 00 00 11 22 33 44 01 23 45 67 89 ab cd ef"
			   "ec 2f c5 a8",
			   RDMAP_ATOMIC_RESPONSE);
	struct rdmap_atomic_response h;

	check_queue(&s, DDP_QN_ATOMIC_RESPONSE);
	CU_ASSERT_EQUAL(s.payload_octets, RDMAP_ATOMIC_RESPONSE_OCTETS);
	CU_ASSERT_TRUE(
		rdmap_atomic_response_decode(&h, s.payload, s.payload_octets));
	CU_ASSERT_EQUAL(h.id, 0x11223344);
	CU_ASSERT_EQUAL(h.value, 0x0123456789abcdef);
	CU_ASSERT_EQUAL(h.tail.n, 0);
	check_same(&s, rdmap_atomic_response_encode(&h, again, sizeof(again)));
}

static void immediate_data(void)
{
	struct ddp_segment s =
		segment_of("00 1a 41 48 00 00 00 00 00 00 00 00 00 00 00 01"
			   "00 00 00 00 01 02 03 04 05 06 07 08 06 c2 28 05",
			   RDMAP_IMM);
	struct rdmap_imm h;

	check_queue(&s, DDP_QN_SEND);
	CU_ASSERT_TRUE(rdmap_imm_decode(&h, s.payload, s.payload_octets));
	CU_ASSERT_EQUAL(memcmp(h.data, "\1\2\3\4\5\6\7\10", 8), 0);
	CU_ASSERT_EQUAL(h.tail.n, 0);
	check_same(&s, rdmap_imm_encode(&h, again, sizeof(again)));
}

static void opcode_names(void)
{
	static const char *const names[] = {
		"RDMA Write",
		"RDMA Read Request",
		"RDMA Read Response",
		"Send",
		"Send with Invalidate",
		"Send with SE",
		"Send with SE and Invalidate",
		"Terminate",
		"Immediate Data",
		"Immediate Data with SE",
		"Atomic Request",
		"Atomic Response",
		"opcode 12",
		"opcode 13",
		"opcode 14",
		"opcode 15",
	};

	CU_ASSERT_EQUAL(UNIT_COUNT(names), 16);
	for (uint8_t i = 0; i < UNIT_COUNT(names); i++)
		CU_ASSERT_STRING_EQUAL(rdmap_opcode_name(i), names[i]);
}

/*
 * One decoder and encoder of a fixed header, identified by its length: decodes
 * n octets, encodes into out, and returns what was written; 0 if not decoded.
 */
static size_t there_and_back(size_t header, const uint8_t *in, size_t n,
			     uint8_t *out, size_t cap)
{
	struct rdmap_read_request read;
	struct rdmap_atomic_request request;
	struct rdmap_atomic_response response;
	struct rdmap_imm imm;
	struct rdmap_terminate term;

	switch (header) {
	case RDMAP_READ_REQUEST_OCTETS:
		return rdmap_read_request_decode(&read, in, n)
			       ? rdmap_read_request_encode(&read, out, cap)
			       : 0;
	case RDMAP_ATOMIC_REQUEST_OCTETS:
		return rdmap_atomic_request_decode(&request, in, n)
			       ? rdmap_atomic_request_encode(&request, out, cap)
			       : 0;
	case RDMAP_ATOMIC_RESPONSE_OCTETS:
		return rdmap_atomic_response_decode(&response, in, n)
			       ? rdmap_atomic_response_encode(&response, out,
							      cap)
			       : 0;
	case RDMAP_IMM_OCTETS:
		return rdmap_imm_decode(&imm, in, n)
			       ? rdmap_imm_encode(&imm, out, cap)
			       : 0;
	case RDMAP_TERMINATE_OCTETS:
		return rdmap_terminate_decode(&term, in, n)
			       ? rdmap_terminate_encode(&term, out, cap)
			       : 0;
	}
	abort();
}

static const size_t headers[] = {
	RDMAP_READ_REQUEST_OCTETS,    RDMAP_ATOMIC_REQUEST_OCTETS,
	RDMAP_ATOMIC_RESPONSE_OCTETS, RDMAP_IMM_OCTETS,
	RDMAP_TERMINATE_OCTETS,
};

static void random_octets_come_back(void)
{
	struct chance c = {7306};

	for (unsigned i = 0; i < 40000; i++) {
		size_t header = headers[i % UNIT_COUNT(headers)];
		size_t n = header + draw(&c) % 60;
		uint8_t in[128], out[128];
		draw_octets(&c, in, n);
		uint8_t *payload = exact_copy(in, n);
		CU_ASSERT_EQUAL(there_and_back(header, payload, n, out, n), n);
		CU_ASSERT_EQUAL(memcmp(in, out, n), 0);
		free(payload);
	}
}

static void a_short_header_is_refused(void)
{
	uint8_t in[64] = {0}, out[64];

	for (size_t i = 0; i < UNIT_COUNT(headers); i++) {
		for (size_t n = 0; n < headers[i]; n++) {
			uint8_t *payload = exact_copy(in, n);
			CU_ASSERT_EQUAL(there_and_back(headers[i], payload, n,
						       out, sizeof(out)),
					0);
			free(payload);
		}
	}
}

static void a_short_cap_writes_no_header(void)
{
	uint8_t in[64] = {0}, out[64];

	for (size_t i = 0; i < UNIT_COUNT(headers); i++) {
		/* With a tail of three, which has to fit too. */
		size_t n = headers[i] + 3;
		for (size_t cap = 0; cap < n; cap++) {
			uint8_t *room = exact_copy(out, cap);
			CU_ASSERT_EQUAL(
				there_and_back(headers[i], in, n, room, cap),
				0);
			free(room);
		}
		CU_ASSERT_EQUAL(there_and_back(headers[i], in, n, out, n), n);
	}
}

static void reserved_bits_and_tails_are_kept(void)
{
	struct rdmap_atomic_request h;
	uint8_t in[RDMAP_ATOMIC_REQUEST_OCTETS + 2] = {0xab, 0xcd, 0xef, 0x12};

	in[52] = 0x77;
	CU_ASSERT_TRUE(rdmap_atomic_request_decode(&h, in, sizeof(in)));
	CU_ASSERT_EQUAL(h.reserved, 0xabcdef1);
	CU_ASSERT_EQUAL(h.aopcode, RDMAP_CMPSWAP);
	CU_ASSERT_EQUAL(h.tail.n, 2);
	CU_ASSERT_PTR_EQUAL(h.tail.octets, in + 52);
	CU_ASSERT_EQUAL(rdmap_atomic_request_encode(&h, again, sizeof(again)),
			sizeof(in));
	CU_ASSERT_EQUAL(memcmp(in, again, sizeof(in)), 0);
}

/*
 * Every combination of M, D and R, each length from only the word to more than
 * all parts, with a tagged and an untagged header: the parts are decoded as far
 * as the octets go, and encoding restores them all.
 */
static void terminates_of_every_shape(void)
{
	for (unsigned shape = 0; shape < 16; shape++) {
		bool m = shape & 8, d = shape & 4, r = shape & 2;
		bool tagged = shape & 1;
		size_t length_end = 4 + (m || d ? 2 : 0);
		size_t ddp_end = length_end + (!d ? 0 : tagged ? 14 : 18);
		size_t all = ddp_end + (r ? 28 : 0);

		for (size_t n = 4; n < all + 6; n++) {
			uint8_t in[64] = {0x12, 0x05, (uint8_t)(shape << 4)};
			in[4] = 0x05;
			in[5] = 0xdc;
			if (d)
				in[6] = tagged ? 0xc1 : 0x41;
			uint8_t *payload = exact_copy(in, n);
			struct rdmap_terminate h;
			CU_ASSERT_TRUE(rdmap_terminate_decode(&h, payload, n));
			CU_ASSERT_EQUAL(h.m, m);
			CU_ASSERT_EQUAL(h.d, d);
			CU_ASSERT_EQUAL(h.r, r);
			CU_ASSERT_EQUAL(h.truncated, n < all);
			CU_ASSERT_EQUAL(h.has_segment_length,
					(m || d) && n >= length_end);
			CU_ASSERT_EQUAL(h.segment_length,
					h.has_segment_length ? 1500 : 0);
			CU_ASSERT_EQUAL(h.ddp_header != NULL,
					d && n >= ddp_end);
			CU_ASSERT_EQUAL(h.ddp_header_octets,
					h.ddp_header ? ddp_end - length_end
						     : 0);
			CU_ASSERT_EQUAL(h.rdma_header != NULL, r && n >= all);
			size_t used = h.rdma_header          ? all
				      : h.ddp_header         ? ddp_end
				      : h.has_segment_length ? length_end
							     : 4;
			CU_ASSERT_EQUAL(h.tail.n, n - used);
			CU_ASSERT_PTR_EQUAL(h.tail.octets, payload + used);
			CU_ASSERT_EQUAL(rdmap_terminate_encode(&h, again, n),
					n);
			CU_ASSERT_EQUAL(memcmp(in, again, n), 0);
			free(payload);
		}
	}
}

/* Bits that announce what does not follow, and the reverse. */
static void bits_and_octets_that_disagree(void)
{
	struct rdmap_terminate h = {.layer = 0,
				    .etype = 2,
				    .code = 5,
				    .m = true,
				    .d = true,
				    .r = true,
				    .reserved = 0x1fff};
	uint8_t header[DDP_UNTAGGED_OCTETS] = {0x41, 0x43};

	CU_ASSERT_EQUAL(rdmap_terminate_encode(&h, wire, sizeof(wire)), 4);
	CU_ASSERT_EQUAL(memcmp(wire, "\x02\x05\xff\xff", 4), 0);
	struct rdmap_terminate got;
	CU_ASSERT_TRUE(rdmap_terminate_decode(&got, wire, 4));
	CU_ASSERT_TRUE(got.truncated);
	CU_ASSERT_EQUAL(got.reserved, 0x1fff);

	h = (struct rdmap_terminate){.layer = 2,
				     .code = 2,
				     .has_segment_length = true,
				     .segment_length = 18,
				     .ddp_header = header,
				     .ddp_header_octets = sizeof(header)};
	CU_ASSERT_EQUAL(rdmap_terminate_encode(&h, wire, sizeof(wire)), 24);
	CU_ASSERT_TRUE(rdmap_terminate_decode(&got, wire, 24));
	CU_ASSERT_FALSE(got.truncated || got.has_segment_length);
	CU_ASSERT_EQUAL(got.tail.n, 20);
	CU_ASSERT_EQUAL(rdmap_terminate_encode(&got, again, sizeof(again)), 24);
	CU_ASSERT_EQUAL(memcmp(wire, again, 24), 0);
}

static const struct unit_test tests[] = {
	{"a_read_request", a_read_request},
	{"a_terminate_of_a_write", a_terminate_of_a_write},
	{"a_terminate_of_a_read", a_terminate_of_a_read},
	{"a_terminate_of_the_llp", a_terminate_of_the_llp},
	{"an_atomic_request", an_atomic_request},
	{"an_atomic_response", an_atomic_response},
	{"immediate_data", immediate_data},
	{"opcode_names", opcode_names},
	{"random_octets_come_back", random_octets_come_back},
	{"a_short_header_is_refused", a_short_header_is_refused},
	{"a_short_cap_writes_no_header", a_short_cap_writes_no_header},
	{"reserved_bits_and_tails_are_kept", reserved_bits_and_tails_are_kept},
	{"terminates_of_every_shape", terminates_of_every_shape},
	{"bits_and_octets_that_disagree", bits_and_octets_that_disagree},
};

int main(void)
{
	return unit_run("rdmap", tests, UNIT_COUNT(tests));
}
