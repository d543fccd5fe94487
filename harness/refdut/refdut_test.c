/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests the device against itself over the agent protocol: one session listens
 * and connects to its own listener, so that both roles and both directions are
 * tested. The device runs in a child process.
 */
#include "harness/agent/line.h"
#include "harness/crc/crc.h"
#include "harness/refdut/loop.h"
#include "harness/refdut/agent/session.h"
#include "harness/unit.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT = 1 << 20 };

static pid_t child;
static int agent = -1;
static FILE *replies;
static char text[TEXT + 1];
static struct line line;
static char server_conn[32], client_conn[32];
static char udp_port[32];

static void serve(int report)
{
	struct address at;
	const char *why;
	uint16_t port;

	if (crc_init(&why) < 0 || loop_init() < 0 ||
	    !address_parse("127.0.0.1", 0, &at) || server_start(&at) < 0)
		_exit(1);
	port = htons(address_port(&at));
	if (write(report, &port, sizeof(port)) != sizeof(port))
		_exit(1);
	close(report);
	loop_run();
	_exit(0);
}

/* A device in its own process, and a session with it. */
static bool begin(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	struct timeval patience = {.tv_sec = 20};
	int ends[2];

	if (pipe(ends) < 0)
		return false;
	fflush(NULL);
	child = fork();
	if (child == 0) {
		close(ends[0]);
		serve(ends[1]);
	}
	close(ends[1]);
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (child < 0 || read(ends[0], &at.sin_port, 2) != 2)
		return false;
	close(ends[0]);
	agent = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(agent, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (connect(agent, (struct sockaddr *)&at, sizeof(at)) < 0)
		return false;
	replies = fdopen(agent, "r");
	return replies;
}

static void end(void)
{
	int status;

	if (replies)
		fclose(replies);
	replies = NULL;
	kill(child, SIGTERM);
	waitpid(child, &status, 0);
}

/* The next line of the agent. False: its output has ended. */
static bool next(void)
{
	if (!fgets(text, sizeof(text), replies))
		return false;
	return line_parse_reply(&line, text, strlen(text) - 1) == LINE_FINE;
}

static void say(const char *format, ...)
{
	char request[4096];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(request, sizeof(request) - 1, format, ap);
	va_end(ap);
	request[n++] = '\n';
	CU_ASSERT_EQUAL(write(agent, request, (size_t)n), n);
}

static const char *value(const char *key)
{
	const char *v = line_get(&line, key);

	return v ? v : "";
}

/* Send a request that has to succeed. */
static void ok(const char *format, ...)
{
	char request[4096];
	va_list ap;

	va_start(ap, format);
	vsnprintf(request, sizeof(request), format, ap);
	va_end(ap);
	say("%s", request);
	CU_ASSERT_TRUE_FATAL(next() && line.kind == LINE_OK);
}

/* One event: its line, compared from "op=" on. */
static void event_is(const char *want)
{
	char got[512];
	const char *keys[] = {"op", "status", "len",  "hex",
			      "se", "imm",    "value"};
	size_t n = 0;

	CU_ASSERT_TRUE_FATAL(next());
	got[0] = '\0';
	for (size_t i = 0; i < UNIT_COUNT(keys); i++)
		if (line_get(&line, keys[i]) && strlen(value(keys[i])) < 64)
			n += (size_t)snprintf(got + n, sizeof(got) - n,
					      "%s%s=%s", n ? " " : "", keys[i],
					      value(keys[i]));
	CU_ASSERT_STRING_EQUAL(got, want);
	if (strcmp(got, want) != 0)
		printf("got %s, want %s\n", got, want);
}

static void greet(void)
{
	ok("hello version=1");
	snprintf(udp_port, sizeof(udp_port), "%s", value("sctp-udp"));
}

/* Over SCTP if the listener is. */
static void stream(const char *listening, const char *connecting)
{
	bool sctp = strstr(listening, "proto=sctp");
	char listener[32], port[32];

	ok("listen rq=8 rqlen=200000%s", listening);
	snprintf(listener, sizeof(listener), "%s", value("listener"));
	snprintf(port, sizeof(port), "%s", value("port"));
	ok("connect addr=127.0.0.1 port=%s rq=8 rqlen=200000%s%s%s", port,
	   sctp ? " proto=sctp udp=" : "", sctp ? udp_port : "", connecting);
	snprintf(client_conn, sizeof(client_conn), "%s", value("conn"));
	ok("accept listener=%s timeout-ms=5000", listener);
	CU_ASSERT_STRING_EQUAL(value("state"), "established");
	snprintf(server_conn, sizeof(server_conn), "%s", value("conn"));
	ok("state conn=%s timeout-ms=5000", client_conn);
	CU_ASSERT_STRING_EQUAL(value("state"), "established");
}

/* Every operation, in both directions, checked at both ends. */
static void all_operations(const char *from, const char *to)
{
	char stag[32], address[32], digest[80];
	unsigned long long at;

	ok("reg name=r len=300000 access=lw,rr,rw,ra");
	snprintf(stag, sizeof(stag), "%s", value("stag"));
	snprintf(address, sizeof(address), "%s", value("to"));
	at = strtoull(address, NULL, 16);
	ok("reg name=l len=300001 access=lw skew=1");
	ok("fill name=l off=0 hex=000102030405060708090a0b0c0d0e0f");
	ok("fill name=l off=149990 hex=fffefdfcfbfaf9f8f7f6");

	ok("post conn=%s id=1 op=send hex=68656c6c6f", from);
	ok("post conn=%s id=2 op=send local=l off=1 len=150000 se=1", from);
	ok("post conn=%s id=3 op=send", from);
	ok("post conn=%s id=4 op=imm imm=0102030405060708 se=1", from);
	ok("events conn=%s min=4 timeout-ms=5000", to);
	CU_ASSERT_STRING_EQUAL(value("n"), "4");
	event_is("op=recv status=ok len=5 hex=68656c6c6f se=0");
	event_is("op=recv status=ok len=150000 se=1");
	event_is("op=recv status=ok len=0 hex= se=0");
	event_is("op=recv-imm status=ok len=8 se=1 imm=0102030405060708");
	ok("events conn=%s min=4 timeout-ms=5000", from);
	event_is("op=send status=ok len=5");
	event_is("op=send status=ok len=150000");
	event_is("op=send status=ok len=0");
	event_is("op=imm status=ok len=8");

	ok("post conn=%s id=5 op=write local=l off=0 len=150000 rstag=%s "
	   "rto=%s",
	   from, stag, address);
	ok("post conn=%s id=6 op=read local=l off=150001 len=150000 rstag=%s "
	   "rto=%s",
	   from, stag, address);
	ok("post conn=%s id=7 op=read rstag=7 rto=9", from);
	ok("post conn=%s id=8 op=fetchadd add=0x10 rstag=%s rto=0x%llx", from,
	   stag, at + 160000);
	ok("post conn=%s id=9 op=cmpswap compare=0x10 swap=0xff00ff "
	   "swap-mask=0xff rstag=%s rto=0x%llx local=l off=0",
	   from, stag, at + 160000);
	ok("post conn=%s id=10 op=write-imm hex=abcd imm=1112131415161718 "
	   "rstag=%s rto=0x%llx",
	   from, stag, at + 170001);
	ok("events conn=%s min=6 timeout-ms=5000", from);
	event_is("op=write status=ok len=150000");
	event_is("op=read status=ok len=150000");
	event_is("op=read status=ok len=0");
	event_is("op=fetchadd status=ok len=8 value=0x0");
	event_is("op=cmpswap status=ok len=8 value=0x10");
	event_is("op=imm status=ok len=8");
	ok("events conn=%s min=1 timeout-ms=5000", to);
	event_is("op=recv-imm status=ok len=8 se=0 imm=1112131415161718");
	ok("digest name=r off=8 len=149992");
	snprintf(digest, sizeof(digest), "%s", value("sha256"));
	ok("digest name=l off=150009 len=149992");
	CU_ASSERT_STRING_EQUAL(value("sha256"), digest);
	ok("dump name=r off=149990 len=10");
	CU_ASSERT_STRING_EQUAL(value("hex"), "fffefdfcfbfaf9f8f7f6");
	ok("dump name=r off=160000 len=8");
	CU_ASSERT_STRING_EQUAL(value("hex"), "ff00000000000000");
	ok("dump name=r off=170000 len=4");
	CU_ASSERT_STRING_EQUAL(value("hex"), "00abcd00");
	ok("dump name=l off=0 len=8");
	CU_ASSERT_STRING_EQUAL(value("hex"), "1000000000000000");

	ok("post conn=%s id=11 op=send hex=77 inv=%s", from, stag);
	ok("events conn=%s min=1 timeout-ms=5000", to);
	event_is("op=recv status=ok len=1 hex=77 se=0");
	CU_ASSERT_STRING_EQUAL(value("inv"), stag);
	ok("events conn=%s min=1 timeout-ms=5000", from);
	event_is("op=send status=ok len=1");
	say("inval name=r");
	CU_ASSERT_TRUE(next() && line.code == LINE_BAD_STATE);
	ok("dereg name=r");
	ok("dereg name=l");
}

static void every_operation_in_every_kind_of_stream(void)
{
	static const struct {
		const char *listening, *connecting;
	} kinds[] = {
		{"", ""},
		{" markers=1", " markers=1"},
		{" markers=1 private=0102030405", ""},
		{"", " markers=1 private=00"},
		{" crc=0", " crc=0"},
		{" crc=0 markers=1", " crc=0 markers=1"},
		{" crc=0", ""},
		{"", " mpa=2 enhanced=0"},
		{" mpa=1", ""},
		{"", " ird=2 ord=2"},
		{" ird=1 ord=1 markers=1", " rtr=send,write,read"},
		{" rtr=send", " rtr=send,write"},
		{" rtr=read markers=1", " rtr=read ird=4"},
		{" ird=16383 ord=16383", " ird=16383 ord=16383"},
		{" msn=0xffffffff", " msn=0xffffffff"},
		{" proto=sctp", ""},
		{" proto=sctp mpa=1 private=00", " private=0102"},
		{" proto=sctp", " mpa=2 stream=7"},
		{" proto=sctp ird=2 ord=2 rtr=read", " rtr=read,send stream=7"},
		{" proto=sctp ird=1 msn=0xffffffff",
		 " rtr=send,write,read msn=0xffffffff"},
	};

	CU_ASSERT_TRUE_FATAL(begin());
	greet();
	for (size_t i = 0; i < UNIT_COUNT(kinds); i++) {
		stream(kinds[i].listening, kinds[i].connecting);
		all_operations(client_conn, server_conn);
		all_operations(server_conn, client_conn);
		ok("close conn=%s", client_conn);
		ok("state conn=%s until=closed timeout-ms=5000", server_conn);
		CU_ASSERT_STRING_EQUAL(value("state"), "closed");
	}
	end();
}

static void faults_end(const char *listening)
{
	static const struct {
		const char *op, *layer, *etype, *code;
	} rows[] = {
		{"op=write hex=00 rstag=1 rto=0", "1", "1", "0"},
		{"op=read local=l off=0 len=1 rstag=1 rto=0", "0", "1", "0"},
		{"op=fetchadd add=1 rstag=1 rto=0", "0", "1", "0"},
		{"op=send inv=1", "0", "1", "0"},
		{"op=send local=l off=0 len=200001", "1", "2", "5"},
	};

	CU_ASSERT_TRUE_FATAL(begin());
	greet();
	ok("reg name=l len=200001 access=lw");
	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		const char *const ends[] = {client_conn, server_conn};

		stream(listening, "");
		ok("post conn=%s id=1 %s", client_conn, rows[i].op);
		for (int e = 0; e < 2; e++) {
			ok("state conn=%s until=terminated timeout-ms=5000",
			   ends[e]);
			CU_ASSERT_STRING_EQUAL(value("state"), "terminated");
			CU_ASSERT_STRING_EQUAL(value("term-layer"),
					       rows[i].layer);
			CU_ASSERT_STRING_EQUAL(value("term-etype"),
					       rows[i].etype);
			CU_ASSERT_STRING_EQUAL(value("term-code"),
					       rows[i].code);
			CU_ASSERT_STRING_EQUAL(value("term-from"),
					       e ? "local" : "remote");
		}
		ok("events conn=%s min=9 timeout-ms=5000", client_conn);
		CU_ASSERT_STRING_EQUAL(value("n"), "9");
		if (line_get(&line, "n"))
			for (int n = 0; n < 9; n++)
				CU_ASSERT_TRUE(next());
	}
	end();
}

static void a_fault_ends_the_stream_with_a_terminate(void)
{
	faults_end("");
	faults_end(" proto=sctp");
}

static void the_initiator_waits_for_no_reply_for_ever(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t len = sizeof(at);
	int mute = socket(AF_INET, SOCK_STREAM, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CU_ASSERT_EQUAL_FATAL(bind(mute, (struct sockaddr *)&at, len), 0);
	CU_ASSERT_EQUAL_FATAL(listen(mute, 1), 0);
	getsockname(mute, (struct sockaddr *)&at, &len);
	CU_ASSERT_TRUE_FATAL(begin());
	ok("hello version=1");
	ok("connect addr=127.0.0.1 port=%u", ntohs(at.sin_port));
	ok("state conn=c1 timeout-ms=15000");
	CU_ASSERT_STRING_EQUAL(value("state"), "error");
	end();
	close(mute);
}

static void refuse_is(enum line_code code, const char *request)
{
	say("%s", request);
	CU_ASSERT_TRUE_FATAL(next());
	CU_ASSERT_EQUAL(line.kind, LINE_ERR);
	CU_ASSERT_STRING_EQUAL(line_code_name(line.code), line_code_name(code));
}

static void bad_requests_change_nothing(void)
{
	CU_ASSERT_TRUE_FATAL(begin());
	refuse_is(LINE_BAD_STATE, "reset");
	refuse_is(LINE_UNKNOWN_VERB, "frobnicate");
	refuse_is(LINE_UNSUPPORTED, "hello version=2");
	ok("hello version=1");
	refuse_is(LINE_BAD_STATE, "hello version=1");
	refuse_is(LINE_UNSUPPORTED, "reg name=a len=1 access=lw colour=red");
	refuse_is(LINE_BAD_ARGUMENT, "reg name=a len=1 access=wl");
	refuse_is(LINE_LIMIT, "reg name=a len=0x100000000 access=lw");
	refuse_is(LINE_BAD_ARGUMENT, "reg name=a len=1 access=lw\r");
	ok("reg name=a len=4 access=none");
	refuse_is(LINE_BAD_STATE, "reg name=a len=4 access=none");
	refuse_is(LINE_BAD_ARGUMENT, "fill name=a off=3 hex=0102");
	refuse_is(LINE_BAD_ARGUMENT, "fill name=a off=0 hex=01020g");
	ok("dump name=a off=0 len=4");
	CU_ASSERT_STRING_EQUAL(value("hex"), "00000000");
	refuse_is(LINE_NO_SUCH_NAME, "dump name=b off=0 len=4");
	refuse_is(LINE_NO_SUCH_NAME, "state conn=c1");
	refuse_is(LINE_UNSUPPORTED, "listen proto=sctp markers=1");
	ok("listen");
	refuse_is(LINE_TIMEOUT, "accept listener=l1 timeout-ms=1");
	end();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"every operation in every kind of stream",
		 every_operation_in_every_kind_of_stream},
		{"a fault ends the stream with a Terminate",
		 a_fault_ends_the_stream_with_a_terminate},
		{"the initiator waits for no Reply for ever",
		 the_initiator_waits_for_no_reply_for_ever},
		{"bad requests change nothing", bad_requests_change_nothing},
	};

	return unit_run("refdut", tests, UNIT_COUNT(tests));
}
