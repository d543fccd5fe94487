/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lost packets, as an end of an association notices them (RFC 9260): a chunk
 * that SCTP sends again (s6.3.3, s7.2.4), and a TSN that arrives before the
 * ones below it (s6.7). A SACK that is lost leaves no trace here.
 */
#include "harness/link/sctp/sctp_internal.h"

enum {
	TSN_AT = 4,          /* in a DATA chunk */
	INITIAL_TSN_AT = 16, /* in INIT and INIT ACK */
};

/* Whether a TSN lies behind another one (RFC 1982, s1.6 of RFC 9260). */
static bool is_behind(uint32_t tsn, uint32_t other)
{
	return (int32_t)(tsn - other) > 0;
}

static void sends(struct sctp_losses *l, const uint8_t *chunk, size_t n)
{
	uint32_t tsn;

	switch (chunk[0]) {
	case SCTP_LINK_INIT:
		l->lost += l->init_sent;
		l->init_sent = true;
		break;
	case SCTP_LINK_COOKIE_ECHO:
		l->lost += l->cookie_sent;
		l->cookie_sent = true;
		break;
	case SCTP_LINK_DATA:
		if (n < TSN_AT + 4)
			break;
		tsn = sctp_get32(chunk + TSN_AT);
		if (l->has_sent && !is_behind(tsn, l->sent)) {
			l->lost++;
			break;
		}
		l->has_sent = true;
		l->sent = tsn;
		break;
	}
}

static void receives(struct sctp_losses *l, const uint8_t *chunk, size_t n)
{
	uint32_t tsn;

	switch (chunk[0]) {
	case SCTP_LINK_INIT:
	case SCTP_LINK_INIT_ACK:
		if (n < INITIAL_TSN_AT + 4)
			break;
		l->has_received = true;
		l->received = sctp_get32(chunk + INITIAL_TSN_AT) - 1;
		break;
	case SCTP_LINK_DATA:
		if (n < TSN_AT + 4)
			break;
		tsn = sctp_get32(chunk + TSN_AT);
		if (l->has_received && !is_behind(tsn, l->received))
			break;
		if (l->has_received)
			l->lost += tsn - l->received - 1;
		l->has_received = true;
		l->received = tsn;
		break;
	}
}

void sctp_losses_see(struct sctp_losses *l, bool sent, const uint8_t *packet,
		     size_t n)
{
	size_t at = SCTP_COMMON_OCTETS, k;

	for (; at < n && (k = sctp_chunk_octets(packet, n, at)) > 0; at += k)
		(sent ? sends : receives)(l, packet + at,
					  sctp_get16(packet + at + 2));
}

uint64_t sctp_losses(const struct sctp_losses *l)
{
	return l->chosen ? 0 : l->lost;
}
