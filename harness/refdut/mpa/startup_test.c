/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/buf.h"
#include "harness/refdut/mpa/startup.h"
#include "harness/unit.h"

#include <stdlib.h>
#include <string.h>

static uint8_t frame[STARTUP_ROOM];
static struct startup_frame read_back;
static struct agreement agreed;

static struct params defaults(unsigned rev)
{
	return (struct params){.ird = 16,
			       .ord = 16,
			       .crc = true,
			       .rev = rev,
			       .enhanced = rev == 2,
			       .rtr = RTR_ALL};
}

static enum startup_progress get(bool reply, size_t n)
{
	size_t used;

	return startup_read(&read_back, reply, frame, n, &used);
}

/* The octets of an enhanced Request, written by hand from RFC 6581 s6. */
static void a_request_has_its_octets(void)
{
	static const uint8_t want[] = {0x50, 0x02, 0x00, 0x08, 0x80, 0x08,
				       0xc0, 0x04, 't',  'e',  's',  't'};
	struct params p = defaults(2);

	p.ird = 8;
	p.ord = 4;
	p.peer_to_peer = true;
	p.rtr = RTR_WRITE | RTR_READ;
	p.private_len = 4;
	memcpy(p.private_data, "test", 4);
	CU_ASSERT_EQUAL_FATAL(startup_request(frame, &p), 28);
	CU_ASSERT_EQUAL(memcmp(frame, "MPA ID Req Frame", 16), 0);
	CU_ASSERT_EQUAL(memcmp(frame + 16, want, sizeof(want)), 0);
	CU_ASSERT_EQUAL(get(false, 27), STARTUP_MORE);
	CU_ASSERT_EQUAL(get(false, 28), STARTUP_DONE);
	CU_ASSERT_EQUAL(read_back.ird, 8);
	CU_ASSERT_EQUAL(read_back.ord, 4);
	CU_ASSERT_EQUAL(read_back.rtr, RTR_WRITE | RTR_READ);
	CU_ASSERT_EQUAL(read_back.private_len, 4);
	CU_ASSERT_EQUAL(get(true, 28), STARTUP_BAD);
}

/* Each wrong octet of a key is detected at once. */
static void a_wrong_key_is_found_with_its_octet(void)
{
	struct params p = defaults(1);
	size_t n = startup_request(frame, &p);

	CU_ASSERT_EQUAL(n, 20);
	for (size_t i = 0; i < 16; i++) {
		frame[i] ^= 0x20;
		CU_ASSERT_EQUAL(get(false, i), STARTUP_MORE);
		CU_ASSERT_EQUAL(get(false, i + 1), STARTUP_BAD);
		frame[i] ^= 0x20;
	}
	frame[16] |= 0x2f;
	CU_ASSERT_EQUAL(get(false, 20), STARTUP_DONE);
	frame[17] = 3;
	CU_ASSERT_EQUAL(get(false, 20), STARTUP_BAD);
	frame[17] = 1;
	be16_put(frame + 18, 513);
	CU_ASSERT_EQUAL(get(false, 20), STARTUP_BAD_PRIVATE);
	be16_put(frame + 18, 512);
	CU_ASSERT_EQUAL(get(false, 20), STARTUP_MORE);
}

static void answer(uint32_t ird, uint32_t ord)
{
	struct startup_frame request = {
		.rev = 2, .enhanced = true, .ird = ird, .ord = ord};
	struct params p = defaults(2);

	p.ird = 6;
	p.ord = 4;
	startup_answer(&agreed, &p, &request);
}

static void a_responder_follows_section_nine(void)
{
	answer(3, 5);
	CU_ASSERT_EQUAL(agreed.reply_ird, 6);
	CU_ASSERT_EQUAL(agreed.reply_ord, 3);
	CU_ASSERT_EQUAL(agreed.ord, 3);
	answer(0, 0);
	CU_ASSERT_EQUAL(agreed.reply_ord, 0);
	answer(NOT_NEGOTIATED, 5);
	CU_ASSERT_EQUAL(agreed.reply_ord, NOT_NEGOTIATED);
	CU_ASSERT_EQUAL(agreed.reply_ird, 6);
	CU_ASSERT_EQUAL(agreed.ord, 4);
	answer(3, NOT_NEGOTIATED);
	CU_ASSERT_EQUAL(agreed.reply_ird, NOT_NEGOTIATED);
	CU_ASSERT_EQUAL(agreed.ird, 6);
	CU_ASSERT_EQUAL(agreed.reply_ord, 3);
	answer(0x3ffe, 0x3ffe);
	CU_ASSERT_EQUAL(agreed.reply_ird, 6);
	CU_ASSERT_EQUAL(agreed.reply_ord, 4);
}

static void conclude(uint32_t ird, uint32_t ord, bool a, unsigned rtr)
{
	struct startup_frame reply = {.rev = 2,
				      .enhanced = true,
				      .ird = ird,
				      .ord = ord,
				      .peer_to_peer = a,
				      .rtr = rtr};
	struct params p = defaults(2);

	p.ird = 8;
	p.ord = 8;
	p.peer_to_peer = true;
	p.rtr = RTR_WRITE;
	startup_conclude(&agreed, &p, &reply);
}

static void an_initiator_follows_section_nine(void)
{
	conclude(2, 8, true, RTR_ALL);
	CU_ASSERT_EQUAL(agreed.terminate, 0);
	CU_ASSERT_EQUAL(agreed.ord, 2);
	CU_ASSERT_EQUAL(agreed.rtr, RTR_WRITE);
	conclude(NOT_NEGOTIATED, NOT_NEGOTIATED, true, RTR_ALL);
	CU_ASSERT_EQUAL(agreed.ord, 8);
	CU_ASSERT_EQUAL(agreed.ird, 8);
	CU_ASSERT_EQUAL(agreed.terminate, 0);
	conclude(8, 9, true, RTR_ALL);
	CU_ASSERT_EQUAL(agreed.terminate, 6);
	conclude(8, 8, true, RTR_SEND);
	CU_ASSERT_EQUAL(agreed.terminate, 7);
	conclude(8, 8, true, 0);
	CU_ASSERT_EQUAL(agreed.terminate, 7);
}

/* CRC if either side wants it; markers as the peer wants them. */
static void options_are_settled_per_direction(void)
{
	for (int i = 0; i < 8; i++) {
		struct startup_frame request = {
			.rev = 1, .crc = i & 1, .markers = i & 4};
		struct params p = defaults(2);

		p.crc = i & 2;
		startup_answer(&agreed, &p, &request);
		CU_ASSERT_EQUAL(agreed.crc, (i & 3) != 0);
		CU_ASSERT_EQUAL(agreed.tx_markers, (i & 4) != 0);
		CU_ASSERT_FALSE(agreed.enhanced);
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"a Request has its octets", a_request_has_its_octets},
		{"a wrong key is found with its octet",
		 a_wrong_key_is_found_with_its_octet},
		{"a responder follows section nine",
		 a_responder_follows_section_nine},
		{"an initiator follows section nine",
		 an_initiator_follows_section_nine},
		{"options are settled per direction",
		 options_are_settled_per_direction},
	};

	return unit_run("refdut startup", tests, UNIT_COUNT(tests));
}
