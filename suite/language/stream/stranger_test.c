/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A host that is not the device connects to the peer's port: from 127.0.0.2,
 * while the built-in device has 127.0.0.1.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/crc/crc.h"
#include "harness/unit.h"
#include "suite/device/builtin.h"
#include "suite/language/execution/execution.h"
#include "suite/run/plan/runner.h"

#define FILE_ID "suite/language/stream/stranger_test/"

/* It waits in the backlog when this returns. */
static void stranger_connects(struct test *t)
{
	struct sockaddr_in from = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(0x7f000002)};
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons(the_stream(t)->peer_listener->local.port),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (bind(fd, (struct sockaddr *)&from, sizeof(from)) != 0 ||
	    connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
		test_error(t, CAUSE_SUITE, "no stranger: %m");
	/* It says nothing; its end is in this process, and ends with it. */
}

CASE(a_comes_before_the_device, .title = "a stranger is first",
     .needs = NEED_INITIATOR)
{
	dut_tries(t);
	if (!peer_accepts_tcp(t))
		test_error(t, CAUSE_SUITE, "the device did not come");
	stranger_connects(t);
	dut_connect(t, the_stream(t), the_stream(t)->peer_listener);
	must(t, DDP_4_1_01, is("connections", peer_accepts_tcp(t), 1));
	must(t, DDP_4_1_01,
	     is("the end of its address",
		live_stream(t)->peer.conn->remote.addr[3], 1));
}

CASE(b_comes_for_the_device, .title = "a stranger comes, and the device never",
     .needs = NEED_INITIATOR)
{
	dut_tries(t);
	if (!peer_accepts_tcp(t))
		test_error(t, CAUSE_SUITE, "the device did not come");
	stranger_connects(t);
	must(t, DDP_4_1_01, is("connections", peer_accepts_tcp(t), 1));
}

static struct device device;
static struct run_result ran;

static void it_is_not_taken_for_the_device(void)
{
	CU_ASSERT_EQUAL_FATAL(ran.count, 2);
	CU_ASSERT_EQUAL(ran.results[0].verdict, VERDICT_PASS);
}

static void nor_is_the_device_blamed_for_it(void)
{
	const struct result *r = &ran.results[1];

	CU_ASSERT_EQUAL(r->verdict, VERDICT_ERROR);
	CU_ASSERT_PTR_NOT_NULL_FATAL(r->reason);
	CU_ASSERT_PTR_NOT_NULL(strstr(r->reason, "127.0.0.2:"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(r->reason, "not the device at 127.0.0.1"));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"it is not taken for the device",
		 it_is_not_taken_for_the_device},
		{"nor is the device blamed for it",
		 nor_is_the_device_blamed_for_it},
	};
	static char *pattern = FILE_ID "*";
	const struct builtin b = {.spec = "rfc7306"};
	const struct run_options o = {
		.device = &device,
		.profile = MODEL_RFC7306,
		.spec = "rfc7306",
		.jobs = 1,
		.quiet = true,
		.timeout_scale = 0.5,
		.selectors = &pattern,
		.selector_count = 1,
	};
	char why[512];
	const char *fault;
	bool usage;

	device_init(&device);
	if (crc_init(&fault) < 0 ||
	    !builtin_start(&b, &device, &usage, why, sizeof(why)) ||
	    !runner_run(&o, &ran, why, sizeof(why))) {
		fprintf(stderr, "stranger: %s\n", why);
		return 1;
	}
	int status = unit_run("stranger", tests, UNIT_COUNT(tests));

	builtin_stop();
	return status;
}
