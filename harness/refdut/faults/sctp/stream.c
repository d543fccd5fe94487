/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults as chunks go out on a stream (RFC 5043 s5.2, s6, s8 to s10). */
#include "harness/refdut/conn.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/sctp/assoc_decisions.h"
#include "harness/refdut/sctp/stream_decisions.h"

#include <string.h>

/* Size */

MUTANT(segments_fill_their_packets, "SCTPX-9-04",
       "leaves no room for a SACK in the packet of a full segment",
       segment_chunk_most)
{
	return s->assoc->wire.largest & ~3u;
}

MUTANT(segments_in_fragments, "SCTPX-9-01 SCTPX-9-02",
       "has segments of 4096 octets and lets SCTP fragment them",
       segment_chunk_most)
{
	return 4096;
}

MUTANT(control_in_fragments, "SCTPX-9-02",
       "lets SCTP fragment plain control messages with 512 octets of private "
       "data",
       chunk_goes)
{
	struct stack_message m = OTHERWISE(chunk_goes);

	m.cut |= ppid == PPID_CONTROL && n == CONTROL_MAX - SSN_SIZE &&
		 octets[1] <= CODE_REJECT;
	return m;
}

/* DDP-SSNs */

MUTANT(ssn_starts_at_one, "SCTPX-5.2.1-01",
       "numbers the chunks of a session from 1", ssn_sent)
{
	return ssn_sent_otherwise(self, ssn + 1);
}

MUTANT(ssn_little_endian, "SCTPX-5.2.1-01",
       "sends the DDP-SSN least significant octet first", ssn_sent)
{
	return __builtin_bswap16(OTHERWISE(ssn_sent));
}

MUTANT(control_not_numbered, "SCTPX-5.2.1-01",
       "gives the chunk after a control message the same DDP-SSN", ssn_behind)
{
	return control ? s->ssn : OTHERWISE(ssn_behind);
}

MUTANT(ssn_wraps_to_one, "SCTPX-6-01", "skips DDP-SSN 0 after 65535",
       ssn_behind)
{
	uint16_t ssn = OTHERWISE(ssn_behind);

	return ssn ? ssn : 1;
}

MUTANT(ssn_goes_on, "SCTPX-6.1-01",
       "continues the DDP-SSNs of the session before", first_ssn)
{
	return s->ssn;
}

/* The contents of a chunk, and how it is sent */

MUTANT(segment_behind_its_length, "SCTPX-5.2.2-01",
       "puts the length of a segment between DDP-SSN and segment, as MPA does",
       put_behind_ssn)
{
	if (control)
		return OTHERWISE(put_behind_ssn);
	be16_put(chunk, (uint16_t)n);
	return 2 +
	       put_behind_ssn_otherwise(self, chunk + 2, control, octets, n);
}

MUTANT(segment_padded, "SCTPX-5.2.2-01",
       "pads a segment to a multiple of four octets, as MPA does",
       put_behind_ssn)
{
	n = OTHERWISE(put_behind_ssn);
	while (!control && (SSN_SIZE + n) % 4)
		chunk[n++] = 0;
	return n;
}

MUTANT(all_on_stream_zero, "SCTPX-8-02", "sends everything on stream 0",
       chunk_goes)
{
	struct stack_message m = OTHERWISE(chunk_goes);

	m.stream = 0;
	return m;
}

MUTANT(control_ordered, "SCTPX-10-01",
       "sends control messages as ordered chunks", chunk_goes)
{
	struct stack_message m = OTHERWISE(chunk_goes);

	m.ordered |= ppid == PPID_CONTROL;
	return m;
}

MUTANT(segments_ordered, "SCTPX-10-01", "sends segments as ordered chunks",
       chunk_goes)
{
	struct stack_message m = OTHERWISE(chunk_goes);

	m.ordered |= ppid != PPID_CONTROL;
	return m;
}

MUTANT(control_of_ppid_segment, "SCTPX-5.2-02",
       "sends control messages with PPID 16", chunk_goes)
{
	struct stack_message m = OTHERWISE(chunk_goes);

	if (ppid == PPID_CONTROL)
		m.ppid = PPID_SEGMENT;
	return m;
}

MUTANT(segments_of_ppid_control, "SCTPX-5.2-01", "sends segments with PPID 17",
       chunk_goes)
{
	struct stack_message m = OTHERWISE(chunk_goes);

	if (ppid != PPID_CONTROL)
		m.ppid = PPID_CONTROL;
	return m;
}

MUTANT(unacknowledged_without_limit, "SCTPX-10-03",
       "leaves as many chunks of a stream unacknowledged as SCTP permits",
       chunk_may_go)
{
	return true;
}

/* The end of a session */

MUTANT(terminate_overtakes, "SCTPX-6.6-01",
       "sends a Session Terminate while earlier control messages are "
       "unacknowledged",
       terminate_may_go)
{
	return true;
}

MUTANT(terminate_code_eight, "SCTPX-5.2.3-04 IANA-3.5-03",
       "sends a Session Terminate with function code 8", write_terminate)
{
	size_t n = OTHERWISE(write_terminate);

	octets[1] = 8;
	return n;
}

MUTANT(enhanced_session_ends_by_reject, "SCTPX-6581.7-07",
       "ends an enhanced session with function code 7", write_terminate)
{
	size_t n = OTHERWISE(write_terminate);

	if (s->enhanced)
		octets[1] = CODE_ENHANCED_REJECT;
	return n;
}

MUTANT(terminate_has_private_data, "SCTPX-5.2.3-09 SCTPX-6581.7-06",
       "sends private data in a Session Terminate: the ULP's, or four octets",
       write_terminate)
{
	size_t n = OTHERWISE(write_terminate);

	memset(octets + n, 0, 4);
	return n + 4;
}

MUTANT(no_session_terminate, "SCTPX-6.2-01",
       "sends no Session Terminate when its ULP closes", send_session_terminate)
{
	return true;
}

MUTANT(segment_behind_session_terminate, "SCTPX-6.2-01",
       "sends a Write of no octets after its Session Terminate",
       send_session_terminate)
{
	static const uint8_t empty_write[TAGGED_HEADER] = {0xc1, 0x40};
	bool sent = OTHERWISE(send_session_terminate);

	if (sent)
		stream_put(s, PPID_SEGMENT, empty_write, sizeof(empty_write));
	return sent;
}

MUTANT(terminates_before_an_abort, "SCTPX-11.3-01",
       "sends a Terminate on each stream of an association that it aborts",
       abort_association)
{
	static const uint8_t message[] = {
		0x41, 0x47, [9] = 2, [13] = 1, [18] = 0, 0, 0, 0};

	for (unsigned i = 0; i < a->nstreams; i++)
		if (a->stream[i] && a->stream[i]->phase == SESSION_OPEN)
			stream_put(a->stream[i], PPID_SEGMENT, message,
				   sizeof(message));
	OTHERWISE(abort_association);
}

/* The beginning of the next one */

MUTANT(stream_used_again_at_once, "SCTPX-6.6-03",
       "begins a session on a stream while chunks of the previous session are "
       "unacknowledged",
       stream_may_begin)
{
	return true;
}

ALSO(stream_used_again_at_once, stream_is_unused)
{
	return true;
}
