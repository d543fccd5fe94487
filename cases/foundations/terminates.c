/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A Terminate of the peer, as plain as possible (RFC 5040 s4.8, s5.4). A
 * correct one ends the stream, and so does a wrong one. Only the ULP, which
 * learns of the correct one, shows that the device reads it at all.
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
