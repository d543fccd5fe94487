/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of several segments, sent and received (RFC 5041 s4 and s5.2): steps
 * of cases about other things. sequences.c has the rest of them.
 */
#include "case.h"

#define MSS   1460u
#define LONG  3000u      /* octets: three segments, at this MSS */
#define MUCH  (1u << 20) /* octets: more than TCP takes at once */
#define ONE   40u        /* octets: one segment, without a pad */
#define PARTS 100u       /* octets, in segments of at most 40 */
#define FIRST 0x1000u    /* TO of the first octet, if there is one */

/* --- taken --------------------------------------------------------------- */

CASE(a_message_of_several_segments_is_taken, .founds = FOUNDATION_PARTS_TAKEN,
     .title = "a Send of several segments is delivered as one",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a receive, when a Send arrives in three segments, */
	const uint8_t *octets = pattern(t, PARTS, 1);
	struct sink sinks = dut_posts_recvs(t, 2, 2 * PARTS);
	connects(t);
	peer_sends(t, SEND_N(octets, PARTS, .segment = 40));

	/* then the receive has all of it, in its place. */
	struct completion c = dut_receives(t, sink_at(sinks, 0));
	if (c.ok && agent_tells_length(t))
		insists(t, DDP_4_1_08,
			at_least("octets that were there before it was "
				 "delivered",
				 c.len, PARTS));
	must(t, DDP_4_3_13, delivered(sink_at(sinks, 0), octets, PARTS));
}

CASE(an_fpdu_in_two_pieces_is_taken, .founds = FOUNDATION_PIECES_TAKEN,
     .title = "a Send whose FPDU arrives in two pieces is delivered",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a receive, when the last octets of a Send come later, */
	struct sink sink = dut_posts_recv(t, 16);
	connects(t);
	peer_sends(t, SEND("hello"), .keep_last = 8);
	dut_has_its_turn(t);
	peer_goes_on(t);

	/* then it is delivered. */
	must(t, MPA_5_1_03, delivered_text(sink, "hello"));
}

/* --- sent ------------------------------------------------------------------ */

/* FPDUs up to one with the L flag, or until no more come. */
static struct message takes_segments(struct test *t)
{
	static const struct frame *frames[LONG];
	struct message m = {.frames = frames};
	const struct frame *f;

	while (m.count < LONG && (f = next_frame(t))) {
		frames[m.count++] = f;
		m.n += f->seg.payload_octets;
		if (f->seg.ddp.last)
			break;
	}
	return m;
}

static bool begins_with(const struct message *m, unsigned opcode)
{
	return m->count && !m->frames[0]->seg.short_header &&
	       m->frames[0]->seg.ddp.opcode == opcode;
}

/* Segments with T like this. */
static size_t with_t(const struct message *m, bool tagged)
{
	size_t n = 0;

	for (size_t i = 0; i < m->count; i++)
		n += m->frames[i]->seg.ddp.tagged == tagged;
	return n;
}

/* Segments whose octets for the ULP are not the first's. */
static size_t of_another(const struct message *m)
{
	const struct ddp *first = &m->frames[0]->seg.ddp;
	size_t n = 0;

	for (size_t i = 1; i < m->count; i++) {
		const struct ddp *d = &m->frames[i]->seg.ddp;

		n += d->opcode != first->opcode || d->rv != first->rv;
	}
	return n;
}

/* Segments whose STag is not the first's. */
static size_t for_another(const struct message *m)
{
	size_t n = 0;

	for (size_t i = 1; i < m->count; i++)
		n += m->frames[i]->seg.ddp.stag != m->frames[0]->seg.ddp.stag;
	return n;
}

/* The place in the message of a segment's octets. */
static uint64_t place_of(const struct frame *f)
{
	return f->seg.ddp.tagged ? f->seg.ddp.to - FIRST : f->seg.ddp.mo;
}

/* Segments that do not begin where those of lower places end, whatever the
 * order in which they came. */
static size_t misplaced(const struct message *m)
{
	size_t wrong = 0;

	for (size_t i = 0; i < m->count; i++) {
		uint64_t at = place_of(m->frames[i]);
		size_t before = 0;

		for (size_t k = 0; k < m->count; k++) {
			uint64_t other = place_of(m->frames[k]);

			if (other < at || (other == at && k < i))
				before += m->frames[k]->seg.payload_octets;
		}
		wrong += before != at;
	}
	return wrong;
}

/* Octets that are those of the message at the place of their segment. */
static size_t right_octets(const struct message *m, const uint8_t *octets)
{
	size_t right = 0;

	for (size_t i = 0; i < m->count; i++) {
		const struct ddp_segment *s = &m->frames[i]->seg;
		uint64_t at = place_of(m->frames[i]);

		if (at <= LONG && s->payload_octets <= LONG - at &&
		    memcmp(octets + at, s->payload, s->payload_octets) == 0)
			right += s->payload_octets;
	}
	return right;
}

CASE(a_send_of_several_segments_leaves, .founds = FOUNDATION_PARTS_SENT,
     .title = "the device sends a Send of several segments, and the last one "
	      "has the L flag",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a stream, when the ULP sends more than fits a segment, */
	const uint8_t *octets = pattern(t, LONG, 1);
	connects(t, .mss = MSS);
	dut_posts(t, POST_SEND_N(octets, LONG));

	/* then its segments are those of one untagged message. */
	struct message m = takes_segments(t);
	insists(t, RDMAP_5_3_10, holds("a Send", begins_with(&m, RDMAP_SEND)));
	insists(t, DDP_4_1_03, is("tagged segments", with_t(&m, true), 0));
	insists(t, DDP_4_3_02,
		is("segments with another RsvdULP", of_another(&m), 0));
	insists(t, DDP_5_2_01,
		at_most("octets of a ULPDU", largest_ulpdu(&m),
			path_mulpdu_most(t)));
	insists(t, DDP_4_1_05,
		at_least("octets up to the first segment with L", m.n,
			 LONG - MSS));
	insists(t, DDP_5_2_05,
		is("segments whose MO is not where they belong", misplaced(&m),
		   0));
	must(t, DDP_5_2_03,
	     is("octets of the message", right_octets(&m, octets), LONG));
}

CASE(a_write_of_several_segments_leaves, .founds = FOUNDATION_WRITE_PARTS_SENT,
     .title = "the device sends an RDMA Write of several segments, each with "
	      "its own TO",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a stream, when the ULP writes more than fits a segment, */
	const uint8_t *octets = pattern(t, LONG, 1);
	connects(t, .mss = MSS);
	dut_posts(t, POST_WRITE_N(octets, LONG, PEER_SINK_STAG, FIRST));

	/* then its segments are those of one tagged message. */
	struct message m = takes_segments(t);
	insists(t, RDMAP_5_1_06,
		holds("an RDMA Write", begins_with(&m, RDMAP_WRITE)));
	insists(t, DDP_4_1_03, is("untagged segments", with_t(&m, false), 0));
	insists(t, DDP_4_2_02,
		is("segments with another RsvdULP", of_another(&m), 0));
	insists(t, DDP_4_2_03,
		is("segments with another STag", for_another(&m), 0));
	insists(t, DDP_4_1_05,
		at_least("octets up to the first segment with L", m.n,
			 LONG - MSS));
	insists(t, DDP_5_2_07,
		is("segments whose TO is not where they belong", misplaced(&m),
		   0));
	must(t, DDP_5_2_03,
	     is("octets of the message", right_octets(&m, octets), LONG));
}

CASE(a_response_of_several_segments_leaves,
     .founds = FOUNDATION_RESPONSE_PARTS_SENT,
     .title = "the device sends an RDMA Read Response of several segments, "
	      "each with its own TO",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a stream to a device, */
	const uint8_t *octets = pattern(t, LONG, 1);
	struct region r =
		dut_registers(t, .len = LONG + 8, .access = FOR_READS);
	dut_fills(t, r, 0, octets, LONG);
	connects(t, .mss = MSS);

	/* which answers correctly if one segment is sufficient, */
	peer_sends(t, READ(r, 0, ONE,
			   .read = {.sink_stag = PEER_SINK_STAG,
				    .sink_to = FIRST,
				    .size = ONE,
				    .source_stag = r.stag,
				    .source_to = r.to}));
	struct message one = takes_segments(t);
	insists(t, RDMAP_5_2_1_09,
		holds("an RDMA Read Response",
		      begins_with(&one, RDMAP_READ_RESPONSE)));
	insists(t, RDMAP_5_2_1_09, is("octets of a short one", one.n, ONE));

	/* when the peer reads more than fits a segment, */
	peer_sends(t, READ(r, 0, LONG,
			   .read = {.sink_stag = PEER_SINK_STAG,
				    .sink_to = FIRST,
				    .size = LONG,
				    .source_stag = r.stag,
				    .source_to = r.to}));

	/* then the segments are those of one tagged message. */
	struct message m = takes_segments(t);
	insists(t, RDMAP_5_2_1_09,
		holds("an RDMA Read Response",
		      begins_with(&m, RDMAP_READ_RESPONSE)));
	insists(t, DDP_4_1_03, is("untagged segments", with_t(&m, false), 0));
	insists(t, DDP_4_2_02,
		is("segments with another RsvdULP", of_another(&m), 0));
	insists(t, DDP_4_2_03,
		is("segments with another STag", for_another(&m), 0));
	insists(t, DDP_4_1_05,
		at_least("octets up to the first segment with L", m.n,
			 LONG - MSS));
	insists(t, DDP_5_2_07,
		is("segments whose TO is not where they belong", misplaced(&m),
		   0));
	must(t, DDP_5_2_03,
	     is("octets of the message", right_octets(&m, octets), LONG));
}

CASE(more_than_tcp_takes_at_once_leaves, .founds = FOUNDATION_MUCH_SENT,
     .title = "the device sends a long RDMA Write as a whole, although the "
	      "peer reads slowly",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a peer with a small window, when the ULP writes much, */
	struct region r = dut_registers(t, .len = MUCH);
	connects(t, .mss = MSS, .rcvbuf = 4096);
	dut_posts(t, POST_WRITE_FROM(r, 0, MUCH, PEER_SINK_STAG, 0));
	dut_has_its_turn(t);

	/* and the peer has room only once the device's TCP has taken no more:
	 * through the small window much would take minutes over a distance, */
	peer_makes_room(t);

	/* then each octet comes. */
	struct message m = awaits_message(t, DDP_3_05, RDMAP_WRITE);
	must(t, DDP_3_05, is("octets", m.n, MUCH));
}
