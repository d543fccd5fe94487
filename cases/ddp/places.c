/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The places of DDP's fields in the octets that the device sends. If a device
 * consistently sends a field in another place, all other cases use its meaning:
 * here it is reported, once.
 */
#include "case.h"

CASE(tagged_fields_stand_in_their_places,
     .title = "a Write of the device has STag and TO where RFC 5041 draws them",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a stream, when the device writes, */
	told_once(t);
	connects(t);
	dut_posts(t, POST_WRITE_N("hello", 5, 0x01020304, 0x1020304050607080));
	awaits_given(t, RDMAP_WRITE);

	/* then the octets as sent are in their places. */
	must(t, DDP_4_2_01, placed(READING_TAGGED, "shl"));
}

CASE(untagged_fields_stand_in_their_places,
     .title = "a Send and a Read Request have QN, MSN and MO where RFC 5041 "
	      "draws them",
     .needs = NEED_SEND | NEED_READ, .role = EITHER)
{
	/* Given a stream, */
	told_once(t);
	struct region r = dut_registers(t, .len = 8, .access = FOR_RESPONSES);
	connects(t);

	/* when the device sends its first Send and its first Read Request, */
	dut_posts(t, POST_SEND("hello"));
	dut_posts(t, POST_READ(r, 0, 8, PEER_SINK_STAG, PEER_SINK_TO));
	awaits_message(t, DDP_4_3_01, RDMAP_SEND);
	awaits(t, DDP_4_3_01, RDMAP_READ_REQUEST);

	/* then their octets as sent hold 0, 1, 0 and 1, 1, 0. */
	must(t, DDP_4_3_01, placed(READING_UNTAGGED, "qmo"));
}
