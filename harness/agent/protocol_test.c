/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of the agent protocol, and the corresponding values. */
#include "harness/agent/protocol.h"

#include <string.h>

#include "harness/unit.h"

static void names_lead_back_to_their_values(void)
{
	for (int f = 0; f < AGENT_FEATURES; f++) {
		const char *name = agent_feature_name((enum agent_feature)f);

		CU_ASSERT_EQUAL(agent_feature_of(name, strlen(name)),
				(enum agent_feature)f);
	}
	CU_ASSERT_EQUAL(agent_feature_of("send-later", 10), AGENT_FEATURES);
	CU_ASSERT_EQUAL(agent_feature_of("send-later", 4),
			AGENT_FEATURE_BIT_SEND);
	CU_ASSERT_EQUAL(
		agent_place_of(agent_stream_names, AGENT_STREAMS, "closed"),
		AGENT_CLOSED);
	CU_ASSERT_EQUAL(agent_place_of(agent_op_names, AGENT_OPS, "write-imm"),
			AGENT_WRITE_IMM);
	CU_ASSERT_EQUAL(agent_place_of(agent_status_names, AGENT_STATUSES, ""),
			AGENT_STATUSES);
	CU_ASSERT_STRING_EQUAL(agent_status_name(AGENT_DONE), "ok");
}

static bool access_of(const char *list, unsigned *access)
{
	return agent_bits_of(agent_access_names, AGENT_ACCESS_BITS, list,
			     access);
}

static void a_list_names_each_bit_once(void)
{
	unsigned bits;

	CU_ASSERT_TRUE(access_of("ra,lw", &bits));
	CU_ASSERT_EQUAL(bits, AGENT_LW | AGENT_RA);
	CU_ASSERT_TRUE(access_of("rr,rw", &bits));
	CU_ASSERT_EQUAL(bits, AGENT_RR | AGENT_RW);
	CU_ASSERT_FALSE(access_of("", &bits));
	CU_ASSERT_FALSE(access_of("lw,", &bits));
	CU_ASSERT_FALSE(access_of("lw,lw", &bits));
	CU_ASSERT_FALSE(access_of("lwx", &bits));
	CU_ASSERT_TRUE(
		agent_bits_of(agent_rtr_names, AGENT_RTR_BITS, "read", &bits));
	CU_ASSERT_EQUAL(bits, AGENT_RTR_READ);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"names lead back to their values",
		 names_lead_back_to_their_values},
		{"a list names each bit once", a_list_names_each_bit_once},
	};

	return unit_run("agent protocol", tests, UNIT_COUNT(tests));
}
