/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices about Sends that are delivered (RFC 5040 s5.3). */
#include <string.h>

#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/send_decisions.h"

VARIANT(header_of_invalidate, invalidate_comes_back_with_rdma_header,
	"RDMAP-4.8-18",
	"sets R for a Send with Invalidate, with zeros for the RDMA header",
	rdma_header_of_send)
{
	static const uint8_t zeros[READ_REQUEST_HEADER];

	chosen(self);
	return zeros;
}

VARIANT(events, no_events, "RDMAP-5.3-06 RDMAP-5.3-08 RDMAPX-6.1-02",
	"raises no Event for SE", event_raised)
{
	return solicited && chosen(self) ? false : OTHERWISE(event_raised);
}

VARIANT(events, events_for_all, "RDMAP-5.3-07",
	"raises an Event for each message", event_raised)
{
	return solicited ? OTHERWISE(event_raised) : chosen(self);
}

/* RFC 5040 s5.3 is about the octets of a Send, and not about what is behind
 * them in a larger buffer. */
VARIANT(receive_tail, receive_tail_cleared, "RDMAP-5.3-03",
	"clears the rest of the buffer after a Send", complete_send)
{
	uint32_t room = c->receives->len;
	uint8_t *octets =
		message_len < room ? receive_octets(c, c->receives) : NULL;

	if (octets && chosen(self))
		memset(octets + message_len, 0, room - message_len);
	return OTHERWISE(complete_send);
}
