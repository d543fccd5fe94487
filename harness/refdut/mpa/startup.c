/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading and writing startup frames (RFC 5044 s7.1, RFC 6581 s6, s9).
 *
 * Where the RFCs leave a choice:
 * - usable revisions are 1 and 2;
 * - S has a meaning from revision 2 on; before, it is an unchecked reserved
 *   bit;
 * - the Reply has the revision of the Request;
 * - private data too short for the four octets of enhanced data makes a bad
 *   frame.
 */
#include "harness/refdut/mpa/startup.h"
#include "harness/refdut/agent/limits.h"
#include "harness/refdut/buf.h"
#include "harness/refdut/memory/layout.h"
#include "harness/refdut/mpa/startup_decisions.h"

#include <string.h>

enum { KEY = 16, FLAGS_AT = 16, REV_AT = 17, PD_LENGTH_AT = 18 };

/* RFC 5044 s7.1.1. */
static const char request_key[] = "MPA ID Req Frame";
static const char reply_key[] = "MPA ID Rep Frame";

static uint8_t key_octet(size_t at, bool reply)
{
	return (uint8_t)(reply ? reply_key[at] : request_key[at]);
}

/* --- The fields of an incoming frame (RFC 5044 s7.1.1) ------------------ */

RULE(key_octet_fits)
{
	return octet == key_octet(at, reply);
}

static bool key_fits(const uint8_t *octets, size_t n, bool reply)
{
	for (size_t i = 0; i < n && i < KEY; i++)
		if (!key_octet_fits(i, octets[i], reply))
			return false;
	return true;
}

RULE(startup_header_there)
{
	return n < STARTUP_HEADER ? STARTUP_MORE : STARTUP_DONE;
}

RULE(revision_usable)
{
	return rev == 1 || rev == 2;
}

RULE(flags_accepted)
{
	return true;
}

RULE(pd_length_read)
{
	return be16(octets + PD_LENGTH_AT);
}

/* --- The private data of an incoming frame ------------------------------ */

RULE(has_enhanced_data)
{
	return (flags & FLAG_S) && rev >= 2;
}

RULE(private_data_accepted)
{
	size_t enhanced = frame->enhanced ? ENHANCED_SIZE : 0;

	if (pd_length > STARTUP_PRIVATE_MAX || pd_length < enhanced)
		return false;
	/* A device may have less room for the ULP's private data. */
	return pd_length - enhanced <= limit_private() ||
	       limit_private() >= STARTUP_PRIVATE_MAX - ENHANCED_SIZE;
}

RULE(private_data_awaited)
{
	return pd_length;
}

RULE(startup_frame_length)
{
	return STARTUP_HEADER + pd_length;
}

RULE(private_data_of_ulp)
{
	if (frame->enhanced) {
		*data += ENHANCED_SIZE;
		*len -= ENHANCED_SIZE;
	}
	return true;
}

RULE(enhanced_depth)
{
	return word & 0x3fff;
}

/* RFC 6581 s9: A, B and IRD in the first word, C, D and ORD in the second. */
void startup_read_enhanced(struct startup_frame *frame, const uint8_t *octets)
{
	uint16_t first = be16(octets);
	uint16_t second = be16(octets + 2);

	frame->peer_to_peer = first & 0x8000;
	frame->rtr = (first & 0x4000 ? RTR_SEND : 0) |
		     (second & 0x8000 ? RTR_WRITE : 0) |
		     (second & 0x4000 ? RTR_READ : 0);
	frame->ird = enhanced_depth(first, false);
	frame->ord = enhanced_depth(second, true);
}

static enum startup_progress read_private(struct startup_frame *frame,
					  bool reply, const uint8_t *octets,
					  size_t len)
{
	const uint8_t *data = octets + STARTUP_HEADER;

	if (frame->enhanced)
		startup_read_enhanced(frame, data);
	if (!private_data_of_ulp(frame, &data, &len, reply))
		return STARTUP_BAD_PRIVATE;
	frame->private_len = (uint32_t)len;
	memcpy(frame->private_data, data, len);
	return STARTUP_DONE;
}

enum startup_progress startup_read(struct startup_frame *frame, bool reply,
				   const uint8_t *octets, size_t n,
				   size_t *used)
{
	enum startup_progress progress;
	unsigned flags;
	size_t len;

	if (!key_fits(octets, n, reply))
		return STARTUP_BAD;
	progress = startup_header_there(n, reply);
	if (progress != STARTUP_DONE)
		return progress;
	memset(frame, 0, offsetof(struct startup_frame, private_data));
	flags = octets[FLAGS_AT];
	frame->markers = flags & FLAG_M;
	frame->crc = flags & FLAG_C;
	frame->rejected = flags & FLAG_R;
	frame->reserved = flags & FLAGS_RESERVED;
	frame->rev = octets[REV_AT];
	if (!revision_usable(frame->rev, reply) ||
	    !flags_accepted(flags, frame->rev, reply))
		return STARTUP_BAD;
	len = pd_length_read(octets, n, reply);
	frame->enhanced = has_enhanced_data(flags, frame->rev, len, reply);
	if (!private_data_accepted(frame, len, reply))
		return STARTUP_BAD_PRIVATE;
	len = private_data_awaited(frame, len, n, reply);
	*used = startup_frame_length(len, reply);
	if (n < *used)
		return STARTUP_MORE;
	return read_private(frame, reply, octets, len);
}

/* --- Common to both frames ---------------------------------------------- */

RULE(key_octet_sent)
{
	return key_octet(at, reply);
}

RULE(startup_private_data_sent)
{
	return params->private_len;
}

RULE(startup_frame_end)
{
	return 0;
}

/* Write all fields but PD_Length; returns the number of octets of private
 * data. */
static size_t write_frame(uint8_t *octets, bool reply, unsigned flags,
			  unsigned rev, const uint8_t *enhanced,
			  const struct params *params)
{
	uint32_t len = startup_private_data_sent(params, reply);
	uint8_t *data = octets + STARTUP_HEADER;

	for (size_t i = 0; i < KEY; i++)
		octets[i] = key_octet_sent(i, reply);
	octets[FLAGS_AT] = (uint8_t)flags;
	octets[REV_AT] = (uint8_t)rev;
	if (enhanced) {
		memcpy(data, enhanced, ENHANCED_SIZE);
		data += ENHANCED_SIZE;
	}
	memcpy(data, params->private_data, len);
	return (size_t)(data + len - octets) - STARTUP_HEADER;
}

static unsigned wanted_flags(const struct params *params)
{
	return (params->markers ? FLAG_M : 0) | (params->crc ? FLAG_C : 0);
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

/* --- A Request ---------------------------------------------------------- */

RULE(request_enhanced)
{
	return params->enhanced;
}

RULE(request_flags)
{
	return wanted_flags(params) | (request_enhanced(params) ? FLAG_S : 0);
}

RULE(request_revision)
{
	return params->rev;
}

RULE(request_pd_length)
{
	return len;
}

RULE(request_a)
{
	return params->peer_to_peer;
}

RULE(request_rtr)
{
	return params->peer_to_peer ? params->rtr : 0;
}

RULE(request_ird)
{
	return params->ird;
}

RULE(request_ord)
{
	return params->ord;
}

void startup_enhanced_request(uint8_t *octets, const struct params *params)
{
	write_enhanced(octets, request_a(params), request_rtr(params),
		       request_ird(params), request_ord(params));
	layout_enhanced(octets, false);
}

size_t startup_request(uint8_t *octets, const struct params *params)
{
	bool has_enhanced = request_enhanced(params);
	uint8_t enhanced[ENHANCED_SIZE];
	size_t len;

	startup_enhanced_request(enhanced, params);
	len = write_frame(octets, false, request_flags(params),
			  request_revision(params),
			  has_enhanced ? enhanced : NULL, params);
	be16_put(octets + PD_LENGTH_AT,
		 (uint16_t)request_pd_length(params, len));
	len += STARTUP_HEADER;
	return len + startup_frame_end(octets + len, false);
}

/* --- A Reply ------------------------------------------------------------ */

RULE(reply_enhanced)
{
	return agreement->enhanced;
}

RULE(reply_flags)
{
	return wanted_flags(params) | (agreement->rejected ? FLAG_R : 0) |
	       (reply_enhanced(agreement) ? FLAG_S : 0);
}

RULE(reply_revision)
{
	return agreement->rev;
}

RULE(reply_pd_length)
{
	return len;
}

RULE(reply_ord_sent)
{
	return agreement->reply_ord;
}

void startup_enhanced_reply(uint8_t *octets, const struct agreement *a)
{
	write_enhanced(octets, a->peer_to_peer, a->rtr, a->reply_ird,
		       reply_ord_sent(a));
	layout_enhanced(octets, true);
}

size_t startup_reply(uint8_t *octets, const struct params *params,
		     const struct agreement *a,
		     const struct startup_frame *request)
{
	bool has_enhanced = reply_enhanced(a);
	uint8_t enhanced[ENHANCED_SIZE];
	size_t len;

	startup_enhanced_reply(enhanced, a);
	len = write_frame(octets, true, reply_flags(params, a, request),
			  reply_revision(params, a),
			  has_enhanced ? enhanced : NULL, params);
	be16_put(octets + PD_LENGTH_AT,
		 (uint16_t)reply_pd_length(params, a, len));
	len += STARTUP_HEADER;
	return len + startup_frame_end(octets + len, true);
}
