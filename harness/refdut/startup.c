/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the texts leave a choice:
 * - usable revisions are 1 and 2; a responder with mpa=1 takes 1 only;
 * - S counts from revision 2 on, and is a reserved bit, unchecked, before;
 * - the Reply has the revision of the Request;
 * - enhanced data that would not fit its four octets makes a bad frame;
 * - a Reply without enhanced data to a Request with it is a bad frame;
 * - the Reply offers the whole local IRD, whatever ORD was asked for, and at
 *   least 1 where only a Read can be the RTR;
 * - an A flag that differs from the Request's ends the setup as "no matching
 *   RTR", and a responder that wants more IRD than was offered ends it as
 *   "insufficient IRD": we offered what we have.
 */
#include "harness/refdut/startup.h"
#include "harness/refdut/buf.h"
#include "harness/refdut/layout.h"
#include "harness/refdut/limits.h"
#include "harness/refdut/mutants.h"
#include "harness/refdut/variants.h"

#include <string.h>

enum { FLAG_M = 0x80, FLAG_C = 0x40, FLAG_R = 0x20, FLAG_S = 0x10 };

static const char request_key[] = "MPA ID Req Frame";
static const char reply_key[] = "MPA ID Rep Frame";

enum { KEY = 16 };

static bool key_char_fits(size_t at, char want, char got, bool reply)
{
	if (want == got)
		return true;
	if (mutant(MUTANT_request_key_checked_in_part) && !reply)
		return at >= 10;
	if (mutant(MUTANT_reply_key_checked_in_part) && reply)
		return at >= 10;
	if (mutant(MUTANT_request_key_ignores_case) && !reply)
		return (want | 0x20) == (got | 0x20);
	if (mutant(MUTANT_request_taken_for_reply) && reply)
		return request_key[at] == got;
	if (mutant(MUTANT_reply_taken_for_request) && !reply)
		return reply_key[at] == got;
	return false;
}

static bool key_fits(const uint8_t *octets, size_t n, bool reply)
{
	const char *key = reply ? reply_key : request_key;

	for (size_t i = 0; i < n && i < KEY; i++)
		if (!key_char_fits(i, key[i], (char)octets[i], reply))
			return false;
	return true;
}

static bool revision_usable(unsigned rev, bool reply)
{
	if (mutant(MUTANT_request_revision_unchecked) && !reply)
		return true;
	return rev == 1 || rev == 2 ||
	       (rev > 2 && variant(VARIANT_later_revisions_taken));
}

void startup_read_enhanced(struct startup_frame *frame, const uint8_t *octets)
{
	uint16_t first = be16(octets);
	uint16_t second = be16(octets + 2);

	frame->peer_to_peer = first & 0x8000;
	frame->rtr = (first & 0x4000 ? RTR_SEND : 0) |
		     (second & 0x8000 ? RTR_WRITE : 0) |
		     (second & 0x4000 ? RTR_READ : 0);
	frame->ird = first & 0x3fff;
	frame->ord = second & 0x3fff;
	if (mutant(MUTANT_ird_ord_flags_unmasked)) {
		frame->ird = first & 0x7fff;
		frame->ord = second;
	}
}

static bool reserved_refused(const struct startup_frame *frame, bool reply)
{
	if (!frame->reserved)
		return false;
	return mutant(reply ? MUTANT_reply_reserved_bits_checked
			    : MUTANT_request_reserved_bits_checked);
}

/* Of all private data, and of what is the ULP's. */
static bool private_refused(size_t len, size_t ulps, bool reply)
{
	size_t max = STARTUP_PRIVATE_MAX;

	if (ulps > limit_private() &&
	    limit_private() < STARTUP_PRIVATE_MAX - ENHANCED_SIZE &&
	    !mutant(MUTANT_private_data_cut_to_buffer))
		return true;

	if (mutant(reply ? MUTANT_reply_private_limit_ignored
			 : MUTANT_request_private_limit_ignored))
		max = 1024;
	return len > max;
}

enum startup_progress startup_read(struct startup_frame *frame, bool reply,
				   const uint8_t *octets, size_t n,
				   size_t *used)
{
	const uint8_t *data = octets + STARTUP_HEADER;
	size_t len;

	if (!key_fits(octets, n, reply))
		return STARTUP_BAD;
	if (n < STARTUP_HEADER) {
		if (mutant(reply ? MUTANT_reply_split_refused
				 : MUTANT_request_split_refused))
			return STARTUP_BAD;
		return STARTUP_MORE;
	}
	if (reply && n < STARTUP_HEADER + ENHANCED_SIZE &&
	    mutant(MUTANT_reply_of_24_octets_awaited))
		return STARTUP_MORE;
	memset(frame, 0, offsetof(struct startup_frame, private_data));
	frame->markers = octets[16] & FLAG_M;
	frame->crc = octets[16] & FLAG_C;
	frame->rejected = octets[16] & FLAG_R;
	frame->rev = octets[17];
	frame->enhanced = (octets[16] & FLAG_S) &&
			  (frame->rev >= 2 ||
			   variant(VARIANT_revision_one_with_s_enhanced));
	if (!reply && frame->rev == 1 && octets[16] & FLAG_S &&
	    variant(VARIANT_revision_one_with_s_closed))
		return STARTUP_BAD;
	frame->reserved = octets[16] & 0x0f;
	len = be16(octets + 18);
	if (!revision_usable(frame->rev, reply) ||
	    reserved_refused(frame, reply))
		return STARTUP_BAD;
	if (!reply && frame->rejected && mutant(MUTANT_request_r_checked))
		return STARTUP_BAD;
	if (!reply && len == 0 && mutant(MUTANT_empty_private_data_refused))
		return STARTUP_BAD_PRIVATE;
	if (!reply && (len & 0x8000) && mutant(MUTANT_pd_length_overruns))
		mutant_crash("private data of a Request overruns its buffer");
	/* A negative length is below the limit: take what is there. */
	if (!reply && (len & 0x8000) && mutant(MUTANT_pd_length_signed))
		len = n - STARTUP_HEADER;
	if (frame->enhanced && len < ENHANCED_SIZE &&
	    mutant(reply ? MUTANT_short_enhanced_reply_taken
			 : MUTANT_short_enhanced_request_taken))
		frame->enhanced = false;
	if (frame->enhanced && len < ENHANCED_SIZE)
		return STARTUP_BAD_PRIVATE;
	if (private_refused(len, len - (frame->enhanced ? ENHANCED_SIZE : 0),
			    reply))
		return STARTUP_BAD_PRIVATE;
	if (n < STARTUP_HEADER + len) {
		if (!mutant(reply ? MUTANT_reply_acted_on_early
				  : MUTANT_request_acted_on_early))
			return STARTUP_MORE;
		len = n - STARTUP_HEADER;
		frame->enhanced &= len >= ENHANCED_SIZE;
	}
	*used = STARTUP_HEADER + len;
	if (reply && mutant(MUTANT_reply_private_padded)) {
		*used = (*used + 3) & ~(size_t)3;
		if (n < *used)
			return STARTUP_MORE;
	}
	if (frame->enhanced) {
		startup_read_enhanced(frame, data);
		if (!mutant(MUTANT_enhanced_data_shown_as_private)) {
			data += ENHANCED_SIZE;
			len -= ENHANCED_SIZE;
		}
	}
	if (reply && frame->enhanced &&
	    mutant(MUTANT_reply_private_data_counted_short)) {
		if (len < ENHANCED_SIZE)
			return STARTUP_BAD_PRIVATE;
		len -= ENHANCED_SIZE;
	}
	if (len > STARTUP_PRIVATE_MAX)
		len = STARTUP_PRIVATE_MAX;
	if ((mutant(reply ? MUTANT_reply_private_cut
			  : MUTANT_request_private_cut) ||
	     mutant(MUTANT_private_data_cut_to_buffer)) &&
	    len > 256)
		len = 256;
	frame->private_len = (uint32_t)len;
	memcpy(frame->private_data, data, len);
	return STARTUP_DONE;
}

static size_t write_frame(uint8_t *octets, const char *key, unsigned flags,
			  unsigned rev, const uint8_t *enhanced,
			  const struct params *params)
{
	bool bare = variant(key == reply_key
				    ? VARIANT_reply_without_private_data
				    : VARIANT_request_without_private_data);
	size_t n = STARTUP_HEADER;

	memcpy(octets, key, KEY);
	octets[16] = (uint8_t)flags;
	octets[17] = (uint8_t)rev;
	if (enhanced) {
		memcpy(octets + n, enhanced, ENHANCED_SIZE);
		n += ENHANCED_SIZE;
	}
	if (!bare) {
		memcpy(octets + n, params->private_data, params->private_len);
		n += params->private_len;
	}
	be16_put(octets + 18, (uint16_t)(n - STARTUP_HEADER));
	return n;
}

static void write_enhanced(uint8_t *octets, bool a, unsigned rtr, uint32_t ird,
			   uint32_t ord)
{
	be16_put(octets,
		 (uint16_t)((a ? 0x8000 : 0) | (rtr & RTR_SEND ? 0x4000 : 0) |
			    (ird & 0x3fff)));
	be16_put(octets + 2,
		 (uint16_t)((rtr & RTR_WRITE ? 0x8000 : 0) |
			    (rtr & RTR_READ ? 0x4000 : 0) | (ord & 0x3fff)));
}

void startup_enhanced_request(uint8_t *enhanced, const struct params *params)
{
	unsigned rtr = params->peer_to_peer ? params->rtr : 0;

	if (mutant(MUTANT_request_lists_no_rtr))
		rtr = 0;
	if (mutant(MUTANT_request_rtr_bits_exchanged))
		rtr = (rtr & RTR_SEND) | (rtr & RTR_WRITE ? RTR_READ : 0) |
		      (rtr & RTR_READ ? RTR_WRITE : 0);
	write_enhanced(enhanced,
		       params->peer_to_peer &&
			       !mutant(MUTANT_request_without_a),
		       rtr, params->ird, params->ord);
	if (mutant(MUTANT_request_depths_sorted) && params->ird > params->ord)
		write_enhanced(enhanced, params->peer_to_peer, rtr, params->ord,
			       params->ird);
	if (mutant(MUTANT_request_rtr_flags_without_a) && !params->peer_to_peer)
		write_enhanced(enhanced, false, RTR_WRITE, params->ird,
			       params->ord);
	layout_enhanced(enhanced, false);
}

size_t startup_request(uint8_t *octets, const struct params *params)
{
	unsigned flags =
		(params->markers ? FLAG_M : 0) | (params->crc ? FLAG_C : 0);
	unsigned rtr = params->peer_to_peer ? params->rtr : 0;
	unsigned rev = params->rev;
	uint8_t enhanced[ENHANCED_SIZE];
	size_t n;

	if (rev == 1 && variant(VARIANT_plain_requests_of_revision_two))
		rev = 2;
	if (mutant(MUTANT_request_without_c))
		flags &= ~(unsigned)FLAG_C;
	if (mutant(MUTANT_request_sets_r))
		flags |= FLAG_R;
	if (mutant(MUTANT_request_sets_reserved_bits))
		flags |= 0x0f;
	if (mutant(MUTANT_request_revision_zero) && rev == 1)
		rev = 0;
	if (params->enhanced && !mutant(MUTANT_request_without_s) &&
	    !(params->peer_to_peer &&
	      mutant(MUTANT_request_of_the_model_without_s)))
		flags |= FLAG_S;
	if (mutant(MUTANT_enhanced_request_revision_one))
		rev = 1;
	startup_enhanced_request(enhanced, params);
	if (mutant(MUTANT_request_always_enhanced)) {
		flags |= FLAG_S;
		rev = 2;
	}
	n = write_frame(octets, request_key, flags, rev,
			flags & FLAG_S || params->enhanced ? enhanced : NULL,
			params);
	if (mutant(MUTANT_request_key_misspelt))
		octets[7] = 'r';
	if (mutant(MUTANT_request_pd_length_swapped)) {
		uint8_t high = octets[18];

		octets[18] = octets[19];
		octets[19] = high;
	}
	if (params->enhanced &&
	    (mutant(MUTANT_request_pd_length_without_enhanced) ||
	     (params->peer_to_peer && (rtr & RTR_SEND) &&
	      mutant(MUTANT_short_request_of_the_model))))
		be16_put(octets + 18, (uint16_t)params->private_len);
	if (params->enhanced && mutant(MUTANT_request_pd_length_of_one_octet))
		octets[18] = 0;
	if (mutant(MUTANT_request_has_crc)) {
		memset(octets + n, 0x5a, 4);
		n += 4;
	}
	return n;
}

static uint32_t lower(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* What the Reply says of the device's IRD. */
static uint32_t offered_ird(uint32_t ird, const struct startup_frame *request)
{
	if (request->ord == NOT_NEGOTIATED)
		return ird;
	if (request->ord > ird && variant(VARIANT_reply_ird_covers_request))
		return lower(request->ord, limit_ird());
	if (request->ord < ird && variant(VARIANT_reply_ird_no_more_than_asked))
		return request->ord;
	if (variant(VARIANT_reply_ird_is_what_was_asked))
		return lower(ird, request->ord ? request->ord : 1);
	if (variant(VARIANT_reply_ird_halved))
		return (ird + 1) / 2;
	return ird;
}

/* RFC 6581 s9.1, the responder's half. */
static void answer_depths(struct agreement *a, const struct params *params,
			  const struct startup_frame *request)
{
	uint32_t ird = lower(params->ird, limit_ird());
	uint32_t ord = lower(params->ord, limit_ord());

	if (ird == 0 && request->peer_to_peer && params->rtr == RTR_READ)
		ird = 1;
	ird = offered_ird(ird, request);
	a->ird = ird;
	a->ord = lower(ord, request->ird);
	if (variant(VARIANT_reply_ord_halved))
		a->ord = (a->ord + 1) / 2;
	if (((request->ird > limit_ord() && request->ird != NOT_NEGOTIATED) ||
	     (request->ord > limit_ird() && request->ord != NOT_NEGOTIATED)) &&
	    variant(VARIANT_huge_depths_rejected))
		a->rejected = true;
	a->reply_ird = ird;
	a->reply_ord = a->ord;
	if (mutant(MUTANT_reply_ord_understated))
		a->ord += 4;
	if (mutant(MUTANT_reply_ord_above_ird))
		a->ord = ord;
	if (mutant(MUTANT_reply_ord_above_ird))
		a->reply_ord = ord;
	if (mutant(MUTANT_reply_ird_too_low))
		a->reply_ird = lower(ird, 1);
	if (request->ord == NOT_NEGOTIATED &&
	    mutant(MUTANT_unnegotiated_ord_leaves_one_read))
		a->ird = lower(ird, 1);
	if (mutant(MUTANT_reply_ird_overstated))
		a->reply_ird = ird + 8;
	if (request->ord == NOT_NEGOTIATED &&
	    !mutant(MUTANT_unnegotiated_ord_answered_with_ird))
		a->reply_ird = NOT_NEGOTIATED;
	if (request->ird == NOT_NEGOTIATED) {
		a->ord = mutant(MUTANT_unnegotiated_ird_lifts_ord) ? limit_ord()
								   : ord;
		if (!mutant(MUTANT_unnegotiated_ird_answered_with_ord))
			a->reply_ord = NOT_NEGOTIATED;
	}
	if (mutant(MUTANT_unnegotiated_values_coupled) &&
	    (request->ird == NOT_NEGOTIATED || request->ord == NOT_NEGOTIATED))
		a->reply_ird = a->reply_ord = NOT_NEGOTIATED;
	if (mutant(MUTANT_large_depth_not_negotiated) &&
	    request->ird > limit_ord())
		a->reply_ord = NOT_NEGOTIATED;
	if (params->has_need_ord && request->ird != NOT_NEGOTIATED &&
	    request->ird < params->need_ord &&
	    !variant(VARIANT_needed_ord_lowered)) {
		a->rejected = true;
		a->reply_ord = params->need_ord;
	}
}

static void answer_rtr(struct agreement *a, const struct params *params,
		       const struct startup_frame *request)
{
	a->peer_to_peer = request->peer_to_peer;
	a->rtr = request->peer_to_peer ? params->rtr : 0;
	if (a->rtr & request->rtr &&
	    (variant(VARIANT_reply_lists_what_was_offered) ||
	     variant(VARIANT_reply_lists_one_rtr)))
		a->rtr &= request->rtr;
	if (variant(VARIANT_reply_lists_one_rtr))
		a->rtr &= ~a->rtr + 1;
	if (request->peer_to_peer && !request->rtr &&
	    mutant(MUTANT_no_rtr_offered_answered_without_a)) {
		a->peer_to_peer = false;
		a->rtr = 0;
	}
	if (mutant(MUTANT_reply_lists_common_rtr_only))
		a->rtr &= request->rtr;
	if (mutant(MUTANT_reply_lists_no_rtr))
		a->rtr = 0;
	if (mutant(MUTANT_reply_leaves_out_offered_rtr) &&
	    request->peer_to_peer && a->rtr != request->rtr)
		a->rtr &= ~request->rtr;
	if (mutant(MUTANT_reply_without_a))
		a->peer_to_peer = false;
	if (mutant(MUTANT_reply_a_always)) {
		a->peer_to_peer = true;
		a->rtr = params->rtr;
	}
	if (mutant(MUTANT_rtr_flags_heeded_without_a) && request->rtr)
		a->rtr = request->rtr;
}

void startup_answer(struct agreement *a, const struct params *params,
		    const struct startup_frame *request)
{
	*a = (struct agreement){.rev = request->rev,
				.rejected = params->reject};
	if (params->rev == 1 && request->rev != 1) {
		if (!mutant(MUTANT_enhanced_request_taken_as_plain) ||
		    !request->enhanced) {
			a->refused = true;
			return;
		}
		a->rev = 1;
	}
	if (request->rev == 2 && !request->enhanced &&
	    mutant(MUTANT_revision_two_without_s_refused)) {
		a->refused = true;
		return;
	}
	if (request->markers && mutant(MUTANT_markers_refused)) {
		a->refused = true;
		return;
	}
	a->tx_markers = request->markers;
	if (mutant(MUTANT_markers_by_own_wish))
		a->tx_markers = params->markers;
	if (mutant(MUTANT_markers_always))
		a->tx_markers = true;
	a->crc = request->crc || params->crc;
	a->enhanced = request->enhanced && params->rev != 1;
	a->ird = lower(params->ird, limit_ird());
	a->ord = lower(params->ord, limit_ord());
	if (a->rejected && !a->enhanced && variant(VARIANT_plain_rejects_close))
		a->refused = true;
	if (a->enhanced && !request->peer_to_peer &&
	    mutant(MUTANT_client_server_model_refused))
		a->refused = true;
	if (!a->enhanced)
		return;
	answer_rtr(a, params, request);
	answer_depths(a, params, request);
}

void startup_enhanced_reply(uint8_t *octets, const struct agreement *a)
{
	uint32_t ord = a->reply_ord;

	if (mutant(MUTANT_reply_ord_above_255_byte_swapped) && ord > 255 &&
	    ord != NOT_NEGOTIATED)
		ord = __builtin_bswap16((uint16_t)ord);
	write_enhanced(octets, a->peer_to_peer, a->rtr, a->reply_ird, ord);
	layout_enhanced(octets, true);
}

size_t startup_reply(uint8_t *octets, const struct params *params,
		     const struct agreement *a,
		     const struct startup_frame *request)
{
	unsigned flags =
		(params->markers ? FLAG_M : 0) | (params->crc ? FLAG_C : 0);
	bool enhanced = a->enhanced;
	unsigned rev = a->rev;
	uint8_t data[ENHANCED_SIZE];
	size_t n;

	if (request->crc && variant(VARIANT_reply_c_where_needed))
		flags &= ~(unsigned)FLAG_C;
	if (!enhanced && rev == 2 &&
	    variant(VARIANT_plain_replies_of_revision_one))
		rev = 1;
	if (mutant(MUTANT_reply_copies_c))
		flags = (flags & ~(unsigned)FLAG_C) |
			(request->crc ? FLAG_C : 0);
	if (a->rejected && !mutant(MUTANT_reject_without_r))
		flags |= FLAG_R;
	if (!a->rejected && mutant(MUTANT_reply_sets_r))
		flags |= FLAG_R;
	if (mutant(MUTANT_reply_echoes_reserved_bits))
		flags |= request->reserved;
	if (mutant(MUTANT_reply_revision_two))
		rev = 2;
	if (mutant(MUTANT_enhanced_reply_plain) ||
	    (mutant(MUTANT_enhanced_reject_plain) && a->rejected))
		enhanced = false;
	if (mutant(MUTANT_plain_request_answered_enhanced))
		enhanced = true;
	if (enhanced)
		flags |= FLAG_S;
	startup_enhanced_reply(data, a);
	n = write_frame(octets, reply_key, flags, rev, enhanced ? data : NULL,
			params);
	if (mutant(MUTANT_reply_key_misspelt))
		octets[9] = 'P';
	if (mutant(MUTANT_reply_pd_length_rounded))
		be16_put(octets + 18, (uint16_t)((n - 20 + 3) & ~(size_t)3));
	if (enhanced &&
	    (mutant(MUTANT_reply_pd_length_without_enhanced) ||
	     (a->peer_to_peer && mutant(MUTANT_short_reply_of_the_model))))
		be16_put(octets + 18, (uint16_t)params->private_len);
	if (enhanced && mutant(MUTANT_reply_pd_length_of_one_octet))
		octets[18] = 0;
	if (mutant(MUTANT_reply_has_crc)) {
		memset(octets + n, 0x5a, 4);
		n += 4;
	}
	return n;
}

/* RFC 6581 s9.1, the initiator's half. */
static void conclude_depths(struct agreement *a, const struct params *params,
			    const struct startup_frame *reply)
{
	if (reply->ird != NOT_NEGOTIATED)
		a->ord = lower(a->ord, reply->ird);
	else if (mutant(MUTANT_unnegotiated_ird_lifts_ord))
		a->ord = limit_ord();
	if (mutant(MUTANT_initiator_ord_not_lowered))
		a->ord = lower(params->ord, limit_ord());
	if (mutant(MUTANT_responder_ird_zero_ignored) && reply->ird == 0)
		a->ord = lower(params->ord, limit_ord());
	if (mutant(MUTANT_unnegotiated_ord_zeroes_ird) &&
	    reply->ord == NOT_NEGOTIATED)
		a->ird = 0;
	if (reply->ord != NOT_NEGOTIATED && reply->ord > a->ird &&
	    !mutant(MUTANT_insufficient_ird_ignored))
		a->terminate = 0x06;
	if (reply->ord < a->ird &&
	    variant(VARIANT_initiator_ird_is_responder_ord))
		a->ird = reply->ord;
	if (mutant(MUTANT_initiator_ird_follows_own_ord))
		a->ird = a->ord;
}

void startup_conclude(struct agreement *a, const struct params *params,
		      const struct startup_frame *reply)
{
	*a = (struct agreement){.rev = reply->rev};
	if (params->enhanced && !reply->enhanced &&
	    !variant(VARIANT_plain_reply_taken) &&
	    !mutant(MUTANT_plain_accept_of_enhanced_taken) &&
	    !mutant(MUTANT_short_enhanced_reply_taken)) {
		a->refused = true;
		return;
	}
	if (!params->enhanced && reply->enhanced &&
	    !mutant(MUTANT_enhanced_accept_of_plain_taken)) {
		a->refused = true;
		return;
	}
	a->rejected = reply->rejected && !mutant(MUTANT_reject_ignored);
	a->tx_markers = reply->markers;
	if (mutant(MUTANT_markers_by_own_wish))
		a->tx_markers = params->markers;
	if (mutant(MUTANT_markers_always))
		a->tx_markers = true;
	a->crc = reply->crc || params->crc;
	a->enhanced = params->enhanced && reply->enhanced;
	a->ird = lower(params->ird, limit_ird());
	a->ord = lower(params->ord, limit_ord());
	if (!a->enhanced)
		return;
	conclude_depths(a, params, reply);
	a->peer_to_peer = params->peer_to_peer;
	a->rtr = params->rtr & reply->rtr;
	if (params->peer_to_peer != reply->peer_to_peer &&
	    variant(VARIANT_other_model_taken)) {
		a->peer_to_peer = reply->peer_to_peer;
		a->rtr = reply->rtr;
		return;
	}
	if (mutant(MUTANT_rtr_type_not_listed))
		a->rtr = params->rtr;
	if (params->peer_to_peer != reply->peer_to_peer ||
	    (params->peer_to_peer && !a->rtr)) {
		if (!a->terminate && !mutant(MUTANT_no_matching_rtr_ignored))
			a->terminate = 0x07;
		if (mutant(MUTANT_no_matching_rtr_wrong_code))
			a->terminate = 0x05;
	}
}
