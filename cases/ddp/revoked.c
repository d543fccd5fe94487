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

/* --- work of the device uses the buffer ----------------------------------- */

struct own_use {
	CASE_ROW;
	enum post_op op;
	enum revocation by;
	uint64_t needs;
};

#define USE(id_, must_, op_, by_, ...)                                         \
	{                                                                      \
		.id = (id_), .must = &(must_), .op = POST_OP_##op_,            \
		.by = (by_), .needs = __VA_ARGS__                              \
	}
#define ACCESS (1ull << NEED_BIT_ACCESS)
static const struct own_use own_uses[] = {
	USE("sink_of_a_read_invalidated", DDP_7_1_22, READ, INVALIDATED,
	    NEED_READ),
	USE("sink_of_a_read_deregistered", DDP_7_1_23, READ, DEREGISTERED,
	    NEED_READ),
	USE("sink_of_a_read_right_revoked", RDMAP_8_1_1_10, READ, WITHOUT_RIGHT,
	    NEED_READ | ACCESS),
	USE("result_of_an_atomic_invalidated", DDP_7_1_22, FETCHADD,
	    INVALIDATED, NEED_FETCHADD),
	USE("result_of_an_atomic_deregistered", DDP_7_1_23, FETCHADD,
	    DEREGISTERED, NEED_FETCHADD),
	USE("result_of_an_atomic_right_revoked", RDMAP_8_1_1_10, FETCHADD,
	    WITHOUT_RIGHT, NEED_FETCHADD | ACCESS),
	USE("source_of_a_send_invalidated", DDP_7_1_22, SEND, INVALIDATED,
	    NEED_SEND),
	USE("source_of_a_send_deregistered", DDP_7_1_23, SEND, DEREGISTERED,
	    NEED_SEND),
	USE("source_of_a_send_right_revoked", RDMAP_8_1_1_10, SEND,
	    WITHOUT_RIGHT, NEED_SEND | ACCESS),
};

enum { WRITTEN = 64, LONG = 8 << 20 };

/* The work is under way, and its end is up to the peer. */
static void uses(struct test *t, struct region r, enum post_op op)
{
	if (op == POST_OP_SEND) {
		dut_posts(t, POST_SEND_FROM(r, WRITTEN, LONG));
		return;
	}
	dut_posts(t, op == POST_OP_READ
			     ? POST_READ(r, WRITTEN, 8, PEER_SINK_STAG, 0)
			     : POST_FETCHADD(r, WRITTEN, PEER_SINK_STAG,
					     PEER_SINK_TO, 1));
	awaits_given(t, op == POST_OP_READ ? RDMAP_READ_REQUEST
					   : RDMAP_ATOMIC_REQUEST);
}

CASE_EACH(a_buffer_in_own_use_is_revoked, struct own_use, own_uses,
	  .title = "a Write is refused once the ULP has revoked the access to "
		   "its buffer, although work of the device on another stream "
		   "uses that",
	  .needs = NEED_WRITE | NEED_MULTI_STREAM, .role = INITIATOR)
{
	/* Given a buffer that the peer has written to on stream b, and that
	 * work on stream a uses, */
	if (~dut_claims(t) & row->needs)
		not_applicable(
			t, "the device does not claim the feature of this row");
	struct region r = dut_registers(
		t, .len = WRITTEN + (row->op == POST_OP_SEND ? LONG : 8),
		.access = FOR_WRITES);
	unsigned b = connects(t);
	peer_sends(t, WRITE(r, 0, "granted!", 8));
	known_answer(t);
	connects(t, .rcvbuf = 65536);
	uses(t, r, row->op);

	/* when its ULP revokes the access, and the peer writes again, */
	if (row->by == INVALIDATED)
		dut_invalidates_under_a_read(t, r);
	else
		revokes(t, r, row->by);
	on_stream(t, b);
	peer_sends(t, WRITE(r, 0, "revoked!", 8));

	/* then that is refused. */
	must_row(t, row, stream_ends());
	if (row->by != DEREGISTERED)
		must_row(t, row, memory_is(r, 0, "granted!", 8));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

/* --- the peer has asked for something in the buffer ------------------------ */

struct asked {
	CASE_ROW;
	bool atomic;
	enum revocation by;
	uint64_t needs;
};

static const struct asked asked[] = {
	{.id = "read_invalidated", .must = &RDMAP_7_2_07, .by = INVALIDATED},
	{.id = "read_right_revoked",
	 .must = &RDMAP_8_1_1_10,
	 .by = WITHOUT_RIGHT,
	 .needs = ACCESS},
	{.id = "atomic_invalidated",
	 .must = &RDMAPX_5_2_1_12,
	 .atomic = true,
	 .by = INVALIDATED,
	 .needs = NEED_FETCHADD},
	{.id = "atomic_right_revoked",
	 .must = &RDMAPX_5_2_1_15,
	 .atomic = true,
	 .by = WITHOUT_RIGHT,
	 .needs = NEED_FETCHADD | ACCESS},
};

/* Takes the first Response, and what follows it up to a Terminate or the end:
 * whether there is a Response to the second Request; that of a Read. */
static bool second_answered(struct test *t, struct message *m)
{
	const struct frame *f;
	bool over = false; /* the first Response */

	while ((f = next_frame(t)) && f->seg.ddp.opcode != RDMAP_TERMINATE) {
		if (f->seg.ddp.opcode == RDMAP_ATOMIC_RESPONSE)
			return true;
		if (f->seg.ddp.opcode == RDMAP_READ_RESPONSE && over) {
			*m = message_begun(t);
			return true;
		}
		over |= f->seg.ddp.opcode == RDMAP_READ_RESPONSE &&
			f->seg.ddp.last;
	}
	return false;
}

CASE_EACH(a_request_that_waits_is_not_served, struct asked, asked,
	  .title =
		  "a Read or atomic that waits behind a Response is not served "
		  "from its buffer once the ULP has revoked the access to that",
	  .needs = NEED_READ | NEED_ENHANCED, .role = INITIATOR)
{
	/* Given a large Response held back by the peer's window, and a Request
	 * behind it for another buffer, */
	if (~dut_claims(t) & row->needs)
		not_applicable(
			t, "the device does not claim the feature of this row");
	struct region r =
		dut_registers(t, .len = 8, .raced = true,
			      .access = row->atomic ? FOR_ATOMICS : FOR_READS);
	struct region large =
		dut_registers(t, .len = LONG, .access = FOR_READS);
	dut_has_depths(t, 2, 0);
	connects(t, .enhanced = true, .dut_ird = 2, .ord = 2, .rcvbuf = 65536);
	peer_sends(t, READ(large, 0, LONG));
	if (row->atomic)
		peer_sends(t, FETCHADD(r, 0, 1, 0));
	else
		peer_sends(t, READ(r, 0, 8));
	dut_has_its_turn(t);

	/* when its ULP revokes the access and uses the buffer itself, and the
	 * peer takes the first, */
	if (row->by == INVALIDATED)
		dut_invalidates_under_a_read(t, r);
	else
		revokes(t, r, row->by);
	bool early = row->atomic &&
		     dut_memory(t, r, 0, 8)[0] + dut_memory(t, r, 0, 8)[7];
	if (!row->atomic)
		dut_fills(t, r, 0, "private!", 8);
	const uint8_t *then = dut_memory(t, r, 0, 8);
	peer_makes_room(t);
	struct message m = {0};
	bool answered = second_answered(t, &m);

	/* then the atomic is not performed, unless it was before; or the Read
	 * gets none of the new octets: it may have read the old ones before. */
	if (row->atomic) {
		must_row(t, row,
			 holds("no Response, unless the atomic was performed "
			       "before",
			       early || !answered));
		must_row(t, row, memory_is(r, 0, then, 8));
		return;
	}
	must_row(t, row,
		 holds("the Response has no octets of after the revocation",
		       m.n != 8 || memcmp(m.octets, "private!", 8) != 0));
}

CASE(the_right_is_revoked_amid_a_response,
     .title = "a Read Response has no octets that the ULP has put into its "
	      "source after it had revoked the right to read",
     .needs = NEED_READ | ACCESS, .role = INITIATOR)
{
	/* Given a large Response held back by the peer's window, */
	struct region r = dut_registers(t, .len = LONG, .raced = true,
					.access = FOR_READS);
	connects(t, .rcvbuf = 65536);
	peer_sends(t, READ(r, 0, LONG));
	size_t n = awaits_given(t, RDMAP_READ_RESPONSE)->seg.payload_octets;

	/* when its ULP revokes the right and uses the buffer itself, and the
	 * peer takes the rest, */
	dut_sets_access(t, r, FOR_RESULTS);
	dut_fills(t, r, LONG - 64, octets_of(t, 64, 0x5a), 64);
	peer_makes_room(t);
	const struct frame *f = NULL, *last = NULL;
	while (n < LONG && (f = next_frame(t)) &&
	       f->seg.ddp.opcode == RDMAP_READ_RESPONSE) {
		n += f->seg.payload_octets;
		last = f;
	}

	/* then none of what comes is from after that. */
	must(t, RDMAP_8_1_1_10,
	     holds_of(last,
		      "the Response has no octets of after the revocation",
		      n < LONG || !last || !last->seg.payload_octets ||
			      last->seg.payload[last->seg.payload_octets - 1] !=
				      0x5a,
		      NULL));
}
