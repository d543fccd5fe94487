/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5041 s7.2, RFC 5040 s8.1.1, RFC 5042 s6.2: the sink of a Read, which the
 * other side answers wrongly, or too late. */
#include "case.h"

#define LEN 64u

struct wrong {
	CASE_ROW;
	bool unknown_stag, other_domain;
	uint64_t to; /* not the sink's */
	size_t len;
	unsigned dv;            /* if not 1 */
	unsigned code, or_code; /* of a Terminate 1/1 */
};

static const struct wrong wrongs[] = {
	{.id = "unknown_stag",
	 .must = &DDP_7_2_02,
	 .unknown_stag = true,
	 .len = 8,
	 .code = 0x00,
	 .or_code = 0x00},
	{.id = "other_domain",
	 .must = &DDP_7_2_04,
	 .other_domain = true,
	 .len = 8,
	 .code = 0x02,
	 /* A device that compares it with the STag of the Read before any other
	  * check finds it as invalid here as one that never existed. */
	 .or_code = 0x00},
	{.id = "wrap",
	 .must = &DDP_7_2_05,
	 .to = 0xfffffffffffffff0,
	 .len = 32,
	 .code = 0x03,
	 .or_code = 0x01},
	{.id = "version",
	 .must = &DDP_7_2_06,
	 .dv = 2,
	 .len = 8,
	 .code = 0x04,
	 .or_code = 0x04},
};

/* The Response to the Read Request in f, wrong in one way. */
static struct msg wrong_response(struct test *t, const struct wrong *w,
				 const struct frame *f, struct region other)
{
	struct msg m = READ_RESPONSE(f, pattern(t, w->len, 1), w->len);

	if (w->unknown_stag)
		m.stag_field = IS(stag_never_issued(t));
	if (w->other_domain) {
		m.stag_field = IS(other.stag);
		m.to_field = IS(other.to);
	}
	if (w->to)
		m.to_field = IS(w->to);
	if (w->dv)
		m.dv = IS(w->dv);
	return m;
}

/* DDP reports the error with one number or the other. But the data sink "MAY
 * validate that the STag, Tagged Offset, and length" are those of its Request
 * (RFC 5040 s5.2.2), and the RFCs do not say when: RDMAP may first detect that
 * it did not request this. For that there are 0/2/ff and 0/2/07; and 0/2/06, if
 * it looks for the Request by the sink, and finds none. */
static struct expect refuses_response(struct test *t, unsigned code,
				      unsigned or_code)
{
	return any_of(t, terminate_if_any(TERM_DDP, 1, code),
		      terminate_if_any(TERM_DDP, 1, or_code),
		      terminate_if_any(TERM_RDMA, 2, 0xff),
		      terminate_if_any(TERM_RDMA, 2, 0x07),
		      terminate_if_any(TERM_RDMA, 2, 0x06));
}

CASE_EACH(a_wrong_read_response_is_refused, struct wrong, wrongs,
	  .title = "a Read Response to another place than the sink's, or of "
		   "another DDP version, is not placed, and its Terminate "
		   "says why",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given a device that reads into a buffer, */
	struct region sink =
		dut_registers(t, .len = LEN, .access = FOR_RESPONSES);
	struct region other =
		dut_registers(t, .len = LEN, .pd = 1, .access = FOR_RESPONSES);
	connects(t);
	unsigned id =
		dut_posts(t, POST_READ(sink, 0, row->len, 0x1234, 0x1000));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);

	/* when the Response is wrong in this way, */
	struct msg wrong = wrong_response(t, row, f, other);
	peer_sends(t, wrong);

	/* then nothing is placed anywhere, the cause is named, and the Read is
	 * not completed. */
	must_row(t, row,
		 row->dv ? terminate_if_any(TERM_DDP, 1, row->code)
			 : refuses_response(t, row->code, row->or_code));
	must_row(t, row, memory_lacks(sink, 0, LEN, wrong.octets, wrong.n));
	must_row(t, row, memory_unchanged(other));
	must_row(t, row, not_completed(id));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(a_response_behind_the_end_of_the_buffer_is_refused,
     .title = "a Read Response with the TO at the end of the sink's "
	      "region is refused as a base or bounds violation",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a device that reads into the last octets of a buffer, */
	struct region sink =
		dut_registers(t, .len = LEN, .access = FOR_RESPONSES);
	connects(t);
	unsigned id = dut_posts(t, POST_READ(sink, LEN - 8, 8, 0x1234, 0x1000));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);
	sink_is_in(t, f, sink);

	/* when the Response is for the octets after it, */
	peer_sends(t,
		   READ_RESPONSE(f, "!!!!!!!!", 8,
				 .to_field = IS(case_read_of(f).sink_to + 8)));

	/* then nothing is placed, and the cause is named. */
	must(t, DDP_7_2_03, refuses_response(t, 0x01, 0x01));
	must(t, DDP_7_2_03, memory_lacks(sink, 0, LEN, "!!!!!!!!", 8));
	must(t, DDP_7_2_03, not_completed(id));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(a_response_cannot_leave_the_sink,
     .title = "a Read Response to the octets below the sink of its Read is "
	      "refused, and completes nothing",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a device that reads into a buffer, */
	struct region sink =
		dut_registers(t, .len = LEN, .access = FOR_RESPONSES);
	struct region next =
		dut_registers(t, .len = LEN, .access = FOR_RESPONSES);
	connects(t);
	unsigned id = dut_posts(t, POST_READ(sink, 0, 8, 0x1234, 0x1000));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);
	sink_is_in(t, f, sink);

	/* when the Response goes below it, */
	peer_sends(t,
		   READ_RESPONSE(f, "!!!!!!!!", 8,
				 .to_field = IS(case_read_of(f).sink_to - 8)));

	/* then it is refused, by DDP, or by RDMAP because it does not match its
	 * Request. */
	must(t, SEC_6_2_1_01, stream_ends());
	must(t, SEC_6_2_1_01, memory_lacks(sink, 0, LEN, "!!!!!!!!", 8));
	must(t, SEC_6_2_1_01, memory_unchanged(next));
	must(t, SEC_6_2_1_01, not_completed(id));
}

CASE(a_sink_revoked_before_the_response_is_left_alone,
     .title = "a Read Response to a sink that has been revoked is not placed",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a Read whose sink was revoked before its Response, */
	struct region sink =
		dut_registers(t, .len = LEN, .access = FOR_RESPONSES);
	connects(t);
	unsigned id = dut_posts(t, POST_READ(sink, 0, LEN, 0x1234, 0x1000));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);
	sink_is_in(t, f, sink);
	dut_invalidates_under_a_read(t, sink);
	const uint8_t *then = dut_memory(t, sink, 0, LEN);

	/* when the peer answers it, */
	peer_sends(t, READ_RESPONSE(f, pattern(t, LEN, 1), LEN));

	/* then the buffer is as before, and the STag no longer valid; or the
	 * Read has ended with it. */
	insists(t, RDMAP_8_1_1_04, memory_is(sink, 0, then, LEN));
	must(t, DDP_7_2_02, refuses_response(t, 0x00, 0x00));
	must(t, DDP_7_2_02, not_completed(id));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

#define HALF 1024u /* octets of a Response: one segment */

/*
 * The device has placed the first half of a Response. No exchange is possible
 * inside a message, and it may read arrived octets late: if the sink is revoked
 * by then, it refuses the first half. It need not show any part of an
 * incomplete Response either (RFC 5040 s5.5 item 6): then it cannot be
 * observed.
 */
static void comes_by_half(struct test *t, struct region sink, const uint8_t *p)
{
	enum { LOOKS = 1000 };

	for (unsigned i = 0; i < LOOKS; i++)
		if (memcmp(dut_memory(t, sink, 0, HALF), p, HALF) == 0)
			return;
	not_applicable(t, "the device places nothing of a Read Response before "
			  "the Response is whole");
}

CASE(a_sink_revoked_under_the_response_is_left_alone,
     .title = "while a Read Response arrives, no octet of its sink changes "
	      "after the revoking call has returned",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a Read of whose Response half has arrived, */
	struct region sink = dut_registers(t, .len = 2 * HALF, .raced = true,
					   .access = FOR_RESPONSES);
	const uint8_t *p = pattern(t, 2 * HALF, 1);
	connects(t);
	unsigned id =
		dut_posts(t, POST_READ(sink, 0, 2 * HALF, 0x1234, 0x1000));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);
	peer_sends(t, READ_RESPONSE(f, p, HALF, .l = IS(0)));
	comes_by_half(t, sink, p);

	insists(t, RDMAP_5_2_2_03,
		holds("the Read is not complete",
		      !dut_has_completed(t, id).came));

	/* when the device's ULP revokes the sink, and the rest comes, */
	dut_invalidates_under_a_read(t, sink);
	const uint8_t *then = dut_memory(t, sink, 0, 2 * HALF);
	peer_sends(t, READ_RESPONSE(
			      f, p + HALF, HALF,
			      .to_field = IS(case_read_of(f).sink_to + HALF)));

	/* then the buffer stays as the ULP found it. */
	insists(t, SEC_6_2_2_01, memory_is(sink, 0, then, 2 * HALF));
	must(t, DDP_8_3_1_02, memory_is(sink, 0, then, 2 * HALF));
	must(t, DDP_7_2_02, not_completed(id));
}
