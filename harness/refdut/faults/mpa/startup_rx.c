/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of startup frames that arrive (RFC 5044 s7.1, RFC 6581 s6, s9). */
#include "harness/refdut/agent/limits.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/mpa/negotiation_decisions.h"
#include "harness/refdut/mpa/startup_decisions.h"

#include <string.h>

/* The key */

MUTANT(request_key_checked_in_part, "MPA-7.1.1-03",
       "compares only the first ten octets of a Request's key", key_octet_fits)
{
	return OTHERWISE(key_octet_fits) || (!reply && at >= 10);
}

MUTANT(reply_key_checked_in_part, "MPA-7.1.1-04",
       "compares only the first ten octets of a Reply's key", key_octet_fits)
{
	return OTHERWISE(key_octet_fits) || (reply && at >= 10);
}

MUTANT(request_key_ignores_case, "MPA-7.1.1-05",
       "compares the Request's key without regard to case", key_octet_fits)
{
	return OTHERWISE(key_octet_fits) ||
	       (!reply &&
		key_octet_fits_otherwise(self, at, octet ^ 0x20, reply));
}

MUTANT(request_taken_for_reply, "MPA-7.1.2-20", "accepts a Request as a Reply",
       key_octet_fits)
{
	return OTHERWISE(key_octet_fits) ||
	       (reply && key_octet_fits_otherwise(self, at, octet, false));
}

MUTANT(reply_taken_for_request, "MPA-7.1.2-22", "accepts a Reply as a Request",
       key_octet_fits)
{
	return OTHERWISE(key_octet_fits) ||
	       (!reply && key_octet_fits_otherwise(self, at, octet, true));
}

/* Flags and revision */

MUTANT(request_split_refused, "MPA-7.1.2-31",
       "refuses a Request whose first TCP segment is shorter than its header",
       startup_header_there)
{
	if (!reply && n < STARTUP_HEADER)
		return STARTUP_BAD;
	return OTHERWISE(startup_header_there);
}

MUTANT(reply_split_refused, "MPA-7.1.2-32",
       "refuses a Reply whose first TCP segment is shorter than its header",
       startup_header_there)
{
	if (reply && n < STARTUP_HEADER)
		return STARTUP_BAD;
	return OTHERWISE(startup_header_there);
}

MUTANT(reply_of_24_octets_awaited, "MPA-7.1.2-32 MPA-7.1-03",
       "waits for 24 octets of every Reply, as if each were enhanced",
       startup_header_there)
{
	if (reply && n >= STARTUP_HEADER && n < STARTUP_HEADER + ENHANCED_SIZE)
		return STARTUP_MORE;
	return OTHERWISE(startup_header_there);
}

MUTANT(request_revision_unchecked, "MPA-7.1.1-22 MPA-C-01",
       "accepts a Request of any revision", revision_usable)
{
	return !reply || OTHERWISE(revision_usable);
}

MUTANT(request_reserved_bits_checked, "MPA-7.1.1-18 EMPA-6-07",
       "refuses a Request with a reserved bit set", flags_accepted)
{
	return (reply || !(flags & FLAGS_RESERVED)) &&
	       OTHERWISE(flags_accepted);
}

MUTANT(reply_reserved_bits_checked, "MPA-7.1.1-19 EMPA-6-19",
       "refuses a Reply with a reserved bit set", flags_accepted)
{
	return (!reply || !(flags & FLAGS_RESERVED)) &&
	       OTHERWISE(flags_accepted);
}

MUTANT(request_r_checked, "MPA-7.1.1-14",
       "refuses a Request with the reject bit set", flags_accepted)
{
	return (reply || !(flags & FLAG_R)) && OTHERWISE(flags_accepted);
}

/* PD_Length */

enum { NEGATIVE = 0x8000 };

MUTANT(pd_length_overruns, "MPA-7.1.1-28",
       "crashes when PD_Length is above 32767, because it copies that many "
       "octets",
       pd_length_read)
{
	size_t length = OTHERWISE(pd_length_read);

	if (!reply && length & NEGATIVE)
		mutant_crash("private data of a Request overruns its buffer");
	return length;
}

/* A negative length is below the limit: take the octets that have arrived. */
MUTANT(pd_length_signed, "MPA-7.1.1-28",
       "treats a PD_Length above 32767 as a negative number, and applies no "
       "limit",
       pd_length_read)
{
	size_t length = OTHERWISE(pd_length_read);

	return !reply && length & NEGATIVE ? n - STARTUP_HEADER : length;
}

MUTANT(rev_2_private_data_cut, "MPA-7.1.1-32",
       "refuses a Request of Rev 2 without enhanced data that has more than "
       "508 octets of private data",
       private_data_accepted)
{
	return (reply || frame->rev != 2 || frame->enhanced ||
		pd_length <= 508) &&
	       OTHERWISE(private_data_accepted);
}

MUTANT(empty_private_data_refused, "MPA-7.1.1-26",
       "refuses a Request without private data", private_data_accepted)
{
	return (reply || pd_length) && OTHERWISE(private_data_accepted);
}

/* Up to twice the limit counts as if it were the limit. */
static size_t without_limit(size_t pd_length)
{
	bool over = pd_length > STARTUP_PRIVATE_MAX &&
		    pd_length <= 2 * STARTUP_PRIVATE_MAX;

	return over ? STARTUP_PRIVATE_MAX : pd_length;
}

static void no_more_than(size_t *len, size_t most)
{
	if (*len > most)
		*len = most;
}

MUTANT(request_private_limit_ignored, "MPA-7.1.1-27 EMPA-6-15",
       "accepts a Request with more than 512 octets of private data",
       private_data_accepted)
{
	return private_data_accepted_otherwise(
		self, frame, reply ? pd_length : without_limit(pd_length),
		reply);
}

ALSO(request_private_limit_ignored, private_data_of_ulp)
{
	bool right = OTHERWISE(private_data_of_ulp);

	no_more_than(len, STARTUP_PRIVATE_MAX);
	return right;
}

MUTANT(reply_private_limit_ignored, "MPA-7.1.1-29",
       "accepts a Reply with more than 512 octets of private data",
       private_data_accepted)
{
	return private_data_accepted_otherwise(
		self, frame, reply ? without_limit(pd_length) : pd_length,
		reply);
}

ALSO(reply_private_limit_ignored, private_data_of_ulp)
{
	bool right = OTHERWISE(private_data_of_ulp);

	no_more_than(len, STARTUP_PRIVATE_MAX);
	return right;
}

/* Private data that has not arrived yet */

static size_t what_is_there(struct startup_frame *frame, size_t pd_length,
			    size_t n)
{
	size_t there = n - STARTUP_HEADER;

	if (there >= pd_length)
		return pd_length;
	frame->enhanced = frame->enhanced && there >= ENHANCED_SIZE;
	return there;
}

MUTANT(request_acted_on_early, "MPA-7.1.1-31",
       "answers a Request before all its private data has arrived",
       private_data_awaited)
{
	size_t awaited = OTHERWISE(private_data_awaited);

	return reply ? awaited : what_is_there(frame, awaited, n);
}

MUTANT(reply_acted_on_early, "MPA-7.1.1-36",
       "acts on a Reply before all its private data has arrived",
       private_data_awaited)
{
	size_t awaited = OTHERWISE(private_data_awaited);

	return reply ? what_is_there(frame, awaited, n) : awaited;
}

MUTANT(reply_private_padded, "MPA-7.1-03",
       "assumes that a Reply ends at a multiple of four octets",
       startup_frame_length)
{
	size_t length = OTHERWISE(startup_frame_length);

	return reply ? (length + 3) & ~(size_t)3 : length;
}

/* What the ULP is given */

MUTANT(octet_in_place_of_no_private_data, "MPA-7.1.1-26",
       "gives its ULP one octet if a Request has no private data",
       private_data_of_ulp)
{
	static const uint8_t zero;
	bool right = OTHERWISE(private_data_of_ulp);

	if (!reply && right && !*len) {
		*data = &zero;
		*len = 1;
	}
	return right;
}

MUTANT(request_private_cut, "MPA-7.1.1-32 EMPA-6-16",
       "gives its ULP no more than 256 octets of a Request's private data",
       private_data_of_ulp)
{
	bool right = OTHERWISE(private_data_of_ulp);

	if (!reply)
		no_more_than(len, 256);
	return right;
}

MUTANT(reply_private_cut, "MPA-7.1.1-33",
       "gives its ULP no more than 256 octets of a Reply's private data",
       private_data_of_ulp)
{
	bool right = OTHERWISE(private_data_of_ulp);

	if (reply)
		no_more_than(len, 256);
	return right;
}

MUTANT(private_data_cut_to_buffer, "MPA-7.1.2-27",
       "has a buffer of 256 octets, and cuts private data to it",
       private_data_of_ulp)
{
	bool right = OTHERWISE(private_data_of_ulp);

	no_more_than(len, 256);
	return right;
}

ALSO(private_data_cut_to_buffer, private_data_accepted)
{
	return pd_length <= STARTUP_PRIVATE_MAX &&
	       (!frame->enhanced || pd_length >= ENHANCED_SIZE);
}

MUTANT(enhanced_data_shown_as_private, "EMPA-6-10 EMPA-6-17 SCTPX-6581.7-10",
       "gives its ULP the enhanced data as private data", private_data_of_ulp)
{
	bool right = OTHERWISE(private_data_of_ulp);

	if (frame->enhanced && *len + ENHANCED_SIZE <= STARTUP_PRIVATE_MAX) {
		*data -= ENHANCED_SIZE;
		*len += ENHANCED_SIZE;
	}
	return right;
}

MUTANT(full_enhanced_reply_refused, "EMPA-6-17",
       "refuses a Reply with 508 octets of private data behind its enhanced "
       "data",
       private_data_accepted)
{
	return !(reply && frame->enhanced &&
		 pd_length == STARTUP_PRIVATE_MAX) &&
	       OTHERWISE(private_data_accepted);
}

/* Of the frame before: the device has one buffer. */
struct last_private {
	uint8_t octets[STARTUP_PRIVATE_MAX];
	size_t len;
};

static bool with_the_last(struct last_private *last, bool shown,
			  const uint8_t **data, size_t *len)
{
	if (*len) {
		last->len = *len;
		memcpy(last->octets, *data, *len);
		return shown;
	}
	*data = last->octets;
	*len = last->len;
	return shown || last->len;
}

MUTANT(private_data_of_an_earlier_request, "MPA-7.1.1-26",
       "gives its ULP the private data of an earlier Request if a Request has "
       "none",
       private_data_of_ulp)
{
	static struct last_private last;
	bool shown = OTHERWISE(private_data_of_ulp);

	return reply ? shown : with_the_last(&last, shown, data, len);
}

MUTANT(private_data_of_an_earlier_reply, "MPA-7.1.1-26",
       "gives its ULP the private data of an earlier Reply if a Reply has none",
       private_data_of_ulp)
{
	static struct last_private last;
	bool shown = OTHERWISE(private_data_of_ulp);

	return reply ? with_the_last(&last, shown, data, len) : shown;
}

MUTANT(reply_private_data_counted_short, "MPA-7.1.2-15",
       "subtracts the enhanced data twice from the length of a Reply's private "
       "data, and refuses a shorter Reply",
       private_data_of_ulp)
{
	bool right = OTHERWISE(private_data_of_ulp);

	if (!right || !reply || !frame->enhanced)
		return right;
	if (*len < ENHANCED_SIZE)
		return false;
	*len -= ENHANCED_SIZE;
	return true;
}

/* Enhanced data */

MUTANT(short_enhanced_request_taken, "EMPA-6-11",
       "accepts S=1 with less than four octets, as a plain Request",
       has_enhanced_data)
{
	return (reply || pd_length >= ENHANCED_SIZE) &&
	       OTHERWISE(has_enhanced_data);
}

MUTANT(short_enhanced_reply_taken, "EMPA-6-12",
       "continues after S=1 with less than four octets, as after a plain Reply",
       has_enhanced_data)
{
	return (!reply || pd_length >= ENHANCED_SIZE) &&
	       OTHERWISE(has_enhanced_data);
}

ALSO(short_enhanced_reply_taken, reply_refused)
{
	return (!params->enhanced || reply->enhanced) &&
	       OTHERWISE(reply_refused);
}

MUTANT(ird_ord_flags_unmasked, "EMPA-9.2-27 EMPA-9.1-04 EMPA-9.2-28",
       "reads the flag bits as parts of IRD and ORD", enhanced_depth)
{
	return ord ? word : word & 0x7fff;
}
