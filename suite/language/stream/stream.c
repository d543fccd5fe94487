/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The streams of a case: the current one, frames received from them, and known-
 * answer exchanges.
 */
#include "suite/language/execution/execution.h"
#include "suite/language/peer/peer_judge.h"

#include <string.h>

#include "harness/link/clock.h"
#include "suite/language/execution/meets.h"

#define FENCE_STAG 0x5eedf000u
/* Far more FPDUs than the device's work needs; and octets, once a rule is
 * broken. */
#define FLOOD_FRAMES     8192u
#define FLOOD_FPDU_LEAST 32u
#define FLOOD_OCTETS     (16u << 20)

struct stream *the_stream(struct test *t)
{
	if (t->current >= t->streams)
		test_error(t, CAUSE_SUITE, "the case has no stream yet");
	return &t->stream[t->current];
}

struct stream *live_stream(struct test *t)
{
	struct stream *s = the_stream(t);

	if (!s->live)
		test_error(t, CAUSE_SUITE, "the stream has no connection yet");
	return s;
}

void on_stream(struct test *t, unsigned stream)
{
	if (stream >= t->streams - t->beside)
		test_error(t, CAUSE_SUITE, "there is no stream %u", stream);
	t->current = t->beside + stream;
}

/* A device without the feature multi-stream has one TCP connection at a time. A
 * foundation is done with the former ones; another case closes them, or needs
 * them all. */
static void former_streams_are_over(struct test *t)
{
	unsigned current = t->current;

	if (test_alone(t) || test_on_sctp(t) ||
	    dut_claims(t) & NEED_MULTI_STREAM)
		return;
	for (unsigned i = 0; i < t->streams; i++) {
		struct stream *s = &t->stream[i];

		if (!s->live)
			continue;
		if (s->end == STREAM_UP && t->in->desc->founds)
			peer_close_sending(&s->peer);
		if (s->end == STREAM_UP && !s->peer.fin_sent &&
		    !s->peer.reset_sent)
			not_applicable(t,
				       "the device has one stream at a time");
		t->current = i;
		dut_ends(t);
	}
	t->current = current;
}

struct stream *new_stream(struct test *t, enum case_role role,
			  const struct stream_opts *o)
{
	alone_opens(t);
	former_streams_are_over(t);
	if (t->streams == TESTBED_STREAMS)
		test_error(t, CAUSE_SUITE, "more than %u streams",
			   TESTBED_STREAMS);
	t->current = t->streams++;
	struct stream *s = &t->stream[t->current];

	*s = (struct stream){.used = true,
			     .began = clock_now_ns(),
			     .role = role,
			     .opts = *o};
	return s;
}

/* --- receiving -------------------------------------------------------- */

static void keep_frame(struct test *t, struct stream *s, const struct frame *f)
{
	if (s->frame_count == s->frame_cap) {
		size_t cap = s->frame_cap ? s->frame_cap * 2 : 32;
		const struct frame **more = test_alloc(t, cap * sizeof(*more));

		if (s->frame_count)
			memcpy(more, s->frames, s->frame_count * sizeof(*more));
		s->frames = more;
		s->frame_cap = cap;
	}
	s->frames[s->frame_count++] = f;
	if (!s->terminate && !f->seg.ddp.tagged &&
	    f->seg.ddp.opcode == RDMAP_TERMINATE) {
		s->terminate = f;
		test_rests_on(t, s->role, FOUNDATION_TERMINATE_SENT);
	}
}

/* Any Response to the sink is an answer: the model reports a wrong size, and no
 * other one is waited for. An empty one may have no STag, which a case reports. */
static bool is_answer(const struct frame *f, uint32_t stag)
{
	const struct ddp *d = &f->seg.ddp;

	return d->tagged && d->last && d->opcode == RDMAP_READ_RESPONSE &&
	       (d->stag == stag || (!d->stag && !f->seg.payload_octets));
}

/* Part of an answer, but not the expected end: not its last segment, or the
 * answer to an abandoned question. */
static bool is_aside(const struct test *t, const struct stream *s,
		     const struct frame *f)
{
	const struct ddp *d = &f->seg.ddp;

	return d->tagged && d->opcode == RDMAP_READ_RESPONSE &&
	       d->stag >= FENCE_STAG && d->stag < FENCE_STAG + t->fences &&
	       !(d->last && d->stag == s->fence);
}

static void see_end(struct test *t, struct stream *s, enum stream_end end)
{
	/* Whoever has ended it. */
	if (s->end == STREAM_UP && s->model && !test_alone(t)) {
		struct model_objections o;

		t->look =
			(struct looked_at){.event = observe_last(t->bed->log)};
		model_dut_ends(
			s->model,
			end == STREAM_FIN ? MODEL_END_FIN : MODEL_END_RST, &o);
		test_leaves_out_told(t, s->role, &o);
		test_objections(t, &o, "the end of the stream");
	}
	s->end = end;
}

/* A device without CRCs may put anything into the CRC field. */
static const struct frame *as_it_can(struct test *t, const struct frame *f)
{
	struct frame *fine;

	if (dut_has_crcs(t))
		return f;
	fine = test_alloc(t, sizeof(*fine));
	*fine = *f;
	fine->crc_ok = true;
	return fine;
}

/*
 * More has arrived than any case needs, and it does not stop: nothing more is
 * received. What is due has not arrived, as in silence.
 */
static bool is_flood(struct test *t, struct stream *s)
{
	uint64_t came = s->peer.conn->received;

	if (!s->broken_at && test_has_broken(t))
		s->broken_at = came;
	return ++s->pulled > FLOOD_FRAMES + s->to_send / FLOOD_FPDU_LEAST ||
	       (s->broken_at && came - s->broken_at > FLOOD_OCTETS);
}

void stream_is_slow(struct test *t, const struct stream *s)
{
	if (frame_grows(t, s))
		test_error(
			t, CAUSE_SUITE,
			"the device is slow: %zu octets of a frame had "
			"arrived, and more were arriving, when the wait ended",
			s->peer.rx_to - s->peer.rx_from);
}

/* Session control instead of a segment, other than the end of the session, is
 * judged by the model of sessions. */
static enum peer_status receive(struct stream *s, uint64_t deadline,
				const struct frame **f)
{
	const uint8_t *octets;
	enum peer_status status;
	size_t n;

	while ((status = peer_receive(&s->peer, deadline, f)) ==
	       PEER_OUT_OF_TURN)
		if ((status = peer_receive_startup(&s->peer, CLOCK_NOW, &octets,
						   &n)) != PEER_OK)
			break;
	return status;
}

/*
 * After the peer's own Session Terminate a device need not send one (RFC 5043
 * s6.2), nor end the association: its agent reports that it has ended the
 * session. The device may have to send the rest of its work first: both are
 * waited for in turns.
 */
static enum peer_status receive_or_end(struct test *t, struct stream *s,
				       uint64_t deadline,
				       const struct frame **f, bool *unsaid)
{
	enum { AGENT_MS = 1, WIRE_MS = 10 };
	bool alone = s->association && s->peer.fin_sent && s->conn[0];
	enum peer_status status;

	*unsaid = false;
	if (!alone)
		return receive(s, deadline, f);
	status = receive(s, CLOCK_NOW, f);
	while (status == PEER_TIMEOUT && !*unsaid) {
		bool late = clock_now_ns() >= deadline;

		*unsaid = dut_is_final(t, s, AGENT_MS);
		status = receive(
			s, *unsaid ? CLOCK_NOW : clock_after_ms(WIRE_MS), f);
		if (late)
			break;
	}
	return status;
}

/* A whole wait after what the peer has sent has arrived. */
static enum peer_status await_more(struct test *t, struct stream *s,
				   const struct frame **f, uint64_t *deadline,
				   bool *unsaid)
{
	struct arrival arrival = arrival_begins(t, s);
	enum peer_status status;

	do
		status = receive_or_end(t, s, arrival_look_at(t, &arrival), f,
					unsaid);
	while (status == PEER_TIMEOUT && !*unsaid &&
	       arrival_goes_on(t, s, &arrival));
	*deadline = arrival.deadline;
	return status;
}

/* The golden model, if the stream has one, judges a message of the device. */
static void model_judges(struct test *t, struct stream *s,
			 const struct frame *f)
{
	struct model_objections o;

	if (!s->model)
		return;
	if (s->peer.fin_sent)
		model_peer_closed(s->model);
	model_dut_sends(s->model, &f->seg, f->chunk ? NULL : f->fpdu,
			f->crc_ok ? NULL : f->crc_due, &o);
	/* Whether a device answers the suite's own question after a fault is
	 * judged by the case that asked it. */
	if (o.n && !(t->shaken_by && s->terminate == f) &&
	    !(s->model->failed && is_answer(f, s->fence) &&
	      f->seg.payload_octets <= 1))
		test_objections(t, &o,
				test_format(t, "%s [%s]", test_frame_text(t, f),
					    test_frame_hex(t, f, 96)));
}

/* One more FPDU; *aside: it is not one that the case waits for. */
static bool pull(struct test *t, struct stream *s, bool *aside)
{
	const struct frame *f;

	*aside = false;
	if (!s->live || s->end != STREAM_UP || s->starved || s->flooded)
		return false;
	if (is_flood(t, s)) {
		test_is_flooded(t);
		return false;
	}
	bool unsaid;
	uint64_t deadline;
	enum peer_status status = await_more(t, s, &f, &deadline, &unsaid);

	session_looks(t, s);
	switch (status) {
	case PEER_OK:
		break;
	case PEER_FIN:
		see_end(t, s, STREAM_FIN);
		return false;
	case PEER_RESET:
		see_end(t, s, STREAM_RESET);
		return false;
	case PEER_TIMEOUT:
		if (unsaid) {
			see_end(t, s, STREAM_FIN);
			return false;
		}
		session_waits_no_longer(t, s);
		stream_is_slow(t, s);
		wait_in_vain(t, deadline);
		s->starved = true;
		if (!s->association)
			peer_tell_part(&s->peer);
		return false;
	case PEER_FLOOD:
		test_is_flooded(t);
		return false;
	case PEER_OUT_OF_TURN: /* receive() has taken it */
	case PEER_BROKEN:
		test_error(t, CAUSE_SUITE, "the link failed: %s",
			   s->peer.conn->why);
	}
	t->look = (struct looked_at){.event = observe_last(t->bed->log)};
	f = as_it_can(t, interpret_frame(&t->interpreter, f));
	keep_frame(t, s, f);
	meets_frame(t, s, f,
		    is_aside(t, s, f) || (s->fence && is_answer(f, s->fence)));
	if (s->judge)
		peer_judge_sees(s->judge, f);
	model_judges(t, s, f);
	alone_notes(t, s, f);
	bool unasked = is_unasked(t, s, f);

	*aside = is_aside(t, s, f) || alone_is_ulps(t, s, f) || unasked;
	if (*aside)
		s->frame_count--;
	if (unasked)
		unasked_answer(t, s);
	return true;
}

bool stream_pull(struct test *t, struct stream *s)
{
	bool aside, came;

	do
		came = pull(t, s, &aside);
	while (came && aside);
	return came;
}

bool stream_pull_any(struct test *t, struct stream *s)
{
	bool aside;

	return pull(t, s, &aside);
}

bool stream_over(const struct stream *s)
{
	return s->end != STREAM_UP || s->terminate;
}

/* So many cases are no chance. */
enum { OFTEN = 5 };

bool stream_left_unread(const struct test *t)
{
	return t->bed->ground && t->bed->ground->left_unread >= OFTEN;
}

bool streams_are_left_open(const struct test *t)
{
	return t->bed->ground && t->bed->ground->left_open >= OFTEN;
}

void stream_waits_briefly(struct test *t, const struct stream *s)
{
	if (!s->terminate || !streams_are_left_open(t))
		return;
	t->bed->brief = true;
	wait_at_ease(t);
}

void stream_has_to_end(struct test *t, const struct stream *s)
{
	if (!stream_over(s))
		test_rests_on(t, s->role, FOUNDATION_ERRORS_END);
}

void stream_pull_to_end(struct test *t, struct stream *s)
{
	bool brief = t->bed->brief;

	t->bed->brief |= stream_left_unread(t);
	while (!stream_over(s) && stream_pull(t, s))
		continue;
	t->bed->brief = brief;
	if (s->terminate)
		look_at_frame(t, s->terminate);
}

/* --- known-answer exchanges -------------------------------------------- */

void stream_needs_reads(struct test *t)
{
	if (!(t->bed->claims & NEED_READ))
		not_applicable(t, "the device does not claim read, and without "
				  "it no known-answer exchange is possible");
	if (!t->bed->hello.max_ird)
		not_applicable(t, "the device has IRD 0, and without an "
				  "inbound Read no known-answer exchange is "
				  "possible");
}

/* An ORD of zero has room for the Read that is the RTR (RFC 6581 s9.1). */
static bool may_read(const struct stream *s)
{
	return s->peer_ord || (s->role == RESPONDER && !s->model->rx_frames &&
			       (s->model->config.rtr & MODEL_RTR_READ));
}

/* A responder is silent before the first FPDU that it receives (RFC 5044
 * s7.1.2); after its own Terminate every side is (RFC 5040 s5.4); a message is
 * sent completely before the next (RFC 5041 s5.3). */
bool stream_takes_one_more(const struct test *t, const struct stream *s)
{
	return s->live && s->full && !stream_over(s) && !s->starved &&
	       !s->flooded && !s->peer_terminated && !s->peer_inside &&
	       !s->peer.fin_sent && !s->peer.reset_sent && !s->kept &&
	       !s->withheld && !s->shut && !test_directions_have_fallen(t, s) &&
	       (s->role == RESPONDER || s->model->tx_frames);
}

bool stream_can_fence(const struct test *t, const struct stream *s)
{
	return stream_takes_one_more(t, s) && (t->bed->claims & NEED_READ) &&
	       !test_has_fallen(t, s->role, FOUNDATION_ANSWER) &&
	       s->model->config.ird != 0 && may_read(s);
}

/* The source of the device's answer to a Read of one octet. */
static struct region octet_to_read(struct test *t, struct stream *s)
{
	if (!s->has_octet) {
		s->octet = dut_registers(t, .len = 8, .pd = s->opts.pd,
					 .access = FOR_READS);
		s->has_octet = true;
	}
	return s->octet;
}

bool stream_ask(struct test *t, struct stream *s, uint32_t octets)
{
	uint32_t stag = FENCE_STAG + t->fences++;
	unsigned before = t->current;
	bool brief = t->bed->brief, answered = false;
	struct send_opts o = {.msg = {.opcode = RDMAP_READ_REQUEST,
				      .read = {.sink_stag = stag,
					       .sink_to = PEER_SINK_TO,
					       .size = octets}}};

	/* The same question was just asked. */
	if (stream_was_deaf(t, s)) {
		s->starved = true;
		return false;
	}
	if (octets) {
		struct region r = octet_to_read(t, s);

		o.msg.read.source_stag = r.stag;
		o.msg.read.source_to = r.to;
	}
	s->fence = stag;
	t->current = (unsigned)(s - t->stream);
	t->aside = true;
	stream_send(t, s, &o);
	t->aside = false;
	t->current = before;
	while (!answered && stream_pull(t, s)) {
		answered = is_answer(s->frames[s->frame_count - 1], stag);
		stream_waits_briefly(t, s);
	}
	t->bed->brief = brief;
	if (answered) {
		s->frame_count--; /* it is not an answer for the case */
		s->dirty = false;
		s->proved = true;
		return true;
	}
	s->fence = 0;
	if (s->starved)
		stream_is_deaf(t, s);
	return false;
}

bool stream_fence(struct test *t, struct stream *s)
{
	return stream_ask(t, s, test_way(t, s->role, FOUNDATION_ANSWER));
}

bool known_answer(struct test *t)
{
	struct stream *s = live_stream(t);

	stream_needs_reads(t);
	test_stands_on(t, s->role, FOUNDATION_OPENING);
	test_stands_on(t, s->role, FOUNDATION_ANSWER);
	test_stands_on_directions(t, s);
	return stream_can_fence(t, s) && stream_fence(t, s);
}

/* It completes the oldest receive that is left, which need not be its own. */
bool stream_reveals(struct test *t, struct stream *s)
{
	unsigned before = t->current;
	struct send_opts o = {.msg = {.opcode = RDMAP_SEND}};
	bool delivered;

	/* Its Sends are for the ULP alone. */
	if (test_alone(t) || !s->unseen || !stream_takes_one_more(t, s) ||
	    !(t->bed->claims & NEED_SEND) ||
	    test_has_fallen(t, s->role, FOUNDATION_SEND_TAKEN))
		return false;
	t->current = (unsigned)(s - t->stream);
	dut_has_received(t, dut_posts_recv(t, 8));
	t->aside = true;
	stream_send(t, s, &o);
	t->aside = false;
	delivered = dut_receives(t, (struct sink){.first = s->received + 1,
						  .count = 1,
						  .stream = t->current})
			    .ok;
	t->current = before;
	return delivered;
}

enum settled stream_settle(struct test *t, struct stream *s)
{
	/* A device may leave the close after its Terminate to the peer (RFC
	 * 5040 s6.2.1). */
	if (!stream_over(s) && s->peer_terminated) {
		s->starved = false;
		stream_link_failed(t, s, peer_close_sending(&s->peer));
	}
	if (!stream_over(s) && (s->peer.fin_sent || s->peer.reset_sent))
		stream_pull_to_end(t, s);
	if (!stream_over(s) && !s->dirty && !s->starved)
		return SETTLED_ALIVE;
	t->silence_is_due = true; /* it would show that nothing came of it */
	bool alive = stream_can_fence(t, s) && stream_fence(t, s);

	t->silence_is_due = false;
	if (alive)
		return SETTLED_ALIVE;
	if (!stream_over(s) && !s->peer.reset_sent)
		return SETTLED_STALLED;
	dut_wait_final(t, s);
	return s->final_known ? SETTLED_OVER : SETTLED_STALLED;
}
