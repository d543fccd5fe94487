/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/device/claims.h"

#include <string.h>

#include "harness/agent/client.h"
#include "harness/unit.h"

static uint64_t bit(const char *name)
{
	return 1ull << agent_feature_of(name, strlen(name));
}

static void what_stands_alone_is_left_alone(void)
{
	char told[CLAIMS_TOLD];
	uint64_t p2p = bit("mpa-v2") | bit("p2p") | bit("rtr-read");

	CU_ASSERT_EQUAL(claims_in_force(0, told, sizeof(told)), 0);
	CU_ASSERT_STRING_EQUAL(told, "");
	CU_ASSERT_EQUAL(claims_in_force(p2p, told, sizeof(told)), p2p);
	CU_ASSERT_STRING_EQUAL(told, "");
}

static void what_rests_on_nothing_falls(void)
{
	char told[CLAIMS_TOLD];
	uint64_t all = bit("p2p") | bit("rtr-send") | bit("rtr-write") |
		       bit("rtr-read") | bit("masked-atomics") | bit("read");

	CU_ASSERT_EQUAL(claims_in_force(all, told, sizeof(told)), bit("read"));
	CU_ASSERT_PTR_NOT_NULL(strstr(told, "p2p without mpa-v2"));
	CU_ASSERT_PTR_NOT_NULL(strstr(told, "rtr-read without p2p"));
	CU_ASSERT_PTR_NOT_NULL(strstr(told, "ignores the first"));
	CU_ASSERT_EQUAL(
		claims_in_force(bit("mpa-v2") | bit("p2p"), told, sizeof(told)),
		bit("mpa-v2"));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"claims that stand are left alone",
		 what_stands_alone_is_left_alone},
		{"claims that rest on nothing fall",
		 what_rests_on_nothing_falls},
	};

	return unit_run("claims", tests, UNIT_COUNT(tests));
}
