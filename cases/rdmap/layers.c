/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5040 s3.1: RDMA Messages and the DDP Messages they are put in. */
#include "case.h"

#define LONG (64u * 1024)

struct kind {
	CASE_ROW;
	uint8_t opcode;
};

static const struct kind kinds[] = {
	{.id = "send", .opcode = RDMAP_SEND},
	{.id = "write", .opcode = RDMAP_WRITE},
};

CASE_EACH(a_message_is_one_ddp_message, struct kind, kinds,
	  .title = "a message of 64 KiB, whatever its segments, is one DDP "
		   "Message",
	  .needs = NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given a device with a long message to send, */
	struct region r = dut_registers(t, .len = LONG);
	connects(t, .mss = 1460);

	/* when it sends it, */
	if (row->opcode == RDMAP_SEND)
		dut_posts(t, POST_SEND_FROM(r, 0, LONG));
	else
		dut_posts(t, POST_WRITE_FROM(r, 0, LONG, PEER_SINK_STAG, 0));
	struct message m = awaits_message(t, RDMAP_3_1_02, row->opcode);

	/* then none of its segments but that of its end says it is the last,
	 * and nothing follows. */
	must(t, RDMAP_3_1_02, at_least("segments", m.count, 2));
	insists(t, RDMAP_3_1_02, nothing_more());
	must(t, DDP_5_2_03, is("octets up to the first L=1", m.n, LONG));
}
