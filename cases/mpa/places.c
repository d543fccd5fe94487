/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The places of MPA's fields in the octets that the device sends. If a device
 * consistently sends a field in another place, all other cases use its meaning:
 * here it is reported, once.
 */
#include "case.h"

static void device_has(struct test *t, unsigned ird, unsigned ord)
{
	if (ird > dut_max_ird(t) || ord > dut_max_ord(t))
		not_applicable(t, "the device has IRD %u and ORD %u at most",
			       dut_max_ird(t), dut_max_ord(t));
}

CASE(crc_octets_stand_in_their_order,
     .title = "the device sends the four octets of a CRC in the order of RFC "
	      "5044",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a stream with CRCs, when the device answers, */
	told_once(t);
	connects(t, .crc = true);
	must(t, MPA_4_4_09, stream_works());

	/* then the octets of its CRC are in their order. */
	must(t, MPA_4_4_09, placed(READING_CRC, "c"));
}

CASE(an_error_of_mpa_is_of_type_0,
     .title = "the Terminate for a CRC error has error type 0, as registered",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a stream, */
	told_once(t);
	connects(t, .crc = true);

	/* when the CRC of a Send is wrong, */
	peer_sends(t, SEND("hello", .crc = CRC_WRONG));
	if (!the_terminate(t))
		not_applicable(t, "the device sent no Terminate");

	/* then its Terminate is 2/0/02. RFC 5044 s8 gives its codes no type,
	 * and RFC 5041 s7.2 keeps type 3 for the LLP; RFC 6580 s3.3 has
	 * registered them under type 0. */
	should(t, IANA_3_3_02, placed_here(READING_MPA_ERROR, "t"));
}

CASE(an_error_of_the_startup_is_of_type_0,
     .title = "the Terminate for a Reply with another RTR has layer 2 and "
	      "error type 0, as RFC 6581 says",
     .needs = NEED_P2P | NEED_RTR_WRITE, .role = INITIATOR)
{
	/* Given a device that offers a Write as RTR, */
	dut_works(t);
	dut_dials(t, .dut_rtr = RTR_WRITE);
	awaits_request(t);

	/* when the Reply has another, */
	peer_sends_startup(t, REPLY(.enhanced = true, .a = true, .c = false,
				    .b = true, .ird = 16, .ord = 1));
	full_operation(t);
	awaits(t, EMPA_9_2_16, RDMAP_TERMINATE);

	/* then its Terminate has the type that RFC 6581 s8 gives. */
	must(t, EMPA_8_07, placed_here(READING_MPA_ERROR, "t"));
}

CASE(fields_of_a_request_stand_in_their_places,
     .title = "the enhanced data of a Request has flags, IRD and ORD where RFC "
	      "6581 draws them",
     .needs = NEED_ENHANCED, .role = INITIATOR)
{
	/* Given a device with IRD 3 and ORD 5, when it connects, */
	device_has(t, 3, 5);
	dut_dials(t, .enhanced = true, .dut_ird = 3, .dut_ord = 5);
	awaits_startup(t, EMPA_9_01);

	/* then the octets as sent are in their places. */
	must(t, EMPA_9_01, placed(READING_REQUEST, "abikjcdoqp"));
	peer_sends_startup(t, REPLY(.enhanced = true, .ird = 16, .ord = 1));
	must(t, EMPA_9_01, full_operation_works());
}

CASE(fields_of_a_reply_stand_in_their_places,
     .title = "the enhanced data of a Reply has flags, IRD and ORD where RFC "
	      "6581 draws them",
     .needs = NEED_ENHANCED)
{
	/* Given a device with IRD 6 and ORD 2, when 3 and 5 are requested, */
	device_has(t, 6, 2);
	dut_listens(t, .dut_ird = 6, .dut_ord = 2);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST(.enhanced = true, .ird = 3, .ord = 5));
	awaits_startup(t, EMPA_9_02);

	/* then the octets as sent are in their places. */
	must(t, EMPA_9_02, placed(READING_REPLY, "abikjcdoqp"));
	must(t, EMPA_9_02, full_operation_works());
}
