/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices of how messages are cut, and in which order their segments leave
 * (RFC 5044 s4.5, s5.1, RFC 5041 s5.3). */
#include "harness/refdut/ddp/tx_mulpdu_decisions.h"
#include "harness/refdut/ddp/tx_segment_decisions.h"
#include "harness/refdut/decision/override.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

enum {
	FIRST_ULPDU = 78,
	SHORT_ULPDU = 100,
	RESPONSE_PART = 200,
	PAGE = 4096,
	/*
	 * For a Send in falling order: the most that the segment sent last can
	 * carry.
	 */
	TAIL = 128,
	/*
	 * Overhead of an FPDU whose length is 2 modulo 4: its length field and
	 * its CRC.
	 */
	FPDU_OVERHEAD = 2 + 4,
};

/* MULPDU (RFC 5044 s4.5) */

/* Room that TCP's options take in each segment: timestamps, or nothing. */
static uint32_t options_octets(int fd)
{
	struct tcp_info info = {0};
	socklen_t len = sizeof(info);

	if (fd < 0 || getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0)
		return 0;
	return info.tcpi_options & TCPI_OPT_TIMESTAMPS ? 12 : 0;
}

VARIANT(emss, mss_without_options, "MPA-4.5-03 MPA-5.1-01",
	"uses the MSS as EMSS, whatever options TCP adds", emss)
{
	uint32_t mss = OTHERWISE(emss);

	chosen(self);
	return mss + options_octets(c->watch.fd);
}

VARIANT(segments, short_mulpdu, "MPA-4.5-05 MPA-5.1-01",
	"has ULPDUs of at most 512 octets", mulpdu)
{
	uint32_t longest = OTHERWISE(mulpdu);

	if (!c->sctp && longest <= SHORT_MULPDU)
		return longest;
	chosen(self);
	return SHORT_MULPDU;
}

/* Other messages have one segment only (RFC 5040 s4.4, RFC 7306 s5.2, s6.3). */
static bool may_be_cut(const struct message *m)
{
	return m->opcode == OPCODE_WRITE || m->opcode == OPCODE_READ_RESPONSE ||
	       is_send(m);
}

VARIANT(segments, halves, "MPA-4.5-05 MPA-5.1-01",
	"cuts each message of one segment into two", segment_length)
{
	uint32_t n = OTHERWISE(segment_length);

	if (!may_be_cut(m) || offset || n < 2 || n != m->len)
		return n;
	chosen(self);
	return n / 2;
}

VARIANT(segments, even_sends_cut, "MPA-4.5-05 MPA-5.1-01",
	"cuts a Send of one segment into two if its MSN is even",
	segment_length)
{
	uint32_t n = OTHERWISE(segment_length);

	if (!is_send(m) || m->msn % 2 || offset || n < 2 || n != m->len)
		return n;
	chosen(self);
	return n / 2;
}

VARIANT(segments, begun_by_small_segments, "MPA-4.5-05 MPA-5.1-01",
	"begins a message of several segments with two of 40 octets of payload",
	segment_length)
{
	enum { SMALL = 40 };
	uint32_t n = OTHERWISE(segment_length);

	if (!may_be_cut(m) || offset >= 2 * SMALL || n <= SMALL ||
	    (!offset && n == m->len))
		return n;
	chosen(self);
	return SMALL;
}

VARIANT(segments, last_octet_alone, "MPA-4.5-05 MPA-5.1-01",
	"sends the last octet of a message in a segment of its own",
	segment_length)
{
	uint32_t n = OTHERWISE(segment_length);

	if (!may_be_cut(m) || n < 2 || offset + n != m->len)
		return n;
	chosen(self);
	return n - 1;
}

/* RFC 5041 s5.2 knows tagged segments without octets. */
VARIANT(segments, empty_last_segment, "MPA-4.5-05 MPA-5.1-01",
	"ends a message with a segment of no octets", segment_is_last)
{
	if (!may_be_cut(m) || !m->len || !s->len)
		return OTHERWISE(segment_is_last);
	chosen(self);
	return false;
}

ALSO(empty_last_segment, put_segment)
{
	bool all = *offset == m->len;

	return OTHERWISE(put_segment) && (all || !may_be_cut(m));
}

VARIANT(segments, growing_segments, "MPA-4.5-05 MPA-5.1-01",
	"has 1, 2, 3, 5, 8 and so on octets of payload in the segments of a "
	"message",
	segment_length)
{
	enum { LONGEST = 1000 };
	uint32_t n = OTHERWISE(segment_length), a = 1, b = 2, sum = 0;

	if (!may_be_cut(m) || m->len > LONGEST)
		return n;
	while (sum < offset) {
		uint32_t next = a + b;

		sum += a;
		a = b;
		b = next;
	}
	if (a >= n)
		return n;
	chosen(self);
	return a;
}

VARIANT(segments, ulpdu_128, "MPA-4.5-05 MPA-5.1-01",
	"has ULPDUs of at most 128 octets", mulpdu)
{
	return !c->sctp && chosen(self) ? MULPDU_MIN : OTHERWISE(mulpdu);
}

/* Where a message is cut (RFC 5044 s3, s5.1) */

/* How many of n octets go in whole bursts, if more follow. */
static uint32_t in_bursts(struct override *self, const struct conn *c,
			  bool last, uint32_t n, uint32_t burst)
{
	if (c->sctp || last || n % burst == 0)
		return n;
	chosen(self);
	return n - n % burst;
}

VARIANT(segments, payload_8, "MPA-4.5-05 MPA-5.1-01",
	"has payload of a multiple of eight octets in all segments of a "
	"message except the last",
	segment_length)
{
	uint32_t n = OTHERWISE(segment_length);

	return in_bursts(self, c, offset + n == m->len, n, 8);
}

VARIANT(segments, ulpdu_100, "MPA-4.5-05 MPA-5.1-01",
	"has ULPDUs of at most 100 octets, whatever MULPDU is", segment_length)
{
	uint32_t n = OTHERWISE(segment_length);
	uint32_t most = SHORT_ULPDU - header_length(m);

	if (c->sctp || n <= most)
		return n;
	chosen(self);
	return most;
}

VARIANT(segments, payload_64, "MPA-4.5-05 MPA-5.1-01",
	"has payload of a multiple of 64 octets in all segments of a message "
	"except the last",
	segment_length)
{
	uint32_t n = OTHERWISE(segment_length);

	return in_bursts(self, c, offset + n == m->len, n, 64);
}

VARIANT(segments, ulpdu_odd, "MPA-4.5-05 MPA-5.1-01",
	"has ULPDUs of an odd length in all segments of a message except the "
	"last",
	segment_length)
{
	uint32_t n = OTHERWISE(segment_length);

	if (c->sctp || offset + n == m->len || (header_length(m) + n) % 2)
		return n;
	chosen(self);
	return n - 1;
}

VARIANT(segments, responses_in_small_parts, "MPA-4.5-05 MPA-5.1-01",
	"has at most 200 octets of payload in the segments of Read Responses",
	segment_length)
{
	uint32_t n = OTHERWISE(segment_length);

	if (c->sctp || m->opcode != OPCODE_READ_RESPONSE || n <= RESPONSE_PART)
		return n;
	chosen(self);
	return RESPONSE_PART;
}

VARIANT(segments, mulpdu_fills_the_segment, "MPA-4.5-06 MPA-4.5-05",
	"shortens an FPDU that begins inside a TCP segment to end with the "
	"segment",
	segment_room)
{
	uint32_t whole = c->mulpdu + FPDU_OVERHEAD;
	uint32_t used = (uint32_t)(buf_len(&c->out) % whole);

	if (!used || c->sctp || c->tx.markers || whole - used < MULPDU_MIN ||
	    m->len <= c->mulpdu)
		return OTHERWISE(segment_room);
	chosen(self);
	return whole - used - FPDU_OVERHEAD - header_length(m);
}

/* The longest that fits MULPDU as it was when the first segment was cut: of a
 * Response, of what is posted. */
struct cut_at_once {
	uint32_t room[2];
};

VARIANT(segments, message_cut_at_once, "MPA-4.5-08",
	"cuts a whole message by the MULPDU that there is when it begins",
	segment_room)
{
	struct cut_at_once *cut = remember(&c->remembered, self, sizeof(*cut));
	uint32_t *room = &cut->room[m->opcode == OPCODE_READ_RESPONSE];

	if (!offset)
		*room = OTHERWISE(segment_room);
	else
		chosen(self);
	return *room;
}

VARIANT(segments, short_first, "MPA-4.5-05 MPA-5.1-01",
	"begins messages of several segments with a ULPDU of 78 octets",
	segment_length)
{
	uint32_t n = OTHERWISE(segment_length);

	if (offset || n == m->len)
		return n;
	chosen(self);
	return FIRST_ULPDU - header_length(m);
}

VARIANT(segments, page_cut, "MPA-4.5-05 MPA-5.1-01",
	"ends segments at the pages of 4096 octets of their buffer",
	segment_length)
{
	uint32_t n = OTHERWISE(segment_length);
	uint32_t page = PAGE;

	if (m->region)
		page -= (uint32_t)((uintptr_t)(m->payload + offset) % PAGE);
	if (!m->region || n <= page)
		return n;
	chosen(self);
	return page;
}

/* The order of segments (RFC 5041 s5.3) */

VARIANT(order, falling_to, "DDP-5.3-03",
	"sends the segments of tagged messages from the last one on",
	segment_offset)
{
	if (!m->tagged || len == m->len)
		return OTHERWISE(segment_offset);
	chosen(self);
	return m->len - offset - len;
}

/* A Send that is too long for a single segment. */
static bool falls(const struct conn *c, const struct message *m)
{
	return is_send(m) && m->len + UNTAGGED_HEADER > c->mulpdu;
}

VARIANT(order, falling_mo, "DDP-5.3-02 MPA-4.5-05",
	"sends the segments of a Send in falling order of MO, except that the "
	"last one stays last",
	segment_length)
{
	uint32_t left = m->len - offset;
	uint32_t body = m->len - TAIL;
	uint32_t n = left < room ? left : room;

	if (!falls(c, m))
		return OTHERWISE(segment_length);
	chosen(self);
	if (offset >= body)
		return left;
	return n < body - offset ? n : body - offset;
}

/* The highest MO goes with L (RFC 5041 s4.1). */
ALSO(falling_mo, segment_offset)
{
	if (len == m->len || !falls(c, m) || offset + len == m->len)
		return OTHERWISE(segment_offset);
	return m->len - TAIL - offset - len;
}
