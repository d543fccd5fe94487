/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5043 s5.1, s5.2, s9, s10, s11.2: the DATA chunks themselves - PPID,
 * contents, size, unordered and not delayed.
 */
#include "case.h"

#define LARGE (64u << 10)

/* A session in which all sorts of messages went both ways. */
static void all_sorts(struct test *t)
{
	struct region r = dut_registers(t, .len = 4096, .access = FOR_READS);
	struct sink sink = dut_posts_recv(t, 64);

	connects(t, .exact = true);
	dut_posts(t, POST_SEND("there"));
	dut_posts(t, POST_WRITE_N("octets", 6, PEER_SINK_STAG, PEER_SINK_TO));
	peer_sends(t, READ(r, 0, 4096));
	peer_sends(t, SEND("hello"));
	dut_receives(t, sink);
	known_answer(t);
	dut_closes(t);
	dut_ends(t);
	all_has_arrived(t);
}

CASE(only_chunks_of_ddp,
     .title = "each DATA chunk of a DDP association has PPID 16 or 17",
     .needs = NEED_SCTP | NEED_SEND | NEED_WRITE | NEED_READ, .role = EITHER)
{
	/* Given an association, when all sorts of messages go over it, */
	all_sorts(t);

	/* then nothing that is not of DDP does. */
	must(t, SCTPX_5_1_03, all_of_ddp());
}

CASE(all_chunks_are_unordered, .title = "the U flag is set in each DATA chunk",
     .needs = NEED_SCTP | NEED_SEND | NEED_WRITE | NEED_READ, .role = EITHER)
{
	/* Given an association, when all sorts of messages go over it, */
	all_sorts(t);

	/* then every chunk is unordered. */
	must(t, SCTPX_10_01, all_unordered());
}

/* A session of which only its opening and its acceptance are known: the
 * device's other messages in it are not a dependency of this case. */
static void opens(struct test *t)
{
	if (case_role(t) == INITIATOR) {
		if (dut_opens_plain(t))
			not_applicable(t, "the device opens its streams with a "
					  "message of its own");
		dut_dials(t, .dut_mpa = 1, .exact = true);
		chunk_from(t, 0); /* as it was asked for */
		peer_sends_control(t, CONTROL(SESSION_ACCEPT));
		dut_starts(t);
		return;
	}
	dut_listens(t);
	peer_associates(t);
	peer_sends_control(t, CONTROL(SESSION_INITIATE));
	dut_accepts(t);
}

/* Nothing says when a passive side sends (RFC 5043 s6.2): it may wait for a
 * segment of the active side. */
static void breaks_the_silence(struct test *t)
{
	size_t n;
	const uint8_t *octets = empty_write_segment(t, &n);

	if (case_role(t) == RESPONDER && !chunk_from(t, 1))
		peer_sends_chunk(t, SESSION_PPID_SEGMENT,
				 (uint16_t)peer_ddp_ssn(t), octets, n);
}

CASE(segment_has_ppid_16, .title = "a DDP segment is a chunk with PPID 16",
     .needs = NEED_SCTP | NEED_SEND, .role = EITHER)
{
	/* Given a session, when the device sends a Send, */
	opens(t);
	dut_sends_plainly(t, "there", 5);
	breaks_the_silence(t);

	/* then that is a segment. */
	const struct dut_chunk *c = awaits_chunk(t, SCTPX_5_2_01, 1);
	must(t, SCTPX_5_2_01, is("PPID", c->ppid, SESSION_PPID_SEGMENT));
}

/* A Write or a Read of no octets, which a device may send by itself at any time
 * (RFC 5040 s5.1, s5.2.1), in place of the chunk that is looked at. */
static bool is_its_own(const struct dut_chunk *c)
{
	enum { WRITE = 2 + 14, READ = 2 + 18 + 28 };

	return (c->n == WRITE && c->octets[2] & 0x80 &&
		(c->octets[3] & 0x0f) == RDMAP_WRITE) ||
	       (c->n == READ && !(c->octets[2] & 0x80) &&
		(c->octets[3] & 0x0f) == RDMAP_READ_REQUEST);
}

CASE(segment_fills_its_chunk,
     .title = "a Send of 5 octets is a chunk of 25 octets: DDP-SSN, DDP "
	      "header, payload",
     .needs = NEED_SCTP | NEED_SEND, .role = EITHER)
{
	/* Given a session, when the device sends five octets, */
	opens(t);
	dut_sends_plainly(t, "there", 5);
	breaks_the_silence(t);

	/* then there is nothing of MPA: no length, no pad, no CRC. */
	const struct dut_chunk *c = awaits_chunk(t, SCTPX_5_2_2_01, 1);
	if (is_its_own(c))
		not_applicable(t, "the device sends messages of its own");
	/* The Send may be in several segments (RFC 5041 s5.2). */
	size_t n = 5;
	if (c->n > 20 && c->n < 25 && !(c->octets[2] & 0x40))
		n = c->n - 20;
	must(t, SCTPX_5_2_2_01, is("octets of user data", c->n, 2 + 18 + n));
	if (c->n == 20 + n)
		must(t, SCTPX_5_2_2_01,
		     octets_are(t, "payload", c->octets + 20, n, "there", n));
}

CASE(chunks_have_the_next_numbers,
     .title = "the chunks of a session have DDP-SSNs 0, 1, 2 and so on, from "
	      "its first message of session control on",
     .needs = NEED_SCTP | NEED_SEND, .role = EITHER)
{
	/* Given a session, when the device sends three messages, */
	opens(t);
	for (unsigned i = 0; i < 3; i++)
		dut_sends_plainly(t, "there", 5);
	breaks_the_silence(t);

	/* then they follow upon its opening, in whatever order they arrive (RFC
	 * 5043 s10). */
	for (unsigned i = 0; i < 4; i++)
		awaits_chunk(t, SCTPX_5_2_1_01, i);
	must(t, SCTPX_5_2_1_01, all_numbered());
}

/* --- sizes ---------------------------------------------------------------------- */

enum large_kind { SENDS_IT, WRITES_IT, ANSWERS_A_READ };
struct large_row {
	CASE_ROW;
	enum large_kind kind;
};
static const struct large_row larges[] = {
	{.id = "send", .kind = SENDS_IT},
	{.id = "write", .kind = WRITES_IT},
	{.id = "read-response", .kind = ANSWERS_A_READ},
};

/* 64 KiB in one message of the device. */
static void sends_large(struct test *t, enum large_kind kind)
{
	struct region r = dut_registers(t, .len = LARGE, .access = FOR_READS);

	connects(t, .exact = true);
	switch (kind) {
	case SENDS_IT:
		dut_posts(t, POST_SEND_FROM(r, 0, LARGE));
		awaits_given_message(t, RDMAP_SEND);
		break;
	case WRITES_IT:
		dut_posts(t, POST_WRITE_FROM(r, 0, LARGE, PEER_SINK_STAG,
					     PEER_SINK_TO));
		awaits_given_message(t, RDMAP_WRITE);
		break;
	case ANSWERS_A_READ:
		peer_sends(t, READ(r, 0, LARGE));
		awaits_given_message(t, RDMAP_READ_RESPONSE);
		break;
	}
}

CASE_EACH(chunks_fit_the_path, struct large_row, larges,
	  .title = "a chunk fits the path, or has no more than 516 octets",
	  .needs = NEED_SCTP | NEED_SEND | NEED_WRITE | NEED_READ,
	  .role = EITHER)
{
	/* Given a session, when the device sends 64 KiB, */
	sends_large(t, row->kind);

	/* then no packet is larger than the path allows, unless its chunk is
	 * one that always has to fit; nor was a segment cut to fit. */
	must(t, SCTPX_9_01, packets_fit(path_octets(t)));
	must(t, SCTPX_9_01, all_whole());
}

CASE_EACH(messages_are_not_fragmented_by_sctp, struct large_row, larges,
	  .title = "B and E are set in each DATA chunk: DDP makes segments, "
		   "and SCTP does not fragment them",
	  .needs = NEED_SCTP | NEED_SEND | NEED_WRITE | NEED_READ,
	  .role = EITHER)
{
	/* Given a session, when the device sends 64 KiB, */
	sends_large(t, row->kind);

	/* then each segment is one chunk. */
	must(t, SCTPX_9_02, all_whole());
}

CASE(private_data_is_not_fragmented,
     .title = "a message of session control with 512 octets of private data is "
	      "one chunk",
     .needs = NEED_SCTP | NEED_PRIVATE_DATA, .role = EITHER)
{
	const uint8_t *octets = pattern(t, 512, 1);

	/* Given a ULP with as much private data as there may be, */
	if (dut_max_private(t) < 512)
		not_applicable(t, "the device's interface takes %u octets",
			       dut_max_private(t));

	/* when a session is opened or accepted with it, */
	connects(t, .dut_private_data = octets, .dut_private_octets = 512);

	/* then that is in one chunk. */
	must(t, SCTPX_9_02, all_whole());
}

CASE(full_segments_leave_room_for_control,
     .title = "a packet with a full-size segment has room for a SACK",
     .needs = NEED_SCTP | NEED_WRITE, .role = EITHER)
{
	struct region r = dut_registers(t, .len = LARGE, .access = FOR_READS);

	/* Given a session over a path of known size, */
	connects(t, .exact = true);
	if (!path_octets(t))
		not_applicable(t, "the size of the path is unknown");

	/* when the device sends 64 KiB while it has chunks to acknowledge, */
	dut_posts(t,
		  POST_WRITE_FROM(r, 0, LARGE, PEER_SINK_STAG, PEER_SINK_TO));
	for (unsigned i = 0; i < 8; i++)
		peer_sends(t, WRITE_TO(PEER_SINK_STAG, PEER_SINK_TO, "", 0));
	awaits_given_message(t, RDMAP_WRITE);

	/* then its full-size packets are smaller than the path takes, by a SACK
	 * at least; or one of them has a SACK in it. */
	should(t, SCTPX_9_04, room_for_sack(path_octets(t)));
}

CASE(untagged_segments_are_not_held_back,
     .title = "a Send is sent at once, although an earlier one is not yet "
	      "acknowledged",
     .needs = NEED_SCTP | NEED_SEND, .role = EITHER)
{
	/* Given a session whose chunks are no longer acknowledged, */
	connects(t, .exact = true);
	all_has_arrived(t);
	peer_acknowledges_chunks(t, false);

	/* when the device has two Sends to send, one after the other, and a
	 * later request arrives, */
	size_t before = dut_chunks(t).n;
	dut_posts(t, POST_SEND("one"));
	chunk_from(t, before);
	dut_posts(t, POST_SEND("two"));
	all_has_arrived(t);
	known_answer(t);

	/* then the second is not held back for later messages, nor until
	 * everything before it is acknowledged. */
	const struct dut_chunk *two = chunk_from(t, before + 1);
	const struct dut_chunk *answer = two ? chunk_from(t, before + 2) : NULL;
	should(t, SCTPX_11_2_01,
	       holds("the second Send in a packet before the one with the "
		     "answer",
		     answer && two->of_packet < answer->of_packet));
	peer_acknowledges_chunks(t, true);
}
