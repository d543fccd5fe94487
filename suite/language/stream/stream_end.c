/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end of a stream: a last look at it, and its end in words.
 */
#include "harness/crc/crc.h"
#include "suite/device/command.h"
#include "suite/language/execution/execution.h"

static const char *end_name(const struct test *t, const struct stream *s)
{
	if (test_on_sctp(t))
		return s->end == STREAM_FIN ? "the end of its session"
					    : "ABORT";
	return s->end == STREAM_FIN ? "FIN" : "RST";
}

/* Octets that are not a complete FPDU. */
static size_t part_of(const struct stream *s)
{
	const struct peer *p = &s->peer;

	return s->live && s->full && !s->association ? p->rx_to - p->rx_from
						     : 0;
}

size_t stream_part(const struct stream *s, size_t *due)
{
	const struct peer *p = &s->peer;
	const uint8_t *octets = p->rx + p->rx_from;
	size_t n = part_of(s), at = 0;

	/* A marker may stand before the length. */
	if (fpdu_marker_count(0, p->rx_markers, p->rx_offset) &&
	    !fpdu_marker_at(0, p->rx_markers, p->rx_offset))
		at = FPDU_MARKER_OCTETS;
	*due = n < at + 2 ? 0
			  : fpdu_octets((uint16_t)(octets[at] << 8 |
						   octets[at + 1]),
					p->rx_markers, p->rx_offset);
	return n;
}

bool stream_part_is_unasked(const struct stream *s)
{
	enum { LENGTH = 2, WRITE = 14, READ = 46 };
	const uint8_t *octets = s->peer.rx + s->peer.rx_from;
	size_t due, n = stream_part(s, &due);

	if (!due || n < due || s->peer.rx_markers || !may_be_unasked(s))
		return false;
	if (octets[0])
		return false;
	return (octets[1] == WRITE && (octets[LENGTH] & 0x80) &&
		(octets[LENGTH + 1] & 0x0f) == RDMAP_WRITE) ||
	       (octets[1] == READ && !(octets[LENGTH] & 0x80) &&
		(octets[LENGTH + 1] & 0x0f) == RDMAP_READ_REQUEST);
}

static bool ends_with_crc(const struct stream *s, size_t n)
{
	const uint8_t *octets = s->peer.rx + s->peer.rx_from;

	return crc_get(octets + n - 4) == crc32c(octets, n - 4);
}

/* The first FPDU begins with a marker whose fields are all zero
 * (RFC 5044 s4.3), and these octets do not. */
static bool lacks_first_marker(const struct stream *s, size_t n)
{
	static const uint8_t marker[4];

	return s->peer.rx_markers && !s->peer.rx_offset &&
	       n >= sizeof(marker) &&
	       memcmp(s->peer.rx + s->peer.rx_from, marker, sizeof(marker)) !=
		       0;
}

unsigned short stream_part_row(const struct stream *s, unsigned short row)
{
	enum { CRC = 4, PAD_MOST = 3 };
	size_t due, n = stream_part(s, &due);

	if (!n || s->end != STREAM_UP || (s->model && s->model->adrift))
		return row;
	if (lacks_first_marker(s, n))
		return MPA_4_3_03.index;
	if (s->peer.rx_markers)
		return row;
	/* It is complete: its pad is missing, or its length is wrong. */
	if (s->peer.crc && n >= 2 * CRC && ends_with_crc(s, n))
		return n % 4 ? MPA_4_1_04.index : MPA_4_1_02.index;
	if (n + CRC == due)
		return s->peer.crc ? MPA_7_1_1_10.index : MPA_4_1_11.index;
	if (n + PAD_MOST >= due)
		return MPA_4_1_04.index;
	return MPA_4_1_02.index;
}

/* " after 22 octets of an FPDU of 24: ..." */
static const char *part_text(struct test *t, const struct stream *s)
{
	enum { SHOWN = 64 };
	size_t due, n = stream_part(s, &due);
	const char *whole =
		due ? test_format(t, " of an FPDU of %zu", due) : "";

	if (!n)
		return "";
	return test_format(t, " after %zu octet%s%s, and no more: %s", n,
			   n == 1 ? "" : "s", whole,
			   test_hex(t, s->peer.rx + s->peer.rx_from, n, SHOWN));
}

const char *stream_end_text(struct test *t, const struct stream *s)
{
	if (s->terminate && s->end != STREAM_UP)
		return test_format(t, "%s, then %s",
				   test_frame_text(t, s->terminate),
				   end_name(t, s));
	if (s->terminate)
		return test_frame_text(t, s->terminate);
	if (s->end != STREAM_UP)
		return test_format(t, "%s without a Terminate%s",
				   end_name(t, s), part_text(t, s));
	if (s->flooded)
		return "the stream is still open, and octets keep coming";
	return s->starved ? test_format(t,
					"the stream is still open, and "
					"silent%s",
					part_text(t, s))
			  : "the stream is still open";
}

const char *stream_has_gone_on(struct test *t, struct stream *s)
{
	t->witnessed = true;
	s->starved = true; /* the wait was long enough */
	return "the stream goes on: a later known-answer exchange was answered";
}

const char *stream_silence(struct test *t, struct stream *s)
{
	size_t due;

	s->unread = false;
	if (stream_over(s) || !s->starved || s->may_stall || s->flooded ||
	    stream_part(s, &due))
		return NULL;
	s->starved = false;
	if (!stream_can_fence(t, s)) {
		s->starved = true;
		return NULL;
	}
	bool brief = t->bed->brief;

	t->bed->brief |= stream_left_unread(t);
	bool answered = stream_fence(t, s);

	t->bed->brief = brief;
	if (answered)
		return stream_has_gone_on(t, s);
	if (stream_over(s))
		return test_format(t,
				   "silence; after the suite tried a "
				   "known-answer exchange: %s",
				   stream_end_text(t, s));
	s->unread = true;
	return "the stream is still open, but the device no longer reads: a "
	       "later known-answer exchange was not answered";
}

const char *how_tcp_stands(struct test *t)
{
	struct stream *s = live_stream(t);

	dut_round_trip(t);
	peer_has_octets(&s->peer);
	return s->peer.reset_seen ? "RST" : s->peer.fin_seen ? "FIN" : "open";
}

const char *how_it_ended(struct test *t)
{
	struct stream *s = live_stream(t);

	stream_pull_to_end(t, s);
	return stream_end_text(t, s);
}

/* Not for a case that tests what answers themselves depend on, nor for one in
 * which a missing answer proves nothing. */
static bool rests_on_answers(const struct test *t)
{
	enum foundation f = t->in->desc->founds;

	return !t->shaken_by &&
	       (!f ||
		foundation_floor(f) > foundation_floor(FOUNDATION_ANSWER));
}

/*
 * Find out how it ends. The peer's FIN asks a device that has sent or received
 * a Terminate to end as well. No verdict depends on it any more: if a device
 * has left several streams open, later ends are waited for less, and other cases
 * may run meanwhile.
 */
static void see_its_end(struct test *t, struct stream *s)
{
	if (streams_are_left_open(t)) {
		t->is_past = true;
		wait_at_ease(t);
	}
	peer_close_sending(&s->peer);
	while (stream_pull(t, s))
		continue;
	t->is_past = false;
}

/* The row of a stream that has stopped. A device that has found an error of the
 * peer ends it (RFC 5040 s7). */
static unsigned short row_of_silence(const struct test *t,
				     const struct stream *s)
{
	return t->breaks ? RDMAP_7_01.index
			 : stream_part_row(s, RDMAP_5_2_1_16.index);
}

static void finish(struct test *t, struct stream *s)
{
	if (stream_can_fence(t, s) && rests_on_answers(t) && s->dirty &&
	    !s->may_stall && !test_alone(t) && !stream_fence(t, s) &&
	    !stream_over(s))
		test_judge(t, row_of_silence(t, s), false, false,
			   test_format(t,
				       "at the end of the case\n"
				       "due:  a zero-length RDMA Read is "
				       "answered\n"
				       "seen: %s",
				       stream_end_text(t, s)));
	if (s->live && (s->terminate || s->peer_terminated) &&
	    s->end == STREAM_UP)
		see_its_end(t, s);
	/* Judge frames that no statement waited for. */
	session_looks(t, s);
}

void streams_finish(struct test *t)
{
	for (unsigned i = 0; i < t->streams; i++)
		finish(t, &t->stream[i]);
}

void streams_drop(struct test *t)
{
	for (unsigned i = 0; i < t->streams; i++) {
		struct stream *s = &t->stream[i];

		if (s->live)
			peer_end(&s->peer, true);
		link_listener_close(s->peer_listener);
		if (s->command)
			command_end(s->command);
		s->command = 0;
		s->live = false;
		s->peer_listener = NULL;
	}
	for (unsigned i = 0; i < t->streams; i++)
		session_drop(&t->stream[i]);
}

enum teardown test_teardown(const struct test *t)
{
	const struct stream *s = &t->stream[t->current];

	if (t->streams == t->beside)
		return TEARDOWN_NONE;
	for (unsigned i = t->beside; i < t->streams; i++)
		if (t->stream[i].terminate && !s->terminate)
			s = &t->stream[i];
	if (s->terminate)
		return s->end == STREAM_FIN     ? TEARDOWN_TERMINATE_FIN
		       : s->end == STREAM_RESET ? TEARDOWN_TERMINATE_RST
						: TEARDOWN_TERMINATE_OPEN;
	return s->end == STREAM_FIN     ? TEARDOWN_FIN
	       : s->end == STREAM_RESET ? TEARDOWN_RST
					: TEARDOWN_OPEN;
}
