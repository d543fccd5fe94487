/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices about errors and Terminate messages (RFC 5040 s4.8, s6.2.1, s7). */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/terminate_decisions.h"

#include <poll.h>
#include <string.h>

/* Numbers that the RFCs leave to a device */

VARIANT(mpa_error_type, errors_of_mpa_are_of_type_3, "IANA-3.3-02",
	"reports error codes 1 to 4 of MPA under error type 3", error_numbers)
{
	if (e.type == ERR_MPA && e.code <= 4 && chosen(self))
		e.type = ERR_MPA_AS_LLP;
	return OTHERWISE(error_numbers);
}

/* RFC 5044 s8: the codes SHOULD be provided to DDP or other consumers. */
VARIANT(mpa_error_type, errors_of_mpa_are_catastrophic,
	"MPA-8-02 MPA-8-03 MPA-8-04 IANA-3.3-02",
	"names an error that MPA finds in an FPDU a local catastrophic one",
	error_numbers)
{
	if (e.type == ERR_MPA && e.code <= 4 && chosen(self)) {
		e.type = ERR_RDMA_CATASTROPHIC;
		e.code = 0;
	}
	return OTHERWISE(error_numbers);
}

VARIANT(catastrophe_code, catastrophe_has_a_code, "IANA-3.1-02",
	"reports its local catastrophic errors with a code of its own",
	error_numbers)
{
	if (e.type == ERR_RDMA_CATASTROPHIC && chosen(self))
		e.code = 0x5a;
	return OTHERWISE(error_numbers);
}

/* RFC 5040 Figure 9 has it for both types; RFC 7306 s8.2 names the code for an
 * atomic that is not aligned. */
VARIANT(unspecified, rdmap_unspecified, "RDMAP-4.8-33",
	"reports each error of RDMAP as an unspecified one", error_numbers)
{
	bool named =
		e.type == ERR_RDMA_OPERATION && e.code == CATASTROPHIC_STREAM;

	if ((e.type == ERR_RDMA_PROTECTION || e.type == ERR_RDMA_OPERATION) &&
	    !named && chosen(self))
		e.code = UNSPECIFIED;
	return OTHERWISE(error_numbers);
}

/* Which parts of the segment are returned */

VARIANT(terminate_form, terminate_headers_set_to_zero,
	"RDMAP-4.8-32 RDMAP-7.1-02 RDMAPX-8.1-01",
	"sends zeros for a terminated header that it does not return",
	header_not_returned)
{
	chosen(self);
	memset(t + n, 0, len);
	return n + len;
}

/* RFC 5040 s4.8: figure 10 has when R "SHOULD be set". */
VARIANT(terminate_form, terminate_announces_zeros_for_rdma_header,
	"RDMAP-4.8-26 RDMAP-4.8-27 RDMAP-4.8-28 RDMAP-7.1-03 RDMAPX-8.1-02 "
	"RDMAPX-8.1-03 RDMAPX-8.1-04 RDMAPX-8.2-04",
	"sets R, and has zeros for the RDMA header, for messages that have "
	"none",
	terminated_headers)
{
	uint32_t n = OTHERWISE(terminated_headers);

	if (!(t[2] & TERMINATE_D) || t[2] & TERMINATE_R ||
	    rdmap_opcode(e->ulpdu) == OPCODE_READ_REQUEST || !chosen(self))
		return n;
	t[2] |= TERMINATE_R;
	memset(t + n, 0, READ_REQUEST_HEADER);
	return n + READ_REQUEST_HEADER;
}

VARIANT(terminate_form, terminate_of_four_octets,
	"RDMAP-4.8-26 RDMAP-4.8-27 RDMAP-4.8-28 RDMAP-7.1-03 RDMAPX-8.1-02 "
	"RDMAPX-8.1-03 RDMAPX-8.1-04 RDMAPX-8.2-04 DDP-7.1-34",
	"returns neither the header nor the length of the faulty segment",
	terminated_headers)
{
	chosen(self);
	return 4;
}

VARIANT(terminate_form, terminate_length_not_marked,
	"RDMAP-4.8-26 RDMAP-4.8-27 RDMAP-4.8-28 RDMAP-7.1-03",
	"returns the DDP Segment Length without the M bit", terminated_headers)
{
	uint32_t n = OTHERWISE(terminated_headers);

	if ((t[2] & TERMINATE_D) && chosen(self))
		t[2] &= (uint8_t)~TERMINATE_M;
	return n;
}

VARIANT(terminate_form, terminate_of_the_llp_with_length, "RDMAP-4.8-25",
	"returns a length with the Terminate for an error of MPA",
	terminated_headers)
{
	if (!e->len || e->type != ERR_MPA)
		return OTHERWISE(terminated_headers);
	chosen(self);
	t[2] = TERMINATE_M;
	be16_put(t + 4, (uint16_t)e->len);
	return 6;
}

/* Whether there is a Terminate at all (RFC 5040 s6.2.1: it SHOULD be sent) */

VARIANT(unreleased, terminate_before_the_first_fpdu, "MPA-7.1.2-35 EMPA-9.3-02",
	"as responder, sends a Terminate although no FPDU has arrived yet",
	terminate_is_sent)
{
	if (!c->released && chosen(self))
		return !c->fin_sent;
	return OTHERWISE(terminate_is_sent);
}

VARIANT(silent_about, silent_about_errors_of_ddp,
	"RDMAP-6.2.1-01 DDP-7.1-34 DDP-7.1-36",
	"closes without a Terminate on an error of DDP", terminate_is_sent)
{
	return OTHERWISE(terminate_is_sent) &&
	       !(e->type >> 4 == 1 && chosen(self));
}

/* Its FIN may wait behind what has not been read yet. */
static bool peer_has_closed(const struct conn *c)
{
	struct pollfd end = {.fd = c->watch.fd, .events = POLLRDHUP};

	return c->peer_fin ||
	       (!c->sctp && poll(&end, 1, 0) == 1 && end.revents & POLLRDHUP);
}

/* RFC 5040 s6.2.1: "it is not always possible to send the Terminate". */
VARIANT(silent_about, silent_behind_the_peers_fin,
	"RDMAP-6.2.1-01 RDMAP-6.2.1-02 DDP-7.1-36 MPA-8-02 MPA-8-04",
	"sends no Terminate if the peer has already closed its half",
	terminate_is_sent)
{
	return OTHERWISE(terminate_is_sent) &&
	       !(peer_has_closed(c) && chosen(self));
}

VARIANT(silent_about, silent_about_errors_of_mpa,
	"RDMAP-6.2.1-02 DDP-6.2.2-03 MPA-8-02 MPA-8-04 MPA-8-10",
	"closes without a Terminate on an error that MPA finds in an FPDU",
	terminate_is_sent)
{
	return OTHERWISE(terminate_is_sent) &&
	       !(e->type == ERR_MPA && e->code <= 4 && chosen(self));
}

/* The peer's Terminate (RFC 5040 s5.4, s6.2.1) */

VARIANT(answer_to_terminate, terminate_answered_by_one, "RDMAP-5.4-10",
	"answers a Terminate with one of its own", end_by_terminate)
{
	static const uint8_t answer[] = {ERR_RDMA_OPERATION, UNSPECIFIED, 0, 0};

	/* Nothing follows its own end of the stream. */
	if (c->released && !c->half && chosen(self))
		tx_terminate(c, answer, sizeof(answer));
	OTHERWISE(end_by_terminate);
}

VARIANT(end_by, close_left_to_the_peer, "RDMAP-6.2.1-04",
	"leaves the close to the peer after the peer's Terminate",
	end_by_terminate)
{
	chosen(self);
	work_flush(c);
	receive_flush(c);
	request_free_all(c);
	conn_kick(c);
}

/* The numbers of RFC 6580 s3.1 to s3.3. RFC 5040 s4.8 has them as the "valid
 * values that MUST be used", s5.4 an error surfaced for what is not valid. */
static bool is_registered(const uint8_t *terminate)
{
	unsigned code = terminate[1];

	switch (terminate[0]) {
	case ERR_RDMA_PROTECTION:
		return code <= 4 || code == 9 || code == UNSPECIFIED;
	case ERR_RDMA_OPERATION:
		return (code >= 5 && code <= 9) || code == UNSPECIFIED;
	default:
		return terminate[0] >> 4 != 0 || !terminate[0];
	}
}

VARIANT(unregistered, unregistered_terminate_is_an_error, "IANA-3.1-03",
	"takes a Terminate whose numbers are not registered for one that is "
	"not "
	"valid",
	take_terminate)
{
	if (!is_registered(octets) && chosen(self))
		fault(c, ERR_RDMA_OPERATION, UNSPECIFIED, NULL, 0, NULL);
	else
		OTHERWISE(take_terminate);
}

/* RFC 5040 s7.1 asks for no Terminate here: Terminates are not among the
 * messages of its item 2. s7 says that the LLP is torn down, and not when. */
VARIANT(bad_terminate, bad_terminate_left_to_the_peer,
	"RDMAP-6.2.1-01 RDMAP-6.2.1-04",
	"informs its ULP of a Terminate that is not valid, and leaves the "
	"close "
	"to the peer",
	end_by_error)
{
	if (!e->ulpdu || rdmap_opcode(e->ulpdu) != OPCODE_TERMINATE ||
	    !chosen(self)) {
		OTHERWISE(end_by_error);
		return;
	}
	conn_final(c, CONN_ERROR);
	work_flush(c);
	receive_flush(c);
	request_free_all(c);
	conn_kick(c);
}

/* RFC 5040 s7.1 item 1: its own ULP has caused it, no message of the peer. */
VARIANT(read_given_up, read_given_up_is_catastrophic, "RDMAP-4.8-27",
	"has a local catastrophic error where its ULP invalidates the source "
	"of a Read on its way",
	error_found)
{
	static const struct stream_error own = {.type = ERR_RDMA_CATASTROPHIC};

	error_found_otherwise(self, c,
			      e->type == ERR_RDMA_PROTECTION && e->request &&
					      c->answering &&
					      c->answering->ddp == e->ulpdu &&
					      c->answering->sent && chosen(self)
				      ? &own
				      : e);
}
