/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/agent/features.h"
#include "harness/unit.h"

#include <string.h>

static bool named(const char *name)
{
	const char *at = feature_names();
	size_t n = strlen(name);

	for (;;) {
		size_t len = strcspn(at, ",");

		if (len == n && memcmp(at, name, n) == 0)
			return true;
		if (!at[len])
			return false;
		at += len + 1;
	}
}

/* The calls run in this order: a removed feature stays removed. */
static void all_but_swap_and_sctp_is_claimed(void)
{
	CU_ASSERT_TRUE(named("responder"));
	CU_ASSERT_TRUE(named("imm-se"));
	CU_ASSERT_TRUE(named("need-ord"));
	CU_ASSERT_FALSE(named("swap"));
	CU_ASSERT_FALSE(named("sctp"));
	feature_add_swap();
	CU_ASSERT_TRUE(named("swap"));
}

static void a_list_takes_features_away(void)
{
	const char *bad;
	size_t n;

	CU_ASSERT_TRUE(feature_remove("imm,imm-se", &bad, &n));
	CU_ASSERT_FALSE(named("imm"));
	CU_ASSERT_FALSE(feature(FEATURE_IMM_SE));
	CU_ASSERT_TRUE(feature_remove("fetchadd", &bad, &n));
	CU_ASSERT_TRUE(feature_atomics());
	CU_ASSERT_TRUE(feature_remove("swap,cmpswap", &bad, &n));
	CU_ASSERT_FALSE(feature_atomics());
	CU_ASSERT_TRUE(named("read"));
}

static void an_unknown_name_is_told(void)
{
	const char *bad;
	size_t n;

	CU_ASSERT_FALSE(feature_remove("send-se,immediate", &bad, &n));
	CU_ASSERT_EQUAL(n, 9);
	CU_ASSERT_NSTRING_EQUAL(bad, "immediate", 9);
	CU_ASSERT_FALSE(feature_remove("", &bad, &n));
	CU_ASSERT_FALSE(feature_remove("send-inv,", &bad, &n));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"all but Swap and SCTP is claimed",
		 all_but_swap_and_sctp_is_claimed},
		{"a list takes features away", a_list_takes_features_away},
		{"an unknown name is reported", an_unknown_name_is_told},
	};

	return unit_run("refdut features", tests, UNIT_COUNT(tests));
}
