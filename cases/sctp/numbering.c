/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5043 s5.2.1, s6, s6.1, s10: DDP-SSNs, from 0 in each session, without a
 * gap, in the order of submission.
 */
#include "case.h"

CASE(chunks_are_numbered,
     .title = "the chunks of a session are numbered from 0, segments and "
	      "session control in one count",
     .needs = NEED_SCTP | NEED_SEND, .role = EITHER)
{
	/* Given a session, */
	connects(t, .exact = true);

	/* when the device sends ten messages, and ends it, */
	for (unsigned i = 0; i < 10; i++)
		dut_posts(t, POST_SEND("there"));
	for (unsigned i = 0; i < 10; i++)
		awaits_given(t, RDMAP_SEND);
	next_control(t);
	dut_closes(t);
	awaits_control(t, SCTPX_6_2_01, SESSION_TERMINATE);

	/* then each chunk has the next number. */
	must(t, SCTPX_5_2_1_01, all_numbered());
	must(t, SCTPX_5_2_1_01,
	     at_least("chunks of the session", dut_chunks(t).n, 12));
}

CASE(numbers_go_on_behind_65535,
     .title = "in a session of more than 65536 chunks the DDP-SSNs have no "
	      "gap, and 0 follows 65535",
     .needs = NEED_SCTP | NEED_WRITE, .role = EITHER)
{
	enum { CHUNKS = 65536 + 32, NEARLY = 65000 };

	/* Given a session, */
	connects(t, .exact = true);

	/* when the device sends more Writes than there are numbers, */
	unsigned came = writes_that_come(t, CHUNKS);
	if (!came)
		insists(t, DDP_5_2_09,
			at_least("Writes of no octets", came, 1));
	/* A device that loses its work long before the numbers start again is
	 * a matter of other cases. */
	if (came < NEARLY)
		not_applicable(t, "only %u of %u Writes come", came, CHUNKS);
	insists(t, SCTPX_6_01, at_least("chunks", came, CHUNKS));

	/* then none is left out, and none is used twice. */
	must(t, SCTPX_6_01, all_numbered());
}

CASE(numbers_begin_again,
     .title = "DDP-SSNs begin at 0 in a second session of a stream",
     .needs = NEED_SCTP | NEED_SEND)
{
	/* Given a stream that has had a session with a few chunks, */
	peer_connects(t);
	dut_posts(t, POST_SEND("there"));
	awaits_given(t, RDMAP_SEND);
	next_control(t);
	dut_closes(t);
	awaits_control(t, SCTPX_6_2_01, SESSION_TERMINATE);
	peer_closes(t);
	dut_ends(t);

	all_has_arrived(t);
	if (association_is_over(t))
		not_applicable(t, "the device ends an association with its "
				  "last session");

	/* when another one is opened on it, */
	dut_listens(t, .beside = 1);
	peer_associates(t);
	size_t first = dut_chunks(t).n;
	peer_sends_control(t, CONTROL(SESSION_INITIATE));
	const struct dut_chunk *c = chunk_from(t, first);
	if (!c && association_is_over(t))
		not_applicable(t, "the device ends an association with its "
				  "last session");

	/* then its first chunk has number 0 again. */
	insists(t, SCTPX_6_1_01, holds("an answer to the Initiate", c != NULL));
	must(t, SCTPX_6_1_01, is("DDP-SSN", c->ddp_ssn, 0));
}

CASE(initiators_numbers_begin_again,
     .title = "DDP-SSNs begin at 0 in a second session that the device opens",
     .needs = NEED_SCTP | NEED_SEND, .role = INITIATOR)
{
	/* Given a stream that has had a session with a few chunks, */
	dut_connects(t, .exact = true);
	dut_posts(t, POST_SEND("there"));
	awaits_given(t, RDMAP_SEND);
	next_control(t);
	dut_closes(t);
	awaits_control(t, SCTPX_6_2_01, SESSION_TERMINATE);
	peer_closes(t);
	dut_ends(t);
	all_has_arrived(t);

	/* when the device opens another one, there or on another stream, */
	size_t before = dut_chunks(t).n;
	dut_tries(t, .beside = 1);
	const struct dut_chunk *c = chunk_from(t, before);
	if (!c && association_is_over(t))
		not_applicable(t, "the device ends an association with its "
				  "last session");
	if (!c && association_is_not_alone(t))
		not_applicable(t, "the device opens another association for "
				  "another session");

	/* then its first chunk has number 0. */
	insists(t, SCTPX_6_1_01, holds("an Initiate", c != NULL));
	must(t, SCTPX_6_1_01, is("DDP-SSN", c->ddp_ssn, 0));
}

/* --- numbers that are not valid ----------------------------------------------- */

struct jump_row {
	CASE_ROW;
	unsigned by;
};
static const struct jump_row jumps[] = {
	{.id = "40000-on", .by = 40000},
	{.id = "32768-on", .by = 32768},
	{.id = "2-back", .by = 65536 - 2},
};

CASE_EACH(invalid_number_ends_it_or_waits, struct jump_row, jumps,
	  .title = "a DDP-SSN that no chunk under way can have ends the "
		   "stream, or has no effect",
	  .needs = NEED_SCTP, .role = EITHER)
{
	size_t n;
	const uint8_t *octets = empty_write_segment(t, &n);

	/* Given a session with a few chunks, */
	connects(t, .exact = true);
	known_answer(t);
	known_answer(t);

	/* when a segment's number is so far off, */
	peer_sends_chunk(t, SESSION_PPID_SEGMENT,
			 (uint16_t)(peer_ddp_ssn(t) + row->by), octets, n);

	/* then the stream ends, or continues with the right numbers. */
	may(t, SCTPX_10_04, any_of(t, stream_ends_or_works()));
}

CASE(unchecked_numbers_take_nothing,
     .title = "thousands of segments with invalid DDP-SSNs use up no resources "
	      "that another session needs",
     .needs = NEED_SCTP)
{
	size_t n;
	const uint8_t *octets = empty_write_segment(t, &n);

	/* Given a session, */
	peer_connects(t);

	/* when segments come with numbers from all over, */
	for (unsigned i = 0; i < 3000; i++)
		peer_sends_chunk(t, SESSION_PPID_SEGMENT,
				 (uint16_t)(40000 + i * 7919), octets, n);
	all_has_arrived(t);

	/* then it has ended, or continues, and the device has others. */
	should(t, SCTPX_10_05, any_of(t, stream_ends_or_works()));
	dut_works(t);
}
