/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5041 s7.1, RFC 5040 s5.2.2, s5.3: the rules for the first segment of a
 * message also hold for the second and the last.
 */
#include "case.h"

#define HALF 64u

struct astray {
	CASE_ROW;
	int to;        /* octets from where the segment belongs */
	bool unknown;  /* to an STag never issued */
	size_t octets; /* in it */
};

static const struct astray astray[] = {
	{.id = "stag_never_issued",
	 .must = &DDP_7_1_20,
	 .unknown = true,
	 .octets = HALF},
	{.id = "below_the_sink",
	 .must = &SEC_6_2_1_01,
	 .to = -(int)HALF - 8,
	 .octets = 8},
	{.id = "behind_the_sink",
	 .must = &SEC_6_2_1_01,
	 .to = HALF,
	 .octets = HALF},
	{.id = "longer_than_the_sink",
	 .must = &SEC_6_2_1_01,
	 .octets = HALF + 8},
};

CASE_EACH(
	a_response_goes_astray, struct astray, astray,
	.title =
		"a Read Response whose second segment leaves the sink's buffer "
		"ends the stream, and leaves all other memory alone",
	.needs = NEED_READ, .role = EITHER)
{
	/* Given a Read into a whole region: no RFC has a device hold a Response
	 * against the Read, but each has to stay in the buffer of its STag. */
	struct region r =
		dut_registers(t, .len = 2 * HALF, .access = FOR_RESPONSES);
	struct region other =
		dut_registers(t, .len = 2 * HALF, .access = FOR_RESPONSES);
	const uint8_t *p = pattern(t, HALF, 1);
	connects(t);
	unsigned id =
		dut_posts(t, POST_READ(r, 0, 2 * HALF, PEER_SINK_STAG, 0));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);
	if (!row->unknown)
		sink_is_in(t, f, r);

	/* when the first half of its Response comes, and a second segment that
	 * is not for its buffer, */
	peer_sends(t, READ_RESPONSE(f, p, HALF, .l = IS(0)));
	struct msg second =
		READ_RESPONSE(f, octets_of(t, row->octets, 0xee), row->octets,
			      .to_field = IS(case_read_of(f).sink_to + HALF +
					     (uint64_t)(int64_t)row->to));
	if (row->octets != HALF)
		peer_breaks(t, RDMAP_4_4_05);
	if (row->unknown)
		second.stag_field = IS(stag_never_issued(t));
	peer_sends(t, second);

	/* then the stream ends, no other buffer has changed, and the Read is not
	 * done. */
	must_row(t, row, stream_ends());
	must_row(t, row, memory_unchanged(other));
	must(t, RDMAP_5_2_2_04, not_completed(id));
}

CASE(a_write_names_an_stag_never_issued,
     .title = "a Write whose second segment names an STag never issued is "
	      "refused for that segment",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer, and the first half of a Write, */
	struct region r =
		dut_registers(t, .len = 2 * HALF, .access = FOR_WRITES);
	const uint8_t *p = pattern(t, 2 * HALF, 2);
	connects(t);
	peer_sends(t, WRITE(r, 0, p, HALF, .l = IS(0)));

	/* when the second half is for an STag that was never issued, */
	peer_sends(t, WRITE(r, HALF, p + HALF, HALF,
			    .stag_field = IS(stag_never_issued(t))));

	/* then it is not placed, and the cause is named. A device may first
	 * compare the STag with that of the segment before. */
	must(t, DDP_7_1_20,
	     any_of(t, terminate_if_any(TERM_DDP, 1, 0x00),
		    terminate_if_any(TERM_DDP, 1, 0x02)));
	must(t, DDP_7_1_20, memory_is(r, HALF, octets_of(t, HALF, 0), HALF));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

enum forbidden {
	OTHER_DOMAIN,
	OTHER_STREAM,
	WRONG_KEY,
	INVALIDATED,
	DEREGISTERED,
	READ_ONLY
};

struct forbidden_row {
	CASE_ROW;
	enum forbidden because;
	bool middle; /* else it is the last segment */
};

static const struct forbidden_row forbidden_rows[] = {
	{.id = "of_another_domain_in_the_middle",
	 .must = &DDP_7_1_25,
	 .because = OTHER_DOMAIN,
	 .middle = true},
	{.id = "of_another_domain_at_the_end",
	 .must = &DDP_7_1_25,
	 .because = OTHER_DOMAIN},
	{.id = "of_another_stream_in_the_middle",
	 .must = &DDP_7_1_24,
	 .because = OTHER_STREAM,
	 .middle = true},
	{.id = "of_another_stream_at_the_end",
	 .must = &DDP_7_1_24,
	 .because = OTHER_STREAM},
	{.id = "with_a_wrong_key_in_the_middle",
	 .must = &DDP_7_1_21,
	 .because = WRONG_KEY,
	 .middle = true},
	{.id = "with_a_wrong_key_at_the_end",
	 .must = &DDP_7_1_21,
	 .because = WRONG_KEY},
	{.id = "invalidated_in_the_middle",
	 .must = &DDP_7_1_22,
	 .because = INVALIDATED,
	 .middle = true},
	{.id = "invalidated_at_the_end",
	 .must = &DDP_7_1_22,
	 .because = INVALIDATED},
	{.id = "deregistered_in_the_middle",
	 .must = &DDP_7_1_23,
	 .because = DEREGISTERED,
	 .middle = true},
	{.id = "deregistered_at_the_end",
	 .must = &DDP_7_1_23,
	 .because = DEREGISTERED},
	{.id = "only_for_reads_in_the_middle",
	 .must = &DDP_7_1_32,
	 .because = READ_ONLY,
	 .middle = true},
	{.id = "only_for_reads_at_the_end",
	 .must = &DDP_7_1_32,
	 .because = READ_ONLY},
};

/* A region that a stream of domain 1 may not write to. */
static struct region forbidden(struct test *t, enum forbidden because)
{
	return dut_registers(
		t, .len = HALF, .pd = because == OTHER_DOMAIN ? 2 : 1,
		.bound = because == OTHER_STREAM,
		.access = because == READ_ONLY ? FOR_READS : FOR_WRITES);
}

CASE_EACH(a_write_goes_on_elsewhere, struct forbidden_row, forbidden_rows,
	  .title = "a Write whose first segment may be placed, and a later one "
		   "not, is refused for the later one",
	  .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer, and one that the stream may not write to, */
	if (row->because == OTHER_STREAM) {
		if (!(dut_claims(t) & NEED_STREAM_STAG))
			not_applicable(t, "the device does not claim the "
					  "feature of this row");
		connects(t, .pd = 1);
	}
	struct region other = forbidden(t, row->because);
	struct region own = dut_registers(t, .len = 3 * HALF, .pd = 1,
					  .access = FOR_WRITES);
	const uint8_t *p = pattern(t, 3 * HALF, 4);
	connects(t, .pd = 1);
	if (row->because == INVALIDATED)
		dut_invalidates(t, other);
	else if (row->because == DEREGISTERED)
		dut_deregisters(t, other);

	/* when a Write begins in the first, and goes on in the other, */
	peer_sends(t, WRITE(own, 0, p, HALF, .l = IS(0)));
	peer_sends(t, WRITE(other, 0, p + HALF, HALF, .l = IS(!row->middle),
			    .stag_field =
				    IS(other.stag ^
				       (row->because == WRONG_KEY ? 0x5a : 0)),
			    .to_field = IS(other.to)));
	if (row->middle)
		peer_sends(t, WRITE(own, 2 * HALF, p + 2 * HALF, HALF,
				    .stag_field = IS(own.stag),
				    .to_field = IS(own.to + 2 * HALF)));

	/* then it is refused there, and nothing is placed there. */
	must_row(t, row, stream_ends());
	if (row->because != DEREGISTERED)
		must_row(t, row, memory_unchanged(other));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

/* A device places segments when it likes: it gets some turns. */
static bool is_placed(struct test *t, struct region r, const uint8_t *p,
		      size_t n)
{
	for (unsigned turn = 0; turn < 64; turn++) {
		dut_has_its_turn(t);
		if (memcmp(dut_memory(t, r, 0, n), p, n) == 0)
			return true;
	}
	return false;
}

CASE(a_write_ends_with_its_stag,
     .title = "a segment of a Write is refused if the STag was invalidated "
	      "locally since the one before",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a Write that has begun, */
	struct region r =
		dut_registers(t, .len = 2 * HALF, .access = FOR_WRITES);
	const uint8_t *p = pattern(t, 2 * HALF, 6);
	connects(t);
	peer_sends(t, WRITE(r, 0, p, HALF, .l = IS(0)));
	if (!is_placed(t, r, p, HALF))
		not_applicable(t, "the device has not placed the first segment "
				  "yet");

	/* when its STag is invalidated, and its last segment comes, */
	dut_invalidates(t, r);
	peer_sends(t, WRITE(r, HALF, p + HALF, HALF, .stag_field = IS(r.stag),
			    .to_field = IS(r.to + HALF)));

	/* then that is not placed, and the cause is named. */
	must(t, DDP_7_1_22, terminate_if_any(TERM_DDP, 1, 0x00));
	must(t, DDP_7_1_22, memory_is(r, HALF, octets_of(t, HALF, 0), HALF));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(a_write_ends_with_its_right,
     .title = "a segment of a Write is refused if the right to write was "
	      "revoked since the one before",
     .needs = NEED_WRITE | NEED_ACCESS, .role = INITIATOR)
{
	/* Given a Write that has begun, */
	struct region r =
		dut_registers(t, .len = 2 * HALF, .access = FOR_WRITES);
	const uint8_t *p = pattern(t, 2 * HALF, 6);
	connects(t);
	peer_sends(t, WRITE(r, 0, p, HALF, .l = IS(0)));
	if (!is_placed(t, r, p, HALF))
		not_applicable(t, "the device has not placed the first segment "
				  "yet");

	/* when its ULP leaves no remote right, and its last segment comes, */
	dut_sets_access(t, r, FOR_RESULTS);
	peer_sends(t, WRITE(r, HALF, p + HALF, HALF));

	/* then that is refused, and not placed. */
	must(t, RDMAP_8_1_1_10, stream_ends());
	must(t, RDMAP_8_1_1_10,
	     memory_is(r, HALF, octets_of(t, HALF, 0), HALF));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

struct kind {
	CASE_ROW;
	uint8_t opcode;
	uint64_t needs;
	bool se, invalidate;
};

static const struct kind kinds[] = {
	{.id = "invalidate",
	 .must = &RDMAP_4_1_25,
	 .opcode = RDMAP_SEND_INV,
	 .needs = 1ull << NEED_BIT_SEND_INV,
	 .invalidate = true},
	{.id = "se",
	 .must = &RDMAP_4_1_26,
	 .opcode = RDMAP_SEND_SE,
	 .needs = 1ull << NEED_BIT_SEND_SE,
	 .se = true},
	{.id = "se_and_invalidate",
	 .must = &RDMAP_4_1_27,
	 .opcode = RDMAP_SEND_SE_INV,
	 .needs = 1ull << NEED_BIT_SEND_SE_INV,
	 .se = true,
	 .invalidate = true},
};

CASE_EACH(a_long_send_keeps_its_kind, struct kind, kinds,
	  .title = "each segment of a long Send with Solicited Event or "
		   "Invalidate has the opcode of its kind",
	  .needs = NEED_SEND, .role = EITHER)
{
	/* Given a device with a long message, */
	const size_t len = 5000;
	if (!(dut_claims(t) & row->needs))
		not_applicable(
			t, "the device does not claim the feature of this row");
	struct region r = dut_registers(t, .len = len);
	dut_fills(t, r, 0, pattern(t, len, 3), len);
	connects(t, .mss = 1460);

	/* when it sends it as one of this kind, */
	dut_posts(t, POST_SEND_FROM(r, 0, len, .se = row->se,
				    .invalidate = row->invalidate,
				    .inv = 0x01020304));
	struct message m = case_awaits_message(t, *row->must, row->opcode);

	/* then all its segments are, and name the same STag. */
	for (size_t i = 0; i < m.count; i++) {
		must_row(t, row,
			 is("opcode of a segment", m.frames[i]->seg.ddp.opcode,
			    row->opcode));
		if (row->invalidate)
			must(t, RDMAP_4_1_20,
			     is("Invalidate STag of a segment",
				m.frames[i]->seg.ddp.inval_stag, 0x01020304));
	}
}
