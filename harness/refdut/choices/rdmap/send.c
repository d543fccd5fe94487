/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices about Sends that are delivered (RFC 5040 s5.3). */
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
