/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults of devices that keep IRD and ORD in a size or form other than that of
 * the startup frames (RFC 6581 s9, s9.1).
 */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/mpa/negotiation_decisions.h"
#include "harness/refdut/verbs/setup_decisions.h"

MUTANT(reply_ird_of_8_bits, "RDMAP-5.2.1-05",
       "keeps the responder's IRD in eight bits", initiator_ord)
{
	struct startup_frame frame = *reply;

	if (frame.ird != NOT_NEGOTIATED)
		frame.ird &= 0xff;
	return initiator_ord_otherwise(self, ord, &frame);
}

/* The same frame with its IRD rounded up to a power of two. */
static struct startup_frame rounded_up(const struct startup_frame *f)
{
	struct startup_frame frame = *f;
	uint32_t power = 1;

	while (power < frame.ird)
		power *= 2;
	if (frame.ird && frame.ird < 0x2000)
		frame.ird = power;
	return frame;
}

MUTANT(reply_ird_rounded_up, "RDMAP-6.1-02 EMPA-9.1-11",
       "rounds the responder's IRD up to a power of two", initiator_ord)
{
	struct startup_frame frame = rounded_up(reply);

	return initiator_ord_otherwise(self, ord, &frame);
}

MUTANT(request_ird_rounded_up, "EMPA-9.1-01 RDMAP-6.1-02",
       "rounds the initiator's IRD up to a power of two", responder_ord)
{
	struct startup_frame frame = rounded_up(request);

	return responder_ord_otherwise(self, ord, &frame);
}

MUTANT(depths_reported_in_8_bits, "EMPA-9.1-04 EMPA-9.1-05",
       "reports the low eight bits of the peer's IRD and ORD to its ULP",
       reported_depths)
{
	struct depths depths = OTHERWISE(reported_depths);

	return (struct depths){depths.ird & 0xff, depths.ord & 0xff};
}
