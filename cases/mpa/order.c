/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5044 s6: FPDUs whose TCP segments come late, twice, or in disorder. */
#include "case.h"

CASE(segments_out_of_order_do_not_break_framing,
     .title = "FPDUs that come in TCP segments out of order are delivered in "
	      "order",
     .needs = NEED_SEND, .segments = true, .role = EITHER)
{
	/* Given two receives, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	connects(t);

	/* when the segments of two Sends come in the wrong order, unaligned, */
	peer_sends(t, SEND("first"), .hold = true);
	peer_sends(t, SEND("second"), .cuts = CUT_EVERY(20),
		   .order = ORDER(2, 1, 4, 3));

	/* then both are delivered, in the order sent. */
	must(t, MPA_6_04, delivered_text(sink_at(sinks, 0), "first"));
	must(t, MPA_6_04, delivered_text(sink_at(sinks, 1), "second"));
	must(t, MPA_6_04, stream_works());
}

CASE(a_retransmission_with_other_octets_changes_nothing,
     .title = "octets that were acknowledged stay as they are when other ones "
	      "come in their place",
     .needs = NEED_WRITE, .segments = true, .role = EITHER)
{
	/* Given a Write that has arrived, */
	struct region r = dut_registers(t, .len = 64);
	connects(t);
	peer_sends(t, WRITE(r, 0, "right", 5));
	must(t, MPA_6_05, memory_is(r, 0, "right", 5));

	/* when its segment comes again with another payload, */
	uint32_t back = peer_offset(t);
	peer_sends(t, WRITE(r, 8, "later", 5));
	peer_resends_others(t, back > 64 ? 64 : back, octets_of(t, 24, 0x55),
			    24);

	/* then the memory stays as it was, and the stream goes on. */
	must(t, MPA_6_05, memory_is(r, 0, "right", 5));
	must(t, MPA_6_05, memory_is(r, 8, "later", 5));
}

CASE(nothing_completes_across_a_hole,
     .title = "a Send behind a missing TCP segment does not complete before it",
     .needs = NEED_SEND, .segments = true, .role = EITHER)
{
	/* Given two receives, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	connects(t);

	/* when the first of two Sends is withheld, */
	peer_withholds(t, 1);
	peer_sends(t, SEND("first"));
	peer_sends(t, SEND("second"));

	/* then neither completes; once it has come, both do, in order. */
	must(t, DDP_5_4_01,
	     holds("nothing completed before the hole is filled",
		   !dut_has_received(t, sink_at(sinks, 1)).came));
	peer_releases(t);
	must(t, DDP_5_4_01, delivered_text(sink_at(sinks, 0), "first"));
	must(t, DDP_5_4_01, delivered_text(sink_at(sinks, 1), "second"));
}
