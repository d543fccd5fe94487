/* SPDX-License-Identifier: BSD-2-Clause */
/* The client against agents that are wrong, slow, dead or endless. */
#include <netinet/in.h>

#include "harness/agent/testing.h"

static void hello_that_is_none(void)
{
	static const char *const bad[] = {
		"OK version=2 agent=x\n",
		"OK\n",
		"OK version=1 agent=fake impl=x addr=127.0.0.1 features=send"
		" byte-order=middle" LIMITS " nonce= auth=none\n",
		HELLO_OF("send", " nonce=00 auth=rot13"),
		HELLO_OF("send", " nonce=0 auth=hmac-sha256"),
		HELLO_OF("send", " nonce= auth=hmac-sha256"),
		HELLO_OF("send", " nonce= auth=none auth=none"),
		"HTTP/1.1 400 Bad Request\r\n",
		"\n",
	};

	for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
		CU_ASSERT_EQUAL(opens(REPLIES_ARE(bad[i])), AGENT_GARBAGE);
		CU_ASSERT_EQUAL(strncmp(agent_why(agent), "agent: ", 7), 0);
		CU_ASSERT_EQUAL(agent_fd(agent), -1);
		fake_stops();
	}
	CU_ASSERT_EQUAL(opens(REPLIES_ARE("ERR unsupported version\n")),
			AGENT_REFUSED);
	CU_ASSERT_EQUAL(agent_code(agent), LINE_UNSUPPORTED);
	CU_ASSERT_STRING_EQUAL(agent_text(agent), "version");
	fake_stops();
}

static void events_that_are_none(void)
{
	static const char *const bad[] = {
		"OK n=2\n",
		"OK n=x\n",
		"OK\n",
		"ev conn=c1 id=1 op=recv status=ok len=0\n",
		"OK n=1\nOK\n",
		"OK n=1\nev conn=c2 id=1 op=recv status=ok len=0\n",
		"OK n=1\nev conn=c1 id=1 op=write-imm status=ok len=0\n",
		"OK n=1\nev conn=c1 id=1 op=recv status=great len=0\n",
		"OK n=1\nev conn=c1 op=recv status=ok len=0\n",
		"OK n=1\nev conn=c1 id=1 op=recv status=ok len=1 hex=0\n",
		"OK n=1\nev conn=c1 id=1 op=recv status=ok len=1 hex=0g\n",
		"OK n=1\nev conn=c1 id=1 op=imm status=ok len=8 imm=00\n",
	};
	struct agent_event ev;
	uint8_t room[4];
	struct agent_events e = {
		.event = &ev, .cap = 1, .room = room, .room_octets = 4};

	for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
		CU_ASSERT_EQUAL_FATAL(opens(REPLIES_ARE(HELLO, bad[i])),
				      AGENT_OK);
		CU_ASSERT_EQUAL(agent_events(agent, "c1", 0, 0, &e, soon()),
				AGENT_GARBAGE);
		CU_ASSERT_PTR_NOT_NULL(strstr(agent_why(agent), "events"));
		fake_stops();
	}
}

static void a_silent_agent_is_slow(void)
{
	CU_ASSERT_EQUAL_FATAL(opens(REPLIES_ARE(HELLO, silence)), AGENT_OK);
	CU_ASSERT_EQUAL(agent_reset(agent, clock_after_ms(SOON)), AGENT_SLOW);
	CU_ASSERT_PTR_NOT_NULL(strstr(agent_why(agent), "reset"));
	/* Over is over: at once, with the same reason. */
	CU_ASSERT_EQUAL(agent_reset(agent, UINT64_MAX), AGENT_SLOW);
	CU_ASSERT_PTR_NOT_NULL(strstr(agent_why(agent), "reset"));
	CU_ASSERT_EQUAL(agent_outstanding(agent), 0);
	fake_stops();
	CU_ASSERT_EQUAL(agent_open_fd(&agent,
				      fake_starts(REPLIES_ARE("OK versi")),
				      NULL, 0, clock_after_ms(SOON)),
			AGENT_SLOW);
	fake_stops();
}

static void a_dead_agent_is_gone(void)
{
	int fds[2];

	CU_ASSERT_EQUAL_FATAL(opens(REPLIES_ARE(HELLO, hang_up)), AGENT_OK);
	CU_ASSERT_EQUAL(agent_reset(agent, soon()), AGENT_GONE);
	fake_stops();
	CU_ASSERT_EQUAL_FATAL(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	close(fds[1]);
	CU_ASSERT_EQUAL(agent_open_fd(&agent, fds[0], NULL, 0, soon()),
			AGENT_GONE);
	agent_close(agent);
	agent = NULL;
}

static void garbage_is_bounded(void)
{
	static const char *const bad[] = {
		flood,       "OK\r\n",       "OK \xc3\xa9\n", "ok\n",
		"OK  a=b\n", "OK a\n",       "ERR\n",         "ERR whatever\n",
		"OK\nOK\n",  "OK a=1 a=2\n", " OK\n",         "\x01\n",
	};

	for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
		CU_ASSERT_EQUAL_FATAL(opens(REPLIES_ARE(HELLO, bad[i])),
				      AGENT_OK);
		enum agent_result r = agent_reset(agent, soon());
		/* An unrequested line may arrive with the next reply. */
		if (r == AGENT_OK)
			r = agent_reset(agent, soon());
		CU_ASSERT_EQUAL(r, AGENT_GARBAGE);
		CU_ASSERT_PTR_NULL(strchr(agent_why(agent), '\n'));
		fake_stops();
	}
}

static void over_tcp(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t len = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CU_ASSERT_EQUAL_FATAL(
		bind(listener, (struct sockaddr *)&at, sizeof(at)), 0);
	CU_ASSERT_EQUAL_FATAL(listen(listener, 1), 0);
	getsockname(listener, (struct sockaddr *)&at, &len);
	uint16_t port = ntohs(at.sin_port);
	/* Connected by the kernel, but nobody answers hello. */
	CU_ASSERT_EQUAL(agent_open(&agent, "127.0.0.1", port, NULL, 0,
				   clock_after_ms(SOON)),
			AGENT_SLOW);
	agent_close(agent);
	close(listener);
	CU_ASSERT_EQUAL(agent_open(&agent, "127.0.0.1", port, NULL, 0, soon()),
			AGENT_GONE);
	CU_ASSERT_PTR_NOT_NULL(strstr(agent_why(agent), "refused"));
	agent_close(agent);
	CU_ASSERT_EQUAL(agent_open(&agent, "::1%no-such-interface", port, NULL,
				   0, soon()),
			AGENT_GONE);
	agent_close(agent);
	agent = NULL;
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"a hello that is none", hello_that_is_none},
		{"events that are none", events_that_are_none},
		{"a silent agent is slow", a_silent_agent_is_slow},
		{"a dead agent is gone", a_dead_agent_is_gone},
		{"garbage is bounded", garbage_is_bounded},
		{"over TCP", over_tcp},
	};

	return unit_run("client_failure", tests, UNIT_COUNT(tests));
}
