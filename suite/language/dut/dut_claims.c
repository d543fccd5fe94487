/* SPDX-License-Identifier: BSD-2-Clause */
/* What device and agent say of themselves, and what the case needs of it. */
#include "suite/language/execution/execution.h"

void agent_tells_reject_depths(struct test *t)
{
	if (t->bed->hello.untold & AGENT_UNTOLD_REJECT_DEPTHS)
		not_applicable(t, "the agent cannot report the IRD and ORD of "
				  "a rejecting Reply");
}

bool agent_tells_length(struct test *t)
{
	return !(t->bed->hello.untold & AGENT_UNTOLD_RECEIVE_LENGTH);
}

bool dut_has_crcs(struct test *t)
{
	return t->bed->hello.crc != AGENT_CRC_NEVER;
}

uint64_t dut_claims(struct test *t)
{
	return t->bed->claims;
}

bool dut_little_endian(struct test *t)
{
	return !t->bed->hello.big_endian;
}

bool dut_leaves_ird_open(struct test *t)
{
	return t->bed->habits.ird_open;
}

bool dut_makes_short_ulpdus(struct test *t)
{
	return t->bed->habits.short_ulpdus;
}

unsigned dut_max_ird(struct test *t)
{
	alone_asks(t, "to know its greatest IRD");
	return (unsigned)t->bed->hello.max_ird;
}

unsigned dut_max_ord(struct test *t)
{
	alone_asks(t, "to know its greatest ORD");
	return (unsigned)t->bed->hello.max_ord;
}

void dut_has_depths(struct test *t, unsigned ird, unsigned ord)
{
	const struct ulp_habits *u = &t->bed->ulp;

	if (test_alone(t) && u->ird && ird <= u->ird && ord <= u->ord)
		return;
	alone_asks(t, "to know its greatest IRD and ORD");
	if (ird > dut_max_ird(t) || ord > dut_max_ord(t))
		not_applicable(t, "the device has IRD %u and ORD %u at most",
			       dut_max_ird(t), dut_max_ord(t));
}

unsigned dut_max_private(struct test *t)
{
	return (unsigned)t->bed->hello.max_private;
}
