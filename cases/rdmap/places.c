/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The places of RDMAP's fields in the octets that the device sends. If a device
 * consistently sends a field in another place, all other cases use its meaning:
 * here it is reported, once.
 */
#include "case.h"

static const uint8_t EIGHT[8] = {1, 2, 3, 4, 5, 6, 7, 8};

CASE(fields_of_a_terminate_stand_in_their_places,
     .title = "a Terminate has layer, error type, error code and flags where "
	      "RFC 5040 draws them",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a stream, */
	told_once(t);
	connects(t, .crc = true);

	/* when the peer reads by an STag never issued: 0/1/00, M, D and R, */
	peer_sends(t, READ_FROM(stag_never_issued(t), 0x1000, 40));
	must(t, RDMAP_7_2_06, terminate_any());

	/* then the octets as sent contain it. */
	must(t, RDMAP_4_8_02, placed(READING_TERMINATE, "l"));
	must(t, RDMAP_4_8_03, placed(READING_TERMINATE, "t"));
	must(t, RDMAP_4_8_04, placed(READING_TERMINATE, "c"));
	must(t, RDMAP_4_8_05, placed(READING_TERMINATE, "mdr"));
}

CASE(operands_of_an_atomic_stand_in_their_places,
     .title = "a CmpSwap of the device has its four operands where RFC 7306 "
	      "draws them",
     .needs = NEED_CMPSWAP | NEED_MASKED_ATOMICS, .role = EITHER)
{
	/* Given a stream, */
	told_once(t);
	struct region r = dut_registers(t, .len = 8, .access = FOR_RESULTS);
	connects(t, .crc = true);

	/* when the device compares and swaps with four operands, */
	dut_posts(t,
		  POST_CMPSWAP(r, 0, PEER_SINK_STAG, PEER_SINK_TO,
			       0x3132333435363738, 0x1112131415161718,
			       .masks = true, .swap_mask = 0x2122232425262728,
			       .compare_mask = 0x4142434445464748));
	awaits(t, RDMAPX_5_2_1_30, RDMAP_ATOMIC_REQUEST);

	/* then the octets as sent are in their places. */
	must(t, RDMAPX_5_2_1_30, placed(READING_ATOMIC_REQUEST, "dmcn"));
}

CASE(octets_of_a_value_stand_in_their_order,
     .title = "the device sends the value of an Atomic Response highest octet "
	      "first",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a word in the device's memory, */
	told_once(t);
	struct region r = dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_sets_word(t, r, 0, 0x0102030405060708);
	connects(t, .crc = true);

	/* when the peer adds one to it, */
	peer_sends(t, FETCHADD(r, 0, 1, 0));
	awaits(t, RDMAPX_5_1_1_10, RDMAP_ATOMIC_RESPONSE);

	/* then the octets of the value are in network order. */
	must(t, RDMAPX_5_1_1_10, placed(READING_ATOMIC_RESPONSE, "v"));
}

CASE(octets_of_immediate_data_stand_in_their_order,
     .title =
	     "the device sends the octets of Immediate Data in the order given",
     .needs = NEED_IMM, .role = EITHER)
{
	/* Given a stream, when the device sends eight octets, */
	told_once(t);
	connects(t, .crc = true);
	dut_posts(t, POST_IMM(EIGHT));
	awaits(t, RDMAPX_6_2_01, RDMAP_IMM);

	/* then they are in their order. */
	must(t, RDMAPX_6_2_01, placed(READING_IMMEDIATE, "i"));
}
