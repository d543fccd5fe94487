/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5040 s8.1.1, RFC 5041 s7.1: the ULP revokes access to a buffer that the
 * device itself still uses.
 */
#include "case.h"

enum revocation { INVALIDATED, DEREGISTERED, WITHOUT_RIGHT };

struct revoked {
	CASE_ROW;
	enum revocation by;
	uint64_t needs;
};

static const struct revoked revoked[] = {
	{.id = "invalidated", .must = &DDP_7_1_22, .by = INVALIDATED},
	{.id = "deregistered", .must = &DDP_7_1_23, .by = DEREGISTERED},
	{.id = "right_revoked",
	 .must = &RDMAP_8_1_1_10,
	 .by = WITHOUT_RIGHT,
	 .needs = 1ull << NEED_BIT_ACCESS},
};

static void revokes(struct test *t, struct region r, enum revocation by)
{
	if (by == INVALIDATED)
		dut_invalidates(t, r);
	else if (by == DEREGISTERED)
		dut_deregisters(t, r);
	else
		dut_sets_access(t, r, FOR_RESULTS);
}

CASE_EACH(the_buffer_of_a_receive_is_revoked, struct revoked, revoked,
	  .title = "a Write is refused once the ULP has revoked the access to "
		   "its buffer, although a receive is posted there",
	  .needs = NEED_WRITE | NEED_SEND | NEED_RECV_LOCAL, .role = INITIATOR)
{
	/* Given a buffer that the peer has written to, and in which a receive
	 * is posted, */
	if (~dut_claims(t) & row->needs)
		not_applicable(
			t, "the device does not claim the feature of this row");
	struct region r = dut_registers(t, .len = 128, .access = FOR_WRITES);
	connects(t);
	dut_posts_recv_in(t, r, 64, 64);
	peer_sends(t, WRITE(r, 0, "granted!", 8));
	known_answer(t);

	/* when its ULP revokes the access, and the peer writes again, */
	revokes(t, r, row->by);
	peer_sends(t, WRITE(r, 0, "revoked!", 8));

	/* then that is refused. */
	must_row(t, row, stream_ends());
	if (row->by != DEREGISTERED)
		must_row(t, row, memory_is(r, 0, "granted!", 8));
	should(t, RDMAP_6_2_1_01, terminate_any());
}
