/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5044 s7.1.2 (rules 2, 8, 10), s8: when a startup continues, and when it
 * is given up.
 */
#include "case.h"

CASE(responder_awaits_the_request,
     .title = "a responder sends nothing before it has a Request",
     .needs = NEED_MULTI_STREAM)
{
	/* Given a TCP connection on which no Request comes, */
	dut_listens(t);
	peer_opens_tcp(t);

	/* when a later connection was established and has answered, */
	dut_works(t);

	/* then nothing has arrived on the first, which still accepts a
	 * Request. */
	on_stream(t, 0);
	must(t, MPA_7_1_2_03, nothing_more());
	peer_sends_startup(t, REQUEST());
	awaits_startup(t, MPA_7_1_2_03);
	must(t, MPA_7_1_2_03, full_operation_works());
}

struct bad_row {
	CASE_ROW;
	const char *key_of_request, *key_of_reply;
	size_t n;
};
static const struct bad_row bad_frames[] = {
	{.id = "wrong-key",
	 .key_of_request = "MPA ID Rex Frame",
	 .key_of_reply = "MPA ID Rex Frame"},
	{.id = "private-data-513", .n = 513},
};

CASE_EACH(bad_request_closes_at_once, struct bad_row, bad_frames,
	  .title = "a bad Request closes TCP at once, not at the startup "
		   "timeout",
	  .needs = NEED_MULTI_STREAM)
{
	/* Given a device that has longer been waiting for a Request, */
	dut_works(t);
	dut_listens(t);
	peer_opens_tcp(t);
	dut_listens(t);
	peer_opens_tcp(t);

	/* when a bad one comes on a younger connection, */
	peer_sends_startup(t, REQUEST(.key = row->key_of_request,
				      .private_data = octets_of(t, row->n, 0),
				      .private_octets = row->n));

	/* then the younger is closed while the older still waits. */
	must(t, MPA_8_06, closed_without_reply());
	on_stream(t, 1);
	must(t, MPA_8_06, still_waiting());
}

CASE_EACH(bad_reply_closes_at_once, struct bad_row, bad_frames,
	  .title = "a bad Reply closes TCP at once, not at the startup timeout",
	  .needs = NEED_MULTI_STREAM, .role = INITIATOR)
{
	/* Given a device that has longer been waiting for a Reply, */
	dut_works(t);
	dut_dials(t);
	awaits_request(t);
	dut_dials(t);
	awaits_request(t);

	/* when a bad one comes on a younger connection, */
	peer_sends_startup(t, REPLY(.key = row->key_of_reply,
				    .private_data = octets_of(t, row->n, 0),
				    .private_octets = row->n));

	/* then the younger is closed while the older still waits. */
	must(t, MPA_8_07, closed_without_fpdu());
	on_stream(t, 1);
	must(t, MPA_8_07, still_waiting());
}

/* Only time can show the end by a timeout: these cases wait for it. */

CASE(silent_initiator_times_out,
     .title = "two responders detect each other by a timeout", .waits = true)
{
	/* Given a TCP connection to a device that waits for a Request, */
	dut_works(t);
	dut_listens(t);
	peer_opens_tcp(t);

	/* when none comes, then TCP is closed in the end. */
	should(t, MPA_7_1_2_21, closed_without_reply());
}

CASE(partial_request_times_out,
     .title = "the startup timeout covers a Request that stays incomplete",
     .waits = true)
{
	/* Given a TCP connection to a device that waits for a Request, */
	dut_works(t);
	dut_listens(t);
	peer_opens_tcp(t);

	/* when all but its last octet has arrived, */
	peer_sends_startup(t, REQUEST(.octets = IS(19)));

	/* then TCP is closed in the end. */
	should(t, MPA_7_1_2_28, closed_without_reply());
}

CASE(silent_responder_times_out,
     .title = "an initiator does not wait for a Reply forever",
     .role = INITIATOR, .waits = true)
{
	/* Given a device that has sent its Request, */
	dut_works(t);
	dut_dials(t);
	awaits_request(t);

	/* when no Reply comes, then TCP is closed, and an error reported. */
	should(t, MPA_7_1_2_29, closed_without_fpdu());
	should(t, MPA_7_1_2_29, agent_sees_failed_startup());
}

CASE(partial_reply_times_out,
     .title = "the startup timeout covers a Reply that stays incomplete",
     .role = INITIATOR, .waits = true)
{
	/* Given a device that has sent its Request, */
	dut_works(t);
	dut_dials(t);
	awaits_request(t);

	/* when the Reply stops after 10 octets, */
	peer_sends_startup(t, REPLY(.octets = IS(10)));

	/* then TCP is closed in the end. */
	should(t, MPA_7_1_2_30, closed_without_fpdu());
}
