/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Matchers on the stream: whether it continues, how it ends, and what comes in
 * between.
 */
#include "suite/language/execution/execution.h"

#include <string.h>

#include "suite/model/outcome/terminate.h"

#define HEX_SHOWN 64

/* --- the stream ---------------------------------------------------------- */

static bool ends_by_itself(struct test *t)
{
	struct stream *s = live_stream(t);

	stream_pull_to_end(t, s);
	test_seen(t, "%s", stream_end_text(t, s));
	if (!stream_over(s))
		return false;
	/* Without an agent, the ULP may have ended it. */
	if (!s->terminate)
		alone_asks(t, "to know why a stream ended without a Terminate");
	return true;
}

static bool ends_at_last(struct test *t)
{
	struct stream *s = live_stream(t);
	const char *silence;

	stream_has_to_end(t, s);
	if (ends_by_itself(t))
		return true;
	silence = stream_silence(t, s);
	if (silence)
		test_seen(t, "%s", silence);
	t->reads_no_more = s->unread;
	return false;
}

static bool ends(struct test *t, const struct expect *e)
{
	(void)e;
	return ends_at_last(t);
}

struct expect stream_ends(void)
{
	return (struct expect){.holds = ends,
			       .due = "the device ends the stream"};
}

/* Silence so far: does the device also ignore what follows? */
static bool goes_no_further(struct test *t, struct stream *s)
{
	stream_needs_reads(t);
	test_stands_on(t, s->role, FOUNDATION_ANSWER);
	test_stands_on_directions(t, s);
	s->starved = false;
	if (stream_can_fence(t, s) && stream_fence(t, s)) {
		test_seen(t, "%s", stream_has_gone_on(t, s));
		return false;
	}
	test_seen(t, "%s", stream_end_text(t, s));
	return true;
}

static bool ends_with_the_next(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);

	(void)e;
	stream_has_to_end(t, s);
	if (ends_by_itself(t))
		return true;
	bool brief = t->bed->brief;

	t->bed->brief |= stream_left_unread(t);
	bool went_on = !goes_no_further(t, s);

	t->bed->brief = brief;
	if (went_on)
		return false;
	t->reads_no_more = !stream_over(s);
	return stream_over(s);
}

struct expect stream_ends_with_the_next(void)
{
	return (struct expect){
		.holds = ends_with_the_next,
		.due = "the device ends the stream, at the latest after more "
		       "octets",
	};
}

static bool ends_or_stalls(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);

	(void)e;
	s->may_stall = true;
	if (ends_by_itself(t))
		return true;
	t->silence_is_due = true;
	bool silent = goes_no_further(t, s);

	t->silence_is_due = false;
	return silent;
}

struct expect stream_ends_or_stalls(void)
{
	return (struct expect){
		.holds = ends_or_stalls,
		.due = "the device ends the stream, or drops the TCP segment "
		       "silently",
	};
}

static bool drops(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);

	return ends_or_stalls(t, e) && !stream_over(s);
}

struct expect segment_dropped(void)
{
	return (struct expect){.holds = drops,
			       .due = "the TCP segment dropped silently"};
}

struct expect crc_error_reported(struct test *t)
{
	return any_of(t, terminate(TERM_LLP, 0, 0x02),
		      terminate(TERM_RDMA, 0, 0x00), segment_dropped(),
		      no_terminate());
}

struct expect message_waits(void)
{
	return (struct expect){.holds = drops,
			       .due = "silence, while the message waits for "
				      "its first octets"};
}

struct expect held_back(void)
{
	return (struct expect){.holds = drops,
			       .due = "the message held back by the LLP"};
}

static bool works(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);
	bool ok;

	(void)e;
	if (!stream_over(s)) {
		stream_needs_reads(t);
		test_stands_on(t, s->role, FOUNDATION_OPENING);
		test_stands_on(t, s->role, FOUNDATION_ANSWER);
		test_stands_on_directions(t, s);
	}
	/* With an ORD of zero no Read follows the RTR. */
	ok = !s->peer_ord && s->proved
		     ? !stream_over(s)
		     : stream_can_fence(t, s) && stream_fence(t, s);
	if (test_tells(t, ok))
		test_seen(t, "%s",
			  ok ? "it is answered" : stream_end_text(t, s));
	t->in_parts = !ok;
	return ok;
}

struct expect stream_works(void)
{
	return (struct expect){
		.holds = works,
		.due = "the stream goes on: a zero-length RDMA Read is "
		       "answered",
	};
}

static const char *numbers_due(struct test *t, const struct expect *e)
{
	return test_terminate_text(t, (unsigned)e->a, (unsigned)e->b,
				   (unsigned)e->c);
}

/* The error type of MPA errors has a case of its own, and so has a device that
 * uses code FF for all RDMAP errors. */
static bool has_numbers(const struct test *t,
			const struct rdmap_terminate *term,
			const struct expect *e)
{
	bool as_llp = term->layer == TERM_LLP && term->etype == 3 && e->b == 0;
	/* A local catastrophic error may have any code (RFC 5040 figure 9). A
	 * case that names another one than 0 asks for it. */
	bool any_code = e->a == TERM_RDMA && e->b == 0 && e->c == 0;
	bool unspecified = t->bed->habits.unspecified && e->a == TERM_RDMA &&
			   e->c != TERM_CATASTROPHIC &&
			   term->code == TERM_UNSPECIFIED;

	return term->layer == e->a && (term->etype == e->b || as_llp) &&
	       (term->code == e->c || any_code || unspecified);
}

/* It is due because of a buffer that the case assumes: the ULP behind the port
 * may have posted a longer one. */
static void depends_on_receives(struct test *t, const struct expect *e)
{
	enum { UNTAGGED = 2, NO_BUFFER = 2, TOO_LONG = 5 };

	t->of_receives |= test_alone(t) && live_stream(t)->to_queue_0 &&
			  !e->d && e->a == TERM_DDP && e->b == UNTAGGED &&
			  e->c >= NO_BUFFER && e->c <= TOO_LONG;
}

static bool terminates(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);

	depends_on_receives(t, e);

	if (e->d)
		test_due(t, "a Terminate");
	else
		test_due(t, "a Terminate %s", numbers_due(t, e));
	ends_at_last(t);
	if (!s->terminate) {
		t->untold = e->d ? TEST_ANY : (unsigned)e->a;
		return false;
	}
	struct rdmap_terminate term = case_terminate_of(s->terminate);

	test_seen(t, "%s [%s]", stream_end_text(t, s),
		  test_frame_hex(t, s->terminate, 96));
	t->look.field = "layer, type and code";
	t->contradicted = true;
	return e->d || has_numbers(t, &term, e);
}

struct expect terminate(unsigned layer, unsigned etype, unsigned code)
{
	return (struct expect){
		.holds = terminates, .a = layer, .b = etype, .c = code};
}

struct expect terminate_any(void)
{
	return (struct expect){.holds = terminates, .d = 1};
}

static bool terminates_so(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);

	depends_on_receives(t, e);
	test_due(t, "the stream ends, and a Terminate has %s",
		 numbers_due(t, e));
	stream_has_to_end(t, s);
	stream_pull_to_end(t, s);
	if (s->terminate) {
		const char *due = t->due;
		bool ok = terminates(t, e);

		t->due = due;
		return ok;
	}
	return ends_at_last(t);
}

struct expect terminate_if_any(unsigned layer, unsigned etype, unsigned code)
{
	return (struct expect){
		.holds = terminates_so, .a = layer, .b = etype, .c = code};
}

struct expect refuses_queue(struct test *t)
{
	return any_of(t, terminate_if_any(TERM_DDP, 2, 0x01),
		      terminate_if_any(TERM_DDP, 2, 0x02),
		      terminate_if_any(TERM_DDP, 2, 0x03));
}

struct expect refuses_without_buffer(struct test *t)
{
	return any_of(t, terminate_if_any(TERM_DDP, 2, 0x02),
		      terminate_if_any(TERM_DDP, 2, 0x03));
}

struct expect refuses_msn(struct test *t, bool ahead)
{
	return ahead ? any_of(t, refuses_without_buffer(t), held_back())
		     : refuses_without_buffer(t);
}

struct expect refuses_source_of_others(struct test *t)
{
	return any_of(t, terminate(TERM_RDMA, 1, 0x03),
		      terminate(TERM_RDMA, 1, 0x00));
}

struct expect header_bits(const struct rdmap_terminate *term, unsigned due)
{
	return is("M, D, R as 4, 2, 1",
		  (term->m ? TERM_M : 0u) | (term->d ? TERM_D : 0u) |
			  (term->r ? TERM_R : 0u),
		  due);
}

static bool terminates_as_registered(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);

	bool over = ends_at_last(t);

	(void)e;
	if (!s->terminate || !over)
		return over;
	struct rdmap_terminate term = case_terminate_of(s->terminate);

	t->look.field = "layer, type and code";
	if (model_terminate_registered(term.layer, term.etype, term.code) ||
	    (term.layer == TERM_LLP && term.etype == 3 &&
	     model_terminate_registered(TERM_LLP, 0, term.code)))
		return true;
	test_seen(t, "%s [%s]: its numbers are not registered",
		  stream_end_text(t, s), test_frame_hex(t, s->terminate, 96));
	return false;
}

struct expect terminate_registered(void)
{
	return (struct expect){
		.holds = terminates_as_registered,
		.due = "the stream ends, and the numbers of a Terminate are "
		       "registered",
	};
}

/* A Terminate by its queue: what its opcode is, is another matter. */
static bool is_for_terminates(const struct frame *f)
{
	return !f->seg.short_header && !f->seg.ddp.tagged &&
	       f->seg.ddp.qn == DDP_QN_TERMINATE;
}

static bool ends_without_answer(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);

	(void)e;
	stream_skip_rest(t);
	stream_has_to_end(t, s);
	stream_pull_to_end(t, s);
	for (size_t i = s->taken; i < s->frame_count; i++) {
		const struct frame *f = s->frames[i];

		/* The golden model judges what comes after it. */
		if (f == s->terminate || is_for_terminates(f))
			break;
		test_seen(t, "%s [%s]", test_frame_text(t, f),
			  test_frame_hex(t, f, HEX_SHOWN));
		look_at_frame(t, f);
		t->contradicted = true;
		return false;
	}
	return ends_at_last(t);
}

struct expect ends_unanswered(void)
{
	return (struct expect){
		.holds = ends_without_answer,
		.due = "the stream ends, and nothing arrived before the end or "
		       "before a Terminate"};
}

static bool none_came(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);

	(void)e;
	stream_settle(t, s);
	test_seen(t, "%s", stream_end_text(t, s));
	t->contradicted = s->terminate;
	return !s->terminate;
}

struct expect no_terminate(void)
{
	return (struct expect){.holds = none_came, .due = "no Terminate"};
}

static bool closes(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);

	while (stream_pull(t, s))
		continue;
	test_seen(t, "%s", stream_end_text(t, s));
	return e->a ? s->end == STREAM_FIN : s->end != STREAM_UP;
}

static bool ends_on_boundary(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);

	if (!closes(t, e))
		return false;
	if (!s->peer.leftover_logged)
		return true;
	test_seen(t, "%s, inside an FPDU", stream_end_text(t, s));
	return false;
}

struct expect end_after_whole_fpdu(void)
{
	return (struct expect){
		.holds = ends_on_boundary,
		.due = "the device closes TCP after a whole FPDU"};
}

static bool has_no_part(struct test *t, const struct expect *e)
{
	const struct stream *s = live_stream(t);
	size_t due, n = stream_part(s, &due);

	(void)e;
	test_seen(t, "%s", stream_end_text(t, s));
	t->contradicted = t->in_parts = true;
	/* A complete one that waits belongs to its ULP, which may send at any
	 * time. */
	return !n || (test_alone(t) && due && n >= due) ||
	       stream_part_is_unasked(s);
}

struct expect whole_fpdus(void)
{
	return (struct expect){.holds = has_no_part,
			       .due = "no octets that are less than an FPDU"};
}

struct expect tcp_closed(void)
{
	return (struct expect){.holds = closes, .due = "the device closes TCP"};
}

struct expect tcp_closed_by_fin(void)
{
	return (struct expect){.holds = closes,
			       .a = 1,
			       .due = "the device closes TCP with a FIN"};
}

/* Before the device may send, no exchange is possible. Its agent has answered
 * requests meanwhile, and octets on the wire would have arrived. */
static bool no_octet_came(struct test *t, struct stream *s)
{
	for (unsigned i = 0; i < 3; i++)
		dut_round_trip(t);
	while (peer_has_octets(&s->peer)) {
		size_t before = s->frame_count;

		/* An empty message of the device's own is nothing. */
		if (!may_be_unasked(s) || !stream_pull_any(t, s) ||
		    s->frame_count > before)
			return false;
	}
	alone_asks(t, "to know that it had time to send");
	return true;
}

bool dut_octets_came(struct test *t)
{
	return !no_octet_came(t, live_stream(t));
}

static bool silent(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);

	(void)e;
	stream_skip_rest(t);

	bool fenced = stream_can_fence(t, s) && s->model->rx_frames > 0;

	if (fenced)
		stream_fence(t, s);
	else if (stream_over(s))
		while (stream_pull(t, s))
			continue;
	else if (!no_octet_came(t, s)) {
		test_seen(t, "octets from the device");
		return false;
	}
	if (s->taken == s->frame_count) {
		test_seen(t, "nothing");
		return true;
	}
	const struct frame *f = s->frames[s->taken];

	t->contradicted = true;
	test_seen(t, "%s [%s]", test_frame_text(t, f),
		  test_frame_hex(t, f, HEX_SHOWN));
	return false;
}

struct expect nothing_more(void)
{
	return (struct expect){.holds = silent,
			       .due = "nothing more from the device"};
}

/*
 * An initiator of enhanced setup may report an error of the Reply by a
 * Terminate: RFC 6581 s8 permits it for every error, while RFC 5044 s8 requires
 * an immediate close. Its octets are read like those of a startup frame: the
 * first 20.
 */
static bool is_setup_terminate(const struct stream *s, const uint8_t *octets,
			       size_t n)
{
	static const uint8_t queue[] = {0, 0, 0, 2};

	return s->role == INITIATOR && s->saw_startup &&
	       s->seen_frame.flags & MPA_S && n == MPA_HEADER_OCTETS &&
	       (octets[2] & 0x80) == 0 &&
	       (octets[3] & 0x0f) == RDMAP_TERMINATE &&
	       memcmp(octets + 8, queue, sizeof(queue)) == 0;
}

/* A Reply of the ULP. */
static bool is_reject(const uint8_t *octets, size_t n)
{
	struct mpa_startup f;

	return mpa_startup_decode(&f, octets, n) && f.flags & MPA_R;
}

static bool closed_unanswered(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);
	const uint8_t *octets;
	size_t n = 0;
	uint64_t deadline = wait_deadline(t) +
			    t->bed->hello.startup_timeout_ms * 1000000ull;

	(void)e;
	/* A device that also closes on a right frame proves nothing. */
	test_stands_on_frames(t, s);
	if (s->end == STREAM_UP) {
		enum peer_status got =
			s->association
				? session_ends_first(t, s, deadline, &octets,
						     &n)
				: peer_receive_startup(&s->peer, deadline,
						       &octets, &n);

		if (!s->association && got == PEER_OK &&
		    is_setup_terminate(s, octets, n)) {
			size_t rest = fpdu_octets((uint16_t)(octets[0] << 8 |
							     octets[1]),
						  false, 0) -
				      n;

			got = peer_receive_startup(&s->peer, deadline, &octets,
						   &n);
			/* The frame, and nothing more. */
			n = n == rest ? 0 : n;
		}
		switch (got) {
		case PEER_FIN:
			s->end = STREAM_FIN;
			break;
		case PEER_RESET:
			s->end = STREAM_RESET;
			break;
		case PEER_TIMEOUT:
			s->starved = true;
			break;
		default:
			break;
		}
	}
	const char *end = s->end == STREAM_FIN     ? "FIN"
			  : s->end == STREAM_RESET ? "RST"
						   : "TCP still open";

	t->witnessed = n > 0 && !is_reject(octets, n);
	test_seen(t, "%zu octets%s%s, then %s", n, n ? ": " : "",
		  n ? test_hex(t, octets, n, HEX_SHOWN) : "", end);
	return n == 0 && s->end != STREAM_UP;
}

struct expect closed_without_reply(void)
{
	return (struct expect){.holds = closed_unanswered,
			       .due = "TCP closed without an octet of a Reply"};
}

struct expect closed_without_fpdu(void)
{
	return (struct expect){.holds = closed_unanswered,
			       .due = "TCP closed without an octet of an FPDU"};
}

static bool goes_into_operation(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);
	const struct mpa_startup *reply =
		s->role == RESPONDER ? &s->seen_frame : &s->sent_frame;

	(void)e;
	test_stands_on_frames(t, s);
	if (s->saw_startup && reply->flags & MPA_R)
		stream_may_be_rejected(t, s);
	if (!s->saw_startup || reply->flags & MPA_R) {
		test_seen(t, "%s", s->saw_startup ? "R=1" : "no startup frame");
		t->rejected = s->saw_startup && s->role == RESPONDER &&
			      !s->opts.reject;
		return false;
	}
	test_stands_on(t, s->role, FOUNDATION_OPENING);
	full_operation(t);
	if (!stream_open(t, s)) {
		test_seen(t, "no RTR in common: Terminate 2/0/07");
		return true;
	}
	if (stream_release(t, s))
		return works(t, e);
	test_seen(t, "%s", stream_end_text(t, s));
	return false;
}

struct expect full_operation_works(void)
{
	return (struct expect){
		.holds = goes_into_operation,
		.due = "Full Operation, where a zero-length RDMA Read is "
		       "answered",
	};
}

/* How long the stream existed until the device ended it; 0: unknown. */
static uint64_t lasted(const struct test *t, const struct stream *s)
{
	for (const struct event *ev = observe_first(t->bed->log); ev;
	     ev = ev->next)
		if (ev->stream == (unsigned)(s - t->stream) &&
		    (ev->kind == OBSERVE_FIN_SEEN ||
		     ev->kind == OBSERVE_RESET_SEEN))
			return ev->at_ns - s->began;
	return 0;
}

/*
 * On a link with a long delay, an older connection may reach its startup
 * timeout. The expectation still holds if the device ended a younger one before
 * its own timeout. If the delay alone takes that long (a plain exchange has
 * about eight round trips), the expectation cannot be judged.
 */
static bool was_its_timeout(struct test *t, const struct stream *s)
{
	uint64_t limit =
		t->bed->hello.startup_timeout_ms * (uint64_t)CLOCK_NS_PER_MS;

	if (!limit || lasted(t, s) < limit)
		return false;
	for (const struct stream *o = s + 1; o < t->stream + t->streams; o++)
		if (lasted(t, o) && lasted(t, o) < limit)
			return true;
	if (t->bed->exchange_ns >= 2 * limit)
		not_applicable(t,
			       "the startup timeout of %u ms is over before an "
			       "answer can come on this link",
			       t->bed->hello.startup_timeout_ms);
	return false;
}

static bool waits_on(struct test *t, const struct expect *e)
{
	struct stream *s = live_stream(t);
	bool octets = !no_octet_came(t, s);

	(void)e;
	test_seen(t, "%s",
		  octets               ? "octets from the device"
		  : s->peer.fin_seen   ? "FIN"
		  : s->peer.reset_seen ? "RST"
				       : "TCP open, and no octet");
	return !octets && ((!s->peer.fin_seen && !s->peer.reset_seen) ||
			   was_its_timeout(t, s));
}

struct expect still_waiting(void)
{
	return (struct expect){
		.holds = waits_on,
		.due = "the device has neither closed nor sent an octet yet",
	};
}
