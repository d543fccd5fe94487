/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults as FPDUs arrive (RFC 5044 s4 to s8). */
#include "harness/refdut/conn_close_decisions.h"
#include "harness/refdut/conn_input_decisions.h"
#include "harness/refdut/decision/override.h"

/* TCP is a stream */

MUTANT(rx_marker_phase_from_read, "MPA-4.3-25 MPA-4.3-07",
       "expects a marker wherever it resumes reading from TCP",
       position_in_stream)
{
	return buf_len(&c->in) ? OTHERWISE(position_in_stream) : 0;
}

MUTANT(rx_split_fpdu_lost,
       "MPA-5.1-03 MPA-5.1-04 MPA-5.1-05 MPA-5.1-06 MPA-5.1-08 MPA-5.2-01",
       "loses an FPDU that is not complete when it reads from TCP", octets_kept)
{
	return 0;
}

MUTANT(reassembly_of_1024_octets, "MPA-A.5.2-01 MPA-3-05",
       "keeps no more than 1024 octets of an incomplete FPDU", octets_kept)
{
	size_t kept = OTHERWISE(octets_kept);

	return kept < 1024 ? kept : 1024;
}

/* How much of an FPDU was there before the last read, and how much is now. */
struct last_read {
	size_t before, behind;
};

MUTANT(split_crc_unchecked, "MPA-4.4-14",
       "does not check a CRC field that arrives in two TCP segments", bad_crc)
{
	const struct last_read *read =
		remember(&c->remembered, self, sizeof(*read));

	if (buf_len(&c->in) == read->behind && read->before < ulpdu->raw &&
	    read->before + 4 > ulpdu->raw)
		deliver_ulpdu(c, ulpdu, false);
	else
		OTHERWISE(bad_crc);
}

ALSO(split_crc_unchecked, segment_is_dropped)
{
	struct last_read *read = remember(&c->remembered, self, sizeof(*read));

	read->behind = buf_len(&c->in);
	read->before = read->behind - n;
	return OTHERWISE(segment_is_dropped);
}

MUTANT(one_fpdu_per_read,
       "MPA-5.1-09 MPA-5.1-10 MPA-6-04 MPA-6-06 MPA-3-09 "
       "RDMAP-5.5-12",
       "loses everything after the first FPDU in a TCP segment",
       octets_kept_behind)
{
	return 0;
}

MUTANT(hundred_fpdus_per_read, "MPA-5.2-01",
       "loses everything after the hundredth FPDU of one read",
       octets_kept_behind)
{
	return n == 100 ? 0 : OTHERWISE(octets_kept_behind);
}

/* The first FPDU */

MUTANT(first_fpdu_lost, "MPA-7.1.2-11 MPA-7.1.5-01",
       "loses the FPDU that follows its Reply", deliver_ulpdu)
{
	if (!first || c->initiator)
		OTHERWISE(deliver_ulpdu);
}

/* It starts to read again when the RTR has been answered. */
MUTANT(rest_lost_behind_a_read_rtr, "DDP-5.4-01",
       "loses what has arrived together with the Read that is the RTR",
       octets_kept_behind)
{
	bool *opened = remember(&c->remembered, self, sizeof(*opened));
	bool opens = !c->initiator && c->agreed.peer_to_peer && !*opened &&
		     c->queue[1].msn != c->params.first_msn;

	*opened = true;
	return opens ? 0 : OTHERWISE(octets_kept_behind);
}

/* Who has had such a stream last. */
static const void *unfinished;

MUTANT(first_send_lost_behind_an_unfinished_stream, "RDMAP-5.3-02",
       "loses a Send in the first FPDU of a stream behind one that ended "
       "inside an FPDU or a Send",
       deliver_ulpdu)
{
	bool behind = first && unfinished == c->domain.owner;

	if (behind)
		unfinished = NULL;
	if (!behind || !ulpdu->len || (ulpdu->octets[1] & 0xf) != OPCODE_SEND)
		OTHERWISE(deliver_ulpdu);
}

ALSO(first_send_lost_behind_an_unfinished_stream, peer_fin_counts)
{
	if (c->phase == PHASE_FULL && !conn_is_between_messages(c))
		unfinished = c->domain.owner;
	return OTHERWISE(peer_fin_counts);
}

MUTANT(empty_write_releases_nothing, "MPA-7.1.2-19 EMPA-9.2-17",
       "does not count an empty Write as the initiator's first FPDU",
       fpdu_releases)
{
	bool empty_write = ulpdu && ulpdu->len == TAGGED_HEADER &&
			   (ulpdu->octets[1] & 0x0f) == OPCODE_WRITE;

	return !empty_write && OTHERWISE(fpdu_releases);
}

MUTANT(incomplete_fpdu_releases, "MPA-7.1.2-36",
       "lets the beginning of a first FPDU release its queued work",
       fpdu_releases)
{
	return !ulpdu || OTHERWISE(fpdu_releases);
}

MUTANT(bad_first_fpdu_releases, "MPA-7.1.2-18",
       "lets a first FPDU with a wrong CRC release its queued work", bad_crc)
{
	if (!c->released) {
		c->released = true;
		conn_flush(c);
	}
	OTHERWISE(bad_crc);
}

/* Errors */

MUTANT(bad_fpdu_skipped, "MPA-8-09 MPA-4.4-14",
       "drops an FPDU with a wrong CRC and continues with the next one",
       bad_crc)
{
}

MUTANT(placed_before_crc_check, "MPA-4.4-16 MPA-4.4-23 MPA-6-01",
       "passes a ULPDU to DDP before its CRC is checked", bad_crc)
{
	ddp_receive(c, ulpdu->octets, ulpdu->len);
	OTHERWISE(bad_crc);
}

MUTANT(first_crc_unchecked_as_initiator, "MPA-4.4-14 MPA-4.4-16",
       "does not check the CRC of the first FPDU that it receives as initiator",
       bad_crc)
{
	if (c->initiator && !c->first_seen)
		ddp_receive(c, ulpdu->octets, ulpdu->len);
	else
		OTHERWISE(bad_crc);
}

MUTANT(crc_error_as_marker_error, "MPA-8-02 MPA-8-08",
       "reports a wrong CRC as a marker mismatch", mpa_error_code)
{
	return result == FRAMING_BAD_CRC ? 3 : OTHERWISE(mpa_error_code);
}

MUTANT(marker_error_as_crc_error, "MPA-8-04",
       "reports a marker mismatch as a wrong CRC", mpa_error_code)
{
	return result == FRAMING_BAD_MARKER ? 2 : OTHERWISE(mpa_error_code);
}
