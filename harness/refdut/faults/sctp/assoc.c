/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of associations (RFC 5043 s5.1, s7 to s9, s11). */
#include "harness/refdut/conn.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/sctp/assoc_decisions.h"
#include "harness/refdut/sctp/stack_decisions.h"

/* INIT and INIT ACK */

MUTANT(init_without_indication, "SCTPX-5.1-01",
       "sends an INIT without an adaptation indication", init_says)
{
	struct stack_options o = OTHERWISE(init_says);

	o.adaptation &= listening;
	return o;
}

MUTANT(init_ack_without_indication, "SCTPX-5.1-02",
       "sends an INIT ACK without an adaptation indication", init_says)
{
	struct stack_options o = OTHERWISE(init_says);

	o.adaptation &= !listening;
	return o;
}

MUTANT(indication_byte_swapped, "SCTPX-5.1-01 SCTPX-5.1-02",
       "sends its adaptation indication least significant octet first",
       init_says)
{
	struct stack_options o = OTHERWISE(init_says);

	o.indication = __builtin_bswap32(o.indication);
	return o;
}

MUTANT(init_of_unequal_streams, "SCTPX-8-01",
       "asks for half as many inbound as outbound streams in its INIT",
       init_says)
{
	struct stack_options o = OTHERWISE(init_says);

	if (!listening)
		o.inbound /= 2;
	return o;
}

MUTANT(init_ack_of_unequal_streams, "SCTPX-8-03",
       "grants half as many inbound as outbound streams in its INIT ACK",
       init_says)
{
	struct stack_options o = OTHERWISE(init_says);

	if (listening)
		o.inbound /= 2;
	return o;
}

MUTANT(untagged_wait_for_others, "SCTPX-11.2-01",
       "lets SCTP delay short messages to bundle them, like Nagle's algorithm",
       init_says)
{
	struct stack_options o = OTHERWISE(init_says);

	o.bundled = true;
	return o;
}

/* Other associations */

MUTANT(missing_indication_taken, "SCTPX-11.1-02 SCTPX-11.1-04",
       "treats an association without an adaptation indication as one of DDP",
       is_of_ddp)
{
	return !indicated || OTHERWISE(is_of_ddp);
}

MUTANT(other_indication_taken, "SCTPX-7.1-01 SCTPX-11.1-01 SCTPX-11.1-03",
       "treats an association with another adaptation indication as one of DDP",
       is_of_ddp)
{
	return indicated || OTHERWISE(is_of_ddp);
}

MUTANT(other_indication_left_up, "SCTPX-7.1-01",
       "leaves an association with another adaptation indication up but unused",
       other_is_refused)
{
	return !indicated && OTHERWISE(other_is_refused);
}

/* Their end */

MUTANT(loss_told_on_stream_0_only, "DDP-6.2.2-01",
       "reports the loss of an association only to the ULP of its stream 0",
       stream_lost)
{
	if (number)
		c->stream = NULL;
	else
		OTHERWISE(stream_lost);
}

/* The path */

MUTANT(path_taken_for_larger, "SCTPX-9-01",
       "assumes a path MTU of 4000 octets for its own associations", path_mtu)
{
	return 4000;
}
