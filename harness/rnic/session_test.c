/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions on a simulated device: lines and memory. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/rnic/session_fixture.h"
#include "harness/rnic/server.h"
#include "harness/unit.h"

static struct fixture f;

static void hello(void)
{
	fixture_open(&f, NULL);
	STARTS(ask(&f, "reset"), "ERR bad-state ");
	STARTS(ask(&f, "hello version=2"), "ERR unsupported version");
	STARTS(ask(&f, "hello"), "ERR bad-argument ");
	STARTS(ask(&f, "hello version=0x1"),
	       "OK version=1 agent=warpspec-agent impl=a_fake addr=192.0.2.2 "
	       "features=send,write,read,mpa-v2 byte-order=");
	CU_ASSERT_PTR_NOT_NULL(strstr(f.reply, " auth=none "));
	CU_ASSERT_PTR_NOT_NULL(strstr(f.reply, " max-regions=4 "));
	STARTS(ask(&f, "hello version=1"), "ERR bad-state ");
	STARTS(ask(&f, "auth mac=00"), "ERR bad-state ");
	IS(ask(&f, "bye"), "OK");
	IS(next_line_of(&f), "");
	closed(&f);
}

static void lines(void)
{
	opened(&f);
	STARTS(ask(&f, "selfcheck"), "ERR unknown-verb ");
	IS(ask(&f, "reset twice=1"), "ERR unsupported twice");
	IS(ask(&f, "dump name=a off=0 len=1 lend=1"), "ERR unsupported lend");
	STARTS(ask(&f, "reset\r"), "ERR bad-argument ");
	STARTS(ask(&f, "reset  a=1"), "ERR bad-argument ");
	STARTS(ask(&f, "dereg name=a name=a"), "ERR bad-argument ");
	IS(ask(&f, "reset"), "OK");
	/* Two at once are answered in order. */
	STARTS(ask(&f, "reset\nnothing"), "OK");
	STARTS(next_line_of(&f), "ERR unknown-verb ");
	closed(&f);
}

static void octets_that_are_no_ascii_end_it(void)
{
	opened(&f);
	STARTS(ask(&f, "reg name=a len=8 access=lw"), "OK ");
	STARTS(ask(&f, "reset\xc3\xa4\nreset"), "ERR bad-argument ");
	IS(next_line_of(&f), "");
	closed(&f);
}

static void a_line_too_long_ends_it(void)
{
	char *x = malloc(LINE_MAX_OCTETS);

	CU_ASSERT_PTR_NOT_NULL_FATAL(x);
	memset(x, 'x', LINE_MAX_OCTETS);
	opened(&f);
	CU_ASSERT_EQUAL(send(f.fd, x, LINE_MAX_OCTETS, MSG_NOSIGNAL),
			LINE_MAX_OCTETS);
	STARTS(next_line_of(&f), "ERR bad-argument ");
	IS(next_line_of(&f), "");
	closed(&f);
	free(x);
}

static void memory(void)
{
	opened(&f);
	STARTS(ask(&f, "reg name=a len=64 access=lw,rw align=0x1000 skew=3"),
	       "OK stag=0x00000100 to=0x");
	CU_ASSERT_PTR_NOT_NULL(strstr(f.reply, "003 len=64"));
	IS(ask(&f, "dump name=a off=62 len=2"), "OK hex=0000");
	IS(ask(&f, "fill name=a off=1 hex=AAbb"), "OK");
	IS(ask(&f, "dump name=a off=0 len=4"), "OK hex=00aabb00");
	STARTS(ask(&f, "fill name=a off=1 hex=0"), "ERR bad-argument ");
	STARTS(ask(&f, "fill name=a off=1 hex=11zz"), "ERR bad-argument ");
	IS(ask(&f, "dump name=a off=1 len=2"), "OK hex=aabb");
	IS(ask(&f, "digest name=a off=1 len=2"),
	   "OK sha256=d798d1fac6bd4bb1c11f50312760351013"
	   "379a0ab6f0a8c0af8a506b96b2525a");
	STARTS(ask(&f, "dump name=a off=60 len=5"), "ERR bad-argument ");
	STARTS(ask(&f, "dump name=a off=0xffffffffffffffff len=2"),
	       "ERR bad-argument ");
	STARTS(ask(&f, "fill name=a off=64 hex=00"), "ERR bad-argument ");
	STARTS(ask(&f, "dump name=b off=0 len=1"), "ERR no-such-name ");
	STARTS(ask(&f, "reg name=a len=8 access=lw"), "ERR bad-state ");
	STARTS(ask(&f, "reg name=b len=8 access=lw,lw"), "ERR bad-argument ");
	STARTS(ask(&f, "reg name=b len=8 access="), "ERR bad-argument ");
	STARTS(ask(&f, "reg name=b len=8"), "ERR bad-argument ");
	IS(ask(&f, "reg name=b len=8 access=lw base=zero"),
	   "ERR unsupported base");
	STARTS(ask(&f, "access name=a access=none"), "ERR unsupported access");
	IS(ask(&f, "inval name=a"), "OK");
	STARTS(ask(&f, "inval name=a"), "ERR bad-state ");
	IS(ask(&f, "dereg name=a"), "OK");
	STARTS(ask(&f, "dump name=a off=0 len=1"), "ERR no-such-name ");
	CU_ASSERT_EQUAL(f.fake.registered, 0);
	closed(&f);
}

static void limits_of_memory(void)
{
	opened(&f);
	STARTS(ask(&f, "reg name=a len=1048577 access=lw"), "ERR limit ");
	STARTS(ask(&f, "reg name=a len=0 access=lw"), "ERR device it will not");
	STARTS(ask(&f, "reg name=a len=1048576 access=lw"), "OK ");
	STARTS(ask(&f, "dump name=a off=0 len=262145"), "ERR limit ");
	STARTS(ask(&f, "dump name=a off=0 len=262144"), "OK hex=00");
	for (int i = 1; i < 4; i++)
		STARTS(ask(&f, "reg name=b%d len=8 access=none", i), "OK ");
	STARTS(ask(&f, "reg name=c len=8 access=lw"), "ERR limit ");
	IS(ask(&f, "reset"), "OK");
	CU_ASSERT_EQUAL(f.fake.registered, 0);
	STARTS(ask(&f, "reg name=c len=8 access=lw"), "OK ");
	closed(&f);
}

/* --- the token -------------------------------------------------------------- */

static void take_nonce(uint8_t nonce[VERBS_NONCE])
{
	const char *at = strstr(f.reply, " nonce=");

	CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	CU_ASSERT_FATAL(
		line_hex_decode(at + 7, 2 * VERBS_NONCE, nonce, VERBS_NONCE));
}

static const char *proof(const uint8_t *nonce, const char *token, char hex[65])
{
	uint8_t mac[32];
	unsigned n = 0;

	HMAC(EVP_sha256(), token, (int)strlen(token), nonce, VERBS_NONCE, mac,
	     &n);
	line_hex_encode(hex, mac, sizeof(mac));
	return hex;
}

static void token(void)
{
	uint8_t nonce[VERBS_NONCE];
	char hex[65];

	fixture_open(&f, "open sesame");
	STARTS(ask(&f, "hello version=1"), "OK ");
	CU_ASSERT_PTR_NOT_NULL(strstr(f.reply, " auth=hmac-sha256 "));
	take_nonce(nonce);
	STARTS(ask(&f, "reg name=a len=8 access=lw"), "ERR auth ");
	STARTS(ask(&f, "nothing"), "ERR unknown-verb ");
	STARTS(ask(&f, "auth mac=%s", proof(nonce, "open barley", hex)),
	       "ERR auth ");
	STARTS(ask(&f, "auth mac=00"), "ERR auth ");
	STARTS(ask(&f, "auth mac=0"), "ERR bad-argument ");
	STARTS(ask(&f, "reset"), "ERR auth ");
	IS(ask(&f, "auth mac=%s", proof(nonce, "open sesame", hex)), "OK");
	STARTS(ask(&f, "reg name=a len=8 access=lw"), "OK ");
	closed(&f);
}

static void failures_make_their_source_wait(void)
{
	struct verbs_guard *g = verbs_guard_new();
	uint32_t unlogged = 7, waited = 0, last = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(g);
	CU_ASSERT_EQUAL(verbs_guard_delay(g, "192.0.2.1", 1000), 0);
	CU_ASSERT_TRUE(verbs_guard_wrong(g, "192.0.2.1", 1000, &unlogged));
	CU_ASSERT_EQUAL(unlogged, 0);
	for (int i = 0; i < 20; i++) {
		waited = verbs_guard_delay(g, "192.0.2.1", 1001);
		CU_ASSERT_TRUE(waited > last);
		last = waited;
		CU_ASSERT_FALSE(
			verbs_guard_wrong(g, "192.0.2.1", 1001, &unlogged));
	}
	/* Twenty guesses at once take minutes. */
	CU_ASSERT_TRUE(last > 60000);
	/* Another source does not wait, and is logged. */
	CU_ASSERT_EQUAL(verbs_guard_delay(g, "192.0.2.2", 1002), 0);
	CU_ASSERT_TRUE(verbs_guard_wrong(g, "192.0.2.2", 1002, &unlogged));
	/* After a second the first one is, too, with how many were not. */
	CU_ASSERT_TRUE(verbs_guard_wrong(g, "192.0.2.1", 2000, &unlogged));
	CU_ASSERT_EQUAL(unlogged, 20);
	verbs_guard_right(g, "192.0.2.1");
	CU_ASSERT_EQUAL(verbs_guard_delay(g, "192.0.2.1", 2001), 0);
	verbs_guard_free(g);
}

static void many_sources_do_not_fill_the_guard(void)
{
	struct verbs_guard *g = verbs_guard_new();
	char name[32];

	CU_ASSERT_PTR_NOT_NULL_FATAL(g);
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "192.0.%u.%u", i / 256, i % 256);
		CU_ASSERT_EQUAL(verbs_guard_delay(g, name, 1000 + i), 0);
	}
	/* The latest is still known. */
	CU_ASSERT_TRUE(verbs_guard_delay(g, name, 2000) > 0);
	verbs_guard_free(g);
}

/* --- the server --------------------------------------------------------------- */

static struct verbs_device *open_fake(void *arg,
				      const struct verbs_facts *facts,
				      char *why, size_t cap)
{
	(void)facts;
	(void)why;
	(void)cap;
	return fake_new(arg);
}

static int client_of(const struct sockaddr_storage *at, const char *line)
{
	char reply[4096];
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CU_ASSERT_EQUAL(connect(fd, (const struct sockaddr *)at,
				sizeof(struct sockaddr_in)),
			0);
	dprintf(fd, "%s\n", line);
	CU_ASSERT_TRUE(recv(fd, reply, sizeof(reply), 0) > 3);
	STARTS(reply, "OK ");
	return fd;
}

static void a_server_ends_its_sessions(void)
{
	static const struct verbs_token none;
	static const struct verbs_facts facts = {.impl = "a_fake",
						 .addr = "127.0.0.1"};
	static struct fake fake;
	const struct verbs_server v = {.facts = &facts,
				       .token = &none,
				       .open = open_fake,
				       .arg = &fake};
	struct sockaddr_storage at = {.ss_family = AF_INET};
	char end;
	int listener, first, second, status = -1;
	pid_t pid;

	((struct sockaddr_in *)&at)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = verbs_server_bind(&at, sizeof(struct sockaddr_in));
	CU_ASSERT_FATAL(listener >= 0);
	/* So that nobody comes too early. */
	CU_ASSERT_EQUAL_FATAL(listen(listener, 4), 0);
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit(verbs_server_run(&v, listener) == 0 ? 0 : 1);
	close(listener);
	first = client_of(&at, "hello version=1");
	second = client_of(&at, "hello version=1");
	/* One goes, the other stays. */
	close(first);
	dprintf(second, "reset\n");
	CU_ASSERT_EQUAL(recv(second, &end, 1, 0), 1);
	kill(pid, SIGTERM);
	while (recv(second, &end, 1, 0) > 0)
		;
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_EQUAL(status, 0);
	close(second);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"hello", hello},
		{"lines", lines},
		{"octets that are no ASCII end it",
		 octets_that_are_no_ascii_end_it},
		{"a line too long ends it", a_line_too_long_ends_it},
		{"memory", memory},
		{"limits of memory", limits_of_memory},
		{"token", token},
		{"failures make their source wait",
		 failures_make_their_source_wait},
		{"many sources do not fill the guard",
		 many_sources_do_not_fill_the_guard},
		{"a server ends its sessions", a_server_ends_its_sessions},
	};

	/* As the server does: a session that has ended is written to. */
	signal(SIGPIPE, SIG_IGN);
	return unit_run("rnic sessions", tests, UNIT_COUNT(tests));
}
