/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The probe of startup frames on the reference device, which is a device and
 * its agent, as a session on an RNIC is.
 */
#include "harness/rnic/startup_probe.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/unit.h"

/* The program at the top of the build that this one lies in. */
static void become_refdut(const char *option, const char *value)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 32);

	if (n < 0)
		_exit(1);
	path[n] = '\0';
	for (unsigned up = 0; up < 4; up++)
		*strrchr(path, '/') = '\0';
	strcat(path, "/warpspec-refdut");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	execl(path, path, "--agent-port", "0", option, value, NULL);
	_exit(1);
}

/* A session on a reference device of its own. */
static int session_on(const char *option, const char *value, pid_t *pid)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	unsigned port = 0;
	int out[2];
	FILE *said;

	CU_ASSERT_EQUAL_FATAL(pipe(out), 0);
	fflush(NULL);
	*pid = fork();
	if (*pid == 0) {
		dup2(out[1], STDOUT_FILENO);
		become_refdut(option, value);
	}
	close(out[1]);
	said = fdopen(out[0], "r");
	CU_ASSERT_EQUAL_FATAL(
		fscanf(said, "warpspec-refdut: agent 127.0.0.1:%u", &port), 1);
	fclose(said);
	at.sin_port = htons((uint16_t)port);
	CU_ASSERT_EQUAL_FATAL(connect(fd, (struct sockaddr *)&at, sizeof(at)),
			      0);
	return fd;
}

/* The observations; why is returned. */
static const char *probed(const char *option, const char *value,
			  struct verbs_facts *facts)
{
	static char why[VERBS_WHY];
	pid_t pid;
	int fd = session_on(option, value, &pid);

	*facts = (struct verbs_facts){.addr = "127.0.0.1"};
	why[0] = '\0';
	verbs_probe_startup(fd, facts, why, sizeof(why));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return why;
}

static bool claims(const struct verbs_facts *f, enum agent_feature feature)
{
	return f->features >> feature & 1;
}

static void a_device_that_can_do_it_all(void)
{
	static const enum agent_feature all[] = {
		AGENT_FEATURE_BIT_INITIATOR, AGENT_FEATURE_BIT_RESPONDER,
		AGENT_FEATURE_BIT_MPA_V1,    AGENT_FEATURE_BIT_MPA_V2,
		AGENT_FEATURE_BIT_P2P,       AGENT_FEATURE_BIT_RTR_SEND,
		AGENT_FEATURE_BIT_RTR_WRITE, AGENT_FEATURE_BIT_RTR_READ,
		AGENT_FEATURE_BIT_REJECT,    AGENT_FEATURE_BIT_MARKERS_TX,
	};
	struct verbs_facts f;

	CU_ASSERT_STRING_EQUAL(probed(NULL, NULL, &f), "");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		CU_ASSERT_TRUE(claims(&f, all[i]));
	CU_ASSERT_EQUAL(f.request_rev, 2);
	CU_ASSERT_TRUE(f.request_enhanced);
	CU_ASSERT_TRUE(f.request_crc);
	CU_ASSERT_EQUAL(f.reply_crc, VERBS_CRC_SET);
	CU_ASSERT_EQUAL(f.reply_rtr,
			AGENT_RTR_SEND | AGENT_RTR_WRITE | AGENT_RTR_READ);
	CU_ASSERT_TRUE(f.abort_resets);
}

static void what_a_device_leaves_out(void)
{
	struct verbs_facts f;

	CU_ASSERT_STRING_EQUAL(probed("--mutant", "request_without_c", &f), "");
	CU_ASSERT_FALSE(f.request_crc);
	CU_ASSERT_STRING_EQUAL(probed("--mutant", "reject_without_r", &f), "");
	CU_ASSERT_FALSE(claims(&f, AGENT_FEATURE_BIT_REJECT));
	CU_ASSERT_STRING_EQUAL(probed("--without", "mpa-v2", &f), "");
	CU_ASSERT_EQUAL(f.request_rev, 1);
	CU_ASSERT_FALSE(claims(&f, AGENT_FEATURE_BIT_MPA_V2));
	CU_ASSERT_EQUAL(f.reply_rtr, 0);
}

static void a_device_without_startup_frames(void)
{
	struct verbs_facts f;

	CU_ASSERT_STRING_EQUAL(probed("--control", "closer", &f),
			       "it sends no Request");
	CU_ASSERT_EQUAL(f.features, 0);
}

static void a_session_that_does_not_answer(void)
{
	struct verbs_facts f = {.addr = "127.0.0.1"};
	char why[VERBS_WHY] = "";
	int pair[2];

	CU_ASSERT_EQUAL_FATAL(
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	close(pair[1]);
	verbs_probe_startup(pair[0], &f, why, sizeof(why));
	CU_ASSERT_STRING_EQUAL(why, "agent: Broken pipe");
	CU_ASSERT_EQUAL(f.features, 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"a device that can do it all", a_device_that_can_do_it_all},
		{"what a device leaves out", what_a_device_leaves_out},
		{"a device without startup frames",
		 a_device_without_startup_frames},
		{"a session that does not answer",
		 a_session_that_does_not_answer},
	};

	return unit_run("rnic startup probe", tests, UNIT_COUNT(tests));
}
