/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Judges what arrives on a stream: DDP-SSNs, the legal sequences of a session
 * (RFC 5043 s6), segments.
 */
#include "harness/lab/sctp/kernel/kernel.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

/* Of the peer's control message, in its turn; NULL: it is legal there. */
static const char *control_is(struct stream *s, unsigned function,
			      size_t octets)
{
	if (s->they_ended)
		return "a control message after its Session Terminate";
	switch (function) {
	case INITIATE:
	case INITIATE + ENHANCED:
		if (s->phase != IDLE)
			return "an Initiate that begins nothing";
		s->phase = OFFERED;
		s->function = (uint16_t)function;
		break;
	case ACCEPT:
	case ACCEPT + ENHANCED:
		if (s->phase != INITIATED || function != s->function + 1u)
			return "an Accept of nothing that was asked";
		s->phase = OPEN;
		break;
	case REJECT:
	case REJECT + ENHANCED:
		if (s->phase != INITIATED || function != s->function + 2u)
			return "a Reject of nothing that was asked";
		s->phase = OVER;
		break;
	case TERMINATE:
		if (s->phase != OPEN && s->phase != INITIATED)
			return "a Terminate of no session";
		if (octets)
			return "a Terminate with private data";
		s->they_ended = true;
		if (s->phase == INITIATED || s->we_ended)
			s->phase = OVER;
		break;
	default:
		return "a function code that is in no registry";
	}
	return octets > PRIVATE_MOST ? "more than 512 octets of private data"
				     : NULL;
}

uint8_t payload(uint32_t msn, size_t i)
{
	return (uint8_t)(msn + i);
}

static const char *segment_is(struct stream *s, const struct chunk *c)
{
	const uint8_t *h = c->octets;

	if (s->phase != OPEN || s->they_ended)
		return "a segment outside of a session";
	if (c->n < SEND_HEAD)
		return "a segment shorter than its head";
	if (h[0] != DDP_LAST_V1 || h[1] != RDMAP_V1_SEND || get32(h + 2) ||
	    get32(h + 6) || get32(h + 14))
		return "the head of a segment is not that of a Send";
	if (get32(h + 10) != s->rx_msn + 1)
		return "not the MSN that is due";
	s->rx_msn++;
	for (size_t i = SEND_HEAD; i < c->n; i++)
		if (h[i] != payload(s->rx_msn, i - SEND_HEAD))
			return "other octets in a segment than were sent";
	s->segments++;
	return NULL;
}

static void in_its_turn(struct stream *s, unsigned sid, const struct chunk *c)
{
	const char *why;

	if (s->phase == BROKEN)
		return;
	if (!c->control) {
		why = segment_is(s, c);
	} else {
		uint16_t function = get16(c->octets);
		size_t octets = c->n - 2;

		why = control_is(s, function, octets);
		for (size_t i = 0; !why && i < octets; i++)
			if (c->octets[2 + i] != payload(function, i))
				why = "other private data than was sent";
		if (s->control_count < CONTROLS)
			s->controls[s->control_count++] =
				(struct control){function, octets, s->segments};
	}
	if (!why)
		return;
	breach(sid, "%s", why);
	s->phase = BROKEN;
}

void took(struct association *a, const struct sctp_rcvinfo *info)
{
	uint32_t ppid = ntohl(info->rcv_ppid);
	unsigned sid = info->rcv_sid;
	bool control = ppid == PPID_CONTROL;
	size_t n = a->in_octets;

	if (!control && ppid != PPID_SEGMENT) {
		breach(sid, "payload protocol %u", ppid);
		return;
	}
	if (!(info->rcv_flags & SCTP_UNORDERED))
		breach(sid, "an ordered chunk");
	if (sid >= STREAMS || n < (control ? 4 : 2)) {
		breach(sid, "%zu octets with payload protocol %u", n, ppid);
		return;
	}
	struct stream *s = &a->stream[sid];
	uint16_t ssn = get16(a->in);
	struct chunk *c;

	if (!s->early)
		s->early = must_alloc(sizeof(*s->early));
	if ((uint16_t)(ssn - s->rx_ssn) >= IN_FLIGHT ||
	    s->early->chunk[ssn % IN_FLIGHT]) {
		breach(sid, "DDP-SSN %u, which was there before", ssn);
		return;
	}
	c = must_alloc(sizeof(*c) + n);
	c->control = control;
	c->n = n - 2;
	memcpy(c->octets, a->in + 2, c->n);
	s->early->chunk[ssn % IN_FLIGHT] = c;
	s->overtaken += ssn != s->rx_ssn;
	while ((c = s->early->chunk[s->rx_ssn % IN_FLIGHT])) {
		s->early->chunk[s->rx_ssn % IN_FLIGHT] = NULL;
		s->rx_ssn++;
		in_its_turn(s, sid, c);
		free(c);
	}
}
