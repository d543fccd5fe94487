/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Startup frames, step by step: the peer's Request or Reply, and the device's.
 */
#include "suite/language/execution/execution.h"

#include <string.h>

#include "harness/peer/session.h"
#include "suite/language/execution/meets.h"

static size_t startup_octets(struct test *t, const struct startup *f,
			     uint8_t **out, struct mpa_startup *frame)
{
	size_t head = f->enhanced ? MPA_ENHANCED_OCTETS : 0;
	uint8_t *pd = test_alloc(t, head + f->private_octets);

	if (f->enhanced)
		mpa_enhanced_encode(
			&(struct mpa_enhanced){.a = f->a,
					       .b = f->b,
					       .c = f->c,
					       .d = f->d,
					       .ird = (uint16_t)f->ird,
					       .ord = (uint16_t)f->ord},
			pd);
	if (f->private_octets)
		memcpy(pd + head, f->private_data, f->private_octets);
	*frame = (struct mpa_startup){
		.flags = (uint8_t)((f->no_crc ? 0 : MPA_C) |
				   (f->m ? MPA_M : 0) | (f->r ? MPA_R : 0) |
				   (overridden(f->s, f->enhanced) ? MPA_S : 0) |
				   (f->reserved & MPA_RESERVED)),
		.rev = (uint8_t)overridden(f->rev, f->enhanced ? 2 : 1),
		.private_data = pd,
		.private_octets = head + f->private_octets,
	};
	frame->pd_length =
		(uint16_t)overridden(f->pd_length, frame->private_octets);
	memcpy(frame->key,
	       f->key     ? (const uint8_t *)f->key
	       : f->reply ? mpa_key_reply
			  : mpa_key_request,
	       MPA_KEY_OCTETS);
	size_t cap = MPA_HEADER_OCTETS + frame->private_octets;

	*out = test_alloc(t, cap);
	return mpa_startup_encode(frame, *out, cap);
}

/* The Reply of a case that did not ask for an enhanced Request and does not set
 * a revision. */
static void fit_form(struct test *t, const struct stream *s, struct startup *f)
{
	if (!s->enhanced_anyway || !f->reply || f->enhanced || f->rev.set ||
	    f->s.set)
		return;
	if (f->private_octets + MPA_ENHANCED_OCTETS > MPA_PRIVATE_MAX)
		not_applicable(t, "the device's Requests are all enhanced, and "
				  "leave no room for this private data");
	f->enhanced = true;
	f->ird = f->ord = 16;
}

/* Answer A with A, and with one of the offered RTRs. A Send uses an MSN that
 * cases count, and a Read one of those that the Reply allows. */
static void fit_model(struct test *t, const struct mpa_enhanced *asked,
		      struct startup *f)
{
	f->a = true;
	f->c = asked->c;
	f->d = !f->c && asked->d && f->ird;
	f->b = !f->c && !f->d && asked->b;
	if (!f->b && !f->c && !f->d)
		not_applicable(t, "the device's streams all open with a Read, "
				  "and here none is allowed");
}

/* The receiver decides which revisions it can interoperate with (RFC 5044
 * s7.1.1): that of its Request is one. */
static void fit_revision(const struct stream *s, struct startup *f)
{
	if (s->seen_frame.rev == 2 && !(s->seen_frame.flags & MPA_S) &&
	    !f->enhanced && !f->rev.set && !f->s.set)
		f->rev = IS(2);
}

/* If one side leaves a depth to the ULP, the other does, too. */
static void fit_depths(const struct mpa_enhanced *asked, struct startup *f)
{
	if (asked->ord == MPA_NOT_NEGOTIATED)
		f->ird = MPA_NOT_NEGOTIATED;
	if (asked->ird == MPA_NOT_NEGOTIATED)
		f->ord = MPA_NOT_NEGOTIATED;
	else if (f->ord != MPA_NOT_NEGOTIATED && f->ord > asked->ird)
		f->ord = asked->ird;
}

/*
 * The Reply has to fit the Request: enhanced data for enhanced data (RFC 6581
 * s10), A for A (s9.2), an ORD within its IRD (s9.1). The case overrides the
 * fields that it is about.
 */
static void fit_request(struct test *t, const struct stream *s,
			struct startup *f)
{
	struct mpa_enhanced asked;

	if (!f->reply || !s->saw_startup || s->role != INITIATOR)
		return;
	if (!model_enhanced(&s->seen_frame, &asked)) {
		fit_revision(s, f);
		return;
	}
	fit_form(t, s, f);
	if (!f->enhanced)
		return;
	if (s->p2p_anyway && !f->a)
		fit_model(t, &asked, f);
	if (!f->exceeds && !f->r)
		fit_depths(&asked, f);
}

/* RFC 5044 s7.1.2 rule 9: the frame is improperly formatted to a device that
 * has no buffer for it. */
static void fit_buffer(struct test *t, const struct startup *f)
{
	if (!f->exceeds && f->private_octets <= MPA_PRIVATE_MAX &&
	    f->private_octets > dut_max_private(t))
		not_applicable(t,
			       "the device's interface takes %u octets of "
			       "private data",
			       dut_max_private(t));
}

/*
 * The device waits for the peer's startup frame as long as its agent says, and
 * may then close (RFC 5044 s7.1.2). A case that does more before it sends the
 * frame takes many round trips: over a distance the peer may be the one that is
 * late, which is no fault of the device. A plain exchange has about eight round
 * trips.
 */
static void sends_in_time(struct test *t, const struct stream *s)
{
	/* SCTP sets up the association in the same time. */
	uint64_t since = s->association ? s->began : s->adopted;
	uint64_t limit =
		t->bed->hello.startup_timeout_ms * (uint64_t)CLOCK_NS_PER_MS;
	uint64_t took = clock_now_ns() - since + t->bed->exchange_ns / 8;

	if (!limit || s->full || took < limit)
		return;
	if (t->bed->exchange_ns >= limit / 4 * 3)
		not_applicable(
			t,
			"the startup timeout of %u ms is over before the "
			"peer's startup frame can come on this link",
			t->bed->hello.startup_timeout_ms);
	test_error(t, CAUSE_SUITE,
		   "the peer's startup frame would be %u ms late for the "
		   "startup timeout of %u ms",
		   (unsigned)((took - limit) / CLOCK_NS_PER_MS),
		   t->bed->hello.startup_timeout_ms);
}

/* The equivalent message of session control. */
static void send_control(struct test *t, struct stream *s, struct startup f,
			 bool part)
{
	struct peer_chunk_faults faults = peer_no_chunk_faults;
	uint8_t *octets;
	size_t n;

	faults.hold = f.hold;
	session_only(t, &f);
	if (part)
		not_applicable(t, "a message of SCTP is whole");
	sends_in_time(t, s);
	fit_request(t, s, &f);
	fit_buffer(t, &f);
	n = startup_octets(t, &f, &octets, &s->sent_frame);
	excuse_startup(t, s, &f);
	s->sent_startup = true;
	s->starved = false;
	test_acts(t);
	meets_startup_sent(t, &f, 0, n, n, NULL, 0);
	stream_link_failed(t, s,
			   peer_control(&s->peer, session_function(&f),
					s->sent_frame.private_data,
					s->sent_frame.private_octets,
					f.hold ? &faults : NULL,
					test_deadline(t)));
	session_looks(t, s);
}

/* The private data that the ULP behind a port wants in each Request, before the
 * case's own. If the case is about the length, the length is correct, or wrong,
 * without it. */
static void add_private_data(struct test *t, const struct stream *s,
			     struct startup *f)
{
	const struct device *d = t->bed->device;
	size_t n = d->private_octets + f->private_octets;
	size_t most = MPA_PRIVATE_MAX - (f->enhanced ? MPA_ENHANCED_OCTETS : 0);

	if (!test_alone(t) || !d->private_octets || t->bed->ulp.bare ||
	    f->reply || f->pd_length.set || f->exceeds || s->role != RESPONDER)
		return;
	if (n > most)
		not_applicable(t, "the private data that its ULP requires "
				  "leaves no room for this");
	uint8_t *octets = test_alloc(t, n);

	memcpy(octets, d->private_data, d->private_octets);
	if (f->private_octets)
		memcpy(octets + d->private_octets, f->private_data,
		       f->private_octets);
	f->private_data = octets;
	f->private_octets = n;
}

void peer_sends_startup_part(struct test *t, struct startup f, size_t from,
			     size_t to)
{
	struct stream *s = live_stream(t);
	uint8_t *octets;
	size_t n;

	if (s->association) {
		send_control(t, s, f, from || to);
		return;
	}
	sends_in_time(t, s);
	alone_offers(t, s, f.a,
		     (f.b ? RTR_SEND : 0) | (f.c ? RTR_WRITE : 0) |
			     (f.d ? RTR_READ : 0));
	add_private_data(t, s, &f);
	fit_request(t, s, &f);
	fit_buffer(t, &f);
	f.no_crc |= !dut_has_crcs(t);
	n = startup_octets(t, &f, &octets, &s->sent_frame);

	if (from == 0)
		excuse_startup(t, s, &f);
	size_t whole = n;

	if (f.octets.set && f.octets.v < n)
		n = f.octets.v;
	if (to && to < n)
		n = to;
	if (from > n)
		from = n;
	s->sent_startup = true;
	s->starved = false;
	test_acts(t);
	size_t cuts[TEST_CUTS];
	size_t ncuts = segmentation_cuts(&t->bed->segmentation, n - from,
					 t->writes++, cuts, TEST_CUTS);

	meets_startup_sent(t, &f, from, n, whole, cuts, ncuts);
	stream_link_failed(t, s,
			   f.hold ? peer_hold(&s->peer, OBSERVE_STARTUP_SENT,
					      octets + from, n - from)
				  : peer_send(&s->peer, OBSERVE_STARTUP_SENT,
					      octets + from, n - from, cuts,
					      ncuts, test_deadline(t)));
}

void peer_sends_startup(struct test *t, struct startup f)
{
	peer_sends_startup_part(t, f, 0, 0);
}

/* The same frame in MPA's encoding. */
static const uint8_t *as_octets(struct test *t, const struct mpa_startup *f,
				size_t *n)
{
	size_t cap = MPA_HEADER_OCTETS + f->private_octets;
	uint8_t *octets = test_alloc(t, cap);

	*n = mpa_startup_encode(f, octets, cap);
	return octets;
}

/* Report and skip chunks that are not session control. */
static enum peer_status receive_control(struct test *t, struct stream *s,
					uint64_t deadline,
					const uint8_t **octets, size_t *n)
{
	enum peer_status status;
	const struct frame *f;

	do {
		status = peer_receive_startup(&s->peer, deadline, octets, n);
		if (status != PEER_OUT_OF_TURN)
			break;
		status = peer_receive(&s->peer, deadline, &f);
	} while (status == PEER_OK);
	session_looks(t, s);
	return status;
}

/* The startup frame that a message of session control stands for; a Session
 * Terminate ends the stream, like a FIN. */
static enum peer_status session_frame(struct test *t, struct stream *s,
				      enum peer_status status,
				      struct startup_seen *seen)
{
	struct session_chunk c;
	struct mpa_startup f;

	if (status != PEER_OK)
		return status;
	session_decode(&c, true, seen->octets, seen->n);
	if (!model_session_startup(&c, &f)) {
		seen->n = 0;
		/* The golden model of sessions has judged what it is. */
		if (c.cut || c.function != SESSION_TERMINATE)
			return PEER_OUT_OF_TURN;
		s->peer.fin_seen = true;
		return PEER_FIN;
	}
	seen->octets = as_octets(t, &f, &seen->n);
	return PEER_OK;
}

struct startup_seen dut_startup(struct test *t)
{
	struct stream *s = live_stream(t);
	struct startup_seen seen = {0};
	/* A device may use its whole startup timeout before it gives up. */
	uint64_t deadline = wait_deadline(t) +
			    t->bed->hello.startup_timeout_ms * 1000000ull;
	enum peer_status status =
		s->association
			? receive_control(t, s, deadline, &seen.octets, &seen.n)
			: peer_receive_startup(&s->peer, deadline, &seen.octets,
					       &seen.n);

	look_takes_last(t);
	if (s->association)
		status = session_frame(t, s, status, &seen);
	t->look = t->taken;
	seen.closed = status == PEER_FIN || status == PEER_RESET;
	seen.reset = status == PEER_RESET;
	if (seen.closed)
		s->end = seen.reset ? STREAM_RESET : STREAM_FIN;
	if (status == PEER_TIMEOUT) {
		session_waits_no_longer(t, s);
		stream_is_slow(t, s);
		wait_in_vain(t, deadline);
		s->starved = true;
	}
	if (status == PEER_BROKEN)
		stream_link_failed(t, s, status);
	const uint8_t *meant = interpret_startup(
		&t->interpreter, s->role == INITIATOR, seen.octets, seen.n);

	if (!mpa_startup_decode(&seen.frame, meant, seen.n))
		return seen;
	seen.came = status == PEER_OK;
	seen.ulp_private = seen.frame.private_data;
	seen.ulp_private_octets = seen.frame.private_octets;
	if ((seen.frame.flags & MPA_S) &&
	    seen.frame.private_octets >= MPA_ENHANCED_OCTETS) {
		seen.has_enhanced = true;
		mpa_enhanced_decode(&seen.enhanced, seen.frame.private_data);
		seen.ulp_private += MPA_ENHANCED_OCTETS;
		seen.ulp_private_octets -= MPA_ENHANCED_OCTETS;
	}
	if (seen.came)
		stream_startup_seen(t, s, &seen.frame);
	return seen;
}

/*
 * A missing frame is not blamed for its form: a device that sends no Request
 * breaks RFC 5044 s7.1.2; one that sends no Reply breaks a SHOULD of it. A row
 * about which Request is answered stays the same.
 */
static unsigned short missing_row(enum case_role role, unsigned short req)
{
	static const struct req_must *const of_replies[] = {
		&EMPA_6_09,    &EMPA_6_10,   &EMPA_6_18,   &EMPA_9_02,
		&EMPA_9_1_01,  &EMPA_9_1_02, &EMPA_9_1_04, &EMPA_9_1_14,
		&EMPA_9_1_15,  &EMPA_9_2_03, &EMPA_9_2_04, &EMPA_9_2_06,
		&EMPA_9_2_08,  &EMPA_9_2_26, &MPA_4_4_03,  &MPA_7_1_1_17,
		&MPA_7_1_1_25,
	};

	if (role == INITIATOR)
		return MPA_7_1_2_01.index;
	for (size_t i = 0; i < sizeof(of_replies) / sizeof(of_replies[0]); i++)
		if (of_replies[i]->index == req)
			return MPA_7_1_2_09.index;
	return req;
}

/* It arrived, but it is shorter than its length field says. */
static unsigned short length_row(enum case_role role)
{
	return role == INITIATOR ? MPA_7_1_1_24.index : MPA_7_1_1_25.index;
}

/* The model, and the case about it, report missing enhanced data; no other row
 * about its contents applies. */
static void needs_enhanced(struct test *t, const struct stream *s,
			   const struct startup_seen *seen)
{
	struct mpa_enhanced asked;
	bool due = s->role == INITIATOR
			   ? s->opts.enhanced || s->opts.dut_rtr || s->opts.rtr
			   : model_enhanced(&s->sent_frame, &asked);

	if (!due || seen->has_enhanced)
		return;
	test_stands_on(t, s->role, FOUNDATION_ENHANCED);
	test_counts_if_seen(t);
}

static struct startup_seen awaits_frame(struct test *t, unsigned short missing)
{
	struct startup_seen seen = dut_startup(t);

	if (seen.came) {
		needs_enhanced(t, live_stream(t), &seen);
		return seen;
	}
	test_stands_on_markers(t, live_stream(t));
	if (!seen.n)
		test_stands_on(t, live_stream(t)->role, FOUNDATION_STREAM);
	/* What arrived instead was judged already. */
	if (live_stream(t)->astray)
		test_enough(t);
	if (!seen.n)
		test_counts_if_seen(t);
	const char *tried = "";
	unsigned short row = seen.n >= MPA_HEADER_OCTETS
				     ? length_row(live_stream(t)->role)
			     : seen.n ? missing
				      : unanswered_row(t, missing, &tried);

	test_fail(t, row, "due:  a startup frame\nseen: %s%s%s",
		  seen.closed ? (seen.reset ? "RST" : "FIN")
			      : "nothing until the deadline",
		  seen.n ? test_format(t, " after %zu octets: %s", seen.n,
				       test_hex(t, seen.octets, seen.n, 32))
			 : "",
		  tried);
}

struct startup_seen case_awaits_startup(struct test *t, struct req_must req)
{
	return awaits_frame(t, missing_row(live_stream(t)->role, req.index));
}

static struct startup_seen awaits_ground(struct test *t, unsigned short missing)
{
	const struct stream *s = live_stream(t);

	if (s->opts.enhanced || s->opts.rtr || s->opts.dut_rtr ||
	    (s->sent_startup && s->sent_frame.flags & MPA_S))
		test_stands_on(t, s->role, FOUNDATION_ENHANCED);
	t->on_ground = true;
	struct startup_seen seen = awaits_frame(t, missing);

	t->on_ground = false;
	return seen;
}

void request_negotiates_depths(struct test *t, struct startup_seen request)
{
	if (request.enhanced.ird == MPA_NOT_NEGOTIATED ||
	    request.enhanced.ord == MPA_NOT_NEGOTIATED)
		not_applicable(t, "the device leaves IRD and ORD to its ULP");
}

struct startup_seen awaits_request(struct test *t)
{
	return awaits_ground(t, MPA_7_1_2_01.index);
}

struct startup_seen awaits_reply(struct test *t)
{
	return awaits_ground(t, MPA_7_1_2_09.index);
}
