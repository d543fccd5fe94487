/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5041 s7.1 and s8, RFC 5040 s8.1.1, RFC 5042 s6: which STag may be used,
 * by which stream, for which purpose, and for how long. */
#include "case.h"

/* --- STags that are not valid -------------------------------------------- */

CASE(an_stag_never_issued_is_refused,
     .title = "a Write to an STag that the device has not issued is "
	      "refused as an invalid STag",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer that the peer may write to, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_WRITES);
	connects(t);

	/* when the peer writes there by an STag never issued, */
	peer_sends(t, WRITE(r, 0, "ten octets", 10,
			    .stag_field = IS(stag_never_issued(t))));

	/* then no memory changes, and the cause is named. */
	must(t, DDP_7_1_20, terminate_if_any(TERM_DDP, 1, 0x00));
	must(t, DDP_7_1_20, memory_unchanged(r));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(an_stag_with_another_key_is_refused,
     .title = "a Write to an STag that differs from a valid one in "
	      "its low octet is refused",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer that the peer may write to, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_WRITES);
	connects(t);

	/* when the key, the low octet of its STag, is wrong, */
	peer_sends(t, WRITE(r, 0, "ten octets", 10,
			    .stag_field = IS(r.stag ^ 0x5a)));

	/* then no memory changes, and the cause is named: the other STag may be
	 * one of the device's as well, a local one of the same buffer, or that
	 * of another buffer. */
	must(t, DDP_7_1_21,
	     any_of(t, terminate_if_any(TERM_DDP, 1, 0x00),
		    terminate_if_any(TERM_DDP, 1, 0x01),
		    terminate_if_any(TERM_DDP, 1, 0x02),
		    terminate_if_any(TERM_RDMA, 1, 0x02)));
	must(t, DDP_7_1_21, memory_unchanged(r));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(an_invalidated_stag_is_refused,
     .title = "a Write to an STag that was invalidated locally is "
	      "refused as an invalid STag",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given an STag that the peer has used, and that is invalid now, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_WRITES);
	connects(t);
	peer_sends(t, WRITE(r, 0, "valid", 5));
	must(t, DDP_7_1_22, memory_is(r, 0, "valid", 5));
	dut_invalidates(t, r);

	/* when the peer uses it again, */
	peer_sends(t, WRITE(r, 0, "stale", 5));

	/* then the memory is as before, and the cause is named. */
	must(t, DDP_7_1_22, terminate_if_any(TERM_DDP, 1, 0x00));
	must(t, DDP_7_1_22, memory_is(r, 0, "valid", 5));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(an_invalidation_leaves_other_stags_valid,
     .title = "once one of three STags is invalidated, the others still work",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given three regions, one registered after the other, */
	struct region before =
		dut_registers(t, .len = 16, .access = FOR_WRITES);
	struct region r = dut_registers(t, .len = 16, .access = FOR_WRITES);
	struct region behind =
		dut_registers(t, .len = 16, .access = FOR_WRITES);
	connects(t);

	/* when the device's ULP invalidates the second, */
	dut_invalidates(t, r);
	peer_sends(t, WRITE(before, 0, "before", 6));
	peer_sends(t, WRITE(behind, 0, "behind", 6));

	/* then Writes to the others are placed. */
	must(t, DDP_5_2_04, stream_works());
	must(t, DDP_5_2_04, memory_is(before, 0, "before", 6));
	must(t, DDP_5_2_04, memory_is(behind, 0, "behind", 6));
}

CASE(a_deregistered_stag_is_refused,
     .title = "a Write to an STag whose region was deregistered is "
	      "refused as an invalid STag",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given an STag that is no longer valid, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_WRITES);
	connects(t);
	dut_deregisters(t, r);

	/* when the peer uses it, */
	peer_sends(t, WRITE(r, 0, "stale", 5));

	/* then the cause is named. */
	must(t, DDP_7_1_23, terminate_if_any(TERM_DDP, 1, 0x00));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(a_buffer_is_left_alone_once_access_is_revoked,
     .title = "while the peer continues writing, no octet changes after the "
	      "revoking call has returned",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a peer that sends one Write after the other, equal except for
	 * their payload, */
	struct region r = dut_registers(t, .len = 64, .raced = true,
					.access = FOR_WRITES);
	connects(t);
	for (unsigned i = 0; i < 16; i++)
		peer_sends(t, WRITE(r, 0, pattern(t, 64, i), 64));

	/* when the device's ULP revokes the STag while they arrive, */
	dut_invalidates(t, r);
	const uint8_t *then = dut_memory(t, r, 0, 64);
	peer_sends(t, WRITE(r, 0, pattern(t, 64, 99), 64));

	/* then the buffer stays as the ULP found it. */
	insists(t, DDP_8_3_1_02, memory_is(r, 0, then, 64));
	must(t, DDP_7_1_22, terminate_if_any(TERM_DDP, 1, 0x00));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

/* --- protection domains and streams -------------------------------------- */

/* 1/1/02, or 1/1/00: the first check of RFC 5041 s7.1 is that the STag is valid
 * for this stream, and the numbers of s7.2 correspond to the checks. */
static struct expect refuses_stag_of_others(struct test *t)
{
	return any_of(t, terminate_if_any(TERM_DDP, 1, 0x02),
		      terminate_if_any(TERM_DDP, 1, 0x00));
}

CASE(an_stag_of_another_protection_domain_is_refused,
     .title = "a Write on a stream of one protection domain to an STag of "
	      "another is refused, and the ULP gets an error",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer of domain 1, and a stream of domain 2, */
	struct region r =
		dut_registers(t, .len = 16, .pd = 1, .access = FOR_WRITES);
	connects(t, .pd = 2);

	/* when the peer writes to the buffer, */
	peer_sends(t, WRITE(r, 0, "hello", 5));

	/* then it is not placed, the cause is named, and the ULP knows. */
	must(t, DDP_7_1_25, refuses_stag_of_others(t));
	must(t, DDP_7_1_25, memory_unchanged(r));
	must(t, DDP_8_2_01, agent_sees_fatal_end());
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(an_stag_of_another_stream_is_refused,
     .title = "a Write on one stream to an STag bound to another is refused, "
	      "and the other stream still works",
     .needs = NEED_WRITE | NEED_STREAM_STAG | NEED_MULTI_STREAM, .role = EITHER)
{
	/* Given a buffer that only stream a may use, */
	unsigned a = connects(t);
	struct region r = dut_registers(t, .len = 16, .bound = true,
					.access = FOR_WRITES);
	unsigned b = connects(t);

	/* when the peer writes to it on stream b, */
	peer_sends(t, WRITE(r, 0, "wrong", 5));

	/* then b ends for that reason, and its ULP knows, */
	must(t, DDP_7_1_24, refuses_stag_of_others(t));
	must(t, DDP_7_1_24, memory_unchanged(r));
	must(t, DDP_8_2_02, agent_sees_fatal_end());
	should(t, RDMAP_6_2_1_01, terminate_any());

	/* and a is not affected. */
	on_stream(t, a);
	peer_sends(t, WRITE(r, 0, "right", 5));
	must(t, DDP_7_1_24, memory_is(r, 0, "right", 5));
	on_stream(t, b);
}

enum how { BY_WRITE, BY_READ, BY_INVALIDATE, BY_ATOMIC };

struct trespass {
	CASE_ROW;
	enum how how;
	uint64_t needs;
};

/* The peer uses the region in this way. */
static void peer_uses(struct test *t, enum how how, struct region r)
{
	if (how == BY_WRITE)
		peer_sends(t, WRITE(r, 0, "wrong", 5));
	else if (how == BY_READ)
		peer_sends(t, READ(r, 0, 8));
	else if (how == BY_ATOMIC)
		peer_sends(t, FETCHADD(r, 0, 1, 0));
	else
		peer_sends(t, SEND_KIND(RDMAP_SEND_INV, "wrong", 5,
					.inval = r.stag));
}

/* Its owner writes to it; a Read is refused for one reason only. */
static unsigned read_too(enum how how)
{
	return how == BY_READ ? FOR_READS : how == BY_ATOMIC ? FOR_ATOMICS : 0;
}

/* And that is refused, because the stream has nothing to do with it. */
static struct expect refused(struct test *t, enum how how)
{
	if (how == BY_WRITE)
		return refuses_stag_of_others(t);
	if (how == BY_READ)
		return refuses_source_of_others(t);
	return any_of(t, terminate(TERM_RDMA, 1, 0x09),
		      terminate(TERM_RDMA, 2, 0x09),
		      terminate(TERM_RDMA, 1, 0x03));
}

static const struct trespass by_domain[] = {
	{.id = "write", .how = BY_WRITE, .needs = 1ull << NEED_BIT_WRITE},
	{.id = "read", .how = BY_READ, .needs = 1ull << NEED_BIT_READ},
	{.id = "invalidate",
	 .how = BY_INVALIDATE,
	 .needs = 1ull << NEED_BIT_SEND_INV},
	{.id = "atomic", .how = BY_ATOMIC, .needs = 1ull << NEED_BIT_FETCHADD},
};

CASE_EACH(
	a_stream_cannot_reach_another_domain, struct trespass, by_domain,
	.title = "a stream of another protection domain can neither write, "
		 "read, change nor invalidate an STag, and its owner can still "
		 "use it",
	.needs = NEED_WRITE | NEED_MULTI_STREAM, .role = EITHER)
{
	/* Given stream a in domain 1 with an STag, and b in domain 2, */
	if (!(dut_claims(t) & row->needs))
		not_applicable(
			t, "the device does not claim the feature of this row");
	struct region r =
		dut_registers(t, .len = 16, .pd = 1,
			      .access = FOR_WRITES | read_too(row->how));
	unsigned a = connects(t, .pd = 1);
	struct sink sink = dut_posts_recv(t, 16);
	unsigned b = connects(t, .pd = 2);
	struct sink own = dut_posts_recv(t, 16);

	/* when b uses the STag, */
	peer_uses(t, row->how, r);

	/* then b is refused, with no trace in the buffer, */
	must(t, SEC_6_1_1_01, stream_ends());
	if (row->how == BY_WRITE)
		must(t, DDP_7_1_25, refused(t, row->how));
	else if (row->how == BY_READ)
		must(t, RDMAP_7_2_08, refused(t, row->how));
	else if (row->how == BY_INVALIDATE)
		must(t, RDMAP_7_2_05, refused(t, row->how));
	must(t, SEC_6_1_1_01, memory_unchanged(r));
	if (row->how == BY_INVALIDATE)
		must(t, RDMAP_7_2_05, not_delivered(own));

	/* and a can still use it. */
	on_stream(t, a);
	peer_sends(t, WRITE(r, 0, "right", 5));
	if (row->how == BY_INVALIDATE)
		must(t, SEC_6_1_1_01, not_delivered(sink));
	must(t, SEC_6_1_1_01, memory_is(r, 0, "right", 5));
	on_stream(t, b);
}

CASE_EACH(a_stream_cannot_use_the_stag_of_another, struct trespass, by_domain,
	  .title = "an STag limited to one stream can neither be written, "
		   "read, changed nor invalidated on another stream of the "
		   "same protection domain",
	  .needs = NEED_WRITE | NEED_MULTI_STREAM | NEED_STREAM_STAG,
	  .role = EITHER)
{
	/* Given an STag limited to stream a, and b in the same domain, */
	if (!(dut_claims(t) & row->needs))
		not_applicable(
			t, "the device does not claim the feature of this row");
	unsigned a = connects(t, .pd = 1);
	struct region r =
		dut_registers(t, .len = 16, .pd = 1, .bound = true,
			      .access = FOR_WRITES | read_too(row->how));
	unsigned b = connects(t, .pd = 1);
	struct sink own = dut_posts_recv(t, 16);

	/* when b uses the STag, */
	peer_uses(t, row->how, r);

	/* then b is refused, with no trace in the buffer, */
	must(t, SEC_6_1_1_02, stream_ends());
	if (row->how == BY_WRITE)
		must(t, DDP_7_1_24, refused(t, row->how));
	else if (row->how == BY_READ)
		must(t, RDMAP_7_2_09, refused(t, row->how));
	else if (row->how == BY_INVALIDATE)
		must(t, RDMAP_7_2_05, refused(t, row->how));
	must(t, SEC_6_1_1_02, memory_unchanged(r));
	if (row->how == BY_INVALIDATE)
		must(t, RDMAP_7_2_05, not_delivered(own));

	/* and a can still use it. */
	on_stream(t, a);
	peer_sends(t, WRITE(r, 0, "right", 5));
	must(t, SEC_6_1_1_02, memory_is(r, 0, "right", 5));
	on_stream(t, b);
}

struct second_use {
	CASE_ROW;
	enum how how;
	bool by_stream; /* the STag is limited to a stream, not a domain */
};

static const struct second_use second_uses[] = {
	{.id = "write", .must = &DDP_7_1_25, .how = BY_WRITE},
	{.id = "read", .must = &RDMAP_7_2_08, .how = BY_READ},
	{.id = "write_on_another_stream",
	 .must = &DDP_7_1_24,
	 .how = BY_WRITE,
	 .by_stream = true},
	{.id = "read_on_another_stream",
	 .must = &RDMAP_7_2_09,
	 .how = BY_READ,
	 .by_stream = true},
};

CASE_EACH(what_its_owner_has_used_is_refused_to_others, struct second_use,
	  second_uses,
	  .title = "an STag that its owner has just used in the same way is "
		   "refused on a stream that may not use it",
	  .needs = NEED_WRITE | NEED_READ | NEED_MULTI_STREAM, .role = EITHER)
{
	/* Given an STag that stream a has used, and b that may not, */
	if (row->by_stream && !(dut_claims(t) & NEED_STREAM_STAG))
		not_applicable(t, "the device does not limit STags to streams");
	unsigned a = connects(t, .pd = 1);
	struct region r =
		dut_registers(t, .len = 16, .pd = 1, .bound = row->by_stream,
			      .access = FOR_WRITES | read_too(row->how));
	unsigned b = connects(t, .pd = row->by_stream ? 1 : 2);
	on_stream(t, a);
	if (row->how == BY_READ) {
		peer_sends(t, READ(r, 0, 8));
		awaits_given(t, RDMAP_READ_RESPONSE);
	} else {
		peer_sends(t, WRITE(r, 0, "right", 5));
		must_row(t, row, memory_is(r, 0, "right", 5));
	}

	/* when b uses it, too, */
	on_stream(t, b);
	peer_uses(t, row->how, r);

	/* then b is refused, with no trace in the buffer, */
	must_row(t, row, refused(t, row->how));
	must_row(t, row, stream_ends());
	if (row->how == BY_WRITE)
		must_row(t, row, memory_is(r, 0, "right", 5));

	/* and a can still use it. */
	on_stream(t, a);
	peer_sends(t, WRITE(r, 8, "again", 5));
	if (row->by_stream)
		must(t, SEC_6_1_1_02, memory_is(r, 8, "again", 5));
	else
		must(t, RDMAP_8_1_1_01, memory_is(r, 8, "again", 5));
	on_stream(t, b);
}

CASE(a_refusal_does_not_harm_the_owner,
     .title = "after a Write and a Read from another protection "
	      "domain were refused, the owner still writes and reads",
     .needs = NEED_WRITE | NEED_READ | NEED_MULTI_STREAM, .role = EITHER)
{
	/* Given stream a in domain 1 with a buffer, */
	struct region r = dut_registers(t, .len = 8, .pd = 1,
					.access = FOR_READS | FOR_WRITES);
	dut_fills(t, r, 0, "original", 8);
	unsigned a = connects(t, .pd = 1);

	/* when streams of domain 2 write to it and read it, */
	connects(t, .pd = 2);
	peer_sends(t, WRITE(r, 0, "wrong", 5));
	insists(t, RDMAP_8_1_1_01, stream_ends());
	unsigned last = connects(t, .pd = 2);
	peer_sends(t, READ(r, 0, 8));
	must(t, RDMAP_7_2_08, refuses_source_of_others(t));

	/* then a reads the earlier contents, and writes. */
	on_stream(t, a);
	peer_sends(t, READ(r, 0, 8));
	struct message m =
		awaits_message(t, RDMAP_8_1_1_01, RDMAP_READ_RESPONSE);
	must(t, RDMAP_8_1_1_01,
	     octets_are(t, "the Response", m.octets, m.n, "original", 8));
	peer_sends(t, WRITE(r, 0, "changed!", 8));
	must(t, RDMAP_8_1_1_01, memory_is(r, 0, "changed!", 8));
	on_stream(t, last);
}

CASE(a_refused_atomic_does_not_harm_the_owner,
     .title = "after an atomic from another protection domain was refused, the "
	      "owner's atomics still work",
     .needs = NEED_FETCHADD | NEED_MULTI_STREAM, .role = EITHER)
{
	/* Given stream a in domain 1 with a word, */
	struct region r =
		dut_registers(t, .len = 8, .pd = 1, .access = FOR_ATOMICS);
	dut_sets_word(t, r, 0, 5);
	unsigned a = connects(t, .pd = 1);

	/* when a stream of domain 2 adds to it, */
	unsigned b = connects(t, .pd = 2);
	peer_sends(t, FETCHADD(r, 0, 1, 0));
	insists(t, RDMAP_8_1_1_01, stream_ends());

	/* then a finds the earlier value, and adds to it. */
	on_stream(t, a);
	peer_sends(t, FETCHADD(r, 0, 2, 0));
	const struct frame *f =
		awaits(t, RDMAP_8_1_1_01, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAP_8_1_1_01,
	     is("the original value", case_atomic_response_of(f).value, 5));
	must(t, RDMAP_8_1_1_01, word_is(r, 0, 7));
	on_stream(t, b);
}

CASE(a_stream_stag_does_not_outlive_its_stream,
     .title = "an STag bound to a stream that has ended is refused on "
	      "the next",
     .needs = NEED_WRITE | NEED_STREAM_STAG, .role = EITHER)
{
	/* Given an STag bound to a stream that has ended, */
	connects(t);
	struct region r = dut_registers(t, .len = 16, .bound = true,
					.access = FOR_WRITES);
	peer_closes(t);
	dut_ends(t);

	/* when the peer connects again, and writes to it, */
	connects(t);
	peer_sends(t, WRITE(r, 0, "stale", 5));

	/* then the memory is as before, and the cause is named. */
	must(t, RDMAP_8_1_1_02, refuses_stag_of_others(t));
	must(t, RDMAP_8_1_1_02, memory_unchanged(r));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

static const struct trespass of_the_past[] = {
	{.id = "read", .how = BY_READ, .needs = 1ull << NEED_BIT_READ},
	{.id = "atomic", .how = BY_ATOMIC, .needs = 1ull << NEED_BIT_FETCHADD},
};

CASE_EACH(
	the_stag_of_an_ended_stream_serves_no_other, struct trespass,
	of_the_past,
	.title = "an STag bound to a stream that has ended can neither be read "
		 "nor changed by an atomic on the next",
	.needs = NEED_STREAM_STAG, .role = EITHER)
{
	/* Given an STag bound to a stream that has ended, */
	if (!(dut_claims(t) & row->needs))
		not_applicable(
			t, "the device does not claim the feature of this row");
	connects(t);
	struct region r = dut_registers(t, .len = 16, .bound = true,
					.access = read_too(row->how));
	peer_closes(t);
	dut_ends(t);

	/* when the peer connects again, and uses it, */
	connects(t);
	peer_uses(t, row->how, r);

	/* then it is refused, and the memory is as before. */
	must(t, RDMAP_8_1_1_02, stream_ends());
	if (row->how == BY_READ)
		must(t, RDMAP_8_1_1_02, refused(t, row->how));
	must(t, RDMAP_8_1_1_02, memory_unchanged(r));
}

CASE(a_shared_stag_cannot_be_invalidated,
     .title = "a Send with Invalidate cannot invalidate an STag that "
	      "several streams share",
     .needs = NEED_WRITE | NEED_SEND_INV | NEED_SHARED_STAG | NEED_MULTI_STREAM,
     .role = EITHER)
{
	/* Given an STag that two streams share, */
	struct region r = dut_registers(t, .len = 16, .shared = true,
					.access = FOR_WRITES);
	unsigned a = connects(t);
	unsigned b = connects(t);
	struct sink sink = dut_posts_recv(t, 16);

	/* when the peer asks for its invalidation on one of them, */
	peer_sends(t, SEND_KIND(RDMAP_SEND_INV, "hello", 5, .inval = r.stag));

	/* then that is refused, and the STag works on the other. */
	must(t, RDMAP_8_1_1_05, terminate_any());
	must(t, RDMAP_8_1_1_05, not_delivered(sink));
	on_stream(t, a);
	insists(t, RDMAP_8_1_1_05, stream_works());
	peer_sends(t, WRITE(r, 0, "works", 5));
	must(t, RDMAP_8_1_1_05, memory_is(r, 0, "works", 5));
	on_stream(t, b);
}

/* --- rights -------------------------------------------------------------- */

CASE(a_write_needs_the_right_to,
     .title = "a Write to a buffer without remote write access is not "
	      "placed, and ends the stream",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer that the peer may only read, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_READS);
	connects(t);

	/* when the peer writes to it, */
	peer_sends(t, WRITE(r, 0, "hello", 5));

	/* then it is not placed; DDP has no number for the cause. */
	must(t, DDP_7_1_32, stream_ends());
	must(t, DDP_7_1_32, memory_unchanged(r));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(a_buffer_that_was_read_takes_no_write,
     .title = "a Write to a buffer without remote write access is not placed "
	      "behind a Read of that buffer",
     .needs = NEED_WRITE | NEED_READ, .role = EITHER)
{
	/* Given a buffer that the peer may only read, and has read, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_READS);
	connects(t);
	peer_sends(t, READ(r, 0, 16));
	awaits_given(t, RDMAP_READ_RESPONSE);

	/* when the peer writes to it, */
	peer_sends(t, WRITE(r, 0, "hello", 5));

	/* then it is not placed. */
	must(t, DDP_7_1_32, stream_ends());
	must(t, DDP_7_1_32, memory_unchanged(r));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

/* The device's interface may ask for the right to write for any sink; then the
 * case is not applicable. */
CASE(a_sink_takes_its_response_and_no_write,
     .title = "a Write to the sink of a Read without remote write access is "
	      "not placed behind the Response",
     .needs = NEED_WRITE | NEED_READ, .role = EITHER)
{
	/* Given a sink with local rights only, and a Response in it, */
	struct region sink = dut_registers(t, .len = 8, .access = LOCAL_WRITE);
	connects(t, .counts_reads = true);
	unsigned id = dut_posts(
		t, POST_READ(sink, 0, 8, 0x1234, 0x1000, .may_refuse = true));
	const struct frame *f = next_frame(t);
	if (!f || f->seg.ddp.opcode != RDMAP_READ_REQUEST)
		not_applicable(t, "the device reads into no such buffer");
	struct rdmap_read_request read = case_read_of(f);
	peer_sends(t, READ_RESPONSE(f, "answered", 8));
	if (!dut_completes(t, id).ok)
		not_applicable(t, "the device reads into no such buffer");

	/* when the peer writes to the STag that the Request named, */
	peer_sends(t, WRITE_TO(read.sink_stag, read.sink_to, "too late", 8));

	/* then that is not placed. */
	must(t, DDP_7_1_32, stream_ends());
	must(t, DDP_7_1_32, memory_is(sink, 0, "answered", 8));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

static const struct trespass beside_atomics[] = {
	{.id = "write",
	 .must = &DDP_7_1_32,
	 .how = BY_WRITE,
	 .needs = 1ull << NEED_BIT_WRITE},
	{.id = "read",
	 .must = &RDMAP_7_2_13,
	 .how = BY_READ,
	 .needs = 1ull << NEED_BIT_READ},
};

CASE_EACH(the_right_to_atomics_permits_nothing_else, struct trespass,
	  beside_atomics,
	  .title = "a buffer that permits only atomics can neither be written "
		   "nor read",
	  .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a word that permits only atomics, and that takes one, */
	if (!(dut_claims(t) & row->needs))
		not_applicable(
			t, "the device does not claim the feature of this row");
	struct region r = dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	connects(t);
	peer_sends(t, FETCHADD(r, 0, 1, 0));
	awaits_given(t, RDMAP_ATOMIC_RESPONSE);

	/* when the peer uses it in another way, */
	peer_uses(t, row->how, r);

	/* then that is refused. DDP has no number for the cause. */
	must_row(t, row,
		 row->how == BY_READ ? terminate(TERM_RDMA, 1, 0x02)
				     : stream_ends());
	must_row(t, row, word_is(r, 0, 1));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(rights_can_be_taken_back,
     .title = "once the right to write is revoked, a Read works and a Write "
	      "does not",
     .needs = NEED_WRITE | NEED_READ | NEED_ACCESS, .role = EITHER)
{
	/* Given a buffer that the peer has written to and read, */
	struct region r =
		dut_registers(t, .len = 8, .access = FOR_READS | FOR_WRITES);
	connects(t);
	peer_sends(t, WRITE(r, 0, "granted!", 8));
	peer_sends(t, READ(r, 0, 8));
	struct message m =
		awaits_message(t, RDMAP_8_1_1_10, RDMAP_READ_RESPONSE);
	must(t, RDMAP_8_1_1_10,
	     octets_are(t, "the Response", m.octets, m.n, "granted!", 8));

	/* when the device's ULP leaves only the right to read, */
	dut_sets_access(t, r, FOR_READS);
	peer_sends(t, READ(r, 0, 8));
	m = awaits_message(t, RDMAP_8_1_1_10, RDMAP_READ_RESPONSE);
	peer_sends(t, WRITE(r, 0, "revoked!", 8));

	/* then the Read works as before, and the Write changes nothing. */
	must(t, RDMAP_8_1_1_10,
	     octets_are(t, "the Response", m.octets, m.n, "granted!", 8));
	must(t, RDMAP_8_1_1_10, stream_ends());
	must(t, RDMAP_8_1_1_10, memory_is(r, 0, "granted!", 8));
}

CASE(rights_are_taken_back_from_one_region,
     .title = "once the right to write to one of three regions is revoked, the "
	      "others can still be written to",
     .needs = NEED_WRITE | NEED_ACCESS, .role = EITHER)
{
	/* Given three regions, one registered after the other, */
	struct region before =
		dut_registers(t, .len = 16, .access = FOR_WRITES);
	struct region r = dut_registers(t, .len = 16, .access = FOR_WRITES);
	struct region behind =
		dut_registers(t, .len = 16, .access = FOR_WRITES);
	connects(t);

	/* when the device's ULP leaves no remote right to the second, */
	dut_sets_access(t, r, FOR_RESULTS);
	peer_sends(t, WRITE(before, 0, "before", 6));
	peer_sends(t, WRITE(behind, 0, "behind", 6));

	/* then Writes to the others are placed. */
	must(t, DDP_5_2_04, stream_works());
	must(t, DDP_5_2_04, memory_is(before, 0, "before", 6));
	must(t, DDP_5_2_04, memory_is(behind, 0, "behind", 6));
}

CASE(the_right_to_read_can_be_taken_back,
     .title =
	     "once the right to read is revoked, a Write works and a Read does "
	     "not",
     .needs = NEED_WRITE | NEED_READ | NEED_ACCESS, .role = EITHER)
{
	/* Given a buffer that the peer has read, */
	struct region r =
		dut_registers(t, .len = 8, .access = FOR_READS | FOR_WRITES);
	connects(t);
	peer_sends(t, READ(r, 0, 8));
	awaits_message(t, RDMAP_8_1_1_10, RDMAP_READ_RESPONSE);

	/* when the device's ULP leaves only the right to write, */
	dut_sets_access(t, r, FOR_WRITES);
	peer_sends(t, WRITE(r, 0, "granted!", 8));
	must(t, RDMAP_8_1_1_10, memory_is(r, 0, "granted!", 8));
	peer_sends(t, READ(r, 0, 8));

	/* then the Read is refused. */
	must(t, RDMAP_8_1_1_10, stream_ends());
	must(t, RDMAP_8_1_1_10, memory_is(r, 0, "granted!", 8));
}

CASE(the_right_to_atomics_can_be_taken_back,
     .title = "once only the right to read is left, an atomic changes nothing",
     .needs = NEED_FETCHADD | NEED_READ | NEED_ACCESS, .role = EITHER)
{
	/* Given a word that the peer has added to, */
	struct region r =
		dut_registers(t, .len = 8, .access = FOR_READS | FOR_ATOMICS);
	dut_sets_word(t, r, 0, 5);
	connects(t);
	peer_sends(t, FETCHADD(r, 0, 1, 0));
	awaits_given(t, RDMAP_ATOMIC_RESPONSE);
	insists(t, RDMAPX_5_1_1_01, word_is(r, 0, 6));

	/* when the device's ULP leaves only the right to read, */
	dut_sets_access(t, r, FOR_READS);
	peer_sends(t, READ(r, 0, 8));
	awaits_given_message(t, RDMAP_READ_RESPONSE);
	peer_sends(t, FETCHADD(r, 0, 1, 0));

	/* then the next addition is refused. */
	must(t, RDMAPX_5_2_1_15, stream_ends());
	must(t, RDMAPX_5_2_1_15, word_is(r, 0, 6));
}

CASE(a_registration_can_be_changed,
     .title = "after a buffer was deregistered, and one of half its length "
	      "registered, the new STag reaches that length and no more",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer that was deregistered, and then one of half its
	 * length, */
	struct region whole = dut_registers(t, .len = 64, .access = FOR_WRITES);
	connects(t);
	dut_deregisters(t, whole);
	struct region half = dut_registers(t, .len = 32, .access = FOR_WRITES);

	/* when the peer writes to it by the new STag, and then behind it, where
	 * the second half would be, */
	peer_sends(t, WRITE(half, 0, "first half", 10));
	must(t, RDMAP_8_1_1_09, memory_is(half, 0, "first half", 10));
	must(t, RDMAP_8_1_1_09, stream_works());
	peer_sends(t, WRITE(half, 32, "second half", 11));

	/* then that is out of bounds; the golden model judges the Terminate. */
	must(t, RDMAP_8_1_1_09, stream_ends());
	must(t, RDMAP_8_1_1_09, memory_is(half, 0, "first half", 10));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE_EACH(a_changed_registration_serves_no_more, struct trespass, of_the_past,
	  .title =
		  "after a buffer was deregistered, and one of half its length "
		  "registered, Reads and atomics by the new STag reach that "
		  "length and no more",
	  .role = EITHER)
{
	/* Given a buffer that was deregistered, and then one of half its
	 * length, */
	if (!(dut_claims(t) & row->needs))
		not_applicable(
			t, "the device does not claim the feature of this row");
	bool reads = row->how == BY_READ;
	struct region whole =
		dut_registers(t, .len = 64, .access = read_too(row->how));
	connects(t);
	dut_deregisters(t, whole);
	struct region half =
		dut_registers(t, .len = 32, .access = read_too(row->how));

	/* when the peer uses its last octets, */
	peer_sends(t, reads ? READ(half, 24, 8) : FETCHADD(half, 24, 0, 0));
	if (reads)
		awaits_message(t, RDMAP_8_1_1_09, RDMAP_READ_RESPONSE);
	else
		awaits(t, RDMAP_8_1_1_09, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAP_8_1_1_09, stream_works());

	/* and then the octets behind them, by the same STag, */
	peer_sends(t, reads ? READ(half, 32, 8) : FETCHADD(half, 32, 1, 0));

	/* then these are out of bounds; the golden model judges the Terminate. */
	must(t, RDMAP_8_1_1_09, stream_ends());
	must(t, RDMAP_8_1_1_09, memory_unchanged(half));
}

CASE(a_buffer_for_writing_cannot_be_read,
     .title = "a Read of a write-only buffer is refused, and a stream that "
	      "writes to the buffer still works",
     .needs = NEED_WRITE | NEED_READ | NEED_MULTI_STREAM, .role = EITHER)
{
	/* Given a write-only buffer that stream a writes to, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_WRITES);
	unsigned a = connects(t);
	unsigned b = connects(t);
	on_stream(t, a);
	peer_sends(t, WRITE(r, 0, "secret", 6));
	must(t, SEC_6_3_5_01, memory_is(r, 0, "secret", 6));

	/* when the peer reads one octet of it on stream b, */
	on_stream(t, b);
	peer_sends(t, READ(r, 0, 1));

	/* then it gets none, the cause is reported, and a continues. */
	const struct frame *f = next_frame(t);
	bool terminated = f && f->seg.ddp.opcode == RDMAP_TERMINATE;
	must(t, SEC_6_3_5_01,
	     holds_of(f, "no Read Response", terminated || !f, NULL));
	if (terminated || !f)
		must(t, RDMAP_7_2_13, terminate(TERM_RDMA, 1, 0x02));
	on_stream(t, a);
	insists(t, SEC_6_3_5_01, stream_works());
	peer_sends(t, WRITE(r, 8, "public", 6));
	must(t, SEC_6_3_5_01, memory_is(r, 8, "public", 6));
	on_stream(t, b);
}

CASE(a_read_of_nothing_needs_no_right,
     .title = "a Read of zero octets of a write-only buffer is answered",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a write-only buffer, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_WRITES);
	connects(t);

	/* when the peer reads no octet of it, */
	peer_sends(t, READ(r, 0, 0));

	/* then there is a Response with nothing in it, and no error. */
	struct message m = awaits_message(t, SEC_6_3_5_02, RDMAP_READ_RESPONSE);
	must(t, SEC_6_3_5_02, is("octets of the Response", m.n, 0));
	must(t, SEC_6_3_5_02, stream_works());
}
