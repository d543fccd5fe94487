/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions on a simulated device: streams and work. */
#include <stdlib.h>
#include <string.h>

#include "harness/rnic/session_fixture.h"
#include "harness/unit.h"

static struct fixture f;

/* c1, established by a Request of IRD 3 and ORD 4. */
static void accepted(const char *keys)
{
	opened(&f);
	STARTS(ask(&f, "listen crc=0%s", keys), "OK listener=l1 port=");
	fake_does(&f, FAKE_REQUEST, 3, 4);
	IS(ask(&f, "accept listener=l1 timeout-ms=5000"),
	   "OK conn=c1 state=established peer=192.0.2.1:9 private=1234 ird=3 "
	   "ord=4");
}

/* --- streams ------------------------------------------------------------------ */

static void one_connection_per_listen(void)
{
	opened(&f);
	STARTS(ask(&f, "listen crc=0 port=1000"), "OK listener=l1 port=1000");
	STARTS(ask(&f, "listen crc=0 port=1000 reject=1"),
	       "OK listener=l2 port=1000");
	CU_ASSERT_EQUAL(f.fake.listening, 1);
	IS(ask(&f, "accept listener=l1 timeout-ms=1"),
	   "ERR timeout no connection");
	fake_does(&f, FAKE_REQUEST, 1, 1);
	STARTS(ask(&f, "accept listener=l1 timeout-ms=5000"),
	       "OK conn=c1 state=established ");
	CU_ASSERT_EQUAL(f.fake.listening, 1);
	fake_does(&f, FAKE_REQUEST, 1, 1);
	STARTS(ask(&f, "accept listener=l2 timeout-ms=5000"),
	       "OK conn=c2 state=rejected ");
	/* No listen is left: the device does not listen. */
	CU_ASSERT_EQUAL(f.fake.listening, 0);
	STARTS(ask(&f, "accept listener=l2 timeout-ms=0"), "ERR bad-state ");
	STARTS(ask(&f, "accept listener=l3 timeout-ms=0"), "ERR no-such-name ");
	STARTS(ask(&f, "accept listener=l02 timeout-ms=0"),
	       "ERR no-such-name ");
	STARTS(ask(&f, "listen crc=0 port=666"), "ERR device it will not");
	STARTS(ask(&f, "state conn=c2"), "OK state=rejected private=1234 ");
	closed(&f);
}

/* rdma_reject has no ORD to name. */
static void no_reject_names_a_depth(void)
{
	opened(&f);
	IS(ask(&f, "listen crc=0 need-ord=4"), "ERR unsupported need-ord");
	closed(&f);
}

static void a_device_that_cannot_answer(void)
{
	opened(&f);
	f.fake.refuses_accept = true;
	STARTS(ask(&f, "listen crc=0"), "OK ");
	fake_does(&f, FAKE_REQUEST, 1, 1);
	IS(ask(&f, "accept listener=l1 timeout-ms=5000"),
	   "ERR device it will not");
	closed(&f);
}

static void keys_that_the_device_cannot_follow(void)
{
	opened(&f);
	IS(ask(&f, "listen"), "ERR unsupported crc");
	IS(ask(&f, "listen crc=0 markers=1"), "ERR unsupported markers");
	IS(ask(&f, "listen crc=0 mpa=1"), "ERR unsupported mpa");
	IS(ask(&f, "listen crc=0 rtr=read"), "ERR unsupported rtr");
	IS(ask(&f, "listen crc=0 msn=2"), "ERR unsupported msn");
	IS(ask(&f, "listen crc=0 proto=sctp"), "ERR unsupported proto");
	IS(ask(&f, "listen crc=0 ird=16383"), "ERR unsupported ird");
	IS(ask(&f, "listen crc=0 enhanced=1"), "ERR unsupported enhanced");
	STARTS(ask(&f, "listen crc=0 ird=9"), "ERR limit ");
	STARTS(ask(&f, "listen crc=0 rq=9"), "ERR limit ");
	STARTS(ask(&f, "listen crc=0 private=%034d", 0), "ERR limit ");
	STARTS(ask(&f, "listen crc=0 private=0"), "ERR bad-argument ");
	STARTS(ask(&f, "listen crc=0 mpa=0"), "ERR bad-argument ");
	STARTS(ask(&f, "listen crc=0 rtr=write,write"), "ERR bad-argument ");
	STARTS(ask(&f, "listen crc=0 rtr=write mpa=2 msn=1 proto=tcp"), "OK ");
	IS(ask(&f, "connect addr=192.0.2.1 port=1"), "ERR unsupported mpa");
	IS(ask(&f, "connect addr=192.0.2.1 port=1 ird=4"),
	   "ERR unsupported crc");
	IS(ask(&f, "connect addr=192.0.2.1 port=1 mpa=2 enhanced=0 crc=0"),
	   "ERR unsupported enhanced");
	IS(ask(&f, "connect addr=192.0.2.1 port=1 rtr=read crc=0"),
	   "ERR unsupported rtr");
	STARTS(ask(&f, "connect addr=elsewhere port=1"), "ERR bad-argument ");
	STARTS(ask(&f, "connect addr=192.0.2.1 port=0"), "ERR bad-argument ");
	CU_ASSERT_EQUAL(f.fake.streams, 0);
	STARTS(ask(&f, "connect addr=192.0.2.1 port=1 mpa=2 crc=0"),
	       "OK conn=c1");
	IS(ask(&f, "close conn=c1 abort=1"), "ERR unsupported abort");
	IS(ask(&f, "close conn=c1 half=1"), "ERR unsupported half");
	IS(ask(&f, "provoke conn=c1 layer=0 etype=0 code=0"),
	   "ERR unsupported provoke");
	closed(&f);
}

static void states(void)
{
	opened(&f);
	STARTS(ask(&f, "connect addr=192.0.2.1 port=1 mpa=2 crc=0"),
	       "OK conn=c1");
	IS(ask(&f, "state conn=c1"), "OK state=connecting");
	fake_does(&f, FAKE_ESTABLISHED, 1, 7);
	IS(ask(&f, "state conn=c1 timeout-ms=5000"),
	   "OK state=established private=1234 ird=1 ord=7");
	STARTS(ask(&f, "state conn=c1 timeout-ms=1 until=closed"),
	       "OK state=established ");
	STARTS(ask(&f, "state conn=c1 until=lost"), "ERR bad-argument ");
	fake_does(&f, FAKE_ENDS, 1, AGENT_ERROR);
	fake_does(&f, FAKE_ENDS, 1, AGENT_CLOSED);
	/* The first final state stays. */
	STARTS(ask(&f, "state conn=c1 timeout-ms=5000 until=closed"),
	       "OK state=error ");
	IS(ask(&f, "close conn=c1"), "OK");
	STARTS(ask(&f, "state conn=c1"), "OK state=error ");
	STARTS(ask(&f, "state conn=c2"), "ERR no-such-name ");
	IS(ask(&f, "reset"), "OK");
	STARTS(ask(&f, "state conn=c1"), "ERR no-such-name ");
	closed(&f);
}

/* The client hangs up while its request is being waited for. */
static void release_while_waiting(void)
{
	opened(&f);
	STARTS(ask(&f, "listen crc=0"), "OK ");
	STARTS(ask(&f, "reg name=a len=8 access=lw"), "OK ");
	STARTS(ask(&f, "connect addr=192.0.2.1 port=1 mpa=2 crc=0"), "OK ");
	dprintf(f.fd, "accept listener=l1 timeout-ms=4000000000\n");
	closed(&f);
}

/* --- work ----------------------------------------------------------------------- */

static void receives(void)
{
	accepted(" rq=2 rqlen=8");
	IS(ask(&f, "recv conn=c1 len=16 count=2"), "OK");
	STARTS(ask(&f, "recv conn=c1 len=16 count=9"), "ERR limit ");
	STARTS(ask(&f, "recv conn=c1 len=1048577"), "ERR limit ");
	STARTS(ask(&f, "recv conn=c1 len=16 id=1"), "ERR bad-argument ");
	fake_does(&f, FAKE_RECEIVES, 1, 2);
	fake_does(&f, FAKE_RECEIVES, 1, 0);
	fake_does(&f, FAKE_RECEIVES, 1, 3);
	IS(ask(&f, "events conn=c1 timeout-ms=5000 min=3"), "OK n=3");
	IS(next_line_of(&f),
	   "ev conn=c1 id=1 op=recv status=ok len=2 hex=7878");
	IS(next_line_of(&f), "ev conn=c1 id=2 op=recv status=ok len=0 hex=");
	IS(next_line_of(&f),
	   "ev conn=c1 id=3 op=recv status=ok len=3 hex=787878 inv=0x00001234");
	IS(ask(&f, "events conn=c1"), "OK n=0");
	closed(&f);
}

static void receives_in_a_region(void)
{
	accepted("");
	STARTS(ask(&f, "reg name=a len=16 access=lw"), "OK ");
	STARTS(ask(&f, "reg name=b len=16 access=rw"), "OK ");
	IS(ask(&f, "recv conn=c1 local=a off=4 len=8 id=77"), "OK");
	STARTS(ask(&f, "recv conn=c1 local=a off=9 len=8"),
	       "ERR bad-argument ");
	STARTS(ask(&f, "recv conn=c1 local=a off=0 len=8 count=2"),
	       "ERR bad-argument ");
	/* The device needed more than was requested. */
	IS(ask(&f, "recv conn=c1 local=b off=0 len=8"),
	   "ERR unsupported local");
	fake_does(&f, FAKE_RECEIVES, 1, 4);
	IS(ask(&f, "events conn=c1 timeout-ms=5000"), "OK n=1");
	IS(next_line_of(&f),
	   "ev conn=c1 id=77 op=recv status=ok len=4 hex=78787878");
	IS(ask(&f, "dump name=a off=3 len=6"), "OK hex=007878787800");
	closed(&f);
}

static void a_long_receive_is_told_by_its_digest(void)
{
	accepted(" rq=1 rqlen=262145");
	fake_does(&f, FAKE_RECEIVES, 1, 262145);
	IS(ask(&f, "events conn=c1 timeout-ms=5000"), "OK n=1");
	STARTS(next_line_of(&f),
	       "ev conn=c1 id=1 op=recv status=ok len=262145 sha256=");
	CU_ASSERT_EQUAL(strlen(strstr(f.reply, "sha256=")), 7 + 64);
	closed(&f);
}

static void posts(void)
{
	accepted("");
	STARTS(ask(&f, "reg name=a len=16 access=lw"), "OK ");
	IS(ask(&f, "post conn=c1 id=5 op=send hex=0102"), "OK");
	IS(ask(&f, "post conn=c1 id=6 op=write local=a off=0 len=16 rstag=0x10 "
		   "rto=0"),
	   "OK");
	IS(ask(&f, "post conn=c1 id=7 op=read local=a off=8 len=8 rstag=1 "
		   "rto=2 fence=1"),
	   "OK");
	fake_does(&f, FAKE_COMPLETES, 1, AGENT_DONE);
	fake_does(&f, FAKE_COMPLETES, 1, AGENT_REMOTE_ERROR);
	fake_does(&f, FAKE_COMPLETES, 1, AGENT_FLUSHED);
	IS(ask(&f, "events conn=c1 timeout-ms=5000 min=3 max=2"), "OK n=2");
	IS(next_line_of(&f), "ev conn=c1 id=5 op=send status=ok len=2");
	IS(next_line_of(&f), "ev conn=c1 id=6 op=write status=remote-error "
			     "len=0");
	IS(ask(&f, "events conn=c1 timeout-ms=5000"), "OK n=1");
	IS(next_line_of(&f), "ev conn=c1 id=7 op=read status=flushed len=0");
	STARTS(ask(&f, "post conn=c1 op=send hex="), "ERR bad-argument ");
	STARTS(ask(&f, "post conn=c1 id=1 op=dance"), "ERR bad-argument ");
	STARTS(ask(&f, "post conn=c1 id=1 op=read hex=00"),
	       "ERR bad-argument ");
	STARTS(ask(&f, "post conn=c1 id=1 op=send hex=0x"),
	       "ERR bad-argument ");
	STARTS(ask(&f, "post conn=c1 id=1 op=write local=a off=9 len=8"),
	       "ERR bad-argument ");
	IS(ask(&f, "post conn=c1 id=1 op=imm imm=0102030405060708"),
	   "ERR unsupported op");
	IS(ask(&f, "post conn=c1 id=1 op=fetchadd rstag=1 rto=0 add=1"),
	   "ERR unsupported op");
	IS(ask(&f, "post conn=c1 id=1 op=send hex=00 inv=7"),
	   "ERR unsupported inv");
	IS(ask(&f, "post conn=c1 id=1 op=send hex=00 se=1"),
	   "ERR unsupported se");
	for (int i = 0; i < 4; i++)
		IS(ask(&f, "post conn=c1 id=%d op=send hex=00", i), "OK");
	STARTS(ask(&f, "post conn=c1 id=9 op=send hex=00"), "ERR limit ");
	closed(&f);
}

static void a_post_that_the_device_refuses(void)
{
	accepted("");
	f.fake.refuses_post = true;
	IS(ask(&f, "post conn=c1 id=1 op=send hex=00"),
	   "ERR device it will not");
	IS(ask(&f, "events conn=c1"), "OK n=0");
	closed(&f);
}

static void work_before_the_stream_waits(void)
{
	opened(&f);
	STARTS(ask(&f, "connect addr=192.0.2.1 port=1 mpa=2 crc=0"),
	       "OK conn=c1");
	IS(ask(&f, "post conn=c1 id=1 op=send hex=00"), "OK");
	IS(ask(&f, "post conn=c1 id=2 op=send hex=00"), "OK");
	IS(ask(&f, "events conn=c1"), "OK n=0");
	fake_does(&f, FAKE_ESTABLISHED, 1, 1);
	fake_does(&f, FAKE_COMPLETES, 1, AGENT_DONE);
	IS(ask(&f, "events conn=c1 timeout-ms=5000"), "OK n=1");
	IS(next_line_of(&f), "ev conn=c1 id=1 op=send status=ok len=1");
	closed(&f);
}

static void work_after_the_stream_is_flushed(void)
{
	opened(&f);
	STARTS(ask(&f, "connect addr=192.0.2.1 port=1 mpa=2 crc=0"),
	       "OK conn=c1");
	IS(ask(&f, "post conn=c1 id=1 op=send hex=00"), "OK");
	fake_does(&f, FAKE_ENDS, 1, AGENT_REJECTED);
	STARTS(ask(&f, "state conn=c1 timeout-ms=5000"), "OK state=rejected");
	IS(ask(&f, "recv conn=c1 len=4"), "OK");
	IS(ask(&f, "post conn=c1 id=3 op=send hex=00"), "OK");
	IS(ask(&f, "events conn=c1 timeout-ms=5000 min=3"), "OK n=3");
	IS(next_line_of(&f), "ev conn=c1 id=1 op=send status=flushed len=0");
	IS(next_line_of(&f), "ev conn=c1 id=1 op=recv status=flushed len=0");
	IS(next_line_of(&f), "ev conn=c1 id=3 op=send status=flushed len=0");
	/* There is nothing to wait for. */
	IS(ask(&f, "events conn=c1 timeout-ms=4000000000"), "OK n=0");
	closed(&f);
}

static void what_was_posted_is_sent_before_the_close(void)
{
	accepted("");
	STARTS(ask(&f, "reg name=a len=16 access=lw"), "OK ");
	IS(ask(&f, "post conn=c1 id=1 op=send hex=00"), "OK");
	IS(ask(&f, "post conn=c1 id=2 op=send hex=00"), "OK");
	IS(ask(&f, "post conn=c1 id=3 op=read local=a off=8 len=8 rstag=1 "
		   "rto=2"),
	   "OK");
	IS(ask(&f, "post conn=c1 id=4 op=send hex=00"), "OK");
	IS(ask(&f, "close conn=c1"), "OK");
	fake_does(&f, FAKE_COMPLETES, 1, AGENT_DONE);
	IS(ask(&f, "events conn=c1 timeout-ms=5000"), "OK n=1");
	IS(next_line_of(&f), "ev conn=c1 id=1 op=send status=ok len=1");
	CU_ASSERT_EQUAL(f.fake.closes, 0);
	/* What waits for the answer to the Read is not waited for. */
	fake_does(&f, FAKE_COMPLETES, 1, AGENT_DONE);
	IS(ask(&f, "events conn=c1 timeout-ms=5000"), "OK n=1");
	IS(next_line_of(&f), "ev conn=c1 id=2 op=send status=ok len=1");
	CU_ASSERT_EQUAL(f.fake.closes, 1);
	closed(&f);
}

static void a_reset_waits_for_nothing(void)
{
	accepted("");
	f.facts.abort_resets = true;
	IS(ask(&f, "post conn=c1 id=1 op=send hex=00"), "OK");
	IS(ask(&f, "close conn=c1 abort=1"), "OK");
	CU_ASSERT_EQUAL(f.fake.closes, 1);
	closed(&f);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"one connection per listen", one_connection_per_listen},
		{"no reject names a depth", no_reject_names_a_depth},
		{"a device that cannot answer", a_device_that_cannot_answer},
		{"keys that the device cannot follow",
		 keys_that_the_device_cannot_follow},
		{"states", states},
		{"release while waiting", release_while_waiting},
		{"receives", receives},
		{"receives in a region", receives_in_a_region},
		{"a long receive is reported by its digest",
		 a_long_receive_is_told_by_its_digest},
		{"posts", posts},
		{"a post that the device refuses",
		 a_post_that_the_device_refuses},
		{"work before the stream waits", work_before_the_stream_waits},
		{"work after the stream is flushed",
		 work_after_the_stream_is_flushed},
		{"what was posted is sent before the close",
		 what_was_posted_is_sent_before_the_close},
		{"a reset waits for nothing", a_reset_waits_for_nothing},
	};

	return unit_run("rnic streams", tests, UNIT_COUNT(tests));
}
