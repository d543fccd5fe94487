/* SPDX-License-Identifier: BSD-2-Clause */
/* A path that is interrupted and restored, in a network namespace of its own;
 * where the machine allows none, only the loopback interface. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "harness/link/carrier.h"
#include "harness/unit.h"

static bool has_pair;

static void make_pair(void)
{
	has_pair = (unshare(CLONE_NEWNET) == 0 ||
		    unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0) &&
		   system("exec 2>/dev/null; ip link set lo up && "
			  "ip link add here0 type veth peer name there0 && "
			  "ip addr add 10.77.0.1/24 dev here0 && "
			  "ip link set here0 up && ip link set there0 up") == 0;
	if (!has_pair)
		puts("skip: no network namespace, or no ip, is to be had here");
}

static void loopback_is_never_interrupted(void)
{
	struct carrier c = {0}, six = {0};

	for (unsigned i = 0; i < 3; i++) {
		CU_ASSERT_FALSE(carrier_was_lost(&c, "127.0.0.1", ""));
		CU_ASSERT_FALSE(carrier_was_lost(&six, "::1", "lo"));
	}
}

static void nothing_is_never_interrupted(void)
{
	struct carrier none = {0}, wrong = {0};

	for (unsigned i = 0; i < 3; i++) {
		CU_ASSERT_FALSE(carrier_was_lost(&none, "", ""));
		CU_ASSERT_FALSE(carrier_was_lost(&wrong, "not an address",
						 "no-interface"));
	}
}

/* Nobody can be asked without a file descriptor. */
static void no_answer_is_no_interruption(void)
{
	struct carrier c = {0};
	struct rlimit was, none;

	CU_ASSERT_FALSE(carrier_was_lost(&c, "127.0.0.1", "lo"));
	CU_ASSERT_EQUAL_FATAL(getrlimit(RLIMIT_NOFILE, &was), 0);
	none = was;
	none.rlim_cur = 0;
	CU_ASSERT_EQUAL_FATAL(setrlimit(RLIMIT_NOFILE, &none), 0);
	CU_ASSERT_FALSE(carrier_was_lost(&c, "127.0.0.1", "lo"));
	CU_ASSERT_EQUAL(carrier_mtu("127.0.0.1"), 0);
	CU_ASSERT_EQUAL_FATAL(setrlimit(RLIMIT_NOFILE, &was), 0);
	CU_ASSERT_FALSE(carrier_was_lost(&c, "127.0.0.1", "lo"));
}

/* By the route to 10.77.0.2, or by the name. */
static void expect_interruptions(const char *host, const char *interface)
{
	struct carrier c = {0};

	if (!has_pair)
		return;
	CU_ASSERT_FALSE(carrier_was_lost(&c, host, interface));
	CU_ASSERT_FALSE(carrier_was_lost(&c, host, interface));
	/* for as long as the other end is down, */
	CU_ASSERT_EQUAL(system("ip link set there0 down"), 0);
	CU_ASSERT_TRUE(carrier_was_lost(&c, host, interface));
	CU_ASSERT_TRUE(carrier_was_lost(&c, host, interface));
	CU_ASSERT_EQUAL(system("ip link set there0 up"), 0);
	CU_ASSERT_TRUE(carrier_was_lost(&c, host, interface));
	CU_ASSERT_FALSE(carrier_was_lost(&c, host, interface));
	/* between two looks, */
	CU_ASSERT_EQUAL(system("ip link set there0 down;"
			       "ip link set there0 up"),
			0);
	CU_ASSERT_TRUE(carrier_was_lost(&c, host, interface));
	CU_ASSERT_FALSE(carrier_was_lost(&c, host, interface));
	/* or our own end. */
	CU_ASSERT_EQUAL(system("ip link set here0 down"), 0);
	CU_ASSERT_TRUE(carrier_was_lost(&c, host, interface));
	CU_ASSERT_EQUAL(system("ip link set here0 up"), 0);
	CU_ASSERT_TRUE(carrier_was_lost(&c, host, interface));
	CU_ASSERT_FALSE(carrier_was_lost(&c, host, interface));
}

static void a_route_is_interrupted(void)
{
	expect_interruptions("10.77.0.2", "");
}

static void an_interface_is_interrupted(void)
{
	expect_interruptions("", "here0");
}

static void what_never_ran_is_not_interrupted(void)
{
	struct carrier c = {0};

	if (!has_pair)
		return;
	CU_ASSERT_EQUAL(system("ip link set there0 down"), 0);
	CU_ASSERT_FALSE(carrier_was_lost(&c, "10.77.0.2", "here0"));
	CU_ASSERT_FALSE(carrier_was_lost(&c, "10.77.0.2", "here0"));
	CU_ASSERT_EQUAL(system("ip link set there0 up"), 0);
}

/* A router's report, as the kernel keeps it, or a route of less. */
static void an_interface_has_its_own_mtu(void)
{
	CU_ASSERT_EQUAL(carrier_mtu("not an address"), 0);
	if (!has_pair)
		return;
	CU_ASSERT_EQUAL(carrier_mtu("10.77.0.2"), 1500);
	CU_ASSERT_EQUAL(system("ip route add 10.77.0.2/32 dev here0 mtu 1000"),
			0);
	CU_ASSERT_EQUAL(carrier_mtu("10.77.0.2"), 1500);
	CU_ASSERT_EQUAL(system("ip link set here0 mtu 1400"), 0);
	CU_ASSERT_EQUAL(carrier_mtu("10.77.0.2"), 1400);
	CU_ASSERT_EQUAL(system("ip link set here0 mtu 1500;"
			       "ip route del 10.77.0.2/32"),
			0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"nothing is never interrupted", nothing_is_never_interrupted},
		{"loopback is never interrupted",
		 loopback_is_never_interrupted},
		{"no answer is no interruption", no_answer_is_no_interruption},
		{"a route is interrupted", a_route_is_interrupted},
		{"an interface is interrupted", an_interface_is_interrupted},
		{"what never ran is not interrupted",
		 what_never_ran_is_not_interrupted},
		{"an interface has its own MTU", an_interface_has_its_own_mtu},
	};

	make_pair();

	return unit_run("carrier", tests, UNIT_COUNT(tests));
}
