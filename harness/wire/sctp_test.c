/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/wire/sctp.h"

#include "harness/unit.h"
#include "harness/wire/testing.h"

/* RFC 9260 s3.1 and s3.3.1: a DATA chunk of five octets of user data. */
static void a_packet_with_data(void)
{
	uint8_t in[64], out[64];
	size_t used, n = octets_of(in, "26ab 13c4 01020304 a1a2a3a4"
				       "00 07 0015 0000000a 0003 0000 00000011"
				       "6162636465 000000");
	struct sctp_packet p;
	struct sctp_tlv t;
	struct sctp_data d;

	CU_ASSERT_TRUE_FATAL(sctp_packet_decode(&p, in, n));
	CU_ASSERT_EQUAL(p.source, 0x26ab);
	CU_ASSERT_EQUAL(p.destination, 0x13c4);
	CU_ASSERT_EQUAL(p.tag, 0x01020304);
	CU_ASSERT_EQUAL(p.checksum[3], 0xa4);
	CU_ASSERT_EQUAL(sctp_packet_encode(&p, out, sizeof(out)), n);
	CU_ASSERT_EQUAL(memcmp(in, out, n), 0);

	CU_ASSERT_EQUAL_FATAL(
		sctp_chunk_decode(&t, p.chunks, p.chunk_octets, &used),
		SCTP_NEXT);
	CU_ASSERT_EQUAL(used, p.chunk_octets);
	CU_ASSERT_EQUAL(t.type, SCTP_CHUNK_DATA);
	CU_ASSERT_EQUAL(t.flags, SCTP_DATA_U | SCTP_DATA_B | SCTP_DATA_E);
	CU_ASSERT_EQUAL(t.length, 21);
	CU_ASSERT_EQUAL(t.pad_octets, 3);
	CU_ASSERT_TRUE_FATAL(sctp_data_decode(&d, t.value, t.value_octets));
	CU_ASSERT_EQUAL(d.tsn, 10);
	CU_ASSERT_EQUAL(d.stream, 3);
	CU_ASSERT_EQUAL(d.ssn, 0);
	CU_ASSERT_EQUAL(d.ppid, 17);
	CU_ASSERT_EQUAL(d.user_octets, 5);
	CU_ASSERT_EQUAL(memcmp(d.user, "abcde", 5), 0);
	CU_ASSERT_EQUAL(sctp_chunk_decode(&t, in + n, 0, &used), SCTP_END);
}

/* RFC 9260 s3.3.2, with a cookie-less parameter after the fixed fields. */
static void an_init(void)
{
	uint8_t in[64], out[64];
	size_t used, n = octets_of(in, "01 00 001c 11223344 00010000 000a 0005"
				       "ffffffff c006 0008 00000001");
	struct sctp_tlv t, q;
	struct sctp_init i;

	CU_ASSERT_EQUAL_FATAL(sctp_chunk_decode(&t, in, n, &used), SCTP_NEXT);
	CU_ASSERT_EQUAL(t.type, SCTP_CHUNK_INIT);
	CU_ASSERT_TRUE_FATAL(sctp_init_decode(&i, t.value, t.value_octets));
	CU_ASSERT_EQUAL(i.tag, 0x11223344);
	CU_ASSERT_EQUAL(i.window, 0x10000);
	CU_ASSERT_EQUAL(i.outbound, 10);
	CU_ASSERT_EQUAL(i.inbound, 5);
	CU_ASSERT_EQUAL(i.tsn, 0xffffffff);
	CU_ASSERT_EQUAL_FATAL(sctp_parameter_decode(&q, i.parameters,
						    i.parameter_octets, &used),
			      SCTP_NEXT);
	CU_ASSERT_EQUAL(q.type, 0xc006);
	CU_ASSERT_EQUAL(q.value_octets, 4);
	CU_ASSERT_EQUAL(sctp_parameter_encode(&q, out, sizeof(out)), 8);
	CU_ASSERT_EQUAL(memcmp(out, i.parameters, 8), 0);
	CU_ASSERT_EQUAL(sctp_init_encode(&i, out, sizeof(out)), n - 4);
	CU_ASSERT_EQUAL(memcmp(out, in + 4, n - 4), 0);
}

static void a_sack(void)
{
	uint8_t in[64], out[64];
	size_t used, n = octets_of(in, "03 00 0014 00000009 0000ffff 0001 0000"
				       "0002 0003");
	struct sctp_tlv t;
	struct sctp_sack s;

	CU_ASSERT_EQUAL_FATAL(sctp_chunk_decode(&t, in, n, &used), SCTP_NEXT);
	CU_ASSERT_TRUE_FATAL(sctp_sack_decode(&s, t.value, t.value_octets));
	CU_ASSERT_EQUAL(s.cumulative, 9);
	CU_ASSERT_EQUAL(s.window, 0xffff);
	CU_ASSERT_EQUAL(s.gaps, 1);
	CU_ASSERT_EQUAL(s.duplicates, 0);
	CU_ASSERT_EQUAL(s.tail_octets, 4);
	CU_ASSERT_EQUAL(sctp_sack_encode(&s, out, sizeof(out)), n - 4);
	CU_ASSERT_EQUAL(memcmp(out, in + 4, n - 4), 0);
}

/* Contents of a header that the octets contradict. */
static void what_is_cut_is_told(void)
{
	static const struct {
		const char *hex;
		enum sctp_next next;
		size_t used, pad;
	} rows[] = {
		{"", SCTP_END, 0, 0},
		{"00", SCTP_CUT, 0, 0},
		{"00 00 00", SCTP_CUT, 0, 0},
		{"00 00 0003", SCTP_CUT, 0, 0}, /* shorter than its head */
		{"00 00 0000 00000000", SCTP_CUT, 0, 0},
		{"00 00 0006 61", SCTP_CUT, 0, 0}, /* one octet short */
		{"00 00 ffff 61", SCTP_CUT, 0, 0},
		{"00 00 0004", SCTP_NEXT, 4, 0},
		{"00 00 0005 61 000000", SCTP_NEXT, 8, 3},
		{"00 00 0005 61 ff", SCTP_NEXT, 6, 1}, /* padding is short */
		{"00 00 0006 6162", SCTP_NEXT, 6, 0},
		{"00 00 0007 616263 00 05000004", SCTP_NEXT, 8, 1},
	};

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		uint8_t in[32], out[32];
		size_t used, n = octets_of(in, rows[i].hex);
		uint8_t *exact = exact_copy(in, n);
		struct sctp_tlv t;

		CU_ASSERT_EQUAL(sctp_chunk_decode(&t, exact, n, &used),
				rows[i].next);
		CU_ASSERT_EQUAL(used, rows[i].used);
		if (rows[i].next == SCTP_NEXT) {
			CU_ASSERT_EQUAL(t.pad_octets, rows[i].pad);
			CU_ASSERT_EQUAL(sctp_chunk_encode(&t, out, sizeof(out)),
					used);
			CU_ASSERT_EQUAL(memcmp(out, in, used), 0);
			CU_ASSERT_EQUAL(sctp_chunk_encode(&t, out, used - 1),
					0);
		}
		free(exact);
	}
}

static void fixed_fields_that_are_not_there(void)
{
	uint8_t in[SCTP_INIT_OCTETS] = {0};
	struct sctp_packet p;
	struct sctp_data d;
	struct sctp_init i;
	struct sctp_sack s;

	for (size_t n = 0; n < sizeof(in); n++) {
		uint8_t *exact = exact_copy(in, n);

		CU_ASSERT_EQUAL(sctp_packet_decode(&p, exact, n),
				n >= SCTP_HEADER_OCTETS);
		CU_ASSERT_EQUAL(sctp_data_decode(&d, exact, n),
				n >= SCTP_DATA_OCTETS);
		CU_ASSERT_EQUAL(sctp_sack_decode(&s, exact, n),
				n >= SCTP_SACK_OCTETS);
		CU_ASSERT_FALSE(sctp_init_decode(&i, exact, n));
		free(exact);
	}
	CU_ASSERT_TRUE(sctp_init_decode(&i, in, sizeof(in)));
	CU_ASSERT_EQUAL(sctp_init_encode(&i, in, sizeof(in) - 1), 0);
	CU_ASSERT_TRUE(sctp_data_decode(&d, in, SCTP_DATA_OCTETS));
	CU_ASSERT_EQUAL(sctp_data_encode(&d, in, SCTP_DATA_OCTETS - 1), 0);
	CU_ASSERT_TRUE(sctp_sack_decode(&s, in, SCTP_SACK_OCTETS));
	CU_ASSERT_EQUAL(sctp_sack_encode(&s, in, SCTP_SACK_OCTETS - 1), 0);
	CU_ASSERT_TRUE(sctp_packet_decode(&p, in, SCTP_HEADER_OCTETS));
	CU_ASSERT_EQUAL(sctp_packet_encode(&p, in, SCTP_HEADER_OCTETS - 1), 0);
}

static const struct unit_test tests[] = {
	{"a_packet_with_data", a_packet_with_data},
	{"an_init", an_init},
	{"a_sack", a_sack},
	{"what_is_cut_is_told", what_is_cut_is_told},
	{"fixed_fields_that_are_not_there", fixed_fields_that_are_not_there},
};

int main(void)
{
	return unit_run("sctp", tests, UNIT_COUNT(tests));
}
