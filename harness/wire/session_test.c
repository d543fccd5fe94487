/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/wire/session.h"

#include "harness/unit.h"
#include "harness/wire/testing.h"

/* RFC 5043 s5.2.3, RFC 6581 s7: each message of session control. */
static void control_messages(void)
{
	static const struct {
		const char *hex, *name;
		uint16_t function;
		size_t private_octets, ulp_octets;
	} rows[] = {
		{"0000 0001 6869", "Session Initiate", SESSION_INITIATE, 2, 2},
		{"0000 0002", "Session Accept", SESSION_ACCEPT, 0, 0},
		{"0000 0003 6e6f", "Session Reject", SESSION_REJECT, 2, 2},
		{"0007 0004", "Session Terminate", SESSION_TERMINATE, 0, 0},
		{"0000 0005 8001 c002 6869", "Enhanced Session Initiate",
		 SESSION_ENHANCED_INITIATE, 6, 2},
		{"0000 0006 8001 c002", "Enhanced Session Accept",
		 SESSION_ENHANCED_ACCEPT, 4, 0},
		/* It is not stated whether enhanced data precedes: none is
		 * read. */
		{"0000 0007 8001 c002", "Enhanced Session Reject",
		 SESSION_ENHANCED_REJECT, 4, 4},
		{"ffff ffff 00", "experimental", SESSION_EXPERIMENTAL, 1, 1},
	};

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		uint8_t in[32], out[32];
		size_t ulp, n = octets_of(in, rows[i].hex);
		uint8_t *exact = exact_copy(in, n);
		struct session_chunk c;

		session_decode(&c, true, exact, n);
		CU_ASSERT_FALSE(c.cut);
		CU_ASSERT_EQUAL(c.ddp_ssn, in[0] << 8 | in[1]);
		CU_ASSERT_EQUAL(c.function, rows[i].function);
		CU_ASSERT_STRING_EQUAL(session_function_name(c.function),
				       rows[i].name);
		CU_ASSERT_EQUAL(c.body_octets, rows[i].private_octets);
		CU_ASSERT_PTR_EQUAL(session_ulp_data(&c, &ulp),
				    c.body + rows[i].private_octets -
					    rows[i].ulp_octets);
		CU_ASSERT_EQUAL(ulp, rows[i].ulp_octets);
		CU_ASSERT_EQUAL(session_encode(&c, out, sizeof(out)), n);
		CU_ASSERT_EQUAL(memcmp(in, out, n), 0);
		CU_ASSERT_EQUAL(session_encode(&c, out, n - 1), 0);
		free(exact);
	}
	CU_ASSERT_PTR_NULL(session_function_name(0));
	CU_ASSERT_PTR_NULL(session_function_name(8));
	CU_ASSERT_PTR_NULL(session_function_name(0xfffe));
}

static void enhanced_data(void)
{
	uint8_t in[16];
	size_t n = octets_of(in, "0000 0005 8001 c002 6869");
	struct session_chunk c;
	struct mpa_enhanced e;

	session_decode(&c, true, in, n);
	CU_ASSERT_TRUE_FATAL(session_enhanced(&c, &e));
	CU_ASSERT_TRUE(e.a);
	CU_ASSERT_FALSE(e.b);
	CU_ASSERT_TRUE(e.c);
	CU_ASSERT_TRUE(e.d);
	CU_ASSERT_EQUAL(e.ird, 1);
	CU_ASSERT_EQUAL(e.ord, 2);
	/* One octet too few for it: there is none, and the ULP gets the octets
	 * present. */
	session_decode(&c, true, in, 7);
	CU_ASSERT_FALSE(session_enhanced(&c, &e));
	session_ulp_data(&c, &n);
	CU_ASSERT_EQUAL(n, 3);
	/* Nor in a chunk that is cut, in a segment, or in a Reject. */
	session_decode(&c, true, in, 3);
	CU_ASSERT_FALSE(session_enhanced(&c, &e));
	session_decode(&c, false, in, 10);
	CU_ASSERT_FALSE(session_enhanced(&c, &e));
	in[3] = SESSION_ENHANCED_REJECT;
	session_decode(&c, true, in, 10);
	CU_ASSERT_FALSE(session_enhanced(&c, &e));
	in[3] = SESSION_ENHANCED_ACCEPT;
	session_decode(&c, true, in, 10);
	CU_ASSERT_TRUE(session_enhanced(&c, &e));
}

/* RFC 5043 s5.2.2: a Send of "hello", 25 octets of user data. */
static void a_segment(void)
{
	uint8_t in[32], out[32];
	size_t n = octets_of(in, "0102 4143 00000000 00000000 00000001 00000000"
				 "68656c6c6f");
	struct session_chunk c;

	CU_ASSERT_EQUAL(n, 25);
	session_decode(&c, false, in, n);
	CU_ASSERT_EQUAL(c.ddp_ssn, 0x102);
	CU_ASSERT_EQUAL(c.body_octets, 23);
	CU_ASSERT_EQUAL(c.body[0], 0x41);
	CU_ASSERT_EQUAL(session_encode(&c, out, sizeof(out)), n);
	CU_ASSERT_EQUAL(memcmp(in, out, n), 0);
}

static void what_is_cut_is_kept(void)
{
	uint8_t in[4] = {1, 2, 3, 4}, out[4];

	for (int control = 0; control < 2; control++)
		for (size_t n = 0; n <= sizeof(in); n++) {
			uint8_t *exact = exact_copy(in, n);
			struct session_chunk c;

			session_decode(&c, control, exact, n);
			CU_ASSERT_EQUAL(c.cut, n < (control ? 4u : 2u));
			CU_ASSERT_EQUAL(c.body_octets,
					c.cut ? n : n - (control ? 4 : 2));
			CU_ASSERT_EQUAL(session_encode(&c, out, sizeof(out)),
					n);
			CU_ASSERT_EQUAL(memcmp(in, out, n), 0);
			free(exact);
		}
}

/* RFC 5043 s5.1, among the parameters of an INIT. */
static void adaptation_indications(void)
{
	static const struct {
		const char *hex;
		enum session_adaptation found;
		uint32_t indication;
	} rows[] = {
		{"", SESSION_ADAPTATION_ABSENT, 0},
		{"c006 0008 00000001", SESSION_ADAPTATION_PRESENT, 1},
		{"c006 0008 00000002", SESSION_ADAPTATION_PRESENT, 2},
		{"8008 0005 c1 000000 c006 0008 01020304",
		 SESSION_ADAPTATION_PRESENT, 0x01020304},
		{"8008 0005 c1 000000", SESSION_ADAPTATION_ABSENT, 0},
		{"c006 0008 00000001 c006 0008 00000002",
		 SESSION_ADAPTATION_PRESENT, 1},
		{"c006 0004", SESSION_ADAPTATION_BROKEN, 0},
		{"c006 000c 0000000100000001", SESSION_ADAPTATION_BROKEN, 0},
		{"c006 0008 000001", SESSION_ADAPTATION_BROKEN, 0},
		{"8008 0003", SESSION_ADAPTATION_BROKEN, 0},
	};

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		uint8_t in[32];
		size_t n = octets_of(in, rows[i].hex);
		uint8_t *exact = exact_copy(in, n);
		uint32_t indication = 0;

		CU_ASSERT_EQUAL(session_adaptation(exact, n, &indication),
				rows[i].found);
		CU_ASSERT_EQUAL(indication, rows[i].indication);
		free(exact);
	}
}

static const struct unit_test tests[] = {
	{"control_messages", control_messages},
	{"enhanced_data", enhanced_data},
	{"a_segment", a_segment},
	{"what_is_cut_is_kept", what_is_cut_is_kept},
	{"adaptation_indications", adaptation_indications},
};

int main(void)
{
	return unit_run("session", tests, UNIT_COUNT(tests));
}
