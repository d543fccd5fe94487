/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The results of check-agent for the sessions of warpspec-agent, on the
 * simulated device of its tests: all checks that need no stream. Its listeners
 * exist only by name, and nothing else is found.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/agent/client.h"
#include "harness/rnic/server.h"
#include "harness/rnic/session_fixture.h"
#include "harness/unit.h"
#include "suite/agent_check/agent_check.h"

#define CLAIMS(ident) (UINT64_C(1) << AGENT_FEATURE_BIT_##ident)

static struct verbs_facts facts = {
	.impl = "a_fake",
	.addr = "127.0.0.1",
	.features = CLAIMS(RESPONDER) | CLAIMS(SEND) | CLAIMS(WRITE) |
		    CLAIMS(READ) | CLAIMS(MPA_V1) | CLAIMS(PRIVATE_DATA),
	.max_ird = 8,
	.max_ord = 8,
	.max_private = 16,
	.max_regions = 4,
	.max_receives = 8,
	.max_posts = 4,
	.max_region_len = 1 << 20,
	.max_message = 1 << 20,
	.probed = true,
	.reply_crc = VERBS_CRC_SET,
};
static struct device device;
static char *told;
static struct agent_check_counts counts;

static struct verbs_device *open_fake(void *arg, const struct verbs_facts *f,
				      char *why, size_t cap)
{
	(void)f;
	(void)why;
	(void)cap;
	return fake_new(arg);
}

/* The agent, as a process; its pid. */
static pid_t start_agent(void)
{
	static const struct verbs_token none;
	static struct fake fake;
	const struct verbs_server v = {.facts = &facts,
				       .token = &none,
				       .open = open_fake,
				       .arg = &fake};
	struct sockaddr_storage at = {.ss_family = AF_INET};
	struct sockaddr_in *in = (struct sockaddr_in *)&at;
	int listener;
	pid_t pid;

	in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = verbs_server_bind(&at, sizeof(*in));
	CU_ASSERT_FATAL(listener >= 0);
	CU_ASSERT_EQUAL_FATAL(listen(listener, 64), 0);
	device_init(&device);
	strcpy(device.agent, "127.0.0.1");
	device.agent_port = ntohs(in->sin_port);
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit(verbs_server_run(&v, listener) == 0 ? 0 : 1);
	close(listener);
	return pid;
}

static void check(void)
{
	const struct agent_check_options o = {.timeout_scale = 2,
					      .quiet = true};
	char why[256];
	size_t n;
	FILE *out = open_memstream(&told, &n);
	pid_t pid = start_agent();

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	CU_ASSERT_TRUE(
		agent_check(&device, &o, out, &counts, why, sizeof(why)));
	fclose(out);
	kill(pid, SIGTERM);
	CU_ASSERT_EQUAL(waitpid(pid, NULL, 0), pid);
}

static void sessions_of_the_rnic_agent(void)
{
	static const char *const of_streams[] = {
		"listen reports a port", "accept without a connection",
		"listens on one port", "a port of another session"};
	const char *at;
	size_t fails = 0;

	check();
	CU_ASSERT_TRUE(counts.passed > 40);
	CU_ASSERT_EQUAL(counts.failed, UNIT_COUNT(of_streams));
	for (at = told; (at = strstr(at, "FAIL  ")); at++) {
		const char *sentence = strstr(at, ": ") + 2;

		CU_ASSERT_NSTRING_EQUAL(at + 6, "streams: ", 9);
		CU_ASSERT_NSTRING_EQUAL(sentence, of_streams[fails],
					strlen(of_streams[fails]));
		if (++fails == UNIT_COUNT(of_streams))
			break;
	}
	if (counts.failed != UNIT_COUNT(of_streams))
		fputs(told, stderr);
	free(told);
}

static void nobody_there(void)
{
	const struct agent_check_options o = {.timeout_scale = 1};
	char why[256] = "";

	device_init(&device);
	strcpy(device.agent, "127.0.0.1");
	device.agent_port = 1;
	CU_ASSERT_FALSE(
		agent_check(&device, &o, stdout, &counts, why, sizeof(why)));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "refused"));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"sessions of the RNIC's agent", sessions_of_the_rnic_agent},
		{"nobody there", nobody_there},
	};

	return unit_run("agent check", tests, UNIT_COUNT(tests));
}
