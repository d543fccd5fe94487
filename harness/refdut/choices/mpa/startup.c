/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices of startup frames (RFC 5044 s7.1, RFC 6581 s6). */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/mpa/negotiation_decisions.h"
#include "harness/refdut/mpa/startup_decisions.h"

/* Frames that arrive */

VARIANT(later_revisions, later_revisions_taken, "MPA-7.1.1-21 MPA-7.1.1-23",
	"considers revisions above 2 usable", revision_usable)
{
	return OTHERWISE(revision_usable) || (rev > 2 && chosen(self));
}

VARIANT(revision_one_s, revision_one_with_s_closed, "EMPA-6-13",
	"closes on S=1 in a Rev 1 Request", flags_accepted)
{
	if (!reply && rev == 1 && flags & FLAG_S)
		return !chosen(self);
	return OTHERWISE(flags_accepted);
}

VARIANT(revision_one_s, revision_one_with_s_enhanced, "EMPA-6-13",
	"reads enhanced data if S=1 in a Rev 1 Request", has_enhanced_data)
{
	return OTHERWISE(has_enhanced_data) || (flags & FLAG_S && chosen(self));
}

/* Frames that are sent */

VARIANT(private_data, request_without_private_data, "MPA-7.1.2-02",
	"leaves its ULP's private data out of its Requests",
	startup_private_data_sent)
{
	if (reply)
		return OTHERWISE(startup_private_data_sent);
	chosen(self);
	return 0;
}

VARIANT(private_data, reply_without_private_data, "MPA-7.1.2-07 MPA-7.1.2-10",
	"leaves its ULP's private data out of its Replies",
	startup_private_data_sent)
{
	if (!reply)
		return OTHERWISE(startup_private_data_sent);
	chosen(self);
	return 0;
}

VARIANT(plain_revision, plain_requests_of_revision_two,
	"EMPA-6-04 MPA-7.1.1-20",
	"sends Requests without enhanced data as Rev 2", request_revision)
{
	unsigned rev = OTHERWISE(request_revision);

	return rev == 1 && chosen(self) ? 2 : rev;
}

/* RFC 5044 s7.1.1: which revisions it can interoperate with is the receiver's to
 * say. */
VARIANT(plain_revision, revision_two_only_in_replies,
	"EMPA-6-04 MPA-7.1.1-20 MPA-7.1.1-23",
	"sends Requests without enhanced data as Rev 2, and takes no Reply of "
	"another revision",
	request_revision)
{
	unsigned rev = OTHERWISE(request_revision);

	return rev == 1 && chosen(self) ? 2 : rev;
}

ALSO(revision_two_only_in_replies, revision_usable)
{
	return OTHERWISE(revision_usable) && !(reply && rev != 2);
}

VARIANT(plain_reply_revision, plain_replies_of_revision_one, "EMPA-6-14",
	"answers a Rev 2 Request without enhanced data with Rev 1",
	reply_revision)
{
	unsigned rev = OTHERWISE(reply_revision);

	return !agreement->enhanced && rev == 2 && chosen(self) ? 1 : rev;
}

VARIANT(reply_c, reply_c_where_needed, "MPA-7.1.1-12",
	"sets C in a Reply only if the Request has not", reply_flags)
{
	unsigned flags = OTHERWISE(reply_flags);

	return request->crc && chosen(self) ? flags & ~(unsigned)FLAG_C : flags;
}

/* IRD and ORD that are left to the ULP (RFC 6581 s9.1) */

static uint32_t half(uint32_t depth)
{
	return depth == NOT_NEGOTIATED ? depth : (depth + 1) / 2;
}

VARIANT(request_depths, request_depths_halved, "EMPA-9-01",
	"has half the IRD and ORD in its Requests that its ULP allows",
	request_ird)
{
	chosen(self);
	return half(OTHERWISE(request_ird));
}

ALSO(request_depths_halved, request_ord)
{
	return half(OTHERWISE(request_ord));
}

ALSO(request_depths_halved, initiator_ord)
{
	return initiator_ord_otherwise(self, half(ord), reply);
}

VARIANT(request_depths, request_unneg, "EMPA-9.1-18 EMPA-9.1-19",
	"has 0x3fff as IRD and ORD in its Requests", request_ird)
{
	chosen(self);
	return NOT_NEGOTIATED;
}

ALSO(request_unneg, request_ord)
{
	chosen(self);
	return NOT_NEGOTIATED;
}
