/* SPDX-License-Identifier: BSD-2-Clause */
/* The client against an agent that does as the protocol says. */
#include "harness/agent/testing.h"

static void hello_is_read_whole(void)
{
	CU_ASSERT_EQUAL_FATAL(opens(REPLIES_ARE(HELLO)), AGENT_OK);
	const struct agent_hello *h = agent_hello(agent);
	CU_ASSERT_STRING_EQUAL(h->agent, "fake");
	CU_ASSERT_STRING_EQUAL(h->impl, "scripted agent 0.1");
	CU_ASSERT_STRING_EQUAL(h->addr, "127.0.0.1");
	CU_ASSERT_STRING_EQUAL(h->claims, "send,read,of-tomorrow,imm-se");
	CU_ASSERT_EQUAL(h->features, 1ull << AGENT_FEATURE_BIT_SEND |
					     1ull << AGENT_FEATURE_BIT_READ |
					     1ull << AGENT_FEATURE_BIT_IMM_SE);
	CU_ASSERT_TRUE(h->big_endian);
	CU_ASSERT_FALSE(h->needs_auth);
	CU_ASSERT_EQUAL(h->max_ird, 16);
	CU_ASSERT_EQUAL(h->max_ord, 8);
	CU_ASSERT_EQUAL(h->max_private, 508);
	CU_ASSERT_EQUAL(h->max_regions, 64);
	CU_ASSERT_EQUAL(h->max_region_len, 1048576);
	CU_ASSERT_EQUAL(h->max_message, 1048576);
	CU_ASSERT_EQUAL(h->startup_timeout_ms, 500);
	fake_stops();
	CU_ASSERT_STRING_EQUAL(fake.asked, "hello version=1\n");
}

/* RFC 4231, test case 2: key "Jefe". */
static void a_token_authenticates(void)
{
	static const char hello[] =
		HELLO_OF("send", " nonce=7768617420646f2079612077616e7420666f"
				 "72206e6f7468696e673f auth=hmac-sha256");
	static const uint8_t jefe[] = {'J', 'e', 'f', 'e'};

	CU_ASSERT_EQUAL(agent_open_fd(&agent,
				      fake_starts(REPLIES_ARE(hello, "OK\n")),
				      jefe, 4, soon()),
			AGENT_OK);
	CU_ASSERT_STRING_EQUAL(asked(),
			       "auth mac=5bdcc146bf60754e6a042426089575c7"
			       "5a003f089d2739839dec58b964ec3843\n");
	CU_ASSERT_EQUAL(
		agent_open_fd(&agent,
			      fake_starts(REPLIES_ARE(hello, "ERR auth no\n")),
			      jefe, 4, soon()),
		AGENT_REFUSED);
	CU_ASSERT_EQUAL(agent_code(agent), LINE_AUTH);
	fake_stops();
	CU_ASSERT_EQUAL(opens(REPLIES_ARE(hello)), AGENT_REFUSED);
	CU_ASSERT_EQUAL(agent_code(agent), LINE_AUTH);
	CU_ASSERT_PTR_NOT_NULL(strstr(agent_why(agent), "token"));
	CU_ASSERT_STRING_EQUAL(asked(), "");
}

static const char digest_reply[] = "OK sha256=000102030405060708090a0b0c0d0e0f"
				   "101112131415161718191a1b1c1d1e1f\n";

static void memory_verbs(void)
{
	struct agent_region r, z;
	uint8_t octets[4] = {0}, digest[32] = {0};

	CU_ASSERT_EQUAL_FATAL(
		opens(REPLIES_ARE(HELLO,
				  "OK stag=0x1234 to=0x7f0000001000 len=64\n",
				  "OK len=8 to=0 stag=7 colour=red\n", "OK\n",
				  "OK\n", "OK hex=00fF7e10\n", digest_reply,
				  "OK\n", "OK\n", "OK\n", "OK\n")),
		AGENT_OK);
	CU_ASSERT_EQUAL(
		agent_reg(agent,
			  &(struct agent_reg){.name = "a",
					      .len = 64,
					      .access = AGENT_LW | AGENT_RA},
			  &r, soon()),
		AGENT_OK);
	CU_ASSERT_EQUAL(r.stag, 0x1234);
	CU_ASSERT_EQUAL(r.to, 0x7f0000001000);
	CU_ASSERT_EQUAL(r.len, 64);
	CU_ASSERT_EQUAL(agent_reg(agent,
				  &(struct agent_reg){.name = "b",
						      .len = 8,
						      .pd = 1,
						      .align = 16,
						      .skew = 3,
						      .zero_based = true,
						      .conn = "c1",
						      .shared = true},
				  &z, soon()),
			AGENT_OK);
	CU_ASSERT_EQUAL(z.stag, 7);
	CU_ASSERT_EQUAL(agent_access(agent, "a", AGENT_RR | AGENT_RW, soon()),
			AGENT_OK);
	CU_ASSERT_EQUAL(agent_fill(agent, "a", 2, "\x01\xab", 2, soon()),
			AGENT_OK);
	CU_ASSERT_EQUAL(agent_dump(agent, "a", 2, 4, octets, soon()), AGENT_OK);
	CU_ASSERT_EQUAL(memcmp(octets, "\x00\xff\x7e\x10", 4), 0);
	CU_ASSERT_EQUAL(agent_digest(agent, "a", 0, 64, digest, soon()),
			AGENT_OK);
	CU_ASSERT_EQUAL(digest[31], 31);
	CU_ASSERT_EQUAL(agent_inval(agent, "a", soon()), AGENT_OK);
	CU_ASSERT_EQUAL(agent_dereg(agent, "a", soon()), AGENT_OK);
	CU_ASSERT_EQUAL(agent_reset(agent, soon()), AGENT_OK);
	CU_ASSERT_EQUAL(agent_bye(agent, soon()), AGENT_OK);
	CU_ASSERT_STRING_EQUAL(
		asked(), "reg name=a len=64 access=lw,ra\n"
			 "reg name=b len=8 access=none pd=1 align=16 skew=3 "
			 "base=zero conn=c1 shared=1\n"
			 "access name=a access=rr,rw\n"
			 "fill name=a off=2 hex=01ab\n"
			 "dump name=a off=2 len=4\n"
			 "digest name=a off=0 len=64\n"
			 "inval name=a\ndereg name=a\nreset\nbye\n");
}

static void startup_verbs(void)
{
	struct agent_listener l;
	struct agent_state s;
	char conn[AGENT_NAME];

	CU_ASSERT_EQUAL_FATAL(
		opens(REPLIES_ARE(
			HELLO, "OK listener=l1 port=4791\n",
			"OK conn=c1 state=rejected peer=127.0.0.1:5 "
			"stream=7 private=00ff ird=0 ord=16383\n",
			"ERR device bad-frame\n", "OK conn=c2\n",
			"OK state=terminated term-layer=1 term-etype=2 "
			"term-code=0x03 term-from=remote term-hex=12030000\n",
			"OK state=terminated term-layer=0 term-etype=1 "
			"term-code=2 term-hex=01020000\n",
			"OK state=connecting\n", "OK\n", "OK\n", "OK\n")),
		AGENT_OK);
	struct agent_params p = {
		.pd = 2,
		.ird = agent_number(0),
		.ord = agent_number(16383),
		.private_data = "\x01\x02",
		.private_octets = 2,
		.markers = true,
		.crc_off = true,
		.rq = 3,
		.rqlen = agent_number(64),
		.sctp = true,
		.mpa = 2,
		.rtr = AGENT_RTR_SEND | AGENT_RTR_READ,
		.need_ord = agent_number(4),
		.msn = agent_number(0xffffffff),
		.reject = true,
	};
	CU_ASSERT_EQUAL(agent_listen(agent, 4791, &p, &l, soon()), AGENT_OK);
	CU_ASSERT_STRING_EQUAL(l.listener, "l1");
	CU_ASSERT_EQUAL(l.port, 4791);
	CU_ASSERT_EQUAL(agent_accept(agent, "l1", 500, &s, soon()), AGENT_OK);
	CU_ASSERT_STRING_EQUAL(s.conn, "c1");
	CU_ASSERT_STRING_EQUAL(s.peer, "127.0.0.1:5");
	CU_ASSERT_EQUAL(s.state, AGENT_REJECTED);
	CU_ASSERT_TRUE(s.has_private && s.private_octets == 2);
	CU_ASSERT_EQUAL(s.private_data[1], 0xff);
	CU_ASSERT_TRUE(s.has_ird && s.ird == 0 && s.ord == 16383);
	CU_ASSERT_TRUE(s.has_stream && s.stream == 7);
	CU_ASSERT_EQUAL(agent_accept(agent, "l1", 500, &s, soon()),
			AGENT_REFUSED);
	CU_ASSERT_EQUAL(agent_code(agent), LINE_DEVICE);
	CU_ASSERT_STRING_EQUAL(agent_text(agent), "bad-frame");
	CU_ASSERT_STRING_EQUAL(agent_why(agent),
			       "agent: accept: device bad-frame");
	p = (struct agent_params){
		.sctp = true,
		.udp = 9899,
		.stream = agent_number(0),
		.mpa = 2,
		.plain = true,
		.rtr = AGENT_RTR_EMPTY,
	};
	CU_ASSERT_EQUAL(agent_connect(agent, "::1", 9, &p, conn, soon()),
			AGENT_OK);
	CU_ASSERT_STRING_EQUAL(conn, "c2");
	CU_ASSERT_EQUAL(
		agent_state(agent, "c2", 100, AGENT_ESTABLISHED, &s, soon()),
		AGENT_OK);
	CU_ASSERT_EQUAL(s.state, AGENT_TERMINATED);
	CU_ASSERT_TRUE(s.has_terminate && s.has_terminate_from &&
		       s.terminate_remote);
	CU_ASSERT_TRUE(s.layer == 1 && s.etype == 2 && s.code == 3);
	CU_ASSERT_TRUE(s.term_octets == 4 && s.term_told == 4);
	CU_ASSERT_EQUAL(memcmp(s.term, "\x12\x03\x00\x00", 4), 0);
	CU_ASSERT_FALSE(s.has_private || s.has_ird);
	CU_ASSERT_EQUAL(agent_state(agent, "c2", 0, AGENT_STREAMS, &s, soon()),
			AGENT_OK);
	CU_ASSERT_TRUE(s.has_terminate && !s.has_terminate_from);
	CU_ASSERT_EQUAL(agent_state(agent, "c2", 0, AGENT_STREAMS, &s, soon()),
			AGENT_OK);
	CU_ASSERT_EQUAL(s.state, AGENT_CONNECTING);
	CU_ASSERT_EQUAL(agent_stop(agent, "c1", AGENT_CLOSE_HALF, soon()),
			AGENT_OK);
	CU_ASSERT_EQUAL(agent_stop(agent, "c1", AGENT_CLOSE_ABORT, soon()),
			AGENT_OK);
	CU_ASSERT_EQUAL(agent_provoke(agent, "c2", 0, 1, 255, soon()),
			AGENT_OK);
	CU_ASSERT_STRING_EQUAL(
		asked(),
		"listen port=4791 pd=2 ird=0 ord=16383 private=0102 markers=1 "
		"crc=0 rq=3 rqlen=64 proto=sctp mpa=2 rtr=send,read "
		"need-ord=4 msn=4294967295 reject=1\n"
		"accept listener=l1 timeout-ms=500\n"
		"accept listener=l1 timeout-ms=500\n"
		"connect addr=::1 port=9 proto=sctp udp=9899 stream=0 mpa=2 "
		"enhanced=0 rtr=\n"
		"state conn=c2 timeout-ms=100 until=established\n"
		"state conn=c2\n"
		"state conn=c2\n"
		"close conn=c1 half=1\nclose conn=c1 abort=1\n"
		"provoke conn=c2 layer=0 etype=1 code=255\n");
}

static void work_verbs(void)
{
	static const uint8_t imm[8] = {1, 2, 3, 4, 5, 6, 7, 8};

	CU_ASSERT_EQUAL_FATAL(opens(REPLIES_ARE(HELLO, "OK\n", "OK\n", "OK\n",
						"OK\n", "OK\n")),
			      AGENT_OK);
	CU_ASSERT_EQUAL(agent_recv(agent,
				   &(struct agent_recv){
					   .conn = "c1", .count = 2, .len = 64},
				   soon()),
			AGENT_OK);
	CU_ASSERT_EQUAL(agent_recv(agent,
				   &(struct agent_recv){.conn = "c1",
							.local = "a",
							.off = 8,
							.len = 0,
							.id = agent_number(0)},
				   soon()),
			AGENT_OK);
	CU_ASSERT_EQUAL(agent_post(agent,
				   &(struct agent_post){.conn = "c1",
							.id = 9,
							.op = AGENT_SEND,
							.inline_octets = true,
							.octets = "hi",
							.n = 2,
							.inv = agent_number(5),
							.se = true,
							.fence = true},
				   soon()),
			AGENT_OK);
	CU_ASSERT_EQUAL(
		agent_post(agent,
			   &(struct agent_post){.conn = "c1",
						.op = AGENT_WRITE_IMM,
						.inline_octets = true,
						.rstag = agent_number(0),
						.rto = agent_number(1),
						.imm = imm},
			   soon()),
		AGENT_OK);
	CU_ASSERT_EQUAL(agent_post(agent,
				   &(struct agent_post){
					   .conn = "c1",
					   .id = 1,
					   .op = AGENT_CMPSWAP,
					   .local = "a",
					   .off = 16,
					   .len = 8,
					   .add = agent_number(1),
					   .mask = agent_number(2),
					   .swap = agent_number(3),
					   .swap_mask = agent_number(4),
					   .compare = agent_number(5),
					   .compare_mask = agent_number(0)},
				   soon()),
			AGENT_OK);
	CU_ASSERT_STRING_EQUAL(
		asked(),
		"recv conn=c1 count=2 len=64\n"
		"recv conn=c1 local=a off=8 len=0 id=0\n"
		"post conn=c1 id=9 op=send hex=6869 inv=5 se=1 fence=1\n"
		"post conn=c1 id=0 op=write-imm hex= rstag=0 rto=1 "
		"imm=0102030405060708\n"
		"post conn=c1 id=1 op=cmpswap local=a off=16 len=8 add=1 "
		"mask=2 swap=3 swap-mask=4 compare=5 compare-mask=0\n");
}

static void events_fill_a_batch(void)
{
	struct agent_event ev[5];
	uint8_t room[4];
	struct agent_events e = {.event = ev,
				 .cap = 5,
				 .room = room,
				 .room_octets = sizeof(room)};

	CU_ASSERT_EQUAL_FATAL(
		opens(REPLIES_ARE(
			HELLO,
			"OK n=5\n"
			"ev conn=c1 id=1 op=recv status=ok len=3 hex=616263 "
			"se=1 inv=0x10\n"
			"ev conn=c1 id=2 op=recv status=flushed len=0\n"
			"ev conn=c1 id=3 op=recv-imm status=ok len=8 "
			"imm=0102030405060708 se=0\n"
			"ev conn=c1 id=4 op=fetchadd status=remote-error "
			"len=8 value=0xffffffffffffffff new=1\n"
			"ev conn=c1 id=5 op=recv status=ok len=2 hex=0000\n",
			"OK n=0\n")),
		AGENT_OK);
	CU_ASSERT_EQUAL(agent_events(agent, "c1", 50, 2, &e, soon()), AGENT_OK);
	CU_ASSERT_EQUAL(e.n, 5);
	CU_ASSERT_TRUE(ev[0].op == AGENT_RECV && ev[0].status == AGENT_DONE);
	CU_ASSERT_EQUAL(ev[0].id, 1);
	CU_ASSERT_EQUAL(ev[0].n, 3);
	CU_ASSERT_EQUAL(memcmp(ev[0].octets, "abc", 3), 0);
	CU_ASSERT_TRUE(ev[0].has_se && ev[0].se);
	CU_ASSERT_TRUE(ev[0].has_inv && ev[0].inv == 16);
	CU_ASSERT_EQUAL(ev[1].status, AGENT_FLUSHED);
	CU_ASSERT_PTR_NULL(ev[1].octets);
	CU_ASSERT_TRUE(ev[2].has_imm && ev[2].imm[7] == 8);
	CU_ASSERT_TRUE(ev[2].has_se && !ev[2].se);
	CU_ASSERT_EQUAL(ev[3].status, AGENT_REMOTE_ERROR);
	CU_ASSERT_TRUE(ev[3].has_value && ev[3].value == UINT64_MAX);
	/* One octet of room is left for two: neither is kept. */
	CU_ASSERT_TRUE(ev[4].cut);
	CU_ASSERT_PTR_NULL(ev[4].octets);
	CU_ASSERT_EQUAL(agent_events(agent, "c1", 0, 0, &e, soon()), AGENT_OK);
	CU_ASSERT_EQUAL(e.n, 0);
	CU_ASSERT_STRING_EQUAL(asked(),
			       "events conn=c1 max=5 timeout-ms=50 min=2\n"
			       "events conn=c1 max=5\n");
}

static void a_row_of_requests_is_one_trip(void)
{
	struct agent_region r = {0};
	struct agent_listener l;
	uint8_t octets[2] = {0};

	CU_ASSERT_EQUAL_FATAL(
		opens(REPLIES_ARE(HELLO, "OK\n", "OK stag=1 to=2 len=3\n",
				  "ERR limit too_many\n", "ERR bad-state\n",
				  "OK hex=0102\n", "OK\n")),
		AGENT_OK);
	agent_begin_reset(agent);
	agent_begin_reg(agent, &(struct agent_reg){.name = "a", .len = 3}, &r);
	agent_begin_listen(agent, 0, &(struct agent_params){0}, &l);
	CU_ASSERT_EQUAL(agent_outstanding(agent), 3);
	CU_ASSERT_EQUAL(agent_flush(agent, soon()), AGENT_OK);
	agent_begin_inval(agent, "a");
	agent_begin_dump(agent, "a", 0, 2, octets);
	/* The first failure is reported; later replies were read. */
	CU_ASSERT_EQUAL(agent_finish(agent, soon()), AGENT_REFUSED);
	CU_ASSERT_EQUAL(agent_code(agent), LINE_LIMIT);
	CU_ASSERT_STRING_EQUAL(agent_why(agent),
			       "agent: listen: limit too_many");
	CU_ASSERT_EQUAL(r.to, 2);
	CU_ASSERT_EQUAL(octets[1], 2);
	CU_ASSERT_EQUAL(agent_outstanding(agent), 0);
	/* And it is reported once. */
	CU_ASSERT_EQUAL(agent_reset(agent, soon()), AGENT_OK);
	CU_ASSERT_STRING_EQUAL(asked(),
			       "reset\nreg name=a len=3 access=none\nlisten\n"
			       "inval name=a\ndump name=a off=0 len=2\n"
			       "reset\n");
}

/* Both sides have more to send than the sockets between them hold. */
static void neither_side_waits_for_the_other(void)
{
	enum { N = 250000, TIMES = 8 };
	static uint8_t octets[N], got[TIMES][N];
	static char reply[2 * N + 9] = "OK hex=";
	const char *replies[2 * TIMES + 2] = {HELLO};

	memset(reply + 7, '5', 2 * N);
	reply[7 + 2 * N] = '\n';
	for (int i = 0; i < TIMES; i++) {
		replies[1 + 2 * i] = "OK\n";
		replies[2 + 2 * i] = reply;
	}
	CU_ASSERT_EQUAL_FATAL(opens(replies), AGENT_OK);
	for (int i = 0; i < TIMES; i++) {
		agent_begin_fill(agent, "a", 0, octets, N);
		agent_begin_dump(agent, "a", 0, N, got[i]);
	}
	CU_ASSERT_EQUAL(agent_finish(agent, soon()), AGENT_OK);
	CU_ASSERT_EQUAL(got[TIMES - 1][N - 1], 0x55);
	fake_stops();
}

static void count_lines(void *arg, bool sent, const char *text, size_t n)
{
	unsigned *lines = arg;

	lines[sent]++;
	CU_ASSERT_PTR_NULL(memchr(text, '\n', n));
}

static void a_trace_tells_every_line(void)
{
	unsigned lines[2] = {0};

	CU_ASSERT_EQUAL_FATAL(
		opens(REPLIES_ARE(HELLO, "OK\n", "ERR unknown-verb\n")),
		AGENT_OK);
	agent_trace(agent, count_lines, lines);
	agent_begin_reset(agent);
	agent_begin_raw(agent, "no-such-verb a=b");
	CU_ASSERT_EQUAL(agent_finish(agent, soon()), AGENT_REFUSED);
	CU_ASSERT_EQUAL(agent_code(agent), LINE_UNKNOWN_VERB);
	CU_ASSERT_EQUAL(lines[0], 2);
	CU_ASSERT_EQUAL(lines[1], 2);
	fake_stops();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"hello is read whole", hello_is_read_whole},
		{"a token authenticates", a_token_authenticates},
		{"memory", memory_verbs},
		{"startup", startup_verbs},
		{"work", work_verbs},
		{"events fill a batch", events_fill_a_batch},
		{"a row of requests is one trip",
		 a_row_of_requests_is_one_trip},
		{"neither side waits for the other",
		 neither_side_waits_for_the_other},
		{"a trace has every line", a_trace_tells_every_line},
	};

	return unit_run("client", tests, UNIT_COUNT(tests));
}
