/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Incoming octets: they are read from TCP and split into FPDUs in order. Each
 * FPDU goes to DDP when it is complete and correct (RFC 5044 s4 to s8).
 *
 * Where the RFCs leave a choice: every ULPDU that the length field can express
 * is accepted; any FPDU is accepted as the initiator's first; a Request does
 * not hold up the messages after it.
 */
#include "harness/refdut/conn.h"
#include "harness/refdut/conn_input_decisions.h"
#include "harness/refdut/control.h"
#include "harness/refdut/sctp/conn_sctp.h"

#include <errno.h>
#include <sys/socket.h>

enum {
	READ_SMALL = 16 << 10,
	READ_LARGE = 128 << 10,
	READS_PER_ROUND = 8,
};

/* --- FPDUs -------------------------------------------------------------- */

RULE(octets_kept)
{
	return buf_len(&c->in);
}

RULE(octets_kept_behind)
{
	return buf_len(&c->in);
}

RULE(ulpdu_is_taken_now)
{
	return true;
}

/* RFC 5044 s8: 2 is a wrong CRC, 3 is a wrong marker. */
RULE(mpa_error_code)
{
	return result == FRAMING_BAD_CRC ? 2 : 3;
}

/* Nothing of it is visible above MPA, and the stream ends. */
RULE(bad_crc)
{
	fault(c, ERR_MPA, mpa_error_code(FRAMING_BAD_CRC), NULL, ulpdu->len,
	      NULL);
}

RULE(first_fpdu_is_right)
{
	return true;
}

RULE(fpdu_releases)
{
	return ulpdu != NULL;
}

RULE(ulpdu_is_too_long)
{
	return false;
}

RULE(deliver_ulpdu)
{
	if (!control_fpdu(c, ulpdu->octets, ulpdu->len, first))
		ddp_receive(c, ulpdu->octets, ulpdu->len);
}

static enum framing_result next_ulpdu(struct conn *c, struct ulpdu *ulpdu)
{
	bool ended = false;

	if (!c->sctp)
		return framing_get(&c->rx, buf_head(&c->in), buf_len(&c->in),
				   ulpdu);
	if (!conn_next_segment(c, ulpdu, &ended))
		return FRAMING_MORE;
	if (!ended)
		return FRAMING_ULPDU;
	buf_take(&c->in, ulpdu->raw);
	conn_peer_finished(c);
	return FRAMING_MORE;
}

static void keep(struct conn *c, size_t n)
{
	c->in.end = c->in.start + n;
}

/* A complete FPDU, correct as far as MPA can see. */
static void take_ulpdu(struct conn *c, const struct ulpdu *ulpdu)
{
	bool first = !c->released;

	if (first && !first_fpdu_is_right(c, ulpdu)) {
		c->released = true;
		fault(c, ERR_MPA, 5, NULL, 0, NULL);
		return;
	}
	c->released |= fpdu_releases(c, ulpdu);
	if (ulpdu_is_too_long(c, ulpdu))
		fault(c, ERR_DDP_CATASTROPHIC, 0, NULL, 0, NULL);
	else
		deliver_ulpdu(c, ulpdu, first);
}

/* Handle the part of the next FPDU that has arrived. False: nothing more can be
 * done now. */
static bool take_fpdu(struct conn *c, unsigned n)
{
	struct framing before = c->rx;
	struct ulpdu ulpdu;
	enum framing_result result = next_ulpdu(c, &ulpdu);

	if (result == FRAMING_ULPDU && !ulpdu_is_taken_now(c, &ulpdu)) {
		c->held_back = true;
		c->rx = before;
		return false;
	}
	switch (result) {
	case FRAMING_MORE:
		c->released |= fpdu_releases(c, NULL);
		keep(c, octets_kept(c));
		return false;
	case FRAMING_BAD_CRC:
		bad_crc(c, &ulpdu);
		break;
	case FRAMING_BAD_MARKER:
		fault(c, ERR_MPA, mpa_error_code(result), NULL, ulpdu.len,
		      NULL);
		break;
	case FRAMING_ULPDU:
		take_ulpdu(c, &ulpdu);
		break;
	}
	if (c->phase == PHASE_GONE)
		return false;
	if (buf_len(&c->in))
		buf_take(&c->in, ulpdu.raw);
	keep(c, octets_kept_behind(c, n));
	return true;
}

static void fpdu_input(struct conn *c)
{
	unsigned n = 0;

	while (!c->rx_over && buf_len(&c->in))
		if (!take_fpdu(c, ++n))
			return;
	if (c->rx_over && c->phase != PHASE_GONE)
		buf_take(&c->in, buf_len(&c->in));
}

void conn_input(struct conn *c)
{
	if (c->phase == PHASE_REQUEST || c->phase == PHASE_REPLY)
		conn_startup_input(c);
	if (c->phase == PHASE_FULL)
		fpdu_input(c);
	if (c->phase == PHASE_CONTROL)
		control_input(c, buf_head(&c->in), buf_len(&c->in));
	if (c->phase == PHASE_DRAIN || c->phase == PHASE_REJECTED ||
	    c->phase == PHASE_CONTROL || (c->rx_over && c->phase != PHASE_GONE))
		buf_take(&c->in, buf_len(&c->in));
}

/* --- octets ------------------------------------------------------------- */

RULE(reads_from_tcp)
{
	return !c->held_back;
}

RULE(position_in_stream)
{
	return c->rx.at;
}

RULE(segment_is_dropped)
{
	return false;
}

RULE(answers_at_once)
{
	return true;
}

/* False: no more input has arrived, or none may be read. */
static bool read_once(struct conn *c, size_t room)
{
	ssize_t n = recv(c->watch.fd, buf_room(&c->in, room), room, 0);

	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR) {
			loop_complain("recv");
			conn_lost(c);
		}
		return false;
	}
	if (n == 0) {
		conn_flush(c);
		if (c->phase != PHASE_GONE)
			conn_peer_finished(c);
		return false;
	}
	c->rx.at = position_in_stream(c);
	buf_grow(&c->in, (size_t)n);
	if (segment_is_dropped(c, (size_t)n))
		return false;
	conn_input(c);
	return (size_t)n == room && c->phase != PHASE_GONE && reads_from_tcp(c);
}

void conn_readable(struct conn *c)
{
	size_t room = buf_len(&c->in) ? READ_LARGE : READ_SMALL;

	if (reads_from_tcp(c))
		for (int i = 0; i < READS_PER_ROUND && read_once(c, room); i++)
			room = READ_LARGE;
	if (c->phase == PHASE_GONE)
		return;
	/* Or when all streams have been read. */
	if (answers_at_once(c))
		conn_flush(c);
	else
		conn_kick(c);
}
