/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5044 s4.5, s5.1, s8 and RFC 5041 s3: FPDUs in the TCP segments of the
 * device; a path that becomes narrower, or ends.
 */
#include "case.h"

#define WRITE_OCTETS (64u * 1024)

/* --- which segments ----------------------------------------------------------- */

static bool begins_an_fpdu(const struct message *m, uint32_t at)
{
	for (size_t i = 0; i < m->count; i++)
		if (frame_offset(m->frames[i]) == at)
			return true;
	return false;
}

/* Of a hundred segments that carry the message, how many begin with one of
 * its FPDUs? */
static unsigned aligned(struct test *t, const struct message *m)
{
	struct dut_segments s = dut_segments(t);
	uint32_t from = frame_offset(m->frames[0]);
	unsigned all = 0, good = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.seg[i].from < from)
			continue;
		all++;
		good += begins_an_fpdu(m, s.seg[i].from);
	}
	return all ? good * 100 / all : 0;
}

CASE(segments_begin_with_an_fpdu,
     .title = "most TCP segments of a large Write begin with an FPDU",
     .needs = NEED_WRITE, .segments = true, .role = EITHER)
{
	/* Given a path of an Ethernet, */
	struct region r = dut_registers(t, .len = WRITE_OCTETS);
	connects(t, .mss = 1460);

	/* when the device sends a large Write, */
	dut_posts(t, POST_WRITE_FROM(r, 0, WRITE_OCTETS, 0x1234, 0x1000));
	struct message m = awaits_given_message(t, RDMAP_WRITE);

	/* then its FPDUs and TCP's segments begin together. */
	should(t, MPA_5_1_01,
	       at_least("segments in a hundred that begin with an FPDU",
			aligned(t, &m), 51));
}

#define SMALL 20u

/* FPDUs of these that lie as wholes in a segment with others. */
static unsigned packed(struct test *t, const struct frame *const *f, size_t n)
{
	struct dut_segments s = dut_segments(t);
	unsigned all = 0;

	for (size_t i = 0; i < s.n; i++) {
		unsigned here = 0;

		for (size_t k = 0; k < n; k++)
			here += frame_offset(f[k]) >= s.seg[i].from &&
				frame_offset(f[k]) + f[k]->n <= s.seg[i].to;
		all += here > 1 ? here : 0;
	}
	return all;
}

CASE(small_fpdus_may_share_a_segment,
     .title = "several small FPDUs may share one TCP segment",
     .needs = NEED_SEND, .segments = true)
{
	/* Given 20 Sends that wait for the stream to be opened, */
	const struct frame *f[SMALL];
	connects(t, .unproven = true);
	for (unsigned i = 0; i < SMALL; i++)
		dut_posts(t, POST_SEND("hello"));

	/* when they may be sent, all at once, */
	initiator_speaks(t);
	for (unsigned i = 0; i < SMALL; i++)
		f[i] = awaits_given(t, RDMAP_SEND);

	/* then they may have been put together. */
	may(t, MPA_5_1_02,
	    holds("several whole FPDUs in a TCP segment",
		  packed(t, f, SMALL) > 0));
}

/* --- a narrower path ------------------------------------------------------------ */

#define LONG     (1024u * 1024)
#define ETHERNET 1500u

struct narrowed {
	const struct frame *first; /* before */
	struct message rest;
};

/*
 * The device sends a long Write, and in the middle of it learns that its path
 * is a little smaller: the octets of the first FPDU have room, but not with
 * the headers before them. It remembers that for minutes, and the next time it
 * starts from there; other cases want a path that is about as large as it was.
 */
static struct narrowed write_on_a_narrowing_path(struct test *t,
						 const uint8_t *data)
{
	struct region r = dut_registers(t, .len = LONG);
	struct narrowed n;

	dut_fills(t, r, 0, data, LONG);
	connects(t);
	peer_acknowledges(t, false);
	dut_posts(t, POST_WRITE_FROM(r, 0, LONG, 0x1234, 0x1000));
	n.first = next_frame(t);
	if (!n.first)
		not_applicable(t, "the device sends no whole FPDU before "
				  "something is acknowledged");
	unsigned narrower = (unsigned)n.first->n;

	if (narrower <= ETHERNET)
		not_applicable(t,
			       "the path is no wider than an Ethernet's, and "
			       "the device would remember a narrower one");
	path_narrows(t, narrower);
	peer_acknowledges(t, true);
	n.rest = case_awaits_rest(t, DDP_5_2_03, RDMAP_WRITE);
	return n;
}

/* A TCP segment of the message is as long as the path once allowed. */
static bool tcp_ignores_the_path(struct test *t, const struct message *m,
				 uint32_t once)
{
	struct dut_segments s = dut_segments(t);
	uint32_t from = frame_offset(m->frames[0]);

	for (size_t i = 0; i < s.n; i++)
		if (s.seg[i].from >= from &&
		    s.seg[i].to - s.seg[i].from >= once)
			return true;
	return false;
}

CASE(mulpdu_follows_the_path,
     .title = "when a path becomes narrower, so does MULPDU",
     .needs = NEED_WRITE, .segments = true, .role = EITHER)
{
	/* Given a Write of many segments, */
	const uint8_t *data = pattern(t, LONG, 1);

	/* when the path becomes smaller on the way, which a device may ignore
	 * that has already cut the Write (RFC 5041 s5.2: by the MULPDU that it
	 * was given), and another Write is posted, */
	struct narrowed w = write_on_a_narrowing_path(t, data);
	struct region r = dut_registers(t, .len = LONG);
	dut_posts(t, POST_WRITE_FROM(r, 0, LONG, 0x1234, 0x1000));
	struct message m = awaits_given_message(t, RDMAP_WRITE);

	/* and TCP has heard of it: without path MTU discovery, EMSS is the same
	 * as before, */
	if (tcp_ignores_the_path(t, &m, (uint32_t)w.first->n))
		not_applicable(t, "the device's TCP does not follow the path");
	const struct frame *late = m.frames[m.count > 1 ? m.count - 2 : 0];

	/* then its FPDUs fit the path, as the first would not. */
	must(t, MPA_4_5_08,
	     at_most("ULPDU_Length, last but one", late->fpdu->ulpdu_length,
		     path_mulpdu_most(t)));
	must(t, MPA_4_5_08, stream_works());
}

/* Where in the Write this segment lies. */
static uint64_t place_of(const struct frame *f)
{
	return f->seg.ddp.to - 0x1000;
}

static void count_octets(uint8_t times[LONG], const struct frame *f)
{
	uint64_t at = place_of(f);

	for (size_t i = 0; i < f->seg.payload_octets && at + i < LONG; i++)
		times[at + i]++;
}

static bool is_right(const struct frame *f, const uint8_t *data)
{
	uint64_t at = place_of(f);
	size_t n = f->seg.payload_octets;

	return at <= LONG && n <= LONG - at &&
	       memcmp(f->seg.payload, data + at, n) == 0;
}

static unsigned with_other_octets(const struct narrowed *w, const uint8_t *data)
{
	unsigned n = !is_right(w->first, data);

	for (size_t i = 0; i < w->rest.count; i++)
		n += !is_right(w->rest.frames[i], data);
	return n;
}

CASE(segments_are_not_cut_again,
     .title = "when a path becomes narrower, the segments of a Write still "
	      "follow each other without gap or overlap",
     .needs = NEED_WRITE, .segments = true, .role = EITHER)
{
	/* Given a Write of many segments, */
	const uint8_t *data = pattern(t, LONG, 1);

	/* when the path becomes narrower on the way, */
	struct narrowed w = write_on_a_narrowing_path(t, data);

	/* then every octet comes once, for its place. */
	static uint8_t times[LONG];
	unsigned wrong = 0;

	memset(times, 0, sizeof(times));
	count_octets(times, w.first);
	for (size_t i = 0; i < w.rest.count; i++)
		count_octets(times, w.rest.frames[i]);
	for (size_t i = 0; i < LONG; i++)
		wrong += times[i] != 1;
	must(t, DDP_3_04, is("octets that arrived twice, or never", wrong, 0));
	must(t, DDP_3_04,
	     is("segments with other octets", with_other_octets(&w, data), 0));
	must(t, DDP_3_04, stream_works());
}

/* --- a path that ends ------------------------------------------------------------ */

CASE(a_lost_connection_is_an_error,
     .title = "a connection that TCP gives up in the middle of a message is an "
	      "error for the ULP",
     .needs = NEED_SEND, .segments = true, .waits = true)
{
	/* Given a device amidst of receiving a Send, with one to send, */
	struct sink sink = dut_posts_recv(t, 512);
	connects(t);
	peer_sends(t, SEND_N(pattern(t, 300, 1), 300), .keep_last = 100);

	/* when the peer is gone, and TCP tries in vain, */
	peer_falls_silent(t);
	dut_posts(t, POST_SEND("lost"));
	struct dut_state d = dut_ends(t);
	for (unsigned i = 0; i < 3 && strcmp(d.state, "established") == 0; i++)
		d = dut_ends(t); /* it takes longer than an answer does */
	if (strcmp(d.state, "established") == 0)
		not_applicable(t, "the device's TCP has not given up yet: "
				  "--timeout-scale makes the wait longer");

	/* then that ends the stream for it, and the part is not delivered. */
	must(t, MPA_8_12, agent_sees_fatal_end());
	must(t, MPA_8_12, not_delivered(sink));
}
