/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5044 s4.4: CRC32c on every FPDU, asked for by either side. */
#include "case.h"

CASE(wrong_crc_is_never_delivered,
     .title = "an FPDU whose CRC is wrong is not delivered, and the stream ends",
     .needs = NEED_CRC | NEED_AGENT | NEED_SEND)
{
	/* Given a CRC-protected stream and one buffer waiting for a Send, */
	struct sink sink = dut_posts_recv(t, 64);
	peer_connects(t, .crc = true);

	/* when the peer sends a Send whose only fault is its CRC, */
	peer_sends(t, SEND("hello", .crc = CRC_WRONG));

	/* then nothing is delivered, the cause is named, and the stream is
	 * over, or the segment was dropped as if lost. */
	must(t, MPA_4_4_14, stream_ends_or_stalls());
	must(t, MPA_4_4_14, not_delivered(sink));
	should(t, MPA_8_02, any_of(t, terminate(TERM_LLP, 0, 0x02),
				   segment_dropped()));
}
