/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The dependency of all other cases over SCTP: a session can be established
 * (RFC 5043 s6.2, RFC 6581 s7). startup.c has the same for TCP, and the common
 * part.
 */
#include "case.h"

/* With depths that are above no device's limits: it may reject others. */
static struct startup modest(struct startup f)
{
	f.ird = f.ord = 1;
	return f;
}

static struct expect established(struct test *t)
{
	return holds("the agent reports: established",
		     strcmp(dut_starts(t).state, "established") == 0);
}

CASE(an_initiate_is_accepted, .founds = FOUNDATION_STREAM,
     .title = "a Session Initiate without a fault is answered, and a session "
	      "is established",
     .needs = NEED_SCTP)
{
	/* Given a device that listens, when a right Initiate comes, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST());

	/* then an Accept answers it, and there is a session. */
	const struct dut_chunk *first = chunk_from(t, 0);
	must(t, SCTPX_5_2_02,
	     is("PPID", first ? first->ppid : SESSION_PPID_CONTROL,
		SESSION_PPID_CONTROL));
	struct startup_seen accept = awaits_startup(t, SCTPX_5_2_3_02);
	insists(t, SCTPX_5_2_3_02,
		holds_else(t, "a Session Accept, and no Reject",
			   !(accept.frame.flags & MPA_R), "a Session Reject"));
	insists(t, SCTPX_5_2_3_02,
		holds("the function code of a plain session",
		      !(accept.frame.flags & MPA_S)));
	full_operation(t);
	must(t, SCTPX_6_2_04, established(t));
}

CASE(an_initiate_comes, .founds = FOUNDATION_STREAM, .role = INITIATOR,
     .title = "the device sends a Session Initiate, and an Accept without a "
	      "fault establishes a session",
     .needs = NEED_SCTP)
{
	/* Given a device that connects, when its Initiate has arrived, */
	dut_dials(t);
	const struct dut_chunk *first = chunk_from(t, 0);
	must(t, SCTPX_5_2_02,
	     is("PPID", first ? first->ppid : SESSION_PPID_CONTROL,
		SESSION_PPID_CONTROL));
	struct startup_seen initiate = awaits_startup(t, SCTPX_5_2_3_01);
	must(t, SCTPX_5_2_3_01,
	     holds("a message that begins a session", initiate.came));

	/* and nothing after it, then a correct Accept makes it a session. */
	must(t, SCTPX_6_5_01, still_waiting());
	peer_sends_startup(t, REPLY());
	full_operation(t);
	must(t, SCTPX_6_2_04, established(t));
}

CASE(an_enhanced_initiate_is_accepted, .founds = FOUNDATION_ENHANCED,
     .title = "an Enhanced Session Initiate is answered by an Enhanced Session "
	      "Accept",
     .needs = NEED_SCTP | NEED_ENHANCED)
{
	/* Given a device that listens, when an Enhanced Initiate comes, */
	dut_listens(t, .enhanced = true);
	peer_opens_tcp(t);
	peer_sends_startup(t, modest(REQUEST(.enhanced = true)));

	/* then the answer is enhanced, too. */
	struct startup_seen accept = awaits_startup(t, SCTPX_6581_7_03);
	must(t, SCTPX_6581_7_03,
	     holds("enhanced data after function code 6", accept.has_enhanced));
	full_operation(t);
}

CASE(an_enhanced_initiate_comes, .founds = FOUNDATION_ENHANCED,
     .title = "the device sends an Enhanced Session Initiate, and an Enhanced "
	      "Accept establishes a session",
     .needs = NEED_SCTP | NEED_ENHANCED, .role = INITIATOR)
{
	/* Given a device that connects so, when its Initiate has arrived, */
	dut_dials(t, .enhanced = true);
	struct startup_seen initiate = awaits_startup(t, SCTPX_6581_7_02);
	must(t, SCTPX_6581_7_02,
	     holds("enhanced data after function code 5",
		   initiate.has_enhanced));

	/* then a right Enhanced Accept makes it a session. */
	peer_sends_startup(t, REPLY(.enhanced = true, .ird = 16, .ord = 1));
	full_operation(t);
	must(t, SCTPX_6_2_04, established(t));
}
