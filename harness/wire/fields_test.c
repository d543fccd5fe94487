/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames made by hand (vectors/), taken apart. */
#include "harness/wire/fields.h"

#include <stdio.h>

#include "harness/crc/crc.h"
#include "harness/unit.h"
#include "harness/wire/testing.h"

static struct field list[FIELDS_MAX];
static uint8_t octets[2048];
static size_t count;

static const struct field *named(enum field_part part, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (list[i].part == part && strcmp(list[i].name, name) == 0)
			return &list[i];
	CU_FAIL_FATAL("no such field");
	return NULL;
}

static void has(enum field_part part, const char *name, size_t at,
		uint64_t value, const char *means)
{
	const struct field *f = named(part, name);

	CU_ASSERT_EQUAL(f->at, at);
	CU_ASSERT_EQUAL(f->value, value);
	CU_ASSERT_STRING_EQUAL(f->means, means);
	CU_ASSERT_FALSE(f->cut);
}

static size_t fpdu(const char *hex, const unsigned short *markers, size_t n)
{
	const struct fields_framing how = {
		.markers = markers, .marker_count = n, .crc = crc32c};
	size_t octet_count = octets_of(octets, hex);
	uint8_t *copy = exact_copy(octets, octet_count);

	count = fields_of_fpdu(list, FIELDS_MAX, copy, octet_count, &how);
	free(copy);
	return octet_count;
}

#define SEND "0017 41 43 00000000 00000000 00000001 00000000 68656c6c6f 000000 "

static void a_send(void)
{
	char text[FIELD_TEXT];

	fpdu(SEND "b990b10c", NULL, 0);
	CU_ASSERT_EQUAL(count, 15);
	has(FIELD_OF_MPA, "ULPDU_Length", 0, 23, "");
	has(FIELD_OF_DDP, "T", 2, 0, "untagged");
	has(FIELD_OF_DDP, "L", 2, 1, "the last of its message");
	has(FIELD_OF_DDP, "DV", 2, 1, "");
	has(FIELD_OF_RDMAP, "RV", 3, 1, "");
	has(FIELD_OF_RDMAP, "Opcode", 3, 3, "Send");
	CU_ASSERT_EQUAL(named(FIELD_OF_RDMAP, "Opcode")->first_bit, 4);
	has(FIELD_OF_DDP, "Invalidate STag", 4, 0, "");
	has(FIELD_OF_DDP, "QN", 8, 0, "");
	has(FIELD_OF_DDP, "MSN", 12, 1, "");
	has(FIELD_OF_DDP, "MO", 16, 0, "");
	has(FIELD_OF_ULP, "payload", 20, 0x68656c6c6f, "");
	has(FIELD_OF_MPA, "PAD", 25, 0, "");
	has(FIELD_OF_MPA, "CRC", 28, 0xb990b10c, "matches");
	field_value_text(named(FIELD_OF_DDP, "Invalidate STag"), text);
	CU_ASSERT_STRING_EQUAL(text, "0x00000000");
	field_value_text(named(FIELD_OF_ULP, "payload"), text);
	CU_ASSERT_STRING_EQUAL(text, "5 octets");
	field_value_text(named(FIELD_OF_MPA, "ULPDU_Length"), text);
	CU_ASSERT_STRING_EQUAL(text, "23");
}

static void a_wrong_crc(void)
{
	fpdu(SEND "b990b10d", NULL, 0);
	CU_ASSERT(named(FIELD_OF_MPA, "CRC")->is_wrong);
	CU_ASSERT_EQUAL(named(FIELD_OF_MPA, "CRC")->due, 0xb990b10c);
}

/* Between the halves of a Write's TO, and in front of its length. */
static void markers(void)
{
	static const unsigned short at[] = {0, 16};

	fpdu("0000 0000 0012 c1 40 00000100 11223344 0001 0010 55667788 "
	     "aabbccdd 00000000",
	     at, 2);
	has(FIELD_OF_MPA, "marker: reserved", 0, 0, "");
	has(FIELD_OF_MPA, "marker: FPDUPTR", 2, 0, "the FPDU begins after it");
	has(FIELD_OF_MPA, "ULPDU_Length", 4, 18, "");
	has(FIELD_OF_DDP, "STag", 8, 0x100, "");
	has(FIELD_OF_DDP, "TO", 12, 0x1122334455667788, "");
	CU_ASSERT_EQUAL(named(FIELD_OF_DDP, "TO")->span, 12);
	CU_ASSERT_EQUAL(named(FIELD_OF_DDP, "TO")->octets, 8);
	/* It counts from the length, not from the marker in front of that. */
	for (size_t i = 0; i < count; i++)
		if (list[i].at == 18) {
			CU_ASSERT_EQUAL(list[i].value, 16);
			CU_ASSERT(list[i].is_wrong);
			CU_ASSERT_EQUAL(list[i].due, 12);
		}
	has(FIELD_OF_ULP, "payload", 24, 0xaabbccdd, "");
}

static void a_terminate(void)
{
	fpdu("0028 41 47 00000000 00000002 00000001 00000000 "
	     "11 00 c000 000e c1 40 00000abc 0000000000000010 00000000 "
	     "00000000",
	     NULL, 0);
	has(FIELD_OF_RDMAP, "Layer", 20, 1, "DDP");
	has(FIELD_OF_RDMAP, "Error Type", 20, 1, "tagged");
	has(FIELD_OF_RDMAP, "Error Code", 21, 0, "invalid STag");
	has(FIELD_OF_RDMAP, "R", 22, 0, "");
	has(FIELD_OF_RDMAP, "DDP Segment Length", 24, 14, "");
	has(FIELD_OF_DDP_RETURNED, "STag", 28, 0xabc, "");
	has(FIELD_OF_DDP_RETURNED, "TO", 32, 16, "");
	has(FIELD_OF_DDP_RETURNED, "Opcode", 27, 0, "RDMA Write");
}

static void requests(void)
{
	fpdu("002e 41 41 00000000 00000001 00000001 00000000 00000001 "
	     "0000000000000002 00000003 00000004 0000000000000005 00000000",
	     NULL, 0);
	has(FIELD_OF_RDMAP, "Data Sink STag", 20, 1, "");
	has(FIELD_OF_RDMAP, "Data Sink Tagged Offset", 24, 2, "");
	has(FIELD_OF_RDMAP, "RDMA Read Message Size", 32, 3, "");
	has(FIELD_OF_RDMAP, "Data Source STag", 36, 4, "");
	has(FIELD_OF_RDMAP, "Data Source Tagged Offset", 40, 5, "");
	fpdu("0046 41 4a 00000000 00000001 00000001 00000000 00000012 "
	     "00000001 00000002 0000000000000003 0000000000000004 "
	     "0000000000000005 0000000000000006 0000000000000007 00000000",
	     NULL, 0);
	has(FIELD_OF_RDMAP, "AOpCode", 23, 2, "CmpSwap");
	has(FIELD_OF_RDMAP, "Reserved", 20, 1, "");
	has(FIELD_OF_RDMAP, "Compare Mask", 64, 7, "");
	fpdu("001e 41 4b 00000000 00000003 00000001 00000000 00000001 "
	     "0000000000000009 00000000",
	     NULL, 0);
	has(FIELD_OF_RDMAP, "Original Remote Data Value", 24, 9, "");
	fpdu("001a 41 48 00000000 00000000 00000001 00000000 "
	     "0102030405060708 00000000",
	     NULL, 0);
	has(FIELD_OF_ULP, "Immediate Data", 20, 0x0102030405060708, "");
}

static void startup_frames(void)
{
	size_t n = octets_of(octets, "4d504120494420526570204672616d65 50 02 "
				     "0006 c010 7fff 6869");

	count = fields_of_startup(list, FIELDS_MAX, octets, n);
	CU_ASSERT_STRING_EQUAL(named(FIELD_OF_MPA, "Key")->means, "a Reply");
	has(FIELD_OF_MPA, "M", 16, 0, "no markers wanted");
	has(FIELD_OF_MPA, "C", 16, 1, "CRCs wanted");
	has(FIELD_OF_MPA, "S", 16, 1, "enhanced data follows");
	has(FIELD_OF_MPA, "Rev", 17, 2, "");
	has(FIELD_OF_MPA, "PD_Length", 18, 6, "");
	has(FIELD_OF_MPA, "A", 20, 1, "the peer-to-peer model");
	has(FIELD_OF_MPA, "B", 20, 1, "RTR: a zero-length Send");
	has(FIELD_OF_MPA, "IRD", 20, 16, "");
	has(FIELD_OF_MPA, "D", 22, 1, "RTR: a zero-length RDMA Read");
	has(FIELD_OF_MPA, "ORD", 22, 0x3fff, "not negotiated");
	has(FIELD_OF_ULP, "private data", 24, 0x6869, "");
}

static void chunks_of_sctp(void)
{
	size_t n = octets_of(octets, "0000 0005 c010 7fff 6869");

	count = fields_of_chunk(list, FIELDS_MAX, octets, n, 17);
	has(FIELD_OF_SCTP, "DDP-SSN", 0, 0, "");
	has(FIELD_OF_SCTP, "Function Code", 2, 5, "Enhanced Session Initiate");
	has(FIELD_OF_MPA, "IRD", 4, 16, "");
	has(FIELD_OF_MPA, "ORD", 6, 0x3fff, "not negotiated");
	has(FIELD_OF_ULP, "private data", 8, 0x6869, "");
	n = octets_of(octets, "ffff 0004");
	count = fields_of_chunk(list, FIELDS_MAX, octets, n, 17);
	CU_ASSERT_EQUAL(count, 2);
	has(FIELD_OF_SCTP, "DDP-SSN", 0, 65535, "");
	n = octets_of(octets, "0003 41 43 00000000 00000000 00000007 00000000 "
			      "6869");
	count = fields_of_chunk(list, FIELDS_MAX, octets, n, 16);
	has(FIELD_OF_SCTP, "DDP-SSN", 0, 3, "");
	has(FIELD_OF_DDP, "MSN", 12, 7, "");
	has(FIELD_OF_ULP, "payload", 20, 0x6869, "");
	for (size_t i = 0; i < n; i++) {
		uint8_t *copy = exact_copy(octets, i);

		count = fields_of_chunk(list, FIELDS_MAX, copy, i,
					16 + (uint32_t)i % 3);
		CU_ASSERT_EQUAL(i == 0, count == 0);
		free(copy);
	}
}

/* Cut at each octet: nothing is read past the end, and the cut is reported. */
static void what_is_cut(void)
{
	static const struct fields_framing how = {.crc = crc32c};
	size_t n = octets_of(octets, SEND "b990b10c");

	for (size_t i = 0; i < n; i++) {
		uint8_t *copy = exact_copy(octets, i);

		count = fields_of_fpdu(list, FIELDS_MAX, copy, i, &how);
		CU_ASSERT_EQUAL(i == 0, count == 0);
		if (i && i != 2 && i != 3 && i % 4)
			CU_ASSERT_EQUAL(list[count - 1].cut, i != 25);
		free(copy);
	}
	char text[FIELD_TEXT];

	fpdu("00", NULL, 0);
	field_value_text(named(FIELD_OF_MPA, "ULPDU_Length"), text);
	CU_ASSERT_STRING_EQUAL(text, "1 octet");
	/* In a ULPDU that ends within its header, pad and CRC are where its
	 * length puts them. */
	fpdu("0004 41 43 0000 0000 00000000", NULL, 0);
	CU_ASSERT(named(FIELD_OF_DDP, "Invalidate STag")->cut);
	CU_ASSERT_EQUAL(named(FIELD_OF_MPA, "PAD")->at, 6);
	CU_ASSERT_EQUAL(named(FIELD_OF_MPA, "CRC")->at, 8);
}

static size_t startup(const char *hex)
{
	size_t n = octets_of(octets, hex);
	uint8_t *copy = exact_copy(octets, n);

	count = fields_of_startup(list, FIELDS_MAX, copy, n);
	free(copy);
	return n;
}

/* RFC 5044 s7.1: each flag has two meanings, and a key is one of two. */
static void flags_of_startup_frames(void)
{
	startup("4d504120494420526571204672616d65 a0 01 0000");
	CU_ASSERT_STRING_EQUAL(named(FIELD_OF_MPA, "Key")->means, "a Request");
	has(FIELD_OF_MPA, "M", 16, 1, "markers wanted");
	has(FIELD_OF_MPA, "C", 16, 0, "no CRCs wanted");
	has(FIELD_OF_MPA, "R", 16, 1, "rejected");
	has(FIELD_OF_MPA, "S", 16, 0, "");
	has(FIELD_OF_MPA, "PD_Length", 18, 0, "");
	startup("4d504120494420526571204672616d66 00 01 0000");
	CU_ASSERT_STRING_EQUAL(named(FIELD_OF_MPA, "Key")->means,
			       "neither key");
	/* S needs four octets of private data: RFC 6581 s6. */
	startup("4d504120494420526570204672616d65 50 02 0002 c010 7fff");
	has(FIELD_OF_MPA, "IRD", 20, 16, "");
	has(FIELD_OF_NOBODY, "octets after it", 22, 0x7fff, "");
	startup("4d504120494420526570204672616d65 50 02 0000 c010");
	has(FIELD_OF_NOBODY, "octets after it", 20, 0xc010, "");
	startup("4d504120494420526570204672616d65 50 02 0003 c010 7f");
	CU_ASSERT_EQUAL(list[count - 1].at, 22);
	CU_ASSERT_TRUE(list[count - 1].cut);
}

static void startup_frames_that_are_cut(void)
{
	size_t n = octets_of(octets, "4d504120494420526570204672616d65 50 02 "
				     "0006 c010 7fff 6869");

	for (size_t i = 0; i <= n; i++) {
		uint8_t *copy = exact_copy(octets, i);

		count = fields_of_startup(list, FIELDS_MAX, copy, i);
		CU_ASSERT_EQUAL(i == 0, count == 0);
		if (count)
			CU_ASSERT_EQUAL(list[count - 1].cut,
					i < 16 || i == 19 || i == 21 ||
						i == 23 || i == 25);
		free(copy);
	}
}

/* RFC 5043 s5.2.3, RFC 6581 s7. */
static void functions_of_chunks(void)
{
	size_t n = octets_of(octets, "0000 0006 c010 7fff");

	count = fields_of_chunk(list, FIELDS_MAX, octets, n, 17);
	has(FIELD_OF_SCTP, "Function Code", 2, 6, "Enhanced Session Accept");
	has(FIELD_OF_MPA, "IRD", 4, 16, "");
	/* A Reject has private data alone. */
	octets[3] = 7;
	count = fields_of_chunk(list, FIELDS_MAX, octets, n, 17);
	has(FIELD_OF_ULP, "private data", 4, 0xc0107fff, "");
	octets[3] = 99;
	count = fields_of_chunk(list, FIELDS_MAX, octets, n, 17);
	has(FIELD_OF_SCTP, "Function Code", 2, 99, "not registered");
	count = fields_of_chunk(list, FIELDS_MAX, octets, 3, 17);
	CU_ASSERT_TRUE(named(FIELD_OF_SCTP, "Function Code")->cut);
	/* Another PPID is none of DDP's. */
	count = fields_of_chunk(list, FIELDS_MAX, octets, n, 18);
	CU_ASSERT_EQUAL(count, 1);
	CU_ASSERT_STRING_EQUAL(list[0].name, "octets");
}

/* RFC 5040 s4.8: what comes back is announced by three bits. */
static void parts_of_a_terminate(void)
{
	static const char head[] = "41 47 00000000 00000002 00000001 00000000 ";
	char hex[400], text[FIELD_TEXT];

	snprintf(hex, sizeof(hex),
		 "0046 %s 01 01 e000 002e "
		 "41 41 00000000 00000001 00000001 00000000 "
		 "00000001 0000000000000002 00000003 00000004 "
		 "0000000000000005 00000000",
		 head);
	fpdu(hex, NULL, 0);
	CU_ASSERT_EQUAL(named(FIELD_OF_RDMAP, "M")->value, 1);
	CU_ASSERT_EQUAL(named(FIELD_OF_RDMAP, "D")->value, 1);
	CU_ASSERT_EQUAL(named(FIELD_OF_RDMAP, "R")->value, 1);
	has(FIELD_OF_DDP_RETURNED, "QN", 32, 1, "");
	has(FIELD_OF_RDMA_RETURNED, "RDMA Read Message Size", 56, 3, "");
	/* The length alone; nothing; and what nobody registered. */
	snprintf(hex, sizeof(hex), "0018 %s 01 01 8000 002e 0000 00000000",
		 head);
	fpdu(hex, NULL, 0);
	has(FIELD_OF_RDMAP, "DDP Segment Length", 24, 0x2e, "");
	snprintf(hex, sizeof(hex), "0016 %s ff 01 0000 00000000", head);
	fpdu(hex, NULL, 0);
	has(FIELD_OF_RDMAP, "Layer", 20, 15, "not registered");
	has(FIELD_OF_RDMAP, "Error Type", 20, 15, "not registered");
	has(FIELD_OF_RDMAP, "Error Code", 21, 1, "not registered");
	/* It announces more than it has. */
	snprintf(hex, sizeof(hex), "0018 %s 01 01 e000 002e 00000000", head);
	fpdu(hex, NULL, 0);
	has(FIELD_OF_RDMAP, "DDP Segment Length", 24, 0x2e, "");
	for (size_t i = 0; i < count; i++)
		CU_ASSERT_NOT_EQUAL(list[i].part, FIELD_OF_DDP_RETURNED);
	snprintf(hex, sizeof(hex), "0014 %s 01 01 00000000", head);
	fpdu(hex, NULL, 0);
	field_value_text(named(FIELD_OF_RDMAP, "Terminate Control"), text);
	CU_ASSERT_STRING_EQUAL(text, "2 octets");
	snprintf(hex, sizeof(hex), "0013 %s 01 00 00000000", head);
	fpdu(hex, NULL, 0);
	field_value_text(named(FIELD_OF_RDMAP, "Terminate Control"), text);
	CU_ASSERT_STRING_EQUAL(text, "1 octet");
}

/* Places of markers that cannot be: in another one, and across the end. */
static void markers_that_cannot_be(void)
{
	static const unsigned short inside[] = {4, 6, 20};
	static const unsigned short late[] = {20};

	fpdu("0012 c1 40 00000000 00000100 11223344 55667788 00000010 "
	     "aabbccdd 00000000",
	     inside, 3);
	has(FIELD_OF_DDP, "STag", 8, 0x100, "");
	has(FIELD_OF_DDP, "TO", 12, 0x1122334455667788, "");
	has(FIELD_OF_ULP, "payload", 24, 0xaabbccdd, "");
	fpdu("0020 c1 40 00000100 11223344 55667788 aabbccdd 0000", late, 1);
	CU_ASSERT_TRUE(named(FIELD_OF_MPA, "marker: reserved")->cut);
	CU_ASSERT_EQUAL(named(FIELD_OF_MPA, "marker: reserved")->at, 20);
	CU_ASSERT_EQUAL(named(FIELD_OF_MPA, "marker: reserved")->octets, 2);
}

/* A marker between the octets of a word with parts: each part is of the word. */
static void a_marker_inside_a_word(void)
{
	static const unsigned short inside[] = {22};
	static const unsigned short behind[] = {20};

	fpdu("0016 41 47 00000000 00000002 00000001 00000000 "
	     "0101 0000 0016 4000 00000000",
	     inside, 1);
	CU_ASSERT_EQUAL(named(FIELD_OF_RDMAP, "Error Code")->value, 1);
	CU_ASSERT_EQUAL(named(FIELD_OF_RDMAP, "D")->value, 1);
	CU_ASSERT_EQUAL(named(FIELD_OF_RDMAP, "D")->at, 20);
	CU_ASSERT_EQUAL(named(FIELD_OF_RDMAP, "D")->octets, 4);
	CU_ASSERT_EQUAL(named(FIELD_OF_RDMAP, "D")->span, 8);
	/* One that would begin where the octets end is not there. */
	fpdu("0020 c1 40 00000100 11223344 55667788 aabbccdd", behind, 1);
	for (size_t i = 0; i < count; i++)
		CU_ASSERT_TRUE(list[i].at < 20);
}

/* RFC 5040 s4.1: opcodes of tagged messages, and those that nobody assigned,
 * have no header behind that of an untagged segment. */
static void other_opcodes_have_a_payload(void)
{
	static const unsigned opcodes[] = {0, 2, 12};
	char hex[200];

	for (size_t i = 0; i < UNIT_COUNT(opcodes); i++) {
		snprintf(hex, sizeof(hex),
			 "0016 41 4%x 00000000 00000000 00000001 00000000 "
			 "68656c6c 00000000",
			 opcodes[i]);
		fpdu(hex, NULL, 0);
		has(FIELD_OF_ULP, "payload", 20, 0x68656c6c, "");
	}
}

static void a_crc_that_nobody_uses(void)
{
	struct fields_framing how = {.crc = crc32c, .crc_off = true};
	size_t n = octets_of(octets, SEND "00000000");

	count = fields_of_fpdu(list, FIELDS_MAX, octets, n, &how);
	has(FIELD_OF_MPA, "CRC", 28, 0, "not in use");
	/* One that nobody can compute. */
	how = (struct fields_framing){0};
	count = fields_of_fpdu(list, FIELDS_MAX, octets, n, &how);
	has(FIELD_OF_MPA, "CRC", 28, 0, "");
}

static void what_is_cut_in_messages(void)
{
	/* The octet of the AOpCode is there only in part. */
	fpdu("0014 41 4a 00000000 00000001 00000001 00000000 0000 00000000",
	     NULL, 0);
	CU_ASSERT_TRUE(named(FIELD_OF_RDMAP, "AOpCode")->cut);
	fpdu("001a 41 4a 00000000 00000001 00000001 00000000 00000013 "
	     "00000001 00000000",
	     NULL, 0);
	has(FIELD_OF_RDMAP, "AOpCode", 23, 3, "not assigned");
	/* An empty ULPDU has no header. */
	fpdu("0000 0000 00000000", NULL, 0);
	for (size_t i = 0; i < count; i++)
		CU_ASSERT_EQUAL(list[i].part, FIELD_OF_MPA);
	/* A later segment of a message has no header of RDMAP. */
	fpdu("0016 01 43 00000000 00000000 00000001 00000008 68656c6c "
	     "00000000",
	     NULL, 0);
	has(FIELD_OF_DDP, "L", 2, 0, "more of its message follows");
	has(FIELD_OF_ULP, "payload", 20, 0x68656c6c, "");
}

static void a_short_list_is_filled(void)
{
	size_t n = octets_of(octets, SEND "b990b10c");
	static const struct fields_framing how = {.crc = crc32c};

	list[2].name = "as before";
	CU_ASSERT_EQUAL(fields_of_fpdu(list, 2, octets, n, &how), 2);
	CU_ASSERT_STRING_EQUAL(list[1].name, "T");
	CU_ASSERT_STRING_EQUAL(list[2].name, "as before");
}

static void parts_have_names(void)
{
	for (enum field_part p = 0; p <= FIELD_OF_NOBODY; p++)
		CU_ASSERT_EQUAL(!*field_part_name(p), p == FIELD_OF_NOBODY);
	CU_ASSERT_STRING_EQUAL(field_part_name(FIELD_OF_DDP), "DDP");
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"a Send", a_send},
		{"a wrong CRC", a_wrong_crc},
		{"markers", markers},
		{"a Terminate", a_terminate},
		{"Requests and Responses", requests},
		{"startup frames", startup_frames},
		{"chunks of SCTP", chunks_of_sctp},
		{"what is cut", what_is_cut},
		{"flags of startup frames", flags_of_startup_frames},
		{"startup frames that are cut", startup_frames_that_are_cut},
		{"functions of chunks", functions_of_chunks},
		{"parts of a Terminate", parts_of_a_terminate},
		{"markers that cannot be", markers_that_cannot_be},
		{"a marker inside a word", a_marker_inside_a_word},
		{"other opcodes have a payload", other_opcodes_have_a_payload},
		{"a CRC that nobody uses", a_crc_that_nobody_uses},
		{"what is cut in messages", what_is_cut_in_messages},
		{"a short list is filled", a_short_list_is_filled},
		{"parts have names", parts_have_names},
	};
	const char *why;

	if (crc_init(&why) != 0) {
		fprintf(stderr, "%s\n", why);
		return 1;
	}
	return unit_run("fields", tests, UNIT_COUNT(tests));
}
