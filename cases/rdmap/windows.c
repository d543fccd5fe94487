/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5040 s5.5, s8.1.2 and appendix B: what happens while the peer's window
 * is closed and no Response can leave. */
#include "case.h"

#define MIB  (1u << 20)
#define PAGE 4096u

/* The last n octets of a message; NULL if it has fewer. */
static const uint8_t *end_of(struct message m, size_t n)
{
	return m.n < n ? NULL : m.octets + (m.n - n);
}

/* --- messages after a Read ------------------------------------------------ */

CASE(a_send_may_complete_before_a_response_leaves,
     .title = "a Send may complete, and be visible in the source of an earlier "
	      "Read, while no Response can be sent",
     .needs = NEED_READ | NEED_SEND | NEED_RECV_LOCAL, .segments = true,
     .role = EITHER)
{
	/* Given a receive buffer at the end of a large buffer, */
	struct region r =
		dut_registers(t, .len = MIB, .access = FOR_READS | FOR_RESULTS);
	struct sink sink = dut_posts_recv_in(t, r, MIB - 16, 16);
	connects(t);

	/* when the peer closes its window, reads all, sends, and opens it, */
	peer_offers_window(t, 0);
	peer_sends(t, READ(r, 0, MIB));
	peer_sends(t, SEND("overtaking Send!"));
	bool early = dut_has_received(t, sink).ok;
	peer_offers_window(t, -1);
	struct message m =
		awaits_message(t, RDMAP_5_2_1_09, RDMAP_READ_RESPONSE);

	/* then the Send is delivered sooner or later, and shows or not. */
	must(t, RDMAP_5_3_02, delivered_text(sink, "overtaking Send!"));
	must(t, RDMAP_5_2_1_09, is("octets read", m.n, MIB));
	may(t, RDMAP_5_5_14,
	    holds("the Send completed before the Response", early));
	may(t, RDMAP_B_08,
	    any_of(t,
		   octets_are(t, "before the Send", end_of(m, 16), 16,
			      octets_of(t, 16, 0), 16),
		   octets_are(t, "behind the Send", end_of(m, 16), 16,
			      "overtaking Send!", 16)));
}

/* Octets that are one of the two. */
static size_t either_of(const uint8_t *octets, size_t n, uint8_t a, uint8_t b)
{
	size_t count = 0;

	for (size_t i = 0; octets && i < n; i++)
		count += octets[i] == a || octets[i] == b;
	return count;
}

CASE(a_write_may_be_placed_before_a_response_leaves,
     .title = "a Write to the last page of a large Read may be visible in the "
	      "Response if no octet of it could be sent before",
     .needs = NEED_READ | NEED_WRITE, .segments = true, .role = EITHER)
{
	/* Given a large buffer, */
	struct region r =
		dut_registers(t, .len = MIB, .access = FOR_READS | FOR_WRITES);
	connects(t);

	/* when the peer closes its window, reads all, overwrites the last
	 * page, and opens it, */
	peer_offers_window(t, 0);
	peer_sends(t, READ(r, 0, MIB));
	peer_sends(t, WRITE(r, MIB - PAGE, octets_of(t, PAGE, 0xff), PAGE));
	dut_memory(t, r, MIB - PAGE, PAGE);
	peer_offers_window(t, -1);
	struct message m =
		awaits_message(t, RDMAP_5_2_1_09, RDMAP_READ_RESPONSE);

	/* then each octet of that page is old or new, since a buffer may be
	 * read in any order, and the rest is old. */
	size_t rest = m.n < PAGE ? 0 : m.n - PAGE;
	must(t, RDMAP_5_2_1_09,
	     octets_are(t, "the rest", m.octets, rest,
			octets_of(t, MIB - PAGE, 0), MIB - PAGE));
	may(t, RDMAP_B_09,
	    any_of(t, is("octets of the page that are old or new",
			 either_of(end_of(m, PAGE), PAGE, 0, 0xff), PAGE)));
	must(t, DDP_4_1_01,
	     memory_is(r, MIB - PAGE, octets_of(t, PAGE, 0xff), PAGE));
}

/* --- whose room it is ------------------------------------------------------- */

#define DEPTH 4u

CASE(a_stream_keeps_its_room_for_requests,
     .title = "a stream whose Responses cannot be sent takes no room for Read "
	      "Requests from a stream of another protection domain",
     .needs = NEED_READ | NEED_MULTI_STREAM | NEED_ENHANCED, .segments = true,
     .role = EITHER)
{
	/* Given two streams, each with room for a few Requests, */
	struct region large =
		dut_registers(t, .len = MIB, .pd = 1, .access = FOR_READS);
	struct region small =
		dut_registers(t, .len = 16, .pd = 2, .access = FOR_READS);
	dut_has_depths(t, DEPTH, 0);
	unsigned a = connects(t, .pd = 1, .enhanced = true, .ord = DEPTH,
			      .dut_ird = DEPTH);
	unsigned b = connects(t, .pd = 2, .enhanced = true, .ord = DEPTH,
			      .dut_ird = DEPTH);
	if (peer_ord(t) < DEPTH)
		not_applicable(t, "the device has a lower IRD of its own");

	/* which is there while the other is idle, */
	for (unsigned i = 0; i < DEPTH; i++)
		peer_sends(t, READ(small, 0, 16), .hold = i + 1 < DEPTH);
	for (unsigned i = 0; i < DEPTH; i++)
		awaits(t, RDMAP_6_1_05, RDMAP_READ_RESPONSE);

	/* when one takes all of its room with its window closed, and the other
	 * sends as many, */
	on_stream(t, a);
	peer_offers_window(t, 0);
	for (unsigned i = 0; i < DEPTH; i++)
		peer_sends(t, READ(large, 0, MIB));
	on_stream(t, b);
	for (unsigned i = 0; i < DEPTH; i++)
		peer_sends(t, READ(small, 0, 16), .hold = i + 1 < DEPTH);

	/* then all of the other are answered; and of the first, once its
	 * window is open. */
	for (unsigned i = 0; i < DEPTH; i++)
		awaits(t, RDMAP_8_1_2_01, RDMAP_READ_RESPONSE);
	must(t, RDMAP_8_1_2_01, stream_works());
	on_stream(t, a);
	peer_offers_window(t, -1);
	for (unsigned i = 0; i < DEPTH; i++) {
		struct message m =
			awaits_message(t, RDMAP_5_2_1_09, RDMAP_READ_RESPONSE);

		must(t, RDMAP_5_2_1_09, is("octets read", m.n, MIB));
	}
}
