/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The TCP of a case, on a link that controls its segments: withholding,
 * retransmission, loss; window, acknowledgements, path.
 */
#include "suite/language/execution/execution.h"

#include "harness/link/clock.h"

struct order case_order_swapped(void)
{
	static unsigned char number[254]; /* as many as fit a char, and even */

	for (unsigned i = 0; i < sizeof(number); i++)
		number[i] = (unsigned char)((i ^ 1) + 1);
	return (struct order){number, sizeof(number)};
}

void peer_withholds(struct test *t, unsigned nth)
{
	live_stream(t)->withhold = nth;
}

void peer_releases(struct test *t)
{
	struct stream *s = live_stream(t);

	s->withheld = false;
	s->starved = false;
	test_acts(t);
	if (link_release(s->peer.conn) == LINK_ERROR)
		test_error(t, CAUSE_SUITE, "the link failed: %s",
			   s->peer.conn->why);
}

void peer_resends_others(struct test *t, uint32_t back, const void *octets,
			 size_t n)
{
	struct stream *s = live_stream(t);

	s->starved = false;
	s->dirty = true;
	test_acts(t);
	if (link_send_stray(s->peer.conn, back, octets, n) == LINK_ERROR)
		test_error(t, CAUSE_SUITE, "the link failed: %s",
			   s->peer.conn->why);
}

static bool is_frame_sent(const struct event *e, unsigned stream)
{
	return e->stream == stream && (e->kind == OBSERVE_FRAME_SENT ||
				       e->kind == OBSERVE_STARTUP_SENT);
}

/* All frames sent on this stream, as octets. */
static uint8_t *sent_octets(struct test *t, const struct stream *s, size_t *n)
{
	unsigned number = (unsigned)(s - t->stream);
	size_t total = 0, at = 0;

	for (const struct event *e = observe_first(t->bed->log); e; e = e->next)
		if (is_frame_sent(e, number))
			total += e->n;
	uint8_t *all = test_alloc(t, total);

	for (const struct event *e = observe_first(t->bed->log); e; e = e->next)
		if (is_frame_sent(e, number)) {
			memcpy(all + at, e->octets, e->n);
			at += e->n;
		}
	*n = total;
	return all;
}

uint8_t *octets_sent(struct test *t, size_t n)
{
	size_t total;
	uint8_t *all = sent_octets(t, live_stream(t), &total);

	if (n > total)
		test_error(t, CAUSE_SUITE, "%zu octets were never sent", n);
	return all + total - n;
}

void peer_resends(struct test *t, uint32_t back, size_t n)
{
	if (n > back)
		test_error(t, CAUSE_SUITE, "they were never sent");
	peer_resends_others(t, back, octets_sent(t, back), n);
}

void peer_sends_beyond(struct test *t, const void *octets, size_t n)
{
	peer_resends_others(t, 0, octets, n);
}

void peer_offers_window(struct test *t, long octets)
{
	struct stream *s = live_stream(t);

	s->shut = octets == 0;
	test_acts(t);
	if (!link_set_window(s->peer.conn, octets))
		not_applicable(t, "the %s link chooses its window",
			       t->bed->link->name);
}

/* A link that cannot do this receives the rest in small parts. */
void peer_makes_room(struct test *t)
{
	(void)link_make_room(live_stream(t)->peer.conn);
}

void peer_acknowledges(struct test *t, bool on)
{
	test_acts(t);
	if (!link_set_acks(live_stream(t)->peer.conn,
			   on ? LINK_ACKS_AT_ONCE : LINK_ACKS_WITHHELD))
		not_applicable(t,
			       "the %s link sends acknowledgments on its own",
			       t->bed->link->name);
}

/* The link has no such means: a case with .segments does not run on it. */
static void demand(struct test *t, bool done)
{
	test_acts(t);
	if (!done)
		not_applicable(t, "the %s link leaves TCP to the system",
			       t->bed->link->name);
}

void peer_loses(struct test *t, unsigned n)
{
	demand(t, link_lose(live_stream(t)->peer.conn, n));
}

void peer_falls_silent(struct test *t)
{
	struct stream *s = live_stream(t);

	demand(t, link_fall_silent(s->peer.conn));
	s->starved = true; /* nothing will come any more */
}

void path_narrows(struct test *t, unsigned mtu)
{
	demand(t, link_tell_path_mtu(live_stream(t)->peer.conn, mtu));
}

enum { ARRIVALS = 256 };

/* The latest octets begin before the end of earlier ones. */
static bool came_again(const struct link_segment *seg, size_t n)
{
	size_t end = 0;

	for (size_t i = 0; i < n; i++) {
		if (seg[i].from < end)
			return true;
		end = seg[i].to;
	}
	return false;
}

bool dut_sends_again(struct test *t)
{
	struct link_conn *conn = live_stream(t)->peer.conn;
	struct link_segment seg[ARRIVALS];
	uint64_t deadline = test_deadline(t);
	struct link_wait w = {.conn = conn}; /* whatever comes */

	while (!came_again(seg, link_arrivals(conn, seg, ARRIVALS))) {
		if (clock_now_ns() >= deadline)
			return false;
		link_wait(conn->link, &w, 1, clock_now_ns() + CLOCK_NS_PER_MS);
	}
	return true;
}

void all_is_quiet(struct test *t, unsigned ms)
{
	struct stream *s = live_stream(t);
	struct link_wait w = {.conn = s->peer.conn, .want = LINK_READ};

	link_wait(t->bed->link, &w, 1,
		  clock_now_ns() + ms * (uint64_t)CLOCK_NS_PER_MS);
}

struct dut_segments dut_segments(struct test *t)
{
	struct stream *s = live_stream(t);
	struct link_segment seg[ARRIVALS];
	size_t n = link_arrivals(s->peer.conn, seg, ARRIVALS), k = 0;
	struct dut_segment *out = test_alloc(t, ARRIVALS * sizeof(*out));
	/* Full Operation begins after the octets of startup. */
	uint32_t origin = (uint32_t)(s->peer.conn->received -
				     (s->peer.rx_to - s->peer.rx_from)) -
			  s->peer.rx_offset;

	for (size_t i = 0; i < n; i++) {
		if ((uint32_t)seg[i].from < origin)
			continue;
		out[k++] = (struct dut_segment){
			.from = (uint32_t)seg[i].from - origin,
			.to = (uint32_t)seg[i].to - origin};
	}
	return (struct dut_segments){out, k};
}
