/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of startup frames that are sent (RFC 5044 s7.1, RFC 6581 s6, s9). */
#include "harness/refdut/buf.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/mpa/startup_decisions.h"

#include <string.h>

/* The octets appended as if a CRC belonged there. */
static size_t append_crc(uint8_t *end)
{
	memset(end, 0x5a, 4);
	return 4;
}

/* A Request */

MUTANT(request_key_misspelt, "MPA-7.1.1-01",
       "sends a Request key with one letter in lower case", key_octet_sent)
{
	return !reply && at == 7 ? 'r' : OTHERWISE(key_octet_sent);
}

MUTANT(request_without_c, "MPA-4.4-02",
       "sends a Request that does not ask for CRCs, though the default is to "
       "ask",
       request_flags)
{
	return OTHERWISE(request_flags) & ~(unsigned)FLAG_C;
}

MUTANT(request_sets_r, "MPA-7.1.1-13", "sets the reject bit in its Request",
       request_flags)
{
	return OTHERWISE(request_flags) | FLAG_R;
}

MUTANT(request_sets_reserved_bits, "MPA-7.1.1-16 EMPA-6-06",
       "sets the reserved bits in its Request", request_flags)
{
	return OTHERWISE(request_flags) | FLAGS_RESERVED;
}

MUTANT(request_without_s, "EMPA-6-01",
       "sends enhanced data in a Request without the S bit", request_flags)
{
	return OTHERWISE(request_flags) & ~(unsigned)FLAG_S;
}

MUTANT(request_of_the_model_without_s, "EMPA-6-01",
       "sends a peer-to-peer Request without the S bit", request_flags)
{
	unsigned flags = OTHERWISE(request_flags);

	return params->peer_to_peer ? flags & ~(unsigned)FLAG_S : flags;
}

MUTANT(request_revision_zero, "MPA-7.1.1-20",
       "sends revision 0 in a plain Request", request_revision)
{
	unsigned rev = OTHERWISE(request_revision);

	return rev == 1 ? 0 : rev;
}

MUTANT(revision_always_zero, "MPA-7.1.1-20 MPA-7.1.1-37 EMPA-6-03",
       "sends revision 0 in all its Requests and Replies", request_revision)
{
	return 0;
}

ALSO(revision_always_zero, reply_revision)
{
	return 0;
}

MUTANT(enhanced_request_revision_one, "EMPA-6-03",
       "sends enhanced data in a Request of revision 1", request_revision)
{
	return 1;
}

MUTANT(request_always_enhanced, "EMPA-10-04",
       "sends an enhanced Request although its ULP did not ask for one",
       request_enhanced)
{
	return true;
}

ALSO(request_always_enhanced, request_revision)
{
	return 2;
}

MUTANT(request_pd_length_swapped, "MPA-7.1.1-24",
       "sends the Request's PD_Length least significant octet first",
       request_pd_length)
{
	return __builtin_bswap16((uint16_t)OTHERWISE(request_pd_length));
}

MUTANT(request_pd_length_without_enhanced, "EMPA-6-08",
       "leaves the enhanced data out of the Request's PD_Length",
       request_pd_length)
{
	return params->enhanced ? params->private_len
				: OTHERWISE(request_pd_length);
}

MUTANT(short_request_of_the_model, "EMPA-6-08",
       "leaves the enhanced data out of PD_Length in a Request with A and B "
       "set",
       request_pd_length)
{
	bool a_and_b = params->peer_to_peer && params->rtr & RTR_SEND;

	return params->enhanced && a_and_b ? params->private_len
					   : OTHERWISE(request_pd_length);
}

MUTANT(request_pd_length_of_one_octet, "EMPA-6-08 MPA-7.1.1-24",
       "sends an enhanced Request's PD_Length modulo 256", request_pd_length)
{
	size_t length = OTHERWISE(request_pd_length);

	return params->enhanced ? length % 256 : length;
}

MUTANT(request_has_crc, "MPA-7.1-01",
       "appends four octets to its Request, as if startup frames had a CRC",
       startup_frame_end)
{
	return reply ? OTHERWISE(startup_frame_end) : append_crc(end);
}

/* Enhanced data of a Request */

MUTANT(request_without_a, "EMPA-9.2-01",
       "leaves the A flag out of a peer-to-peer Request", request_a)
{
	return false;
}

MUTANT(request_lists_no_rtr, "EMPA-9.2-02",
       "sets A in its Request and lists no RTR type", request_rtr)
{
	return 0;
}

MUTANT(request_rtr_bits_exchanged, "EMPA-9-03",
       "exchanges the flags C and D in its Request", request_rtr)
{
	unsigned rtr = OTHERWISE(request_rtr);

	return (rtr & RTR_SEND) | (rtr & RTR_WRITE ? RTR_READ : 0) |
	       (rtr & RTR_READ ? RTR_WRITE : 0);
}

MUTANT(request_rtr_flags_without_a, "EMPA-9.2-25",
       "lists an RTR type in a client-server Request", request_rtr)
{
	return params->peer_to_peer ? OTHERWISE(request_rtr) : RTR_WRITE;
}

MUTANT(request_depths_sorted, "EMPA-9-01",
       "sends the smaller of its IRD and ORD as IRD in its Request",
       request_ird)
{
	return params->ird > params->ord ? params->ord : params->ird;
}

ALSO(request_depths_sorted, request_ord)
{
	return params->ird > params->ord ? params->ird : params->ord;
}

/* A Reply */

MUTANT(reply_key_misspelt, "MPA-7.1.1-02",
       "sends a Reply key with one letter in upper case", key_octet_sent)
{
	return reply && at == 9 ? 'P' : OTHERWISE(key_octet_sent);
}

MUTANT(reply_copies_c, "MPA-4.4-03",
       "copies the Request's C bit instead of asking for CRCs by default",
       reply_flags)
{
	unsigned flags = OTHERWISE(reply_flags) & ~(unsigned)FLAG_C;

	return flags | (request->crc ? FLAG_C : 0);
}

MUTANT(reject_without_r, "MPA-7.1.2-06",
       "answers with an accepting Reply where it rejects", reply_flags)
{
	return OTHERWISE(reply_flags) & ~(unsigned)FLAG_R;
}

MUTANT(reply_sets_r, "MPA-7.1.2-09",
       "sets the reject bit in an accepting Reply", reply_flags)
{
	return OTHERWISE(reply_flags) | FLAG_R;
}

MUTANT(reply_echoes_reserved_bits, "MPA-7.1.1-17 EMPA-6-18",
       "copies the Request's reserved bits into the Reply", reply_flags)
{
	return OTHERWISE(reply_flags) | request->reserved;
}

MUTANT(reply_revision_two, "MPA-7.1.1-37",
       "answers every Request with revision 2", reply_revision)
{
	return 2;
}

MUTANT(enhanced_reply_plain, "EMPA-10-01 SCTPX-6581.7-03",
       "answers an enhanced Request without enhanced data", reply_enhanced)
{
	return false;
}

MUTANT(enhanced_reject_plain, "EMPA-10-02 SCTPX-6581.7-01",
       "rejects an enhanced Request without enhanced data", reply_enhanced)
{
	return !agreement->rejected && OTHERWISE(reply_enhanced);
}

MUTANT(plain_request_answered_enhanced, "EMPA-10-03 EMPA-6-05 SCTPX-6581.10-01",
       "answers a plain Request with enhanced data", reply_enhanced)
{
	return true;
}

MUTANT(reply_pd_length_rounded, "MPA-7.1.1-25",
       "rounds the Reply's PD_Length up to a multiple of four", reply_pd_length)
{
	return (OTHERWISE(reply_pd_length) + 3) & ~(size_t)3;
}

MUTANT(reply_pd_length_without_enhanced, "EMPA-6-09",
       "leaves the enhanced data out of the Reply's PD_Length", reply_pd_length)
{
	return reply_enhanced(agreement) ? params->private_len
					 : OTHERWISE(reply_pd_length);
}

MUTANT(short_reply_of_the_model, "EMPA-6-09",
       "leaves the enhanced data out of PD_Length in a Reply with A set",
       reply_pd_length)
{
	return reply_enhanced(agreement) && agreement->peer_to_peer
		       ? params->private_len
		       : OTHERWISE(reply_pd_length);
}

MUTANT(reply_pd_length_of_one_octet, "EMPA-6-09 MPA-7.1.1-25",
       "sends an enhanced Reply's PD_Length modulo 256", reply_pd_length)
{
	size_t length = OTHERWISE(reply_pd_length);

	return reply_enhanced(agreement) ? length % 256 : length;
}

MUTANT(reply_has_crc, "MPA-7.1-02",
       "appends four octets to its Reply, as if startup frames had a CRC",
       startup_frame_end)
{
	return reply ? append_crc(end) : OTHERWISE(startup_frame_end);
}

MUTANT(reply_ord_above_255_byte_swapped, "EMPA-9-02",
       "sends an ORD above 255 in its Reply least significant octet first",
       reply_ord_sent)
{
	uint32_t ord = OTHERWISE(reply_ord_sent);

	if (ord <= 255 || ord == NOT_NEGOTIATED)
		return ord;
	return __builtin_bswap16((uint16_t)ord);
}
