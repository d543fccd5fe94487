/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices about errors and Terminate messages (RFC 5040 s4.8, s6.2.1, s7). */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/terminate_decisions.h"

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
	"MPA-8-02 MPA-8-03 MPA-8-04 DDP-7-01 IANA-3.3-02 RDMAP-6.2.1-02",
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

/* RFC 5040 s6.2.1: "it is not always possible to send the Terminate". */
VARIANT(silent_about, silent_behind_the_peers_fin,
	"RDMAP-6.2.1-01 RDMAP-6.2.1-02 DDP-7.1-36 MPA-8-02 MPA-8-04",
	"sends no Terminate if the peer has already closed its half",
	terminate_is_sent)
{
	return OTHERWISE(terminate_is_sent) && !(c->peer_fin && chosen(self));
}

VARIANT(silent_about, silent_about_errors_of_mpa,
	"RDMAP-6.2.1-02 DDP-7-01 DDP-6.2.2-03 MPA-8-02 MPA-8-04 MPA-8-10",
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

	if (c->released && chosen(self))
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
