/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of errors and Terminate messages (RFC 5040 s4.8, s6.2.1, s7; RFC 7306
 * s8). */
#include "harness/refdut/conn_input_decisions.h"
#include "harness/refdut/ddp/ddp_rx.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/terminate_decisions.h"
#include "harness/refdut/sctp/conn_sctp.h"

#include <string.h>

/* Layer, type and code (RFC 5040 s4.8, RFC 5041 s7.2) */

MUTANT(terminate_unregistered_code, "DDP-7.2-13 IANA-3.2-01 RDMAP-4.8-06",
       "sends code 0 for every error of an untagged buffer", error_numbers)
{
	if (e.type == ERR_DDP_UNTAGGED)
		e.code = 0;
	return OTHERWISE(error_numbers);
}

MUTANT(ddp_local_error_misnumbered, "DDP-7.2-01",
       "reports a local error of DDP as 1/0/01", error_numbers)
{
	if (e.type == ERR_DDP_CATASTROPHIC)
		e.code = 1;
	return OTHERWISE(error_numbers);
}

MUTANT(dv_error_as_rdmap_version, "DDP-4.1-16 DDP-4.1-19",
       "reports a wrong DV as a wrong RDMAP version", error_numbers)
{
	if ((e.type == ERR_DDP_TAGGED && e.code == 4) ||
	    (e.type == ERR_DDP_UNTAGGED && e.code == 6)) {
		e.type = ERR_RDMA_OPERATION;
		e.code = INVALID_VERSION;
	}
	return OTHERWISE(error_numbers);
}

MUTANT(no_error_of_rdmap_specified, "RDMAP-4.8-33",
       "reports errors of RDMAP as unspecified, except that of alignment",
       error_numbers)
{
	if (e.type == ERR_RDMA_PROTECTION ||
	    (e.type == ERR_RDMA_OPERATION && e.code != CATASTROPHIC_STREAM))
		e.code = UNSPECIFIED;
	return OTHERWISE(error_numbers);
}

MUTANT(tagged_errors_use_rdmap_codes, "DDP-7.1-20 DDP-7.1-25 DDP-7.1-26",
       "reports errors of tagged buffers as errors of RDMAP", error_numbers)
{
	if (e.type == ERR_DDP_TAGGED && e.code < 4)
		e.type = ERR_RDMA_PROTECTION;
	return OTHERWISE(error_numbers);
}

MUTANT(read_errors_use_ddp_codes,
       "RDMAP-7.2-06 RDMAP-7.2-10 RDMAP-7.2-13 RDMAP-7.2-07 RDMAP-5.2.1-04 "
       "RDMAP-4.8-31",
       "reports a bad source of a Read as an error of DDP", error_numbers)
{
	if (e.type == ERR_RDMA_PROTECTION && e.code < CANNOT_BE_INVALIDATED)
		e.type = ERR_DDP_TAGGED;
	return OTHERWISE(error_numbers);
}

MUTANT(bad_opcode_as_catastrophe,
       "RDMAP-4.2-05 RDMAP-4.2-06 RDMAP-4.2-07 RDMAP-4.2-08 RDMAP-4.2-09 "
       "RDMAP-7.2-02",
       "reports an unexpected opcode as a catastrophic error", error_numbers)
{
	if (e.type == ERR_RDMA_OPERATION && e.code == UNEXPECTED_OPCODE)
		e.code = CATASTROPHIC_STREAM;
	return OTHERWISE(error_numbers);
}

MUTANT(bad_version_as_bad_opcode, "RDMAP-4.1-03",
       "reports a wrong RDMAP version as an unexpected opcode", error_numbers)
{
	if (e.type == ERR_RDMA_OPERATION && e.code == INVALID_VERSION)
		e.code = UNEXPECTED_OPCODE;
	return OTHERWISE(error_numbers);
}

MUTANT(terminate_codes_from_64_on, "IANA-3.1-01 IANA-3.2-01 IANA-3.3-01",
       "sends error codes that are not registered", error_numbers)
{
	e = OTHERWISE(error_numbers);
	e.code |= 0x40;
	return e;
}

/* The control word, and the headers after it (RFC 5040 s4.8) */

MUTANT(terminate_reserved_bits_set, "RDMAP-4.8-07 EMPA-8-06",
       "sets a reserved bit of the Terminate control field", terminated_headers)
{
	t[3] = 0x01;
	return OTHERWISE(terminated_headers);
}

MUTANT(terminate_without_headers,
       "RDMAP-4.8-26 RDMAP-4.8-27 RDMAP-4.8-28 RDMAP-7.1-03 RDMAP-4.8-19 "
       "RDMAPX-8.1-02 RDMAPX-8.1-03 RDMAPX-8.1-04 RDMAPX-8.2-04",
       "returns no header at all", terminated_headers)
{
	return 4;
}

/* A DDP Segment Length without a header. */
static uint32_t length_alone(uint8_t *t, uint16_t len)
{
	t[2] = TERMINATE_M;
	be16_put(t + 4, len);
	return 6;
}

MUTANT(terminate_llp_error_has_header, "RDMAP-4.8-25",
       "returns a length for an error of MPA", terminated_headers)
{
	if (!e->ulpdu && e->type == ERR_MPA)
		return length_alone(t, 0);
	return OTHERWISE(terminated_headers);
}

MUTANT(terminate_local_error_has_length, "RDMAP-4.8-30",
       "returns a length for a local catastrophic error", terminated_headers)
{
	if (!e->ulpdu && e->type == ERR_RDMA_CATASTROPHIC)
		return length_alone(t, 0);
	return OTHERWISE(terminated_headers);
}

MUTANT(terminate_local_error_has_header,
       "RDMAP-4.8-16 RDMAP-7.1-02 RDMAPX-8.1-01",
       "returns a DDP header for a local catastrophic error",
       terminated_headers)
{
	if (e->ulpdu || e->type != ERR_RDMA_CATASTROPHIC)
		return OTHERWISE(terminated_headers);
	t[2] = TERMINATE_M | TERMINATE_D;
	memset(t + 4, 0x41, 2 + UNTAGGED_HEADER);
	return 6 + UNTAGGED_HEADER;
}

MUTANT(terminate_announces_header_only, "RDMAP-4.8-13 RDMAP-4.8-14",
       "sets M and D in its Terminate for a Write but ends it there",
       terminated_headers)
{
	uint32_t n = OTHERWISE(terminated_headers);

	if ((t[2] & TERMINATE_D) && e->ulpdu && rdmap_is_tagged(e->ulpdu))
		return 4;
	return n;
}

MUTANT(terminate_segment_length_of_payload, "RDMAP-4.8-12 DDP-7.1-34",
       "returns the payload's length as the DDP Segment Length",
       terminated_headers)
{
	uint32_t n = OTHERWISE(terminated_headers);

	if (t[2] & TERMINATE_D)
		be16_put(t + 4,
			 (uint16_t)(e->len - terminated_ddp_header_size(e)));
	return n;
}

MUTANT(terminate_segment_length_with_markers, "RDMAP-4.8-12",
       "counts the markers between its octets in the DDP Segment Length",
       error_found)
{
	struct stream_error counted = *e;
	uint64_t begin = c->rx.at - e->len;

	if (e->ulpdu && c->rx.markers && e->len < c->rx.at) {
		counted.len += (uint32_t)(c->rx.at / MARKER_INTERVAL -
					  begin / MARKER_INTERVAL) *
			       MARKER_SIZE;
		e = &counted;
	}
	OTHERWISE(error_found);
}

MUTANT(terminate_m_flag_missing, "RDMAP-4.8-26",
       "returns the DDP Segment Length without the M bit", terminated_headers)
{
	uint32_t n = OTHERWISE(terminated_headers);

	if (t[2] & TERMINATE_D)
		t[2] &= (uint8_t)~TERMINATE_M;
	return n;
}

/* What R announces follows, as zeros: the size of a Read Request's header. */
MUTANT(terminate_of_a_write_returns_a_request, "RDMAP-4.8-26",
       "sets R, with 28 octets of zero, in its Terminate for a tagged error",
       terminated_headers)
{
	enum { REQUEST = 28 };
	uint32_t n = OTHERWISE(terminated_headers);

	if (!e->ulpdu || !rdmap_is_tagged(e->ulpdu))
		return n;
	t[2] |= 0x20;
	memset(t + n, 0, REQUEST);
	return n + REQUEST;
}

MUTANT(terminate_length_left_out, "RDMAP-4.8-13 RDMAP-4.8-14",
       "returns the header without the DDP Segment Length before it",
       terminated_headers)
{
	uint32_t n = OTHERWISE(terminated_headers);

	if (!(t[2] & TERMINATE_D) || n < 6)
		return n;
	t[2] &= (uint8_t)~TERMINATE_M;
	memmove(t + 4, t + 6, n - 6);
	return n - 2;
}

MUTANT(terminate_header_zeroed, "RDMAP-4.8-14 RDMAP-4.8-15 RDMAPX-8.2-04",
       "returns zeros in place of the DDP header", terminated_headers)
{
	uint32_t n = OTHERWISE(terminated_headers);

	if (t[2] & TERMINATE_D)
		memset(t + 6, 0, terminated_ddp_header_size(e));
	return n;
}

MUTANT(terminate_tagged_header_as_untagged, "RDMAP-4.8-14 RDMAP-4.2-11",
       "returns 18 octets as the header of a tagged segment",
       terminated_ddp_header_size)
{
	return e->len >= UNTAGGED_HEADER
		       ? UNTAGGED_HEADER
		       : OTHERWISE(terminated_ddp_header_size);
}

MUTANT(terminate_read_header_missing, "RDMAP-4.8-17 RDMAP-4.8-27 RDMAP-4.8-19",
       "leaves out the header of a refused Read Request", terminated_headers)
{
	struct stream_error without = *e;

	without.request = NULL;
	return terminated_headers_otherwise(self, t, &without);
}

MUTANT(terminate_zeros_behind_header, "RDMAP-4.8-32",
       "sends 28 zeros after a terminated DDP header that stands alone",
       terminated_headers)
{
	uint32_t n = OTHERWISE(terminated_headers);

	if (!(t[2] & TERMINATE_D) || (t[2] & TERMINATE_R) ||
	    n + READ_REQUEST_HEADER > TERMINATE_MAX)
		return n;
	memset(t + n, 0, READ_REQUEST_HEADER);
	return n + READ_REQUEST_HEADER;
}

/* Errors without a proper Terminate (RFC 5040 s6.2.1, s7.1) */

MUTANT(invalid_terminate_dropped, "RDMAP-5.4-05 RDMAP-7.2-16",
       "drops an invalid Terminate, and continues", error_found)
{
	if (!e->ulpdu || e->len < 2 ||
	    rdmap_opcode(e->ulpdu) != OPCODE_TERMINATE)
		OTHERWISE(error_found);
}

MUTANT(responses_to_an_unknown_stag_dropped,
       "DDP-7.2-02 DDP-7.1-20 DDP-7.1-21 DDP-7.1-22 DDP-7.1-23",
       "drops a Read Response to an STag that it does not know, and continues",
       error_found)
{
	if (!e->ulpdu || e->type != ERR_DDP_TAGGED ||
	    e->code != TAGGED_INVALID_STAG ||
	    rdmap_opcode(e->ulpdu) != OPCODE_READ_RESPONSE)
		OTHERWISE(error_found);
}

MUTANT(error_ignored_after_half_close, "DDP-6.2.2-02",
       "ignores errors of the peer after its ULP's half-close", error_found)
{
	if (!c->half)
		OTHERWISE(error_found);
}

MUTANT(terminate_held_behind_data, "RDMAP-7.1-07",
       "never sends a Terminate after a message of more than 512 KiB",
       end_by_error)
{
	if (c->long_sent)
		conn_final(c, CONN_ERROR);
	else
		OTHERWISE(end_by_error);
}

MUTANT(unassigned_opcode_untold, "RDMAP-7.1-01",
       "refuses an unassigned opcode without reporting it to its ULP",
       end_by_error)
{
	if (e->ulpdu && e->len > 1 &&
	    rdmap_opcode(e->ulpdu) > OPCODE_ATOMIC_RESPONSE)
		c->untold = true;
	OTHERWISE(end_by_error);
}

/* The error of a Send, which is not reported yet. */
struct late_report {
	struct timer timer;
	struct override *self;
	struct conn *c;
	struct stream_error e;
	uint8_t header[UNTAGGED_HEADER];
};

static void late_report_forget(void *octets)
{
	timer_cancel(octets);
}

static void late_report_is_due(struct timer *timer)
{
	struct late_report *late = (struct late_report *)timer;

	error_found_otherwise(late->self, late->c, &late->e);
	conn_kick(late->c);
}

MUTANT(crc_error_named_first, "RDMAP-7.1-06",
       "takes 300 ms to report a Send that is too long, and reports a wrong "
       "CRC "
       "that arrives meanwhile instead",
       error_found)
{
	struct late_report *late = remember_until(
		&c->remembered, self, sizeof(*late), late_report_forget);

	if (e->type != ERR_DDP_UNTAGGED || e->code != MESSAGE_TOO_LONG ||
	    late->self || !c->params.crc) {
		timer_cancel(&late->timer);
		OTHERWISE(error_found);
		return;
	}
	late->timer.fire = late_report_is_due;
	late->self = self;
	late->c = c;
	late->e = *e;
	memcpy(late->header, e->ulpdu, sizeof(late->header));
	late->e.ulpdu = late->header;
	timer_arm(&late->timer, 300);
}

/* What is behind the Send is dropped. */
ALSO(crc_error_named_first, deliver_ulpdu)
{
	const struct late_report *late = remember_until(
		&c->remembered, self, sizeof(*late), late_report_forget);

	if (!late->self)
		OTHERWISE(deliver_ulpdu);
}

MUTANT(stops_reading_at_errors, "RDMAP-7-01",
       "stops reading after an error, and neither sends a Terminate nor closes",
       end_by_error)
{
	(void)c;
	(void)e;
}

MUTANT(errors_close_silently, "RDMAP-7.1-08 RDMAP-6.2.1-01 RDMAP-6.2.1-02",
       "closes without a Terminate on every error", terminate_is_sent)
{
	return false;
}

MUTANT(mpa_error_closes_silently, "DDP-6.2.2-03 EMPA-9.3-01 EMPA-9.1-13",
       "closes without a Terminate on an error of MPA", terminate_is_sent)
{
	return OTHERWISE(terminate_is_sent) && e->type >> 4 != 2;
}

MUTANT(closes_silently_without_crcs, "RDMAP-6.2.1-01",
       "closes without a Terminate on every error if CRCs are off",
       terminate_is_sent)
{
	return OTHERWISE(terminate_is_sent) && c->agreed.crc;
}

MUTANT(llp_error_closes_silently, "RDMAP-6.2.1-02",
       "closes without a Terminate on an error of the LLP", terminate_is_sent)
{
	return OTHERWISE(terminate_is_sent) && e->type >> 4 != 2;
}

MUTANT(ddp_error_closes_silently, "RDMAP-6.2.1-01",
       "closes without a Terminate on an error of DDP", terminate_is_sent)
{
	return OTHERWISE(terminate_is_sent) && e->type >> 4 != 1;
}

MUTANT(rdmap_error_closes_silently,
       "RDMAP-7.1-08 RDMAP-4.2-05 RDMAP-5.2.2-06 SCTPX-11.3-02",
       "closes without a Terminate on an error of RDMAP", terminate_is_sent)
{
	return OTHERWISE(terminate_is_sent) && e->type >> 4 != 0;
}

MUTANT(full_buffer_closes_silently, "RDMAP-6.2.1-01",
       "closes without a Terminate on a segment for a buffer that is already "
       "full",
       terminate_is_sent)
{
	bool behind_full = e->type == ERR_DDP_UNTAGGED && e->code == 4 &&
			   e->ulpdu &&
			   be32(e->ulpdu + 14) == c->queue[0].placed;

	return OTHERWISE(terminate_is_sent) && !behind_full;
}

MUTANT(terminate_lost_behind_data, "DDP-7.1-36",
       "closes without a Terminate while other octets wait to be sent",
       terminate_is_sent)
{
	return OTHERWISE(terminate_is_sent) && !buf_len(&c->out);
}

/* The Terminate, and what follows it (RFC 5040 s5.4) */

MUTANT(error_ends_other_streams,
       "SEC-6.4.3.3-01 DDP-7.1-24 RDMAP-8.1.1-01 SEC-6.1.1-01 SEC-6.1.1-02",
       "resets other streams when one has an error", send_terminate)
{
	for (struct conn *o = c->next; o; o = o->next) {
		conn_final(o, CONN_ERROR);
		conn_flush_all(o);
		conn_drop(o, true);
	}
	OTHERWISE(send_terminate);
}

MUTANT(ddp_error_told_as_close, "DDP-6.2.2-02 DDP-8.2-01 DDP-8.2-02",
       "reports an error of DDP to its ULP as an orderly close", send_terminate)
{
	if (e->type >> 4 == 1)
		conn_final(c, CONN_CLOSED);
	OTHERWISE(send_terminate);
}

MUTANT(llp_error_told_as_close, "DDP-7-01",
       "reports an error of the LLP to its ULP as an orderly close",
       send_terminate)
{
	if (e->type >> 4 == 2)
		conn_final(c, CONN_CLOSED);
	OTHERWISE(send_terminate);
}

MUTANT(session_terminate_comes_first, "SCTPX-6.2-03",
       "sends the Session Terminate ahead of the RDMAP Terminate",
       send_terminate)
{
	if (c->stream)
		stream_end(c->stream);
	OTHERWISE(send_terminate);
}

MUTANT(terminate_sent_twice, "DDP-7.1-35 RDMAP-5.4-07",
       "sends its Terminate twice", send_terminate)
{
	OTHERWISE(send_terminate);
	tx_terminate(c, c->terminate.octets, c->terminate.len);
}

static void go_on(struct conn *c)
{
	c->rx_over = false;
	conn_kick(c);
}

MUTANT(goes_on_after_error, "DDP-7.1-35 RDMAP-7.1-05",
       "continues placing after it has reported an error", end_behind_terminate)
{
	go_on(c);
}

MUTANT(goes_on_after_crc_error, "MPA-8-09",
       "reports a wrong CRC and continues delivering", end_behind_terminate)
{
	if (e->type == ERR_MPA)
		go_on(c);
	else
		OTHERWISE(end_behind_terminate);
}

MUTANT(message_after_terminate, "RDMAP-5.4-07",
       "sends an empty Write after its Terminate", end_behind_terminate)
{
	tx_rtr(c, RTR_WRITE);
	OTHERWISE(end_behind_terminate);
}

/* The peer's Terminate (RFC 5040 s5.4) */

MUTANT(unregistered_terminate_dropped, "RDMAP-5.4-04",
       "drops a Terminate whose numbers are not registered", take_terminate)
{
	if ((octets[0] & 0x0f) <= 2 && (octets[1] <= 9 || octets[1] == 0xff))
		OTHERWISE(take_terminate);
}

MUTANT(terminate_ignored_after_half_close, "RDMAP-5.4-04",
       "ignores a Terminate that arrives after its ULP's half-close",
       take_terminate)
{
	if (!c->half)
		OTHERWISE(take_terminate);
}

MUTANT(received_terminate_untold, "RDMAP-5.4-04 EMPA-8-05 RDMAP-4.8-29",
       "does not report a received Terminate to its ULP", report_terminate)
{
	t->known = false;
}

MUTANT(terminate_of_code_zero_untold, "RDMAP-5.4-04 RDMAP-4.8-29",
       "does not report to its ULP a Terminate whose error code is 0",
       report_terminate)
{
	if (t->octets[1])
		OTHERWISE(report_terminate);
	else
		t->known = false;
}

MUTANT(terminate_of_ddp_untold, "RDMAP-5.4-04 RDMAP-4.8-29",
       "does not report to its ULP a Terminate of DDP", report_terminate)
{
	if (t->octets[0] >> 4 != 1)
		OTHERWISE(report_terminate);
	else
		t->known = false;
}

MUTANT(terminate_length_in_12_bits, "RDMAP-4.8-12",
       "returns the low 12 bits of the DDP Segment Length", send_terminate)
{
	struct stream_error short_of = *e;

	short_of.len &= 0xfff;
	send_terminate_otherwise(self, c, &short_of);
}

/* What was delivered before it is discarded with the stream. */
static void unanswered_atomics_succeed(struct conn *c)
{
	for (struct work *work = c->work; work; work = work->next)
		if (work->issued && work_is_atomic(work) && !work->answered &&
		    work->status == STATUS_NONE)
			work->status = STATUS_OK;
}

MUTANT(outstanding_atomic_succeeds, "RDMAPX-5.4-07",
       "completes its outstanding atomics with success when a Terminate "
       "arrives",
       take_terminate)
{
	unanswered_atomics_succeed(c);
	OTHERWISE(take_terminate);
}

static void send_begun_succeeds(struct conn *c)
{
	struct work *work = c->unsent;

	if (work && work->begun && !work->issued && work->op == OP_SEND &&
	    work->status == STATUS_NONE)
		work->status = STATUS_OK;
}

MUTANT(half_a_send_succeeds_at_a_terminate, "RDMAP-5.5-18",
       "completes the Send that it has begun with success when a Terminate "
       "arrives",
       take_terminate)
{
	send_begun_succeeds(c);
	OTHERWISE(take_terminate);
}

MUTANT(half_a_send_succeeds_at_an_error, "RDMAP-5.5-18",
       "completes the Send that it has begun with success when it sends a "
       "Terminate",
       send_terminate)
{
	send_begun_succeeds(c);
	OTHERWISE(send_terminate);
}

MUTANT(send_before_a_terminate_lost, "DDP-5.4-01",
       "loses the Sends that its ULP has not fetched when a Terminate arrives",
       take_terminate)
{
	while (c->events && c->events->op == OP_RECV)
		event_free(event_take(c));
	OTHERWISE(take_terminate);
}
