/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A Terminate of the peer, as plain as can be (RFC 5040 s4.8, s5.4). What has a
 * fault ends the stream, and so does a right one: that a device looked at it
 * says only that it takes the same without the fault, and its ULP learns of it.
 */
#include "case.h"

CASE(a_terminate_is_taken, .founds = FOUNDATION_TERMINATE_TAKEN,
     .title = "a Terminate reaches the ULP with its layer, type and code",
     .needs = NEED_TERMINATE, .role = EITHER)
{
	/* Given a stream, when the peer terminates it, */
	connects(t);
	peer_sends(t, TERMINATE(TERM_RDMA, 2, 0x06));
	peer_closes(t);

	/* then the ULP learns so. */
	must(t, RDMAP_5_4_04, agent_sees_terminate(TERM_RDMA, 2, 0x06));
}
