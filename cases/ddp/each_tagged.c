/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5041 s4.1, s4.2, s5.2, s7.1, s7.2 and s8: the rules of DDP about a tagged
 * segment, for Writes and Read Responses, on a message of one segment, and on
 * the first segment of three, the one in the middle and the last.
 */
#include "case.h"

#define PART  30u /* octets of a segment; the last one has the rest */
#define PARTS 3u

enum wrong_stag {
	RIGHT,
	NEVER_ISSUED,
	WRONG_KEY,
	INVALIDATED,
	DEREGISTERED,
	OTHER_STREAM,
	OTHER_DOMAIN,
	READ_ONLY
};

/* The segment that is special, and what is special about it. */
struct part {
	CASE_ROW;
	uint8_t opcode;
	unsigned at; /* 1 to 3; 0: it is alone */
	struct over dv;
	enum wrong_stag stag;
	struct over off; /* from the first octet of the buffer, modulo 2^64 */
	struct over to;  /* or this TO; */
	bool across;     /* or its last octet is one too far */
	bool unjudged;   /* some of its octets are inside */
	size_t octets;   /* 0: as many as there are */
	unsigned code, or_code; /* of a Terminate 1/1 */
	bool reported;          /* the ULP learns of it */
};

#define ROW(name, op, at_, ...)                                                \
	{                                                                      \
		.id = name, .opcode = RDMAP_##op, .at = (at_), __VA_ARGS__     \
	}
#define SEVERAL(what, op, ...)                                                 \
	ROW(what "_in_the_first", op, 1, __VA_ARGS__),                         \
		ROW(what "_in_the_middle", op, 2, __VA_ARGS__),                \
		ROW(what "_in_the_last", op, 3, __VA_ARGS__)
#define WRITES(what, ...) SEVERAL(what, WRITE, __VA_ARGS__)
#define RESPONSES(what, ...)                                                   \
	ROW(what, READ_RESPONSE, 0, __VA_ARGS__),                              \
		SEVERAL(what, READ_RESPONSE, __VA_ARGS__)

/* DDP reports the error with one number or the other: the STag of a later
 * segment may first be compared with the one before it (RFC 5041 s7.1 does not
 * order its checks). A Response may first be held against its Request (RFC 5040
 * s5.2.2). */
static struct expect refuses(struct test *t, const struct part *row)
{
	bool later = row->stag != RIGHT && row->at > 1;
	struct expect one = terminate_if_any(TERM_DDP, 1, row->code);
	struct expect other = terminate_if_any(TERM_DDP, 1, row->or_code);
	struct expect compared =
		later ? terminate_if_any(TERM_DDP, 1, 0x02) : one;

	/* DDP has no number for a right that is missing; and s8.2 asks for
	 * none, but that the ULP learns of it. */
	if (row->stag == READ_ONLY || row->reported)
		return stream_ends();
	if (row->opcode == RDMAP_WRITE)
		return any_of(t, one, other, compared);
	return any_of(t, one, other, compared,
		      terminate_if_any(TERM_RDMA, 2, 0xff),
		      terminate_if_any(TERM_RDMA, 2, 0x07),
		      terminate_if_any(TERM_RDMA, 2, 0x06));
}

/* A region that a stream of domain 1 may not write to. */
static struct region forbidden(struct test *t, enum wrong_stag because)
{
	return dut_registers(
		t, .len = AWAITED_OCTETS, .pd = because == OTHER_DOMAIN ? 2 : 1,
		.bound = because == OTHER_STREAM,
		.access = because == READ_ONLY ? FOR_READS : FOR_WRITES);
}

/* Where the special segment belongs. */
static size_t place(const struct part *row)
{
	return row->at ? (row->at - 1) * PART : 0;
}

/* Nothing of the special segment is where it belongs. */
static struct expect is_not_placed(struct test *t, const struct awaited *a,
				   const struct part *row)
{
	size_t at = place(row);

	if (row->opcode != RDMAP_READ_RESPONSE)
		return memory_is(a->r, at, octets_of(t, PART, 0), PART);
	struct msg whole = message_awaited(t, a, AWAITED_OCTETS);
	const uint8_t *octets = whole.octets;

	return memory_lacks(a->r, at, PART, octets + at, PART);
}

/* The message in segments goes out in one write. */
static void peer_sends_parts(struct test *t, const struct awaited *a,
			     const struct part *row, const struct region *other)
{
	struct msg whole = message_awaited(t, a, AWAITED_OCTETS);
	unsigned special = row->at ? row->at : 1;
	unsigned last = row->at ? PARTS : 1;

	for (unsigned i = 1; i <= last; i++) {
		size_t at = (i - 1) * PART;
		struct msg m = whole;

		m.octets = (const uint8_t *)whole.octets + at;
		m.n = i == PARTS || !row->at ? AWAITED_OCTETS - at : PART;
		m.l = IS(i == PARTS || !row->at);
		m.to_field = IS(whole.to + at);
		if (i > 1)
			m.stag_field = IS(whole.stag);
		if (i == special) {
			m.dv = row->dv;
			if (row->octets)
				m.n = row->octets;
			if (row->stag >= INVALIDATED) {
				m.stag_field = IS(other->stag);
				m.to_field = IS(other->to + at);
			}
			if (row->stag == NEVER_ISSUED)
				m.stag_field = IS(stag_never_issued(t));
			if (row->stag == WRONG_KEY)
				m.stag_field = IS(whole.stag ^ 0x5a);
			if (row->off.set)
				m.to_field = IS(a->r.to + row->off.v);
			if (row->to.set)
				m.to_field = row->to;
			if (row->across)
				m.to_field =
					IS(a->r.to + AWAITED_OCTETS + 1 - m.n);
		}
		peer_sends(t, m, .hold = i < last);
	}
}

/* --- version ------------------------------------------------------------------ */

#define VERSIONS(what, ...)                                                    \
	WRITES("write_" what, __VA_ARGS__),                                    \
		RESPONSES("response_" what, __VA_ARGS__)

static const struct part versions[] = {
	VERSIONS("dv0", .must = &DDP_4_1_15, .dv = IS(0)),
	VERSIONS("dv2", .must = &DDP_4_1_16, .dv = IS(2)),
	VERSIONS("dv3", .must = &DDP_4_1_17, .dv = IS(3)),
	SEVERAL("response_code_of_dv2", READ_RESPONSE, .must = &DDP_7_2_06,
		.dv = IS(2)),
	ROW("write_changed_in_the_middle", WRITE, 2, .must = &DDP_4_1_21,
	    .dv = IS(0)),
	ROW("write_changed_in_the_last", WRITE, 3, .must = &DDP_4_1_21,
	    .dv = IS(0)),
	ROW("response_changed_in_the_middle", READ_RESPONSE, 2,
	    .must = &DDP_4_1_21, .dv = IS(0)),
	ROW("response_changed_in_the_last", READ_RESPONSE, 3,
	    .must = &DDP_4_1_21, .dv = IS(0)),
};

CASE_EACH(another_version_is_refused, struct part, versions,
	  .title = "a segment of a Write or Read Response whose DV is not 1 is "
		   "not placed, and its Terminate says invalid DDP version",
	  .role = EITHER)
{
	/* Given a device that expects a Write, or a Response to its Read, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when a segment has another version of DDP, */
	peer_sends_parts(t, &a, row, NULL);

	/* then it is not placed, and the stream ends for that reason. */
	must_row(t, row, terminate_if_any(TERM_DDP, 1, 0x04));
	must_row(t, row, is_not_placed(t, &a, row));
	if (row->opcode == RDMAP_READ_RESPONSE)
		must_row(t, row, not_completed(a.id));
}

/* --- STag --------------------------------------------------------------------- */

static const struct part stags[] = {
	ROW("write_never_issued_in_the_middle", WRITE, 2, .must = &DDP_7_1_20,
	    .stag = NEVER_ISSUED),
	RESPONSES("response_never_issued", .must = &DDP_7_1_20,
		  .stag = NEVER_ISSUED),
	RESPONSES("response_code_of_never_issued", .must = &DDP_7_2_02,
		  .stag = NEVER_ISSUED),
	RESPONSES("response_with_a_wrong_key", .must = &DDP_7_1_21,
		  .stag = WRONG_KEY),
	RESPONSES("response_invalidated", .must = &DDP_7_1_22,
		  .stag = INVALIDATED),
	RESPONSES("response_deregistered", .must = &DDP_7_1_23,
		  .stag = DEREGISTERED),
	RESPONSES("response_of_another_stream", .must = &DDP_7_1_24,
		  .stag = OTHER_STREAM, .code = 0x02),
	RESPONSES("response_of_another_domain", .must = &DDP_7_1_25,
		  .stag = OTHER_DOMAIN, .code = 0x02),
	RESPONSES("response_code_of_another_domain", .must = &DDP_7_2_04,
		  .stag = OTHER_DOMAIN, .code = 0x02),
	RESPONSES("response_only_for_reads", .must = &DDP_7_1_32,
		  .stag = READ_ONLY),
	ROW("response_by_its_domain", READ_RESPONSE, 0, .must = &DDP_8_2_01,
	    .stag = OTHER_DOMAIN, .code = 0x02, .reported = true),
	ROW("response_by_its_stream", READ_RESPONSE, 0, .must = &DDP_8_2_02,
	    .stag = OTHER_STREAM, .code = 0x02, .reported = true),
};

CASE_EACH(an_stag_that_may_not_be_used_is_refused, struct part, stags,
	  .title =
		  "a segment of a Write or Read Response with an STag that the "
		  "stream may not use is not placed, and its Terminate says so",
	  .role = EITHER)
{
	/* Given a buffer that the stream may not write to, and a device that
	 * expects a Write, or a Response to its Read, */
	struct region other = {0};
	if (row->stag == OTHER_STREAM) {
		if (~dut_claims(t) & (NEED_STREAM_STAG | NEED_MULTI_STREAM))
			not_applicable(t, "the device does not claim the "
					  "feature of this row");
		connects(t, .pd = 1);
	}
	if (row->stag >= INVALIDATED)
		other = forbidden(t, row->stag);
	struct awaited a = dut_awaits(t, row->opcode, .pd = 1);
	if (row->stag == INVALIDATED)
		dut_invalidates(t, other);
	else if (row->stag == DEREGISTERED)
		dut_deregisters(t, other);

	/* when a segment has its STag, or one that does not exist, */
	peer_sends_parts(t, &a, row, &other);

	/* then it is not placed anywhere, and the cause is named. */
	must_row(t, row, refuses(t, row));
	must_row(t, row, is_not_placed(t, &a, row));
	if (row->stag >= INVALIDATED && row->stag != DEREGISTERED)
		must_row(t, row, memory_unchanged(other));
	if (row->reported)
		must_row(t, row, agent_sees_end());
	if (row->opcode == RDMAP_READ_RESPONSE)
		must_row(t, row, not_completed(a.id));
}

/* --- base and bounds ------------------------------------------------------------ */

#define BELOW  .off = IS(-1ull), .code = 0x01, .or_code = 0x01
#define BEHIND .off = IS(AWAITED_OCTETS), .code = 0x01, .or_code = 0x01
#define ACROSS .across = true, .code = 0x01, .or_code = 0x01
#define WRAPS  .to = IS(0xfffffffffffffff0), .code = 0x03, .or_code = 0x01

/* A Response has as many octets as its Request asks for. */
static const struct part ranges[] = {
	WRITES("write_below", .must = &DDP_7_1_26, BELOW, .octets = 1),
	WRITES("write_behind", .must = &DDP_7_1_27, BEHIND, .octets = 1),
	WRITES("write_across", .must = &DDP_7_1_28, ACROSS, .octets = 2),
	WRITES("write_wraps", .must = &DDP_7_1_31, WRAPS, .octets = 32),
	ROW("write_later_in_the_middle", WRITE, 2, .must = &DDP_7_1_30, ACROSS,
	    .octets = 2),
	RESPONSES("response_below", .must = &DDP_7_1_26, BELOW,
		  .unjudged = true),
	RESPONSES("response_behind", .must = &DDP_7_1_27, BEHIND),
	RESPONSES("response_across", .must = &DDP_7_1_28, ACROSS,
		  .unjudged = true),
	RESPONSES("response_wraps", .must = &DDP_7_1_31, WRAPS),
	SEVERAL("response_code_of_behind", READ_RESPONSE, .must = &DDP_7_2_03,
		BEHIND),
	SEVERAL("response_code_of_wraps", READ_RESPONSE, .must = &DDP_7_2_05,
		WRAPS),
	ROW("response_behind_all", READ_RESPONSE, 0, .must = &DDP_8_3_1_01,
	    BEHIND),
	/* The octet at the same place, but for the upper bits of TO. */
	ROW("response_2_to_the_48_above", READ_RESPONSE, 0, .must = &DDP_4_2_07,
	    .off = IS(1ull << 48), .code = 0x01, .or_code = 0x01),
	ROW("response_2_to_the_63_away", READ_RESPONSE, 0, .must = &DDP_4_2_07,
	    .off = IS(1ull << 63), .code = 0x01, .or_code = 0x01),
	ROW("response_one_octet_behind", READ_RESPONSE, 0, .must = &DDP_8_1_01,
	    ACROSS, .unjudged = true),
};

CASE_EACH(a_segment_outside_the_buffer_is_refused, struct part, ranges,
	  .title =
		  "a segment of a Write or Read Response with an octet outside "
		  "the buffer is refused as a base or bounds violation, or as "
		  "a wrap",
	  .role = EITHER)
{
	/* Given a device that expects a Write, or a Response to its Read, for a
	 * buffer whose base is not zero, */
	struct awaited a = dut_awaits(t, row->opcode);
	if (a.r.to < AWAITED_OCTETS)
		not_applicable(t, "the device bases its buffers at TO 0");

	/* when a segment names an octet that is not of it, */
	peer_sends_parts(t, &a, row, NULL);

	/* then its place is as before, and the cause is named. */
	must_row(t, row, refuses(t, row));
	if (!row->unjudged)
		must_row(t, row, is_not_placed(t, &a, row));
	if (row->opcode == RDMAP_READ_RESPONSE)
		must_row(t, row, not_completed(a.id));
}
