/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/peer/peer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "harness/crc/crc.h"
#include "harness/peer/messages.h"

#define RX_START (16u << 10)
#define RX_READ  (64u << 10)

const struct peer_faults peer_no_faults = {
	.pad = -1,
	.pad_after = -1,
	.ulpdu_length = -1,
	.flip = -1,
	.marker_reserved = -1,
	.marker_pointer = -1,
	.marker_reserved_after = -1,
	.marker_pointer_after = -1,
	.chunk = {.ddp_ssn = -1, .ppid = -1, .stream = -1},
};

bool peer_init(struct peer *p, struct link_conn *conn, struct observe *log,
	       unsigned stream)
{
	*p = (struct peer){.conn = conn, .log = log, .stream = stream};
	for (unsigned q = 0; q < PEER_QUEUES; q++)
		p->msn[q] = 1;
	p->rx = malloc(RX_START);
	p->rx_cap = p->rx ? RX_START : 0;
	return p->rx != NULL;
}

void peer_end(struct peer *p, bool reset)
{
	if (p->session) {
		messages_end(p);
		return;
	}
	if (p->conn && reset && !p->reset_sent && !p->reset_seen)
		link_reset(p->conn);
	link_close(p->conn);
	free(p->rx);
	free(p->held);
	*p = (struct peer){0};
}

void peer_full_operation(struct peer *p, bool crc, bool tx_markers,
			 bool rx_markers)
{
	p->crc = crc;
	p->tx_markers = tx_markers;
	p->rx_markers = rx_markers;
	p->tx_offset = p->rx_offset = 0;
}

enum peer_status peer_send(struct peer *p, enum observe_kind kind,
			   const uint8_t *octets, size_t n, const size_t *cuts,
			   size_t ncuts, uint64_t deadline)
{
	const uint8_t *copy = observe_copy(p->log, octets, n);

	if (!copy)
		return PEER_FLOOD;
	if (p->session)
		return PEER_BROKEN;
	observe_event(p->log, kind, p->stream, copy, n);
	return peer_from_link(
		link_send(p->conn, octets, n, cuts, ncuts, deadline));
}

/* --- sending FPDUs --------------------------------------------------- */

static bool held_room(struct peer *p, size_t n)
{
	if (p->held_cap - p->held_octets >= n)
		return true;
	size_t cap = p->held_cap ? p->held_cap : 4096;

	while (cap - p->held_octets < n)
		cap *= 2;
	uint8_t *more = realloc(p->held, cap);

	if (!more) {
		snprintf(p->conn->why, sizeof(p->conn->why), "out of memory");
		return false;
	}
	p->held = more;
	p->held_cap = cap;
	return true;
}

enum peer_status peer_hold(struct peer *p, enum observe_kind kind,
			   const uint8_t *octets, size_t n)
{
	if (p->session)
		return messages_hold(p, kind, octets, n);

	const uint8_t *copy = observe_copy(p->log, octets, n);

	if (!copy)
		return PEER_FLOOD;
	if (!held_room(p, n))
		return PEER_BROKEN;
	observe_event(p->log, kind, p->stream, copy, n);
	memcpy(p->held + p->held_octets, octets, n);
	p->held_octets += n;
	return PEER_OK;
}

static uint32_t crc_of(const uint8_t *octets, size_t n, enum peer_crc fault,
		       uint32_t value)
{
	switch (fault) {
	case PEER_CRC_GIVEN:
		return value;
	case PEER_CRC_ETHERNET:
		return (uint32_t)crc32(0, octets, (uInt)n);
	case PEER_CRC_NOT_COMPLEMENTED:
		return ~crc32c(octets, n);
	case PEER_CRC_SWAPPED:
		return __builtin_bswap32(crc32c(octets, n));
	case PEER_CRC_ONE_BIT:
		return crc32c(octets, n) ^ 0x01000000u;
	case PEER_CRC_RIGHT:
		break;
	}
	return crc32c(octets, n);
}

static void put_marker_half(uint8_t *marker, bool pointer, long value)
{
	if (value < 0)
		return;
	marker[pointer ? 2 : 0] = (uint8_t)(value >> 8);
	marker[pointer ? 3 : 1] = (uint8_t)value;
}

/* `received` of the device's octets, and not the peer. */
static const struct frame *frame_of(struct peer *p, const uint8_t *octets,
				    size_t n, bool markers, uint32_t offset,
				    bool received)
{
	struct frame *f = observe_alloc(p->log, sizeof(*f));
	uint8_t *room = NULL;
	struct fpdu decoded;
	size_t used;

	if (!f)
		return NULL;
	f->octets = octets;
	f->n = n;
	if (markers && !(room = observe_alloc(p->log, n)))
		return NULL;
	decoded.marker_count = 0;
	if (fpdu_decode(&decoded, octets, n, markers, offset, room, n, &used) !=
	    FPDU_OK)
		decoded = (struct fpdu){
			.ulpdu = octets, .markers = markers, .offset = offset};
	struct fpdu *kept = observe_alloc(
		p->log,
		offsetof(struct fpdu, marker) +
			decoded.marker_count * sizeof(struct fpdu_marker));

	if (!kept)
		return NULL;
	memcpy(kept, &decoded,
	       offsetof(struct fpdu, marker) +
		       decoded.marker_count * sizeof(struct fpdu_marker));
	f->fpdu = kept;
	ddp_decode(&f->seg, kept->ulpdu, kept->ulpdu_length);
	if (n >= FPDU_CRC_OCTETS) {
		size_t covered = n - FPDU_CRC_OCTETS;

		crc_put(f->crc_due, crc32c(octets, covered));
		f->crc_ok = memcmp(f->crc_due, octets + covered,
				   FPDU_CRC_OCTETS) == 0;
		if (received && !f->crc_ok)
			kept->crc_off = crc_off(p->rx + p->rx_from, n,
						p->rx_to - p->rx_from);
	}
	return f;
}

enum peer_status peer_frame(struct peer *p, const uint8_t *ulpdu, size_t n,
			    const struct peer_faults *f,
			    const struct frame **frame)
{
	struct fpdu fpdu;
	bool markers = p->tx_markers && !f->no_markers;
	uint32_t offset = p->tx_offset;
	size_t lead = f->extra_marker ? FPDU_MARKER_OCTETS : 0;

	assert(n <= 65535);
	if (p->session)
		return messages_frame(p, ulpdu, n, f, frame);
	fpdu_init(&fpdu, ulpdu, (uint16_t)n, markers, offset);
	size_t total = fpdu_octets((uint16_t)n, markers, offset);

	if (!held_room(p, lead + total))
		return PEER_BROKEN;
	uint8_t *out = p->held + p->held_octets;

	memset(out, 0, lead);
	if (f->pad >= 0)
		memset(fpdu.pad, f->pad, sizeof(fpdu.pad));
	size_t at = 0;

	if (f->marker < fpdu.marker_count) {
		if (f->marker_reserved >= 0)
			fpdu.marker[f->marker].reserved =
				(uint16_t)f->marker_reserved;
		if (f->marker_pointer >= 0)
			fpdu.marker[f->marker].fpduptr =
				(uint16_t)f->marker_pointer;
		at = fpdu_marker_at(f->marker, markers, offset);
	}
	size_t wrote = fpdu_encode(&fpdu, out + lead, total);

	assert(wrote == total);
	(void)wrote;
	total += lead;
	if (f->ulpdu_length >= 0) {
		size_t h = lead + (markers && fpdu.marker_count &&
						   fpdu_marker_at(0, markers,
								  offset) == 0
					   ? FPDU_MARKER_OCTETS
					   : 0);
		out[h] = (uint8_t)(f->ulpdu_length >> 8);
		out[h + 1] = (uint8_t)f->ulpdu_length;
	}
	crc_put(out + total - 4, crc_of(out, total - 4, f->crc, f->crc_value));

	/* What changes after the CRC was computed. */
	if (f->marker < fpdu.marker_count) {
		put_marker_half(out + lead + at, false,
				f->marker_reserved_after);
		put_marker_half(out + lead + at, true, f->marker_pointer_after);
	}
	if (f->pad_after >= 0 && fpdu.pad_octets) {
		/* A marker may stand between PAD and CRC. */
		size_t end = total - 4;
		size_t last =
			fpdu.marker_count
				? lead + fpdu_marker_at(fpdu.marker_count - 1,
							markers, offset)
				: 0;

		if (fpdu.marker_count && last + FPDU_MARKER_OCTETS == end)
			end = last;
		memset(out + end - fpdu.pad_octets, f->pad_after,
		       fpdu.pad_octets);
	}
	if (f->flip >= 0 && (size_t)f->flip < total * 8)
		out[f->flip / 8] ^= (uint8_t)(0x80 >> (f->flip % 8));

	const uint8_t *copy = observe_copy(p->log, out, total);
	const struct frame *sent =
		copy ? frame_of(p, copy, total, markers, offset, false) : NULL;
	struct event *e = sent ? observe_event(p->log, OBSERVE_FRAME_SENT,
					       p->stream, copy, total)
			       : NULL;

	if (!e)
		return PEER_FLOOD;
	e->frame = sent;
	if (frame)
		*frame = sent;
	p->held_octets += total;
	p->tx_offset += (uint32_t)total;
	return PEER_OK;
}

static size_t to_flush(const struct peer *p, size_t keep)
{
	return keep < p->held_octets ? p->held_octets - keep : 0;
}

static enum peer_status flushed(struct peer *p, size_t n, int status)
{
	memmove(p->held, p->held + n, p->held_octets - n);
	p->held_octets -= n;
	return peer_from_link(status);
}

enum peer_status peer_flush(struct peer *p, const size_t *cuts, size_t ncuts,
			    size_t keep, uint64_t deadline)
{
	if (p->session)
		return messages_flush(p, keep, deadline);

	size_t n = to_flush(p, keep);

	if (!n)
		return PEER_OK;
	return flushed(p, n,
		       link_send(p->conn, p->held, n, cuts, ncuts, deadline));
}

enum peer_status peer_flush_segments(struct peer *p,
				     const struct link_segment *plan,
				     size_t count, size_t keep)
{
	size_t n = to_flush(p, keep);

	if (p->session)
		return PEER_BROKEN;
	if (!n)
		return PEER_OK;
	/* A script that ends the stream has ended this direction. */
	for (size_t i = 0; i < count; i++) {
		p->fin_sent |= plan[i].fin;
		p->reset_sent |= plan[i].rst;
	}
	return flushed(p, n,
		       link_send_segments(p->conn, p->held, n, plan, count));
}

/* --- receiving ------------------------------------------------------- */

/* Make room for `need` octets from rx_from on, plus one read. */
static bool rx_room(struct peer *p, size_t need)
{
	if (p->rx_from) {
		memmove(p->rx, p->rx + p->rx_from, p->rx_to - p->rx_from);
		p->rx_to -= p->rx_from;
		p->rx_from = 0;
	}
	size_t cap = p->rx_cap;

	while (cap < need || cap - p->rx_to < 1024)
		cap *= 2;
	if (cap == p->rx_cap)
		return true;
	uint8_t *more = realloc(p->rx, cap);

	if (!more)
		return false;
	p->rx = more;
	p->rx_cap = cap;
	return true;
}

void peer_tell_part(struct peer *p)
{
	size_t n = p->rx_to - p->rx_from;
	const uint8_t *copy;

	if (!n || n == p->part_logged)
		return;
	p->part_logged = n;
	copy = observe_copy(p->log, p->rx + p->rx_from, n);
	if (copy)
		observe_event(p->log, OBSERVE_OCTETS_SEEN, p->stream, copy, n);
}

/* A marker may be sent before the FPDU that it precedes, which need not come. */
static bool is_lone_marker(const struct peer *p)
{
	const uint8_t *octets = p->rx + p->rx_from;

	return p->rx_to - p->rx_from == FPDU_MARKER_OCTETS &&
	       fpdu_marker_count(0, p->rx_markers, p->rx_offset) &&
	       !fpdu_marker_at(0, p->rx_markers, p->rx_offset) &&
	       !(octets[0] | octets[1] | octets[2] | octets[3]);
}

/* The rest when the device ends in the middle of something. */
static void log_leftover(struct peer *p)
{
	if (p->rx_to == p->rx_from || p->leftover_logged || is_lone_marker(p))
		return;
	p->leftover_logged = true;
	peer_tell_part(p);
}

static enum peer_status receive_more(struct peer *p, size_t need,
				     uint64_t deadline)
{
	if (p->reset_seen)
		return PEER_RESET;
	if (p->fin_seen)
		return PEER_FIN;
	if (!rx_room(p, need))
		return PEER_BROKEN;
	size_t room = p->rx_cap - p->rx_to;
	long got = p->end_held ? p->end
			       : link_recv(p->conn, p->rx + p->rx_to,
					   room < RX_READ ? room : RX_READ,
					   deadline);

	if (got > 0) {
		p->rx_to += (size_t)got;
		p->grew = clock_now_ns();
		return PEER_OK;
	}
	if (got == 0) {
		log_leftover(p);
		observe_event(p->log, OBSERVE_FIN_SEEN, p->stream, NULL, 0);
		p->fin_seen = true;
		return PEER_FIN;
	}
	if (got == LINK_RESET) {
		log_leftover(p);
		observe_event(p->log, OBSERVE_RESET_SEEN, p->stream, NULL, 0);
		p->reset_seen = true;
	}
	return peer_from_link((int)got);
}

/* A wait, and its extensions: if more of a frame arrives within half of the
 * wait, the wait is extended by as much, unless the frame arrives too slowly to
 * be complete by then. */
struct patience {
	uint64_t deadline, last;
	uint64_t half, first, grew; /* when more came, at first and at last */
	size_t had, had_first;
};

static struct patience patience_until(const struct peer *p, uint64_t deadline)
{
	uint64_t now = clock_now_ns();
	uint64_t wait = deadline > now ? deadline - now : 0;
	uint64_t grows = wait < PEER_GROWS_NS / PEER_GROWS ? wait * PEER_GROWS
							   : PEER_GROWS_NS;

	return (struct patience){
		.deadline = deadline,
		.last = grows > wait ? now + grows : deadline,
		.half = wait / 2,
		.had = p->rx_to - p->rx_from,
	};
}

/* After octets have come. */
static void patience_grows(struct patience *w, const struct peer *p)
{
	size_t have = p->rx_to - p->rx_from;

	if (have > w->had && w->half) {
		w->grew = clock_now_ns();
		if (!w->first) {
			w->first = w->grew;
			w->had_first = have;
		}
		if (w->grew + w->half > w->deadline)
			w->deadline = w->grew + w->half < w->last
					      ? w->grew + w->half
					      : w->last;
	}
	w->had = have;
}

/* At the pace of half a wait it is not whole before the last deadline. */
static bool patience_is_of_no_use(const struct patience *w, size_t need)
{
	if (!w->first || w->grew - w->first < w->half || w->had >= need)
		return false;
	double per_octet =
		(double)(w->grew - w->first) / (double)(w->had - w->had_first);

	return (double)w->grew + per_octet * (double)(need - w->had) >
	       (double)w->last;
}

/* Receive more for an item that needs so many octets, with a word on how it
 * ended. */
static enum peer_status receive_growing(struct peer *p, size_t need,
					struct patience *w)
{
	p->growing = patience_is_of_no_use(w, need);
	if (p->growing)
		return PEER_TIMEOUT;
	enum peer_status status = receive_more(p, need, w->deadline);

	if (status == PEER_OK)
		patience_grows(w, p);
	else if (status == PEER_TIMEOUT)
		p->growing = w->grew && clock_now_ns() < w->grew + w->half;
	return status;
}

enum peer_status peer_receive_startup(struct peer *p, uint64_t deadline,
				      const uint8_t **octets, size_t *n)
{
	if (p->session)
		return messages_receive_control(p, deadline, octets, n);

	struct patience w = patience_until(p, deadline);
	enum peer_status status = PEER_OK;
	size_t need;

	while (status == PEER_OK) {
		size_t have = p->rx_to - p->rx_from;

		need = mpa_startup_octets(p->rx + p->rx_from, have);
		if (have >= need)
			break;
		status = receive_growing(p, need, &w);
	}
	size_t have = p->rx_to - p->rx_from;

	*n = status == PEER_OK ? need : have;
	*octets = observe_copy(p->log, p->rx + p->rx_from, *n);
	if (!*octets)
		return PEER_FLOOD;
	if (status == PEER_OK) {
		observe_event(p->log, OBSERVE_STARTUP_SEEN, p->stream, *octets,
			      *n);
		p->rx_from += *n;
	}
	return status;
}

/* The size of the FPDU at rx_from, as far as known from the octets received. */
static size_t fpdu_need(const struct peer *p)
{
	size_t have = p->rx_to - p->rx_from;
	size_t h = p->rx_markers && p->rx_offset % FPDU_MARKER_SPACING == 0
			   ? FPDU_MARKER_OCTETS
			   : 0;
	const uint8_t *at = p->rx + p->rx_from + h;

	if (have < h + 2)
		return h + 2;
	return fpdu_octets((uint16_t)(at[0] << 8 | at[1]), p->rx_markers,
			   p->rx_offset);
}

/*
 * The CRC of the FPDU at rx_from does not match. If its pad is too long, the
 * right CRC follows. Where some octets behind the FPDU have come, the rest of
 * four may be in the next TCP segment. An end that comes instead is seen after
 * the frame.
 */
static void look_behind(struct peer *p, size_t need, uint64_t wait)
{
	uint64_t deadline = clock_now_ns() + wait;
	long got = 1;

	while (got > 0 && !p->end_held && !p->fin_seen && !p->reset_seen &&
	       p->rx_to - p->rx_from < need + FPDU_CRC_OCTETS &&
	       rx_room(p, need + FPDU_CRC_OCTETS)) {
		got = link_recv(p->conn, p->rx + p->rx_to, FPDU_CRC_OCTETS,
				deadline);
		if (got > 0)
			p->rx_to += (size_t)got;
		else if (got == 0 || got == LINK_RESET)
			p->end_held = true;
		p->end = got;
	}
}

static bool crc_matches(const struct peer *p, size_t need)
{
	const uint8_t *octets = p->rx + p->rx_from;
	size_t covered = need - FPDU_CRC_OCTETS;

	return !p->crc || need < FPDU_CRC_OCTETS ||
	       crc_get(octets + covered) == crc32c(octets, covered);
}

enum peer_status peer_receive(struct peer *p, uint64_t deadline,
			      const struct frame **frame)
{
	enum { BEHIND_PART = 16 };

	if (p->session)
		return messages_receive(p, deadline, frame);

	struct patience w = patience_until(p, deadline);
	size_t need;

	while (p->rx_to - p->rx_from < (need = fpdu_need(p))) {
		enum peer_status status = receive_growing(p, need, &w);

		if (status != PEER_OK)
			return status;
	}
	if (p->rx_to - p->rx_from > need && !crc_matches(p, need))
		look_behind(p, need, w.half / BEHIND_PART);
	const uint8_t *copy = observe_copy(p->log, p->rx + p->rx_from, need);

	*frame = copy ? frame_of(p, copy, need, p->rx_markers, p->rx_offset,
				 true)
		      : NULL;
	struct event *e = *frame ? observe_event(p->log, OBSERVE_FRAME_SEEN,
						 p->stream, copy, need)
				 : NULL;

	if (!e)
		return PEER_FLOOD;
	e->frame = *frame;
	p->rx_from += need;
	p->rx_offset += (uint32_t)need;
	return PEER_OK;
}

bool peer_has_octets(struct peer *p)
{
	if (p->session)
		return messages_waiting(p);
	if (p->rx_to == p->rx_from && !p->fin_seen && !p->reset_seen)
		receive_more(p, 0, CLOCK_NOW);
	return p->rx_to > p->rx_from;
}

/* --- ending ---------------------------------------------------------- */

enum peer_status peer_close_sending(struct peer *p)
{
	if (p->fin_sent || p->reset_sent)
		return PEER_OK;
	p->fin_sent = true;
	if (p->session)
		return messages_terminate(p);
	observe_event(p->log, OBSERVE_FIN_SENT, p->stream, NULL, 0);
	return peer_from_link(link_half_close(p->conn));
}

enum peer_status peer_reset(struct peer *p)
{
	if (p->reset_sent)
		return PEER_OK;
	p->reset_sent = true;
	observe_event(p->log, OBSERVE_RESET_SENT, p->stream, NULL, 0);
	return peer_from_link(link_reset(p->conn));
}
